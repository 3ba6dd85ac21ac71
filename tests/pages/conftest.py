"""What all tests of pages share: maps by PCA."""

from collections.abc import Iterator

import pytest

from core.topics import layout


@pytest.fixture(scope="session", autouse=True)
def maps_by_pca() -> Iterator[None]:
    """Draw every map by PCA: UMAP compiles for half a minute in every process, and tests/core/topics draws by it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "FEWEST_FOR_UMAP", 10**9)
        yield
