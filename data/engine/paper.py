"""The paper itself: every document of the plan, and the record of what was planted."""

import csv
import io
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from .authors import Author, load_authors
from .cast import BEAT_RATE, MAIN_RATE, Cast, beat
from .draft import Draft, draft, too_similar
from .material import DATA, FAMILIES, Topic, load_topics
from .seeds import chance, rng, shuffled
from .split import ON_BOTH_SIDES, TESTED, side_of
from .voice import FAVOURITE_RATE, SAME_SPEAKER_RATE, closing, leading, narrated, quoted, set_in_type

SEED = 1887
"""The year the Courier was founded, or would have been."""
WORDS = (100, 200)
ATTEMPTS = 4000


@dataclass(frozen=True, slots=True)
class Document:
    author: str
    topic: str
    text: str


def print_paper(out: Path, *, families: dict[str, tuple[str, ...]] = FAMILIES) -> None:
    """Write courier.csv and ground_truth.json, byte for byte the same wherever it is run."""
    topics = load_topics(families)
    authors = {author.name: author for author in load_authors()}
    plan = load_plan()
    documents = []
    for topic in topics.values():
        documents += write_topic(topic, authors, plan)
    documents = shuffled(rng(SEED, "order"), documents)
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "courier.csv", as_csv(documents))
    truth = ground_truth(families, topics, authors, plan)
    _write(out / "ground_truth.json", json.dumps(truth, indent=1, ensure_ascii=False) + "\n")


def load_plan() -> dict[str, dict[str, int]]:
    """Documents by author and topic: the rows and columns of plan.csv."""
    with (DATA / "plan.csv").open(encoding="utf-8", newline="") as file:
        return {row.pop("author"): {topic: int(n) for topic, n in row.items()} for row in csv.DictReader(file)}


def write_topic(topic: Topic, authors: dict[str, Author], plan: dict[str, dict[str, int]]) -> list[Document]:
    """The documents of a topic, each drafted again until it is unlike those before it and of the right length."""
    assignments = [name for name in sorted(plan) for _ in range(plan[name][topic.name])]
    printed: list[frozenset[str]] = []
    documents = []
    for number, name in enumerate(shuffled(rng(SEED, "assign", topic.name), assignments)):
        for attempt in range(ATTEMPTS):
            random = rng(SEED, "draft", topic.name, number, attempt)
            candidate = draft(topic, random)
            templates = candidate.templates()
            if any(too_similar(templates, other) for other in printed):
                continue
            text = write_document(candidate, topic, authors[name], number=number, attempt=attempt)
            if WORDS[0] <= len(text.split()) <= WORDS[1]:
                break
        else:
            raise SystemExit(f"{topic.name}: no room for document {number}; write more sentences for it.")
        printed.append(templates)
        documents.append(Document(author=name, topic=topic.name, text=text))
    return documents


def write_document(plan: Draft, topic: Topic, author: Author, *, number: int, attempt: int) -> str:
    random = rng(SEED, "write", topic.name, number, attempt)
    cast = Cast(random, author, topic, seed=SEED)
    parts = [leading(plan.lead, cast, author, random)]
    speakers = shuffled(random, topic.speakers)
    for part, template in plan.body:
        if part == "spoken":
            parts.append(quoted(template, speakers.pop(), cast, author, random))
        else:
            # Two openers in a row read like a tic.
            opened = len(parts) > 1 and not parts[-1].plain
            parts.append(narrated(template, cast, author, random, may_open=not opened or chance(random, 0.5)))
    parts += closing(plan.closer, cast, author, random)
    return set_in_type(parts, author, random)


def as_csv(documents: list[Document]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["id", "text", "author", "topic", "split"])
    printed, earlier = Counter(document.topic for document in documents), Counter[str]()
    for number, document in enumerate(documents, start=1):
        side = side_of(document.topic, earlier=earlier[document.topic], printed=printed[document.topic])
        earlier[document.topic] += 1
        writer.writerow([f"tc-{number:04d}", document.text, document.author, document.topic, side])
    return buffer.getvalue()


def ground_truth(families: dict, topics: dict[str, Topic], authors: dict[str, Author], plan: dict) -> dict:
    """Everything that was planted, for tests and for teaching."""
    counts = {topic: {name: plan[name][topic] for name in sorted(plan) if plan[name][topic]} for topic in topics}
    largest = {topic: max(by, key=lambda name: (by[name], name)) for topic, by in counts.items()}
    return {
        "about": "What was planted in courier.csv. Everything here is invented.",
        "seed": SEED,
        "families": {family: list(names) for family, names in families.items()},
        "closest_pairs": {family: list(names[:2]) for family, names in families.items() if len(names) > 1},
        "one_author_topics": {
            topic: name for topic, name in largest.items() if counts[topic][name] >= 0.9 * sum(counts[topic].values())
        },
        "split": {"tested": list(TESTED), "on both sides": ON_BOTH_SIDES},
        "documents": counts,
        "home_families": {name: list(author.home) for name, author in sorted(authors.items())},
        "rates": {
            "favourite phrase": FAVOURITE_RATE,
            "beat": BEAT_RATE,
            "main filler": MAIN_RATE,
            "same speaker": SAME_SPEAKER_RATE,
        },
        "habits": {name: author.habits() for name, author in sorted(authors.items())},
        "beats": {name: _beats(author, topics, plan[name]) for name, author in sorted(authors.items())},
    }


def _beats(author: Author, topics: dict[str, Topic], planned: dict[str, int]) -> dict:
    """Family or topic to slot to the fillers the author returns to there."""
    beats: dict[str, dict[str, list[str]]] = {}
    for topic in topics.values():
        for slot in sorted(topic.slots):
            owner = topic.name if slot in topic.own_slots else f"family {topic.family}"
            if planned[topic.name]:
                beats.setdefault(owner, {})[slot] = beat(author, topic, slot, seed=SEED)
    return beats


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))
