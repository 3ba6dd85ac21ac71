"""The corpora of docs/findings.md, their vectors, and samples of their topics."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pandas as pd

from bench import REAL, newsgroups
from core.corpora import Corpus, make_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.evaluation import NamedVectors
from core.topics import Setup, TopicSpace, make_setup, topic_space
from core.vectors import Encoder, Vectors, VectorStore, embed, estimate, make_encoder

SCOTUS = REAL / "scotus.parquet"
POSTS, CHARACTERS, AUTHORS = 6, 200, 200  # of 20 Newsgroups: the authors with most posts of this many characters
ENCODERS: dict[str, tuple[str, dict[str, str]]] = {
    "LSA": ("lsa", {}),
    "SBERT": ("sbert", {"window": "mean"}),
    "SBERT, first window": ("sbert", {}),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One sample of topics: the sampler, its seed, and by which similarity of which vectors it chooses."""

    sampler: str
    seed: int = 0
    encoder: str = ""
    kind: str = "corrected"


@dataclass(eq=False, slots=True)
class Study:
    """A corpus with the number of topics kept and of folds; vectors and samples are made when first asked for.

    `encoders` are labels of ENCODERS; `only_kept`: nothing is encoded now, and what has no vectors yet is left out.
    """

    title: str
    corpus: Corpus
    m: int
    k: int
    encoders: tuple[str, ...]
    store: VectorStore
    only_kept: bool
    _vectors: dict[str, Vectors | None] = field(default_factory=dict)
    _setups: dict[Choice, Setup] = field(default_factory=dict)

    def vectors(self, label: str) -> Vectors | None:
        """The documents' vectors; None where they are to be had only by encoding, and nothing is encoded now."""
        if label not in self._vectors:
            name, settings = ENCODERS[label]
            self._vectors[label] = self._encoded(make_encoder(name, **settings))
        return self._vectors[label]

    def _encoded(self, encoder: Encoder) -> Vectors | None:
        if (shipped := bundled_vectors(self.corpus, encoder)) is not None:
            return shipped
        if self.only_kept and estimate(self.corpus, encoder, store=self.store):
            return None
        return embed(self.corpus, encoder, store=self.store)

    def space(self, label: str, kind: str) -> TopicSpace | None:
        vectors = self.vectors(label)
        if vectors is None:
            return None
        return topic_space(vectors.matrix, self.corpus.topic_codes, self.corpus.topic_names, similarity=kind)

    def setup(self, choice: Choice) -> Setup | None:
        """The sample as a corpus of its own; random ones depend on no similarity. None without vectors."""
        if choice not in self._setups:
            label = choice.encoder or self.encoders[0]
            vectors, space = self.vectors(label), self.space(label, choice.kind)
            if vectors is None or space is None:
                return None
            made = make_setup(self.corpus, vectors.matrix, space, sampler=choice.sampler, m=self.m, seed=choice.seed)
            self._setups[choice] = made
        return self._setups[choice]

    def compared(self, part: Corpus) -> NamedVectors | None:
        """The SBERT vectors of a part, for the model that compares them; None without them."""
        label = next((label for label in self.encoders if label.startswith("SBERT")), None)
        vectors = None if label is None else self.vectors(label)
        if vectors is None:
            return None
        row_of = {id: row for row, id in enumerate(self.corpus.ids)}
        return NamedVectors(vectors.matrix[[row_of[id] for id in part.ids]], vectors.encoder_key)


def _table(
    file: Path, name: str, choose: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame
) -> Corpus | None:
    """A corpus of a parquet file; None where it is absent."""
    if not file.exists():
        return None
    frame = choose(pd.read_parquet(file))
    text, topic, author, id = ([str(value) for value in frame[column]] for column in ("text", "topic", "author", "id"))
    return make_corpus(text, topic, authors=author, ids=id, name=name)


def _most_prolific(frame: pd.DataFrame) -> pd.DataFrame:
    """Posts long enough by those who wrote most of them, in however many groups; ties by name."""
    frame = frame[(frame["text"].str.len() >= CHARACTERS) & (frame["author"].str.strip() != "")]
    counts = frame["author"].value_counts()
    counts = counts[counts >= POSTS].sort_index().sort_values(ascending=False, kind="stable")
    return frame[frame["author"].isin(counts.index[:AUTHORS])]


def scotus() -> Corpus | None:
    return _table(SCOTUS, "SCOTUS opinions")


def prolific_posters() -> Corpus | None:
    return _table(newsgroups(), f"20 Newsgroups, the {AUTHORS} who posted most", _most_prolific)


def studies(store: VectorStore, *, only_kept: bool) -> dict[str, Study]:
    """The corpora that are here: the Courier ships with the app, the others are read from ../shared/data."""
    made = partial(Study, store=store, only_kept=only_kept)
    found = {"courier": made("The Tarnbeck Courier", bundled_corpus(), 12, 6, ("SBERT, first window", "LSA"))}
    if (corpus := scotus()) is not None:
        found["scotus"] = made("SCOTUS", corpus, 70, 10, ("LSA", "SBERT"))
    if (corpus := prolific_posters()) is not None:
        found["newsgroups"] = made("20 Newsgroups", corpus, 10, 5, ("LSA",))
    return found
