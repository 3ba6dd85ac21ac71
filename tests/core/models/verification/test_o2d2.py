"""O2D2: the Bayes factor against scipy, gradients, what it reads, what it learns and what it leaves unanswered."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from core.errors import SettingError
from core.evaluation import ResultStore, estimate_runs, evaluate, usual_models
from core.models import Documents, verification_scores
from core.models.verification import VERIFIERS, make_verifier, o2d2
from core.models.verification.neural import Authored, held_auc, school
from core.models.verification.o2d2 import (
    HOP,
    MOST_WINDOWS,
    UNKNOWN,
    WINDOW,
    covariance,
    judged,
    learn_reader,
    log_bayes_factor,
    loss_of,
    start_heads,
    start_weights,
    text_vectors,
    train_detector,
)
from core.progress import heard_by
from core.splits import make_folds, make_pairs

from .neural_cases import habits_corpus
from .test_luar import rows_on

torch = pytest.importorskip("torch")


def factor_model(size: int, seed: int = 0):
    """A mean, two covariances, and pairs of points."""
    rng = np.random.default_rng(seed)
    mean, roots = rng.normal(size=size), rng.normal(size=(2, size, size))
    between, within = (root @ root.T + np.eye(size) for root in roots)
    return mean, between, within, rng.normal(size=(5, size)), rng.normal(size=(5, size))


def test_the_bayes_factor_is_that_of_two_normal_distributions():
    mean, between, within, x, y = factor_model(4)
    total = between + within
    both = np.block([[total, between], [between, total]])
    one = multivariate_normal(np.tile(mean, 2), both).logpdf(np.hstack([x, y]))
    two = multivariate_normal(mean, total).logpdf(x) + multivariate_normal(mean, total).logpdf(y)
    tensors = (torch.from_numpy(each) for each in (x, y, mean, between, within))
    np.testing.assert_allclose(log_bayes_factor(*tensors).numpy(), one - two, rtol=1e-9)


def test_the_bayes_factors_gradient_is_that_of_finite_differences():
    mean, between, within, x, y = (torch.from_numpy(each).requires_grad_(True) for each in factor_model(3))
    roots = tuple(torch.linalg.cholesky(each.detach()).requires_grad_(True) for each in (between, within))

    def factor(x, y, mean, between, within):
        return log_bayes_factor(x, y, mean, covariance(between), covariance(within))

    assert torch.autograd.gradcheck(factor, (x, y, mean, *roots), fast_mode=True)


def test_only_the_contrastive_loss_reaches_the_vectors():
    weights = {
        name: value.requires_grad_(True) for name, value in start_heads(torch.Generator().manual_seed(0)).items()
    }
    draws = torch.Generator().manual_seed(1)
    a, b = (torch.rand(6, 60, generator=draws).requires_grad_(True) for _ in range(2))
    found = judged(weights, a, b)
    same = torch.tensor([True, False] * 3)
    assert torch.autograd.grad(found.log_factor.sum() + found.posterior.sum(), a, allow_unused=True)[0] is None
    assert (
        torch.autograd.grad(found.posterior.sum(), weights["factor.mean"], allow_unused=True, retain_graph=True)[0]
        is None
    )
    loss_of(judged(weights, a, b), same).backward()
    assert all(value.grad is not None for value in weights.values())
    assert a.grad is not None
    np.testing.assert_allclose(found.confusion.sum(1).detach().numpy(), 1, rtol=1e-6)
    assert ((found.posterior >= 0) & (found.posterior <= 1)).all()


def test_similarity_follows_its_kernel_and_the_hinge_rests_where_it_is_content():
    weights = {name: value.double() for name, value in start_heads(torch.Generator().manual_seed(0)).items()}
    a, b = torch.zeros(2, 60).double(), torch.zeros(2, 60).double()
    b[1, :4] = 2.0
    similarity = judged(weights, a, b).similarity.numpy()
    np.testing.assert_allclose(similarity, [1.0, np.exp(-0.09 * 16**1.5)], atol=1e-6)


def test_windows_overlap_and_cover_the_text():
    reader = learn_reader(["one two three one two one"], vocabulary=2)
    assert reader.words == {"one": 2, "two": 3}
    for tokens in (0, 1, 29, 30, 31, 56, 57, 200):
        read = reader.read(" ".join(f"w{place}" for place in range(tokens)))
        assert len(read.windows) == max(-(-(tokens - (WINDOW - HOP)) // HOP), 1)
        met = set(read.windows.ravel().tolist()) - {0}
        assert met == set(range(1, max(tokens, 1) + 1))
        assert (read.words[1:] == UNKNOWN).all()
    long = reader.read("word " * 20_000)
    assert len(long.windows) == MOST_WINDOWS


def test_company_and_filling_up_change_nothing():
    texts = ["one two three.", "a longer text, with more words in it, " * 12, ""]
    reader = learn_reader(texts, vocabulary=50)
    weights = start_weights(reader, word=8, hidden=4, generator=torch.Generator().manual_seed(0))
    read = [reader.read(text) for text in texts]
    together = text_vectors(weights, read).numpy()
    alone = np.stack([text_vectors(weights, [each])[0].numpy() for each in read])
    np.testing.assert_allclose(together, alone, atol=1e-6)


@pytest.fixture(scope="module")
def trained():
    """Trained on two subjects, asked about two others."""
    corpus = habits_corpus(each=6)
    seen = make_pairs(corpus, rows_on(corpus, "boats", "bread"), seed=0, kind="matched")
    fresh = make_pairs(corpus, rows_on(corpus, "trains", "gardens"), seed=0, kind="matched")
    documents, told = Documents(corpus.texts), []
    model = make_verifier("o2d2", epochs=12, patience=12, rate=1e-2, word=32, hidden=16)
    with heard_by(lambda *report: told.append(report)):
        fitted = model.fit(documents, seen, held=seen, seed=0)
    return SimpleNamespace(model=fitted, documents=documents, seen=seen, fresh=fresh, told=told)


def auc(trained, pairs) -> float:
    return verification_scores(pairs.same, trained.model.raw(trained.documents, pairs.first, pairs.second)).auc


def test_training_pairs_are_learned_by_heart_and_habits_on_unseen_subjects(trained):
    assert len(trained.seen) >= 40
    assert auc(trained, trained.seen) > 0.9
    assert auc(trained, trained.fresh) > 0.7


def test_it_tells_every_epoch_and_its_loss_falls(trained):
    assert [report[2] for report in trained.told] == [f"epoch {number} of 12" for number in range(1, 13)]
    first, last = trained.model.notes[1].split("falling from ")[1].split(";")[0].split(" to ")
    assert float(last) < float(first) / 2
    assert "random word vectors" in trained.model.notes[0]


def test_the_detector_flags_what_is_wrong_or_unsure():
    rng = np.random.default_rng(0)
    weights = {name: value.double() for name, value in start_heads(torch.Generator().manual_seed(0)).items()}
    corpus = habits_corpus(each=4, subjects=("boats", "bread"))
    pairs = make_pairs(corpus, np.arange(32), seed=0, kind="paper")
    vectors = {row: np.tanh(rng.normal(size=60)) for row in range(32)}
    detector, said = train_detector(weights, vectors, pairs, seed=0)
    assert said.endswith(".")
    assert bool(detector) == ("the detector leaves" in said)


def test_an_epoch_splits_every_text_once_and_two_by_two():
    texts = Authored((np.arange(5), np.arange(10, 14), np.arange(20, 26)))
    met = list(o2d2.batches(texts, 4, np.random.default_rng(0)))
    rows = np.concatenate([batch for batch, _ in met])
    assert len(rows) == len(set(rows.tolist())) == 14  # one text of five has no partner
    assert all((codes[::2] == codes[1::2]).all() for _, codes in met)


def test_training_ends_early_and_keeps_the_best_epoch():
    weights, aucs = {"w": torch.zeros(1)}, iter([0.5, 0.7, 0.6, 0.65, 0.9])

    def one_epoch(epoch: int) -> float:
        weights["w"] += 1
        return 1.0 - epoch / 10

    found = school(weights, epochs=5, patience=2, one_epoch=one_epoch, judge=lambda: next(aucs))
    assert (found.kept, len(found.losses)) == (2, 4)
    assert float(found.weights["w"]) == 2
    blind = school(weights, epochs=3, patience=1, one_epoch=one_epoch, judge=lambda: float("nan"))
    assert (blind.kept, len(blind.losses)) == (3, 3)
    assert "kept is epoch 3, the last" in blind.note("It", 3)


class Killed(Exception):
    pass


@pytest.fixture
def small_runs(monkeypatch):
    """A corpus, its folds, and O2D2 small enough for seconds."""
    small = partial(o2d2.O2d2, epochs=2, word=8, hidden=4)
    monkeypatch.setitem(VERIFIERS, "o2d2", replace(VERIFIERS["o2d2"], make=small))
    corpus = habits_corpus(each=2)
    return corpus, make_folds(corpus, scheme="topic-kfold", k=2, seed=0)


def test_a_killed_run_goes_on_at_the_next_fold(small_runs, monkeypatch, tmp_path):
    monkeypatch.setenv("LEAKSCOPE_CORES", "1")
    store = ResultStore(tmp_path)

    def kill(done: int, total: int, label: str, left: float | None) -> None:
        if done == 1:
            raise Killed

    with pytest.raises(Killed):
        evaluate(*small_runs, task="verification", models=["o2d2"], results=store, progress=kill)
    assert len(store.runs()) == 1
    again = evaluate(*small_runs, task="verification", models=["o2d2"], results=store)
    assert again.fresh == 1
    assert all(run.problem is None for run in again.runs)


def test_epochs_are_told_and_answers_are_the_same_in_any_number_of_processes(small_runs, monkeypatch):
    answers = []
    for cores in ("1", "2"):
        monkeypatch.setenv("LEAKSCOPE_CORES", cores)
        told = list[str]()
        found = evaluate(
            *small_runs,
            task="verification",
            models=["o2d2"],
            progress=lambda *report, told=told: told.append(report[2]),
        )
        assert any(label.startswith("O2D2, fold ") and ", epoch " in label for label in told)
        answers.append([run.answers.tolist() for run in found.runs])
    assert answers[0] == answers[1]


def test_slow_models_are_run_only_where_they_are_named():
    assert [name for name, kind in VERIFIERS.items() if kind.by_choice] == ["luar", "o2d2"]
    assert set(usual_models("verification")) == set(VERIFIERS) - {"luar", "o2d2"}
    corpus = habits_corpus(each=2)
    folds = make_folds(corpus, scheme="topic-kfold", k=2, seed=0)
    cost = estimate_runs(corpus, folds, task="verification", models=["luar", "o2d2"])
    assert cost.runs == 4
    assert cost.seconds > 0
    assert not cost.unmeasured  # at the pace measured elsewhere, until they have run here


def test_what_cannot_be_learned_from_is_named():
    corpus = habits_corpus(each=2, subjects=("boats", "bread"))
    pairs = make_pairs(corpus, np.array([0, 1, 2, 4]), seed=0, kind="paper")
    with pytest.raises(SettingError, match="O2D2 learns from at least two authors .* 1 of 3 authors have that many"):
        make_verifier("o2d2").fit(Documents(corpus.texts), pairs, held=pairs, seed=0)
    with pytest.raises(SettingError, match="1 or more of everything"):
        make_verifier("o2d2", batch=0)
    assert np.isnan(held_auc(np.array([0.1, 0.2]), SimpleNamespace(same=np.array([True, True]))))
