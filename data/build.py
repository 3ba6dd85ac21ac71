"""Print the Tarnbeck Courier: data/courier.csv and data/ground_truth.json.

python -m data.build             write both files
python -m data.build --out DIR   write them elsewhere
python -m data.build --check     only look for faults in the material
"""

import argparse
import sys
from pathlib import Path

from .engine.check import faults_of_material, missing_families
from .engine.material import DATA, FAMILIES


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Print the Tarnbeck Courier.")
    parser.add_argument("--check", action="store_true", help="only look for faults in the material")
    parser.add_argument("--out", type=Path, default=DATA, help="folder to write to")
    options = parser.parse_args(arguments)

    faults = list(faults_of_material())
    for fault in faults:
        print(fault, file=sys.stderr)
    missing = missing_families()
    if missing:
        print(f"no material yet for: {', '.join(missing)}", file=sys.stderr)
    if options.check:
        print(f"{len(FAMILIES) - len(missing)} of {len(FAMILIES)} families there, {len(faults)} faults")
    if faults or options.check:
        return 2 if faults else 0

    # Imported late, so that --check works while authors and plan are still being written.
    from .engine.paper import print_paper

    families = {family: topics for family, topics in FAMILIES.items() if family not in missing}
    print_paper(options.out, families=families)
    return 0


if __name__ == "__main__":
    sys.exit(main())
