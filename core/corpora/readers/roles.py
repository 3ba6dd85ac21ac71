"""Which column is what: by the names people give columns, in many languages, and by what the cells hold."""

import unicodedata
from collections.abc import Mapping, Sequence

from ..topic_lists import separator_of

_SAMPLE = 5_000  # rows looked at; more change no guess
_LONGEST_LIST = 100  # characters, on average, of cells that are looked into for lists; texts are longer


def plain_name(name: str) -> str:
    """The letters and digits of a name, without case, accents and width."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in apart if letter.isalnum() and not unicodedata.combining(letter))


def _names(words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(plain_name, words.split())))


# English first, then the languages of Europe, Asia and the Middle East; of two columns the word that stands first wins.
USUAL_NAMES: dict[str, tuple[str, ...]] = {
    "text": _names(
        "text texts body content contents document article post message review abstract story comment tweet sentence "
        "plaintext rawtext fulltext "
        "Volltext Inhalt Beitrag Artikel texte contenu texto contenido artículo cuerpo testo contenuto articolo corpo conteúdo "
        "artigo tekst inhoud treść artykuł obsah innehåll innhold indhold teksti szöveg текст содержание статья зміст κείμενο "
        "περιεχόμενο metin içerik teks isi النص نص المحتوى المقال متن טקסט पाठ 文本 正文 内容 內容 文章 テキスト 本文 텍스트 본문 내용 글"
    ),
    "topic": _names(
        "topic topics category categories label class fandom subject section newsgroup group genre domain theme subreddit "
        "target tag field labels tags subjects themes "
        "Thema Themen Kategorie Rubrik Sachgebiet Fach Klasse Ressort sujet sujets thème thématique catégorie rubrique tema "
        "temas asunto categoría materia clase género argomento categoria soggetto genere assunto tópico onderwerp categorie "
        "rubriek temat kategoria dział téma kategorie ämne kategori emne aihe kategória тема темы категория рубрика раздел "
        "категорія θέμα κατηγορία konu topik الموضوع موضوع الفئة التصنيف القسم נושא קטגוריה विषय 主题 主題 话题 話題 类别 類別 分类 分類 "
        "标签 標籤 トピック カテゴリ カテゴリー 주제 카테고리 분류"
    ),
    "author": _names(
        "author authors authorid authorname writer user userid username from by byline speaker poster sender name "
        "Verfasser Verfasserin Autor Autorin Autoren Urheber auteur auteure autrice auteurs rédacteur autora autores escritor "
        "autore schrijver autorka författare forfatter kirjoittaja szerző автор авторы συγγραφέας yazar penulis المؤلف مؤلف "
        "الكاتب كاتب نویسنده מחבר लेखक 作者 著者 筆者 執筆者 저자 작성자 글쓴이 지은이"
    ),
    "split": _names(
        "split subset partition set fold Teilmenge Aufteilung partición partizione partição verdeling podział выборка "
        "разбиение 划分 劃分 分割 분할"
    ),
    "id": _names(
        "id docid documentid textid uid uuid key index doc filename file path "
        "Kennung Nummer Nr Dateiname identifiant numéro identificador número identificativo numero identyfikator numer "
        "идентификатор номер αναγνωριστικό kimlik المعرف 编号 編號 番号 번호 아이디"
    ),
}  # fmt: skip
_NEVER_TOPIC = _names(
    "split fold set subset partition lang language date year month day time "
    "Sprache Datum Jahr Monat langue année idioma fecha año lingua data anno taal jaar język rok язык дата год γλώσσα "
    "ημερομηνία dil tarih yıl اللغة التاريخ 语言 語言 日期 年份 言語 日付 언어 날짜"
)


def guessed_roles(columns: Mapping[str, Sequence[str]], vector_columns: Sequence[str]) -> dict[str, str | None]:
    """A column for each role, none for two, or None where no column looks like it."""
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
    """The columns whose cells hold several names each, and what separates these."""
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


def _parts(values: Sequence[str]) -> bool:
    # Any other label, a validation part say, has no part in one pair of train and test.
    return {value.strip().lower() for value in values} == {"train", "test"}


def _identifies(values: Sequence[str]) -> bool:
    # Ids must be unique and filled; a column that merely is called 'id' would only be refused later.
    return len(set(values)) == len(values) and all(value.strip() for value in values)


def _few_valued(free: Sequence[str], sample: Mapping[str, Sequence[str]]) -> str | None:
    distinct = {name: len(set(sample[name])) for name in free if plain_name(name) not in _NEVER_TOPIC}
    repeated = [name for name, count in distinct.items() if 2 <= count <= max(2, len(sample[name]) // 2)]
    # Two values are more often a flag (train/test, yes/no) than a set of topics.
    return min(repeated, key=lambda name: (distinct[name] == 2, distinct[name]), default=None)


_FITS = {"id": _identifies, "split": _parts}
