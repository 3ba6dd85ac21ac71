"""What commands share: the options that name a corpus, its vectors and its folds, what these stand for, and files to write."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..corpora import Corpus, filtered, with_prolific_authors
from ..corpora.readers import read_corpus
from ..demo import RESULTS, bundled_corpus, bundled_vectors
from ..errors import SettingError
from ..evaluation import ResultStore
from ..files import written_whole
from ..formats import choose
from ..progress import heard_by
from ..splits import FOLD_SCHEMES
from ..topics import (
    CORRECTED,
    FORMATS,
    SIMILARITIES,
    Setup,
    TopicSpace,
    given_space,
    make_setup,
    read_similarity,
    topic_space,
)
from ..vectors import (
    ENCODERS,
    USUAL_ENCODER,
    WITHOUT_EXTRAS,
    Encoder,
    Vectors,
    VectorStore,
    embed,
    instead_of,
    load_vectors,
    make_encoder,
    without_vectors,
)
from . import complain, progress

NO_COLUMN = "none"  # in place of a column's name


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    run: Callable[[argparse.Namespace], Any]  # answers; its docstring is the help
    add_options: Callable[[argparse.ArgumentParser], None]  # tells the parser what it takes


def add_corpus_options(command: argparse.ArgumentParser) -> None:
    """Add the file, its columns and the filters."""
    command.add_argument("file", metavar="FILE", help="a corpus file, its address, or demo for the bundled corpus")
    for role, more in {
        "text": "",
        "author": "",
        "topic": "",
        "id": f", or {NO_COLUMN} to number the rows",
        "split": "",
    }.items():
        what = "train and test labels" if role == "split" else role
        about = f"column of the {what}{more} (default: {role})"
        command.add_argument(f"--{role}", default=role, metavar="COLUMN", help=about)
    about = "column that models predict instead of the author, such as sentiment"
    command.add_argument("--label", default=None, metavar="COLUMN", help=about)
    command.add_argument("--min-documents", type=int, default=1, metavar="N", help="minimum documents per topic")
    command.add_argument("--max-documents", type=int, default=None, metavar="N", help="maximum documents per topic")
    about = "minimum documents per author"
    command.add_argument("--author-documents", type=int, default=1, metavar="N", help=about)
    about = "keep only the N authors with most texts"
    command.add_argument("--most-authors", type=int, default=None, metavar="N", help=about)


def add_encoder_options(command: argparse.ArgumentParser, *, vectors: bool) -> None:
    """Add the encoder and, with `vectors`, a file of vectors instead."""
    about = f"one of {', '.join(ENCODERS)} (default: {USUAL_ENCODER} where it is installed, else {WITHOUT_EXTRAS})"
    command.add_argument("--encoder", metavar="NAME", help=about)
    for name, kind in ENCODERS.items():
        for option, setting in kind.settings.items():
            about = f"for --encoder {name}: {setting.label.lower()}"
            choices = tuple(setting.choices) or None
            command.add_argument(f"--{option}", default=setting.default, choices=choices, help=about)
    command.set_defaults(vectors=None, similarity_matrix=None)
    if vectors:
        given = command.add_mutually_exclusive_group()
        given.add_argument("--vectors", metavar="V.npy", help="vectors in document order, instead of an encoder")
        about = "similarities of topics in order of name, instead of vectors"
        given.add_argument("--similarity-matrix", metavar="S.npy", help=about)
        command.add_argument(
            "--similarity",
            default=CORRECTED,
            choices=tuple(SIMILARITIES),
            help="similarity of topics (default: corrected)",
        )


def corpus_of(options: argparse.Namespace, *, needed: tuple[str, ...] = ("topic",)) -> Corpus:
    """Return the corpus a command names: a file, or the word `demo` for the bundled one."""
    scheme = FOLD_SCHEMES.get(vars(options).get("scheme", ""))
    if vars(options).get("encoder", "") is None:
        options.encoder = _usual_encoder(ships=options.file == "demo")
    if options.file == "demo":
        if options.label is not None:
            raise SettingError("The bundled corpus has no label but its authors. Leave out --label.")
        corpus = bundled_corpus()
    else:
        with heard_by(progress):  # of what is fetched
            corpus = read_corpus(
                options.file,
                text=options.text,
                topic=options.topic,
                author=options.author,
                id=None if options.id == NO_COLUMN else options.id,
                split=options.split,
                label=options.label,
                needed=needed if scheme is None or not scheme.needs_split else (*needed, "split"),
            )
    prolific = with_prolific_authors(corpus, at_least=options.author_documents, at_most=options.most_authors)
    return filtered(prolific, at_least=options.min_documents, at_most=options.max_documents)


def _usual_encoder(*, ships: bool) -> str:
    """Return the usual encoder where it can run or its vectors ship, else one that runs everywhere, and report it."""
    name, why = (USUAL_ENCODER, "") if ships else instead_of(USUAL_ENCODER)
    if why:
        complain(why)
    return name


def vectors_of(corpus: Corpus, options: argparse.Namespace) -> Vectors:
    """Return the vectors a command names: a file of them, or an encoder's; or what stands for them beside given similarities."""
    if options.similarity_matrix is not None:
        return without_vectors(corpus, read_similarity(options.similarity_matrix, corpus.topic_names))
    if options.vectors is not None:
        matrix = load_vectors(options.vectors, len(corpus))
        return embed(corpus, make_encoder("precomputed", vectors=matrix))
    return encoded(corpus, options.encoder, options)


