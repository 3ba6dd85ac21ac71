"""Below the charts of Folds & accuracy: each model's numbers, what fits chose, calibration, and ordinary folds beside novel ones."""

from collections.abc import Mapping, Sequence
from math import isnan

import pandas as pd
import streamlit as st

from core.evaluation import TASKS, ExposedTopic, adjusted_p, fold_scores, reliability, summarise
from core.formats import number
from core.models.verification import CALIBRATIONS
from core.plots import accuracy_detail as plots
from core.statistics import AdjustedSlope, Relation, WeightedSummary, worth_said
from pages.parts.accuracy_novel import novel_tables
from pages.shared import show, state
from pages.shared.baselines import baseline_table, say_skipped
from pages.shared.controls import IN_URL
from pages.shared.public import of_runs
from pages.shared.run_controls import ChosenRun
from pages.shared.runs import evaluations_or_stop


def cards(run: ChosenRun, summary: Mapping[str, WeightedSummary], found: Mapping[str, Relation]) -> None:
    """Each model's mean, over how many folds it is, and how it goes with similarity."""
    row = st.grid(len(run.models), min_column_width=150)
    adjusted = adjusted_p(found)
    for name, label in run.models.items():
        relation = f"ρ {number(found[name].rho, '+.2f')}, p {number(adjusted[name])}"
        show.card(
            row,
            f"{label}: {run.metric_label}",
            number(summary[name].mean),
            f"{summary[name].n} of {len(run.folds)} folds · {relation}",
            help="Mean over the folds that could be scored, weighted by documents; and the rank correlation, over test topics, "
            "of the score with the similarity of the nearest training topic, its p corrected for the number of models.",
        )


def model_table(
    run: ChosenRun,
    summary: Mapping[str, WeightedSummary],
    found: Mapping[str, Relation],
    slopes: Mapping[str, AdjustedSlope],
) -> None:
    """Each model's mean with its error, its rank correlation, and what similarity is worth once authors are taken out."""
    adjusted, drawn = adjusted_p(found), any(each.line for each in found.values())
    models = [
        {"model": label, run.metric_label: summary[name].mean}
        | _errors(summary[name], len(run.folds))
        | {
            "0.1 of similarity is worth": worth_said(slopes[name]),
            "ρ": found[name].rho,
            "ρ, 95 %": "–" if isnan(found[name].low) else f"{found[name].low:+.2f} to {found[name].high:+.2f}",
            "p (Holm)": adjusted[name],
            "topics": found[name].n,
        }
        for name, label in run.models.items()
    ]
    show.table(
        models,
        precision=3,
        absent="–",
        formats={"count as": "{:.1f}"},
        alt="Mean score, its error and rank correlation per model",
        csv=show.Csv("Models and scores as CSV", "model_scores.csv"),
    )
    st.caption(
        "se: σ√V2 over folds, which count as so many of equal size; beside it the σ/√n of Schein et al. What 0.1 of similarity "
        "is worth: percentage points of right answers, authors taken out, with a 95 % interval over test topics; where authors "
        "keep to few topics it is too flat. ρ: rank correlation of score and similarity, with an interval for each model by itself "
        "(p is corrected for their number)"
        + ("; the dotted lines above are the regression of ranks and rise or fall with it." * drawn or ".")
    )


def _errors(summary: WeightedSummary, folds: int, side: str = "") -> dict[str, object]:
    """Deviation and errors of a mean over folds, as columns."""
    return {
        f"{side}folds": f"{summary.n} of {folds}",
        f"{side}count as": summary.effective,
        f"{side}sd": summary.sd,
        f"{side}se": summary.se,
        f"{side}se, Schein": summary.paper_se,
    }


def topics_file(run: ChosenRun, rows: Sequence[ExposedTopic]) -> None:
    """The test topics with their scores as a file."""
    names = run.setup.corpus.topic_names
    topics = [
        {
            "fold": row.fold + 1,
            "topic": names[row.topic],
            "documents": row.documents,
            "largest_author_share": row.largest_author_share,
            "nearest_training_topic": names[row.nearest[0]] if row.nearest else "",
            "similarity": row.nearest_similarity,
        }
        | {label: row.values[name] for name, label in run.models.items()}
        for row in rows
    ]
    show.download(pd.DataFrame(topics), show.Csv("Topics and scores as CSV", "topic_scores.csv"))


