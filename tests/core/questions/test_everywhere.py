"""Page, report, command line and Python give one answer: the same headline and the same numbers, on three corpora.

Models run on the bundled corpus, whose answers ship, and on nonsense, which is small; on the real one they would take minutes.
"""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.__main__ import main
from core.corpora.readers import read_corpus
from core.demo import RESULTS
from core.evaluation import ResultStore
from core.questions import ask, hits
from core.report import asked_by, make_report, page_names
from core.study import Study
from core.vectors import embed, make_encoder
from tests.core.questions.studies import BLOG, bundled
from tests.pages.opened import metrics, open_app, press, run_models, upload

COMMANDS = {"verdict": "verdict", "corpus": "audit", "hits": "hits", "design": "design", "split": "split"}
PAGES = {
    "verdict": "overview",
    "corpus": "corpus",
    "topic_map": "topic_map",
    "hits": "hits",
    "design": "design",
    "split": "split",
}
MODEL_COMMANDS = {"curve": "curve", "forecast": "forecast"}
MODEL_PAGES = {
    "curve": "accuracy",
    "ranking": "ranking",
    "shortcut": "shortcut",
    "significance": "significance",
    "trust": "trust",
}
VIEWS = {"accuracy": "topic by topic", "forecast": "forecast"}  # of Folds & accuracy
MEASURED = ("scores", "summary", "baselines")
RUN = [
    "evaluate",
    "--task",
    "attribution",
    "--k",
    "6",
]  # the command scores models, the page relates scores to similarity


def nonsense(folder: Path) -> Path:
    """Write a corpus whose topics mean nothing."""
    file = folder / "nonsense.csv"
    rows = [
        f"{number},word{number % 7} word{number % 5} again,writer {number % 4},topic {number % 6}"
        for number in range(72)
    ]
    file.write_text("id,text,author,topic\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return file


def shortened(corpus: Path, folder: Path) -> Path:
    """Write a corpus with the start of every text, which the models read in a fraction of the time."""
    frame = pd.read_parquet(corpus)
    frame.assign(text=frame["text"].str.slice(0, 800)).to_csv(folder / "blog.csv", index=False)
    return folder / "blog.csv"


@pytest.fixture(scope="module", params=["bundled", "18F blog", "nonsense"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Study, list[str]]:
    """Return a corpus's name, its study, and the words that name it on the command line."""
    if request.param == "bundled":
        return request.param, bundled(), ["demo"]
    if request.param == "18F blog" and not BLOG.is_file():
        pytest.skip("../shared/data is absent: the real corpora are not part of the project")
    folder = tmp_path_factory.mktemp("corpus")
    file = shortened(BLOG, folder) if request.param == "18F blog" else nonsense(folder)
    corpus = read_corpus(file)
    study = Study(corpus, embed(corpus, make_encoder("lsa")), results=ResultStore(shipped=RESULTS))
    return request.param, study, [str(file), "--encoder", "lsa"]


def questions(case: tuple[str, Study, list[str]], known: dict[str, str], of_models: dict[str, str]) -> dict[str, str]:
    """Return what this corpus can be asked: its own split where it has one, models where they take seconds."""
    name, study, _ = case
    found = known if name == "18F blog" else known | of_models
    return {
        question: place for question, place in found.items() if question != "split" or study.corpus.splits is not None
    }


def fresh(study: Study) -> Study:
    """Return the same study with nothing computed yet."""
    found = copy.copy(study)
    assert found is not study and not found._held
    return found


def commanded(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return what a command prints."""
    assert main([*words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_command_line_and_python_give_the_same_data(case, capsys: pytest.CaptureFixture[str]):
    name, study, words = case
    for question, command in questions(case, COMMANDS, MODEL_COMMANDS).items():
        found = commanded([command, *(words[:1] if command == "audit" else words)], capsys)
        answer = ask(study, question)
        if question == "hits":  # without --m the data has all topics
            answer = hits.answer(study, replace(hits.Settings.resolve(study), m=None))
        assert found == json.loads(json.dumps(answer.data)), question
    if name != "18F blog":
        found, asked = (
            commanded([RUN[0], *words, *RUN[1:]], capsys),
            json.loads(json.dumps(ask(study, "accuracy").data)),
        )
        assert found["scores"] and {key: found[key] for key in MEASURED} == {key: asked[key] for key in MEASURED}


def test_the_report_holds_the_same_answers(case):
    name, study, _ = case
    names = page_names()
    pages = [page for page in names if name != "18F blog" or names[page] in PAGES]
    asked = [page for page in pages if names[page] != "split" or study.corpus.splits is not None]
    report = make_report(fresh(study), asked_by(fresh(study), asked, {}))
    assert not report.left_out
    assert {answer.name for answer in report.answers} == {names[page] for page in asked}
    for answer in report.answers:
        found = ask(study, answer.name)
        assert (answer.headline, json.dumps(answer.data)) == (found.headline, json.dumps(found.data)), answer.name


def test_the_pages_show_the_same_headlines_and_numbers(case):
    name, study, words = case
    if name == "bundled":
        app = open_app()
    else:
        file = Path(words[0])
        app = press(upload((file.name, file.read_bytes())), "Use this corpus")
    for question, page in questions(case, PAGES, MODEL_PAGES).items():
        run_models(app.switch_page(f"pages/{page}.py").run())
        shows(app, study, question)
    if name != "18F blog":
        app.switch_page("pages/accuracy.py").run()
        for question, view in VIEWS.items():
            run_models(app.segmented_control(key="accuracy_view").set_value(view).run())
            shows(app, study, question)


def shows(app: AppTest, study: Study, question: str) -> None:
    """Check that the page that is open has the question's headline, its main number and no other value of any of its facts."""
    assert not app.exception, app.exception
    answer = ask(study, question)
    shown = [each.value.replace("\\", "") for each in app.subheader]
    assert any(answer.headline in value for value in shown), (question, shown)
    facts, numbers = {fact.label: fact.value for fact in answer.facts}, metrics(app)
    if answer.hero is not None:
        assert numbers[answer.hero.label] == answer.hero.value, question
    assert {label: numbers[label] for label in facts if label in numbers} == {
        label: value for label, value in facts.items() if label in numbers
    }, question
    if question != "hits":  # whose cards a browser draws
        assert not facts or answer.hero is not None or facts.keys() & numbers.keys(), question
