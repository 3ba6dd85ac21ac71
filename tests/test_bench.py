"""Every bench still runs, on tiny input, so that none stops working unseen."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.slow
@pytest.mark.timeout(900)  # a minute of processor time, and several on a busy machine
def test_every_bench_runs_on_tiny_input():
    tests_own = {"LEAKSCOPE_ENGINE", "LEAKSCOPE_CORES"}
    environment = {name: value for name, value in os.environ.items() if name not in tests_own}
    command = [sys.executable, "-m", "bench", "--tiny"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
