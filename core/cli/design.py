"""Commands on splits: `folds`, `design` and `split` also write files; `check` exits with code 1, for builds."""

import argparse
import json
from pathlib import Path
from typing import Any

from ..errors import InputError, SettingError
from ..evaluation import folds_file
from ..questions import answered, check, folds, in_words_of, names_in, split
from ..questions import design as design_question
from ..render import Answer
from ..splits import (
    FOLD_COLUMNS,
    check_k,
    check_topics_per_fold,
    fold_leakage,
    folds_table,
    make_folds,
    option_label,
    split_kinds,
)
from ..topics import documents_table
from .options import (
    add_corpus_options,
    add_encoder_options,
    checked_table,
    checked_target,
    corpus_of,
    setup_of,
    vectors_of,
    write_file,
    write_table,
)
from .questions import (
    add_fold_options,
    add_settings,
    check_fold_options,
    check_folds_of,
    constraints_of,
    given_settings,
    study_in,
    study_of,
)


def add_folds_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, its vectors, the sample and the scheme."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_fold_options(command)
    about = "also write the ids of both sides of every fold, as CSV or as JSON lines (.jsonl), for `evaluate --answers`"
    command.add_argument("--out", default=None, metavar="FILE", help=about)


def run_folds(options: argparse.Namespace) -> Answer:
    """Make folds over topics and report how similar the training and test topics of each are."""
    notes = check_fold_options(options)
    target = None if options.out is None else checked_target(options.out)
    ending = "csv" if target is None else target.suffix.lower().removeprefix(".")
    if ending not in ("csv", "jsonl"):
        raise SettingError(f"{options.out}: folds are written as CSV or JSON lines. End the name in .csv or .jsonl.")
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
        constraints=constraints_of(options, setup.corpus),
    )
    leakage = fold_leakage(made, setup.space, nearest=1, skip_noisy=True)
    if target is not None:
        write_file(target, folds_file({setup.name: (setup.corpus, made)}, ending))
    study = study_in(corpus, vectors, options)
    found = in_words_of(folds.answer(study, setup, made, leakage, notes=notes), corpus)
    if target is not None:
        found.data["out"] = str(target)
    return found


def add_design_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, its vectors, what folds must keep to, and where the documents with one of the splits go."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    add_settings(command, design_question.Settings)
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
    check_topics_per_fold(options.k, len(study.corpus.topic_names))
    settings = design_question.Settings.resolve(study, given, command=True)
    settings = settings.but(seen=given.get("seen", 0.0))  # refused where the corpus has no authors
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


MOST_BYTES = 50_000_000  # of a baseline


def add_check_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, its vectors, what fails and what is accepted."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    kinds = ", ".join((*check.LEVELS, *check.IN_SPLIT, check.SPLIT))
    usual = ",".join(check.USUAL)
    about = f"what fails: {kinds}; {check.SPLIT} means all of the file's own split (default: {usual}, or leaks)"
    command.add_argument("--fail-on", type=names_in, default=None, metavar="LIST", help=about)
    about = "what `check --json` printed earlier: everything in it is accepted"
    command.add_argument("--baseline", default=None, metavar="FILE", help=about)


def run_check(options: argparse.Namespace) -> Answer:
    """Exit with code 1 if the corpus or its own split leaks."""
    before = None if options.baseline is None else read_baseline(options.baseline)
    kinds = check.checked_kinds(check.USUAL if options.fail_on is None else options.fail_on)
    asks_split = any(kind in check.IN_SPLIT for kind in kinds)
    given = options.fail_on is not None
    study = study_of(options, needed=("topic", "split") if asks_split and given else ("topic",))
    if not given and study.corpus.splits is None:
        kinds = tuple(kind for kind in kinds if kind in check.LEVELS)
    return check.answer(study, kinds, before)


def read_baseline(file: str) -> dict[str, Any]:
    """Return what an earlier check found."""
    try:
        if Path(file).stat().st_size > MOST_BYTES:
            raise InputError(f"{file}: too large for a baseline. Write it with check --json.")
        content = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as problem:
        reason = problem.strerror or problem
        raise InputError(f"{file}: {reason}. Write a baseline with: check FILE --json > {file}") from None
    except ValueError:
        content = None
    if not isinstance(content, dict) or not isinstance(content.get("fail_on"), list):
        raise InputError(f"{file}: not what check --json prints. Write a baseline with: check FILE --json > {file}")
    return content
