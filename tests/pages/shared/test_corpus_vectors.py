"""What the bar says while vectors are made."""

import pytest

from pages.shared.corpus_vectors import words_of_progress


@pytest.mark.parametrize(
    ("done", "left", "at_once", "said"),
    [
        (0, None, True, "LSA: reading all 1,500 documents at once"),
        (1500, 0.0, True, "LSA: 1,500 of 1,500 documents, less than 5 s left"),
        (0, None, False, "LSA: 0 of 1,500 documents"),
        (300, 120.0, False, "LSA: 300 of 1,500 documents, 2–4 min left"),
    ],
)
def test_an_encoder_that_reads_all_at_once_never_counts_from_nothing(done, left, at_once, said):
    assert words_of_progress("LSA", done, 1_500, left, at_once=at_once) == said


def test_an_encoder_that_reads_all_at_once_names_its_stages():
    assert (
        words_of_progress("LSA", 1, 4, None, at_once=True, stage="counting words") == "LSA: counting words, step 1 of 4"
    )
