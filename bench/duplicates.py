"""How many planted near duplicates are found, edit by edit, and how many texts are flagged that are none.

Twenty training texts of 20 Newsgroups are changed and put into the test side, beside texts that are left as they are.
"""

import argparse
import re
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd

from bench import exit_code, newsgroups, sized
from core.splits import near_duplicates

PLANTED = 20


def replaced(share: float) -> Callable[[str, np.random.Generator], str]:
    """Return an edit that replaces this share of the words."""

    def edit(text: str, rng: np.random.Generator) -> str:
        words = text.split()
        for place in rng.choice(len(words), round(share * len(words)), replace=False):
            words[place] = "replaced"
        return " ".join(words)

    return edit


def reordered(text: str, rng: np.random.Generator) -> str:
    sentences = re.split(r"(?<=[.!?])\s+", text)
    return " ".join(sentences[place] for place in rng.permutation(len(sentences)))


def first(share: float) -> Callable[[str, np.random.Generator], str]:
    """Return an edit that keeps this share of the words, from the first on."""
    return lambda text, _: " ".join(text.split()[: int(share * len(text.split()))])


EDITS: dict[str, Callable[[str, np.random.Generator], str]] = {
    "case": lambda text, _: text.upper(),
    "punctuation": lambda text, _: re.sub(r"[^\w\s]", " ", text),
    "5% of words": replaced(0.05),
    "10% of words": replaced(0.1),
    "20% of words": replaced(0.2),
    "first half": first(0.5),
    "first 30%": first(0.3),
    "prefix added": lambda text, _: "Here is something that somebody wrote before the text itself. " * 3 + text,
    "sentences reordered": reordered,
}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=sized(2_000, 60), help="texts in training and test together")
    chosen = options.parse_args()
    if not newsgroups().exists():
        print("20 Newsgroups is not here; nothing measured")
        return 0
    every = pd.read_parquet(newsgroups())["text"].astype(str)
    texts = [text for text in every if 100 <= len(text.split()) <= 400][: chosen.texts]
    cut = int(0.8 * len(texts))
    rng = np.random.default_rng(0)
    source = rng.choice(cut, min(PLANTED, cut), replace=False)
    recall = {}
    for name, edit in EDITS.items():
        planted = [edit(texts[row], rng) for row in source]
        found = near_duplicates(texts[:cut] + planted, np.arange(cut), np.arange(cut, cut + len(planted)))
        recall[name] = int((found.train == source[found.test - cut]).sum())
        print(f"{name:20} {recall[name]:3} of {len(source)}")
    flagged = near_duplicates(texts, np.arange(cut), np.arange(cut, len(texts)))
    print(f"{'left as they are':20} {len(flagged):3} of {len(texts) - cut}")
    return exit_code(measured=recall["first half"] == recall["first 30%"] == len(source))


if __name__ == "__main__":
    sys.exit(main())
