"""Texts for the verifiers that are trained: authors who differ in habits alone, and pairs of them."""

import numpy as np

from core.corpora import Corpus, make_corpus

SUBJECTS = {
    "boats": ["harbour", "sail", "anchor", "tide", "mast", "deck", "rope", "crew", "gull", "wharf", "keel", "oar"],
    "bread": ["oven", "flour", "yeast", "loaf", "crust", "baker", "dough", "salt", "butter", "knead", "rye", "tray"],
    "trains": [
        "station",
        "platform",
        "engine",
        "signal",
        "whistle",
        "guard",
        "rails",
        "ticket",
        "tunnel",
        "bridge",
        "coach",
        "track",
    ],
    "gardens": ["rose", "spade", "hedge", "lawn", "seed", "apple", "pear", "barrow", "frost", "bloom", "shed", "soil"],
}
# An author's own: how a sentence opens, what joins its halves, how it ends.
HABITS = [
    ("Well,", "and", "!"),
    ("However,", "although", "."),
    ("Honestly", "but then", "..."),
    ("In short:", "whereas", "?"),
]


def written(author: int, subject: str, rng: np.random.Generator, *, sentences: int = 8) -> str:
    """A text whose words come from its subject, and whose habits from its author."""
    opens, joins, ends = HABITS[author]
    words = SUBJECTS[subject]

    def half() -> str:
        return f"the {rng.choice(words)} near the {rng.choice(words)} was by the {rng.choice(words)}"

    return " ".join(f"{opens} {half()} {joins} {half()}{ends}" for _ in range(sentences))


def habits_corpus(*, each: int = 4, subjects: tuple[str, ...] = tuple(SUBJECTS), seed: int = 0) -> Corpus:
    """Every author writes `each` texts on every subject, so that subjects tell nothing about authors."""
    rng = np.random.default_rng(seed)
    rows = [(author, subject) for subject in subjects for author in range(len(HABITS)) for _ in range(each)]
    texts = [written(author, subject, rng) for author, subject in rows]
    return make_corpus(texts, [subject for _, subject in rows], authors=[f"author {author}" for author, _ in rows])
