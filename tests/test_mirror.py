"""Tests mirror core/ and pages/ as folders: a module has a test file of its own name, or a line here that says which."""

from pathlib import Path

import pytest

from tests.conftest import ROOT

# Module (without .py) or, ending in /, all modules of a folder that have no test file of their own name.
ELSEWHERE = {
    "core/__main__": "tests/core/cli/test_main.py",
    "core/arrays": "tests/core/test_arrays.py",
    "core/errors": "tests/core/cli/test_refusals.py",
    "core/evaluation/keys": "tests/core/evaluation/test_resume.py",
    "core/progress": "tests/core/vectors/test_embed.py",
    "core/cli/": "tests/core/cli/test_commands.py",
    "core/engine/job": "tests/core/engine/test_jobs.py",
    "core/corpora/advice": "tests/core/corpora/test_audit.py",
    "core/corpora/cleaning_steps": "tests/core/corpora/test_cleaning.py",
    "core/corpora/duplicates": "tests/core/corpora/test_audit.py",
    "core/corpora/findings": "tests/core/corpora/test_audit.py",
    "core/corpora/labels": "tests/core/corpora/test_corpus.py",
    "core/corpora/one_topic": "tests/core/corpora/test_topic_lists.py",
    "core/corpora/selection": "tests/core/corpora/test_corpus.py",
    "core/corpora/readers/": "tests/core/corpora/readers/test_formats.py",
    "core/models/attribution/": "tests/core/models/attribution/test_contract.py",
    "core/models/categorization/": "tests/core/studies/test_categorization.py",
    "core/models/contract": "tests/core/models/verification/test_contract.py",
    "core/models/verification/": "tests/core/models/verification/test_contract.py",
    "core/plots/": "tests/core/plots/test_figures.py",
    "core/report/": "tests/core/report/test_build.py",
    "core/splits/hits_instead": "tests/core/splits/test_audit.py",
    "core/splits/components": "tests/core/splits/test_least_leakage.py",
    "core/splits/least_nearest": "tests/core/splits/test_least_leakage.py",
    "core/splits/packing": "tests/core/splits/test_least_leakage.py",
    "core/splits/topic_authors": "tests/core/splits/test_least_leakage.py",
    "core/studies/lesson/": "tests/core/studies/lesson/test_steps.py",
    "core/studies/raven/": "tests/core/studies/raven/test_write.py",
    "core/studies/shortcut_results": "tests/core/studies/test_shortcut.py",
    "core/topics/independent": "tests/core/topics/test_least_maximum.py",
    "core/topics/suggestion": "tests/core/topics/test_verdict.py",
    "core/vectors/": "tests/core/vectors/test_encoders.py",
    "core/vectors/database": "tests/core/vectors/test_store.py",
    "pages/parts/": "tests/pages/test_pages.py",
    "pages/shared/": "tests/pages/test_pages.py",
}
MODULES = sorted(
    file.relative_to(ROOT).with_suffix("").as_posix()
    for folder in ("core", "pages")
    for file in (ROOT / folder).rglob("*.py")
    if file.name != "__init__.py"
)


def test_file(module: str) -> Path | None:
    path = Path(module)
    own = ROOT / "tests" / path.parent / f"test_{path.name}.py"
    of_page = ROOT / "tests" / "pages" / f"test_{path.name.partition('_')[0]}.py"
    if own.is_file():
        return own
    if module.startswith("pages/parts/") and of_page.is_file():
        return of_page  # the parts of a page are tested with it
    said = ELSEWHERE.get(module, ELSEWHERE.get(f"{path.parent.as_posix()}/"))
    return None if said is None else ROOT / said


test_file.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_where_it_is_tested(module: str):
    found = test_file(module)
    assert found is not None and found.is_file(), f"{module} has neither a test file nor a line in ELSEWHERE"


@pytest.mark.parametrize("module", ELSEWHERE)
def test_no_line_is_out_of_date(module: str):
    if module.endswith("/"):
        assert (ROOT / module).is_dir()
    else:
        assert module in MODULES
        assert (
            not (ROOT / "tests" / Path(module).parent / f"test_{Path(module).name}.py").is_file() or "arrays" in module
        )
