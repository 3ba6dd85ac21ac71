"""The lesson's truths are those of the corpus and of the models, and a damaged file says how to restore it."""

import json
from itertools import combinations
from math import comb

import numpy as np
import pytest

from core.corpora import dial_corpus
from core.demo import DIAL_GRID, LESSON, RESULTS, bundled_evidence, bundled_lesson
from core.errors import InputError, SettingError
from core.evaluation import ResultStore
from core.lesson import (
    DialRow,
    dial_scores,
    grid_rows,
    held_out_scores,
    leaking_counts,
    random_split,
    read_dial_grid,
    read_evidence,
    right_beside_twins,
    separated_chance,
    sign_p,
    wins_needed,
    write_dial_grid,
    write_evidence,
)
from core.splits import make_folds


@pytest.fixture(scope="module")
def lesson():
    return bundled_lesson()


@pytest.mark.parametrize(("topics", "k"), [(24, 6), (24, 5), (7, 3), (4, 2), (5, 5)])
def test_the_chance_to_be_separated_is_that_of_all_pairs_of_any_split(topics, k):
    fold_of = np.repeat(np.arange(k), [len(part) for part in np.array_split(np.arange(topics), k)])
    pairs = list(combinations(range(topics), 2))
    assert separated_chance(topics, k=k) == pytest.approx(np.mean([fold_of[i] != fold_of[j] for i, j in pairs]))


@pytest.mark.parametrize("k", [1, 25])
def test_folds_that_cannot_be_are_refused(k):
    with pytest.raises(SettingError, match="choose k from 2 to 24"):
        separated_chance(24, k=k)


def test_a_split_is_that_of_topic_k_fold_and_its_leaks_are_those_of_its_folds(lesson):
    for seed in (0, 7):
        drawn = random_split(lesson, k=6, seed=seed)
        for number, fold in enumerate(make_folds(lesson.corpus, scheme="topic-kfold", k=6, seed=seed)):
            assert (drawn.fold_of[fold.test_topics] == number).all()
            nearest = lesson.space.similarity[np.ix_(fold.test_topics, fold.train_topics)].max(axis=1)
            assert (drawn.leaking[fold.test_topics] == (nearest >= lesson.verdict.threshold)).all()


@pytest.mark.parametrize("k", [2, 6, 12])
def test_many_splits_leak_as_one_split_says_and_on_average_as_the_verdict_expects(lesson, k):
    counts = leaking_counts(lesson, k=k, seeds=range(400))
    assert [int(random_split(lesson, k=k, seed=seed).leaking.sum()) for seed in range(5)] == counts[:5].tolist()
    error = counts.std() / np.sqrt(len(counts))
    from core.topics import judge

    expected = judge(lesson.space, lesson.path, k=k).leaking_topics
    assert abs(counts.mean() - expected) < 4 * max(error, 0.02)


def test_near_twins_are_those_of_the_verdict(lesson):
    assert (lesson.twins.sum(axis=1) == lesson.verdict.twins).all()
    assert (lesson.twins == lesson.twins.T).all()
    for topic in lesson.names:
        order = lesson.by_similarity(topic)
        assert len(order) == len(lesson.names) - 1 and topic not in order
        values = [lesson.similarity_of(topic, other) for other in order]
        assert values == sorted(values, reverse=True)
        assert lesson.twins_of(topic) == order[: len(lesson.twins_of(topic))]


