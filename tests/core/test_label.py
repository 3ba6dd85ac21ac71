"""Any column can be what models predict: sentiment across products leaks as authors across topics do."""

import csv
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.corpora import Corpus, audit, make_corpus, take
from core.corpora.readers import read_corpus
from core.errors import InputError, LeakscopeError, SettingError
from core.evaluation import Estimate, evaluate, fold_scores, no_room, tasks_of
from core.interface import NotebookStudy
from core.questions import QUESTIONS, ask, words_of
from core.questions.corpus import WARNINGS
from core.report import make_report
from core.splits import make_folds, make_pairs
from core.study import Pending

ABOUT_AUTHORS = (
    "shortcut",
    "calibration",
    "split",
)  # two that ask about pairs of texts, and a split this corpus has not
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def vocabulary(stem: str, count: int) -> list[str]:
    """Make words of letters alone: models do not read digits as parts of words."""
    return [f"{stem}{LETTERS[number]}" for number in range(count)]


def reviews(*, families: int = 4, products: int = 3, each: int = 24, seed: int = 0) -> Corpus:
    """Make reviews in which every family of products has its own words for good and bad."""
    rng = np.random.default_rng(seed)
    rows, shared = [], {kind: vocabulary(kind, 20) for kind in ("common", "good", "bad")}
    for family in range(families):
        own = {kind: vocabulary(f"{kind}{LETTERS[family]}", 12) for kind in ("good", "bad", "part")}
        for product in range(products):
            parts = vocabulary(f"item{LETTERS[family]}{LETTERS[product]}", 8)
            for _ in range(each):
                kind = "good" if rng.random() < 0.5 else "bad"
                words = [*rng.choice(shared["common"], 25), *rng.choice(own["part"], 12), *rng.choice(parts, 6)]
                words += [*rng.choice(own[kind], 2), *rng.choice(shared[kind], int(rng.random() < 0.5))]
                rng.shuffle(words)
                rows.append(
                    (" ".join(words), f"product {family}{product}", "positive" if kind == "good" else "negative")
                )
    texts, topics, labels = zip(*rows, strict=True)
    return make_corpus(texts, topics, authors=labels, predicts="sentiment", name="reviews")


@pytest.fixture(scope="module")
def study() -> NotebookStudy:
    return NotebookStudy.of(reviews(), encoder="lsa")


def written(path: Path, **columns: list[str]) -> Path:
    file = path / "reviews.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return file


def columns(label: list[str]) -> dict[str, list[str]]:
    count = len(label)
    topics = ["a" if row % 2 else "b" for row in range(count)]
    return {
        "text": [f"text {row}" for row in range(count)],
        "topic": topics,
        "author": ["x", *["y"] * (count - 1)],
        "label": label,
    }


def test_the_label_column_is_predicted_instead_of_the_author(tmp_path: Path):
    file = written(tmp_path, **columns(["up", "down", "up", ""]))
    corpus = read_corpus(file, label="label")
    assert (corpus.authors, corpus.predicts, corpus.class_word) == (["up", "down", "up", "(unknown)"], "label", "class")
    plain = read_corpus(file)
    assert plain.has_authors and plain.fingerprint != corpus.fingerprint
    assert take(corpus, np.array([0, 1])).predicts == "label"


@pytest.mark.parametrize(
    "label, sentence",
    [
        (["same"] * 4, "column 'label' is always 'same', so there is nothing to predict"),
        ([f"value {row}" for row in range(30)], "has another value in every row, so no class can be learned"),
        ([""] * 4, "column 'label' is empty, so there is nothing to predict"),
        ([f"{number / 7:.3f}" for number in range(30)], "has 30 different numbers. Group them into at most 20 classes"),
    ],
)
def test_labels_with_nothing_to_learn_are_refused(tmp_path: Path, label: list[str], sentence: str):
    with pytest.raises(InputError, match=sentence):
        read_corpus(written(tmp_path, **columns(label)), label="label")


def test_few_numbers_are_classes(tmp_path: Path):
    corpus = read_corpus(written(tmp_path, **columns(["1", "5", "3", "5"])), label="label")
    assert corpus.author_names == ("1", "3", "5")