def fit_notes(run: ChosenRun) -> None:
    """What every fit chose: thresholds, masked words, features."""
    with st.expander("What each fit chose", icon=":material/settings:"):
        show.table(
            [
                {"model": run.models[each.model], "fold": each.fold + 1, "notes": " ".join(each.notes)}
                for each in run.evaluation.runs
            ],
            column_config={"notes": st.column_config.TextColumn(width="large")},
            alt="Settings each model chose in each fold",
            csv=show.Csv("What each fit chose as CSV", "fits.csv"),
        )


def ordinary_beside_novel(run: ChosenRun, *, vectors_key: str) -> None:
    """Scores on unseen topics beside ordinary cross-validation of the same documents, when asked for."""
    evaluation, setup, label = run.evaluation, run.setup, run.metric_label
    if evaluation.folds.scheme == "kfold":
        return
    with show.expander("Beside ordinary cross-validation", toggle="ordinary", icon=":material/compare:"):
        st.markdown(
            "Ordinary folds have every topic on both sides. The training sets differ, so the two columns are not one test: "
            "read the gap as a hint at how much is known topic, not as a measured effect."
        )
        if not st.toggle("Compute it", key="ordinary", bind=IN_URL):
            return
        folds, _ = state.folds_or_stop(setup, "kfold", min(10, max(2, len(evaluation.folds))), run.seed)
        (ordinary,) = evaluations_or_stop(
            [(setup, folds)],
            page="accuracy",
            task=evaluation.task,
            models=evaluation.models,
            seed=run.seed,
            vectors_key=vectors_key,
            pairing=evaluation.pairing,
            calibration=evaluation.calibration,
        )
        say_skipped(ordinary, setup="Ordinary folds")
        novel, usual = (summarise(fold_scores(each, setup.corpus), run.metric) for each in (evaluation, ordinary))
        rows = [
            {"model": run.models[name], f"{label}, unseen topics": novel[name].mean}
            | _errors(novel[name], len(evaluation.folds), "unseen: ")
            | {f"{label}, ordinary folds": usual[name].mean}
            | _errors(usual[name], len(folds), "ordinary: ")
            | {"gap": usual[name].mean - novel[name].mean}
            for name in run.models
        ]
        show.table(
            rows,
            precision=3,
            absent="–",
            alt="Scores on unseen topics beside ordinary cross-validation",
            csv=show.Csv("Unseen beside ordinary as CSV", "unseen_beside_ordinary.csv"),
        )
        sides = {"unseen topics": evaluation, "ordinary folds": ordinary}
        baseline_table({name: (each, setup.corpus) for name, each in sides.items()})
        novel_tables(run, ordinary)


def calibration(run: ChosenRun) -> None:
    """The reliability diagram of one model and every model's calibration error, for runs that ask about pairs."""
    evaluation = run.evaluation
    if not TASKS[evaluation.task].asks_pairs:
        return
    found = of_runs(
        run.setup.corpus,
        [evaluation],
        "reliability",
        lambda: {label: reliability(evaluation, name) for name, label in run.models.items()},
    )
    chosen = CALIBRATIONS[evaluation.calibration].label
    with st.expander(f"Do the answers mean what they say? Calibration: {chosen}", icon=":material/balance:"):
        drawn = st.selectbox("Model", list(found), key="calibrated_model", bind=IN_URL)
        st.markdown(show.literal(found[drawn].sentence(drawn)))
        show.figure(
            plots.reliability_diagram(found, drawn=drawn),
            key="reliability",
            alt=f"Share of pairs by one author against the answer {drawn} gave, and how many answers there are",
        )
        st.caption(
            "A mark: the answers of a tenth of the scale, at their mean, and the share of those pairs that one author wrote, with "
            "its 95 % interval (Wilson's, as if pairs were independent; they share texts, so it is too narrow). Below: how many "
            "pairs were answered so. On the dashed line answers mean what they say. Other calibrations: under “More”."
        )
        show.table(
            [
                {
                    "model": label,
                    "ECE": each.ece,
                    "ECE if exact": each.chance,
                    "1 in 20 above": each.chance_high,
                    "answered": each.answered,
                    "no answer": each.unanswered,
                }
                for label, each in found.items()
            ],
            precision=3,
            formats={"answered": "{:,}", "no answer": "{:,}"},
            alt="Expected calibration error per model",
            csv=show.Csv("Calibration as CSV", "calibration.csv", "calibration_csv"),
        )
        st.caption(
            "ECE: expected calibration error, the mean distance of marks from the line, weighted by answers. It is never below 0, and "
            "few pairs raise it: beside it stands what exact probabilities would come to. Pairs without an answer are left out."
        )
