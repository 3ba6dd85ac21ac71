"""Latent group networks and relational classifiers: laws, worked values, scikit-learn."""

import numpy as np
import pytest
from scipy.optimize import minimize

from core.corpora.readers import File
from core.errors import InputError, SettingError
from core.papers.neville_2012 import read_network
from core.papers.neville_2012.networks import (
    MOST_LINKS,
    MOST_READ,
    RELATIONAL,
    RIDGE,
    Network,
    NetworkSettings,
    adjacency,
    latent_group_network,
    make_network,
    probabilities,
)


def made(count: int, seed: int = 0, **settings) -> list[Network]:
    rng = np.random.default_rng(seed)
    return [latent_group_network(NetworkSettings(**settings), rng) for _ in range(count)]


def graph(labels: list[bool], links: list[tuple[int, int]]) -> Network:
    return Network(np.array(labels), np.array(links).reshape(-1, 2))


@pytest.mark.parametrize(("mixed", "expected"), [("geometric", 0.38), ("mean", 0.35), ("minimum", 0.44)])
def test_autocorrelation_is_the_sheets(mixed, expected):
    networks = made(100, mixed=mixed)
    assert np.mean([network.autocorrelation for network in networks]) == pytest.approx(expected, abs=0.02)
    assert np.mean([network.labels.mean() for network in networks]) == pytest.approx(0.70, abs=0.02)


def test_links_have_the_rates_of_the_groups_they_join():
    inside, seen = np.zeros(2), np.zeros(2)
    for network in made(40, seed=1):
        first, second = network.links.T
        assert (first < second).all()
        same = network.groups[first] == network.groups[second]
        for kind in (0, 1):
            inside[kind] += (same & (network.type_a[first] == kind)).sum()
            sizes = np.bincount(network.groups[network.type_a == kind])
            seen[kind] += (sizes * (sizes - 1) / 2).sum()
    np.testing.assert_allclose(inside / seen, [0.4, 0.6], atol=0.02)


def test_autocorrelation_is_pearsons_over_both_directions():
    network = made(1, seed=3)[0]
    ends = network.labels[np.concatenate([network.links, network.links[:, ::-1]])]
    assert network.autocorrelation == pytest.approx(np.corrcoef(ends.T)[0, 1])
    assert np.isnan(graph([True, True], [(0, 1)]).autocorrelation)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"mixed": "median"}, "Choose one of: geometric, mean, minimum"),
        ({"nodes": 5}, "choose from 10 to 3,000"),
        ({"group_size": 0.5}, "choose from 1 to 300"),
        ({"inside_a": 1.2}, "inside_a is 1.2.* choose one from 0 to 1"),
    ],
)
def test_impossible_networks_are_refused(settings, sentence):
    with pytest.raises(SettingError, match=sentence):
        made(1, **settings)


def test_a_network_without_links_is_said():
    bare = made(1, inside_a=0, inside_b=0, between_a=0, between_b=0)
    with pytest.raises(SettingError, match="no link, so labels cannot be compared"):
        _ = bare[0].autocorrelation
    with pytest.raises(SettingError, match="no link, so neighbours say nothing"):
        adjacency(bare)


def found_in(network: Network, known: np.ndarray, **choice) -> np.ndarray:
    return probabilities(adjacency([network]), network.labels[None], known[None, :, None], **choice)[0, :, 0]


def test_wvrn_is_the_mean_of_the_neighbours():
    star = graph([True, True, False, True, False], [(0, 3), (1, 3), (2, 3)])
    known = np.array([True, True, True, False, False])
    found = found_in(star, known, model="wvrn")
    assert found[3] == pytest.approx(2 / 3, abs=1e-3)
    assert found[4] == pytest.approx((2 + 1) / (3 + 2))  # no neighbour: the labelled share of positives
    assert found[:3].tolist() == [1.0, 1.0, 0.0]


def test_nbc_is_naive_bayes_on_the_neighbours():
    # Labelled links: + + twice, + − once; the last node has two positive neighbours and one negative.
    network = graph([True, True, True, False, False, False], [(0, 1), (1, 2), (2, 3), (0, 5), (1, 5), (4, 5)])
    known = np.array([True, True, True, True, True, False])
    found = found_in(network, known, model="nbc")[5]
    beside_positive, beside_negative = (4 + 1) / (5 + 2), (1 + 1) / (1 + 2)
    odds = (3 + 1) / (2 + 1)
    odds *= (beside_positive / beside_negative) ** 2 * (1 - beside_positive) / (1 - beside_negative)
    assert found == pytest.approx(odds / (1 + odds), abs=1e-3)


