"""Are the probabilities calibrated? Asked of verifiers, whose answers are probabilities that one author wrote both texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from ..errors import SettingError
from ..evaluation import TASKS, Reliability, reliability
from ..models.verification import CALIBRATIONS
from ..plots import accuracy as plots
from ..render import Answer, Caution, Drawing, Level, Rows
from ..study import Study
from .accuracy import reliability_data
from .runs import RunSettings, references_of, run
from .settings import choice
from .significance import first_model, models_chosen, run_key

NAME, LABEL = "calibration", "Folds & accuracy"
QUESTION = "Are the probabilities calibrated?"
HELP = "Compare verifiers' answers with how often one author wrote both texts."
METHODS = (
    "Answers were put into ten bins. The expected calibration error (Naeini et al. 2015) compares the mean answer of "
    "a bin with its share of pairs by one author. It is the mean of these distances, weighted by answers. It is compared with the error that perfectly "
    "calibrated answers would show by chance, which is simulated."
)
CHART = (
    "A mark stands for the answers in a tenth of the scale. Its height is the share of these pairs that one author wrote, with a 95% "
    "interval (Wilson 1927). Pairs share texts, so the intervals are too narrow. Calibrated answers lie on the dashed line."
)
TABLE = (
    "ECE: expected calibration error. It is never below 0, and few pairs raise it, so compare it with that of perfectly calibrated answers. "
    "Pairs without an answer are left out."
)
TOO_COARSE = 0.1  # an error that chance reaches with so few pairs tells nothing
SIDES = {
    "one author": "they favour 'same author'",
    "two authors": "they favour 'different authors'",
    "too sure": "they are too confident",
    "not sure": "they are not confident enough",
}


@dataclass(frozen=True)
class Settings(RunSettings):
    """Which model of which run is drawn."""

    task: str = choice("Task", {name: name for name in TASKS}, default="verification", help="What models are asked.")
    model: str = choice("Model", models_chosen, default=first_model, key="calibrated_model", help="The model drawn.")


def answer(study: Study, settings: Settings) -> Answer:
    """Answer whether the probabilities of verifiers are calibrated."""
    if not TASKS[settings.task].asks_pairs:
        raise SettingError("Attribution has no probabilities to calibrate. Choose verification.")
    made = run(study, settings)
    found: Mapping[str, Reliability] = study.once(
        "reliability",
        *run_key(settings),
        compute=lambda: {name: reliability(made.evaluation, name) for name in made.models},
    )
    labelled = {label: found[name] for name, label in made.models.items()}
    drawn = made.models[settings.model]
    level, headline = reading(found[settings.model], drawn)
    return Answer(
        NAME,
        QUESTION,
        level,
        headline,
        reasons(found[settings.model]),
        (Caution("pairs-share-texts", "Pairs share texts, so chance varies more than shown."),),
        figures=(
            Drawing("reliability", f"{drawn}: {CALIBRATIONS[made.evaluation.calibration].label}",
                    partial(plots.reliability_diagram, labelled, drawn=drawn), CHART),
        ),
        tables=(Rows("calibration", "Calibration error", partial(_table, labelled), TABLE, lead=True),),
        make_data=lambda: _data(found),
        settings=settings.rows(study),
        methods=METHODS,
        references=references_of([made.evaluation]),
        numbers=found,
    )  # fmt: skip


def reading(found: Reliability, model: str) -> tuple[Level, str]:
    """Return the level and the headline for one model."""
    if not found.answered:
        return "unknown", f"{model} answered no pair, so there is nothing to compare."
    off = f"{100 * found.ece:.2g} points"
    if found.ece <= found.chance_high and found.chance_high > TOO_COARSE:
        return "unknown", f"Inconclusive. {found.answered:,} pairs are too few to tell whether {model} is calibrated."
    if found.ece <= found.chance_high:
        return "good", f"Yes. {model}'s answers are off by {off} on average, no more than by chance."
    return "warning", f"No. {model}'s answers are off by {off} on average: {SIDES[found.side]}."


def reasons(found: Reliability) -> tuple[str, ...]:
    """Say what exact probabilities would come to."""
    if not found.answered:
        return ()
    return (
        f"With {found.answered:,} pairs, perfectly calibrated answers would seem off by {100 * found.chance:.2g} points (above "
        f"{100 * found.chance_high:.2g} in 1 of 20 cases).",
    )


def _table(labelled: Mapping[str, Reliability]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": label,
                "ECE": each.ece,
                "ECE if calibrated": each.chance,
                "1 in 20 above": each.chance_high,
                "answered": each.answered,
                "no answer": each.unanswered,
            }
            for label, each in labelled.items()
        ]
    )


def _data(found: Mapping[str, Reliability]) -> dict[str, Any]:
    return {"reliability": {model: reliability_data(each) for model, each in found.items()}}
