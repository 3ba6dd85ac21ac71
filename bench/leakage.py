"""The leakage curve and the forecast on every corpus of docs/findings.md, as its two tables.

    nice python -m bench.leakage [--store /tmp/leakscope-leakage] [CORPUS …]

Every fit is kept in the store, so a stopped run goes on and a second one takes seconds. The real corpora are read from
../shared/data; those that are not there are left out. Nothing is tuned: models, levels and seeds are the defaults. The curves of
20 Newsgroups and SCOTUS have one training set per point.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isnan, nan
from pathlib import Path
from typing import Any

from bench import REAL, sized
from core.corpora.readers import read_corpus
from core.demo import RESULTS, bundled_corpus
from core.evaluation import ResultStore
from core.interface import NotebookStudy, embed
from core.questions import curve, forecast
from core.render import Answer
from core.vectors import VectorStore


@dataclass(frozen=True)
class Source:
    """A corpus: its file (none: the bundled one), topic column, encoder, and settings of the curve that are not the defaults."""

    file: str = ""
    topic: str = "topic"
    encoder: str = "lsa"
    curve: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return REAL / f"{self.file}.parquet"

    def study(self, store: str) -> NotebookStudy:
        corpus = read_corpus(str(self.path), topic=self.topic) if self.file else bundled_corpus()
        vectors = embed(corpus, self.encoder, store=VectorStore(f"{store}/vectors"))
        return NotebookStudy(corpus, vectors, results=ResultStore(store, shipped=RESULTS))


CORPORA = {
    "the Courier": Source(encoder="sbert"),
    "18F blog": Source("18f_blog"),
    "20 Newsgroups": Source("20newsgroups", curve={"draws": 1}),
    "SCOTUS by area": Source("scotus", "area", curve={"draws": 1}),
}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("corpora", nargs="*", help=f"any of {', '.join(CORPORA)} (default: all)")
    options.add_argument(
        "--store", default="/tmp/leakscope-leakage", help="folder for vectors and answers of every fit"
    )
    asked = options.parse_args()
    if unknown := set(asked.corpora) - set(CORPORA):
        options.error(f"no corpus is called {', '.join(sorted(unknown))}")
    named = asked.corpora or sized(list(CORPORA), ["the Courier"])
    found = {name: CORPORA[name] for name in named if not CORPORA[name].file or CORPORA[name].path.is_file()}
    studies = {name: source.study(asked.store) for name, source in found.items()}
    print(
        "| corpus | content words | function words | all words | similarity | effect starts above | tested |\n|---|---|---|---|---|---|---|"
    )
    curves = {}
    for name, study in studies.items():
        curves[name] = study.curve(**found[name].curve)
        print(curve_row(name, found[name], curves[name].numbers), flush=True)
    print(
        "\n| corpus | model | random split | topic *k*-fold | families held out | in pairs, topic *k*-fold minus held out "
        "| expect on a new family | mean over many |"
    )
    print("|---|---|---|---|---|---|---|---|")
    forecasts = {}
    for name, study in studies.items():
        forecasts[name] = study.forecast()
        for row in forecast_rows(name, forecasts[name].numbers):
            print(row, flush=True)
    for name in studies:
        print(f"\n{name}")
        for answer in (curves[name], forecasts[name]):
            print("\n".join(f"  {line}" for line in said(answer)))
    return 0


def curve_row(name: str, source: Source, found: curve.LeakageCurve) -> str:
    """Return what similar topics add for each control, in points with its interval; bold where it counts."""
    costs = []
    for control in ("content", "function", "all"):
        model = found.summary.models[control]
        points = f"{100 * model.cost.mean:+.1f}"
        shown = model.cost.low > 0 and model.p <= 0.05
        costs.append(
            f"{f'**{points}**' if shown else points} ({100 * model.cost.low:.1f} to {100 * model.cost.high:.1f})"
        )
    start = "–" if isnan(found.summary.starts_at) else f"{found.summary.starts_at:.2f}"
    span = "–".join(f"{value:.2f}" for value in found.summary.similarity[[0, -1]])
    topics = found.summary.topics
    of = topics + len(found.plan.left_out)
    tested = f"{topics} of {of} topics, {found.summary.test_documents:,} documents, {found.plan.classes} authors"
    return f"| {name} ({source.encoder.upper()}) | {' | '.join(costs)} | {span} | {start} | {tested} |".replace(
        "-", "−"
    )


def forecast_rows(name: str, found: forecast.Forecasts) -> Iterator[str]:
    """Yield a row a model: what splits promise, their difference in pairs, and what to expect with both intervals."""
    for label, model in found.by_label.items():
        shares = [f"{100 * value:.0f}%" for value in (model.random, model.topic_kfold, model.held_out)]
        expected = f"{100 * model.expected:.0f}% ({100 * model.low:.0f}–{100 * model.high:.0f})"
        many = f"{100 * model.mean_low:.0f}–{100 * model.mean_high:.0f}%"
        ends = [100 * getattr(model.excess, end, nan) for end in ("mean", "low", "high")]
        pairs = "–" if isnan(ends[1]) else f"{ends[0]:+.0f} points ({ends[1]:.0f} to {ends[2]:.0f})".replace("-", "−")
        yield f"| {name} | {label} | {' | '.join(shares)} | {pairs} | {expected} | {many} |"


def said(answer: Answer) -> Iterator[str]:
    yield f"{answer.level}: {answer.headline}"
    yield from answer.reasons
    yield from (caution.text for caution in answer.cautions)


if __name__ == "__main__":
    sys.exit(main())
