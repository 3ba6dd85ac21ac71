"""Which topics are in texts that have none?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..formats import counted
from ..render import Answer, Caution, Fact, Level, Rows
from ..study import Study
from ..topics import METHODS as WAYS
from ..topics import MOST_FOUND, TOO_UNSTABLE, FoundTopics
from .settings import Settings as Base
from .settings import choice, integer, seed

NAME, LABEL, QUESTION = "topics", "Corpus", "Which topics are in these texts?"
HELP = "Find topics in texts that have none, and report how stable they are."
METHODS = (
    "Documents are clustered by their vectors, and clusters are named by their most distinctive words. Stability is the mean "
    "adjusted Rand index (Hubert and Arabie 1985) between these clusters and those of ten random samples of 80% of the documents. "
    "The number of clusters is the largest that is as stable as the most stable one. Clusters count as found only if their "
    "silhouette is above that of points without clusters."
)
LEVELS: dict[str, Level] = {"stable": "good", "shaky": "warning", "none": "bad"}


@dataclass(frozen=True)
class Settings(Base):
    """How topics are found."""

    method: str = choice(
        "Method",
        {name: way.label for name, way in WAYS.items()},
        default="k-means",
        help=" ".join(f"{way.label}: {way.about}" for way in WAYS.values()),
    )
    k: int = integer(
        "Number of topics (k)",
        low=0,
        high=MOST_FOUND,
        default=0,
        asked=lambda _, chosen: WAYS[chosen["method"]].takes_k,
        help="0 chooses the most stable number.",
    )
    seed: int = seed()


def answer(study: Study, settings: Settings) -> Answer:
    """Answer which topics are in the texts, and how stable they are."""
    found = study.found_topics(method=settings.method, k=settings.k or None, seed=settings.seed)
    return Answer(
        NAME,
        QUESTION,
        LEVELS[found.level],
        headline(found),
        _reasons(found),
        _cautions(found),
        _facts(found),
        (),
        (_table(found),),
        lambda: _data(study, found),
        settings.rows(study),
        METHODS,
        numbers=found,
    )


def headline(found: FoundTopics) -> str:
    """Say whether there are topics, and how stable they are."""
    documents = counted(len(found.codes), "document")
    if found.level == "none":
        return f"No clear topics in these {documents}."
    how = "stable" if found.level == "stable" else "only partly stable"
    return f"{counted(len(found.names), 'topic')} found in {documents}, {how}."


def _reasons(found: FoundTopics) -> tuple[str, ...]:
    stability = f"(adjusted Rand index {found.clusters.stability:.2f}; 0 is chance, 1 is identical)"
    if found.level == "none":
        groups = counted(len(found.names), "group")
        if found.clusters.stability < TOO_UNSTABLE:
            return (f"They can be cut into {groups}, but a random 80% of them gives other groups {stability}.",)
        return (f"They can be cut into {groups}, but so can random points without any clusters.",)
    same = "nearly the same" if found.level == "stable" else "partly different"
    said = [f"A random 80% of the documents gives {same} topics {stability}."]
    if found.agreement is not None:
        said.append(f"Agreement with the given topics is {round(found.agreement, 2) + 0.0:.2f}.")
    return tuple(said)


def _cautions(found: FoundTopics) -> tuple[Caution, ...]:
    tried = [each.k for each in found.clusters.tried]
    if len(tried) > 1 and len(found.names) == max(tried):
        said = f"{len(found.names):,} is the largest number of topics tried, so there is no clear number of topics here. Choose k yourself."
        return (Caution("end-of-range", said), *_without_topic(found))
    return _without_topic(found)


def _without_topic(found: FoundTopics) -> tuple[Caution, ...]:
    if not found.without or found.level == "none":
        return ()
    documents = counted(found.without, "document", "belongs", "belong")
    return (Caution("without-topic", f"{documents} to no topic and {'is' if found.without == 1 else 'are'} left out."),)


def _facts(found: FoundTopics) -> tuple[Fact, ...]:
    clusters = found.clusters
    return (
        Fact("Topics", f"{len(found.names):,}", f"{found.sizes.min():,} to {found.sizes.max():,} documents each"),
        Fact("Stability", f"{clusters.stability:.2f}", "adjusted Rand index"),
        Fact("Silhouette", f"{clusters.silhouette:.2f}", f"{clusters.by_chance:.2f} without clusters"),
    )


def _table(found: FoundTopics) -> Rows:
    def make() -> pd.DataFrame:
        largest = np.argsort(-found.sizes, kind="stable")
        return pd.DataFrame({"topic": [found.names[each] for each in largest], "documents": found.sizes[largest]})

    return Rows("found_topics", "Topics found", make, lead=True)


def _data(study: Study, found: FoundTopics) -> dict[str, Any]:
    clusters = found.clusters
    return {
        "level": found.level,
        "k": len(found.names),
        "topics": dict(zip(found.names, found.sizes.tolist(), strict=True)),
        "without_topic": found.without,
        "stability": clusters.stability,
        "agreement": found.agreement,
        "silhouette": clusters.silhouette,
        "silhouette_by_chance": clusters.by_chance,
        "tried": [{"k": each.k, "silhouette": each.silhouette, "stability": each.stability} for each in clusters.tried],
        "method": found.method,
        "notes": list(study.vectors.notes),
    }
