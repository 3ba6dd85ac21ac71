"""Text categorization with several topics a document: classifiers on a corpus with a fixed split, compared, beside 1999."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.corpora.readers import File
from core.formats import p_value
from core.models.categorization import CATEGORIZERS, COMPARED
from core.plots import significance as plots
from core.statistics import Significance
from core.studies import (
    PUBLISHED,
    Categorization,
    categorize_file,
    is_aptemod,
    published_p_tests,
)
from pages.parts.significance import show_pairs
from pages.shared import result_cache, show, work
from pages.shared.controls import IN_URL
from pages.shared.history import file_key
from pages.shared.show import conclude

LABELS = {name: kind.label for name, kind in CATEGORIZERS.items()}
MEASURES = {"miR": "recall", "miP": "precision", "error": "error"}
MIRROR = {"»": "«", ">": "<", "~": "~", "<": ">", "«": "»"}
ABOUT_1999 = "1999: Yang & Liu on Reuters-21578 (ApteMod, 90 categories)."


def categorization(answer: DeltaGenerator) -> None:
    """Upload, run when asked, read the tables."""
    st.markdown(
        "Yang and Liu's classifiers on a corpus with several topics a document: columns `text`, `topics` (a list, or joined by "
        "| ; or ,) and `split` (train/test). Thresholds are tuned on training documents only."
    )
    file = st.file_uploader("A multi-label corpus", type=["csv", "tsv", "jsonl", "parquet"], key="labelled_file")
    models = st.multiselect(
        "Models", list(LABELS), list(COMPARED), format_func=LABELS.__getitem__, key="categorizers", bind=IN_URL
    )
    slow = [LABELS[name] for name in models if CATEGORIZERS[name].slow]
    if slow:
        st.caption(
            f"{' and '.join(slow)}: slower than the rest. Kernel machines hold a number for every pair of training documents (8,000: half a "
            "gigabyte; more than about 16,000 are refused); on Reuters each takes about 10 seconds."
        )
    content = file_key("categorizations", file)
    if content is None or not models:
        _published()
        return
    found = _found(file, content[0], models)
    if found is None and file is None:
        _published()
    elif file is None:
        st.caption(f"Of {show.escaped(content[1])}, loaded before; load it again to run other models.")
    if found is not None:
        with answer:
            conclude(found.conclusion(LABELS))
        _show(found)


def _found(file: UploadedFile | None, content: str, models: list[str]) -> Categorization | None:
    """What the models do on the file, asked for where it is loaded, or what they did when it was."""
    key = (content, tuple(models))
    if file is None:
        kept: Categorization | None = result_cache.of_a_file("categorizations", key)
        return kept
    return work.result(
        "categorizations",
        key,
        work.step(
            categorize_file,
            File(file.name, file.getvalue()),
            models=models,
            say=lambda done, total, name, left: LABELS.get(name, ""),
        ),
        name="Text categorization",
        question=work.Question("Run them", key="run_categorizers"),
    )


def _show(record: Categorization) -> None:
    theirs_too = is_aptemod(record.test, len(record.categories))
    st.markdown(
        f"{record.training:,} training and {record.test:,} test documents, {len(record.categories):,} categories, "
        f"{record.words:,} words."
    )
    rows = [
        {
            "model": LABELS[name],
            "micro recall": system.effectiveness.micro_recall,
            "micro precision": system.effectiveness.micro_precision,
            "micro F1": system.effectiveness.micro_f1,
            "macro F1": system.effectiveness.macro_f1,
            "error": system.effectiveness.error,
        }
        | (_beside(name) if theirs_too else {})
        | {"CPU seconds": system.seconds}
        for name, system in record.systems.items()
    ]
    show.table(
        rows,
        precision=4,
        formats={"CPU seconds": "{:.1f}", "error": "{:.5f}"},
        alt="Effectiveness of every model",
        csv=show.Csv("Models as CSV", "categorization.csv", "cat_csv"),
    )
    if not theirs_too:
        _published()
    st.markdown("**F1 against how often a category occurs in training**")
    rare = st.toggle("Only categories with up to 60 training documents", key="rare", bind=IN_URL)
    show.figure(
        plots.f1_by_frequency(record.curve(highest=60 if rare else None), LABELS),
        key="frequency",
        alt="F1 against the number of training documents of a category",
    )
    labelled = [replace(pair, a=LABELS[pair.a], b=LABELS[pair.b]) for pair in record.pairs]
    show_pairs(
        labelled,
        [LABELS[name] for name in record.systems],
        what="Decisions (s) and per-category F1 (S, T, T′)",
    )
    if len(record.systems) > 1:
        _p_tests(record)
    show.notes(f"{LABELS[name]}: {note}" for name, system in record.systems.items() for note in system.notes)
    show.notes(record.notes)


def _beside(name: str) -> dict[str, float | None]:
    """The paper's numbers of one model; None where it names none."""
    theirs = PUBLISHED.get(name)
    return {
        "micro F1, 1999": theirs.micro_f1 if theirs else None,
        "macro F1, 1999": theirs.macro_f1 if theirs else None,
        "error, 1999": theirs.error if theirs else None,
    }


