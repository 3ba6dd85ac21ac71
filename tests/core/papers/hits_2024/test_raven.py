"""Benchmarks in memory, the size a corpus allows, and answers to their pairs from files."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import UNKNOWN_AUTHOR, make_corpus
from core.errors import InputError, SettingError
from core.evaluation import NamedVectors, evaluate, pair_similarity
from core.papers.hits_2024 import (
    AnswerSheet,
    answer_sheet,
    benchmark_statistics,
    build_benchmark,
    read_system,
    read_systems,
    workable_size,
)
from core.papers.hits_2024.raven import SIDES, pair_id
from core.splits import PAIRINGS, topic_kfold
from core.topics import RANDOM_SEEDS, hits_path, make_setup, topic_space
from tests.core.raven_runs import EACH, FOLDS, KEPT, SEEDS, answers_file, small_benchmark, small_corpus, small_vectors


def test_the_setups():
    benchmark = small_benchmark()
    assert [setup.key for setup in benchmark.setups] == ["hits", "random-0", "random-1"]
    corpus = small_corpus()
    space = topic_space(small_vectors(), corpus.topic_codes, corpus.topic_names)
    chosen = hits_path(space.similarity).order[:KEPT]
    assert benchmark.setups[0].topics == tuple(sorted(space.names[topic] for topic in chosen))
    default = build_benchmark(corpus, NamedVectors(small_vectors()), m=KEPT, k=FOLDS)
    assert [setup.seed for setup in default.setups] == [None, *RANDOM_SEEDS]


def test_no_topic_is_on_both_sides_and_every_topic_is_tested_once():
    for setup in small_benchmark().setups:
        assert len(setup.folds) == FOLDS
        tested = [topic for fold in setup.folds for topic in fold.test.topics]
        assert sorted(tested) == list(setup.topics) and len(tested) == KEPT
        for fold in setup.folds:
            assert not set(fold.train.topics) & set(fold.test.topics)
            assert set(fold.train.topics) | set(fold.test.topics) == set(setup.topics)


def test_pairs_stay_on_their_side_and_say_the_truth():
    benchmark = small_benchmark()
    documents = benchmark.documents
    for _, _, _, side in benchmark.sides():
        rows = set(side.documents.tolist())
        assert {documents.topics[row] for row in rows} == set(side.topics)
        assert set(side.first.tolist()) | set(side.second.tolist()) <= rows
        authors = documents.author_codes
        np.testing.assert_array_equal(side.same, authors[side.first] == authors[side.second])
        assert UNKNOWN_AUTHOR not in {documents.authors[row] for row in side.first}
        assert 0 < side.same.sum() < len(side)


@pytest.mark.parametrize("kind", PAIRINGS)
def test_models_run_in_the_app_are_asked_the_same_pairs(kind):
    corpus, vectors = small_corpus(), small_vectors()
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    benchmark = small_benchmark(kind)
    for setup, (sampler, drawn) in zip(
        benchmark.setups, [("hits", 0), *(("random", seed) for seed in SEEDS)], strict=True
    ):
        sampled = make_setup(corpus, vectors, space, sampler=sampler, m=KEPT, seed=drawn)
        folds = topic_kfold(sampled.corpus, k=FOLDS, seed=3)
        evaluation = evaluate(sampled.corpus, folds, task="verification", models=["topic_fit"], seed=3, pairing=kind)
        for fold, trial in zip(setup.folds, evaluation.questions, strict=True):
            asked = zip(trial.lead, trial.other, trial.truth, strict=True)
            written = zip(fold.test.first, fold.test.second, fold.test.same, strict=True)
            theirs = [(sampled.corpus.ids[one], sampled.corpus.ids[two], bool(same)) for one, two, same in asked]
            documents = benchmark.documents
            ours = [(documents.ids[one], documents.ids[two], bool(same)) for one, two, same in written]
            assert sorted(ours) == sorted(theirs)
            assert ours != theirs, "lead by lead, the order would tell the truth"


def test_similarity_is_the_cosine():
    vectors = np.array([[1, 0], [1, 1], [0, -2], [0, 0]], dtype=np.float32)
    first, second = np.array([0, 0, 1, 0]), np.array([1, 2, 2, 3])
    expected = [0.707107, 0.0, -0.707107, 0.0]
    assert pair_similarity(vectors, first, second).tolist() == expected


def test_statistics_are_means_over_folds():
    benchmark = small_benchmark()
    for found, setup in zip(benchmark_statistics(benchmark), benchmark.setups, strict=True):
        assert (found.topics, found.documents, found.key) == (KEPT, KEPT * EACH, setup.key)
        assert found.authors == 3, "nobody is not an author"
        for side in SIDES:
            pairs = [len(fold.side(side)) for fold in setup.folds]
            assert found.pairs[side] == sum(pairs)
            assert found.means[side]["pairs"] == np.mean(pairs)
            assert found.means[side]["topics"] == KEPT / FOLDS
            assert found.means[side]["documents"] == KEPT * EACH / FOLDS


def test_ids_name_the_benchmark():
    corpus, vectors = small_corpus(), small_vectors()
    make = {"vectors": NamedVectors(vectors, "test"), "m": KEPT, "k": FOLDS, "seed": 3, "random_seeds": SEEDS}
    tag = small_benchmark().tag
    assert build_benchmark(corpus, **make).tag == tag
    plain = topic_space(vectors, corpus.topic_codes, corpus.topic_names, similarity="plain")
    changes = (
        {"vectors": NamedVectors(vectors, "other")}, {"m": 5}, {"seed": 4}, {"random_seeds": (0, 2)}, {"pairs": "paper"},
        {"space": plain},
    )  # fmt: skip
    tags = [build_benchmark(corpus, **(make | change)).tag for change in changes]
    assert len({tag, *tags}) == 1 + len(changes)


def test_ids_are_opaque_and_every_part_of_where_a_pair_is_counts():
    ids = {
        pair_id(tag, setup, fold, side, number)
        for tag in ("0badf00d", "1badf00d")
        for setup in ("hits", "random-1", "random-11")
        for fold in (0, 1)
        for side in SIDES
        for number in (0, 1, 10, 11)
    }
    assert len(ids) == 2 * 3 * 2 * 2 * 4
    assert all(re.fullmatch("[01]badf00d-[0-9a-f]{20}", identity) for identity in ids)
    assert pair_id("0badf00d", "hits", 0, "test", 0) == "0badf00d-639a223442281d9d7dae"


def test_matched_pairs_leave_topics_nothing_to_tell():
    for found in benchmark_statistics(small_benchmark()):
        assert (found.gap, found.topic_oracle_auc) == (0, 0.5)
    for found, setup in zip(
        benchmark_statistics(small_benchmark("paper")), small_benchmark("paper").setups, strict=True
    ):
        topics = small_benchmark("paper").documents.topic_codes
        one_topic = [topics[fold.test.first] == topics[fold.test.second] for fold in setup.folds]
        gaps = [
            here[fold.test.same].mean() - here[~fold.test.same].mean()
            for here, fold in zip(one_topic, setup.folds, strict=True)
        ]
        assert found.gap == pytest.approx(np.mean(gaps), abs=1e-6)
        assert found.topic_oracle_auc > 0.5


def test_pairs_that_could_not_be_made_are_counted():
    # Topic t is by one author: as the second text's topic it has nobody to set beside.
    authors = ["x", "y", "x", "y", "x", "y", *["x"] * 6, *"xyzxyz", *"xyzxyz"]
    topics = [*"ssssss", *"tttttt", *"uuuuuu", *"vvvvvv", "w"]  # w cannot be compared, and comes last
    corpus = make_corpus([str(row) for row in range(25)], topics, authors=[*authors, "x"])
    vectors = NamedVectors(np.eye(25, dtype=np.float32) + 0.1)
    benchmark = build_benchmark(corpus, vectors, m=4, k=2, random_seeds=(0,))
    for found, setup in zip(benchmark_statistics(benchmark), benchmark.setups, strict=True):
        assert found.left_out == {name: sum(fold.side(name).left_out for fold in setup.folds) for name in SIDES}
        assert found.left_out["test"] > 0 and found.gap == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"m": 1}, "m = 1; a benchmark needs 2 topics"),
        ({"m": 8}, "m = 8, but the corpus has 7 topics"),
        ({"k": 5}, "k = 5, but there are 4 topics to split"),
        ({"k": 1}, "at least 2 folds"),
        ({"random_seeds": ()}, "one or more, and all different"),
        ({"random_seeds": (1, 1)}, "one or more, and all different"),
        ({"pairs": "machted"}, "Did you mean 'matched'"),
    ],
)
def test_settings_that_do_not_fit(change, words):
    make = {"m": KEPT, "k": FOLDS} | change
    with pytest.raises(SettingError, match=words):
        build_benchmark(small_corpus(), NamedVectors(small_vectors()), **make)


@pytest.mark.parametrize(
    ("texts", "authors", "kind", "words"),
    [
        (["a"] * 8, None, SettingError, "names no authors"),
        (
            ["a"] * 8,
            ["one"] * 8,
            SettingError,
            r"HITS, fold 0 \(of 0 to 1\), train side cannot be paired: .* two authors",
        ),
        (
            ["a"] * 8,
            ["x", "x", "y", "y"] * 2,
            SettingError,
            r"HITS, fold 0 \(of 0 to 1\), train side cannot be paired: .* fewer folds",
        ),
        (["a"] * 7 + ["\ud800"], ["x", "y"] * 4, InputError, "document 8: half of a surrogate pair"),
        (["a"] * 7 + ["\0"], ["x", "y"] * 4, InputError, "document 8: a NUL character"),
    ],
)
def test_corpora_that_make_no_benchmark(texts, authors, kind, words):
    corpus = make_corpus(texts, ["s", "s", "t", "t", "u", "u", "v", "v"], authors=authors)
    with pytest.raises(kind, match=words):
        build_benchmark(corpus, NamedVectors(np.eye(8, dtype=np.float32)), m=2, k=2)


def a_corpus(sizes, authors, seed=0):
    """Topics of these sizes in random directions, each text by one of this many authors drawn at random."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    vectors = (rng.normal(size=(len(sizes), 8))[codes] + 0.3 * rng.normal(size=(len(codes), 8))).astype(np.float32)
    who = [f"author {each}" for each in rng.integers(0, authors, len(codes))]
    corpus = make_corpus([f"text {row}" for row in range(len(codes))], [f"t{code:02}" for code in codes], authors=who)
    return corpus, vectors, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


