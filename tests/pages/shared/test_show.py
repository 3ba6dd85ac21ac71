"""What is shown in one way: labels and sentences as plain text. Figures, tables and documents: tests of the pages."""

import re

import pytest

from pages.shared.show import escaped, literal
from pages.shared.work import spoken_time

MARKS = r"\`*_{}[]()#+-.!|<>~:$&@"


@pytest.mark.parametrize("mark", MARKS)
def test_every_mark_of_a_label_is_taken_literally(mark):
    assert escaped(f"a{mark}b") == f"a\\{mark}b"


def test_a_label_of_several_lines_is_one_line():
    assert escaped("two\n\n# lines") == r"two \# lines"


def test_a_sentence_keeps_its_words_and_loses_its_marks():
    sentence = "row 2 (of 3): [x](http://a.b) *is* `empty`; fill it."
    assert re.sub(r"\\(.)", r"\1", literal(sentence)) == sentence
    assert not re.search(r"(?<!\\)[\[*`]", literal(sentence))


@pytest.mark.parametrize(("seconds", "spoken"), [(0.2, "1 s"), (89.4, "89 s"), (90, "2 min"), (600, "10 min")])
def test_times_are_said_as_one_says_them(seconds, spoken):
    assert spoken_time(seconds) == spoken
