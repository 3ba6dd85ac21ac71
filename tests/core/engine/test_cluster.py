"""The same tasks on a real cluster: the same answers to the last bit, and a sentence when a part of it is gone."""

import os
import re
import shlex
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from shutil import which

import numpy as np
import pytest

from core.corpora import make_corpus
from core.engine import CLUSTER, WorkFailed, cluster, each, on_a_cluster
from core.errors import EncoderError, InputError, LeakscopeError
from core.evaluation import NamedVectors, ResultStore, evaluate, missing_runs
from core.splits import topic_kfold
from core.vectors import VectorStore, embed, make_encoder
from core.vectors.embed import _encoded
from tests.conftest import ROOT
from tests.core.engine import tasks
from tests.core.engine.clusters import PATIENCE, QUIET, Cluster
from tests.core.engine.processes import end_with_children, listened_to, number_in, within
from tests.core.spies import corpus_of, rows_of

SHARED = np.random.default_rng(0).normal(size=(40, 200))
real = pytest.mark.skipif(
    find_spec("distributed") is None, reason="Dask is not installed: pip install -r requirements-cluster.txt"
)


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        for _ in range(2):
            made.add_worker()
        yield made
    finally:
        made.end()


@pytest.fixture
def dask(two_workers, monkeypatch) -> Cluster:
    """The cluster, set as a user sets it."""
    monkeypatch.setenv(CLUSTER, two_workers.address)
    return two_workers


def alone(function, *arguments, **keywords):
    """The same without a cluster."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(CLUSTER)
        return function(*arguments, **keywords)


@real
def test_answers_are_those_of_one_machine_to_the_last_bit(dask):
    here = alone(lambda: dict(each(tasks.product, range(6), shared=SHARED)))
    there = dict(each(tasks.product, range(6), shared=SHARED))
    assert here.keys() == there.keys()
    assert all((here[task] == there[task]).all() for task in here)


@real
def test_tasks_run_in_the_workers_each_on_one_core_with_what_it_would_spread(dask):
    workers = {worker.pid for worker in dask.workers}
    for _, ran in each(tasks.spreads, range(4)):
        assert len(set(ran)) == 1 and ran[0] in workers
    for _, threads in each(tasks.blas_threads, range(4)):
        assert set(threads) == {1}


@real
def test_what_goes_wrong_there_is_a_sentence_here(dask):
    with pytest.raises(InputError, match=tasks.REFUSAL):
        list(each(tasks.refused_at_three, range(6)))
    with pytest.raises(WorkFailed, match="ZeroDivisionError: division by zero"):
        list(each(tasks.broken, range(3)))
    with pytest.raises(LeakscopeError, match="cannot be sent to another machine"):
        list(each(tasks.unsendable, range(2)))
    with pytest.raises(LeakscopeError, match="cannot be sent to another machine"):
        list(each(tasks.squared, range(2), shared=threading.Lock()))


@real
def test_another_version_of_a_library_is_refused(dask, monkeypatch):
    other = cluster.versions() | {"numpy": "0.1"}
    monkeypatch.setattr(cluster, "versions", lambda: other)
    with pytest.raises(LeakscopeError, match="has numpy .*, and the work was asked for with 0.1; install the same"):
        list(each(tasks.squared, range(2)))


@real
def test_models_answer_as_on_one_machine_and_keep_their_answers_in_the_shared_store(dask, tmp_path):
    corpus = corpus_of(rows_of(topics=6, authors=3, each=3))
    vectors = NamedVectors(np.random.default_rng(1).normal(size=(len(corpus), 8)), "synthetic")
    folds = topic_kfold(corpus, k=3, seed=0)
    for task, models in {"attribution": ["max_ent"], "verification": ["char_ngram", "sbert_cosine"]}.items():
        choices = {"task": task, "models": models}
        here = alone(evaluate, corpus, folds, vectors=vectors, **choices)
        store = ResultStore(tmp_path)
        there = evaluate(corpus, folds, vectors=vectors, results=store, **choices)
        assert there.fresh == len(here.runs) == len(there.runs) > 0
        for one, other in zip(here.runs, there.runs, strict=True):
            assert (one.model, one.fold, one.notes, one.problem) == (
                other.model,
                other.fold,
                other.notes,
                other.problem,
            )
            assert one.answers.tobytes() == other.answers.tobytes()
        assert missing_runs(corpus, folds, vectors_key="synthetic", results=store, **choices) == 0


@real
def test_vectors_are_those_of_one_machine_and_are_stored_here(dask, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[_encoded.__module__], "PART", 20)
    words = np.random.default_rng(2).choice(["bread", "comet", "river", "of", "the", "lens"], size=(90, 6))
    texts = [f"{number} {' '.join(row)}" for number, row in enumerate(words)]
    corpus = make_corpus(texts, [f"topic {number % 3}" for number in range(len(texts))])
    encoder = make_encoder("sbert")
    here = alone(embed, corpus, encoder)
    seen = []
    store = VectorStore(tmp_path)
    there = embed(corpus, encoder, store=store, progress=lambda *told: seen.append(told[0]))
    assert here.matrix.tobytes() == there.matrix.tobytes()
    assert there.encoded == len(texts) and seen[-1] == len(texts) and len(seen) > 3
    assert embed(corpus, encoder, store=store).from_store == len(texts)


@real
def test_closing_it_drops_what_has_not_begun(dask, tmp_path):
    with closing(each(tasks.first_returns_quickly, range(40), shared=str(tmp_path))) as found:
        next(found)
    list(each(tasks.squared, range(4)))  # the workers are free again
    assert len(list(tmp_path.iterdir())) < 40


def answered_while(happens, folder):
    """What tasks that wait for a sign answer, when something happens to the cluster in their middle."""
    found = {}
    asking = threading.Thread(target=lambda: found.update(each(tasks.killable, range(6), shared=str(folder))))
    asking.start()
    happens(number_in(folder / "running", PATIENCE))
    (folder / "go").touch()
    asking.join(PATIENCE)
    assert not asking.is_alive()
    return found


@real
def test_a_worker_killed_in_the_middle_is_done_without_and_nothing_is_lost(dask, tmp_path):
    def kill(number: int) -> None:
        (victim,) = (worker for worker in dask.workers if worker.pid == number)
        dask.kill(victim)

    assert answered_while(kill, tmp_path) == {task: task * 10 for task in range(6)}


@real
def test_when_all_workers_are_killed_new_ones_get_everything_again(dask, tmp_path):
    def kill(number: int) -> None:
        for worker in list(dask.workers):
            dask.kill(worker)
        dask.add_worker()

    assert answered_while(kill, tmp_path) == {task: task * 10 for task in range(6)}


@real
def test_a_scheduler_without_workers_and_one_that_goes_are_a_sentence(tmp_path, monkeypatch):
    lonely = Cluster(tmp_path)
    try:
        monkeypatch.setenv(CLUSTER, lonely.address)
        monkeypatch.setattr(cluster, "SECONDS", 2)
        with pytest.raises(LeakscopeError, match=f"{lonely.address} has no workers. Start some"):
            list(each(tasks.squared, range(2)))
        monkeypatch.setattr(cluster, "SECONDS", 60)
        lonely.add_worker()
        folder = tmp_path / "tasks"
        folder.mkdir()
        with closing(each(tasks.first_returns_quickly, range(5), shared=str(folder))) as answered:
            next(answered)
            monkeypatch.setattr(cluster, "SECONDS", 2)
            lonely.scheduler.kill()
            lonely.scheduler.wait(10)
            with pytest.raises(LeakscopeError, match=f"{lonely.address} stopped during the work. Start it"):
                list(answered)
    finally:
        lonely.end()


@real
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "127.0.0.1:9", "nonsense", "tcp://", "http://127.0.0.1:9"])
def test_a_scheduler_that_does_not_answer_is_a_sentence(address, monkeypatch):
    monkeypatch.setenv(CLUSTER, address)
    monkeypatch.setattr(cluster, "SECONDS", 1)
    with pytest.raises(LeakscopeError, match=f"No Dask scheduler answers at {address} .* or unset it"):
        list(each(tasks.squared, range(2)))


@pytest.fixture
def something_else() -> Iterator[str]:
    """An address where a program listens that is no scheduler: it takes what is shown and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=20) as silent:
        yield f"tcp://127.0.0.1:{silent.getsockname()[1]}"


