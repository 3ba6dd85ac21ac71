"""Several categorizers on one corpus: fitted on its training documents, judged on its test documents, compared."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from time import process_time
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints, record
from ..corpora import LabelledCorpus, read_labelled
from ..corpora.readers import File
from ..errors import SettingError, unknown
from ..formats import listed
from ..models.categorization import (
    CATEGORIZERS,
    COMPARED,
    Categorizer,
    Effectiveness,
    FrequencyCurve,
    count_words,
    effectiveness,
    frequency_curve,
    single_labels,
    tuned_thresholds,
)
from ..progress import Progress
from ..statistics import (
    Comparison,
    Conclusion,
    Significance,
    adjusted_pairs,
    macro_rank_t,
    macro_sign,
    macro_t,
    micro_sign,
    proportions,
)

LEVEL = 0.05


@record
class CategorizerResult:
    """What one categorizer decided on the test documents, how well, by which thresholds, in how many seconds of CPU.

    A model that gives every document one label has no thresholds (NaN).
    """

    assigned: Bools
    effectiveness: Effectiveness
    thresholds: Floats
    notes: tuple[str, ...]
    seconds: float


@record
class Categorization:
    """All systems on one corpus, and every pair of them tested.

    `pairs` hold s, S, T and T'; `measures[a, b]` the p-tests of miR, miP and error (as accuracy: ahead is better).
    """

    corpus: str
    categories: tuple[str, ...]
    training: int
    test: int
    words: int
    frequency: Ints
    systems: Mapping[str, CategorizerResult]
    pairs: tuple[Comparison, ...]
    measures: Mapping[tuple[str, str], Mapping[str, Significance]]
    notes: tuple[str, ...]

    def curve(self, *, highest: int | None = None, intervals: int = 12) -> FrequencyCurve:
        """Mean F1 against training-set frequency, a curve a system."""
        f1 = {name: system.effectiveness.f1 for name, system in self.systems.items()}
        return frequency_curve(self.frequency, f1, highest=highest, intervals=intervals)

    @property
    def measure_pairs(self) -> tuple[Comparison, ...]:
        """The p-tests of miR, miP and error with Holm's correction over the pairs, measure by measure."""
        return adjusted_pairs([(a, b, tests) for (a, b), tests in self.measures.items()])

    def conclusion(self, labels: Mapping[str, str]) -> Conclusion:
        """Who is best by macro F1: alone only where the macro sign test, two-sided and after Holm, tells it from each other."""
        known = {name: system.effectiveness.macro_f1 for name, system in self.systems.items()}
        known = {name: f1 for name, f1 in known.items() if not np.isnan(f1)}
        if not known:
            return Conclusion("Nobody wins: no category has an F1.")
        best = max(known, key=known.__getitem__)
        if len(known) == 1:
            return Conclusion(
                f"Only {labels[best]} is there: a macro F1 of {known[best]:.3f}, and nothing to hold it against."
            )
        close = [name for name in known if name != best and not self._behind(best, name)]
        caution = (
            "Macro: every category counts alike, rare ones too; categories of one corpus are taken for independent."
        )
        if close:
            together = listed([f"{labels[name]} ({known[name]:.3f})" for name in (best, *close)])
            return Conclusion(f"Too close to call by macro F1: {together}.", (caution,))
        rest = listed([f"{labels[name]} ({known[name]:.3f})" for name in known if name != best])
        return Conclusion(f"{labels[best]} wins by macro F1, {known[best]:.3f}, over {rest}.", (caution,))

    def _behind(self, best: str, other: str) -> bool:
        """Whether the macro sign test finds `best` ahead of the other."""
        (pair,) = (pair for pair in self.pairs if {pair.a, pair.b} == {best, other})
        p, ahead = pair.adjusted["S"], pair.tests["S"].direction * (1 if pair.a == best else -1)
        return p is not None and ahead > 0 and 2 * p <= LEVEL


