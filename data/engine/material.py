"""The phrase material: one JSON file a family, read into records."""

import json
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent

FAMILIES = {
    "food": ("restaurants", "cooking", "food markets"),
    "bat and ball": ("baseball", "softball", "cricket"),
    "space": ("astronomy", "spaceflight"),
    "rails": ("railways", "trams"),
    "music": ("orchestra", "opera", "choirs", "folk music"),
    "health": ("hospitals", "clinics", "pharmacy"),
    "money": ("banking", "insurance", "stock market"),
    "computing": ("laptops", "smartphones"),
    "chess": ("chess",),
    "volcanoes": ("volcanoes",),
}
"""Every family and its topics; the first two named are the closest pair."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What one topic has: fillers for its slots, and templates by their part in a document."""

    name: str
    family: str
    slots: dict[str, list[str]]
    own_slots: frozenset[str]
    leads: list[str]
    sentences: list[str]
    family_sentences: list[str]
    quotes: list[str]
    speakers: list[str]
    closers: list[str]


def file_of(family: str) -> Path:
    return DATA / "material" / f"{family.replace(' ', '_')}.json"


def read_json(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def region_slots() -> dict[str, list[str]]:
    return read_json(DATA / "region.json")["slots"]


def load_topics(families: dict[str, tuple[str, ...]] = FAMILIES) -> dict[str, Topic]:
    """Every topic of the given families, its slots already looked up topic, then family, then region."""
    region = region_slots()
    topics = {}
    for family, names in families.items():
        record = read_json(file_of(family))
        for name in names:
            own = record["topics"][name]
            topics[name] = Topic(
                name=name,
                family=family,
                slots=region | record["slots"] | own["slots"],
                own_slots=frozenset(own["slots"]),
                leads=own["leads"],
                sentences=own["sentences"],
                family_sentences=record["sentences"],
                quotes=own["quotes"],
                speakers=own["speakers"],
                closers=own["closers"],
            )
    return topics
