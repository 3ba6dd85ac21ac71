"""An answer as HTML that shows itself in a notebook."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answer import Answer

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
