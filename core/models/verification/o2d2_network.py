"""O2D2's encoder (Boenninghoff et al. 2021): texts to words and characters in windows that overlap, windows to one vector a text."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, Tensor, record
from .neural import Weights

WINDOW, HOP, MOST_WINDOWS = 30, 26, 210  # tokens, tokens, windows a text
MOST_CHARACTERS = 15  # of a word
CHARACTERS = 200  # told apart
EMPTY, UNKNOWN = 0, 1
_TOKEN = re.compile(r"\w+|[^\w\s]")
CHARACTER, SPELLING, WIDTH = 10, 30, 4  # numbers a character, channels and width of the convolution
VECTOR = 60  # numbers of a text


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


def start_weights(reader: TextReader, *, word: int, hidden: int, generator: Any) -> Weights:
    """Every weight of the encoder, drawn at random: word vectors too, which no published table gives."""
    import torch

    def drawn(*shape: int, bound: float) -> Tensor:
        return torch.empty(*shape).uniform_(-bound, bound, generator=generator)

    weights: Weights = {
        "characters": drawn(UNKNOWN + 1 + len(reader.characters), CHARACTER, bound=0.5),
        "spelling.weight": drawn(SPELLING, CHARACTER, WIDTH, bound=(CHARACTER * WIDTH) ** -0.5),
        "spelling.bias": torch.zeros(SPELLING),
        "words": drawn(UNKNOWN + 1 + len(reader.words), word, bound=0.1),
        "vector.weight": drawn(VECTOR, 2 * hidden, bound=(3 / hidden) ** 0.5),
        "vector.bias": torch.zeros(VECTOR),
    }
    for level, size in (("tokens", word + SPELLING), ("windows", 2 * hidden)):
        for way in ("forth", "back"):
            weights[f"{level}.{way}.in"] = drawn(4 * hidden, size, bound=size**-0.5)
            weights[f"{level}.{way}.on"] = drawn(4 * hidden, hidden, bound=hidden**-0.5)
            weights[f"{level}.{way}.bias"] = torch.zeros(4 * hidden)
            weights[f"{level}.{way}.bias"][hidden : 2 * hidden] = 1.0  # an open gate at first: nothing is forgotten
            weights[f"{level}.{way}.none"] = torch.zeros(4 * hidden)  # torch asks for a second bias
        weights[f"{level}.attend.weight"] = drawn(2 * hidden, 2 * hidden, bound=(2 * hidden) ** -0.5)
        weights[f"{level}.attend.bias"] = torch.zeros(2 * hidden)
        weights[f"{level}.attend.to"] = drawn(2 * hidden, bound=(2 * hidden) ** -0.5)
    return weights


def text_vectors(weights: Weights, texts: Sequence[ReadText]) -> Tensor:
    """VECTOR numbers from −1 to 1 a text; every distinct word of a text is spelled once."""
    import torch
    from torch.nn.functional import linear, pad

    spelled = torch.from_numpy(np.concatenate([text.spelled for text in texts]))
    codes = torch.from_numpy(np.concatenate([text.words for text in texts]))
    known = torch.cat([weights["words"][codes], _spelling(weights, spelled)], dim=1)
    offsets = np.cumsum([0, *(len(text.words) for text in texts)])[:-1]
    windows = torch.from_numpy(
        np.concatenate([text.windows + start for text, start in zip(texts, offsets, strict=True)])
    )
    there = torch.from_numpy(np.concatenate([text.windows != EMPTY for text in texts]))
    used = int(there.sum(1).max())
    windows, there = windows[:, :used], there[:, :used]
    read = _attended(weights, "tokens", known[windows], there)
    counts = [len(text.windows) for text in texts]
    longest = max(counts)
    padded = torch.stack([pad(part, (0, 0, 0, longest - len(part))) for part in read.split(counts)])
    full = torch.arange(longest) < torch.tensor(counts)[:, None]
    return torch.tanh(
        linear(_attended(weights, "windows", padded, full), weights["vector.weight"], weights["vector.bias"])
    )


def one_vector(weights: Weights, text: ReadText) -> Floats:
    """One text's vector, computed alone: company would change its last digits."""
    import torch

    with torch.no_grad():
        return np.asarray(text_vectors(weights, [text])[0].double().numpy())


def _spelling(weights: Weights, spelled: Tensor) -> Tensor:
    """The strongest answer of each channel along a word's characters."""
    import torch
    from torch.nn.functional import conv1d

    characters = weights["characters"][spelled] * (spelled != EMPTY)[:, :, None]
    answers = conv1d(
        characters.transpose(1, 2), weights["spelling.weight"], weights["spelling.bias"], padding=WIDTH - 1
    )
    return torch.tanh(answers).amax(2)


def _attended(weights: Weights, level: str, x: Tensor, there: Tensor) -> Tensor:
    """An LSTM in both directions along x, and the mean of its states by their attention; what only fills up counts nothing."""
    import torch
    from torch.nn.functional import linear

    states = _lstm(weights, level, x, there.sum(1))
    looked = torch.tanh(linear(states, weights[f"{level}.attend.weight"], weights[f"{level}.attend.bias"]))
    shares = torch.softmax((looked @ weights[f"{level}.attend.to"]).masked_fill(~there, -torch.inf), dim=1)
    return (shares[:, :, None] * states).sum(1)


def _lstm(weights: Weights, level: str, x: Tensor, lengths: Tensor) -> Tensor:
    """Both directions of torch's own LSTM, each over as many steps as a row has."""
    import torch
    from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

    parts = [weights[f"{level}.{way}.{part}"] for way in ("forth", "back") for part in ("in", "on", "bias", "none")]
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    start = x.new_zeros(2, len(x), parts[1].shape[1])
    states = torch.lstm(packed.data, packed.batch_sizes, (start, start), parts, True, 1, 0.0, False, True)[0]
    whole = PackedSequence(states, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
    return pad_packed_sequence(whole, batch_first=True, total_length=x.shape[1])[0]
