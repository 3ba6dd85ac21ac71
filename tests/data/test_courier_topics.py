"""Sister topics are similar, strangers are not, and HITS sees it: under LSA and under the shipped SBERT vectors."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

VECTORS = Path(__file__).parent.parent.parent / "data" / "courier_sbert.npy"


def centroid_similarity(vectors: np.ndarray, topics: pd.Series) -> pd.DataFrame:
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    centroids = pd.DataFrame(unit).groupby(topics.to_numpy()).mean()
    centroids = centroids.div(np.linalg.norm(centroids, axis=1), axis=0)
    return centroids @ centroids.T


def hits_path(similarity: pd.DataFrame) -> list[str]:
    """The whole HITS path, by the book: least mean similarity first, then least mean times maximum."""
    names = sorted(similarity)
    others = {name: similarity.loc[name].drop(name).mean() for name in names}
    path = [min(names, key=others.__getitem__)]
    while len(path) < len(names):
        leakage = {t: similarity.loc[t, path].mean() * similarity.loc[t, path].max() for t in names if t not in path}
        path.append(min(leakage, key=leakage.__getitem__))
    return path


def lsa(courier: pd.DataFrame) -> np.ndarray:
    weights = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(courier["text"])
    return TruncatedSVD(100, random_state=0).fit_transform(weights)


def sbert(courier: pd.DataFrame) -> np.ndarray:
    if not VECTORS.exists():
        pytest.skip(f"no {VECTORS.name} beside the corpus: compute the shipped vectors first")
    vectors = np.load(VECTORS, allow_pickle=False).astype(np.float32)
    assert len(vectors) == len(courier), f"{VECTORS.name} is not of this corpus: compute it again"
    return vectors


def test_the_shipped_vectors_are_of_these_texts(courier: pd.DataFrame) -> None:
    """Inside a topic, documents that share words are nearer: vectors of an older printing know nothing of that."""
    vectors = sbert(courier)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    weights = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(courier["text"])
    agreement = []
    for rows in courier.groupby("topic").indices.values():
        pairs = np.triu_indices(len(rows), 1)
        by_words = (weights[rows] @ weights[rows].T).toarray()[pairs]
        agreement.append(np.corrcoef(by_words, (unit[rows] @ unit[rows].T)[pairs])[0, 1])
    assert np.mean(agreement) > 0.3, f"{VECTORS.name} is of another printing of the corpus: compute it again"


@pytest.fixture(scope="module", params=[lsa, sbert], ids=["lsa", "sbert"])
def similarity(request: pytest.FixtureRequest, courier: pd.DataFrame) -> pd.DataFrame:
    return centroid_similarity(request.param(courier), courier["topic"])


def test_worked_example_of_the_path() -> None:
    rows = [
        [1, 0.9, 0.2, 0.3, 0.1],
        [0.9, 1, 0.25, 0.35, 0.15],
        [0.2, 0.25, 1, 0.8, 0.4],
        [0.3, 0.35, 0.8, 1, 0.5],
        [0.1, 0.15, 0.4, 0.5, 1],
    ]
    assert "".join(hits_path(pd.DataFrame(rows, index=list("01234"), columns=list("01234")))) == "40213"


def test_the_nearest_topic_is_a_sister(similarity: pd.DataFrame, truth: dict, family_of: dict) -> None:
    for topic in similarity:
        if len(truth["families"][family_of[topic]]) > 1:
            nearest = similarity[topic].drop(topic).idxmax()
            assert family_of[nearest] == family_of[topic], (topic, nearest)


def test_the_closest_pair_is_the_one_on_record(similarity: pd.DataFrame, truth: dict) -> None:
    for family, pair in truth["closest_pairs"].items():
        topics = truth["families"][family]
        pairs = {(a, b): similarity.loc[a, b] for i, a in enumerate(topics) for b in topics[i + 1 :]}
        assert max(pairs, key=pairs.__getitem__) == tuple(pair), pairs


def test_sisters_are_more_similar_than_strangers_on_average(similarity: pd.DataFrame, family_of: dict) -> None:
    families = np.array([family_of[topic] for topic in similarity])
    same = families[:, None] == families[None, :]
    off = ~np.eye(len(families), dtype=bool)
    values = similarity.to_numpy()
    assert values[same & off].mean() > 1.4 * values[~same].mean()


def test_hits_takes_one_topic_of_every_family_first(similarity: pd.DataFrame, truth: dict, family_of: dict) -> None:
    path = hits_path(similarity)
    first = [family_of[topic] for topic in path[: len(truth["families"])]]
    assert len(set(first)) == len(first), path
