"""A project: what is saved comes back; whatever is not ours, not whole or not of this corpus is a sentence."""

import hashlib
import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from core.corpora import DropSmallTopics, with_vectors
from core.corpora.readers import File
from core.errors import InputError
from core.evaluation import ResultStore, cached_runs, evaluate
from core.project import Choices, Used, as_in, differences, open_project, project_file, vectors_in, write_project
from core.splits import make_folds
from core.topics import find_topics, topic_space, with_found_topics
from core.vectors import embed, make_encoder
from tests.core.made_corpora import HOSTILE, WHEN, made

SETTINGS = {"encoder": "lsa", "similarity": "corrected", "min_docs": 1}
PAGES = {"overview": {"k": ["3"]}, "topic_map": {"a": [f"{HOSTILE}1"]}}


def saved(corpus, *, cleaning=(), lesson=None, **more):
    choices = Choices("file", WHEN, SETTINGS, PAGES, cleaning, lesson or {})
    return File("p.zip", write_project(corpus, choices, **more))


def computed(corpus):
    vectors = embed(corpus, make_encoder("lsa"))
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    return vectors, space


def changed(file, name, content, *, sums=True, keep=True):
    """The project with one member written again; `sums`: its checksum too, as a forger would."""
    members = {
        each: zipfile.ZipFile(io.BytesIO(file.data)).read(each)
        for each in zipfile.ZipFile(io.BytesIO(file.data)).namelist()
    }
    if keep:
        members[name] = content
    else:
        del members[name]
    if sums and name != "project.json":
        about = json.loads(members["project.json"])
        about["members"] = {
            each: hashlib.sha256(data).hexdigest() for each, data in members.items() if each != "project.json"
        }
        members["project.json"] = json.dumps(about).encode()
    return zipped(members)


def zipped(members):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return File("p.zip", target.getvalue())


def about(file, **values):
    found = json.loads(zipfile.ZipFile(io.BytesIO(file.data)).read("project.json"))
    return changed(file, "project.json", json.dumps(found | values).encode())


@pytest.mark.parametrize("shipped", [False, True])
def test_vectors_that_ship_with_the_app_stay_there(tmp_path, shipped):
    corpus = made()
    used = Used(corpus, replace(computed(corpus)[0], shipped=shipped), "corrected")
    choices = Choices("courier", WHEN, SETTINGS, PAGES)
    data = project_file(corpus, used, choices, runs=(), results=ResultStore(tmp_path))
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert ("vectors-01.parquet" in names) != shipped


def test_everything_comes_back(tmp_path):
    corpus = made(name=HOSTILE, split=True)
    vectors, _ = computed(corpus)
    store = ResultStore(tmp_path / "here")
    folds = make_folds(corpus, scheme="topic-kfold", k=2, seed=0)
    choices = {"task": "attribution", "models": ["max_ent"], "seed": 0, "pairing": "matched"}
    evaluate(corpus, folds, results=store, **choices)
    runs = cached_runs(corpus, folds, results=store, vectors_key="", **choices)
    assert len(runs) == 2
    file = saved(
        corpus,
        cleaning=(DropSmallTopics(2),),
        chosen={"hits": ["a"]},
        vectors=[(corpus, vectors)],
        answers=runs,
    )
    assert not any(text.encode() in file.data for text in corpus.texts) and b"pickle" not in file.data
    found = open_project(file, keep=tmp_path / "there")
    assert found.settings == SETTINGS and found.cleaning == (DropSmallTopics(2),) and found.chosen == {"hits": ["a"]}
    assert {page: {key: list(value) for key, value in each.items()} for page, each in found.pages.items()} == PAGES
    again = ResultStore(tmp_path / "empty", project=tmp_path / "there")
    whole = evaluate(corpus, folds, results=again, **choices)
    assert whole.fresh == 0 and found.answers == 2, "answers come from the project"
    taken = vectors_in(found, corpus, make_encoder("lsa"))
    np.testing.assert_array_equal(taken.matrix, vectors.matrix)
    assert (taken.encoder_key, taken.notes) == (vectors.encoder_key, vectors.notes)
    assert vectors_in(found, corpus, make_encoder("nmf")) is None
    assert (
        file.data
        == saved(
            corpus,
            cleaning=(DropSmallTopics(2),),
            chosen={"hits": ["a"]},
            vectors=[(corpus, vectors)],
            answers=runs,
        ).data
    )


