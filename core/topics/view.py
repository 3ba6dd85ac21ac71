"""HITS and its samples as data: the view that a browser draws at any m by itself, and samples as files."""

import base64
import io
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from ..arrays import Floats, Ints, record
from ..corpora import Corpus
from ..corpora.readers import FOUND, TOPIC_SOURCE
from ..formats import shortened
from .bootstrap import Bootstrap
from .hits import TopicPath
from .layout import Layout
from .minimax import OptimumCurve
from .sampling import EveryM, RandomBand, Sample, pair_summary, sampled_documents
from .space import TopicPoints, TopicSpace, similarity_of_points
from .verdict import Verdict

MOST_CELLS = 150  # topics in a row of the matrix, and past that blocks of topics
LONGEST_NAME = 80  # characters of a topic's name that are sent
THOUSANDTHS = 1_000  # similarities are shown to three places
UNKNOWN = -(2**15)  # stands for NaN


@record
class HitsView:
    """HITS at every m, with topics in path order; what is None was not computed and is not drawn."""

    names: tuple[str, ...]
    sizes: Ints
    path: TopicPath
    samples: EveryM
    closest: Ints  # of each topic, the most similar one before it; −1: none
    closest_similarity: Floats  # to that topic
    edges: Ints  # where blocks of topics begin
    cells: Floats  # mean similarity of two blocks
    band: RandomBand | None
    steps: Ints | None  # at which bootstrap samples select each topic, sample × topic
    places: Floats | None  # on the map
    verdict: Verdict | None
    other: tuple[str, TopicPath] | None  # another path to compare with
    optimum: OptimumCurve | None = None  # the lowest possible maximum at every m

    @property
    def meaningless(self) -> bool:
        """Return whether the labels separate nothing, so that no m is better than another."""
        return self.verdict is not None and self.verdict.level == "meaningless"

    @property
    def suggested(self) -> int | None:
        """Return the most topics without near twins, as they are once others are merged into them; None where there are none, or
        none is known."""
        if self.meaningless or self.verdict is None:
            return None
        if not len(self.samples.moves):
            return self.verdict.keep
        found = self.samples.largest_without_twins(self.verdict.threshold)
        return None if found is None or found < 2 else found

    def merges(self, m: int) -> bool:
        """Return whether topics left out are merged into the m kept ones."""
        return int(((self.samples.since > 0) & (self.samples.since <= m)).sum()) > m

    def as_json(self) -> dict[str, Any]:
        """Return the view for the browser: arrays packed, similarities in thousandths."""
        band, steps, comparable = self.band, self.steps, self.path.comparable
        verdict = None if self.meaningless else self.verdict
        return {
            "names": shortened(self.names, LONGEST_NAME),
            "placed": comparable,
            "totals": self.samples.totals,
            "line": verdict and round(verdict.threshold, 3),
            "suggested": self.suggested,
            "sizes": packed(self.sizes),
            "leakage": packed(thousandths(self.path.leakage)),
            "pathMean": packed(thousandths(self.path.mean[:comparable])),
            "pathMax": packed(thousandths(self.path.max[:comparable])),
            "mean": packed(thousandths(self.samples.mean)),
            "max": packed(thousandths(self.samples.max)),
            "documents": packed(self.samples.documents),
            "authors": None if self.samples.authors is None else packed(self.samples.authors),
            "since": packed(self.samples.since),
            "moves": packed(self.samples.moves.ravel()),
            "closest": packed(self.closest),
            "closest_similarity": packed(thousandths(self.closest_similarity)),
            "edges": packed(self.edges),
            "cells": packed(thousandths(self.cells.ravel())),
            "band": band and _band_json(band, comparable),
            "other": self.other and _other_json(*self.other),
            "optimum": self.optimum and _optimum_json(self.optimum),
            "draws": 0 if steps is None else len(steps),
            "steps": None if steps is None else packed(np.sort(steps, axis=0).T.ravel()),
            "places": None if self.places is None else packed(np.rint(self.places * 1e4).astype(np.int64).ravel()),
        }


