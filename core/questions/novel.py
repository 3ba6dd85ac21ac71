"""How much do scores fall on unseen topics? Ordinary cross-validation beside folds that hold topics out."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import record
from ..errors import SettingError
from ..evaluation import Evaluation, fold_scores, summarise
from ..formats import counted, defined, first_few
from ..papers import NovelTopics, novel_topics
from ..render import Answer, Caution, Rows
from ..statistics import WeightedSummary
from ..study import Study
from .accuracy import fold_columns
from .runs import ModelRun, RunSettings, baseline_rows, choices_of, references_of, run, skipped_cautions
from .wording import works

NAME, LABEL = "novel", "Folds & accuracy"
QUESTION = "How much do scores fall on unseen topics?"
HELP = "Compare scores on unseen topics with ordinary cross-validation of the same documents."
METHODS = (
    "The same models were run on the same documents in ordinary folds, which have every topic on both sides. Unseen topics count by "
    "their documents (Schein et al. 2010)."
)
Settings = RunSettings

ORDINARY = "kfold"
MOST_FOLDS = 10
MOST_AUTHORS = 30  # columns shown; the file has all
FEW = 5  # topics named in a sentence
TRAINING_DIFFERS = (
    "The training sets differ, so the gap mixes unseen topics with other training documents. Read it as a hint, not as a measured "
    "effect."
)


@record
class Beside:
    """A run on unseen topics beside one in ordinary folds."""

    run: ModelRun
    ordinary: Evaluation
    novel: NovelTopics
    unseen_mean: dict[str, WeightedSummary]  # by model
    ordinary_mean: dict[str, WeightedSummary]

    def gap(self, model: str) -> float:
        """Return the mean in ordinary folds minus that on unseen topics."""
        return self.ordinary_mean[model].mean - self.unseen_mean[model].mean


def measure(study: Study, settings: RunSettings) -> Beside:
    """Run the models in ordinary folds too; raise `Pending` where they have to run first."""
    if settings.scheme == ORDINARY:
        raise SettingError("Ordinary folds hold no topic out. Choose folds of topics to compare them with.")
    settings = settings.but(models=tuple(name for name in settings.models if name not in study.own))
    if not settings.models:
        raise SettingError("Answers from files are to one kind of fold only. Choose a built-in model.")
    made = run(study, settings)
    k = min(MOST_FOLDS, max(2, len(made.folds)))
    folds = study.folds(made.setup, scheme=ORDINARY, k=k, seed=settings.seed)
    ordinary = study.evaluation(made.setup, folds, **choices_of(settings))
    if all(each.problem is not None for each in ordinary.runs):
        raise SettingError(f"No ordinary fold could be run: {ordinary.runs[0].problem}")
    corpus = made.setup.corpus
    unseen_mean, ordinary_mean = (
        dict(summarise(fold_scores(each, corpus), made.metric)) for each in (made.evaluation, ordinary)
    )
    found = novel_topics(corpus, made.evaluation, ordinary, metric=made.metric)
    return Beside(made, ordinary, found, unseen_mean, ordinary_mean)


def answer(study: Study, settings: RunSettings) -> Answer:
    """Answer how much scores fall where topics are held out."""
    found = measure(study, settings)
    made, corpus = found.run, found.run.setup.corpus
    both = {"Unseen topics": (made.evaluation, corpus), "Ordinary folds": (found.ordinary, corpus)}
    return Answer(
        NAME,
        QUESTION,
        "neutral",
        *_sentences(found),
        cautions=(*_cautions(found), *skipped_cautions(found.ordinary, where="Ordinary folds")),
        tables=(
            _gaps(found),
            Rows("ordinary_beside_unseen_topics", "Every measure", partial(_measures, found), precision=4),
            Rows("topics_by_authors", "Topics and their authors", partial(topics_by_authors, found)),
            baseline_rows(both),
        ),
        make_data=lambda: _data(found),
        settings=made.settings.rows(study),
        methods=METHODS,
        references=(*works("novel"), *references_of([made.evaluation])),
        numbers=found,
    )


def _sentences(found: Beside) -> tuple[str, tuple[str, ...]]:
    """Return the headline on the best model of the ordinary folds, and the largest gap where it is another model's."""
    known = [name for name in found.run.models if np.isfinite(found.gap(name))]
    if not known:
        return "Too few folds have scores to compare unseen topics with ordinary folds.", ()
    labels = found.run.models
    best, widest = max(known, key=lambda name: found.ordinary_mean[name].mean), max(known, key=found.gap)
    means = found.unseen_mean[best].mean, found.ordinary_mean[best].mean
    headline = f"{labels[best]} scores {means[0]:.2f} on unseen topics and {means[1]:.2f} in ordinary folds ({found.run.metric_label})."
    if widest == best or found.gap(widest) <= 0:
        return headline, ()
    return headline, (f"The largest gap is {counted(round(100 * found.gap(widest)), 'point')} ({labels[widest]}).",)


