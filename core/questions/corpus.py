"""What is in my corpus?"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..corpora import DOMINATED, WINDOW, Audit, Corpus, Finding, long_texts
from ..errors import unknown
from ..formats import counted, first_few, percent, some_or_all
from ..plots import corpus as plots
from ..render import Answer, Caution, Drawing, Fact, Rows
from ..study import Study
from .settings import Settings as Base

NAME, LABEL, QUESTION = "corpus", "Corpus", "What is in my corpus?"
HELP = "Count documents, topics and authors, and list what to fix before evaluating."
METHODS = (
    "Counts and warnings describe the documents after cleaning and filters. Each warning has a code that stays the same from "
    "version to version."
)
MOST_EXAMPLES, LONGEST = 3, 40  # named in a warning, and characters of each
MOST_ACROSS = 30  # topics side by side whose names can be read on paper
MOST_NAMED = 4  # problems named in one sentence


@dataclass(frozen=True)
class Settings(Base):
    """The audit has no settings."""


EXAMPLE_COLUMNS = "id,text,topic,author"
LABEL_COLUMNS = "id,text,topic,sentiment"


@dataclass(frozen=True, slots=True)
class Warned:
    """The words for one warning code."""

    short: str  # the warning in a few words
    found: Callable[[Finding], str]  # what was found, with its count
    why: str  # why it matters
    fix: str  # what to do on a page
    typed: str = ""  # what to do on the command line, where that differs
    problem: bool = True  # fix it before evaluating; otherwise it is a note
    example: tuple[str, ...] = ()  # rows of a file that has it
    columns: str = EXAMPLE_COLUMNS  # of the example

    @property
    def command_fix(self) -> str:
        """Return what to do on the command line."""
        return self.typed or self.fix


def _counts(one: str, many: str) -> Callable[[Finding], str]:
    """Return a maker of sentences from a count and a phrase for one and for many."""
    return lambda found: f"{found.count:,} {one if found.count == 1 else many}."


def _limited(one: str, many: str) -> Callable[[Finding], str]:
    return lambda found: f"{found.count:,} {(one if found.count == 1 else many).format(found.limit)}."


def _across(found: Finding) -> str:
    (first, topic), (second, other) = found.copies
    example = f"document '{first}' in '{topic}' and '{second}' in '{other}'"
    said = "1 text appears" if found.count == 1 else f"{found.count:,} texts appear"
    return f"{said} in two or more topics{': ' if found.count == 1 else ', for example '}{example}."


WARNINGS: dict[str, Warned] = {
    "all-equal": Warned(
        "all texts are the same",
        lambda found: f"All {found.count:,} documents have the same text.",
        "Identical texts cannot tell topics or authors apart.",
        "Load the file again and choose another text column.",
        "Choose another text column with --text.",
        example=(
            "1,See the attached file.,cooking,anna",
            "2,See the attached file.,chess,ben",
        ),
    ),
    "empty": Warned(
        "blank texts",
        _counts("text is blank", "texts are blank"),
        "Blank texts have no topic and no style, and all get the same vector.",
        "Drop blank texts.",
        example=(
            "1,The oven must be hot before the bread goes in.,cooking,anna",
            "2,,chess,ben",
        ),
    ),
    "near-empty": Warned(
        "very short texts",
        _limited("text has fewer than {} characters", "texts have fewer than {} characters"),
        "A few characters ('Thanks!') reveal neither topic nor author, but count as a document.",
        "Drop these texts.",
        example=(
            "1,The oven must be hot before the bread goes in.,cooking,anna",
            "2,Thanks!,chess,ben",
        ),
    ),
    "duplicates-within": Warned(
        "duplicates within topics",
        _counts("document duplicates another in the same topic", "documents duplicate another in the same topic"),
        "A duplicate counts twice in its topic's centroid. If its copy is in training, a test document will be memorised.",
        "Keep one copy of each.",
        example=(
            "1,Bake the loaf for an hour.,cooking,anna",
            "2,Bake the loaf for an hour.,cooking,ben",
            "3,White moves the knight first.,chess,anna",
        ),
    ),
    "duplicates-across": Warned(
        "duplicates across topics",
        _across,
        "The same text in a training topic and a test topic is leakage, however different the topics are.",
        "Drop every copy, because the text belongs to no single topic.",
        example=(
            "1,Send us your letters by Friday.,cooking,anna",
            "2,Send us your letters by Friday.,chess,ben",
            "3,White moves the knight first.,chess,anna",
        ),
    ),
    "several-topics": Warned(
        "documents with several topics",
        _counts("document has several topics in one cell", "documents have several topics in one cell"),
        "Topics are held out whole, so each document needs exactly one. For now, each list counts as a topic.",
        "Keep the first topic of each list, keep the rarest, repeat the text for each, or treat the combination as one topic. "
        "If the file has a train and test column, text categorization accepts lists.",
        example=(
            "1,The oven must be hot before the bread goes in.,cooking;health,anna",
            "2,Our table by the window was worth the wait.,cooking;travel,ben",
            "3,A walk before breakfast helps the heart.,health,anna",
            "4,The night train leaves at nine.,travel,ben",
        ),
    ),
    "missing-topics": Warned(
        "topics that mean 'missing'",
        _counts("topic is a word for a missing value", "topics are words for a missing value"),
        "Programs write words such as nan or None for missing values. Such documents do not share a topic.",
        "Drop these documents, unless the word is one of your topics.",
        example=(
            "1,The oven must be hot before the bread goes in.,cooking,anna",
            "2,White moves the knight first.,nan,ben",
        ),
    ),
    "topic-spellings": Warned(
        "topics in several spellings",
        _counts(
            "topic has several spellings that differ only in case or punctuation",
            "topics have several spellings that differ only in case or punctuation",
        ),
        "Each spelling counts as a topic, so one can be tested while the other is in training.",
        "Merge the spellings.",
        example=(
            "1,Shares fell on Monday morning.,stock market,anna",
            "2,Shares rose again on Tuesday.,Stock-Market,ben",
        ),
    ),
    "small-topics": Warned(
        "topics with few documents",
        lambda found: (
            f"{found.count:,} of {counted(found.total, 'topic')} {'has' if found.count == 1 else 'have'} fewer than "
            f"{found.limit:,} documents."
        ),
        "The centroid of a few documents is mostly noise. A topic with one document cannot be compared at all.",
        "Drop small topics, or merge them into a mixed topic called 'other'. If nearly every topic is small, check the topic column.",
        "Leave out small topics with --min-documents N. If nearly every topic is small, choose another column with --topic.",
        example=(
            "1,The oven must be hot before the bread goes in.,cooking,anna",
            "2,White moves the knight first.,chess,ben",
        ),
    ),
    "numeric-topics": Warned(
        "numeric topics",
        lambda found: f"All {found.count:,} topics are numbers.",
        "Numbers can be codes for topics. A date, a score or an id is not a topic.",
        "If they are not codes, load the file again and choose another topic column.",
        "If they are not codes, choose another topic column with --topic.",
        problem=False,
        example=(
            "1,The oven must be hot before the bread goes in.,17,anna",
            "2,White moves the knight first.,42,ben",
        ),
    ),
    "merged-spellings": Warned(
        "labels that look the same",
        _counts("label has two spellings that look the same", "labels have two spellings that look the same"),
        "An accented letter can be stored as one character or as two. Leakscope treats both as one label.",
        "You do not need to do anything.",
        problem=False,
        example=(
            "1,The oven must be hot before the bread goes in.,Z\u00fcrich,anna",
            "2,Our table by the window was worth the wait.,Zu\u0308rich,ben",
            "3,White moves the knight first.,chess,anna",
        ),
    ),
    "missing-authors": Warned(
        "authors that mean 'unknown'",
        _counts("author is a word for a missing name", "authors are words for a missing name"),
        "Texts by unknown authors are not by one person, but models would learn 'unknown' as a style.",
        "Treat these texts as having no author.",
        example=(
            "1,The oven must be hot before the bread goes in.,cooking,anna",
            "2,White moves the knight first.,chess,unknown",
        ),
    ),
    "author-spellings": Warned(
        "authors in several spellings",
        _counts(
            "author has several names that differ only in case, punctuation or word order",
            "authors have several names that differ only in case, punctuation or word order",
        ),
        "If one person has two names, pairs by the same author count as pairs by different authors.",
        "Merge the names that belong to one person.",
        example=(
            "1,The oven must be hot before the bread goes in.,cooking,Anna Smith",
            '2,White moves the knight first.,chess,"Smith, Anna"',
        ),
    ),
    "like-authors": Warned(
        "similar author names",
        _counts(
            "group of author names differs only in initials or one letter",
            "groups of author names differ only in initials or one letter",
        ),
        "Such names can belong to one person or to several.",
        "Merge the names you know to be one person.",
        problem=False,
        example=(
            "1,The oven must be hot before the bread goes in.,cooking,Anna Smith",
            "2,White moves the knight first.,chess,A. Smith",
        ),
    ),
    "one-author-topics": Warned(
        "topics with one main author",
        lambda found: (
            f"In {counted(found.count, 'topic')}, one author wrote at least {percent(DOMINATED)} of the documents."
        ),
        "Scores there mix author and topic.",
        "Read the scores of these topics with care, or raise the minimum documents per author.",
        "Read the scores of these topics with care, or limit the authors with --author-documents N or --most-authors N.",
        problem=False,
        example=(
            "1,The oven must be hot before the bread goes in.,cooking,anna",
            "2,Knead the dough until it shines.,cooking,anna",
            "3,White moves the knight first.,chess,ben",
            "4,Black gives up the queen.,chess,anna",
        ),
    ),
    "one-topic-authors": Warned(
        "authors with one topic",
        lambda found: (
            f"{found.count:,} of {counted(found.total, 'author')} {'writes' if found.count == 1 else 'write'} about "
            "only one topic."
        ),
        "Their texts cannot be compared across topics.",
        "Keep them, or raise the minimum documents per author.",
        "Keep them, or keep only authors with more texts (--author-documents N).",
        problem=False,
        example=(
            "1,The oven must be hot before the bread goes in.,cooking,anna",
            "2,White moves the knight first.,chess,anna",
            "3,Black gives up the queen.,chess,ben",
        ),
    ),
    "constant-label": Warned(
        "one class per topic",
        lambda found: f"Each of the {counted(found.count, 'topic')} has only one class.",
        "The topic gives the class away, so nothing can be learned across topics.",
        "Load the file again and choose another label, or other topics.",
        "Choose another label with --label, or other topics with --topic.",
        example=(
            "1,The oven heats in a minute.,kitchens,good",
            "2,The tap never drips.,kitchens,good",
            "3,The strap broke on the first day.,watches,bad",
            "4,It loses an hour a week.,watches,bad",
        ),
        columns=LABEL_COLUMNS,
    ),
    "many-classes": Warned(
        "classes with few documents",
        lambda found: (
            f"{found.count:,} of {found.total:,} classes {'has' if found.count == 1 else 'have'} fewer than {found.limit:,} documents."
        ),
        "A class of a few documents is hardly learned, and thousands of classes take long.",
        "Group the values into fewer classes, or choose another label.",
        "Group the values into fewer classes, or choose another label with --label.",
        example=(
            "1,The oven heats in a minute.,kitchens,good",
            "2,The tap drips.,kitchens,bad",
            "3,The strap is fine.,watches,good",
            "4,It loses an hour a week.,watches,awful",
        ),
        columns=LABEL_COLUMNS,
    ),
    "unknown-authors": Warned(
        "texts without an author",
        _counts("document has no author", "documents have no author"),
        "They count for topics and similarity, but not for verification pairs or attribution.",
        "Fill in the authors you know.",
        problem=False,
        example=(
            "1,The oven must be hot before the bread goes in.,cooking,anna",
            "2,White moves the knight first.,chess,",
        ),
    ),
    "long-texts": Warned(
        "texts longer than SBERT reads",
        lambda found: (
            (f"All {found.total:,}" if found.count == found.total else f"At least {found.count:,} of {found.total:,}")
            + f" texts are longer than the {WINDOW} tokens SBERT reads."
        ),
        "SBERT ignores the rest of each text unless it reads all windows.",
        "Read all windows and average them. Otherwise results describe only the beginnings of the texts.",
        "Read all windows with --window mean. Otherwise results describe only the beginnings of the texts.",
        problem=False,
        example=(
            "1,The council met on Monday … (900 words),politics,anna",
            "2,The season opened with a defeat … (700 words),cricket,ben",
        ),
    ),
}


def warning_text(code: str) -> str:
    """Return the page of a warning as markdown: what it is, why it matters, an example and what to do."""
    words = WARNINGS[code]
    rows = "\n".join((words.columns, *words.example))
    kind = "Problem: fix it before you evaluate." if words.problem else "Note."
    typed = f"\n\nOn the command line: {words.typed}" if words.typed else ""
    title = f"{words.short[0].upper()}{words.short[1:]}"
    return (
        f"## {code}\n\n**{title}.** {kind}\n\n{words.why}\n\nFor example:\n\n```csv\n{rows}\n```\n\n"
        f"What to do: {words.fix}{typed}\n"
    )


def explanation(code: str) -> Answer:
    """Answer what a warning means, with an example and what to do on the command line."""
    if code not in WARNINGS:
        raise unknown("warning", code, WARNINGS)
    words = WARNINGS[code]
    columns = words.columns.split(",")
    return Answer(
        "explain",
        f"What does {code} mean?",
        "warning" if words.problem else "neutral",
        f"{words.short[0].upper()}{words.short[1:]}.",
        (words.why, words.command_fix),
        tables=(
            Rows("example", "Example", lambda: pd.DataFrame(csv.reader(words.example), columns=columns), lead=True),
        ),
        make_data=lambda: {
            "code": code,
            "problem": words.problem,
            "explanation": words.why,
            "remedy": words.command_fix,
        },
    )


def read_in_part(corpus: Corpus) -> str | None:
    """Return the caution for results from SBERT's first window, or None if it covers most texts."""
    long = len(long_texts(corpus))
    if 2 * long <= len(corpus):
        return None
    return (
        f"At least {long:,} of {len(corpus):,} texts are longer than the {WINDOW} tokens SBERT reads, so only their beginnings "
        "count. To read whole texts, choose the mean of all windows in Settings (--window mean on the command line)."
    )


