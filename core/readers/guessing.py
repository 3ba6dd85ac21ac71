"""Which column is what: by the names people use, then by what the cells hold."""

from collections.abc import Mapping, Sequence

_SAMPLE = 5_000  # rows looked at; more change no guess
USUAL_NAMES: dict[str, tuple[str, ...]] = {
    "text": (
        "text", "texts", "body", "content", "contents", "document", "article", "post", "message", "review",
        "abstract", "story", "comment", "tweet", "sentence", "plaintext", "rawtext", "fulltext",
    ),
    "topic": (
        "topic", "topics", "category", "categories", "label", "class", "fandom", "subject", "section", "newsgroup",
        "group", "genre", "domain", "theme", "subreddit", "target", "tag", "field",
    ),
    "author": (
        "author", "authors", "authorid", "authorname", "writer", "user", "userid", "username", "from", "by",
        "byline", "speaker", "poster", "sender", "name",
    ),
    "split": ("split", "subset", "partition", "set", "fold"),
    "id": ("id", "docid", "documentid", "textid", "uid", "uuid", "key", "index", "doc", "filename", "file", "path"),
}  # fmt: skip
_NEVER_TOPIC = {
    "split",
    "fold",
    "set",
    "subset",
    "partition",
    "lang",
    "language",
    "date",
    "year",
    "month",
    "day",
    "time",
}


def guessed_roles(columns: Mapping[str, Sequence[str]], vector_columns: Sequence[str]) -> dict[str, str | None]:
    """A column for each role, or None where no column looks like it."""
    sample = {name: values[:_SAMPLE] for name, values in columns.items()}
    roles: dict[str, str | None] = dict.fromkeys((*USUAL_NAMES, "vectors"))
    for role in USUAL_NAMES:
        free = [name for name in columns if name not in roles.values()]
        roles[role] = _by_name(role, free, columns)
    free = [name for name in columns if name not in roles.values()]
    if roles["text"] is None and free:
        longest = max(free, key=lambda name: _mean_length(sample[name]))
        roles["text"] = longest
        free.remove(longest)
    if roles["topic"] is None:
        roles["topic"] = _few_valued(free, sample)
    roles["vectors"] = vector_columns[0] if vector_columns else None
    return roles


def _by_name(role: str, free: Sequence[str], columns: Mapping[str, Sequence[str]]) -> str | None:
    plain = {name: _plain(name) for name in free}
    for usual in USUAL_NAMES[role]:
        for name in free:
            if plain[name] == usual and _FITS.get(role, _anything)(columns[name]):
                return name
    return None


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _anything(values: Sequence[str]) -> bool:
    return True


def _parts(values: Sequence[str]) -> bool:
    # Any other label, a validation part say, has no place in one pair of train and test.
    return {value.strip().lower() for value in values} == {"train", "test"}


def _identifies(values: Sequence[str]) -> bool:
    # Ids must be unique and filled; a column that merely is called 'id' would only be refused later.
    return len(set(values)) == len(values) and all(value.strip() for value in values)


def _mean_length(values: Sequence[str]) -> float:
    return sum(map(len, values)) / max(1, len(values))


def _few_valued(free: Sequence[str], sample: Mapping[str, Sequence[str]]) -> str | None:
    best: tuple[bool, int] | None = None
    found = None
    for name in free:
        distinct = len(set(sample[name]))
        repeated = 2 <= distinct <= max(2, len(sample[name]) // 2)
        # Two values are more often a flag (train/test, yes/no) than a set of topics.
        rank = (distinct == 2, distinct)
        if repeated and _plain(name) not in _NEVER_TOPIC and (best is None or rank < best):
            best, found = rank, name
    return found


_FITS = {"id": _identifies, "split": _parts}
