"""The sections of Look: the corpus, the verdict, the map."""

import numpy as np
import plotly.graph_objects as go

from ..corpora import Finding, read_in_part
from ..errors import unknown
from ..formats import ABSENT, first_few, number, numbers, share, some_or_all
from ..plots import corpus as corpus_plots
from ..plots import overview as overview_plots
from ..plots import topic_map as map_plots
from ..plots import topic_map_matrix
from ..topics import (
    LAYOUTS,
    MOST_CELLS,
    SIMILARITIES,
    Verdict,
    alike_sentence,
    closest_pairs,
    map_labels,
    matrix_blocks,
    near_twins,
    pair_histogram,
    shared_terms,
    sure_twins,
    term_weights,
    topic_leakage,
)
from ..vectors import ENCODERS
from .subject import Drawing, ReportTable, Section, Subject, table

MOST_ACROSS = 30  # topics side by side whose names can be read on paper
MOST_COLOURED, KEYED = 24, 12  # topics in colour; fewer where a key must name them
MOST_NAMED = 20
MOST_EXAMPLES, LONGEST = 3, 40  # named in a warning, and characters of each


def corpus(subject: Subject) -> Section:
    """What the corpus holds and what in it would mislead."""
    audit = subject.audit
    drawings = [Drawing("Words a document", corpus_plots.lengths(audit))]
    if audit.authors:
        shown = (
            some_or_all(min(corpus_plots.MOST_AUTHORS, audit.authors), audit.authors, "most frequent", "author"),
            some_or_all(min(MOST_ACROSS, audit.topics), audit.topics, "largest", "topic"),
        )
        about = f"Documents of {shown[0]} in {shown[1]}."
        drawings.append(Drawing("Who writes about what", corpus_plots.author_topic(audit, most=MOST_ACROSS), about))
    columns = {
        "topic": [row.topic for row in audit.per_topic],
        "documents": [f"{row.documents:,}" for row in audit.per_topic],
        "median words": [f"{row.median_words:,.0f}" for row in audit.per_topic],
    }
    if audit.authors:
        columns["authors"] = [f"{row.authors:,}" for row in audit.per_topic]
        columns["largest author"] = [row.largest_author or ABSENT for row in audit.per_topic]
        columns["their share"] = [share(row.largest_author_share) for row in audit.per_topic]
    return Section(
        "corpus",
        "What do I have?",
        audit.sentence,
        facts=(
            ("Documents", f"{audit.documents:,}"),
            ("Topics", f"{audit.topics:,}"),
            ("Authors", f"{audit.authors:,}" if audit.authors else "none"),
            ("Words, median", f"{int(np.median(audit.words)):,}"),
            ("Vocabulary", f"{audit.vocabulary:,}"),
        ),
        drawings=tuple(drawings),
        tables=(*_warnings(audit.warnings), table("Topics", columns)),
    )


def _warnings(findings: tuple[Finding, ...]) -> tuple[ReportTable, ...]:
    """Every warning with its code, what it means and what can be done."""
    if not findings:
        return ()
    columns = {
        "code": [finding.code for finding in findings],
        "what was found": [f"{finding.text} {_examples(finding)}".strip() for finding in findings],
        "why it matters, and what can be done": [
            f"{finding.advice.explanation} {finding.advice.remedy}" for finding in findings
        ],
    }
    return (table("Warnings", columns),)


def _examples(finding: Finding) -> str:
    """Some of those a warning is about, as the Corpus page has them."""
    named = [each if len(each) <= LONGEST else f"{each[: LONGEST - 1]}…" for each in finding.examples[:MOST_EXAMPLES]]
    return first_few(named, MOST_EXAMPLES, of=finding.count)


def overview(subject: Subject, *, k: int | None = None) -> Section:
    """Whether a split by topic parts near twins."""
    k = min(6 if k is None else k, 20, len(subject.space))
    verdict = subject.verdict(k)
    meaningless = verdict.level == "meaningless"
    cut = ENCODERS[subject.vectors.name].cuts(subject.encoder)
    reading = read_in_part(subject.corpus) if cut else None
    facts = [("Typical similarity", number(verdict.typical, ".2f"))]
    if not meaningless:
        kept = f"{verdict.keep}" + (
            "" if verdict.keep_interval is None else f" ({verdict.keep_interval[0]}–{verdict.keep_interval[1]})"
        )
        facts += [
            ("Near-twin line", f"{verdict.line:.2f}"),
            ("Near-twin pairs", f"{verdict.twin_pairs:,}, {verdict.sure_pairs:,} beyond doubt"),
            ("Twin-free with HITS", f"{kept} topics, {verdict.keep_documents:,} of {verdict.documents:,} documents"),
        ]
    return Section(
        "overview",
        "Does my split leak?",
        verdict.sentence,
        (*verdict.cautions, *((reading,) if reading else ())),
        tuple(facts),
        _pair_drawings(subject, verdict),
        (*(() if meaningless else _twins(subject, verdict.line)), *_unplaced(subject)),
        (("Folds of topics (k)", str(k)),),
    )


