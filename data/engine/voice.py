"""An author's voice: asides, openers, joins, splits, quotation and sign-offs."""

import re
from dataclasses import dataclass
from random import Random

from .authors import Author
from .cast import Cast
from .seeds import chance, pick
from .wording import contracted, language, spelled, with_articles, worded

FAVOURITE_RATE = 0.75
"""Probability that an opener, tail, sign-off or attribution is one of the author's own favourites."""
SAME_SPEAKER_RATE = 0.4
"""Probability that somebody quoted by name is quoted again."""

# Templates that start so may follow an opener or a join; any other may start with a name, an order or a choice.
_PLAIN_START = re.compile(
    r"\{[A-Za-z]|(The|A|An|It|There|This|That|These|Those|Some|Most|Each|Every|No|Nobody|Few|Both|Its|Their|They|We|One|People|In|At|"
    r"By|From|With|Under|Between|After|Before|When|If|Two|Young|Anyone|Nothing|Only|Without|Through) "
)
_ASIDE = re.compile(r", ((?:which|who|whose|where) [^,.?:]+), (?!and |but )")
# A noun after "and" may only end a list, so it starts a sentence of its own only if a verb follows.
_CLAUSE = re.compile(
    r", (and|but) (?=(it|they|there|nobody|he|she|we) |(?:the|a|some|no|this) (?:[\w'-]+ ){1,4}?(?:\w+ed|is|are|was|were|has|have|had|will|"
    r"can|could|would|may|must|does|did|isn't|aren't|wasn't|won't|can't|doesn't|didn't)\b)"
)
# Roles that would quarrel with a first name drawn at random.
_GENDERED = re.compile(
    r"sister|lady|mother|matron|treble|alto|soprano|tenor|bass\b|basses|baritone|schoolgirl|boy|foreman"
)
_TAILED = 24
_JOINED = 46
_EXCLAIMED = 14
"""Most words of a sentence that may take a tail, of a joined one, and of a closing one that may be exclaimed."""


@dataclass(slots=True)
class Part:
    """One sentence on its way into a document; a plain one may be joined to a neighbour.

    `text` reads as it would inside a sentence if `plain`, and as a sentence of its own if not.
    """

    text: str
    plain: bool

    def alone(self) -> str:
        return capitalised(self.text)


def leading(template: str, cast: Cast, author: Author, random: Random) -> Part:
    """The first sentence, which states the news and does without flourishes."""
    return Part(capitalised(_with_asides(worded(template, cast, author, random), author)), plain=False)


def narrated(template: str, cast: Cast, author: Author, random: Random, *, may_open: bool) -> Part:
    """A sentence of the reporter's own."""
    text = _with_asides(worded(template, cast, author, random), author)
    plain = text.endswith(".") and bool(_PLAIN_START.match(template))
    if plain and not template.startswith("{"):
        text = text[0].lower() + text[1:]
    tailless = text.endswith(".") and len(text.split()) <= _TAILED and " — " not in text and " (" not in text
    if tailless and chance(random, author.tail_rate):
        tail = contracted(_unsaid(author.tails, language()["tails"], cast, random), author, random)
        text, plain = _aside_at_end(text, tail, author), False
    elif author.split and chance(random, author.split):
        text = _split(text)
    if may_open and plain:
        opener = _opener(author, cast, random)
        if opener:
            # A first "I am told" may be contracted like any other.
            opener = contracted(opener + " x", author, random)[:-2]
            return Part(f"{opener} {text}", plain=False)
    return Part(text if plain else capitalised(text), plain=plain)