def answer(study: Study, settings: Settings) -> Answer:
    """Answer what the corpus holds and what to fix in it."""
    return audit_answer(study.corpus, study.audit)


def audit_answer(corpus: Corpus, audit: Audit, *, command: bool = False) -> Answer:
    """Answer without vectors; with `command`, fixes name options of the command line."""
    problems = [each for each in audit.warnings if WARNINGS[each.code].problem]
    return Answer(
        NAME,
        QUESTION,
        "warning" if problems else "good",
        headline(audit),
        _reasons(problems),
        tuple(
            Caution(each.code, f"{WARNINGS[each.code].found(each)} {_fix(each, command=command)}")
            for each in audit.warnings
        ),
        _facts(audit),
        _figures(audit, corpus.class_word),
        (*_warnings_table(audit, command=command), _topics_table(audit), *((_counts_table(audit),) if command else ())),
        lambda: _data(audit),
        (),
        METHODS,
        (),
        (),
        audit,
        hero=_facts(audit)[0],
    )


def _fix(found: Finding, *, command: bool) -> str:
    words = WARNINGS[found.code]
    return words.command_fix if command else words.fix


def headline(audit: Audit) -> str:
    """Say whether there is something to fix; how large the corpus is stands in the facts."""
    problems = sum(WARNINGS[each.code].problem for each in audit.warnings)
    notes = len(audit.warnings) - problems
    found = f"{counted(problems, 'problem')} to fix" if problems else "No problems found"
    more = f", {counted(notes, 'note')}" if notes else ""
    return f"{found}{more}."


