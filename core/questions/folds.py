"""How similar are the training and test topics of these folds?"""

from typing import Any

from ..formats import counted, defined
from ..render import Answer, Caution, Fact, Level, Rows
from ..splits import Folds, Leakage
from ..study import Study
from ..topics import Setup
from . import verdict as verdict_question
from .notes import sentences_of

NAME, LABEL, QUESTION = "folds", "Folds", "How similar are the training and test topics of these folds?"


def answer(study: Study, setup: Setup, folds: Folds, leakage: Leakage, *, notes: tuple[str, ...] = ()) -> Answer:
    """Answer what folds leak."""
    meaningful = study.labels.meaningful
    both = int(leakage.shared.sum())
    level: Level = "neutral" if meaningful else "unknown"
    cautions = verdict_question.topic_cautions(study.judged(2), study.space, found=study.corpus.found)
    if not meaningful and leakage.worst:
        cautions = (
            Caution("meaningless-labels", "The labels do not separate these texts, so similarity tells nothing here."),
        )
    facts = (
        Fact("Mean similarity", f"{leakage.average_mean:.2f}", "of training and test topics"),
        Fact("Mean of the folds' highest", f"{leakage.average_max:.2f}", "as in the HITS paper"),
        Fact("Highest", f"{leakage.highest:.2f}", "over all folds"),
    )
    return Answer(
        NAME,
        QUESTION,
        "bad" if both else level,
        _headline(leakage, both),
        cautions=(*cautions, *(Caution("folds-note", note) for note in notes)),
        facts=facts if leakage.worst else (),
        tables=(_pairs_table(study, setup, leakage),) if leakage.worst else (),
        make_data=lambda: _data(study, setup, folds, leakage, notes),
    )


def _headline(leakage: Leakage, both: int) -> str:
    if not leakage.worst:
        return "No test topic can be compared with a training topic."
    if both:
        return f"In {both:,} of {counted(len(leakage.exposures), 'case')}, a test topic is also in training."
    pair = leakage.worst[0]
    train, test = leakage.topic_names[pair.train], leakage.topic_names[pair.test]
    return f"The most similar training topic reaches {pair.similarity:.2f} (tested on {test}, trained on {train})."


def _pairs_table(study: Study, setup: Setup, leakage: Leakage) -> Rows:
    def make() -> Any:
        import pandas as pd

        names = leakage.topic_names
        ends = [study.similarity_interval(setup.space, pair.train, pair.test) for pair in leakage.worst]
        return pd.DataFrame(
            {
                "training topic": [names[pair.train] for pair in leakage.worst],
                "test topic": [names[pair.test] for pair in leakage.worst],
                "similarity": [pair.similarity for pair in leakage.worst],
                "95% CI from": [low for low, _ in ends],
                "to": [high for _, high in ends],
            }
        )

    return Rows("worst_pairs", "Most similar training and test topics", make, lead=True)


def _data(study: Study, setup: Setup, folds: Folds, leakage: Leakage, notes: tuple[str, ...]) -> dict[str, Any]:
    names = leakage.topic_names
    nearest: list[dict[str, str | None]] = [{} for _ in folds]
    for exposure in leakage.exposures:
        closest = int(exposure.nearest[0])
        nearest[exposure.fold][names[exposure.topic]] = names[closest] if closest >= 0 else None
    return {
        "folds": [
            {
                "train": [names[topic] for topic in fold.train_topics],
                "test": [names[topic] for topic in fold.test_topics],
                "mean": defined(leakage.mean[number]),
                "max": defined(leakage.max[number]),
                "nearest": nearest[number],
            }
            for number, fold in enumerate(folds)
        ],
        "mean": defined(leakage.average_mean),
        "max": defined(leakage.average_max),
        "highest": defined(leakage.highest),
        "worst_pairs": [
            {
                "train": names[pair.train],
                "test": names[pair.test],
                "similarity": pair.similarity,
                "interval": [defined(end) for end in study.similarity_interval(setup.space, pair.train, pair.test)],
            }
            for pair in leakage.worst
        ],
        "notes": [*notes, *study.vectors.notes, *sentences_of(folds.notes), *sentences_of(leakage.notes)],
    }
