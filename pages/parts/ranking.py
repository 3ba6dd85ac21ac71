"""The parts of the Ranking page: who wins, ranks fold by fold, their stability, HITS against random."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core.formats import interval, number, p_value, share
from core.plots import ranking as plots
from core.statistics import (
    Lead,
    compare_setups,
    lead,
    placebo_counts,
    rank_among,
    rank_models,
    ranking_conclusion,
    stability_interval,
)
from pages.parts.ranking_scores import SetupScores
from pages.shared import show
from pages.shared.baselines import baseline_table, say_skipped
from pages.shared.show import conclude

LEVEL = 0.05


def headline(scores: SetupScores, *, meaningful: bool) -> None:
    """Who wins, if anybody does, and how well folds and samples agree."""
    metric = scores.metrics[scores.metric]
    conclude(ranking_conclusion(scores.values[scores.metric], scores.models, metric=metric, meaningful=meaningful))


def show_baselines(scores: SetupScores) -> None:
    """What scores of each setup must be held against, and folds that could not be run."""
    baseline_table(dict(zip(scores.setups, scores.runs, strict=True)))
    for name, (evaluation, _) in zip(scores.setups, scores.runs, strict=True):
        say_skipped(evaluation, setup=name)


def show_ranks(scores: SetupScores) -> None:
    """How stable the ranking is, the rank of each model in each fold, and what that comes to."""
    tables = scores.values[scores.metric]
    rankings = {name: rank_models(table) for name, table in zip(scores.setups, tables, strict=True)}
    hits, pooled = rankings[scores.setups[0]], rank_models(np.concatenate(tables[1:], axis=1))
    ahead = lead(hits)
    missing = [
        f"{name} {unranked} of {ranking.ranks.shape[1]}"
        for name, ranking in rankings.items()
        if (unranked := int(np.isnan(ranking.ranks).all(axis=0).sum()))
    ]
    if missing:
        show.warn(
            f"Folds that could not be run, and rank nothing: {', '.join(missing)}. Why is said below, under “What the scores stand beside”."
        )
    st.markdown("**Rank of each model in each fold** (1 is best)")
    show.figure(plots.ranks(rankings, scores.models), key="ranks")
    if any((np.isnan(ranking.ranks) & ~np.isnan(ranking.ranks).all(axis=0)).any() for ranking in rankings.values()):
        st.caption(
            f"Blank: {scores.metrics[scores.metric]} cannot be computed of a model there, as F1 where it calls no pair the same "
            "author's and decides none that is; its mean rank leaves the fold out."
        )
    _show_cards(scores, ahead)
    ranked = {
        "model": scores.models,
        "mean rank, HITS": hits.mean,
        "sd, HITS": hits.sd,
        "95 % under HITS, from": ahead.low,
        "to": ahead.high,
        "mean rank, all random samples": pooled.mean,
        "sd, all random samples": pooled.sd,
    }
    show.table(
        pd.DataFrame(ranked),
        precision=1,
        alt="Mean rank of each model",
        csv=show.Csv("Mean ranks as CSV", "mean_ranks.csv", "ranks_csv"),
    )


def show_stability(scores: SetupScores) -> None:
    """The stability of the ranking by every metric."""
    rows = []
    for name, label in scores.metrics.items():
        (mean, low, high), *random = (stability_interval(table) for table in scores.values[name])
        rows.append(
            {"metric": label, "HITS": mean, "95 % from": low, "to": high, "random, mean": _mean(random)}
            | {setup: each[0] for setup, each in zip(scores.setups[1:], random, strict=True)}
        )
    show.table(
        rows,
        precision=3,
        alt="Stability per metric and setup",
        csv=show.Csv("Stability as CSV", "stability.csv", "stability_csv"),
    )


def _show_cards(scores: SetupScores, ahead: Lead) -> None:
    """Stability under HITS and on random samples, and who leads where somebody does."""
    (mean, low, high), *random = (stability_interval(table) for table in scores.values[scores.metric])
    known = [each[0] for each in random if np.isfinite(each[0])]
    spread = f"{min(known):.3f} to {max(known):.3f} over {len(known)} samples" if known else "no sample ranks"
    cards = st.grid(3, min_column_width=150)
    about = "Mean Spearman ρ between the rankings of two folds; the interval is a jackknife over folds, too narrow if anything."
    show.card(cards, "Stability under HITS", number(mean), f"95 %: {interval(low, high)}", help=about)
    show.card(cards, "Stability, mean of random samples", number(_mean(random)), spread)
    names = [scores.models[index] for index in ahead.models]
    close = f"{len(names)} of {len(scores.models)} models" if names else "nothing could be ranked"
    close = "no rival's interval reaches it" if len(names) == 1 else close
    show.card(
        cards,
        "Best mean rank under HITS",
        names[0] if len(names) == 1 else "Too close to call" if names else "–",
        close,
        help="One model is named where no other's interval of the mean rank overlaps its own and it is ahead in so many folds "
        "that chance would seldom give it (6 of 6, 8 of 9); with fewer than six folds none is.",
    )


def _mean(found: Sequence[tuple[float, float, float]]) -> float:
    """The mean stability of those samples that have one."""
    known = [each[0] for each in found if np.isfinite(each[0])]
    return float(np.mean(known)) if known else np.nan


def hits_against_random(scores: SetupScores) -> None:
    """Every model's scores under HITS against those on the random samples."""
    keys = [(index, name) for index in range(len(scores.models)) for name in scores.metrics]
    samples = {key: [table[key[0]] for table in scores.values[key[1]]] for key in keys}
    compared = compare_setups(
        {key: hits for key, (hits, *_) in samples.items()},
        {key: np.concatenate(random) for key, (_, *random) in samples.items()},
    )
    rows = []
    for (index, name), result in compared.items():
        hits, *random = (
            float(np.nanmean(each)) if np.isfinite(each).any() else np.nan for each in samples[index, name]
        )
        random_folds = samples[index, name][1:]
        called, judged = placebo_counts(random_folds)
        rows.append(
            {
                "model": scores.models[index],
                "metric": scores.metrics[name],
                "HITS": result.mean_a,
                "random": result.mean_b,
                "difference": result.difference,
                "HITS among the samples": rank_among(hits, random).sentence,
                "t": result.statistic,
                "p (Holm)": result.adjusted,
                "random samples called different": called if judged else None,
                "of": judged,
            }
        )
    show.table(
        rows,
        precision=3,
        formats={"p (Holm)": p_value, "random samples called different": "{:.0f}"},
        alt="HITS against random per model and metric",
        csv=show.Csv("Comparison as CSV", "hits_against_random.csv"),
    )
    called, judged = placebo_counts(scores.values[scores.metric][1:], alpha=LEVEL)
    known = (
        f" Here, by {scores.metrics[scores.metric]} and without the correction, it calls {called} of {judged} random samples "
        f"({share(called / judged)}) different from the other samples, where 5 % would be right."
        if judged
        else ""
    )
    least = 1 / (len(scores.setups))
    st.caption(
        "Every fold counts alike in these means, as in the paper; those of Folds & accuracy weigh folds by their documents. "
        f"HITS among the samples needs no assumption, but beside {len(scores.setups) - 1} of them chance alone puts HITS lowest "
        f"{share(least)} of the time. *t* and *p* are the paper's: an unpaired t-test over folds, here with Holm's correction over "
        "the rows of this table. Folds share documents, so it finds differences where there are none more often than it "
        f"promises.{known}"
    )
