"""The forecast on families of topics that it has never seen: how far off it is, and how often its interval holds.

Every family in turn is left out of the corpus altogether. The forecast is made from the rest, for the similarity of the family to
it, and compared with the accuracy on the family of a model trained on the rest. What a random split and topic k-fold of the rest
promise stands beside it. Corpora: the bundled one, six cells of the dial, and, where they are available, SCOTUS and 20 Newsgroups,
both sampled. Families are those found in the corpus; the issues of SCOTUS come with theirs, the 13 areas of law. Pooled over all
families, the mean error must be within 4 points and an interval called 90% must hold at least 85% of the families.
"""

import argparse
import os
import sys
from collections.abc import Callable
from math import isnan
from typing import NamedTuple

import numpy as np
import pandas as pd

from bench import REAL, exit_code, newsgroups, sized, tiny
from core.arrays import Ints
from core.corpora import Corpus, dial_corpus, make_corpus, take
from core.demo import bundled_corpus, bundled_vectors
from core.evaluation import FOLDS, author_labels, forecast, forecast_plan, run_forecast
from core.models import Documents
from core.models.attribution import make_classifier
from core.topics import TopicSpace, part_of_space, topic_space
from core.vectors import embed, make_encoder

MOST_BIAS, LEAST_COVERAGE = 0.04, 0.85
MODELS = ("word_svm", "function_words")
FEWEST = 4  # topics that a forecast needs
DIALS = ((0.4, 0.8), (0.8, 0.8), (0.2, 0.4), (0.4, 0.4), (0.8, 0.0), (0.0, 0.0))
DOCUMENTS, AUTHORS, LONGEST = (
    2_000,
    30,
    3_000,
)  # of a real corpus: a sample of documents by its main authors, cut to this many characters
ISSUES = 3_000  # documents of SCOTUS by issue: its 153 topics are small
Made = tuple[Corpus, TopicSpace, Ints | None]  # with the family of each topic, where it is given


class Case(NamedTuple):
    """One model on one family that was left out; accuracies."""

    truth: float
    random: float
    topic_kfold: float
    expected: float
    low: float
    high: float


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpora", nargs="*", choices=[*CORPORA, []], help="default: all that are available")
    asked = options.parse_args().corpora or sized(list(CORPORA), ["dial 0.4/0.8"])
    os.environ["LEAKSCOPE_CORES"] = "1"
    pooled = list[Case]()
    for name in asked:
        made = CORPORA[name]()
        if made is None:
            print(f"{name:<16} not available")
            continue
        cases = left_out(*made)
        pooled += cases
        show(name, cases)
    bias, coverage = show("all", pooled)
    return exit_code(measured=abs(bias) <= MOST_BIAS and coverage >= LEAST_COVERAGE)


def left_out(corpus: Corpus, space: TopicSpace, families: Ints | None = None) -> list[Case]:
    """Leave out every family in turn, and forecast its accuracy from the rest; families are found where none are given."""
    models = {name: make_classifier(name) for name in MODELS[: sized(None, 1)]}
    plan = forecast_plan(corpus, space, author_labels(corpus))
    family_of = np.where(plan.family >= 0, plan.family_fold if families is None else families, -1)
    documents_of, cases = Documents(corpus.texts), list[Case]()
    for family in range(int(family_of.max()) + 1)[: sized(None, 1)]:
        held, kept = family_of == family, np.flatnonzero((family_of >= 0) & (family_of != family))
        tested = held[corpus.topic_codes] & (plan.labels >= 0)
        if len(kept) < FEWEST or not tested.any():
            continue  # one family is nearly all of the corpus
        rows = np.flatnonzero(np.isin(corpus.topic_codes, kept) & (plan.labels >= 0))
        rest = take(corpus, rows)
        similarity = space.similarity[np.ix_(np.flatnonzero(held), kept)].max(axis=1)
        documents = np.bincount(corpus.topic_codes[tested], minlength=len(space))[held]
        target = float(np.average(similarity, weights=np.sqrt(documents)))
        rest_plan = forecast_plan(rest, part_of_space(space, kept), author_labels(rest), k=min(FOLDS, len(kept)))
        run = run_forecast(rest, rest_plan, models)
        for name, made in forecast(rest, run, target=target).models.items():
            fitted = models[name].fit(documents_of.part(rows), plan.labels[rows], seed=0)
            right = float((fitted.predict(documents_of.part(np.flatnonzero(tested))) == plan.labels[tested]).mean())
            cases.append(Case(right, made.random, made.topic_kfold, made.expected, made.low, made.high))
    return cases


def show(name: str, cases: list[Case]) -> tuple[float, float]:
    """Print and return the forecast's mean error and the share of families that its interval holds."""
    errors = {each: np.mean([getattr(case, each) - case.truth for case in cases]) for each in Case._fields[1:4]}
    known = [case for case in cases if not isnan(case.low)]
    coverage = float(np.mean([case.low <= case.truth <= case.high for case in known])) if known else 0.0
    width = float(np.mean([case.high - case.low for case in known])) if known else 0.0
    said = ", ".join(f"{each.replace('_', ' ')} {100 * error:+.1f}" for each, error in errors.items())
    print(
        f"{name:<16} {len(cases):>3} cases; truth {np.mean([case.truth for case in cases]):.2f}; points too high: {said}; "
        f"interval holds {coverage:.2f}, width {100 * width:.0f}",
        flush=True,
    )
    return float(errors["expected"]), coverage


def dial(shared: float, loyal: float) -> Made:
    corpus = dial_corpus(shared=shared, loyal=loyal, seed=0)
    return by_lsa(take(corpus, np.arange(sized(len(corpus), 360))))


def bundled() -> Made:
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    return corpus, topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names), None


def real(file: str, topic: str, *, family: str | None = None, documents: int = DOCUMENTS) -> Made | None:
    """Read a sample of a real corpus: documents by the authors with most texts. `family`: the column of topics' parents."""
    path = newsgroups() if file == "20newsgroups" else REAL / f"{file}.parquet"
    if not path.is_file() or tiny():
        return None
    frame = pd.read_parquet(path)
    frame = frame[frame["text"].str.len() >= 100]
    frame = frame[frame["author"].isin(frame["author"].value_counts().index[:AUTHORS])]
    frame = frame.sample(min(documents, len(frame)), random_state=0)
    frame = frame[frame.groupby(topic)["text"].transform("size") >= 10]
    texts = frame["text"].str.slice(0, LONGEST).tolist()
    corpus, space, _ = by_lsa(make_corpus(texts, frame[topic].tolist(), authors=frame["author"].tolist()))
    if family is None:
        return corpus, space, None
    parents = frame.groupby(topic)[family].first()
    return corpus, space, pd.factorize(parents.loc[list(corpus.topic_names)], sort=True)[0]


def by_lsa(corpus: Corpus) -> Made:
    vectors = embed(corpus, make_encoder("lsa")).matrix
    return corpus, topic_space(vectors, corpus.topic_codes, corpus.topic_names), None


CORPORA: dict[str, Callable[[], Made | None]] = {
    "bundled": bundled,
    **{f"dial {shared:g}/{loyal:g}": (lambda pair=(shared, loyal): dial(*pair)) for shared, loyal in DIALS},
    "SCOTUS by area": lambda: real("scotus", "topic", family="area", documents=ISSUES),
    "20 Newsgroups": lambda: real("20newsgroups", "topic"),
}


if __name__ == "__main__":
    sys.exit(main())
