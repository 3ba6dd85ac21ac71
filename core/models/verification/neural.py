"""What the verifiers trained by gradient descent share: one thread, draws from the seed, epochs that end early, told one by one."""

import ctypes
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ...arrays import Floats, Ints, Tensor, canonical, record
from ...errors import SettingError
from ...extras import require
from ...progress import Pace, tell
from ...splits import Pairs
from ..contract import Documents, Settings
from ..metrics import verification_scores

Weights: TypeAlias = dict[str, Tensor]
Batch = TypeVar("Batch")
TRIM = 4  # batches


@dataclass(frozen=True, slots=True)
class TorchSettings(Settings):
    """Settings of a model that torch trains: another torch trains other weights, so its version is in the key."""

    def key(self) -> str:
        return torch_key(self)


def torch_key(settings: TorchSettings, **instead: object) -> str:
    """Return the key of these settings, with the values in `instead`."""
    torch = ".".join(version("torch").split(".")[:2])
    return canonical(settings.name, settings.version, torch=torch, **asdict(settings) | instead)


@record
class Authored:
    """The texts to learn from, by author: only authors of two texts or more, since others make no pair."""

    rows: tuple[Ints, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def texts(self) -> int:
        """Count the texts."""
        return sum(map(len, self.rows))


@record
class Schooling:
    """What training came to: the loss of every epoch, the held-out AUC after it (NaN where it is undefined), and the epoch
    whose weights were kept, counted from 1."""

    losses: tuple[float, ...]
    judged: tuple[float, ...]
    kept: int
    weights: Weights = field(repr=False)

    def note(self, model: str, most: int) -> str:
        """Return in a sentence how far training went."""
        auc = self.judged[self.kept - 1]
        why = "the last" if np.isnan(auc) else f"where held-out pairs reach an AUC of {auc:.3f}"
        return (
            f"{model} trained for {len(self.losses)} of at most {most} epochs, its loss falling from {self.losses[0]:.2f} to "
            f"{min(self.losses):.2f}; kept is epoch {self.kept}, {why}."
        )


def by_text(documents: Documents, rows: Ints) -> Ints:
    """Sort rows by their texts, so that random draws do not depend on the order of the file."""
    return np.array(sorted(rows.tolist(), key=lambda row: documents.texts[row]), dtype=np.int64)


def authored(documents: Documents, pairs: Pairs, *, model: str) -> Authored:
    """Group the texts of these pairs by author; raise an error where fewer than two authors have two."""
    rows, first = np.unique(np.concatenate([pairs.first, pairs.second]), return_index=True)
    authors = np.concatenate([pairs.first_author, pairs.second_author])[first]
    groups = tuple(by_text(documents, rows[authors == author]) for author in np.unique(authors))
    several = tuple(group for group in groups if len(group) > 1)
    if len(several) < 2:
        raise SettingError(
            f"{model} learns from at least two authors with two texts each. In the training pairs, {len(several)} of "
            f"{len(groups):,} authors have that many. Use fewer folds, or a corpus with more texts per author."
        )
    return Authored(several)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute in one thread inside this block: how a sum is split into threads changes its last digits."""
    require("sbert", "A neural verifier")
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def trimmed(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield the batches of an epoch; after every TRIM of them let the C library return unused memory.

    Batches differ in size, so that freed blocks seldom fit the next: on SCOTUS they came to 2 GB, a hundred megabytes a batch.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    for number, batch in enumerate(batches, start=1):
        yield batch
        if trim is not None and number % TRIM == 0:
            trim(0)


def generator(seed: int) -> Any:
    """Return a torch generator with this seed; torch's shared generator is not touched."""
    import torch

    return torch.Generator().manual_seed(seed)


def school(
    weights: Weights,
    *,
    epochs: int,
    patience: int,
    one_epoch: Callable[[int], float],
    judge: Callable[[], float],
) -> Schooling:
    """Train epoch by epoch and keep the weights that tell held-out pairs apart best; `patience` epochs without a gain end it.

    `one_epoch` changes the weights and gives its mean loss; `judge` gives the held-out AUC. Where that is undefined, all
    epochs are trained and the last is kept.
    """
    pace, losses, judged = Pace(), list[float](), list[float]()
    best, kept, held = -np.inf, 0, dict(weights)
    for epoch in range(epochs):
        tell(epoch, epochs, f"epoch {epoch + 1} of {epochs}", pace.left(epoch, epochs - epoch))
        losses.append(one_epoch(epoch))
        judged.append(judge())
        if np.isnan(judged[-1]) or judged[-1] > best:
            best, kept = judged[-1], epoch + 1
            held = {name: value.detach().clone() for name, value in weights.items()}
        elif epoch + 1 - kept >= patience:
            break
    return Schooling(tuple(losses), tuple(judged), kept, held)


def held_auc(scores: Floats, pairs: Pairs) -> float:
    """Return the AUC of these scores from 0 to 1; NaN where the pairs are all of one kind."""
    return verification_scores(pairs.same, scores).auc
