"""Nothing about a pair but its texts tells whether one author wrote both: a classifier that looks is left guessing."""

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from core.corpora import dial_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.evaluation import NamedVectors
from core.papers.hits_2024 import Benchmark, build_benchmark, write_benchmark
from core.vectors import embed, make_encoder

WIDTH = 30  # characters, the last ones of an id
DIFFERENCE = 8  # the column of what is counted that holds the difference of two lengths

CLASSIFIERS = {
    "linear": lambda: make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2_000)),
    "forest": lambda: RandomForestClassifier(100, min_samples_leaf=20, random_state=0, n_jobs=1),
}


@pytest.fixture(scope="module")
def benchmarks() -> dict[str, Benchmark]:
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    named, make = NamedVectors(vectors.matrix, vectors.encoder_key), {"m": 12, "k": 6, "random_seeds": (0, 1, 2)}
    found = {kind: build_benchmark(corpus, named, pairs=kind, **make) for kind in ("matched", "paper")}
    make["random_seeds"] = tuple(range(12))  # sides are small, and of a thousand pairs chance strays by .017
    for name, seed in (("synthetic", 3), ("another synthetic", 4)):
        made = dial_corpus(shared=0.4, loyal=0.8, seed=seed)  # authors keep to a few topics
        found[name] = build_benchmark(made, NamedVectors(embed(made, make_encoder("lsa")).matrix), **make)
    return found


def clues(ids: list[str]) -> np.ndarray:
    """What a line shows without its texts: the id's characters, their bits and number, and where in the file it is."""
    characters = np.array([[ord(sign) for sign in each.rjust(WIDTH)] for each in ids])
    bits = (characters[:, :, None] >> np.arange(7)) & 1
    lengths = np.array([len(each) for each in ids])
    places = np.arange(len(ids))
    where = [places, places[::-1], places / len(ids), *(places % step for step in (2, 3, 4)), lengths]
    return np.hstack([characters, bits.reshape(len(ids), -1), np.stack(where, axis=1)]).astype(np.float64)


def guessed(sides: list[tuple[list[str], list[bool]]], classifier: str) -> float:
    """AUC on every second file of a classifier that has seen the truth of the others."""
    rows, truth = [clues(ids) for ids, _ in sides], [np.array(same) for _, same in sides]
    model = CLASSIFIERS[classifier]().fit(np.vstack(rows[::2]), np.concatenate(truth[::2]))
    return roc_auc_score(np.concatenate(truth[1::2]), model.predict_proba(np.vstack(rows[1::2]))[:, 1])


@pytest.fixture(scope="module")
def written(benchmarks, tmp_path_factory) -> dict[str, list[tuple[list[str], list[bool]]]]:
    """Of every benchmark each file's ids in order, and the truth."""
    found = {}
    for kind, benchmark in benchmarks.items():
        place = tmp_path_factory.mktemp(kind) / "out"
        write_benchmark(benchmark, place, train_texts=False)
        found[kind] = [
            ([line["id"] for line in lines], [line["same"] for line in lines])
            for file in sorted(place.rglob("truth.jsonl"))
            if (lines := [json.loads(line) for line in file.read_text().splitlines()])
        ]
    return found


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("kind", ["matched", "paper", "synthetic"])
def test_ids_order_and_place_say_nothing_of_the_truth(written, kind, classifier):
    assert sum(len(ids) for ids, _ in written[kind]) > 30_000
    assert abs(guessed(written[kind], classifier) - 0.5) < 0.02  # over 15,000 pairs chance strays by .005


def counted(benchmark: Benchmark, side) -> np.ndarray:
    """How often each of a pair's texts comes first and second in its file, how long it is, and where the pair is."""
    count = len(benchmark.documents)
    lengths = np.array([len(text) for text in benchmark.documents.texts])
    known = [np.bincount(side.first, minlength=count), np.bincount(side.second, minlength=count), lengths]
    columns = [each[rows] for rows in (side.first, side.second) for each in known]
    totals = [columns[0] + columns[1], columns[3] + columns[4], np.abs(columns[2] - columns[5])]
    places = np.arange(len(side))
    return np.stack([*columns, *totals, places, places % 2], axis=1).astype(np.float64)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize(
    ("kind", "low", "high"), [("matched", 0.48, 0.52), ("synthetic", 0.48, 0.52), ("paper", 0.8, 1.0)]
)
def test_counts_lengths_and_places_solve_the_papers_pairs_and_not_the_matched_ones(
    benchmarks, kind, low, high, classifier
):
    # Few texts are in many of the synthetic samples, where their lengths would name them and their authors.
    asked = [benchmarks[each] for each in ((kind, f"another {kind}") if kind == "synthetic" else (kind, kind))]
    parts = [[side for *_, name, side in each.sides() if name == "test"] for each in asked]
    if kind != "synthetic":
        parts = [parts[0][::2], parts[1][1::2]]
    rows = [np.vstack([counted(each, side) for side in part]) for each, part in zip(asked, parts, strict=True)]
    if kind == "synthetic":  # authors there have typical lengths, so how much two lengths differ is their style
        rows = [np.delete(each, DIFFERENCE, axis=1) for each in rows]
    truth = [np.concatenate([side.same for side in part]) for part in parts]
    model = CLASSIFIERS[classifier]().fit(rows[0], truth[0])
    assert low <= roc_auc_score(truth[1], model.predict_proba(rows[1])[:, 1]) <= high


@pytest.mark.parametrize("kind", ["matched", "synthetic"])
def test_matched_pairs_hold_the_same_texts_in_both_classes_and_each_equally_often(benchmarks, kind):
    for *_, side in benchmarks[kind].sides():
        for texts in (side.first, side.second):
            np.testing.assert_array_equal(np.sort(texts[side.same]), np.sort(texts[~side.same]))
            assert set(np.bincount(texts)) == {0, 2}


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_classifier_would_see_what_an_earlier_version_gave_away(written, classifier):
    numbered = [
        ([f"0badf00d-hits-f0-test-{number}" for number in range(len(ids))], sorted(same, reverse=True))
        for ids, same in written["matched"]
    ]
    alternating = [(ids, [number % 2 == 0 for number in range(len(ids))]) for ids, _ in numbered]
    assert guessed(alternating, classifier) > 0.95
    assert guessed(numbered, classifier) > 0.8
    shuffled_only = [(ids, same) for (ids, _), (_, same) in zip(written["matched"], alternating, strict=True)]
    assert guessed(shuffled_only, classifier) > 0.95, "opaque ids in the order of the draw are not enough"


def test_all_ids_look_the_same_and_none_comes_twice(benchmarks, written):
    for kind, benchmark in benchmarks.items():
        ids = [identity for each, _ in written[kind] for identity in each]
        assert len(set(ids)) == len(ids)
        assert {len(identity) for identity in ids} == {29}
        assert {identity[:9] for identity in ids} == {f"{benchmark.tag}-"}


def test_neighbours_in_a_file_share_a_text_no_more_often_than_chance_has_it(benchmarks):
    for *_, side in benchmarks["matched"].sides():
        together = side.first[:-1] == side.first[1:]
        # Each lead has two pairs, so that a shuffle sets 1 in n − 1 of them side by side.
        assert together.sum() <= 8
