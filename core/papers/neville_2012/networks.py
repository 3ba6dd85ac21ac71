"""Draw networks from latent groups (Neville et al. 2012, §6.2), or read one; classify nodes by the neighbours' classes.

Arrays are [network, node, fold]: networks of one size and all their folds are one computation.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from ...arrays import Bools, Floats, Ints, record
from ...corpora.readers import MOST_BYTES, Expected, Given, Table, read_source
from ...errors import InputError, SettingError, unknown
from ...formats import listed

# The papers give the rate of a link from an A group and from a B group, and leave open which holds between the two.
MIXED_RATES: Mapping[str, Callable[[float, float], float]] = {
    "geometric": lambda a, b: sqrt(a * b),
    "mean": lambda a, b: (a + b) / 2,
    "minimum": min,
}
MOST_NODES = 3_000
Rule = Callable[[Floats, Floats], Floats]  # positive and negative neighbours, as numbers to be expected → P(+)

ROUNDS = 99  # relaxation labelling as in Macskassy & Provost: 99 rounds of step β = .99^t
DECAY = 0.99
_SETTLED = 1e-3  # no probability moves by more in a round: by then predictions stay as they are
RIDGE = 1.0  # of the logistic regression's weights: half of it times their squares is added to the loss
_STEPS = 50  # of Newton's method at most; a handful is usual
_LARGEST_ODDS = 500.0  # a logarithm; beyond, exp overflows and nothing changes


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Settings of a latent group network; the defaults are the paper's.

    Groups of type A are mostly positive and closely knit, those of type B mostly negative.
    """

    nodes: int = 300
    group_size: float = 10.0
    share_a: float = 0.75
    positive_a: float = 0.9
    positive_b: float = 0.1
    inside_a: float = 0.6
    inside_b: float = 0.4
    between_a: float = 0.003
    between_b: float = 0.013
    mixed: str = "geometric"


@record
class Network:
    """Labelled nodes and undirected links."""

    labels: Bools  # True: positive
    links: Ints  # pairs i < j
    groups: Ints | None = None  # each node's group (synthetic networks)
    type_a: Bools | None = None  # whether that group is of type A

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def autocorrelation(self) -> float:
        """Return Pearson's correlation of 0–1 labels over links, each from both ends; NaN where they do not vary."""
        if len(self.links) == 0:
            raise SettingError(
                "The network has no link, so labels cannot be compared along links; add links, or raise their rates."
            )
        ends = self.labels[self.links].astype(np.float64)
        share = float(ends.mean())
        if share in (0.0, 1.0):
            return float("nan")
        return float(((ends[:, 0] - share) * (ends[:, 1] - share)).mean() / (share * (1 - share)))


def latent_group_network(settings: NetworkSettings, rng: np.random.Generator) -> Network:
    """Draw a network: nodes join n/10 groups at random; a group's type sets P(+) and, with the other end's, P(link).

    P(link) inside a group is its type's; between groups of one type that type's, between A and B `settings.mixed`'s.
    """
    _check_network(settings)
    n = settings.nodes
    count = max(1, round(n / settings.group_size))
    groups = rng.integers(0, count, size=n)
    type_a = (rng.random(count) < settings.share_a)[groups]
    labels = rng.random(n) < np.where(type_a, settings.positive_a, settings.positive_b)
    first, second = np.triu_indices(n, k=1)
    # Types as 0, 1, 2: no A, one A, both A.
    mixed = MIXED_RATES[settings.mixed](settings.between_a, settings.between_b)
    between = np.array([settings.between_b, mixed, settings.between_a])
    rate = between[type_a[first].astype(np.int64) + type_a[second]]
    same = groups[first] == groups[second]
    rate[same] = np.where(type_a[first[same]], settings.inside_a, settings.inside_b)
    linked = rng.random(len(rate)) < rate
    return Network(labels, np.column_stack([first[linked], second[linked]]), groups, type_a)


