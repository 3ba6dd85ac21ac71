"""Run every command on corpora that do not change, and keep what it answered.

`python -m tests.golden.cases` rewrites all golden files, or those of the cases named. Sentences are left out: snapshots of
answers hold the wording. Answers about other people's corpora keep their numbers, but every name in them is replaced by a
short hash, because nothing of those corpora is in the project.
"""

import contextlib
import hashlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.__main__ import main

HERE = Path(__file__).parent
REAL = HERE.parents[2] / "shared" / "data"
LEFT_OUT = {"seconds", "out", "manifest", "bytes", "from_store", "encoded"}  # they differ from run to run

NEWS = str(REAL / "20newsgroups.parquet")
BLOG = str(REAL / "18f_blog.parquet")
REUTERS = str(REAL / "reuters_aptemod.parquet")

FOLDS = ["--scheme", "topic-kfold", "--k", "3", "--seed", "1"]
CASES: dict[str, list[str]] = {
    "demo_audit": ["audit", "demo"],
    "explain": ["explain", "small-topics"],
    "demo_verdict": ["verdict", "demo", "--k", "6"],
    "demo_check": ["check", "demo", "--fail-on", "meaningless,duplicates"],
    "demo_curve": ["curve", "demo"],
    "demo_swap": ["swap", "demo"],
    "demo_forecast": ["forecast", "demo", "--models", "word_svm,char_svm"],
    "demo_embed_lsa": ["embed", "demo", "--encoder", "lsa", "--out", "{folder}/lsa.npy"],
    "demo_hits": ["hits", "demo", "--m", "14"],
    "demo_hits_lsa": ["hits", "demo", "--encoder", "lsa", "--m", "9"],
    "demo_hits_nmf": ["hits", "demo", "--encoder", "nmf", "--m", "9", "--max-documents", "30"],
    "demo_folds": ["folds", "demo", "--sampler", "hits", "--m", "12", "--k", "4", "--seed", "0"],
    "demo_folds_random": ["folds", "demo", "--sampler", "random", "--m", "12", "--k", "5", "--seed", "3"],
    "demo_folds_ordinary": ["folds", "demo", "--sampler", "none", "--scheme", "kfold", "--k", "4"],
    "demo_design": ["design", "demo", "--k", "20", "--max-documents", "20"],
    "demo_split": ["split", "demo", "--mend"],
    "demo_attribution": ["evaluate", "demo", "--task", "attribution", "--sampler", "hits", "--m", "9", *FOLDS],
    "demo_verification": ["evaluate", "demo", "--task", "verification", "--sampler", "random", "--m", "9", *FOLDS],
    "demo_left_out": [
        "evaluate", "demo", "--task", "attribution", "--models", "topic_fit", "--scheme", "leave-one-topic-out",
    ],
    "demo_raven": ["raven", "demo", "--m", "9", "--k", "3", "--seed", "2", "--out", "{folder}/raven"],
    "demo_shortcut": ["shortcut", "{folder}/raven", "{folder}/guesses.jsonl", "{folder}/lengths.csv"],
    "demo_report": [
        "report", "demo", "--pages", "overview,hits,design,split", "--max-documents", "20", "--out", "{folder}/report.html",
    ],
    "topics": ["topics", "{folder}/untold.csv", "--encoder", "lsa", "--k", "3", "--out", "{folder}/found.csv"],
    "dial": ["dial", "--shared", "0.4", "--loyal", "0.6", "--seed", "3", "--out", "{folder}/dial.csv"],
    "score": ["score", "{folder}/truth.jsonl", "{folder}/first.jsonl", "{folder}/second.jsonl"],
    "compare_scores": ["compare", "{folder}/scores.csv", "--a", "A", "--b", "B"],
    "compare_decisions": ["compare", "{folder}/decisions.csv", "--a", "A", "--b", "C"],
    "simulate_ncv": ["simulate", "type1", "--scheme", "ncv", "--labelled", "0.5", "--trials", "400", "--seed", "1"],
    "simulate_rrs": ["simulate", "type1", "--scheme", "rrs", "--labelled", "0.3", "--trials", "400"],
    "simulate_ers": [
        "simulate", "type1", "--scheme", "ers", "--labelled", "0.7", "--trials", "200", "--error", "0.2",
        "--correlation", "0.5", "--instances", "200", "--groups", "20",
    ],
    "simulate_network": ["simulate", "network", "--labelled", "0.3", "--trials", "6", "--nodes", "120", "--seed", "2"],
    "simulate_own_network": [
        "simulate", "network", "--edges", "demo", "--models", "wvrn,link", "--labelled", "0.4", "--trials", "4",
    ],
    "categorize": ["categorize", "{folder}/labelled.csv", "--models", "svm,knn,llsf,nnet,nb"],
    "blog_audit": ["audit", BLOG],
    "blog_hits_lsa": ["hits", BLOG, "--encoder", "lsa", "--m", "20"],
    "blog_folds_lsa": ["folds", BLOG, "--encoder", "lsa", "--sampler", "hits", "--m", "20", "--k", "5"],
    "blog_attribution": [
        "evaluate", BLOG, "--task", "attribution", "--models", "char_svm,topic_fit", "--encoder", "lsa",
        "--min-documents", "5", "--most-authors", "15", *FOLDS,
    ],
    "blog_verification": [
        "evaluate", BLOG, "--task", "verification", "--models", "char_ngram,topic_fit", "--encoder", "lsa",
        "--min-documents", "5", *FOLDS,
    ],
    "news_hits_lsa": ["hits", NEWS, "--encoder", "lsa", "--m", "10", "--max-documents", "200"],
    "reuters_categorize": ["categorize", REUTERS, "--models", "svm,nb"],
}  # fmt: skip
FOREIGN = ("blog_", "news_", "reuters_")


