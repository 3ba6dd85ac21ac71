"""What all tests share: a vector store of their own, the real corpora where they are available, and a tiny corpus."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

ROOT = Path(__file__).parents[1]
REAL = ROOT.parent / "shared" / "data"

# Before anything imports the store: a test run neither reads nor fills the user's own cache.
os.environ["LEAKSCOPE_CACHE"] = tempfile.mkdtemp(prefix="leakscope-tests-")
# Work is done in the process of the test, where it can be watched and patched; tests of the engine ask for more.
os.environ["LEAKSCOPE_CORES"] = "1"
os.environ["LEAKSCOPE_ENGINE"] = "here"
# Work in other processes keeps pace with the tests beside it: behind them it would hardly be given a processor.
os.environ["LEAKSCOPE_NICE"] = "0"
# One thread of numpy and scikit-learn each: tests run beside each other, and threads that wait for a core keep it busy.
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_threads] = "1"


# A busy machine is slow, and that is no fault of the code.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


LEFT_OUT = pytest.StashKey[int]()  # tests that -m leaves out, which xdist does not report


def pytest_deselected(items: list[pytest.Item]) -> None:
    config = items[0].config
    config.stash[LEFT_OUT] = len(items)
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = len(items)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.option.markexpr == "not slow":
        left_out = config.stash.get(LEFT_OUT, 0)
        terminalreporter.write_line(f"{left_out} slow tests are left out; `make test-slow` runs them.")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real corpora, which is not part of the project."""
    if not REAL.is_dir():
        pytest.skip("../shared/data is absent: the real corpora are not part of the project")
    return REAL


@pytest.fixture
def tiny_csv() -> bytes:
    """Twelve short documents by three authors on three topics, two of them similar."""
    lines = ["id,text,author,topic"]
    words = {
        "bread": "flour oven dough yeast crust loaf baker butter",
        "cakes": "flour oven sugar icing sponge baker butter cream",
        "stars": "telescope orbit galaxy comet planet lens nebula dust",
    }
    for topic, vocabulary in words.items():
        terms = vocabulary.split()
        for number in range(4):
            text = " ".join(terms[number:] + terms[:number]) + " again and again in the morning"
            lines.append(f"{topic}{number},{text},author {number % 3},{topic}")
    return ("\n".join(lines) + "\n").encode()


@pytest.fixture(autouse=True)
def forget_estimators() -> Iterator[None]:
    """Drop a test's own estimators, which are known to the whole process under their names."""
    yield
    if (known := sys.modules.get("core.models.attribution")) is not None:
        for name in [*known.CLASSIFIERS]:
            if known.CLASSIFIERS[name].about == "Your own estimator.":
                del known.CLASSIFIERS[name]