def _reasons(problems: list[Finding]) -> tuple[str, ...]:
    named = first_few([WARNINGS[each.code].short for each in problems], MOST_NAMED)
    return (f"Fix before evaluating: {named}.",) if problems else ()


def examples(found: Finding) -> str:
    """Return some of those a warning is about."""
    named = [each if len(each) <= LONGEST else f"{each[: LONGEST - 1]}…" for each in found.examples[:MOST_EXAMPLES]]
    return first_few(named, MOST_EXAMPLES, of=found.count)


def _facts(audit: Audit) -> tuple[Fact, ...]:
    unit = audit.counted
    sizes = [row.documents for row in audit.per_topic]
    low, high = min(sizes), max(sizes)
    each = counted(low, "document") if low == high else f"{low:,} to {high:,} documents"
    how = " Scripts without spaces between words are counted by character." if audit.by_character else ""
    return (
        Fact("Documents", f"{audit.documents:,}"),
        Fact("Topics", f"{audit.topics:,}", f"{each} each"),
        Fact("Authors", f"{audit.authors:,}" if audit.authors else "none", _usual_author(audit)),
        Fact(
            f"Median {unit}",
            f"{int(np.median(audit.words)):,}",
            "per document",
            f"{unit.capitalize()} per document.{how}",
        ),
        Fact("Vocabulary", f"{audit.vocabulary:,}", f"distinct {unit}"),
    )


