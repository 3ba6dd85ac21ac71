"""Found topics: clusters that are there or not, their names, and agreement with given topics."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from core.arrays import unit_rows
from core.corpora import Corpus, make_corpus, read_cached, take, write_cached
from core.corpora.readers import read_corpus
from core.errors import SettingError
from core.topics import (
    FORMATS,
    discovery,
    documents_table,
    find_topics,
    hits_path,
    make_sample,
    sample_table,
    settings_file,
    topic_space,
    with_found_topics,
)
from core.topics.discovery import METHODS, Tried, agreement, find_clusters, most_stable
from core.vectors import embed, make_encoder
from tests.core.vectors.other_languages import texts_in

WORDS = {
    "bread": "flour oven dough yeast crust loaf baker",
    "stars": "telescope orbit galaxy comet planet nebula lens",
    "trams": "rails driver bell carriage depot junction platform",
}


def made(
    groups: int, each: int, *, spread: float = 0.3, axes: int = 30, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(groups, axes))
    codes = rng.permutation(np.repeat(np.arange(groups), each))
    return centres[codes] + spread * rng.normal(size=(len(codes), axes)), codes


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("groups", "each"), [(2, 30), (6, 12)])
def test_made_clusters_are_found_and_firm(method: str, groups: int, each: int):
    vectors, codes = made(groups, each)
    found = find_clusters(vectors, method=method, k=None, seed=0)
    assert agreement(found.labels, codes) > 0.95
    assert found.stability > 0.9 and found.silhouette > found.by_chance
    assert len(np.unique(found.labels)) == groups
    assert (most_stable(found.tried).k == groups) if found.tried else method == "hdbscan"


def test_the_largest_of_equally_stable_numbers_is_chosen_whatever_the_silhouette():
    # Five newsgroups of 80 texts by SBERT: the silhouette rises to the end of the range, where groups agree with none (.07).
    def tried(k: int, silhouette: float, stability: float) -> Tried:
        return Tried(k, silhouette, stability + np.array([-0.1, 0.1] * 5))

    measured = [
        (2, 0.07, 0.62),
        (3, 0.095, 0.83),
        (5, 0.111, 0.81),
        (6, 0.112, 0.76),
        (20, 0.088, 0.46),
        (100, 0.143, 0.52),
    ]
    assert most_stable([tried(*each) for each in measured]).k == 5
    assert most_stable([Tried(k, 0.1, np.full(10, 1.0)) for k in (2, 4, 3)]).k == 4
    assert most_stable([Tried(2, 0.1, np.full(10, 0.9)), Tried(9, 0.9, np.full(10, 0.89))]).k == 2


@pytest.mark.slow
def test_five_newsgroups_of_80_texts_have_five_topics(real_data):
    table = pd.read_parquet(real_data / "20newsgroups.parquet", columns=["text", "topic"])
    groups = ["comp.graphics", "rec.sport.hockey", "sci.med", "sci.space", "talk.politics.mideast"]
    part = pd.concat([table[table["topic"] == group].head(80) for group in groups])
    corpus = make_corpus(part["text"].astype(str).str[:1500].tolist(), part["topic"].tolist())
    found = find_topics(corpus, embed(corpus, make_encoder("sbert")).matrix)
    silhouettes = {each.k: each.silhouette for each in found.clusters.tried}
    assert max(silhouettes, key=silhouettes.__getitem__) == 100, "what the silhouette would choose"
    assert len(found.names) == 5 and found.level == "stable"
    assert found.agreement > 0.6 and found.clusters.stability > 0.68


def test_three_documents_a_topic_are_enough_where_topics_are_far_apart():
    vectors, codes = made(8, 3, spread=0.1)
    found = find_clusters(vectors, method="k-means", k=8, seed=0)
    assert agreement(found.labels, codes) == 1
    assert found.silhouette > found.by_chance


@pytest.mark.parametrize("axes", [2, 5, 40])
def test_noise_is_no_better_than_chance(axes: int):
    noise = np.random.default_rng(0).normal(size=(60, axes)) + 0.3
    found = find_clusters(noise, method="k-means", k=None, seed=0)
    assert found.silhouette <= found.by_chance or found.stability < 0.3


def test_length_of_vectors_does_not_matter_and_points_beyond_the_fitted_join_the_nearest(monkeypatch):
    vectors, codes = made(3, 20)
    whole = find_clusters(vectors, method="k-means", k=3, seed=0)
    longer = find_clusters(vectors * np.linspace(1, 9, 60)[:, None], method="k-means", k=3, seed=0)
    assert agreement(whole.labels, longer.labels) == 1
    monkeypatch.setattr(discovery, "MOST_FITTED", 25)
    part = find_clusters(vectors, method="k-means", k=3, seed=0)
    assert len(part.labels) == 60 and agreement(part.labels, codes) == 1


def test_the_silhouette_is_scikit_learns_on_directions():
    vectors, _ = made(4, 10, spread=1.0, axes=6)
    units = unit_rows(vectors)
    found = find_clusters(vectors, method="k-means", k=4, seed=0)
    (tried,) = found.tried
    assert (tried.k, tried.silhouette, tried.stability) == (4, found.silhouette, found.stability)
    assert found.silhouette == pytest.approx(silhouette_score(units, found.labels), abs=1e-9)
    assert agreement(found.labels, KMeans(4, n_init=10, random_state=1).fit_predict(units)) > 0.6


def test_agreement_is_one_for_the_same_groups_and_nought_by_chance():
    assert agreement([0, 0, 1, 1], [5, 5, 2, 2]) == 1
    # Worked: three pairs together in both of 15; expected 6 · 6/15.
    assert agreement([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]) == pytest.approx((4 - 6 * 7 / 15) / (6.5 - 6 * 7 / 15))
    rng = np.random.default_rng(0)
    assert abs(np.mean([agreement(rng.integers(0, 4, 50), rng.integers(0, 4, 50)) for _ in range(50)])) < 0.02


def test_progress_counts_every_fit():
    seen = []
    vectors, _ = made(2, 10)
    find_clusters(vectors, method="k-means", k=None, seed=0, progress=lambda *said: seen.append(said))
    assert [done for done, *_ in seen] == list(range(1, seen[-1][1] + 1))
    assert all(what == "groupings" for _, _, what, _ in seen)


def test_bad_requests_say_what_would_do():
    vectors, _ = made(2, 10)
    for wrong, fact in (
        ({"k": 1}, "from 2 to 10"),
        ({"k": 11}, "from 2 to 10"),
        ({"method": "kmeans"}, "Did you mean 'k-means'"),
    ):
        with pytest.raises(SettingError, match=fact):
            find_clusters(vectors, **({"method": "k-means", "k": None, "seed": 0} | wrong))
    with pytest.raises(SettingError, match="leave k out"):
        find_clusters(vectors, method="hdbscan", k=3, seed=0)
    with pytest.raises(SettingError, match="9 documents have a vector"):
        find_clusters(vectors[:9], method="k-means", k=None, seed=0)
    with pytest.raises(SettingError, match="same vector"):
        find_clusters(np.ones((20, 3)), method="k-means", k=None, seed=0)
    with pytest.raises(SettingError, match="fewer than 2"):
        find_clusters(np.random.default_rng(0).normal(size=(40, 30)), method="hdbscan", k=None, seed=0)


def test_density_takes_this_many_points_and_no_more(monkeypatch):
    monkeypatch.setattr(discovery, "MOST_BY_DENSITY", 15)
    with pytest.raises(SettingError, match="Choose k-means"):
        find_clusters(made(2, 10)[0], method="hdbscan", k=None, seed=0)


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
    assert found.level == "none"
    assert abs(found.agreement) < 0.15


@pytest.mark.parametrize(
    ("stability", "silhouette", "level"),
    [(0.9, 0.5, "stable"), (0.5, 0.5, "shaky"), (0.1, 0.5, "none"), (0.9, 0.1, "none"), (0.7, 0.5, "stable")],
)
def test_levels_follow_stability_and_silhouette(found, stability, silhouette, level):
    clusters = replace(found.clusters, stability=stability, silhouette=silhouette, by_chance=0.2)
    assert replace(found, clusters=clusters).level == level


def test_clusters_without_words_are_numbered_and_no_name_comes_twice():
    texts = ["1 2 3"] * 12 + ["4 5 6"] * 12
    corpus = make_corpus([f"{text} {row}" for row, text in enumerate(texts)], None)
    rng = np.random.default_rng(0)
    vectors = np.repeat([[1.0, 0, 0], [0, 1.0, 0]], 12, axis=0) + 0.05 * rng.normal(size=(24, 3))
    assert find_topics(corpus, vectors, k=2).names == ("topic 1", "topic 2")
    same = make_corpus([f"oven flour butter {row}" for row in range(24)], None)
    names = find_topics(same, vectors, k=2).names
    assert len(set(names)) == 2 and all(name.startswith("butter · flour · oven") for name in names)