def results_of() -> ResultStore:
    """Return the models' answers that are kept, and those that ship with the bundled corpus."""
    return ResultStore(shipped=RESULTS)


def encoded(corpus: Corpus, name: str, options: argparse.Namespace) -> Vectors:
    """Return an encoder's vectors, from the bundle or the store if they are there."""
    encoder = encoder_of(options, name)
    return bundled_vectors(corpus, encoder) or embed(corpus, encoder, store=VectorStore(), progress=progress)


def encoder_of(options: argparse.Namespace, name: str | None = None) -> Encoder:
    """Return the encoder of that name, or the one a command names, with the command's settings."""
    name = name or options.encoder
    settings = ENCODERS[name].settings if name in ENCODERS else ()
    return make_encoder(name, **{setting: getattr(options, setting) for setting in settings})


def space_of(corpus: Corpus, vectors: Vectors, options: argparse.Namespace) -> TopicSpace:
    """Return the corpus's topics under the similarity a command names."""
    if vectors.similarity is not None:
        return given_space(corpus, vectors.similarity)
    return topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names, similarity=options.similarity)


def setup_of(corpus: Corpus, vectors: Vectors, options: argparse.Namespace) -> Setup:
    """Return the sample of topics a command names, with at least the two topics that folds need."""
    space = space_of(corpus, vectors, options)
    setup = make_setup(corpus, vectors.matrix, space, sampler=options.sampler, m=options.m, seed=options.seed)
    if len(setup.space) < 2:
        raise SettingError(f"m = {options.m} leaves one topic, and folds need two; {choose('m', 2, len(space))}.")
    return setup


def checked_target(target: str) -> Path:
    """Return the file to write; its folder must be there."""
    path = Path(target)
    if not path.parent.is_dir():
        raise SettingError(
            f"{path}: cannot be written: there is no folder {path.parent}; make it, or choose another --out."
        )
    if path.is_dir():
        raise SettingError(f"{path}: cannot be written: it is a folder. Name a file in it with --out.")
    return path


def checked_table(target: str) -> Path:
    """Return the file of documents to write: its ending names one of FORMATS."""
    ending = Path(target).suffix
    if ending.removeprefix(".") not in FORMATS:
        endings = ", ".join(f".{end}" for end in FORMATS)
        raise SettingError(f"{target}: files ending in '{ending}' are not written; end it in one of {endings}.")
    return checked_target(target)


def write_table(target: str, table: pd.DataFrame) -> None:
    """Write documents in the format that the file's ending names."""
    write_file(target, FORMATS[checked_table(target).suffix.removeprefix(".")](table))


def write_file(target: str | Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    with writing(Path(target)) as partial:
        partial.write_bytes(content)


@contextmanager
def writing(target: Path) -> Iterator[Path]:
    """Yield a file that replaces the target once it is complete; report errors as bad input."""
    try:
        with written_whole(target) as partial:
            yield partial
    except OSError as problem:
        reason = problem.strerror or problem
        raise SettingError(f"{target}: cannot be written ({reason}); choose another --out.") from None
