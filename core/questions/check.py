"""Does the corpus pass? For builds: an answer that fails by what was asked for, and accepts what was there before."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..arrays import record
from ..errors import SettingError, unknown
from ..formats import counted, listed
from ..render import Answer
from ..study import Study
from . import split, verdict

NAME = "check"
QUESTION = "Does the corpus pass?"
LEVELS = ("leaks", "some", "unknown", "meaningless")  # of the verdict
IN_SPLIT = {
    "duplicates": ("test document", "has a near duplicate in training", "have near duplicates in training"),
    "twins": ("test topic", "has a near twin in training", "have near twins in training"),
    "shared-topics": ("test topic", "is also in training", "are also in training"),
}
SAID = {
    "leaks": "It leaks.",
    "some": "It may leak.",
    "unknown": "It cannot be judged.",
    "meaningless": "Its topics mean nothing.",
}
SPLIT = "split"  # stands for everything in IN_SPLIT
KEYS = {"twins": "split_twins"}  # in the data, where `twins` are the verdict's pairs
USUAL = ("leaks", SPLIT)


@record
class Findings:
    """What a build may fail on, by names that stay the same from run to run."""

    level: str | None  # of the verdict; None where it was not asked for
    headline: str  # of the verdict
    twins: tuple[str, ...]  # pairs of similar topics
    in_split: Mapping[str, tuple[str, ...]]  # documents or topics by kind; empty without a split


def checked_kinds(named: Sequence[str]) -> tuple[str, ...]:
    """Return what a build fails on, with `split` spelled out; refuse other words."""
    if not named:
        raise SettingError(f"--fail-on names nothing. Choose from {', '.join((*LEVELS, *IN_SPLIT, SPLIT))}.")
    for name in named:
        if name not in (*LEVELS, *IN_SPLIT, SPLIT):
            raise unknown("finding", name, (*LEVELS, *IN_SPLIT, SPLIT))
    return tuple(dict.fromkeys(each for name in named for each in (IN_SPLIT if name == SPLIT else (name,))))


def findings(study: Study, kinds: Sequence[str]) -> Findings:
    """Ask only what the kinds need."""
    level, headline = None, ""
    twins: tuple[str, ...] = ()
    if set(kinds) & set(LEVELS):
        judged = verdict.answer(study, verdict.Settings.resolve(study, {}, command=True))
        level, headline = judged.data["level"], judged.headline
        twins = tuple(f"{first} | {second}" for first, second, _ in judged.data["twins"])
    in_split: dict[str, tuple[str, ...]] = {}
    if set(kinds) & set(IN_SPLIT):
        numbers = split.answer(study, split.Settings.resolve(study, {}, command=True)).numbers
        audit, ids = numbers.audit, study.corpus.ids
        in_split = {
            "duplicates": tuple(ids[row] for row in audit.duplicates.test),
            "twins": tuple(topic.name for topic in audit.topics if topic.twin and numbers.meaningful),
            "shared-topics": tuple(topic.name for topic in audit.topics if topic.shared),
        }
    return Findings(level, headline, twins, {kind: names for kind, names in in_split.items() if kind in kinds})


def answer(study: Study, kinds: Sequence[str], before: Mapping[str, Any] | None = None) -> Answer:
    """Answer whether anything of these kinds is there that was not there `before` (the data of an earlier check)."""
    found, before = findings(study, kinds), before or {}
    problems = []
    if found.level is not None and found.level in kinds:
        known = before.get("level") == found.level and set(found.twins) <= set(before.get("twins", ()))
        problems += [] if known else [f"{SAID[found.level]} {found.headline.removeprefix('Yes. ')}"]
    new = {
        kind: [name for name in names if name not in before.get(KEYS.get(kind, kind), ())]
        for kind, names in found.in_split.items()
    }
    for kind, names in new.items():
        if names:
            what, one, several = IN_SPLIT[kind]
            known = len(found.in_split[kind]) - len(names)
            more = f" ({known:,} more known before)" if known else ""
            problems.append(f"{counted(len(names), what)} {one if len(names) == 1 else several}{more}.")
    accepted = " that was not there before" if before else ""
    return Answer(
        NAME,
        QUESTION,
        "bad" if problems else "good",
        f"Failed. {problems[0]}" if problems else f"Passed. Nothing to fail on ({listed(list(kinds))}){accepted}.",
        tuple(problems[1:4]),
        make_data=lambda: {
            "passed": not problems,
            "fail_on": list(kinds),
            "level": found.level,
            "twins": list(found.twins),
            **{KEYS.get(kind, kind): list(names) for kind, names in found.in_split.items()},
            "problems": problems,
        },
    )
