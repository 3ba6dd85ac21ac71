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
from ..topics import FORMATS, TopicSpace, documents_table, hits_path, make_sample, optimum, twin_line
from .design import KINDS, Option, dealt, merging_line
from .least_leakage import Wishes, least_leakage

COLUMNS = {"fold": "Folds from 1 on, each the test side once.", "split": "Train and test: fold 1 is the test side."}
HITS_PAPER = """@article{sawatphol-etal-2024-addressing,
  title = {Addressing Topic Leakage in Cross-Topic Evaluation for Authorship Verification},
  author = {Sawatphol, Jitkapat and Udomcharoenchaikit, Can and Nutanong, Sarana},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {12},
  pages = {1363--1377},
  year = {2024},
  doi = {10.1162/tacl_a_00709}
}
"""
LEAKSCOPE = f"""@software{{leakscope,
  title = {{Leakscope}},
  author = {{{{The Leakscope maintainers}}}},
  version = {{{__version__}}},
  year = {{2026}}
}}
"""


def option_folds(corpus: Corpus, space: TopicSpace, option: Option, *, k: int, wishes: Wishes) -> Ints:
    """The fold of each topic under an option; −1 for a topic that is left out."""
    if option.kind == "random":
        return dealt(np.arange(len(space)), k=k, seed=option.seed or 0)
    if option.kind == "least-leakage":
        balance = wishes.balance if option.balance is None else option.balance
        wished = Wishes(balance, wishes.seen_authors, wishes.together, wishes.apart)
        return least_leakage(corpus, space, k=k, wishes=wished).fold_of
    m, path = option.m or 0, hits_path(space.similarity).order
    if option.kind == "least-maximum":
        sample = make_sample(space.similarity, optimum(space.similarity, m).topics)
    elif option.kind in ("grouping", "hybrid"):
        line = merging_line(twin_line(space.similarity, kind=space.kind))
        sample = make_sample(space.similarity, path[:m], policy=option.kind, threshold=line)
    else:
        sample = make_sample(space.similarity, path[:m])
    folds = dealt(np.sort(sample.selected), k=k, seed=option.seed or 0)
    return np.where(sample.assigned >= 0, folds[sample.assigned], -1)


def folds_file(corpus: Corpus, fold_of: Ints, *, format: str, column: str = "fold") -> bytes:
    """The documents that a split keeps, with a column of COLUMNS, as CSV, Parquet or JSON lines."""
    if format not in FORMATS:
        raise unknown("export format", format, FORMATS)
    return FORMATS[format](folds_table(corpus, fold_of, column=column))


def folds_table(corpus: Corpus, fold_of: Ints, *, column: str = "fold") -> pd.DataFrame:
    """The documents that a split keeps, each with its fold, or with the side that it is on while fold 1 is tested; a split
    that the corpus came with gives way to that."""
    if column not in COLUMNS:
        raise unknown("column of folds", column, COLUMNS)
    folds = fold_of[corpus.topic_codes]
    cells = folds + 1 if column == "fold" else np.where(folds == 0, "test", "train")
    table = documents_table(corpus).assign(**{column: cells})
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
    made = {
        "random": f"Topics were dealt into {k} folds at random (seed {option.seed}).",
        "hits": f"{option.m} topics were chosen by heterogeneity-informed topic sampling (HITS; Sawatphol et al., 2024) and "
        f"dealt into {k} folds at random (seed {option.seed}).",
        "least-maximum": f"The {option.m} topics whose most similar pair is least similar were chosen by integer programming and "
        f"dealt into {k} folds at random (seed {option.seed}).",
        "grouping": f"{option.m} topics were chosen by HITS (Sawatphol et al., 2024), every other topic was merged into the most "
        f"similar of them, and these were dealt into {k} folds at random (seed {option.seed}).",
        "hybrid": f"{option.m} topics were chosen by HITS (Sawatphol et al., 2024), every other topic that is at "
        f"least {merging_line(twin_line(space.similarity, kind=space.kind)):.2f} alike to one of them was merged into the most "
        f"similar, and the others dropped; they were dealt into {k} folds at random (seed {option.seed}).",
        "least-leakage": f"Topics were assigned to {k} folds so that the highest similarity of a training and a test topic is as "
        f"low as possible while {_conditions(option, wishes)}"
        + (", which was solved to proven optimality." if option.proven else "; optimality was not proven."),
    }[option.kind]
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
    return (HITS_PAPER + "\n" if option.kind in ("hits", "grouping", "hybrid") else "") + LEAKSCOPE


def option_label(option: Option) -> str:
    """One option in a few words, such as "HITS, m = 12"."""
    detail = {
        "random": f"seed {option.seed}",
        "least-leakage": f"balance {100 * option.balance:.0f} %" if option.balance is not None else "",
    }.get(option.kind, f"m = {option.m}")
    return f"{KINDS[option.kind]}, {detail}"
