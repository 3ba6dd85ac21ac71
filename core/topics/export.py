"""A sample as files: its documents, and the settings that made it."""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from ..corpora import Corpus
from ..corpora.readers import FOUND, TOPIC_SOURCE
from ..formats import counted
from .hits import TopicPath
from .pairs import pair_similarities
from .sampling import Sample, sampled_documents
from .space import TopicPoints, TopicSpace, merged_space, part_of_space

NO_CHOICE = "The labels do not separate these texts, so that no choice of topics is less alike than another."


def _csv(frame: pd.DataFrame) -> bytes:
    # With this end of a line a lone carriage return inside a text is quoted, and without quotes it would end a row.
    return frame.to_csv(index=False, lineterminator="\r\n").encode("utf-8", "surrogatepass")


def _parquet(frame: pd.DataFrame) -> bytes:
    target = io.BytesIO()
    frame.to_parquet(target, index=False)
    return target.getvalue()


def _jsonl(frame: pd.DataFrame) -> bytes:
    lines = (json.dumps(row, ensure_ascii=False) for row in frame.to_dict("records"))
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


FORMATS: dict[str, Callable[[pd.DataFrame], bytes]] = {"csv": _csv, "parquet": _parquet, "jsonl": _jsonl}


def documents_table(corpus: Corpus) -> pd.DataFrame:
    """Every document with its labels; a column says where its topics were found, not given."""
    columns: dict[str, Sequence[str]] = {"id": corpus.ids, "text": corpus.texts, "topic": corpus.topics}
    labels = {"author": corpus.authors, "split": corpus.splits}
    columns |= {name: cells for name, cells in labels.items() if cells is not None}
    return _with_source(pd.DataFrame(columns), corpus)


def _with_source(table: pd.DataFrame, corpus: Corpus) -> pd.DataFrame:
    return table.assign(**{TOPIC_SOURCE: FOUND}) if corpus.found else table


def sample_table(corpus: Corpus, sample: Sample) -> pd.DataFrame:
    """The documents of a sample: the topic each counts under, and the topic it came with."""
    rows, topics = sampled_documents(corpus, sample)
    authors = corpus.authors
    columns: dict[str, list[str]] = {
        "id": [corpus.ids[row] for row in rows],
        "text": [corpus.texts[row] for row in rows],
        "topic": topics,
        "original_topic": [corpus.topic_names[corpus.topic_codes[row]] for row in rows],
    }
    if authors is not None:
        columns["author"] = [authors[row] for row in rows]
    return _with_source(pd.DataFrame(columns), corpus)


def settings_file(
    corpus: Corpus, space: TopicSpace, path: TopicPath, sample: Sample, *, encoder_key: str, settings: Mapping[str, Any]
) -> bytes:
    """Everything needed to make the same selection again, as JSON."""
    m = len(sample.selected)
    record = {
        "leakscope": __version__,
        "corpus": {
            "name": corpus.name,
            "fingerprint": corpus.content_digest,
            "documents": len(corpus),
            "topics": "found" if corpus.found else "given",
        },
        "encoder": encoder_key,
        "settings": dict(settings),
        "m": m,
        "policy": sample.policy,
        "selected": [space.names[topic] for topic in sample.selected],
        "similarity": {"kind": space.kind, **pair_summary(space, sample)},
        "path": path_records(space, path),
        "homes": {
            name: space.names[topic] if topic >= 0 else None
            for name, topic in zip(space.names, sample.assigned, strict=True)
        },
    }
    return (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode()


def path_records(space: TopicSpace | TopicPoints, path: TopicPath) -> list[dict[str, Any]]:
    """The path as plain records; the first topic was not scored, so its leakage is null."""
    return [
        {"topic": space.names[topic], "leakage": None if np.isnan(leakage) else float(leakage)}
        for topic, leakage in zip(path.order, path.leakage, strict=True)
    ]


def unplaced_records(space: TopicSpace | TopicPoints) -> list[dict[str, str]]:
    """The topics that cannot be placed, with the reason, as plain records."""
    return [{"topic": space.names[each.topic], "reason": each.reason} for each in space.unplaced]


def sample_sentence(
    m: int,
    topics: int,
    kept: int,
    documents: int,
    *,
    closest: float | None,
    line: float | None = None,
    meaningful: bool = True,
) -> str:
    """What a sample of m topics keeps, and whether near twins are among them; `line` is theirs, where it is known. Where
    labels are not `meaningful`, no sample is better than another."""
    keeps = f"{m:,} of {counted(topics, 'topic')} {'is' if m == 1 else 'are'} kept, with {kept:,} of {counted(documents, 'document')}"
    if closest is None and m > 1:  # with no pair to compare, nothing is known of the labels either
        return f"{keeps}; fewer than two of them can be placed, so no pair can be compared."
    if not meaningful:
        return f"{keeps}. {NO_CHOICE}"
    if closest is None:
        return f"{keeps}; one topic has no other to be compared with."
    side = ""
    if line is not None:
        side = (
            f", past the near-twin line of {line:.2f}"
            if closest >= line
            else f", below the near-twin line of {line:.2f}"
        )
    return f"{keeps}; the closest two have a similarity of {closest:.2f}{side}."


def pair_summary(space: TopicSpace, sample: Sample) -> dict[str, float | None]:
    """Mean and max similarity over pairs of the sample's topics, those that were merged counted in; null without a pair.

    Whatever shows or writes the similarity of a sample takes it from here.
    """
    merges = bool((sample.assigned >= 0).sum() > len(sample.selected))
    kept = merged_space(space, sample.assigned) if merges else part_of_space(space, sample.selected)
    pairs = pair_similarities(kept.similarity)
    if not len(pairs):
        return {"mean": None, "max": None}
    return {"mean": float(pairs.mean()), "max": float(pairs.max())}
