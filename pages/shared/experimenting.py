"""The experiments of the HITS paper's §7 on the corpus in hand: asked for, with progress, kept, each with its table."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from core.corpora import Corpus
from core.demo import RESULTS, bundled_vectors
from core.errors import LeakscopeError
from core.evaluation import TASKS, ResultStore
from core.plots import hits_experiments as encoder_plots
from core.plots import hits_experiments as plots
from core.studies import (
    Panel,
    closest_across,
    compare_encoders,
    compare_policies,
    similarity_against_m,
    stability_against_m,
)
from core.topics import TopicPath, TopicSpace, suggest_m
from core.vectors import ENCODERS, Vectors, VectorStore, embed, estimate, make_encoder
from pages.shared import runs
from pages.shared.controls import IN_URL, escaped, whole_number
from pages.shared.saying import refuse

QUIET = {"displayModeBar": False}
NONE = "none"
NAMES = {
    "similarity": "similarity against m",
    "stability": "ranking stability against m",
    "left out": "cutting, hybrid, grouping",
    "encoders": "encoders",
    "closest": "closest train/test pairs",
}


def experiments(corpus: Corpus, vectors: Vectors, space: TopicSpace, path: TopicPath) -> None:
    """Choose one, run it, read its figure and its table."""
    st.subheader("Experiments", anchor=False)
    st.markdown("What the paper's §7 asks, asked of this corpus. Nothing here changes the selection above.")
    chosen = st.segmented_control(
        "Experiment", [NONE, *NAMES.values()], default=NONE, required=True, key="experiment", bind=IN_URL
    )
    if chosen == NONE or len(space) < 4:
        return
    name = next(key for key, label in NAMES.items() if label == chosen)
    asks = st.grid(3, min_column_width=230, gap="medium", vertical_alignment="bottom")
    k = whole_number(asks, "Folds (k)", 2, min(len(space), 20), 6, key="k", help="Folds over the kept topics.")
    m = st.session_state.get("m") or max(2, len(space) // 2)
    panel = _panel(asks, corpus, vectors) if name in ("stability", "left out", "encoders") else None
    key = (corpus.fingerprint, vectors.encoder_key, name, k, m, None if panel is None else (panel.task, panel.models))
    kept: dict[Any, Any] = st.session_state.setdefault("kept_experiments", {})
    if key not in kept:
        if name not in ("similarity", "closest") and not asks.button(
            "Run it", type="primary", icon=":material/play_arrow:"
        ):
            st.caption("Any other click stops it; finished runs are kept on disk.")
            return
        try:
            kept[key] = _run(name, corpus, vectors, space, path, m=max(m, 2), k=k, panel=panel)
        except LeakscopeError as problem:
            refuse(problem)
            return
    _show(name, kept[key], m)
    if name in ("similarity", "stability"):
        stability = kept[key].averages if name == "stability" else None
        st.info(
            f"Suggested {escaped(suggest_m(path, space, corpus, k, stability).reason)}", icon=":material/lightbulb:"
        )


def _panel(asks: Any, corpus: Corpus, vectors: Vectors) -> Panel | None:
    if corpus.author_names is None or len(corpus.author_names) < 2:
        return None
    task = asks.segmented_control(
        "Models of", list(TASKS), default="attribution", required=True, key="task", bind=IN_URL
    )
    return Panel(task, tuple(runs.usable_models(task)), ResultStore(shipped=RESULTS), vectors.encoder_key)


def _run(
    name: str,
    corpus: Corpus,
    vectors: Vectors,
    space: TopicSpace,
    path: TopicPath,
    *,
    m: int,
    k: int,
    panel: Panel | None,
) -> Any:
    bar = st.progress(0.0, text="Starting …")

    def show(done: int, total: int, label: str, left: float | None) -> None:
        bar.progress(done / max(total, 1), text=label)

    sizes = sorted({max(2, round(len(space) * share)) for share in (0.25, 0.5, 0.75)})
    watch: dict[str, Any] = {"k": k, "progress": show}
    try:
        if name == "similarity":
            return similarity_against_m(
                space, m=range(2, len(space) + 1) if len(space) <= 60 else sizes, path=path, **watch
            )
        if name == "closest":
            return closest_across(space, m=m, k=k)
        if name == "left out":
            return compare_policies(corpus, vectors.matrix, space, m=m, panel=panel, path=path, **watch)
        if name == "encoders":
            return compare_encoders(corpus, _all_vectors(corpus, vectors, show), m=m, panel=panel, **watch)
        if panel is None:
            raise LeakscopeError("Ranking stability needs models, and models need two authors or more.")
        return stability_against_m(corpus, vectors.matrix, space, panel=panel, m=sizes, **watch)
    finally:
        bar.empty()


def _all_vectors(
    corpus: Corpus, vectors: Vectors, show: Callable[[int, int, str, float | None], None]
) -> dict[str, Vectors]:
    """Every encoder's vectors that can be had without a long wait: SBERT only where it is stored or shipped."""
    found = {ENCODERS[vectors.name].label: vectors}
    store = VectorStore()
    for place, name in enumerate(("sbert", "lsa", "nmf", "lda")):
        encoder, label = make_encoder(name), ENCODERS[name].label
        show(place, 4, f"{label} …", None)
        if label in found:
            continue
        shipped = bundled_vectors(corpus, encoder)
        if shipped is not None or name != "sbert" or estimate(corpus, encoder, store=store) == 0:
            found[label] = shipped or embed(corpus, encoder, store=store)
    return found


def _show(name: str, record: Any, m: int) -> None:
    figures = {
        "similarity": lambda: [plots.similarity_curves(record, m)],
        "stability": lambda: [plots.stability_curves(record)],
        "left out": lambda: [plots.policy_trade(record)],
        "encoders": lambda: [encoder_plots.encoder_overlap(record), encoder_plots.encoder_similarity(record)],
        "closest": lambda: [plots.closest_pairs(record)],
    }
    for place, figure in enumerate(figures[name]()):
        st.plotly_chart(figure, key=f"experiment_{name}_{place}", config=QUIET, alt=f"Experiment: {NAMES[name]}")
    frame = pd.DataFrame(record.table)
    st.dataframe(
        frame.style.format(precision=3, na_rep="–"), hide_index=True, alt=f"Table of the experiment: {NAMES[name]}"
    )
    st.download_button(
        "Table as CSV",
        lambda: frame.to_csv(index=False),
        f"{name}.csv",
        "text/csv",
        icon=":material/download:",
        key=f"table_{name}",
    )
    for note in getattr(record, "notes", ()):
        st.caption(escaped(note))