@real
def test_what_listens_and_is_no_scheduler_is_a_sentence_in_ten_seconds(something_else, monkeypatch):
    assert cluster.HANDSHAKE <= 10
    monkeypatch.setattr(cluster, "HANDSHAKE", 2)
    monkeypatch.setenv(CLUSTER, something_else)
    start = time.monotonic()
    with pytest.raises(LeakscopeError, match=f"No Dask scheduler answers at {something_else} .* in time"):
        list(each(tasks.squared, range(2)))
    assert time.monotonic() - start < 8


@real
def test_a_worker_is_not_taken_for_a_scheduler(dask, monkeypatch):
    (address, *_) = sorted(listened_to(dask.workers[0].pid))
    monkeypatch.setenv(CLUSTER, f"tcp://{address[0]}:{address[1]}")
    with pytest.raises(LeakscopeError, match="No Dask scheduler answers at"):
        list(each(tasks.squared, range(2)))


@real
def test_a_certificate_that_is_missing_is_named(monkeypatch):
    monkeypatch.setenv(CLUSTER, "tls://127.0.0.1:9")
    with pytest.raises(LeakscopeError, match="no certificate is named here"):
        list(each(tasks.squared, range(2)))


@real
def test_a_worker_killed_while_models_run_loses_nothing(dask, tmp_path):
    corpus = corpus_of(rows_of(topics=8, authors=3, each=4))
    folds = topic_kfold(corpus, k=8, seed=0)
    choices = {"task": "attribution", "models": ["max_ent", "char_svm"]}
    here = alone(evaluate, corpus, folds, **choices)
    while len(dask.workers) < 2:
        dask.add_worker()
    killed = []

    def kill_at_first_answer(*told) -> None:
        if not killed:
            killed.append(dask.workers[0].pid)
            dask.kill(dask.workers[0])

    there = evaluate(corpus, folds, results=ResultStore(tmp_path), progress=kill_at_first_answer, **choices)
    assert killed and len(there.runs) == len(here.runs) == 16
    assert [run.answers.tobytes() for run in there.runs] == [run.answers.tobytes() for run in here.runs]


