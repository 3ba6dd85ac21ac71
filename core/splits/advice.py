"""Which of all ways to split to take, and why."""

from collections.abc import Iterator

import numpy as np

from ..formats import percent
from ..topics import SAMPLERS
from .design import Design
from .design_files import option_label
from .kinds import split_kind
from .option import Option

ENOUGH = 0.5  # of the documents: a sample that keeps fewer is taken only where nothing else will do

LEAST_FOLD = 0.1  # of the mean size: folds with a smaller one are no answer, however little they leak


def recommended(design: Design, *, meaningful: bool = True) -> Option:
    """The option to take: of those that are as wished and part neither near twins nor what may be one topic, the first of
    `_clear`; where there is none, least-leakage folds, which drop nothing. Where labels mean nothing, a random deal."""
    best = design.least_leakage
    if not meaningful:
        return next((option for option in design.of("random") if option.as_wished), best)
    return best if np.isnan(best.max) else next(_clear(design), best)


def _clear(design: Design) -> Iterator[Option]:
    """The options to take in the order of what they cost: a random deal; least-leakage folds; the largest sample, where it
    keeps half of the documents; folds less even than wished; a smaller sample. Not one, though, that doubt alone makes
    small: a handful of documents for certainty's sake is no answer."""
    wished = [option for option in design.options if option.as_wished]
    yield from (option for option in wished if option.kind == "random" and option.clear)
    if design.least_leakage.clear:
        yield design.least_leakage
    samples = [option for option in wished if split_kind(option.kind).chooses]
    clear = max((option for option in samples if option.clear), key=_documents_first, default=None)
    if clear is not None and clear.documents >= ENOUGH * design.documents:
        yield clear
    uneven = [option for option in wished if (option.balance or 0.0) > design.balance and option.clear]
    least = LEAST_FOLD * design.documents / design.k
    yield from sorted(
        (option for option in uneven if option.smallest_fold >= least), key=lambda option: option.balance or 0.0
    )
    measured = max((option.documents for option in samples if not option.near_twins), default=0)
    if clear is not None and clear.documents >= ENOUGH * measured:
        yield clear


def _documents_first(option: Option) -> tuple[int, float]:
    return option.documents, -option.max


DOUBT = " No pair of topics is a near twin beyond doubt here: with more documents of each, a split that costs less may do as well."


def recommendation(design: Design, *, meaningful: bool = True, sure_pairs: int | None = None) -> str:
    """The option to take in a sentence, with the reason, what it costs and what is in doubt; and where none of the pairs past
    the line is a near twin beyond doubt (`sure_pairs`, of the verdict), that what is parted for them may be parted for nothing."""
    if not meaningful:
        return "The labels do not separate these texts, so no choice of topics makes one split better than another."
    if np.isnan(design.least_leakage.max):
        return "Too little is known of how alike these topics are to prefer one split."
    choice = recommended(design)
    if not choice.clear:
        return _nothing_clear(design) + _cost(choice, design)
    kind = split_kind(choice.kind)
    say = _dealt if choice.kind == "random" else _sampled if kind.chooses else _kept_whole
    if choice.kind == "least-leakage" and choice is not design.least_leakage:
        say = _uneven
    doubt = DOUBT if sure_pairs == 0 and choice.kind != "random" else ""
    return say(design, choice) + _perhaps(choice) + _cost(choice, design) + doubt


def _dealt(design: Design, choice: Option) -> str:
    drawn = design.of("random")
    highest, line = _apart(max(option.max for option in drawn), design.line)
    return (
        f"Deal the topics at random: no two of them are near twins (similarity {line} or more; the highest of a training and "
        f"a test topic in {len(drawn)} deals was {highest})."
        + ("" if choice is drawn[0] else f" The deal of seed {choice.seed} is the first that is as wished.")
    )


def _kept_whole(design: Design, choice: Option) -> str:
    drawn = design.of("random")
    highest, line = _apart(choice.max, design.line)
    worst = max((option.max for option in drawn), default=float("nan"))
    return (
        f"Use least-leakage folds: they keep all {design.documents:,} documents, and no training topic is more like a "
        f"test topic than {highest}; folds dealt at random reach {worst:.2f}, and near twins begin at {line}."
        + ("" if not drawn or any(option.as_wished for option in drawn) else " No random deal is as wished.")
    )


