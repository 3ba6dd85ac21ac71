"""Print every sentence the questions answer with on a corpus, to read it in one go.

    python -m tools.read_aloud demo
    python -m tools.read_aloud news.parquet --encoder lsa --sample 2000
    python -m tools.read_aloud demo --shuffle

Sentences over 25 words are marked with their count.
"""

import argparse
import re
import sys
from collections.abc import Iterator

import numpy as np

from core.corpora import Corpus, make_corpus
from core.corpora.readers import read_corpus
from core.demo import bundled_corpus
from core.errors import LeakscopeError
from core.interface import DEMO, NotebookStudy
from core.questions import QUESTIONS, ask
from core.render import Answer
from tools.voice import MOST_WORDS, sentences


def main() -> int:
    """Print the answers to all questions, or to those named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", metavar="FILE", help="a corpus, or 'demo' for the bundled one")
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=f"of {', '.join(QUESTIONS)} (default: all)")
    parser.add_argument("--encoder", default="sbert", help="what makes the vectors (default: sbert)")
    parser.add_argument("--sample", type=int, metavar="N", help="read only N random documents")
    parser.add_argument("--shuffle", action="store_true", help="shuffle the topic labels")
    options = parser.parse_args()
    corpus = bundled_corpus() if options.corpus == DEMO else read_corpus(options.corpus)
    corpus = altered(corpus, sample=options.sample, shuffle=options.shuffle)
    study = NotebookStudy.of(corpus, encoder=options.encoder)
    for name in options.questions or QUESTIONS:
        print(f"\n## {name}: {QUESTIONS[name].QUESTION}", flush=True)
        try:
            print(*lines_of(ask(study, name)), sep="\n", flush=True)
        except LeakscopeError as problem:
            print(f"refused: {problem}", flush=True)
    return 0


def altered(corpus: Corpus, *, sample: int | None, shuffle: bool) -> Corpus:
    """Return the corpus with fewer documents or shuffled labels."""
    if sample is None and not shuffle:
        return corpus
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(corpus))[:sample])
    topics = [corpus.topics[row] for row in rows]
    if shuffle:
        topics = [topics[row] for row in rng.permutation(len(topics))]
    authors, splits = ([each[row] for row in rows] if each else None for each in (corpus.authors, corpus.splits))
    texts = [corpus.texts[row] for row in rows]
    return make_corpus(texts, topics, authors=authors, splits=splits, name=corpus.name)


def lines_of(answer: Answer) -> Iterator[str]:
    """Yield the texts of an answer in the order a page shows them."""
    yield marked(f"[{answer.level}] ", answer.headline)
    yield from (marked("- ", reason) for reason in answer.reasons)
    yield from (marked(f"[{each.level}] {each.label}: ", each.text) for each in answer.lines)
    yield from (marked(f"! {each.code}: ", each.text) for each in answer.cautions)
    for fact in (*([] if answer.hero is None else [answer.hero]), *answer.facts):
        yield marked(f"# {fact.label}: {fact.value} ({fact.note}) ", fact.help)
    yield from (marked(f"figure {each.title}: ", each.caption) for each in answer.figures)
    yield from (marked(f"table {each.title}: ", each.note) for each in answer.tables)
    yield from (marked("> ", step) for step in answer.next_steps)


def marked(start: str, text: str) -> str:
    """Return a line, with the number of words in front of every sentence that is too long."""
    counts = ((sentence, len(re.findall(r"\S*\w\S*", sentence))) for sentence in sentences(text))
    return start + " ".join(f"<<{count}>> {each}" if count > MOST_WORDS else each for each, count in counts)


if __name__ == "__main__":
    sys.exit(main())
