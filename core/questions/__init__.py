"""The questions Leakscope answers: a module each, with its settings, its sentences and its data.

To add one: a module with NAME, LABEL, QUESTION, HELP, `Settings` and `answer`, and a line in QUESTIONS.
"""

from types import ModuleType
from typing import Any

from ..errors import unknown
from ..render import Answer
from ..study import Study
from . import (
    accuracy,
    calibration,
    categorization,
    check,
    comparison,
    corpus,
    curve,
    design,
    experiments,
    folds,
    forecast,
    found_topics,
    groups,
    hits,
    networks,
    novel,
    overlap,
    ranking,
    scores,
    shortcut,
    significance,
    split,
    table,
    topic_map,
    trust,
    verdict,
    views,
)
from .notes import incomparable_records, sentences_of
from .runs import (
    FEWEST_SAMPLES,
    RunSettings,
    SampledRuns,
    choices_of,
    model_help,
    quickest_samples,
    run,
    sample_and_folds,
    sampled_jobs,
    samples_kept,
    slow_models,
    usual_topics,
)
from .settings import HIGHEST_SEED, Control, Settings, names_in
from .wording import in_words_of, methods_of, plan_written, synthetic_written, vectors_written, words_of, works

ALL: tuple[ModuleType, ...] = (
    verdict,
    corpus,
    topic_map,
    curve,
    forecast,
    hits,
    experiments,
    design,
    split,
    accuracy,
    novel,
    calibration,
    ranking,
    shortcut,
    significance,
    trust,
)
QUESTIONS: dict[str, ModuleType] = {module.NAME: module for module in ALL}


def ask(study: Study, name: str, **given: Any) -> Answer:
    """Answer the question of that name with these settings; the others take their defaults."""
    if name not in QUESTIONS:
        raise unknown("question", name, QUESTIONS)
    module = QUESTIONS[name]
    return answered(study, module, module.Settings.resolve(study, given))


def answered(study: Study, module: ModuleType, settings: Settings) -> Answer:
    """Return a question's answer, held by the study; one without the answers of your own models is not taken for one with them."""
    own = tuple(each.digest for each in study.own.values())
    found: Answer = study.once(
        "answer", module.NAME, settings, own, compute=lambda: in_words_of(module.answer(study, settings), study.corpus)
    )
    return found
