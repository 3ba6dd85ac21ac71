"""Every page in the states that a project must bring back. Run by itself, it is the other process: it loads the corpus, opens the
project, visits every page and writes what each shows; whatever the project holds may not be computed there."""

import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.shared.history import SHARED
from tests.pages.opened import press, run_models, upload

# Drawn anew for every file that is offered, and for every table that is styled.
HANDLE = re.compile(r'\w*(?:file_id|url|uuid): "[^"]*"|T_[0-9a-f]{5}')
ASKED = ("FileUploader", "Slider", "Selectbox")  # what they hold is compared by value
SWAPPED = {"accuracy_view": "twin swapped out", "accuracy_models_attribution": "TopicFit", "accuracy_draws": "1"}
GROUPS = {"view": "simulated groups", "trials": "100", "instances": "50"}


@dataclass(frozen=True)
class State:
    """A page as an address opens it, and the buttons that are pressed there."""

    page: str
    query: dict[str, str] = field(default_factory=dict)
    pressed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.page} {self.query}"


# The last of a page is what comes back by itself; the others come back where their address is opened.
STATES = (
    State("overview", {"k": "3", "compare_with": "another encoder", "compare_encoder": "NMF"}),
    State("corpus", {}, ("Look for near duplicates", "Find topics")),
    State("topic_map", {"a": "topic 1", "b": "topic 3", "layout": "PCA"}),
    State("hits", {"m": "3", "policy": "grouping", "experiment": "closest train/test pairs"}),
    State("hits", {"m": "3", "policy": "grouping", "experiment": "cutting, hybrid, grouping"}, ("Run it",)),
    State("design", {"design_k": "2", "design_balance": "50"}),
    State("split", {"split_mend": "true"}),
    State("accuracy", {**SWAPPED, "swap_read": "topic 1"}),
    State("accuracy", SWAPPED | {"accuracy_dial": "true", "accuracy_sources": "true", "accuracy_samples": "2"}),
    State("accuracy", {"accuracy_view": "all together", "accuracy_k": "2", "accuracy_seed": "1"}),
    State("accuracy", {"accuracy_view": "topic by topic", "accuracy_k": "2", "accuracy_seed": "1"}),
    State("ranking", {"ranking_models_attribution": "TopicFit", "samples": "2"}),
    State("shortcut", {}, ("Build it",)),
    State("significance", {"significance_compare": "a table of your own"}),
    State("significance", {"significance_compare": "text categorization", "categorizers": "NB"}),
    State("significance", {"significance_compare": "models run here", "significance_k": "2"}),
    State("trust", {"view": "networks", "net_source": "your own"}, ("Resample",)),
    State("trust", {"view": "networks", "net_source": "made networks"}),
    State("trust", {"view": "three theorems"}),
    State("trust", GROUPS),
    State("lesson", {"step": "2"}),
    State("lesson", {"step": "4"}),
    State("lesson", {"step": "Summary"}),
    State("methods"),
)


def visit(app: AppTest, page: str, **query: str) -> AppTest:
    """Go to a page as a browser does: the controls of the page that is left are forgotten, here and in the address."""
    app.switch_page("pages/methods.py").run()
    for name in [name for name in app.query_params if name not in SHARED]:
        del app.query_params[name]
        if name in app.session_state:
            del app.session_state[name]
    app.query_params.update(query)
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, (page, query, app.exception)
    return app


def elements(app: AppTest) -> list[str]:
    """All that the page shows, as it is sent to the browser, without the sidebar."""
    chosen = [*app.main.slider, *app.main.selectbox, *app.main.multiselect, *app.main.number_input, *app.main.toggle]
    found = [f"{each.key}: {each.value}" for each in chosen]
    for element in app.main:
        proto = getattr(element, "proto", None)
        if proto is not None and type(proto).__name__ not in ASKED:
            found.append(HANDLE.sub("", str(proto)))
    return found


def shown(app: AppTest, page: str, **query: str) -> list[str]:
    return elements(run_models(visit(app, page, **query)))


def opened(app: AppTest, project: bytes, *, results: bool = True) -> AppTest:
    visit(app, "corpus")
    uploader = next(each for each in app.file_uploader if (each.key or "").startswith("project_file"))
    uploader.set_value(
        [("p.zip", project, "application/zip")]
        if uploader.proto.multiple_files
        else ("p.zip", project, "application/zip")
    ).run()
    assert not app.exception, app.exception
    if not results:
        app.checkbox(key="project_results").uncheck().run()
    if any(button.label == "Open this project" for button in app.button):
        press(app, "Open this project")
    return app


def _computes(*arguments: object, **keywords: object) -> None:
    raise AssertionError(f"computed, where the project has it: {arguments}")


def forbid_computing() -> None:
    """Whatever a project holds must come from it."""
    import core.evaluation.run
    from core.report import SAVED
    from core.vectors.words import Lsa, Nmf
    from pages.shared import work

    ask = work._ask

    def checked(scope: str, kind: str, *arguments: object, **keywords: object) -> None:
        assert kind not in SAVED, f"computed, where the project has it: {kind}"
        ask(scope, kind, *arguments, **keywords)  # type: ignore[arg-type]

    work._ask = checked  # type: ignore[assignment]
    core.evaluation.run._one_run = _computes  # type: ignore[assignment]
    Lsa.batches = Nmf.batches = _computes  # type: ignore[assignment,method-assign]


def main(folder: Path) -> None:
    """Load copy.csv, open project.zip, write what every page shows."""
    app = press(upload(("copy.csv", (folder / "copy.csv").read_bytes())), "Use this corpus")
    opened(app, (folder / "project.zip").read_bytes())
    forbid_computing()
    last = {state.page: state for state in STATES}
    found = {state.name: shown(app, state.page) for state in last.values()}
    for state in STATES:
        if state.name not in found:
            found[state.name] = shown(app, state.page, **state.query)
    said = [each.value for each in app.sidebar.caption]
    (folder / "after.json").write_text(json.dumps({"pages": found, "sidebar": said}), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
