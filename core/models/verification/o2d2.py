"""O2D2 (Boenninghoff et al. 2021): a Siamese encoder of characters and words, a Bayes factor, and a detector of pairs better left
unanswered."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats, Ints, Tensor, record
from ...errors import SettingError
from ...splits import Pairs
from ..contract import Documents, Size
from ..metrics import UNANSWERED
from .neural import (
    Authored,
    Schooling,
    TorchSettings,
    Weights,
    authored,
    by_text,
    generator,
    held_auc,
    one_thread,
    school,
    trimmed,
)

WINDOW, HOP, MOST_WINDOWS = 30, 26, 210  # tokens, tokens, windows a text
MOST_CHARACTERS = 15  # of a word
CHARACTERS = 200  # distinguished
EMPTY, UNKNOWN = 0, 1
_TOKEN = re.compile(r"\w+|[^\w\s]")
CHARACTER, SPELLING, WIDTH = 10, 30, 4  # numbers a character, channels and width of the convolution
VECTOR = 60  # numbers of a text
FACTOR = 40  # dimensions of the Bayes factor
ALPHA, BETA = 0.09, 1.5  # of the kernel at the start
NEAR, FAR = 0.91, 0.09  # where the contrastive loss is content
CONFIDENCE = 0.105  # weight of the entropy term
DENSE = (2 * VECTOR + 4, 60, 30, 1)  # the detector's layers
DROPOUT = 0.25
UNSURE = (0.3, 0.7)  # posteriors that the detector learns to flag
STEPS, RATE = 300, 1e-3
FEWEST = 10  # pairs of each kind without which nothing is learned
LAST_RATE = 1 / 3  # of the first, in the last epoch: 6e-4 to 2e-4
CLIP = 5.0
DEPARTURES = (
    "O2D2 starts from random word vectors, not from fastText's. It trains for a few epochs on this fold's training side only, not "
    "on PAN's fan fiction. The sizes of its layers are ours."
)


@record
class TextReader:
    """The words and characters of the training texts that are distinguished; all others are one unknown each."""

    words: dict[str, int]
    characters: dict[str, int]

    def read(self, text: str) -> "ReadText":
        """Return the text's windows of words, and the distinct words in them with their characters."""
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
    """Return the most frequent words and characters of these texts."""
    words, characters = Counter[str](), Counter[str]()
    for text in texts:
        tokens = _TOKEN.findall(text)
        words.update(tokens)
        characters.update("".join(tokens))
    return TextReader(_codes_by_frequency(words, vocabulary), _codes_by_frequency(characters, CHARACTERS))


def _codes_by_frequency(counted: Counter[str], most: int) -> dict[str, int]:
    """Return codes from 2 on, the most frequent first; equals in alphabetical order, whatever the order of the texts."""
    ranked = sorted(counted, key=lambda item: (-counted[item], item))[:most]
    return {item: code for code, item in enumerate(ranked, start=UNKNOWN + 1)}


def start_weights(reader: TextReader, *, word: int, hidden: int, generator: Any) -> Weights:
    """Draw every weight of the encoder at random, word vectors too, which no published table gives."""
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
    """Return VECTOR numbers from −1 to 1 per text; every distinct word of a text is spelled once."""
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
    """Return one text's vector, computed alone: batches would change its last digits."""
    import torch

    with torch.no_grad():
        return np.asarray(text_vectors(weights, [text])[0].double().numpy())


def _spelling(weights: Weights, spelled: Tensor) -> Tensor:
    """Return the strongest answer of each channel along a word's characters."""
    import torch
    from torch.nn.functional import conv1d

    characters = weights["characters"][spelled] * (spelled != EMPTY)[:, :, None]
    answers = conv1d(
        characters.transpose(1, 2), weights["spelling.weight"], weights["spelling.bias"], padding=WIDTH - 1
    )
    return torch.tanh(answers).amax(2)


