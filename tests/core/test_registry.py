"""One way to make what a registry names."""

from dataclasses import dataclass

import pytest

from core.errors import SettingError
from core.registry import make_from


@dataclass(frozen=True)
class Toy:
    size: int = 1

    def __post_init__(self) -> None:
        if self.size < 1:
            raise SettingError("too small")


@dataclass(frozen=True)
class Bare:
    pass


@dataclass(frozen=True)
class Kind:
    make: type


TOYS = {"toy": Kind(Toy), "bare": Kind(Bare)}


def test_a_name_with_its_settings():
    assert make_from(TOYS, "toy", "toy", {"size": 3}) == Toy(3)
    assert make_from(TOYS, "toy", "toy", {}) == Toy()


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("tyo", {}, "No toy is called 'tyo'. Did you mean 'toy'. Choose one of: bare, toy"),
        ("toy", {"colour": 1}, "'toy' has no setting 'colour'; it has: size."),
        ("bare", {"colour": 1}, "'bare' has no setting 'colour'; it has none."),
        ("toy", {"size": "big"}, "'toy' cannot use size='big' .*numbers are meant"),
        ("toy", {"size": 0}, "too small"),
    ],
)
def test_what_cannot_be_made_is_said(name, settings, words):
    with pytest.raises(SettingError, match=words):
        make_from(TOYS, "toy", name, settings)
