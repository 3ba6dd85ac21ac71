"""Keeping reruns quick: what modules made at import is taken out of the garbage collector's rounds."""

import gc
import sys

_modules_frozen = 0


def freeze_modules() -> None:
    """Freeze everything alive whenever modules have been imported since the last time.

    Streamlit collects garbage after every run, a fragment's too, and walks every object of the process for it: some
    70 ms, half of what moving the HITS slider cost. Frozen objects are skipped; reference counts still free them.
    """
    global _modules_frozen
    if len(sys.modules) > _modules_frozen:
        _modules_frozen = len(sys.modules)
        gc.collect()
        gc.freeze()
