"""The one loop: nothing of the test side is learned from, order means nothing, and a fold that fails fails alone."""

from itertools import product

import numpy as np
import pytest

from core.arrays import digest
from core.corpora import make_corpus, take
from core.engine import remember_pace
from core.errors import SettingError
from core.evaluation import TASKS, NamedVectors, evaluate, missing_runs, topic_scores
from core.evaluation.run import longest_first, pace_name, run_units
from core.models.attribution import CLASSIFIERS
from core.models.verification import VERIFIERS
from core.splits import PAIRINGS, make_folds, make_pairs, topic_kfold
from core.splits.folds import fixed_split, leave_one_topic_out
from tests.core.spies import Log, Spy, corpus_of, rows_of, spy_kinds
from tests.core.stops import Enough, stop_when

BOTH = pytest.mark.parametrize("task", ["verification", "attribution"])
EVERY_MODEL = [(name, model) for name, task in TASKS.items() for model in task.models]


@pytest.fixture
def log(monkeypatch) -> Log:
    found = Log()
    verifier, classifier = spy_kinds(found)
    monkeypatch.setitem(VERIFIERS, "spy", verifier)
    monkeypatch.setitem(CLASSIFIERS, "spy", classifier)
    return found


def vectors_of(corpus):
    """A vector a document that depends on its id alone."""
    return np.array([np.random.default_rng([*identity.encode()]).normal(size=5) for identity in corpus.ids])


@BOTH
@pytest.mark.parametrize("scheme", ["topic-kfold", "leave-one-topic-out", "kfold"])
def test_models_learn_from_training_and_are_asked_about_test_documents_only(log, task, scheme):
    corpus = corpus_of(rows_of())
    folds = make_folds(corpus, scheme=scheme, k=3, seed=1)
    found = evaluate(corpus, folds, task=task, models=["spy"])
    assert len(found.runs) == len(log.fitted) == len(log.asked) == len(folds)
    for number, fold in enumerate(folds):
        train, test = (frozenset(corpus.texts[row] for row in side) for side in (fold.train, fold.test))
        learned = log.fitted[number] | (log.held[number] if log.held else frozenset())
        assert learned and learned <= train
        assert log.asked[number] and log.asked[number] <= test
        assert not learned & test
        questions = found.questions[number]
        assert np.isin(questions.lead, fold.test).all()
        if task == "verification":
            assert not log.fitted[number] & log.held[number]
            assert np.isin(questions.other, fold.test).all()
            authors = corpus.author_codes
            assert (questions.truth == (authors[questions.lead] == authors[questions.other])).all()
        else:
            assert learned == train and log.asked[number] == test
            assert (questions.truth == corpus.author_codes[questions.lead]).all()
            assert np.isin(found.runs[number].answers, corpus.author_codes[fold.train]).all()


@pytest.mark.parametrize(("task", "model"), EVERY_MODEL)
def test_a_test_text_moves_no_answer_but_its_own(task, model):
    rows = rows_of(topics=4, authors=3, each=3)
    changed = [dict(row) for row in rows]
    changed[0]["text"] = "zebra quagga okapi " * 40
    answers = []
    for version in (rows, changed):
        corpus = corpus_of(version)
        folds = fixed_split(corpus, labels=["test" if row["topic"] == "topic 0" else "train" for row in version])
        vectors = vectors_of(corpus)
        vectors[0] += 9.0 * (version is changed)
        found = evaluate(corpus, folds, task=task, models=[model], vectors=NamedVectors(vectors))
        assert found.runs[0].problem is None
        questions = found.questions[0]
        elsewhere = (questions.lead != 0) & (questions.other != 0 if questions.other is not None else True)
        answers.append(found.runs[0].answers[elsewhere])
    assert len(answers[0]) > 3
    assert (answers[0] == answers[1]).all()


@pytest.mark.parametrize(("task", "model"), EVERY_MODEL)
def test_the_order_of_the_file_means_nothing(task, model):
    corpus = corpus_of(rows_of(topics=4, authors=3, each=3))
    scores = []
    for seed in (None, 1):
        order = np.arange(len(corpus)) if seed is None else np.random.default_rng(seed).permutation(len(corpus))
        shuffled = take(corpus, order)
        folds = topic_kfold(shuffled, k=2, seed=0)
        found = evaluate(shuffled, folds, task=task, models=[model], vectors=NamedVectors(vectors_of(shuffled)))
        scores.append(
            {
                (score.fold, shuffled.topic_names[score.topics[0]]): tuple(score.values.items())
                for score in topic_scores(found, shuffled)
            }
        )
    assert len(scores[0]) == 4
    assert scores[0].keys() == scores[1].keys()
    for place, values in scores[0].items():
        assert repr(values) == repr(scores[1][place])  # equal to the last digit, NaN included


