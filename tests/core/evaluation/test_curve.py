"""The leakage curve: everything but the topics is equal along it, it finds an effect where one was made and none elsewhere."""

import csv
import json
from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest

from core.corpora import dial_corpus, make_corpus, take
from core.demo import bundled_corpus, bundled_vectors
from core.errors import InputError, SettingError
from core.evaluation import (
    ResultStore,
    author_labels,
    control_models,
    curve_estimate,
    curve_plan,
    plan_file,
    plan_lines,
    quick_cost,
    quick_plan,
    read_answers,
    run_curve,
    summarise_curve,
)
from core.evaluation.curve import QUICK_TESTED, _band, _start, name_of
from core.models import Documents
from core.models.attribution import WordSvm
from core.questions.cost import LeakageCost, more_on
from core.questions.curve import LEFT_OUT
from core.topics import topic_space
from core.vectors import embed, make_encoder

LEVELS = (0.0, 0.2, 0.5)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def small_corpus(seed=0, *, topics=8, authors=5, each=3, habit=True):
    """Topics in pairs of sisters that share words; authors have a word of their own in each pair of sisters (`habit`)."""
    rng = np.random.default_rng(seed)
    texts, labels, names, points = [], [], [], []
    for topic in range(topics):
        for author in range(authors):
            for _ in range(rng.integers(each, 2 * each)):
                own = f"habit{LETTERS[topic // 2]}{LETTERS[author if habit else rng.integers(authors)]}"
                noise = " ".join(f"word{LETTERS[number]}" for number in rng.integers(0, 26, 15))
                texts.append(f"{own} {own} subject{LETTERS[topic // 2]} {noise}")
                labels.append(f"topic {topic}")
                names.append(f"author {author}")
                points.append(np.eye(topics)[topic // 2] + 0.2 * rng.normal(size=topics) + 0.4)
    corpus = make_corpus(texts, labels, authors=names)
    return corpus, topic_space(np.array(points), corpus.topic_codes, corpus.topic_names)


@pytest.mark.parametrize("seed", range(8))
def test_along_the_curve_only_the_topics_of_training_differ(seed):
    corpus, space = small_corpus(seed, topics=6 + seed % 4, authors=3 + seed % 3)
    labels = author_labels(corpus)
    labels[np.random.default_rng(seed).random(len(labels)) < 0.1] = -1
    plan = curve_plan(corpus, space, labels, levels=LEVELS, draws=2, seed=seed)
    for place, topic in enumerate(plan.topics.tolist()):
        others = np.flatnonzero(np.isin(corpus.topic_codes, np.delete(np.arange(len(space)), topic)) & (labels >= 0))
        nearest_first = np.argsort(-np.where(np.arange(len(space)) == topic, -np.inf, space.similarity[topic]))
        counts, last = None, np.inf
        for level, allowed in zip(range(len(LEVELS)), plan.allowed[place], strict=True):
            left_out = nearest_first[: len(space) - 1 - allowed]
            held = np.isin(corpus.topic_codes[others], left_out).sum()
            assert held >= LEVELS[level] * len(others)  # reached,
            if len(left_out):  # and with no topic more than needed
                assert np.isin(corpus.topic_codes[others], left_out[:-1]).sum() < LEVELS[level] * len(others)
            assert allowed <= last  # allowed sets are nested
            last = allowed
            assert plan.nearest[place, level] == space.similarity[topic, nearest_first[len(left_out)]]
            for rows in plan.train[place][level]:
                assert not np.isin(corpus.topic_codes[rows], [topic, *left_out]).any()
                assert len(np.unique(rows)) == len(rows)
                found = np.bincount(labels[rows], minlength=labels.max() + 1)
                assert counts is None or np.array_equal(found, counts)  # of every author equally many
                counts = found
        test = plan.test[place]
        assert (corpus.topic_codes[test] == topic).all() and (counts[labels[test]] > 0).all()
        assert set(test) == {
            row for row in np.flatnonzero(corpus.topic_codes == topic) if labels[row] >= 0 and counts[labels[row]]
        }
    assert set(plan.topics.tolist()) | plan.left_out.keys() == set(range(len(space)))
    assert set(plan.left_out.values()) <= LEFT_OUT.keys()


def test_an_oracle_that_counts_everything_by_hand_agrees():
    """Lists instead of matrices, a model that sees the texts of one training set only, and means by Python's own sum."""
    corpus, space = small_corpus(topics=6, authors=3, each=4)
    plan = curve_plan(corpus, space, author_labels(corpus), levels=LEVELS, draws=2)
    documents = list(zip(corpus.texts, corpus.topics, corpus.authors, strict=True))
    model, gains = WordSvm(), []
    run = run_curve(corpus, plan, {"all": model})
    for place, topic in enumerate(plan.topics.tolist()):
        name = corpus.topic_names[topic]
        ranked = sorted(
            set(corpus.topics) - {name}, key=lambda other: -space.similarity[topic, space.names.index(other)]
        )
        sizes = {other: sum(each[1] == other for each in documents) for other in ranked}
        sets = []
        for level in LEVELS:
            allowed = list(ranked)
            while sum(sizes[other] for other in ranked if other not in allowed) < level * sum(sizes.values()):
                allowed.pop(0)
            sets.append([each for each in documents if each[1] in allowed])
        matched = {
            author: min(sum(each[2] == author for each in allowed) for allowed in sets)
            for author in corpus.author_names
        }
        tested = [each for each in documents if each[1] == name and matched[each[2]]]
        assert sorted(corpus.texts[row] for row in plan.test[place]) == sorted(text for text, _, _ in tested)
        scores = []
        for level, allowed in enumerate(sets):
            right = []
            for draw in range(2):
                rows = plan.train[place][level][draw]
                chosen = [documents[row] for row in rows]
                assert all(each in allowed for each in chosen)
                assert {who: sum(each[2] == who for each in chosen) for who in matched} == matched
                fitted = model.fit(Documents([text for text, _, _ in chosen]), plan.labels[rows], seed=0)
                given = fitted.predict(Documents([text for text, _, _ in tested]))
                answers = [corpus.author_names[code] == each[2] for code, each in zip(given, tested, strict=True)]
                right.append(sum(answers) / len(answers))
            scores.append(sum(right) / 2)
        assert run.accuracy["all"][place].mean(axis=1) == pytest.approx(scores)
        gains.append(scores[0] - scores[-1])
    found = summarise_curve(plan, run.accuracy).models["all"].cost
    assert len(gains) == 6 and found.values == pytest.approx(gains) and found.mean == pytest.approx(sum(gains) / 6)


def test_neither_the_order_of_documents_nor_their_numbers_change_anything():
    corpus, space = small_corpus()
    shuffled = np.random.default_rng(1).permutation(len(corpus))
    other = make_corpus(  # numbered again
        [corpus.texts[row] for row in shuffled],
        [corpus.topics[row] for row in shuffled],
        authors=[corpus.authors[row] for row in shuffled],
    )
    plans = [curve_plan(each, space, author_labels(each), levels=LEVELS, draws=2) for each in (corpus, other)]
    sets = [
        [[[each.texts[row] for row in rows] for level in topic for rows in level] for topic in plan.train]
        for plan, each in zip(plans, (corpus, other), strict=True)
    ]
    assert sets[0] == sets[1]
    found = [
        run_curve(each, plan, {"words": WordSvm()}).accuracy["words"]
        for plan, each in zip(plans, (corpus, other), strict=True)
    ]
    assert np.array_equal(*found)
    assert not np.array_equal(plans[0].train[0][0][0], plans[0].train[0][0][1])  # draws differ


def test_answers_are_kept_and_a_stopped_run_resumes(tmp_path):
    corpus, space = small_corpus()
    plan, models = curve_plan(corpus, space, author_labels(corpus), levels=LEVELS, draws=2), {"words": WordSvm()}
    results, heard = ResultStore(tmp_path), []

    def stop(done, total, label, left):
        heard.append((done, total, label))
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_curve(corpus, plan, models, results=results, progress=stop)
    assert len(plan.reference.topics) == len(plan.topics)
    runs = 2 * len(plan.topics) * 2  # of the plan and of its reference, whose tasks have two levels
    assert heard == [(1, runs, "words"), (2, runs, "words"), (3, runs, "words")]
    rest = run_curve(corpus, plan, models, results=results)
    again = run_curve(corpus, plan, models, results=results)
    fits = runs // 2 * (len(LEVELS) + 2)
    assert rest.fresh == fits - 3 * len(LEVELS) and again.fresh == 0  # the longest come first
    whole = run_curve(corpus, plan, models)
    assert all(np.array_equal(whole.accuracy["words"], each.accuracy["words"]) for each in (rest, again))
    cost = curve_estimate(corpus, plan, models, results=results)
    assert (cost.runs, cost.seconds, cost.memory) == (0, 0.0, 0.0)
    assert curve_estimate(corpus, plan, models).runs == fits
    other = curve_plan(corpus, space, author_labels(corpus), levels=LEVELS, draws=1)
    assert run_curve(corpus, other, models, results=results).fresh == 0  # fewer draws are the first of more
    assert run_curve(corpus, plan, {"words": WordSvm(most=5)}, results=results).fresh > 0
    for place, rows in enumerate(plan.test):
        right = (whole.predicted["words"][place] == plan.labels[rows]).mean(axis=2)
        assert np.array_equal(right, whole.accuracy["words"][place])


def test_a_habit_that_only_sisters_share_falls_along_the_curve_and_another_does_not():
    for habit in (True, False):
        corpus, space = small_corpus(habit=habit)
        plan = curve_plan(corpus, space, author_labels(corpus), levels=LEVELS, draws=2)
        found = summarise_curve(plan, run_curve(corpus, plan, {"all": WordSvm()}).accuracy)
        cost = found.models["all"].cost
        assert (cost.low > 0.2) == habit
        assert found.reading == ("topic" if habit else "chance") and found.judged_by == "all"
        assert isnan(found.starts_at) != habit
        assert habit is False or found.starts_at == found.similarity[1]


def test_the_reference_is_the_plan_of_the_reversed_order():
    corpus, space = small_corpus()
    labels = author_labels(corpus)
    plan = curve_plan(corpus, space, labels, levels=LEVELS, draws=2)
    turned = curve_plan(corpus, replace(space, similarity=-space.similarity), labels, levels=(0.0, 0.5), draws=2)
    reference = plan.reference
    assert reference.levels == (0.0, 0.5) and reference.reference is None
    assert reference.topics.tolist() == turned.topics.tolist() == plan.topics.tolist()
    for ours, other in zip((*reference.test, *flat(reference)), (*turned.test, *flat(turned)), strict=True):
        assert np.array_equal(ours, other)
    for place, topic in enumerate(plan.topics):
        known = np.delete(space.similarity[topic], topic)
        assert (reference.nearest[place] == known.max()).all()  # the most similar topics stay
    assert turned.reference.digest == replace(plan, levels=(0.0, 0.5), train=ends(plan)).digest
    assert set(plan.used) >= set(np.concatenate(reference.test))


def flat(plan):
    return [rows for topic in plan.train for level in topic for rows in level]


def ends(plan):
    return tuple((topic[0], topic[-1]) for topic in plan.train)


def test_a_cost_counts_only_if_similarity_explains_it():
    corpus, space = small_corpus()
    plan = curve_plan(corpus, space, author_labels(corpus), levels=(0.0, 0.5), draws=1)
    wobble = np.where(np.arange(len(plan.topics)) % 2, 0.01, -0.01)

    def falling(gain, wobble=wobble):
        return np.stack([np.full(len(wobble), 0.8), 0.8 - gain - wobble], axis=1)[:, :, None]

    noise = np.where(np.arange(len(plan.topics)) // 2 % 2, 0.01, -0.01)
    given = {"all": falling(0.1)}
    alone = summarise_curve(plan, given).models["all"]
    unshown = summarise_curve(replace(plan, reference=None), given | {"mine": falling(0.1)})  # variety is not ruled out
    assert isnan(unshown.models["all"].p) and unshown.reading == "nothing" and unshown.models["mine"].p < 0.001
    assert alone.dissimilar is None and alone.similarity is alone.cost and alone.p == alone.cost.p < 0.001
    none = summarise_curve(plan, given, {"all": falling(0.0, noise)})
    assert none.models["all"].similarity.mean == pytest.approx(0.1) and none.reading == "topic"
    assert none.models["all"].p == none.models["all"].similarity.p > alone.p
    same = summarise_curve(plan, given, {"all": falling(0.1, noise)})
    assert same.models["all"].cost.low > 0 and same.models["all"].p > 0.9 and same.reading == "variety"
    more = summarise_curve(plan, given, {"all": falling(0.2, noise)})
    assert more.models["all"].similarity.high < 0 and more.models["all"].p == 1 and more.reading == "variety"
    assert isnan(same.starts_at) and isnan(more.starts_at), "no effect is shown, so it starts nowhere"


@pytest.mark.slow
def test_random_levels_and_shuffled_topics_rarely_cost_anything():
    rejected, alone = {"levels": 0, "topics": 0}, {"levels": 0, "topics": 0}
    for seed in range(30):
        for what in rejected:
            corpus, space = small_corpus(seed)
            rng = np.random.default_rng(seed)
            if what == "topics":
                corpus = make_corpus(corpus.texts, rng.permutation(corpus.topics).tolist(), authors=corpus.authors)
                points = rng.normal(size=(len(corpus), 12)) + 0.5
                space = topic_space(points, corpus.topic_codes, corpus.topic_names)
            else:
                drawn = np.triu(rng.random(space.similarity.shape), 1)
                space = replace(space, similarity=drawn + drawn.T)
            plan = curve_plan(corpus, space, author_labels(corpus), levels=(0.0, 0.5), draws=1, seed=seed)
            run = run_curve(corpus, plan, {"all": WordSvm()})
            found = summarise_curve(plan, run.accuracy, run.reference).models["all"]
            rejected[what] += found.cost.low > 0 and found.p <= 0.05
            alone[what] += found.cost.low > 0 and found.cost.p <= 0.05
    # More than 5 of 30 has a chance of .003 at .05. Half of the topics, whichever, are less varied training than all:
    # a test without the reference takes that for leakage.
    assert max(rejected.values()) <= 5 < alone["levels"], (rejected, alone)


def test_the_bundled_corpus_loses_accuracy_without_similar_topics(tmp_path):
    corpus = bundled_corpus()
    space = topic_space(bundled_vectors(corpus, make_encoder("sbert")).matrix, corpus.topic_codes, corpus.topic_names)
    labels = author_labels(corpus)
    plan = curve_plan(corpus, space, labels)
    assert np.allclose(plan.nearest.mean(axis=0), [0.70, 0.41, 0.36, 0.32, 0.28], atol=0.006)
    assert len(plan.topics) == 24 and 675 <= plan.trained.mean() <= 685 and plan.tested.sum() == 1_500
    ends = quick_plan(corpus, space, labels)
    assert (
        np.array_equal(ends.trained, plan.trained) and summarise_curve(ends, {}).sample is None
    )  # nothing is left out
    results = ResultStore(tmp_path)
    run = run_curve(corpus, ends, control_models(corpus, ends.labels), results=results)
    found = summarise_curve(ends, run.accuracy, run.reference)
    quick = quick_cost(corpus, ends, results=results)
    assert all(quick.models[name].cost.mean == found.models[name].cost.mean for name in ("content", "all"))
    cost = {name: 100 * curve.cost.mean for name, curve in found.models.items()}
    assert cost["content"] == pytest.approx(19.4, abs=4) and found.models["content"].cost.low > 0.05
    assert cost["all"] == pytest.approx(15.8, abs=4) and cost["function"] == pytest.approx(7.8, abs=4)
    assert found.reading == "topic" and found.judged_by == "content"
    assert found.content_minus_function.low > 0
    words = found.models["content"]
    assert abs(words.dissimilar.mean) < 0.05 and words.similarity.low > 0.1 and words.p < 0.001


@pytest.mark.parametrize(("shared", "loyal", "costs"), [(0.4, 0.8, True), (0.4, 0.0, False)])
def test_a_synthetic_corpus_costs_what_its_dials_say(shared, loyal, costs):
    corpus = dial_corpus(shared=shared, loyal=loyal, seed=3)
    space = topic_space(embed(corpus, make_encoder("lsa")).matrix, corpus.topic_codes, corpus.topic_names)
    plan = curve_plan(corpus, space, author_labels(corpus), levels=(0.0, 0.5), draws=1)
    models = control_models(corpus, plan.labels)
    found = summarise_curve(plan, run_curve(corpus, plan, {name: models[name] for name in ("content", "all")}).accuracy)
    for curve in found.models.values():
        assert (curve.cost.low > 0.1) if costs else (-0.06 < curve.cost.mean < 0.06)
    assert found.reading == ("topic" if costs else "nothing")


def test_limits_leave_out_topics_classes_and_documents_and_count_them():
    corpus, space = small_corpus(each=4)
    labels = author_labels(corpus)
    plan = curve_plan(corpus, space, labels, draws=1, most_topics=3, most_training=30, most_labels=4)
    assert len(plan.topics) == 3 and list(plan.left_out.values()).count("sampled") == 5
    assert (plan.trained <= 30).all() and (plan.trained >= 20).all()
    limits = ({"most_tested": 5}, {"most_training": 30}, {"most_labels": 4}, {"most_topics": 3}, {"most_topics": 8})
    plans = [curve_plan(corpus, space, labels, draws=1, **each) for each in limits]
    assert [summarise_curve(each, {}).sample is None for each in plans] == [False] * 4 + [True]
    assert plan.rare == 1 and len(np.unique(plan.labels[plan.labels >= 0])) == 4
    wider = curve_plan(corpus, space, labels, draws=1, most_topics=5)
    assert set(plan.topics.tolist()) <= set(wider.topics.tolist())  # a larger sample holds the smaller


def test_the_quick_cost_is_bounded_whatever_the_size():
    rng = np.random.default_rng(0)
    topics, authors = rng.integers(0, 60, 30_000), rng.integers(0, 40, 30_000)
    texts = [
        f"word {LETTERS[topic % 26]} {LETTERS[author % 26]} {row}"
        for row, (topic, author) in enumerate(zip(topics, authors, strict=True))
    ]
    corpus = make_corpus(texts, [str(topic) for topic in topics], authors=[str(author) for author in authors])
    space = topic_space(
        rng.normal(size=(30_000, 8)) + np.eye(60)[topics][:, :8] + 1, corpus.topic_codes, corpus.topic_names
    )
    plan = quick_plan(corpus, space, author_labels(corpus))
    assert len(plan.topics) == 24 and (plan.trained <= 750).all() and (plan.trained > 600).all() and plan.rare == 16
    assert max(plan.tested) <= QUICK_TESTED
    scores = {name: np.zeros((24, 2, 1)) for name in ("content", "all")}
    found = LeakageCost(summarise_curve(plan, scores))
    said = "Measured on 24 of 60 topics, the 24 authors with most texts, at most 750 training documents and at most 200 test "
    assert more_on(found).endswith(f"{said}documents per topic.")
    assert len(plan.used) <= 2 * 24 * (2 * 750 + QUICK_TESTED)


def test_what_cannot_be_planned_is_refused_with_what_would_help():
    corpus, space = small_corpus()
    labels = author_labels(corpus)
    with pytest.raises(SettingError, match="no authors"):
        author_labels(make_corpus(corpus.texts, corpus.topics))
    with pytest.raises(SettingError, match="None of the 8 authors occurs in two topics, so nothing can be matched"):
        curve_plan(corpus, space, corpus.topic_codes)
    with pytest.raises(SettingError, match="the same author, so there is nothing to predict"):
        curve_plan(corpus, space, np.zeros(len(corpus), dtype=np.int64))
    with pytest.raises(SettingError, match="Choose another column"):
        curve_plan(corpus, space, np.full(len(corpus), -1))
    two = take(corpus, np.flatnonzero(corpus.topic_codes < 2))
    with pytest.raises(SettingError, match="needs 3 or more"):
        curve_plan(
            two,
            topic_space(np.random.default_rng(0).random((len(two), 3)), two.topic_codes, two.topic_names),
            author_labels(two),
        )
    tiny = take(
        corpus, np.array([row for topic in range(8) for row in np.flatnonzero(corpus.topic_codes == topic)[:4]])
    )
    with pytest.raises(SettingError, match="merge small topics"):
        points = np.eye(8)[tiny.topic_codes] + 0.5
        curve_plan(tiny, topic_space(points, tiny.topic_codes, tiny.topic_names), author_labels(tiny))
    for levels in ((0.1, 0.5), (0.0,), (0.0, 0.5, 0.2), (0.0, 1.0)):
        with pytest.raises(SettingError, match="start at 0"):
            curve_plan(corpus, space, labels, levels=levels)


def test_a_model_that_fails_has_no_scores_and_says_why():
    corpus, space = small_corpus()
    plan = curve_plan(corpus, space, author_labels(corpus), levels=LEVELS, draws=1)
    found = run_curve(corpus, plan, {"none": WordSvm(only=()), "all": WordSvm()})
    assert np.isnan(found.accuracy["none"]).all() and "no feature" in found.problems["none"]
    curve = summarise_curve(plan, found.accuracy).models["none"]
    assert isnan(curve.cost.mean) and np.isnan(curve.scores).all() and isnan(curve.p)


def test_reading_answers_reads_the_plan_once(monkeypatch):
    """Its digest takes as long as all of the answers: a table of 34,000 rows would take a quarter of an hour."""
    corpus, space = small_corpus()
    plan, computed = curve_plan(corpus, space, author_labels(corpus), levels=LEVELS), []
    monkeypatch.setattr(type(plan), "digest", property(lambda self: computed.append(self) or "digest"))
    _, *lines = map(json.loads, plan_lines(corpus, plan))
    del computed[:]
    right = dict(zip(corpus.ids, corpus.authors, strict=True))
    answers = [json.dumps({**line, "answers": [right[id] for id in line["test"]]}) for line in lines]
    read_answers("\n".join(answers).encode(), "mine", corpus, plan, corpus.author_names)
    assert len(lines) > 1 and len(computed) == 1


def test_the_plan_leaves_as_a_file_and_answers_come_back():
    corpus, space = small_corpus()
    plan = curve_plan(corpus, space, author_labels(corpus), levels=LEVELS, draws=2)
    ours = run_curve(corpus, plan, {"words": WordSvm()})
    header, *lines = (json.loads(line) for line in plan_lines(corpus, plan))
    main = [line for line in lines if isinstance(line["level"], float)]
    assert len(main) == len(plan.topics) * len(LEVELS) * 2 and header["plan"] == plan.digest
    answers, table = [], ["topic,level,draw,id,answer"]
    row_of = {id: row for row, id in enumerate(corpus.ids)}
    for line in main:
        place = [corpus.topic_names[topic] for topic in plan.topics].index(line["topic"])
        assert line["test"] == [corpus.ids[row] for row in plan.test[place]]
        level = LEVELS.index(line["level"])
        assert [row_of[id] for id in line["train"]] == plan.train[place][level][line["draw"]].tolist()
        given = [corpus.author_names[code] for code in ours.predicted["words"][place][level, line["draw"]]]
        answers.append(
            {**{key: line[key] for key in ("topic", "level", "draw")}, "plan": plan.digest, "answers": given}
        )
        table += [
            f"{line['topic']},{line['level']},{line['draw']},{id},{answer}"
            for id, answer in zip(line["test"], given, strict=True)
        ]

    def read(text):
        return read_answers(text.encode(), "mine", corpus, plan, corpus.author_names)

    as_lines = "\n".join(json.dumps(each) for each in answers)
    for text in (as_lines, f"{json.dumps(header)}\n{as_lines}", "\n".join(table)):
        found = read(text)
        assert np.array_equal(found.accuracy, ours.accuracy["words"]) and found.reference is None
    bad = {
        "another plan": json.dumps({**answers[0], "plan": "x"}),
        f"of {len(main)} training sets of the plan have no answers, the first being topic '{lines[0]['topic']}', "
        "level 0, draw 1. Add them": json.dumps(answers[0]),
        f"line 1: .Author 0. is none of the classes .*Did you mean '{corpus.author_names[0]}'": json.dumps(
            {**answers[0], "answers": ["Author 0", *answers[0]["answers"][1:]]}
        ),
        "answers for": json.dumps({**answers[0], "answers": ["a"]}),
        "no topic": json.dumps({**answers[0], "topic": "x"}),
        "no level 0.3": json.dumps({**answers[0], "level": 0.3}),
        "no level least similar 0.25": json.dumps({**answers[0], "level": "least similar 0.25"}),
        "not a number": json.dumps({**answers[0], "draw": "x"}),
        "answered twice": json.dumps(answers[0]) + "\n" + json.dumps(answers[0]),
        "not JSON": "{",
        "line 1 is not JSON": '{"a": ' + "[" * 100_000,
        "line 1 is not a row": "topic,level,draw,id,answer\n" + "x" * 1_000_001,
        "no list": json.dumps({"topic": "x"}),
        "no column": "topic,level\n",
    }
    for match, text in bad.items():
        with pytest.raises(InputError, match=match):
            read(text)
    table[1] = table[1].replace(f",{lines[0]['test'][0]},", ",nobody,")
    with pytest.raises(InputError, match="1 of 21 test documents has no answer .* 2. Add them"):
        read("\n".join(table))


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_model_that_answers_the_reference_too_has_the_curve_of_a_built_in_one(format: str):
    corpus, space = small_corpus()
    plan, model = curve_plan(corpus, space, author_labels(corpus), levels=LEVELS, draws=2), WordSvm()
    ours = run_curve(corpus, plan, {"words": model})
    row_of, names = {id: row for row, id in enumerate(corpus.ids)}, corpus.author_names
    sets: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    if format == "csv":
        for cells in csv.DictReader(plan_file(corpus, plan, "csv").decode().splitlines()):
            sides = sets.setdefault((cells["topic"], cells["level"], cells["draw"]), {"train": [], "test": []})
            sides[cells["side"]].append(cells["id"])
    else:
        lines = [json.loads(line) for line in plan_file(corpus, plan, "jsonl").splitlines()][1:]
        sets = {(line["topic"], line["level"], line["draw"]): line for line in lines}
    table, documents = ["topic,level,draw,id,prediction"], Documents(corpus.texts)
    for point, sides in sets.items():
        train, test = (np.array([row_of[id] for id in sides[side]]) for side in ("train", "test"))
        predicted = model.fit(documents.part(train), plan.labels[train], seed=plan.seed).predict(documents.part(test))
        table += [
            f"{','.join(map(str, point))},{id},{names[c]}" for id, c in zip(sides["test"], predicted, strict=True)
        ]
    found = read_answers("\n".join(table).encode(), "mine", corpus, plan, names)
    both = {"words": ours.accuracy["words"], "mine": found.accuracy}
    summary = summarise_curve(plan, both, {"words": ours.reference["words"], "mine": found.reference}).models
    assert summary["mine"].p == summary["words"].p and summary["mine"].cost.mean == summary["words"].cost.mean
    with pytest.raises(InputError, match="have no answers, the first being .* level least similar 0.*draw 1"):
        last = next(n for n, line in enumerate(table) if "least similar" in line and ",1," in line)
        read_answers("\n".join(table[:last]).encode(), "mine", corpus, plan, names)


def test_the_band_leaves_out_what_differs_between_topics():
    values = np.array([[0.5, 0.3], [0.9, 0.7], [0.2, 0.1]])
    # Centred: ±.1, ±.1, ±.05; variance of each column .000833 times 2/(2 − 1) over 3 topics, t(2) = 4.302653.
    assert _band(values) == pytest.approx([0.1014145, 0.1014145], abs=1e-6)
    assert np.isnan(_band(values[:1])).all()


def test_the_effect_starts_below_the_last_level_that_is_above_the_far_half():
    rng = np.random.default_rng(0)
    falling = np.array([0.6, 0.5, 0.3, 0.3]) + 0.01 * rng.normal(size=(20, 4))
    assert _start(falling, np.array([0.8, 0.6, 0.4, 0.2])) == 0.4
    assert isnan(_start(falling[:, ::-1], np.array([0.8, 0.6, 0.4, 0.2])))
    assert isnan(_start(np.full((5, 4), nan), np.array([0.8, 0.6, 0.4, 0.2])))


def test_progress_calls_models_by_their_labels():
    assert [name_of(each) for each in ("content", "word_svm", "mine")] == ["content words", "Word SVM", "mine"]