def test_ratings_are_not_spellings_of_each_other(tmp_path: Path):
    corpus = read_corpus(written(tmp_path, **columns(["0.5", "5.0", "1.0", "5.0"])), label="label")
    assert not {"author-spellings", "like-authors"} & {each.code for each in audit(corpus).warnings}


def test_an_absent_label_names_the_columns(tmp_path: Path):
    with pytest.raises(LeakscopeError, match="no column 'labels' for the label. Did you mean 'label'"):
        read_corpus(written(tmp_path, **columns(["up", "down"])), label="labels")
    with pytest.raises(SettingError, match="cannot be both the topic and the label"):
        read_corpus(written(tmp_path, **columns(["up", "down"])), label="topic")


def test_documents_are_classified_and_pairs_are_not_asked_about():
    corpus = reviews(families=2, each=12)
    assert tasks_of(corpus) == {"attribution": "classification"}
    with pytest.raises(SettingError, match="this corpus predicts 'sentiment'"):
        make_pairs(corpus, np.arange(len(corpus)), seed=0)
    evaluation = evaluate(
        corpus, make_folds(corpus, scheme="topic-kfold", k=3, seed=0), task="attribution", models=["max_ent"]
    )
    assert all(run.problem is None for run in evaluation.runs)
    assert np.mean([score.values["accuracy"] for score in fold_scores(evaluation, corpus)]) > 0.6


def test_runs_are_called_classification(study: NotebookStudy):
    def later(pending: Pending) -> None:
        raise pending

    waiting = NotebookStudy.of(study.corpus, encoder="lsa")
    waiting.work = later
    with pytest.raises(Pending) as found:
        waiting.evaluate(("delta",), k=2)
    assert found.value.name == "Classification: 2 runs"


def test_similar_products_raise_the_accuracy_of_sentiment(study: NotebookStudy):
    data = ask(study, "curve").data
    assert data["controls"]["content"]["low"] > 0, "each family has its own words for good and bad"
    assert ask(study, "verdict").data["level"] == "leaks"


@pytest.mark.parametrize("question", [name for name in QUESTIONS if name not in ABOUT_AUTHORS])
def test_answers_speak_of_classes(study: NotebookStudy, question: str):
    answer = ask(study, question)
    said = [answer.headline, *answer.reasons, *(each.text for each in answer.cautions), *answer.next_steps]
    said += [f"{each.label} {each.value} {each.note} {each.help}" for each in answer.facts]
    said += [each.text for each in answer.lines] + [answer.methods, str(answer.settings)]
    for table in answer.tables:
        said += [table.title, table.note, table.frame.to_csv()]
    for drawing in answer.figures:
        said += [drawing.title, drawing.caption, drawing.alt, drawing.figure.to_json()]
    assert not [text for text in said if "author" in text.lower()]


def test_the_corpus_is_counted_in_classes(study: NotebookStudy):
    assert [each.value for each in ask(study, "corpus").facts if each.label in ("Topics", "Classes")] == ["12", "2"]


def test_a_label_that_is_constant_within_topics_is_named_as_such():
    corpus = reviews(families=2, each=12)
    families = [topic[:-1] for topic in corpus.topics]
    constant = make_corpus(corpus.texts, corpus.topics, authors=families, predicts="family", name="constant")
    study = NotebookStudy.of(constant, encoder="lsa")
    sentence = "Every topic has only one class, so nothing can be learned across topics."
    with pytest.raises(LeakscopeError, match=sentence):
        ask(study, "curve")
    assert any(sentence in each.text for each in ask(study, "verdict").lines)
    assert sentence in [caution.text.split(" Choose")[0] for caution in study.evaluate(("max_ent",), k=2).cautions]
    found = ask(study, "corpus")
    assert found.level == "warning" and "constant-label" in found.caution_codes()


def test_a_curve_of_a_label_that_is_constant_within_topics_is_refused_even_where_it_could_be_run():
    corpus = reviews(families=6, products=1, each=12)
    halves = ["ab"[int(topic[-2] in "024")] for topic in corpus.topics]
    constant = make_corpus(corpus.texts, corpus.topics, authors=halves, predicts="half", name="constant")
    study = NotebookStudy.of(constant, encoder="lsa")
    with pytest.raises(LeakscopeError, match="Every topic has only one class"):
        ask(study, "curve")


