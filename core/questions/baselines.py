"""What scores are compared with: how far one gets without reading a text, and what topics alone tell."""

from collections.abc import Mapping

import pandas as pd

from ..corpora import Corpus
from ..evaluation import TASKS, Evaluation, mean_baselines, skipped_folds
from ..formats import number
from ..render import Fact, Rows
from ..splits import PAIRINGS

MAJORITY = "The accuracy of always giving the most common answer."
SEEN = "The share of test documents whose author is also in training."
GAP = "How much more often two texts by one author share a topic than two texts by different authors. 0: topics tell nothing."
ORACLE = "The AUC of a judge who knows only the two topics of each pair. 0.5: topics tell nothing."


def baseline_facts(evaluation: Evaluation, corpus: Corpus) -> tuple[Fact, ...]:
    """Return the baselines of one evaluation; those of pairs where the questions are pairs."""
    found, asks_pairs = mean_baselines(evaluation, corpus), TASKS[evaluation.task].asks_pairs
    facts = (
        Fact("Majority", number(found.majority), "always the most common answer", MAJORITY),
        Fact("Authors seen", f"{found.seen_authors:.0%}", "of test documents", SEEN),
        Fact("Pairs" if asks_pairs else "Questions", f"{found.questions:,}", folds_run(evaluation)),
    )
    if not asks_pairs:
        return facts
    pairing = PAIRINGS[evaluation.pairing]
    why = "no pair of two authors on the same topics" if pairing.by_topic else "no other author's text left"
    return (
        *facts,
        Fact("Pairs left out", f"{found.left_out:,}", why),
        Fact("Gap", number(found.gap), pairing.label.lower(), GAP),
        Fact("Topic oracle AUC", number(found.topic_oracle_auc), "knows only topics", ORACLE),
    )


def baseline_rows(evaluations: Mapping[str, tuple[Evaluation, Corpus]]) -> Rows:
    """Return the baselines of several evaluations of one task, a row each."""
    asks_pairs = any(TASKS[evaluation.task].asks_pairs for evaluation, _ in evaluations.values())

    def make() -> pd.DataFrame:
        rows = []
        for name, (evaluation, corpus) in evaluations.items():
            found = mean_baselines(evaluation, corpus)
            row: dict[str, str | float] = {"sample": name, "folds run": folds_run(evaluation)}
            row |= {"majority": found.majority, "authors seen": found.seen_authors}
            if asks_pairs:
                row |= {"pairs": found.questions, "left out": found.left_out}
                row |= {"gap": found.gap, "topic oracle AUC": found.topic_oracle_auc}
            else:
                row["questions"] = found.questions
            rows.append(row)
        return pd.DataFrame(rows)

    note = f"Majority: {_lower(MAJORITY)} Authors seen: {_lower(SEEN)}"
    return Rows(
        "baselines",
        "Baselines",
        make,
        f"{note} Gap: {_lower(GAP)} Topic oracle: {_lower(ORACLE)}" if asks_pairs else note,
        formats={"majority": ".1%", "authors seen": ".1%"},
    )


def skipped_rows(evaluations: Mapping[str, Evaluation]) -> tuple[Rows, ...]:
    """Return the folds that could not be run, with the reason; nothing where all were run."""
    rows = [
        {
            "sample": name,
            "fold": f"{each.fold + 1} of {len(evaluation.folds)}",
            "models": ", ".join(TASKS[evaluation.task].models[model].label for model in each.models),
            "reason": each.reason,
        }
        for name, evaluation in evaluations.items()
        for each in skipped_folds(evaluation)
    ]
    return (Rows("skipped_folds", "Folds that could not be run", lambda: pd.DataFrame(rows), most=20),) if rows else ()


def folds_run(evaluation: Evaluation) -> str:
    """Return on how many folds some model was run, such as "5 of 6 folds"."""
    ran = len({run.fold for run in evaluation.runs if run.problem is None})
    return f"{ran} of {len(evaluation.folds)} folds"


def _lower(sentence: str) -> str:
    return f"{sentence[0].lower()}{sentence[1:]}"
