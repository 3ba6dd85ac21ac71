"""One way to write each kind of number."""

import pytest

from core.formats import interval, number, p_value, rank, share

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
        (share, 0.381, "38.1 %"),
        (share, 0.25678, "25.7 %"),
        (share, 1.0, "100.0 %"),
        (share, NAN, "–"),
        (p_value, 0.0312, "0.0312"),
        (p_value, 1e-9, "< 0.0001"),
        (p_value, None, "–"),
        (p_value, NAN, "–"),
    ],
)
def test_a_number_is_written_by_its_kind(form, value, said):
    assert form(value) == said


def test_an_interval_without_width_says_so():
    assert [interval(0.1, 0.25), interval(1.0, 1.0), interval(NAN, NAN)] == ["0.100 to 0.250", "no spread", "unknown"]
