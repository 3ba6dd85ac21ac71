"""The kinds of ways to split come from the registries: a sampler or a policy that is added is one of them."""

import numpy as np
import pytest

from core.errors import SettingError
from core.plots import design as plots
from core.splits import (
    Wishes,
    design_options,
    methods_paragraph,
    option_folds,
    option_label,
    recommended,
    references,
    split_kind,
    split_kinds,
)
from core.topics import POLICIES, SAMPLERS, Policy, Sampler, topic_space
from tests.core.spies import corpus_of, rows_of


def test_the_kinds_are_deals_samplers_policies_and_least_leakage():
    kinds = split_kinds()
    assert list(kinds) == ["random", "hits", "least-maximum", "grouping", "hybrid", "least-leakage"]
    assert [(kind.sampler, kind.policy) for kind in kinds.values()] == [
        (None, "cutting"),
        ("hits", "cutting"),
        ("least-maximum", "cutting"),
        ("hits", "grouping"),
        ("hits", "hybrid"),
        (None, "cutting"),
    ]
    assert [name for name, kind in kinds.items() if kind.chooses] == ["hits", "least-maximum"]
    assert [name for name, kind in kinds.items() if kind.reference] == ["hits", "grouping", "hybrid"]
    with pytest.raises(SettingError, match="No kind of split is called 'hit'. Did you mean 'hits'?"):
        split_kind("hit")


@pytest.mark.parametrize("unplaced", [False, True])
def test_what_is_added_to_the_registries_is_designed_labelled_drawn_and_told(monkeypatch, unplaced):
    rows = rows_of(topics=7, authors=3, each=3)
    if unplaced:
        rows.append({"id": "lone", "text": "one text", "topic": "zoo", "author": "author 0"})
    corpus = corpus_of(rows)
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(len(corpus.topic_names), 5))[corpus.topic_codes] + 0.5 * rng.normal(
        size=(len(corpus), 5)
    )
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)

    def last(similarity, m):
        return np.flatnonzero(~np.isnan(np.diag(similarity)))[-m:]

    monkeypatch.setitem(SAMPLERS, "last", Sampler("the last", "The last topics by name.", None, choose=last))
    farther = Policy("The less alike join.", lambda nearest, threshold: nearest < threshold, takes_threshold=True)
    monkeypatch.setitem(POLICIES, "reverse", farther)
    design = design_options(corpus, space, k=3, random=2)
    labels = {kind: option_label(design.of(kind)[0]) for kind in ("last", "reverse")}
    assert labels == {"last": "The last, m = 3", "reverse": "HITS, reverse, m = 3"}
    assert list(design.of_each_kind) == list(split_kinds())
    for option in (*design.of("last"), *design.of("reverse")):
        fold_of = option_folds(corpus, space, option, k=3, wishes=Wishes())
        assert corpus.topic_sizes[fold_of >= 0].sum() == option.documents
    said = methods_paragraph(corpus, space, design.of("last")[0], k=3, encoder="LSA")
    assert (
        " 3 topics were chosen (the last: the last topics by name) and dealt into 3 folds at random (seed 0)." in said
    )
    assert "sawatphol" not in references(design.of("last")[0]) and "sawatphol" in references(design.of("reverse")[0])
    figure = plots.options(design, recommended(design), kind=space.kind)
    looks = {trace.name: (trace.marker.color, trace.marker.symbol) for trace in figure.data}
    assert {"The last", "HITS, reverse"} <= looks.keys() and len({*looks.values()}) == len(looks)
