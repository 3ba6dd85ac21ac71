"""What must hold of saved results on topics and splits; see laws.py."""

import numpy as np

from ..arrays import record
from ..splits import Design, NearDuplicates, Option, SplitAudit, TopicChange, split_kinds
from ..studies import DialPlace
from ..topics import LAYOUTS, METHODS, FoundTopics, Layout, OptimumCurve
from .laws import Laws, alike, in_range, is_share, shaped

SIDES = ("train", "test")


@record
class SavedMend:
    """A mended split without its texts: the ids that stay and their sides, and what else is said of it."""

    ids: tuple[str, ...]
    sides: tuple[str, ...]
    changes: tuple[TopicChange, ...]
    duplicates: tuple[str, ...]
    remaining: tuple[str, ...]
    smallest: bool
    doubtful: int = 0


def layout(found: Layout) -> Laws:
    yield found.method in LAYOUTS, "a map is by no way of drawing that is known"
    yield shaped(found.documents, len(found.rows), 2), "a map has not two coordinates a document"
    yield found.centroids.ndim == 2 and found.centroids.shape[1] == 2, "a map has not two coordinates a topic"
    yield bool(np.isfinite(found.documents).all()), "a document of a map has no place"
    yield found.rows.ndim == 1 and in_range(found.rows, 0, 2**31), "a map draws documents that cannot be"


def _option(found: Option, k: int, documents: int) -> bool:
    deal = {"random": found.seed, "least-leakage": found.balance}.get(found.kind, found.m)
    return (
        found.kind in split_kinds()
        and deal is not None
        and 0 <= found.documents <= documents
        and 0 <= found.smallest_fold <= documents
        and found.topics >= k
        and (found.m is None or found.m >= k)
        and is_share(found.seen_authors)
        and min(found.near_twins, found.perhaps_twins, found.perhaps_one) >= 0
        and alike(found.max, found.mean, found.nearest_mean)
    )


def design(found: Design) -> Laws:
    yield found.k >= 2 and found.documents > 0, "a split has fewer than two folds, or no documents"
    yield bool(np.isfinite(found.line)) and alike(found.line), "the line of near twins is no number"
    yield all(_option(each, found.k, found.documents) for each in found.options), "a way to split cannot be"
    yield {each.kind for each in found.options} >= {"random", "least-leakage"}, "a way to split is missing"
    wished = [each for each in found.options if each.kind == "least-leakage" and each.balance == found.balance]
    yield len(wished) == 1, "the folds of the balance wished are missing"
    yield found.fold_of.ndim == 1 and in_range(found.fold_of, -1, found.k), "a topic is in a fold that is not there"


def near_duplicates(found: NearDuplicates) -> Laws:
    one = found.test.ndim == found.train.ndim == found.jaccard.ndim == 1
    yield one and len(found.test) == len(found.train) == len(found.jaccard), "near duplicates are not pairs"
    yield in_range(found.test, 0, 2**31) and in_range(found.train, 0, 2**31), "a near duplicate is no document"
    yield is_share(found.jaccard, found.threshold) and not np.isnan(found.jaccard).any(), "a share is none"
    yield found.short >= 0, "a count is below nothing"


def split_audit(found: SplitAudit) -> Laws:
    near = found.neighbour_leakage
    yield found.train > 0 and found.test > 0 and len(found.topics) > 0, "a side of a split is empty"
    yield from near_duplicates(found.duplicates)
    parts = near.rows, near.share, near.same_topic, near.similarity
    yield all(shaped(each, len(near.rows)) for each in parts) and len(near.rows) > 0, "lengths of a split differ"
    yield in_range(near.rows, 0, 2**31) and len(near.rows) <= found.test, "a test document is none"
    yield is_share(near.share, near.same_topic, near.score, near.chance), "a share is none"
    yield alike(near.similarity, found.threshold, found.mean, found.max), "a similarity is none"
    yield len({each.name for each in found.topics}) == len(found.topics), "a test topic stands twice"
    for each in found.topics:
        yield 0 <= each.duplicates <= each.documents <= found.test, "a test topic has documents that are not there"
        yield is_share(each.neighbour_leakage) and alike(each.similarity), "a number of a test topic is none"
        yield not each.twin or each.nearest is not None, "a near twin has no name"


def mend(found: SavedMend) -> Laws:
    yield len(found.ids) == len(found.sides) == len({*found.ids}), "a mended split names documents twice"
    yield {*found.sides} == {*SIDES}, "a mended split has not two sides"
    yield not {*found.ids} & {*found.duplicates}, "a document is dropped and kept"
    yield all(each.side in SIDES and each.documents > 0 for each in found.changes), "a change cannot be"
    yield found.doubtful >= 0, "a count is below nothing"


def optimum(found: OptimumCurve) -> Laws:
    parts = found.max, found.mean, found.bound, found.proven
    yield all(shaped(each, len(found.max)) for each in parts), "an optimum has not a number for every m"
    yield alike(found.max, found.mean, found.bound), "a similarity is none"


def place(found: DialPlace) -> Laws:
    values = found.shared, found.loyal, *found.shared_interval, *found.loyal_interval
    yield bool(found.problem) or not np.isnan(values[:2]).any(), "a dial has no place"
    yield alike(values, found.to_topic, found.to_nearest) and found.topics >= 0, "a dial is out of its range"


def found_topics(found: FoundTopics) -> Laws:
    count, codes = len(found.names), found.codes
    yield found.method in METHODS and count > 0 and len({*found.names}) == count, "topics have no names of their own"
    yield codes.ndim == 1 and in_range(codes, -1, count), "a document has a topic without a name"
    yield len(np.unique(codes[codes >= 0])) == count, "a found topic has no document"
    yield shaped(found.clusters.labels, len(codes)), "clusters are of other documents"
    yield alike(found.clusters.silhouette, found.clusters.by_chance, found.clusters.stability), "a firmness is none"
