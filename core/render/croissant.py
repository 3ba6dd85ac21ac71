"""A data card: what a report found, as fields of Croissant's vocabulary for responsible AI (JSON-LD).

Croissant RAI 1.0, MLCommons, http://mlcommons.org/croissant/RAI/1.0.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from .answer import Answer
from .report import Report

CROISSANT, RAI = "http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"
OURS = "Leakscope "  # how every sentence of ours begins, so that a newer card replaces it
# The question whose answer each field holds.
FIELDS = {
    "rai:dataBiases": ("verdict",),
    "rai:dataLimitations": ("split", "corpus"),
    "rai:dataUseCases": ("design",),
}
CLEANING = "rai:dataPreprocessingProtocol"
ON_CARD = tuple(name for names in FIELDS.values() for name in names)
# Croissant's own context, which readers compare with theirs.
_NAMES: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}
_SAME = (
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes isLiveDataset "
    "jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate separator source "
    "subField transform"
)
CONTEXT = dict(sorted((_NAMES | {name: f"cr:{name}" for name in _SAME.split()}).items()))


def croissant_card(report: Report, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the card of a corpus; fields of an earlier card stay, and only our own sentences in it are replaced."""
    if before is None:
        size = ", ".join(f"{label.lower()}: {value}" for label, value in report.identity[1:4])  # below the name
        before = {"@type": "sc:Dataset", "name": report.corpus, "description": f"{report.corpus}. {size.capitalize()}."}
    card = {**before, "@context": CONTEXT | _context(before.get("@context"))}
    card["conformsTo"] = _merged_entries(before.get("conformsTo") or before.get("dct:conformsTo") or CROISSANT, [RAI])
    card.pop("dct:conformsTo", None)
    mark = f"{OURS}{dict(report.versions)['Leakscope']}: "
    answers = {answer.name: answer for answer in report.answers}
    told = {
        field: [f"{mark}{text}" for name in names if name in answers for text in _card_sentences(answers[name])]
        for field, names in FIELDS.items()
    }
    told[CLEANING] = [f"{mark}{text}" for text in report.cleaning]
    for field, ours in told.items():
        entries = _merged_entries(before.get(field), ours)
        if entries:
            card[field] = entries
        else:
            card.pop(field, None)
    return {key: card[key] for key in sorted(card, key=lambda key: (not key.startswith("@"), key.startswith("rai:")))}


def _context(given: Any) -> dict[str, Any]:
    """Return the names of an earlier card's context; one that is only an address adds none."""
    return dict(given) if isinstance(given, Mapping) else {}


def _merged_entries(before: Any, ours: Iterable[str]) -> list[str]:
    entries = [before] if isinstance(before, str) else [str(each) for each in before or ()]
    return list(dict.fromkeys([*(each for each in entries if not each.startswith(OURS)), *ours]))


def _card_sentences(answer: Answer) -> list[str]:
    """Return the question with its answer, then what it rests on, its numbers and what limits it."""
    return [
        f"{answer.question} {answer.headline}",
        *(f"{each.label}: {each.text}" for each in answer.lines),
        *answer.reasons,
        *(f"{each.label}: {each.value}{f' ({each.note})' if each.note else ''}." for each in answer.facts),
        *(each.text for each in answer.cautions),
    ]
