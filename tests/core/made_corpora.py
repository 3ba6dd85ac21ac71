"""Small synthetic corpora for reports and projects, and what reads a report back."""

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import numpy as np

from core.corpora import Corpus, make_corpus
from core.render import Report, report_html
from core.report import asked_by, make_report, page_names
from core.study import Study, kept_only
from core.vectors import embed, make_encoder

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(2)> {{ 7 * 7 }} <!-- \u2028 " &amp; '


def made(
    topics: int = 5,
    documents: int = 8,
    *,
    authors: int = 3,
    shuffled: bool = False,
    name: str = "topic ",
    split: bool = False,
) -> Corpus:
    """Topics of ten words each, two of the topics similar; the labels shuffled where that is asked for."""
    rng = np.random.default_rng(0)
    words = [f"word{number}" for number in range(10 * topics + 10)]
    texts, labels = [], []
    for topic in range(topics):
        start = 10 * topic if topic else 5
        for _ in range(documents):
            texts.append(" ".join(rng.choice(words[start : start + 10], 30)))
            labels.append(f"{name}{topic}")
    if shuffled:
        labels = [labels[place] for place in rng.permutation(len(labels))]
    who = [f"{name}author {number}" for number in rng.integers(0, authors, len(texts))] if authors else None
    sides = ["train" if place % 3 else "test" for place in range(len(texts))] if split else None
    return make_corpus(texts, labels, authors=who, splits=sides, name=f"{name}corpus")


def study_of(corpus: Corpus, **more: Any) -> Study:
    return Study(corpus, embed(corpus, make_encoder("lsa")), **more)


def report_of(corpus: Corpus, pages: list[str] | None = None, **given: dict[str, Any]) -> Report:
    """Return a report of these pages with these settings by page; without pages, of all that need no model run."""
    study = study_of(corpus)
    if pages is None:
        study.work = kept_only
    return make_report(study, asked_by(study, pages or list(page_names()), given))


class Page(HTMLParser):
    """What a browser would take from the file: elements, their text, and what scripts hold."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._in = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in == "script":
            self.scripts[-1] += data
        elif self._in != "style":
            self.text += data

    @property
    def figures(self) -> list[dict[str, Any]]:
        return [json.loads(script) for script in self.scripts if script.startswith("{")]


def page_of(report: Report) -> Page:
    return Page(report_html(report, when=WHEN))


def figure_texts(figure: Any) -> str:
    """Every string of a figure."""
    return json.dumps(figure)


def markup(text: str) -> list[str]:
    """What plotly would read as mark-up in a label."""
    return re.findall(r"<(?!br>|/?b>|/?i>|extra>|/extra>)[a-z/!]", text)


# Small files that stand beside a corpus: a network of 24 nodes, a table of scores, a corpus with several topics a document.
NETWORK = {
    "net_links": (
        "source,target\n" + "".join(f"n{a},n{(a + 1) % 24}\nn{a},n{(a + 5) % 24}\n" for a in range(24))
    ).encode(),
    "net_labels": ("node,label\n" + "".join(f"n{a},{'x' if a < 12 else 'y'}\n" for a in range(24))).encode(),
}
SCORES = b"category,one,two,three\n" + b"".join(
    b"c%d,0.%d,0.%d,0.5\n" % (row, 5 + row % 3, 4 + row % 4) for row in range(9)
)


def labelled_file() -> bytes:
    rows = [
        f"word{number % 2} again w{number},{'ab'[number % 2]},{'train' if number % 3 else 'test'}"
        for number in range(24)
    ]
    return ("text,topics,split\n" + "\n".join(rows)).encode()
