"""A chosen split to take away: the documents with their folds, the settings, and what to write of it in a paper."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from ..arrays import Ints
from ..corpora import Corpus
from ..errors import unknown
from ..formats import listed, percent
from ..topics import POLICIES, SAMPLERS, TopicSpace, documents_table, make_sample, twin_line
from .design import merging_line
from .kinds import split_kind
from .least_leakage import Wishes, least_leakage
from .option import Option, dealt

COLUMNS = {"fold": "Folds from 1 on, each the test side once.", "split": "Train and test: fold 1 is the test side."}
LEAKSCOPE = f"""@software{{leakscope,
  title = {{Leakscope}},
  author = {{{{The Leakscope maintainers}}}},
  version = {{{__version__}}},
  year = {{2026}}
}}
"""


def option_folds(corpus: Corpus, space: TopicSpace, option: Option, *, k: int, wishes: Wishes) -> Ints:
    """The fold of each topic under an option; −1 for a topic that is left out."""
    kind = split_kind(option.kind)
    if option.kind == "least-leakage":
        balance = wishes.balance if option.balance is None else option.balance
        wished = Wishes(balance, wishes.seen_authors, wishes.together, wishes.apart)
        return least_leakage(corpus, space, k=k, wishes=wished).fold_of
    if kind.sampler is None:
        return dealt(np.arange(len(space)), k=k, seed=option.seed or 0)
    selected = SAMPLERS[kind.sampler].selected(space.similarity, option.m or 0)
    sample = make_sample(space.similarity, selected, policy=kind.policy, threshold=_line_of(space, kind.policy))
    folds = dealt(np.sort(sample.selected), k=k, seed=option.seed or 0)
    return np.where(sample.assigned >= 0, folds[sample.assigned], -1)


def _line_of(space: TopicSpace, policy: str) -> float:
    """From how alike on topics are merged, where the policy asks."""
    takes = POLICIES[policy].takes_threshold
    return merging_line(twin_line(space.similarity, kind=space.kind)) if takes else 0.0


def folds_table(corpus: Corpus, fold_of: Ints, *, column: str = "fold") -> pd.DataFrame:
    """The documents that a split keeps, each with its fold, or with the side that it is on while fold 1 is tested. A split
    that the corpus came with is left out: beside the folds it would be taken for theirs."""
    if column not in COLUMNS:
        raise unknown("column of folds", column, COLUMNS)
    folds = fold_of[corpus.topic_codes]
    cells = folds + 1 if column == "fold" else np.where(folds == 0, "test", "train")
    table = documents_table(corpus).drop(columns="split", errors="ignore").assign(**{column: cells})
    return table[folds >= 0].reset_index(drop=True)


def split_settings(
    corpus: Corpus, space: TopicSpace, option: Option, fold_of: Ints, *, k: int, wishes: Wishes, more: Mapping[str, Any]
) -> dict[str, Any]:
    """What makes the split again, and each topic's fold."""
    measured = {name: None if value != value else value for name, value in asdict(option).items()}
    return {
        "leakscope": __version__,
        "corpus": corpus.name,
        "content": corpus.content_digest,
        "similarity": space.kind,
        "k": k,
        "option": measured,
        "wishes": asdict(wishes),
        "folds": {name: int(fold) + 1 if fold >= 0 else None for name, fold in zip(space.names, fold_of, strict=True)},
        **more,
    }


def methods_paragraph(
    corpus: Corpus, space: TopicSpace, option: Option, *, k: int, encoder: str, wishes: Wishes | None = None
) -> str:
    """What a methods section may say of the split; wishes are of least-leakage folds alone."""
    kept = f"{option.documents:,} of {len(corpus):,} documents on {option.topics} of {len(space)} topics"
    similarity = {
        "corrected": "the mean cosine of documents of two topics relative to that of documents within each, which does not "
        "depend on topic sizes",
        "plain": "the cosine of topic centroids",
    }[space.kind]
    kind = split_kind(option.kind)
    made = kind.methods.format(
        m=option.m,
        k=k,
        seed=option.seed,
        threshold=_line_of(space, kind.policy),
        conditions=_conditions(option, wishes),
    )
    if option.kind == "least-leakage":
        made += ", which was solved to proven optimality." if option.proven else "; optimality was not proven."
    seen = (
        ""
        if option.seen_authors != option.seen_authors
        else f" {percent(option.seen_authors)} of the test documents are by authors who are also in training."
    )
    alike = (
        "how alike its training and test topics are is unknown."
        if option.max != option.max
        else f"training and test topics are at most {option.max:.2f} alike, and the nearest training topic of a test topic "
        f"{option.nearest_mean:.2f} on average."
    )
    return (
        f"We measured how alike topics are by {similarity} (vectors: {encoder}). {made} The split keeps {kept}; {alike}{seen} "
        f"The split was made with Leakscope {__version__}."
    )


def _conditions(option: Option, wishes: Wishes | None) -> str:
    """What least-leakage folds were to keep to."""
    wishes = Wishes() if wishes is None else wishes
    said = [f"no fold exceeds the mean size by more than {percent(option.balance or 0)}"]
    if wishes.seen_authors > 0:
        said.append(
            f"at least {percent(wishes.seen_authors)} of the test documents are by authors of training documents"
        )
    said += [listed([f"'{name}'" for name in names]) + " are in one fold" for names in wishes.together]
    said += [f"'{one}' and '{two}' are in different folds" for one, two in wishes.apart]
    return listed(said)


def references(option: Option) -> str:
    """BibTeX of what the paragraph cites."""
    cited = split_kind(option.kind).reference
    return (cited + "\n" if cited else "") + LEAKSCOPE


def option_label(option: Option) -> str:
    """One option in a few words, such as "HITS, m = 12"."""
    detail = {
        "random": f"seed {option.seed}",
        "least-leakage": f"balance {percent(option.balance)}" if option.balance is not None else "",
    }.get(option.kind, f"m = {option.m}")
    return f"{split_kind(option.kind).label}, {detail}"
