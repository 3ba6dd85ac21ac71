"""`folds`: cross-topic folds, and what they leak."""

import argparse

from ..splits import fold_leakage, make_folds
from .options import (
    Answer,
    add_corpus_options,
    add_encoder_options,
    add_fold_options,
    check_fold_options,
    corpus_of,
    defined,
    setup_of,
    vectors_of,
)


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, the sample and the scheme."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_fold_options(command)


def run(options: argparse.Namespace) -> Answer:
    """Folds over topics, and how alike the training and test topics of each are."""
    notes = check_fold_options(options)
    corpus = corpus_of(options)
    vectors = vectors_of(corpus, options)
    setup = setup_of(corpus, vectors, options)
    folds = make_folds(setup.corpus, scheme=options.scheme, k=options.k, seed=options.seed)
    leakage = fold_leakage(folds, setup.space, nearest=1)
    names = leakage.topic_names
    nearest: list[dict[str, str | None]] = [{} for _ in folds]
    for exposure in leakage.exposures:
        closest = int(exposure.nearest[0])
        nearest[exposure.fold][names[exposure.topic]] = names[closest] if closest >= 0 else None
    return {
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
        "worst_pairs": [
            {"train": names[pair.train], "test": names[pair.test], "similarity": pair.similarity}
            for pair in leakage.worst
        ],
        "notes": [*notes, *vectors.notes, *folds.notes, *leakage.notes],
    }
