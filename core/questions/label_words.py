"""Answers about a label that is not the author: the same sentences with the words for classes."""

import re
from dataclasses import replace
from typing import Any

from ..corpora import Corpus
from ..render import Answer

# In this order; the sentences themselves are written about authors, which most corpora predict.
PHRASES = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"\bone author wrote\b", "one class has"),
        (r"\bOne author wrote\b", "One class has"),
        (r"\bby (\d[\d,]*) author\b", r"in \1 class"),
        (r"\bby (\d[\d,]*) authors\b", r"in \1 classes"),
        (r"\b([Aa]n) author\b", "a class"),
        (r"\bwrites? about\b", "occur in"),
        (r"(?<!-)\bauthors\b", "classes"),  # not in the names of options
        (r"\bAuthors\b", "Classes"),
        (r"(?<!-)\bauthor\b", "class"),
        (r"\bAuthor\b", "Class"),
    )
)


def in_words_of(answer: Answer, corpus: Corpus) -> Answer:
    """Return the answer in the words of what the corpus predicts; its data stay as they are."""
    if corpus.class_word == "author":
        return answer
    shown = ("headline", "reasons", "cautions", "facts", "figures", "tables", "settings", "methods", "next_steps")
    return replace(answer, **{name: _reworded(getattr(answer, name)) for name in shown})


def _reworded(part: Any) -> Any:
    """Return a text, or a record or tuple of texts, with every phrase replaced; names and codes are left alone."""
    if isinstance(part, str):
        for pattern, words in PHRASES:
            part = pattern.sub(words, part)
        return part
    if isinstance(part, tuple):
        return tuple(_reworded(each) for each in part)
    texts = {name: getattr(part, name, None) for name in ("label", "value", "text", "title", "caption", "note", "help")}
    return replace(part, **{name: _reworded(text) for name, text in texts.items() if isinstance(text, str)})
