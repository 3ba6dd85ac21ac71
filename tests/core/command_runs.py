"""What the tests of commands share: a small corpus as a file, and a command's answer."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main

TOPICS = ("bread", "cakes", "soups", "stars", "comets", "trams")
WORDS = ("flour oven dough yeast", "flour oven sugar icing", "stock oven salt pepper",
         "telescope galaxy lens dust", "telescope orbit tail ice", "rails bell driver stop")  # fmt: skip
HABITS = ("and so it goes, well", "quite; rather quite!", "the the of the (of)")
VERIFICATION = ("--task", "verification", "--models", "topic_fit")
ATTRIBUTION = ("--task", "attribution", "--models", "char_svm")


def written(tmp_path: Path, *, authors=3, each=6, column="author", lone=(), large=()) -> str:
    """A corpus of six topics; topics in `lone` have texts of one author only, those in `large` twice as many."""
    file = tmp_path / f"small-{authors}-{each}-{column}-{len(lone)}-{len(large)}.csv"
    with file.open("w", newline="") as target:
        rows = csv.writer(target)
        rows.writerow(["id", "text", column, "topic"])
        for topic, words in zip(TOPICS, WORDS, strict=True):
            for number in range(each * 2 if topic in large else each):
                author = 0 if topic in lone else number % authors
                turned = " ".join(np.roll(words.split(), number))
                rows.writerow([f"{topic}{number}", f"{turned} {HABITS[author % 3]} {turned}", f"a{author}", topic])
    return str(file)


def answered(capsys, *arguments: str) -> tuple[dict, str]:
    """A command's JSON document and what it wrote to stderr."""
    code = main([*arguments, "--json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON")), err
