"""The sentences of notes: what computing modules report as a code with numbers and names."""

from collections.abc import Callable, Iterable, Mapping

from ..formats import counted, first_few, percent
from ..notes import Note
from ..topics import TopicPoints, TopicSpace

MOST_NAMED = 5


def sentences_of(notes: Iterable[Note | str]) -> tuple[str, ...]:
    """Return the sentence of every note; what a model or a file says of itself is one already."""
    return tuple(each if isinstance(each, str) else SENTENCES[each.code](*each.values) for each in notes)


def incomparable_records(space: TopicSpace | TopicPoints) -> list[dict[str, str]]:
    """Return the topics that cannot be compared, with the reason, as plain records."""
    return [{"topic": space.names[each.topic], "reason": REASONS[each.why]} for each in space.incomparable]


REASONS = {
    "no vector": "no document with a vector",
    "one document": "one document, which cannot show how similar a topic's documents are",
    "nothing shared": "documents that have nothing in common with each other",
}


def _quoted(names: Iterable[str]) -> str:
    return first_few([f"'{name}'" for name in names], MOST_NAMED)


# Folds


def _rare_authors(rare: int, authors: int, k: int) -> str:
    have = "has" if rare == 1 else "have"
    return f"{rare:,} of {counted(authors, 'author')} {have} fewer than {k} documents, so not every fold tests them."


def _lone_authors(alone: int) -> str:
    each = "" if alone == 1 else " each"
    return f"{counted(alone, 'author', 'has', 'have')} one document{each}, tested without any of theirs in training."


def _incomparable(few: int, topics: int) -> str:
    return f"{few} of {topics} topics have too few documents to compare, so their leakage is unknown."


def _on_both_sides(both: int, topics: int) -> str:
    are = "is" if both == 1 else "are"
    return (
        f"{both:,} of {counted(topics, 'topic')} {are} in training and test of one fold; a topic against itself counts with a "
        "similarity of 1."
    )


def _large_topics(names: tuple[str, ...], room: int) -> str:
    have, own = ("has", "it is a fold") if len(names) == 1 else ("have", "each is a fold")
    return f"{_quoted(names)} {have} more than the {room:,} documents a fold may hold, so {own} of its own."


def _large_cluster(names: tuple[str, ...], share: float, room: float, k: int, others: int, without: str) -> str:
    if len(names) == 1:
        return (
            f"{_quoted(names)} has {percent(share)} of the documents; one of {k} folds holds at most {percent(room)}."
        )
    beside = f" Kept together, they leave room for {counted(others, 'other fold')} at most." if others < k - 1 else ""
    return (
        f"{len(names)} topics form one near-twin cluster with {percent(share)} of the documents ({_quoted(names)}). A fold holds "
        f"at most {percent(room)}, so some near twins are separated.{beside} Drop '{without}', choose fewer folds, or allow less "
        "even ones."
    )


def _placed_anywhere(names: tuple[str, ...]) -> str:
    return f"Too few documents to compare: {_quoted(names)}. Each goes where there is room."


def _search_stopped(label: str, sizes: int) -> str:
    return f"The search for {label} topics stopped early at {counted(sizes, 'sample size')}; better samples may exist."


# A split that came with the file


def _sampled_tests(compared: int, documents: int) -> str:
    return f"{compared:,} of {documents:,} test documents, drawn at random, are compared with all others."


# Simulated groups and networks


def _uneven_test_sets(instances: int, copies: int, sets: int, mean: float, wanted: int) -> str:
    return (
        f"Every instance is in {copies} of {sets} test sets, so a test set holds {mean:.4g} instances on average and not "
        f"{wanted:,}."
    )


def _other_error_rate(asked: float, groups: int, chosen: int, error: float) -> str:
    return (
        f"An error rate of {asked:g} is not an integer number of {groups} groups: {chosen} are chosen and the classifiers really err "
        f"at {error:.3f}, both of them."
    )


def _no_variation(count: int, trials: int, test: str) -> str:
    return f"In {count:,} of {trials:,} trials the scores do not vary, so the {test} has no p there; they count as not rejected."


SENTENCES: Mapping[str, Callable[..., str]] = {
    "rare authors": _rare_authors,
    "lone authors": _lone_authors,
    "incomparable topics": _incomparable,
    "topics on both sides": _on_both_sides,
    "not proven": lambda: "Whether folds as even leak less is not proven: the search ended at its limit.",
    "large topics": _large_topics,
    "large cluster": _large_cluster,
    "placed anywhere": _placed_anywhere,
    "search stopped": _search_stopped,
    "sampled tests": _sampled_tests,
    "short tests": lambda short: f"{short:,} test documents are too short to be compared word for word.",
    "no topic split": lambda: (
        "HITS finds no two topics that are not near twins, so there is no topic split to compare with."
    ),
    "topic crosses": lambda name: f"'{name}' on both sides",
    "twins cross": lambda one, two: f"'{one}' and its near twin '{two}'",
    "more cross": lambda more: f"{more:,} more pairs",
    "copies cross": lambda found: f"all {found:,} test documents have a near duplicate in training",
    "uneven test sets": _uneven_test_sets,
    "other error rate": _other_error_rate,
    "small groups": lambda instances, groups: (
        f"{instances:,} instances in {groups} groups: most groups have no pair to be correlated."
    ),
    "no variation": _no_variation,
    "unequal models": lambda left, most: (
        f"After flips the models still differ by {left:.3f}, more than {most}; use more networks or label more."
    ),
    "unequal elsewhere": lambda most: (
        f"After flips the models still differ by more than {most} on the networks they were made equal on; label more nodes, or give "
        "larger networks."
    ),
    "undefined F1": lambda count: (
        f"Up to {count} categories have neither a true nor an assigned test document; their F1 is undefined and left out."
    ),
    "shared threshold": lambda count: (
        f"{count} categories could not be given a threshold of their own on held-out training documents: they share one."
    ),
}