def _usual_author(audit: Audit) -> str:
    """Return how much the median author wrote."""
    written = np.asarray(audit.counts.sum(axis=0)).ravel()
    written = written[written > 0]
    return f"median {counted(int(np.median(written)), 'document')} each" if len(written) else ""


def authors_caption(audit: Audit, *, most: int = plots.MOST_TOPICS) -> str:
    """Say which authors and topics the table of documents shows."""
    authors = some_or_all(min(plots.MOST_AUTHORS, audit.authors), audit.authors, "most frequent", "author")
    topics = some_or_all(min(most, audit.topics), audit.topics, "largest", "topic")
    return (
        f"Documents of {authors} in {topics}. If one author dominates a topic, a model can recognise the author by the topic "
        "alone."
    )


def _figures(audit: Audit, word: str) -> tuple[Drawing, ...]:
    lengths = Drawing("lengths", f"{audit.counted.capitalize()} per document", lambda: plots.lengths(audit))
    if not audit.authors:
        return (lengths,)
    authors = Drawing(
        "authors",
        "Documents by author and topic",
        lambda: plots.author_topic(audit, most=MOST_ACROSS, word=word),
        authors_caption(audit, most=MOST_ACROSS),
    )
    return lengths, authors


def _warnings_table(audit: Audit, *, command: bool) -> tuple[Rows, ...]:
    found = audit.warnings
    if not found:
        return ()

    def make() -> pd.DataFrame:
        return pd.DataFrame(
            {
                "code": [each.code for each in found],
                "found": [f"{WARNINGS[each.code].found(each)} {examples(each)}".strip() for each in found],
                "why it matters": [WARNINGS[each.code].why for each in found],
                "what to do": [_fix(each, command=command) for each in found],
                "for example": [" / ".join(WARNINGS[each.code].example) for each in found],
            }
        )

    return (Rows("warnings", "Problems and notes", make),)