def quoted(template: str, speaker: str, cast: Cast, author: Author, random: Random) -> Part:
    """A spoken sentence and who spoke it."""
    speech = capitalised(worded(template, cast, author, random)).rstrip(".")
    mark = author.quote_mark
    if not speech.endswith("?") and chance(random, author.exclamation):
        speech += "!"
    stopped = speech.endswith(("?", "!"))
    again = cast.same_speaker()
    if again and chance(random, SAME_SPEAKER_RATE):
        who, apposition = again, ""
    elif chance(random, author.named_speakers) and not _GENDERED.search(speaker):
        who, apposition = cast.new_speaker(), f", {speaker}"
    else:
        who, apposition = speaker, ""
    manner = _favourite((author.attribution,), ["verb first", "name first", "lead in", "according"], random)
    verb = author.attribution_verb if chance(random, FAVOURITE_RATE) else "said"
    if manner == "verb first" and verb == "told the Courier":
        manner = "name first"
    if stopped:
        closed = f"{mark}{speech}{mark}"
    else:
        closed = f"{mark}{speech},{mark}" if author.comma_inside else f"{mark}{speech}{mark},"
    gap = f"{apposition}," if apposition else ""
    if manner == "verb first":
        text = f"{closed} {verb} {who}{apposition}."
    elif manner == "name first":
        text = f"{closed} {who}{gap} {verb}."
    elif manner == "according":
        text = f"{closed} according to {who}{apposition}."
    else:
        text = f"{capitalised(who)}{gap} {verb}: {mark}{speech}{'' if stopped else '.'}{mark}"
    return Part(text, plain=False)


def closing(template: str, cast: Cast, author: Author, random: Random) -> list[Part]:
    """The last sentence, and the sign-off of those who have one."""
    parts = [narrated(template, cast, author, random, may_open=False)]
    if chance(random, author.signoff_rate):
        text = contracted(_unsaid(author.signoffs, language()["signoffs"], cast, random), author, random)
        parts.append(Part(text, plain=False))
    short = len(parts[-1].text.split()) <= _EXCLAIMED
    if short and parts[-1].text.endswith(".") and chance(random, 2 * author.exclamation):
        parts[-1].text = parts[-1].text[:-1] + "!"
    return parts


def set_in_type(parts: list[Part], author: Author, random: Random) -> str:
    """The whole text: neighbours joined as the author joins them, then articles and spelling."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last and last.plain and part.plain and chance(random, author.join):
            text = f"{last.alone()[:-1]}{author.join_with}{part.text}"
            # A third ", and" in one sentence would be one too many.
            if len(text.split()) <= _JOINED and text.count(".") == 1 and text.count(", and ") <= 1:
                joined[-1] = Part(text, plain=False)
                continue
        joined.append(part)
    return spelled(with_articles(" ".join(part.alone() for part in joined)), author)


def capitalised(text: str) -> str:
    return text[0].upper() + text[1:]


def _favourite(own: tuple[str, ...], everyone: list[str], random: Random) -> str:
    return pick(random, own) if chance(random, FAVOURITE_RATE) else pick(random, everyone)


def _unsaid(own: tuple[str, ...], everyone: list[str], cast: Cast, random: Random) -> str:
    """A phrase the document has not used yet: the same aside twice on a page is a misprint, not a habit."""
    phrase = _favourite(own, everyone, random)
    while phrase in cast.said:
        phrase = _favourite(own, everyone, random)
    cast.said.add(phrase)
    return phrase


def _opener(author: Author, cast: Cast, random: Random) -> str | None:
    draw = random.random()
    if draw < author.opener_rate:
        return _unsaid(author.openers, language()["openers"], cast, random)
    draw -= author.opener_rate
    if draw < author.first_person:
        return _unsaid((pick(random, language()["frames"]),), language()["frames"], cast, random)
    draw -= author.first_person
    if draw < author.colon:
        return _unsaid((pick(random, language()["colon openers"]),), language()["colon openers"], cast, random)
    return None


def _with_asides(text: str, author: Author) -> str:
    if author.aside_marks == "dash":
        return _ASIDE.sub(r" — \1 — ", text)
    if author.aside_marks == "parentheses":
        return _ASIDE.sub(r" (\1) ", text)
    return text


def _aside_at_end(text: str, tail: str, author: Author) -> str:
    if author.aside_marks == "dash":
        return f"{text[:-1]} — {tail}."
    if author.aside_marks == "parentheses":
        return f"{text[:-1]} ({tail})."
    return f"{text[:-1]}, {tail}."


def _split(text: str) -> str:
    """', but the' as '. But the': the short-winded start again."""
    found = _CLAUSE.search(text)
    if not found or len(text[: found.start()].split()) < 5 or len(text[found.end() :].split()) < 4:
        return text
    rest = text[found.end() :]
    return f"{text[: found.start()]}. {'But ' + rest if found[1] == 'but' else rest[0].upper() + rest[1:]}"
