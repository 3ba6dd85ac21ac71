"""The bundled corpus is what its builder writes, and has the shape its README promises."""

import itertools
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest

DATA = Path(__file__).parent.parent.parent / "data"


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_rebuilding_gives_the_committed_bytes(tmp_path: Path, hash_seed: str) -> None:
    subprocess.run(
        [sys.executable, "-B", "-m", "data.build", "--out", str(tmp_path)],
        cwd=DATA.parent,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        check=True,
    )
    for name in ("courier.csv", "ground_truth.json"):
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes(), f"{name}: run `python -m data.build`"


def test_the_material_has_no_faults() -> None:
    command = [sys.executable, "-B", "-m", "data.build", "--check"]
    done = subprocess.run(command, cwd=DATA.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "10 of 10 families there, 0 faults" in done.stdout


def test_the_file_is_plain_csv(courier: pd.DataFrame) -> None:
    raw = (DATA / "courier.csv").read_bytes()
    assert b"\r" not in raw
    assert list(courier.columns) == ["id", "text", "author", "topic", "split"]
    assert courier["id"].is_unique
    assert courier["text"].is_unique
    assert not (courier == "").to_numpy().any()


def test_counts(courier: pd.DataFrame, truth: dict) -> None:
    assert 1400 <= len(courier) <= 1600
    assert courier["author"].nunique() == 12
    assert set(courier["topic"]) == {topic for topics in truth["families"].values() for topic in topics}
    assert courier["topic"].nunique() == 24
    assert len(truth["families"]) == 10
    assert courier["topic"].value_counts().between(25, 110).all()
    assert courier["author"].value_counts().between(60, 220).all()
    counted = {topic: rows["author"].value_counts().to_dict() for topic, rows in courier.groupby("topic")}
    assert counted == truth["documents"]


def test_the_split_is_the_careless_one_that_was_planted(courier: pd.DataFrame, truth: dict) -> None:
    sides = {topic: set(rows["split"]) for topic, rows in courier.groupby("topic")}
    tested, both = set(truth["split"]["tested"]), truth["split"]["on both sides"]
    assert {topic for topic, found in sides.items() if found == {"test"}} == tested
    assert [topic for topic, found in sides.items() if found == {"train", "test"}] == [both]
    separated = {one for one, other in truth["closest_pairs"].values() if one in tested and other not in tested}
    separated |= {other for one, other in truth["closest_pairs"].values() if other in tested and one not in tested}
    assert len(separated) == 5, "five test topics have their closest sister in training"
    whole = [family for family, topics in truth["families"].items() if set(topics) <= tested]
    assert whole == ["computing", "chess"], "and of two families all topics are tested"
    assert 0.25 < (courier["split"] == "test").mean() < 0.4


def test_every_document_has_100_to_200_words(courier: pd.DataFrame) -> None:
    assert courier["text"].str.split().str.len().between(100, 200).all()


def test_home_families_hold_most_of_an_authors_work(courier: pd.DataFrame, truth: dict, family_of: dict) -> None:
    for author, rows in courier.groupby("author"):
        families = rows["topic"].map(family_of)
        assert 0.55 <= families.isin(truth["home_families"][author]).mean() <= 0.65, author
        assert families.nunique() >= 3
        assert rows["topic"].nunique() >= 6


def test_two_topics_are_one_authors(courier: pd.DataFrame, truth: dict) -> None:
    shares = courier.groupby("topic")["author"].agg(lambda authors: authors.value_counts(normalize=True).iloc[0])
    assert set(truth["one_author_topics"]) == {"softball", "insurance"} == set(shares[shares >= 0.9].index)
    for topic, author in truth["one_author_topics"].items():
        assert (courier.loc[courier["topic"] == topic, "author"] == author).mean() >= 0.9


def test_no_two_documents_share_a_third_of_their_sentences(courier: pd.DataFrame) -> None:
    sentences = [set(re.split(r"(?<=[.!?])['\"]? (?=[A-Z'\"])", text)) for text in courier["text"]]
    holders = defaultdict(list)
    for document, own in enumerate(sentences):
        for sentence in own:
            holders[sentence].append(document)
    shared: dict[tuple[int, int], int] = defaultdict(int)
    for documents in holders.values():
        for pair in itertools.combinations(documents, 2):
            shared[pair] += 1
    for (one, other), count in shared.items():
        assert 3 * count < min(len(sentences[one]), len(sentences[other])), courier["id"][[one, other]].tolist()


def test_no_document_repeats_a_sentence(courier: pd.DataFrame) -> None:
    for text in courier["text"]:
        sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text)
        assert len(sentences) == len(set(sentences)), text


@pytest.mark.parametrize(
    "slip",
    [
        r"\b([A-Za-z]+) \1\b",
        r"\b[Aa] [aeio]\w+(?<!\bone)\b",
        r"\b[Aa]n [bcdfgjklmnpqrstvwxyz]\w+",
        r" [,.;:!?]",
        r"[,;:.][,;:.]",
        r"[.!?] [a-z]",
        r"; (The|An?|It|There|This|These|In|At|And|But|However) [a-z]",
        r"\b(a|an|the) (a|an|the)\b",
        r"[{}<>]",
        r"  ",
    ],
)
def test_the_proofs_were_read(courier: pd.DataFrame, slip: str) -> None:
    found = [
        (id, match[0])
        for id, text in zip(courier["id"], courier["text"], strict=True)
        if (match := re.search(slip, text))
    ]
    assert not found, found[:5]