def _sampled(design: Design, choice: Option) -> str:
    kind = split_kind(choice.kind)
    return (
        f"Keep {choice.m} topics by {SAMPLERS[kind.sampler or choice.kind].label}: {choice.documents:,} of "
        f"{design.documents:,} documents, and no two of the topics are more alike than {_apart(choice.max, design.line)[0]}. "
        f"{_why_not_whole(design, choice)}"
    )


def _uneven(design: Design, choice: Option) -> str:
    return (
        f"Use least-leakage folds of up to {percent(choice.balance or 0)} above the mean size (the smallest has "
        f"{choice.smallest_fold:,} documents): they keep all {design.documents:,} documents, and no training topic is more like a "
        f"test topic than {_apart(choice.max, design.line)[0]}. {_why_not_whole(design, choice)}"
    )


def _why_not_whole(design: Design, choice: Option) -> str:
    """Why not least-leakage folds as even as wished: what they part."""
    best, line = design.least_leakage, _apart(choice.max, design.line)[1]
    so_even = f"Folds of all documents that are at most {percent(design.balance)} above the mean size"
    if best.near_twins:
        return f"{so_even} part near twins (similarity {line} or more): the least leaking of them reach {best.max:.2f}."
    return f"{so_even} part {_pairs(best.perhaps_one)} of topics that cannot be told from one topic cut in two."


def _nothing_clear(design: Design) -> str:
    """What to say where nothing can be recommended: everything parts near twins, or it cannot be told whether it does."""
    best, wished = design.least_leakage, [option for option in design.options if option.as_wished]
    highest, line = _apart(best.max, design.line)
    measured = [option for option in wished if option.near_twins == 0 and split_kind(option.kind).chooses]
    if measured or best.near_twins == 0:
        return (
            "Which split is clean cannot be told from these documents: whatever keeps more than a few of them parts topics that "
            "cannot be told from one topic cut in two. Least-leakage folds drop no document: "
            f"{_pairs(best.perhaps_one)} across their folds are of that kind, and the highest similarity is {highest} (near "
            f"twins begin at {line}).{_as_measured(design, measured)} More documents of each topic would tell."
        )
    wish = "" if len(wished) == len(design.options) else " as wished"
    without = " Without the wishes there is one." if any(option.clear for option in design.options) else ""
    fewer = " Fewer folds may part less." if design.k > 2 else ""
    return (
        f"None of the splits into {design.k} folds{wish} that were tried keeps near twins (similarity {line} or more) on one "
        f"side.{without} Least-leakage folds{wish} part the least alike of them, {highest}.{fewer}"
    )


def _as_measured(design: Design, samples: list[Option]) -> str:
    """The largest sample without near twins by the similarities alone, where whole folds part some."""
    if design.least_leakage.near_twins == 0 or not samples:
        return ""
    largest = max(samples, key=_documents_first)
    return (
        f" {option_label(largest)}, keeps {largest.documents:,} of {design.documents:,} documents and parts no near twins as "
        f"measured, but {_pairs(largest.perhaps_one)} of that kind."
    )


def _perhaps(choice: Option) -> str:
    """How many pairs may be near twins all the same."""
    if not choice.perhaps_twins:
        return ""
    across = "across its folds" if choice.kind == "least-leakage" else "among its topics"
    return f" {_pairs(choice.perhaps_twins).capitalize()} {across} may be near twins all the same: measured below the line, with an interval that reaches it."


def _pairs(count: int) -> str:
    return "one pair" if count == 1 else f"{count:,} pairs"


def _apart(value: float, line: float) -> tuple[str, str]:
    """The two as they are shown: with as many places as tell them apart, where they differ."""
    for places in (2, 3, 4):
        shown = f"{value:.{places}f}", f"{line:.{places}f}"
        if shown[0] != shown[1] or value == line:
            break
    return shown


def _cost(option: Option, design: Design) -> str:
    """What is given up for it: authors on both sides."""
    drawn = design.of("random")
    usual = float(np.mean([each.seen_authors for each in drawn])) if drawn else float("nan")
    if option.kind != "random" and option.seen_authors < usual - 0.05:
        return (
            f" It costs authors: {percent(option.seen_authors)} of the test documents have theirs in training, at random "
            f"{percent(usual)}."
        )
    return ""
