"""Green means shown: what the verdict must say of corpora whose truth is known."""

from collections.abc import Sequence

import numpy as np
import pytest

from core.corpora import Corpus, make_corpus
from core.corpora.synthetic import dial_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.questions import ask
from core.study import Study
from core.vectors import embed, make_encoder
from tests.core.questions.studies import shuffled

FAMILIES = [
    "restaurants",
    "orchestra",
    "banking",
    "hospitals",
    "astronomy",
    "baseball",
    "railways",
    "smartphones",
    "volcanoes",
    "chess",
]


def by_lsa(corpus: Corpus) -> Study:
    return Study(corpus, embed(corpus, make_encoder("lsa")))


def by_sbert(corpus: Corpus) -> Study:
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    return Study(corpus, vectors)


def part_of(corpus: Corpus, rows: Sequence[int], topics: Sequence[str], *, authors: bool = True) -> Corpus:
    """Return these documents under these topics."""
    known = corpus.authors
    assert known is not None
    given = [known[row] for row in rows] if authors else None
    return make_corpus([corpus.texts[row] for row in rows], topics, authors=given, name="A part")


def half_on_one_subject() -> Corpus:
    """Return seven topics, half of each on restaurants."""
    corpus, rows, topics = bundled_corpus(), list[int](), list[str]()
    of = {name: np.flatnonzero(corpus.topic_codes == corpus.topic_names.index(name)).tolist() for name in FAMILIES}
    for number, name in enumerate(FAMILIES[1:8]):
        rows += [*of[name][:15], *of["restaurants"][15 * number : 15 * number + 15]]
        topics += [name] * 30
    return part_of(corpus, rows, topics)


def one_of_each_family(*, authors: bool = True) -> Corpus:
    corpus = bundled_corpus()
    names = [corpus.topic_names[code] for code in corpus.topic_codes]
    rows = [row for row, name in enumerate(names) if name in FAMILIES]
    return part_of(corpus, rows, [names[row] for row in rows], authors=authors)


@pytest.mark.parametrize("shared", [0.2, 0.4, 0.6])
def test_loyal_authors_on_similar_topics_are_never_clear(shared):
    """No two topics are near twins here; only the effect shows."""
    found = ask(by_lsa(dial_corpus(shared=shared, loyal=0.8, seed=3)), "verdict", forecast=False)
    assert found.data["similarity"]["level"] == "clear" and found.level != "good"
    if shared >= 0.4:
        assert found.data["level"] == "leaks" and "though no two are near twins" in found.headline


def test_topics_and_authors_that_have_nothing_in_common_are_clear():
    study = by_lsa(dial_corpus(shared=0, loyal=0, seed=3))
    found = ask(study, "verdict", forecast=False)
    assert (found.level, found.data["level"]) == ("good", "clear")
    assert "at most" in found.headline and [each.level for each in found.lines] == ["good", "good"]
    assert ask(study, "design").data["recommended"]["kind"] == "random"


@pytest.mark.parametrize("encoded", [by_lsa, by_sbert])
def test_topics_that_are_half_one_subject_are_never_clear(encoded):
    study = encoded(half_on_one_subject())
    verdict = study.judged(6)
    assert verdict.level == "some" and verdict.overlap and not verdict.twin_pairs
    found = ask(study, "verdict", forecast=False)
    assert found.level != "good" and "mixed-topics" in found.caution_codes()
    assert ask(study, "design").level == "warning"


def test_one_topic_of_each_family_does_not_leak():
    found = ask(by_sbert(one_of_each_family()), "verdict", forecast=False)
    assert found.data["level"] in ("clear", "unknown")
    assert found.data["level"] == "clear" or "would settle it" in found.lines[1].text


def test_models_that_only_guess_show_no_cost_and_are_never_clear():
    corpus = one_of_each_family()
    authors = [f"author {number}" for number in np.random.default_rng(0).integers(0, 12, len(corpus))]
    study = by_sbert(make_corpus(corpus.texts, corpus.topics, authors=authors))
    found = ask(study, "verdict", forecast=False)
    assert (found.data["similarity"]["level"], found.data["level"], found.level) == ("clear", "unknown", "unknown")
    assert found.headline == "No near twins, but the models only guess, so what leakage costs cannot be measured."
    assert [each.level for each in found.lines] == ["neutral", "unknown"]
    assert "even with similar topics in training. Choose another label" in found.lines[1].text
    assert found.data["cost"]["topics_needed"] is None


def test_without_authors_similarity_is_all_there_is_to_say():
    found = ask(by_sbert(one_of_each_family(authors=False)), "verdict")
    assert found.headline == "No near twins. Whether that matters for scores needs a label to predict."
    assert found.level == "unknown" and "good" not in {each.level for each in found.lines}
    assert found.data["cost"] is None and found.data["promises"] is None


def test_labels_that_mean_nothing_come_first():
    corpus = bundled_corpus()
    rows = np.flatnonzero(corpus.topic_codes == corpus.topic_names.index("restaurants")).tolist()
    cut = by_sbert(part_of(corpus, rows, [f"part {number % 10}" for number in range(len(rows))]))
    for study in (cut, shuffled()):
        found = ask(study, "verdict")
        assert found.data["level"] == "meaningless" and found.lines == ()
