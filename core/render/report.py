"""HTML: an answer in a notebook; a report of answers in one file that opens anywhere, its figures drawn for paper."""

import base64
import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go
import plotly.io as pio

from ..arrays import record
from ..plots import style
from .answer import Answer
from .terminal import cell_texts

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
HIGHEST = 860  # pixels of a figure, with room for its title on a sheet of A4
SEQUENTIAL = ("#EAF1F8", "#B8D2E8", "#76A8D0", "#3977AF", "#08305C")
GRID, FRAME = "#E3E8EE", "#C5CCD6"
_AXIS = {"gridcolor": GRID, "linecolor": FRAME, "zerolinecolor": FRAME, "automargin": True}
ON_PAPER: dict[str, Any] = {
    "layout": {
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "font": {"family": "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif", "size": 12},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "colorscale": {
            "sequential": [[index / (len(SEQUENTIAL) - 1), colour] for index, colour in enumerate(SEQUENTIAL)]
        },
        "autotypenumbers": "strict",
    }
}


@record
class Report:
    """What goes on paper."""

    corpus: str
    identity: tuple[tuple[str, str], ...]  # what tells this corpus from every other
    settings: tuple[tuple[str, str], ...]  # those that hold for every answer
    cleaning: tuple[str, ...]
    answers: tuple[Answer, ...]
    labels: Mapping[str, str]  # where each answer stands in the app, by question
    left_out: tuple[tuple[str, str], ...]  # questions without an answer, and why
    computed: tuple[str, ...]  # how it was computed, a paragraph each
    references: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]


def report_html(report: Report, *, when: datetime) -> str:
    """Return the whole file. Every text of a user is escaped where it stands; scripts that are not ours cannot run.

    The template takes two things as they are: our own scripts, and JSON made by `in_script`.
    """
    figures = [
        [(f"figure-{answer.name}-{number}", drawing) for number, drawing in enumerate(answer.figures, start=1)]
        for answer in report.answers
    ]
    numbers = {name: index for index, (name, _) in enumerate((each for group in figures for each in group), start=1)}
    scripts = (BEFORE, _plotly(), DRAW)
    return _template().render(
        report=report,
        parts=list(zip(report.answers, figures, strict=True)),
        numbers=numbers,
        labels=report.labels,
        cells=lambda rows: cell_texts(rows.frame.iloc[: rows.most], rows),
        json={name: for_paper(drawing.figure) for group in figures for name, drawing in group},
        scripts=scripts,
        policy=_policy(scripts),
        when=f"{when:%Y-%m-%d %H:%M} UTC",
    )


def _policy(scripts: tuple[str, ...]) -> str:
    """Return a policy that allows scripts by hash and nothing else: injected scripts do not run."""
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


def for_paper(figure: go.Figure) -> str:
    """Return the figure as JSON that may stand inside a script element: nothing in it can end that.

    Markers that only take clicks go; points that a graphics card would draw are drawn as shapes, which print; and what
    the theme of the app would colour gets colours for white paper.
    """
    drawn = figure.to_plotly_json()
    drawn["data"] = [_trace(trace) for trace in drawn["data"] if not _unseen(trace)]
    layout = drawn["layout"]
    layout["template"], layout["dragmode"] = ON_PAPER, False
    layout["height"] = min(int(layout.get("height") or HIGHEST), HIGHEST)
    return in_script(pio.to_json(drawn, validate=False).replace(f'"{style.GROUND}"', '"#FFFFFF"'))


def in_script(text: str) -> str:
    """Return JSON with every character escaped that HTML could read as the end of a script or a comment."""
    json.loads(text)  # whatever cannot be read again would leave the page empty
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _unseen(trace: dict[str, Any]) -> bool:
    """Return whether nothing of a trace is seen: the layer over a heatmap that takes clicks."""
    return trace.get("mode") == "markers" and trace.get("marker", {}).get("opacity") == 0


def _trace(trace: dict[str, Any]) -> dict[str, Any]:
    made = dict(trace)
    if made.get("type") == "scattergl":
        made["type"] = "scatter"
    if made.get("type") == "heatmap":
        made["hoverinfo"] = "z" if made.get("hoverinfo") == "skip" else made.get("hoverinfo")
        if not made.get("colorscale"):
            made["colorscale"] = ON_PAPER["layout"]["colorscale"]["sequential"]
    made.pop("selected", None)
    made.pop("unselected", None)
    return made


COLOURS = {"good": "#1a7f4b", "warning": "#b4531a", "bad": "#c0322b", "neutral": "#1f5c96", "unknown": "#5a4fb0"}


def answer_html(answer: "Answer") -> str:
    """Return the headline, reasons, numbers and the first figure; every text is escaped."""
    from html import escape

    lines = [f'<p style="font-weight:600;color:{COLOURS[answer.level]}">{escape(answer.headline)}</p>']
    lines += [
        f'<p><b style="color:{COLOURS[each.level]}">{escape(each.label)}:</b> {escape(each.text)}</p>'
        for each in answer.lines
    ]
    lines += [f"<p>{escape(reason)}</p>" for reason in answer.reasons]
    if answer.facts:
        cells = "".join(
            f"<tr><td>{escape(each.label)}</td><td><b>{escape(each.value)}</b></td><td>{escape(each.note)}</td></tr>"
            for each in answer.facts
        )
        lines.append(f"<table>{cells}</table>")
    lines += [f"<p>⚠ {escape(each.text)}</p>" for each in answer.cautions]
    if answer.figures:
        drawn: str = answer.figures[0].figure.to_html(full_html=False, include_plotlyjs=True)
        lines.append(drawn)
    return "\n".join(lines)
