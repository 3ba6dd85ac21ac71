"""Found topics: laws of naming and labelling, every branch of the sentence, and nothing found where nothing is."""

from dataclasses import replace

import numpy as np
import pytest

from core.corpora import Corpus, make_corpus, read_cached, take, write_cached
from core.corpora.readers import read_corpus
from core.topics import (
    FORMATS,
    documents_table,
    find_topics,
    hits_path,
    judge,
    make_sample,
    sample_table,
    settings_file,
    topic_space,
    with_found_topics,
)
from core.vectors import embed, make_encoder
from tests.core.vectors.other_languages import texts_in

WORDS = {
    "bread": "flour oven dough yeast crust loaf baker",
    "stars": "telescope orbit galaxy comet planet nebula lens",
    "trams": "rails driver bell carriage depot junction platform",
}


def texts_on(subjects: dict[str, str], *, each: int = 16) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(words.split(), 12)) for words in subjects.values() for _ in range(each)]
    return texts, [name for name in subjects for _ in range(each)]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    texts, topics = texts_on(WORDS)
    return make_corpus(
        [*texts, "the of and"], [*topics, "bread"], authors=[f"a{row % 3}" for row in range(len(texts) + 1)]
    )


@pytest.fixture(scope="module")
def vectors(corpus: Corpus) -> np.ndarray:
    return embed(corpus, make_encoder("lsa", components=10)).matrix


@pytest.fixture(scope="module")
def found(corpus: Corpus, vectors: np.ndarray):
    return find_topics(corpus, vectors, k=3)


def test_every_document_with_words_has_a_topic_named_by_its_own_words(corpus, found):
    assert found.agreement == 1 and found.level == "stable"
    assert found.names == tuple(sorted(found.names)) and len(set(found.names)) == 3
    subjects = [set(words.split()) for words in WORDS.values()]
    assert all(any(set(name.split(" · ")) <= subject for subject in subjects) for name in found.names)
    assert all(len(name.split(" · ")) == 3 for name in found.names)
    assert found.codes[-1] == -1 and found.without == 1, "a text without a word has no topic"
    assert found.sizes.tolist() == [16, 16, 16]


def test_the_corpus_says_that_its_topics_were_found_and_keeps_all_else(corpus, found, tmp_path):
    labelled = with_found_topics(corpus, found)
    assert labelled.found and not corpus.found
    assert labelled.topic_names == found.names and len(labelled) == len(corpus) - 1
    assert labelled.texts == corpus.texts[:-1] and labelled.authors == corpus.authors[:-1]
    given = make_corpus(labelled.texts, labelled.topics, authors=labelled.authors, ids=labelled.ids)
    assert given.content_digest == labelled.content_digest and given.fingerprint != labelled.fingerprint
    assert take(labelled, np.arange(5)).found
    write_cached(tmp_path / "kept", labelled)
    assert read_cached(tmp_path / "kept").fingerprint == labelled.fingerprint


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_of_found_topics_is_read_back_as_such(corpus, found, tmp_path, format):
    labelled = with_found_topics(corpus, found)
    file = tmp_path / f"found.{format}"
    file.write_bytes(FORMATS[format](documents_table(labelled)))
    again = read_corpus(file, name=corpus.name)
    assert again.found and again.content_digest == labelled.content_digest
    file.write_bytes(FORMATS[format](documents_table(corpus)))
    assert not read_corpus(file).found


def test_exports_and_the_verdict_say_it(corpus, vectors, found):
    labelled = with_found_topics(corpus, found)
    space = topic_space(vectors[found.codes >= 0], labelled.topic_codes, labelled.topic_names)
    path = hits_path(space.similarity)
    sample = make_sample(space.similarity, path.order[:2])
    assert set(sample_table(labelled, sample)["topic_source"]) == {"found"}
    for each, said in ((labelled, b'"topics": "found"'), (replace(labelled, found=False), b'"topics": "given"')):
        assert said in settings_file(each, space, path, sample, encoder_key="x", settings={})
    assert "topic_source" not in sample_table(replace(labelled, found=False), sample)
    assert judge(space, path, k=3, found=True).cautions[0].startswith("The topics were found in the texts, not given")
    assert not any("found in the texts" in said for said in judge(space, path, k=3).cautions)


def test_the_order_of_the_file_changes_nothing(corpus, vectors, found):
    turned = np.random.default_rng(1).permutation(len(corpus))
    again = find_topics(take(corpus, turned), vectors[turned], k=3)
    assert again.names == found.names
    assert again.codes.tolist() == found.codes[turned].tolist()
    assert again.clusters.stability == found.clusters.stability


def test_texts_without_topics_have_no_agreement_and_get_some(corpus, vectors, found):
    bare = make_corpus(corpus.texts, None)
    assert not bare.has_topics and bare.topic_sizes.tolist() == [len(bare)]
    again = find_topics(bare, vectors, k=3)
    assert again.agreement is None and again.names == found.names
    assert with_found_topics(bare, again).has_topics


def test_found_topics_of_a_script_without_spaces_have_names():
    texts, _ = texts_in("Chinese", each=20)
    corpus = make_corpus(texts, None)
    found = find_topics(corpus, embed(corpus, make_encoder("lsa", components=10)).matrix, k=2)
    assert all(any("一" <= letter <= "鿿" for letter in name) for name in found.names)


def test_shuffled_words_have_no_topics():
    texts, topics = texts_on(WORDS, each=20)
    words = np.random.default_rng(0).permutation(" ".join(texts).split()).reshape(len(texts), -1)
    corpus = make_corpus([" ".join(row) for row in words], topics)
    found = find_topics(corpus, embed(corpus, make_encoder("lsa")).matrix)
    assert found.level == "none" and found.sentence.startswith("No topics are there to be found")
    assert abs(found.agreement) < 0.15


def test_every_branch_of_the_sentence(found):
    def said(stability: float, *, silhouette: float = 0.5, without: int = 0, agreement: float | None = None) -> str:
        clusters = replace(found.clusters, stability=stability, silhouette=silhouette, by_chance=0.2)
        codes = np.array([0, 1, 2] * 10 + [-1] * without)
        return replace(found, codes=codes, clusters=clusters, agreement=agreement).sentence

    assert "30 documents: a draw of 80 % of them gives nearly the same topics (adjusted Rand index 0.90" in said(0.9)
    assert "partly other topics (adjusted Rand index 0.50" in said(0.5)
    assert said(0.1).startswith("No topics") and "another draw of them gives other groups" in said(0.1)
    assert said(0.9, silhouette=0.1).endswith("points drawn without any groups fall apart as well.")
    assert "4 documents belong to none and take no part." in said(0.9, without=4)
    assert said(0.9, agreement=0.31).endswith("With the given topics they agree at 0.31.")
    assert "With the given" not in said(0.9) and "belong to none" not in said(0.9)


def test_clusters_without_words_are_numbered_and_no_name_comes_twice():
    texts = ["1 2 3"] * 12 + ["4 5 6"] * 12
    corpus = make_corpus([f"{text} {row}" for row, text in enumerate(texts)], None)
    rng = np.random.default_rng(0)
    vectors = np.repeat([[1.0, 0, 0], [0, 1.0, 0]], 12, axis=0) + 0.05 * rng.normal(size=(24, 3))
    assert find_topics(corpus, vectors, k=2).names == ("topic 1", "topic 2")
    same = make_corpus([f"oven flour butter {row}" for row in range(24)], None)
    names = find_topics(same, vectors, k=2).names
    assert len(set(names)) == 2 and all(name.startswith("butter · flour · oven") for name in names)
