"""Which split should I use?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .. import __version__
from ..arrays import Ints, record
from ..corpora import Corpus
from ..errors import SettingError
from ..formats import ABSENT, defined, listed, number, percent, told_apart
from ..plots import design as plots
from ..render import Answer, Caution, Drawing, Fact, Level, Rows
from ..splits import (
    Constraints,
    Design,
    Option,
    option_folds,
    option_label,
    policy_threshold,
    possible_balance,
    random_is_clear,
    recommended,
    split_kind,
)
from ..study import Study
from ..topics import MIXED, MOST_IN_MATRIX, SAMPLERS, TopicSpace
from ..vectors import vectors_label
from . import verdict as verdict_question
from .cost import LeakageCost, cost_of, sentence
from .notes import sentences_of
from .runs import Constrained, largest_fold, seen_authors, topics_apart, topics_together
from .settings import Settings as Base
from .settings import choice as one_of
from .settings import integer, seed
from .wording import works

NAME, LABEL, QUESTION = "design", "Design a split", "Which split should I use?"
HELP = "Compare every way to split by topic and recommend one."
METHODS = (
    "Every way to split is measured the same way: as a partition of topics into folds, by the similarity of every training and test "
    "topic. Least-leakage folds minimise the highest such similarity by integer programming. Random folds are recommended only where "
    "no two topics are near twins and leakage is shown to cost less than 5 points of accuracy."
)
DETECTABLE = "The true difference between two models that is found with 80% power, in standard deviations of their difference over topics."


def _topics(study: Study, _: Mapping[str, Any]) -> dict[str, str]:
    return {name: name for name in study.corpus.topic_names}


def splits_by_label(design: Design) -> dict[str, Option]:
    """Return every split by its label."""
    return {option_label(option): option for option in design.options}


def _splits(study: Study, chosen: Mapping[str, Any]) -> dict[str, str]:
    constraints = Constraints(*(chosen[name] for name in ("balance", "seen", "together", "apart")))
    return {
        label: label
        for label in splits_by_label(study.designed(k=chosen["k"], constraints=constraints, seed=chosen["seed"]))
    }


@dataclass(frozen=True)
class Settings(Constrained, Base):
    """How many folds, and what they must keep to."""

    k: int = integer(
        "Number of folds (k)",
        low=2,
        high=lambda study, _: max(2, min(20, int(study.space.comparable.sum()))),
        default=6,
        help="Folds of the split.",
    )
    seed: int = seed("Seed of the random splits.")
    balance: float = largest_fold(lambda study, chosen: possible_balance(study.corpus.topic_sizes, chosen["k"]))
    seen: float = seen_authors()
    together: tuple[tuple[str, ...], ...] = topics_together(_topics)
    apart: tuple[tuple[str, str], ...] = topics_apart(_topics)
    choice: str | None = one_of(
        "Your choice",
        _splits,
        default=None,
        option="",
        noun="split",
        show=lambda label: label or "the recommended split",
        help="Or click a point in the chart.",
    )


@record
class Designed:
    """What the answer is about."""

    design: Design
    best: Option  # the recommended one
    chosen: Option
    constraints: Constraints
    meaningful: bool
    cost: LeakageCost | None = None  # what leakage costs, where a random split could be recommended
    mixed: bool = False  # documents have many of their nearest neighbours in other topics

    @property
    def named(self) -> bool:
        """Return whether a split is recommended at all, and not only the least bad one shown."""
        return self.meaningful and self.best.clear

    @property
    def passed_over(self) -> bool:
        """Return whether random folds have no near twins, but are not shown to cost little."""
        return self.cost is not None and not self.cost.small


def answer(study: Study, settings: Settings) -> Answer:
    """Answer which split to use."""
    check(study)
    constraints = settings.constraints
    design = study.designed(k=settings.k, constraints=constraints, seed=settings.seed)
    meaningful = study.labels.meaningful
    # A random split is advised by its effect; where it has near twins anyway, nothing needs to be measured.
    cost = cost_of(study) if meaningful and random_is_clear(design) else None
    best = recommended(design, meaningful=meaningful, cost_small=cost is not None and cost.small)
    chosen = best if settings.choice is None else splits_by_label(design)[settings.choice]
    found = Designed(design, best, chosen, constraints, meaningful, cost, study.mixing >= MIXED)
    clear_pairs = study.judged(2).clear_pairs
    return Answer(
        NAME,
        QUESTION,
        level_of(found),
        headline(found),
        reasons(found),
        cautions(found, clear_pairs),
        _facts(found),
        (
            Drawing(
                "options",
                "Every split: documents kept and highest train–test similarity",
                lambda: plots.options(design, chosen, kind=study.similarity, meaningful=meaningful),
                lead=True,
            ),
        ),
        (
            _kinds_table(design),
            _folds_table(study, found),
            _options_table(design),
            *verdict_question.excluded_table(study.space),
        ),
        lambda: _data(study, settings, found),
        settings.rows(study),
        METHODS,
        works(),
        (),
        found,
        hero=_hero(found),
    )


def check(study: Study) -> None:
    """Refuse a corpus that has no topics to split between, or too many."""
    topics = len(study.corpus.topic_names)
    if topics > MOST_IN_MATRIX:
        raise SettingError(
            f"Comparing splits supports up to {MOST_IN_MATRIX:,} topics; this corpus has {topics:,}. Raise the minimum documents per "
            "topic."
        )
    if study.space.comparable.sum() < 2:
        raise SettingError("Fewer than two topics have enough documents to compare. Add documents to them.")


def level_of(found: Designed) -> Level:
    """Return "good" for a clean split, "warning" where there is none, "unknown" where the labels separate nothing."""
    if not found.meaningful:
        return "unknown"
    return "good" if found.best.clear and not found.mixed else "warning"


def headline(found: Designed) -> str:
    """Say which split to use."""
    design, best = found.design, found.best
    if not found.meaningful:
        return "The labels do not separate these texts, so no split is better than another."
    if np.isnan(design.least_leakage.max):
        return "Too little is known about these topics to prefer one split."
    if not best.clear:
        if _unclear(design):
            return "Too few documents to find a clean split: some topics may be one topic with two labels."
        return f"No split into {design.k} folds keeps near twins on one side."
    highest = told_apart(best.max, design.threshold)[0]
    if best.kind == "random":
        small = "" if found.cost is None else f" {sentence(found.cost)}"
        return f"Use random topic folds: no two topics are near twins.{small}"
    if split_kind(best.kind).chooses:
        sampler = SAMPLERS[split_kind(best.kind).sampler or best.kind].label
        return f"Keep the {best.m} topics {sampler} selects. They hold {best.documents:,} of {design.documents:,} documents and no near twins."
    if best is design.least_leakage:
        worst = max((option.max for option in design.of("random")), default=float("nan"))
        return (
            f"Use least-leakage folds. They keep all {design.documents:,} documents, and the highest train–test similarity is "
            f"{highest} (random folds: {worst:.2f})."
        )
    return (
        f"Use uneven least-leakage folds (up to {percent(best.balance or 0)} above the mean). They keep all documents; the highest "
        f"train–test similarity is {highest}."
    )


def _unclear(design: Design) -> bool:
    """Return whether a split may be clean and the documents cannot tell."""
    valid = [option for option in design.options if option.meets_constraints]
    measured = [option for option in valid if option.near_twins == 0 and split_kind(option.kind).chooses]
    return bool(measured) or design.least_leakage.near_twins == 0


def reasons(found: Designed) -> tuple[str, ...]:
    """Say what the recommendation follows from."""
    design, best = found.design, found.best
    if not found.meaningful or np.isnan(design.least_leakage.max):
        return ()
    highest, threshold = told_apart(best.max, design.threshold)
    if not best.clear:
        return _reasons_unclear(design)
    said = [f"Near twins begin at a similarity of {threshold}."]
    if best.kind == "random":
        drawn = design.of("random")
        worst, threshold = told_apart(max(option.max for option in drawn), design.threshold)
        said = [f"The highest similarity in {len(drawn)} random splits is {worst}; near twins begin at {threshold}."]
        if best is not drawn[0]:
            said.append(f"Use seed {best.seed}, the first random split that meets your conditions.")
    elif found.passed_over:
        assert found.cost is not None
        said = [
            "Random folds have no near twins either, but they are advised only where leakage is shown to cost little."
        ]
        said.append(sentence(found.cost))
    elif best is not design.least_leakage:
        said = [f"The highest similarity is {highest}; near twins begin at {threshold}.", _why_not_whole(design)]
    elif design.of("random") and not any(option.meets_constraints for option in design.of("random")):
        said.append("No random split meets your conditions.")
    return tuple(said)


def _why_not_whole(design: Design) -> str:
    best = design.least_leakage
    whole = f"Keeping every document in folds at most {percent(design.balance)} above the mean size"
    if best.near_twins:
        return f"{whole} would separate near twins (best possible: {best.max:.2f})."
    return f"{whole} would separate {_pairs(best.perhaps_one)} that may be one topic with two labels."


def _reasons_unclear(design: Design) -> tuple[str, ...]:
    best = design.least_leakage
    highest, threshold = told_apart(best.max, design.threshold)
    reach = (
        f"Least-leakage folds come closest: their highest similarity is {highest} (near twins begin at {threshold})."
    )
    valid = [option for option in design.options if option.meets_constraints]
    if _unclear(design):
        pairs = f"{_pairs(best.perhaps_one).capitalize()} in different folds may be one topic with two labels."
        return reach, *([pairs] if best.perhaps_one else []), "More documents per topic would settle it."
    said = [reach]
    if len(valid) < len(design.options) and any(option.clear for option in design.options):
        said.append("Without your conditions there is a clean split.")
    if design.k > 2:
        said.append("Fewer folds may help.")
    return tuple(said)


def cautions(found: Designed, clear_pairs: int) -> tuple[Caution, ...]:
    """Say what the recommended split leaves open or costs, and where the chosen one breaks the conditions."""
    design, best = found.design, found.best
    if not found.meaningful:
        return ()
    codes: list[tuple[str, str]] = []
    if best.clear and best.perhaps_twins:
        pairs = _pairs(best.perhaps_twins)
        which = f"{pairs} in different folds" if best.kind == "least-leakage" else f"among the topics kept, {pairs}"
        codes.append(("possible-twins", f"{which[0].upper()}{which[1:]} could still be near twins."))
    if found.mixed:
        codes.append(
            (
                "mixed-topics",
                "Documents have many of their nearest neighbours in other topics, so every split by topic leaks to some extent.",
            )
        )
    drawn = design.of("random")
    usual = float(np.mean([each.seen_authors for each in drawn])) if drawn else float("nan")
    if best.kind != "random" and best.seen_authors < usual - 0.05:
        codes.append(
            (
                "fewer-known-authors",
                f"{percent(best.seen_authors)} of test documents have their author in training ({percent(usual)} in random splits).",
            )
        )
    if best.clear and clear_pairs == 0 and best.kind != "random":
        codes.append(
            (
                "no-clear-twins",
                "No pair of topics is clearly a near twin. With more documents, a cheaper split may do as well.",
            )
        )
    codes += [("folds-note", note) for note in sentences_of(design.notes)]
    if not found.chosen.meets_constraints:
        codes.append(("conditions-unmet", "The chosen split does not meet your conditions; least-leakage folds do."))
    return tuple(Caution(*each) for each in codes)


def _hero(found: Designed) -> Fact | None:
    """Return the similarity that the recommended split leaves, beside that of random folds."""
    random = [option.max for option in found.design.of("random") if not np.isnan(option.max)]
    if not found.meaningful or np.isnan(found.best.max):
        return None
    beside = f"random folds: {max(random):.2f}" if random else ""
    return Fact(
        "Highest similarity",
        number(found.best.max, ".2f"),
        beside,
        "The highest similarity of a training and a test topic.",
    )


def _facts(found: Designed) -> tuple[Fact, ...]:
    design, chosen = found.design, found.chosen
    twins = f"near twins from {design.threshold:.2f}" if found.meaningful else "the labels separate nothing"
    authors = "no authors" if chosen.authors is None else f"{chosen.authors:,} authors kept"
    return (
        Fact("Documents kept", f"{chosen.documents:,}", f"of {design.documents:,}"),
        Fact(
            "Highest similarity",
            number(chosen.max, ".2f"),
            twins,
            "The highest similarity of a training and a test topic.",
        ),
        Fact(
            "Mean nearest",
            number(chosen.nearest_mean, ".2f"),
            "per test topic",
            "Similarity of a test topic's nearest training topic.",
        ),
        Fact(
            "New authors", percent(1 - chosen.seen_authors), authors, "Test documents whose author is not in training."
        ),
        Fact("Smallest fold", f"{chosen.smallest_fold:,}", "documents"),
        Fact(
            "Detectable difference",
            ABSENT if np.isnan(chosen.detectable) else f"{chosen.detectable:.2f} SD",
            f"with {chosen.topics:,} topics",
            DETECTABLE,
        ),
    )


def _kinds_table(design: Design) -> Rows:
    return Rows(
        "split_kinds",
        "One split of each kind",
        lambda: _frame(list(design.of_each_kind.values()), brief=True),
        "Highest, mean and nearest: similarity of training and test topics; for samples, the highest in any random split. Pairs: "
        "separated pairs that are near twins, may be, or may be one topic.",
        2,
        {"authors seen": ".0%"},
        lead=True,
    )


def _options_table(design: Design) -> Rows:
    return Rows(
        "split_options",
        "All options",
        lambda: _frame(list(design.options), brief=False),
        formats={"authors seen": ".0%"},
    )


def _frame(options: list[Option], *, brief: bool) -> pd.DataFrame:
    columns: dict[str, Any] = {
        "split": [option_label(each) for each in options],
        "documents": [each.documents for each in options],
        "topics": [each.topics for each in options],
        "highest": [each.max for each in options],
        "near twins": [each.near_twins for each in options],
        "possible twins": [each.perhaps_twins for each in options],
        "possibly one topic": [each.perhaps_one for each in options],
        "mean": [each.mean for each in options],
        "nearest, mean": [each.nearest_mean for each in options],
        "authors seen": [each.seen_authors for each in options],
    }
    if not brief:
        columns |= {
            "authors": [each.authors for each in options],
            "smallest fold": [each.smallest_fold for each in options],
            "detectable difference (SD)": [each.detectable for each in options],
            "proven optimal": ["yes" if each.proven else "" for each in options],
            "meets conditions": ["yes" if each.meets_constraints else "no" for each in options],
        }
    return pd.DataFrame(columns)


def folds_of(study: Study, found: Designed) -> Ints:
    """Return each topic's fold under the chosen split."""
    return study.once(
        "option folds",
        found.chosen,
        found.design.k,
        found.constraints,
        compute=lambda: option_folds(
            study.corpus, study.space, found.chosen, k=found.design.k, constraints=found.constraints
        ),
    )


