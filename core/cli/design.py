"""`folds`: what folds leak; `design`: which split to use; `split`: what one's own leaks, and what would mend it."""

import argparse

from ..corpora import Corpus
from ..errors import SettingError
from ..splits import (
    FOLD_COLUMNS,
    Option,
    audit_split,
    check_deal,
    check_k,
    design_options,
    fold_leakage,
    folds_table,
    make_folds,
    mend_split,
    option_folds,
    option_label,
    recommendation,
    recommended,
    split_kinds,
)
from ..topics import TopicSpace, check_labels, documents_table, resample_topics, sure_twins
from .options import (
    Answer,
    add_corpus_options,
    add_encoder_options,
    add_fold_options,
    add_wish_options,
    check_fold_options,
    check_folds_of,
    corpus_of,
    defined,
    in_full,
    seed,
    setup_of,
    space_of,
    vectors_of,
    wishes_of,
)
from .screen import progress
from .target import checked_table, write_table

NO_LEAKAGE = "The labels do not separate these texts, so that how alike topics are tells nothing of these folds."


def add_folds_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, the sample and the scheme."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_fold_options(command)


def run_folds(options: argparse.Namespace) -> Answer:
    """Folds over topics, and how alike the training and test topics of each are: 'max' is the mean of the folds' maxima, as in
    the HITS paper, 'highest' the highest of all."""
    notes = check_fold_options(options)
    corpus = corpus_of(options)
    check_folds_of(options, corpus)
    vectors = vectors_of(corpus, options)
    setup = setup_of(corpus, vectors, options)
    wishes = wishes_of(options, setup.corpus)
    folds = make_folds(
        setup.corpus, scheme=options.scheme, k=options.k, seed=options.seed, space=setup.space, wishes=wishes
    )
    leakage = fold_leakage(folds, setup.space, nearest=1)
    labels = check_labels(vectors.matrix, corpus.topic_codes, len(corpus.topic_names), kind=options.similarity)
    names = leakage.topic_names
    nearest: list[dict[str, str | None]] = [{} for _ in folds]
    for exposure in leakage.exposures:
        closest = int(exposure.nearest[0])
        nearest[exposure.fold][names[exposure.topic]] = names[closest] if closest >= 0 else None
    return {
        "sentence": leakage.sentence if labels.meaningful or not leakage.worst else f"{NO_LEAKAGE} {leakage.sentence}",
        "folds": [
            {
                "train": [names[topic] for topic in fold.train_topics],
                "test": [names[topic] for topic in fold.test_topics],
                "mean": defined(leakage.mean[number]),
                "max": defined(leakage.max[number]),
                "nearest": nearest[number],
            }
            for number, fold in enumerate(folds)
        ],
        "mean": defined(leakage.average_mean),
        "max": defined(leakage.average_max),
        "highest": defined(leakage.highest),
        "worst_pairs": [
            {"train": names[pair.train], "test": names[pair.test], "similarity": pair.similarity}
            for pair in leakage.worst
        ],
        "notes": [*notes, *vectors.notes, *folds.notes, *leakage.notes],
    }


def add_design_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, what folds must keep to, and where the documents with one of the splits go."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--k", type=int, default=6, metavar="K", help="folds (default: 6)")
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws random folds (default: 0)")
    add_wish_options(command)
    command.add_argument("--out", default=None, metavar="FILE", help="also write the documents with the split taken")
    about = f"which split is written: {', '.join(split_kinds())}, as under 'options' (default: the recommended one)"
    command.add_argument("--take", default=None, choices=tuple(split_kinds()), metavar="KIND", help=about)
    about = "; ".join(f"{name}: {words[0].lower()}{words[1:].rstrip('.')}" for name, words in FOLD_COLUMNS.items())
    command.add_argument(
        "--as", dest="column", default="fold", choices=tuple(FOLD_COLUMNS), help=f"{about} (default: fold)"
    )


