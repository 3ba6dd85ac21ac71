"""Names that may be one author's: what is suggested, and above all what is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora.aliases import author_aliases


def suggested(*names, texts=None):
    found = author_aliases(names, np.array(texts or [1] * len(names)))
    return {group.names: group.sure for group in found}


@pytest.mark.parametrize(
    "names",
    [
        ("John Smith", "john smith"), ("John Smith", "Smith, John"), ("J.-P. Müller", "j p muller"),
        ("anne-marie", "Anne Marie"), ("Ольга Ёлкина", "ольга елкина"), ("O'Brien, Pat", "Pat O’Brien"),
    ],
)  # fmt: skip
def test_spellings_are_sure(names):
    assert suggested(*names) == {tuple(sorted(names)): True}


@pytest.mark.parametrize(
    "names",
    [
        ("J. Smith", "John Smith"), ("John A. Smith", "John Smith"), ("J. Smith", "John Smith", "Smith, J. A."),
        ("Jonathan Smith", "Jonathon Smith"), ("Elisabeth Hale", "Elizabeth Hale"), ("Roberts Ann", "Robetrs Ann"),
    ],
)  # fmt: skip
def test_initials_and_slips_are_likely(names):
    assert suggested(*names) == {tuple(sorted(names)): False}


@pytest.mark.parametrize(
    "names",
    [
        ("J. Smith", "John Smith", "Jane Smith"), ("John A. Smith", "John B. Smith"), ("John Smith", "Jane Smith"),
        ("author 11", "author 12"), ("Author Number 1", "Author Number 2"), ("ud37613d0d6", "ud37613d0d7"),
        ("Ann Lee", "Ann Lea"), ("Margaret Hale", "Margaret Halle"), ("smithson", "smithsen"), ("Prince", "P"), ("...", "---"), ("Jonathan Smith", "Jonahtna Smith"),
    ],
)  # fmt: skip
def test_others_are_not_suggested(names):
    assert suggested(*names) == {}


def test_the_name_with_most_texts_stays():
    assert suggested("J. Smith", "John Smith", "john smith", texts=[5, 1, 3]) == {
        ("john smith", "John Smith"): True,
        ("J. Smith", "john smith", "John Smith"): False,
    }


@given(
    st.lists(st.text("aAbB. ,", min_size=1, max_size=12), unique=True, max_size=12), st.randoms(use_true_random=False)
)
def test_groups_part_the_names_whatever_their_order(names, random):
    first = suggested(*names)
    assert suggested(*random.sample(names, len(names))) == first
    for sure in (True, False):
        members = [name for group, is_sure in first.items() if is_sure is sure for name in group]
        assert len(members) == len(set(members)) and set(members) <= set(names)
        assert all(len(group) > 1 for group in first)


def test_eight_thousand_random_names_have_nothing_in_common():
    rng = np.random.default_rng(0)
    names = [f"u{value:010x}" for value in rng.integers(0, 2**40, 8_000)]
    assert author_aliases(names, np.ones(8_000, dtype=np.int64)) == ()