def test_texts_come_back_only_where_they_were_asked_for():
    corpus = made(name=HOSTILE, split=True)
    assert open_project(saved(corpus)).corpus is None
    file = saved(corpus, with_texts=True)
    found = open_project(file).corpus
    assert found is not None and found.fingerprint == corpus.fingerprint and found.texts == corpus.texts
    other = saved(replace(made(5), name=HOSTILE), with_texts=True)
    forged = zipfile.ZipFile(io.BytesIO(other.data)).read("corpus.jsonl")
    for content in (forged, b"[1]", b'{"id": 1, "text": "a", "topic": "b"}', b"\xff"):
        with pytest.raises(InputError, match=r"'corpus\.jsonl' is not in Leakscope's format"):
            open_project(changed(file, "corpus.jsonl", content))


def test_a_label_that_is_no_author_comes_back():
    plain = made(4, 8)
    corpus = replace(plain, predicts="sentiment")
    found = open_project(saved(corpus, with_texts=True)).corpus
    assert found is not None and (found.predicts, found.fingerprint) == ("sentiment", corpus.fingerprint)
    vectors = embed(corpus, make_encoder("lsa")).matrix
    labelled = with_found_topics(corpus, find_topics(corpus, vectors, k=3, seed=0))
    fitted = as_in(open_project(saved(labelled)), corpus)
    assert fitted is not None and (fitted.predicts, fitted.fingerprint) == ("sentiment", labelled.fingerprint)
    project = open_project(saved(corpus))
    assert "The project predicts 'sentiment', and this corpus predicts 'author'." in differences(project, plain)
    old = about(saved(corpus), corpus={**json.loads(_about_of(saved(corpus)))["corpus"], "predicts": None})
    kept = as_in(open_project(old), corpus)
    assert kept is not None and kept.predicts == "sentiment", "an older project does not say what was predicted"
    bad = about(saved(corpus), corpus={**json.loads(_about_of(saved(corpus)))["corpus"], "predicts": 3})
    with pytest.raises(InputError, match=r"'project\.json' is not in Leakscope's format"):
        open_project(bad)


def _about_of(file):
    return zipfile.ZipFile(io.BytesIO(file.data)).read("project.json")


def test_beside_the_same_corpus_it_fits_whatever_the_file_is_called():
    corpus = made()
    project = open_project(saved(corpus))
    other_name = replace(corpus, name="copy of it.csv")
    fitted = as_in(project, other_name)
    assert fitted is not None and fitted.fingerprint == corpus.fingerprint
    assert differences(project, other_name) == ()


def test_beside_another_it_says_what_differs():
    corpus = made()
    project = open_project(saved(corpus))
    less, texts = made(documents=7), list(corpus.texts)
    assert as_in(project, less) is None
    assert "are in this corpus" in differences(project, less)[0] and "are not, and" in differences(project, less)[0]
    renamed = replace(corpus, topic_names=("else", *corpus.topic_names[1:]))
    assert as_in(project, renamed) is None
    said = " ".join(differences(project, renamed))
    assert "8 of 40 documents have another topic." in said
    assert "not here: topic 0." in said and "not in the project: else." in said
    assert "The authors are missing here." in differences(
        project, replace(corpus, author_names=None, author_codes=None)
    )
    assert differences(project, replace(corpus, splits=("train",) * 40)) == (
        "The train and test labels are not in the project.",
    )
    turned = replace(corpus, texts=tuple(texts[::-1]))
    assert "another order" in differences(project, turned)[0] and as_in(project, turned) is None


