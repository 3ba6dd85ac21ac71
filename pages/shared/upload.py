"""Loading a corpus: upload, column mapping with a preview, vectors, and 20 Newsgroups. A refusal changes nothing."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.corpora import Corpus, with_vectors
from core.corpora.readers import READERS, Table, load_newsgroups, read_source, table_corpus
from core.errors import LeakscopeError
from core.vectors import load_vectors
from pages.shared import show, work
from pages.shared.show import literal, refuse
from pages.shared.state import session_cache

NONE = "(none)"
ROLES = {"text": "Text", "topic": "Topic", "author": "Author", "id": "Id", "split": "Train/test", "vectors": "Vectors"}
OPTIONAL = ("author", "id", "split", "vectors")


def upload_panel() -> None:
    """Choose files; map the columns of a table; take the result as the corpus in hand."""
    suffixes = sorted({suffix for reader in READERS.values() for suffix in reader.suffixes})
    files = st.file_uploader(
        "A file of texts with a topic each",
        type=suffixes,
        accept_multiple_files=True,
        key="files",
        help="CSV, TSV, JSON lines or Parquet with a column of texts and one of topics (authors and ids are optional); "
        "a zip with a folder per topic; or PAN's pairs.jsonl together with truth.jsonl.",
    )
    if not files:
        st.caption("Your texts stay in this session; only their vectors are kept, under a hash of the text.")
        return
    try:
        found = _read(tuple(file.file_id for file in files), files)
    except LeakscopeError as problem:
        refuse(problem)
        return
    if isinstance(found, Table):
        _map_columns(found)
    else:
        st.success(f"{len(found):,} documents in {len(found.topic_names):,} topics.", icon=":material/check:")
        st.button("Use this corpus", type="primary", on_click=_take_in_hand, args=(found,))


@session_cache
def _read(file_ids: tuple[str, ...], _files: Sequence[Any]) -> Table | Corpus:
    return read_source(_files[0] if len(_files) == 1 else _files)


def _map_columns(table: Table) -> None:
    st.markdown(
        f"**Which column is what?** {table.rows:,} rows, read as {READERS[table.format].label}, {table.encoding}."
    )
    for note in table.notes:
        st.caption(literal(note))
    chosen: dict[str, str | None] = {}
    roles = [role for role in ROLES if role != "vectors" or table.vectors]
    for column, role in zip(st.columns(len(roles)), roles, strict=True):
        usable = (
            list(table.vectors) if role == "vectors" else [name for name in table.columns if name not in table.vectors]
        )
        options = [NONE, *usable] if role in OPTIONAL else usable
        guess = table.roles.get(role)
        picked = column.selectbox(
            ROLES[role], options, index=options.index(guess) if guess in options else 0, key=f"role_{role}"
        )
        chosen[role] = None if picked == NONE else picked
    preview = pd.DataFrame(table.preview, columns=list(table.columns))
    show.table(preview, height=240, alt="The first rows of the file")
    st.button("Use this corpus", type="primary", on_click=_take_table, args=(table, chosen))


def _take_table(table: Table, chosen: dict[str, Any]) -> None:
    try:
        _take_in_hand(table_corpus(table, **chosen))
    except LeakscopeError as problem:
        st.session_state["refused"] = str(problem)


def _take_in_hand(corpus: Corpus) -> None:
    st.session_state["file_corpus"] = corpus
    st.session_state["corpus"] = "file"
    if corpus.vectors is not None:
        st.session_state["encoder"] = "precomputed"
    elif st.session_state.get("encoder") == "precomputed":
        st.session_state["encoder"] = "sbert"


def refusal() -> None:
    """Show once why the last file was not taken."""
    problem = st.session_state.pop("refused", None)
    if problem:
        refuse(problem)


def vectors_panel(corpus: Corpus) -> None:
    """Vectors the user computed elsewhere, for the uploaded corpus in hand."""
    file = st.file_uploader(
        "Your own vectors (.npy, a row per document)", type=["npy"], key="vectors_file", help="Saved with numpy.save."
    )
    if file is None:
        return
    st.button("Use these vectors", on_click=_take_vectors, args=(corpus, file), key="use_vectors")


def _take_vectors(corpus: Corpus, file: Any) -> None:
    try:
        file.seek(0)
        _take_in_hand(with_vectors(corpus, load_vectors(file, len(corpus))))
    except LeakscopeError as problem:
        st.session_state["refused"] = str(problem)


def newsgroups_panel() -> None:
    """One click to scikit-learn's 20 Newsgroups."""
    st.markdown(
        "**20 Newsgroups**: 18,846 postings to 20 discussion groups. Authors are hashed addresses; headers, footers and "
        "quotations are removed. The first time, 14 MB are downloaded."
    )
    found = work.result(
        "newsgroups",
        "corpus",
        work.Step(
            lambda progress: load_newsgroups(progress=progress),
            say=lambda done, total, label, left: f"{done / 1e6:.1f} of {total / 1e6:.1f} MB",
        ),
        start="Asking for the archive …",
        question=work.Question("Load 20 Newsgroups", icon=":material/download:"),
        complain=lambda problem: refuse(problem, icon=":material/cloud_off:"),
    )
    if found is not None:
        st.session_state["newsgroups_corpus"] = found
        st.rerun()
