"""Does the split I was given leak?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import SettingError
from ..formats import counted, defined, first_that_fit, in_sentence, listed, percent
from ..plots import split as plots
from ..render import Answer, Caution, Drawing, Fact, Level, Rows
from ..splits import FixedSplit, SplitAudit, TestTopic
from ..study import Study
from . import verdict as verdict_question
from .notes import sentences_of
from .settings import Settings as Base
from .settings import seed, switch

NAME, LABEL, QUESTION = "split", "Check a split", "Does the split I was given leak?"
HELP = "Check the corpus's own train/test split and, with --fix, find the smallest change that fixes it."
METHODS = (
    "The given split is checked by its topics, by near duplicates (shared sequences of three words) and by nearest documents. Of "
    "each test document's similarity to these, the share that falls on training is compared with a random split of the same sizes."
)
MARKS = "A diamond is a near twin, an open one possibly; a dot is none."
MOST_NAMED = 3  # topics or pairs in a reason
MOST_KEPT_NAMED, LONGEST_LIST = 5, 150  # topics, and characters, of a list


@dataclass(frozen=True)
class Settings(Base):
    """How the split is checked."""

    seed: int = seed("Seed of what is sampled.")
    fix: bool = switch(
        "Find the smallest change that fixes it",
        key="split_mend",
        help="Which topics or near duplicates to move or drop so that nothing similar is on both sides.",
        asked=lambda study, _: study.corpus.splits is not None and study.labels.meaningful,
    )


@dataclass(frozen=True, eq=False)
class Checked:
    """What the answer is about."""

    audit: SplitAudit
    meaningful: bool
    fixed: FixedSplit | None  # where the smallest change was asked for


def answer(study: Study, settings: Settings) -> Answer:
    """Answer whether the corpus's own split leaks."""
    if study.corpus.splits is None:
        raise SettingError("This corpus has no split of its own. Load a file with a column of train and test labels.")
    audit, meaningful = study.split_audit(settings.seed), study.labels.meaningful
    fixed = study.fixed_split(settings.seed) if settings.fix and meaningful else None
    found = Checked(audit, meaningful, fixed)
    level = level_of(audit, meaningful=meaningful)
    return Answer(
        NAME,
        QUESTION,
        level,
        headline(audit, meaningful=meaningful),
        reasons(audit, meaningful=meaningful),
        cautions(audit, meaningful=meaningful),
        _facts(audit, meaningful),
        _figures(study, audit, meaningful),
        (
            _topics_table(audit, meaningful),
            *_duplicates_table(study, audit),
            *(() if fixed is None else _fix_tables(fixed)),
            *verdict_question.excluded_table(study.space),
        ),
        lambda: _data(study, found),
        settings.rows(study),
        METHODS,
        (),
        _next_steps(audit, meaningful, fixed),
        found,
        hero=_hero(audit, meaningful),
    )


def level_of(audit: SplitAudit, *, meaningful: bool) -> Level:
    """Return "bad" for a leak, "warning" for a possible one, "unknown" where no topic could be compared, else "good"."""
    if not meaningful:
        return "unknown"
    if audit.shared or audit.twins or len(audit.duplicates):
        return "bad"
    if audit.doubtful:
        return "warning"
    return "unknown" if audit.unknown == len(audit.topics) else "good"


def headline(audit: SplitAudit, *, meaningful: bool) -> str:
    """Say whether the split leaks, and by what."""
    count, copied = len(audit.topics), len(audit.duplicates)
    copies = f"{copied:,} of {len(audit.neighbour_leakage.rows):,} test documents {_has(copied)} a near duplicate in training"
    if not meaningful:
        return f"The labels do not separate these texts. {copies}."
    if audit.shared:
        which = f"All {count:,}" if audit.shared == count > 1 else f"{audit.shared:,} of {count:,}"
        return f"Yes. {which} test topics {_is(audit.shared)} also in training."
    if audit.twins:
        return f"Yes. {audit.twins:,} of {count:,} test topics {_has(audit.twins)} a near twin in training."
    if copied:
        return f"Yes. {copies}."
    if audit.doubtful:
        return f"Possibly. {audit.doubtful:,} of {count:,} test topics may have a near twin in training."
    if audit.unknown == count:
        return "No test document has a near duplicate in training; topics have too few documents to compare."
    return "No near twins or near duplicates of test documents were found in training."


