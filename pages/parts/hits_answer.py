"""What the HITS page says of a sample: the m suggested, and what another similarity would keep."""

import streamlit as st

from core.formats import first_few
from core.topics import SIMILARITIES, TopicPath, TopicSpace, Verdict, keep_sentence, pair_similarities
from pages.parts.hits import Choice
from pages.shared.show import escaped

MOST_NAMED = 8


def suggestion(verdict: Verdict) -> None:
    """The answer: the most topics without near twins, or why there is nothing to choose."""
    if verdict.level == "meaningless":
        st.info(keep_sentence(verdict), icon=":material/shuffle:")
    elif verdict.keep < 2 or verdict.keep_documents < verdict.documents / 2:
        st.warning(keep_sentence(verdict), icon=":material/warning:")
    else:
        st.success(keep_sentence(verdict), icon=":material/lightbulb:")


def other_similarity(space: TopicSpace, path: TopicPath, other: tuple[TopicSpace, TopicPath], choice: Choice) -> None:
    """The topics by which the sample would differ under the other similarity."""
    (kind, order), m = (other[0].kind, other[1].order[: min(choice.m, other[1].placed)]), choice.m
    instead = [space.names[topic] for topic in order if topic not in path.order[:m]]
    gone = [space.names[topic] for topic in path.order[:m] if topic not in order]
    name = f"With similarity *{SIMILARITIES[kind]}*"
    if not instead and not gone:
        st.caption(f":material/check: {name} the same {m} topics would be kept.")
        return
    st.caption(
        f":material/compare_arrows: {name} the sample would differ by {len(gone)} of {m} topics: "
        f"{_named(instead)} instead of {_named(gone)}."
    )


def _named(names: list[str]) -> str:
    return first_few([f"*{escaped(name)}*" for name in names], MOST_NAMED, between=" · ") or "nothing"


def negative_similarities(space: TopicSpace) -> None:
    """Where similarities are negative, the product in HITS misleads: say so."""
    values = pair_similarities(space.similarity)
    if (values < 0).any():
        st.caption(
            f":material/exposure_neg_1: {(values < 0).sum():,} of {len(values):,} pairs of topics have negative similarity "
            f"(lowest {values.min():.2f}). The product of two negatives is positive, so there HITS can prefer the more "
            "similar topic."
        )
