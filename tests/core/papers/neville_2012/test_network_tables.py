"""Networks from two tables: what is read, what is left out and said, what is refused and where."""

import numpy as np
import pytest

from core.corpora.readers import File
from core.errors import InputError, SettingError
from core.papers.neville_2012 import read_network
from core.papers.neville_2012.network_tables import MOST_LINKS, MOST_NODES, make_network

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
        (CHAIN, [(f"n{node}", "a") for node in range(MOST_NODES + 1)], "row 10,001 is one too many; draw a sample"),
        (CHAIN * (MOST_LINKS // 29 + 1), NODES, "row 200,001 is one too many"),
    ],
)
def test_bad_input_is_one_sentence_with_row_and_remedy(links, labels, sentence):
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
