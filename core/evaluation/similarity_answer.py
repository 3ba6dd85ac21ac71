"""Does similarity buy accuracy? The answer in a sentence or two, and the cautions that belong to it."""

from collections.abc import Mapping, Sequence
from math import isnan

from ..formats import listed
from ..statistics import AdjustedSlope, Relation, WeightedSummary

LEVEL = 0.05
FEW_TOPICS = 10  # below this only a very close relation can show
NO_LABELS = (
    "It cannot be told: the labels do not separate these texts, so that topics are as alike as groups drawn at random, and "
    "similarity stands for nothing."
)
NOTHING_VARIES = (
    "It cannot be told: too few test topics have both a score and a similarity, or all of them have the same."
)


def similarity_answer(
    models: Mapping[str, str],
    found: Mapping[str, Relation],
    slopes: Mapping[str, AdjustedSlope],
    adjusted: Mapping[str, float],
    *,
    metric: str,
    meaningful: bool = True,
) -> str:
    """Who scores higher the more alike the nearest training topic is: by ranks at .05 after Holm's correction, and sure
    only where the slope without authors is above 0 as well. Where labels are not `meaningful` nothing is claimed."""
    known = [name for name in models if not isnan(found[name].rho)]
    if not meaningful:
        return NO_LABELS
    if not known:
        return NOTHING_VARIES
    told = [name for name in known if adjusted[name] <= LEVEL]
    rising = [name for name in told if found[name].rho > 0]
    sure = [name for name in rising if slopes[name].low > 0]  # NaN is not
    unsure = [name for name in rising if name not in sure]
    falling = [name for name in told if name not in rising]
    if not told:
        return (
            f"It does not show: over {max(found[name].n for name in known):,} test topics no model's {metric} clearly goes with "
            f"the similarity of the nearest training topic (least p {min(adjusted[name] for name in known):.3f}). "
            "That is no proof that there is nothing."
        )
    said = []
    if sure:
        said.append(
            f"Yes, for {_named(sure, models, found)}: {metric} rises with the similarity of the nearest training topic, "
            "also once authors are taken out."
        )
    if unsure:
        said.append(
            f"{'Perhaps also' if sure else 'Perhaps'}, for {_named(unsure, models, found)}: {metric} rises with the "
            "similarity of the nearest training topic, but once authors are taken out that is not sure."
        )
    if falling:
        said.append(
            f"{metric} of {_named(falling, models, found)} falls with that similarity, which leakage does not explain."
        )
    if rest := [models[name] for name in known if name not in told]:
        said.append(f"For {listed(rest)} it does not show.")
    return " ".join(said)


def similarity_cautions(
    models: Mapping[str, str], summary: Mapping[str, WeightedSummary], nearest: Sequence[float], *, chance: float
) -> list[str]:
    """What weakens the answer: few test topics, similarities that hardly differ, models that do no better than chance."""
    known = [round(value, 6) for value in nearest if not isnan(value)]
    same = max(known, key=known.count, default=0.0)
    ties = known.count(same)
    said = []
    if 3 <= len(known) < FEW_TOPICS:
        said.append(f"With {len(known)} test topics only a very close relation could show.")
    if len(known) >= 3 and ties > len(known) / 2:
        said.append(
            f"For {ties:,} of {len(known):,} test topics the nearest training topic is equally similar ({same:.2f}): what is "
            f"said of similarity rests on the other {len(known) - ties:,}."
        )
    if low := [label for name, label in models.items() if summary[name].mean <= chance]:
        said.append(
            f"{listed(low)} {'does' if len(low) == 1 else 'do'} no better than one who does not read ({chance:.2f}): "
            "there is hardly any accuracy to be bought."
        )
    return said


def _named(names: Sequence[str], models: Mapping[str, str], found: Mapping[str, Relation]) -> str:
    return listed([f"{models[name]} (ρ {found[name].rho:+.2f})" for name in names])
