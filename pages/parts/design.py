"""The parts of Design a split: what is wished, every option on one chart, what the chosen one costs, and the files taken away."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from core.arrays import Ints
from core.corpora import Corpus
from core.errors import LeakscopeError
from core.formats import share
from core.plots import design as plots
from core.splits import (
    FOLD_COLUMNS,
    FOLD_SCHEMES,
    Design,
    Option,
    Wishes,
    design_options,
    folds_table,
    merging_line,
    methods_paragraph,
    option_folds,
    option_label,
    recommendation,
    recommended,
    references,
    split_kind,
    split_settings,
)
from core.topics import POLICIES, SAMPLERS, Resampled, TopicSpace
from core.vectors import ENCODERS, Vectors
from pages.shared import show, state, work
from pages.shared.controls import IN_URL, whole_number
from pages.shared.corpus_vectors import encoder_in_hand
from pages.shared.files import documents
from pages.shared.links import forget_ranges, own_key
from pages.shared.public import computed_once, is_public
from pages.shared.split_controls import choose_balance, choose_wishes, split_address

PAGE = "design"
FOLLOWED = "design_recommended"  # in the session's state: what was recommended last
COLUMN = "design_column"


def ask(corpus: Corpus, space: TopicSpace) -> tuple[int, Wishes]:
    """How many folds, how even, and what they must keep to."""
    placed = int(space.placed.sum())
    if placed < 2:
        show.refuse("Fewer than two topics can be placed, so there is nothing to split between; add documents to them.")
        show.unplaced_topics(space)
        st.stop()
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    help = "Folds of the split."
    k = whole_number(
        row.container(width=220), "Number of folds (k)", 2, min(20, placed), 6, key=own_key(PAGE, "k"), help=help
    )
    balance = choose_balance(row.container(width=220), PAGE, corpus, k)
    with row.popover("More wishes", icon=":material/tune:"):
        return k, choose_wishes(st.container(), PAGE, corpus, balance)


def design_or_stop(
    corpus: Corpus, vectors: Vectors, space: TopicSpace, resampled: Resampled, *, k: int, wishes: Wishes
) -> Design:
    """Every option, computed as a job."""
    found = work.result(
        "designs",
        (corpus.fingerprint, vectors.encoder_key, space.kind, k, wishes),
        work.step(design_options, corpus, space, k=k, wishes=wishes, resampled=resampled),
        name="Trying every split",
        public=is_public(corpus),
    )
    if found is None:
        st.stop()
    return found


def headline(design: Design, *, meaningful: bool, sure_pairs: int) -> None:
    """What to take, and why; no green where nothing can be recommended."""
    said = show.literal(recommendation(design, meaningful=meaningful, sure_pairs=sure_pairs))
    if not meaningful:
        st.warning(said, icon=":material/shuffle:")
    elif recommended(design).clear:
        st.success(said, icon=":material/recommend:")
    else:
        st.warning(said, icon=":material/help:")


def choose(design: Design, *, meaningful: bool) -> Option:
    """The option in hand: the recommended one, or another chosen in the list, by a click in the chart or by a link."""
    best = recommended(design, meaningful=meaningful)
    # The recommended one first: what a list begins with is not written into the address.
    labels = {option_label(option): option for option in (best, *design.options)}
    default, state, key = option_label(best), st.session_state, own_key(PAGE, "choice")
    if key in state and (state[key] not in labels or state[key] == state.get(FOLLOWED)):
        state[key] = default  # what nobody chose follows what is recommended
    state[FOLLOWED] = default
    help = "Or click a point in the chart."
    chosen = labels[st.selectbox("Your choice", list(labels), key=key, help=help, bind=IN_URL)]
    if not chosen.as_wished:
        st.caption(":material/rule: Authors or topics are not where you wished them; in least-leakage folds they are.")
    return chosen


def chart(design: Design, chosen: Option, *, kind: str, meaningful: bool) -> None:
    """Every option, and the chosen one marked."""

    def take() -> None:
        points = st.session_state["options"].selection.points
        if points and points[0].get("customdata"):
            option = design.options[int(points[0]["customdata"][0])]
            st.session_state[own_key(PAGE, "choice")] = option_label(option)

    show.figure(plots.options(design, chosen, kind=kind, meaningful=meaningful), key="options", on_select=take)


def costs(design: Design, chosen: Option, *, meaningful: bool) -> None:
    """What the chosen split keeps and costs."""
    row = st.grid(2, min_column_width=130)
    show.card(row, "Documents kept", f"{chosen.documents:,}", f"of {design.documents:,}")
    show.card(
        row,
        "Max similarity",
        "–" if np.isnan(chosen.max) else f"{chosen.max:.2f}",
        f"twins from {design.line:.2f}" if meaningful else "the labels separate nothing",
    )
    show.card(
        row,
        "Mean nearest",
        "–" if np.isnan(chosen.nearest_mean) else f"{chosen.nearest_mean:.2f}",
        "per test topic",
        help="Similarity of a test topic's nearest training topic, the mean over test topics.",
    )
    show.card(
        row,
        "New authors",
        share(1 - chosen.seen_authors),
        "no authors" if chosen.authors is None else f"{chosen.authors:,} authors kept",
        help="The share of test documents whose author is not in training.",
    )
    show.card(row, "Smallest fold", f"{chosen.smallest_fold:,}", "documents")
    show.card(
        row,
        "Finds from",
        "–" if np.isnan(chosen.detectable) else f"{chosen.detectable:.2f} sd",
        f"by {chosen.topics:,} topics",
        help="The smallest true difference of two models, in standard deviations of their difference over topics, that this "
        "many effective topics find four times in five.",
    )


@computed_once(most=8)
def _folds(corpus: Corpus, vectors: Vectors, space: TopicSpace, chosen: Option, k: int, wishes: Wishes) -> Ints:
    return option_folds(corpus, space, chosen, k=k, wishes=wishes)


def folds_of(corpus: Corpus, vectors: Vectors, space: TopicSpace, chosen: Option, *, k: int, wishes: Wishes) -> Ints:
    """Each topic's fold under the chosen option."""
    try:
        return _folds(corpus, vectors, space, chosen, k, wishes)
    except LeakscopeError as problem:
        show.refuse(problem)
        st.stop()


