"""What stands beside every score: how far one gets without reading a text, what topics tell, and folds that were not run."""

from collections.abc import Mapping

import streamlit as st

from core.corpora import Corpus
from core.evaluation import TASKS, Baselines, Evaluation, mean_baselines, skipped_folds
from core.formats import number, percent, share
from core.splits import PAIRINGS
from pages.shared.show import Csv, card, escaped, literal, table

ORACLE = (
    "A judge who knows of each pair only the two topics, and how often pairs of these two are by one author: ½ where topics "
    "tell nothing."
)
GAP = (
    "How much more often two texts by one author share a topic than two by different ones: 0 where topics tell nothing."
)


def baseline_cards(evaluation: Evaluation, corpus: Corpus) -> None:
    """The baselines of one evaluation as cards; those of pairs where questions are pairs."""
    found, asks_pairs = mean_baselines(evaluation, corpus), TASKS[evaluation.task].asks_pairs
    cards = st.grid(3, min_column_width=150)
    what = "the larger class" if asks_pairs else "whoever wrote most of training"
    card(
        cards,
        "Majority",
        number(found.majority),
        "right without reading",
        help=f"The share of right answers of one who always says {what}.",
    )
    card(
        cards,
        "Authors seen",
        percent(found.seen_authors),
        "of test documents",
        help="Test documents whose author is in training.",
    )
    card(cards, "Pairs" if asks_pairs else "Questions", f"{found.questions:,}", _folds_run(evaluation))
    if not asks_pairs:
        return
    matched = PAIRINGS[evaluation.pairing].by_topic
    without = "same-author pairs nobody matches" if matched else "no other author's text was free"
    card(cards, "Pairs left out", f"{found.left_out:,}", without)
    card(cards, "Gap", number(found.gap), PAIRINGS[evaluation.pairing].label.lower(), help=GAP)
    card(cards, "Topic oracle AUC", number(found.topic_oracle_auc), "knows topics only", help=ORACLE)


def baseline_table(evaluations: Mapping[str, tuple[Evaluation, Corpus]]) -> None:
    """The baselines of several evaluations of one task, a row each."""
    asks_pairs, rows = False, []
    for name, (evaluation, corpus) in evaluations.items():
        asks_pairs = TASKS[evaluation.task].asks_pairs
        found = mean_baselines(evaluation, corpus)
        rows.append({"": name, "folds run": _folds_run(evaluation)} | _columns(found, asks_pairs))
    table(
        rows,
        precision=3,
        absent="undefined",
        formats={"majority": share, "authors seen": share},
        alt="Baselines of every setup",
        csv=Csv("Baselines as CSV", "baselines.csv", "baselines_csv"),
    )
    caption = (
        "Majority: right answers of one who always gives the commonest answer. Authors seen: the share of test documents whose "
        "author is in training."
    )
    st.caption(f"{caption} Gap: {GAP[0].lower()}{GAP[1:]} Topic oracle: {ORACLE}" if asks_pairs else caption)


def say_skipped(evaluation: Evaluation, *, setup: str = "") -> None:
    """A warning for the folds that could not be run, with the models they are missing from and the reason."""
    labels, folds = TASKS[evaluation.task].models, len(evaluation.folds)
    together: dict[tuple[tuple[str, ...], str], list[int]] = {}
    for each in skipped_folds(evaluation):
        together.setdefault((each.models, each.reason), []).append(each.fold + 1)
    for (models, reason), numbers in together.items():
        which = f"{'Fold' if len(numbers) == 1 else 'Folds'} {', '.join(map(str, numbers))} of {folds}"
        whose = (
            "" if len(models) == len(evaluation.models) else f" of {', '.join(labels[name].label for name in models)}"
        )
        place = f"{escaped(setup)}: " if setup else ""
        st.warning(f"{place}{which} could not be run: in no mean{whose}. {literal(reason)}", icon=":material/warning:")


def _columns(found: Baselines, asks_pairs: bool) -> dict[str, float]:
    shared = {"majority": found.majority, "authors seen": found.seen_authors}
    if not asks_pairs:
        return shared | {"questions": found.questions}
    topics = {"gap": found.gap, "topic oracle AUC": found.topic_oracle_auc}
    return shared | {"pairs": found.questions, "left out": found.left_out} | topics


def _folds_run(evaluation: Evaluation) -> str:
    ran = len({run.fold for run in evaluation.runs if run.problem is None})
    return f"{ran} of {len(evaluation.folds)} folds"
