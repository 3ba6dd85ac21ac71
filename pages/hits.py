"""HITS: which topics should I keep?"""

import streamlit as st

from core.topics import MOST_IN_MATRIX, SIMILARITIES
from pages.parts import hits as parts
from pages.parts.hits_experiments import experiments
from pages.parts.hits_many import many_topics
from pages.parts.hits_optimum import optimum_or_wait, optimum_so_far
from pages.parts.hits_suggestion import merged_of, suggestion
from pages.shared import corpus_vectors, show, state, topics, visits
from pages.shared.controls import encoder_notes, header

header(
    "Which topics should I keep?",
    "HITS keeps topics that are unlike each other, so that a topic held out for testing really is new.",
    section="HITS",
)
in_hand = state.corpus_or_stop()
corpus, vectors = corpus_vectors.so_far_or_stop(in_hand)
if len(corpus.topic_names) > MOST_IN_MATRIX:
    many_topics(corpus, vectors)
    parts.smallest_topic(in_hand)
    st.stop()
space, path = topics.space_of(corpus, vectors), topics.path_of(corpus, vectors)
verdict = topics.verdict_of(corpus, vectors, k=2)
meaningless = verdict.level == "meaningless"
if path.placed < 2:
    suggestion(verdict, None)
    show.unplaced_topics(space)
    parts.smallest_topic(in_hand)
    st.stop()
band, resampled = topics.band_of(corpus, vectors), topics.resampled_of(corpus, vectors)
best = None if meaningless else optimum_so_far(corpus, vectors, space)
other_kind = next(kind for kind in SIMILARITIES if kind != space.kind)
other = topics.space_of(corpus, vectors, other_kind), topics.path_of(corpus, vectors, other_kind)


@st.fragment
def explore() -> None:
    """The slider and all that follows from it; the browser draws every m, and letting go reruns this part alone."""
    visits.note_use()
    answer = st.container()
    policy, threshold = parts.choose_policy()
    merged = merged_of(corpus, vectors, verdict, policy, threshold)
    with answer:
        suggestion(verdict, merged)
    suggested = verdict.keep if merged is None or merged.m is None or merged.m < 2 else merged.m
    default = max(2, path.placed // 2 if meaningless else suggested)
    choice = parts.choose_sample(space, path, policy, threshold, default=default)
    parts.drawn(corpus, vectors, choice, best)
    parts.explained(band, resampled, space)
    parts.other_similarity(space, path, other, choice)
    with st.expander("What is kept and what is lost, topic by topic", icon=":material/list:"):
        shares = resampled.selected_share(choice.m)
        show.table(
            parts.fates(corpus, space, choice.sample, shares),
            alt="Every topic and what became of it",
            csv=show.Csv("Topics kept and lost as CSV", f"{parts.file_stem(choice)}_topics.csv", "fates_csv"),
        )
    parts.downloads(corpus, vectors, space, path, choice)


explore()
if best is None and not meaningless:
    optimum_or_wait(corpus, vectors, space)
show.unplaced_topics(space)
parts.smallest_topic(in_hand)
experiments(corpus, vectors, space, path, resampled)
parts.negative_similarities(space)
encoder_notes(vectors.notes)
