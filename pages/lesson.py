"""Lesson: what is topic leakage?"""

from pages.parts import lesson as parts
from pages.shared.controls import header

header(
    "What is topic leakage?",
    "Nine steps, about twenty minutes, on a fictional newspaper. Each step asks before it shows, because guessing first helps "
    "you remember.",
    section="What the lesson asks",
)
step = parts.choose_step()
if step == parts.SUMMARY:
    parts.summary()
else:
    parts.one_step(int(step))
parts.onward(step)