def _attended(weights: Weights, level: str, x: Tensor, there: Tensor) -> Tensor:
    """Run an LSTM in both directions along x and average its states by attention; padding does not count."""
    import torch
    from torch.nn.functional import linear

    states = _lstm(weights, level, x, there.sum(1))
    looked = torch.tanh(linear(states, weights[f"{level}.attend.weight"], weights[f"{level}.attend.bias"]))
    shares = torch.softmax((looked @ weights[f"{level}.attend.to"]).masked_fill(~there, -torch.inf), dim=1)
    return (shares[:, :, None] * states).sum(1)


def _lstm(weights: Weights, level: str, x: Tensor, lengths: Tensor) -> Tensor:
    """Run both directions of torch's own LSTM, each over as many steps as a row has."""
    import torch
    from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

    parts = [weights[f"{level}.{way}.{part}"] for way in ("forth", "back") for part in ("in", "on", "bias", "none")]
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    start = x.new_zeros(2, len(x), parts[1].shape[1])
    states = torch.lstm(packed.data, packed.batch_sizes, (start, start), parts, True, 1, 0.0, False, True)[0]
    whole = PackedSequence(states, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
    return pad_packed_sequence(whole, batch_first=True, total_length=x.shape[1])[0]


def start_heads(generator: Any) -> Weights:
    """Return the weights of all heads: diagonal covariances at first, dense layers at random."""
    import torch

    def dense(name: str, out: int, into: int) -> Weights:
        bound = into**-0.5
        weight = torch.empty(out, into).uniform_(-bound, bound, generator=generator)
        return {f"{name}.weight": weight, f"{name}.bias": torch.zeros(out)}

    return {
        "kernel.alpha": torch.tensor(ALPHA).log(),
        "kernel.beta": torch.tensor(BETA).log(),
        "factor.mean": torch.zeros(FACTOR),
        "factor.between": 0.3 * torch.eye(FACTOR),  # texts by one author hardly closer than others, until learned
        "factor.within": torch.eye(FACTOR),
        **dense("factor.map", FACTOR, VECTOR),
        **dense("confusion.map", FACTOR, FACTOR),
        **dense("confusion.entries", 4, FACTOR),
    }


def start_detector(generator: Any) -> Weights:
    """Return the detector's dense layers."""
    import torch

    weights: Weights = {}
    for number, (into, out) in enumerate(pairwise(DENSE)):
        bound = into**-0.5
        weights[f"{number}.weight"] = torch.empty(out, into).uniform_(-bound, bound, generator=generator)
        weights[f"{number}.bias"] = torch.zeros(out)
    return weights


@record
class Judged:
    """Of each pair: the kernel's similarity, the log Bayes factor, the confusion matrix [pair, is, says], and P(one author)."""

    similarity: Tensor
    log_factor: Tensor
    confusion: Tensor
    posterior: Tensor


def judged(weights: Weights, a: Tensor, b: Tensor) -> Judged:
    """Apply every head to pairs of vectors; the Bayes factor and the confusion matrix pass no gradient below themselves."""
    import torch
    from torch.nn.functional import linear

    apart = ((a - b) ** 2).sum(1)
    similarity = torch.exp(-weights["kernel.alpha"].exp() * (apart + 1e-9) ** weights["kernel.beta"].exp())
    x, y = (
        torch.tanh(linear(each.detach(), weights["factor.map.weight"], weights["factor.map.bias"])) for each in (a, b)
    )
    between, within = (covariance(weights[f"factor.{part}"]) for part in ("between", "within"))
    log_factor = log_bayes_factor(x, y, weights["factor.mean"], between, within)
    says = torch.sigmoid(log_factor.detach())
    apart = (x.detach() - y.detach()) ** 2
    inner = torch.tanh(linear(apart, weights["confusion.map.weight"], weights["confusion.map.bias"]))
    entries = linear(inner, weights["confusion.entries.weight"], weights["confusion.entries.bias"]).view(-1, 2, 2)
    # An entry says how likely it is one author (or two) where the Bayes factor says one (or two): at first, what it says.
    confusion = torch.softmax(entries + 2 * torch.eye(2), dim=1)
    posterior = (confusion[:, 1] * torch.stack([1 - says, says], dim=1)).sum(1)
    return Judged(similarity, log_factor, confusion, posterior)


def loss_of(found: Judged, same: Tensor) -> Tensor:
    """Sum the three losses: contrastive on the kernel, cross-entropy of the Bayes factor, and the confusion's.

    Pairs by one author weigh as much together as all pairs by two.
    """
    import torch
    from torch.nn.functional import binary_cross_entropy, binary_cross_entropy_with_logits, relu

    truth = same.to(found.similarity.dtype)
    near, far = relu(NEAR - found.similarity) ** 2, relu(found.similarity - FAR) ** 2
    contrastive = torch.where(same, near, far)
    factor = binary_cross_entropy_with_logits(found.log_factor, truth, reduction="none")
    posterior = binary_cross_entropy(found.posterior.clamp(1e-6, 1 - 1e-6), truth, reduction="none")
    certain = (found.confusion * found.confusion.clamp_min(1e-9).log()).sum((1, 2))
    losses = contrastive + factor + posterior + CONFIDENCE * certain
    kinds = [losses[kind].mean() for kind in (same, ~same) if bool(kind.any())]
    return torch.stack(kinds).mean()


def covariance(root: Tensor) -> Tensor:
    """Return L·Lᵀ, L the root's lower triangle, with a little on the diagonal so that it can always be inverted."""
    import torch

    lower = torch.tril(root)
    return lower @ lower.T + 1e-4 * torch.eye(len(root), dtype=root.dtype)


def log_bayes_factor(x: Tensor, y: Tensor, mean: Tensor, between: Tensor, within: Tensor) -> Tensor:
    """Return ln p(x, y | one author) − ln p(x, y | two), where an author's texts scatter by `within` around a point of their own, and
    authors' points by `between` around `mean` (two-covariance model; Cumani et al. 2013).

    (x + y)/√2 and (x − y)/√2 are independent under both, so that no matrix is larger than one text's.
    """
    total = 2 * mean
    plus, minus = (x + y - total) * 0.5**0.5, (x - y) * 0.5**0.5
    apart = between + within
    one = _log_density(plus, within + 2 * between) + _log_density(minus, within)
    return one - _log_density(plus, apart) - _log_density(minus, apart)


def _log_density(x: Tensor, spread: Tensor) -> Tensor:
    """Return ln N(x; 0, spread) without the constant, which cancels."""
    import torch

    root = torch.linalg.cholesky(spread)
    scaled = torch.linalg.solve_triangular(root, x.T, upper=False)
    return -0.5 * (scaled**2).sum(0) - root.diagonal().log().sum()


def detector_input(a: Tensor, b: Tensor, confusion: Tensor) -> Tensor:
    """Return the vectors' squared difference, their squared sum and the four entries of the confusion matrix."""
    import torch

    return torch.cat([(a - b) ** 2, (a + b) ** 2, confusion.reshape(-1, 4)], dim=1)


def flagged(weights: Weights, given: Tensor, generator: Any | None = None) -> Tensor:
    """Return log odds that a pair is better left unanswered; with a generator, some of every layer is dropped, as in training."""
    import torch
    from torch.nn.functional import linear

    last = len(DENSE) - 2
    for number in range(last + 1):
        given = linear(given, weights[f"{number}.weight"], weights[f"{number}.bias"])
        if number < last:
            given = torch.tanh(given)
            if generator is not None:
                kept = torch.rand(given.shape, generator=generator) >= DROPOUT
                given = given * kept / (1 - DROPOUT)
    return given[:, 0]


def train_detector(weights: Weights, vectors: Mapping[int, Floats], held: Pairs, *, seed: int) -> tuple[Weights, str]:
    """Return the detector's weights (none where there is nothing to learn) and a sentence on what was learned."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    double = {name: value.detach().double() for name, value in weights.items()}
    a, b = (torch.from_numpy(np.stack([vectors[row] for row in side.tolist()])) for side in (held.first, held.second))
    with torch.no_grad():
        found = judged(double, a, b)
    posterior = found.posterior.numpy()
    unsure = (posterior > UNSURE[0]) & (posterior < UNSURE[1])
    undecided = unsure | ((posterior > 0.5) != held.same)
    count = int(undecided.sum())
    if min(count, len(undecided) - count) < FEWEST:
        return (
            {},
            f"{count:,} of {len(undecided):,} held-out pairs are wrong or unsure, too few or too many to learn from: all are answered.",
        )
    given = detector_input(a, b, found.confusion)
    draws = generator(seed)
    detector = {name: value.double().requires_grad_(True) for name, value in start_detector(draws).items()}
    optimizer = torch.optim.Adam(detector.values(), lr=RATE)
    truth = torch.from_numpy(undecided).double()
    for _ in range(STEPS):
        loss: Tensor = binary_cross_entropy_with_logits(flagged(detector, given, draws), truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        left = int((flagged(detector, given) > 0).sum())
    said = f"{count:,} of {len(undecided):,} held-out pairs are wrong or unsure; the detector leaves {left:,} of them all unanswered."
    return {name: value.detach() for name, value in detector.items()}, said


@dataclass(frozen=True, slots=True)
class O2d2(TorchSettings):
    """Trained on all pairs in a batch of texts, shuffled every epoch."""

    epochs: int = 24
    patience: int = 6
    batch: int = 40  # texts
    rate: float = 2e-3
    vocabulary: int = 5_000  # the most frequent words
    word: int = 300  # numbers of a word vector
    hidden: int = 60  # numbers a direction of each LSTM

    name: ClassVar[str] = "o2d2"

    def __post_init__(self) -> None:
        if (
            min(self.epochs, self.patience, self.batch, self.vocabulary, self.word, self.hidden) < 1
            or not self.rate > 0
        ):
            raise SettingError("O2D2 needs 1 or more of everything that it counts, and a learning rate above 0.")

    def fit(self, documents: Documents, pairs: Pairs, *, held: Pairs, seed: int) -> "FittedO2d2":
        """Train on the texts in `pairs`, end by the AUC of `held`, and train the detector on its texts."""
        texts = authored(documents, pairs, model="O2D2")
        reader = learn_reader(documents.texts_of(pairs.rows), vocabulary=self.vocabulary)
        order = by_text(documents, np.union1d(pairs.rows, held.rows)).tolist()
        read = {row: reader.read(documents.texts[row]) for row in order}
        with one_thread():
            schooling = self._schooled(reader, texts, read, held, seed)
            vectors = {row: one_vector(schooling.weights, read[row]) for row in held.rows.tolist()}
            detector, said = train_detector(schooling.weights, vectors, held, seed=seed)
        words = f"{len(reader.words):,} words and {len(reader.characters):,} characters are told apart."
        notes = (DEPARTURES, schooling.note("O2D2", self.epochs), words, said)
        return FittedO2d2(reader, _double(schooling.weights), _double(detector), notes)

    def _schooled(
        self, reader: TextReader, texts: Authored, read: dict[int, ReadText], held: Pairs, seed: int
    ) -> Schooling:
        import torch

        rng, draws = np.random.default_rng(seed), generator(seed)
        weights = start_weights(reader, word=self.word, hidden=self.hidden, generator=draws) | start_heads(draws)
        learned = [value.requires_grad_(True) for name, value in weights.items() if not name.endswith(".none")]
        optimizer = torch.optim.Adam(learned, lr=self.rate)

        def one_epoch(epoch: int) -> float:
            done = epoch / max(self.epochs - 1, 1)
            for group in optimizer.param_groups:
                group["lr"] = self.rate * (1 - done + done * LAST_RATE)
            losses = []
            for rows, codes in trimmed(batches(texts, self.batch, rng)):
                vectors = text_vectors(weights, [read[row] for row in rows.tolist()])
                first, second = np.triu_indices(len(rows), k=1)
                same = torch.from_numpy(codes[first] == codes[second])
                loss = loss_of(judged(weights, vectors[first], vectors[second]), same)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(learned, CLIP)
                optimizer.step()
                losses.append(float(loss.detach()))
            return float(np.mean(losses))

        def judge() -> float:
            here = set(held.rows.tolist())
            rows = [row for row in read if row in here]  # in the order of their texts
            index = {row: number for number, row in enumerate(rows)}
            with torch.no_grad():
                parts = [rows[start : start + self.batch] for start in range(0, len(rows), self.batch)]
                vectors = torch.cat([text_vectors(weights, [read[row] for row in part]) for part in parts])
                first, second = ([index[row] for row in side.tolist()] for side in (held.first, held.second))
                posterior = judged(weights, vectors[first], vectors[second]).posterior
            return held_auc(posterior.double().clamp(0, 1).numpy(), held)

        return school(weights, epochs=self.epochs, patience=self.patience, one_epoch=one_epoch, judge=judge)


def batches(texts: Authored, batch: int, rng: np.random.Generator) -> Iterator[tuple[Ints, Ints]]:
    """Yield rows and author codes of an epoch's batches of `batch` texts, two by two from an author, every text about once."""
    twos = np.concatenate([rng.permutation(rows)[: len(rows) // 2 * 2].reshape(-1, 2) for rows in texts.rows])
    codes = np.repeat(np.arange(len(texts)), [len(rows) // 2 for rows in texts.rows])
    order = rng.permutation(len(twos))
    parts = -(-2 * len(twos) // batch)
    for part in np.array_split(order, parts):
        yield twos[part].ravel(), np.repeat(codes[part], 2)


def _double(weights: Weights) -> Weights:
    return {name: value.detach().double() for name, value in weights.items()}


@record
class FittedO2d2:
    """The posterior of the confusion layer, and no answer where the detector flags a pair."""

    reader: TextReader
    weights: Weights
    detector: Weights
    notes: tuple[str, ...]

    def score(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """Return the posterior from 0 to 1; ½ for a flagged pair."""
        posteriors, flags = self._asked(documents, first, second)
        return np.where(flags, UNANSWERED, posteriors)

    def raw(self, documents: Documents, first: Ints, second: Ints) -> Floats:
        """Return the posterior of every pair, flagged or not."""
        return self._asked(documents, first, second)[0]

    @property
    def raw_notes(self) -> tuple[str, ...]:
        """Return all notes but the last, which is about the detector."""
        return self.notes[:-1]

    def _asked(self, documents: Documents, first: Ints, second: Ints) -> tuple[Floats, Floats]:
        """Compute posterior and flag of each pair one at a time: batches would change the last digits."""
        import torch

        rows = np.unique(np.concatenate([first, second])).tolist()
        posteriors, flags = np.empty(len(first)), np.zeros(len(first), dtype=bool)
        with one_thread(), torch.no_grad():
            vectors = {row: self._vector(documents.texts[row]) for row in rows}
            for index, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
                a, b = vectors[one], vectors[other]
                found = judged(self.weights, a, b)
                posteriors[index] = float(found.posterior.clamp(0, 1))
                flags[index] = bool(self.detector) and bool(
                    flagged(self.detector, detector_input(a, b, found.confusion)) > 0
                )
        return posteriors, flags

    def _vector(self, text: str) -> Tensor:
        return text_vectors(self.weights, [self.reader.read(text)])


def memory(size: Size) -> float:
    """Estimate bytes: every training text as codes of words and characters, and a batch with its gradients."""
    return 700_000_000 + 12.0 * size.characters
