"""Leakscope in a notebook: a study that reads its corpus, and answers every question by its name."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

from .corpora import Corpus
from .corpora.readers import read_corpus
from .demo import RESULTS, bundled_corpus, bundled_vectors
from .evaluation import ResultStore
from .models.attribution import add_estimators
from .progress import Progress
from .questions import QUESTIONS, ask
from .render import Answer
from .study import Study
from .topics import CORRECTED
from .vectors import USUAL_ENCODER, Encoder, Vectors, VectorStore, make_encoder
from .vectors import embed as encode

DEMO = "demo"  # the word for the bundled corpus


def embed(
    corpus: Corpus,
    encoder: str | Encoder = USUAL_ENCODER,
    *,
    store: VectorStore | None = None,
    progress: Progress | None = None,
) -> Vectors:
    """Return the vectors of a corpus by an encoder or the one of that name; those that ship are read."""
    chosen = make_encoder(encoder) if isinstance(encoder, str) else encoder
    return bundled_vectors(corpus, chosen) or encode(corpus, chosen, store=store, progress=progress)


class NotebookStudy(Study):
    """A study for notebooks; `leakscope.Study`.

    Every question is a method: `study.verdict(k=6)`, `study.hits(m=12)`; each returns an `Answer` that shows itself.
    `evaluate`, `curve` and `forecast` take scikit-learn estimators: `study.curve({"mine": pipeline})`.
    """

    @classmethod
    def read(
        cls,
        source: str | Path,
        *,
        encoder: str | Encoder = USUAL_ENCODER,
        similarity: str = CORRECTED,
        **columns: Any,
    ) -> Self:
        """Read a corpus from a file, or the bundled one by the word "demo"; `columns` as `read_corpus` takes them."""
        corpus = bundled_corpus() if source == DEMO else read_corpus(source, **columns)
        return cls.of(corpus, encoder=encoder, similarity=similarity)

    @classmethod
    def of(cls, corpus: Corpus, *, encoder: str | Encoder = USUAL_ENCODER, similarity: str = CORRECTED) -> Self:
        """Return the study of a corpus that is already there."""
        vectors = embed(corpus, encoder, store=VectorStore())
        return cls(corpus, vectors, similarity=similarity, results=ResultStore(shipped=RESULTS))

    def ask(self, question: str, models: Mapping[str, Any] | tuple[str, ...] | None = None, **settings: Any) -> Answer:
        """Answer the question of that name with these settings; `models` may be scikit-learn estimators by name."""
        if models is not None:
            if isinstance(models, Mapping):
                self.forget()  # an estimator of the same name may be another one
                models = add_estimators(models)
            settings["models"] = models
        return ask(self, question, **settings)

    def evaluate(self, models: Mapping[str, Any] | tuple[str, ...] | None = None, **settings: Any) -> Answer:
        """Score models on folds of topics: `study.evaluate({"mine": pipeline}, k=5)`."""
        return self.ask("accuracy", models, **settings)

    def __getattr__(self, name: str) -> Any:
        if name in QUESTIONS:
            return partial(self.ask, name)
        raise AttributeError(f"A study has no {name!r}; its questions are {', '.join(QUESTIONS)}.")
