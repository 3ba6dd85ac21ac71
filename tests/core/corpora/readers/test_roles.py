"""Which column is what, in many languages: by name where there is one, and never one column for two roles."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora.readers import Table, read_source, table_corpus
from core.corpora.readers.roles import USUAL_NAMES, guessed_roles, list_columns, plain_name
from core.errors import InputError, SettingError
from tests.core.reader_files import write_csv

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
    cells = [[f"cell {row}" for row in range(6)] for _ in names]  # that all look alike: only names can tell
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
        with pytest.raises(SettingError, match="cannot be both the .* and the .*; choose two columns"):
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


MESSY = {
    "header only": (b"text,topic\n", "no documents; the file has no rows below its header"),
    "one topic": (b"text,topic\none,a\ntwo,a\n", "every document has the topic 'a'; at least 2 topics are needed"),
    "a name twice": (b"text,topic,topic\none,a,b\n", "names 'topic' twice, in columns 2 and 3; rename one"),
    "two encodings": ("text,topic\nfünf Äpfel,größe\n".encode() + b"f\xfcnf,a\n", "line 3 holds a byte that is not UTF-8"),
    "blank topic": (b"text,topic\none,a\ntwo,\n", "row 2: empty 'topic'; fill it or drop the row"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MESSY)
def test_messy_files_are_refused_with_a_sentence(kind):
    data, sentence = MESSY[kind]
    with pytest.raises(InputError) as refused:
        table_corpus(read_source(data, name="x.csv"), text="text", topic="topic")
    assert sentence in str(refused.value)


def test_a_mark_of_byte_order_and_a_column_without_a_name_are_no_trouble():
    table = read_source(b"\xef\xbb\xbftext,,topic\none,1,a\ntwo,2,b\n", name="x.csv")
    assert table.columns == ("text", "column 2", "topic") and table.encoding == "UTF-8 with BOM"
    assert table.notes == ("Column 2 has no name in the header; it is called 'column 2' here.",)
    assert (table.roles["text"], table.roles["topic"]) == ("text", "topic")
    assert unicodedata.is_normalized("NFC", table.columns[0])
