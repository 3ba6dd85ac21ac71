"""What the HITS page says of a sample: the m suggested, what is kept, its rank among random ones, the other similarity."""

import streamlit as st

from core.corpora import Corpus
from core.topics import SIMILARITIES, RandomBand, TopicPath, TopicSpace, Verdict, pair_similarities, sample_counts
from pages.parts.hits import Choice
from pages.shared import show
from pages.shared.show import escaped

MOST_NAMED = 8


def suggestion(verdict: Verdict) -> None:
    """The largest m without near twins, how sure it is, and what it keeps; nothing where there is nothing to choose."""
    if verdict.level == "meaningless":
        st.info(verdict.sentence, icon=":material/shuffle:")
        return
    sure = ""
    if verdict.keep_interval is not None:
        low, high = verdict.keep_interval
        sure = f" ({low} to {high} with other documents of these topics)"
    kept = f"it keeps {verdict.keep_documents:,} of {verdict.documents:,} documents"
    said = f"Suggested **m = {verdict.keep}**{sure}, the most topics without near twins: {kept}"
    if verdict.keep_documents < verdict.documents / 2:
        st.warning(f"{said}, less than half. *Grouping* keeps the others' documents.", icon=":material/warning:")
    else:
        st.caption(f":material/lightbulb: {said}.")


def counts(corpus: Corpus, band: RandomBand, choice: Choice) -> None:
    """What is kept and lost, and how alike the kept topics are beside random ones."""
    m, found = choice.m, sample_counts(corpus, choice.sample)
    cards = st.grid(5, min_column_width=140)
    show.card(cards, "Topics kept", f"{m}", f"of {len(corpus.topic_names)}")
    show.card(cards, "Documents kept", f"{found.documents:,}", f"{found.documents_lost:,} of {len(corpus):,} go")
    if found.authors is None:
        show.card(cards, "Authors kept", "–", "no authors known")
    else:
        show.card(cards, "Authors kept", f"{found.authors:,}", f"{found.authors_lost:,} lost")
    for what, quantiles in (("mean", band.mean), ("max", band.max)):
        value = choice.similarity[what]
        shown = "–" if value is None else f"{value:.3f}"
        below = "one topic, no pair" if value is None else f"random {quantiles[1, m - 1]:.3f}"
        show.card(cards, f"{what.capitalize()} similarity", shown, below)


def among_random(path: TopicPath, band: RandomBand, choice: Choice, *, meaningless: bool) -> None:
    """Where HITS stands among random samples of as many topics, in words."""
    m, samples = choice.m, band.samples
    if m < 2:
        return
    if m == path.placed:
        st.markdown(f"All {m} topics that can be placed are kept, as in every random sample of {m}.")
        return
    mean, maximum = (samples - int(ranks[m - 1]) for ranks in (band.mean_rank, band.max_rank))
    by_chance = " So it would be for any labels: HITS takes what chance has put apart." if meaningless else ""
    before = " before any are merged" if choice.merges else ""
    st.markdown(
        f"The {m} topics HITS takes{before}: mean similarity below **{mean:,} of {samples:,}** random samples of {m} "
        f"topics, maximum below **{maximum:,} of {samples:,}**.{by_chance}"
    )


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
        f"{_listed(instead) if instead else 'nothing'} instead of {_listed(gone) if gone else 'nothing'}."
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return " · ".join(f"*{escaped(name)}*" for name in names[:MOST_NAMED]) + more


def negative_similarities(space: TopicSpace) -> None:
    """Where similarities are negative, the product in HITS misleads: say so."""
    values = pair_similarities(space.similarity)
    if (values < 0).any():
        st.caption(
            f":material/exposure_neg_1: {(values < 0).sum():,} of {len(values):,} pairs of topics have negative similarity "
            f"(lowest {values.min():.2f}). The product of two negatives is positive, so there HITS can prefer the more "
            "similar topic."
        )
