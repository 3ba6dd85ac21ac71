"""What a sample of topics keeps and loses: documents, authors, topics."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import record
from ..corpora import Corpus, make_corpus, take
from ..errors import SettingError, unknown
from .hits import Sample, checked_m, hits_path, make_sample, random_path, sampled_documents
from .space import TopicSpace, topic_space


@dataclass(frozen=True, slots=True)
class Kept:
    """Counts after sampling; authors are None where the corpus has none. `per_topic` has a row a topic."""

    documents: int
    documents_lost: int
    authors: int | None
    authors_lost: int | None
    per_topic: list[dict[str, str | int]]


def kept_and_lost(corpus: Corpus, sample: Sample) -> Kept:
    """Count what stays of a corpus under a sample; an author is lost when no document of theirs stays."""
    rows, _ = sampled_documents(corpus, sample)
    authors = lost = None
    if corpus.author_names is not None and corpus.author_codes is not None:
        authors = len(np.unique(corpus.author_codes[rows]))
        lost = len(corpus.author_names) - authors
    step = {int(topic): place for place, topic in enumerate(sample.selected, start=1)}
    per_topic: list[dict[str, str | int]] = []
    for topic, (name, size) in enumerate(zip(corpus.topic_names, corpus.topic_sizes, strict=True)):
        home = int(sample.home[topic])
        fate = f"kept, step {step[topic]}" if home == topic else "dropped" if home < 0 else "merged"
        into = corpus.topic_names[home] if home >= 0 and home != topic else ""
        per_topic.append({"topic": name, "documents": int(size), "fate": fate, "merged into": into})
    return Kept(len(rows), len(corpus) - len(rows), authors, lost, per_topic)


SAMPLERS = {"none": "all topics", "hits": "HITS", "random": "random"}
RANDOM_SEEDS = (0, 1, 2, 3, 4)  # the paper's five random samples


@record
class Setup:
    """A sample of topics as a corpus of its own, with its documents' vectors and its topics' similarities."""

    name: str
    corpus: Corpus
    vectors: NDArray[np.float32]
    space: TopicSpace


def make_setup(
    corpus: Corpus,
    vectors: NDArray[np.float32],
    space: TopicSpace,
    *,
    sampler: str,
    m: int | None = None,
    seed: int = 0,
    policy: str = "cutting",
    threshold: float = 0.0,
) -> Setup:
    """The documents of the sampled topics; the topics left out are dropped, as in the paper (HITS §5.1), or merged
    into sampled ones (`policy`, §7.2): their documents then carry the name of the topic they went to."""
    if sampler not in SAMPLERS:
        raise unknown("sampler", sampler, SAMPLERS)
    if space.names != corpus.topic_names or len(vectors) != len(corpus):
        raise SettingError("Vectors and similarities are of other documents; compute both from this corpus.")
    if sampler == "none":
        return Setup("all topics", corpus, vectors, space)
    m = checked_m(len(space) if m is None else m, len(space))
    path = hits_path(space.similarity) if sampler == "hits" else random_path(space.similarity, seed=seed)
    sample = make_sample(space.similarity, path.order[:m], policy=policy, threshold=threshold)
    rows, homes = sampled_documents(corpus, sample)
    kept = take(corpus, rows)
    name = "HITS" if sampler == "hits" else f"random {seed}"
    if policy != "cutting":
        kept = _relabelled(kept, homes)
        name += ", grouped" if policy == "grouping" else f", hybrid {threshold:g}"
    return Setup(name, kept, vectors[rows], topic_space(vectors[rows], kept.topic_codes, kept.topic_names))


def _relabelled(corpus: Corpus, topics: list[str]) -> Corpus:
    """The same documents under other topics, with a fingerprint of their own."""
    if len(set(topics)) < 2:
        raise SettingError("Merging into one topic leaves nothing to split; keep at least 2 topics.")
    return make_corpus(
        corpus.texts,
        topics,
        authors=corpus.authors,
        ids=corpus.ids,
        splits=corpus.splits,
        vectors=corpus.vectors,
        name=corpus.name,
    )
