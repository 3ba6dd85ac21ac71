"""The command line: `python -m core COMMAND …`, the same core as the pages, for scripts and clusters."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.audit import audit
from core.bundled import bundled_corpus, bundled_vectors
from core.corpus import Corpus, filtered
from core.embed import Vectors, embed
from core.encoders import ENCODERS, load_vectors, make_encoder
from core.errors import LeakscopeError, SettingError
from core.export import pair_summary, path_records
from core.readers import read_corpus
from core.sampling import checked_m, hits_path, make_sample
from core.space import topic_space
from core.store import VectorStore

Answer = dict[str, Any]


def audit_command(options: argparse.Namespace) -> Answer:
    """Count documents, topics and authors, and warn of what would mislead."""
    corpus = corpus_of(options)
    found = audit(corpus)
    counts: dict[str, dict[str, int]] = {name: {} for name in found.topic_names}
    table = found.counts.tocoo()
    for topic, author, number in zip(*table.coords, table.data, strict=True):
        counts[found.topic_names[topic]][found.author_names[author]] = int(number)
    return {
        "documents": found.documents,
        "topics": found.topics,
        "authors": found.authors,
        "counts": counts,
        "warnings": [finding.message for finding in found.warnings],
    }


def embed_command(options: argparse.Namespace) -> Answer:
    """Write the vectors of a corpus in document order."""
    vectors = vectors_of(corpus_of(options), options)
    target = Path(options.out)
    partial = target.with_name(f".{target.name}.partial.npy")  # numpy adds the ending where a name lacks it
    try:
        np.save(partial, vectors.matrix, allow_pickle=False)
        partial.replace(target)
    except OSError as problem:
        partial.unlink(missing_ok=True)
        raise SettingError(
            f"{target}: cannot be written ({problem.strerror or problem}); choose another --out."
        ) from None
    return {
        "documents": len(vectors.matrix),
        "dimensions": vectors.matrix.shape[1],
        "encoded": vectors.encoded,
        "from_store": vectors.from_store,
        "notes": list(vectors.notes),
        "out": str(target),
    }


def hits_command(options: argparse.Namespace) -> Answer:
    """The whole HITS path, and the first m topics of it."""
    corpus = corpus_of(options)
    vectors = vectors_of(corpus, options)
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    path = hits_path(space.similarity)
    m = checked_m(len(space) if options.m is None else options.m, len(space))
    sample = make_sample(space.similarity, path.order[:m])
    return {
        "topics": list(space.names),
        "path": path_records(space, path),
        "m": m,
        "selected": [space.names[topic] for topic in sample.selected],
        "similarity": pair_summary(space, sample),
        "notes": list(vectors.notes),
    }


def corpus_of(options: argparse.Namespace) -> Corpus:
    """The corpus a command names: a file, or the word `demo` for the bundled one."""
    if options.file == "demo":
        corpus = bundled_corpus()
    else:
        corpus = read_corpus(options.file, text=options.text, topic=options.topic, author=options.author, id=options.id)
    return filtered(corpus, at_least=options.min_documents, at_most=options.max_documents)


def vectors_of(corpus: Corpus, options: argparse.Namespace) -> Vectors:
    """The vectors a command names: a file of them, or an encoder's."""
    if getattr(options, "vectors", None):
        matrix = load_vectors(options.vectors, len(corpus))
        return embed(corpus, make_encoder("precomputed", vectors=matrix))
    encoder = make_encoder(options.encoder, **({"window": options.window} if options.encoder == "sbert" else {}))
    return bundled_vectors(corpus, encoder) or embed(corpus, encoder, store=VectorStore(), progress=_progress)


def _progress(done: int, total: int, seconds_left: float | None) -> None:
    left = "" if seconds_left is None else f", {seconds_left:.0f} s left"
    end = "\n" if done == total else "\r"
    print(f"{done:,} of {total:,} documents{left}   ", end=end, file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    """Every command and option."""
    whole = argparse.ArgumentParser(prog="python -m core", description="Leakscope on the command line.")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run: Callable[[argparse.Namespace], Answer]) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        command.add_argument("file", metavar="FILE", help="any file Leakscope reads, or the word demo")
        for role in ("text", "author", "topic", "id"):
            command.add_argument(
                f"--{role}", default=role, metavar="COLUMN", help=f"column of the {role} (default: {role})"
            )
        command.add_argument("--min-documents", type=int, default=1, metavar="N", help="leave out smaller topics")
        command.add_argument("--max-documents", type=int, default=None, metavar="N", help="cut larger topics to N")
        command.add_argument("--json", action="store_true", help="print one JSON document")
        return command

    def add_encoder(command: argparse.ArgumentParser) -> None:
        command.add_argument("--encoder", default="sbert", metavar="NAME", help=f"one of {', '.join(ENCODERS)}")
        command.add_argument("--window", default="first", choices=("first", "mean"), help="sbert on long documents")

    add("audit", audit_command)
    to_embed = add("embed", embed_command)
    add_encoder(to_embed)
    to_embed.add_argument("--out", required=True, metavar="V.npy", help="where the vectors go")
    hits = add("hits", hits_command)
    add_encoder(hits)
    hits.add_argument("--vectors", metavar="V.npy", help="vectors in document order, instead of an encoder")
    hits.add_argument("--m", type=int, default=None, metavar="M", help="topics to keep (default: all)")
    return whole


def spoken(answer: Answer, indent: int = 0) -> str:
    """An answer for people: a line a fact."""
    lines = []
    for key, value in answer.items():
        if isinstance(value, dict):
            lines += [f"{' ' * indent}{key}:", spoken(value, indent + 2)] if value else []
        elif isinstance(value, list):
            items = [
                ", ".join(str(part) for part in item.values()) if isinstance(item, dict) else item for item in value
            ]
            lines += [f"{' ' * indent}{key}:", *(f"{' ' * indent}  {item}" for item in items)] if value else []
        else:
            shown = f"{value:.4f}" if isinstance(value, float) else value
            lines.append(f"{' ' * indent}{key}: {shown}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command: 0 on success; bad input is one line on stderr and 2."""
    options = parser().parse_args(arguments)
    try:
        answer = options.run(options)
    except LeakscopeError as problem:
        print(" ".join(str(problem).split()), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped; finished batches are kept.", file=sys.stderr)
        return 130
    print(json.dumps(answer, ensure_ascii=False) if options.json else spoken(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
