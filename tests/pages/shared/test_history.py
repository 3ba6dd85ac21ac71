"""Links: an old one names what it named, a page's controls are its own, and the policy of a host lets our script run."""

import ast
import re
from itertools import combinations

from pages.shared import history
from tests.conftest import ROOT
from tests.pages.opened import PAGES, shown_page


def test_an_old_link_opens_under_the_names_of_today_and_a_new_one_as_it_is():
    old = {"task": ["verification"], "m": ["8"], "models_verification": ["PPM", "TopicFit"], "corpus": ["x"]}
    found = history.renamed("accuracy", old)
    assert found == {
        "run_task": ["verification"],
        "run_m": ["8"],
        "run_models_verification": ["PPM", "TopicFit"],
        "corpus": ["x"],
    }
    assert history.renamed("accuracy", found) == found
    assert history.renamed("hits", {"m": ["8"], "policy": ["grouping"]}) == {"m": ["8"], "policy": ["grouping"]}
    assert history.renamed("accuracy", {"k": ["3"], "accuracy_k": ["4"]}) == {"run_k": ["4"]}
    assert history.renamed("", {"k": ["3"]}) == {"k": ["3"]}, "Overview keeps its own"
    typed = {"corpus": ["file"], "encoder": ["lsa"], "similarity": ["plain"]}
    assert history.renamed("hits", typed) == {
        "corpus": ["Your own file"],
        "encoder": ["LSA"],
        "similarity": ["plain, as in the paper"],
    }, "names do as well as labels"
    assert history.renamed("", {"encoder": ["Sbert"]}) == {"encoder": ["SBERT"]}
    for name in ("sampler", "accuracy_sampler"):
        assert history.renamed("accuracy", {name: ["least maximum"]}) == {"run_sampler": ["minimax"]}
    assert history.renamed("shortcut", {"shortcut_raven_sampler": ["least maximum"]}) == {
        "shortcut_raven_sampler": ["minimax"]
    }


def test_an_old_link_to_a_run_opens_topic_by_topic():
    old = {"accuracy_k": ["4"]}
    assert history.in_its_view("accuracy", old) == {"accuracy_view": ["topic by topic"], **old}
    for page, given in (("accuracy", {}), ("accuracy", {"accuracy_view": ["forecast"]}), ("hits", {"fold": ["1"]})):
        assert history.in_its_view(page, given) == given


def controls(page: str) -> set[str]:
    """The names under which a page's files put controls into the address, as they are written."""
    files = [ROOT / "pages" / f"{page}.py", *(ROOT / "pages" / "parts").glob(f"{page}*.py")]
    calls = [
        node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)
    ]
    named = [{each.arg: each.value for each in call.keywords} for call in calls]
    bound = [
        each["key"]
        for each, call in zip(named, calls, strict=True)
        if "key" in each and ("bind" in each or getattr(call.func, "id", "") == "integer_input")
    ]
    return {str(key.value) for key in bound if isinstance(key, ast.Constant)}


def test_no_two_pages_share_a_control():
    found = {page: controls(page) for page in PAGES}
    assert {"focus", "fold"} <= found["accuracy"], "controls are seen"
    for one, other in combinations(PAGES, 2):
        assert not found[one] & found[other], (one, other)


def test_what_was_shared_is_named_again_on_every_page():
    """No page keeps for itself what an older link to it would have moved."""
    for page in PAGES:
        assert not controls(page) & set(history.ONCE_SHARED.get(page, ())), page


def test_the_script_of_back_and_forward_is_word_for_word_the_one_that_the_policy_names():
    drawn = [each.proto.body for each in shown_page().get("html")]
    assert [body for body in drawn if re.findall(r"<script>(.*)</script>", body) == [history.SCRIPT]]


def test_old_links_to_a_run_open_the_shared_one():
    old = {"significance_k": ["3"], "scheme": ["leave-one-topic-out"], "model_a": ["x"], "significance_model_b": ["y"]}
    new = {"run_k": ["3"], "run_scheme": old["scheme"], "significance_model_a": ["x"], "significance_model_b": ["y"]}
    assert history.renamed("significance", old) == history.renamed("significance", new) == new
