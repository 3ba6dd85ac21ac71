"""Which topics are similar, and why?"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..arrays import Ints, record
from ..extras import how_to_install, installed
from ..formats import defined, first_few, in_sentence, listed, shortened
from ..plots import topic_map as plots
from ..render import Answer, Drawing, Fact, Rows
from ..study import Study
from ..topics import (
    LAYOUTS,
    MOST_CELLS,
    SIMILARITIES,
    Bootstrap,
    Layout,
    SharedTerms,
    TopicSpace,
    Verdict,
    map_labels,
    matrix_blocks,
    most_similar_pairs,
    shared_terms,
    similar_groups,
    topic_leakage,
)
from . import verdict as verdict_question
from .notes import incomparable_records
from .settings import Settings as Base
from .settings import choice, several
from .wording import works

NAME, LABEL, QUESTION = "topic_map", "Topic map", "Which topics are similar, and why?"
HELP = "Report which topics are similar, and the words that two of them share."
METHODS = (
    "The map is for display only; no score uses it. The words two topics share are weighted by class-based TF-IDF (Grootendorst "
    "2022). A topic's leakage is the mean times the maximum of its similarities to all other topics."
)
MOST_COLOURED, KEYED = 24, 12  # groups in colour; on paper fewer where a legend must name them
LONGEST_NAME = 20  # letters of a cluster's, so that a key shows how many topics it has, too
MOST_WORDS, MOST_CLOSEST = 5, 10  # shared words in a sentence, and pairs in the data
SHARED = "Words that are distinctive of both topics, the strongest bond first. A longer bar is a more distinctive word."


def _closest(study: Study) -> tuple[int, int]:
    first, second, _ = next(
        iter(most_similar_pairs(study.space, study.bootstrap, most=1)),
        (0, min(1, len(study.space) - 1), 0.0),
    )
    return first, second


def _colourings(study: Study) -> dict[str, str]:
    """Return what documents can be coloured by; many topics first by clusters, which have colours enough."""
    many = len(study.space) > plots.MOST_CLUSTERS
    names = ("cluster", "topic") if many else ("topic",)
    people = {"author": study.corpus.class_word} if study.corpus.author_names else {}
    return {each: each for each in names} | people


def _topics(study: Study, _: Any) -> dict[str, str]:
    return {name: name for name in study.space.names}


@dataclass(frozen=True)
class Settings(Base):
    """What the map shows, and which pair of topics is explained."""

    find: tuple[str, ...] = several(
        "Highlight topics",
        _topics,
        key="find",
        show=lambda names: listed(list(names)) or "all",
        help="Only these topics keep their colour, and their names are drawn first.",
    )
    colour: str = choice(
        "Colour by",
        lambda study, _: _colourings(study),
        default=lambda study, _: next(iter(_colourings(study))),
        key="colour",
        help="A cluster is a group of similar topics. Highlighted topics are always coloured one by one.",
    )
    layout: str = choice(
        "Layout", LAYOUTS, default="umap", key="layout", help="How the vectors are reduced to two dimensions."
    )
    first: str = choice("Topic", _topics, default=lambda study, _: study.space.names[_closest(study)[0]], key="a")
    second: str = choice("and topic", _topics, default=lambda study, _: study.space.names[_closest(study)[1]], key="b")


@record
class TopicPair:
    """Two topics and what they share."""

    first: int
    second: int
    similarity: float  # NaN where one of the two has too few documents
    low: float | None  # of the 95% bootstrap interval; None where there is none
    high: float | None
    shared: SharedTerms | None  # None for a topic and itself

    @property
    def topics(self) -> tuple[int, int]:
        """Return both topics."""
        return self.first, self.second


def pair_of(study: Study, first: str, second: str, *, bootstrap: Bootstrap | None = None) -> TopicPair:
    """Return two topics with what they share, and with their interval where a bootstrap is given."""
    space = study.space
    pair = space.names.index(first), space.names.index(second)
    low, high = (None, None) if bootstrap is None else (bootstrap.low, bootstrap.high)
    known = low is not None and not math.isnan(low[pair])
    return TopicPair(
        *pair,
        float(space.similarity[pair]),
        float(low[pair]) if known and low is not None else None,
        float(high[pair]) if known and high is not None else None,
        shared_terms(study.terms, *pair) if pair[0] != pair[1] else None,
    )


def answer(study: Study, settings: Settings) -> Answer:
    """Answer which topics are similar, and what two of them share."""
    space, pair = study.space, pair_of(study, settings.first, settings.second, bootstrap=study.bootstrap)
    verdict = study.judged(2)
    layout = study.layout("pca") if settings.layout == "pca" else study.ready_layout
    cautions = verdict_question.topic_cautions(verdict, space, found=study.corpus.found)
    return Answer(
        NAME,
        QUESTION,
        "unknown" if verdict.level == "meaningless" else "neutral",
        headline(study),
        _reasons(study, pair),
        tuple(each for each in cautions if each.code != "few-documents-kept"),
        _facts(study, pair),
        _figures(study, settings, layout, pair),
        (ranking(study), *verdict_question.excluded_table(space)),
        lambda: _data(study, pair),
        settings.but(layout=layout.method).rows(study),
        METHODS,
        works("terms"),
        (),
        pair,
        hero=next(iter(_facts(study, pair)), None),
    )


def headline(study: Study) -> str:
    """Name the closest pair; none where the labels mean nothing."""
    space, verdict = study.space, study.judged(2)
    closest = most_similar_pairs(space, study.bootstrap, most=2)
    if not closest:
        return verdict_question.headline(verdict)
    if verdict.level == "meaningless":
        return "No pair stands out: the topics are as similar as random groups of these texts."
    first, second, value = closest[0]
    names = f"{in_sentence(space.names[first])} and {in_sentence(space.names[second])}"
    interval = verdict_question.said_interval(study, first, second)
    if clearly_closest(closest, study.bootstrap):
        return f"{names} are the most similar topics ({value:.2f}{interval})."
    return f"The most similar topics include {names} ({value:.2f}{interval})."


def clearly_closest(closest: list[tuple[int, int, float]], bootstrap: Bootstrap | None) -> bool:
    """Return whether the first pair's interval is above every other pair's; without intervals, its rounded value."""
    if len(closest) < 2:
        return True
    (one, two, value), (_, _, next_value) = closest
    if bootstrap is None or bootstrap.low is None or bootstrap.high is None:
        return f"{value:.2f}" != f"{next_value:.2f}"
    others = np.where(np.isnan(bootstrap.high), 1.0, bootstrap.high)
    others[[one, two, *range(len(others))], [two, one, *range(len(others))]] = np.nan
    return bool(bootstrap.low[one, two] > np.nanmax(others))


def _reasons(study: Study, pair: TopicPair) -> tuple[str, ...]:
    verdict = study.judged(2)
    if verdict.level == "meaningless":
        return verdict_question.reasons(verdict, None)
    said = []
    if pair.shared is not None and pair.topics != _closest(study):
        said.append(about_pair(study.space, pair))
    if pair.shared is not None:
        both = pair.shared.terms if pair.topics == _closest(study) else ()  # of the pair that the headline names
        said.append(f"Words they share: {listed(both[:MOST_WORDS])}." if both else shared_words(study.space, pair))
    if verdict.all_similar:
        said.append(
            f"All {verdict.topics:,} topics are very similar (median {verdict.typical:.2f}), so no pair stands out."
        )
    else:
        said.append(_near_twins(verdict, verdict_question.shown_threshold(study)))
    return tuple(said)


def _near_twins(verdict: Verdict, threshold: str) -> str:
    pairs, clear, threshold = verdict.twin_pairs, verdict.clear_pairs, f"(similarity {threshold} or more)"
    if not pairs:
        return f"No two topics are near twins {threshold}."
    if pairs == 1:
        unclear = (
            "" if clear else " It is not clear: its interval reaches below the threshold or a centroid is mostly noise."
        )
        return f"One pair of topics is near twins: so similar that one gives the other away {threshold}.{unclear}"
    with_twin = int((verdict.twins > 0).sum())
    return f"{with_twin:,} of {verdict.topics:,} topics have a near twin: so similar that one gives the other away {threshold}."


def about_pair(space: TopicSpace, pair: TopicPair) -> str:
    """Say how similar two topics are."""
    names = f"{in_sentence(space.names[pair.first])} and {in_sentence(space.names[pair.second])}"
    if math.isnan(pair.similarity):
        few = [in_sentence(space.names[each]) for each in pair.topics if not space.comparable[each]]
        return f"{names} cannot be compared: {listed(few)} {'has' if len(few) == 1 else 'have'} too few documents."
    interval = "" if pair.low is None else f" (95% CI {pair.low:.2f}–{pair.high:.2f})"
    return f"{names} have similarity {pair.similarity:.2f}{interval}."


def shared_words(space: TopicSpace, pair: TopicPair) -> str:
    """Say which distinctive words two topics share."""
    first, second = (in_sentence(space.names[topic]) for topic in pair.topics)
    if pair.shared is None or not pair.shared.terms:
        return f"{first} and {second} share no distinctive words."
    return f"Words that {first} and {second} share: {listed(pair.shared.terms[:MOST_WORDS])}."


def _facts(study: Study, pair: TopicPair) -> tuple[Fact, ...]:
    verdict = study.judged(2)
    if verdict.level == "meaningless":
        return ()
    with_twin = int((verdict.twins > 0).sum())
    clear = f"{verdict.clear_pairs:,} of them clear" if verdict.twin_pairs else ""
    facts = [
        Fact("Near-twin pairs", f"{verdict.twin_pairs:,}", clear, verdict_question.NEAR_TWINS),
        Fact("Topics with a near twin", f"{with_twin:,} of {verdict.topics:,}"),
    ]
    if pair.shared is not None and not math.isnan(pair.similarity):
        names = f"{study.space.names[pair.first]} and {study.space.names[pair.second]}"
        facts.append(Fact("Similarity of the pair shown", f"{pair.similarity:.3f}", names))
    return tuple(facts)


def _figures(study: Study, settings: Settings, layout: Layout, pair: TopicPair) -> tuple[Drawing, ...]:
    space = study.space
    drawings = [
        Drawing(
            "documents",
            "Documents and topics",
            lambda: document_map(study, settings, layout, keyed=KEYED)[0],
            f"{layout_used(settings, layout)} {map_caption(study, settings, layout)}",
        ),
        Drawing("matrix", "Similarity of every pair", lambda: matrix(study, pair.topics), matrix_caption(study)),
    ]
    if (shared := pair.shared) is not None and shared.terms:
        names = space.names[pair.first], space.names[pair.second]
        drawings.append(
            Drawing(
                "shared",
                f"What {' and '.join(map(in_sentence, names))} share",
                lambda: plots.shared_terms(shared, *names),
            )
        )
    return tuple(drawings)


def document_map(
    study: Study, settings: Settings, layout: Layout, *, keyed: int = MOST_COLOURED
) -> tuple[go.Figure, int]:
    """Draw documents and centroids; return with it how many of the names have room on a phone.

    The largest groups are coloured: at most `keyed` of them where a legend has to name them.
    """
    corpus, space = study.corpus, study.space
    groups, codes = corpus.topic_names, corpus.topic_codes
    if settings.colour == "author" and corpus.author_names is not None and corpus.author_codes is not None:
        groups, codes = corpus.author_names, corpus.author_codes
    found = [corpus.topic_names.index(name) for name in settings.find]
    central: dict[int, tuple[int, str]] | None = None
    if settings.colour == "cluster" and not found:
        groups, codes = clusters(study)
        central = cluster_labels(study)
    seen = np.isin(corpus.topic_codes, found) if found else np.ones(len(corpus), dtype=bool)
    largest = np.argsort(-np.bincount(codes[seen & (codes >= 0)], minlength=len(groups)), kind="stable")[:MOST_COLOURED]
    coloured = np.where(seen & np.isin(codes, largest), codes, -1)
    leakage = topic_leakage(space.similarity, nobodys_nearest=space.nobodys_nearest).score
    names = [(central or {}).get(topic, (0, name))[1] for topic, name in enumerate(space.names)]
    always = found or list(central or ())
    labels = map_labels(layout, names, leakage, height=plots.MAP_HEIGHT, always=always)
    on_map = {label.topic for label in labels}
    drawn = set(coloured.tolist()) - {-1}
    if central is not None:
        named = drawn <= {group for topic, (group, _) in central.items() if topic in on_map}
    else:
        named = groups is corpus.topic_names and drawn <= on_map
    if not named:
        coloured = np.where(np.isin(coloured, largest[:keyed]), coloured, -1)
        below_a_legend = plots.MAP_HEIGHT * (1 - plots.LEGEND)
        labels = map_labels(layout, names, leakage, height=below_a_legend, always=always)
    hover = [f"{corpus.topic_names[topic]}, {id}" for topic, id in zip(corpus.topic_codes, corpus.ids, strict=True)]
    figure = plots.document_map(
        layout, space, groups, coloured, hover, labels, topics=corpus.topic_codes, central=central
    )
    return figure, sum(label.narrow for label in labels)


def layout_used(settings: Settings, layout: Layout) -> str:
    """Name the layout, and what the chosen one lacks where it is another."""
    if settings.layout == "umap" != layout.method and not installed("sbert"):
        return f"{LAYOUTS[layout.method]}, because UMAP is not installed ({how_to_install('sbert')})."
    return f"{LAYOUTS[layout.method]}."


def clusters(study: Study) -> tuple[tuple[str, ...], Ints]:
    """Return clusters of similar topics, each named by its most central one, and every document's cluster."""
    codes, central, sizes = _clusters(study)
    names = study.space.names
    short_names = shortened([names[topic] for topic in central], LONGEST_NAME)
    named = (
        names[topic] if size == 1 else first_few([short], 1, of=size)
        for topic, short, size in zip(central, short_names, sizes, strict=True)
    )
    return tuple(named), codes[study.corpus.topic_codes]


