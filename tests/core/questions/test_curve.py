"""The leakage curve: which reading, level and sentence follow from planted numbers, and the command around it."""

import json
from dataclasses import replace
from math import nan

import numpy as np
import pytest

from core.__main__ import main
from core.demo import RESULTS
from core.errors import SettingError
from core.evaluation import CurveSummary, ModelCurve, ResultStore, author_labels, curve_plan, summarise_curve
from core.questions import ask, cost, curve
from core.questions.curve import Settings, headline, level_of
from core.study import Study
from core.vectors import embed, make_encoder
from tests.core.command_runs import answered
from tests.core.evaluation.test_curve import LETTERS, small_corpus
from tests.core.questions.studies import bundled


def accuracy(plan, at_start: float, gain: float, spread: float = 0.02, *, runs: int = 1):
    """Accuracies that fall by `gain` from the first level to the last, give or take `spread` in turns of `runs` topics."""
    topics, levels = len(plan.topics), len(plan.levels)
    wobble = spread * np.where(np.arange(topics) // runs % 2, -1, 1)[:, None, None]
    fall = np.linspace(0, 1, levels)[None, :, None]
    return np.broadcast_to(at_start - (gain + wobble) * fall, (topics, levels, plan.draws)).copy()


@pytest.fixture(scope="module")
def plan():
    corpus, space = small_corpus()
    return curve_plan(corpus, space, author_labels(corpus), levels=(0.0, 0.2, 0.5), draws=2)


@pytest.mark.parametrize(
    ("content", "function", "reading", "level", "said"),
    [
        (0.19, 0.08, "topic", "bad", "raise accuracy by 19 points for content words (95% CI 17–21) and 8 for function"),
        (
            0.19,
            0.0,
            "topic",
            "bad",
            "points for content words (95% CI 17–21) but not significantly for function words.",
        ),
        (0.03, 0.03, "more", "warning", "share more than their subject: without them, function words lose 3 points"),
        (0.0, 0.03, "more", "warning", "function words lose 3 points (95% CI 1–5) and content words 0."),
        (
            0.0,
            0.0,
            "nothing",
            "good",
            "No measurable cost: similar topics in training raise accuracy by at most 2 points",
        ),
        (-0.04, 0.0, "nothing", "good", "do not raise accuracy: with them, content words score 4 points lower"),
    ],
)
def test_readings_on_planted_scores(plan, content, function, reading, level, said):
    words = accuracy(plan, 0.8, content)
    given = {"content": words, "function": accuracy(plan, 0.8, function, runs=2), "all": words}
    found = summarise_curve(plan, given)
    assert (found.reading, level_of(found)) == (reading, level)
    assert said in headline(found) and len(headline(found).split()) <= 25


def test_a_wide_interval_is_inconclusive_and_names_its_upper_end(plan):
    wide = accuracy(plan, 0.8, 0.02, spread=0.1)
    found = summarise_curve(plan, {"content": wide, "function": wide, "all": wide})
    assert (found.reading, level_of(found)) == ("nothing", "neutral")
    assert headline(found).startswith("Inconclusive. Similar topics in training raise accuracy by at most 11 points")


def test_a_control_at_chance_hands_over_to_all_words(plan):
    low = np.full((len(plan.topics), 3, 2), 0.05)
    found = summarise_curve(
        plan, {"content": low, "function": accuracy(plan, 0.8, 0.0), "all": accuracy(plan, 0.8, 0.1)}
    )
    assert found.judged_by == "all" and "10 points for all words" in headline(found)


def test_controls_that_only_guess_have_nothing_to_lose(plan):
    guesses = accuracy(plan, 0.05, 0.0, spread=0.004)
    found = summarise_curve(plan, dict.fromkeys(("content", "function", "all"), guesses))
    assert (found.reading, level_of(found)) == ("chance", "unknown")
    assert headline(found) == (
        "Nothing to measure: even with similar topics in training, all words do no better than guessing (5%)."
    )
    assert not cost.LeakageCost(found).small and cost.LeakageCost(found).topics_needed is None


def test_without_an_interval_nothing_is_claimed(plan):
    failed = np.full((len(plan.topics), 3, 2), nan)
    found = summarise_curve(plan, dict.fromkeys(("content", "function", "all"), failed))
    assert level_of(found) == "unknown" and "could not be run" in headline(found)


def test_gains_that_are_all_equal_have_no_interval(plan):
    found = summarise_curve(plan, dict.fromkeys(("content", "function", "all"), np.ones((len(plan.topics), 3, 2))))
    assert level_of(found) == "unknown"
    assert headline(found) == "Inconclusive. Every topic gains the same 0 points, so there is no interval."
    assert "All topics gain the same" in cost.sentence(cost.LeakageCost(found))


def test_levels_are_numbers():
    assert Settings(levels="0, .25,0.5").shares == (0.0, 0.25, 0.5)
    with pytest.raises(SettingError, match="write numbers with commas"):
        _ = Settings(levels="0, half").shares


@pytest.fixture
def file(tmp_path):
    corpus, _ = small_corpus()
    rows = zip(corpus.ids, corpus.texts, corpus.topics, corpus.authors or (), strict=True)
    target = tmp_path / "small.csv"
    target.write_text("id,text,topic,author\n" + "".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    return str(target)


SMALL = ("--encoder", "lsa", "--levels", "0,0.5", "--draws", "1")


def test_the_command_gives_the_contract_keys_and_takes_answers_to_its_plan(capsys, tmp_path, file):
    out = tmp_path / "plan.jsonl"
    written, _ = answered(capsys, "curve", file, *SMALL, "--plan", str(out))
    header, *sets = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert header["plan"] == written["plan"] and len(sets) == written["training_sets"]
    with open(file, encoding="utf-8") as source:
        author = {row.split(",")[0]: row.strip().split(",")[3] for row in source}
    perfect = tmp_path / "mine.jsonl"
    lines = [
        {key: each[key] for key in ("topic", "level", "draw")} | {"answers": [author[id] for id in each["test"]]}
        for each in sets
    ]
    perfect.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    data, _ = answered(capsys, "curve", file, *SMALL, "--models", "word_svm", "--answers", str(perfect))
    assert {"headline", "levels", "models", "controls", "training_documents", "test_documents"} <= data.keys()
    assert {"left_out", "starts_at"} <= data.keys() and data["left_out"].keys() == {"authors", "topics"}
    assert [each["q"] for each in data["levels"]] == [0, 0.5]
    assert data["controls"].keys() == {"content", "function", "all"} and data["models"].keys() == {"word_svm", "mine"}
    assert data["models"]["word_svm"] == data["controls"]["all"]
    fields = {"scores", "cost", "low", "high", "p", "topics"}
    assert all(each.keys() == fields for each in (*data["models"].values(), *data["controls"].values()))
    assert data["models"]["mine"]["scores"] == [1, 1] and data["models"]["mine"]["cost"] == 0
    assert main(["curve", file, *SMALL, "--seed", "1", "--answers", str(out)]) == 2
    assert "Export the plan again" in capsys.readouterr().err
    assert main(["curve", file, *SMALL, "--models", "nosuch"]) == 2
    assert "No model is called 'nosuch'." in capsys.readouterr().err


def test_figures_hold_every_model_and_every_tested_topic(tmp_path):
    corpus, _ = small_corpus()
    study = Study(corpus, embed(corpus, make_encoder("lsa")), results=ResultStore(tmp_path))
    found = curve.answer(study, Settings.resolve(study, {"levels": "0,0.5", "draws": 1}))
    lines = [trace for trace in found.figure("curve").figure.data if trace.name]
    assert [trace.name for trace in lines] == ["content words", "function words", "all words"]
    summary: CurveSummary = found.numbers.summary
    assert np.array_equal(lines[0].y, summary.models["content"].scores)
    model: ModelCurve = summary.models[summary.judged_by]
    far, near = found.figure("differences").figure.data[1:]
    assert np.allclose(np.sort(near.x - far.x), np.sort(model.cost.values))
    assert sorted(each[0] for each in near.customdata) == found.numbers.plan.topics.tolist()


def written(path, rows, header="text,topic,author"):
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return str(path)


def rows_of(authors, topics=("bread", "stars", "trams"), each=12):
    """Documents of each topic; `authors` names the author by topic and document."""
    return [
        f"{topic} {topic} is on word{LETTERS[row % 26]} and the {topic}{LETTERS[row % 7]},{topic},{authors(topic, row)}"
        for topic in topics
        for row in range(each)
    ]


@pytest.mark.parametrize(
    ("rows", "header", "said"),
    [
        ([row.rsplit(",", 1)[0] for row in rows_of(lambda *_: "")], "text,topic", "The corpus has no authors."),
        (
            rows_of(lambda topic, row: f"{topic} {row % 3}"),
            "text,topic,author",
            "nothing can be matched. Add documents",
        ),
        (rows_of(lambda topic, row: row % 3, ("bread", "stars")), "text,topic,author", "Only 2 topics have enough"),
        (
            rows_of(lambda topic, row: row, [f"topic{letter}" for letter in LETTERS], 2),
            "text,topic,author",
            "No topic has 10 documents. Add documents, or merge small topics.",
        ),
    ],
)
def test_a_corpus_without_a_curve_is_refused_in_one_sentence_with_what_helps(capsys, tmp_path, rows, header, said):
    file = written(tmp_path / "a.csv", rows, header)
    assert main(["curve", file, *SMALL]) == 2
    assert said in capsys.readouterr().err.strip().splitlines()[-1]


def test_of_8000_authors_those_with_most_texts_take_part_and_are_counted(capsys, tmp_path):
    topics = [f"topic{letter}" for letter in LETTERS[:10]]
    many = rows_of(lambda topic, row: f"{topic} {row}" if row >= 8 else f"main {row}", topics, 808)
    assert main(["curve", written(tmp_path / "a.csv", many), *SMALL, "--all"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "8 authors take part: those with most texts. 8,000 are left out." in printed


def test_where_fewer_topics_cost_as_much_similarity_is_not_blamed(plan):
    gain, noise = accuracy(plan, 0.8, 0.1), accuracy(plan, 0.8, 0.08, runs=2)[:, [0, -1]]
    found = summarise_curve(plan, {"content": gain, "all": gain}, {"content": noise, "all": noise})
    assert (found.reading, level_of(found)) == ("variety", "neutral")
    assert headline(found) == (
        "Inconclusive: content words lose 10 points (95% CI 8–12) without similar topics, but 8 without as many dissimilar ones."
    )
    assert cost.sentence(cost.LeakageCost(found)).endswith("but not clearly more than leaving out others.")


def test_a_curve_along_which_training_stays_similar_is_never_good(plan):
    flat = accuracy(plan, 0.5, 0.0)
    found = summarise_curve(plan, {"content": flat, "all": flat})
    levels = len(plan.levels)
    for last, level in ((0.82, "neutral"), (0.79, "good"), (0.6, "good")):
        along = replace(found, similarity=np.linspace(0.9 if last > 0.7 else 0.65, last, levels))
        assert level_of(along) == level
    assert "so a real effect may be missed" in headline(replace(found, similarity=np.full(levels, 0.8)))


def test_a_few_topics_do_not_speak_for_many(plan):
    flat = accuracy(plan, 0.5, 0.0)
    found = summarise_curve(plan, {"content": flat, "all": flat})
    for untestable, level in ((len(plan.topics), "good"), (len(plan.topics) + 1, "neutral")):
        partly = replace(found, untestable=untestable)
        assert level_of(partly) == level
        assert cost.LeakageCost(partly).small == (level == "good")
    few = cost.LeakageCost(replace(found, untestable=40))
    assert few.topics_needed == 24 and "About 25 topics" in cost.more_on(few)


@pytest.mark.parametrize("question", ["curve", "forecast"])
def test_labels_that_separate_nothing_give_no_reading(monkeypatch, question):
    corpus = bundled().corpus
    study = Study(corpus, bundled().vectors, results=ResultStore(shipped=RESULTS))
    assert ask(study, question).level in ("bad", "warning")
    checked = study.labels
    monkeypatch.setattr(type(checked), "meaningful", property(lambda _: False))
    study.forget()
    answer = ask(study, question)
    assert answer.level == "unknown"
    assert answer.headline.startswith("The labels do not separate these texts")


def test_what_limits_leave_out_is_said():
    study = bundled()
    settings = Settings(models=(), levels="0, 0.5", draws=1, seed=0, most_topics=4, most_training=80)
    said = [caution.text for caution in curve.answer(study, settings).cautions]
    assert "4 topics of 24 were sampled and tested; 20 were not." in said
    assert "Training sets hold at most 80 documents. With all of them, scores can differ." in said
    assert not [text for text in said if "could not be tested" in text]
