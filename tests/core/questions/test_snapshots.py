"""What every answer says, word for word, in one file a question.

After a change of wording: LEAKSCOPE_SNAPSHOTS=write pytest tests/core/questions/test_snapshots.py, and read the diff aloud.
A section whose corpus is gone is deleted by hand.
"""

import os
import re
from collections.abc import Callable
from functools import partial

import pytest

from core.errors import LeakscopeError
from core.questions import QUESTIONS, ask
from core.render import Answer
from tests.conftest import ROOT
from tests.core.questions.others import OTHERS
from tests.core.questions.studies import REAL_FILES, STUDIES, by_main_authors

FOLDER = ROOT / "tests" / "snapshots"
LONGEST_SENTENCE = 25  # words
SLOW = ("shuffled", *REAL_FILES)  # where models would run for minutes
RUN_MODELS = (
    "curve",
    "forecast",
    "accuracy",
    "novel",
    "calibration",
    "ranking",
    "shortcut",
    "significance",
    "trust",
)


def words_of(answer: Answer) -> str:
    """Return everything an answer says."""
    lines = [f"[{answer.level}] {answer.headline}", *(f"- {reason}" for reason in answer.reasons)]
    lines += [f"[{each.level}] {each.label}: {each.text}" for each in answer.lines]
    lines += [f"! {each.code}: {each.text}" for each in answer.cautions]
    lines += [] if answer.hero is None else [f"## {answer.hero.label}: {answer.hero.value} ({answer.hero.note})"]
    lines += [f"# {each.label}: {each.value} ({each.note})" for each in answer.facts]
    lines += [f"figure {each.title}: {each.caption}" for each in answer.figures]
    lines += [f"table {each.title}: {each.note}" for each in answer.tables]
    return "\n".join([*lines, *(f"> {step}" for step in answer.next_steps)])


def answers(name: str, *, quick: bool = False) -> dict[str, Callable[[], Answer]]:
    """Return a question's answers by what each is about; `quick` leaves out the real corpora, which take longest."""
    if name in OTHERS:
        return OTHERS[name]
    studies = [each for each in STUDIES if each not in REAL_FILES or (REAL_FILES[each].is_file() and not quick)]
    if name in RUN_MODELS:
        studies = [each for each in studies if each not in SLOW]
    return {study: partial(lambda study: ask(STUDIES[study](), name), study) for study in studies}


def said(make: Callable[[], Answer]) -> str:
    try:
        return words_of(make())
    except LeakscopeError as problem:
        return f"refused: {problem}"


@pytest.mark.parametrize("name", [*QUESTIONS, *OTHERS])
def test_answers_read_as_they_did(name: str):
    _compare(name, {about: said(make) for about, make in answers(name).items()})


@pytest.mark.slow
@pytest.mark.parametrize("corpus", [pytest.param(each, marks=pytest.mark.xdist_group(each)) for each in REAL_FILES])
@pytest.mark.parametrize("name", RUN_MODELS)
def test_answers_about_models_on_real_corpora_read_as_they_did(name: str, corpus: str, real_data):
    study = by_main_authors(REAL_FILES[corpus])
    _compare(name, {f"{corpus}, main authors": said(partial(ask, study, name))})


def _compare(name: str, found: dict[str, str]) -> None:
    file = FOLDER / f"{name}.txt"
    held = dict(re.findall(r"^== (.+)\n((?:(?!== ).*\n)*)", file.read_text(encoding="utf-8"), flags=re.MULTILINE))
    if os.environ.get("LEAKSCOPE_SNAPSHOTS") == "write":
        kept = {about: text.strip() for about, text in (held | found).items()}
        file.write_text("".join(f"== {about}\n{text}\n\n" for about, text in kept.items()), encoding="utf-8")
        return
    for about, text in found.items():
        assert text.strip() == held[about].strip(), f"{name} about {about}"


@pytest.mark.parametrize("name", [*QUESTIONS, *OTHERS])
def test_sentences_are_short(name: str):
    for make in answers(name, quick=True).values():
        try:
            answer = make()
        except LeakscopeError:
            continue
        assert len(answer.headline.split()) <= LONGEST_SENTENCE, answer.headline
        assert len(answer.reasons) <= 3
        for text in (
            answer.headline,
            *answer.reasons,
            *(each.text for each in answer.lines),
            *(each.text for each in answer.cautions),
        ):
            for sentence in re.split(r"(?<=[.!?]) ", text):
                assert len(sentence.split()) <= LONGEST_SENTENCE, sentence