def reasons(audit: SplitAudit, *, meaningful: bool) -> tuple[str, ...]:
    """Name what leaks: topics on both sides, near twins, topics with near duplicates."""
    found = []
    if shared := [in_sentence(topic.name) for topic in audit.topics if topic.shared]:
        found.append(f"On both sides: {first_that_fit(shared, MOST_NAMED, longest=LONGEST_LIST)}.")
    twins = sorted((topic for topic in audit.topics if topic.twin), key=lambda topic: -topic.similarity)
    if twins and meaningful:
        # Two topics that are on both sides are each other's nearest, and one pair.
        once = {frozenset((topic.name, topic.nearest)): topic for topic in reversed(twins)}
        pairs = [
            f"{in_sentence(topic.name)} and {in_sentence(topic.nearest or '')} ({topic.similarity:.2f})"
            for topic in reversed(once.values())
        ]
        found.append(f"Near twins across the split: {first_that_fit(pairs, MOST_NAMED, longest=LONGEST_LIST)}.")
    copied = sorted((topic for topic in audit.topics if topic.duplicates), key=lambda topic: -topic.duplicates)
    if copied:
        named = [f"{in_sentence(topic.name)} ({topic.duplicates:,})" for topic in copied]
        found.append(f"Near duplicates by topic: {first_that_fit(named, MOST_NAMED, longest=LONGEST_LIST)}.")
    return tuple(found)


def cautions(audit: SplitAudit, *, meaningful: bool) -> tuple[Caution, ...]:
    """Say what could not be compared, and what may leak beside what does."""
    codes: list[tuple[str, str]] = []
    count = len(audit.topics)
    if meaningful and audit.doubtful and (audit.shared or audit.twins or len(audit.duplicates)):
        codes.append(
            ("possible-twins", f"{audit.doubtful:,} more of {count:,} test topics may have a near twin in training.")
        )
    if meaningful and audit.unknown:
        codes.append(
            ("too-few-documents", f"{audit.unknown:,} of {count:,} test topics have too few documents to compare.")
        )
    codes += [("split-note", note) for note in sentences_of(audit.notes)]
    return tuple(Caution(*each) for each in codes)


def _facts(audit: SplitAudit, meaningful: bool) -> tuple[Fact, ...]:
    leakage, of = audit.neighbour_leakage, f"of {len(audit.topics):,}"
    return (
        Fact(
            "Similarity that crosses",
            percent(leakage.score),
            f"random split: {percent(leakage.chance)}",
            "Of a test document's similarity to its nearest documents, the share that falls on training documents.",
        ),
        Fact("Topics on both sides", f"{audit.shared:,} {of}", "test topics"),
        Fact("Near twins in training", f"{audit.twins:,} {of}", f"similarity {audit.threshold:.2f} or more")
        if meaningful
        else Fact("Near twins in training", "–", "the labels separate nothing"),
        Fact("Near duplicates", f"{len(audit.duplicates):,}", f"of {audit.test:,} test documents"),
    )


def _hero(audit: SplitAudit, meaningful: bool) -> Fact:
    """Return the number that the headline is about."""
    _, shared, twins, copies = _facts(audit, meaningful)
    if not meaningful:
        return copies
    if audit.shared:
        return shared
    return copies if len(audit.duplicates) and not audit.twins else twins


def _figures(study: Study, audit: SplitAudit, meaningful: bool) -> tuple[Drawing, ...]:
    many = len(audit.topics) > plots.MOST_TOPICS
    of = f"The first {plots.MOST_TOPICS} of {len(audit.topics):,} test topics." if many else ""
    found = [
        Drawing(
            "crossing", "Similarity that crosses, by test topic", lambda: plots.leakage_by_topic(audit), of, lead=True
        )
    ]
    if meaningful:
        found.append(
            Drawing(
                "twins",
                "The nearest other training topic",
                lambda: plots.topic_twins(audit, kind=study.similarity),
                f"{MARKS} {of}".strip(),
                lead=True,
            )
        )
    return (*found, Drawing("nearest", "The nearest training document", lambda: plots.nearest_documents(audit)))


def _topics_table(audit: SplitAudit, meaningful: bool) -> Rows:
    def make() -> pd.DataFrame:
        rows = pd.DataFrame(
            {
                "test topic": [topic.name for topic in audit.topics],
                "documents": [topic.documents for topic in audit.topics],
                "also in training": ["yes" if topic.shared else "no" for topic in audit.topics],
                "nearest other training topic": [topic.nearest for topic in audit.topics],
                "similarity": [topic.similarity for topic in audit.topics],
                "near twin": [_near_twin(topic) for topic in audit.topics],
                "crossing": [topic.neighbour_leakage for topic in audit.topics],
                "near duplicates": [topic.duplicates for topic in audit.topics],
            }
        )
        return rows if meaningful else rows.drop(columns="near twin")

    return Rows("split_audit", "Test topics", make, formats={"crossing": ".1%"}, lead=True)


def _near_twin(topic: TestTopic) -> str:
    if np.isnan(topic.similarity):
        return ""
    return "yes" if topic.twin else "possibly" if topic.doubtful else "no"