def hits_view(
    space: TopicSpace | TopicPoints,
    path: TopicPath,
    samples: EveryM,
    *,
    band: RandomBand | None = None,
    bootstrap: Bootstrap | None = None,
    layout: Layout | None = None,
    verdict: Verdict | None = None,
    other: tuple[str, TopicPath] | None = None,
    optimum: OptimumCurve | None = None,
) -> HitsView:
    """Return the view of a path and what its samples keep.

    Without all pairs' similarities (`TopicPoints`) those of the path's own topics are computed.
    """
    order, comparable = path.order, path.order[: path.comparable]
    if isinstance(space, TopicPoints):
        similarity, rows = similarity_of_points(space.points[comparable]), np.arange(len(comparable))
    else:
        similarity, rows = space.similarity, comparable
    closest, closest_similarity = _closest_before(similarity, rows)
    edges = np.unique(np.linspace(0, len(rows), min(len(rows), MOST_CELLS) + 1).round().astype(np.int64))
    return HitsView(
        names=tuple(space.names[topic] for topic in order),
        sizes=space.sizes[order],
        path=path,
        samples=_in_path_order(samples, order),
        closest=closest,
        closest_similarity=closest_similarity,
        edges=edges,
        cells=_block_means(similarity, rows, edges),
        band=band,
        steps=None if bootstrap is None else bootstrap.steps[:, order],
        places=None if layout is None else layout.centroids[order],
        verdict=verdict,
        other=other,
        optimum=optimum,
    )


def _band_json(band: RandomBand, comparable: int) -> dict[str, Any]:
    return {
        "samples": band.samples,
        "mean": packed(thousandths(band.mean[:, :comparable].ravel())),
        "max": packed(thousandths(band.max[:, :comparable].ravel())),
        "meanAbove": packed(band.samples - band.mean_rank[:comparable]),
        "maxAbove": packed(band.samples - band.max_rank[:comparable]),
    }


def _other_json(name: str, path: TopicPath) -> dict[str, str]:
    mean, highest = (packed(thousandths(each[: path.comparable])) for each in (path.mean, path.max))
    return {"name": name, "mean": mean, "max": highest}


def _optimum_json(curve: OptimumCurve) -> dict[str, str]:
    values = {name: packed(thousandths(getattr(curve, name))) for name in ("max", "mean", "bound")}
    return values | {"proven": packed(curve.proven.astype(np.int64))}


def thousandths(values: Floats) -> Ints:
    """Return each value as it is shown to three places, times a thousand; UNKNOWN for NaN."""
    # `round` is right for every value, as formatting is; a product with 1000 would round first.
    return np.array(
        [UNKNOWN if np.isnan(value) else round(round(value, 3) * THOUSANDTHS) for value in values.tolist()],
        dtype=np.int64,
    )


