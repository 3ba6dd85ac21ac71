"""The interactive parts of the HITS page: the view that moves under the hand, the exact optimum, experiments and files.

A component of ours draws every m in the browser, and the server hears of m on release.
"""

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from core.arrays import digest
from core.corpora import Corpus
from core.formats import counted, first_few
from core.papers.hits_2024 import EXPERIMENTS
from core.plots import style
from core.questions import answered, hits
from core.questions import experiments as question
from core.study import Pending, Study, compute_now
from core.topics import (
    MOST_CELLS,
    MOST_IN_MATRIX,
    POLICIES,
    SIMILARITIES,
    OptimumCurve,
    Sample,
    make_sample,
    sample_at_every_m,
    sample_table,
    settings_file,
)
from core.topics import hits_view as core_view
from pages.shared import hosting, jobs, render, show, state, widgets
from pages.shared.session import is_public
from pages.shared.show import escaped
from pages.shared.studies import settle, settled
from pages.shared.widgets import IN_URL, assign, integer_input

FOLDER = Path(__file__).parent / "hits_view"
SCRIPTS = ("figures", "pen", "words", "curve", "places", "parts", "drawing", "view")  # one module, in this order
NAME, M = "hits_view", "m"
COLOURS = {"blue": style.BLUE, "orange": style.ORANGE, "grey": style.GREY}