def cluster_labels(study: Study) -> dict[int, tuple[int, str]]:
    """Return the most central topic of each cluster, with the cluster's code and its name on the map, such as "opera +3"."""
    _, central, sizes = _clusters(study)
    short_names = shortened([study.space.names[topic] for topic in central], LONGEST_NAME)
    return {
        int(topic): (code, short if size == 1 else f"{short} +{size - 1}")
        for code, (topic, short, size) in enumerate(zip(central, short_names, sizes, strict=True))
    }


def _clusters(study: Study) -> tuple[Ints, Ints, Ints]:
    """Return every topic's cluster, and of each cluster its most central topic and how many topics it has."""
    codes, central = study.once(
        "clusters", compute=lambda: similar_groups(study.space.similarity, most=plots.MOST_CLUSTERS)
    )
    return codes, central, np.bincount(codes[codes >= 0])


def map_caption(study: Study, settings: Settings, layout: Layout) -> str:
    """Say how to read the map."""
    corpus = study.corpus
    by_topic = settings.colour == "topic" or bool(settings.find)
    groups = 0 if settings.colour == "cluster" else len(corpus.topic_names if by_topic else corpus.author_names or ())
    return " ".join(
        [
            "The map is for display only; no score uses it. Point at a document or a centroid to mark its topic.",
            "Larger, darker grey dots are topics with more reliable centroids.",
            *(
                [
                    "A colour is a cluster of similar topics. A framed name is its most central topic, with how many more it has."
                ]
                if settings.colour == "cluster" and not settings.find
                else []
            ),
            *(
                [f"{len(layout.rows):,} of {len(corpus):,} documents are shown."]
                if len(layout.rows) < len(corpus)
                else []
            ),
            *([f"Only the largest of {groups:,} {settings.colour}s are coloured."] if groups > MOST_COLOURED else []),
        ]
    )


