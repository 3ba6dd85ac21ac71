"""Similarities of one's own in place of vectors: the same answers where no document is needed, a sentence where one is."""

from pathlib import Path

import numpy as np
import pytest

import core as leakscope
from core.__main__ import main
from core.errors import InputError, LeakscopeError
from core.topics import GIVEN, part_of_space, read_similarity

NAMES = ("a", "b", "c")
SOUND = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, -0.1], [0.2, -0.1, 1.0]])


@pytest.fixture(scope="module")
def studies() -> tuple[leakscope.Study, leakscope.Study]:
    own = leakscope.Study.read("demo")
    return own, leakscope.Study.read("demo", similarity_matrix=own.space.similarity)


def test_what_needs_no_documents_is_the_same_as_with_vectors(studies):
    own, given = studies
    assert given.similarity == GIVEN and np.allclose(given.space.similarity, own.space.similarity, atol=1e-12)
    assert given.hits(m=10).data["selected"] == own.hits(m=10).data["selected"]
    assert given.judged(6).leaking_topics == own.judged(6).leaking_topics
    assert given.design(k=6).numbers.best == own.design(k=6).numbers.best
    part = given.setup("hits", 10)
    selected = np.array([given.space.names.index(name) for name in part.space.names])
    assert np.array_equal(part.space.similarity, part_of_space(given.space, selected).similarity)
    assert given.evaluate(("max_ent",), k=6, sampler="hits", m=10).data["summary"]["max_ent"]["accuracy"]["mean"] > 0.2


def test_it_claims_no_interval_and_says_so(studies):
    verdict = studies[1].verdict()
    assert studies[1].judged(6).keep_interval is None
    assert any("similarities are your own" in each.text for each in verdict.cautions)
    hits = studies[1].hits()
    assert "CI" not in hits.headline and "kept in bootstrap samples" not in hits.table("topics").frame
    assert set(hits.data["kept_share"].values()) == {None}


@pytest.mark.parametrize(
    "ask",
    [
        lambda study: study.topic_map(),
        lambda study: study.found_topics(method="k-means", k=5, seed=0),
        lambda study: study.split_audit(),
        lambda study: study.setup("hits", 10, policy="grouping"),
    ],
    ids=["map", "topics", "split", "merging"],
)
def test_what_needs_documents_says_so(studies, ask):
    with pytest.raises(LeakscopeError, match="needs the documents' vectors, and only similarities of topics are given"):
        ask(studies[1])


@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda s: s[:2], "2 × 3 for 3 topics. Give a row and a column per topic, in order of name: a, b and c."),
        (lambda s: s[:2, :2], "2 × 2 for 3 topics"),
        (lambda s: s[0], "3 for 3 topics"),
        (lambda s: np.where(s == 0.2, np.nan, s), "of 'a' and 'c' is nan, which is not a finite number"),
        (lambda s: np.where(s == 0.2, 1.2, s), "of 'a' and 'c' is 1.2, which is outside −1 to 1"),
        (lambda s: s + np.triu(np.full((3, 3), 0.1), 1), "differs from its mirror image"),
        (lambda s: s - 0.5 * np.eye(3), "of 'a' and 'a' is 0.5, which is not 1"),
        (lambda s: s.astype(str), "not one array of numbers"),
    ],
)
def test_a_matrix_that_cannot_be_one_is_refused(change, sentence):
    with pytest.raises(InputError) as refused:
        read_similarity(change(SOUND), NAMES)
    assert sentence in str(refused.value)


def test_files_are_read_and_pickles_are_not(tmp_path: Path):
    np.save(tmp_path / "s.npy", SOUND.astype(np.float32))
    assert np.allclose(read_similarity(tmp_path / "s.npy", NAMES), SOUND, atol=1e-6)
    np.save(tmp_path / "pickle.npy", np.array([{}]), allow_pickle=True)
    np.savez(tmp_path / "s.npz", SOUND)
    (tmp_path / "text.npy").write_text("a,b")
    for name in ("pickle.npy", "s.npz", "text.npy", "absent.npy"):
        with pytest.raises(InputError):
            read_similarity(tmp_path / name, NAMES)


def test_commands_take_a_matrix(tmp_path: Path, studies, capsys):
    file = str(tmp_path / "s.npy")
    np.save(file, studies[0].space.similarity)
    assert main(["folds", "demo", "--k", "6", "--similarity-matrix", file]) == 0
    assert "reaches 0.89" in capsys.readouterr().out
    assert main(["split", "demo", "--similarity-matrix", file]) == 2
    capsys.readouterr()
    for command in ("curve", "forecast"):
        assert main([command, "demo", "--similarity-matrix", file, "--models", "vector_max_ent"]) == 2
        assert "Vectors + logistic regression needs the documents' vectors" in capsys.readouterr().err


def test_splitters_take_a_matrix():
    topics = np.repeat(list("abcd"), 5)
    near = np.array([[1, 0.9, 0, 0], [0.9, 1, 0, 0], [0, 0, 1, 0.9], [0, 0, 0.9, 1]])
    splitter = leakscope.LeastLeakageKFold(2, similarity_matrix=near)
    tests = [set(topics[test]) for _, test in splitter.split([""] * 20, groups=topics)]
    assert sorted(map(sorted, tests)) == [["a", "b"], ["c", "d"]]
    kept = {
        topic
        for _, test in leakscope.HitsTopicKFold(2, m=2, similarity_matrix=near).split([""] * 20, groups=topics)
        for topic in topics[test]
    }
    assert len(kept & {"a", "b"}) == len(kept & {"c", "d"}) == 1


def test_rounding_in_a_file_is_taken_up_to_a_millionth_and_cut(tmp_path: Path):
    limit = 1e-6
    found = read_similarity(np.array([[1, 1 + limit], [1 + limit, 1]]), ("a", "b"))
    assert found.tolist() == [[1, 1], [1, 1]]
    assert read_similarity(-np.array([[-1, 1 + limit], [1 + limit, -1]]), ("a", "b")).tolist() == [[1, -1], [-1, 1]]
    assert read_similarity(np.array([[1, limit], [0, 1]]), ("a", "b"))[0, 1] == limit / 2
    with pytest.raises(InputError, match="^The matrix: .*outside"):
        read_similarity(np.array([[1, 1 + 1.5 * limit], [1 + 1.5 * limit, 1]]), ("a", "b"))
    np.save(tmp_path / "wide.npy", np.eye(3))
    with pytest.raises(InputError, match="wide.npy: 3 × 3 for 2 topics"):
        read_similarity(tmp_path / "wide.npy", ("a", "b"))


def test_given_similarities_have_no_centroids(studies):
    assert any(study.space.centroids.shape == (len(study.space), 0) for study in studies)