def script() -> str:
    """Return the component's script in one piece."""
    return "\n".join((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)


_component = st.components.v2.component(NAME, js=script(), css=(FOLDER / "view.css").read_text(encoding="utf-8"))


def current_m(comparable: int, default: int) -> int:
    """Return how many topics are kept: what the address or the hand says.

    Only Streamlit's own controls can stand in the address; so one does, unseen, for the slider that the component draws.
    """
    with st.container(key="hits_m_in_address"):
        return integer_input(st.container(), "Topics to keep (m)", 1, comparable, default, key=M, help="")


def draw(view: dict[str, Any], *, key: str, m: int, here: dict[str, float | None] | None = None) -> None:
    """Draw the view at m; `here` is the similarity at that m where the view does not hold all of them."""
    shown = {what: None if value is None else f"{round(value, 3) + 0.0:.3f}" for what, value in (here or {}).items()}
    _component(
        key=NAME,
        data={
            "view": view,
            "key": key,
            "m": m,
            "here": {"m": m, **shown} if shown else None,
            "colours": COLOURS,
        },
        on_m_change=lambda: _moved(view["placed"]),
    )


def _moved(comparable: int) -> None:
    """Check what the browser sends like any other input."""
    m = st.session_state[NAME].get("m")
    if type(m) is int and 1 <= m <= comparable:
        assign({M: m})


FEW = 60  # topics whose optimum takes no time
MANY = 400  # from here on it takes so long that it is not started unasked


def optimum_so_far(study: Study) -> OptimumCurve | None:
    """Return the curve where it is there or takes no time."""
    try:
        return study.optima()
    except Pending as pending:
        if len(study.space) > FEW:
            return None
        for key, found in compute_now(pending).items():
            jobs.hold(pending.kind, key, found, public=is_public(study.corpus))
        return study.optima()


def optimum_or_wait(study: Study) -> None:
    """Ask for the curve of many topics below everything that does not need it."""
    question = None
    if len(study.space) >= MANY:
        sentence = (
            "**How far is HITS from the optimum?** Leakscope can search for the lowest possible similarity of *m* topics. With "
            f"{len(study.space):,} topics that may take an hour or more; it continues while you look at other pages."
        )
        question = jobs.Question("Search", sentences=(sentence,), primary=False, icon=":material/search:")
    try:
        study.optima()
    except Pending as pending:
        if settle(pending, question=question):
            st.rerun()


def many_topics(study: Study) -> None:
    """Show what is available for this many topics."""
    topics, path = hits.points_and_path(study, hits.MOST_STEPS)
    st.info(
        f"This corpus has {len(topics):,} topics. Above {MOST_IN_MATRIX:,}, HITS keeps up to {hits.MOST_STEPS:,} topics, without a "
        "verdict, random samples or a map.",
        icon=":material/grid_off:",
    )
    show.incomparable_topics(topics)
    if path.comparable > 1:
        _explore(study)


@st.fragment
def _explore(study: Study) -> None:
    """Draw the slider and what follows from it."""
    hosting.note_use()
    topics, path = hits.points_and_path(study, hits.MOST_STEPS)
    m = current_m(path.comparable, min(100, path.comparable))
    view = study.once(
        "view of many",
        compute=lambda: hits.view_json(core_view(topics, path, sample_at_every_m(study.corpus, topics, path))),
    )
    draw(view, key=digest(list(study.key)), m=m)
    sample = make_sample(topics.points, path.order[:m])  # the others are dropped: no pair of them is looked at
    show.documents(lambda: sample_table(study.corpus, sample), stem=f"hits_m{m}", key="export")


NONE = "none"


def experiments(study: Study) -> None:
    """Choose an experiment, run it, and show its figure and its table."""
    st.subheader("Experiments", anchor=False)
    st.markdown("The paper's §7 experiments on your corpus. Nothing here changes the selection above.")
    labels = {NONE: NONE} | {name: each.label for name, each in EXPERIMENTS.items()}
    chosen = st.segmented_control(
        "Experiment",
        list(labels),
        default=NONE,
        required=True,
        format_func=labels.__getitem__,
        key="experiment",
        bind=IN_URL,
    )
    comparable = study.path.comparable
    if chosen == NONE or comparable < question.FEWEST:
        return
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    m = min(st.session_state.get("m") or max(2, comparable // 2), comparable)
    given = {"experiment": chosen, "m": max(2, m)}
    settings = widgets.ask(question.Settings, study, question="hits", place=row, given=given)
    asked = jobs.Question("Run it", where=row, caption="It continues while you look at other pages.")
    answer = settled(lambda: answered(study, question, settings), question=None if EXPERIMENTS[chosen].quick else asked)
    if answer is None:
        return
    st.markdown(f"**{escaped(answer.headline)}**")
    for each in answer.cautions:
        st.markdown(f":orange[:material/priority_high:] {escaped(each.text)}")
    for drawing in answer.figures:
        render.figure(drawing, title=False)
    for rows in answer.tables:
        render.table(rows)
    if answer.next_steps:
        st.info("  \n".join(escaped(line) for line in answer.next_steps), icon=":material/lightbulb:")


MOST_NAMED = 8


def smallest_topic(corpus: Corpus) -> None:
    """Ask for the minimum documents per topic, as the sidebar does, and show what it excludes."""
    whole = state.whole_corpus()
    if whole is None:
        return
    ask, effect = st.columns([1, 2], vertical_alignment="bottom", gap="medium")
    st.session_state["least"] = st.session_state.get("min_docs", 1)
    ask.number_input(
        "Minimum documents per topic",
        1,
        100_000,
        key="least",
        on_change=lambda: st.session_state.update(min_docs=st.session_state["least"]),
        help="The same setting as in the sidebar; it applies to every page.",
    )
    out = whole.topic_sizes[~np.isin(whole.topic_names, corpus.topic_names)]
    counts = f"**{len(out):,} of {len(whole.topic_names):,} topics and {int(out.sum()):,} documents** are excluded"
    least = int(corpus.topic_sizes.min())
    fewest = counted(least, "document")
    effect.markdown(
        f"{counts}; the smallest topic left has {fewest}."
        if len(out)
        else f"No topic is excluded for its size; the smallest has {fewest}."
    )


def drawn(study: Study, settings: hits.Settings, best: OptimumCurve | None, found: hits.Selection) -> None:
    """Draw cards and charts, which the browser draws for every m."""
    policy, threshold, method = settings.policy, settings.threshold, study.ready_layout.method
    key = digest([*study.key, policy, threshold, method, best is not None])
    view = study.once(
        "view", policy, threshold, method, best is not None, compute=lambda: _view(study, policy, threshold, best)
    )
    draw(view, key=key, m=found.m, here=found.similarity)


def _view(study: Study, policy: str, threshold: float, best: OptimumCurve | None) -> dict[str, Any]:
    found = core_view(
        study.space,
        study.path,
        study.every_m(policy, threshold),
        band=study.band,
        bootstrap=study.bootstrap,
        layout=study.ready_layout,
        verdict=study.judged(2),
        optimum=best,
    )
    return hits.view_json(found)


def explained(study: Study) -> None:
    """Say what the charts mean that their keys do not."""
    band, space = study.band, study.space
    fewer = " (999 up to 200 topics)" if band.samples < 999 else ""
    blocks = f", in blocks above {MOST_CELLS} topics" if len(space) > MOST_CELLS else ""
    st.caption(
        f"Similarity: {SIMILARITIES[space.kind]}. Band: 5% to 95% of {band.samples} random samples{fewer}. Dots on the path: how often "
        f"a topic is among the first *m* in {len(study.bootstrap.steps)} bootstrap samples; around 50% the choice is a coin toss. The "
        f"matrix is in path order{blocks}, and the framed corner is what is kept. For comparison, the paper's fan fiction at m = 70 "
        "(plain cosine, pairs across folds): random 0.841 mean, 0.922 max; HITS 0.775 and 0.862."
    )


def file_stem(settings: hits.Settings) -> str:
    """Return what files of the sample are called: other samples of the same size have other names."""
    similar = f"_{settings.threshold:.2f}" if POLICIES[settings.policy].takes_threshold else ""
    return f"hits_m{settings.m}_{settings.policy}{similar}"


def downloads(study: Study, settings: hits.Settings, sample: Sample) -> None:
    """Offer the sample's documents in every format, and the settings that make it again."""
    st.markdown("**Export**")
    threshold = settings.threshold if POLICIES[settings.policy].takes_threshold else None
    chosen = {
        "policy": settings.policy,
        "threshold": threshold,
        "similarity": study.similarity,
    } | state.exported_choices()
    show.documents(
        lambda: sample_table(study.corpus, sample),
        stem=file_stem(settings),
        key="export",
        settings=lambda: settings_file(
            study.corpus, study.space, study.path, sample, encoder_key=study.vectors.encoder_key, settings=chosen
        ),
    )


def other_similarity(study: Study, m: int) -> None:
    """Name the topics by which the sample would differ under the other similarity."""
    kind = next(each for each in SIMILARITIES if each != study.similarity)
    names, order, other = study.space.names, study.path.order[:m], study.path_by(kind)
    theirs = other.order[: min(m, other.comparable)]
    instead = [names[topic] for topic in theirs if topic not in order]
    gone = [names[topic] for topic in order if topic not in theirs]
    name = f"With similarity *{SIMILARITIES[kind]}*"
    if not instead and not gone:
        st.caption(f":material/check: {name}, HITS keeps the same {m} topics.")
        return
    st.caption(
        f":material/compare_arrows: {name}, {len(gone)} of {m} topics differ: {_named(instead)} instead of {_named(gone)}."
    )


def _named(names: list[str]) -> str:
    return first_few([f"*{escaped(name)}*" for name in names], MOST_NAMED, between=" · ") or "nothing"
