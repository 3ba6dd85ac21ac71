"""The controls of a run of models: one choice that Folds & accuracy, Significance and Trust lab share."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.corpora import Corpus
from core.evaluation import quickest_run
from core.questions import RunSettings, choices_of, model_help, sample_and_folds
from core.splits import FOLD_SCHEMES
from core.study import Study
from pages.shared import history, runs, widgets
from pages.shared.links import RUN, forget_ranges, own_key
from pages.shared.public import is_public
from pages.shared.split_controls import choose_balance, choose_wishes
from pages.shared.stores import result_store, ship

KEPT = "run_kept"  # in the session: what was chosen last, for the next page that asks
KEPT_ON = "kept_run_page"  # the page on which that was


def ask_run(study: Study, *, asks_metric: bool = True) -> RunSettings:
    """Draw the controls of a run and return what is chosen; a choice made on one page holds on the others."""
    _restore()
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    places = {"task": row.container(width="content"), "scheme": row.container(width=200), "k": row.container(width=150)}
    if asks_metric:
        places["metric"] = row.container(width="content")
    more = row.popover("More", icon=":material/tune:", help="Models, topics, pairs, calibration and seed")
    names = [name for name in RunSettings.controls() if asks_metric or name != "metric"]
    places |= {name: more.container() for name in names if name not in places}
    settings = widgets.ask(RunSettings, study, question=RUN, places=places, only=tuple(names))
    if FOLD_SCHEMES[settings.scheme].needs_space:
        corpus = sample_and_folds(study, settings.but(scheme="topic-kfold"))[0].corpus
        balance = choose_balance(more.container(), RUN, corpus, settings.k)
        settings = settings.but(wishes=choose_wishes(more.container(), RUN, corpus, balance))
    more.caption(model_help(study, settings.task))
    _keep()
    return _with_shipped(study, settings)


def _restore() -> None:
    """Put back what another page chose.

    Streamlit forgets the controls of a page that is left, and on the next page has their values for one run, unused.
    """
    state, page = st.session_state, st.session_state.get(history.NOW)
    moved = state.get(KEPT_ON) != page
    state[KEPT_ON] = page
    for key, value in state.get(KEPT, {}).items():
        if value is not None and key not in st.query_params and (moved or key not in state):
            state[key] = value


def _keep() -> None:
    started = own_key(RUN, runs.BEGIN)  # a button's mark, for one run only
    st.session_state[KEPT] = {
        key: value
        for key, value in st.session_state.items()
        if str(key).startswith(f"{RUN}_") and key not in (KEPT, started)
    }


def forget_run() -> None:
    """Forget what was chosen, before a page is opened with a run of its own."""
    st.session_state.pop(KEPT, None)
    forget_ranges(RUN)


def _with_shipped(study: Study, settings: RunSettings) -> RunSettings:
    """Add the slow models whose answers to this run ship with the bundled corpus, where no model was chosen by hand."""
    if st.session_state.get(own_key(RUN, f"models_{settings.task}")) or not is_public(study.corpus):
        return settings
    slow = [name for name in study.models(settings.task, by_choice=True) if name not in settings.models]
    job = sample_and_folds(study, settings)
    choices = choices_of(settings) | {"vectors_key": study.vectors.encoder_key}
    del choices["models"]
    kept = [name for name in slow if ship(job, [name], **choices)]
    return settings.but(models=(*settings.models, *kept))


def offered(study: Study, settings: RunSettings) -> Callable[[], bool] | None:
    """Return what draws the quickest sensible run with its button; None where the visitor has chosen a run."""
    if any(key.startswith(f"{RUN}_") for key in st.query_params):
        return None
    corpus: Corpus = study.corpus
    choices: dict[str, Any] = choices_of(settings) | {"vectors_key": study.vectors.encoder_key}

    def draw() -> bool:
        found = quickest_run(corpus, results=result_store(public=is_public(corpus)), **choices)
        return found is not None and runs.offer_run(found, settings.task, page=RUN)

    return draw
