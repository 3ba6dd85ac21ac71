"""Which languages texts look to be in, by their scripts and their small words: a guess, for advice and for stop words."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..arrays import record

LOOKED_AT = 500  # texts, evenly spaced over the corpus
CHARACTERS = 1_000  # of each
FEWEST_SMALL_WORDS = 0.06  # share of a text's words from which its language is told; lists of keywords have none
ENGLISH, UNKNOWN, SEVERAL = "English", "unknown", "in several languages"

# The small words that a text in one of these languages can hardly do without, and that few others have.
SMALL_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        ENGLISH: "the and that with this which from are were have has been they their there would will you not but what to of is it",
        "German": "der die das und nicht ist ein eine einen einem einer mit sich auf für von den dem des zu auch als wird sind wurde "
        "werden aber oder noch nach bei aus wie wenn nur über haben hat war im zum zur dass daß ich wir sie",
        "French": "le la les des et est une un dans que qui pour sur pas avec sont plus par ce cette du au aux ne se mais nous vous il "
        "elle ils ont été être leur comme ou où ses son",
        "Spanish": "el la los las que y en un una es por con para del se no lo como más pero sus su al está son fue este esta entre "
        "cuando muy sin sobre también hasta hay donde",
        "Italian": "il lo gli di che e è un una per con non sono del della nel nella dei delle alla da si come più ma anche questo "
        "questa stato essere hanno ha sul dalla",
        "Portuguese": "o os as que e do da dos das em um uma não para com é por no na nos nas mais se como mas ao pelo pela são foi "
        "ser seu sua também está já",
        "Dutch": "de het een en van dat die niet zijn met voor op ook aan er te om maar bij door uit naar wordt werd nog worden dit "
        "deze heeft hij ze wij als dan",
        "Swedish": "och att det som en på är av för med till den har inte om ett men var jag vi från så kan när ut även",
        "Danish or Norwegian": "og at det som en på er af av for med til den har ikke om et men var jeg vi fra så kan når også blev",
        "Polish": "i w na nie się z do to że jest o jak za po od przez co ale tak dla jego był być oraz tym które który są",
        "Czech": "a v na se je že s z do o to i ve za jako by pro jsou po ale jeho jsem také který která od bylo byl",
        "Turkish": "ve bir bu da de için ile çok olarak daha gibi olan en ne kadar sonra var ama o şey değil ya ki her",
        "Finnish": "ja on ei se että oli hän mutta kun tai ovat myös joka niin kuin hänen ollut sen ole sekä",
        "Hungarian": "a az és hogy nem is egy meg de van volt ez már csak el mint vagy azt még ezt ha",
        "Romanian": "și de la în cu nu pe un o care din mai este să se pentru ca sunt au dar fost prin acest",
        "Indonesian or Malay": "yang dan di ini itu dengan untuk dari tidak dalam pada akan adalah ke juga oleh ada karena telah",
        "Vietnamese": "và của là có không được cho một trong với những các người đã này khi để từ đến cũng",
    }.items()
}
# First word of a character's Unicode name, and what texts mostly in such characters are: of scripts that many languages
# share, only that they are in its letters.
SHARED_SCRIPTS = {
    "CYRILLIC": "in Cyrillic letters",
    "ARABIC": "in Arabic letters",
    "DEVANAGARI": "in Devanagari letters",
}
SCRIPTS = SHARED_SCRIPTS | {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "GREEK": "Greek",
    "HEBREW": "Hebrew",
    "THAI": "Thai",
    "ARMENIAN": "Armenian",
    "GEORGIAN": "Georgian",
    "BENGALI": "Bengali",
    "TAMIL": "Tamil",
}

_LETTERS = re.compile(r"[^\W\d_]+")


@record
class Languages:
    """How many of the texts looked at seem to be in each language, the most frequent first; UNKNOWN for those that do not
    tell."""

    texts: Mapping[str, int]

    @property
    def mostly(self) -> str | None:
        """The language other than English that texts look to be in, where more than half do not look English; else None.

        Texts that do not tell count for neither side.
        """
        told = {language: count for language, count in self.texts.items() if language != UNKNOWN}
        total = sum(told.values())
        if total <= sum(self.texts.values()) / 2 or told.get(ENGLISH, 0) >= total / 2:
            return None
        first = next(language for language in told if language != ENGLISH)
        return first if told[first] > total / 2 else SEVERAL


def languages_of(texts: Sequence[str]) -> Languages:
    """What at most 500 texts, evenly spaced, look to be written in."""
    step = max(1, len(texts) // LOOKED_AT)
    counts = Counter(language_of(text) for text in texts[::step][:LOOKED_AT])
    return Languages(dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))))


def language_of(text: str) -> str:
    """The language of a text by its script or, among those in Latin letters, by the most of its small words."""
    start = text[:CHARACTERS]
    letters = Counter(_script(letter) for word in _LETTERS.findall(start) for letter in word)
    if not letters:
        return UNKNOWN
    if letters["Japanese"] > 0.1 * letters.total():  # of Japanese, the larger part may be Han
        return "Japanese"
    script, count = letters.most_common(1)[0]
    if script != "LATIN" and count > letters.total() / 2:
        return script if script in SCRIPTS.values() else UNKNOWN
    words = _LETTERS.findall(start.lower())
    hits = {language: sum(word in small for word in words) for language, small in SMALL_WORDS.items()}
    best = max(hits, key=hits.__getitem__)
    return best if hits[best] > FEWEST_SMALL_WORDS * len(words) else UNKNOWN


@lru_cache(maxsize=4_096)
def _script(letter: str) -> str:
    first = unicodedata.name(letter, "?").split()[0]
    return SCRIPTS.get(first, first)


def language_advice(texts: Sequence[str], encoder: str) -> str | None:
    """What to know before an encoder that reads English is given these texts; None where they are English or do not tell."""
    language = languages_of(texts).mostly
    if language is None:
        return None
    one = language not in (*SHARED_SCRIPTS.values(), SEVERAL)
    return (
        f"Most texts look {'to be ' if one else ''}{language}, and {encoder}'s model reads English: choose "
        "LSA, which counts the words of any language, or a multilingual model as 'Another model'."
    )


def small_words(texts: Sequence[str]) -> frozenset[str]:
    """The small words of the languages that these texts are in, English apart, which has a longer list elsewhere."""
    shares = languages_of(texts).texts
    least = 0.05 * sum(shares.values())
    mine = [SMALL_WORDS[language] for language, count in shares.items() if count > least and language in SMALL_WORDS]
    return frozenset().union(*(words for words in mine if words is not SMALL_WORDS[ENGLISH]))
