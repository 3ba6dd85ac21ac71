"""From template to plain sentence: slots, choice points, numbers, contractions and spelling in an author's hand."""

import re
from functools import cache
from random import Random

from .authors import Author
from .cast import Cast
from .material import DATA, read_json
from .seeds import chance, pick, whole

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

_NOT = r"[Dd]o|[Dd]oes|[Dd]id|[Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Hh]as|[Hh]ave|[Hh]ad|[Ww]ould|[Cc]ould|[Ss]hould"
# "We have lost" may be shortened, "we have a roof" may not.
_PARTICIPLE = "been|seen|had|never|heard|lost|got|known|thrown|burnt|always|all|looked|cancelled|closed"
_STRESSED = "".join(
    f"(?<!{word} )"
    for word in ["than", "as", "what", "how", "where", "in", "of", "with", "for", "on", "to", "from", "by", "at"]
)
_CONTRACTIONS = [
    (re.compile(r"\b([Cc])annot\b"), r"\1an't"),
    (re.compile(r"\b([Ww])ill not\b"), r"\1on't"),
    (re.compile(rf"\b({_NOT}) not\b"), r"\1n't"),
    # Not before a pause, not where the verb carries the stress ("than it is now"), not after "the surgery in it".
    (re.compile(rf"{_STRESSED}\b([Ii]t|[Tt]here|[Tt]hat) is(?= [a-z])"), r"\1's"),
    (re.compile(r"(?<!than )(?<!as )\b([Tt]hey|[Ww]e|[Yy]ou) are(?= [a-z])"), r"\1're"),
    (re.compile(r"\bI am(?= [a-z])"), "I'm"),
    (re.compile(r"\b(I|[Ww]e|[Yy]ou|[Tt]hey|[Ii]t) will(?= [a-z])"), r"\1'll"),
    (re.compile(rf"\b(I|[Ww]e|[Yy]ou|[Tt]hey) have(?= ({_PARTICIPLE})\b)"), r"\1've"),
    (re.compile(r"\bI would(?= [a-z])"), "I'd"),
]


@cache
def language() -> dict:
    return read_json(DATA / "language.json")


def worded(template: str, cast: Cast, author: Author, random: Random) -> str:
    """The template with everything decided except punctuation and spelling.

    A sentence that starts with a slot comes back as it would read after a comma: 'the bassoons', but 'Mereside'.
    """
    # Two choices so common that the material need not mark them.
    text = re.sub(r"(?<!<)\b([Ss]uch as|[Mm]ore than(?= \{n:))", r"<\1>", template)
    text = text.replace("<,>", "," if author.serial_comma else "")
    text = re.sub(r"<([^<>]+)>,?", lambda m: _choice(m, author, random), text)
    taken: set[str] = set()
    text = re.sub(r"\{([A-Za-z][a-z_ ]*)\}", lambda m: cast.filler(m[1][0].lower() + m[1][1:], taken), text)
    text = re.sub(r"(£?)\{n:(\d+)-(\d+)\}(\.\d|[a-z]?)", lambda m: _numbered(m, author, random), text)
    if author.percent != "per cent":
        text = text.replace("per cent", author.percent)
    return contracted(text, author, random)


def contracted(text: str, author: Author, random: Random) -> str:
    for pattern, short in _CONTRACTIONS:
        text = pattern.sub(lambda m: m.expand(short) if chance(random, author.contractions) else m[0], text)  # noqa: B023
    return text


def spelled(text: str, author: Author) -> str:
    """American spelling in the groups where the author keeps to it."""
    for group in author.american:
        words = language()["spelling"][group]
        text = re.sub(_any_of(group), lambda m: _like(m[0], words[m[0].lower()]), text)  # noqa: B023
    return text


def with_articles(text: str) -> str:
    """'a' or 'an' by the sound of the word that the press happened to put after it."""
    article = re.compile(r"\b([Aa])n? (?=([A-Za-z0-9][\w-]*))")
    return article.sub(lambda m: m[1] + ("n " if _vowel_sound(m[2]) else " "), text)


def in_words(number: int) -> str:
    if number < 20:
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")


def _choice(match: re.Match, author: Author, random: Random) -> str:
    point = match[1].lower()
    variants = language()["choices"][point]
    favourite = author.favours.get(point, variants[0])
    others = [variant for variant in variants if variant != favourite]
    variant = favourite if chance(random, author.favour_rate) else pick(random, others)
    # "However," has its own comma; any other choice keeps the one that the template gave it.
    comma = "," if match[0].endswith(",") and point != "however" else ""
    return variant + comma


def _numbered(match: re.Match, author: Author, random: Random) -> str:
    pound, low, high, tail = match[1], int(match[2]), int(match[3]), match[4]
    number = whole(random, low, high)
    # Nobody counts 1,287 shoppers; years keep their last digit.
    is_year = low >= 1500 and high <= 2100
    if number >= 200 and not is_year and high - low >= 100:
        number = max(low, number - number % 10)
    starts = match.start() == 0
    if number < 100 and not pound and not tail and (starts or number < author.number_words_below):
        return in_words(number)
    digits = f"{number:,}" if number >= 1000 and not is_year else str(number)
    return f"{pound}{digits}{tail}"


@cache
def _any_of(group: str) -> re.Pattern:
    words = sorted(language()["spelling"][group], key=lambda word: (-len(word), word))
    return re.compile(rf"\b({'|'.join(words)})\b", re.IGNORECASE)


def _like(old: str, new: str) -> str:
    return new.capitalize() if old[0].isupper() else new


def _vowel_sound(word: str) -> bool:
    word = word.lower()
    if word[0].isdigit():
        return word[0] == "8" or word in ("11", "18") or word.startswith(("11-", "18-"))
    if re.match(r"(hour|honest|honou?r|heir)", word):
        return True
    return word[0] in "aeiou" and not re.match(r"(one|once|uni(?!n)|use|usu|eu|ukulele|u-)", word)