def test_link_based_is_a_logistic_regression_on_the_counts_of_neighbours_classes():
    """The same loss minimised by scipy: cross-entropy over labelled nodes plus half the ridge times squared weights."""
    (network,) = made(1, seed=4, nodes=120)
    known = np.random.default_rng(1).random(120) < 0.5
    table = adjacency([network]).toarray()
    counts = np.column_stack([np.ones(120), table @ (known & network.labels), table @ (known & ~network.labels)])
    prior = ((known & network.labels).sum() + 1) / (known.sum() + 2)
    start = np.log(prior / (1 - prior))

    def loss(weights):
        odds = start + counts[known] @ weights
        return np.logaddexp(0, np.where(network.labels[known], -odds, odds)).sum() + RIDGE / 2 * weights @ weights

    weights = minimize(loss, np.zeros(3), tol=1e-10).x
    expected = 1 / (1 + np.exp(-start - counts[~known] @ weights))
    alone = found_in(network, known, model="link", collective=False)
    np.testing.assert_allclose(alone[~known], expected, atol=1e-5)


def test_link_based_learns_neighbours_that_are_unlike():
    """A network of couples of opposite classes: the vote of neighbours is always wrong, a model that learns is not."""
    network = graph([node % 2 == 0 for node in range(60)], [(node, node + 1) for node in range(0, 60, 2)])
    known = np.zeros(60, bool)
    known[:40] = True
    known[40:60:2] = True
    right = {
        name: ((found_in(network, known, model=name) > 0.5) == network.labels)[~known].mean() for name in RELATIONAL
    }
    assert right == {"wvrn": 0.0, "nbc": 1.0, "link": 1.0}


@pytest.mark.parametrize("name", sorted(RELATIONAL))
def test_a_fold_with_one_class_is_survived(name):
    network = graph([True] * 6 + [False] * 6, [(node, node + 1) for node in range(11)])
    found = found_in(network, np.arange(12) < 4, model=name)
    assert np.isfinite(found).all() and (found[:6] > 0.5).all()


@pytest.mark.parametrize("collective", [True, False])
@pytest.mark.parametrize("name", sorted(RELATIONAL))
def test_classifiers_keep_labels_give_probabilities_and_treat_networks_apart(name, collective):
    networks = made(3, seed=5, nodes=80)
    labels = np.stack([network.labels for network in networks])
    known = np.random.default_rng(0).random((3, 80, 4)) < 0.3

    def found_with(shown, given=networks, rows=slice(None)):
        return probabilities(adjacency(given), shown[rows], known[rows], model=name, collective=collective)

    found = found_with(labels)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[known] == np.broadcast_to(labels[:, :, None], known.shape)[known]).all()
    for index, network in enumerate(networks):
        np.testing.assert_allclose(found_with(labels, [network], [index])[0], found[index], atol=1e-9)
    hidden = labels.copy()
    hidden[~known.any(axis=2)] ^= True  # labels never shown make no difference
    np.testing.assert_allclose(found_with(hidden), found)


def test_without_collective_inference_only_labelled_neighbours_count():
    chain = graph([True, False, False], [(0, 1), (1, 2)])
    known = np.array([True, False, False])
    assert found_in(chain, known, model="wvrn", collective=False)[2] == pytest.approx(2 / 3)  # the prior
    assert found_in(chain, known, model="wvrn")[2] > 0.8


def test_a_name_that_is_none_is_said():
    with pytest.raises(SettingError, match="Choose one of: link, nbc, wvrn"):
        found_in(graph([True, False], [(0, 1)]), np.array([True, False]), model="gcn")


CHAIN = [(f"n{node}", f"n{node + 1}") for node in range(29)]
NODES = [(f"n{node}", "abc"[node % 3]) for node in range(30)]


def test_nodes_classes_and_links():
    found = make_network(CHAIN, NODES)
    assert (len(found), found.classes, found.parts, found.notes) == (30, ("a", "b", "c"), ("the whole",), ())
    assert found.links.tolist() == [[node, node + 1] for node in range(29)]
    (network,) = found.networks(["a", "c"])
    assert network.labels.tolist() == [node % 3 != 1 for node in range(30)]
    assert found.usual_positive == ("a",)


def test_the_order_and_direction_of_rows_do_not_matter():
    turned = make_network([(second, first) for first, second in CHAIN[::-1]], NODES)
    np.testing.assert_array_equal(turned.links, make_network(CHAIN, NODES).links)


def test_parts_are_networks_by_themselves():
    parts = ["one" if node < 15 else "two" for node in range(30)]
    with pytest.raises(InputError, match="part 'one' has 15 nodes; ten folds need 20"):
        make_network(CHAIN, NODES, parts=parts)
    nodes = [(f"n{node}", "ab"[node % 2]) for node in range(60)]
    chain = [(f"n{node}", f"n{node + 1}") for node in range(59)]
    found = make_network(chain, nodes, parts=["x" if node < 30 else "y" for node in range(60)])
    assert found.parts == ("x", "y")
    assert found.notes == ("links: row 30 links two parts; left out, because parts are networks by themselves.",)
    first, second = found.networks(["a"])
    assert len(first) == len(second) == 30 and len(first.links) == len(second.links) == 29
    np.testing.assert_array_equal(first.links, second.links)


