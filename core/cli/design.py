"""`design`: which split to use; `split`: what the corpus's own split leaks, and what would mend it."""

import argparse

from ..splits import Option, Wishes, audit_split, design_options, mend_split, recommendation, recommended
from ..topics import check_labels, resample_topics
from .options import (
    Answer,
    add_corpus_options,
    add_encoder_options,
    corpus_of,
    defined,
    progress,
    seed,
    space_of,
    vectors_of,
)

SHOWN = ("random", "hits", "least-maximum", "grouping", "hybrid", "least-leakage")


def add_design_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, and what folds must keep to."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--k", type=int, default=6, metavar="K", help="folds (default: 6)")
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws random folds (default: 0)")
    about = "how far above the mean a fold may be, in documents (default: 0.2)"
    command.add_argument("--balance", type=float, default=Wishes().balance, metavar="E", help=about)
    about = "test documents whose author must be in training, at least (default: 0)"
    command.add_argument("--seen-authors", type=float, default=0.0, metavar="SHARE", help=about)


def run_design(options: argparse.Namespace) -> Answer:
    """Which split to use: random, HITS, least maximum, grouping and least-leakage folds beside each other."""
    corpus = corpus_of(options)
    vectors = vectors_of(corpus, options)
    space = space_of(corpus, vectors, options)
    found = design_options(
        corpus,
        space,
        k=options.k,
        seed=options.seed,
        wishes=Wishes(options.balance, options.seen_authors),
        progress=progress,
    )
    labels = check_labels(vectors.matrix, corpus.topic_codes, len(space), kind=space.kind)
    best = found.least_leakage
    # One option of each kind: the first deal, and of samples the one with most documents below the line of near twins.
    shown = {kind: found.largest_clear(kind) for kind in SHOWN} | {
        "random": found.of("random")[0],
        "least-leakage": best,
    }
    folds: list[list[str]] = [[] for _ in range(options.k)]
    for topic, fold in enumerate(found.fold_of.tolist()):
        folds[fold].append(space.names[topic])
    return {
        "sentence": recommendation(found, meaningful=labels.meaningful),
        "recommended": {"kind": (choice := recommended(found)).kind} | _record(choice) if labels.meaningful else None,
        "k": options.k,
        "line": found.line,
        "options": {kind: _record(option) for kind, option in shown.items()},
        "folds": folds,
        "optimal": best.proven,
        "all_options": [{"kind": option.kind} | _record(option) for option in found.options],
        "notes": [*vectors.notes, *found.notes],
    }


def _record(option: Option) -> Answer:
    numbers = ("mean", "max", "nearest_mean", "seen_authors", "detectable")
    how = {name: getattr(option, name) for name in ("m", "balance", "seed")}
    return {
        "documents": option.documents,
        "topics": option.topics,
        "authors": option.authors,
        **{name: defined(getattr(option, name)) for name in numbers},
        "smallest_fold": option.smallest_fold,
        **{name: value for name, value in how.items() if value is not None},
    }


def add_split_options(command: argparse.ArgumentParser) -> None:
    """A corpus with a column of train and test labels, and its vectors."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws what is sampled (default: 0)")
    command.add_argument("--mend", action="store_true", help="also the smallest change that would mend it")


def run_split(options: argparse.Namespace) -> Answer:
    """What the corpus's own train/test split leaks and, on request, the smallest change that would mend it."""
    corpus = corpus_of(options)
    vectors = vectors_of(corpus, options)
    space = space_of(corpus, vectors, options)
    documents = vectors.matrix, corpus.topic_codes, len(space)
    labels = check_labels(*documents, kind=space.kind)
    resampled = resample_topics(*documents, kind=space.kind)
    found = audit_split(corpus, vectors.matrix, space, resampled=resampled, seed=options.seed, progress=progress)
    leaks = found.shared or found.twins or len(found.duplicates)
    level = "leaks" if leaks else "some" if found.doubtful else "clear"
    answer: Answer = {
        "sentence": found.sentence(meaningful=labels.meaningful),
        "level": level if labels.meaningful else "meaningless",
        "train": found.train,
        "test": found.test,
        "near_duplicates": len(found.duplicates),
        "topics_on_both_sides": [topic.name for topic in found.topics if topic.shared],
        "twins": [[topic.name, topic.nearest, topic.similarity] for topic in found.topics if topic.twin],
        "similarity": {"mean": defined(found.mean), "max": defined(found.max)},
        "crossing": defined(found.neighbour_leakage.score),
        "expected_by_chance": defined(found.neighbour_leakage.chance),
        "notes": [*vectors.notes, *found.notes],
    }
    if options.mend:
        mended = mend_split(corpus, vectors.matrix, space, seed=options.seed, progress=progress)
        answer["mended"] = {
            "sentence": mended.sentence,
            "moved": mended.moved,
            "dropped": mended.dropped,
            "changes": [
                {"topic": change.topic, "from": change.side, "documents": change.documents, "moved": change.moved}
                for change in mended.changes
            ],
            "near_duplicates": list(mended.duplicates),
            "remaining": list(mended.remaining),
        }
    return answer
