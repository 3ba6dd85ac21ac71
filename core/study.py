"""A study: a corpus with its vectors under one similarity, and everything that follows from them.

Each result is computed on first use and held. What takes long goes through `work`, which the caller passes in: the command
line and notebooks compute at once, pages find the result or raise `Pending` and draw the job.
"""

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from cachetools import LRUCache

from .arrays import Interval, Ints, Singles
from .corpora import Audit, Corpus, audit
from .demo import bundled_layout, bundled_lsa, bundled_vectors
from .engine import Call
from .errors import LeakscopeError, SettingError
from .evaluation import (
    DRAWS,
    JUDGING,
    LEVELS,
    TASKS,
    CurvePlan,
    CurveRun,
    CurveSummary,
    Estimate,
    Evaluation,
    ForecastRun,
    NamedVectors,
    OwnAnswers,
    ResultStore,
    author_labels,
    control_models,
    curve_estimate,
    curve_plan,
    estimate_runs,
    evaluate,
    forecast_estimate,
    forecast_plan,
    only_asked,
    quick_cost,
    quick_models,
    quick_plan,
    run_curve,
    run_forecast,
    summarise_curve,
    tasks_of,
    with_own_answers,
)
from .models import Classifier
from .progress import Progress
from .splits import (
    FOLD_SCHEMES,
    Constraints,
    Design,
    FixedSplit,
    Folds,
    Leakage,
    SplitAudit,
    audit_split,
    design_options,
    fix_split,
    fold_leakage,
)
from .splits import make_folds as folds_of
from .topics import (
    CORRECTED,
    GIVEN,
    NEEDS_DOCUMENTS,
    Bootstrap,
    EveryM,
    FoundTopics,
    LabelCheck,
    Layout,
    OptimumCurve,
    RandomBand,
    Setup,
    TermWeights,
    TopicPath,
    TopicSpace,
    Verdict,
    bootstrap_topics,
    check_labels,
    cluster_order,
    find_topics,
    given_space,
    hits_path,
    judge,
    make_setup,
    map_layout,
    neighbour_mixing,
    no_bootstrap,
    optimum_curve,
    random_band,
    sample_at_every_m,
    term_weights,
    topic_space,
)
from .vectors import ENCODERS, USUAL_ENCODER, WITHOUT_EXTRAS, Vectors, VectorStore, embed, make_encoder

MOST_HELD = 200  # results of one study; the least recently used go first
MOST_LOOKED_UP = 5_000  # documents of a corpus whose kept leakage curve is looked for: a fraction of a second
MOST_SECOND = 2_000  # documents of a second opinion by LSA: about two seconds
USUAL_FOLDS = 6
BAND, FEWER, MANY_TOPICS = 999, 40, 200  # random samples, fewer of them where there are many topics

Found = TypeVar("Found")
SampleFolds = tuple[Setup, Folds]


class Pending(Exception):
    """A result that takes long and is not there yet.

    Pages catch it in one place, draw the job's card and stop.
    """

    def __init__(
        self,
        kind: str,
        calls: Mapping[Hashable, Call[Any]],
        name: str | Callable[[int], str],
        *,
        costs: Callable[[], Sequence[Estimate]] = tuple,
        study: "Study",
        task: str | None = None,
        jobs: Mapping[Hashable, "SampleFolds"] | None = None,
    ) -> None:
        super().__init__(kind)
        self.kind = kind  # which cache holds the results
        self.calls = calls  # what computes each, by key
        self._name, self._costs = name, costs
        self.study = study
        self.task = task
        self.jobs = jobs or {}  # of runs of models: the sample and its folds, by key

    @cached_property
    def costs(self) -> Sequence[Estimate]:
        """Return time and memory of runs of models; reckoned only where a result is not there, as that looks at every answer."""
        return self._costs()

    @cached_property
    def name(self) -> str:
        """Return what the job is called, by the number of its runs of models."""
        return self._name if isinstance(self._name, str) else self._name(sum(cost.runs for cost in self.costs))