def test_loops_and_repeated_links_are_left_out_and_said():
    links = [*CHAIN, ("n3", "n3"), ("n1", "n0"), ("n4", "n5"), ("n7", "n7")]
    found = make_network(links, NODES, files=("edges.csv", "labels.csv"))
    assert len(found.links) == 29
    assert found.notes == (
        "edges.csv: row 30 links a node with itself, and so do 1 more; left out: drop such rows.",
        "edges.csv: row 31 repeats the link of row 1, for links have no direction, and so do 1 more; counted once: drop such rows.",
    )


@pytest.mark.parametrize(
    ("links", "labels", "sentence"),
    [
        ([*CHAIN, ("n1", "zz")], NODES, r"links: row 30: 'zz' is no node of labels; add it there"),
        ([*CHAIN, ("n1", " ")], NODES, "row 30: an end of the link is empty"),
        (CHAIN, [(node, "") for node, _ in NODES], "rows 1 to 30: no node has a label; write"),
        (CHAIN, [*NODES[:4], ("n4", " "), *NODES[5:]], "labels: row 5: node 'n4' has no label; give it one, or drop"),
        (CHAIN, [(node, "x") for node, _ in NODES], "all 30 nodes are of one class, 'x'; give nodes of two classes"),
        (CHAIN, [*NODES, ("n2", "a")], "row 31: node 'n2' stands in row 3 already; give each node one row"),
        (CHAIN, [*NODES, ("", "a")], "row 31: no node is named"),
        (CHAIN, [], "there are no nodes"),
        ([], NODES, "no link is left of 0 rows; give links"),
        ([("n1", "n1")], NODES, "no link is left of 1 rows"),
        (CHAIN[:5], NODES[:6], "has 6 nodes; ten folds need 20: add nodes"),
        (CHAIN, [(f"n{node}", "a") for node in range(MOST_READ + 1)], "row 10,001 is one too many; draw a sample"),
        (CHAIN * (MOST_LINKS // 29 + 1), NODES, "row 200,001 is one too many"),
    ],
)
def test_bad_input_is_one_sentence_with_row_and_fix(links, labels, sentence):
    with pytest.raises(InputError, match=sentence):
        make_network(links, labels)


def test_an_empty_part_is_refused():
    with pytest.raises(InputError, match="row 30: no part; name the part of every node"):
        make_network(CHAIN, NODES, parts=["x"] * 29 + [" "])


def test_tasks_that_are_none_are_refused():
    found = make_network(CHAIN, NODES)
    with pytest.raises(SettingError, match="No class is called 'd'"):
        found.networks(["d"])
    for positive in ([], ["a", "b", "c"]):
        with pytest.raises(SettingError, match=f"{len(positive)} of 3 classes"):
            found.networks(positive)
    nodes = [(f"n{node}", "a" if node < 30 else "ab"[node % 2]) for node in range(60)]
    chain = [(f"n{node}", f"n{node + 1}") for node in range(59)]
    parts = make_network(chain, nodes, parts=["x" if node < 30 else "y" for node in range(60)])
    with pytest.raises(SettingError, match="Part 'x' holds only nodes of a; choose other classes"):
        parts.networks(["a"])
    bare = make_network(
        chain[30:], [(node, "ab"[place % 2]) for place, (node, _) in enumerate(nodes)], parts=["x"] * 30 + ["y"] * 30
    )
    with pytest.raises(SettingError, match="Part 'x' has no link"):
        bare.networks(["a"])


def test_tables_are_read_by_their_columns_or_by_their_order():
    links = "target,weight,source\n" + "\n".join(f"n{node},2,n{node + 1}" for node in range(29))
    labels = "who,class\n" + "\n".join(f"{node},{label}" for node, label in NODES)
    found = read_network(File("e.csv", links.encode()), File("l.csv", labels.encode()))
    np.testing.assert_array_equal(found.links, make_network(CHAIN, NODES).links)
    with pytest.raises(InputError, match="[Gg]ive two columns, source and target"):
        read_network(File("e.csv", b"a\n1\n"), File("l.csv", labels.encode()))
    with pytest.raises(InputError, match="e.csv: row 2: 'x' is no node of l.csv"):
        read_network(File("e.csv", b"source,target\nn1,n2\nn1,x\n"), File("l.csv", labels.encode()))


def test_mark_up_in_names_is_text():
    nodes = [(f"<b>{node}", "=1+1" if node % 2 else "`x`") for node in range(30)]
    found = make_network([(f"<b>{node}", f"<b>{node + 1}") for node in range(29)], nodes)
    assert found.classes == ("=1+1", "`x`") and found.nodes[0] == "<b>0"
