"""Tables: CSV and JSON lines read strictly, the role of each column guessed, and the corpus that chosen columns make."""

import csv
import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from ...arrays import Singles, record
from ...errors import InputError, SettingError
from ...formats import counted, first_few
from ..cleaning import separator_of
from ..corpus import AUTHOR, LONGEST_TEXT, MOST_DOCUMENTS, Corpus, make_corpus
from .sources import CORPUS, LONGEST_LINE, MOST_CELLS, MOST_COLUMNS, Expected, Source, Text, opened_text

SIDES = ("train", "test")
PREVIEW_ROWS = 20
PREVIEW_LENGTH = 200
TOPIC_SOURCE, FOUND = "topic_source", "found"  # the column, and its cells, of files whose topics Leakscope found
_SAMPLE = 5_000  # rows used for guessing; more change no guess
_LONGEST_LIST = 100  # mean characters of cells that may be lists; texts are longer
# The default of 131,072 characters is shorter than a chapter; this sets it for the whole process.
csv.field_size_limit(LONGEST_TEXT)

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
_SNIFF_ROWS = 100
_SNIFF_LINES = 20_000
_SNIFF_CHARACTERS = 2_000_000
_ABSENT = object()
_ONE_A_LINE = 'write one object per line, without line breaks inside it, such as {"text": "…", "topic": "…"}'


@record
class Table:
    """A file of columns, every value as the text it was."""

    name: str
    format: str
    encoding: str
    columns: tuple[str, ...]
    rows: int
    preview: tuple[tuple[str, ...], ...]  # the first rows, shortened
    roles: Mapping[str, str | None]  # 'text', 'topic', 'author', 'split', 'id' and 'vectors' → a guessed column
    notes: tuple[str, ...]  # sentences for the user about the header
    frame: pd.DataFrame
    vectors: Mapping[str, Singles]  # the columns with a list of numbers per row
    left_out: Mapping[str, str]  # the columns that cannot be used → what they hold
    lists: Mapping[str, str]  # the columns with several names per cell → their separator
    unread: tuple[str, ...] = ()  # the columns that nobody asked for


def make_table(
    name: str,
    format: str,
    columns: Mapping[str, Sequence[str]],
    *,
    encoding: str = "UTF-8",
    notes: Sequence[str] = (),
    vectors: Mapping[str, Singles] | None = None,
    left_out: Mapping[str, str] | None = None,
    unread: Sequence[str] = (),
    expected: Expected = CORPUS,
) -> Table:
    """Join columns of equal length into a Table and guess their roles."""
    vectors, left_out = vectors or {}, left_out or {}
    names = (*columns, *vectors)
    if len(names) < 2 and not alone_enough(names):
        fix = expected.fix_or("give a column of texts and one of topics")
        raise InputError(f"{name}: the file has only {counted(len(names), 'usable column')}. {fix}")
    rows = len(next(iter(columns.values()), ()))
    if rows == 0:
        fix = expected.fix_or("add one row per document")
        raise InputError(f"{name}: the file has no {expected.rows}: no rows below its header. {fix}")
    refuse_too_large(name, rows, len(names))
    frame = pd.DataFrame({column: pd.Series(list(values), dtype=object) for column, values in columns.items()})
    shown = [list(map(_shortened, values[:PREVIEW_ROWS])) for values in columns.values()]
    shown += [[_short_vector(row) for row in matrix[:PREVIEW_ROWS]] for matrix in vectors.values()]
    preview, roles = tuple(zip(*shown, strict=True)), guessed_roles(columns, list(vectors))
    notes = (*notes, *(f"Column '{column}' is left out: it has {why}." for column, why in left_out.items()))
    return Table(
        name=name,
        format=format,
        encoding=encoding,
        columns=names,
        rows=rows,
        preview=preview,
        roles=roles,
        notes=notes,
        frame=frame,
        vectors=dict(vectors),
        left_out=dict(left_out),
        lists=list_columns(columns),
        unread=tuple(unread),
    )


def alone_enough(names: Sequence[str]) -> bool:
    """Tell whether the only column has a usual name for texts: its topics can be found."""
    return len(names) == 1 and plain_name(names[0]) in USUAL_NAMES["text"]


def refuse_too_large(name: str, rows: int, columns: int) -> None:
    """Refuse a table that would fill the memory even with empty cells."""
    if rows > MOST_DOCUMENTS:
        raise InputError(f"{name}: the file has more than {MOST_DOCUMENTS:,} rows, the limit. Take a sample first.")
    if columns > MOST_COLUMNS:
        raise InputError(f"{name}: {columns:,} columns; the limit is {MOST_COLUMNS}. Keep only those you need.")
    if rows * columns > MOST_CELLS:
        raise InputError(
            f"{name}: {rows:,} rows of {columns} columns are too many cells. Keep only the columns you need."
        )


