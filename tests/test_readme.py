"""Every command in the README is run as it stands, on small files of the names it gives, and every picture is there."""

import csv
import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pandas as pd

from core.__main__ import main, parser
from core.vectors import sbert
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line.split("  #")[0].strip() for line in re.findall(r"^    python -m core (.+)$", README, flags=re.MULTILINE)
]
SLOW = ("luar",)  # trains networks for minutes: only read here, and run on little by tests of its own
FAMILIES = ("oven flour dough", "orbit comet lens", "tram rail bell", "choir opera song", "bank share rate")
HABITS = ("and so it goes, well", "quite; rather quite!", "the the of the (of)")


def made_table(folder: Path) -> None:
    """my.csv: ten topics of twelve texts in five families, three authors, a split; and the same without topics as texts.csv."""
    rows = []
    for place, words in enumerate(FAMILIES * 2):
        for number in range(12):
            own = " ".join(f"{word}{(number + shift) % 4}" for shift, word in enumerate(words.split()))
            text = f"{words} {own} topic{place} word{place} {HABITS[number % 3]} {words}"
            rows.append(
                [f"d{place}-{number}", text, f"author {number % 3}", f"topic {place}", "test" if place < 3 else "train"]
            )
    for name, columns in (("my.csv", slice(None)), ("texts.csv", slice(0, 2))):
        with (folder / name).open("w", newline="", encoding="utf-8") as target:
            table = csv.writer(target)
            table.writerow(["id", "text", "author", "topic", "split"][columns])
            table.writerows(row[columns] for row in rows)


def made_answers(folder: Path) -> None:
    """truth.jsonl, first.jsonl and second.jsonl; scores.csv; reuters.parquet."""
    same = [number % 2 == 0 for number in range(20)]
    lines = [json.dumps({"id": f"p{place}", "same": value}) for place, value in enumerate(same)]
    (folder / "truth.jsonl").write_text("\n".join(lines))
    answer(folder, [f"p{place}" for place in range(20)])
    scores = [f"c{place},{0.5 + place / 50},{0.45 + (place * 7 % 12) / 40}" for place in range(12)]
    (folder / "scores.csv").write_text("\n".join(["category,SVM,kNN", *scores]))
    texts = [(f"{words} again {number}", [words.split()[0]]) for number in range(12) for words in FAMILIES[:3]]
    sides = ["test" if number % 4 == 0 else "train" for number in range(12) for _ in range(3)]
    frame = pd.DataFrame(
        {"text": [text for text, _ in texts], "topics": [topics for _, topics in texts], "split": sides}
    )
    frame.to_parquet(folder / "reuters.parquet")
    for name, shipped in (("E.csv", "courier_links.csv"), ("L.csv", "courier_families.csv")):
        shutil.copy(ROOT / "data" / shipped, folder / name)


def answer(folder: Path, ids: list[str]) -> None:
    """Two systems' answers to problems of these names."""
    for name, turn in (("first", 7), ("second", 3)):
        lines = [json.dumps({"id": each, "value": (place * turn % 11) / 10}) for place, each in enumerate(ids)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))


def ids_of(benchmark: Path) -> list[str]:
    """Every problem of a benchmark, whatever its setup."""
    files = sorted(benchmark.rglob("*pairs.jsonl"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    found = [json.loads(line)["id"] for line in lines]
    return list(dict.fromkeys(found))


def test_every_command_of_the_readme_runs_as_it_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "models").mkdir()
    os.symlink(sbert.folder(), tmp_path / "models" / "multilingual")
    made_table(tmp_path)
    made_answers(tmp_path)
    assert len(COMMANDS) >= 20
    # The one that writes my.csv again comes last.
    for command in sorted(COMMANDS, key=lambda each: each.startswith("topics ")):
        if command.startswith("shortcut "):
            answer(tmp_path, ids_of(tmp_path / "raven"))
        arguments = [os.path.expanduser(each) for each in shlex.split(command)]
        if any(name in command for name in SLOW):
            parser().parse_args(arguments)
            continue
        code = main(arguments)
        out, problem = capsys.readouterr()
        assert code == 0 and out.strip(), f"{command}: {problem}"


def test_every_target_it_names_is_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"\bmake (\w+)", README)):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_what_it_links_to_is_there_and_pictures_are_small():
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        assert link.startswith("http") or (ROOT / link).is_file(), link
    pictures = re.findall(r"!\[([^\]]+)\]\((docs/screenshots/[\w.]+)\)", README)
    assert len(pictures) >= 3 and all(len(alt) > 20 for alt, _ in pictures)
    for _, picture in pictures:
        assert (ROOT / picture).stat().st_size < 2_000_000, picture


def test_it_speaks_to_three_readers():
    for heading in ("On your own machine", "For others to use", "In class"):
        assert f"\n## {heading}\n" in README
