"""The interactive parts of Check a split: which split, the texts of near duplicates, and the fixed split as files."""

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus, read_sides, take
from core.formats import share
from core.questions import answered, design
from core.render import Answer
from core.splits import FOLD_SCHEMES, FixedSplit, option_label
from core.study import Study
from core.topics import documents_table
from pages.shared import history, show
from pages.shared.session import as_public_as
from pages.shared.studies import settled, study_of
from pages.shared.upload import file_key, read_strictly
from pages.shared.widgets import IN_URL

TABLE_HEIGHT = 300  # pixels
OWN, DESIGNED, IDS = "the file's own", "from Design a split", "a list of ids"
FOLDS = 6  # of a split that is made here: the first is the test set


def chosen_split(study: Study, place: DeltaGenerator) -> Study:
    """Ask which split is checked and return the study with it: the file's own, one made here, or one from a file of ids.

    One made here is topic k-fold or another scheme, or what was chosen on Design a split.
    """
    made = {scheme.label: name for name, scheme in FOLD_SCHEMES.items() if not scheme.needs_split and scheme.takes_k}
    own = [OWN] if study.corpus.splits is not None else []
    designed = [DESIGNED] if design.NAME in history.asked() else []
    asked = place.segmented_control(
        "Split to check",
        [*own, *made, *designed, IDS],
        default=[*own, *made][0],
        required=True,
        key="split_source",
        bind=IN_URL,
    )
    if asked == OWN:
        return study
    if asked == DESIGNED:
        return _designed(study)
    sides = _sides_from_ids(study.corpus) if asked == IDS else _sides_of_fold(study, made[asked])
    if sides is None:
        st.stop()
    return study_of(as_public_as(study.corpus, replace(study.corpus, splits=sides)), study.vectors)


def _designed(study: Study) -> Study:
    """Return the study of the documents that the split chosen on Design a split keeps, its first fold as the test set."""
    settings = history.asked()[design.NAME]
    found = settled(lambda: answered(study, design, settings))
    if found is None:
        st.stop()
    folds = design.folds_of(study, found.numbers)[study.corpus.topic_codes]
    rows = np.flatnonzero(folds >= 0)
    st.caption(
        f"{option_label(found.numbers.chosen)}. The first of its folds is the test set, the others are training."
    )
    kept = take(study.corpus, rows) if len(rows) < len(folds) else study.corpus
    kept = replace(kept, splits=tuple("test" if fold == 0 else "train" for fold in folds[rows]))
    vectors = study.vectors if len(rows) == len(folds) else replace(study.vectors, matrix=study.vectors.matrix[rows])
    return study_of(as_public_as(study.corpus, kept), vectors)


def _sides_of_fold(study: Study, scheme: str) -> tuple[str, ...] | None:
    """Return the sides of the first of six folds; None where they cannot be made."""
    k = min(FOLDS, len(study.corpus.topic_names))
    folds = settled(lambda: study.folds(study.setup("none"), scheme=scheme, k=k))
    if folds is None:
        return None
    none = (
        "" if study.corpus.splits is not None else "This file has no train and test labels, so a split is made here. "
    )
    st.caption(f"{none}The first of {k} folds is the test set, the others are training.")
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
        show.documents(whole, stem="fixed_split", key="fixed", label="Fixed split")
