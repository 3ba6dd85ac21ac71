"""What Folds & accuracy says first: whether similarity buys accuracy, for which models, and how sure that is."""

from collections.abc import Mapping, Sequence
from math import isnan

import streamlit as st

from core.statistics import AdjustedSlope, Relation
from pages.shared.baselines import number
from pages.shared.show import escaped

LEVEL = 0.05
NO_LABELS = (
    "It cannot be told: the labels do not separate these texts, so that topics are as alike as groups drawn at random, and "
    "similarity stands for nothing."
)
NOTHING_VARIES = (
    "It cannot be told: too few test topics have both a score and a similarity, or all of them have the same."
)


def headline(
    models: Mapping[str, str],
    found: Mapping[str, Relation],
    slopes: Mapping[str, AdjustedSlope],
    adjusted: Mapping[str, float],
    *,
    metric: str,
    nearest: Sequence[float],
    meaningful: bool,
) -> None:
    """The page's answer in a sentence or two, and a caution where `nearest` similarities hardly differ."""
    with st.container(border=True):
        if not meaningful:
            st.subheader(NO_LABELS, anchor=False)
        else:
            st.subheader(answer(models, found, slopes, adjusted, metric=metric), anchor=False)
            if caution := ties(nearest):
                st.markdown(f":orange[:material/priority_high:] {caution}")


def answer(
    models: Mapping[str, str],
    found: Mapping[str, Relation],
    slopes: Mapping[str, AdjustedSlope],
    adjusted: Mapping[str, float],
    *,
    metric: str,
) -> str:
    """Who scores higher the more alike the nearest training topic is: by ranks at .05 after Holm's correction, and sure
    only where the slope without authors is above 0 as well."""
    known = [name for name in models if not isnan(found[name].rho)]
    if not known:
        return NOTHING_VARIES
    told = [name for name in known if adjusted[name] <= LEVEL]
    rising = [name for name in told if found[name].rho > 0]
    sure = [name for name in rising if slopes[name].low > 0]  # NaN is not
    unsure = [name for name in rising if name not in sure]
    falling = [name for name in told if name not in rising]
    topics = max(found[name].n for name in known)
    said = []
    if sure:
        said.append(
            f"Yes, for {_named(sure, models, found)}: {escaped(metric)} rises with the similarity of the nearest training "
            "topic, also once authors are taken out."
        )
    if unsure:
        lead = "Perhaps" if not sure else "Perhaps also"
        said.append(
            f"{lead}, for {_named(unsure, models, found)}: {escaped(metric)} rises with the similarity of the nearest "
            "training topic, but once authors are taken out that is not sure."
        )
    if falling:
        said.append(
            f"{escaped(metric)} of {_named(falling, models, found)} falls with that similarity, which leakage does not explain."
        )
    if not said:
        least = min(adjusted[name] for name in known)
        return (
            f"It does not show: over {topics} test topics no model's {escaped(metric)} clearly goes with the similarity of the "
            f"nearest training topic (least p {number(least)}). That is no proof that there is nothing."
        )
    rest = [models[name] for name in known if name not in told]
    if rest:
        said.append(f"For {listed([escaped(name) for name in rest])} it does not show.")
    return " ".join(said)


def ties(nearest: Sequence[float]) -> str:
    """Where most test topics have the same nearest similarity (1, where it is cut, as a rule), that the rest decide."""
    known = [round(value, 6) for value in nearest if not isnan(value)]
    same = max(known, key=known.count, default=0.0)
    count = known.count(same)
    if len(known) < 3 or count <= len(known) / 2:
        return ""
    return (
        f"For {count} of {len(known)} test topics the nearest training topic is equally similar ({same:.2f}): what is said of "
        f"similarity rests on the other {len(known) - count}."
    )


def _named(names: Sequence[str], models: Mapping[str, str], found: Mapping[str, Relation]) -> str:
    return listed([f"{escaped(models[name])} (ρ {number(found[name].rho, '+.2f')})" for name in names])


def listed(names: Sequence[str]) -> str:
    """Such as "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