def run_categorizers(
    corpus: LabelledCorpus, models: Mapping[str, Categorizer], *, seed: int = 0, progress: Progress | None = None
) -> Categorization:
    """Fit each model on the training documents and decide on every test document × category; systems have the models' names.

    Words, weights and thresholds come from training documents alone.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    if not models:
        raise SettingError("No model is named; name one at least.")
    side = corpus.training
    texts = [[corpus.texts[row] for row in np.flatnonzero(part)] for part in (side, ~side)]
    counts, test_counts, words = count_words(*texts)
    labels, truth = corpus.labels[side], corpus.labels[~side]
    systems = {}
    for done, (name, model) in enumerate(models.items()):
        if progress is not None:
            progress(done, len(models), name, None)
        # One thread, so that sums are taken in the same order on every machine.
        with threadpool_limits(1, user_api="blas"):
            systems[name] = _system(model, counts, labels, test_counts, truth, seed)
    if progress is not None:
        progress(len(models), len(models), "", 0.0)
    notes = list(corpus.notes)
    if undefined := max(system.effectiveness.undefined for system in systems.values()):
        fact = f"Up to {undefined} categories have neither a true nor an assigned test document"
        notes.append(f"{fact}; their F1 is undefined and left out.")
    pairs = adjusted_pairs([(a, b, _compared(systems, a, b, truth)) for a, b in combinations(systems, 2)])
    measures = {(a, b): _proportions(systems, a, b) for a, b in combinations(systems, 2)}
    sizes = len(labels), len(truth), words, labels.sum(axis=0)
    return Categorization(corpus.name, corpus.categories, *sizes, systems, pairs, measures, tuple(notes))


def categorize(
    corpus: LabelledCorpus,
    *,
    models: Sequence[str] = COMPARED,
    seed: int = 0,
    progress: Progress | None = None,
) -> Categorization:
    """Run the named categorizers with the paper's settings and test every pair (Yang & Liu 1999)."""
    for name in models:
        if name not in CATEGORIZERS:
            raise unknown("categorizer", name, CATEGORIZERS)
    if len(set(models)) < len(models):
        raise SettingError("Name each model once, and one at least.")
    made = {name: CATEGORIZERS[name].make() for name in models}
    return run_categorizers(corpus, made, seed=seed, progress=progress)


def categorize_file(file: File, *, models: Sequence[str], progress: Progress | None = None) -> Categorization:
    """Read a corpus with several topics a document, and run the named categorizers on it."""
    return categorize(read_labelled(file), models=models, progress=progress)


def _system(model: Categorizer, counts: Any, labels: Bools, tests: Any, truth: Bools, seed: int) -> CategorizerResult:
    start = process_time()
    notes: list[str] = []
    if model.cut is None and not model.one_label:
        thresholds, shared = tuned_thresholds(model, counts, labels, seed=seed)
        if shared:
            fact = f"{shared} categories could not be given a threshold of their own on held-out training documents"
            notes.append(f"{fact}: they share one.")
    else:
        thresholds = np.full(labels.shape[1], np.nan if model.cut is None else model.cut)
    fitted = model.fit(counts, labels, seed=seed)
    scores = fitted.scores(tests)
    assigned = single_labels(scores) if model.one_label else scores > thresholds
    seconds = process_time() - start
    return CategorizerResult(assigned, effectiveness(truth, assigned), thresholds, (*notes, *fitted.notes), seconds)


def _compared(systems: Mapping[str, CategorizerResult], a: str, b: str, truth: Bools) -> dict[str, Significance]:
    one, two = systems[a], systems[b]
    right = [(system.assigned == truth).ravel() for system in (one, two)]
    f1 = one.effectiveness.f1, two.effectiveness.f1
    results = [micro_sign(*right, names=(a, b)), macro_sign(*f1, names=(a, b))]
    results += [macro_t(*f1, names=(a, b)), macro_rank_t(*f1, names=(a, b))]
    return {result.name: result for result in results}


def _proportions(systems: Mapping[str, CategorizerResult], a: str, b: str) -> dict[str, Significance]:
    one, two = (systems[name].effectiveness for name in (a, b))

    def test(measure: str, *sides: tuple[float, int]) -> Significance:
        (p_a, n_a), (p_b, n_b) = ((0.0 if n == 0 else p, n) for p, n in sides)
        return proportions(p_a, n_a, p_b, n_b, names=(a, b), measure=measure)

    return {
        "miR": test("recall", (one.micro_recall, one.true), (two.micro_recall, two.true)),
        "miP": test("precision", (one.micro_precision, one.assigned), (two.micro_precision, two.assigned)),
        "error": test("accuracy", (1 - one.error, one.decisions), (1 - two.error, two.decisions)),
    }
