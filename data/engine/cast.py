"""Who and what a document is about: a small cast of fillers that it keeps coming back to."""

import re
from random import Random

from .authors import Author
from .material import Topic
from .seeds import chance, pick, rng, shuffled

BEAT_RATE = 0.5
"""Probability that a new filler comes from the author's favourites."""
MAIN_RATE = 0.85
"""Probability that a slot repeats the document's first filler."""

MET_ONCE = frozenset({"object", "instrument", "delay_cause", "event", "rival", "clock", "kit"})
"""Slots whose fillers are one particular thing: 'a signal fault' the first time, 'the signal fault' after that."""


def beat(author: Author, topic: Topic, slot: str, *, seed: int) -> list[str]:
    """The fillers an author returns to: the same in every topic that shares the slot.

    People and places are keyed by family too, so that a beat never betrays its author outside the family.
    """
    owner = topic.name if slot in topic.own_slots else topic.family
    fillers = topic.slots[slot]
    return sorted(shuffled(rng(seed, "beat", author.name, owner, slot), fillers)[: max(2, len(fillers) // 6)])


class Cast:
    """Draws fillers for one document, favouring the author's beat and what was drawn before."""

    def __init__(self, random: Random, author: Author, topic: Topic, *, seed: int) -> None:
        self._random = random
        self._author = author
        self._topic = topic
        self._seed = seed
        self._main: dict[str, str] = {}
        self._introduced: set[str] = set()
        self._speaker: str | None = None
        self.said: set[str] = set()
        """Openers, asides and sign-offs of this document so far."""

    def filler(self, slot: str, taken: set[str]) -> str:
        """A filler that its sentence does not hold yet."""
        if slot == "person":
            # A sentence gives its person a part to play, and nobody plays two.
            return self.newcomer()
        main = self._main.get(slot)
        if main is not None and main not in taken and slot != "weekday" and chance(self._random, MAIN_RATE):
            chosen = main
        else:
            chosen = self._draw(slot, taken)
            self._main.setdefault(slot, chosen)
        taken.add(chosen)
        if slot in MET_ONCE and chosen in self._introduced:
            return re.sub(r"^an? ", "the ", chosen)
        self._introduced.add(chosen)
        return chosen

    def newcomer(self) -> str:
        """A person not met in the document so far, by full name."""
        person = self._draw("person", self._introduced)
        self._introduced.add(person)
        _, first, last = person.split("|")
        return f"{first} {last}"

    def new_speaker(self) -> str:
        """A newcomer who may speak again."""
        before = set(self._introduced)
        name = self.newcomer()
        (self._speaker,) = self._introduced - before
        return name

    def same_speaker(self) -> str | None:
        """Whoever spoke last by name, as the author names people the second time."""
        if self._speaker is None:
            return None
        title, first, last = self._speaker.split("|")
        return {"surname": last, "title": f"{title} {last}", "full": f"{first} {last}"}[self._author.later_mention]

    def _draw(self, slot: str, taken: set[str]) -> str:
        favourites = beat(self._author, self._topic, slot, seed=self._seed)
        pools = [favourites, self._topic.slots[slot]] if chance(self._random, BEAT_RATE) else [self._topic.slots[slot]]
        for pool in pools:
            free = [filler for filler in pool if filler not in taken]
            if free:
                return pick(self._random, free)
        return pick(self._random, self._topic.slots[slot])
