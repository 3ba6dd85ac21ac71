"""Commands on a corpus: what it holds, its vectors, whether topics leak, and which to keep."""

import argparse

import numpy as np

from ..corpora import Corpus, Finding, audit
from ..errors import SettingError
from ..splits import check_k
from ..topics import (
    MOST_IN_MATRIX,
    SAMPLERS,
    TopicSpace,
    check_labels,
    checked_m,
    hits_path,
    judge,
    make_sample,
    near_twins,
    optimum,
    pair_summary,
    path_records,
    resample_topics,
    sample_sentence,
    topic_points,
    twin_line,
    unlike_samplers,
    unplaced_records,
)
from ..vectors import Vectors
from .options import (
    Answer,
    add_corpus_options,
    add_encoder_options,
    corpus_of,
    defined,
    in_full,
    space_of,
    vectors_of,
)
from .screen import progress
from .target import checked_target, writing


def run_audit(options: argparse.Namespace) -> Answer:
    """What a corpus holds and what in it should be mended: counts, and warnings with their remedies."""
    found = audit(corpus_of(options))
    answer: Answer = {
        "sentence": found.sentence,
        "documents": found.documents,
        "topics": found.topics,
        "authors": found.authors,
    }
    if not in_full(options):
        return answer | {"warnings": [f"{each.text} {_remedy(each)}" for each in found.warnings]}
    counts: dict[str, dict[str, int]] = {name: {} for name in found.topic_names}
    table = found.counts.tocoo()
    for topic, author, number in zip(*table.coords, table.data, strict=True):
        counts[found.topic_names[topic]][found.author_names[author]] = int(number)
    warnings = [
        {"code": each.code, "text": each.text, "explanation": each.advice.explanation, "remedy": _remedy(each)}
        for each in found.warnings
    ]
    return answer | {"warnings": warnings, "counts": counts}


def _remedy(finding: Finding) -> str:
    return finding.advice.typed or finding.advice.remedy


def add_embed_options(command: argparse.ArgumentParser) -> None:
    """A corpus, an encoder, and where the vectors go."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=False)
    command.add_argument("--out", required=True, metavar="V.npy", help="where the vectors go")


def run_embed(options: argparse.Namespace) -> Answer:
    """Write the vectors of a corpus in document order."""
    target = checked_target(options.out)
    vectors = vectors_of(corpus_of(options), options)
    with writing(target) as partial, partial.open("xb") as stream:
        np.save(stream, vectors.matrix, allow_pickle=False)
    rows, columns = vectors.matrix.shape
    return {
        "sentence": f"Written: {rows:,} vectors of {columns} numbers, one a document in the file's order.",
        "documents": rows,
        "dimensions": columns,
        "encoded": vectors.encoded,
        "from_store": vectors.from_store,
        "notes": list(vectors.notes),
        "out": str(target),
    }


def add_verdict_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, and the folds the verdict is on."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--k", type=int, default=6, metavar="K", help="folds of topics (default: 6)")


def run_verdict(options: argparse.Namespace) -> Answer:
    """Whether topics dealt into folds leave near twins in training, and whether the labels mean anything at all."""
    check_k(options.k)
    corpus = corpus_of(options)
    vectors = vectors_of(corpus, options)
    space = space_of(corpus, vectors, options)
    documents = vectors.matrix, corpus.topic_codes, len(space)
    found = judge(
        space,
        hits_path(space.similarity),
        k=options.k,
        labels=check_labels(*documents, kind=space.kind),
        resampled=resample_topics(*documents, kind=space.kind),
        found=corpus.found,
    )
    twins = near_twins(space, found.line, most=max(1, found.twin_pairs))
    return {
        "sentence": found.sentence,
        "level": found.level,
        "cautions": list(found.cautions),
        "k": min(options.k, len(space)),
        "typical": defined(found.typical),
        "line": found.line,
        "twin_pairs": found.twin_pairs,
        "sure_pairs": found.sure_pairs,
        "surely_leaking": found.surely_leaking,
        "twins": [[space.names[first], space.names[second], value] for first, second, value in twins],
        "leaking_topics": found.leaking_topics,
        "keep": found.keep,
        "keep_interval": None if found.keep_interval is None else list(found.keep_interval),
        "keep_documents": found.keep_documents,
        "documents": found.documents,
        "reliability": {name: defined(share) for name, share in zip(space.names, space.reliability, strict=True)},
        "unplaced": unplaced_records(space),
        "notes": list(vectors.notes),
    }


def add_hits_options(command: argparse.ArgumentParser) -> None:
    """A corpus, its vectors, and m."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--m", type=int, default=None, metavar="M", help="topics to keep (default: all)")
    about = "which m topics are selected (default: hits)"
    command.add_argument("--sampler", default="hits", choices=unlike_samplers(), help=about)
    command.add_argument("--optimum", action="store_true", help="also the least possible maximum of m topics")


