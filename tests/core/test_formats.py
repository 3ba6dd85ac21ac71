"""One way to write each kind of number."""

import ast
import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.formats import (
    counted,
    first_few,
    first_that_fit,
    interval,
    listed,
    number,
    one_line,
    percent,
    rank,
    share,
    shortened,
    some_or_all,
    told_apart,
)
from tests.conftest import ROOT

NAN = float("nan")


@pytest.mark.parametrize(
    ("form", "value", "said"),
    [
        (number, -0.25, "−0.250"),
        (number, None, "–"),
        (number, NAN, "–"),
        (rank, 4.0, "4"),
        (rank, 2.5, "2.5"),
        (rank, 2.1667, "2.2"),
        (rank, 10.0, "10"),
        (rank, NAN, "–"),
        (share, 0.381, "38.1%"),
        (share, 0.25678, "25.7%"),
        (share, 1.0, "100.0%"),
        (share, NAN, "–"),
    ],
)
def test_a_number_is_written_by_its_kind(form, value, said):
    assert form(value) == said


def test_an_interval_without_width_says_so():
    assert [interval(0.1, 0.25), interval(1.0, 1.0), interval(NAN, NAN)] == ["0.100 to 0.250", "no spread", "unknown"]


@pytest.mark.parametrize(
    ("names", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_names_are_listed_as_one_says_them(names, said):
    assert listed(names) == said
    assert first_few(names, 3) == said, "all of them, where they are no more"


def test_of_many_names_the_first_are_said_and_how_many_more():
    names = [f"t{number}" for number in range(1_503)]
    assert first_few(names, 3) == "t0, t1, t2 and 1,500 more"
    assert first_few(names[:4], 2, between=" · ") == "t0 · t1 and 2 more"
    assert first_few(names[:2], 2, between=" · ") == "t0 · t1"
    assert first_that_fit(names, 3, longest=10) == "t0, t1 and 1,501 more", "no more than these characters hold"
    assert first_that_fit(names, 3, longest=1) == "t0 and 1,502 more", "one at least"


def test_things_are_counted_in_words():
    assert [counted(number, "page") for number in (0, 1, 2, 1_200)] == ["0 pages", "1 page", "2 pages", "1,200 pages"]


SOURCES = sorted(file for folder in ("core", "pages") for file in (ROOT / folder).rglob("*.py"))


def spaced_percents(source: str) -> list[str]:
    """Return texts in which a space stands between a number and its per cent sign."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += re.findall(r".{0,30}\d %(?![{\w(])", node.value)
        if isinstance(node, ast.JoinedStr):
            for value, text in pairwise(node.values):
                if isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant):
                    found += re.findall(r"^ %(?![{\w(]).{0,30}", str(text.value))
    return found


def test_a_percentage_has_no_space_anywhere():
    spaced = {file.relative_to(ROOT).as_posix(): spaced_percents(file.read_text(encoding="utf-8")) for file in SOURCES}
    assert not {file: found for file, found in spaced.items() if found}


@pytest.mark.parametrize("source", ['"38 % of"', '"80 %"', 'f"{x} %"', 'f"{x:.0f} % of"', '"5 to 95 %, all"'])
def test_the_check_finds_a_space_before_the_sign(source):
    assert spaced_percents(source)


@pytest.mark.parametrize(
    "source", ['"38% of"', '"%{x:.2f}"', '"F1 %{y:.3f}"', 'f"{x} %{{y}}"', '"%d %%"', '"%.3f" % 2', 'f"{x}%"', "7 % 2"]
)
def test_the_check_passes_what_is_no_spaced_percentage(source):
    assert not spaced_percents(source)


def test_a_share_is_written_in_whole_per_cent_or_with_one_decimal():
    assert (percent(0.384), share(0.384), percent(float("nan"))) == ("38%", "38.4%", "–")


def test_the_first_of_many_names_are_written_in_one_way():
    by_hand = re.compile(r" and \{[^}]+\} more\b")
    found = [file for file in SOURCES if by_hand.search(file.read_text(encoding="utf-8"))]
    assert [file.relative_to(ROOT).as_posix() for file in found] == ["core/formats.py"]


COURTS = [
    "judicial administration: collateral estoppel or res judicata",
    "judicial administration: jurisdiction or authority of federal …",
    "judicial administration: jurisdiction or authority of federal … (2)",
    "judicial administration: untimely filing",
    "federal and some few state regulation of transportation",
    "federal and some few state regulation of public utilities",
    "federal or state regulation of transportation: railroad",
    "federal or state regulation of securities",
    "line-up",
]


@given(st.lists(st.text(alphabet="ab …\n", max_size=40), max_size=12), st.integers(8, 30))
@example(COURTS, 20)
@example(COURTS, 22)
def test_names_cut_together_fit_and_differ_where_the_names_do(names, longest):
    labels = shortened(names, longest)
    assert all(len(label) <= longest for label in labels)
    whole = [" ".join(name.split()) for name in names]
    for name, label in zip(whole, labels, strict=True):
        assert len({other for other, same in zip(whole, labels, strict=True) if same == label}) == 1
        assert "…" in label or label.endswith(")") or label == name


def test_names_cut_to_the_same_beginning_show_what_tells_them_apart():
    first, _, second, fourth, *_, short = shortened(COURTS, 22)
    assert (first, fourth, short) == ("judicial…collateral e…", "judicial…untimely fil…", "line-up")
    assert second.endswith("(2)")
    assert shortened(COURTS[3:5], 22) == ["judicial administrati…", "federal and some few…"], "no need, no change"


def test_where_all_are_shown_no_largest_are_spoken_of():
    assert some_or_all(25, 1_200, "most frequent", "author") == "the 25 most frequent of 1,200 authors"
    assert some_or_all(24, 24, "largest", "topic") == "all 24 topics"
    assert some_or_all(1, 1, "largest", "topic") == "the one topic"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("food markets", "food markets"),
        ("a\nlevel: clear\tb\u2028c", "a level: clear b c"),
        ("\x1b[31mred\x07\x00", "[31mred"),
        ("a\u202eb\ud800", "ab"),
        ("می\u200cخواهم 👩\u200d🔬", "می\u200cخواهم 👩\u200d🔬"),
    ],
)
def test_a_name_stays_on_one_line(text, line):
    assert one_line(text) == line


def test_two_numbers_are_told_apart_where_they_differ():
    assert told_apart(0.5391, 0.5412) == ("0.539", "0.541")
    assert told_apart(0.5, 0.5) == ("0.50", "0.50") and told_apart(0.2, 0.6) == ("0.20", "0.60")
