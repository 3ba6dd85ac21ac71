"""Verification pairs inside one side of a fold: texts by one author and texts by two, drawn as PAIRINGS says."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Ints, record
from ..corpora import Corpus
from ..errors import SettingError, unknown
from ..formats import counted

_MOST_REDRAWS = 200  # a repeated pair is redrawn in nearly every round; only tiny sides need more than a few


@record
class Pairs:
    """Pairs of corpus rows with authors' and topics' codes; `same[i]` says whether one author wrote both texts of pair i.

    `kind` names the pairing; `left_out` counts the pairs it asks for that there were no texts for.
    """

    first: Ints
    second: Ints
    same: Bools
    first_author: Ints
    second_author: Ints
    first_topic: Ints
    second_topic: Ints
    kind: str
    left_out: int = 0
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.first)

    @property
    def rows(self) -> Ints:
        """Every document in some pair, once, sorted."""
        return np.unique(np.concatenate([self.first, self.second]))


@record
class Texts:
    """Rows of a corpus in an order that does not hang on the file, with the codes of their authors and topics."""

    rows: Ints
    authors: Ints
    topics: Ints

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, chosen: Bools) -> "Texts":
        """The chosen texts, in the same order."""
        return Texts(self.rows[chosen], self.authors[chosen], self.topics[chosen])


@record
class Draw:
    """Same-author and different-author pairs as indices of texts, each kind with its leads, and how many were left out."""

    same: tuple[Ints, Ints]
    different: tuple[Ints, Ints]
    left_out: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairing:
    """One way to draw pairs; `by_topic` says whether topics decide who is paired with whom."""

    label: str
    about: str
    draw: Callable[[Texts, np.random.Generator], Draw]
    by_topic: bool


def make_pairs(corpus: Corpus, rows: Ints, *, seed: int, kind: str = "matched") -> Pairs:
    """The pairs of these texts, drawn as PAIRINGS[kind] says (docs/methods.md, Folds, models and scores).

    No pair comes twice: two texts by an author make one pair, not two. The draw hangs on ids and names, not on the
    order of the file. Texts without an author are in no pair.
    """
    if kind not in PAIRINGS:
        raise unknown("kind of pairs", kind, PAIRINGS)
    if corpus.author_names is None or corpus.author_codes is None:
        raise SettingError("The corpus names no authors, and verification pairs need them; choose an author column.")
    rows = np.array(sorted(np.unique(rows).tolist(), key=corpus.ids.__getitem__), dtype=np.int64)
    texts = Texts(rows, corpus.author_codes[rows], corpus.topic_codes[rows])
    notes = []
    known = corpus.known_authors[texts.authors]
    if not known.all():
        notes.append(f"{int((~known).sum()):,} texts without an author are in no pair.")
        texts = texts.part(known)
    sizes = np.bincount(texts.authors)
    if (sizes > 0).sum() < 2:
        raise SettingError(
            f"{counted(len(texts), 'text')} by {counted(int((sizes > 0).sum()), 'author')}: different-author pairs need two authors "
            "on each side of a fold; choose another author column, or, if the corpus has more authors, fewer folds."
        )
    if sizes.max() < 2:
        raise SettingError(
            f"Each of the {len(texts):,} texts has an author of its own: same-author pairs need an author with two texts on "
            f"each side of a fold; {_remedy(corpus)}."
        )
    alone = int((sizes == 1).sum())
    if alone:
        notes.append(
            f"{alone:,} of {len(texts):,} texts {'has' if alone == 1 else 'have'} no other text by {'its' if alone == 1 else 'their'} author on this side."
        )
    pairs = drawn_pairs(texts, np.random.default_rng(seed), kind=kind, notes=tuple(notes))
    if not len(pairs):
        raise SettingError(
            f"None of {pairs.left_out:,} same-author pairs can be matched: on the second text's topic nobody else wrote "
            "on this side of the fold; use fewer folds, or the paper's pairs, which do not match topics."
        )
    return pairs


def _remedy(corpus: Corpus) -> str:
    """Fewer folds help only where somebody wrote two texts at all."""
    if most_texts(corpus) < 2:
        return "no author of the corpus wrote two, so choose another author column"
    return "use fewer folds, or choose another author column"


def most_texts(corpus: Corpus) -> int:
    """How many texts the author with most of them wrote; 0 where no author is known."""
    if corpus.author_codes is None:
        return 0
    return int(np.bincount(corpus.author_codes[corpus.known_authors[corpus.author_codes]], minlength=1).max())


def drawn_pairs(texts: Texts, rng: np.random.Generator, *, kind: str, notes: tuple[str, ...] = ()) -> Pairs:
    """The pairs of these texts, lead by lead, the one with the lead's own author first; there may be none."""
    drawn = PAIRINGS[kind].draw(texts, rng)
    first, second = (np.concatenate(each) for each in zip(drawn.same, drawn.different, strict=True))
    same = np.repeat([True, False], [len(drawn.same[0]), len(drawn.different[0])])
    by_lead = np.lexsort((~same, first))
    first, second, same = first[by_lead], second[by_lead], same[by_lead]
    return Pairs(
        texts.rows[first],
        texts.rows[second],
        same,
        first_author=texts.authors[first],
        second_author=texts.authors[second],
        first_topic=texts.topics[first],
        second_topic=texts.topics[second],
        kind=kind,
        left_out=drawn.left_out,
        notes=(*notes, *drawn.notes),
    )


