"""The forecast on families of topics that it has never seen: how far off it is, and how often its interval holds.

Every family in turn is left out of the corpus altogether. The forecast is made from the rest, for the similarity of the family to
it, and compared with the accuracy on the family of a model trained on the rest. What a random split and topic k-fold of the rest
promise stands beside it. Corpora: the bundled one, six cells of the dial, and, where they are available, SCOTUS by area and
20 Newsgroups, both sampled. Pooled over all families, the mean error must be within 4 points and an interval called 90% must hold
at least 85% of the families.
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
from core.corpora import Corpus, dial_corpus, make_corpus, take
from core.demo import bundled_corpus, bundled_vectors
from core.evaluation import FOLDS, author_labels, forecast, forecast_plan, run_forecast
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
)  # of a real corpus: a sample of documents by its main authors, cut to so many characters


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


def left_out(corpus: Corpus, space: TopicSpace) -> list[Case]:
    """Leave out every family in turn, and forecast its accuracy from the rest."""
    models = {name: make_classifier(name) for name in MODELS[: sized(None, 1)]}
    plan = forecast_plan(corpus, space, author_labels(corpus))
    truth, cases = run_forecast(corpus, plan, models).predicted, list[Case]()
    for family in range(int(plan.family_fold.max()) + 1)[: sized(None, 1)]:
        held, kept = plan.family_fold == family, np.flatnonzero((plan.family >= 0) & (plan.family_fold != family))
        tested = held[corpus.topic_codes] & (plan.labels >= 0)
        rest = take(corpus, np.flatnonzero(np.isin(corpus.topic_codes, kept) & (plan.labels >= 0)))
        similarity = space.similarity[np.ix_(np.flatnonzero(held), kept)].max(axis=1)
        documents = np.bincount(corpus.topic_codes[tested], minlength=len(space))[held]
        target = float(np.average(similarity, weights=np.sqrt(documents)))
        if len(kept) < FEWEST:
            continue  # one family is nearly all of the corpus
        rest_plan = forecast_plan(rest, part_of_space(space, kept), author_labels(rest), k=min(FOLDS, len(kept)))
        run = run_forecast(rest, rest_plan, models)
        for name, made in forecast(rest, run, target=target).models.items():
            right = float((truth[name]["families"][tested] == plan.labels[tested]).mean())
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


def dial(shared: float, loyal: float) -> tuple[Corpus, TopicSpace]:
    corpus = dial_corpus(shared=shared, loyal=loyal, seed=0)
    return by_lsa(take(corpus, np.arange(sized(len(corpus), 360))))


def bundled() -> tuple[Corpus, TopicSpace]:
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    return corpus, topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)


def real(file: str, topic: str) -> tuple[Corpus, TopicSpace] | None:
    """Read a sample of a real corpus: documents by the authors with most texts."""
    path = newsgroups() if file == "20newsgroups" else REAL / f"{file}.parquet"
    if not path.is_file() or tiny():
        return None
    frame = pd.read_parquet(path)
    frame = frame[frame["text"].str.len() >= 100]
    frame = frame[frame["author"].isin(frame["author"].value_counts().index[:AUTHORS])]
    frame = frame.sample(min(DOCUMENTS, len(frame)), random_state=0)
    frame = frame[frame.groupby(topic)["text"].transform("size") >= 10]
    texts = frame["text"].str.slice(0, LONGEST).tolist()
    return by_lsa(make_corpus(texts, frame[topic].tolist(), authors=frame["author"].tolist()))


def by_lsa(corpus: Corpus) -> tuple[Corpus, TopicSpace]:
    vectors = embed(corpus, make_encoder("lsa")).matrix
    return corpus, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


CORPORA: dict[str, Callable[[], tuple[Corpus, TopicSpace] | None]] = {
    "bundled": bundled,
    **{f"dial {shared:g}/{loyal:g}": (lambda pair=(shared, loyal): dial(*pair)) for shared, loyal in DIALS},
    "SCOTUS": lambda: real("scotus", "area"),
    "20 Newsgroups": lambda: real("20newsgroups", "topic"),
}


if __name__ == "__main__":
    sys.exit(main())
