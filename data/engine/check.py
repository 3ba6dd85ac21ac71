"""Faults in the phrase material, each with its place and what to do about it."""

import re
from collections.abc import Iterator
from pathlib import Path

from .material import DATA, FAMILIES, file_of, read_json, region_slots

LEAST = {"leads": 12, "sentences": 36, "quotes": 12, "speakers": 8, "closers": 10}
WORDS = {"leads": (8, 34), "sentences": (8, 34), "quotes": (4, 32), "closers": (5, 32)}

_SLOT = re.compile(r"\{([^{}]*)\}")
_CHOICE = re.compile(r"<([^<>]*)>")
_NUMBER = re.compile(r"n:(\d+)-(\d+)$")
_CONTRACTION = re.compile(r"(?i)n't\b|\b(it|that|there|he|she|who|what)'s\b|'(re|ll|ve|m)\b")


def faults_of_material() -> Iterator[str]:
    """One line a fault, over every family file that is there."""
    for family in FAMILIES:
        path = file_of(family)
        if path.exists():
            yield from _faults_of_family(family, path)


def missing_families() -> list[str]:
    return [family for family in FAMILIES if not file_of(family).exists()]


def _faults_of_family(family: str, path: Path) -> Iterator[str]:
    try:
        record = read_json(path)
    except ValueError as error:
        yield f"{path.name}: not JSON ({error}); fix the file."
        return
    wanted = {"family", "about", "slots", "sentences", "topics"}
    if set(record) != wanted:
        yield f"{path.name}: has keys {sorted(record)}; it needs exactly {sorted(wanted)}."
        return
    if record["family"] != family or set(record["topics"]) != set(FAMILIES[family]):
        yield f"{path.name}: must name family '{family}' and the topics {list(FAMILIES[family])}."
        return
    # "<,>" stands where a list may take a serial comma.
    choices = set(read_json(DATA / "language.json")["choices"]) | {","}
    shared = region_slots() | record["slots"]
    own = {slot: fillers for slot, fillers in record["slots"].items() if slot not in region_slots()}
    yield from _faults_of_slots(path.name, own, least=12)
    yield from _faults_of_count(f"{path.name}: family sentences", record["sentences"], 14)
    for text in record["sentences"]:
        yield from _faults_of_text(f"{path.name}: family", text, WORDS["sentences"], shared, choices)
        for name, topic in record["topics"].items():
            clash = {slot.lower() for slot in _SLOT.findall(text)} & set(topic["slots"])
            if clash:
                yield f"{path.name}: family sentence uses {sorted(clash)}, which {name} redefines; rename one: {text}"
    for name, topic in record["topics"].items():
        where = f"{path.name}: {name}"
        if set(topic) != set(LEAST) | {"slots"}:
            yield f"{where}: has keys {sorted(topic)}; it needs exactly {sorted(set(LEAST) | {'slots'})}."
            continue
        yield from _faults_of_slots(where, topic["slots"], least=10)
        for part, least in LEAST.items():
            yield from _faults_of_count(f"{where}: {part}", topic[part], least)
        for part, words in WORDS.items():
            for text in topic[part]:
                yield from _faults_of_text(f"{where}: {part}", text, words, shared | topic["slots"], choices)
        for role in topic["speakers"]:
            if not role.startswith(("the ", "a ", "an ", "one ")) or role.endswith("."):
                yield f"{where}: speaker must be a role such as 'the head waiter': {role}"


def _faults_of_count(where: str, items: list[str], least: int) -> Iterator[str]:
    if len(items) < least:
        yield f"{where}: {len(items)} given, at least {least} needed; write more."
    for item in sorted(set(items)):
        if items.count(item) > 1:
            yield f"{where}: given twice; drop one: {item}"


def _faults_of_slots(where: str, slots: dict[str, list[str]], *, least: int) -> Iterator[str]:
    for slot, fillers in slots.items():
        yield from _faults_of_count(f"{where}: slot '{slot}'", fillers, least)
        if not re.fullmatch(r"[a-z][a-z_ ]*", slot):
            yield f"{where}: slot '{slot}': name it in small letters."
        for filler in fillers:
            if re.search(r"[{}<>\"“”‘.;]", filler) or filler != filler.strip():
                yield f"{where}: slot '{slot}': plain words only: {filler!r}"


def _faults_of_text(where: str, text: str, words: tuple[int, int], slots: dict, choices: set[str]) -> Iterator[str]:
    for slot in _SLOT.findall(text):
        number = _NUMBER.match(slot)
        if number and not 2 <= int(number[1]) < int(number[2]):
            yield f"{where}: numbers run upwards from 2 or more: {text}"
        if not number and slot[:1].lower() + slot[1:] not in slots:
            yield f"{where}: unknown slot {{{slot}}}: {text}"
    for article, slot in re.findall(r"(?i)\b(a|an|the|this|every|each|his|her|their) \{([a-z_ ]+)\}", text):
        doubled = [filler for filler in slots.get(slot, ()) if re.match(r"(a|an|the) ", filler)]
        if doubled:
            yield f"{where}: '{article} {doubled[0]}' has two articles: {text}"
    for choice in _CHOICE.findall(text):
        if choice.lower() not in choices:
            yield f"{where}: unknown choice point <{choice}>: {text}"
    if re.search(r"(?i)(?<!^)<however>", text):
        yield f"{where}: <however> opens a sentence or is not used: {text}"
    if re.search(r"(?i)\b(as|(?<!, )so|how|too|the|very|not|these|those|their|its) <many>|<many> (of|more|as)\b", text):
        yield f"{where}: <many> must stand alone before a plural noun: {text}"
    if re.search(
        r"(?i)\b(as|how|too|so|the) <(very|often)>|<very> (much|few|little|many|same)|<often> (as|than)\b|(simply|just|only|partly) <because>",
        text,
    ):
        yield f"{where}: a choice point inside a fixed phrase; write the word itself: {text}"
    if re.search(r"[\"“”‘]|(?<![a-z}])'|’", text):
        yield f"{where}: no quotation marks, and apostrophes as ': {text}"
    if _CONTRACTION.search(text):
        yield f"{where}: write contractions out in full: {text}"
    if re.search(r"\d", _SLOT.sub("", text)):
        yield f"{where}: write numbers as {{n:low-high}}: {text}"
    if re.search(r"[—–(;!]", text):
        yield f"{where}: dashes, brackets, semicolons and exclamations belong to the authors: {text}"
    # A quote may come without its full stop: the attribution decides what ends it.
    stop = "[.?]?$" if where.endswith("quotes") else "[.?]$"
    if not re.search(r"[A-Za-z>}]" + stop, text) or "  " in text or re.search(r"[.?] ", text):
        yield f"{where}: one sentence, ending in a full stop or question mark, single spaces: {text}"
    if re.match(r"[a-z]", text):
        yield f"{where}: start with a capital: {text}"
    count = len(_CHOICE.sub("w", _SLOT.sub("w", text)).split())
    if not words[0] <= count <= words[1]:
        yield f"{where}: {count} words, {words[0]} to {words[1]} wanted: {text}"
