"""What the models do under HITS and under random topics, as markdown tables; docs/findings.md holds the output.

    nice python -m bench.findings [--store /tmp/leakscope-findings]

Every run of a model on a fold is kept in the store, so a stopped run goes on and a second one takes seconds.
Without 20 Newsgroups (../shared/data) only the bundled corpus is reported.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.evaluate import regular_authors
from core.corpora import Corpus
from core.demo import RESULTS, bundled_corpus, bundled_vectors
from core.evaluation import (
    TASKS,
    Evaluation,
    NamedVectors,
    ResultStore,
    Score,
    evaluate,
    exposed_topics,
    fold_scores,
    mean_baselines,
    relations,
    summarise,
    topic_scores,
)
from core.splits import Leakage, fold_leakage, topic_kfold
from core.statistics import compare_setups, placebo_counts, rank_among, rank_models, stability_interval
from core.topics import RANDOM_SEEDS, Setup, make_setup, topic_space
from core.vectors import Vectors, embed, make_encoder

METRICS = {"verification": ("c@1", "overall"), "attribution": ("accuracy",)}
LABELS = {"c@1": "c@1", "overall": "Overall", "accuracy": "accuracy"}


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """One setup with its folds, what they leak, and every model's answers."""

    setup: Setup
    leakage: Leakage
    evaluation: Evaluation

    @property
    def scores(self) -> list[Score]:
        return fold_scores(self.evaluation, self.setup.corpus)

    def by_fold(self, metric: str) -> np.ndarray:
        """Scores with a row a model and a column a fold."""
        values = [score.values[metric] for score in self.scores]
        return np.array(values).reshape(len(self.evaluation.models), -1)

    def mean(self, model: str, metric: str) -> float:
        """The mean over folds, weighted by documents."""
        return summarise(self.scores, metric)[model].mean


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", default="/tmp/leakscope-findings", help="folder for the answers of every run")
    results = ResultStore(parser.parse_args().store, shipped=RESULTS)
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert"))
    assert vectors is not None
    verifiers, classifiers = ("char_ngram", "ppm", "topic_fit", "sbert_cosine"), ("max_ent", "char_svm", "topic_fit")
    report(corpus, vectors, {"verification": verifiers, "attribution": classifiers}, m=12, k=6, results=results)
    newsgroups = regular_authors()
    if newsgroups is None:
        print("20 Newsgroups: skipped, ../shared/data/20newsgroups.parquet is not here")
        return
    vectors = embed(newsgroups, make_encoder("lsa"))
    models = {"verification": ("char_ngram", "ppm", "topic_fit"), "attribution": ("char_svm", "topic_fit")}
    report(newsgroups, vectors, models, m=10, k=5, results=results)


def report(
    corpus: Corpus, vectors: Vectors, models: Mapping[str, Sequence[str]], *, m: int, k: int, results: ResultStore
) -> None:
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    chosen = [("none", 0), ("hits", 0), *(("random", seed) for seed in RANDOM_SEEDS)]
    setups = [make_setup(corpus, vectors.matrix, space, sampler=name, m=m, seed=seed) for name, seed in chosen]
    authors = len(corpus.author_names or ())
    print(f"## {corpus.name}\n")
    print(
        f"{len(corpus):,} documents, {len(corpus.topic_names)} topics, {authors} authors; similarity by {vectors.name}; "
        f"m = {m}, k = {k} topic folds (seed 0).\n"
    )
    kinds = [("verification", "matched"), ("verification", "paper"), ("attribution", "matched")]
    outcomes = {
        (task, pairing): [outcome(setup, task, models[task], vectors, k, results, pairing) for setup in setups]
        for task, pairing in kinds
    }
    print_setups(outcomes["attribution", "matched"])
    for (task, pairing), found in outcomes.items():
        if task == "verification":
            print(f"### Pairs: {pairing}\n")
            print_pairs(found)
        for metric in METRICS[task]:
            print_means(task, found, metric)
        if task == "attribution":
            print_seen(found)
        print_relations(found, METRICS[task][0])
        print_stability(task, found, METRICS[task])


def outcome(
    setup: Setup, task: str, models: Sequence[str], vectors: Vectors, k: int, results: ResultStore, pairing: str
) -> Outcome:
    folds = topic_kfold(setup.corpus, k=k, seed=0)
    evaluation = evaluate(
        setup.corpus,
        folds,
        task=task,
        models=models,
        pairing=pairing,
        vectors=NamedVectors(setup.vectors, vectors.encoder_key),
        results=results,
        progress=lambda done, total, label, left: print(f"{setup.name}: {label} ({done}/{total})", file=sys.stderr),
    )
    for run in evaluation.runs:
        if run.problem is not None:
            print(f"*{setup.name}, {run.model}, fold {run.fold + 1} could not be run: {run.problem}*\n")
    return Outcome(setup, fold_leakage(folds, setup.space), evaluation)


def seen_share(found: Outcome) -> float:
    """Share of test documents whose author is in training: attribution cannot be right about the others."""
    codes = found.setup.corpus.author_codes
    assert codes is not None
    seen = sum(int(np.isin(codes[fold.test], codes[fold.train]).sum()) for fold in found.evaluation.folds)
    return seen / len(found.setup.corpus)


