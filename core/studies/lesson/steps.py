"""All steps of the lesson in their order, every number from the corpus; and the answers to them on one page, to print or hand in."""

import re
from collections.abc import Mapping, Sequence
from html import escape

from ..dial_grid import DialGrid
from .evidence import Evidence
from .facts import Lesson
from .model_steps import few_topics_prove_little, reads_topic_words, swap_the_twin_out, when_hits_changes_nothing
from .question import Judgement, LessonStep
from .topic_steps import a_random_split, a_topic_is_a_point, move_m, predict_the_leak, two_sisters

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#0e1621;background:#fff}"
    "h1{font-size:1.6rem}h2{font-size:1.1rem;margin:1.6rem 0 .3rem}p{margin:.3rem 0}section{break-inside:avoid}"
    ".said{border-left:3px solid #2c6faf;padding-left:.8rem}"
)


def lesson_steps(lesson: Lesson, evidence: Evidence, grid: DialGrid) -> tuple[LessonStep, ...]:
    """What each says, what it asks, and what is said to every answer."""
    return (
        a_topic_is_a_point(lesson),
        two_sisters(lesson),
        a_random_split(lesson),
        predict_the_leak(lesson),
        move_m(lesson),
        reads_topic_words(lesson, evidence),
        swap_the_twin_out(lesson, evidence),
        when_hits_changes_nothing(grid),
        few_topics_prove_little(),
    )


def summary_page(steps: Sequence[LessonStep], answers: Mapping[int, Judgement], *, corpus: str) -> str:
    """An HTML page: every step's question and, where it was answered, the answer, the right one and why; `answers` by place, from 0."""
    parts = [_step(number, step, answers.get(number - 1)) for number, step in enumerate(steps, start=1)]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>What is topic leakage?</title>'
        f"<style>{_STYLE}</style></head><body>\n<h1>What is topic leakage?</h1>\n<p>{escape(score_sentence(steps, answers))} "
        f"On the corpus {escape(corpus)}.</p>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def score_sentence(steps: Sequence[LessonStep], answers: Mapping[int, Judgement]) -> str:
    """How many were answered, and how many of these rightly."""
    right = sum(each.right for each in answers.values())
    return f"{len(answers)} of {len(steps)} questions answered, {right} of them as it turned out."


def _step(number: int, step: LessonStep, answer: Judgement | None) -> str:
    lines = [f"<h2>{number}. {_html(step.title)}</h2>", f"<p>{_html(step.question.text)}</p>"]
    if answer is None:
        lines.append("<p>Not answered yet.</p>")
    else:
        found = "as it is" if answer.right else f"it is: <strong>{_html(answer.truth)}</strong>"
        lines.append(f"<p>Your answer: <strong>{_html(answer.given)}</strong>; {found}.</p>")
        lines.append(f'<p class="said">{_html(answer.because)}</p>')
        lines.append(f"<p>{_html(step.told)}</p>")
    return f"<section>{''.join(lines)}</section>"


def _html(text: str) -> str:
    """A sentence with its emphasis, and nothing else, as mark-up."""
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", escape(text))