def test_topics_that_were_found_and_vectors_that_were_added_come_back():
    corpus = made(4, 8)
    vectors = embed(corpus, make_encoder("lsa")).matrix
    labelled = with_found_topics(corpus, find_topics(corpus, vectors, k=3, seed=0))
    fitted = as_in(open_project(saved(labelled)), corpus)
    assert fitted is not None and fitted.fingerprint == labelled.fingerprint and fitted.found
    own = with_vectors(corpus, vectors)
    brought = embed(own, make_encoder("precomputed", vectors=own.vectors))
    fitted = as_in(open_project(saved(own, vectors=[(own, brought)])), corpus)
    assert fitted is not None and fitted.fingerprint == own.fingerprint


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda file: File("p.zip", b"text,topic\n"), "not a project file. Choose a zip"),
        (lambda file: File("p.zip", file.data[: len(file.data) // 2]), "damaged"),
        (lambda file: zipped({"a.txt": b"x"}), "it has no project.json"),
        (lambda file: zipped({"../project.json": b"{}"}), "points outside the archive"),
        (lambda file: zipped({"/etc/project.json": b"{}"}), "points outside the archive"),
        (lambda file: about(file, format=3, leakscope="9.9"), "saved by Leakscope 9.9.*Install the newer version"),
        (lambda file: about(file, format=True), "not in Leakscope's format"),
        (lambda file: about(file, members=[]), "not in Leakscope's format"),
        (lambda file: about(file, settings={"a": [1]}), "not in Leakscope's format"),
        (lambda file: about(file, pages={"a": {"k": "3"}}), "not in Leakscope's format"),
        (lambda file: about(file, cleaning=[{"step": "rm"}]), "unknown step"),
        (lambda file: changed(file, "project.json", b"{"), "not in Leakscope's format"),
        (lambda file: changed(file, "project.json", b"[" * 100_000), "not in Leakscope's format"),
        (lambda file: changed(file, "chosen.json", b"{} ", sums=False), "'chosen.json' was changed after it was saved"),
        (lambda file: changed(file, "more.json", b"{}", sums=False), "'more.json' was added"),
        (lambda file: changed(file, "chosen.json", b"", sums=False, keep=False), "'chosen.json' is missing"),
        (
            lambda file: changed(file, "documents.parquet", b"PAR1nonsensePAR1"),
            "'documents.parquet' is not in Leakscope",
        ),
        (
            lambda file: changed(file, "answers-01.json", b'{"runs": {}}'),
            "'answers-01.json' is not in Leakscope",
        ),
        (
            lambda file: zipped({"project.json": b"{}"} | {f"{number}.json": b"" for number in range(70)}),
            "70|71 members",
        ),
        (lambda file: zipped({"project.json": b"{}", "a.bin": b"\0" * 20_000_000}), "times its size"),
    ],
)
def test_what_is_not_ours_is_refused_in_a_sentence(make, said):
    with pytest.raises(InputError, match=said):
        open_project(make(saved(made(3, 3))))


def test_a_project_of_the_first_format_opens_without_its_results():
    older = changed(about(saved(made(3, 3)), format=1), "results.json", b'[["designs", 1, {}]]')
    found = open_project(older)
    assert found.settings == SETTINGS and "older version" in found.notes[0]
    assert not open_project(about(saved(made(3, 3)), format=1)).notes


def test_size_is_bounded_and_other_libraries_answers_are_not_taken(tmp_path):
    file = saved(made(3, 3))
    with pytest.raises(InputError, match="bytes; the limit is 100"):
        open_project(file, most_bytes=100)
    other = changed(
        file, "answers-01.json", json.dumps({"runs": {"k": [[1.0], [], None]}, "versions": {"numpy": "0.1"}}).encode()
    )
    found = open_project(other, keep=tmp_path)
    assert found.answers == 0 and "numpy 0.1 (here" in found.notes[0] and not list(tmp_path.iterdir())