ASKS = """
from core.engine import each
from tests.core.engine import tasks
print(sorted(each(tasks.squared, range(4))))
"""


@real
@pytest.mark.skipif(which("openssl") is None, reason="openssl is not installed")
def test_the_documented_commands_work_under_tls_and_open_no_port_to_other_machines(tmp_path):
    """Each command as docs/scaling.md has it, with this machine for all of its machines."""
    text = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    section = text.partition("## More than one machine")[2].partition("\n#")[0]
    lines = [line.strip() for line in section.splitlines() if line.startswith("    ")]
    with socket.create_server(("127.0.0.1", 0)) as unused:
        free = unused.getsockname()[1]
    commands = {
        name: next(line for line in lines if name in line) for name in ("openssl", "dask_scheduler", "dask_worker")
    }
    named = dict(line.removeprefix("export ").split("=") for line in lines if line.startswith("export DASK"))
    environment = os.environ | QUIET | {"PYTHONPATH": str(ROOT)}
    environment.pop(CLUSTER, None)

    def started(line: str) -> subprocess.Popen:
        line = (
            re.sub(r"10\.0\.0\.\d", "127.0.0.1", line)
            .replace("8786", str(free))
            .replace("--nworkers 8", "--nworkers 1")
        )
        words = [sys.executable if word == "python" else word for word in shlex.split(line)]
        return subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=log, stderr=log)

    def asked(**more: str) -> subprocess.CompletedProcess:
        asking = environment | {CLUSTER: f"tls://127.0.0.1:{free}"} | more
        return subprocess.run([sys.executable, "-c", ASKS], cwd=tmp_path, env=asking, capture_output=True, text=True)

    with (tmp_path / "log").open("wb") as log:
        assert started(commands["openssl"]).wait(60) == 0
        running = [started(commands["dask_scheduler"])]
        try:
            assert within(PATIENCE, lambda: ("127.0.0.1", free) in listened_to(running[0].pid))
            running.append(started(commands["dask_worker"]))
            done = asked(**named)
            assert done.stdout.strip() == "[(0, 0), (1, 1), (2, 4), (3, 9)]", done.stderr
            opened = [place for process in running for place in listened_to(process.pid)]
            assert len(opened) >= 4 and {host for host, _ in opened} == {"127.0.0.1"}
            stranger = asked(**{CLUSTER: f"tcp://127.0.0.1:{free}"})
            assert f"No Dask scheduler answers at tcp://127.0.0.1:{free}" in stranger.stderr
        finally:
            for process in reversed(running):
                end_with_children(process)


WAITS = """
import sys
from core.engine import each
from core.errors import LeakscopeError
from tests.core.engine import tasks
try:
    list(each(tasks.killable, range(4), shared=sys.argv[1]))
except LeakscopeError as problem:
    print(problem)
"""


@real
def test_a_scheduler_that_goes_prints_one_sentence_and_nothing_else(tmp_path):
    short = Cluster(tmp_path)
    try:
        short.add_worker()
        environment = os.environ | {"PYTHONPATH": str(ROOT), CLUSTER: short.address}
        command = [sys.executable, "-c", WAITS, str(tmp_path)]
        asking = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        number_in(tmp_path / "running", PATIENCE)
        short.scheduler.kill()
        printed, wrong = asking.communicate(timeout=PATIENCE)
        assert printed.startswith(f"The Dask scheduler at {short.address} stopped during the work")
        assert printed.count("\n") == 1 and wrong == ""
    finally:
        short.end()


def test_without_dask_the_fix_is_named(monkeypatch):
    monkeypatch.setenv(CLUSTER, "tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(LeakscopeError, match="Dask is not installed here; run: pip install .leakscope.cluster.."):
        list(each(tasks.squared, range(2)))


def test_one_task_stays_here_and_no_cluster_is_none(monkeypatch):
    monkeypatch.delenv(CLUSTER, raising=False)
    assert not on_a_cluster()
    monkeypatch.setenv(CLUSTER, "tcp://127.0.0.1:9")
    assert on_a_cluster()
    assert list(each(tasks.own_number, [0])) == [(0, os.getpid())]


def test_a_worker_that_would_encode_otherwise_refuses():
    encoder = make_encoder("sbert")
    with pytest.raises(EncoderError, match="would encode"):
        _encoded((encoder, encoder.key().replace("float", "double")), ["a text"])
