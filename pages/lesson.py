"""Lesson: what is topic leakage? For its teacher: what does the class answer?"""

from pages.parts import lesson as parts
from pages.shared.widgets import header

SECTION = "What the lesson asks"

if parts.for_teacher():
    header(
        "What does the class answer?",
        "The answers of everybody who opened the lesson with `?class=1`.",
        section=SECTION,
        filtered=False,
    )
    parts.teacher()
else:
    header(
        "What is topic leakage?",
        "Nine steps, about twenty minutes, on a fictional newspaper. Each step asks before it shows, because guessing first helps "
        "you remember."
        if parts.at_start()
        else "",
        section=SECTION,
        filtered=False,
    )
    step = parts.choose_step()
    if step == parts.SUMMARY:
        parts.summary()
    else:
        parts.one_step(int(step))
    parts.onward(step)
