"""What ships for the lesson is what the models give, and a damaged file says how to restore it."""

import json

import numpy as np
import pytest

from core.demo import LESSON, RESULTS, bundled_evidence, bundled_lesson
from core.errors import InputError
from core.evaluation import ResultStore, effects_of, evaluate
from core.splits import make_swaps
from core.studies.lesson import held_out_scores, read_evidence, right_beside_twins, swapped_scores, write_evidence


@pytest.fixture(scope="module")
def lesson():
    return bundled_lesson()


@pytest.fixture(scope="module")
def swaps(lesson):
    return make_swaps(lesson.corpus, lesson.space, draws=3, seed=0)


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


def test_the_swap_of_one_topic_is_what_the_model_gives(lesson, swaps):
    """One topic, one draw: with and without its twin, fitted anew."""
    shipped, place = bundled_evidence().swapped["topic_fit"], swaps.topics.tolist().index(lesson.code("clinics"))

    def again(folds):
        from dataclasses import replace

        one = replace(folds, folds=folds.folds[place : place + 1])
        found = evaluate(lesson.corpus, one, task="attribution", models=["topic_fit"])
        from core.evaluation import fold_scores

        return fold_scores(found, lesson.corpus)[0].values["accuracy"]

    one_text = 1 / lesson.corpus.topic_sizes[lesson.code("clinics")]  # another machine's arithmetic may turn one
    assert again(swaps.without) == pytest.approx(shipped.without[place], abs=one_text + 1e-6)
    assert again(swaps.with_twin[0]) == pytest.approx(shipped.with_twin[place, 0], abs=one_text + 1e-6)


def test_the_shipped_swaps_are_of_these_topics_and_twins(lesson, swaps):
    for found in bundled_evidence().swapped.values():
        assert (found.topics == swaps.topics).all()
        assert found.twins.tolist() == [twins[0] for twins in swaps.twins]
        assert found.with_twin.shape == (len(swaps.topics), 3)
        assert found.low < found.effects.mean() < found.high
        twin, without, with_twin = found.sides(int(found.topics[3]))
        assert (twin, without) == (found.twins[3], found.without[3])
        assert with_twin - without == pytest.approx(found.effects[3])


def test_swapped_scores_are_the_effects_of_the_swap(small_swaps):
    corpus, swaps = small_swaps
    found = swapped_scores(corpus, swaps, models=["topic_fit"], results=None)["topic_fit"]
    runs = [
        evaluate(corpus, folds, task="attribution", models=["topic_fit"]) for folds in (swaps.without, *swaps.with_twin)
    ]
    expected = effects_of(runs, corpus)["topic_fit"]
    assert found.effects == pytest.approx(expected.by_topic)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), nan_ok=True)


@pytest.fixture(scope="module")
def small_swaps():
    from core.corpora import make_corpus
    from core.topics import topic_space

    rng = np.random.default_rng(0)
    words = {topic: [f"{topic}{number}" for number in range(12)] for topic in "abcd"}
    texts, topics, authors = [], [], []
    for topic, own in words.items():
        shared = words["a"] if topic == "b" else own
        for author in range(3):
            for _ in range(4):
                chosen = [*rng.choice(own, 8), *rng.choice(shared, 8), *[f"habit{author}"] * 3]
                texts.append(" ".join(chosen))
                topics.append(topic)
                authors.append(f"author {author}")
    corpus = make_corpus(texts, topics, authors=authors)
    vectors = np.array([[text.count(f"{topic}{number}") for topic in "abcd" for number in range(12)] for text in texts])
    space = topic_space(vectors.astype(np.float64), corpus.topic_codes, corpus.topic_names)
    return corpus, make_swaps(corpus, space, draws=2, seed=0)


def test_right_answers_beside_twins_and_elsewhere_are_all_of_them(lesson):
    found = bundled_evidence().held_out["topic_fit"]
    beside, alone = right_beside_twins(lesson, found)
    assert min(beside, alone) <= found.overall <= max(beside, alone)


def test_evidence_is_read_as_it_was_written(lesson, tmp_path):
    file = tmp_path / "lesson.json"
    write_evidence(file, bundled_evidence(), lesson.names)
    assert file.read_text(encoding="utf-8") == LESSON.read_text(encoding="utf-8")


@pytest.mark.parametrize("damage", ["", "{}", "[1]", '{"held_out": {"x": 1}, "swapped": {}}', "no json"])
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
