"""What folds must keep to, and what becomes of topics left out: asked for in the same way wherever splits are made."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.splits import Wishes, possible_balance
from pages.shared.controls import IN_URL, whole_number
from pages.shared.links import own_key

MOST_ROWS = 8  # groups of topics to keep together, and pairs to keep apart


def choose_balance(place: DeltaGenerator, page: str, corpus: Corpus, k: int) -> float:
    """Return how much larger than the mean the largest fold may be."""
    help = "How much larger than the mean the largest fold may be. Less even folds can leak less."
    usual = possible_balance(corpus.topic_sizes, k)
    return _share(place, page, "balance", "Largest fold above the mean", usual, help)


def _share(place: DeltaGenerator, page: str, name: str, label: str, default: float, help: str | None = None) -> float:
    high, start, key = max(100, round(100 * default)), round(100 * default), own_key(page, name)
    return whole_number(place, label, 0, high, start, key=key, help=help, step=5, format="%d %%") / 100


def choose_wishes(place: DeltaGenerator, page: str, corpus: Corpus, balance: float) -> Wishes:
    """Return what else least-leakage folds must keep to."""
    seen = 0.0
    if corpus.author_names is not None:
        seen = _share(place, page, "seen", "Minimum share of test documents with their author in training", 0.0)
    together = _rows(place, page, "together", ("Topics to keep together", "More topics to keep together"), corpus)
    apart = _rows(place, page, "apart", ("Two topics to keep apart", "Two more topics to keep apart"), corpus, most=2)
    wishes = Wishes(balance, seen, together, tuple((one, two) for one, two in apart))
    st.session_state[own_key(page, "wishes")] = wishes  # for what is taken away
    return wishes


def _rows(
    place: DeltaGenerator, page: str, name: str, labels: tuple[str, str], corpus: Corpus, *, most: int | None = None
) -> tuple[tuple[str, ...], ...]:
    """Groups of at least two topics: where one is named, another can be."""
    found: list[tuple[str, ...]] = []
    keys = [own_key(page, each) for each in _row_names(name)]
    filled = {key for key in keys if st.session_state.get(key) or key in st.query_params}
    for row, key in enumerate(keys):
        if found and len(found[-1]) < 2 and not filled.intersection(keys[row:]):
            break
        label = labels[min(row, 1)]
        chosen = place.multiselect(label, corpus.topic_names, max_selections=most, key=key, bind=IN_URL)
        found.append(tuple(chosen))
    return tuple(names for names in found if len(names) > 1)


def _row_names(name: str) -> list[str]:
    return [name if row == 0 else f"{name}_{row + 1}" for row in range(MOST_ROWS)]


def split_address(wishes: Wishes) -> dict[str, str | list[str]]:
    """Return what the controls above have in a page's address for these wishes, by name."""
    shares = {"balance": wishes.balance, "seen": wishes.seen_authors}
    rows = {"together": wishes.together, "apart": wishes.apart}
    return {name: f"{round(100 * share)}" for name, share in shares.items() if share} | {
        key: list(names) for name, groups in rows.items() for key, names in zip(_row_names(name), groups, strict=False)
    }
