"""What answers share in words: the works they cite, the words for classes, and what commands say they wrote."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from ..corpora import Corpus
from ..render import Answer, Rows
from ..vectors import Vectors

# In this order; the sentences themselves are written about authors, which most corpora predict.
PHRASES = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (
            r"\bTexts by unknown authors are not by one person, but models would learn 'unknown' as a style\b",
            "Texts without a class are no class of their own, but models would learn 'unknown' as one",
        ),
        (r"\bpairs by the same author count as pairs by different authors\b", "models learn two classes"),
        (r"\bbelong to one person or to several\b", "stand for one class or for several"),
        (r"\bbelong to one person\b", "stand for one class"),
        (r"\bnot for verification pairs or attribution\b", "models neither learn from them nor predict them"),
        (r"\bone person\b", "one class"),
        (r"\bone author wrote\b", "one class has"),
        (r"\bOne author wrote\b", "One class has"),
        (r"\b(topics?) by (\d[\d,]*) author\b", r"\1 and \2 class"),
        (r"\b(topics?) by (\d[\d,]*) authors\b", r"\1 and \2 classes"),
        (r"\bby (\d[\d,]*) author\b", r"in \1 class"),
        (r"\bby (\d[\d,]*) authors\b", r"in \1 classes"),
        (r"\b([Aa]n) author\b", "a class"),
        (r"\bwrites about\b", "occurs in"),
        (r"\bwrite about\b", "occur in"),
        (r"(?<!-)\bauthors\b", "classes"),  # not in the names of options
        (r"\bAuthors\b", "Classes"),
        (r"(?<!-)\bauthor\b", "class"),
        (r"\bAuthor\b", "Class"),
    )
)

SHOWN = (
    "headline",
    "lines",
    "reasons",
    "cautions",
    "facts",
    "hero",
    "figures",
    "tables",
    "settings",
    "methods",
    "next_steps",
)
SENTENCES = ("notes", "reason")  # columns of sentences; other cells are the user's own names


def in_words_of(answer: Answer, corpus: Corpus) -> Answer:
    """Return the answer in the words of what the corpus predicts; its data stay as they are."""
    if corpus.class_word == "author":
        return answer
    return replace(answer, **{name: _reworded(getattr(answer, name)) for name in SHOWN})


def words_of(text: str, corpus: Corpus | None) -> str:
    """Return a page's text in the words of what the corpus predicts."""
    said: str = text if corpus is None or corpus.class_word == "author" else _reworded(text)
    return said


OF_AUTHORS = re.compile(r"\*\*Verification\*\* .*?\*\*Attribution\*\* \(.*?\)", re.DOTALL)


def methods_of(section: str, corpus: Corpus | None) -> str:
    """Return a section of docs/methods.md in the words of what the corpus predicts; pairs of texts need authors."""
    if corpus is None or corpus.class_word == "author":
        return section
    return words_of(OF_AUTHORS.sub("**Classification**", section), corpus)


def _reworded(part: Any) -> Any:
    """Return a text, or a record or tuple of texts, with every phrase replaced; names and codes are left alone."""
    if isinstance(part, str):
        for pattern, words in PHRASES:
            part = pattern.sub(words, part)
        return part
    if isinstance(part, tuple):
        return tuple(_reworded(each) for each in part)
    if part is None:
        return None
    if isinstance(part, Rows):
        make = part.make
        part = replace(
            part,
            make=lambda: _reworded_table(make()),
            formats={_reworded(column): format for column, format in part.formats.items()},
        )
    texts = {name: getattr(part, name, None) for name in ("label", "value", "text", "title", "caption", "note", "help")}
    return replace(part, **{name: _reworded(text) for name, text in texts.items() if isinstance(text, str)})


def _reworded_table(table: pd.DataFrame) -> pd.DataFrame:
    sentences = {column: table[column].map(_reworded) for column in SENTENCES if column in table}
    return table.assign(**sentences).rename(columns=_reworded)


def lower_first(sentence: str) -> str:
    """Return a sentence as it goes on inside another."""
    return f"{sentence[0].lower()}{sentence[1:]}"


WORKS = {
    "hits": "J. Sawatphol, C. Udomcharoenchaikit and S. Nutanong. Addressing Topic Leakage in Cross-Topic Evaluation for Authorship "
    "Verification. Transactions of the ACL 12, 2024. doi:10.1162/tacl_a_00709.",
    "bootstrap": "B. Efron. Bootstrap Methods: Another Look at the Jackknife. Annals of Statistics 7, 1979.",
    "expanded": "T. C. Hesterberg. What Teachers Should Know About the Bootstrap. The American Statistician 69, 2015.",
    "terms": "M. Grootendorst. BERTopic: Neural Topic Modeling with a Class-Based TF-IDF Procedure. 2022.",
    "novel": "A. I. Schein, J. F. Caver, R. J. Honaker and C. H. Martell. Author Attribution Evaluation with Novel Topic "
    "Cross-Validation. KDIR 2010.",
    "holm": "S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics 6, 1979.",
    "tests": "Y. Yang and X. Liu. A Re-examination of Text Categorization Methods. SIGIR 1999.",
    "corrected": "C. Nadeau and Y. Bengio. Inference for the Generalization Error. Machine Learning 52, 2003.",
    "trust": "J. Neville, B. Gallagher, T. Eliassi-Rad and T. Wang. Correcting Evaluation Bias of Relational Classifiers with Network "
    "Cross Validation. Knowledge and Information Systems 30, 2012.",
}


def works(*names: str) -> tuple[str, ...]:
    """Return the works of these names."""
    return tuple(WORKS[name] for name in names)


def vectors_written(vectors: Vectors, out: str, file: str) -> Answer:
    """Report a file of vectors, one per document."""
    rows, columns = vectors.matrix.shape
    stored = () if not vectors.from_store or vectors.shipped else (f"{vectors.from_store:,} were stored before.",)
    return Answer(
        "embed",
        "Vectors",
        "neutral",
        f"Written: {rows:,} vectors of {columns} numbers, one a document in the file's order.",
        (*stored, *vectors.notes[:2]),
        make_data=lambda: {
            "documents": rows,
            "dimensions": columns,
            "encoded": vectors.encoded,
            "from_store": vectors.from_store,
            "notes": list(vectors.notes),
            "out": out,
        },
        next_steps=(f"Use them: leakscope hits {file} --vectors {out}",),
    )


def synthetic_written(corpus: Corpus, out: str) -> Answer:
    """Report a synthetic corpus that was written."""
    data: Mapping[str, Any] = {
        "documents": len(corpus),
        "topics": len(corpus.topic_names),
        "authors": len(corpus.author_names or ()),
        "out": out,
    }
    return Answer(
        "dial",
        "A synthetic corpus",
        "neutral",
        f"{len(corpus):,} synthetic documents on {len(corpus.topic_names)} topics are in {out}.",
        make_data=lambda: data,
        next_steps=(f"See what similar topics add: leakscope curve {out} --encoder lsa",),
    )


def plan_written(training_sets: int, topics: int, digest: str, out: str) -> Answer:
    """Report the plan of a leakage curve, for models that run elsewhere."""
    return Answer(
        "curve",
        "A plan",
        "neutral",
        f"{training_sets:,} training sets for {topics:,} test topics are in {out}.",
        make_data=lambda: {"plan": digest, "out": out, "training_sets": training_sets},
        next_steps=("Run your model on each, then give its answers: leakscope curve FILE --answers ANSWERS",),
    )