class MissingRuns(LeakscopeError):
    """Models would have to be run first, and that was not asked for."""


class Work(Protocol):
    """Gives the results of long work by key, or raises `Pending`."""

    def __call__(self, pending: Pending) -> dict[Hashable, Any]: ...


def compute_now(pending: Pending) -> dict[Hashable, Any]:
    """Compute the work in this process."""
    return {key: call(pending.study.progress) for key, call in pending.calls.items()}


def kept_only(pending: Pending) -> dict[Hashable, Any]:
    """Compute the work, unless models would have to run for it; what leakage costs takes seconds."""
    if pending.kind != "costs" and any(cost.runs for cost in pending.costs):
        raise MissingRuns("Its models have not been run yet with these settings.")
    return compute_now(pending)


def no_spinner(label: str) -> AbstractContextManager[Any]:
    """Show nothing while something is computed."""
    return nullcontext()


class Study:
    """A corpus with its vectors under one similarity of topics, and what follows from them.

    corpus, vectors: the documents and a vector each
    similarity: the name of the similarity of topics
    encoder: the settings of what made the vectors
    results: where models' answers are kept
    store: where vectors of other encoders are kept
    filters: what was left out of the corpus, for reports
    own: answers of other models, read from files
    own_folds: folds of all documents, in place of those that a scheme would make
    work: computes what takes long, or raises `Pending`
    waiting: shows a spinner while something of seconds is computed
    """

    def __init__(
        self,
        corpus: Corpus,
        vectors: Vectors,
        *,
        similarity: str = CORRECTED,
        encoder: Mapping[str, str] | None = None,
        results: ResultStore | None = None,
        store: VectorStore | None = None,
        filters: Mapping[str, int | None] | None = None,
        own: Sequence[OwnAnswers] = (),
        own_folds: Folds | None = None,
        progress: Progress | None = None,
        work: Work = compute_now,
        waiting: Callable[[str], AbstractContextManager[Any]] = no_spinner,
    ) -> None:
        self.corpus, self.vectors = corpus, vectors
        self.similarity = similarity if vectors.similarity is None else GIVEN
        self.encoder, self.results, self.filters = encoder or {}, results, filters or {}
        self.store, self.own, self.own_folds = store, {each.name: each for each in own}, own_folds
        self.progress, self.work, self.waiting = progress, work, waiting
        self._held: LRUCache[Hashable, Any] = LRUCache(MOST_HELD)
        self._shared: Mapping[
            Hashable, Any
        ] = {}  # what a study without other models' answers holds, which this one reads
        self._lock = threading.RLock()  # a study of a public corpus serves several sessions at once

    def __reduce__(self) -> tuple[Any, ...]:
        """Send to another process what the study is made of; it computes the rest again."""
        return _again, (
            (self.corpus, self.vectors),
            {
                "similarity": self.similarity,
                "encoder": dict(self.encoder),
                "results": self.results,
                "store": self.store,
                "filters": dict(self.filters),
                "own": tuple(self.own.values()),
                "own_folds": self.own_folds,
            },
        )

    def with_answers(self, own: Sequence[OwnAnswers]) -> Self:
        """Return the same study with these answers of other models; what it computes is its own."""
        return self._with(own={each.name: each for each in own}, _shared=self._held)

    def with_folds(self, folds: Folds) -> Self:
        """Return the same study with these folds of all documents; it shares what does not depend on folds."""
        with self._lock:
            shared = {
                key: held
                for key, held in self._held.items()
                if isinstance(key, tuple) and key[0] in ("space", "path", "labels", "bootstrap")
            }
        return self._with(own_folds=folds, _shared=shared)

    def _with(self, **changed: Any) -> Self:
        found = self.__dict__ | {"_held": LRUCache(MOST_HELD)} | changed
        study = type(self).__new__(type(self))
        study.__dict__.update(found)
        return study

    @property
    def key(self) -> tuple[str, str, str]:
        """Name everything the study's results depend on."""
        return self.corpus.fingerprint, self.vectors.encoder_key, self.similarity

    def once(self, name: str, *choices: Hashable, compute: Callable[[], Found], wait: str = "") -> Found:
        """Return a result of milliseconds or seconds, computed the first time it is asked for."""
        held_under = (name, *choices)
        with self._lock:
            if held_under in self._shared:
                shared: Found = self._shared[held_under]
                return shared
            if held_under not in self._held:
                with self.waiting(wait) if wait else nullcontext():
                    self._held[held_under] = compute()
            found: Found = self._held[held_under]
            return found

    def forget(self) -> None:
        """Drop the results held here; what is kept on disk stays."""
        with self._lock:
            self._held.clear()

    def long(
        self,
        kind: str,
        key: Hashable,
        call: Call[Any],
        *,
        name: str | Callable[[int], str],
        cost: Callable[[], Estimate] | None = None,
        task: str | None = None,
    ) -> Any:
        """Return a result that takes long: from where it is kept, or through `work`; `cost` and `task` are of models."""
        whole = (*self.key, key)
        costs = tuple if cost is None else lambda: (cost(),)
        return self.work(Pending(kind, {whole: call}, name, costs=costs, study=self, task=task))[whole]

    # The corpus and its topics

    @property
    def audit(self) -> Audit:
        """Return counts, lengths, vocabulary and warnings."""
        return self.once("audit", compute=lambda: audit(self.corpus, window=ENCODERS[self.vectors.name].has_window))

    @property
    def terms(self) -> TermWeights:
        """Return how distinctive each word is of each topic."""
        return self.once("terms", compute=lambda: term_weights(self.corpus), wait="Weighing words …")

    @property
    def space(self) -> TopicSpace:
        """Return centroids and similarities of the topics."""
        return self.space_by(self.similarity)

    def space_by(self, similarity: str) -> TopicSpace:
        """Return the topics under another similarity."""
        corpus, matrix, given = self.corpus, self.vectors.matrix, self.vectors.similarity
        if given is not None:
            return self.once("space", GIVEN, compute=lambda: given_space(corpus, given))
        return self.once(
            "space",
            similarity,
            compute=lambda: topic_space(matrix, corpus.topic_codes, corpus.topic_names, similarity=similarity),
        )

    @property
    def path(self) -> TopicPath:
        """Return the HITS path, which answers every m."""
        return self.path_by(self.similarity)

    def path_by(self, similarity: str) -> TopicPath:
        """Return the HITS path under another similarity."""
        return self.once("path", similarity, compute=lambda: hits_path(self.space_by(similarity).similarity))

    @property
    def order(self) -> Ints:
        """Return the topics in an order that puts similar ones side by side."""
        return self.once("order", compute=lambda: cluster_order(self.space.similarity))

    @property
    def band(self) -> RandomBand:
        """Return what random samples of every m give."""
        samples = BAND if len(self.space) <= MANY_TOPICS else FEWER
        return self.once(
            "band",
            compute=lambda: random_band(self.space.similarity, self.path, samples=samples),
            wait="Sampling topics at random …",
        )

    @property
    def bootstrap(self) -> Bootstrap:
        """Return similarities and HITS paths over bootstrap samples of every topic's documents."""
        corpus = self.corpus
        if self.vectors.similarity is not None:
            return no_bootstrap(len(corpus.topic_names))
        return self.once(
            "bootstrap",
            compute=lambda: bootstrap_topics(
                self.vectors.matrix, corpus.topic_codes, len(corpus.topic_names), kind=self.similarity
            ),
            wait="Computing confidence intervals …",
        )

    def similarity_interval(self, space: TopicSpace, one: int, two: int) -> Interval:
        """Return the 95% bootstrap interval of two topics' similarity, in a space of the corpus or of a sample of its topics.

        NaN where there is none, and for a topic that others were merged into.
        """
        low, high = self.bootstrap.low, self.bootstrap.high
        places = [self._places.get(space.names[topic], -1) for topic in (one, two)]
        known = min(places) >= 0 and all(
            space.sizes[topic] == self.space.sizes[place] for topic, place in zip((one, two), places, strict=True)
        )
        if low is None or high is None or not known or one == two:
            return float("nan"), float("nan")
        return float(low[places[0], places[1]]), float(high[places[0], places[1]])

    @property
    def _places(self) -> dict[str, int]:
        return self.once("places", compute=lambda: {name: place for place, name in enumerate(self.space.names)})

    @property
    def labels(self) -> LabelCheck:
        """Return how the topics compare with shuffled labels."""
        corpus = self.corpus
        if self.vectors.similarity is not None:
            return LabelCheck(float("nan"), np.empty(0), checked=False)
        return self.once(
            "labels",
            compute=lambda: check_labels(
                self.vectors.matrix, corpus.topic_codes, len(corpus.topic_names), kind=self.similarity
            ),
            wait="Checking the labels …",
        )

    def judged(self, k: int) -> Verdict:
        """Return what k random folds of topics leak."""
        return self.once(
            "verdict",
            k,
            compute=lambda: judge(
                self.space, self.path, k=k, labels=self.labels, bootstrap=self.bootstrap, mixing=self.mixing
            ),
        )

    @property
    def mixing(self) -> float:
        """Return the share of documents' nearest neighbours in other topics, relative to chance."""
        if self.vectors.similarity is not None:
            return float("nan")
        return self.once("mixing", compute=lambda: neighbour_mixing(self.vectors.matrix, self.corpus.topic_codes))

    @property
    def second_verdict(self) -> tuple[str, Verdict] | None:
        """Return another encoder's name and its verdict, where that costs next to nothing: LSA of few documents, or SBERT's
        shipped vectors."""
        other = WITHOUT_EXTRAS if self.vectors.name != WITHOUT_EXTRAS else USUAL_ENCODER
        if len(self.corpus) > MOST_SECOND or self.vectors.similarity is not None:
            return None
        return self.once("second verdict", compute=lambda: self._judged_by(other))

    def _judged_by(self, name: str) -> tuple[str, Verdict] | None:
        encoder = make_encoder(name)
        lsa = name == WITHOUT_EXTRAS
        vectors = bundled_lsa(self.corpus) if lsa else bundled_vectors(self.corpus, encoder)
        if vectors is None and lsa:
            try:
                vectors = embed(self.corpus, encoder, store=self.store, notes=False)
            except LeakscopeError:  # too few words, say: then there is no second opinion
                return None
        if vectors is None:
            return None
        other = Study(self.corpus, vectors, similarity=self.similarity)
        return name, other.judged(max(2, min(USUAL_FOLDS, len(other.space))))

    @property
    def bundled_layout(self) -> Layout | None:
        """Return the map that ships with the bundled corpus."""
        return self.once("bundled layout", compute=lambda: bundled_layout(self.corpus, self.vectors))

    def layout(self, method: str) -> Layout:
        """Return the map: PCA at once, UMAP from the bundle or as long work."""
        arguments = (self._matrix("The map"), self.corpus.topic_codes, self.space)
        if method == "pca":
            return self.once("pca", compute=lambda: map_layout(*arguments, method="pca"))
        if self.bundled_layout is not None:
            return self.bundled_layout
        call = Call(map_layout, arguments, {"method": method})
        found: Layout = self.long("maps", method, call, name="Drawing the map (UMAP)")
        return found

    @property
    def ready_layout(self) -> Layout:
        """Return a map that costs nothing now."""
        return self.bundled_layout or self.layout("pca")

    def found_topics(self, *, method: str, k: int | None, seed: int) -> FoundTopics:
        """Return topics found in the texts by their vectors."""
        call = Call(
            find_topics, (self.corpus, self._matrix("Finding topics")), {"method": method, "k": k, "seed": seed}
        )
        found: FoundTopics = self.long("topics", (method, k, seed), call, name=f"Finding topics in {self.corpus.name}")
        return found

    # Samples and splits

    def every_m(self, policy: str, threshold: float) -> EveryM:
        """Return the HITS samples of every m under a policy for the topics left out."""
        return self.once(
            "every m",
            policy,
            threshold,
            compute=lambda: sample_at_every_m(self.corpus, self.space, self.path, policy=policy, threshold=threshold),
        )

    def setup(
        self, sampler: str, m: int | None = None, seed: int = 0, *, policy: str = "cutting", threshold: float = 0.0
    ) -> Setup:
        """Return a sample of topics as a corpus of its own."""
        choices: dict[str, Any] = {"sampler": sampler, "m": m, "seed": seed, "policy": policy, "threshold": threshold}
        return self.once(
            "setup",
            *choices.values(),
            compute=lambda: make_setup(self.corpus, self.vectors.matrix, self.space, **choices),
        )

    def folds(
        self, setup: Setup, *, scheme: str, k: int, seed: int = 0, constraints: Constraints | None = None
    ) -> Folds:
        """Return the folds of a sample of topics."""
        if self.own_folds is not None:
            if setup.corpus.fingerprint != self.corpus.fingerprint:
                raise SettingError("Folds of your own hold all documents. Leave out sampler, m and authors.")
            return self.own_folds
        k = k if FOLD_SCHEMES[scheme].takes_k else 2
        return self.once(
            "folds",
            setup.corpus.fingerprint,
            scheme,
            k,
            seed,
            constraints,
            compute=lambda: folds_of(
                setup.corpus, scheme=scheme, k=k, seed=seed, space=setup.space, constraints=constraints
            ),
        )

    def leakage(self, setup: Setup, folds: Folds) -> Leakage:
        """Return the train–test similarities of folds."""
        return self.once(
            "leakage",
            setup.corpus.fingerprint,
            folds.fingerprint,
            compute=lambda: fold_leakage(folds, setup.space, skip_noisy=True),
        )

    def leakage_cost(self) -> CurveSummary:
        """Return what similar topics in training add to accuracy: by the leakage curve, where it has been run with its usual
        settings, so that two pages show one number; else by its two ends, sampled."""
        kept = self._kept_cost()
        if kept is not None:
            return kept
        labels = author_labels(self.corpus)
        plan = self.once("quick plan", compute=lambda: quick_plan(self.corpus, self.space, labels))
        models = self.once("quick models", compute=lambda: quick_models(self.corpus, plan))
        cost = partial(curve_estimate, self.corpus, plan, models, results=self.results)
        call = Call(quick_cost, (self.corpus, plan), {"models": models, "results": self.results})
        found: CurveSummary = self.long("costs", "", call, name="Measuring what leakage costs", cost=cost)
        return found

    def _kept_cost(self) -> CurveSummary | None:
        """Return the cost by the whole curve, where every fit of it is kept; None for others, and for large corpora."""
        if self.results is None or len(self.corpus) > MOST_LOOKED_UP:
            return None
        with self._lock:
            if ("kept cost",) in self._held:
                held: CurveSummary = self._held["kept cost",]
                return held
        try:
            plan = self.curve_plan(LEVELS, DRAWS, 0)
        except LeakscopeError:  # the quick plan says why
            return None
        controls = self.once("controls", compute=lambda: control_models(self.corpus, plan.labels))
        models = {name: controls[name] for name in JUDGING}
        if curve_estimate(self.corpus, plan, models, results=self.results).runs:
            return None
        run = run_curve(self.corpus, plan, models, results=self.results)
        return self.once("kept cost", compute=lambda: summarise_curve(plan, run.accuracy, run.reference))

    def optima(self) -> OptimumCurve:
        """Return the lowest possible maximum similarity of m topics, for every m."""
        call = Call(optimum_curve, (self.space.similarity,))
        found: OptimumCurve = self.long("optima", "", call, name="Lowest possible similarity for every m")
        return found

    def designed(self, *, k: int, constraints: Constraints, seed: int = 0) -> Design:
        """Return every way to split, with what each leaks."""
        choices = {"k": k, "constraints": constraints, "seed": seed, "bootstrap": self.bootstrap}
        call = Call(design_options, (self.corpus, self.space), choices)
        found: Design = self.long("designs", (k, constraints, seed), call, name="Comparing splits")
        return found

    def split_audit(self, seed: int = 0) -> SplitAudit:
        """Return what crosses the corpus's own split."""
        call = Call(audit_split, self._documents, {"bootstrap": self.bootstrap, "seed": seed})
        found: SplitAudit = self.long("split audits", seed, call, name="Checking the split")
        return found

    def fixed_split(self, seed: int = 0) -> FixedSplit:
        """Return the smallest change that fixes the corpus's own split."""
        call = Call(fix_split, self._documents, {"bootstrap": self.bootstrap, "seed": seed})
        found: FixedSplit = self.long("fixed splits", seed, call, name="Fixing the split")
        return found

    @property
    def _documents(self) -> tuple[Any, ...]:
        return self.corpus, self._matrix("Checking a split"), self.space

    def _matrix(self, what: str) -> Singles:
        """Return the documents' vectors; refuse where only similarities of topics are given."""
        if self.vectors.similarity is not None:
            raise SettingError(NEEDS_DOCUMENTS.format(what))
        return self.vectors.matrix

    # Models on folds

    def models(self, task: str, *, by_choice: bool = False) -> dict[str, str]:
        """Return the models of a task by name and label.

        Models that compare vectors are there only with the encoder they are made for, slow ones only with `by_choice`,
        and those whose extra is not installed are not there.
        """
        return {
            name: kind.label
            for name, kind in TASKS[task].models.items()
            if (not kind.encoders or self.vectors.name in kind.encoders)
            and not (kind.needs_vectors and self.vectors.similarity is not None)
            and (by_choice or not kind.by_choice)
            and kind.installed
        }

    def why_no_model(self, task: str, name: str) -> str:
        """Return why a model cannot run beside given similarities of topics, or ""."""
        kind = TASKS[task].models.get(name)
        if kind is None or not kind.needs_vectors or self.vectors.similarity is None:
            return ""
        return NEEDS_DOCUMENTS.format(kind.label)

    def own_models(self, task: str) -> dict[str, str]:
        """Return the models whose answers come from files, by name and label: they classify documents."""
        return {} if TASKS[task].asks_pairs else {name: name for name in self.own}

    def evaluations(self, jobs: Sequence[SampleFolds], **choices: Any) -> list[Evaluation]:
        """Return every model on every fold of every sample; choices as `evaluate` takes them.

        Models of `own` are not run: their answers to these folds are taken.
        """
        own = [self.own[name] for name in choices["models"] if name in self.own]
        choices["models"] = [name for name in choices["models"] if name not in self.own]
        if own and not choices["models"]:
            del choices["models"]
            found = [only_asked(setup.corpus, folds, **choices) for setup, folds in jobs]
        else:
            found = self._run(jobs, **choices)
        return [with_own_answers(each, setup.corpus, own) for each, (setup, _) in zip(found, jobs, strict=True)]

    def _run(self, jobs: Sequence[SampleFolds], **choices: Any) -> list[Evaluation]:
        vectors_key = self.vectors.encoder_key
        named = tuple(tuple(value) if isinstance(value, list) else value for value in choices.values())
        keys: list[Hashable] = [
            (setup.corpus.fingerprint, folds.fingerprint, vectors_key, *named) for setup, folds in jobs
        ]
        calls: dict[Hashable, Call[Any]] = {
            key: Call(
                evaluate,
                (setup.corpus, folds),
                {"vectors": NamedVectors(setup.vectors, vectors_key), "results": self.results, **choices},
            )
            for key, (setup, folds) in zip(keys, jobs, strict=True)
        }

        def costs() -> list[Estimate]:
            return [
                estimate_runs(setup.corpus, folds, vectors_key=vectors_key, results=self.results, **choices)
                for setup, folds in jobs
            ]

        task = choices["task"]
        said = tasks_of(self.corpus).get(task, task).capitalize()  # its folds say why a label has no pairs
        pending = Pending(
            "runs",
            calls,
            lambda runs: f"{said}: {runs:,} runs",
            costs=costs,
            study=self,
            task=task,
            jobs=dict(zip(keys, jobs, strict=True)),
        )
        found = self.work(pending)
        return [found[key] for key in keys]

    def evaluation(self, setup: Setup, folds: Folds, **choices: Any) -> Evaluation:
        """Return every model on every fold of one sample."""
        return self.evaluations([(setup, folds)], **choices)[0]

    # Models along the leakage curve

    def curve_plan(
        self, levels: tuple[float, ...], draws: int, seed: int, most_topics: int = 0, most_training: int = 0
    ) -> CurvePlan:
        """Return the training and test documents of the leakage curve; limits of 0 are none."""
        return self.once(
            "curve plan",
            levels,
            draws,
            seed,
            most_topics,
            most_training,
            compute=lambda: curve_plan(
                self.corpus,
                self.space,
                author_labels(self.corpus),
                levels=levels,
                draws=draws,
                seed=seed,
                most_topics=most_topics or None,
                most_training=most_training or None,
            ),
            wait="Matching training sets …",
        )

    def curve_run(self, models: Sequence[str], *chosen: Any) -> CurveRun:
        """Return the answers of the controls and of these models along the leakage curve, planned as `curve_plan` takes it."""
        plan = self.curve_plan(*chosen)
        controls = self.once("controls", compute=lambda: control_models(self.corpus, plan.labels))
        made = controls | self._classifiers(models)
        cost = partial(curve_estimate, self.corpus, plan, made, results=self.results)
        call = Call(run_curve, (self.corpus, plan, made), {"results": self.results, "vectors": self._compared(models)})
        key = (*chosen, *made)
        found: CurveRun = self.long("curves", key, call, name=_fits_of("Leakage curve"), cost=cost, task="attribution")
        return found

    def _classifiers(self, names: Sequence[str]) -> dict[str, Classifier]:
        """Return the classifiers of these names; those that compare vectors know which."""
        kinds, make = TASKS["attribution"].models, TASKS["attribution"].make
        encoder = self.vectors.encoder_key
        return {name: make(name, encoder=encoder) if kinds[name].needs_vectors else make(name) for name in names}

    def _compared(self, models: Sequence[str]) -> Singles | None:
        """Return the vectors if a model compares them."""
        kinds = TASKS["attribution"].models
        return self.vectors.matrix if any(kinds[name].needs_vectors for name in models) else None

    def forecast_run(self, models: Sequence[str], k: int, seed: int, *, unasked: bool = False) -> ForecastRun:
        """Return the answers of models under a random split, topic k-fold, and with families of topics held out.

        `unasked`: a page runs them without asking first, as the verdict does.
        """
        plan = self.once(
            "forecast plan",
            k,
            seed,
            compute=lambda: forecast_plan(self.corpus, self.space, author_labels(self.corpus), k=k, seed=seed),
        )
        made = self._classifiers(models)
        cost = partial(forecast_estimate, self.corpus, plan, made, results=self.results)
        call = Call(
            run_forecast, (self.corpus, plan, made), {"results": self.results, "vectors": self._compared(models)}
        )
        key, kind = (k, seed, *made), "costs" if unasked else "forecasts"
        found: ForecastRun = self.long(kind, key, call, name=_fits_of("Forecast"), cost=cost, task="attribution")
        return found


def _fits_of(what: str) -> Callable[[int], str]:
    """Return what a job is called, given its number of fits."""
    return lambda fits: f"{what}: {fits:,} fits"


def _again(given: tuple[Any, ...], named: dict[str, Any]) -> Study:
    return Study(*given, **named)