def paragraph(study: Study, found: Designed) -> str:
    """Return what a methods section may say of the chosen split."""
    encoder = vectors_label(study.vectors)
    return methods_paragraph(
        study.corpus, study.space, found.chosen, k=found.design.k, encoder=encoder, constraints=found.constraints
    )


def methods_paragraph(
    corpus: Corpus, space: TopicSpace, option: Option, *, k: int, encoder: str, constraints: Constraints | None = None
) -> str:
    """Return a paragraph on the split for a methods section; only least-leakage folds have constraints."""
    kept = f"{option.documents:,} of {len(corpus):,} documents on {option.topics} of {len(space)} topics"
    similarity = {
        "corrected": "the mean cosine of documents of two topics relative to that within each topic (vectors: {}). It does not depend "
        "on topic sizes.",
        "plain": "the cosine of topic centroids (vectors: {}).",
        "given": "taken from a matrix of our own.",
    }[space.kind].format(encoder)
    kind = split_kind(option.kind)
    made = kind.methods.format(
        m=option.m,
        k=k,
        seed=option.seed,
        threshold=policy_threshold(space, kind.policy),
        conditions=_conditions(option, constraints),
    )
    if option.kind == "least-leakage":
        made += " This was solved to proven optimality." if option.proven else " Optimality was not proven."
    known = "are by authors who are" if corpus.has_authors else "have a class that is"
    seen = (
        ""
        if option.seen_authors != option.seen_authors
        else f" {percent(option.seen_authors)} of the test documents {known} also in training."
    )
    similarities = (
        "The similarity of its training and test topics is unknown."
        if option.max != option.max
        else f"The highest similarity of a training and a test topic is {option.max:.2f}. The nearest training topic of a test "
        f"topic has a mean similarity of {option.nearest_mean:.2f}."
    )
    return (
        f"We measured topic similarity as {similarity} {made} The split keeps {kept}. {similarities}{seen} "
        f"The split was made with Leakscope {__version__}."
    )


