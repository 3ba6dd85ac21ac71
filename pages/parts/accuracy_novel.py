"""Schein et al.'s tables on Folds & accuracy: ordinary folds beside unseen topics, and every topic by its authors."""

import numpy as np
import pandas as pd
import streamlit as st

from core.evaluation import Evaluation
from core.formats import first_few
from core.studies import NovelTopics, novel_topics
from pages.shared import show
from pages.shared.public import of_runs
from pages.shared.run_controls import ChosenRun
from pages.shared.show import escaped

MOST_AUTHORS = 30  # columns shown; the file has all
FEW = 5  # topics named in a sentence


def novel_tables(run: ChosenRun, ordinary: Evaluation) -> None:
    """Both tables of the paper for this corpus, to look at and to take away."""
    found = of_runs(
        run.setup.corpus,
        [run.evaluation, ordinary],
        "novel topics",
        lambda: novel_topics(run.setup.corpus, run.evaluation, ordinary, metric=run.metric),
        run.metric,
    )
    st.markdown("**Every measure** (as in Schein et al.'s Tables 5 and 6; unseen topics count by their documents)")
    show.table(
        _measures(run, found),
        precision=4,
        absent="–",
        formats={"unseen: count as": "{:.1f}"},
        alt="Every measure in ordinary folds and on unseen topics",
        csv=show.Csv("Measures as CSV", "ordinary_beside_unseen_topics.csv", "novel_measures_csv"),
    )
    st.markdown("**Every topic and who wrote it** (their Tables 3 and 7)")
    whole = topics_by_authors(run, found)
    authors = [f"by {name}" for name in found.authors]
    order = np.argsort(-found.counts.sum(axis=0), kind="stable")[:MOST_AUTHORS]
    largest = [authors[column] for column in order]
    others = [column for column in whole.columns if column not in set(authors)]
    show.table(
        whole[[*others, *largest]],
        precision=3,
        absent="–",
        formats=dict.fromkeys(["documents", *largest], "{:,.0f}"),
        alt="Documents by topic and author, with scores on the topic unseen",
        csv=None,  # of all authors, below
    )
    if len(largest) < len(authors):
        st.caption(f"The {len(largest)} authors with most documents of {len(authors):,}; the file has all.")
    show.download(whole, show.Csv("Topics by authors as CSV", "topics_by_authors.csv", "novel_topics_csv"))
    if found.one_author:
        named = first_few([escaped(name) for name in found.one_author], FEW)
        st.caption(
            f"Nine of ten documents or more are by one author in {named}: such a topic is as easy as that author, whatever "
            "it is about."
        )


def _measures(run: ChosenRun, found: NovelTopics) -> list[dict[str, object]]:
    return [
        {
            "model": run.models[model],
            "measure": label,
            "ordinary: average": found.ordinary[model][metric].mean,
            "ordinary: sd": found.ordinary[model][metric].sd,
            "unseen: average": found.novel[model][metric].mean,
            "unseen: sd": found.novel[model][metric].sd,
            "unseen: topics": found.novel[model][metric].n,
            "unseen: count as": found.novel[model][metric].effective,
            "unseen: se": found.novel[model][metric].se,
            "unseen: se, Schein": found.novel[model][metric].paper_se,
        }
        for model in found.models
        for metric, label in found.metrics.items()
    ]


def topics_by_authors(run: ChosenRun, found: NovelTopics) -> pd.DataFrame:
    """A row a topic: its documents, the share of its largest author, each model's score, and a column an author."""
    table: dict[str, object] = {
        "topic": found.topics,
        "documents": found.documents,
        "largest author's share": found.largest_share,
    }
    table |= {run.models[model]: values for model, values in found.scores.items()}
    table |= {f"by {name}": found.counts[:, column] for column, name in enumerate(found.authors)}
    return pd.DataFrame(table)
