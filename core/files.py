"""Files of our own: the folder of caches, and writing that leaves a whole file or none."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from platformdirs import user_cache_dir


def cache_folder() -> Path:
    """LEAKSCOPE_CACHE, or the platform's cache folder."""
    return Path(os.environ.get("LEAKSCOPE_CACHE") or user_cache_dir("leakscope"))


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """A path beside `target` for a file or a folder, renamed to `target` at the end; nothing stays after an error.

    The name is new every time, so threads and processes may write the same target at once.
    """
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    try:
        yield partial
        partial.replace(target)
    finally:
        with suppress(OSError):
            if partial.is_dir():
                shutil.rmtree(partial, ignore_errors=True)
            else:
                partial.unlink(missing_ok=True)
