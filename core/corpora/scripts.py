"""Words of any script: pairs of characters where a script has no spaces, whole words where it has vowel signs."""

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

# Thai and Lao, Burmese, Khmer; kana, Han: written without spaces between words.
_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_SIGNS = "\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SPACELESS, _FIRST_SIGN = re.compile(f"[{_LETTERS}{_SIGNS}]+"), _SIGNS[0]
# Punctuation and Chinese characters, which word-piece models read one by one; and what is between them.
_ALONE = "!-/:-@\\[-`{-~\u2010-\u2027\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_PIECE = re.compile(f"[{_ALONE}]|[^\\s{_ALONE}]+")
# Devanagari to Sinhala without their full stops: words hold vowel signs, which `\\w` does not match.
_VOWELLED = "\u0900-\u0963\u0966-\u0dff"
_SIGNED = re.compile(f"[{_VOWELLED}]+")
# Combining accents and points in Latin, Greek, Cyrillic, Hebrew and Arabic.
_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]"
)
_WORD = re.compile(r"\w+")
_IN_ORDER = re.compile(f"[{_VOWELLED}]+|[{_LETTERS}{_SIGNS}]|(?:(?![{_LETTERS}{_SIGNS}{_VOWELLED}])\\w)+")
# How much a word says, a character of Han or kana, and a letter of Thai and similar scripts.
OF_A_WORD, OF_A_SIGN, OF_A_LETTER = 10, 6, 3


def without_spaces(texts: Sequence[str], *, share: float = 0.0) -> bool:
    """Tell whether more than this share of the texts use a script without spaces; by default whether any does."""
    enough = int(share * len(texts)) + 1
    found = (text for text in texts if not text.isascii() and _SPACELESS.search(text))
    return sum(1 for _ in islice(found, enough)) == enough


def counted_words(text: str) -> list[str]:
    """Return what counts as words in the length of a text: runs of letters and digits, or characters without spaces."""
    if text.isascii():
        return _WORD.findall(text)
    text = _MARKS.sub("", text)
    characters = [letter for run in _SPACELESS.findall(text) for letter in run if letter.isalnum()]
    return [*_WORD.findall(_SIGNED.sub(" ", _SPACELESS.sub(" ", text))), *_SIGNED.findall(text), *characters]


def in_order(text: str) -> list[str]:
    """Return the words of a text in order, character by character for scripts without spaces."""
    if text.isascii():
        return _WORD.findall(text)
    return [word for word in _IN_ORDER.findall(_MARKS.sub("", text)) if len(word) > 1 or word.isalnum() or word == "_"]


def weight_of(word: str) -> int:
    """Return how much a word of `in_order` says: three words equal five characters of Han or kana, or ten of Thai."""
    if len(word) > 1 or word.isascii() or not _SPACELESS.match(word):
        return OF_A_WORD
    return OF_A_LETTER if word < _FIRST_SIGN else OF_A_SIGN


def has_pieces(text: str, at_least: int) -> bool:
    """Tell whether a word-piece model (such as BERT) reads at least this many pieces; a word may have several."""
    if len(text) < at_least:
        return False
    if len(text.split(None, at_least)) >= at_least:
        return True
    return sum(1 for _ in islice(_PIECE.finditer(text), at_least)) == at_least


def word_options(texts: Sequence[str], pattern: str) -> dict[str, Any]:
    """Return the options with which scikit-learn's CountVectorizer finds the words of these texts."""
    if without_spaces(texts) or any(not text.isascii() and _SIGNED.search(text) for text in texts):
        return {"tokenizer": tokenizer(pattern), "token_pattern": None}
    return {"token_pattern": pattern}


def has_terms(counter: Any, texts: Sequence[str]) -> bool:
    """Tell whether a CountVectorizer finds a term in any of these texts; fitting it fails if it finds none."""
    return any(map(counter.build_analyzer(), texts))


def tokenizer(pattern: str) -> Callable[[str], list[str]]:
    """Return a function that finds the words that match the pattern, and those of scripts that no pattern can split."""
    usual = re.compile(pattern)

    def words(text: str) -> list[str]:
        signed = _SIGNED.findall(text)
        runs = _SPACELESS.findall(text)
        pairs = [run[start : start + 2] for run in runs for start in range(max(1, len(run) - 1))]
        return [*usual.findall(_SIGNED.sub(" ", _SPACELESS.sub(" ", text))), *signed, *pairs]

    return words