@pytest.mark.parametrize("topics", [5, 6, 12, 13, 24, 40])
def test_wins_needed_are_the_fewest_that_the_binomial_allows(topics):
    def two_sided(wins: int) -> float:
        return min(1.0, 2 * sum(comb(topics, above) for above in range(wins, topics + 1)) / 2**topics)

    needed = wins_needed(topics)
    enough = [wins for wins in range(topics // 2 + 1, topics + 1) if two_sided(wins) <= 0.05]
    assert needed == (enough[0] if enough else None)
    if needed is not None:
        assert sign_p(needed, topics) == pytest.approx(two_sided(needed))


def test_five_topics_are_too_few_for_any_number_of_wins():
    assert wins_needed(5) is None and wins_needed(6) == 6 and wins_needed(12) == 10


def test_scores_on_held_out_topics_are_those_of_the_shipped_answers(lesson, tmp_path):
    shipped, models = bundled_evidence().held_out, ["topic_fit", "max_ent", "char_svm"]
    found = held_out_scores(lesson.corpus, models=models, results=ResultStore(tmp_path, shipped=RESULTS))
    for model in models:
        assert (found[model].right == shipped[model].right).all() and (found[model].asked == shipped[model].asked).all()
        assert found[model].ordinary == pytest.approx(shipped[model].ordinary, abs=1e-6)
        assert shipped[model].asked.tolist() == lesson.corpus.topic_sizes.tolist()
        assert shipped[model].overall == pytest.approx(
            np.average(shipped[model].accuracy, weights=shipped[model].asked)
        )


def test_right_answers_beside_twins_and_elsewhere_are_all_of_them(lesson):
    found = bundled_evidence().held_out["topic_fit"]
    beside, alone = right_beside_twins(lesson, found)
    assert min(beside, alone) <= found.overall <= max(beside, alone)


def test_evidence_is_read_as_it_was_written(lesson, tmp_path):
    file = tmp_path / "lesson.json"
    write_evidence(file, bundled_evidence(), lesson.names)
    assert file.read_text(encoding="utf-8") == LESSON.read_text(encoding="utf-8")


@pytest.mark.parametrize("damage", ["", "{}", "[1]", '{"held_out": {"x": 1}}', "no json"])
def test_a_damaged_file_says_how_to_restore_it(lesson, tmp_path, damage):
    file = tmp_path / "lesson.json"
    file.write_text(damage)
    with pytest.raises(InputError, match="python -m data.bundle lesson"):
        read_evidence(file, lesson.names)


def test_a_file_of_other_topics_is_refused(tmp_path):
    content = json.loads(LESSON.read_text(encoding="utf-8"))
    file = tmp_path / "lesson.json"
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match="restore it"):
        read_evidence(file, ("another topic", "and one more"))


@pytest.fixture(scope="module")
def grid():
    return read_dial_grid(DIAL_GRID)


@pytest.mark.slow
def test_what_ships_is_what_is_computed(grid):
    """One cell, one model: all of it takes half an hour."""
    corpora = (dial_corpus(shared=0.8, loyal=0.8, seed=seed) for seed in range(grid.rows[0].corpora))
    scores = [dial_scores(corpus, models={"attribution": ("topic_fit",)}) for corpus in corpora]
    fresh = grid_rows({(0.8, 0.8): scores})
    assert {row.metric for row in fresh} == {"accuracy", "max_similarity", "mean_similarity", "seen_authors"}
    for row in fresh:
        shipped = grid.row(
            0.8, 0.8, task=row.task, model=row.model, metric=row.metric, sampler=row.sampler, pairs=row.pairs
        )
        assert (shipped.mean, shipped.sd) == pytest.approx((row.mean, row.sd), abs=2e-3), row.key
        assert (shipped.change, shipped.change_sd) == pytest.approx((row.change, row.change_sd), abs=2e-3), row.key


def test_every_cell_has_every_number(grid):
    keys = {row.key for row in grid.rows}
    assert len(grid.rows) == len(keys) * len(grid.shared) * len(grid.loyal)
    assert {(task, pairs) for task, pairs, model, *_ in keys if model} == {
        ("attribution", ""),
        ("verification", "matched"),
        ("verification", "paper"),
    }
    assert {sampler for *_, sampler in keys} == {"hits", "minimax", "random"}
    assert all(row.change == 0 and row.change_sd == 0 for row in grid.rows if row.sampler == "random")
    assert all(row.corpora >= 2 and np.isfinite([row.mean, row.sd, row.change]).all() for row in grid.rows)


def test_what_the_dials_do(grid):
    """HITS takes from topic-based scores where similar topics share authors, and there alone."""

    def change(shared, loyal, **choices):
        return grid.row(shared, loyal, **choices)

    attribution = {"task": "attribution", "model": "topic_fit", "metric": "accuracy"}
    leak = {"task": "folds", "model": "", "metric": "max_similarity"}
    both, neither = change(0.8, 0.8, **attribution), change(0, 0, **attribution)
    assert both.change < -0.05 and both.change < neither.change - 2 * neither.change_sd / np.sqrt(neither.corpora)
    assert change(0.8, 0.8, **leak).change < -0.1 < change(0, 0, **leak).change
    gap = [grid.row(0.8, 0.8, task="folds", model="", metric="gap", pairs=pairs).mean for pairs in ("matched", "paper")]
    assert gap[0] == 0 < gap[1]


def test_what_the_grid_has_not_is_refused(grid):
    with pytest.raises(SettingError, match=r"no accuracy of luck under hits at shared 0.1, loyal 0; shared may be 0, "):
        grid.row(0.1, 0, task="attribution", model="luck", metric="accuracy")


def test_it_is_read_as_it_was_written(tmp_path):
    row = DialRow(0.4, 0.8, "attribution", "", "max_ent", "accuracy", "hits", 0.25, 0.01, -0.125, 0.02, 3)
    write_dial_grid(tmp_path / "grid.csv", [row])
    (read,) = read_dial_grid(tmp_path / "grid.csv").rows
    assert [getattr(read, name) for name in DialRow.__slots__] == [getattr(row, name) for name in DialRow.__slots__]
    (tmp_path / "grid.csv").write_text("shared,loyal\n0,x\n")
    with pytest.raises(InputError, match="restore it with `python -m data.dial_grid`"):
        read_dial_grid(tmp_path / "grid.csv")
    with pytest.raises(InputError, match=r"absent.csv"):
        read_dial_grid(tmp_path / "absent.csv")
