"""Lesson: what is topic leakage?"""

from pages.parts import lesson as parts
from pages.shared.controls import header

header(
    "What is topic leakage?",
    "Eight steps and about twenty minutes, on a newspaper that never was. Every step asks before it shows: a wrong guess is the "
    "better way to remember.",
    section="What the lesson asks",
)
step = parts.choose_step()
if step == parts.SUMMARY:
    parts.summary()
else:
    parts.one_step(int(step))
parts.onward(step)
