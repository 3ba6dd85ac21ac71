"""Cells that hold several topics: a JSON list, or names joined by | ; or ,."""

import json
from collections import Counter
from collections.abc import Iterable

JSON = "json"
SEPARATORS = (JSON, "|", ";", ",")
MOST_RARE = 0.5  # share of the parts that may stand in no other cell; a comma inside a name parts it into such


def separator_of(cells: Iterable[str]) -> str | None:
    """How these cells join several topics; None where they hold one each.

    A mark parts topics only where at least half of what it parts stands in other cells as well: 'crime; courts' and
    'courts' are two lists, and 'law, order and the like' is a name.
    """
    distinct = set(cells)
    for separator in SEPARATORS:
        lists = {cell: parts for cell in distinct if len(parts := topics_in(cell, separator)) > 1}
        if not lists:
            continue
        if separator == JSON:
            return separator
        seen = Counter(part for cell in distinct for part in topics_in(cell, separator))
        parted = {part for parts in lists.values() for part in parts}
        if sum(seen[part] == 1 for part in parted) <= MOST_RARE * len(parted):
            return separator
    return None


def topics_in(cell: str, separator: str) -> tuple[str, ...]:
    """The topics of a cell in its own order, each once; a cell that is no list is one topic, an empty one none."""
    parts = _json_list(cell) if separator == JSON else cell.split(separator)
    return tuple(dict.fromkeys(part.strip() for part in ([cell] if parts is None else parts) if part.strip()))


def _json_list(cell: str) -> list[str] | None:
    """The texts of a JSON list; None for anything else, a list of lists too."""
    if not cell.lstrip().startswith("["):
        return None
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    texts = isinstance(found, list) and all(
        isinstance(each, str) and not each.lstrip().startswith("[") for each in found
    )
    return found if texts else None
