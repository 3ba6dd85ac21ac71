"""How often is this test wrong? Asked of a test over single answers of two models."""

import math
from dataclasses import dataclass
from typing import Any

from ..evaluation import TASKS, ClusteredErrors, clustered_errors
from ..formats import number, percent, said_p
from ..plots import trust as plots
from ..render import Answer, Caution, Drawing, Fact, Level
from ..statistics import naive_type1
from ..study import Study
from .runs import RunSettings, references_of, run, skipped_cautions
from .settings import choice
from .significance import BEST, NEXT, best_model, models_chosen, next_model, run_key, two_models
from .wording import works

NAME, LABEL, QUESTION = "trust", "Trust lab", "How often is this test wrong?"
HELP = "Report how often a test that treats single answers as independent gives a false alarm."
METHODS = (
    "The correlation of errors within topics (φ) gives a design effect and from it the Type I error of a paired test over single "
    "answers. A simulation that gives each topic's difference a random sign checks the formula (Neville et al. 2012)."
)
FEW_TOPICS = 10  # below this φ is itself uncertain
TOO_OFTEN = 0.1  # a false-alarm rate of twice 5%


@dataclass(frozen=True)
class Settings(RunSettings):
    """Which two models of which run are compared."""

    metric: str = choice(
        "Metric",
        lambda study, chosen: TASKS[chosen["task"]].metrics(study.corpus),
        default=lambda _, chosen: TASKS[chosen["task"]].default_metric,
        asked=lambda *_: False,  # every answer counts as right or wrong
    )
    a: str = choice("A", models_chosen, default=best_model, key="{question}_model_a", help=BEST)
    b: str = choice("B", models_chosen, default=next_model, key="{question}_model_b", help=NEXT)


def answer(study: Study, settings: Settings) -> Answer:
    """Answer how often a test over single answers errs on this run."""
    two_models(settings, settings.a, settings.b)
    made = run(study, settings)
    a, b = settings.a, settings.b
    errors = study.once(
        "clustered errors", *run_key(settings), a, b,
        compute=lambda: clustered_errors(made.evaluation, made.setup.corpus, a, b),
    )  # fmt: skip
    names = made.models[a], made.models[b]
    cautions = _cautions(errors, asks_pairs=TASKS[settings.task].asks_pairs)
    return Answer(
        NAME,
        QUESTION,
        level(errors),
        headline(errors),
        reasons(errors, names),
        (*cautions, *skipped_cautions(made.evaluation)),
        _facts(errors, names),
        _figures(errors),
        make_data=lambda: _data(errors, settings),
        settings=settings.rows(study),
        methods=METHODS,
        references=(*works("trust"), *references_of([made.evaluation])),
        numbers=errors,
        hero=next(iter(_facts(errors, names)), None),
    )


def _undefined(errors: ClusteredErrors) -> bool:
    return not math.isfinite(errors.found.expected_type1)


def _clustered(errors: ClusteredErrors) -> bool:
    return errors.found.phi_difference > errors.by_chance


def _rates(errors: ClusteredErrors) -> tuple[float, float]:
    """Return the lower and the higher of the rates that formula and simulation give."""
    known = [rate for rate in (errors.found.expected_type1, errors.simulated) if math.isfinite(rate)]
    return min(known), max(known)


def _missed(errors: ClusteredErrors) -> float:
    """Return the false-alarm rate of the highest φ that shuffled topics reach: a lower φ may be chance."""
    if errors.found.single:
        return errors.found.expected_type1
    return naive_type1(1 + max(errors.by_chance, 0.0) * (errors.found.group_size - 1))


def level(errors: ClusteredErrors) -> Level:
    """Return how bad it is."""
    if _undefined(errors):
        return "unknown"
    if not _clustered(errors):
        return "good" if _missed(errors) <= TOO_OFTEN else "unknown"
    return "bad" if _rates(errors)[1] > TOO_OFTEN else "warning"


