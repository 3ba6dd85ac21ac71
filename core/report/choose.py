"""The sections of Choose: the topics HITS keeps, all ways to split side by side, the corpus's own split."""

import numpy as np

from ..errors import SettingError, unknown
from ..formats import ABSENT, number, numbers, percent, share
from ..plots import design as design_plots
from ..plots import hits as hits_plots
from ..plots import split as split_plots
from ..splits import (
    Design,
    Option,
    SplitAudit,
    Wishes,
    audit_split,
    design_options,
    methods_paragraph,
    option_folds,
    option_label,
    possible_balance,
    recommendation,
    recommended,
)
from ..topics import (
    MOST_IN_MATRIX,
    POLICIES,
    Sample,
    checked_m,
    keep_sentence,
    make_sample,
    pair_summary,
    sample_sentence,
)
from ..vectors import ENCODERS
from .subject import Drawing, ReportTable, Section, Subject, table


def hits(subject: Subject, *, m: int | None = None, policy: str = "cutting", threshold: float | None = None) -> Section:
    """The topics HITS keeps at one m, and what every m would."""
    space, path = subject.space, subject.path
    verdict = subject.verdict(min(2, len(space)))
    meaningless = verdict.level == "meaningless"
    settings = [("Topics left out", policy)]
    if path.placed < 2:
        raise SettingError(
            "Fewer than two topics can be placed, so HITS has nothing to choose from; add documents to them."
        )
    m = checked_m(max(2, path.placed // 2 if meaningless else verdict.keep) if m is None else m, path.placed)
    if POLICIES[policy].takes_threshold if policy in POLICIES else False:
        settings.append(("Alike enough from", number(threshold or 0.0, ".2f")))
    sample = make_sample(space.similarity, path.order[:m], policy=policy, threshold=threshold or 0.0)
    summary, shares = pair_summary(space, sample), subject.resampled.selected_share(m)
    kept = int(space.sizes[sample.assigned >= 0].sum())
    line = None if meaningless else verdict.line
    said = sample_sentence(m, len(space), kept, len(subject.corpus), closest=summary["max"], line=line)
    band = f"Band: {subject.band.samples} random samples of as many topics."
    return Section(
        "hits",
        "Which topics should I keep?",
        keep_sentence(verdict).replace("*", ""),
        (f"At m = {m}: {said}",),
        (
            ("Mean similarity kept", number(summary["mean"], ".2f")),
            ("Closest pair kept", number(summary["max"], ".2f")),
        ),
        (
            Drawing(
                "The closest pair kept at every m",
                hits_plots.closest_pair_curve(path, subject.band, m=m, twin_line=verdict.line, kind=space.kind),
                band,
            ),
            Drawing(
                "The path of HITS, and how sure it is",
                hits_plots.path_steps(space.names, path, shares, m=m),
                f"Blue: the {m} kept. Shares near 100 % or 0 % are sure, around 50 % a coin toss: "
                f"{len(subject.resampled.steps)} draws of every topic's documents.",
            ),
        ),
        (_fates(subject, sample, shares),),
        (("Topics kept (m)", str(m)), *settings),
    )


def _fates(subject: Subject, sample: Sample, shares: np.ndarray) -> ReportTable:
    """A row a topic: its documents and what becomes of them."""
    space, path = subject.space, subject.path
    step = {topic: index + 1 for index, topic in enumerate(path.order.tolist())}

    def fate(topic: int) -> str:
        assigned = int(sample.assigned[topic])
        if assigned == topic:
            return f"kept, step {step[topic]}"
        return (
            f"merged into {space.names[assigned]}"
            if assigned >= 0
            else "dropped"
            if space.placed[topic]
            else "cannot be placed"
        )

    columns = {
        "topic": [space.names[topic] for topic in path.order],
        "documents": [f"{int(space.sizes[topic]):,}" for topic in path.order],
        "what becomes of it": [fate(topic) for topic in path.order.tolist()],
        "kept in, of draws": [f"{percent(shares[topic])}" for topic in path.order],
    }
    return table("Every topic, in the order of the path", columns, most=80)


def design(
    subject: Subject,
    *,
    k: int | None = None,
    wishes: Wishes | None = None,
    choice: str | None = None,
) -> Section:
    """Every way to split beside every other, and the one that was chosen."""
    space, corpus = subject.space, subject.corpus
    if len(space) > MOST_IN_MATRIX:
        raise SettingError(f"{len(space):,} topics are too many to try every split of them.")
    placed = int(space.placed.sum())
    if placed < 2:
        raise SettingError("Fewer than two topics can be placed, so there is nothing to split between.")
    k = min(6, 20, placed) if k is None else k
    wishes = Wishes(possible_balance(corpus.topic_sizes, k)) if wishes is None else wishes
    found: Design = subject.held.get("design") or design_options(
        corpus, space, k=k, wishes=wishes, resampled=subject.resampled, progress=subject.progress
    )
    labels = {option_label(option): option for option in found.options}
    if choice is not None and choice not in labels:
        raise unknown("split", choice, labels)
    chosen = recommended(found, meaningful=subject.labels.meaningful) if choice is None else labels[choice]
    return Section(
        "design",
        "Which split should I use?",
        recommendation(
            found, meaningful=subject.labels.meaningful, sure_pairs=subject.verdict(min(2, len(space))).sure_pairs
        ),
        tuple(found.notes),
        drawings=(
            Drawing(
                "Every split: what it keeps, and how alike its two sides are",
                design_plots.options(found, chosen, kind=space.kind),
            ),
        ),
        tables=(_options(found), _folds(subject, chosen, k=k, wishes=wishes)),
        settings=(
            ("Folds (k)", str(k)),
            ("Largest fold above the mean", share(wishes.balance)),
            ("Authors seen, at least", share(wishes.seen_authors)),
            ("Kept together", "; ".join(", ".join(names) for names in wishes.together) or ABSENT),
            ("Kept apart", "; ".join(", ".join(names) for names in wishes.apart) or ABSENT),
            ("Seed of random deals", "0"),
        ),
    )


def _folds(subject: Subject, chosen: Option, *, k: int, wishes: Wishes) -> ReportTable:
    """The folds of one split, with what to write of them."""
    corpus, space = subject.corpus, subject.space
    fold_of = option_folds(corpus, space, chosen, k=k, wishes=wishes)
    encoder = ENCODERS[subject.vectors.name].label
    paragraph = methods_paragraph(corpus, space, chosen, k=k, encoder=encoder, wishes=wishes)
    columns = {
        "fold": [str(fold + 1) for fold in range(k)],
        "documents": [f"{int(space.sizes[fold_of == fold].sum()):,}" for fold in range(k)],
        "topics": [", ".join(space.names[topic] for topic in np.flatnonzero(fold_of == fold)) for fold in range(k)],
    }
    title = f"Folds of the split in hand: {option_label(chosen)}"
    return table(title, columns, note=f"For a methods section: {paragraph}")


def _options(found: Design) -> ReportTable:
    """One option of each kind: of samples the one with most documents that is clear."""
    shown = [*found.of_each_kind.values()]
    columns = {
        "split": [option_label(each) for each in shown],
        "documents": [f"{each.documents:,}" for each in shown],
        "topics": [str(each.topics) for each in shown],
        "highest": numbers((each.max for each in shown), ".2f"),
        "near twins, perhaps": [f"{each.near_twins:,}, {each.perhaps_twins:,}" for each in shown],
        "perhaps one topic": [f"{each.perhaps_one:,}" for each in shown],
        "mean": numbers((each.mean for each in shown), ".2f"),
        "nearest, mean": numbers((each.nearest_mean for each in shown), ".2f"),
        "authors seen": [share(each.seen_authors) for each in shown],
    }
    note = (
        f"Highest, mean, nearest: similarity of training and test topics; of samples the highest in whatever deal. Near twins "
        f"begin at {found.line:.2f}. Pairs parted: near twins; those that may be, by their intervals; those that cannot be told "
        "from one topic cut in two."
    )
    return table("One split of each kind", columns, note=note)


def split(subject: Subject) -> Section:
    """The corpus's own train and test labels, judged as they stand."""
    corpus, space = subject.corpus, subject.space
    if corpus.splits is None:
        raise SettingError("This corpus brings no split of its own.")
    meaningful = subject.labels.meaningful
    audit: SplitAudit = subject.held.get("split") or audit_split(
        corpus, subject.vectors.matrix, space, resampled=subject.resampled, progress=subject.progress
    )
    said = audit.conclusion(meaningful=meaningful)
    drawings = [
        Drawing("How much crosses, by test topic", split_plots.leakage_by_topic(audit)),
        Drawing("The nearest training document", split_plots.nearest_documents(audit)),
    ]
    if meaningful:
        twins = split_plots.topic_twins(audit, kind=space.kind)
        drawings.insert(1, Drawing("The nearest other training topic", twins))
    columns = {
        "test topic": [topic.name for topic in audit.topics],
        "documents": [f"{topic.documents:,}" for topic in audit.topics],
        "in training": ["yes" if topic.shared else "no" for topic in audit.topics],
        "nearest other training topic": [topic.nearest or ABSENT for topic in audit.topics],
        "similarity": numbers(topic.similarity for topic in audit.topics),
        "near twin": [topic.near_twin or ABSENT for topic in audit.topics],
        "crossing": [share(topic.neighbour_leakage) for topic in audit.topics],
        "near duplicates": [f"{topic.duplicates:,}" for topic in audit.topics],
    }
    if not meaningful:
        del columns["near twin"]
    leakage = audit.neighbour_leakage
    return Section(
        "split",
        "Does the split I was given leak?",
        said.answer,
        (*said.cautions, *audit.notes),
        (
            ("Training, test", f"{audit.train:,} and {audit.test:,} documents"),
            ("Similarity that crosses", f"{share(leakage.score)}, chance {share(leakage.chance)}"),
            ("Near duplicates in training", f"{len(audit.duplicates):,} of {audit.test:,} test documents"),
        ),
        tuple(drawings),
        (table("Test topics", columns),),
        (("Seed", "0"),),
    )
