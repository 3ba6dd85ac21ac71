"""Every format gives the same corpus, whatever is in the cells, and the roles of its columns are guessed."""

import io
import os
import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora import Corpus, make_corpus
from core.corpora.readers import READERS, Table, read_corpus, read_source, table_corpus
from core.corpora.readers.tables import USUAL_NAMES, guessed_roles, list_columns, plain_name
from core.errors import InputError, SettingError
from tests.core.reader_files import (
    COLUMNS,
    PAIRS,
    ROWS,
    TRUTH,
    WRITERS,
    lines,
    write_csv,
    write_jsonl,
    write_parquet,
    write_zip,
)

cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
labels = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=10).filter(
    str.strip
)


def expected(rows):
    texts, topics, authors, ids = zip(*rows, strict=True)
    return make_corpus(texts, topics, authors=authors, ids=ids)


@given(st.lists(st.tuples(cells, labels, cells, labels), min_size=2, max_size=12, unique_by=lambda row: row[3]))
@settings(max_examples=60, deadline=None)
def test_every_format_gives_the_same_corpus(rows):
    if len({row[1].strip() for row in rows}) < 2:
        return
    wanted = expected(rows).content_digest
    assert {
        name: read_corpus(write(rows), name=name).content_digest for name, write in WRITERS.items()
    } == dict.fromkeys(WRITERS, wanted)


@pytest.mark.parametrize("name", WRITERS)
def test_paths_bytes_and_uploads_read_the_same_and_stay_untouched(name, tmp_path):
    data = WRITERS[name](ROWS)
    path = tmp_path / name
    path.write_bytes(data)
    upload = io.BytesIO(data)
    upload.name = name
    upload.seek(3)
    found = [read_corpus(given, name=name) for given in (data, path, str(path), upload, [path])]
    assert {corpus.content_digest for corpus in found} == {expected(ROWS).content_digest}
    assert found[1].name == name and upload.tell() == 3 and path.read_bytes() == data


def test_a_table_shows_itself_before_the_columns_are_chosen():
    table = read_source(write_csv(ROWS, ";"), name="x.csv")
    assert isinstance(table, Table)
    assert (table.columns, table.rows, table.format, table.encoding) == (COLUMNS, 3, "csv", "UTF-8")
    assert table.preview == tuple(ROWS)
    assert table.roles == {
        "text": "text",
        "topic": "topic",
        "author": "author",
        "split": None,
        "id": "id",
        "vectors": None,
    }
    assert table_corpus(table, text="text", topic="topic").authors is None


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        (("Body", "Category", "Written By", "doc_id"), ("Body", "Category", None, "doc_id")),
        (("newsgroup", "from", "message", "n"), ("message", "newsgroup", "from", None)),
        (("c1", "c2", "split", "c4"), ("c4", "c2", None, None)),
    ],
)
def test_roles_are_guessed_by_name_then_by_content(columns, roles):
    rows = [(f"cell {n}", "ABC"[n % 3], "yn"[n % 2], f"{n} " + "long text " * 9) for n in range(12)]
    rows = [(row[3], *row[1:3], row[0]) for row in rows] if columns[0] == "Body" else rows
    found = read_source(write_csv(rows, columns=columns), name="x.csv").roles
    assert tuple(found[role] for role in ("text", "topic", "author", "id")) == roles


def test_a_name_with_a_dot_does_not_hide_what_a_path_is(tmp_path):
    (tmp_path / "x.csv").write_bytes(write_csv(ROWS))
    assert read_corpus(tmp_path / "x.csv", name="The St. Ives Courier").name == "The St. Ives Courier"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way_and_quoted_ends_stay(end):
    content = end.join(["text,topic", '"one\rtwo\nthree",a', "four,b", ""])
    found = read_corpus(content.encode(), name="x.csv")
    assert (found.texts, found.topics) == (("one\rtwo\nthree", "four"), ["a", "b"])


def test_an_id_column_that_repeats_is_not_guessed():
    rows = [("x", "a", "u", "1"), ("y", "b", "v", "1")]
    assert read_source(write_csv(rows), name="x.csv").roles["id"] is None


@pytest.mark.parametrize(("codec", "encoding"), [("cp1252", "Windows-1252"), ("latin-1", "Windows-1252")])
def test_western_encodings_are_detected(codec, encoding):
    rows = [
        ("Le garçon mangeait une pêche à l'été", "fruits", "Zoë", "1"),
        ("Die Straße führt über", "weg", "Jörg", "2"),
    ]
    table = read_source(write_csv(rows, encoding=codec), name="x.csv")
    assert table.encoding == encoding and table.preview == tuple(rows)


