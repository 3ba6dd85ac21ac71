"""The kinds of results that a project holds: of which record, what must hold of it, and whether it fits what is asked.

A result is looked at twice. When the file is opened, by itself: lengths, ranges, names. When a page asks for it, beside
the call whose result it is said to be: the same topics, documents, models. What does not fit is computed anew.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..corpora import Corpus, take
from ..errors import InputError
from ..evaluation import Sources, SwapEffect
from ..splits import Design, Mended, NearDuplicates, SplitAudit, Swaps, split_kinds
from ..statistics.simulation import NetworkProfile, NetworkRates, OwnRates, Type1
from ..studies import (
    Categorization,
    ClosestAcross,
    ComparisonTable,
    DialPlace,
    EncoderComparison,
    Inputs,
    OwnNetwork,
    PolicyComparison,
    SimilarityAgainstM,
    StabilityAgainstM,
)
from ..topics import FoundTopics, Layout, OptimumCurve, TopicSpace
from . import run_laws, topic_laws
from .laws import Laws, in_range
from .topic_laws import SavedMend

MOST_NUMBERS = 1_000_000  # in one saved result; a larger one comes back by being computed
EXPERIMENTS: dict[str, tuple[type[Any], Callable[[Any], Laws]]] = {
    "similarity": (SimilarityAgainstM, run_laws.similarity_against_m),
    "stability": (StabilityAgainstM, run_laws.stability_against_m),
    "left out": (PolicyComparison, run_laws.policies),
    "encoders": (EncoderComparison, run_laws.encoders),
    "closest": (ClosestAcross, run_laws.closest),
}


def _any(found: Any, *arguments: Any, **choices: Any) -> bool:
    """Of what a key tells whole: settings, or the content of a file."""
    return True


def _layout(found: Layout, vectors: Any, codes: Any, space: TopicSpace, **choices: Any) -> bool:
    return len(found.centroids) == len(space) and in_range(found.rows, 0, len(codes))


def _design(found: Design, corpus: Corpus, space: TopicSpace, *, k: int, wishes: Any, **choices: Any) -> bool:
    placed = int(space.placed.sum())
    sizes = [each.m for each in found.options if each.m is not None]
    fits = (found.k, found.documents, found.balance) == (k, len(corpus), wishes.balance)
    fits = fits and {each.kind for each in found.options} == {*split_kinds()}  # else samplers were added since
    return fits and len(found.fold_of) == len(space) and max(sizes, default=k) <= placed


def _split_audit(found: SplitAudit, corpus: Corpus, *more: Any, **choices: Any) -> bool:
    count, copies = len(corpus), found.duplicates
    rows = all(in_range(each, 0, count) for each in (found.neighbour_leakage.rows, copies.test, copies.train))
    sides = found.test <= count and found.train <= count
    return rows and sides and {*corpus.topic_names} >= {each.name for each in found.topics}


def _near_copies(found: NearDuplicates, texts: Sequence[str], **choices: Any) -> bool:
    return in_range(found.test, 0, len(texts)) and in_range(found.train, 0, len(texts))


def _mended(found: SavedMend, corpus: Corpus, *more: Any, **choices: Any) -> bool:
    ids, topics = {*corpus.ids}, {*corpus.topic_names}
    return ids >= {*found.ids, *found.duplicates} and topics >= {each.topic for each in found.changes}


def _with_texts(found: SavedMend, corpus: Corpus, *more: Any, **choices: Any) -> Mended:
    rows = {each: row for row, each in enumerate(corpus.ids)}
    kept = take(corpus, np.array([rows[each] for each in found.ids], dtype=np.int64))
    said = found.changes, found.duplicates, found.remaining, found.smallest, found.doubtful
    return Mended(replace(kept, splits=found.sides), *said)


def _without_texts(found: Mended) -> SavedMend:
    said = found.changes, found.duplicates, found.remaining, found.smallest, found.doubtful
    return SavedMend(found.corpus.ids, found.corpus.splits or (), *said)


def _optimum(found: OptimumCurve, similarity: Any) -> bool:
    return len(found.max) == int((~np.isnan(np.diag(similarity))).sum())


def _swap(found: Mapping[str, Any], corpus: Corpus, swaps: Any, *, models: Sequence[str], **choices: Any) -> bool:
    """Of one dose, or of several by how many topics are swapped."""
    wanted: dict[int, Swaps] = {0: swaps} if isinstance(swaps, Swaps) else dict(swaps)
    for model in found.values():
        doses = {0: model} if isinstance(swaps, Swaps) else model
        if not isinstance(doses, Mapping) or doses.keys() != wanted.keys():
            return False
        for dose, effect in doses.items():
            if not isinstance(effect, SwapEffect) or effect.by_draw.shape != wanted[dose].swapped.shape:
                return False
    return found.keys() == {*models}


def _sources(
    found: Mapping[str, Sources], corpus: Corpus, hits: Any, random: Any, *, models: Sequence[str], **choices: Any
) -> bool:
    return found.keys() == {*models} and all(len(each.raw) == len(random) for each in found.values())


def _experiment(found: Any, name: str, given: Inputs) -> bool:
    if not isinstance(found, EXPERIMENTS[name][0]) or found.k != given.plan.k:
        return False
    sizes: tuple[int, ...] = found.m if isinstance(found.m, tuple) else (found.m,)
    return max(sizes) <= given.path.placed


def _found_topics(found: FoundTopics, corpus: Corpus, *more: Any, **choices: Any) -> bool:
    return len(found.codes) == len(corpus)


def _own_rates(found: OwnRates, parts: Sequence[Any], *point: Any, **choices: Any) -> bool:
    return len(found.difference) == len(parts)


def _profile(found: NetworkProfile, part: Any, **choices: Any) -> bool:
    return found.nodes == len(part)


def _itself(found: Any, *arguments: Any, **choices: Any) -> Any:
    return found


@dataclass(frozen=True, slots=True)
class SavedKind:
    """`of` is the record, or records, saved; `law` what must hold of one by itself; `fits` takes it and what its function was
    called with. `pack` makes of a result what is saved, `unpack` the result of that and what the function was called with.
    `deep`: within how many mappings a record stands, one a model say."""

    of: tuple[type[Any], ...]
    law: Callable[[Any], Laws]
    fits: Callable[..., bool] = _any
    pack: Callable[[Any], Any] = _itself
    unpack: Callable[..., Any] = _itself
    deep: tuple[int, ...] = (0,)


def _of_its_experiment(found: Any) -> Laws:
    return next(law(found) for kind, law in EXPERIMENTS.values() if isinstance(found, kind))


SAVED: dict[str, SavedKind] = {
    "maps": SavedKind((Layout,), topic_laws.layout, _layout),
    "designs": SavedKind((Design,), topic_laws.design, _design),
    "split audits": SavedKind((SplitAudit,), topic_laws.split_audit, _split_audit),
    "mended splits": SavedKind((SavedMend,), topic_laws.mend, _mended, _without_texts, _with_texts),
    "near copies": SavedKind((NearDuplicates,), topic_laws.near_duplicates, _near_copies),
    "optima": SavedKind((OptimumCurve,), topic_laws.optimum, _optimum),
    "places": SavedKind((DialPlace,), topic_laws.place),
    "topics": SavedKind((FoundTopics,), topic_laws.found_topics, _found_topics),
    "swaps": SavedKind((SwapEffect,), run_laws.swap, _swap, deep=(1, 2)),
    "sources": SavedKind((Sources,), run_laws.sources, _sources, deep=(1,)),
    "experiments": SavedKind(tuple(kind for kind, _ in EXPERIMENTS.values()), _of_its_experiment, _experiment),
    "simulations": SavedKind((Type1,), run_laws.rates),
    "networks": SavedKind((NetworkRates,), run_laws.rates),
    "network profiles": SavedKind((NetworkProfile,), run_laws.profile, _profile),
    "own networks": SavedKind((OwnNetwork,), run_laws.network),
    "own network rates": SavedKind((OwnRates,), run_laws.rates, _own_rates),
    "tables": SavedKind((ComparisonTable,), run_laws.table),
    "categorizations": SavedKind((Categorization,), run_laws.categorization),
}


def check(kind: str, found: Any, *, deep: int = 0) -> None:
    """Refuse a result that is not of its kind, or does not hold together."""
    if kind not in SAVED:
        raise InputError(f"a result in it is of a kind that is not known here ('{kind[:50]}')")
    if isinstance(found, Mapping) and found and deep < max(SAVED[kind].deep):
        for each in found.values():
            check(kind, each, deep=deep + 1)
        return
    if not isinstance(found, SAVED[kind].of) or deep not in SAVED[kind].deep:
        raise InputError(f"a result in it is not what is kept under '{kind}'")
    try:
        broken = next((sentence for holds, sentence in SAVED[kind].law(found) if not holds), None)
    except (ValueError, TypeError, IndexError):  # arrays of other shapes cannot even be compared
        broken = "its arrays have other shapes"
    if broken is not None:
        raise InputError(f"a result in it does not hold together: {broken}")


def fitted(kind: str, found: Any, arguments: Sequence[Any], choices: Mapping[str, Any]) -> Any:
    """The result that a saved one stands for, where it fits what its function would be called with; else None."""
    each = SAVED[kind]
    return each.unpack(found, *arguments, **choices) if each.fits(found, *arguments, **choices) else None
