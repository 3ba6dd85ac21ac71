"""Files from visitors: read in the strict worker alone, whatever they hold. Then a corpus of one's own: upload, column
mapping with a preview, vectors, and 20 Newsgroups. A refusal changes nothing."""

import hashlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.corpora import TOPICS_OF_A_LIST, CleaningStep, Corpus, OneTopic, Ready, look_into, make_of, with_vectors
from core.corpora.readers import READERS, File, Table, fetch_file, load_newsgroups
from core.engine import Call, Limits
from core.vectors import load_vectors
from pages.shared import history, jobs, keep, show
from pages.shared.session import hosted, limit, make_public, sizes
from pages.shared.show import literal, refuse

NONE = "(none)"
ROLES = {
    "text": "Text",
    "topic": "Topic",
    "author": "Author",
    "label": "Label to predict",
    "id": "Id",
    "split": "Train/test",
    "vectors": "Vectors",
}
OPTIONAL = ("topic", "author", "label", "id", "split", "vectors")
READ_SECONDS = 600
PAN_FILES = ("pairs", "truth")  # in the names of files that belong together


def read_strictly(
    kind: str,
    key: Hashable,
    reader: Callable[..., Any],
    *given: Any,
    complain: Callable[[str], None] = refuse,
    **settings: Any,
) -> Any:
    """Return what `reader` makes of a visitor's files in the strict worker; None until it has, or where it refuses them.

    Uploads and files among `given`, alone or in lists, reach the reader as `File`. Nothing else opens an upload: a hostile file
    meets a process with bounded memory and time, never the server or a worker that holds somebody's data.
    """
    parts = [one for each in given for one in (each if isinstance(each, list) else [each])]
    call = Call(reader, tuple(map(_as_files, given)), settings)
    name = "Reading " + " + ".join(each.name for each in parts if isinstance(each, UploadedFile | File))
    return jobs.result(kind, key, call, name=name, complain=complain, limits=_limits())


def _is_upload(given: Any) -> bool:
    return isinstance(given, UploadedFile)


def _as_files(given: Any) -> Any:
    if isinstance(given, list):
        return [_as_files(each) for each in given]
    return File(given.name, given.getvalue()) if _is_upload(given) else given


def content_key(*uploads: UploadedFile) -> tuple[tuple[str, str], ...]:
    """Return the names and the content hashes of uploads."""
    return tuple((upload.name, _content_hash(upload.file_id, upload)) for upload in uploads)


@st.cache_resource(scope="session", max_entries=64, show_spinner=False)
def _content_hash(file_id: str, _upload: UploadedFile) -> str:
    return hashlib.sha256(_upload.getvalue()).hexdigest()


def file_key(kind: str, *uploads: UploadedFile | None) -> tuple[str, str] | None:
    """Return the digest and the names of the loaded files, or of those loaded last; None where there are none.

    What was made of files beside the corpus is found by their content after the files are gone: Streamlit forgets them
    as soon as another page is opened.
    """
    files, noted = [each for each in uploads if each is not None], history.FILES.format(kind)
    if len(files) == len(uploads):
        contents = b"".join(bytes.fromhex(content) for _, content in content_key(*files))
        st.session_state[noted] = f"{hashlib.sha256(contents).hexdigest()} {' and '.join(each.name for each in files)}"
    found = str(st.session_state.get(noted, "")).partition(" ")
    return (found[0], found[2]) if found[2] else None


def upload_panel() -> None:
    """Choose files, map the columns of a table, and use the result as the current corpus."""
    suffixes = sorted({suffix for reader in READERS.values() for suffix in reader.suffixes})
    uploads = st.file_uploader(
        "A table with a text column and a topic column",
        type=suffixes,
        accept_multiple_files=True,
        key=_uploader_key(),
        help="CSV, TSV, JSON lines or Parquet with a text column and, if you have them, topics, authors and ids. "
        "Or a zip with a folder per topic, or PAN's pairs.jsonl together with truth.jsonl.",
    )
    st.caption(keep.privacy())
    if not uploads:
        return
    uploads = latest(uploads)
    total, most = sum(upload.size for upload in uploads), limit("UPLOAD_SIZE")
    if total > most * 1024**2:  # each alone is bounded by Streamlit as it arrives
        _refuse_files(
            f"{total / 2**20:,.1f} MB together; the limit of this server is {most:,} MB. Load fewer files.", uploads
        )
    _use(content_key(*uploads), uploads)


