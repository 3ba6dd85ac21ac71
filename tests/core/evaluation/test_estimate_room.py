"""What does not fit is told with what would: the heavy models, fewer authors, authors with two texts."""

import psutil
import pytest

from core.engine import cores
from core.evaluation import Estimate, allowed_memory, has_room, no_room
from core.evaluation.run import FEWER_AUTHORS
from tests.core.evaluation.test_estimate import written


def cost(memory: float, **by_model: float) -> Estimate:
    return Estimate(runs=4, seconds=1.0, memory=memory, by_model=by_model)


def test_what_fits_is_not_refused():
    assert no_room(written(authors=3), cost(1e9, char_svm=1e8), task="attribution", allowed=1e9) is None


def test_the_heavy_models_are_named_and_the_others_left():
    found = no_room(written(authors=3), cost(9e9, max_ent=8e9, char_svm=1e8), task="attribution", allowed=2e9)
    assert found is not None and (found.heavy, found.light) == (("max_ent",), ("char_svm",))
    assert found.sentence == (
        "This would take about 9 GB, and a job may use 2.0 GB here: Maximum entropy keeps weights for every word and each of 3 "
        "authors"
    )
    assert found.fewer_authors is None and found.two_texts


def test_where_no_model_is_heavy_alone_none_is_left_out():
    found = no_room(
        written(authors=FEWER_AUTHORS + 1, each=2), cost(9e9, char_ngram=1e8), task="verification", allowed=8e9
    )
    assert found is not None and (found.heavy, found.light) == ((), ())
    assert "these models keep weights" in found.sentence
    assert found.fewer_authors == FEWER_AUTHORS and not found.two_texts, "a verifier pairs texts of one author anyway"


def test_fewer_authors_need_less_room():
    few, many = written(authors=3), written(authors=300)
    allowed = cores() * 450e6
    assert has_room(few, task="attribution", models=["max_ent"], allowed=allowed)
    assert not has_room(many, task="attribution", models=["max_ent"], allowed=allowed)


@pytest.mark.parametrize(("said", "bytes"), [("700", 700e6), ("", None), ("much", None), ("0", None)])
def test_the_environment_says_how_much_there_is(monkeypatch, said, bytes):
    monkeypatch.setenv("LEAKSCOPE_JOB_MEMORY", said)
    assert allowed_memory() == pytest.approx(bytes or 0.6 * psutil.virtual_memory().total)
