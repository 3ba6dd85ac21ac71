"""What every warning of an audit means and what can be done about it, by its code."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Advice:
    """A warning in two words, why it matters, and the remedy; `mend`: before any evaluation, rather than to be known.
    `typed`: the remedy on the command line, where it is another than on the pages."""

    short: str
    explanation: str
    remedy: str
    mend: bool = True
    typed: str = ""


ADVICE: dict[str, Advice] = {
    "all-equal": Advice(
        "one and the same text everywhere",
        "Every document holds the same text, so topics and authors cannot be told apart by it.",
        "Load the file again and choose another column for the text.",
        typed="Name another column with --text.",
    ),
    "empty": Advice(
        "blank texts",
        "A blank text has no topic and no style; all of them get the same vector, whatever their label.",
        "Drop blank texts.",
    ),
    "near-empty": Advice(
        "texts of a few characters",
        "A few characters ('Thanks!') tell neither topic nor author, but count as one document each.",
        "Drop texts as short as that.",
    ),
    "duplicates-within": Advice(
        "texts that repeat in a topic",
        "A copy counts twice in its topic's centroid, and a copy on the other side of a split is known by heart.",
        "Keep one of each.",
    ),
    "duplicates-across": Advice(
        "texts in several topics",
        "The same text in a training and a test topic is leakage, however different the topics are.",
        "Drop every copy: such a text belongs to none of its topics alone.",
    ),
    "several-topics": Advice(
        "documents with several topics",
        "Topics are held out as a whole, so a document must have one. Lists are topics of their own at present.",
        "Take the first of each list, the rarest, the text once for each (which puts equal texts into several topics), or "
        "the combination as one topic. With a column of train and test, text categorization takes lists as they are.",
    ),
    "missing-topics": Advice(
        "topics called nan, None or the like",
        "Programs write such words where a value is missing. Together they are no topic.",
        "Drop their documents, unless the word is a topic of yours.",
    ),
    "topic-spellings": Advice(
        "topics in several spellings",
        "Topics that differ in case or marks only are near twins by construction: one is tested while the other is in training.",
        "Merge the spellings.",
    ),
    "small-topics": Advice(
        "topics of few documents",
        "The centroid of few documents is mostly chance. Topics of one document cannot be placed at all.",
        "Drop small topics, or merge them into one topic 'other', which is then a mixture and not a topic of its own. Where "
        "nearly every topic is small, another column may be the topic.",
        typed="Leave small topics out with --min-documents N, or merge them in the file. Where nearly every topic is small, "
        "another column may be the topic (--topic).",
    ),
    "numeric-topics": Advice(
        "topics that are numbers",
        "Numbers may be codes of topics, which is well, or a date, a score or an id, which is no topic.",
        "If they are no codes, load the file again and choose another column for the topic.",
        mend=False,
        typed="If they are no codes, name another column with --topic.",
    ),
    "merged-spellings": Advice(
        "labels in two spellings that look the same",
        "An accented letter can be written as one character or as two; nobody can see the difference.",
        "Nothing needs to be done: each is taken as one label.",
        mend=False,
    ),
    "missing-authors": Advice(
        "authors called nan, unknown or the like",
        "Texts by nobody known are not texts by one person; models would learn 'unknown' as a style.",
        "Count them as texts without an author.",
    ),
    "author-spellings": Advice(
        "authors in several spellings",
        "One person under two names makes pairs of one author count as pairs of two, and splits an author's texts.",
        "Merge the names that are one person's.",
    ),
    "like-authors": Advice(
        "author names that may be one person's",
        "Initials, or a letter more or less, may hide one person under two names. They may also be two persons.",
        "Merge those that you know to be one.",
        mend=False,
    ),
    "one-author-topics": Advice(
        "topics of one author",
        "Where one author wrote nearly all of a topic, a model may know the author by the topic, or the topic by the author.",
        "Read these topics' scores with care, or keep authors who write in several topics (Settings in the sidebar).",
        mend=False,
        typed="Read these topics' scores with care, or keep authors with several texts (--author-documents N) or the N with "
        "most (--most-authors N).",
    ),
    "one-topic-authors": Advice(
        "authors of one topic",
        "Across topics, nothing of theirs can be compared with anything else of theirs.",
        "Leave them, or keep authors with more texts (Settings in the sidebar).",
        mend=False,
        typed="Leave them, or keep authors with more texts (--author-documents N).",
    ),
    "unknown-authors": Advice(
        "texts without an author",
        "They take part in topics and similarity, but in no pair and in no test of attribution.",
        "Fill the column in, where the authors are known.",
        mend=False,
    ),
    "long-texts": Advice(
        "texts longer than SBERT reads",
        "SBERT reads 256 tokens of a text. What comes after them has no part in any similarity, unless all windows are read.",
        "Read all windows and take the mean, or know that every verdict is on the beginnings of the texts.",
        mend=False,
        typed="Read all windows (--windows mean), or know that every verdict is on the beginnings of the texts.",
    ),
}  # fmt: skip
