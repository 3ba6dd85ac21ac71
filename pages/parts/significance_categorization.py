"""Text categorization with several topics a document: five classifiers on a corpus with a fixed split, compared."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora.readers import File
from core.models.categorization import CATEGORIZERS
from core.plots import significance as plots
from core.studies import Categorization, categorize_file
from pages.parts.significance import show_pairs
from pages.shared import show, work
from pages.shared.conclusions import conclude
from pages.shared.controls import IN_URL

LABELS = {name: kind.label for name, kind in CATEGORIZERS.items()}


def categorization(answer: DeltaGenerator) -> None:
    """Upload, run when asked, read the tables."""
    st.markdown(
        "Yang and Liu's five classifiers on a corpus with several topics a document: columns `text`, `topics` (a list, or "
        "joined by | ; or ,) and `split` (train/test). Thresholds are tuned on training documents only."
    )
    file = st.file_uploader("A multi-label corpus", type=["csv", "tsv", "jsonl", "parquet"], key="labelled_file")
    models = st.multiselect(
        "Models", list(LABELS), list(LABELS), format_func=LABELS.__getitem__, key="categorizers", bind=IN_URL
    )
    if file is None or not models:
        st.caption("What these do on Reuters-21578, beside the published table, is in docs/categorization.md.")
        return
    found = work.result(
        "categorizations",
        (file.file_id, tuple(models)),
        work.step(
            categorize_file,
            File(file.name, file.getvalue()),
            models=models,
            say=lambda done, total, name, left: LABELS.get(name, ""),
        ),
        name="Text categorization",
        question=work.Question("Run them", key="run_categorizers"),
    )
    if found is not None:
        with answer:
            conclude(found.conclusion(LABELS))
        _show(found)


def _show(record: Categorization) -> None:
    st.markdown(
        f"{record.training:,} training and {record.test:,} test documents, {len(record.categories):,} categories, "
        f"{record.words:,} words."
    )
    rows = [
        {
            "model": LABELS[name],
            "micro recall": system.effectiveness.micro_recall,
            "micro precision": system.effectiveness.micro_precision,
            "micro F1": system.effectiveness.micro_f1,
            "macro F1": system.effectiveness.macro_f1,
            "error": system.effectiveness.error,
            "CPU seconds": system.seconds,
        }
        for name, system in record.systems.items()
    ]
    show.table(
        rows,
        precision=4,
        formats={"CPU seconds": "{:.1f}"},
        alt="Effectiveness of every model",
        csv=show.Csv("Models as CSV", "categorization.csv", "cat_csv"),
    )
    st.markdown("**F1 against how often a category occurs in training**")
    rare = st.toggle("Only categories with up to 60 training documents", key="rare", bind=IN_URL)
    show.figure(
        plots.f1_by_frequency(record.curve(highest=60 if rare else None), LABELS),
        key="frequency",
        alt="F1 against the number of training documents of a category",
    )
    show_pairs(record.pairs, list(record.systems), what="Decisions (s) and per-category F1 (S, T, T′)")
    show.notes(f"{LABELS[name]}: {note}" for name, system in record.systems.items() for note in system.notes)
    show.notes(record.notes)
