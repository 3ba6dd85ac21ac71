"""Leakscope in a notebook: a study that reads its corpus, and answers every question by its name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .corpora import Corpus
from .corpora.readers import read_corpus
from .demo import RESULTS, bundled_corpus, bundled_vectors
from .errors import SettingError
from .evaluation import Asked, ResultStore, answer_files, fold_sides, read_fold_answers
from .models.attribution import add_estimators
from .progress import Progress
from .questions import QUESTIONS, RunSettings, ask, sample_and_folds
from .render import Answer
from .splits import Folds, given_folds
from .study import Study
from .topics import CORRECTED, read_similarity
from .vectors import USUAL_ENCODER, Encoder, Vectors, VectorStore, make_encoder, without_vectors
from .vectors import embed as encode

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

OF_PAIRS = ("shortcut", "calibration")  # questions about verification alone
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
        similarity_matrix: "str | Path | NDArray[np.floating] | None" = None,
        **columns: Any,
    ) -> Self:
        """Read a corpus from a file, or the bundled one by the word "demo"; `columns` as `read_corpus` takes them.

        `similarity_matrix`, topic × topic in order of name, takes the place of vectors; what needs documents' vectors is refused.
        """
        corpus = bundled_corpus() if source == DEMO else read_corpus(source, **columns)
        if similarity_matrix is not None:
            vectors = without_vectors(corpus, read_similarity(similarity_matrix, corpus.topic_names))
            return cls(corpus, vectors, results=ResultStore(shipped=RESULTS))
        return cls.of(corpus, encoder=encoder, similarity=similarity)

    @classmethod
    def of(cls, corpus: Corpus, *, encoder: str | Encoder = USUAL_ENCODER, similarity: str = CORRECTED) -> Self:
        """Return the study of a corpus that is already there."""
        vectors = embed(corpus, encoder, store=VectorStore())
        return cls(corpus, vectors, similarity=similarity, results=ResultStore(shipped=RESULTS))

    def ask(
        self,
        question: str,
        models: Mapping[str, Any] | tuple[str, ...] | None = None,
        *,
        beside: Sequence[str] = (),
        answers: Sequence[str | Path] = (),
        folds: Any = None,
        **settings: Any,
    ) -> Answer:
        """Answer the question of that name with these settings.

        `models` may be scikit-learn estimators by name; `beside` names built-in models to compare them with. `answers` are
        files with a model's answers to the folds of this run (`folds_table`): they join the models. `folds` are your own:
        those of `make_folds`, a scikit-learn splitter, or pairs of training and test rows.
        """
        if hasattr(models, "fit"):
            raise SettingError("An estimator needs a name here. Give {'mine': estimator}.")
        if isinstance(models, Mapping):
            if question in OF_PAIRS:
                raise SettingError(
                    f"{question} asks about pairs of texts, and an estimator names classes. Leave it out."
                )
            self.forget()  # an estimator of the same name may be another one
            models = add_estimators(models)
        if beside:
            models = (*(models or ()), *beside)
        if folds is not None:
            return self._on(question, folds, models, answers=answers, **settings)
        if answers:
            own = read_fold_answers(answer_files(answers), self._asked(question, settings))
            joined = None if models is None else (*models, *(each.name for each in own))
            return self.with_answers(own).ask(question, joined, **settings)
        if models is not None:
            settings["models"] = models
        return ask(self, question, **settings)

    def _on(self, question: str, folds: Any, models: Any, **settings: Any) -> Answer:
        """Answer on folds of one's own, which stand in the settings in place of the scheme's."""
        if not issubclass(QUESTIONS[question].Settings, RunSettings):
            raise SettingError("Only accuracy, significance and trust take folds. Leave out folds=.")
        if named := [name for name in ("k", "scheme", "sampler", "m", "authors") if name in settings]:
            raise SettingError(
                f"Folds of your own leave nothing to choose for {named[0]}. Leave out {named[0]}= or folds=."
            )
        if hasattr(folds, "split"):
            vectors, codes = self.vectors.matrix, self.corpus.author_codes
            folds = list(folds.split(vectors, codes, groups=np.array(self.corpus.topics)))
        if isinstance(folds, Folds):
            folds = [(fold.train, fold.test) for fold in folds]
        study = self.with_folds(given_folds(self.corpus, folds))
        answer = study.ask(question, models, **settings)
        kept = [row for row in answer.settings if row[0] not in ("Folds", "Topics", "Number of folds (k)")]
        return replace(answer, settings=(("Folds", f"{len(study.own_folds or ())} of your own"), *kept))

    def evaluate(self, models: Mapping[str, Any] | tuple[str, ...] | None = None, **settings: Any) -> Answer:
        """Score models on folds of topics: `study.evaluate({"mine": pipeline}, k=5, answers=["theirs.csv"])`."""
        return self.ask("accuracy", models, **settings)

    def folds_table(self, **settings: Any) -> "pd.DataFrame":
        """Return the folds of a run, a row per document and fold: what `answers` are asked about."""
        return fold_sides(self._asked("accuracy", settings))

    def _asked(self, question: str, settings: Mapping[str, Any]) -> Asked:
        chosen = QUESTIONS[question].Settings
        if not issubclass(chosen, RunSettings):
            raise SettingError("Answers from files are to folds. Ask for accuracy, significance or trust.")
        known = {name: value for name, value in settings.items() if name in RunSettings.controls() and name != "models"}
        setup, folds = sample_and_folds(self, RunSettings.resolve(self, known))
        return {setup.name: (setup.corpus, folds)}

    def __getattr__(self, name: str) -> Any:
        if name in QUESTIONS:
            return partial(self.ask, name)
        raise AttributeError(f"A study has no {name!r}; its questions are {', '.join(QUESTIONS)}.")
