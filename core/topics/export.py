"""A sample as files: its documents, and the settings that made it."""

import io
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from ..corpora import Corpus
from ..errors import unknown
from .hits import TopicPath
from .sampling import Sample, sampled_documents
from .space import TopicPoints, TopicSpace, merged_space, pair_similarities, part_of_space


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
    return pd.DataFrame(columns)


def sample_file(corpus: Corpus, sample: Sample, *, format: str) -> bytes:
    """The documents of a sample as CSV, Parquet or JSON lines."""
    if format not in FORMATS:
        raise unknown("export format", format, FORMATS)
    return FORMATS[format](sample_table(corpus, sample))


def settings_file(
    corpus: Corpus, space: TopicSpace, path: TopicPath, sample: Sample, *, encoder_key: str, settings: Mapping[str, Any]
) -> bytes:
    """Everything needed to make the same selection again, as JSON."""
    m = len(sample.selected)
    record = {
        "leakscope": __version__,
        "corpus": {"name": corpus.name, "fingerprint": corpus.content_digest, "documents": len(corpus)},
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
