"""Two views drawn: every near twin once, with who sees it, and either's line."""

import numpy as np

from core.plots import overview as plots
from core.topics import TopicView, compare_views, hits_path
from core.topics.space import TopicSpace

NAMES = ("bread", "<b>cakes</b>", "comets", "stars")


def view(*twins: tuple[int, int]) -> TopicView:
    similarity = np.full((4, 4), 0.2)
    np.fill_diagonal(similarity, 1.0)
    for one, two in twins:
        similarity[one, two] = similarity[two, one] = 0.9
    space = TopicSpace(tuple(sorted(NAMES)), np.full(4, 9), np.eye(4), similarity)
    return TopicView(space, hits_path(similarity))


def test_every_pair_is_drawn_once_by_who_sees_it():
    found = compare_views(view((0, 1), (2, 3)), view((0, 1), (0, 2)), k=2)
    figure = plots.two_views(found, ("SBERT", "<i>LSA</i>"), kind="corrected")
    drawn = {trace.name: len(trace.x) for trace in figure.data}
    assert drawn == {
        "other pairs": 3,
        "near twins with both": 1,
        "near twins with SBERT": 1,
        "near twins with &lt;i&gt;LSA&lt;/i&gt;": 1,
    }
    upright, flat = figure.layout.shapes
    assert upright.x0 == upright.x1 == found.verdicts[0].threshold and flat.y0 == flat.y1 == found.verdicts[1].threshold
    assert "<b>cakes" not in figure.to_json() and "<i>" not in figure.to_json()


def test_a_view_beside_itself_has_nothing_off_the_diagonal():
    found = compare_views(view((0, 1)), view((0, 1)), k=2)
    figure = plots.two_views(found, ("A", "B"), kind="plain")
    assert all(list(trace.x) == list(trace.y) for trace in figure.data)
    assert {trace.name for trace in figure.data} == {"other pairs", "near twins with both"}