def run_design(options: argparse.Namespace) -> Answer:
    """Which split to use: random, HITS, least maximum, grouping and least-leakage folds beside each other."""
    if options.out is not None:
        checked_table(options.out)
    check_k(options.k)
    corpus = corpus_of(options)
    check_deal(options.k, len(corpus.topic_names))
    vectors = vectors_of(corpus, options)
    space = space_of(corpus, vectors, options)
    documents = vectors.matrix, corpus.topic_codes, len(space)
    labels, resampled = check_labels(*documents, kind=space.kind), resample_topics(*documents, kind=space.kind)
    found = design_options(
        corpus,
        space,
        k=options.k,
        seed=options.seed,
        wishes=wishes_of(options, corpus),
        resampled=resampled,
        progress=progress,
    )
    sure_pairs = int(sure_twins(space, found.line, resampled).sum()) // 2
    best, choice = found.least_leakage, recommended(found, meaningful=labels.meaningful)
    shown = found.of_each_kind
    folds: list[list[str]] = [[] for _ in range(options.k)]
    for topic, fold in enumerate(found.fold_of.tolist()):
        folds[fold].append(space.names[topic])
    return {
        "sentence": recommendation(found, meaningful=labels.meaningful, sure_pairs=sure_pairs),
        "recommended": {"kind": choice.kind} | _record(choice) if labels.meaningful else None,
        "k": options.k,
        "line": found.line,
        "options": {kind: _record(option) for kind, option in shown.items()},
        "folds": folds,
        "optimal": best.proven,
        **(
            {"all_options": [{"kind": each.kind} | _record(each) for each in found.options]} if in_full(options) else {}
        ),
        "notes": [*vectors.notes, *found.notes],
        **({} if options.out is None else _written(corpus, space, shown.get(options.take, choice), options)),
    }


def _written(corpus: Corpus, space: TopicSpace, taken: Option, options: argparse.Namespace) -> Answer:
    """The documents with the fold or the side of each, written; of which split, and where."""
    fold_of = option_folds(corpus, space, taken, k=options.k, wishes=wishes_of(options, corpus))
    write_table(options.out, folds_table(corpus, fold_of, column=options.column))
    return {"taken": option_label(taken), "column": options.column, "out": options.out}


def _record(option: Option) -> Answer:
    numbers = ("mean", "max", "nearest_mean", "seen_authors", "detectable")
    how = {name: getattr(option, name) for name in ("m", "balance", "seed")}
    return {
        "documents": option.documents,
        "topics": option.topics,
        "authors": option.authors,
        **{name: defined(getattr(option, name)) for name in numbers},
        "smallest_fold": option.smallest_fold,
        "as_wished": option.as_wished,
        **{name: getattr(option, name) for name in ("near_twins", "perhaps_twins", "perhaps_one")},
        **{name: value for name, value in how.items() if value is not None},
    }


def add_split_options(command: argparse.ArgumentParser) -> None:
    """A corpus with a column of train and test labels, and its vectors."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws what is sampled (default: 0)")
    command.add_argument("--mend", action="store_true", help="also the smallest change that would mend it")
    command.add_argument(
        "--out", default=None, metavar="FILE", help="with --mend: write the documents of the mended split"
    )


def run_split(options: argparse.Namespace) -> Answer:
    """What the corpus's own train/test split leaks and, on request, the smallest change that would mend it."""
    if options.out is not None:
        checked_table(options.out)
        if not options.mend:
            raise SettingError("--out writes the mended split; add --mend.")
    corpus = corpus_of(options, needed=("topic", "split"))
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
        mended = mend_split(corpus, vectors.matrix, space, resampled=resampled, seed=options.seed, progress=progress)
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
            "doubtful_pairs": mended.doubtful,
        }
        if options.out is not None:
            write_table(options.out, documents_table(mended.corpus))
            answer["out"] = options.out
    return answer
