"""What folds must keep to, and what becomes of topics left out: asked for alike wherever splits are made."""

from streamlit.delta_generator import DeltaGenerator

from core.corpora import Corpus
from core.splits import Wishes
from core.topics import POLICIES
from pages.shared.controls import IN_URL
from pages.shared.links import own_key


def choose_balance(place: DeltaGenerator, page: str) -> float:
    """How much larger than the mean the largest fold may be."""
    percent = place.slider(
        "Largest fold above the mean",
        0,
        100,
        round(100 * Wishes().balance),
        5,
        format="%d %%",
        key=own_key(page, "balance"),
        bind=IN_URL,
        help="How much larger than the mean the largest fold may be: more room leaks less.",
    )
    return float(percent) / 100


def choose_wishes(place: DeltaGenerator, page: str, corpus: Corpus, balance: float) -> Wishes:
    """What else least-leakage folds must keep to."""
    seen = 0
    if corpus.author_names is not None:
        seen = place.slider(
            "Test documents whose author is in training, at least",
            0,
            100,
            0,
            5,
            format="%d %%",
            key=own_key(page, "seen"),
            bind=IN_URL,
        )
    names, topics = own_key(page, "together"), corpus.topic_names
    together = place.multiselect("Topics to keep together", topics, key=names, bind=IN_URL)
    names = own_key(page, "apart")
    apart = place.multiselect("Two topics to keep apart", topics, max_selections=2, key=names, bind=IN_URL)
    return Wishes(
        balance,
        seen / 100,
        (tuple(together),) if len(together) > 1 else (),
        ((apart[0], apart[1]),) if len(apart) == 2 else (),
    )


def choose_left_out(place: DeltaGenerator, page: str) -> tuple[str, float]:
    """What becomes of the topics that a sample leaves out, and how alike one must be to a kept one to be merged into it."""
    policy = place.segmented_control(
        "Topics left out",
        list(POLICIES),
        default="cutting",
        required=True,
        key=own_key(page, "policy"),
        bind=IN_URL,
        help="\n".join(f"- **{name}**: {each.about}" for name, each in POLICIES.items()),
    )
    if not POLICIES[policy].takes_threshold:
        return policy, 0.0
    key = own_key(page, "threshold")
    return policy, place.slider("Alike enough from", 0.0, 1.0, 0.6, 0.01, key=key, bind=IN_URL)


def split_choices(page: str, wishes: Wishes) -> dict[str, object]:
    """The values of the controls above on a page for these wishes."""
    return {
        f"{page}_balance": round(100 * wishes.balance),
        f"{page}_seen": round(100 * wishes.seen_authors),
        f"{page}_together": list(wishes.together[0]) if wishes.together else [],
        f"{page}_apart": list(wishes.apart[0]) if wishes.apart else [],
    }