def adjacency(networks: list[Network]) -> Any:
    """Return one symmetric sparse matrix with the networks as blocks, so that all of them are one product."""
    from scipy.sparse import csr_array

    starts = np.cumsum([0, *(len(network) for network in networks)])
    links = np.concatenate([network.links + start for network, start in zip(networks, starts, strict=False)])
    if len(links) == 0:
        raise SettingError(
            "The network has no link, so neighbours say nothing of a node; add links, or raise their rates."
        )
    rows, columns = np.concatenate([links, links[:, ::-1]]).T
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(starts[-1], starts[-1]))


def _check_network(settings: NetworkSettings) -> None:
    if settings.mixed not in MIXED_RATES:
        raise unknown("rate for links between A and B groups", settings.mixed, MIXED_RATES)
    if not 10 <= settings.nodes <= MOST_NODES:
        raise SettingError(f"{settings.nodes:,} nodes; choose from 10 to {MOST_NODES:,}.")
    if not 1 <= settings.group_size <= settings.nodes:
        raise SettingError(f"A mean group size of {settings.group_size:g}; choose from 1 to {settings.nodes:,}.")
    for name in ("share_a", "positive_a", "positive_b", "inside_a", "inside_b", "between_a", "between_b"):
        rate = getattr(settings, name)
        if not 0 <= rate <= 1:
            raise SettingError(f"{name} is {rate}, and it is a probability; choose one from 0 to 1.")


@record
class LabelledPart:
    """What a classifier may learn from: the labelled nodes and their labelled neighbours."""

    labels: Bools
    known: Bools
    prior: Floats
    positive: Floats  # labelled positive neighbours
    negative: Floats
    degree: Floats
    collective: bool  # unlabelled neighbours count by their class probabilities; else they do not count

    @property
    def expected(self) -> tuple[Floats, Floats]:
        """Return expected positive and negative neighbours, unlabelled ones at the prior where they count."""
        if not self.collective:
            return self.positive, self.negative
        unsure = self.degree - self.positive - self.negative
        return self.positive + unsure * self.prior, self.negative + unsure * (1 - self.prior)


@dataclass(frozen=True, slots=True)
class Relational:
    """One choice of classifier."""

    label: str
    about: str
    learn: Callable[[LabelledPart], Rule]


def probabilities(links: Any, labels: Bools, known: Bools, *, model: str, collective: bool = True) -> Floats:
    """Return P(+) of every node by a named classifier; labelled nodes keep their label, and no other label is used.

    Collective: P ← βf(P) + (1 − β)P for all unlabelled nodes at once, β = .99^t, from the prior on (relaxation
    labelling, Macskassy & Provost 2007). Otherwise one pass over the labelled neighbours.
    """
    if model not in RELATIONAL:
        raise unknown("relational classifier", model, RELATIONAL)
    truth = known & labels[:, :, None]
    prior = _prior(truth, known)
    positive, negative = (_neighbours(links, part.astype(np.float64)) for part in (truth, known & ~truth))
    degree = np.asarray(links.sum(axis=1), dtype=np.float64).reshape(*known.shape[:2], 1)
    part = LabelledPart(labels, known, prior, positive, negative, degree, collective)
    rule = RELATIONAL[model].learn(part)
    if not collective:
        return np.where(known, truth, rule(positive, negative))
    return _relaxed(rule, part, links)


def _relaxed(rule: Rule, part: LabelledPart, links: Any) -> Floats:
    probability = np.where(part.known, part.labels[:, :, None], part.prior)
    still = part.known  # a fold that has settled stays as it is, whatever else is computed along with it
    for step in range(ROUNDS):
        weight = DECAY**step
        likely = _neighbours(links, probability)
        moved = weight * rule(likely, part.degree - likely) + (1 - weight) * probability
        moved = np.where(still, probability, moved)
        still = still | (np.abs(moved - probability).max(axis=1, keepdims=True) < _SETTLED)
        probability = moved
        if still.all():
            break
    return probability


