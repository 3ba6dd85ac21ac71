"""Answers that are not about a corpus, for the snapshots: by question and by what they are about."""

from collections.abc import Callable
from functools import cache

import numpy as np

from core.corpora import make_labelled
from core.demo import bundled_network
from core.evaluation.two_models import make_comparison_table
from core.papers import categorize
from core.papers.neville_2012 import NetworkProfile, NetworkRates, OwnRates, Type1
from core.questions import categorization, groups, networks, overlap, table
from core.render import Answer


def of_table(**columns: list[float]) -> Answer:
    """Return what is shown of a table with these columns."""
    results = make_comparison_table({name: [str(cell) for cell in cells] for name, cells in columns.items()})
    return table.answer(results, table.Settings.resolve(results))


SVM = [0.80, 0.75, 0.90, 0.60, 0.55, 0.70, 0.85, 0.40]
KNN = [0.70, 0.75, 0.85, 0.65, 0.40, 0.60, 0.80, 0.30]


@cache
def categorized(*models: str) -> Answer:
    """Return what is shown of categorizers on a corpus of two topics."""
    texts = [f"wheat corn {row % 7}" if row % 2 else f"ship port {row % 5}" for row in range(120)]
    topics = [["grain"] if row % 2 else ["ship"] for row in range(120)]
    corpus = make_labelled(texts, topics, ["train" if row % 3 else "test" for row in range(120)])
    return categorization.answer(categorize(corpus, models=models), categorization.Settings.resolve(None))


TESTS = ("paired", "unpaired", "wilcoxon")


def rates_of(rate: float) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
    """Return a rate and its interval, the same for every test."""
    return dict.fromkeys(TESTS, rate), dict.fromkeys(TESTS, (rate / 2, rate * 2))


def of_groups(**rates: float) -> Answer:
    """Return what is shown where these schemes reject this often."""
    found = {(scheme, 0.5, 0.9): Type1(*rates_of(rate), 300, 0.5, ()) for scheme, rate in rates.items()}
    return groups.answer(found, groups.Settings.resolve(None))


def of_synthetic_networks(**rates: float) -> Answer:
    """Return what is shown of synthetic networks on which these schemes reject this often."""
    found = {
        (scheme, 0.3, 0.0): NetworkRates(*rates_of(rate), 50, 0.0, 0.41, 0.22, ()) for scheme, rate in rates.items()
    }
    return networks.answer_synthetic(found, networks.SyntheticSettings.resolve(None))


def of_network(phi: float, rate: float | None, *, held_out: bool = True) -> Answer:
    """Return what is shown of the bundled network if errors correlate and a test rejects like this."""
    network = bundled_network()
    shares = (0.1, 0.3, 0.5, 0.7, 0.9)
    tables = np.full((3, 2, 5), 0.6), np.full((3, 2, 5), phi)
    profiles = {
        name: NetworkProfile(250, 880, 119, 0.17, ("wvrn", "nbc", "link"), shares, *tables) for name in network.parts
    }
    rates = {}
    if rate is not None:
        by_network = dict.fromkeys(TESTS, np.full(6, rate))
        rates = {("rrs", 0.3): OwnRates(*rates_of(rate), by_network, np.zeros(6), 20, held_out, ())}
    return networks.answer(network, profiles, rates, networks.Settings.resolve(network))


OTHERS: dict[str, dict[str, Callable[[], Answer]]] = {
    "table": {
        "too few rows": lambda: of_table(SVM=SVM[:4], kNN=KNN[:4]),
        "close": lambda: of_table(SVM=SVM, kNN=KNN, documents=[5, 9, 8, 20, 4, 4, 7, 3]),
        "better": lambda: of_table(SVM=SVM * 3, kNN=[each - 0.1 for each in SVM] * 3, NB=KNN * 3),
        "worse": lambda: of_table(SVM=KNN * 3, kNN=SVM * 3),
        "equivalent": lambda: of_table(SVM=SVM * 3, kNN=(np.array(SVM * 3) + [0.004, -0.004] * 12).tolist()),
        "equal": lambda: of_table(SVM=SVM, kNN=SVM),
        "decisions": lambda: of_table(SVM=[1, 1, 0] * 20, kNN=[1, 0, 0] * 20),
    },
    "categorization": {
        "two models": lambda: categorized("svm", "nb"),
        "one model": lambda: categorized("nb"),
    },
    "groups": {
        "the paper": lambda: of_groups(ncv=0.05, rrs=0.46, ers=0.3),
        "as it should": lambda: of_groups(ncv=0.05),
        "nothing yet": lambda: of_groups(),
    },
    "networks": {
        "bundled": lambda: of_network(0.08, None),
        "bundled, resampled": lambda: of_network(0.08, 0.3),
        "one network": lambda: of_network(0.02, 0.05, held_out=False),
        "no errors": lambda: of_network(float("nan"), None),
        "synthetic": lambda: of_synthetic_networks(ncv=0.06, rrs=0.2),
    },
    "overlap": {"default": lambda: overlap.answer(None, overlap.Settings.resolve(None))},
}
