"""The kinds of ways to split: all topics dealt at random, the topics of every sampler, and least-leakage folds."""

from dataclasses import dataclass

from ..errors import unknown
from ..topics import POLICIES, SAMPLERS, unlike_samplers

MERGED = "hits"  # the sampler whose topics left out are merged as well, as its paper does (HITS §7.2)


@dataclass(frozen=True, slots=True)
class SplitKind:
    """One kind of split: its `label` before the m, balance or seed of a split, its name in a chart's `key`, and how `methods`
    of a paper say that it was made. Samples have a `sampler` of SAMPLERS, a `policy` of POLICIES for the topics it leaves
    out, and the `reference` of the sampler."""

    label: str
    key: str
    methods: str
    sampler: str | None = None
    policy: str = "cutting"
    reference: str = ""

    @property
    def chooses(self) -> bool:
        """Whether it keeps some topics as they are, and drops the others."""
        return self.sampler is not None and POLICIES[self.policy].joins is None


def split_kinds() -> dict[str, SplitKind]:
    """Every kind by its name: deals of all topics, every sampler that draws nothing, HITS with every policy that merges, and
    least-leakage folds. Made anew on every call, so that a sampler that was added is there."""
    return {
        "random": SplitKind(
            "All topics, dealt at random",
            "random deals",
            "Topics were dealt into {k} folds at random (seed {seed}).",
        ),
        **{name: _sampled(name, "cutting") for name in unlike_samplers()},
        **{name: _sampled(MERGED, name) for name, policy in POLICIES.items() if policy.joins is not None},
        "least-leakage": SplitKind(
            "Least-leakage folds",
            "Least leakage",
            "Topics were assigned to {k} folds so that the highest similarity of a training and a test topic is as low as "
            "possible while {conditions}",
        ),
    }


def split_kind(name: str) -> SplitKind:
    """The kind of that name."""
    kinds = split_kinds()
    if name not in kinds:
        raise unknown("kind of split", name, kinds)
    return kinds[name]


def _sampled(sampler: str, policy: str) -> SplitKind:
    """The topics of a sampler, and what becomes of the others."""
    chosen, others = SAMPLERS[sampler], POLICIES[policy]
    label = chosen.label[:1].upper() + chosen.label[1:]
    about = chosen.about[:1].lower() + chosen.about[1:].rstrip(".")
    methods = chosen.methods or f"{{m}} topics were chosen ({chosen.label}: {about})"
    return SplitKind(
        f"{label}, {others.fate or policy}" if others.joins is not None else label,
        f"{label}, {policy}" if others.joins is not None else label,
        methods + others.methods + " dealt into {k} folds at random (seed {seed}).",
        sampler,
        policy,
        chosen.reference,
    )
