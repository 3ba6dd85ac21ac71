"""The user's own vectors: what is read, and what is refused with which reason."""

import io

import numpy as np
import pytest

from core.errors import InputError
from core.vectors import load_vectors


def saved(array: np.ndarray, **options) -> io.BytesIO:
    file = io.BytesIO()
    np.save(file, array, **options)
    file.seek(0)
    return file


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int8", ">f4"])
def test_vectors_are_read_from_paths_and_files(tmp_path, kind):
    table = (np.arange(12).reshape(4, 3) - 5).astype(kind)
    np.save(tmp_path / "v.npy", np.asfortranarray(table))
    for source in (tmp_path / "v.npy", str(tmp_path / "v.npy"), saved(table)):
        read = load_vectors(source, 4)
        assert read.dtype == np.float32 and np.array_equal(read, table.astype(np.float32))


def test_unusable_vectors_are_refused_with_the_reason(tmp_path):
    good = np.ones((4, 3), dtype=np.float32)
    holed = good.copy()
    holed[2, 1] = np.nan
    cases = [
        (saved(good), 5, "4 vectors for 5 documents"),
        (saved(good[0]), 4, r"shape \(3,\)"),
        (saved(good[:, :0]), 4, "0 dimensions"),
        (saved(np.array([[{}]] * 4, dtype=object), allow_pickle=True), 4, "type object"),
        (saved(np.array([["a"]] * 4)), 4, "save plain numbers"),
        (saved(holed), 4, "row 3 holds"),
        (saved(np.full((4, 3), 1e300)), 4, "row 1 holds"),
        (io.BytesIO(b"text,topic\n"), 4, "not a .npy file"),
        (io.BytesIO(b""), 4, "not a .npy file"),
        (io.BytesIO(saved(good).getvalue()[:-5]), 4, "cut or damaged"),
        (io.BytesIO(saved(good).getvalue() + b"more"), 4, "cut or damaged"),
        (tmp_path / "absent.npy", 4, "No such file"),
    ]
    for source, documents, reason in cases:
        with pytest.raises(InputError, match=reason):
            load_vectors(source, documents)


def test_a_false_header_is_refused_before_memory_is_reserved():
    broken = saved(np.ones((4, 3), dtype=np.float32)).getvalue().replace(b"(4, 3)", b"(4, 3,")
    with pytest.raises(InputError, match=r"not a \.npy file"):
        load_vectors(io.BytesIO(broken), 4)
    huge = io.BytesIO()
    np.lib.format.write_array_header_1_0(huge, {"descr": "<f8", "fortran_order": False, "shape": (400_000, 8_000)})
    huge.seek(0)
    with pytest.raises(InputError, match=r"23\.8 GiB; the limit is 2 GiB"):
        load_vectors(huge, 400_000)
