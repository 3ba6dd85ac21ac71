"""Which templates a document uses, so that no two documents come close to sharing a third of them."""

from dataclasses import dataclass
from random import Random

from .material import Topic
from .seeds import chance, pick, shuffled, whole

FAMILY_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Draft:
    """The templates of one document, in order; `body` pairs each with its part: 'told' or 'spoken'."""

    lead: str
    body: tuple[tuple[str, str], ...]
    closer: str

    def templates(self) -> frozenset[str]:
        return frozenset([self.lead, self.closer, *(template for _, template in self.body)])


def draft(topic: Topic, random: Random) -> Draft:
    """A lead, six to ten sentences of which one to three are spoken, a closer."""
    length = whole(random, 6, 10)
    spoken = whole(random, 1, 3)
    told = length - spoken
    from_family = sum(chance(random, FAMILY_SHARE) for _ in range(told))
    body = [("told", template) for template in shuffled(random, topic.sentences)[: told - from_family]]
    body += [("told", template) for template in shuffled(random, topic.family_sentences)[:from_family]]
    body += [("spoken", template) for template in shuffled(random, topic.quotes)[:spoken]]
    return Draft(pick(random, topic.leads), tuple(shuffled(random, body)), pick(random, topic.closers))


def too_similar(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two documents share a third of the shorter one's templates."""
    return 3 * len(one & other) >= min(len(one), len(other))
