"""Opening a project that came from anywhere: every member is checked before any is used, and nothing in it is run."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import __version__
from ..corpora import MOST_DOCUMENTS, steps_from_json
from ..corpora.readers import MOST_BYTES, File, unpacked
from ..errors import InputError, LeakscopeError
from ..evaluation import runs_from_json, versions, write_runs
from .kinds import check
from .parquet import LONGEST, all_vectors, documents, not_ours
from .project import ABOUT, CHOSEN, FORMAT, RESULTS, Identity, Project
from .records import from_json

MOST_MEMBERS = 60
_LIST = 1_000_000  # results, pages and names that a project may hold
_PAGE, _CONTROLS, _VALUES = 100, 100, 500  # letters of a page's name, controls, values


def open_project(file: File, *, keep: Path | None = None, most_bytes: int = MOST_BYTES) -> Project:
    """The project in a zip; answers of models are written to the folder `keep`, where a store finds them.

    What is wrong with it is said in a sentence, and then none of it is used.
    """
    try:
        members = _members(file, most_bytes)
        about = _about(file.name, members)
        return _project(file, about, members, keep)
    except MemoryError as problem:
        raise InputError(
            f"{file.name}: reading it takes more memory than is allowed here; save it without vectors."
        ) from problem


def _members(file: File, most_bytes: int) -> dict[str, bytes]:
    if len(file.data) > most_bytes:
        raise InputError(
            f"{file.name}: {len(file.data):,} bytes, and {most_bytes:,} are read; save it without vectors."
        )
    if not file.data.startswith(b"PK"):
        raise InputError(f"{file.name}: this is no project file; choose a zip that Leakscope saved.")
    found = {each.name: each.data for each in unpacked(file, most_bytes=most_bytes)}
    if ABOUT not in found:
        raise InputError(
            f"{file.name}: there is no {ABOUT} in it, so it is no project file; choose a zip that Leakscope saved."
        )
    if len(found) > MOST_MEMBERS:
        raise InputError(f"{file.name}: {len(found)} members, and a project has at most {MOST_MEMBERS}; save it again.")
    return found


def _about(name: str, members: Mapping[str, bytes]) -> dict[str, Any]:
    """What the project says of itself, its members compared with their checksums."""
    about = _parsed(name, ABOUT, members[ABOUT])
    if not isinstance(about, dict) or type(about.get("format")) is not int:
        raise not_ours(name, ABOUT)
    if about["format"] > FORMAT:
        raise InputError(
            f"{name}: it was saved by Leakscope {str(about.get('leakscope'))[:20]}, in a format that this one ({__version__}) "
            "does not know yet; install the newer version."
        )
    sums = about.get("members")
    if about["format"] < 1 or not isinstance(sums, dict):
        raise not_ours(name, ABOUT)
    for member in sorted({*sums, *members} - {ABOUT}):
        if member not in members or member not in sums:
            fact = "is missing" if member not in members else "was added"
            raise InputError(f"{name}: the member '{member[:100]}' {fact} after it was saved; save the project again.")
        if hashlib.sha256(members[member]).hexdigest() != sums[member]:
            raise InputError(
                f"{name}: the member '{member[:100]}' was changed after it was saved; save the project again."
            )
    return about


def _parsed(name: str, member: str, content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise not_ours(name, member) from problem


def _project(file: File, about: dict[str, Any], members: Mapping[str, bytes], keep: Path | None) -> Project:
    """The project from members that are whole; what they hold is looked at as well: a checksum can be made by anyone."""
    name = file.name
    texts = ("made", "leakscope", "source")
    if not all(isinstance(about.get(each), str) and len(about[each]) <= _PAGE for each in texts):
        raise not_ours(name, ABOUT)
    identity = _identity(name, about.get("corpus"))
    rows = documents(name, members, identity)
    try:
        cleaning = steps_from_json(about.get("cleaning"))
        results = tuple(_result(each) for each in _listed(name, _parsed(name, RESULTS, members.get(RESULTS, b"[]"))))
    except LeakscopeError as problem:
        raise InputError(f"{name}: {problem}; save the project again.") from problem
    chosen = _parsed(name, CHOSEN, members.get(CHOSEN, b"{}"))
    answers, notes = _answers(name, members, keep)
    return Project(
        about["made"],
        about["leakscope"],
        about["source"],
        identity,
        *rows,
        _settings(name, about.get("settings")),
        _pages(name, about.get("pages")),
        _lesson(name, about.get("lesson")),
        cleaning,
        chosen if isinstance(chosen, dict) else {},
        all_vectors(name, about.get("vectors"), members),
        results,
        answers,
        notes,
        hashlib.sha256(file.data).hexdigest()[:16],
    )


def _identity(name: str, found: Any) -> Identity:
    kinds = {"name": str, "content": str, "documents": int, "topics": int, "found": bool, "columns": dict}
    if not isinstance(found, dict) or any(type(found.get(key)) is not kind for key, kind in kinds.items()):
        raise not_ours(name, ABOUT)
    columns = {str(key): str(value) for key, value in found["columns"].items()}
    if not 0 < found["documents"] <= MOST_DOCUMENTS or len(found["name"]) > LONGEST:
        raise not_ours(name, ABOUT)
    return Identity(found["name"], found["content"], columns, found["documents"], found["topics"], found["found"])


def _settings(name: str, found: Any) -> dict[str, str | int]:
    if not isinstance(found, dict) or len(found) > _CONTROLS:
        raise not_ours(name, ABOUT)
    for key, value in found.items():
        if len(key) > _PAGE or type(value) not in (str, int) or len(str(value)) > LONGEST:
            raise not_ours(name, ABOUT)
    return dict(found)


def _pages(name: str, found: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    if not isinstance(found, dict) or len(found) > _PAGE:
        raise not_ours(name, ABOUT)
    pages: dict[str, dict[str, tuple[str, ...]]] = {}
    for page, controls in found.items():
        if len(page) > _PAGE or not isinstance(controls, dict) or len(controls) > _CONTROLS:
            raise not_ours(name, ABOUT)
        for key, values in controls.items():
            sound = isinstance(values, list) and len(values) <= _VALUES and len(key) <= _PAGE
            if not sound or not all(isinstance(value, str) and len(value) <= LONGEST for value in values):
                raise not_ours(name, ABOUT)
        pages[page] = {key: tuple(values) for key, values in controls.items()}
    return pages


def _lesson(name: str, found: Any) -> dict[int, str | int]:
    """Answers by step; whether a step has such an answer, the lesson says."""
    if not isinstance(found, list) or len(found) > _CONTROLS:
        raise not_ours(name, ABOUT)
    for each in found:
        sound = isinstance(each, list) and len(each) == 2 and type(each[0]) is int and type(each[1]) in (str, int)
        if not sound or len(str(each[1])) > LONGEST:
            raise not_ours(name, ABOUT)
    return dict(found)


def _listed(name: str, found: Any) -> list[Any]:
    if not isinstance(found, list) or len(found) > _LIST:
        raise not_ours(name, RESULTS)
    return found


def _result(found: Any) -> tuple[str, Any, Any]:
    if not isinstance(found, list) or len(found) != 3 or not isinstance(found[0], str):
        raise InputError("a result in it is not written as Leakscope writes one")
    kind, key, value = found[0], from_json(found[1]), from_json(found[2])
    check(kind, value)
    try:
        hash(key)
    except TypeError as problem:
        raise InputError("a result in it has no name that one can have") from problem
    return kind, key, value


def _answers(name: str, members: Mapping[str, bytes], keep: Path | None) -> tuple[int, tuple[str, ...]]:
    """How many runs were taken, each part written to a file of its own; and why none of a part was."""
    count, others = 0, dict[str, None]()
    for member in sorted(each for each in members if each.startswith("answers-")):
        content = _parsed(name, member, members[member])
        try:
            runs = runs_from_json(content)
        except (ValueError, OverflowError) as problem:
            raise not_ours(name, member) from problem
        if not runs and content["runs"]:
            made = content["versions"] if isinstance(content["versions"], dict) else {}
            other = [
                f"{each} {str(made.get(each))[:20]} (here {here})"
                for each, here in versions().items()
                if made.get(each) != here
            ]
            others[
                f"The models' answers in it were made with other libraries, {', '.join(other)}; they are computed anew here."
            ] = None
        if runs and keep is not None:
            keep.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (keep / member.replace(".json", ".answers")).open("wb") as target:
                write_runs(target, runs)
        count += len(runs)
    return count, tuple(others)