def _duplicates_table(study: Study, audit: SplitAudit) -> tuple[Rows, ...]:
    copies, corpus = audit.duplicates, study.corpus
    if not len(copies):
        return ()

    def make() -> pd.DataFrame:
        order = copies.jaccard.argsort(kind="stable")[::-1]
        sides = {"test": copies.test[order], "training": copies.train[order]}
        return pd.DataFrame(
            {f"{side} document": [corpus.ids[row] for row in rows] for side, rows in sides.items()}
            | {
                f"{side} topic": [corpus.topic_names[corpus.topic_codes[row]] for row in rows]
                for side, rows in sides.items()
            }
            | {"word sequences shared": copies.jaccard[order]}
        )

    return (Rows("near_duplicates", "Near duplicates", make, formats={"word sequences shared": ".1%"}),)


def _fix_tables(fixed: FixedSplit) -> tuple[Rows, ...]:
    becomes = {True: "moved to the other side", False: "dropped"}
    tables = []
    if fixed.changes:
        tables.append(
            Rows(
                "split_changes",
                "Changes that fix the split",
                lambda: pd.DataFrame(
                    [
                        {
                            "topic": each.topic,
                            "side": each.side,
                            "documents": each.documents,
                            "change": becomes[each.moved],
                        }
                        for each in fixed.changes
                    ]
                ),
                lead=True,
            )
        )
    if fixed.duplicates:
        tables.append(
            Rows("dropped_duplicates", "Test documents to drop", lambda: pd.DataFrame({"id": list(fixed.duplicates)}))
        )
    return tuple(tables)


def fix_sentence(fixed: FixedSplit) -> str:
    """Say what to change, and what is left."""
    still = f" Still crossing: {'; '.join(sentences_of(fixed.remaining))}." if fixed.remaining else ""
    if fixed.doubtful:
        pairs = "One pair" if fixed.doubtful == 1 else f"{fixed.doubtful:,} pairs"
        still += f" {pairs} of topics across the split may be near twins, but not clearly, and {'stays' if fixed.doubtful == 1 else 'stay'} in place."
    if not fixed.moved and not fixed.dropped:
        return f"Nothing {'could' if fixed.remaining else 'needs to'} be changed.{still}"
    train = sum(label == "train" for label in fixed.corpus.splits or ())
    proven = " No smaller change would do." if fixed.smallest and fixed.changes else ""
    copies, changes = len(fixed.duplicates), []
    if fixed.moved:
        changes.append(f"move {counted(fixed.moved, 'document')}")
    if fixed.dropped:
        which = f" ({counted(copies, 'near duplicate')} among them)" if copies and copies < fixed.dropped else ""
        changes.append(
            f"drop {counted(fixed.dropped, 'near duplicate' if copies == fixed.dropped else 'document')}{which}"
        )
    return (
        f"{listed(changes).capitalize()}. That leaves {train:,} training and {len(fixed.corpus) - train:,} test documents."
        f"{proven}{still}"
    )


def _next_steps(audit: SplitAudit, meaningful: bool, fixed: FixedSplit | None) -> tuple[str, ...]:
    if not meaningful:
        return ("The labels separate nothing, so moving topics would fix nothing.",)
    said = [] if fixed is None else [fix_sentence(fixed)]
    if (hits := audit.hits) is not None:
        topics = first_that_fit(hits.topics, MOST_KEPT_NAMED, longest=LONGEST_LIST, between=" · ")
        said.append(
            f"{'Or split' if said else 'Split'} the {len(hits.topics):,} topics HITS keeps ({hits.documents:,} documents, no near twins). Their train–test similarity "
            f"would be {hits.mean:.2f} on average and {hits.max:.2f} at most. They are {topics}."
        )
    return tuple(said)


def _data(study: Study, found: Checked) -> dict[str, Any]:
    audit = found.audit
    leaks = audit.shared or audit.twins or len(audit.duplicates)
    level = "leaks" if leaks else "some" if audit.doubtful else "clear"
    data: dict[str, Any] = {
        "level": level if found.meaningful else "meaningless",
        "train": audit.train,
        "test": audit.test,
        "near_duplicates": len(audit.duplicates),
        "topics_on_both_sides": [topic.name for topic in audit.topics if topic.shared],
        "twins": [[topic.name, topic.nearest, topic.similarity] for topic in audit.topics if topic.twin],
        "similarity": {"mean": defined(audit.mean), "max": defined(audit.max)},
        "crossing": defined(audit.neighbour_leakage.score),
        "expected_by_chance": defined(audit.neighbour_leakage.chance),
        "notes": [*study.vectors.notes, *sentences_of(audit.notes)],
    }
    if (fixed := found.fixed) is not None:
        data["mended"] = {
            "sentence": fix_sentence(fixed),
            "moved": fixed.moved,
            "dropped": fixed.dropped,
            "changes": [
                {"topic": each.topic, "from": each.side, "documents": each.documents, "moved": each.moved}
                for each in fixed.changes
            ],
            "near_duplicates": list(fixed.duplicates),
            "remaining": list(sentences_of(fixed.remaining)),
            "doubtful_pairs": fixed.doubtful,
        }
    return data


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _has(count: int) -> str:
    return "has" if count == 1 else "have"