def _conditions(option: Option, constraints: Constraints | None) -> str:
    """Return the constraints of least-leakage folds as text."""
    constraints = Constraints() if constraints is None else constraints
    said = [f"no fold exceeds the mean size by more than {percent(option.balance or 0)}"]
    if constraints.seen_authors > 0:
        said.append(
            f"at least {percent(constraints.seen_authors)} of the test documents are by authors of training documents"
        )
    said += [listed([f"'{name}'" for name in names]) + " are in one fold" for names in constraints.together]
    said += [f"'{one}' and '{two}' are in different folds" for one, two in constraints.apart]
    return listed(said)


def _folds_table(study: Study, found: Designed) -> Rows:
    space, k = study.space, found.design.k

    def make() -> pd.DataFrame:
        fold_of = folds_of(study, found)
        return pd.DataFrame(
            {
                "fold": [fold + 1 for fold in range(k)],
                "documents": [int(space.sizes[fold_of == fold].sum()) for fold in range(k)],
                "topics": [
                    ", ".join(space.names[topic] for topic in np.flatnonzero(fold_of == fold)) for fold in range(k)
                ],
            }
        )

    note = f"For a methods section: {paragraph(study, found)}"
    return Rows("folds", f"Folds: {option_label(found.chosen)}", make, note)


