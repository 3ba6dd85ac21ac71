"""Which of all ways to split to take, and why."""

import numpy as np

from ..formats import percent
from ..topics import SAMPLERS
from .design import Design, Option
from .kinds import split_kind


def recommended(design: Design) -> Option:
    """The option to take of those that are as wished: a random deal where none parts near twins; else least-leakage folds
    where they part none; else the sample with most documents that parts none; else what parts the least alike."""
    best, drawn = design.least_leakage, design.of("random")
    if not np.isnan(best.max):
        wished = [option for option in drawn if option.as_wished]
        if wished and max(option.max for option in drawn) < design.line:
            return wished[0]
        clear = [
            option
            for option in design.options
            if split_kind(option.kind).chooses and option.max < design.line and option.as_wished
        ]
        if best.max >= design.line and clear:
            return max(clear, key=lambda option: (option.documents, -option.max))
    return best


DOUBT = " No pair of topics is a near twin beyond doubt here: with more documents of each, a split that costs less may do as well."


def recommendation(design: Design, *, meaningful: bool = True, sure_pairs: int | None = None) -> str:
    """The option to take in a sentence, with the reason and what it costs; and where none of the pairs past the line is a near
    twin beyond doubt (`sure_pairs`, of the verdict), that what is parted for them may be parted for nothing."""
    said = _recommendation(design, meaningful=meaningful)
    known = meaningful and not np.isnan(design.least_leakage.max) and recommended(design).kind != "random"
    return said + DOUBT if known and sure_pairs == 0 else said


def _recommendation(design: Design, *, meaningful: bool) -> str:
    if not meaningful:
        return "The labels do not separate these texts, so no choice of topics makes one split better than another."
    best, drawn, choice = design.least_leakage, design.of("random"), recommended(design)
    worst = max((option.max for option in drawn), default=float("nan"))
    if np.isnan(best.max):
        return "Too little is known of how alike these topics are to prefer one split."
    if choice.kind == "random":
        highest, line = _apart(worst, design.line)
        return (
            f"Deal the topics at random: of {len(drawn)} deals into {design.k} folds none sets near twins against each other "
            f"(similarity {line} or more; the highest was {highest})."
            + ("" if choice is drawn[0] else f" The deal of seed {choice.seed} is the first that is as wished.")
        )
    highest, line = _apart(choice.max, design.line)
    if (kind := split_kind(choice.kind)).chooses:
        return (
            f"Keep {choice.m} topics by {SAMPLERS[kind.sampler or choice.kind].label}: {choice.documents:,} of {design.documents:,} documents, and none "
            f"more alike across folds than {highest}. Not all documents can be kept without parting near twins (similarity "
            f"{line} or more): least-leakage folds reach {best.max:.2f}.{_cost(choice, drawn)}"
        )
    if choice.max >= design.line:
        return (
            f"No split into {design.k} folds keeps near twins (similarity {line} or more) on one side. Least-leakage folds "
            f"part the least alike of them, {highest}; fewer folds would leak less.{_cost(best, drawn)}"
        )
    return (
        f"Use least-leakage folds: they keep all {design.documents:,} documents, and no training topic is more like a "
        f"test topic than {highest}; folds dealt at random reach {worst:.2f}, and near twins begin at {line}."
        + ("" if not drawn or any(option.as_wished for option in drawn) else " No random deal is as wished.")
        + _cost(best, drawn)
    )


def _apart(value: float, line: float) -> tuple[str, str]:
    """The two as they are shown: with as many places as tell them apart, where they differ."""
    for places in (2, 3, 4):
        shown = f"{value:.{places}f}", f"{line:.{places}f}"
        if shown[0] != shown[1] or value == line:
            break
    return shown


def _cost(option: Option, drawn: tuple[Option, ...]) -> str:
    """What is given up for it: authors on both sides."""
    usual = float(np.mean([each.seen_authors for each in drawn])) if drawn else float("nan")
    if option.seen_authors < usual - 0.05:
        return (
            f" It costs authors: {percent(option.seen_authors)} of the test documents have theirs in training, at random "
            f"{percent(usual)}."
        )
    return ""
