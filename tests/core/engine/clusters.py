"""A real cluster on this machine: a scheduler and workers, each a process of its own."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import ROOT
from tests.core.engine.processes import within

PATIENCE = 90  # seconds; a busy machine starts processes slowly
QUIET = {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"}


@dataclass
class Cluster:
    """A scheduler, and its workers: no nanny restarts one that was killed."""

    folder: Path
    scheduler: subprocess.Popen = field(init=False)
    workers: list[subprocess.Popen] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._file = self.folder / "scheduler.json"
        self.scheduler = self._started(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", self._file
        )
        assert within(PATIENCE, self._file.exists), "the scheduler never started"

    @property
    def address(self) -> str:
        assert within(PATIENCE, lambda: self._file.read_text().strip().endswith("}"))
        return str(json.loads(self._file.read_text())["address"])

    def add_worker(self) -> subprocess.Popen:
        options = ("--nthreads", "1", "--no-nanny", "--host", "127.0.0.1", "--local-directory", self.folder)
        worker = self._started("worker", self.address, *options)
        self.workers.append(worker)
        return worker

    def kill(self, worker: subprocess.Popen) -> None:
        worker.kill()
        worker.wait(10)
        self.workers.remove(worker)

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait(10)

    def _started(self, kind: str, *options: object) -> subprocess.Popen:
        closed = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *closed, *map(str, options)]
        environment = os.environ | QUIET | {"PYTHONPATH": str(ROOT)}
        environment.pop("LEAKSCOPE_DASK", None)
        with (self.folder / f"{kind}-{time.monotonic_ns()}.log").open("wb") as log:
            return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
