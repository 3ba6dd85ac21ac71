"""Every recipe of CONTRIBUTING.md works: one file, its import and a line, and page, command line, report and contract tests follow."""

import ast
import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from numpy.typing import ArrayLike
from streamlit.testing.v1 import AppTest

from core.__main__ import parser
from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.evaluation import ResultStore
from core.models.attribution import CLASSIFIERS
from core.models.verification import VERIFIERS
from core.report import asked_by, make_report
from core.splits import split_kinds
from core.statistics import TESTS
from core.study import Study
from core.vectors import ENCODERS, embed, make_encoder
from tests.conftest import ROOT
from tests.core.command_runs import answered, written
from tests.core.made_corpora import made
from tests.core.topics import test_sampling
from tests.recipes import recipes

RECIPES = recipes()
NAMES = {
    "ENCODERS": "letters",
    "VERIFIERS": "punctuation",
    "CLASSIFIERS": "endings",
    "FOLD_SCHEMES": "author-kfold",
    "SAMPLERS": "by-name",
    "TESTS": "randomisation",
}
# The tests that read a registry: by the name they are given, or by going through all of it.
CONTRACTS = {
    "tests/core/vectors/test_encoders.py": "letters",
    "tests/core/models/verification/test_contract.py": "punctuation",
    "tests/core/models/attribution/test_contract.py": "endings",
    "tests/core/splits/test_folds.py": "author-kfold or cap_holds",
    "tests/core/statistics/test_compare.py": "randomisation or mirrors or scale_of_scores or ever_nan",
}
case = test_sampling.case


@pytest.fixture(scope="module", autouse=True)
def added() -> Iterator[None]:
    """All recipes carried out; no page remembers what it computed before or with them."""
    st.cache_resource.clear()
    with pytest.MonkeyPatch.context() as patch:
        for recipe in RECIPES.values():
            patch.delitem(sys.modules, recipe.file.removesuffix(".py").replace("/", "."), raising=False)
            registry, name, value = recipe.entry()
            patch.setitem(registry, name, value)
        yield
    st.cache_resource.clear()


def test_there_is_a_recipe_for_every_registry():
    assert {registry: recipe.entry()[1] for registry, recipe in RECIPES.items()} == NAMES
    for recipe in RECIPES.values():
        assert (ROOT / recipe.holder).is_file()
        assert not (ROOT / recipe.file).exists(), "a recipe shows something that is not there yet"
        assert max(map(len, recipe.code.splitlines())) <= 120


@pytest.fixture(scope="module")
def contracts() -> subprocess.CompletedProcess[str]:
    """The contract tests of every registry, in one process that has all recipes."""
    wanted = " or ".join(CONTRACTS.values())
    options = ["-q", "-rp", "-p", "tests.recipes", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", wanted]
    command = [sys.executable, "-m", "pytest", *options, *CONTRACTS]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=280)


def test_the_contract_tests_take_it_in_and_pass(contracts: subprocess.CompletedProcess[str]):
    assert contracts.returncode == 0, contracts.stdout + contracts.stderr
    for file, names in CONTRACTS.items():
        name = names.split(" or ")[0]
        assert re.search(rf"^PASSED {file}::\S*{name}", contracts.stdout, flags=re.MULTILINE), contracts.stdout


@pytest.mark.parametrize("m", [1, 5])
def test_the_contract_of_samplers_holds(case, m: int):
    test_sampling.test_a_setup_is_the_sampled_topics_with_their_own_vectors_and_similarities(case, "by-name", m)


def test_encoders_and_samplers_are_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = written(tmp_path)
    hits, _ = answered(capsys, "hits", file, "--encoder", "letters", "--m", "3")
    assert len(hits["selected"]) == 3
    sampled, _ = answered(capsys, "folds", file, "--encoder", "letters", "--sampler", "by-name", "--m", "3", "--k", "3")
    topics = {topic for fold in sampled["folds"] for topic in fold["test"]}
    assert topics == {"bread", "cakes", "comets"}


def test_samplers_are_ways_to_split_on_the_command_line_and_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file, target, page = written(tmp_path), tmp_path / "folds.csv", tmp_path / "report.html"
    asked = ("design", file, "--encoder", "lsa", "--k", "3", "--out", str(target), "--take", "by-name")
    found, _ = answered(capsys, *asked)
    assert list(found["options"]) == [*split_kinds()] and found["options"]["by-name"]["m"] >= 3
    assert {option["m"] for option in found["all_options"] if option["kind"] == "by-name"} == {3, 4, 5, 6}
    assert found["taken"] == f"By name, m = {found['options']['by-name']['m']}"
    assert len(target.read_text(encoding="utf-8").splitlines()) == 1 + found["options"]["by-name"]["documents"]
    answered(capsys, "report", file, "--encoder", "lsa", "--pages", "design", "--out", str(page))
    assert "By name, m = " in page.read_text(encoding="utf-8")


def test_models_and_schemes_are_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = written(tmp_path)
    attribution = ("--task", "attribution", "--models", "endings", "--scheme", "topic-kfold", "--k", "2")
    found, _ = answered(capsys, "evaluate", file, *attribution)
    assert {score["model"] for score in found["scores"]} == {"endings"}
    verification = ("--task", "verification", "--models", "punctuation", "--scheme", "author-kfold", "--k", "2")
    found, _ = answered(capsys, "evaluate", written(tmp_path, authors=6, each=12), *verification)
    assert {score["model"] for score in found["scores"]} == {"punctuation"}
    assert len(found["scores"]) == 2


