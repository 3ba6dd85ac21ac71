"""Text categorization with several topics a document: five classifiers on a corpus with a fixed split, compared."""

from typing import Any

import pandas as pd
import streamlit as st

from core.corpora import read_labelled
from core.errors import LeakscopeError
from core.models.categorization import CATEGORIZERS
from core.plots import significance as plots
from core.studies import Categorization, categorize
from pages.shared.comparing import show_pairs
from pages.shared.controls import IN_URL, escaped
from pages.shared.saying import refuse

LABELS = {name: kind.label for name, kind in CATEGORIZERS.items()}


def categorization() -> None:
    """Upload, run when asked, read the tables."""
    st.markdown(
        "Yang and Liu's five classifiers on a corpus with several topics a document: columns `text`, `topics` (a list, or "
        "joined by | ; or ,) and `split` (train/test). Thresholds are tuned on training documents only."
    )
    file = st.file_uploader("A multi-label corpus", type=["csv", "tsv", "jsonl", "parquet"], key="labelled_file")
    models = st.multiselect(
        "Models", list(LABELS), list(LABELS), format_func=LABELS.get, key="categorizers", bind=IN_URL
    )
    if file is None or not models:
        st.caption("What these do on Reuters-21578, beside the published table, is in docs/categorization.md.")
        return
    kept: dict[Any, Categorization] = st.session_state.setdefault("kept_categorizations", {})
    key = (file.file_id, tuple(models))
    if key not in kept:
        if not st.button("Run them", type="primary", icon=":material/play_arrow:", key="run_categorizers"):
            return
        bar = st.progress(0.0, text="Reading …")
        try:
            corpus = read_labelled(file)
            kept.clear()
            kept[key] = categorize(
                corpus,
                models=models,
                progress=lambda done, total, name, left: bar.progress(done / total, text=LABELS.get(name, "")),
            )
        except LeakscopeError as problem:
            refuse(problem)
            return
        finally:
            bar.empty()
    _show(kept[key])


def _show(record: Categorization) -> None:
    st.markdown(
        f"{record.training:,} training and {record.test:,} test documents, {len(record.categories):,} categories, "
        f"{record.words:,} words."
    )
    frame = pd.DataFrame(
        [
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
    )
    shown = frame.style.format(precision=4, na_rep="–").format("{:.1f}", subset=["CPU seconds"])
    st.dataframe(shown, hide_index=True, alt="Effectiveness of every model")
    st.download_button(
        "Models as CSV",
        lambda: frame.to_csv(index=False),
        "categorization.csv",
        "text/csv",
        icon=":material/download:",
        key="cat_csv",
    )
    st.markdown("**F1 against how often a category occurs in training**")
    rare = st.toggle("Only categories with up to 60 training documents", key="rare", bind=IN_URL)
    st.plotly_chart(
        plots.f1_by_frequency(record.curve(highest=60 if rare else None), LABELS),
        key="frequency",
        config={"displayModeBar": False},
        alt="F1 against the number of training documents of a category",
    )
    show_pairs(record.pairs, list(record.systems), what="decisions (s) and per-category F1 (S, T, T′)")
    for name, system in record.systems.items():
        for note in system.notes:
            st.caption(escaped(f"{LABELS[name]}: {note}"))
    for note in record.notes:
        st.caption(escaped(note))
