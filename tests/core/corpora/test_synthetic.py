"""The synthetic corpora: what each dial turns, and nothing else."""

import numpy as np
import pytest

from core.corpora import dial_corpus
from core.errors import SettingError


def words_of(corpus) -> dict[str, set[str]]:
    """Every topic's vocabulary."""
    found: dict[str, set[str]] = {}
    for topic, text in zip(corpus.topics, corpus.texts, strict=True):
        found.setdefault(topic, set()).update(text.lower().replace(".", "").split())
    return found


def overlap(corpus, *, sisters: bool) -> float:
    """Mean share of words in common over pairs of topics of one family, or of two."""
    words = words_of(corpus)
    pairs = [
        len(words[one] & words[two]) / len(words[one] | words[two])
        for one in words
        for two in words
        if one < two and (one.split()[0] == two.split()[0]) == sisters
    ]
    return float(np.mean(pairs))


def families_an_author(corpus) -> float:
    """The mean share of an author's texts in the family they write most in."""
    families = np.array([topic.split()[0] for topic in corpus.topics])
    authors = np.array(corpus.authors)
    counts = [np.unique(families[authors == author], return_counts=True)[1] for author in set(authors)]
    return float(np.mean([each.max() / each.sum() for each in counts]))


def test_it_is_the_same_everywhere_and_another_with_another_seed():
    one, two = (dial_corpus(shared=0.5, loyal=0.5) for _ in range(2))
    assert one.fingerprint == two.fingerprint != dial_corpus(shared=0.5, loyal=0.5, seed=1).fingerprint
    assert (len(one), len(one.topic_names), len(one.author_names)) == (960, 32, 16)


def test_each_dial_turns_one_thing():
    none, shared, loyal = (dial_corpus(shared=a, loyal=b) for a, b in ((0, 0), (0.8, 0), (0, 0.8)))
    assert overlap(none, sisters=True) == pytest.approx(overlap(none, sisters=False), abs=0.02)
    assert overlap(shared, sisters=True) > 1.4 * overlap(shared, sisters=False)
    assert overlap(loyal, sisters=True) == pytest.approx(overlap(none, sisters=True), abs=0.02)
    assert families_an_author(none) == pytest.approx(families_an_author(shared), abs=0.05)
    assert families_an_author(loyal) > 3 * families_an_author(none)


@pytest.mark.parametrize("dials", [{"shared": -0.1, "loyal": 0}, {"shared": 0, "loyal": 1.5}])
def test_a_dial_goes_from_none_to_all(dials):
    with pytest.raises(SettingError, match="Choose a share between 0 and 1"):
        dial_corpus(**dials)
