"""The studies that questions are asked about in tests: the bundled corpus, two real ones, and two of nonsense."""

from functools import cache
from pathlib import Path

import numpy as np

from core.corpora import make_corpus, with_prolific_authors
from core.corpora.readers import read_corpus
from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.evaluation import ResultStore
from core.study import Study
from core.vectors import embed, make_encoder
from tests.conftest import REAL
from tools.read_aloud import altered

BLOG = REAL / "18f_blog.parquet"
NEWS = REAL / "20newsgroups.parquet"


@cache
def bundled() -> Study:
    """Return the bundled corpus under SBERT."""
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    return Study(corpus, vectors, results=ResultStore(shipped=RESULTS))


@cache
def shuffled() -> Study:
    """Return the bundled corpus with its labels shuffled."""
    corpus = bundled_corpus()
    codes = np.random.default_rng(0).permutation(corpus.topic_codes)
    topics = [corpus.topic_names[code] for code in codes]
    nonsense = make_corpus(corpus.texts, topics, authors=corpus.authors, name="Shuffled labels")
    vectors = bundled_vectors(nonsense, make_encoder("sbert"))
    assert vectors is not None
    return Study(nonsense, vectors)


@cache
def tiny_topics() -> Study:
    """Return the bundled corpus with three documents a topic."""
    corpus = bundled_corpus()
    rows = [row for topic in range(8) for row in np.flatnonzero(corpus.topic_codes == topic)[:3]]
    texts, authors = [corpus.texts[row] for row in rows], corpus.authors
    assert authors is not None
    small = make_corpus(
        texts,
        [corpus.topic_names[corpus.topic_codes[row]] for row in rows],
        authors=[authors[row] for row in rows],
        name="Three documents a topic",
    )
    vectors = bundled_vectors(small, make_encoder("sbert"))
    assert vectors is not None
    return Study(small, vectors)


@cache
def blog() -> Study:
    """Return the 18F blog under LSA; only where the real corpora are."""
    corpus = read_corpus(Path(BLOG))
    return Study(corpus, embed(corpus, make_encoder("lsa")))


@cache
def newsgroups() -> Study:
    """Return 1,000 random documents of 20 Newsgroups under LSA; only where the real corpora are."""
    corpus = altered(read_corpus(Path(NEWS)), sample=1000, shuffle=False)
    return Study(corpus, embed(corpus, make_encoder("lsa")))


@cache
def by_main_authors(file: Path) -> Study:
    """Return a real corpus, reduced to the eight authors with most texts, under LSA: small enough to run models on."""
    corpus = with_prolific_authors(read_corpus(file), at_most=8)
    return Study(corpus, embed(corpus, make_encoder("lsa")), results=ResultStore())


STUDIES = {
    "bundled": bundled,
    "shuffled": shuffled,
    "tiny topics": tiny_topics,
    "18F blog": blog,
    "20 Newsgroups": newsgroups,
}
REAL_FILES = {"18F blog": BLOG, "20 Newsgroups": NEWS}