def _matched(texts: Texts, rng: np.random.Generator) -> Draw:
    """For each same-author pair (x, y) the pair (x, z), z on y's topic and by another author: topics tell nothing.

    Where there is no such z, or none that makes a new pair, both are left out.
    """
    leads, mates = _ring(texts.authors, rng)
    # In the order of topics and, within them, of authors: all of a topic is one stretch, all of an author in it another.
    order = np.lexsort((texts.authors, texts.topics))
    by_topic = texts.topics[order]
    by_both = by_topic * (texts.authors.max() + 1) + texts.authors[order]
    wanted, own = texts.topics[mates], texts.topics[mates] * (texts.authors.max() + 1) + texts.authors[leads]
    start, own_start = np.searchsorted(by_topic, wanted), np.searchsorted(by_both, own)
    own_size = np.searchsorted(by_both, own, "right") - own_start
    room = np.searchsorted(by_topic, wanted, "right") - start - own_size
    possible = np.flatnonzero(room > 0)

    def draw(again: Ints) -> Ints:
        # A number below the count of foreign texts, moved past the author's own: no draw is ever rejected.
        chosen = possible[again]
        drawn = start[chosen] + rng.integers(0, room[chosen])
        return np.asarray(order[drawn + np.where(drawn >= own_start[chosen], own_size[chosen], 0)])

    others = _all_different(leads[possible], draw, len(texts), rng)
    found, others = possible[others >= 0], others[others >= 0]
    missing = len(leads) - len(found)
    notes = (
        f"{missing:,} of {len(leads):,} same-author pairs are left out: there is no text by somebody else on the second "
        "text's topic to set beside them.",
    )
    return Draw((leads[found], mates[found]), (leads[found], others), missing, notes if missing else ())


def _as_in_paper(texts: Texts, rng: np.random.Generator) -> Draw:
    """Every text with another of its author, if there is one, and with a text of somebody else: first who, then which."""
    same = _ring(texts.authors, rng)
    order, block, starts, sizes = by_author(texts.authors, rng)
    leads = np.arange(len(texts))

    def draw(again: Ints) -> Ints:
        other = rng.integers(0, len(sizes) - 1, size=len(again))
        other += other >= block[again]
        return starts[other] + rng.integers(0, sizes[other])

    others = _all_different(leads, draw, len(texts), rng)
    found, missing = others >= 0, int((others < 0).sum())
    notes = (
        (f"{missing:,} texts lead no different-author pair: every one they could lead is taken.",) if missing else ()
    )
    return Draw(same, (order[leads[found]], order[others[found]]), missing, notes)


def by_author(authors: Ints, rng: np.random.Generator) -> tuple[Ints, Ints, Ints, Ints]:
    """Texts author by author, each one's shuffled; of every place in that order its author's number; and of every
    author where the stretch starts and how long it is."""
    shuffled = rng.permutation(len(authors))
    order = shuffled[np.argsort(authors[shuffled], kind="stable")]
    block, sizes = np.unique(authors[order], return_inverse=True, return_counts=True)[1:]
    return order, block, np.cumsum(sizes) - sizes, sizes


def _ring(authors: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Each text with the next of its author, the last with the first: a ring names no pair twice if it has three texts;
    a ring of two would, so only its first text leads."""
    order, block, starts, sizes = by_author(authors, rng)
    within = np.arange(len(authors)) - starts[block]
    leads = np.flatnonzero((sizes[block] > 2) | ((sizes[block] == 2) & (within == 0)))
    mates = starts[block[leads]] + (within[leads] + 1) % sizes[block[leads]]
    return order[leads], order[mates]


def _all_different(leads: Ints, draw: Callable[[Ints], Ints], count: int, rng: np.random.Generator) -> Ints:
    """A partner for each lead such that no unordered pair comes twice; −1 where chance found none.

    `draw` takes places in `leads` and gives a partner for each; partners are numbered as leads are, below `count`.
    """
    partners = np.empty(len(leads), dtype=np.int64)
    again = np.arange(len(leads))
    for _ in range(_MOST_REDRAWS):
        partners[again] = draw(again)
        # Which of two equal pairs is redrawn must be chance, or a text whose every partner chose it could never move.
        mixed = rng.permutation(len(leads))
        keys = np.minimum(leads, partners) * count + np.maximum(leads, partners)
        keep = np.unique(keys[mixed], return_index=True)[1]
        again = np.sort(np.delete(mixed, keep))
        if not len(again):
            break
    partners[again] = -1
    return partners


PAIRINGS: dict[str, Pairing] = {
    "matched": Pairing(
        "Matched topics",
        "Beside each pair by one author stands one by two authors with the same lead and the same two topics, so that "
        "topics cannot tell them apart.",
        _matched,
        by_topic=True,
    ),
    "paper": Pairing(
        "As in the paper",
        "Every text with another by its author and with one by somebody else, whatever their topics (HITS, section 5.1).",
        _as_in_paper,
        by_topic=False,
    ),
}