def _p_tests(record: Categorization) -> None:
    """Their Table 3: recall, precision and error of every pair as proportions."""
    st.markdown("**Proportions (p)**: recall, precision and error of every pair, as in Yang and Liu's Table 3")
    theirs = published_p_tests() if is_aptemod(record.test, len(record.categories)) else {}
    rows = []
    for pair in record.measure_pairs:
        row: dict[str, object] = {"A": LABELS[pair.a], "B": LABELS[pair.b]}
        for measure, label in MEASURES.items():
            row[label] = pair.tests[measure].verdict or "–"
            row[f"p {label} (Holm)"] = p_value(pair.adjusted[measure])
        if theirs:
            row |= {f"{label}, 1999": sign_in_1999(theirs, pair.a, pair.b, name) for name, label in MEASURES.items()}
        rows.append(row)
    show.table(
        rows,
        alt="Proportion tests of recall, precision and error for every pair",
        csv=show.Csv("p-tests as CSV", "p_tests.csv", "p_tests_csv"),
    )
    st.caption(
        "» A is better at p ≤ .01, > at .05, one-sided and pair by pair as in the paper; beside it p after Holm's correction over the pairs. "
        "n is the number of true members for recall, of assigned ones for precision, of document × category decisions for "
        "error. Decisions are taken for independent, which those of one document are not: trust the tests over categories where "
        "they disagree."
        + (
            f" {ABOUT_1999} Its signs are worked out from its Table 1, because the scan of its Table 3 lost most of them."
            if theirs
            else ""
        )
    )


def sign_in_1999(theirs: Mapping[tuple[str, str], Mapping[str, Significance]], a: str, b: str, measure: str) -> str:
    """The paper's sign for this pair, whichever came first there; a dash where it compares no such pair."""
    if (a, b) in theirs:
        return theirs[a, b][measure].verdict or "–"
    if (b, a) in theirs:
        return MIRROR.get(theirs[b, a][measure].verdict or "", "–")
    return "–"


def _published() -> None:
    """The paper's tables by themselves."""
    with st.expander("What Yang and Liu published", icon=":material/history_edu:"):
        rows = [
            {
                "model": LABELS[name],
                "micro recall": scores.micro_recall,
                "micro precision": scores.micro_precision,
                "micro F1": scores.micro_f1,
                "macro F1": scores.macro_f1,
                "error": scores.error,
            }
            for name, scores in PUBLISHED.items()
        ]
        show.table(
            rows,
            precision=4,
            formats={"error": "{:.5f}"},
            alt="The paper's Table 1",
            csv=show.Csv("Table 1 as CSV", "yang_liu_1999_table_1.csv"),
        )
        st.caption(
            f"{ABOUT_1999} Table 1, and the micro F1 of kNN with one label a document (§5.2). Of other kernels they say that the linear machine "
            "was slightly better, of 16 and 160 hidden units that 64 were best on held-out training documents."
        )
        signs = [
            {"A": LABELS[a], "B": LABELS[b]} | {label: tests[name].verdict or "–" for name, label in MEASURES.items()}
            for (a, b), tests in published_p_tests().items()
        ]
        show.table(
            signs,
            alt="The paper's Table 3, worked out from its Table 1",
            csv=show.Csv("Table 3 as CSV", "yang_liu_1999_table_3.csv"),
        )
        st.caption(
            "Table 3 (p-tests) worked out from Table 1, because the scan lost most of its signs; what the text says of it agrees. What "
            "these models do on Reuters here is in docs/categorization.md."
        )
