"""The interactive parts of the Corpus page: a server's limits, and tabs on topics, authors, lengths and duplicates."""

import pandas as pd
import streamlit as st

from core.corpora import Audit, Corpus, equal_texts
from core.engine import Call
from core.formats import counted
from core.plots import corpus as plots
from core.questions import corpus as question
from core.render import Answer
from core.splits import near_copies
from pages.shared import render, show, work
from pages.shared.limits import PREFIX, hosted, limit, settings
from pages.shared.public import is_public

SHOWN = 200  # characters of a text in a table


def detail(corpus: Corpus, answer: Answer) -> None:
    """Draw topics, authors, lengths and duplicates in tabs."""
    audit: Audit = answer.numbers
    topics, authors, lengths, copies, all_texts = st.tabs(
        ["Topics", "Authors by topic", "Lengths", "Duplicates", "All texts"]
    )
    with topics:
        _topic_table(answer.table("topics").frame, audit)
    with authors:
        if audit.authors:
            st.caption(question.authors_caption(audit))
            show.figure(plots.author_topic(audit), key="authors")
        else:
            st.info(
                "This corpus has no authors. You can use the topic map and HITS, but not the authorship models.",
                icon=":material/person_off:",
            )
    with lengths:
        render.figure(answer.figure("lengths"), title=False)
    with copies:
        _equal_texts(corpus)
        _near_copies(corpus)
    with all_texts:
        _all_texts(corpus)


def _topic_table(table: pd.DataFrame, audit: Audit) -> None:
    """Draw every topic with its documents, authors and lengths."""
    share = "largest author's share"
    bar, number = st.column_config.ProgressColumn, st.column_config.NumberColumn
    show.table(
        table,
        column_config={
            "documents": bar(format="%d", max_value=int(table["documents"].max()), min_value=0),
            share: bar(format="percent", min_value=0, max_value=1),
            f"median {audit.counted}": number(format="%.0f"),
        },
        alt="Topics with their documents, authors and lengths",
        csv=show.Csv("Download topics", "topics.csv"),
    )


def _equal_texts(corpus: Corpus) -> None:
    """List every text that appears more than once, copy by copy."""
    groups = equal_texts(corpus)
    if not groups:
        st.success("No duplicates.", icon=":material/check:")
        return
    rows = [(number, row) for number, group in enumerate(groups, start=1) for row in group]
    table = pd.DataFrame(
        {
            "text no.": [number for number, _ in rows],
            "id": [corpus.ids[row] for _, row in rows],
            "topic": [corpus.topic_names[corpus.topic_codes[row]] for _, row in rows],
            "text": [corpus.texts[row].strip()[:SHOWN] for _, row in rows],
        }
    )
    st.caption(
        f"{counted(len(groups), 'text', 'appears', 'appear')} more than once, {len(rows):,} times in all. Copies have the same number."
    )
    show.table(
        table,
        height=360,
        alt="Texts that appear more than once, copy by copy",
        csv=show.Csv("Download duplicates", "equal_texts.csv"),
    )


def _near_copies(corpus: Corpus) -> None:
    """List texts that share at least half of their wording with another, once someone asks for it."""
    found = work.result(
        "near copies",
        corpus.fingerprint,
        Call(near_copies, (corpus.texts,)),
        name=f"Near duplicates in {corpus.name}",
        question=work.Question("Find near duplicates", primary=False, icon=":material/search:"),
        public=is_public(corpus),
    )
    if found is None:
        return
    if not len(found):
        st.success("No near duplicates: no text shares half of its wording with another.", icon=":material/check:")
        return
    st.caption(
        f"{counted(len(found), 'text', 'shares', 'share')} at least half of the wording of an earlier text, exact duplicates "
        "included. Wording is compared in runs of three words, or of five characters in scripts without spaces."
    )
    order = (-found.jaccard).argsort(kind="stable")
    table = pd.DataFrame(
        {
            "id": [corpus.ids[row] for row in found.test[order]],
            "topic": [corpus.topic_names[corpus.topic_codes[row]] for row in found.test[order]],
            "near duplicate of": [corpus.ids[row] for row in found.train[order]],
            "its topic": [corpus.topic_names[corpus.topic_codes[row]] for row in found.train[order]],
            "shared": found.jaccard[order],
        }
    )
    show.table(
        table,
        column_config={"shared": st.column_config.NumberColumn(format="%.2f")},
        alt="Near duplicates, the most similar first",
        csv=show.Csv("Download near duplicates", "near_duplicates.csv"),
    )


def _all_texts(corpus: Corpus) -> None:
    """Show the first texts of the cleaned and filtered corpus, and offer all of them as a file."""
    authors = corpus.authors
    columns = {"id": corpus.ids, "topic": corpus.topics, "text": corpus.texts}
    table = pd.DataFrame(columns | ({} if authors is None else {"author": authors}))
    if corpus.splits is not None:
        table["split"] = corpus.splits
    st.caption(
        "The corpus after cleaning and the sidebar's filters. The table shows the first texts; the file has all of them."
    )
    show.table(table.head(SHOWN), height=360, alt="The first texts of the corpus", csv=None)
    show.download(table, show.Csv("Download all texts", "corpus.csv"))


def limits_panel() -> None:
    """List the limits of a hosted server; draw nothing elsewhere."""
    if not hosted():
        return
    with st.expander("Limits of this server", icon=":material/rule:"):
        st.markdown(
            "This server is shared. Nobody sees what others load or compute. Work above a limit is refused with an explanation. "
            "On your own machine there are no such limits."
        )
        rows = [
            {"limits": each.about, "value": f"{limit(name):,} {each.unit}", "setting": PREFIX + name}
            for name, each in settings().items()
        ]
        show.table(rows, alt="The limits of this server", csv=None)
