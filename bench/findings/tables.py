"""The tables of docs/findings.md."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import t

from bench.findings.corpora import Choice, Study
from bench.findings.plan import KINDS, RANDOM, Bench, Outcome, chosen, random_samples, ways
from core.evaluation import TASKS, mean_baselines, summarise
from core.statistics import compare_setups, placebo_counts, rank_among, stability_interval

METRICS = {"verification": ("c@1", "overall"), "attribution": ("accuracy",)}
LABELS = {"c@1": "c@1", "overall": "Overall", "accuracy": "accuracy"}
MODELS = {
    "attribution": ("topic_fit", "max_ent", "char_svm"),
    "verification": ("topic_fit", "sbert_cosine", "char_ngram", "ppm"),
}
NOT_YET = "not run yet"


def report(bench: Bench, name: str, study: Study) -> None:
    """Everything about one corpus."""
    corpus = study.corpus
    print(f"## {study.title}\n")
    size = f"{len(corpus):,} documents, {len(corpus.topic_names)} topics, {len(corpus.author_names or ())} authors"
    print(f"{size}; m = {study.m}, k = {study.k} topic folds (seed 0).\n")
    _samples(study)
    for task, pairing in KINDS:
        _scores(bench, name, study, task, pairing)


def _name(choice: Choice) -> str:
    sampler = {"hits": "HITS", "minimax": "minimax"}[choice.sampler]
    return f"{sampler}, {choice.encoder}, {choice.kind}"


def _samples(study: Study) -> None:
    """What each sample keeps, and how similar its training and test topics are, by the encoder and kind that chose it."""
    from core.splits import fold_leakage, topic_kfold
    from core.topics import topic_space

    print(
        "Similarities are those of training and test topics: the mean over pairs and the highest pair's, both averaged over folds.\n\n"
        "| sample | documents | mean similarity | highest | the same, random samples "
        "| test documents by authors in training | the same, random samples |\n|---|---|---|---|---|---|---|"
    )
    for choice in (
        each
        for encoder in study.encoders
        for each in chosen(encoder, "corrected", "plain")
        if study.vectors(encoder) is not None
    ):
        rows = []
        for each in (choice, *random_samples(RANDOM["attribution"])):
            setup = study.setup(each)
            assert setup is not None
            folds = topic_kfold(setup.corpus, k=study.k, seed=0)
            space, vectors = study.space(choice.encoder, choice.kind), study.vectors(choice.encoder)
            assert space is not None and vectors is not None
            row_of = {id: row for row, id in enumerate(study.corpus.ids)}
            part = vectors.matrix[[row_of[id] for id in setup.corpus.ids]]
            own = topic_space(part, setup.corpus.topic_codes, setup.corpus.topic_names, similarity=choice.kind)
            leakage, codes = fold_leakage(folds, own), setup.corpus.author_codes
            assert codes is not None
            seen = sum(int(np.isin(codes[fold.test], codes[fold.train]).sum()) for fold in folds) / len(codes)
            rows.append((len(codes), leakage.average_mean, leakage.average_max, seen))
        (documents, mean, most, seen), drawn = rows[0], np.array(rows[1:])
        low, high = drawn.min(axis=0), drawn.max(axis=0)
        print(
            f"| {_name(choice)} | {documents:,} (random {low[0]:,.0f}–{high[0]:,.0f}) | {mean:.3f} | {most:.3f} "
            f"| {low[1]:.3f}–{high[1]:.3f}, {low[2]:.3f}–{high[2]:.3f} | {seen:.3f} | {low[3]:.3f}–{high[3]:.3f} |"
        )
    print()


def _scores(bench: Bench, name: str, study: Study, task: str, pairing: str) -> None:
    """Every model under every sample against random topics."""
    title = task.capitalize() + (f", {pairing} pairs" if TASKS[task].asks_pairs else "")
    print(f"### {title}\n")
    print(
        "The mean over folds, weighted by documents. *Chance* is how far one random sample lies from the mean of the others in "
        "95 of 100 cases (t·s·√(1 + 1/n)): a difference within it is none.\n"
    )
    print(
        "| model | metric | sample | score (SE over folds) | random (sd over samples) | difference | chance | lies "
        "| t-test p; how often it calls a random sample different |\n|---|---|---|---|---|---|---|---|---|"
    )
    missing: dict[str, list[str]] = {}
    beyond: list[int] = []
    for model in models_of(name, task):
        label = TASKS[task].models[model].label
        choices = {"task": task, "pairing": pairing, "model": model}
        random = [bench.outcome(study, choice, **choices) for choice in random_samples(RANDOM[task])]
        drawn = [each for each in random if each is not None]
        if len(drawn) < len(random):
            missing.setdefault(label, []).append(f"{len(random) - len(drawn)} of {len(random)} random samples")
        for choice in ways(name, study, task, model):
            found = bench.outcome(study, choice, **choices)
            if found is None:
                missing.setdefault(label, []).append(_name(choice))
            elif len(drawn) >= 3:
                for metric in METRICS[task]:
                    row, sign = _row(label, model, metric, choice, found, drawn)
                    beyond.append(sign)
                    print(row)
    counts = f"{beyond.count(-1)} of {len(beyond)} differences are falls beyond chance, {beyond.count(1)} are rises"
    print(f"\n{counts}; one in twenty is to be expected where there is nothing.\n")
    for label, what in missing.items():
        print(f"{NOT_YET.capitalize()}, {label}: {'; '.join(what)}.\n")
    _pairs_and_stability(bench, name, study, task, pairing)


def _row(
    label: str, model: str, metric: str, choice: Choice, found: Outcome, drawn: Sequence[Outcome]
) -> tuple[str, int]:
    """A row of the table, and -1 for a fall beyond chance, 1 for a rise."""
    kept, seeds = summarise(found.scores, metric)[model], np.array([each.mean(model, metric) for each in drawn])
    n, spread = len(seeds), float(seeds.std(ddof=1))
    chance = float(t.ppf(0.975, n - 1)) * spread * np.sqrt(1 + 1 / n)
    folds = [each.by_fold(metric)[0] for each in drawn]
    test = compare_setups({metric: found.by_fold(metric)[0]}, {metric: np.concatenate(folds)})[metric]
    called, of = placebo_counts(folds)
    where = rank_among(kept.mean, seeds).sentence
    difference = kept.mean - float(seeds.mean())
    row = (
        f"| {label} | {LABELS[metric]} | {_name(choice)} | {kept.mean:.3f} ({kept.se:.3f}) | {seeds.mean():.3f} ({spread:.3f}) "
        f"| {difference:+.3f} | ±{chance:.3f} | {where} | {test.p:.2f}; {called} of {of} |"
    )
    return row, int(np.sign(difference)) if abs(difference) > chance else 0


def _pairs_and_stability(bench: Bench, name: str, study: Study, task: str, pairing: str) -> None:
    """What topics alone tell about pairs, and how stably folds rank the models, where all of them have been run."""
    tables: dict[str, list[list[Outcome]]] = {"random": []}
    models = models_of(name, task)
    shared = [
        choice
        for choice in ways(name, study, task, models[0])
        if all(choice in ways(name, study, task, model) for model in models)
    ]
    for choice in (*shared, *random_samples(RANDOM[task])):
        found = [bench.outcome(study, choice, task=task, pairing=pairing, model=model) for model in models]
        complete = [each for each in found if each is not None]
        if len(complete) == len(models):
            tables.setdefault("random" if choice.sampler == "random" else _name(choice), []).append(complete)
    if not any(tables.values()):
        return
    paired = TASKS[task].asks_pairs
    print(f"| sample | stability of the ranking |{' gap | topic oracle’s AUC | left out |' if paired else ''}")
    print("|---|---|" + ("---|---|---|" if paired else ""))
    metric = METRICS[task][-1]
    for sample, group in tables.items():
        if not group:
            continue
        stable = [stability_interval(np.vstack([each.by_fold(metric) for each in ranked]))[0] for ranked in group]
        cells = [f"{np.mean(stable):.3f}" + (f" ({min(stable):.3f} to {max(stable):.3f})" if len(stable) > 1 else "")]
        if paired:
            known = [mean_baselines(ranked[0].evaluation, ranked[0].setup.corpus) for ranked in group]
            cells += [_range([each.gap for each in known]), _range([each.topic_oracle_auc for each in known])]
            cells.append(", ".join(sorted({f"{each.left_out:,}" for each in known})))
        print(f"| {sample} | {' | '.join(cells)} |")
    print()


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.3f}" if len(values) == 1 else f"{min(values):.3f}–{max(values):.3f}"


def models_of(name: str, task: str) -> tuple[str, ...]:
    """The models run on a corpus: without SBERT vectors there is no cosine of them, and 200 authors are too many for maximum
    entropy here."""
    left_out = {"newsgroups": ("max_ent", "sbert_cosine")}.get(name, ())
    return tuple(model for model in MODELS[task] if model not in left_out)
