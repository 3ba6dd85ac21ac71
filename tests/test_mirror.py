"""Tests mirror core/ and pages/ as folders: a module has a test file of its own name, or a line here that says which."""

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

# Module (without .py) or, ending in /, all modules of a folder that have no test file of their own name.
ELSEWHERE = {
    "core/__main__": "tests/core/cli/test_main.py",
    "core/errors": "tests/core/cli/test_refusals.py",
    "core/evaluation/keys": "tests/core/evaluation/test_resume.py",
    "core/interface": "tests/test_interface.py",
    "core/progress": "tests/core/vectors/test_embed.py",
    "core/cli/": "tests/core/cli/test_commands.py",
    "core/cli/benchmark": "tests/core/cli/test_raven.py",
    "core/corpora/advice": "tests/core/corpora/test_audit.py",
    "core/corpora/cleaning_steps": "tests/core/corpora/test_cleaning.py",
    "core/corpora/findings": "tests/core/corpora/test_audit.py",
    "core/corpora/selection": "tests/core/corpora/test_corpus.py",
    "core/corpora/readers/": "tests/core/corpora/readers/test_formats.py",
    "core/models/attribution/": "tests/core/models/attribution/test_contract.py",
    "core/models/categorization/": "tests/core/studies/test_categorization.py",
    "core/models/contract": "tests/core/models/verification/test_contract.py",
    "core/models/verification/": "tests/core/models/verification/test_contract.py",
    "core/models/verification/luar_folder": "tests/core/models/verification/test_luar.py",
    "core/models/verification/luar_network": "tests/core/models/verification/test_luar.py",
    "core/models/verification/neural": "tests/core/models/verification/test_o2d2.py",
    "core/models/verification/o2d2_heads": "tests/core/models/verification/test_o2d2.py",
    "core/models/verification/o2d2_network": "tests/core/models/verification/test_o2d2.py",
    "core/models/verification/ppm_kernel": "tests/core/models/verification/test_ppm.py",
    "core/plots/": "tests/core/plots/test_figures.py",
    "core/plots/hits_encoders": "tests/core/plots/test_hits_experiments.py",
    "core/plots/lesson_deals": "tests/core/plots/test_lesson.py",
    "core/plots/lesson_models": "tests/core/plots/test_lesson.py",
    "core/plots/split": "tests/core/plots/test_hits_experiments.py",
    "core/plots/trust": "tests/pages/test_trust.py",
    "core/report/": "tests/core/report/test_build.py",
    "core/report/beside": "tests/core/report/test_project.py",
    "core/report/opening": "tests/core/report/test_project.py",
    "core/report/records": "tests/core/report/test_kinds.py",
    "core/splits/hits_instead": "tests/core/splits/test_audit.py",
    "core/splits/components": "tests/core/splits/test_least_leakage.py",
    "core/splits/least_nearest": "tests/core/splits/test_least_leakage.py",
    "core/splits/packing": "tests/core/splits/test_least_leakage.py",
    "core/studies/lesson/": "tests/core/studies/lesson/test_steps.py",
    "core/studies/raven/": "tests/core/studies/raven/test_write.py",
    "core/studies/shortcut_results": "tests/core/studies/test_shortcut.py",
    "core/topics/independent": "tests/core/topics/test_least_maximum.py",
    "core/topics/suggestion": "tests/core/topics/test_verdict.py",
    "core/vectors/": "tests/core/vectors/test_encoders.py",
    "core/vectors/database": "tests/core/vectors/test_store.py",
    "pages/parts/hits_experiment_tables": "tests/pages/test_hits_experiment_tables.py",
    "pages/shared/": "tests/pages/test_pages.py",
    "pages/shared/baselines": "tests/pages/test_accuracy.py",
    "pages/shared/page_words": "tests/pages/shared/test_glossary.py",
    "pages/shared/project": "tests/pages/shared/test_take_away.py",
    "pages/shared/result_cache": "tests/pages/shared/test_take_away.py",
    "pages/shared/run_controls": "tests/pages/test_accuracy.py",
    "pages/shared/session": "tests/pages/shared/test_visits.py",
    "pages/shared/split_controls": "tests/pages/test_design.py",
    "pages/shared/stores": "tests/pages/shared/test_public.py",
}
MODULES = sorted(
    file.relative_to(ROOT).with_suffix("").as_posix()
    for folder in ("core", "pages")
    for file in (ROOT / folder).rglob("*.py")
    if file.name != "__init__.py"
)


# Modules whose names no test says: what they make is looked at.
UNNAMED = {
    "core/errors": "every refusal is one of its kinds",
    "core/models/attribution/svm": "every model of the registry",
    "core/models/categorization/categorizers": "every categorizer of the registry",
    "core/report/files": "what a whole project holds",
    "core/report/runs": "every section with models does",
    "core/splits/hits_instead": "what an audit offers instead of a split",
    "core/studies/lesson/topic_steps": "steps one to four",
}


def test_file(module: str) -> Path | None:
    path = Path(module)
    own = ROOT / "tests" / path.parent / f"test_{path.name}.py"
    if own.is_file():
        return own
    said = ELSEWHERE.get(module, ELSEWHERE.get(f"{path.parent.as_posix()}/"))
    if said is None and module.startswith("pages/parts/"):  # the parts of a page are tested with it
        pages = (file.stem for file in (ROOT / "pages").glob("*.py") if path.name.startswith(file.stem))
        said = f"tests/pages/test_{max(pages, key=len, default='none')}.py"
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
        assert not (ROOT / "tests" / Path(module).parent / f"test_{Path(module).name}.py").is_file()


@pytest.mark.parametrize("module", [each for each in MODULES if each.startswith("core/")])
def test_the_file_that_is_said_to_test_a_module_names_it_or_what_it_offers(module: str):
    tree = ast.parse((ROOT / f"{module}.py").read_text(encoding="utf-8"))
    offered = [each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)]
    found = test_file(module)
    assert found is not None
    if found.stem == f"test_{Path(module).name}":
        return
    names = "|".join([module.replace("/", "."), Path(module).name, *(name for name in offered if name[0] != "_")])
    named = re.search(rf"\b({names})\b", found.read_text(encoding="utf-8")) is not None
    assert named != (module in UNNAMED)
