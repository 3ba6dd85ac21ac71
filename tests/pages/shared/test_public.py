"""What everybody has is computed once for all; what a visitor has is the visitor's alone."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.runtime.caching import cache_resource_api
from streamlit.testing.v1 import AppTest

from core.corpora import Corpus, filtered
from core.corpora.readers import File, read_corpus
from core.demo import bundled_corpus
from core.vectors import VectorStore, estimate, make_encoder
from pages.shared import hosting, jobs, session
from tests.pages.opened import open_app, press

ANN, BOB = "a" * 32, "b" * 32


@pytest.fixture
def hosted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A host with an empty cache folder."""
    monkeypatch.setenv(session.HOSTED, "1")
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    jobs.caches().clear()
    yield tmp_path
    jobs.caches().clear()
    hosting.all_visits.clear()


@pytest.fixture
def tiny(tiny_csv: bytes) -> Corpus:
    return read_corpus(File("my.csv", tiny_csv))


def test_the_bundled_corpus_and_what_is_drawn_from_it_are_public(tiny: Corpus):
    bundled = bundled_corpus()
    few = filtered(bundled, at_least=1, at_most=3)
    assert session.is_public(bundled) and not session.is_public(few) and not session.is_public(tiny)
    session.as_public_as(tiny, few)
    assert not session.is_public(few)
    session.as_public_as(bundled, few)
    assert session.is_public(few)


def test_the_public_corpora_that_are_noted_are_bounded(tiny: Corpus, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session, "_public", {})
    monkeypatch.setattr(session, "MOST_NOTED", 1)
    few = filtered(bundled_corpus(), at_least=1, at_most=3)
    session.make_public(tiny)
    session.make_public(few)
    assert session.is_public(few) and not session.is_public(tiny) and session.is_public(bundled_corpus())


def counting_page() -> None:
    """How often a function was computed, for a corpus of everybody's and for one's own."""
    import streamlit as st

    from core.demo import bundled_corpus
    from pages.shared.session import computed_once

    counts = st.session_state["counts"]

    @computed_once(most=2)
    def count(corpus, _counts) -> int:
        _counts.append(corpus.name)
        return len(corpus)

    count(bundled_corpus(), counts)
    count(st.session_state["own"], counts)


def test_one_computation_serves_everybody_and_ones_own_serves_the_session(
    tiny: Corpus, monkeypatch: pytest.MonkeyPatch
):
    counts: list[str] = []
    for number in (1, 2):
        monkeypatch.setattr(cache_resource_api, "get_session_id_or_throw", lambda n=number: f"tab {n}")
        for _ in range(2):
            app = AppTest.from_function(counting_page, default_timeout=30)
            app.session_state["counts"], app.session_state["own"] = counts, tiny
            app.run()
            assert not app.exception, app.exception
    assert counts == [bundled_corpus().name, "my.csv", "my.csv"]


def visit(token: str, tiny_csv: bytes) -> AppTest:
    """A visitor loads the file and looks at its topics."""
    app = AppTest.from_file(Path(__file__).parents[3] / "app.py", default_timeout=120)
    app.session_state["token"] = token
    app.query_params["encoder"] = "LSA"
    app.switch_page("pages/corpus.py").run()
    app.file_uploader(key="files").set_value([("my.csv", tiny_csv, "text/csv")]).run()
    press(app, "Use this corpus").switch_page("pages/overview.py").run()
    assert not app.exception, app.exception
    return app


def files_of(folder: Path) -> set[str]:
    return {file.name for file in folder.rglob("*") if file.is_file()}


def test_two_visitors_do_not_find_each_others_vectors(hosted: Path, tiny_csv: bytes, tiny: Corpus):
    found = {}
    for token in (ANN, BOB):
        visit(token, tiny_csv)
        (vectors,) = jobs.caches()[token, "vectors"].values()
        assert "vectors-1.sqlite3" in files_of(session.folder_of(token))
        found[token] = vectors
    assert found[ANN].encoded == found[BOB].encoded == 12, "each was encoded again"
    assert np.array_equal(found[ANN].matrix, found[BOB].matrix)
    stores = {"common": None, "Ann's": session.folder_of(ANN)}
    missing = {name: estimate(tiny, make_encoder("lsa"), store=VectorStore(at)) for name, at in stores.items()}
    assert missing == {"common": 12, "Ann's": 0}
    assert session.folder_of(ANN) != session.folder_of(BOB) and ANN not in str(session.folder_of(ANN))


def test_one_visitor_of_ones_own_machine_finds_vectors_again(
    tiny_csv: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    jobs.caches().clear()
    visit(ANN, tiny_csv)
    assert list(tmp_path.glob("*.sqlite3"))
    jobs.caches().clear()  # the server is started again
    visit(BOB, tiny_csv)
    (vectors,) = jobs.caches()["own", "vectors"].values()
    assert vectors.from_store == 12
    jobs.caches().clear()


def answering_page() -> None:
    """Keep a model's answers, and look for them."""
    import numpy as np
    import streamlit as st

    from core.evaluation import Answers
    from pages.shared.session import result_store

    store = result_store(public=st.session_state["public"])
    st.session_state["found"] = store.get("ab" * 32) is not None
    st.session_state["kept"] = store.put("ab" * 32, Answers(np.array([0.5]), ()))


def answers_found(token: str, *, public: bool) -> bool:
    app = AppTest.from_function(answering_page, default_timeout=30)
    app.session_state["token"], app.session_state["public"] = token, public
    app.run()
    assert not app.exception, app.exception
    assert app.session_state["kept"]
    return bool(app.session_state["found"])


def test_two_visitors_do_not_find_each_others_answers(hosted: Path):
    assert not answers_found(ANN, public=False)
    assert answers_found(ANN, public=False)
    assert not answers_found(BOB, public=False)


def test_answers_of_what_everybody_has_are_found_by_all(hosted: Path):
    assert not answers_found(ANN, public=True)
    assert answers_found(BOB, public=True)
    assert not answers_found(BOB, public=False)


def test_results_of_the_bundled_corpus_are_computed_for_all(hosted: Path):
    app = open_app("overview", encoder="LSA")
    assert {kind for scope, kind in jobs.caches() if not scope} == {"vectors", "costs"}
    before = jobs.caches()["", "vectors"]
    (vectors,) = before.values()
    other = AppTest.from_file(Path(__file__).parents[3] / "app.py", default_timeout=120)
    other.session_state["token"] = BOB
    other.query_params["encoder"] = "LSA"
    other.run()
    assert not other.exception and app.session_state["token"] != BOB
    assert list(jobs.caches()["", "vectors"].values()) == [vectors]
    assert not (hosted / session.SESSIONS).exists()


def test_filters_of_the_bundled_corpus_are_shared_too(hosted: Path):
    open_app("overview", encoder="LSA", cap="5")
    assert len(jobs.caches()["", "vectors"]) == 1
