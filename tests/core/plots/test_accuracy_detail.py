"""The reliability diagram draws the record's bins, their intervals and their counts, and nothing else."""

import numpy as np

from core.evaluation import reliability_of
from core.plots.accuracy_detail import reliability_diagram


def test_marks_intervals_and_counts_are_the_records():
    rng = np.random.default_rng(0)
    scores = rng.random(300)
    found = {"<b>A</b>": reliability_of(rng.random(300) < 0.5, scores), "B": reliability_of(scores > 0.5, scores)}
    for label, record in found.items():
        line, shares, counts = reliability_diagram(found, drawn=label).data
        assert list(line.x) == list(line.y) == [0, 1]
        assert list(shares.x) == [each.mean for each in record.bins]
        assert list(shares.y) == [each.share for each in record.bins]
        ends = [(each.share_low, each.share_high) for each in record.bins]
        drawn = zip(
            np.subtract(shares.y, shares.error_y.arrayminus), np.add(shares.y, shares.error_y.array), strict=True
        )
        np.testing.assert_allclose(list(drawn), ends)
        assert sum(counts.y) == record.answered == 300
        assert "<b>" not in shares.name
    assert shares.marker.color != reliability_diagram(found, drawn="<b>A</b>").data[1].marker.color


def test_nothing_answered_is_drawn_empty():
    found = reliability_diagram({"A": reliability_of([1, 0], [0.5, 0.5])}, drawn="A")
    assert len(found.data[1].x) == len(found.data[2].x) == 0
