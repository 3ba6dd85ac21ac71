"""The bundled network is what its builder writes, and is as its description says."""

import csv

import numpy as np

from core.demo import FAMILIES, LINKS, PASTIMES, bundled_network
from data.network import rows


def test_the_files_are_the_builders():
    links, labels = rows()
    for file, header, expected in (
        (LINKS, ["source", "target"], links),
        (FAMILIES, ["node", "label", "part"], labels),
    ):
        with file.open(encoding="utf-8", newline="") as opened:
            assert list(csv.reader(opened)) == [header, *map(list, expected)]


def test_six_volumes_of_pieces_linked_by_their_reporter(courier, family_of):
    found = bundled_network()
    assert (len(found), len(found.parts), len(found.links), found.notes) == (1_500, 6, 5_280, ())
    author = dict(zip(courier["id"], courier["author"], strict=True))
    topic = dict(zip(courier["id"], courier["topic"], strict=True))
    for first, second in found.links:
        assert author[found.nodes[first]] == author[found.nodes[second]]
    assert all(
        found.classes[code] == family_of[topic[node]] for node, code in zip(found.nodes, found.codes, strict=True)
    )
    degrees = np.bincount(found.links.ravel(), minlength=1_500)
    assert degrees.max() == 8 and degrees.min() >= 1


def test_the_task_is_near_even_and_labels_run_along_links():
    networks = bundled_network().networks(PASTIMES)
    assert all(0.4 < network.labels.mean() < 0.5 for network in networks)
    assert 0.2 < np.mean([network.autocorrelation for network in networks]) < 0.3
