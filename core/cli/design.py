"""`folds`, `design` and `split`: questions that also write files."""

import argparse

from ..errors import SettingError
from ..questions import answered, folds, split
from ..questions import design as design_question
from ..render import Answer
from ..splits import FOLD_COLUMNS, check_deal, check_k, fold_leakage, folds_table, make_folds, option_label, split_kinds
from ..topics import documents_table
from .options import (
    add_corpus_options,
    add_encoder_options,
    add_fold_options,
    add_wish_options,
    check_fold_options,
    check_folds_of,
    corpus_of,
    setup_of,
    vectors_of,
    wishes_of,
)
from .questions import add_settings, given_settings, study_in, study_of
from .target import checked_table, write_table


def add_folds_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, its vectors, the sample and the scheme."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_fold_options(command)


def run_folds(options: argparse.Namespace) -> Answer:
    """Make folds over topics and report how similar the training and test topics of each are."""
    notes = check_fold_options(options)
    corpus = corpus_of(options)
    check_folds_of(options, corpus)
    vectors = vectors_of(corpus, options)
    setup = setup_of(corpus, vectors, options)
    made = make_folds(
        setup.corpus,
        scheme=options.scheme,
        k=options.k,
        seed=options.seed,
        space=setup.space,
        wishes=wishes_of(options, setup.corpus),
    )
    leakage = fold_leakage(made, setup.space, nearest=1)
    return folds.answer(study_in(corpus, vectors, options), setup, made, leakage, notes=notes)


def add_design_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, its vectors, what folds must keep to, and where the documents with one of the splits go."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_settings(command, design_question.Settings)
    add_wish_options(command)
    command.add_argument("--out", default=None, metavar="FILE", help="also write the documents with the split taken")
    about = f"which split is written: {', '.join(split_kinds())}, as under 'options' (default: the recommended one)"
    command.add_argument("--take", default=None, choices=tuple(split_kinds()), metavar="KIND", help=about)
    about = "; ".join(f"{name}: {words[0].lower()}{words[1:].rstrip('.')}" for name, words in FOLD_COLUMNS.items())
    command.add_argument(
        "--as", dest="column", default="fold", choices=tuple(FOLD_COLUMNS), help=f"{about} (default: fold)"
    )


def run_design(options: argparse.Namespace) -> Answer:
    """Compare random, HITS, minimax, grouping and least-leakage splits and recommend one."""
    if options.out is not None:
        checked_table(options.out)
    given = given_settings(design_question.Settings, options)
    options.k = 6 if options.k is None else options.k
    check_k(options.k)
    study = study_of(options)
    check_deal(options.k, len(study.corpus.topic_names))
    settings = design_question.Settings.resolve(study, given, command=True).but(wishes=wishes_of(options, study.corpus))
    found = answered(study, design_question, settings)
    if options.out is not None:
        taken = found.numbers.design.of_each_kind.get(options.take, found.numbers.best)
        found = answered(study, design_question, settings.but(choice=option_label(taken)))
        fold_of = design_question.folds_of(study, found.numbers)
        write_table(options.out, folds_table(study.corpus, fold_of, column=options.column))
        found.data.update(taken=option_label(taken), column=options.column, out=options.out)
    return found


def add_split_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus with train and test labels, its vectors, and whether to fix the split."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_settings(command, split.Settings)
    command.add_argument("--mend", dest="fix", action="store_true", default=None, help=argparse.SUPPRESS)
    command.add_argument(
        "--out", default=None, metavar="FILE", help="with --fix: write the documents of the fixed split"
    )


def run_split(options: argparse.Namespace) -> Answer:
    """Check the corpus's own train/test split and, with --fix, find the smallest change that fixes it."""
    if options.out is not None:
        checked_table(options.out)
        if not options.fix:
            raise SettingError("--out writes the fixed split; add --fix.")
    study = study_of(options, needed=("topic", "split"))
    found = answered(study, split, split.Settings.resolve(study, given_settings(split.Settings, options)))
    if options.out is not None and found.numbers.fixed is not None:
        write_table(options.out, documents_table(found.numbers.fixed.corpus))
        found.data["out"] = options.out
    return found