def _topics_table(audit: Audit) -> Rows:
    def make() -> pd.DataFrame:
        rows = audit.per_topic
        columns: dict[str, list[Any]] = {
            "topic": [row.topic for row in rows],
            "documents": [row.documents for row in rows],
        }
        if audit.authors:
            columns |= {
                "authors": [row.authors for row in rows],
                "largest author": [row.largest_author for row in rows],
                "largest author's share": [row.largest_author_share for row in rows],
            }
        return pd.DataFrame(columns | {f"median {audit.counted}": [row.median_words for row in rows]})

    formats = {"largest author's share": ".0%", f"median {audit.counted}": ",.0f"}
    return Rows("topics", "Topics", make, formats=formats)


def _cells(audit: Audit) -> Iterator[tuple[str, str, int]]:
    """Yield topic, author and documents of every pair that has some."""
    table = audit.counts.tocoo()
    for topic, author, number in zip(*table.coords, table.data, strict=True):
        yield audit.topic_names[topic], audit.author_names[author], int(number)


def _counts_table(audit: Audit) -> Rows:
    columns = ["topic", "author", "documents"]
    return Rows("counts", "Documents by topic and author", lambda: pd.DataFrame(list(_cells(audit)), columns=columns))


def _data(audit: Audit) -> dict[str, Any]:
    counts: dict[str, dict[str, int]] = {name: {} for name in audit.topic_names}
    for topic, author, number in _cells(audit):
        counts[topic][author] = number
    return {
        "documents": audit.documents,
        "topics": audit.topics,
        "authors": audit.authors,
        "warnings": [
            {
                "code": each.code,
                "text": WARNINGS[each.code].found(each),
                "explanation": WARNINGS[each.code].why,
                "remedy": WARNINGS[each.code].command_fix,
                "page": f"docs/warnings.md#{each.code}",
            }
            for each in audit.warnings
        ],
        "counts": counts,
    }