def table_corpus(
    table: Table,
    *,
    text: str,
    topic: str | None,
    author: str | None = None,
    id: str | None = None,
    split: str | None = None,
    vectors: str | None = None,
    label: str | None = None,
) -> Corpus:
    """Return the corpus that the named columns make; rows in messages count from 1 below the header.

    Without a topic column the documents have none until some are found. Models predict the `label` column, if one is
    named, and the author otherwise.
    """
    author = label or author
    role = "author" if label is None else "label"
    taken: dict[str, str] = {}
    for each, column in {"text": text, "topic": topic, role: author, "id": id, "split": split}.items():
        if column is not None and taken.setdefault(column, each) != each:
            raise SettingError(
                f"Column '{column}' cannot be both the {taken[column]} and the {each}. Choose two columns."
            )
    return make_corpus(
        _values(table, text, "text"),
        None if topic is None else _values(table, topic, "topic"),
        authors=None if author is None else _values(table, author, role),
        ids=None if id is None else _values(table, id, "id"),
        splits=None if split is None else _values(table, split, "split"),
        vectors=None if vectors is None else _given_vectors(table, vectors),
        found=topic is not None and _found(table),
        predicts=label or AUTHOR,
        name=table.name,
    )


def check_split(table: Table, column: str) -> None:
    """Refuse a column that does not split the documents into 'train' and 'test', and say what it holds instead."""
    held = Counter(cell.strip().lower() for cell in _values(table, column, "split"))
    other = {label: rows for label, rows in held.items() if label not in SIDES}
    fix = "or name another column with --split"
    if other:
        said = [f"{repr(label) if label else 'nothing'} in {counted(rows, 'row')}" for label, rows in other.items()]
        raise InputError(
            f"{table.name}: column '{column}' has {first_few(said, 5)}. Write 'train' or 'test' in every row, delete rows "
            f"that are neither, {fix}."
        )
    if len(held) == 1:
        raise InputError(
            f"{table.name}: column '{column}' has '{next(iter(held))}' in every row. Label some 'train' and some 'test', {fix}."
        )


def _found(table: Table) -> bool:
    """Tell whether the file says that Leakscope found its topics."""
    return TOPIC_SOURCE in table.frame.columns and set(table.frame[TOPIC_SOURCE]) == {FOUND}


def _values(table: Table, column: str, role: str) -> list[str]:
    if column in table.frame.columns:
        return list(table.frame[column])
    if column in table.vectors:
        raise InputError(f"{table.name}: column '{column}' has vectors, so it cannot be the {role}. Choose another.")
    raise _absent(table, column, role, table.frame.columns)


def _given_vectors(table: Table, column: str) -> Singles:
    if column in table.vectors:
        return table.vectors[column]
    if column in table.frame.columns:
        raise InputError(
            f"{table.name}: column '{column}' has no vectors. Give each row a list of equally many numbers."
        )
    raise _absent(table, column, "vectors", table.vectors)


def _absent(table: Table, column: str, role: str, usable: Iterable[object]) -> InputError:
    if column in table.left_out:
        fact = f"column '{column}' has {table.left_out[column]}, so it cannot be the {role}"
        return InputError(f"{table.name}: {fact}. Turn it into plain text first.")
    names = [*(str(name) for name in usable), *table.unread]
    near = get_close_matches(column, names, n=1) or [guess for guess in [table.roles.get(role)] if guess]
    hint = f" Did you mean '{near[0]}'?" if near else ""
    there = ", ".join(f"'{name}'" for name in names[:30]) or "none"
    return InputError(f"{table.name}: there is no column '{column}' for the {role}.{hint} The columns are {there}.")


def _shortened(value: str) -> str:
    return value if len(value) <= PREVIEW_LENGTH else value[: PREVIEW_LENGTH - 1] + "…"


def _short_vector(row: Singles) -> str:
    return ", ".join(f"{value:.3g}" for value in row[:3]) + f" … ({len(row)} numbers)"