def files(folder: Path) -> None:
    """The small files that some commands are given."""
    truth = [1, 1, 1, 0, 0, 0, 1, 0]
    first, second = [0.9, 0.7, 0.5, 0.2, 0.5, 0.6, 0.3, 0.1], [0.8, 0.4, 0.6, 0.3, 0.5, 0.2, 0.7, 0.4]
    lines = [json.dumps({"id": f"p{row}", "same": bool(same)}) for row, same in enumerate(truth)]
    (folder / "truth.jsonl").write_text("\n".join(lines))
    for name, values in (("first", first), ("second", second[:-1])):
        lines = [json.dumps({"id": f"p{row}", "value": value}) for row, value in enumerate(values)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    a, b = [0.80, 0.75, 0.90, 0.60, 0.55, 0.70, 0.85, 0.40], [0.70, 0.75, 0.85, 0.65, 0.40, 0.60, 0.80, 0.30]
    rows = [f"c{row},{one},{two}" for row, (one, two) in enumerate(zip(a, b, strict=True))]
    (folder / "scores.csv").write_text("\n".join(["category,A,B", *rows]))
    rows = [f"{row % 3 > 0:d},{row % 5 > 1:d},{row % 7 > 3:d}" for row in range(90)]
    (folder / "decisions.csv").write_text("\n".join(["A,B,C", *rows]))
    words = {"grain": "wheat corn harvest bushel", "ship": "port vessel cargo dock", "money": "bank rate loan dollar"}
    rows = ["text,topics,split"]
    for row in range(90):
        chosen = [topic for place, topic in enumerate(words) if (row >> place) & 1 or row % 3 == place]
        text = " ".join(words[topic].split()[(row + place) % 4] for topic in chosen for place in range(3))
        rows.append(f"{text} and so on,{'|'.join(chosen)},{'test' if row % 4 == 3 else 'train'}")
    (folder / "labelled.csv").write_text("\n".join(rows))
    rows = ["text"]
    for row in range(60):
        own = words[list(words)[row % 3]].split()
        rows.append(" ".join([*(own[(row // 3 + step) % 4] for step in range(3)), f"number{row % 7}"]))
    (folder / "untold.csv").write_text("\n".join(rows))


def answers(folder: Path) -> None:
    """Two systems that answer the benchmark in `folder`: one by a hash of the texts, one by their lengths."""
    guesses, lengths = [], ["id,score"]
    for file in sorted((folder / "raven").glob("*/fold-*/test/pairs.jsonl")):
        for line in file.read_text().splitlines():
            pair = json.loads(line)
            digest = hashlib.sha256("".join(pair["pair"]).encode()).digest()
            guesses.append(json.dumps({"id": pair["id"], "value": digest[0] / 255}))
            one, two = map(len, pair["pair"])
            lengths.append(f"{pair['id']},{min(one, two) / max(one, two)}")
    (folder / "guesses.jsonl").write_text("\n".join(guesses))
    (folder / "lengths.csv").write_text("\n".join(lengths))


def answered(name: str, folder: Path) -> Any:
    """What the command of that name says, as it is compared."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        code = main([*(part.replace("{folder}", str(folder)) for part in CASES[name]), "--json"])
    if code != 0:
        raise AssertionError(f"{name}: exit {code}")
    found = json.loads(said.getvalue().replace(str(folder), "{folder}"))
    told = comparable(found, hide=name.startswith(FOREIGN))
    return told | {"written": WRITTEN[name](folder)} if name in WRITTEN else told


def _outline(folder: Path) -> dict[str, Any]:
    """Count the figures of a report and the rows of each of its tables."""
    page = (folder / "report.html").read_text(encoding="utf-8")
    tables = re.findall(r"<table.*?</table>", page, flags=re.DOTALL)
    return {"figures": page.count("<figure"), "rows": [each.count("<tr") for each in tables]}


# What a command writes beside what it says.
WRITTEN: dict[str, Callable[[Path], Any]] = {
    "demo_report": _outline,
    "dial": lambda folder: hashed((folder / "dial.csv").read_text(encoding="utf-8")),
    "topics": lambda folder: (folder / "found.csv").read_text(encoding="utf-8").splitlines()[:4],
}


SENTENCE = "a sentence"


def comparable(value: Any, *, hide: bool) -> Any:
    """Return the value without sentences and what differs from run to run; `hide` hashes names."""
    if isinstance(value, str) and value.count(" ") >= 4:
        return SENTENCE
    if isinstance(value, dict):
        kept = {key: each for key, each in value.items() if key not in LEFT_OUT}
        if hide and len(kept) > 30:  # a table of topics or authors
            return hashed(json.dumps(kept, sort_keys=True))
        return {hashed(key) if hide else key: comparable(each, hide=hide) for key, each in kept.items()}
    if isinstance(value, list):
        return [comparable(each, hide=hide) for each in value]
    return hashed(value) if hide and isinstance(value, str) else value


def hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def write(names: Sequence[str]) -> None:
    """Write golden files again, on one core and without what is kept from before, as the tests run."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ |= {"LEAKSCOPE_CORES": "1", "LEAKSCOPE_ENGINE": "here", "LEAKSCOPE_CACHE": f"{folder}/cache"}
        files(folder)
        for name in names or CASES:
            if name == "demo_shortcut":
                if not (folder / "raven").is_dir():
                    answered("demo_raven", folder)
                answers(folder)
            print(name, file=sys.stderr)
            record = json.dumps(answered(name, folder), ensure_ascii=False, indent=1, sort_keys=True)
            (HERE / f"{name}.json").write_text(record + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:])