@BOTH
def test_runs_come_models_by_folds_and_a_model_named_twice_runs_once(log, task):
    corpus = corpus_of(rows_of())
    found = evaluate(corpus, topic_kfold(corpus, k=3, seed=0), task=task, models=["spy", "topic_fit", "spy"])
    assert found.models == ("spy", "topic_fit")
    assert [(run.model, run.fold) for run in found.runs] == [(m, f) for m in found.models for f in range(3)]
    assert [run.fold for run in found.of("topic_fit")] == [0, 1, 2]
    assert found.fresh == 6
    assert all("Spied." in run.notes for run in found.of("spy"))
    for run in found.runs:
        with pytest.raises(ValueError, match="read-only"):
            run.answers[0] = 0


def test_texts_without_an_author_are_neither_learned_from_nor_asked_about(log):
    rows = rows_of()
    for row in rows[::5]:
        row["author"] = ""
    corpus = corpus_of(rows)
    unknown = {row["text"] for row in rows[::5]}
    for task in TASKS:
        found = evaluate(corpus, topic_kfold(corpus, k=3, seed=0), task=task, models=["spy"])
        assert all(run.problem is None for run in found.runs)
        assert any("without a" in note and "author" in note for note in found.runs[0].notes)
    for shown in (*log.fitted, *log.held, *log.asked):
        assert not shown & unknown


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_both_sides_are_paired_as_asked(log, monkeypatch, pairing):
    shown = []
    fit = Spy.fit

    def noted(self, documents, pairs, *, held, seed):
        shown.append((pairs, held))
        return fit(self, documents, pairs, held=held, seed=seed)

    monkeypatch.setattr(Spy, "fit", noted)
    corpus = corpus_of(rows_of())
    folds = topic_kfold(corpus, k=3, seed=0)
    found = evaluate(corpus, folds, task="verification", models=["spy"], pairing=pairing)
    assert found.pairing == pairing and len(shown) == 3
    for fold, questions, parts in zip(folds, found.questions, shown, strict=True):
        assert {part.kind for part in parts} == {pairing}
        number = [each is fold for each in folds].index(True)
        asked = make_pairs(corpus, fold.test, seed=number, kind=pairing)
        for one, two in ((questions.lead, asked.first), (questions.other, asked.second), (questions.truth, asked.same)):
            assert one.tolist() == two.tolist()


def test_a_test_side_by_nobody_known_says_so(log):
    rows = rows_of(topics=3)
    for row in rows[:6]:
        row["author"] = ""
    corpus = corpus_of(rows)
    found = evaluate(corpus, leave_one_topic_out(corpus), task="attribution", models=["spy"])
    assert [run.problem for run in found.runs] == ["None of the 6 test texts has a known author.", None, None]


def test_a_fold_that_cannot_be_run_gives_its_sentence_and_the_others_show(log):
    rows = rows_of(topics=4, authors=3, each=2)
    for number, row in enumerate(rows[:6]):
        row["author"] = "author 0"  # topic 0: one author
        rows[6 + number]["author"] = f"once {number}"  # topic 1: every author has one text
    corpus = corpus_of(rows)
    folds = leave_one_topic_out(corpus)
    paired = evaluate(corpus, folds, task="verification", models=["spy", "char_ngram"])
    for model in ("spy", "char_ngram"):
        problems = [run.problem for run in paired.of(model)]
        assert "test side" in problems[0] and "1 author" in problems[0]
        assert "test side" in problems[1] and "its own author" in problems[1]
        assert problems[2:] == [None, None]
        assert [len(run.answers) > 0 for run in paired.of(model)] == [False, False, True, True]
    # To name authors one by one, topic 0 serves; of topic 1 no author is known from training.
    problems = [run.problem for run in evaluate(corpus, folds, task="attribution", models=["spy"]).runs]
    assert "No author of the 6 test texts is in training" in problems[1]
    assert [problems[0], *problems[2:]] == [None] * 3


@BOTH
def test_a_training_side_by_one_author_gives_its_sentence(task):
    rows = rows_of(topics=3)
    for row in rows[6:]:
        row["author"] = "author 0"
    corpus = corpus_of(rows)
    model = "char_ngram" if task == "verification" else "max_ent"
    runs = evaluate(corpus, leave_one_topic_out(corpus), task=task, models=[model]).runs
    assert "author" in runs[0].problem and len(runs[0].answers) == 0
    if task == "attribution":
        assert [run.problem for run in runs[1:]] == [None, None]