def test_json_values_become_text_and_missing_ones_empty():
    lines = ['{"text": "a", "topic": 1.5, "n": true}', "", '{"topic": 2, "text": null, "x": {"k": [1]}}\r']
    table = read_source("\n".join(lines).encode(), name="x.jsonl")
    assert table.preview == (("a", "1.5", "true", ""), ("", "2", "", '{"k": [1]}'))
    half = read_source(b'{"text": "\\ud83d \\u0000", "topic": "a"}', name="x.jsonl")
    assert half.preview[0][0] == "\ufffd \ufffd", "what no encoding can write is replaced"


VECTORS = [[0.5, 1.0], [2.0, 3.0], [4.0, 5.5]]


@pytest.mark.parametrize("kind", ["jsonl", "list", "fixed"])
def test_vector_columns(kind):
    if kind == "jsonl":
        data = write_jsonl([(*row, vector) for row, vector in zip(ROWS, VECTORS, strict=True)], (*COLUMNS, "emb"))
    else:
        type_ = pa.list_(pa.float64()) if kind == "list" else pa.list_(pa.float32(), 2)
        data = write_parquet(ROWS, emb=pa.array(VECTORS, type_))
    table = read_source(data, name="x.jsonl" if kind == "jsonl" else "x.parquet")
    assert table.roles["vectors"] == "emb" and table.columns[-1] == "emb"
    corpus = table_corpus(table, text="text", topic="topic", vectors="emb")
    assert corpus.vectors.dtype == np.float32 and corpus.vectors.tolist() == VECTORS


def test_parquet_columns_of_other_types():
    more = {
        "year": pa.array([1999, None, 2001]),
        "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        "a.b": pa.array(["1", "2", "3"]),
        "tags": pa.array([["x", "y"], [], None]),
        "blob": pa.array([b"x", b"y", b"z"]),
        "deep": pa.array([{"k": 1}] * 3),
        "uneven": pa.array([[1.0], [1.0, 2.0], [3.0]]),
    }
    table = read_source(write_parquet(ROWS, **more), name="x.parquet")
    assert table.columns == (*COLUMNS, "year", "kind", "a.b", "tags")
    assert [row[4:] for row in table.preview] == [
        ("1999", "x", "1", '["x", "y"]'), ("", "y", "2", "[]"), ("2001", "x", "3", ""),
    ]  # fmt: skip
    assert table.lists == {"tags": "json"}
    assert table.left_out["uneven"] == "lists of different lengths (row 2)" and len(table.notes) == 3
    with pytest.raises(
        InputError, match="'deep' has nested values, so it cannot be the topic. Turn it into plain text"
    ):
        table_corpus(table, text="text", topic="deep")


def test_a_list_of_very_many_texts_is_left_out():
    table = read_source(write_parquet(ROWS, tags=pa.array([["x"] * 1_001, ["y"], []])), name="x.parquet")
    assert table.left_out == {"tags": "lists of more than 1,000 texts"}


def test_a_long_text_repeated_is_kept_once_and_a_table_of_numbers_is_bounded(monkeypatch):
    text = pa.array(["x" * 5_000, "y"]).dictionary_encode()
    many = pa.DictionaryArray.from_arrays(pa.array([n % 2 for n in range(20_000)], pa.int32()), text.dictionary)
    data = write_parquet([], text=many, topic=pa.array([str(n % 3) for n in range(20_000)]))
    table = read_source(data, name="x.parquet")
    assert len({id(value) for value in table.frame["text"]}) == 2
    monkeypatch.setattr("core.corpora.readers.sources.MOST_UNPACKED", 1_000_000)
    zeros = pa.array([[0.0] * 1_000] * 500)
    with pytest.raises(InputError, match="unpacks to . MB; the limit is 1 MB"):
        read_source(write_parquet([], text=zeros, topic=zeros), name="x.parquet", most_bytes=1_000_000)


