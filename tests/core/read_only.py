"""A folder that can be read and not written, for root too: root becomes nobody for the while."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter; pytest's own are the tester's alone."""
    folder = Path(tempfile.mkdtemp(prefix="leakscope-open-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing below `folder` can be written inside this block."""
    everything = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in everything}
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(NOBODY)
        yield
    finally:
        if root:
            os.seteuid(0)
        for path in everything:
            path.chmod(modes[path])
