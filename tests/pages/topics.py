"""Made tables for pages: topics with words of their own, or of a sister topic's, whatever the verdict should be."""

import numpy as np


def made_csv(sizes: dict[str, int], *, sisters: dict[str, str] | None = None, shuffled: bool = False) -> bytes:
    """Texts of 30 words, most of them the topic's own twenty (or its sister's), the others everybody's; two authors."""
    rng = np.random.default_rng(0)
    rows = []
    for topic, size in sizes.items():
        words = [f"{(sisters or {}).get(topic, topic)}word{number}" for number in range(20)]
        for _ in range(size):
            own, common = rng.choice(words, 20), rng.choice([f"common{number}" for number in range(40)], 10)
            rows.append([" ".join([*own, *common]), topic, f"author {rng.integers(2)}"])
    if shuffled:
        labels = rng.permutation([topic for _, topic, _ in rows])
        rows = [[text, label, author] for (text, _, author), label in zip(rows, labels, strict=True)]
    return "\n".join(["text,topic,author", *(",".join(row) for row in rows)]).encode()


def sized(topics: int, documents: int) -> dict[str, int]:
    """This many topics of this many documents: ta, tb, …"""
    return {f"t{chr(ord('a') + number)}": documents for number in range(topics)}