def address_panel() -> None:
    """Fetch a file from the web or a store, and use it like an uploaded one; a shared server fetches nothing."""
    if hosted():
        st.caption("A shared server fetches no addresses. Download the file and upload it.")
        return
    address = st.text_input(
        "Address of a table",
        key="address",
        placeholder="https://example.org/corpus.csv or hf://datasets/name/train.parquet",
        help="https, hf (Hugging Face), s3 and other stores. This computer fetches the file.",
    ).strip()
    st.button("Fetch", icon=":material/download:", key="fetch", on_click=_fetch, args=(address,), disabled=not address)
    if not address or st.session_state.get("fetching") != address:
        return
    call = Call(fetch_file, (address,), {"most_bytes": limit("UPLOAD_SIZE") * 1024**2})
    file: File | None = jobs.result("fetched", address, call, name=f"Fetching {address}")
    if file is not None:
        _use(((address, hashlib.sha256(file.data).hexdigest()),), [file], prefix="address_")


def _fetch(address: str) -> None:
    """Fetch it, also where that has failed before."""
    jobs.drop("fetched", address)
    st.session_state["fetching"] = address


def _use(key: tuple[tuple[str, str], ...], files: list[Any], *, prefix: str = "") -> None:
    """Map the columns of a table, and use it as the current corpus; `prefix` tells the panels' controls apart."""
    found = _read("files", key, look_into, files, most=sizes())
    steps: tuple[CleaningStep, ...] = ()
    if isinstance(found, Table):
        roles = _map_columns(found, prefix)
        steps = _one_topic(found, roles, prefix)
    elif isinstance(found, Ready):
        st.success(f"{found.documents:,} documents in {found.topics:,} topics.", icon=":material/check:")
        roles = {}
    else:
        return
    choice = (key, tuple(roles.items()))
    st.button(
        "Use this corpus",
        type="primary",
        key=f"{prefix}use_corpus",
        on_click=st.session_state.update,
        args=({"taking": choice},),
    )
    if st.session_state.get("taking") == choice:
        _take(choice, roles, files, steps)


def latest(uploads: Sequence[UploadedFile]) -> list[UploadedFile]:
    """Return the files that make one corpus: a new file replaces those before it, unless they belong together.

    PAN's pairs and truth are two files, and so may be texts without a table.
    """
    last, name = uploads[-1], uploads[-1].name.lower()
    if name.endswith(".txt"):
        return [each for each in uploads if each.name.lower().endswith(".txt")]
    if any(word in name for word in PAN_FILES):
        other = [each for each in uploads[:-1] if any(word in each.name.lower() for word in PAN_FILES)]
        return [*other[-1:], last]
    return [last]


def _uploader_key() -> str:
    """Return the key of the file uploader; a new key clears its files."""
    number = st.session_state.get("uploader", 0)
    return "files" if number == 0 else f"files_{number}"


def _limits() -> Limits:
    """Return what the process that reads a file may use."""
    return Limits(memory=limit("READ_MEMORY") * 10**6, seconds=READ_SECONDS, strict=True)


def _read(
    kind: str, key: Hashable, reader: Callable[..., Any], uploads: list[Any], *given: Any, **settings: Any
) -> Any:
    """Return what the reader makes of the files; a refused file is dropped, and its refusal shown once."""
    problems: list[str] = []
    found = read_strictly(kind, key, reader, uploads, *given, complain=problems.append, **settings)
    if problems:
        jobs.drop(kind, key)
        _refuse_files(problems[0], uploads if kind == "files" else [])
    return found


def _refuse_files(problem: str, uploads: Sequence[Any]) -> None:
    """Say why at the next run, which begins without these files."""
    st.session_state["refused"] = problem
    st.session_state.pop("taking", None)
    st.session_state.pop("fetching", None)
    if uploads:
        _drop(uploads)
    st.rerun()


def _take(
    choice: Hashable, roles: Mapping[str, str | None], uploads: list[Any], steps: tuple[CleaningStep, ...]
) -> None:
    corpus = _read("uploads", choice, make_of, uploads, roles, keep=keep.folder(), most=sizes())
    if corpus is not None:
        for name in ("taking", "fetching"):
            st.session_state.pop(name, None)
        jobs.drop("uploads", choice)
        _drop(uploads)  # else the next file would join this one
        keep.use_current(corpus, steps)