def weighted_vote(part: LabelledPart) -> Rule:
    """Return wvRN: P(+|N_i) = mean of the neighbours' P(+); without one that counts, the share among the labelled."""

    def rule(positive: Floats, negative: Floats) -> Floats:
        counted = positive + negative
        return np.where(counted > 0, positive / np.where(counted > 0, counted, 1.0), part.prior)

    return rule


def network_bayes(part: LabelledPart) -> Rule:
    """Learn nBC: P(+|N_i) ∝ P(+) ∏_j P(y_j|+), multinomial naive Bayes on the neighbours' classes.

    P(y|c) is the share of class y among the labelled neighbours of labelled nodes of class c, with one of each class
    added (Laplace): at 10% labelled a class may have no labelled pair at all, and maximum likelihood would be 0/0.
    """
    chances = []  # P(a neighbour is +) beside a positive node, beside a negative one
    for own in (part.known & part.labels[:, :, None], part.known & ~part.labels[:, :, None]):
        with_positive = (own * part.positive).sum(axis=1, keepdims=True)
        with_negative = (own * part.negative).sum(axis=1, keepdims=True)
        chances.append((with_positive + 1) / (with_positive + with_negative + 2))
    for_positive = np.log(chances[0] / chances[1])
    for_negative = np.log((1 - chances[0]) / (1 - chances[1]))
    return lambda positive, negative: _logistic_of(
        _log_odds(part.prior) + positive * for_positive + negative * for_negative
    )


def link_regression(part: LabelledPart) -> Rule:
    """Learn link-based: log odds = log odds of the prior + w₀ + w₊·positive + w₋·negative neighbours (Lu & Getoor 2003).

    Logistic regression over the labelled nodes on the counts of their neighbours' classes, the weights shrunk by a
    ridge: a fold may have few labelled nodes, or one class only.
    """
    weights = _logistic_weights(*part.expected, part)

    def rule(positive: Floats, negative: Floats) -> Floats:
        return _logistic_of(_log_odds(part.prior) + weights[0] + weights[1] * positive + weights[2] * negative)

    return rule


def _logistic_weights(positive: Floats, negative: Floats, part: LabelledPart) -> Floats:
    """Fit by Newton's method for all networks and folds at once; return `weights[which, network, 0, fold]`."""
    networks, _, folds = part.known.shape
    inputs = np.stack(np.broadcast_arrays(np.ones(part.known.shape), positive, negative)) * part.known
    truth = (part.known & part.labels[:, :, None]).astype(np.float64)
    start = np.broadcast_to(_log_odds(part.prior), (networks, 1, folds))
    weights = np.zeros((3, networks, 1, folds))
    for _ in range(_STEPS):
        likely = _logistic_of(start + (weights * inputs).sum(axis=0))
        slope = np.einsum("inkf,nkf->nfi", inputs, truth - likely * part.known) - RIDGE * weights[:, :, 0].transpose(
            1, 2, 0
        )
        curve = np.einsum("inkf,jnkf,nkf->nfij", inputs, inputs, likely * (1 - likely)) + RIDGE * np.eye(3)
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        step /= np.maximum(1.0, np.abs(step).max(axis=2, keepdims=True))  # far from the answer a whole step overshoots
        weights = weights + step.transpose(2, 0, 1)[:, :, None, :]
        if np.abs(step).max() < 1e-9:
            break
    return weights


def _logistic_of(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -_LARGEST_ODDS, _LARGEST_ODDS))))


def _log_odds(share: Floats) -> Floats:
    return np.asarray(np.log(share / (1 - share)))


def _prior(truth: Bools, known: Bools) -> Floats:
    """Return the share of positives among a fold's labelled nodes, one of each class added: it is never 0 or 1."""
    return np.asarray((truth.sum(axis=1, keepdims=True) + 1) / (known.sum(axis=1, keepdims=True) + 2))


