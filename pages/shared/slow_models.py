"""Models that train for minutes per fold: offered on fewer samples where their answers are kept for those."""

from typing import Any

import streamlit as st

from core.formats import listed
from core.questions import SampledRuns, sampled_jobs, samples_kept, slow_models
from core.study import Study
from pages.shared.controls import assign

FEWEST_SAMPLES = 2


def offer_slow_models(study: Study, runs: SampledRuns, settings: Any, *, samples_key: str) -> None:
    """Offer the slow models on as many random samples as their answers are kept for, unless models were chosen."""
    task = runs.evaluations[0].task
    slow = {name: label for name, label in slow_models(study, task).items() if name not in runs.models}
    if not slow or settings.models:
        return
    kept = samples_kept(
        study,
        sampled_jobs(study, m=settings.m, k=settings.k, samples=settings.samples),
        task=task,
        seed=0,
        pairing=settings.pairs,
        calibration=settings.calibration,
    )
    if kept < FEWEST_SAMPLES:
        return
    names = listed(list(slow.values()))
    st.caption(
        f"{names} train for minutes per fold. Their answers are ready for HITS and {kept} random samples, not for {settings.samples}."
    )
    st.button(f"Add {names}, with {kept} random samples", on_click=assign, args=({samples_key: kept},))
