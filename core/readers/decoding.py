"""Bytes to text: UTF-8 first, then the encodings that can be told apart with confidence."""

import re
from itertools import islice

from core.errors import InputError

_REMEDY = "save the file as UTF-8"
_MOST_MESS = 0.1  # charset-normalizer's share of improbable characters
_NEIGHBOURHOODS = 300  # places looked at when guessing; more change no answer


def decoded(data: bytes, name: str) -> tuple[str, str]:
    """The text of a file and the name of the encoding it was in."""
    if data.startswith(b"\xef\xbb\xbf"):
        text, encoding = _strict(data[3:], "utf-8", name), "UTF-8 with BOM"
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text, encoding = _strict(data, "utf-16", name), "UTF-16"
    else:
        _refuse_nul(data.find(b"\0"), data, name)
        try:
            text, encoding = data.decode("utf-8"), "UTF-8"
        except UnicodeDecodeError as error:
            _refuse_broken_utf8(data, error.start, name)
            encoding = western_encoding(data, name)
            text = _western(data, encoding)
    nul = text.find("\0")
    if nul >= 0:
        _refuse_nul(len(text[:nul].encode("utf-8", "replace")), text.encode("utf-8", "replace"), name)
    return text, encoding


def western_encoding(data: bytes, name: str) -> str:
    """'Windows-1252' or 'Latin-1' where the bytes make plausible text as such; refused otherwise.

    Other one-byte encodings are not guessed: on short texts a wrong guess looks as good as a right one.
    """
    from charset_normalizer import from_bytes

    places = [match.start() for match in islice(re.finditer(rb"[\x80-\xff]+", data), _NEIGHBOURHOODS)]
    sample = b"\n".join(data[max(0, place - 80) : place + 80] for place in places)
    best = from_bytes(sample, threshold=_MOST_MESS, cp_isolation=["cp1252", "latin_1"]).best()
    if best is None:
        raise InputError(
            f"{name}: line {_line(data, places[0])} is neither UTF-8 nor Windows-1252, "
            f"and any other guess could be wrong; {_REMEDY}."
        )
    # Five bytes mean nothing in Windows-1252; Latin-1 gives every byte a meaning.
    return "Latin-1" if re.search(rb"[\x81\x8d\x8f\x90\x9d]", data) else "Windows-1252"


def decoded_together(pieces: list[bytes], name: str) -> tuple[list[str], str]:
    """The texts of many small files, which share one encoding: alone each is too short to tell."""
    texts: list[str | None] = []
    for data in pieces:
        try:
            texts.append(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8"))
        except UnicodeDecodeError:
            texts.append(None)
    others = [data for data, text in zip(pieces, texts, strict=True) if text is None]
    if not others:
        return [text for text in texts if text is not None], "UTF-8"
    encoding = western_encoding(b"\n".join(others), name)
    whole = [_western(data, encoding) if text is None else text for data, text in zip(pieces, texts, strict=True)]
    return whole, encoding


def _western(data: bytes, encoding: str) -> str:
    return data.decode("cp1252" if encoding == "Windows-1252" else "latin-1")


def _strict(data: bytes, codec: str, name: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}: line {_line(data, error.start)} is damaged: byte {error.start + 1:,} does not fit the "
            f"file's own mark of {codec.upper()}; {_REMEDY}."
        ) from error


def _refuse_nul(place: int, data: bytes, name: str) -> None:
    if place >= 0:
        raise InputError(
            f"{name}: line {_line(data, place)} holds a NUL byte, which no text does; "
            f"if the file is UTF-16 without a mark, {_REMEDY}."
        )


def _refuse_broken_utf8(data: bytes, place: int, name: str) -> None:
    readable = data.decode("utf-8", "ignore")
    good = len(readable) - len(readable.encode("ascii", "ignore"))
    bad = data.decode("utf-8", "replace").count("\ufffd")
    if good >= bad:
        raise InputError(
            f"{name}: line {_line(data, place)} holds a byte that is not UTF-8, though the rest of the file is; "
            f"mend that line, or {_REMEDY} again."
        )


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1
