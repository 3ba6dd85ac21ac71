"""A project beside a corpus: whether it is the same one, what differs where it is not, and its vectors."""

from collections import Counter
from dataclasses import replace

import numpy as np

from ..arrays import Ints
from ..corpora import Corpus, make_corpus, take, with_vectors
from ..formats import first_few
from ..vectors import ENCODERS, Encoder, Vectors, vectors_key
from .project import Project, SavedVectors, identity_of, text_hashes

MOST_NAMED = 3
_COLUMNS = {"ids": "the ids", "topics": "the topics", "authors": "the authors", "splits": "the train and test labels"}


def as_in(project: Project, corpus: Corpus) -> Corpus | None:
    """The corpus as the project had it: under its name, with the topics that were found and the vectors that were added
    to it; None where it is another."""
    if project.identity.found and not corpus.found:
        corpus = _with_found_topics(project, corpus)
    here, there = identity_of(corpus).columns, dict(project.identity.columns)
    differ = {name for name in there if there[name] != here.get(name, "")}
    saved = next((each for each in project.vectors if ENCODERS[each.encoder].brought), None)
    if differ == {"vectors"} and corpus.vectors is None and saved is not None:
        rows = _rows(saved, corpus)
        if rows is not None:
            corpus = with_vectors(corpus, saved.matrix[rows])
            differ = set()
    named = replace(corpus, name=project.identity.name)
    return named if not differ and named.content_digest == project.identity.content else None


def _with_found_topics(project: Project, corpus: Corpus) -> Corpus:
    """The documents that have a topic in the project, under it; the corpus itself where they are not all there."""
    rows: list[int] = []
    for row, each in enumerate(text_hashes(corpus)):
        if len(rows) < len(project.texts) and each == project.texts[len(rows)]:
            rows.append(row)
    if len(rows) < len(project.texts):
        return corpus
    part = take(corpus, np.array(rows, dtype=np.int64))
    return make_corpus(
        part.texts,
        project.labels,
        authors=part.authors,
        ids=part.ids,
        splits=part.splits,
        vectors=part.vectors,
        found=True,
        name=part.name,
    )


def differences(project: Project, corpus: Corpus) -> tuple[str, ...]:
    """What tells the corpus from the project's, a sentence each; nothing where nothing does."""
    here, there = identity_of(corpus), project.identity
    found = []
    if here.columns["texts"] != there.columns.get("texts"):
        found.append(_texts(project, corpus))
    elif here.columns["topics"] != there.columns.get("topics") and not there.found:
        other = sum(one != two for one, two in zip(project.labels, corpus.topics, strict=True))
        found.append(f"{other:,} of {len(corpus):,} documents have another topic.")
    names, labels = set(corpus.topic_names), set(project.labels)
    if not there.found and names != labels:
        gone, new = sorted(labels - names), sorted(names - labels)
        found += [f"Topics of the project that are not here: {first_few(gone, MOST_NAMED)}."] if gone else []
        found += [f"Topics here that are not in the project: {first_few(new, MOST_NAMED)}."] if new else []
    for column in ("ids", "authors", "splits"):
        one, two = there.columns.get(column, ""), here.columns[column]
        if one != two:
            what = _COLUMNS[column]
            said = (
                f"the project has none of {what}"
                if not one
                else f"{what} are missing here"
                if not two
                else f"{what} differ"
            )
            found.append(f"{said[0].upper()}{said[1:]}.")
    if here.columns["vectors"] != there.columns.get("vectors", ""):
        found.append("The vectors that the corpus brings are others, or are missing.")
    return tuple(found)


def _texts(project: Project, corpus: Corpus) -> str:
    here, there = Counter(text_hashes(corpus)), Counter(project.texts)
    common = sum((here & there).values())
    if common == len(corpus) == len(project.texts):
        return "The same texts stand in another order."
    return (
        f"{common:,} of the project's {len(project.texts):,} texts are in this corpus; {len(project.texts) - common:,} are not, "
        f"and {len(corpus) - common:,} here are not in the project."
    )


def vectors_in(project: Project, corpus: Corpus, encoder: Encoder) -> Vectors | None:
    """The vectors of this corpus by this encoder, where the project has them all."""
    named = [each for each in project.vectors if each.encoder == encoder.name]
    key = vectors_key(corpus, encoder) if named else ""
    for saved in named:
        rows = _rows(saved, corpus) if saved.key == key else None
        if rows is not None:
            return Vectors(saved.matrix[rows], saved.key, saved.encoder, 0, len(corpus), saved.notes)
    return None


def _rows(saved: SavedVectors, corpus: Corpus) -> Ints | None:
    row_of = {each: row for row, each in enumerate(saved.hashes)}
    rows = [row_of.get(each, -1) for each in text_hashes(corpus)]
    return None if min(rows) < 0 else np.array(rows, dtype=np.int64)
