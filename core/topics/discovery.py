"""Topics for texts that have none: clusters of their vectors, named by their words, and whether they are there at all."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints, record, text_digest
from ..corpora import Corpus, take
from ..formats import counted
from ..progress import Progress
from .clusters import Clusters, agreement, find_clusters
from .explanation import term_weights

NONE_BELOW, STABLE_FROM = 0.3, 0.7  # stability
WORDS, SEPARATOR = 3, " · "  # of a name; no file has several topics in a cell by that separator


@record
class FoundTopics:
    """Found topics in sorted order of name; `codes[i]` is that of document i, −1 where it has none; how firm they are; and
    their agreement (adjusted Rand index) with the given topics, None where there are none."""

    method: str
    names: tuple[str, ...]
    codes: Ints
    clusters: Clusters
    agreement: float | None

    @property
    def sizes(self) -> Ints:
        """Documents per topic, in the order of `names`."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))

    @property
    def without(self) -> int:
        """Documents that have no topic."""
        return int((self.codes < 0).sum())

    @property
    def level(self) -> str:
        """`none`: no clusters beyond chance; `shaky`: other documents would give partly other topics; `stable`."""
        found = self.clusters
        if found.stability < NONE_BELOW or found.silhouette <= found.by_chance:
            return "none"
        return "stable" if found.stability >= STABLE_FROM else "shaky"

    @property
    def sentence(self) -> str:
        """Whether topics are there, in words."""
        count, documents = len(self.names), len(self.codes)
        index = f"adjusted Rand index {self.clusters.stability:.2f}, where 0 is chance and 1 the same"
        if self.level == "none":
            why = (
                f"another draw of them gives other groups ({index})"
                if self.clusters.stability < NONE_BELOW
                else "points drawn without any groups fall apart as well"
            )
            return f"No topics are there to be found: these {documents:,} documents can be cut into {counted(count, 'group')}, but {why}."
        firm = "nearly the same" if self.level == "stable" else "partly other"
        answer = f"{counted(count, 'topic')} found in {documents:,} documents: a draw of 80 % of them gives {firm} topics ({index})."
        if self.without:
            answer += f" {counted(self.without, 'document', 'belongs', 'belong')} to none and {'takes' if self.without == 1 else 'take'} no part."
        if self.agreement is not None:
            answer += f" With the given topics they agree at {self.agreement:.2f}."
        return answer


def find_topics(
    corpus: Corpus,
    vectors: NDArray[np.floating],
    *,
    method: str = "k-means",
    k: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> FoundTopics:
    """Cluster the documents by their vectors and name each cluster; nothing depends on the order of the file.

    Documents whose vector is zero have no topic.
    """
    usable = np.flatnonzero(np.asarray(vectors).any(axis=1)).tolist()
    order = np.array(sorted(usable, key=lambda row: text_digest(corpus.texts[row])), dtype=np.int64)
    clusters = find_clusters(vectors[order], method=method, k=k, seed=seed, progress=progress)
    codes = np.full(len(corpus), -1, dtype=np.int64)
    codes[order] = clusters.labels
    names, codes = _named(corpus, codes)
    given = None
    if corpus.has_topics:
        given = agreement(corpus.topic_codes[codes >= 0], codes[codes >= 0])
    return FoundTopics(method, names, codes, clusters, given)


def with_found_topics(corpus: Corpus, found: FoundTopics) -> Corpus:
    """The documents that have a found topic, under it; the corpus says that its topics were found."""
    rows = np.flatnonzero(found.codes >= 0)
    return _labelled(corpus, rows, found.names, found.codes[rows])


def _labelled(corpus: Corpus, rows: Ints, names: tuple[str, ...], codes: Ints) -> Corpus:
    return replace(take(corpus, rows), topic_names=names, topic_codes=codes, merged_topics=(), found=True)


def _named(corpus: Corpus, codes: Ints) -> tuple[tuple[str, ...], Ints]:
    """A name for every cluster, its most distinctive words; sorted, and the codes with them."""
    rows = np.flatnonzero(codes >= 0)
    present, recoded = np.unique(codes[rows], return_inverse=True)
    numbers = tuple(f"topic {number + 1}" for number in range(len(present)))
    weights = term_weights(_labelled(corpus, rows, numbers, recoded.astype(np.int64)))
    names: list[str] = []
    for cluster, number in enumerate(numbers):
        row = weights.weights[[cluster]].toarray()[0]
        ranked = [weights.terms[term] for term in np.argsort(-row, kind="stable")[: 10 * WORDS] if row[term] > 0]
        name = SEPARATOR.join(_distinct(ranked)) or number
        names.append(name if name not in names else f"{name} ({number})")
    order = sorted(range(len(names)), key=names.__getitem__)
    places = np.empty(len(names), dtype=np.int64)
    places[order] = np.arange(len(names))
    sorted_codes = np.full(len(codes), -1, dtype=np.int64)
    sorted_codes[rows] = places[recoded]
    return tuple(names[cluster] for cluster in order), sorted_codes


def _distinct(words: list[str]) -> list[str]:
    """The first words of which none begins like another: 'star' and 'stars' say the same."""
    chosen: list[str] = []
    for word in words:
        if len(chosen) < WORDS and not any(word.startswith(other) or other.startswith(word) for other in chosen):
            chosen.append(word)
    return chosen