def test_a_label_with_thousands_of_values_is_a_problem_and_one_of_its_own_for_every_text_is_refused():
    count = 10_000
    texts, topics = [f"text {row}" for row in range(count)], [f"topic {row % 7}" for row in range(count)]
    pairs = [f"label {row // 2}" for row in range(count)]
    corpus = make_corpus(texts, topics, authors=pairs, predicts="label", name="many")
    (found,) = [each for each in audit(corpus).warnings if each.code == "many-classes"]
    assert (found.count, found.total) == (5_000, 5_000)
    with pytest.raises(InputError, match="has another value in every row, so no class can be learned"):
        make_corpus(texts, topics, authors=texts, predicts="label", name="many")


def test_pages_and_tables_use_the_words_of_the_corpus(study: NotebookStudy):
    assert words_of("Minimum documents per author", study.corpus) == "Minimum documents per class"
    assert words_of("Minimum documents per author", None) == "Minimum documents per author"
    columns = list(ask(study, "corpus").table("topics").frame.columns)
    assert columns[2:5] == ["classes", "largest class", "largest class's share"]
    assert "class" in ask(study, "topic_map").settings[0][1] or "author" not in str(ask(study, "topic_map").settings)


def test_a_report_is_headed_in_the_words_of_the_corpus(study: NotebookStudy):
    limited = NotebookStudy.of(study.corpus, encoder="lsa")
    limited.filters = {"min_documents_per_author": 2, "max_authors": None}
    report = make_report(limited, [("corpus", None)])
    assert dict(report.identity)["Classes"] == "2"
    assert {"Minimum documents per class", "Most frequent classes"} <= dict(report.settings).keys()
    assert "author" not in str(report.computed).lower()


@pytest.mark.parametrize(
    "said, reworded",
    [
        ("1 of 4 authors writes about only one topic.", "1 of 4 classes occurs in only one topic."),
        ("2 of 4 authors write about only one topic.", "2 of 4 classes occur in only one topic."),
        ("Merge the names that belong to one person.", "Merge the names that stand for one class."),
        ("Merge the names you know to be one person.", "Merge the names you know to be one class."),
    ],
)
def test_what_people_do_is_not_said_of_classes(study: NotebookStudy, said: str, reworded: str):
    assert words_of(said, study.corpus) == reworded


def test_no_warning_about_a_label_speaks_of_people(study: NotebookStudy):
    for code, each in WARNINGS.items():
        for said in (words_of(part, study.corpus) for part in (each.short, each.why, each.fix)):
            assert not any(word in said for word in ("person", "wrote", "write about")), (code, said)


def test_the_view_of_hits_counts_classes(study: NotebookStudy):
    assert study.every_m("cutting", 0.0).people == "classes"


def test_merged_topics_keep_the_label(study: NotebookStudy):
    assert study.setup("hits", 4, policy="grouping").corpus.predicts == "sentiment"


def test_what_a_run_cannot_do_is_said_of_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    one = {
        "text": [f"some words {row}" for row in range(8)],
        "topic": ["a"] * 4 + ["b"] * 4,
        "label": ["x"] * 6 + ["y"] * 2,
    }
    file = written(tmp_path, **one)
    main(["evaluate", str(file), "--label", "label", "--task", "attribution", "--models", "max_ent", "--k", "2"])
    assert "4 training documents in 1 class" in capsys.readouterr().err
    cost = Estimate(runs=1, seconds=1.0, memory=9e9, by_model={"max_ent": 9e9})
    room = no_room(read_corpus(file, label="label"), cost, task="attribution", allowed=1e9)
    assert room is not None and "each of 2 classes" in room.sentence


def test_the_calibration_of_pairs_needs_authors(study: NotebookStudy):
    with pytest.raises(SettingError, match="this corpus predicts 'sentiment'"):
        ask(study, "calibration")


def test_the_shortcut_test_needs_authors(study: NotebookStudy):
    with pytest.raises(SettingError, match="this corpus predicts 'sentiment'. Use the leakage curve"):
        ask(study, "shortcut")
