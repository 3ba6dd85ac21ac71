"""Read a network from two tables: links (one row each) and labels (one row per node, with its class)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Ints, record
from ...corpora.readers import MOST_BYTES, Expected, Given, Table, read_source
from ...errors import InputError, SettingError, unknown
from ...formats import listed
from .networks import Network

MOST_NODES, MOST_LINKS = 10_000, 200_000
FEWEST_NODES = 20  # of a part: ten folds of two
_SHOWN = 40  # characters of a name in a message
_LINKS = Expected("links", "give two columns, source and target, and a row a link")
_LABELS = Expected("nodes", "give two columns, node and label, and a row a node")
_USUAL = {"links": ("source", "target"), "labels": ("node", "label")}
PART = "part"


@record
class OwnNetwork:
    """Nodes with a class each, and undirected links."""

    name: str
    nodes: tuple[str, ...]
    classes: tuple[str, ...]  # the largest first
    codes: Ints  # each node's class
    links: Ints
    parts: tuple[str, ...]  # separate networks of one kind
    part_codes: Ints  # each node's part
    notes: tuple[str, ...]
    usual_positive: tuple[str, ...]  # default classes to tell from the others

    def __len__(self) -> int:
        return len(self.nodes)

    def networks(self, positive: Sequence[str]) -> tuple[Network, ...]:
        """Return one network per part, with these classes as positive."""
        for each in positive:
            if each not in self.classes:
                raise unknown("class", each, self.classes)
        if not positive or len(set(positive)) == len(self.classes):
            raise SettingError(
                f"{len(set(positive))} of {len(self.classes)} classes are to be found; leave one out, name one."
            )
        labels = np.isin(self.codes, [self.classes.index(each) for each in positive])
        found = []
        for part, name in enumerate(self.parts):
            rows = np.flatnonzero(self.part_codes == part)
            if labels[rows].all() or not labels[rows].any():
                which = "only" if labels[rows].all() else "no"
                raise SettingError(
                    f"Part '{name[:_SHOWN]}' holds {which} nodes of {listed(list(positive))[:100]}; choose other classes, or "
                    "put its nodes into another part."
                )
            within = self.links[self.part_codes[self.links[:, 0]] == part]
            if not len(within):
                raise SettingError(f"Part '{name[:_SHOWN]}' has no link; give its links, or leave its nodes out.")
            found.append(Network(labels[rows], np.searchsorted(rows, within)))
        return tuple(found)


def read_network(links: Given, labels: Given, *, most_bytes: int = MOST_BYTES) -> OwnNetwork:
    """Read two tables (CSV, TSV, JSON lines or Parquet); see `make_network`.

    Columns source and target, node and label, and perhaps part; under other names the first two columns are taken.
    """
    link_name, (sources, targets), _, link_notes = _columns(links, "links", _LINKS, most_bytes)
    label_name, (nodes, classes), parts, label_notes = _columns(labels, "labels", _LABELS, most_bytes)
    made = make_network(
        list(zip(sources, targets, strict=True)),
        list(zip(nodes, classes, strict=True)),
        parts=parts,
        files=(link_name, label_name),
    )
    return replace(made, notes=(*link_notes, *label_notes, *made.notes))


def make_network(
    links: Sequence[tuple[str, str]],
    labels: Sequence[tuple[str, str]],
    *,
    parts: Sequence[str] | None = None,
    files: tuple[str, str] = ("links", "labels"),
) -> OwnNetwork:
    """Make a network of these rows; messages count data rows from 1, the first below the header.

    A link has no direction: of repeated ones the first counts, and one from a node to itself does not; both are noted.
    """
    rows, classes, codes = _labelled(labels, files[1])
    names, part_codes = _parted(parts, len(rows), files[1])
    found, notes = _linked(links, rows, part_codes, files)
    for part, name in enumerate(names):
        size = int((part_codes == part).sum())
        if size < FEWEST_NODES:
            what = f"part '{name[:_SHOWN]}'" if len(names) > 1 else "the network"
            raise InputError(f"{files[1]}: {what} has {size} nodes; ten folds need {FEWEST_NODES}: add nodes.")
    return OwnNetwork(files[0], tuple(rows), classes, codes, found, names, part_codes, tuple(notes), classes[:1])


def _labelled(labels: Sequence[tuple[str, str]], file: str) -> tuple[dict[str, int], tuple[str, ...], Ints]:
    """Return each node's row, the classes by falling size, and each node's class."""
    if len(labels) > MOST_NODES:
        fact = f"{len(labels):,} nodes, and row {MOST_NODES + 1:,} is one too many"
        raise InputError(f"{file}: {fact}; draw a sample of at most {MOST_NODES:,} nodes.")
    rows: dict[str, int] = {}
    if labels and not any(label.strip() for _, label in labels):
        raise InputError(f"{file}: rows 1 to {len(labels):,}: no node has a label; write each node's class beside it.")
    for number, (node, label) in enumerate(labels, start=1):
        name = node.strip()
        if not name:
            raise InputError(f"{file}: row {number}: no node is named; name it, or drop the row.")
        if not label.strip():
            remedy = "give it one, or drop the node and its links"
            raise InputError(f"{file}: row {number}: node '{name[:_SHOWN]}' has no label; {remedy}.")
        if name in rows:
            fact = f"node '{name[:_SHOWN]}' stands in row {rows[name] + 1} already"
            raise InputError(f"{file}: row {number}: {fact}; give each node one row.")
        rows[name] = number - 1
    counts = Counter(label.strip() for _, label in labels)
    classes = tuple(sorted(counts, key=lambda each: (-counts[each], each)))
    if len(classes) < 2:
        whole = (
            f"all {len(labels):,} nodes are of one class, '{classes[0][:_SHOWN]}'" if classes else "there are no nodes"
        )
        raise InputError(f"{file}: rows 1 to {len(labels):,}: {whole}; give nodes of two classes or more.")
    return rows, classes, np.array([classes.index(label.strip()) for _, label in labels])


def _parted(parts: Sequence[str] | None, nodes: int, file: str) -> tuple[tuple[str, ...], Ints]:
    if parts is None:
        return ("the whole",), np.zeros(nodes, dtype=np.int64)
    for number, part in enumerate(parts, start=1):
        if not part.strip():
            raise InputError(f"{file}: row {number}: no part; name the part of every node, or drop the column.")
    names = sorted({part.strip() for part in parts})
    return tuple(names), np.array([names.index(part.strip()) for part in parts])


def _linked(
    links: Sequence[tuple[str, str]], rows: dict[str, int], part_codes: Ints, files: tuple[str, str]
) -> tuple[Ints, list[str]]:
    """Return links as pairs of rows, the lower first, and notes on what was left out."""
    if len(links) > MOST_LINKS:
        fact = f"{len(links):,} links, and row {MOST_LINKS + 1:,} is one too many"
        raise InputError(f"{files[0]}: {fact}; leave out nodes until {MOST_LINKS:,} links are left.")
    seen: dict[tuple[int, int], int] = {}
    loops, again, across = [], [], []
    for number, ends in enumerate(links, start=1):
        for end in ends:
            if end.strip() not in rows:
                fact = (
                    f"'{end.strip()[:_SHOWN]}' is no node of {files[1]}"
                    if end.strip()
                    else "an end of the link is empty"
                )
                raise InputError(f"{files[0]}: row {number}: {fact}; add it there with its label, or drop the row.")
        first, second = sorted(rows[end.strip()] for end in ends)
        if first == second:
            loops.append(number)
        elif (first, second) in seen:
            again.append((number, seen[first, second]))
        elif part_codes[first] != part_codes[second]:
            across.append(number)
        else:
            seen[first, second] = number
    if not seen:
        raise InputError(f"{files[0]}: no link is left of {len(links):,} rows; give links between different nodes.")
    notes = []
    if loops:
        fact = f"row {loops[0]} links a node with itself"
        notes.append(f"{files[0]}: {fact}{_others(len(loops))}; left out: drop such rows.")
    if again:
        fact = f"row {again[0][0]} repeats the link of row {again[0][1]}, for links have no direction"
        notes.append(f"{files[0]}: {fact}{_others(len(again))}; counted once: drop such rows.")
    if across:
        fact = f"row {across[0]} links two parts"
        notes.append(f"{files[0]}: {fact}{_others(len(across))}; left out, because parts are networks by themselves.")
    return np.array(sorted(seen)), notes


def _others(count: int) -> str:
    return f", and so do {count - 1:,} more" if count > 1 else ""


def _columns(
    given: Given, kind: str, expected: Expected, most_bytes: int
) -> tuple[str, tuple[list[str], list[str]], list[str] | None, tuple[str, ...]]:
    """Return the file's name, its two columns, the parts where there are any, and notes."""
    table = read_source(given, most_bytes=most_bytes, expected=expected)
    if not isinstance(table, Table):
        raise InputError(f"{kind}: this is a corpus; {expected.remedy}.")
    frame = {str(name): [str(cell) for cell in table.frame[name]] for name in table.frame.columns}
    named = {name.strip().lower(): name for name in frame}
    usual = _USUAL[kind]
    chosen = [named[each] for each in usual if each in named]
    if len(chosen) < 2:
        chosen = [name for name in frame if name.strip().lower() != PART][:2]
    if len(chosen) < 2:
        raise InputError(f"{table.name}: one column only; {expected.remedy}.")
    parts = frame[named[PART]] if kind == "labels" and PART in named else None
    return table.name, (frame[chosen[0]], frame[chosen[1]]), parts, table.notes
