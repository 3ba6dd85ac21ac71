"""What must hold of saved results of models, experiments and simulations; see laws.py."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from ..evaluation import Sources, SwapEffect
from ..models.categorization import CATEGORIZERS
from ..statistics import TESTS
from ..statistics.simulation import RELATIONAL, SIMULATED_TESTS, NetworkProfile, NetworkRates, OwnRates, Type1
from ..studies import (
    AVERAGE,
    Categorization,
    ClosestAcross,
    ComparisonTable,
    EncoderComparison,
    OwnNetwork,
    PolicyComparison,
    SimilarityAgainstM,
    StabilityAgainstM,
)
from .laws import Laws, alike, in_range, is_share, shaped

MEASURES = {"miR", "miP", "error"}


def swap(found: SwapEffect) -> Laws:
    yield found.by_draw.ndim == 2 and found.by_draw.shape[1] > 0, "an effect has not a number a topic and draw"
    yield bool(np.all(np.isnan(found.by_draw) | (np.abs(found.by_draw) <= 1))), "an effect is past all points"
    known = bool((~np.isnan(found.by_draw)).any())
    yield is_share(found.p) and known != bool(np.isnan(found.effect)), "an effect and its numbers disagree"


def sources(found: Sources) -> Laws:
    parts = found.raw, found.equal_size, found.equal_authors
    yield all(shaped(each, len(found.raw)) for each in parts) and len(found.raw) > 0, "lengths of a loss differ"
    yield all(bool(np.all(np.isnan(each) | (np.abs(each) <= 1))) for each in parts), "a loss is past all points"


def similarity_against_m(found: SimilarityAgainstM) -> Laws:
    count = len(found.m)
    yield count > 0 and found.k >= 2 and min(found.m) >= 2, "an experiment has no sizes"
    for curve in (found.mean, found.max):
        random = curve.random.ndim == 2 and curve.random.shape[1] == count
        yield shaped(curve.hits, count) and random, "a curve has not a number for every m"


def stability_against_m(found: StabilityAgainstM) -> Laws:
    sizes, metrics = len(found.m), len(found.labels) + 1
    yield sizes > 0 and found.k >= 2, "an experiment has no sizes"
    yield shaped(found.hits, sizes, metrics), "a stability has not a number for every m and metric"
    yield found.random.ndim == 3 and found.random.shape[::2] == (sizes, metrics), "random samples have other metrics"
    interval = found.hits_interval
    yield interval is None or shaped(interval, sizes, metrics, 2), "an interval has no two ends"


def _of_labels(values: Mapping[str, float], labels: Mapping[str, str]) -> bool:
    return values.keys() == ({*labels, AVERAGE} if labels else set())


def policies(found: PolicyComparison) -> Laws:
    yield bool(found.policies) and found.k >= 2 and found.m >= 2, "an experiment compares nothing"
    for each in found.policies:
        yield _of_labels(each.stability, found.labels), "a stability is of other metrics"
        counts = each.merged, each.dropped, each.documents, each.authors or 0
        yield min(counts) >= 0 and is_share(each.share) and alike(each.mean, each.max), "a policy cannot be"


def encoders(found: EncoderComparison) -> Laws:
    count, rows = len(found.names), len(found.names) + bool(found.random_samples)
    yield found.reference in found.names and found.m >= 2 and found.k >= 2, "an encoder is not among those compared"
    yield shaped(found.mean, rows, count) and shaped(found.max, rows, count), "encoders have other similarities"
    yield shaped(found.jaccard, count, count) and shaped(found.agreement, count, count), "encoders overlap elsewhere"
    yield len(found.stability) in (0, count) and found.random_samples >= 0, "encoders have other stabilities"
    yield all(_of_labels(each, found.labels) for each in found.stability), "a stability is of other metrics"


def closest(found: ClosestAcross) -> Laws:
    yield bool(found.pairs) and found.m >= 2 and found.k >= 2, "an experiment has no pairs"
    yield alike([each.similarity for each in found.pairs]), "a similarity is none"


def rates(found: Type1 | NetworkRates | OwnRates) -> Laws:
    yield found.rates.keys() == found.intervals.keys() == SIMULATED_TESTS.keys(), "a test that is simulated is missing"
    yield is_share(*found.rates.values(), *found.intervals.values()) and found.trials > 0, "a rate is no share"
    if isinstance(found, OwnRates):
        count = len(found.difference)
        yield found.by_network.keys() == SIMULATED_TESTS.keys() and count > 0, "a test that is simulated is missing"
        yield all(shaped(each, count) and is_share(each) for each in found.by_network.values()), "a network has no rate"


def profile(found: NetworkProfile) -> Laws:
    shape = len(found.models), 2, len(found.shares)
    yield bool(found.models) and {*found.models} <= {*RELATIONAL}, "a classifier is not known"
    yield shaped(found.accuracy, *shape) and shaped(found.phi, *shape), "a network has not a number a classifier"
    yield 0 <= found.positives <= found.nodes and found.nodes > 0 and found.links >= 0, "a network has no nodes"
    yield is_share(found.accuracy, found.shares) and alike(found.phi, found.autocorrelation), "an accuracy is no share"


def network(found: OwnNetwork) -> Laws:
    nodes = len(found.nodes)
    yield len({*found.nodes}) == nodes > 0 and len(found.classes) > 1 and bool(found.parts), "a network has no nodes"
    yield shaped(found.codes, nodes) and in_range(found.codes, 0, len(found.classes)), "a node has no class"
    yield shaped(found.part_codes, nodes) and in_range(found.part_codes, 0, len(found.parts)), "a node is in no part"
    two = found.links.ndim == 2 and found.links.shape[1] == 2
    yield two and in_range(found.links, 0, nodes), "a link has no nodes"
    inside = two and bool((found.part_codes[found.links[:, 0]] == found.part_codes[found.links[:, 1]]).all())
    yield inside and {*found.usual_positive} < {*found.classes}, "a link joins two parts"


def table(found: ComparisonTable) -> Laws:
    columns = [*found.systems.values(), *(() if found.weights is None else (found.weights,))]
    yield found.kind in ("scores", "decisions") and len(found.systems) > 1, "a table compares nothing"
    yield all(shaped(each, len(found.rows)) for each in columns) and len(found.rows) > 0, "columns differ in length"
    yield found.weights is None or bool((found.weights > 0).all()), "a row weighs nothing"
    decided = all(bool(np.isin(each, (0, 1)).all()) for each in found.systems.values())
    yield found.kind == "scores" or decided, "a decision is neither right nor wrong"


def categorization(found: Categorization) -> Laws:
    count, names = len(found.categories), found.systems.keys()
    yield count > 0 and found.training > 0 and found.test > 0 and found.words > 0, "a corpus is empty"
    yield shaped(found.frequency, count) and in_range(found.frequency, 0, 2**31), "a category has no frequency"
    yield bool(names) and {*names} <= {*CATEGORIZERS}, "a classifier is not known"
    for system in found.systems.values():
        effect = system.effectiveness
        yield shaped(system.assigned, found.test, count), "decisions are on other documents"
        yield shaped(effect.f1, count) and shaped(system.thresholds, count), "a category has no score"
        scores = effect.f1, effect.micro_recall, effect.micro_precision, effect.micro_f1, effect.macro_f1
        yield is_share(*scores, effect.error), "a score is no share"
    pairs = [(each.a, each.b) for each in found.pairs]
    every = {frozenset(pair) for pair in combinations(names, 2)}
    for known in (pairs, list(found.measures)):
        complete = {frozenset(pair) for pair in known} == every and len(known) == len(every)
        yield complete, "a pair of classifiers is missing, or not one of theirs"
    for each in found.pairs:
        same = each.tests.keys() == each.adjusted.keys() == each.verdicts.keys()
        yield same and {"S"} <= {*each.tests} <= {*TESTS}, "a test is not known"
    yield all(each.keys() == MEASURES for each in found.measures.values()), "a measure is missing"
