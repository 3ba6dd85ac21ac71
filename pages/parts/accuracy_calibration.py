"""Folds & accuracy: whether a verifier's answers mean what they say."""

import streamlit as st

from core.evaluation import TASKS, reliability
from core.models.verification import CALIBRATIONS
from core.plots import accuracy_detail as plots
from pages.shared import show
from pages.shared.controls import IN_URL
from pages.shared.public import of_runs
from pages.shared.run_controls import ChosenRun


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