def test_a_report_cites_the_work_of_the_encoder():
    corpus = made()
    study = Study(corpus, embed(corpus, make_encoder("letters")))
    found = make_report(study, asked_by(study, ["corpus"], {}))
    assert ("Encoder", "Letters") in found.settings and found.computed[0].startswith(
        "Documents became vectors with Letters"
    )
    assert "Shannon" in found.references[1]


def test_a_report_cites_the_works_of_the_models_that_it_shows(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(VERIFIERS, "punctuation", replace(VERIFIERS["punctuation"], reference="A. Mark. Commas. 2026."))
    corpus = made(6, 12, authors=4)
    choices = {"accuracy": {"task": "verification", "models": ["punctuation"], "k": 2}}
    for pages, cited in ((["corpus", "accuracy"], True), (["corpus"], False)):
        study = Study(corpus, embed(corpus, make_encoder("letters")))
        found = make_report(study, asked_by(study, pages, choices))
        assert not found.left_out and ("A. Mark. Commas. 2026." in found.references) == cited


def test_nothing_is_recognised_by_its_name():
    """A comparison with the name of an encoder or a model would leave out the next one; a field of its line would not."""
    names = {*ENCODERS, *VERIFIERS, *CLASSIFIERS} - {"model"}  # a word that files and columns have too
    found = []
    for file in (*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            sides = (node.left, *node.comparators) if isinstance(node, ast.Compare) else ()
            plain = [side.value for side in sides if isinstance(side, ast.Constant)]
            found += [f"{file.name}:{node.lineno}: {value}" for value in plain if value in names]
    assert not found
    assert "letters" in names, "the recipes are carried out"


def test_tests_are_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "scores.csv"
    with file.open("w", newline="") as target:
        csv.writer(target).writerows([("A", "B"), *((0.8 + 0.01 * row, 0.6 + 0.02 * (row % 3)) for row in range(9))])
    found, _ = answered(capsys, "compare", str(file), "--a", "A", "--b", "B")
    # Nine differences of one sign: 2 of 512 ways to draw signs are as large.
    assert found["tests"]["randomisation"]["p"] == pytest.approx(2 / 512, abs=0.002)


def test_the_help_names_them(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        parser().parse_args(["evaluate", "--help"])
    shown = capsys.readouterr().out
    for registry in ("ENCODERS", "VERIFIERS", "CLASSIFIERS", "FOLD_SCHEMES", "SAMPLERS"):
        assert NAMES[registry] in re.sub(r"-\n\s*", "-", shown)


def open_page(name: str, **query: str) -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    for key, value in query.items():
        app.query_params[key] = value
    app.switch_page(f"pages/{name}.py").run()
    assert not app.exception, app.exception
    return app


def test_the_pages_offer_them():
    app = open_page("accuracy", accuracy_view="topic by topic")
    assert "Letters" in app.selectbox(key="encoder").options
    assert "- **Letters**: How often each letter occurs" in app.selectbox(key="encoder").help
    assert "Author k-fold" in app.selectbox(key="run_scheme").options
    assert "Word endings" in app.multiselect(key="run_models_attribution").options
    assert "by name" in app.selectbox(key="run_sampler").options
    app = open_page("design")
    choice = app.selectbox(key="design_choice")
    choice.set_value("By name, m = 12").run()
    assert not app.exception and "12 topics were chosen (by name: the first topics by name)" in "".join(
        block.value for block in app.code
    )
    next(button for button in app.button if button.label == "Run models on this split").click().run()
    assert (app.session_state["run_sampler"], app.session_state["run_m"]) == ("by-name", 12)
    app = open_page("accuracy", accuracy_view="topic by topic", run_task="verification")
    assert "Punctuation" in app.multiselect(key="run_models_verification").options


@pytest.fixture
def demanding(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[tuple[int, ...]]]:
    """The new test twice more, needing the sizes of folds and the weights of rows; and the sizes of what each was given."""
    _, _, plain = RECIPES["TESTS"].entry()
    given: dict[str, set[tuple[int, ...]]] = {"needs_sizes": set(), "needs_weights": set()}
    for need in given:

        def run(a: ArrayLike, b: ArrayLike, *, names: tuple[str, str], need: str = need, **more: ArrayLike) -> object:
            given[need].add((np.size(a), *(np.size(more[name]) for name in sorted(more))))
            return replace(plain.run(a, b, names=names), name=need)

        monkeypatch.setitem(TESTS, need, replace(plain, name=need, label=f"Made, {need}", run=run, **{need: True}))
    st.cache_resource.clear()
    return given


def test_page_and_report_run_the_new_test_whatever_it_needs(
    monkeypatch: pytest.MonkeyPatch, demanding: dict[str, set[tuple[int, ...]]]
):
    monkeypatch.delitem(CLASSIFIERS, NAMES["CLASSIFIERS"])  # the shipped answers suffice without a new model
    app = open_page("significance")
    shown = list(max((each.value for each in app.dataframe if "test" in each.value), key=len)["test"])
    assert {"Randomisation", "Made, needs_sizes", "Made, needs_weights"} < set(shown)
    assert len(shown) == len(TESTS)
    captions = "\n".join(element.value for element in app.caption)
    assert "Weighted t-test and Made, needs_weights" in captions, "which tests count rows by their documents"

    folds_and_sizes, topics_and_weights = (6, 1, 1), (24, 24)
    assert folds_and_sizes in demanding["needs_sizes"] and topics_and_weights in demanding["needs_weights"]

    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    study = Study(corpus, vectors, results=ResultStore(shipped=RESULTS))
    (answer,) = make_report(study, asked_by(study, ["significance"], {})).answers
    assert list(answer.tables[0].frame["test"]) == shown
