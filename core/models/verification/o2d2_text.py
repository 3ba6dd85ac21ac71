"""Texts as O2D2 reads them: words and their characters, in windows that overlap."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...arrays import Ints, record

WINDOW, HOP, MOST_WINDOWS = 30, 26, 210  # tokens, tokens, windows a text
MOST_CHARACTERS = 15  # of a word
CHARACTERS = 200  # told apart
EMPTY, UNKNOWN = 0, 1
_TOKEN = re.compile(r"\w+|[^\w\s]")


@record
class TextReader:
    """The words and characters of the training texts that are told apart; all others are one unknown each."""

    words: dict[str, int]
    characters: dict[str, int]

    def read(self, text: str) -> "ReadText":
        """The text's windows of words, and the distinct words in them with their characters."""
        tokens = _TOKEN.findall(text)[: MOST_WINDOWS * HOP + WINDOW - HOP]
        starts = range(0, max(len(tokens) - (WINDOW - HOP), 1), HOP)
        distinct = {token: index for index, token in enumerate(dict.fromkeys(tokens), start=1)}
        windows = np.zeros((len(starts), WINDOW), dtype=np.int64)
        for row, start in enumerate(starts):
            part = [distinct[token] for token in tokens[start : start + WINDOW]]
            windows[row, : len(part)] = part
        if not tokens:
            distinct, windows[0, 0] = {"": 1}, 1  # a text without a token is one unknown word
        words = np.array([EMPTY, *(self.words.get(token, UNKNOWN) for token in distinct)], dtype=np.int64)
        spelled = np.zeros((len(words), MOST_CHARACTERS), dtype=np.int64)
        for row, token in enumerate(distinct, start=1):
            codes = [self.characters.get(character, UNKNOWN) for character in token[:MOST_CHARACTERS]]
            spelled[row, : len(codes)] = codes
        return ReadText(windows, words, spelled)


@record
class ReadText:
    """Windows of places in the text's own list of distinct words (0 where a window is not full), that list as codes of the
    vocabulary, and each one's characters."""

    windows: Ints
    words: Ints
    spelled: Ints


def learn_reader(texts: Sequence[str], *, vocabulary: int) -> TextReader:
    """The most frequent words and characters of these texts."""
    words, characters = Counter[str](), Counter[str]()
    for text in texts:
        tokens = _TOKEN.findall(text)
        words.update(tokens)
        characters.update("".join(tokens))
    return TextReader(_codes(words, vocabulary), _codes(characters, CHARACTERS))


def _codes(counted: Counter[str], most: int) -> dict[str, int]:
    """Codes from 2 on, the most frequent first; equals in the order of the alphabet, whatever the order of the texts."""
    ranked = sorted(counted, key=lambda item: (-counted[item], item))[:most]
    return {item: code for code, item in enumerate(ranked, start=UNKNOWN + 1)}
