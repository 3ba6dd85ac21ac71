"""The bundled corpus and the record of what was planted in it."""

import json
from pathlib import Path

import pandas as pd
import pytest

DATA = Path(__file__).parent.parent.parent / "data"


@pytest.fixture(scope="session")
def courier() -> pd.DataFrame:
    return pd.read_csv(DATA / "courier.csv", dtype=str, keep_default_na=False)


@pytest.fixture(scope="session")
def truth() -> dict:
    return json.loads((DATA / "ground_truth.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def language() -> dict:
    return json.loads((DATA / "language.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def family_of(truth: dict) -> dict[str, str]:
    return {topic: family for family, topics in truth["families"].items() for topic in topics}


@pytest.fixture(scope="session")
def pages(courier: pd.DataFrame) -> dict[str, list[str]]:
    """Author to texts."""
    return {author: list(texts) for author, texts in courier.groupby("author")["text"]}
