"""The interactive parts of Check a split: which split, the texts of near duplicates, and the fixed split as files."""

from dataclasses import replace
from functools import partial

import streamlit as st

from core.corpora import Corpus, read_sides
from core.formats import share
from core.render import Answer
from core.splits import FOLD_SCHEMES, FixedSplit
from core.study import Study
from core.topics import documents_table
from pages.shared import files, show
from pages.shared.controls import IN_URL
from pages.shared.public import as_public_as
from pages.shared.studies import settled, study_of
from pages.shared.upload import file_key, read_strictly

TABLE_HEIGHT = 300  # pixels
OWN, IDS = "the file's own", "a list of ids"
FOLDS = 6  # of a split that is made here: the first is the test set


def chosen_split(study: Study) -> Study:
    """Ask which split is checked and return the study with it: the file's own, one made here, or one from a file of ids."""
    made = {scheme.label: name for name, scheme in FOLD_SCHEMES.items() if not scheme.needs_split and scheme.takes_k}
    own = [OWN] if study.corpus.splits is not None else []
    if not own:
        st.caption(
            "This file has no train and test labels. Check a split made here, or one of your own as a list of ids."
        )
    asked = st.segmented_control(
        "Split to check", [*own, *made, IDS], default=[*own, *made][0], required=True, key="split_source", bind=IN_URL
    )
    if asked == OWN:
        return study
    sides = _sides_from_ids(study.corpus) if asked == IDS else _sides_of_fold(study, made[asked])
    if sides is None:
        st.stop()
    return study_of(as_public_as(study.corpus, replace(study.corpus, splits=sides)), study.vectors)


def _sides_of_fold(study: Study, scheme: str) -> tuple[str, ...] | None:
    """Return the sides of the first of six folds; None where they cannot be made."""
    k = min(FOLDS, len(study.corpus.topic_names))
    folds = settled(lambda: study.folds(study.setup("none"), scheme=scheme, k=k))
    if folds is None:
        return None
    st.caption(f"The first of {k} folds is the test set, the others are training.")
    test = set(next(iter(folds)).test.tolist())
    return tuple("test" if row in test else "train" for row in range(len(study.corpus)))


def _sides_from_ids(corpus: Corpus) -> tuple[str, ...] | None:
    """Return the sides that a file of ids gives; None while there is none."""
    file = st.file_uploader(
        "Ids of the test documents",
        type=["txt", "csv", "tsv"],
        key="split_ids",
        help="An id in each line, or a CSV with the columns `id` and `split` (train or test).",
    )
    content = file_key("splits", file)
    if file is None or content is None:
        return None
    found: tuple[str, ...] | None = read_strictly(
        "splits", (corpus.fingerprint, content[0]), read_sides, file, corpus.ids
    )
    return found


def copied_documents(corpus: Corpus, answer: Answer) -> None:
    """Draw every near duplicate across the split, the most similar first, and the two texts of the chosen one."""
    copies = answer.numbers.audit.duplicates
    if not len(copies):
        st.info("No test document has a near duplicate in training.", icon=":material/info:")
        return
    chosen = show.table(
        answer.table("near_duplicates").frame,
        precision=3,
        formats={"word sequences shared": share},
        height=TABLE_HEIGHT,
        on_select="rerun",
        selection_mode="single-row",
        key="copies",
        alt="Every near duplicate across the split",
        csv=show.Csv("Near duplicates as CSV", "near_duplicates.csv"),
    )
    first, *_ = chosen.selection.rows or [0]
    order = copies.jaccard.argsort(kind="stable")[::-1]
    for column, found in zip(st.columns(2), (copies.test[order], copies.train[order]), strict=True):
        with column, st.container(height=TABLE_HEIGHT, border=True):
            show.one_document(corpus, int(found[first]))


def fixed_files(fixed: FixedSplit) -> None:
    """Offer the documents of the fixed split."""
    if fixed.moved or fixed.dropped:
        whole = partial(documents_table, fixed.corpus)
        files.documents(whole, stem="fixed_split", key="fixed", label="Fixed split")
