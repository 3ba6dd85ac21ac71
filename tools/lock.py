"""requirements.lock: every pin of requirements.txt with the SHA-256 of the file that pip would install here.

    python -m tools.lock        # or: make lock

Which index is asked is pip's own setting. A pin has a file a platform, and torch a build an index: hashes of pins that have
not changed stay, so that running it on another platform, or with another index, adds to them. `--anew` begins without any.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PINS, LOCK = ROOT / "requirements.txt", ROOT / "requirements.lock"
HEAD = """\
# Every requirement with the hashes of its files; made by `make lock`, not by hand.
# pip install --require-hashes --no-deps -r requirements.lock
# Files for Python 3.11 on Linux (x86-64), torch in its build for processors without a graphics card; docs/hosting.md says
# where that comes from, and how to add the hashes of another platform or build.
"""

Hashes = dict[str, list[str]]  # by "name==version"


def plain(name: str) -> str:
    """Return a package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str) -> list[str]:
    """Return the pinned requirements of a file, comments left out, in order of their names."""
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    return sorted(plain(name) + "==" + version for name, version in (line.split("==") for line in lines if line))


def locked(text: str) -> Hashes:
    """Return the hashes of a lock file."""
    found: Hashes = {}
    for line in text.splitlines():
        if match := re.fullmatch(r"(\S+==\S+) \\", line):
            hashes = found[match[1]] = []
        elif match := re.fullmatch(r"    --hash=sha256:([0-9a-f]{64})(?: \\)?", line):
            hashes.append(match[1])
    return found


def reported(report: Mapping[str, object]) -> Hashes:
    """Return the hash of every file that pip reports it would install, by its pin."""
    found: Hashes = {}
    for each in report["install"]:  # type: ignore[attr-defined]
        name, version = plain(each["metadata"]["name"]), each["metadata"]["version"].split("+")[0]
        found[f"{name}=={version}"] = [each["download_info"]["archive_info"]["hashes"]["sha256"]]
    return found


def lock_text(wanted: list[str], *known: Hashes) -> str:
    """Return the lock file of these pins; KeyError where one has no hash."""
    parts = [HEAD]
    for pin in wanted:
        hashes = sorted({each for hashes in known for each in hashes.get(pin, ())})
        if not hashes:
            raise KeyError(f"{pin} has no hash")
        parts.append(" \\\n".join([pin, *(f"    --hash=sha256:{each}" for each in hashes)]) + "\n")
    return "".join(parts)


def _asked() -> Hashes:
    """Return what pip would install here; it downloads no more than it must to know."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = ["--quiet", "--dry-run", "--ignore-installed", "--no-deps", "--report", str(report)]
        subprocess.run([sys.executable, "-m", "pip", "install", *options, "-r", str(PINS)], check=True)
        return reported(json.loads(report.read_text(encoding="utf-8")))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--anew", action="store_true", help="keep no hash that is in the lock file")
    before = {} if options.parse_args().anew or not LOCK.exists() else locked(LOCK.read_text(encoding="utf-8"))
    wanted = pins(PINS.read_text(encoding="utf-8"))
    LOCK.write_text(lock_text(wanted, before, _asked()), encoding="utf-8")
    print(f"{LOCK.name}: {len(wanted)} requirements.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
