"""How good are these answers? PAN's scores of other people's systems, from files."""

from collections.abc import Mapping, Sequence
from math import isfinite

import pandas as pd

from ..formats import counted, listed
from ..models import METRICS
from ..render import Answer, Caution, Rows

NAME, QUESTION = "score", "How good are these answers?"


def answer_of_files(systems: Mapping[str, Mapping[str, float]], *, problems: int, notes: Sequence[str]) -> Answer:
    """Compare the metrics of several systems on one set of problems."""
    known = {name: values["overall"] for name, values in systems.items() if isfinite(values["overall"])}
    on = f"{counted(len(systems), 'system')} on {counted(problems, 'problem')}"
    if known:
        top = max(known.values())
        whose = [name for name, overall in known.items() if overall == top]
        have = "has" if len(whose) == 1 else "have"
        said = f"{listed(whose)} {have} the highest Overall score ({top:.2f}): {on}."
    else:
        said = f"No system has an Overall score: {on}."
    untested = Caution("untested", "These scores alone do not show whether a difference is significant.")
    return Answer(
        NAME,
        QUESTION,
        "neutral" if known else "unknown",
        said,
        cautions=(*((untested,) if len(known) > 1 else ()), *(Caution("answers", note) for note in notes)),
        tables=(
            Rows(
                "scores",
                "Scores",
                lambda: pd.DataFrame(
                    [
                        {"system": name} | {METRICS[metric].label: value for metric, value in values.items()}
                        for name, values in systems.items()
                    ]
                ),
                lead=True,
            ),
        ),
        make_data=lambda: {
            "systems": {
                name: {metric: value if isfinite(value) else None for metric, value in values.items()}
                for name, values in systems.items()
            },
            "problems": problems,
            "notes": list(notes),
        },
    )