def plain_name(name: str) -> str:
    """Return the letters and digits of a name, without case, accents and width."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in apart if letter.isalnum() and not unicodedata.combining(letter))


def _column_names(words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(plain_name, words.split())))


# English first, then languages of Europe, Asia and the Middle East; of two columns, the one whose name is listed first wins.
USUAL_NAMES: dict[str, tuple[str, ...]] = {
    "text": _column_names(
        "text texts body content contents document article post message review abstract story comment tweet sentence "
        "plaintext rawtext fulltext "
        "Volltext Inhalt Beitrag Artikel texte contenu texto contenido artículo cuerpo testo contenuto articolo corpo conteúdo "
        "artigo tekst inhoud treść artykuł obsah innehåll innhold indhold teksti szöveg текст содержание статья зміст κείμενο "
        "περιεχόμενο metin içerik teks isi النص نص المحتوى المقال متن טקסט पाठ 文本 正文 内容 內容 文章 テキスト 本文 텍스트 본문 내용 글"
    ),
    "topic": _column_names(
        "topic topics category categories label class fandom subject section newsgroup group genre domain theme subreddit "
        "target tag field labels tags subjects themes "
        "Thema Themen Kategorie Rubrik Sachgebiet Fach Klasse Ressort sujet sujets thème thématique catégorie rubrique tema "
        "temas asunto categoría materia clase género argomento categoria soggetto genere assunto tópico onderwerp categorie "
        "rubriek temat kategoria dział téma kategorie ämne kategori emne aihe kategória тема темы категория рубрика раздел "
        "категорія θέμα κατηγορία konu topik الموضوع موضوع الفئة التصنيف القسم נושא קטגוריה विषय 主题 主題 话题 話題 类别 類別 分类 分類 "
        "标签 標籤 トピック カテゴリ カテゴリー 주제 카테고리 분류"
    ),
    "author": _column_names(
        "author authors authorid authorname writer user userid username from by byline speaker poster sender name "
        "Verfasser Verfasserin Autor Autorin Autoren Urheber auteur auteure autrice auteurs rédacteur autora autores escritor "
        "autore schrijver autorka författare forfatter kirjoittaja szerző автор авторы συγγραφέας yazar penulis المؤلف مؤلف "
        "الكاتب كاتب نویسنده מחבר लेखक 作者 著者 筆者 執筆者 저자 작성자 글쓴이 지은이"
    ),
    "split": _column_names(
        "split subset partition set fold Teilmenge Aufteilung partición partizione partição verdeling podział выборка "
        "разбиение 划分 劃分 分割 분할"
    ),
    "id": _column_names(
        "id docid documentid textid uid uuid key index doc filename file path "
        "Kennung Nummer Nr Dateiname identifiant numéro identificador número identificativo numero identyfikator numer "
        "идентификатор номер αναγνωριστικό kimlik المعرف 编号 編號 番号 번호 아이디"
    ),
}  # fmt: skip
_NEVER_TOPIC = _column_names(
    "split fold set subset partition lang language date year month day time "
    "Sprache Datum Jahr Monat langue année idioma fecha año lingua data anno taal jaar język rok язык дата год γλώσσα "
    "ημερομηνία dil tarih yıl اللغة التاريخ 语言 語言 日期 年份 言語 日付 언어 날짜"
)


def guessed_roles(columns: Mapping[str, Sequence[str]], vector_columns: Sequence[str]) -> dict[str, str | None]:
    """Return a column for each role, none of them twice, or None if no column looks like it."""
    sample = {name: values[:_SAMPLE] for name, values in columns.items()}
    roles: dict[str, str | None] = dict.fromkeys((*USUAL_NAMES, "vectors"))
    for role in USUAL_NAMES:
        free = [name for name in columns if name not in roles.values()]
        roles[role] = _by_name(role, free, columns)
    free = [name for name in columns if name not in roles.values()]
    if roles["text"] is None and free:
        longest = max(free, key=lambda name: sum(map(len, sample[name])))  # every column has as many cells
        roles["text"] = longest
        free.remove(longest)
    if roles["topic"] is None:
        roles["topic"] = _few_valued(free, sample)
    roles["vectors"] = vector_columns[0] if vector_columns else None
    return roles


def list_columns(columns: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the columns whose cells hold several names each, and their separator."""
    short = {
        name: values[:_SAMPLE]
        for name, values in columns.items()
        if sum(map(len, values[:_SAMPLE])) <= _LONGEST_LIST * len(values[:_SAMPLE])
    }
    return {name: separator for name, cells in short.items() if (separator := separator_of(cells)) is not None}


def _by_name(role: str, free: Sequence[str], columns: Mapping[str, Sequence[str]]) -> str | None:
    plain = {name: plain_name(name) for name in free}
    for usual in USUAL_NAMES[role]:
        for name in free:
            if plain[name] == usual and (role not in _FITS or _FITS[role](columns[name])):
                return name
    return None


def _is_split(values: Sequence[str]) -> bool:
    # A third label, such as validation, does not fit one pair of train and test.
    return {value.strip().lower() for value in values} == {"train", "test"}