def packed(values: Ints) -> str:
    """Return integers as base64 of the narrowest type that holds them all, after the type's size in bytes."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    size = next(size for size in (1, 2, 4) if -(2 ** (8 * size - 1)) <= low and high < 2 ** (8 * size - 1))
    return f"{size}{base64.b64encode(values.astype(f'<i{size}').tobytes()).decode()}"


def _in_path_order(samples: EveryM, order: Ints) -> EveryM:
    """Return the same record with topics counted along the path; topics that the path does not reach are left out."""
    step = np.full(len(samples.since), -1)
    step[order] = np.arange(len(order))
    moves = samples.moves[step[samples.moves[:, 0]] >= 0] if len(order) < len(step) else samples.moves
    moved = np.stack([step[moves[:, 0]], moves[:, 1], np.where(moves[:, 2] < 0, -1, step[moves[:, 2]])], axis=1)
    return EveryM(
        samples.totals,
        samples.documents,
        samples.authors,
        samples.mean,
        samples.max,
        samples.since[order],
        moved[np.lexsort((moved[:, 1], moved[:, 0]))],
        samples.people,
    )


def _closest_before(similarity: Floats, rows: Ints) -> tuple[Ints, Floats]:
    """Return for each topic of the path the earlier one most like it, and how much."""
    closest, closest_similarity = np.full(len(rows), -1), np.full(len(rows), np.nan)
    for step in range(1, len(rows)):
        before = similarity[rows[step], rows[:step]]
        closest[step] = before.argmax()
        closest_similarity[step] = before[closest[step]]
    return closest, closest_similarity


def _block_means(similarity: Floats, rows: Ints, edges: Ints) -> Floats:
    """Return mean similarity of the pairs of different topics in every two blocks of the path; NaN where there is no pair."""
    sizes = np.diff(edges)
    sums = np.array(
        [np.add.reduceat(similarity[rows[start:end]].sum(axis=0)[rows], edges[:-1]) for start, end in pairwise(edges)]
    )
    own = np.add.reduceat(np.diag(similarity)[rows], edges[:-1])
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    means: Floats = np.full(sums.shape, np.nan)
    np.divide(sums - np.diag(own), pairs, out=means, where=pairs > 0)
    return means


def _csv(frame: pd.DataFrame) -> bytes:
    # With this end of a line a lone carriage return inside a text is quoted, and without quotes it would end a row.
    return frame.to_csv(index=False, lineterminator="\r\n").encode("utf-8", "surrogatepass")


def _parquet(frame: pd.DataFrame) -> bytes:
    target = io.BytesIO()
    frame.to_parquet(target, index=False)
    return target.getvalue()


def _jsonl(frame: pd.DataFrame) -> bytes:
    lines = (json.dumps(row, ensure_ascii=False) for row in frame.to_dict("records"))
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


FORMATS: dict[str, Callable[[pd.DataFrame], bytes]] = {"csv": _csv, "parquet": _parquet, "jsonl": _jsonl}


def documents_table(corpus: Corpus) -> pd.DataFrame:
    """Return every document with its labels; a column says where its topics were found, not given."""
    columns: dict[str, Sequence[str]] = {"id": corpus.ids, "text": corpus.texts, "topic": corpus.topics}
    labels = {"author": corpus.authors, "split": corpus.splits}
    columns |= {name: cells for name, cells in labels.items() if cells is not None}
    return _with_source(pd.DataFrame(columns), corpus)


def _with_source(table: pd.DataFrame, corpus: Corpus) -> pd.DataFrame:
    return table.assign(**{TOPIC_SOURCE: FOUND}) if corpus.found else table


def sample_table(corpus: Corpus, sample: Sample) -> pd.DataFrame:
    """Return the documents of a sample: the topic each counts under, and the topic it came with."""
    rows, topics = sampled_documents(corpus, sample)
    authors = corpus.authors
    columns: dict[str, list[str]] = {
        "id": [corpus.ids[row] for row in rows],
        "text": [corpus.texts[row] for row in rows],
        "topic": topics,
        "original_topic": [corpus.topic_names[corpus.topic_codes[row]] for row in rows],
    }
    if authors is not None:
        columns["author"] = [authors[row] for row in rows]
    return _with_source(pd.DataFrame(columns), corpus)


def settings_file(
    corpus: Corpus, space: TopicSpace, path: TopicPath, sample: Sample, *, encoder_key: str, settings: Mapping[str, Any]
) -> bytes:
    """Return everything needed to make the same selection again, as JSON."""
    m = len(sample.selected)
    record = {
        "leakscope": __version__,
        "corpus": {
            "name": corpus.name,
            "fingerprint": corpus.content_digest,
            "documents": len(corpus),
            "topics": "found" if corpus.found else "given",
        },
        "encoder": encoder_key,
        "settings": dict(settings),
        "m": m,
        "policy": sample.policy,
        "selected": [space.names[topic] for topic in sample.selected],
        "similarity": {"kind": space.kind, **pair_summary(space, sample)},
        "path": path_records(space, path),
        "homes": {
            name: space.names[topic] if topic >= 0 else None
            for name, topic in zip(space.names, sample.assigned, strict=True)
        },
    }
    return (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode()


def path_records(space: TopicSpace | TopicPoints, path: TopicPath) -> list[dict[str, Any]]:
    """Return the path as plain records; the first topic was not scored, so its leakage is null."""
    return [
        {"topic": space.names[topic], "leakage": None if np.isnan(leakage) else float(leakage)}
        for topic, leakage in zip(path.order, path.leakage, strict=True)
    ]