def go_on(design: Design, chosen: Option, *, wishes: Wishes) -> None:
    """The way to Folds & accuracy with this split in hand: its address there, so that a reload and a link keep it."""
    scheme = "least-leakage" if chosen.kind == "least-leakage" else "topic-kfold"
    address: dict[str, str | list[str]] = {"k": f"{design.k}", "scheme": FOLD_SCHEMES[scheme].label}
    if chosen.kind == "least-leakage":
        address |= split_address(replace(wishes, balance=wishes.balance if chosen.balance is None else chosen.balance))
    else:
        address["seed"] = f"{chosen.seed or 0}"
    kind = split_kind(chosen.kind)
    if kind.sampler is not None:
        policy = POLICIES[kind.policy]
        address |= {"sampler": SAMPLERS[kind.sampler].label, "m": f"{chosen.m}"}
        address |= {} if kind.chooses else {"policy": kind.policy}
        address |= {"threshold": f"{merging_line(design.line):g}"} if policy.takes_threshold else {}
    if st.button("Run models on this split", type="primary", icon=":material/arrow_forward:"):
        forget_ranges("accuracy")
        st.switch_page("pages/accuracy.py", query_params={own_key("accuracy", name): address[name] for name in address})


def all_options(design: Design) -> None:
    """Every option as a table."""
    with st.expander(f"All {len(design.options)} options", icon=":material/table:"):
        rows = pd.DataFrame(
            {
                "split": [option_label(each) for each in design.options],
                "documents": [each.documents for each in design.options],
                "topics": [each.topics for each in design.options],
                "highest": [each.max for each in design.options],
                "near twins": [each.near_twins for each in design.options],
                "perhaps near twins": [each.perhaps_twins for each in design.options],
                "perhaps one topic": [each.perhaps_one for each in design.options],
                "mean": [each.mean for each in design.options],
                "nearest, mean": [each.nearest_mean for each in design.options],
                "authors": [each.authors for each in design.options],
                "by unseen authors": [1 - each.seen_authors for each in design.options],
                "smallest fold": [each.smallest_fold for each in design.options],
                "finds, sd": [each.detectable for each in design.options],
                "proven": ["yes" if each.proven else "" for each in design.options],
            }
        )
        if not all(each.as_wished for each in design.options):
            rows["as wished"] = ["yes" if each.as_wished else "no" for each in design.options]
        show.table(
            rows,
            precision=3,
            formats={"by unseen authors": share},
            height=320,
            csv=show.Csv("Options as CSV", "split_options.csv"),
            alt="Every option with what it keeps and leaks",
        )


def files(
    corpus: Corpus, vectors: Vectors, space: TopicSpace, chosen: Option, fold_of: Ints, *, k: int, wishes: Wishes
) -> None:
    """The documents with their folds, the settings, and what to write of it."""
    column = _column()
    more = {"encoder": vectors.encoder_key, "column": column} | state.exported_choices()
    settings = split_settings(corpus, space, chosen, fold_of, k=k, wishes=wishes, more=more)
    documents(
        lambda: folds_table(corpus, fold_of, column=column),
        stem=f"split_{chosen.kind}",
        key="folds",
        settings=lambda: json.dumps(settings, ensure_ascii=False, indent=2).encode(),
    )
    with st.expander("For a paper's methods section, and BibTeX", icon=":material/article:"):
        encoder = ENCODERS[encoder_in_hand().name].label
        paragraph = methods_paragraph(corpus, space, chosen, k=k, encoder=encoder, wishes=wishes)
        st.code(paragraph, language=None, wrap_lines=True)
        st.code(references(chosen), language="bibtex")


def _column() -> str:
    """Which column tells the sides: a name of FOLD_COLUMNS."""
    head = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    head.markdown("**Take it with you**, the documents with a column", width="content")
    column: str = head.segmented_control(
        "Column",
        list(FOLD_COLUMNS),
        default="fold",
        required=True,
        key=COLUMN,
        bind=IN_URL,
        label_visibility="collapsed",
        help="\n".join(f"- **{name}**: {about}" for name, about in FOLD_COLUMNS.items()),
    )
    head.caption(FOLD_COLUMNS[column])
    return column