def _identifies(values: Sequence[str]) -> bool:
    # Ids must be unique and filled; another column called 'id' would only be refused later.
    return len(set(values)) == len(values) and all(value.strip() for value in values)


def _few_valued(free: Sequence[str], sample: Mapping[str, Sequence[str]]) -> str | None:
    distinct = {name: len(set(sample[name])) for name in free if plain_name(name) not in _NEVER_TOPIC}
    repeated = [name for name, count in distinct.items() if 2 <= count <= max(2, len(sample[name]) // 2)]
    # Two values are more often a flag (train/test, yes/no) than a set of topics.
    return min(repeated, key=lambda name: (distinct[name] == 2, distinct[name]), default=None)


_FITS = {"id": _identifies, "split": _is_split}


def read_csv(source: Source) -> Table:
    """Read a table separated by commas, semicolons, tabs or pipes, whichever fits its rows best."""
    text = opened_text(source.files[0].data, source.name)
    return _csv_table(source, "csv", text, _delimiter(text, source.name, source.expected))


def read_tsv(source: Source) -> Table:
    """Read a table separated by tabs."""
    text = opened_text(source.files[0].data, source.name)
    if "\t" not in next((line for line in text.lines(end="") if line.strip()), ""):
        raise InputError(f"{source.name}: the header has no tab, though the name ends in .tsv. Rename it to .csv.")
    return _csv_table(source, "tsv", text, "\t")


def _delimiter(text: Text, name: str, expected: Expected) -> str:
    best, found = (0.0, 1), ""
    for delimiter in DELIMITERS:
        widths = _widths(text, delimiter)
        if not widths or widths[0] < 2:
            continue
        rank = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
        if rank > best:
            best, found = rank, delimiter
    if found:
        return found
    with suppress(csv.Error):
        if alone_enough(next(csv.reader(text.lines(end="")), [])):
            return ","
    usual = "separate columns by commas, semicolons, tabs or pipes, one of them for the text and one for the topic"
    raise InputError(f"{name}: the header has only one column. {expected.fix_or(usual)}")


def _widths(text: Text, delimiter: str) -> list[int]:
    """Return the number of fields of each of the first rows; -1 for the row where reading failed."""
    widths: list[int] = []
    seen = 0
    try:
        reader = csv.reader(text.lines(end=""), delimiter=delimiter, strict=True)
        for row in reader:
            if row:
                widths.append(len(row))
            seen += sum(map(len, row))
            if len(widths) >= _SNIFF_ROWS or seen > _SNIFF_CHARACTERS or reader.line_num > _SNIFF_LINES:
                break
    except csv.Error:
        widths.append(-1)
    return widths


def _csv_table(source: Source, format: str, text: Text, delimiter: str) -> Table:
    name = source.name
    reader = csv.reader(text.lines(end=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    line = 1
    try:
        names, notes = _csv_header(next((row for row in reader if row), []), name)
        line = reader.line_num + 1
        for row in reader:
            if row and len(row) != len(names):
                usual = f"put a text with a {DELIMITERS[delimiter]} or a line break in double quotes"
                raise InputError(
                    f"{name}: line {line} (row {len(rows) + 1}) has {counted(len(row), 'field')} where the header has "
                    f"{len(names)}. {source.expected.fix_or(usual)}"
                )
            if row:  # no blank line
                rows.append(row)
                refuse_too_large(name, len(rows), len(names))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{name}: line {line} (row {len(rows) + 1}) {_csv_reason(str(error), delimiter)}") from error
    columns = {column: [row[index] for row in rows] for index, column in enumerate(names)}
    return make_table(name, format, columns, encoding=text.encoding, notes=notes, expected=source.expected)


def _csv_header(fields: list[str], name: str) -> tuple[list[str], list[str]]:
    refuse_too_large(name, 1, len(fields))
    names: list[str] = []
    notes = []
    for number, field in enumerate(fields, start=1):
        column = field.strip().removeprefix("\ufeff")
        if not column:
            column = f"column {number}"
            notes.append(f"Column {number} has no name in the header. It is called '{column}' here.")
        if column in names:
            raise InputError(
                f"{name}: columns {names.index(column) + 1} and {number} are both called '{column[:100]}'. Rename one."
            )
        names.append(column)
    return names, notes


def _csv_reason(error: str, delimiter: str) -> str:
    if "field larger" in error:
        return (
            f"has a cell of more than {LONGEST_TEXT:,} characters. Split or delete it, or close the double quote that "
            "opens it."
        )
    if "unexpected end" in error:
        return "opens a double quote that is never closed. Close it, or double the quotes inside a text."
    if "expected after" in error:
        return (
            f"goes on after a closing double quote, where a {DELIMITERS[delimiter]} should be. Put the whole text in "
            "double quotes and double those inside it."
        )
    return f"cannot be read ({error}). Put a text with a line break in double quotes."


def read_jsonl(source: Source) -> Table:
    """Read a table with a column for every key; a key missing from a line leaves its cell empty."""
    text = opened_text(source.files[0].data, source.name)
    columns: dict[str, list[Any]] = {}
    fix = source.expected.fix_or(_ONE_A_LINE)
    for count, (_, found) in enumerate(json_objects(text, fix), start=1):
        for key in found:
            if key not in columns:
                columns[key] = [_ABSENT] * (count - 1)
                refuse_too_large(source.name, count, len(columns))
        for key, values in columns.items():
            values.append(found.get(key, _ABSENT))
        refuse_too_large(source.name, count, len(columns))
    vectors: dict[str, Singles] = {}
    cells: dict[str, list[str]] = {}
    notes = []
    for number, (key, values) in enumerate(columns.items(), start=1):
        name = _plain_cell(key).strip() or f"column {number}"
        if name in cells or name in vectors:
            raise InputError(f"{source.name}: two keys are called '{name}'. Rename one.")
        if not key.strip():
            notes.append(f"A key without a name is called '{name}' here.")
        matrix = _rows_of_numbers(values)
        if matrix is None:
            cells[name] = [json_text(value) for value in values]
        else:
            vectors[name] = matrix
    return make_table(
        source.name, "jsonl", cells, encoding=text.encoding, notes=notes, vectors=vectors, expected=source.expected
    )


def json_objects(text: Text, fix: str = CORPUS.fix_or(_ONE_A_LINE)) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file with their line numbers from 1; blank lines are skipped."""
    for line, content in enumerate(text.lines(fix), start=1):
        if piece := content.strip():
            yield line, _json_object(piece, f"{text.name}: line {line}", fix)


def streamed_objects(stream: BinaryIO, name: str, *, fix: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield objects like `json_objects`, but from a UTF-8 stream of any size; `fix` says what a line should be."""
    line, fix = 0, Expected(fix=fix).fix_or("")
    while content := stream.readline(LONGEST_LINE + 1):
        line += 1
        where = f"{name}: line {line}"
        if len(content) > LONGEST_LINE:
            raise InputError(f"{where} has more than {LONGEST_LINE:,} bytes. {fix}")
        try:
            piece = content.decode("utf-8-sig" if line == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            raise InputError(f"{where} is not UTF-8 at byte {error.start + 1:,}. Save the file as UTF-8.") from error
        if piece:
            yield line, _json_object(piece, where, fix)


def _json_object(piece: str, where: str, fix: str) -> dict[str, Any]:
    try:
        found = json.loads(piece)
    except json.JSONDecodeError as error:
        if piece.startswith("["):
            raise InputError(f"{where} starts a list. {fix}") from error
        raise InputError(f"{where} is not JSON ({error.msg} at character {error.colno:,}). {fix}") from error
    except RecursionError as error:
        raise InputError(f"{where} is nested too deeply. Write a flat object of keys and values.") from error
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(f"{where} has a number too long to read. Write it as a string.") from error
    if not isinstance(found, dict):
        kind = "a list" if isinstance(found, list) else "a single value"
        raise InputError(f"{where} is {kind}. {fix}")
    return found


def json_text(value: Any) -> str:
    """Return a JSON value as text: null and absent are empty, numbers and objects as JSON writes them."""
    if isinstance(value, str):
        return _plain_cell(value)
    if value is None or value is _ABSENT:
        return ""
    try:
        return _plain_cell(json.dumps(value, ensure_ascii=False))
    except (RecursionError, ValueError) as error:
        raise InputError("A value is nested too deeply or is too long a number. Write it as a string.") from error


def _plain_cell(value: str) -> str:
    # JSON can spell half of a surrogate pair, which no encoding can write; NUL ends a text in other programs.
    if not value.isascii():
        value = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value.replace("\0", "\ufffd")


def _rows_of_numbers(values: list[Any]) -> Singles | None:
    first = values[0] if values else None
    if not isinstance(first, list) or not first:
        return None
    for value in values:
        numbers = isinstance(value, list) and all(type(number) in (int, float) for number in value)
        if not numbers or len(value) != len(first):
            return None
    try:
        with np.errstate(over="ignore"):
            return np.array(values, dtype=np.float64).astype(np.float32)
    except OverflowError:  # an integer beyond any float
        return None