def _drop(uploads: Sequence[Any]) -> None:
    """Let go of the files' bytes, which the server would hold as long as the session lives."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        for upload in filter(_is_upload, uploads):
            context.uploaded_file_mgr.remove_file(context.session_id, upload.file_id)
    st.session_state["uploader"] = st.session_state.get("uploader", 0) + 1


def _map_columns(table: Table, prefix: str) -> dict[str, str | None]:
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
        if guess not in options:
            guess = next((name for name in options if name not in table.roles.values()), options[0])
        picked = column.selectbox(
            ROLES[role],
            options,
            index=options.index(guess),
            key=f"{prefix}role_{role}",
            format_func=partial(_option, role),
        )
        chosen[role] = None if picked == NONE else picked
    preview = pd.DataFrame(table.preview, columns=list(table.columns))
    show.table(preview, height=240, alt="The first rows of the file", csv=None)
    return chosen


def _option(role: str, name: str) -> str:
    said = {"topic": "(none: find topics)", "label": "(the author)"}
    return said.get(role, name) if name == NONE else name


def _one_topic(table: Table, roles: Mapping[str, str | None], prefix: str) -> tuple[CleaningStep, ...]:
    """Return where the cells of the topic column hold several topics: which of them counts."""
    separator = table.lists.get(roles["topic"] or "")
    if separator is None:
        return ()
    choice = st.radio(
        "Documents have several topics. Which one counts?",
        list(TOPICS_OF_A_LIST),
        format_func=lambda name: TOPICS_OF_A_LIST[name][0].upper() + TOPICS_OF_A_LIST[name][1:],
        horizontal=True,
        key=f"{prefix}one_topic",
        help="Topics are held out whole, so each document needs exactly one. You can change this after loading.",
    )
    st.page_link(
        "pages/significance.py",
        label="Keep all topics: text categorization on the Significance page",
        icon=":material/arrow_forward:",
    )
    return (OneTopic(choice, separator),)


def forget_button() -> None:
    """Remove the current file, here and on disk."""
    st.button(
        "Forget my file",
        icon=":material/delete:",
        key="forget",
        on_click=_forget,
        help="Removes the file and its results from disk and memory, and stops its jobs. Another tab that shows it keeps it "
        "until you close that tab.",
    )


def _forget() -> None:
    keep.forget()
    given = st.session_state.get(_uploader_key())
    _drop(given if isinstance(given, list) else [])


def refusal() -> None:
    """Show once why the last file was not taken."""
    place = st.container()  # also where it is empty: what stands below would close when this comes and goes
    problem = st.session_state.pop("refused", None)
    if problem:
        with place:
            refuse(problem)


def vectors_panel(corpus: Corpus) -> None:
    """Take vectors that the user computed elsewhere for the uploaded corpus."""
    file = st.file_uploader(
        "Your own vectors (.npy, one row per document)", type=["npy"], key="vectors_file", help="Saved with numpy.save."
    )
    if file is None:
        return
    choice = (corpus.fingerprint, content_key(file))
    st.button(
        "Use these vectors", key="use_vectors", on_click=st.session_state.update, args=({"taking_vectors": choice},)
    )
    if st.session_state.get("taking_vectors") != choice:
        return
    problems: list[str] = []
    found = read_strictly("given vectors", choice, load_vectors, file, len(corpus), complain=problems.append)
    if found is not None or problems:
        del st.session_state["taking_vectors"]
        jobs.drop("given vectors", choice)
    if problems:
        _refuse_files(problems[0], [])
    if found is not None:
        keep.add_vectors(with_vectors(corpus, found))


def newsgroups_panel() -> None:
    """Offer scikit-learn's 20 Newsgroups with one click."""
    st.markdown(
        "**20 Newsgroups**: 18,846 postings to 20 discussion groups. Authors are hashed addresses; headers, footers and "
        "quotations are removed. The first load downloads 14 MB."
    )
    found = jobs.result(
        "newsgroups",
        "corpus",
        Call(load_newsgroups),
        name="Loading 20 Newsgroups",
        say=lambda done, total, label, left: f"{done / 1e6:.1f} of {total / 1e6:.1f} MB",
        question=jobs.Question("Load 20 Newsgroups", icon=":material/download:"),
        complain=lambda problem: refuse(problem, icon=":material/cloud_off:"),
        public=True,
    )
    if found is not None:
        st.session_state["newsgroups_corpus"] = make_public(found)
        st.rerun()