@pytest.mark.parametrize(
    ("column", "more"),
    [
        ("numbers", pa.array([12_345_678] * 20_000)),
        ("words", pa.array([f"{n:08}" for n in range(20_000)])),
        ("nothing", pa.array([None] * 20_000, pa.string())),
    ],
)
def test_every_cell_of_a_parquet_file_counts(monkeypatch, column, more):
    """However small the file: a cell has a place in a list, and its letters."""
    rows = [("text", str(n % 2), "a", str(n)) for n in range(20_000)]
    data = write_parquet(rows, **{column: more})
    words = {cell for row in rows for cell in row} | {str(cell) for cell in more.to_pylist() if cell}
    letters = sum(len(word) + 50 for word in words)
    counted = 5 * 8 * 20_000 + letters
    monkeypatch.setattr("core.corpora.readers.sources.MOST_UNPACKED", 0)
    read_source(data, name="x.parquet", most_bytes=2 * counted)
    with pytest.raises(InputError, match="unpacks to"):
        read_source(data, name="x.parquet", most_bytes=max(len(data), counted // 2))


@pytest.mark.parametrize("indices", [pa.int8(), pa.uint8(), pa.uint32(), pa.int64()])
def test_categories_are_read_by_any_kind_of_index_and_a_missing_one_is_empty(indices):
    kinds = pa.DictionaryArray.from_arrays(pa.array([1, None, 0] * 5_000, indices), pa.array(["x", "y", "never"]))
    texts = pa.array([f"text {n}" for n in range(15_000)])
    table = read_source(write_parquet([], text=texts, topic=kinds), name="x.parquet")
    assert list(table.frame["topic"]) == ["y", "", "x"] * 5_000
    assert list(table.frame["text"]) == texts.to_pylist()


def test_vectors_of_many_batches_stand_in_their_rows():
    numbers = np.arange(3_000, dtype=np.float32).reshape(1_000, 3)
    data = write_parquet([("t", str(n % 2), "a", str(n)) for n in range(1_000)], emb=pa.array(list(numbers)))
    corpus = table_corpus(read_source(data, name="x.parquet"), text="text", topic="topic", vectors="emb")
    assert np.array_equal(corpus.vectors, numbers)


def test_a_file_name_that_is_not_utf8_gives_a_usable_id(tmp_path):
    for topic in ("a", "b"):
        (tmp_path / topic).mkdir()
        (tmp_path / topic / os.fsdecode(b"\xe9.txt")).write_text("text")
    assert read_corpus(tmp_path).ids == ("a/\\xe9.txt", "b/\\xe9.txt")


MAIL = "From: Ann <ANN@x.org>\nNewsgroups: {topic}\n\n{body}"


@pytest.mark.parametrize("root", ["", "20news/"])
def test_topic_folders(root, tmp_path):
    files = {
        f"{root}sci.space/1": MAIL.format(topic="sci.space", body="The moon.\n\nFrom: here."),
        f"{root}sci.space/2": "Mars: naïve.".encode("latin-1"),
        f"{root}<b>autos/1.txt": MAIL.format(topic="autos", body="Wheels."),
        f"{root}.DS_Store": b"\0",
    }
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
    packed, folder = read_corpus(write_zip(files), name="x.zip"), read_corpus(tmp_path)
    assert packed.content_digest == folder.content_digest
    assert set(zip(packed.ids, packed.topics, packed.texts, strict=True)) == {
        ("sci.space/1", "sci.space", "The moon.\n\nFrom: here."),
        ("sci.space/2", "sci.space", "Mars: naïve."),
        ("<b>autos/1.txt", "<b>autos", "Wheels."),
    }
    by_id = dict(zip(packed.ids, packed.authors, strict=True))
    assert by_id["sci.space/1"] == by_id["<b>autos/1.txt"] != by_id["sci.space/2"] == "(unknown)"
    assert "ann" not in by_id["sci.space/1"]


def test_pan_texts_become_documents_once(tmp_path):
    (tmp_path / "pairs.jsonl").write_bytes(lines(PAIRS))
    (tmp_path / "truth.jsonl").write_bytes(lines(TRUTH))
    paths = sorted(tmp_path.iterdir())
    packed = write_zip({path.name: path.read_bytes() for path in paths})
    found = [read_corpus(tmp_path), read_corpus(paths[::-1]), read_corpus(packed, name="x.zip")]
    assert len({corpus.content_digest for corpus in found}) == 1
    assert list(zip(found[0].ids, found[0].texts, found[0].topics, found[0].authors, strict=True)) == [
        ("p1/1", "one", "A", "u"),
        ("p1/2", "two", "B", "v"),
        ("p2/2", "two", "C", "u"),
    ]
    alone = read_source(paths[0])
    assert isinstance(alone, Corpus) and alone.authors is None and len(alone) == 3


def test_the_word_pair_in_a_cell_makes_no_pan_file():
    for cell in ("pair", 'a "pair": two'):
        found = read_source(lines([{"text": cell, "topic": "a"}, {"text": "x", "topic": "b"}]), name="x.jsonl")
        assert isinstance(found, Table) and found.rows == 2


def test_truth_without_authors_and_the_registry():
    truth = [{key: value for key, value in record.items() if key != "authors"} for record in TRUTH]
    packed = write_zip({"pairs.jsonl": lines(PAIRS), "truth.jsonl": lines(truth)})
    assert read_corpus(packed, name="x.zip").authors is None
    assert list(READERS) == ["csv", "tsv", "jsonl", "parquet", "folders", "pan"]


def test_train_and_test_labels_come_along_where_they_are_just_that():
    content = "text,topic,split\none,a,train\ntwo,b,Test\nthree,a,train\n"
    assert read_corpus(content.encode(), name="x.csv").splits == ("train", "Test", "train")
    other = content.replace("Test", "dev")
    assert read_corpus(other.encode(), name="x.csv").splits is None
    assert read_corpus(other.encode(), name="x.csv", topic="topic", text="text").topics == ["a", "b", "a"]


ROLES = ("text", "topic", "author", "id")


@pytest.mark.parametrize(
    "header",
    [
        "Text Thema Verfasser Nummer", "Inhalt Kategorie Autorin Kennung", "texte sujet auteur identifiant",
        "Contenido CATEGORÍA Autor número", "testo argomento autore numero", "conteúdo assunto autora id", "tekst onderwerp schrijver id",
        "treść dział autor numer", "Текст Тема Автор Номер", "ΚΕΊΜΕΝΟ Θέμα Συγγραφέας id", "metin KONU yazar kimlik",
        "النص الموضوع المؤلف المعرف", "正文 主题 作者 编号", "內容 主題 作者 編號", "本文 カテゴリー 著者 番号", "본문 주제 저자 번호",
    ],
)  # fmt: skip
def test_columns_are_known_by_their_names_in_many_languages(header):
    names = header.split()
    cells = [[f"cell {row}" for row in range(6)] for _ in names]  # that all look similar: only names can tell
    found = guessed_roles(dict(zip(reversed(names), cells, strict=True)), [])
    assert [found[role] for role in ROLES] == names


def test_accents_case_and_width_make_no_difference():
    for name in ("CATÉGORIE", "Cate\u0301gorie", "catégorie", "ｃａｔéｇｏｒｉｅ", " cat-égorie_"):
        assert plain_name(name) == plain_name("catégorie") and plain_name(name) in USUAL_NAMES["topic"]
    assert all(plain_name(word) == word for words in USUAL_NAMES.values() for word in words)


def test_no_word_means_two_things():
    words = [word for names in USUAL_NAMES.values() for word in names]
    assert len(words) == len(set(words))


names = st.sampled_from(
    ["text", "Text", "TEXT ", "topic", "Thema", "作者", "author", "id", "Autor", "x", "split", "文本"]
)


@given(st.lists(names, min_size=2, max_size=7, unique=True), st.randoms(use_true_random=False))
def test_no_column_is_taken_twice(columns, random):
    cells = {name: [random.choice(["a", "b", "long text", f"n{row}"]) for row in range(5)] for name in columns}
    taken = [column for column in guessed_roles(cells, []).values() if column is not None]
    assert len(taken) == len(set(taken)) and "text" in guessed_roles(cells, [])


def test_a_column_for_two_roles_is_refused():
    table = read_source(write_csv([("x", "a", "u", "1"), ("y", "b", "v", "2")]), name="x.csv")
    assert isinstance(table, Table)
    for more in ({"author": "text"}, {"id": "topic"}, {"author": "author", "split": "author"}):
        with pytest.raises(SettingError, match="cannot be both the .* and the .*Choose two columns"):
            table_corpus(table, text="text", topic="topic", **more)


def test_columns_of_lists_are_found_and_texts_are_not_looked_into():
    sentence = (
        "Crime, courts and trade; and so on, as a text of many words goes on and on without coming to its end. " * 2
    )
    columns = {
        "tags": ["crime; courts", "courts", "crime"],
        "text": [sentence] * 3,
        "topic": ["crime", "courts", "law, order"],
    }
    assert list_columns(columns) == {"tags": ";"}


def test_a_mark_of_byte_order_and_a_column_without_a_name_are_no_trouble():
    table = read_source(b"\xef\xbb\xbftext,,topic\none,1,a\ntwo,2,b\n", name="x.csv")
    assert table.columns == ("text", "column 2", "topic") and table.encoding == "UTF-8 with BOM"
    assert len(table.notes) == 1 and "'column 2'" in table.notes[0]
    assert (table.roles["text"], table.roles["topic"]) == ("text", "topic")
    assert unicodedata.is_normalized("NFC", table.columns[0])
