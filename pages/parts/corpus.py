"""The parts of the Corpus page: a host's limits, the answer, counts, topics, authors, lengths, copies."""

import pandas as pd
import streamlit as st

from core.corpora import Audit, Corpus, equal_texts
from core.formats import some_or_all
from core.plots import corpus as plots
from core.splits import near_copies
from pages.shared import show, work
from pages.shared.limits import PREFIX, hosted, limit, settings
from pages.shared.public import is_public
from pages.shared.show import escaped

SHOWN = 200  # characters of a text in a table


def answer(corpus: Corpus, audit: Audit) -> None:
    """What the corpus is and what should be mended in it."""
    mend = any(finding.advice.mend for finding in audit.warnings)
    colour, icon = ("orange", ":material/error:") if mend else ("green", ":material/check_circle:")
    with st.container(border=True):
        st.subheader(escaped(corpus.name), anchor=False)
        st.markdown(f":{colour}[{icon}] {escaped(audit.sentence)}")


def cards(audit: Audit) -> None:
    """How much there is of everything."""
    row = st.grid(5, min_column_width=130)
    row.metric("Documents", f"{audit.documents:,}", border=True)
    row.metric("Topics", f"{audit.topics:,}", border=True)
    row.metric("Authors", f"{audit.authors:,}" if audit.authors else "none", border=True)
    what = audit.counted
    how = " A script without spaces between words is counted by its characters." if audit.by_character else ""
    median = f"{int(pd.Series(audit.words).median()):,}"
    row.metric(f"{what.capitalize()}, median", median, border=True, help=f"{what.capitalize()} per document.{how}")
    row.metric("Vocabulary", f"{audit.vocabulary:,}", border=True, help=f"Distinct {what}.")


def detail(corpus: Corpus, audit: Audit) -> None:
    """Topics, authors, lengths and equal texts, one at a time: none of them makes the page longer."""
    topics, authors, lengths, copies, all_texts = st.tabs(
        ["Topics", "Who writes about what", "Lengths", "Copies", "All texts"]
    )
    with topics:
        _topic_table(audit)
    with authors:
        _authors(audit)
    with lengths:
        show.figure(plots.lengths(audit), key="lengths")
    with copies:
        _equal_texts(corpus)
        _near_copies(corpus)
    with all_texts:
        _all_texts(corpus)


def _topic_table(audit: Audit) -> None:
    """Every topic with its documents, authors and lengths."""
    table = pd.DataFrame(
        {
            "topic": [row.topic for row in audit.per_topic],
            "documents": [row.documents for row in audit.per_topic],
            "authors": [row.authors for row in audit.per_topic],
            "largest author": [row.largest_author for row in audit.per_topic],
            "largest author's share, %": [100 * row.largest_author_share for row in audit.per_topic],
            f"median {audit.counted}": [row.median_words for row in audit.per_topic],
        }
    )
    if not audit.authors:
        table = table.drop(columns=["authors", "largest author", "largest author's share, %"])
    bar, number = st.column_config.ProgressColumn, st.column_config.NumberColumn
    show.table(
        table,
        column_config={
            "documents": bar(format="%d", max_value=int(table["documents"].max()), min_value=0),
            "largest author's share, %": bar(format="%.1f", min_value=0, max_value=100),
            f"median {audit.counted}": number(format="%.0f"),
        },
        alt="Topics with their documents, authors and lengths",
        csv=show.Csv("Topics as CSV", "topics.csv"),
    )


def _authors(audit: Audit) -> None:
    """Who writes about what."""
    if not audit.authors:
        st.info(
            "This corpus has no authors. Topic maps and HITS work without them; authorship models will not.",
            icon=":material/person_off:",
        )
        return
    authors, topics = min(plots.MOST_AUTHORS, audit.authors), min(plots.MOST_TOPICS, audit.topics)
    st.caption(
        f"Documents of {some_or_all(authors, audit.authors, 'most frequent', 'author')} in "
        f"{some_or_all(topics, audit.topics, 'largest', 'topic')}. A topic that one author dominates looks easy: a model may know the author by the topic alone."
    )
    show.figure(plots.author_topic(audit), key="authors")


def _equal_texts(corpus: Corpus) -> None:
    """Every text that stands more than once, copy by copy."""
    groups = equal_texts(corpus)
    if not groups:
        st.success("No text stands twice in this corpus, white space at its ends aside.", icon=":material/check:")
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
    st.caption(f"{len(groups):,} texts stand more than once, {len(rows):,} times in all; copies have the same number.")
    show.table(
        table,
        height=360,
        alt="Texts that stand more than once, copy by copy",
        csv=show.Csv("Equal texts as CSV", "equal_texts.csv"),
    )


def _near_copies(corpus: Corpus) -> None:
    """Texts that share half or more of their wording with another, looked for when that is asked for."""
    found = work.result(
        "near copies",
        corpus.fingerprint,
        work.step(near_copies, corpus.texts),
        name=f"Near duplicates in {corpus.name}",
        question=work.Question("Look for near duplicates", primary=False, icon=":material/search:"),
        public=is_public(corpus),
    )
    if found is None:
        return
    if not len(found):
        st.success("No text shares half of its wording with another.", icon=":material/check:")
        return
    st.caption(
        f"{len(found):,} texts share half or more of their wording (three words in a row, or five characters where no spaces "
        "part words) with an earlier one, the most alike first. Equal ones are among them."
    )
    order = (-found.jaccard).argsort(kind="stable")
    table = pd.DataFrame(
        {
            "id": [corpus.ids[row] for row in found.test[order]],
            "topic": [corpus.topic_names[corpus.topic_codes[row]] for row in found.test[order]],
            "like": [corpus.ids[row] for row in found.train[order]],
            "its topic": [corpus.topic_names[corpus.topic_codes[row]] for row in found.train[order]],
            "shared": found.jaccard[order],
        }
    )
    show.table(
        table,
        column_config={"shared": st.column_config.NumberColumn(format="%.2f")},
        alt="Texts that are nearly the same, the most alike first",
        csv=show.Csv("Near duplicates as CSV", "near_duplicates.csv"),
    )


def _all_texts(corpus: Corpus) -> None:
    """The corpus as it is now, cleaned and filtered, to look at and to take away."""
    authors = corpus.authors
    columns = {"id": corpus.ids, "topic": corpus.topics, "text": corpus.texts}
    table = pd.DataFrame(columns | ({} if authors is None else {"author": authors}))
    if corpus.splits is not None:
        table["split"] = corpus.splits
    st.caption("The corpus as it is now: cleaned, and with the sidebar's settings. The table shows the first texts.")
    show.table(table.head(SHOWN), height=360, alt="The first texts of the corpus", csv=None)
    show.download(table, show.Csv("All texts as CSV", "corpus.csv"))


def limits_panel() -> None:
    """Every limit by its name, its value and what it bounds; on a machine of one's own there is nothing to say."""
    if not hosted():
        return
    with st.expander("Limits of this server", icon=":material/rule:"):
        st.markdown(
            "This server is shared. Nobody sees what others load or compute; what goes past a limit is refused with a "
            "sentence. On a machine of your own Leakscope has no limits but the machine's."
        )
        rows = [
            {"bounds": each.about, "value": f"{limit(name):,} {each.unit}", "setting": PREFIX + name}
            for name, each in settings().items()
        ]
        show.table(rows, alt="The limits of this server", csv=None)
