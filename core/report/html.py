"""A report as one HTML file that opens anywhere and fetches nothing: plotly's script is inside, once."""

import base64
import hashlib
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .build import PAGES, Report
from .paper import for_paper

if TYPE_CHECKING:
    import jinja2

TEMPLATE = Path(__file__).parent / "report.html"
BEFORE = 'window.PlotlyConfig = {MathJaxConfig: "local"};'  # plotly would look for MathJax otherwise
DRAW = """
for (const holder of document.querySelectorAll("[data-figure]")) {
  const drawn = JSON.parse(document.getElementById(holder.dataset.figure).textContent);
  drawn.layout.width = Math.max(560, Math.min(680, holder.clientWidth));
  drawn.layout.autosize = false;
  Plotly.newPlot(holder, drawn.data, drawn.layout, {
    displayModeBar: false, displaylogo: false, showLink: false, showSendToCloud: false, plotlyServerURL: "",
    topojsonURL: "", scrollZoom: false, responsive: false,
  });
}
document.documentElement.dataset.drawn = "yes";
"""


def write_html(report: Report, *, when: datetime) -> str:
    """The whole file. Every text of a user is escaped where it stands; scripts that are not ours cannot run.

    The template takes two things as they are: our own scripts, and JSON made by `in_script`.
    """
    figures = [
        [(f"figure-{section.page}-{number}", drawing) for number, drawing in enumerate(section.drawings, start=1)]
        for section in report.sections
    ]
    numbers = {name: index for index, (name, _) in enumerate((each for group in figures for each in group), start=1)}
    scripts = (BEFORE, _plotly(), DRAW)
    return _template().render(
        report=report,
        parts=list(zip(report.sections, figures, strict=True)),
        numbers=numbers,
        labels={name: page.label for name, page in PAGES.items()},
        json={name: for_paper(drawing.figure) for group in figures for name, drawing in group},
        scripts=scripts,
        policy=_policy(scripts),
        when=f"{when:%Y-%m-%d %H:%M} UTC",
    )


def _policy(scripts: tuple[str, ...]) -> str:
    """Scripts by their hashes and nothing from anywhere: a text that slipped through as a script would not run."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts
    )
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:"


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return script


@cache
def _template() -> "jinja2.Template":
    from jinja2 import Environment, StrictUndefined, select_autoescape

    environment = Environment(autoescape=select_autoescape(default=True), undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