def headline(errors: ClusteredErrors) -> str:
    """Say in one sentence how often the test gives a false alarm."""
    found = errors.found
    if _undefined(errors):
        if found.difference == 0:
            return "Nothing to test. Both models are right on exactly the same answers."
        return "Nothing to test. One model is right and the other wrong on every answer."
    if not _clustered(errors):
        if level(errors) == "unknown":
            return f"Too few topics to tell: a false-alarm rate of {percent(_missed(errors))} instead of 5% would look the same."
        return f"About as often as it should be: the {found.documents:,} answers are no more correlated within topics than by chance."
    rate = percent(found.expected_type1)
    return f"A test that treats these {found.documents:,} answers as independent gives a false alarm about {rate} of the time, not 5%."


def reasons(errors: ClusteredErrors, names: tuple[str, str]) -> tuple[str, ...]:
    """Say who is right more often, and what p is with and without topics."""
    found = errors.found
    if _undefined(errors):
        return ()
    ahead, behind = names if found.difference >= 0 else names[::-1]
    points = 100 * abs(found.difference)
    said = [f"{ahead} is right more often than {behind}, by {number(points, '.1f' if points < 10 else '.0f')} points."]
    if points == 0:
        said = [f"{names[0]} and {names[1]} are right equally often."]
    if math.isfinite(found.corrected_p):
        said.append(
            f"With answers as independent units, {said_p(found.naive_p)}. With the {found.topics:,} topics as units, {said_p(found.corrected_p)}."
        )
    return tuple(said)


def _cautions(errors: ClusteredErrors, *, asks_pairs: bool) -> tuple[Caution, ...]:
    found = errors.found
    codes = []
    if _undefined(errors):
        return ()
    if found.single:
        codes.append(("single-documents", "No topic has two documents, so errors cannot correlate within topics."))
    if found.phi_difference < 0:
        codes.append(
            (
                "negative-phi",
                "Errors within topics are negatively correlated (φ below 0). That is nearly always chance, so φ counts as 0.",
            )
        )
    if found.topics < FEW_TOPICS:
        codes.append(("few-topics", f"With only {found.topics} topics, φ and the corrected p are rough."))
    shared = "Pairs also share texts and authors" if asks_pairs else "Texts also share authors"
    codes.append(("topics-only", f"Only topics are accounted for. {shared}, so even the corrected p may be too small."))
    return tuple(Caution(code, text) for code, text in codes)


def _figures(errors: ClusteredErrors) -> tuple[Drawing, ...]:
    if _undefined(errors):
        return ()
    found = errors.found
    rates = {f"{found.topics:,} topics as units": 0.05, f"{found.documents:,} answers as units": found.expected_type1}
    if math.isfinite(errors.simulated):
        rates["the same, simulated"] = errors.simulated
    about = "A test over topics is right by design. The simulation gives each topic's difference a random sign."
    return (
        Drawing("false_alarms", "False alarms of a test at .05", lambda: plots.false_alarms(rates), about, lead=True),
    )


def _facts(errors: ClusteredErrors, names: tuple[str, str]) -> tuple[Fact, ...]:
    found = errors.found
    if _undefined(errors):
        return ()
    beside = "counts as 0" if found.phi_difference < 0 else f"up to {number(errors.by_chance)} with shuffled topics"
    separate = f"{names[0]} alone: {number(found.phi_a)}. {names[1]} alone: {number(found.phi_b)}."
    return (
        Fact(
            "False-alarm rate",
            percent(found.expected_type1),
            f"simulated {percent(errors.simulated)}, should be 5%",
            "The Type I error of a test that treats answers as independent.",
        ),
        Fact("Design effect", f"{found.design_effect:.1f}", f"topics of about {found.group_size:.0f} answers"),
        Fact("Effective answers", f"{found.effective_documents:,.0f}", f"of {found.documents:,}"),
        Fact("Correlation within topics (φ)", number(found.phi_difference), beside, separate),
    )


def _data(errors: ClusteredErrors, settings: Settings) -> dict[str, Any]:
    found = errors.found
    numbers = (
        "difference",
        "phi_a",
        "phi_b",
        "phi_difference",
        "design_effect",
        "effective_documents",
        "naive_p",
        "corrected_p",
        "expected_type1",
    )
    values = {name: getattr(found, name) for name in numbers} | {
        "phi_by_chance": errors.by_chance,
        "simulated_type1": errors.simulated,
    }
    known = {name: value if math.isfinite(value) else None for name, value in values.items()}
    return {"a": settings.a, "b": settings.b, "answers": found.documents, "topics": found.topics, **known}