def _pair_drawings(subject: Subject, verdict: Verdict) -> tuple[Drawing, ...]:
    """The most similar topics, where any can be called alike, and how alike all are."""
    space, resampled = subject.space, subject.resampled
    pairs = closest_pairs(space.similarity, most=8)
    if not pairs:
        return ()
    counts = pair_histogram(space.similarity, line=min(verdict.line, 1.0))
    everything = Drawing(
        "How alike all topics are", overview_plots.similarity_histogram(*counts, verdict, kind=space.kind)
    )
    if verdict.level == "meaningless":
        return (everything,)
    sure = sure_twins(space, verdict.line, resampled)
    worst = Drawing(
        "The most similar topics",
        overview_plots.worst_pairs(space.names, pairs, verdict, kind=space.kind, sure=sure, resampled=resampled),
        overview_plots.worst_caption(pairs, verdict, resampled, sure=sure),
    )
    return worst, everything


def _twins(subject: Subject, line: float) -> tuple[ReportTable, ...]:
    space = subject.space
    twins = near_twins(space, line, most=MOST_NAMED * 10)
    if not twins:
        return ()
    columns = {
        "topic": [space.names[first] for first, _, _ in twins],
        "its near twin": [space.names[second] for _, second, _ in twins],
        "similarity": [number(value) for _, _, value in twins],
    }
    return (table("Near twins, the closest first", columns, most=MOST_NAMED),)


def _unplaced(subject: Subject) -> tuple[ReportTable, ...]:
    space = subject.space
    if not space.unplaced:
        return ()
    columns = {
        "topic": [space.names[each.topic] for each in space.unplaced],
        "documents": [f"{int(space.sizes[each.topic]):,}" for each in space.unplaced],
        "reason": [each.reason for each in space.unplaced],
    }
    return (table("Topics that cannot be placed", columns, most=MOST_NAMED),)


def topic_map(subject: Subject, *, first: str | None = None, second: str | None = None) -> Section:
    """Which topics are alike: the map, the matrix, and the words that one pair shares."""
    space, layout, corpus = subject.space, subject.layout, subject.corpus
    guess = next(iter(closest_pairs(space.similarity, most=1)), (0, min(1, len(space) - 1), 0.0))
    pair = _topic(space.names, first, guess[0]), _topic(space.names, second, guess[1])
    cells = (
        topic_map_matrix.block_matrix(space, matrix_blocks(space.similarity, subject.order), pair)
        if len(space) > MOST_CELLS
        else topic_map_matrix.similarity_matrix(space, subject.order, pair)
    )
    drawn = "" if len(layout.rows) == len(corpus) else f" {len(layout.rows):,} of {len(corpus):,} documents are drawn."
    about = f"{LAYOUTS[layout.method]}. Distances on the map are for the eye only; no score uses them.{drawn}"
    drawings = [
        Drawing("Documents and topics", _map(subject), about),
        Drawing(
            "Similarity of every pair", cells, f"Similarity {SIMILARITIES[space.kind]}. Alike topics stand together."
        ),
    ]
    if pair[0] != pair[1]:
        shared = shared_terms(term_weights(corpus), *pair)
        if len(shared.terms):
            names = space.names[pair[0]], space.names[pair[1]]
            title = f"What {names[0]} and {names[1]} have in common"
            drawings.append(Drawing(title, map_plots.shared_terms(shared, *names)))
    leakage = topic_leakage(space.similarity)
    ranked = np.argsort(-leakage.score, kind="stable")
    columns = {
        "topic": [space.names[topic] for topic in ranked],
        "leakage": numbers(leakage.score[ranked]),
        "nearest": [space.names[topic] if topic >= 0 else ABSENT for topic in leakage.nearest[ranked]],
        "max": numbers(leakage.max[ranked]),
        "mean": numbers(leakage.mean[ranked]),
        "reliability": numbers(space.reliability[ranked], ".2f"),
    }
    return Section(
        "topic_map",
        "Which topics are alike?",
        alike_sentence(space, subject.verdict(min(2, len(space))), subject.resampled),
        drawings=tuple(drawings),
        tables=(table("Topics by leakage against all others", columns),),
        settings=(
            ("Map", LAYOUTS[layout.method]),
            ("Topics in focus", " and ".join(space.names[each] for each in pair)),
        ),
    )


def _topic(names: tuple[str, ...], wanted: str | None, otherwise: int) -> int:
    if wanted is None:
        return otherwise
    if wanted not in names:
        raise unknown("topic", wanted, names)
    return names.index(wanted)


def _map(subject: Subject) -> go.Figure:
    """Documents coloured by topic, the largest topics only where there are many."""
    corpus, space, layout = subject.corpus, subject.space, subject.layout
    largest = np.argsort(-corpus.topic_sizes, kind="stable")[:MOST_COLOURED]
    leakage, height = topic_leakage(space.similarity).score, float(map_plots.MAP_HEIGHT)
    labels = map_labels(layout, space.names, leakage, height=height)
    if not set(largest.tolist()) <= {label.topic for label in labels}:
        largest, height = largest[:KEYED], height * (1 - map_plots.LEGEND)
        labels = map_labels(layout, space.names, leakage, height=height)
    coloured = np.where(np.isin(corpus.topic_codes, largest), corpus.topic_codes, -1)
    return map_plots.document_map(layout, space, corpus.topic_names, coloured, corpus.ids, labels)