def _neighbours(links: Any, values: Floats) -> Floats:
    """Return for every node the sum of its neighbours' values."""
    return np.asarray(links @ values.reshape(-1, values.shape[2])).reshape(values.shape)


RELATIONAL: Mapping[str, Relational] = {
    "wvrn": Relational("wvRN", "The mean of the neighbours' class probabilities; nothing is learned.", weighted_vote),
    "nbc": Relational("nBC", "Multinomial naive Bayes on the neighbours' classes.", network_bayes),
    "link": Relational("link-based", "Logistic regression on the counts of the neighbours' classes.", link_regression),
}


MOST_READ, MOST_LINKS = 10_000, 200_000
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
    link_name, (sources, targets), _, link_notes = _network_columns(links, "links", _LINKS, most_bytes)
    label_name, (nodes, classes), parts, label_notes = _network_columns(labels, "labels", _LABELS, most_bytes)
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
    rows, classes, codes = _labelled_nodes(labels, files[1])
    names, part_codes = _parts_of_nodes(parts, len(rows), files[1])
    found, notes = _linked(links, rows, part_codes, files)
    for part, name in enumerate(names):
        size = int((part_codes == part).sum())
        if size < FEWEST_NODES:
            what = f"part '{name[:_SHOWN]}'" if len(names) > 1 else "the network"
            raise InputError(f"{files[1]}: {what} has {size} nodes; ten folds need {FEWEST_NODES}: add nodes.")
    return OwnNetwork(files[0], tuple(rows), classes, codes, found, names, part_codes, tuple(notes), classes[:1])


def _labelled_nodes(labels: Sequence[tuple[str, str]], file: str) -> tuple[dict[str, int], tuple[str, ...], Ints]:
    """Return each node's row, the classes by falling size, and each node's class."""
    if len(labels) > MOST_READ:
        fact = f"{len(labels):,} nodes, and row {MOST_READ + 1:,} is one too many"
        raise InputError(f"{file}: {fact}; draw a sample of at most {MOST_READ:,} nodes.")
    rows: dict[str, int] = {}
    if labels and not any(label.strip() for _, label in labels):
        raise InputError(f"{file}: rows 1 to {len(labels):,}: no node has a label; write each node's class beside it.")
    for number, (node, label) in enumerate(labels, start=1):
        name = node.strip()
        if not name:
            raise InputError(f"{file}: row {number}: no node is named; name it, or drop the row.")
        if not label.strip():
            fix = "give it one, or drop the node and its links"
            raise InputError(f"{file}: row {number}: node '{name[:_SHOWN]}' has no label; {fix}.")
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


def _parts_of_nodes(parts: Sequence[str] | None, nodes: int, file: str) -> tuple[tuple[str, ...], Ints]:
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


def _network_columns(
    given: Given, kind: str, expected: Expected, most_bytes: int
) -> tuple[str, tuple[list[str], list[str]], list[str] | None, tuple[str, ...]]:
    """Return the file's name, its two columns, the parts where there are any, and notes."""
    table = read_source(given, most_bytes=most_bytes, expected=expected)
    if not isinstance(table, Table):
        raise InputError(f"{kind}: this is a corpus; {expected.fix}.")
    frame = {str(name): [str(cell) for cell in table.frame[name]] for name in table.frame.columns}
    named = {name.strip().lower(): name for name in frame}
    usual = _USUAL[kind]
    chosen = [named[each] for each in usual if each in named]
    if len(chosen) < 2:
        chosen = [name for name in frame if name.strip().lower() != PART][:2]
    if len(chosen) < 2:
        raise InputError(f"{table.name}: one column only; {expected.fix}.")
    parts = frame[named[PART]] if kind == "labels" and PART in named else None
    return table.name, (frame[chosen[0]], frame[chosen[1]]), parts, table.notes
