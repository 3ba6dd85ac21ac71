"""Files from a browser, for a process that may hold only so much: first what they are, then the corpus they make."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import InputError
from .cached import write_cached
from .corpus import Corpus
from .readers import MOST_BYTES, File, Table, read_source, table_corpus


@dataclass(frozen=True, slots=True)
class Ready:
    """Files that leave nothing to ask: they make a corpus of so many documents and topics."""

    documents: int
    topics: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a corpus from a file may be; None where nothing but memory bounds it."""

    rows: int | None = None
    documents: int | None = None
    authors: int | None = None

    def check(self, found: Table | Corpus, name: str) -> None:
        """Refuse what is larger, with what would do."""
        if isinstance(found, Table):
            counted = {"rows": (found.rows, self.rows)}
        else:
            authors = len(found.author_names or ())
            counted = {"documents": (len(found), self.documents), "authors": (authors, self.authors)}
        for what, (number, most) in counted.items():
            if most is not None and number > most:
                raise InputError(
                    f"{name}: {number:,} {what}, and this server takes {most:,}; load a sample of it, or run Leakscope on a "
                    "machine of your own."
                )


ANY_SIZE = Sizes()


def look_into(files: Sequence[File], *, most: Sizes = ANY_SIZE, most_bytes: int = MOST_BYTES) -> Table | Ready:
    """A table without its cells, for the user to choose columns by; or that there is nothing to choose."""
    with _memory_in_words(files):
        found = _read(files, most_bytes)
        most.check(found, _names(files))
        if isinstance(found, Corpus):
            return Ready(len(found), len(found.topic_names))
        outline = {name: matrix[:0].copy() for name, matrix in found.vectors.items()}
        return replace(found, frame=found.frame.head(0), vectors=outline)


def make_of(
    files: Sequence[File],
    roles: Mapping[str, str | None],
    *,
    keep: Path | None = None,
    most: Sizes = ANY_SIZE,
    most_bytes: int = MOST_BYTES,
) -> Corpus:
    """The corpus of these files, `roles` naming the columns of a table; also written to the folder `keep`."""
    with _memory_in_words(files):
        found = _read(files, most_bytes)
        most.check(found, _names(files))
        if isinstance(found, Table):
            found = table_corpus(found, **roles)  # type: ignore[arg-type]
            most.check(found, _names(files))
        if keep is not None:
            with suppress(OSError):  # a full disk loses what a reload would find, not the corpus
                write_cached(keep, found)
        return found


def _read(files: Sequence[File], most_bytes: int) -> Table | Corpus:
    return read_source(files[0] if len(files) == 1 else list(files), most_bytes=most_bytes)


def _names(files: Sequence[File]) -> str:
    return " + ".join(Path(file.name).name for file in files)


@contextmanager
def _memory_in_words(files: Sequence[File]) -> Iterator[None]:
    try:
        yield
    except MemoryError as problem:
        names = _names(files)
        remedy = "draw a sample, or keep only the columns that are needed"
        raise InputError(f"{names}: reading it takes more memory than is allowed here; {remedy}.") from problem