def built(corpus, vectors, space, m, k, **more):
    return build_benchmark(corpus, NamedVectors(vectors, "none"), m=m, k=k, space=space, **more)


@pytest.mark.parametrize("pairs", PAIRINGS)
@pytest.mark.parametrize(
    ("sizes", "authors"), [([12] * 24, 6), ([3] * 20, 15), ([30, *[2] * 15], 20), ([4, 4, 4, 4], 3), ([1] * 30, 8)]
)
def test_what_is_workable_is_built(sizes, authors, pairs):
    corpus, vectors, space = a_corpus(sizes, authors)
    found = workable_size(corpus, space, pairs=pairs, random_seeds=(0, 1))
    if found is not None:
        made = built(corpus, vectors, space, *found, pairs=pairs, random_seeds=(0, 1))
        assert {len(setup.folds) for setup in made.setups} == {found[1]}
        assert {len(setup.topics) for setup in made.setups} == {found[0]}
    else:
        with pytest.raises(SettingError):
            built(corpus, vectors, space, max(3, int(space.comparable.sum()) // 2), 2, pairs=pairs, random_seeds=(0, 1))


def test_a_roomy_corpus_gets_half_its_topics_in_all_the_folds():
    corpus, _, space = a_corpus([12] * 24, 6)
    assert workable_size(corpus, space) == (12, 6)
    assert workable_size(corpus, space, most_folds=10) == (12, 10)


def test_what_is_given_stays():
    corpus, _, space = a_corpus([12] * 24, 6)
    assert workable_size(corpus, space, m=7, k=3) == (7, 3)
    assert workable_size(corpus, space, m=2, k=3) is None, "more folds than topics"


def test_one_author_and_authors_of_one_text_have_no_benchmark():
    for authors in (1, 100_000):
        corpus, _, space = a_corpus([5] * 8, authors)
        assert workable_size(corpus, space) is None


def test_a_refusal_names_what_can_be_built():
    corpus, vectors, space = a_corpus([3] * 20, 15)
    with pytest.raises(SettingError, match="cannot be paired") as refused:
        built(corpus, vectors, space, 10, 10)
    m, k = map(int, re.search(r"With m = (\d+) and k = (\d+) it can be built\.$", str(refused.value)).groups())
    assert built(corpus, vectors, space, m, k).settings.k == k


@given(st.integers(0, 5_000), st.integers(1, 6), st.integers(1, 5), st.sampled_from(list(PAIRINGS)))
@settings(max_examples=30, deadline=None)
def test_a_size_that_is_named_can_be_built_and_one_that_is_not_cannot(seed, texts, authors, kind):
    corpus, vectors, space = a_corpus([texts + 2, 4, 3, 5], authors, seed)
    choices = {"pairs": kind, "random_seeds": (0,)}
    if workable_size(corpus, space, m=3, k=2, **choices) is None:
        with pytest.raises(SettingError):
            built(corpus, vectors, space, 3, 2, **choices)
    else:
        assert built(corpus, vectors, space, 3, 2, **choices).settings.k == 2


@pytest.fixture(scope="module")
def sheet() -> AnswerSheet:
    return answer_sheet(small_benchmark())


def score(index: int) -> float:
    return round(index % 101 / 100, 2)


def table(sheet: AnswerSheet, header: str, row, *, delimiter: str = ",") -> str:
    """A CSV of every pair; `row` gives its cells from id, index and fold."""
    lines = [header.replace(",", delimiter)]
    for each, start in zip(sheet.pairs, sheet.starts, strict=False):
        for number in range(len(each)):
            identity = pair_id(sheet.tag, each.setup, each.fold, "test", number)
            lines.append(delimiter.join(map(str, row(identity, start + number, each))))
    return "\n".join(lines) + "\n"


def expected(sheet: AnswerSheet) -> list[float]:
    return [score(index) for index in range(len(sheet.ids))]


def test_pan_lines(sheet, tmp_path):
    found = read_system(sheet, [answers_file(tmp_path / "a.jsonl", sheet, score)], name="a")
    assert np.concatenate(found.answers).tolist() == expected(sheet)
    assert [len(part) for part in found.answers] == [len(each) for each in sheet.pairs]
    assert found.notes == ()


@pytest.mark.parametrize(
    ("header", "row", "delimiter", "encoding"),
    [
        ("id,score", lambda each, index, fold: (each, score(index)), ",", "utf-8"),
        ("fold,pair id,score", lambda each, index, fold: (fold.fold, each, score(index)), ";", "utf-8-sig"),
        (
            "Setup,Fold,pair,value",
            lambda each, index, fold: (fold.setup.replace("-", " "), f"{fold.fold}.0", each, score(index)),
            "\t",
            "utf-16",
        ),
    ],
)
def test_tables(sheet, tmp_path, header, row, delimiter, encoding):
    file = tmp_path / "a.csv"
    file.write_text(table(sheet, header, row, delimiter=delimiter), encoding=encoding)
    found = read_system(sheet, [file], name="a")
    assert np.concatenate(found.answers).tolist() == expected(sheet)


def test_a_folder_is_a_system_and_files_too(sheet, tmp_path):
    for part in ("hits", "random-0", "random-1"):
        answers_file(tmp_path / "mine" / part / "answers.jsonl", sheet, score, only=[part])
    (tmp_path / "mine" / "log.txt").write_text("not an answer")
    whole = answers_file(tmp_path / "other.jsonl", sheet, score)
    mine, other = read_systems(sheet, [str(tmp_path / "mine"), whole])
    assert (mine.name, other.name) == ("mine", "other")
    assert np.concatenate(mine.answers).tolist() == np.concatenate(other.answers).tolist()


def test_an_upload(sheet, tmp_path):
    data = io.BytesIO(Path(answers_file(tmp_path / "a.jsonl", sheet, score)).read_bytes())
    data.name = "a.jsonl"
    data.read(10)
    assert np.concatenate(read_system(sheet, [data], name="a").answers).tolist() == expected(sheet)


def test_missing_and_foreign_answers_are_said(sheet, tmp_path):
    file = Path(answers_file(tmp_path / "a.jsonl", sheet))
    lines = file.read_text().splitlines()
    absent = [json.loads(line)["id"] for line in lines[2:4]]
    foreign = json.dumps({"id": "p7", "value": 1})
    file.write_text("\n".join([*lines[:2], *lines[4:], foreign, ""]))
    found = read_system(sheet, [file], name="a")
    assert np.concatenate(found.answers)[2:5].tolist() == [0.5, 0.5, 0.3]
    assert found.notes == (
        f"2 of {len(sheet.ids)} pairs have no answer and count as 0.5: {', '.join(absent)}.",
        "1 answer is to pairs that are not asked here; ignored: p7.",
    )


def test_files_in_different_encodings_are_said(sheet, tmp_path):
    one = answers_file(tmp_path / "1.jsonl", sheet, score, only=["hits"])
    two = Path(answers_file(tmp_path / "2.jsonl", sheet, score, only=["random"]))
    two.write_text(two.read_text(), encoding="utf-16")
    found = read_system(sheet, [one, two], name="a")
    assert np.concatenate(found.answers).tolist() == expected(sheet)
    assert found.notes == ("The files are in different encodings (UTF-16, UTF-8); each was read in its own.",)


def line(identity: str, value: object = 0.3) -> str:
    return json.dumps({"id": identity, "value": value}) + "\n"


def hits_pair(tag: str, side: str = "test") -> str:
    return pair_id(tag, "hits", 0, side, 0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            lambda tag: line("0badf00d-0") + line("0badf00d-1"),
            r"a: these are answers to another benchmark: none of 2 ids",
        ),
        (lambda tag: line(hits_pair(tag, "train")), "answers to training pairs"),
        (
            lambda tag: line(hits_pair(tag)),
            "no answer at all for hits, fold 1; random-0, fold 0; .* and 2 more",
        ),
        (lambda tag: line(hits_pair(tag)) * 2, "line 2: id '[0-9a-f-]+' already stands in line 1"),
        (lambda tag: line(hits_pair(tag), 1.2), r"line 1: score 1.2 is outside \[0, 1\]"),
        (lambda tag: line(hits_pair(tag), -1), r"line 1: score -1 is outside \[0, 1\]"),
        (lambda tag: line(hits_pair(tag), "high"), 'line 1: the score is "high", not a number'),
        (lambda tag: line(hits_pair(tag), True), "not a number"),
        (lambda tag: line(hits_pair(tag), float("nan")), "not a number"),
        (lambda tag: '{"id": "x"}\n', "line 1: no 'value'"),
        (lambda tag: '{"value": 1}\n', "line 1 has no 'id'"),
        (lambda tag: '{"id": \n', "line 1 is not JSON"),
        (lambda tag: "[1]\n", "line 1 is a list"),
        (lambda tag: " \n", "the file is empty"),
        (lambda tag: "name,score\nx,1\n", "a table with a column 'id'"),
        (lambda tag: "id,points\nx,1\n", "a table with a column 'score'"),
        (lambda tag: f"id,score\n{hits_pair(tag)}\n", r"line 2 has 1 field where the header has 2"),
        (lambda tag: f"id;score\n{hits_pair(tag)};0,7\n", 'line 2: the score is "0,7", not a number'),
        (lambda tag: f"id,score\n{hits_pair(tag)},\n", 'line 2: the score is "", not a number'),
        (lambda tag: "id,score\n", "there is no answer in it"),
        (
            lambda tag: f"fold,id,score\n1,{hits_pair(tag)},1\n",
            "is of hits, fold 0, but the line says hits, fold 1; folds are numbered from 0",
        ),
        (lambda tag: f"setup,id,score\nrandom 1,{hits_pair(tag)},1\n", "but the line says random-1, fold 0"),
    ],
)
def test_bad_answers_have_their_sentence(sheet, tmp_path, content, words):
    file = tmp_path / "a.jsonl"
    file.write_text(content(sheet.tag))
    with pytest.raises(InputError, match=words):
        read_system(sheet, [file], name="a")


def test_a_line_in_another_encoding_is_named(sheet, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_bytes('{"id": "é", "value": 1}\n'.encode() + '{"id": "é", "value": 1}\n'.encode("latin-1"))
    with pytest.raises(InputError, match="line 2 has a byte that is not UTF-8"):
        read_system(sheet, [file], name="a")


def test_two_systems_in_one_folder(sheet, tmp_path):
    for name in ("one", "two"):
        answers_file(tmp_path / "both" / f"{name}.jsonl", sheet)
    with pytest.raises(InputError, match=r"already answered in .*one\.jsonl, line 1; a folder is one system"):
        list(read_systems(sheet, [str(tmp_path / "both")]))
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="no answers in this folder"):
        list(read_systems(sheet, [str(tmp_path / "none")]))
    with pytest.raises(InputError, match="there is no such file"):
        list(read_systems(sheet, [str(tmp_path / "nowhere.csv")]))