def _data(study: Study, settings: Settings, found: Designed) -> dict[str, Any]:
    design, space = found.design, study.space
    folds: list[list[str]] = [[] for _ in range(settings.k)]
    for topic, fold in enumerate(design.fold_of.tolist()):
        folds[fold].append(space.names[topic])
    return {
        "recommended": {"kind": found.best.kind} | _record(found.best) if found.named else None,
        "k": settings.k,
        "line": design.threshold,
        "options": {kind: _record(option) for kind, option in design.of_each_kind.items()},
        "folds": folds,
        "optimal": design.least_leakage.proven,
        "all_options": [{"kind": each.kind} | _record(each) for each in design.options],
        "notes": [*study.vectors.notes, *sentences_of(design.notes)],
    }


def _record(option: Option) -> dict[str, Any]:
    numbers = ("mean", "max", "nearest_mean", "seen_authors", "detectable")
    how = {name: getattr(option, name) for name in ("m", "balance", "seed")}
    return {
        "documents": option.documents,
        "topics": option.topics,
        "authors": option.authors,
        **{name: defined(getattr(option, name)) for name in numbers},
        "smallest_fold": option.smallest_fold,
        "meets_constraints": option.meets_constraints,
        "as_wished": option.meets_constraints,  # the name until 0.2, for scripts that read it
        **{name: getattr(option, name) for name in ("near_twins", "perhaps_twins", "perhaps_one")},
        **{name: value for name, value in how.items() if value is not None},
    }


def _pairs(count: int) -> str:
    return "one pair of topics" if count == 1 else f"{count:,} pairs of topics"
