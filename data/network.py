"""A network of the bundled corpus: pieces of the Courier, linked by their reporter, labelled by the family of their topic.

`python -m data.network` writes `courier_links.csv` and `courier_families.csv`. Six volumes of 250 pieces in printing order, each a network
by itself; in a volume a piece is linked with the next four by the same reporter. Reporters keep to home families, so linked
pieces are often of one family: the network is as its corpus is, fictional, but nobody drew its links with labels in view.
"""

import csv
import json
from itertools import groupby
from pathlib import Path

HERE = Path(__file__).parent
VOLUME, REACH = 250, 4


def rows() -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    """(source, target) of every link, and (node, label, part) of every piece."""
    truth = json.loads((HERE / "ground_truth.json").read_text(encoding="utf-8"))
    family = {topic: name for name, topics in truth["families"].items() for topic in topics}
    with (HERE / "courier.csv").open(encoding="utf-8", newline="") as file:
        pieces = sorted(csv.DictReader(file), key=lambda piece: piece["id"])
    links, labels = [], []
    for start in range(0, len(pieces), VOLUME):
        volume = pieces[start : start + VOLUME]
        labels += [(piece["id"], family[piece["topic"]], f"volume {start // VOLUME + 1}") for piece in volume]
        by_author = sorted(volume, key=lambda piece: (piece["author"], piece["id"]))
        for _, group in groupby(by_author, key=lambda piece: piece["author"]):
            ids = [piece["id"] for piece in group]
            links += [(one, other) for place, one in enumerate(ids) for other in ids[place + 1 : place + 1 + REACH]]
    return sorted(links), labels


def write() -> None:
    """Write both files."""
    links, labels = rows()
    for name, header, lines in (
        ("courier_links.csv", ("source", "target"), links),
        ("courier_families.csv", ("node", "label", "part"), labels),
    ):
        with (HERE / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *lines])


if __name__ == "__main__":
    write()
