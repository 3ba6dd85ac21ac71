"""The experiments' records as tables of words: a row an m, a policy, an encoder or a pair."""

from collections.abc import Mapping
from functools import singledispatch

import numpy as np

from core.studies import (
    AVERAGE,
    ClosestAcross,
    EncoderComparison,
    PolicyComparison,
    SimilarityAgainstM,
    StabilityAgainstM,
)

Row = dict[str, str | int | float]


@singledispatch
def experiment_table(record: object) -> list[Row]:
    """The rows of an experiment's table, whichever experiment it is."""
    raise TypeError(f"no table is known for {type(record).__name__}")


@experiment_table.register
def _similarity(record: SimilarityAgainstM) -> list[Row]:
    rows: list[Row] = []
    for column, m in enumerate(record.m):
        row: Row = {"m": m, "folds": min(record.k, m)}
        for what, curve in (("mean", record.mean), ("max", record.max)):
            row[f"{what}, HITS"] = float(curve.hits[column])
            if len(curve.random):
                drawn = curve.random[:, column]
                row[f"{what}, random"] = float(drawn.mean())
                row[f"{what}, random, lowest"] = float(drawn.min())
                row[f"{what}, random, highest"] = float(drawn.max())
        rows.append(row)
    return rows


@experiment_table.register
def _closest(record: ClosestAcross) -> list[Row]:
    return [
        {"setup": pair.setup, "train topic": pair.train, "test topic": pair.test, "similarity": pair.similarity}
        for pair in record.pairs
    ]


@experiment_table.register
def _stability(record: StabilityAgainstM) -> list[Row]:
    rows: list[Row] = []
    seeds, means = record.random.shape[1], record.random_mean
    for index, m in enumerate(record.m):
        setups = {"HITS": record.hits[index]} | ({f"random, mean of {seeds}": means[index]} if seeds else {})
        for name, values in setups.items():
            cells = zip([*record.labels.values(), AVERAGE], values.tolist(), strict=True)
            rows.append({"m": m, "folds": min(record.k, m), "setup": name, **dict(cells)})
    return rows


@experiment_table.register
def _policies(record: PolicyComparison) -> list[Row]:
    rows: list[Row] = []
    for outcome in record.policies:
        row: Row = {
            "policy": outcome.name,
            "topics merged": outcome.merged,
            "topics dropped": outcome.dropped,
            "documents": outcome.documents,
            "share of documents": outcome.share,
            "mean similarity": outcome.mean,
            "max similarity": outcome.max,
        }
        if outcome.authors is not None:
            row["authors"] = outcome.authors
        rows.append(row | _labelled(outcome.stability, record.labels))
    return rows


@experiment_table.register
def _encoders(record: EncoderComparison) -> list[Row]:
    common = record.names.index(record.reference)
    mean_there, max_there = f"mean, {record.reference} space", f"max, {record.reference} space"
    rows: list[Row] = []
    for index, name in enumerate(record.names):
        row: Row = {
            "encoder": name,
            "mean, own space": float(record.mean[index, index]),
            "max, own space": float(record.max[index, index]),
            mean_there: float(record.mean[index, common]),
            max_there: float(record.max[index, common]),
            "topics shared with others": float(np.delete(record.jaccard[index], index).mean()),
            "agreement with other paths": float(np.delete(record.agreement[index], index).mean()),
        }
        rows.append(row | (_labelled(record.stability[index], record.labels) if record.stability else {}))
    if record.random_samples:
        rows.append(
            {
                "encoder": f"random, mean of {record.random_samples}",
                mean_there: float(record.mean[-1, common]),
                max_there: float(record.max[-1, common]),
            }
        )
    return rows


def _labelled(values: Mapping[str, float], labels: Mapping[str, str]) -> Row:
    """Ranking stability under the metrics' labels, the average last; nothing where no model was run."""
    row: Row = {label: values[key] for key, label in labels.items()}
    return row | ({AVERAGE: values[AVERAGE]} if values else {})