def run_hits(options: argparse.Namespace) -> Answer:
    """The whole HITS path, the first m topics of it, and how often each would be kept with other documents."""
    corpus = corpus_of(options)
    vectors = vectors_of(corpus, options)
    if len(corpus.topic_names) > MOST_IN_MATRIX:
        return _hits_of_many(corpus, vectors, options)
    space = space_of(corpus, vectors, options)
    path = hits_path(space.similarity)
    m = checked_m(len(space) if options.m is None else options.m, len(space))
    sample = make_sample(space.similarity, SAMPLERS[options.sampler].selected(space.similarity, m))
    documents = vectors.matrix, corpus.topic_codes, len(space)
    resampled, labels = resample_topics(*documents, kind=space.kind), check_labels(*documents, kind=space.kind)
    shares = resampled.selected_share(m)
    similarity = pair_summary(space, sample)
    kept = int(space.sizes[sample.selected].sum())
    line = twin_line(space.similarity, kind=space.kind)
    return {
        "sentence": sample_sentence(
            m, len(space), kept, len(corpus), closest=similarity["max"], line=line, meaningful=labels.meaningful
        ),
        "topics": list(space.names),
        "path": path_records(space, path),
        "m": m,
        "selected": [space.names[topic] for topic in sample.selected],
        "similarity": similarity,
        "kind": space.kind,
        "kept_share": {space.names[topic]: float(shares[topic]) for topic in path.order},
        "unplaced": unplaced_records(space),
        **({"optimum": _optimum(space, m)} if options.optimum else {}),
        "notes": list(vectors.notes),
    }


def _optimum(space: TopicSpace, m: int) -> Answer:
    """How little alike the closest of m topics can be; of no more topics than can be placed, and unknown of none."""
    if not space.placed.any():
        return {"max": None, "mean": None, "max_bound": None, "proven": False, "topics": []}
    found = optimum(space.similarity, min(m, int(space.placed.sum())))
    values = {name: defined(getattr(found, name)) for name in ("max", "mean", "max_bound")}
    return values | {"proven": found.proven, "topics": [space.names[topic] for topic in found.topics]}


def _hits_of_many(corpus: Corpus, vectors: Vectors, options: argparse.Namespace) -> Answer:
    """The same answer without a matrix of all pairs: the path ends at m, and no documents are drawn anew."""
    path_to = SAMPLERS[options.sampler].path_to
    if path_to is None or options.optimum:
        what = "the optimum" if options.optimum else f"a sample by {SAMPLERS[options.sampler].label}"
        able = ", ".join(name for name in unlike_samplers() if SAMPLERS[name].path_to is not None)
        raise SettingError(
            f"Of {len(corpus.topic_names):,} topics {what} is not searched, of at most {MOST_IN_MATRIX:,} it is; choose "
            f"the sampler {able} without --optimum, or leave out small topics."
        )
    topics = topic_points(vectors.matrix, corpus.topic_codes, corpus.topic_names, similarity=options.similarity)
    m = checked_m(len(topics) if options.m is None else options.m, len(topics))
    path = path_to(topics, m=m, progress=progress)
    short = f"Of more than {MOST_IN_MATRIX:,} topics the path is given up to m, and 'kept_share' is not computed."
    kept, closest = int(topics.sizes[path.order].sum()), defined(path.max[-1])
    return {
        "sentence": sample_sentence(m, len(topics), kept, len(corpus), closest=closest),
        "topics": list(topics.names),
        "path": path_records(topics, path),
        "m": m,
        "selected": [topics.names[topic] for topic in path.order],
        "similarity": {"mean": defined(path.mean[-1]), "max": closest},
        "kind": topics.kind,
        "kept_share": {},
        "unplaced": unplaced_records(topics),
        "notes": [*vectors.notes, short],
    }
