"""Page, report, command line and Python give one answer: the same headline and the same numbers, on three corpora."""

import json
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.__main__ import main
from core.corpora.readers import read_corpus
from core.demo import RESULTS
from core.evaluation import ResultStore
from core.questions import ask
from core.report import asked_by, make_report, page_names
from core.study import Study
from core.vectors import embed, make_encoder
from tests.core.questions.studies import BLOG, bundled
from tests.pages.opened import headline, open_app, press, upload

COMMANDS = {"verdict": "verdict", "hits": "hits", "design": "design", "split": "split"}
PAGES = {"verdict": "overview", "corpus": "corpus", "topic_map": "topic_map", "hits": "hits", "design": "design"}
# Questions whose models' answers ship with the bundled corpus; on the others they would take minutes.
MODEL_COMMANDS = {"curve": "curve", "forecast": "forecast"}
MODEL_PAGES = {
    "split": "split",
    "curve": "accuracy",
    "ranking": "ranking",
    "shortcut": "shortcut",
    "significance": "significance",
    "trust": "trust",
}
VIEWS = {"accuracy": "topic by topic", "forecast": "forecast"}  # of Folds & accuracy


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


def test_the_command_line_and_python_give_the_same_data(case, capsys: pytest.CaptureFixture[str]):
    name, study, words = case
    for question, command in (COMMANDS | MODEL_COMMANDS if name == "bundled" else COMMANDS).items():
        if question == "split" and study.corpus.splits is None:
            continue
        assert main([command, *words, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        given = (
            {"m": len(study.corpus.topic_names)} if question == "hits" else {}
        )  # the command's default is all topics
        assert found == json.loads(json.dumps(ask(study, question, **given).data)), question


def test_the_report_holds_the_same_answers(case):
    name, study, _ = case
    pages = list(page_names()) if name == "bundled" else list(PAGES.values())
    report = make_report(study, asked_by(study, pages, {}))
    assert not report.left_out
    assert {answer.name for answer in report.answers} == {page_names()[page] for page in pages}
    for answer in report.answers:
        asked = ask(study, answer.name)
        assert (answer.headline, answer.data) == (asked.headline, asked.data), answer.name


def test_the_pages_show_the_same_headlines(case):
    name, study, words = case
    if name == "bundled":
        app = open_app()
    else:
        file = Path(words[0])
        app = press(upload((file.name, file.read_bytes())), "Use this corpus")
    for question, page in (PAGES | MODEL_PAGES if name == "bundled" else PAGES).items():
        app.switch_page(f"pages/{page}.py").run()
        shows(app, study, question)
    if name == "bundled":
        app.switch_page("pages/accuracy.py").run()
        for question, view in VIEWS.items():
            app.segmented_control(key="accuracy_view").set_value(view).run()
            shows(app, study, question)


def shows(app: AppTest, study: Study, question: str) -> None:
    """Check that the page that is open has the question's headline."""
    assert not app.exception, app.exception
    shown = [each.value.replace("\\", "") for each in app.subheader]
    assert any(ask(study, question).headline in value for value in shown), (question, shown)
    assert headline(app)