def print_setups(outcomes: Sequence[Outcome]) -> None:
    print("| setup | documents | mean similarity | max similarity | test documents by authors in training |")
    print("|---|---|---|---|---|")
    for found in outcomes:
        leakage, size = found.leakage, len(found.setup.corpus)
        similarities = f"{leakage.average_mean:.3f} | {leakage.average_max:.3f}"
        print(f"| {found.setup.name} | {size:,} | {similarities} | {seen_share(found):.3f} |")
    print()


def print_pairs(outcomes: Sequence[Outcome]) -> None:
    """What topics alone tell about the pairs of each setup."""
    print("| setup | pairs | left out | gap | topic oracle's AUC |\n|---|---|---|---|---|")
    for found in outcomes:
        known = mean_baselines(found.evaluation, found.setup.corpus)
        print(
            f"| {found.setup.name} | {known.questions:,} | {known.left_out:,} | {known.gap:.3f} "
            f"| {known.topic_oracle_auc:.3f} |"
        )
    print()


def print_seen(outcomes: Sequence[Outcome]) -> None:
    """Accuracy on the documents that can be got right at all."""
    if all(seen_share(found) == 1 for found in outcomes):
        return
    print("Accuracy on the test documents whose author is in training\n")
    print("| model | all topics | HITS | random | each seed |\n|---|---|---|---|---|")
    for model in outcomes[0].evaluation.models:
        whole, kept, *seeds = (found.mean(model, "accuracy") / seen_share(found) for found in outcomes)
        each = " ".join(f"{value:.3f}" for value in seeds)
        print(
            f"| {TASKS['attribution'].models[model].label} | {whole:.3f} | {kept:.3f} "
            f"| {np.mean(seeds):.3f} ({np.std(seeds, ddof=1):.3f}) | {each} |"
        )
    print()


def print_means(task: str, outcomes: Sequence[Outcome], metric: str) -> None:
    everything, hits, *random = outcomes
    print(
        f"**{task.capitalize()}, {LABELS[metric]}**, mean over folds weighted by documents (SE over folds; sd over seeds)\n"
    )
    print(
        "| model | all topics | HITS | random | each seed | HITS − random | HITS lies | t-test p, and how often it calls a "
        "random sample different |\n|---|---|---|---|---|---|---|---|"
    )
    for place, model in enumerate(everything.evaluation.models):
        seeds = np.array([found.mean(model, metric) for found in random])
        whole, kept = (summarise(found.scores, metric)[model] for found in (everything, hits))
        drawn = np.concatenate([found.by_fold(metric)[place] for found in random])
        called, of = placebo_counts([found.by_fold(metric)[place] for found in random])
        test = compare_setups({metric: hits.by_fold(metric)[place]}, {metric: drawn})[metric]
        print(
            f"| {TASKS[task].models[model].label} | {whole.mean:.3f} ({whole.se:.3f}) | {kept.mean:.3f} ({kept.se:.3f}) "
            f"| {seeds.mean():.3f} ({seeds.std(ddof=1):.3f}) | {' '.join(f'{value:.3f}' for value in seeds)} "
            f"| {kept.mean - seeds.mean():+.3f} | below {rank_among(kept.mean, seeds).above} of {len(seeds)} "
            f"| {test.p:.2f}, {called} of {of} |"
        )
    print()


def print_relations(outcomes: Sequence[Outcome], metric: str) -> None:
    print(f"Spearman's ρ of a test topic's {LABELS[metric]} with the similarity of its nearest training topic\n")
    print("| setup | model | topics | ρ | 95 % interval | permutation p |\n|---|---|---|---|---|---|")
    for found in outcomes[:2]:
        corpus = found.setup.corpus
        rows = exposed_topics(corpus, found.leakage, topic_scores(found.evaluation, corpus), metric=metric)
        for model, relation in relations(rows).items():
            label = TASKS[found.evaluation.task].models[model].label
            print(
                f"| {found.setup.name} | {label} | {relation.n} | {relation.rho:+.2f} "
                f"| {relation.low:+.2f} to {relation.high:+.2f} | {relation.p:.3f} |"
            )
    print()


def print_stability(task: str, outcomes: Sequence[Outcome], metrics: Sequence[str]) -> None:
    print("Ranking stability: mean Spearman's ρ between the model rankings of two folds; mean rank (sd) over folds\n")
    models = [TASKS[task].models[model].label for model in outcomes[0].evaluation.models]
    print(f"| metric | setup | stability | {' | '.join(models)} |\n|---|---|---|{'---|' * len(models)}")
    for metric in metrics:
        tables = {"all topics": [outcomes[0]], "HITS": [outcomes[1]], "random": outcomes[2:]}
        for name, group in tables.items():
            each = [stability_interval(found.by_fold(metric))[0] for found in group]
            ranking = rank_models(np.concatenate([found.by_fold(metric) for found in group], axis=1))
            ranks = " | ".join(f"{mean:.2f} ({sd:.2f})" for mean, sd in zip(ranking.mean, ranking.sd, strict=True))
            spread = f"{np.mean(each):.3f}" + (f" ({min(each):.3f} to {max(each):.3f})" if len(each) > 1 else "")
            print(f"| {LABELS[metric]} | {name} | {spread} | {ranks} |")
    print()


if __name__ == "__main__":
    main()