def matrix(study: Study, pair: tuple[int, int]) -> go.Figure:
    """Draw the similarity of every pair of comparable topics, in blocks where there are many."""
    space, order = study.space, study.order
    order = order[space.comparable[order]]
    if len(order) > MOST_CELLS:
        return plots.block_matrix(space, matrix_blocks(space.similarity, order), pair)
    return plots.similarity_matrix(space, order, pair, bootstrap=study.bootstrap)


def matrix_caption(study: Study) -> str:
    """Say how to read the matrix."""
    space = study.space
    blocks = " Each cell is a block of topics, named by its first." if space.comparable.sum() > MOST_CELLS else ""
    absent = "" if space.comparable.all() else " Topics with too few documents are not shown."
    return f"Similarity {SIMILARITIES[space.kind]}. Similar topics are next to each other.{blocks}{absent}"


def ranking(study: Study) -> Rows:
    """Return the comparable topics by leakage, with the nearest topic of each."""
    space = study.space

    def make() -> pd.DataFrame:
        leakage = topic_leakage(space.similarity, nobodys_nearest=space.nobodys_nearest)
        ranked = np.lexsort((-leakage.score, space.nobodys_nearest))
        ranked = ranked[space.comparable[ranked]]
        return pd.DataFrame(
            {
                "topic": [space.names[topic] for topic in ranked],
                "leakage": leakage.score[ranked],
                "reliability": space.reliability[ranked],
                "nearest": [space.names[topic] if topic >= 0 else "" for topic in leakage.nearest[ranked]],
                "max": leakage.max[ranked],
                "mean": leakage.mean[ranked],
            }
        )

    note = (
        "Leakage is mean × max similarity to the other topics. Reliability is the share of a centroid that is signal; below 0.5 it "
        "is mostly noise. Such topics come last and are nobody's nearest."
    )
    return Rows("topics_by_leakage", "Topics by leakage", make, note)


def _data(study: Study, pair: TopicPair) -> dict[str, Any]:
    space, verdict = study.space, study.judged(2)
    rows = ranking(study).frame.replace({np.nan: None}).to_dict("records")
    return {
        "kind": space.kind,
        "closest": [
            [space.names[first], space.names[second], value]
            for first, second, value in most_similar_pairs(space, study.bootstrap, most=MOST_CLOSEST)
        ],
        "closest_intervals": [
            [defined(end) for end in study.similarity_interval(space, first, second)]
            for first, second, _ in most_similar_pairs(space, study.bootstrap, most=MOST_CLOSEST)
        ],
        "threshold": verdict.threshold,
        "twin_pairs": verdict.twin_pairs,
        "pair": {
            "topics": [space.names[topic] for topic in pair.topics],
            "similarity": None if math.isnan(pair.similarity) else pair.similarity,
            "interval": None if pair.low is None else [pair.low, pair.high],
            "shared_words": [] if pair.shared is None else list(pair.shared.terms),
        },
        "leakage": rows,
        "unplaced": incomparable_records(space),
        "notes": list(study.vectors.notes),
    }
