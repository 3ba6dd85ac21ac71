"""How many topics HITS would keep, said for what becomes of the others: dropped, or merged."""

import streamlit as st

from core.corpora import Corpus
from core.topics import EveryM, MergedTopics, Verdict, keep_sentence, merged_topics, sample_at_every_m
from core.vectors import Vectors
from pages.shared import topics
from pages.shared.public import computed_once


@computed_once(most=8)
def samples_of(corpus: Corpus, vectors: Vectors, kind: str, policy: str, threshold: float | None) -> EveryM:
    """The samples of every m under a policy."""
    space, path = topics.space_of(corpus, vectors, kind), topics.path_of(corpus, vectors, kind)
    return sample_at_every_m(corpus, space, path, policy=policy, threshold=threshold or 0.0)


def merged_of(
    corpus: Corpus, vectors: Vectors, verdict: Verdict, policy: str, threshold: float | None
) -> MergedTopics | None:
    """What merging does to the topics that HITS takes; None where the policy merges nothing."""
    space, path = topics.space_of(corpus, vectors), topics.path_of(corpus, vectors)
    samples = samples_of(corpus, vectors, space.kind, policy, threshold)
    return merged_topics(samples, verdict, space, path, policy=policy, threshold=threshold or 0.0)


def suggestion(verdict: Verdict, merged: MergedTopics | None) -> None:
    """The answer: the most topics without near twins, merged or not, or why there is nothing to choose."""
    sentence = keep_sentence(verdict, merged)
    documents = verdict.keep_documents if merged is None else merged.documents
    free = verdict.keep if merged is None else merged.m
    if free is None and merged is not None:
        free = verdict.keep if merged.closest < verdict.line else 1
    if verdict.level == "meaningless":
        st.info(sentence, icon=":material/shuffle:")
    elif free is None or free < 2 or documents < verdict.documents / 2:
        st.warning(sentence, icon=":material/warning:")
    else:
        st.success(sentence, icon=":material/lightbulb:")
