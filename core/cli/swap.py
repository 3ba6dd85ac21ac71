"""`swap`: what a near twin in training buys; `dial`: made corpora in which it buys much or nothing."""

import argparse
from typing import Any

import pandas as pd

from ..corpora import dial_corpus
from ..demo import RESULTS
from ..evaluation import NO_TWINS, TASKS, NamedVectors, ResultStore, swap_effects, swap_sentences, twins_note
from ..splits import make_swaps
from ..topics import check_labels
from .evaluate import chosen_models, compared_vectors, runs_done
from .options import (
    Answer,
    add_corpus_options,
    add_encoder_options,
    add_pairs_option,
    corpus_of,
    defined,
    seed,
    space_of,
    vectors_of,
)
from .room import room_or_refuse
from .target import checked_target, writing


def add_options(command: argparse.ArgumentParser) -> None:
    """A corpus, the task, its models, and how often and how many topics are swapped."""
    add_corpus_options(command)
    add_encoder_options(command, vectors=True)
    command.add_argument("--task", default="attribution", metavar="NAME", help=f"one of {', '.join(TASKS)}")
    command.add_argument("--models", metavar="A,B", help="models to run (default: all of the task)")
    command.add_argument("--draws", type=int, default=3, metavar="N", help="draws of stand-ins a topic (default: 3)")
    command.add_argument("--nearest", type=int, default=1, metavar="N", help="topics swapped together (default: 1)")
    command.add_argument("--topics", type=int, metavar="N", help="test at most so many topics, by lot (default: all)")
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws stand-ins and pairs (default: 0)")
    add_pairs_option(command)


def run(options: argparse.Namespace) -> Answer:
    """What a near twin in training buys: every topic tested with its nearest topic in training and without it."""
    models = chosen_models(options)
    corpus = corpus_of(options)
    vectors = vectors_of(corpus, options)
    space = space_of(corpus, vectors, options)
    swaps = make_swaps(
        corpus, space, draws=options.draws, nearest=options.nearest, seed=options.seed, most=options.topics
    )
    choices: dict[str, Any] = {"task": options.task, "models": models, "seed": options.seed, "pairing": options.pairs}
    choices["results"] = ResultStore(shipped=RESULTS)
    room_or_refuse(corpus, [swaps.without, *swaps.with_twin], options, **choices)
    compared = compared_vectors(corpus, models, options)
    found = swap_effects(
        corpus,
        swaps,
        vectors=None if compared is None else NamedVectors(compared.matrix, compared.encoder_key),
        progress=runs_done,
        **choices,
    )
    kinds, metric = TASKS[options.task].models, TASKS[options.task].default_metric
    labelled = {kinds[model].label: effect for model, effect in found.items()}
    sentences = [*swap_sentences(labelled, metric=metric, twins=options.nearest), twins_note(swaps, space)]
    if swaps.unmatched:
        sentences.append(f"{len(swaps.unmatched):,} of {len(space):,} topics could not be matched.")
    if not check_labels(vectors.matrix, corpus.topic_codes, len(space), kind=space.kind).meaningful:
        sentences.append(NO_TWINS)
    rows = zip(swaps.topics, swaps.twins, swaps.similarity, strict=True)
    return {
        "sentence": " ".join(sentences),
        "effects": {
            model: {name: defined(getattr(effect, name)) for name in ("effect", "low", "high", "p")}
            | {"topics": effect.topics}
            for model, effect in found.items()
        },
        "rows": [
            {
                "topic": space.names[topic],
                "twin": space.names[twins[0]],
                "similarity": float(similarity),
                "model": model,
                "effect": defined(effect.by_topic[number]),
            }
            for number, (topic, twins, similarity) in enumerate(rows)
            for model, effect in found.items()
        ],
        "unmatched": [{"topic": space.names[topic], "reason": reason} for topic, reason in swaps.unmatched],
        "notes": list(vectors.notes),
    }


def add_dial_options(command: argparse.ArgumentParser) -> None:
    """The two dials and the file to write."""
    command.add_argument("--shared", type=float, default=0.8, metavar="SHARE", help="vocabulary sister topics share")
    command.add_argument("--loyal", type=float, default=0.8, metavar="SHARE", help="how far authors keep to a family")
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="draws words and texts (default: 0)")
    command.add_argument("--out", required=True, metavar="FILE.csv", help="the corpus to write")


def run_dial(options: argparse.Namespace) -> Answer:
    """Write a made corpus: how much vocabulary sister topics share, and how far authors keep to one family."""
    target = checked_target(options.out)
    corpus = dial_corpus(shared=options.shared, loyal=options.loyal, seed=options.seed)
    table = pd.DataFrame({"id": corpus.ids, "text": corpus.texts, "topic": corpus.topics, "author": corpus.authors})
    with writing(target) as partial, partial.open("x", encoding="utf-8", newline="") as stream:
        table.to_csv(stream, index=False)
    return {
        "sentence": f"{len(corpus):,} invented documents on {len(corpus.topic_names)} topics are in {options.out}.",
        "documents": len(corpus),
        "topics": len(corpus.topic_names),
        "authors": len(corpus.author_names or ()),
        "out": options.out,
    }
