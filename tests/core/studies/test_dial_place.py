"""Where a corpus lies: the dials of made corpora are found again, and nonsense is not placed."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from core.corpora import dial_corpus, make_corpus
from core.demo import DIAL_GRID
from core.studies import DialPlace, expectations, place_cautions, place_on_dial, place_sentence, read_dial_grid
from core.studies.dial_place import DIAL, EXCESS, _excess
from core.vectors import embed, make_encoder

GRID = read_dial_grid(DIAL_GRID)


@pytest.fixture(scope="module")
def made():
    return dial_corpus(shared=0.8, loyal=0.8, seed=3)


@pytest.mark.parametrize(("shared", "loyal"), [(0.0, 0.8), (0.8, 0.0), (0.5, 0.5)])
def test_the_dials_are_found_again(shared, loyal):
    found = place_on_dial(dial_corpus(shared=shared, loyal=loyal, seed=11))
    assert found.shared == pytest.approx(shared, abs=0.06) and found.loyal == pytest.approx(loyal, abs=0.08)
    assert found.shared_interval[0] <= found.shared <= found.shared_interval[1]
    assert found.loyal_interval[0] <= found.loyal <= found.loyal_interval[1]
    assert found.topics == 32 and not found.problem


def test_how_far_a_sister_stands_out_is_what_the_table_says():
    corpus = dial_corpus(shared=DIAL[2], loyal=0.2, seed=21)
    excess, _ = _excess(corpus, embed(corpus, make_encoder("lsa")).matrix, 0)
    assert excess.mean() == pytest.approx(EXCESS[2], abs=0.03)


def test_shuffled_labels_are_not_placed(made):
    topics = np.random.default_rng(0).permutation(np.array(made.topics)).tolist()
    found = place_on_dial(make_corpus(made.texts, topics, authors=made.authors))
    assert "labels do not separate" in found.problem and isnan(found.shared) and isnan(found.loyal)
    assert place_sentence(found, None) == found.problem and place_cautions(made, found, GRID) == ()


def test_too_little_is_not_placed(made):
    def of(rows, authors=None):
        names = [made.authors[row] for row in rows] if authors is None else authors
        return place_on_dial(
            make_corpus([made.texts[row] for row in rows], [made.topics[row] for row in rows], authors=names)
        )

    assert "fewer than two authors" in of(range(200), ["ann"] * 200).problem
    assert "fewer than two authors" in place_on_dial(make_corpus(made.texts, made.topics)).problem
    assert "5 topics" in of(range(150)).problem


def test_authors_who_keep_to_topics_and_not_to_families_are_told_of(made):
    authors = [f"of {topic}" for topic in made.topics]
    alone = make_corpus(made.texts, made.topics, authors=authors)
    found = place_on_dial(alone)
    assert found.to_topic > 0.9 and found.to_nearest < 0.1
    *_, told = place_cautions(alone, found, GRID)
    assert told.startswith("Authors here keep to topics")


def test_the_sentence_says_where_and_what_to_expect(made):
    place = DialPlace(0.8, (0.75, 0.85), 0.8, (0.7, 0.9), 0.8, 0.8, 32)
    expected = {(row.task, row.pairs, row.model): row for row in expectations(GRID, place)}
    assert len(expected) == len({(row.task, row.pairs, row.model) for row in GRID.rows if row.model})
    row = expected["attribution", "", "topic_fit"]
    assert row.change == GRID.row(0.8, 0.8, task="attribution", model="topic_fit", metric="accuracy").change
    said = place_sentence(place, replace(row, change=-0.1, change_sd=0.02))
    assert said.startswith("This corpus lies where sister topics share about 80 % of their words (75 % to 85 %)")
    assert said.endswith("HITS takes TopicFit 10.0 points of accuracy (±2.0 from one made corpus to the next).")
    assert "gives TopicFit 10.0" in place_sentence(place, replace(row, change=0.1, change_sd=0.02))
    assert "no more than one made corpus differs" in place_sentence(place, replace(row, change=-0.01, change_sd=0.02))
    (caution,) = place_cautions(made, place, GRID)
    assert "no prediction" in caution
    beyond = place_cautions(made, replace(place, shared=0.9, loyal=1.0), GRID)[1]
    assert "which end at words shared by 80 % and keeping to a family by 80 %" in beyond