def test_a_model_without_its_vectors_says_so_and_the_others_show():
    corpus = corpus_of(rows_of())
    found = evaluate(
        corpus, topic_kfold(corpus, k=2, seed=0), task="verification", models=["sbert_cosine", "char_ngram"]
    )
    assert all("embed them" in run.problem for run in found.of("sbert_cosine"))
    assert all(run.problem is None for run in found.of("char_ngram"))


def test_progress_counts_runs_and_stopping_is_not_a_fold_that_failed(log):
    corpus = corpus_of(rows_of())
    folds = topic_kfold(corpus, k=3, seed=0)
    steps = []
    evaluate(corpus, folds, task="attribution", models=["spy"], progress=lambda *step: steps.append(step))
    assert [(done, total) for done, total, _, _ in steps] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert steps[1][2] == "Spy, fold 2 of 3" and steps[0][3] is None and steps[1][3] >= 0
    with pytest.raises(Enough):
        evaluate(corpus, folds, task="attribution", models=["spy"], progress=stop_when(lambda: True))


def test_a_model_that_is_stopped_stops_the_evaluation(log, monkeypatch):
    def stop(*_: object, **__: object) -> None:
        raise Enough

    monkeypatch.setattr(Spy, "fit", stop)
    corpus = corpus_of(rows_of())
    with pytest.raises(Enough):
        evaluate(corpus, topic_kfold(corpus, k=3, seed=0), task="attribution", models=["spy"])


def test_refusals():
    corpus = corpus_of(rows_of())
    folds = topic_kfold(corpus, k=2, seed=0)
    for ask in (evaluate, missing_runs):
        with pytest.raises(SettingError, match="Did you mean 'attribution'"):
            ask(corpus, folds, task="atribution", models=["max_ent"])
        with pytest.raises(SettingError, match="No model is chosen"):
            ask(corpus, folds, task="attribution", models=[])
        with pytest.raises(SettingError, match="Did you mean 'max_ent'"):
            ask(corpus, folds, task="attribution", models=["maxent"])
        with pytest.raises(SettingError, match="Did you mean 'matched'"):
            ask(corpus, folds, task="verification", models=["char_ngram"], pairing="mached")
        anonymous = make_corpus(corpus.texts, corpus.topics)
        with pytest.raises(SettingError, match="names no authors"):
            ask(anonymous, folds, task="attribution", models=["max_ent"])


def test_the_longest_runs_start_first_as_far_as_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    rows = rows_of()
    rows[-1]["author"] = "who wrote nothing else"  # so that the fold that asks about it tells fewer authors apart
    corpus = corpus_of(rows)
    folds = leave_one_topic_out(corpus)
    pairs = list(product((TASKS["attribution"].make(name) for name in ("char_svm", "topic_fit")), range(len(folds))))
    missing = list(range(1, len(pairs)))
    assert longest_first(corpus, "attribution", folds, pairs, missing) == missing
    remember_pace(pace_name("attribution", "topic_fit"), 1.0, 9.0)
    remember_pace(pace_name("attribution", "char_svm"), 1.0, 1.0)
    found = longest_first(corpus, "attribution", folds, pairs, missing)
    assert sorted(found) == missing
    seconds = [
        (9.0 if pairs[index][0].name == "topic_fit" else 1.0) * run_units("attribution", corpus, folds)[pairs[index][1]]
        for index in found
    ]
    assert seconds == sorted(seconds, reverse=True) and len(set(seconds)) > 2


@BOTH
def test_asked_again_no_document_is_looked_at_again(task, monkeypatch):
    """A page asks on every redraw, of a dozen samples: of 200,000 documents that took 13 seconds each time."""
    whole, hashed = corpus_of(rows_of()), []
    parts = [take(whole, np.flatnonzero(np.arange(len(whole)) % 12 != left)) for left in range(12)]
    jobs = [(part, topic_kfold(part, k=2, seed=0)) for part in parts]

    def ask():
        hashed.clear()
        return [missing_runs(part, folds, task=task, models=["topic_fit"]) for part, folds in jobs]

    monkeypatch.setattr("core.evaluation.run.digest", lambda content: hashed.append(1) or digest(content))
    first = ask()
    assert len(hashed) > 11 * len(whole)
    assert ask() == first
    assert len(hashed) == 2 * len(jobs), "the key of each run"