def _cautions(found: Beside) -> tuple[Caution, ...]:
    said = [Caution("training-differs", TRAINING_DIFFERS)]
    if found.novel.one_author:
        named = first_few(list(found.novel.one_author), FEW)
        said.append(
            Caution(
                "one-author",
                f"One author wrote at least 90% of the documents in {named}. Scores there mix author and topic.",
            )
        )
    return tuple(said)


def _gaps(found: Beside) -> Rows:
    made, label = found.run, found.run.metric_label

    def make() -> pd.DataFrame:
        return pd.DataFrame(
            [
                {"model": made.models[name], f"{label}, unseen topics": found.unseen_mean[name].mean}
                | fold_columns(found.unseen_mean[name], len(made.folds), "unseen: ")
                | {f"{label}, ordinary folds": found.ordinary_mean[name].mean}
                | fold_columns(found.ordinary_mean[name], len(found.ordinary.folds), "ordinary: ")
                | {"gap": found.gap(name)}
                for name in made.models
            ]
        )

    return Rows("novel_gaps", "Unseen topics and ordinary folds", make, lead=True)


def _measures(found: Beside) -> pd.DataFrame:
    """Return every measure, as in Schein et al.'s Tables 5 and 6."""
    novel = found.novel
    return pd.DataFrame(
        [
            {
                "model": found.run.models[model],
                "measure": label,
                "ordinary: average": novel.ordinary[model][metric].mean,
                "ordinary: sd": novel.ordinary[model][metric].sd,
                "unseen: average": novel.novel[model][metric].mean,
                "unseen: sd": novel.novel[model][metric].sd,
                "unseen: topics": novel.novel[model][metric].n,
                "unseen: effective topics": novel.novel[model][metric].effective,
                "unseen: se": novel.novel[model][metric].se,
                "unseen: se, Schein": novel.novel[model][metric].paper_se,
            }
            for model in novel.models
            for metric, label in novel.metrics.items()
        ]
    )


def topics_by_authors(found: Beside, *, most: int | None = None) -> pd.DataFrame:
    """Return a row per topic, as in Schein et al.'s Tables 3 and 7: documents, scores, and a column per author.

    With `most`, only the authors with most documents.
    """
    novel = found.novel
    table: dict[str, object] = {
        "topic": novel.topics,
        "documents": novel.documents,
        "largest author's share": novel.largest_share,
    }
    table |= {found.run.models[model]: values for model, values in novel.scores.items()}
    columns = np.arange(len(novel.authors))
    if most is not None:
        columns = np.argsort(-novel.counts.sum(axis=0), kind="stable")[:most]
    return pd.DataFrame(table | {f"by {novel.authors[column]}": novel.counts[:, column] for column in columns.tolist()})


def _data(found: Beside) -> dict[str, Any]:
    return {
        "models": {
            name: {
                "unseen": defined(found.unseen_mean[name].mean),
                "ordinary": defined(found.ordinary_mean[name].mean),
                "gap": defined(found.gap(name)),
            }
            for name in found.run.models
        },
        "one_author": list(found.novel.one_author),
    }
