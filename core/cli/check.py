"""`check`: for builds, exit code 1 where the corpus has what it must not have."""

import argparse
import json
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..questions import check, names_in
from ..render import Answer
from .options import add_corpus_options, add_encoder_options
from .questions import study_of

MOST_BYTES = 50_000_000  # of a baseline


def add_options(command: argparse.ArgumentParser) -> None:
    """Add a corpus, its vectors, what fails and what is accepted."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    kinds = ", ".join((*check.LEVELS, *check.IN_SPLIT, check.SPLIT))
    usual = ",".join(check.USUAL)
    about = f"what fails: {kinds}; {check.SPLIT} means all of the file's own split (default: {usual}, or leaks)"
    command.add_argument("--fail-on", type=names_in, default=None, metavar="LIST", help=about)
    about = "what `check --json` printed earlier: everything in it is accepted"
    command.add_argument("--baseline", default=None, metavar="FILE", help=about)


def run(options: argparse.Namespace) -> Answer:
    """Exit with code 1 where the verdict or the file's own split has what a build must not have."""
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
