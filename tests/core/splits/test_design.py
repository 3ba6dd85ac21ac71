"""The options of a design, their kinds, what they measure, and the chosen one as files."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.arrays import known_max
from core.corpora import make_corpus
from core.corpora.readers import read_corpus
from core.demo import bundled_corpus, bundled_vectors
from core.errors import SettingError
from core.plots import design as plots
from core.questions.design import methods_paragraph
from core.splits import (
    Constraints,
    Design,
    Option,
    design_options,
    fold_leakage,
    folds_table,
    make_folds,
    merging_threshold,
    option_folds,
    option_label,
    own_split,
    recommended,
    references,
    split_kind,
    split_kinds,
    split_settings,
    topic_kfold,
)
from core.splits.design import Measure, random_folds
from core.statistics import reliable_difference
from core.topics import (
    FORMATS,
    POLICIES,
    SAMPLERS,
    Bootstrap,
    Policy,
    Sampler,
    make_sample,
    make_setup,
    pair_similarities,
    topic_space,
)
from core.vectors import make_encoder
from tests.core.spies import corpus_of, rows_of


@pytest.fixture(scope="module")
def courier():
    corpus = bundled_corpus()
    vectors = bundled_vectors(corpus, make_encoder("sbert")).matrix
    return corpus, vectors, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


@pytest.fixture(scope="module")
def design(courier) -> Design:
    corpus, _, space = courier
    return design_options(corpus, space, k=6, seed=3, random=4)


def test_every_kind_is_there_and_keeps_what_it_says(courier, design):
    corpus, _, space = courier
    assert {option.kind for option in design.options} == set(split_kinds())
    assert [option.seed for option in design.of("random")] == [3, 4, 5, 6]
    for option in design.options:
        assert option.documents <= len(corpus) and option.smallest_fold * design.k <= option.documents
        assert option.mean <= option.nearest_mean <= option.max
    for kind in ("random", "grouping", "least-leakage"):
        assert {option.documents for option in design.of(kind)} == {len(corpus)}
    assert [option.m for option in design.of("hits")] == list(range(6, len(space) + 1))


def test_options_are_measured_as_their_folds_are(courier, design):
    corpus, vectors, space = courier
    for option in design.of("random"):
        leakage = fold_leakage(topic_kfold(corpus, k=6, seed=option.seed), space)
        assert option.max == leakage.max.max()
        nearest = [exposure.similarity[0] for exposure in leakage.exposures]
        assert option.nearest_mean == pytest.approx(np.mean(nearest))
    for kind in ("hits", "minimax"):
        option = next(each for each in design.of(kind) if each.m == 12)
        setup = make_setup(corpus, vectors, space, sampler=kind, m=12)
        leakage = fold_leakage(make_folds(setup.corpus, scheme="topic-kfold", k=6, seed=3), setup.space)
        assert option.max == pytest.approx(pair_similarities(setup.space.similarity).max()), "in whatever deal"
        assert option.max >= leakage.max.max() - 1e-9
        assert option.documents == len(setup.corpus)
    leakage = fold_leakage(make_folds(corpus, scheme="least-leakage", k=6, seed=0, space=space), space)
    assert design.least_leakage.max == leakage.max.max()


def test_authors_and_power_are_counted(courier, design):
    corpus, _, _ = courier
    option = design.of("random")[0]
    seen = 0
    for fold in topic_kfold(corpus, k=6, seed=option.seed):
        seen += np.isin(corpus.author_codes[fold.test], corpus.author_codes[fold.train]).sum()
    assert option.seen_authors == pytest.approx(seen / len(corpus))
    sizes = corpus.topic_sizes
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    expected = reliable_difference(1.0, len(sizes), effective=effective, sides=2, paired=True)
    assert option.detectable == pytest.approx(expected)
    assert option.authors == len(corpus.author_names)
    fewer = design.of("hits")[0]
    assert fewer.detectable > option.detectable


def test_least_leakage_is_lowest_of_what_keeps_all_documents(design):
    kept = [option for option in design.options if option.documents == design.documents and option.balance is None]
    loosest = max(design.of("least-leakage"), key=lambda option: option.balance)
    assert loosest.max <= min(option.max for option in kept)
    assert design.least_leakage.max < min(option.max for option in design.of("random"))
    values = [option.max for option in sorted(design.of("least-leakage"), key=lambda option: option.balance)]
    assert values == sorted(values, reverse=True)


def test_options_say_whether_they_meet_the_constraints(courier):
    corpus, _, space = courier
    constraints = Constraints(0.5, 0.9, together=(("astronomy", "cricket"),), apart=(("chess", "trams"),))
    found = design_options(corpus, space, k=4, constraints=constraints, random=20)
    assert all(option.meets_constraints for option in found.of("least-leakage"))
    told = {True: 0, False: 0}
    for option in found.of("random"):
        folds = topic_kfold(corpus, k=4, seed=option.seed)
        sides = {space.names[topic]: number for number, fold in enumerate(folds) for topic in fold.test_topics}
        kept = sides["astronomy"] == sides["cricket"] and sides["chess"] != sides["trams"]
        assert option.meets_constraints == (kept and option.seen_authors >= 0.9)
        told[option.meets_constraints] += 1
    assert told[True] and told[False]
    assert all(option.meets_constraints for option in design_options(corpus, space, k=4, random=2).options)


def test_equal_similarities_everywhere_are_split_at_random(courier):
    corpus, _, space = courier
    same = np.full((24, 24), 0.3)
    np.fill_diagonal(same, 1.0)
    found = design_options(corpus, replace(space, similarity=same), k=4, random=3)
    assert {option.max for option in found.options} == {0.3} and found.least_leakage.proven
    assert recommended(found).kind == "random"


def test_one_topic_that_can_be_placed_is_nothing_to_split_between():
    corpus = make_corpus(["a b c"] * 5, ["only"] * 4 + ["a single text"])
    space = topic_space(np.eye(5)[:, :2] + 1, corpus.topic_codes, corpus.topic_names)
    with pytest.raises(SettingError, match="Fewer than two topics have enough documents"):
        design_options(corpus, space, k=2)


def an_option(kind: str, highest: float, **more) -> Option:
    plain = Option(kind, None, None, None, 100, 10, highest, 0.2, 0.3, 0.9, 10, 0.5)
    return replace(plain, **{"near_twins": int(highest >= 0.6)} | more)


def a_design(random: float, least: float, *others: Option, seen: float = 0.9) -> Design:
    options = (an_option("random", random), an_option("least-leakage", least, balance=0.2, seen_authors=seen), *others)
    return Design(4, 100, 0.6, 0.2, options, np.zeros(10, dtype=np.int64), ())


def test_the_largest_clear_option_or_else_the_least_similar():
    samples = (an_option("hits", 0.5, documents=40), an_option("hits", 0.55, documents=60), an_option("hits", 0.7))
    assert a_design(0.8, 0.4, *samples).largest_clear("hits") is samples[1]
    assert a_design(0.8, 0.4, samples[2], an_option("hits", 0.9)).largest_clear("hits") is samples[2]


def test_progress_is_told_and_too_many_folds_are_refused(courier):
    corpus, _, space = courier
    with pytest.raises(SettingError, match="k = 30, but 24 topics have enough documents"):
        design_options(corpus, space, k=30)
    told: list[str] = []
    design_options(
        corpus,
        space,
        k=23,
        random=1,
        constraints=Constraints(1.0),
        progress=lambda done, total, label, left: told.append(label),
    )
    assert {"least-leakage folds", "the optimum for each m"} <= set(told)


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(8), 6)
    means = rng.normal(size=(8, 12))
    means[1] = means[0] + 0.1 * rng.normal(size=12)  # near twins
    vectors = means[codes] + 0.5 * rng.normal(size=(48, 12))
    corpus = make_corpus([f"text {row}" for row in range(48)], [f"t{code}" for code in codes])
    return corpus, topic_space(vectors, corpus.topic_codes, corpus.topic_names)


def measure(made, *, high: float | None = None) -> Measure:
    corpus, space = made
    ends = None if high is None else np.full((8, 8), high)
    none = np.zeros((1, 8))
    bootstrap = None if high is None else Bootstrap(ends, ends, none.astype(np.int64), none, none[:, 0])
    return Measure(corpus, space, 2, Constraints(), 0.9, bootstrap)


def test_a_near_twin_pair_in_a_sample_counts_in_whatever_fold_the_split_puts_it(made):
    _, space = made
    sample = make_sample(space.similarity, np.array([0, 1, 4, 6]))
    found = [measure(made).sample("hits", sample, m=4, seed=seed) for seed in range(6)]
    together = [random_folds(np.sort(sample.selected), k=2, seed=seed)[[0, 1]] for seed in range(6)]
    assert any(one == two for one, two in together), "some split has them in one fold"
    assert {option.near_twins for option in found} == {1} and not any(option.clear for option in found)
    assert {option.max for option in found} == {space.similarity[0, 1]}


def test_topics_merged_into_one_are_never_separated(made):
    _, space = made
    sample = make_sample(space.similarity, np.array([0, 2, 4, 6]), policy="grouping")
    assert sample.assigned[1] == 0
    option = measure(made).sample("grouping", sample, m=4, seed=0)
    assert option.near_twins == 0 and option.max < space.similarity[0, 1]


def test_folds_that_are_chosen_count_their_own_pairs(made):
    together = measure(made).option("least-leakage", np.array([0, 0, 0, 0, 1, 1, 1, 1]), balance=0.2)
    apart = measure(made).option("least-leakage", np.array([0, 1, 0, 0, 1, 0, 1, 1]), balance=0.2)
    assert (together.near_twins, apart.near_twins) == (0, 1)
    assert apart.max == made[1].similarity[0, 1] > together.max


def test_pairs_in_doubt_are_counted_where_intervals_are_known(made):
    fold_of = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    for high, twins, one in ((None, 0, 0), (0.85, 0, 0), (0.92, 16, 0), (0.96, 16, 16)):
        option = measure(made, high=high).option("least-leakage", fold_of, balance=0.2)
        assert (option.perhaps_twins, option.perhaps_one, option.near_twins) == (twins, one, 0)
        assert option.clear == (one == 0)


def test_what_is_unknown_is_not_clear(made):
    option = measure(made).option("least-leakage", np.array([0, 0, 0, 0, 1, 1, 1, 1]), balance=0.2)
    assert option.clear and not replace(option, max=float("nan")).clear


def test_every_random_split_of_all_topics_may_separate_the_same(made):
    splits = measure(made).random_splits(range(5))
    assert {(split.near_twins, split.clear) for split in splits} == {(1, False)}
    assert len({split.max for split in splits}) > 1, "though not every split does"


def test_the_kinds_are_splits_samplers_policies_and_least_leakage():
    kinds = split_kinds()
    assert list(kinds) == ["random", "hits", "minimax", "grouping", "hybrid", "least-leakage"]
    assert [(kind.sampler, kind.policy) for kind in kinds.values()] == [
        (None, "cutting"),
        ("hits", "cutting"),
        ("minimax", "cutting"),
        ("hits", "grouping"),
        ("hits", "hybrid"),
        (None, "cutting"),
    ]
    assert [name for name, kind in kinds.items() if kind.chooses] == ["hits", "minimax"]
    assert [name for name, kind in kinds.items() if kind.reference] == ["hits", "grouping", "hybrid"]
    with pytest.raises(SettingError, match="No kind of split is called 'hit'. Did you mean 'hits'?"):
        split_kind("hit")


@pytest.mark.parametrize("incomparable", [False, True])
def test_what_is_added_to_the_registries_is_designed_labelled_drawn_and_told(monkeypatch, incomparable):
    rows = rows_of(topics=7, authors=3, each=3)
    if incomparable:
        rows.append({"id": "lone", "text": "one text", "topic": "zoo", "author": "author 0"})
    corpus = corpus_of(rows)
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(len(corpus.topic_names), 5))[corpus.topic_codes] + 0.5 * rng.normal(
        size=(len(corpus), 5)
    )
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)

    def last(similarity, m):
        return np.flatnonzero(~np.isnan(np.diag(similarity)))[-m:]

    monkeypatch.setitem(SAMPLERS, "last", Sampler("the last", "The last topics by name.", None, choose=last))
    farther = Policy("The less similar join.", lambda nearest, threshold: nearest < threshold, takes_threshold=True)
    monkeypatch.setitem(POLICIES, "reverse", farther)
    design = design_options(corpus, space, k=3, random=2)
    labels = {kind: option_label(design.of(kind)[0]) for kind in ("last", "reverse")}
    assert labels == {"last": "The last, m = 3", "reverse": "HITS, reverse, m = 3"}
    assert list(design.of_each_kind) == list(split_kinds())
    for option in (*design.of("last"), *design.of("reverse")):
        fold_of = option_folds(corpus, space, option, k=3, constraints=Constraints())
        assert corpus.topic_sizes[fold_of >= 0].sum() == option.documents
    said = methods_paragraph(corpus, space, design.of("last")[0], k=3, encoder="LSA")
    assert (
        " 3 topics were chosen (the last: the last topics by name). They were assigned to 3 folds at random (seed 0)."
        in said
    )
    assert "sawatphol" not in references(design.of("last")[0]) and "sawatphol" in references(design.of("reverse")[0])
    figure = plots.options(design, recommended(design), kind=space.kind)
    looks = {trace.name: (trace.marker.color, trace.marker.symbol) for trace in figure.data}
    assert {"The last", "HITS, reverse"} <= looks.keys() and len({*looks.values()}) == len(looks)


@pytest.fixture(scope="module")
def chosen_files():
    corpus = corpus_of(rows_of(topics=8, authors=3, each=3))
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(8, 5))[corpus.topic_codes] + 0.6 * rng.normal(size=(len(corpus), 5)) + 0.4
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    return corpus, space, design_options(corpus, space, k=3, random=4)


def test_every_option_gives_the_folds_it_was_measured_on(chosen_files):
    corpus, space, design = chosen_files
    assert {option.kind for option in design.options} == set(split_kinds())
    for option in design.options:
        fold_of = option_folds(corpus, space, option, k=3, constraints=Constraints())
        kept = fold_of >= 0
        assert corpus.topic_sizes[kept].sum() == option.documents
        across = np.where(fold_of[:, None] != fold_of, space.similarity, np.nan)
        highest = known_max(across[np.ix_(kept, kept)])
        if option.kind in ("random", "least-leakage"):
            assert highest == pytest.approx(option.max)
        else:
            assert highest <= option.max + 1e-9, "of a sample, the highest in whatever deal"
        assert set(fold_of[kept]) == {0, 1, 2}


def test_what_models_are_run_on_is_the_split_that_was_chosen(chosen_files):
    corpus, space, design = chosen_files
    vectors = np.zeros((len(corpus), 2), dtype=np.float32)
    vectors[:, 0] = 1.0
    for option in design.options:
        fold_of = option_folds(corpus, space, option, k=3, constraints=Constraints())
        kind, line = split_kind(option.kind), merging_threshold(design.threshold)
        sampler = "none" if kind.sampler is None else kind.sampler
        setup = make_setup(corpus, vectors, space, sampler=sampler, m=option.m, policy=kind.policy, threshold=line)
        if option.kind == "least-leakage":
            folds = make_folds(
                corpus, scheme="least-leakage", k=3, seed=0, space=space, constraints=Constraints(option.balance)
            )
        else:
            folds = make_folds(setup.corpus, scheme="topic-kfold", k=3, seed=option.seed)
        sides = {frozenset(setup.corpus.ids[row] for row in fold.test) for fold in folds}
        expected = {frozenset(np.array(corpus.ids)[fold_of[corpus.topic_codes] == fold].tolist()) for fold in range(3)}
        assert sides == expected, option_label(option)


@pytest.mark.parametrize("format", FORMATS)
def test_the_file_reads_back_with_its_folds(chosen_files, tmp_path, format):
    corpus, space, design = chosen_files
    option = design.of("hits")[0]
    fold_of = option_folds(corpus, space, option, k=3, constraints=Constraints())
    file = tmp_path / f"split.{format}"
    file.write_bytes(FORMATS[format](folds_table(corpus, fold_of)))
    again = read_corpus(file)
    table = folds_table(corpus, fold_of)
    assert len(again) == option.documents == len(table) and set(table["fold"]) == {1, 2, 3}
    topics = {name: int(fold) + 1 for name, fold in zip(space.names, fold_of, strict=True)}
    assert all(topics[topic] == fold for topic, fold in zip(table["topic"], table["fold"], strict=True))


def test_a_column_of_sides_tests_fold_1_and_reads_back_as_a_split(chosen_files, tmp_path):
    corpus, space, design = chosen_files
    fold_of = option_folds(corpus, space, design.of("hits")[0], k=3, constraints=Constraints())
    table = folds_table(replace(corpus, splits=("train",) * len(corpus)), fold_of, column="split")
    folds = folds_table(replace(corpus, splits=("train",) * len(corpus)), fold_of)
    assert "split" not in folds, "the old split beside the folds would be taken for theirs"
    assert table["split"].tolist() == ["test" if fold == 1 else "train" for fold in folds["fold"]]
    assert "fold" not in table and set(table["split"]) == {"test", "train"}
    file = tmp_path / "split.csv"
    file.write_bytes(FORMATS["csv"](folds_table(corpus, fold_of, column="split")))
    own = own_split(read_corpus(file)).folds[0]
    assert len(own.test) == (folds["fold"] == 1).sum() and not np.intersect1d(own.train_topics, own.test_topics).size
    with pytest.raises(SettingError, match="No column of folds is called 'folds'. Did you mean 'fold'?"):
        folds_table(corpus, fold_of, column="folds")


def test_settings_are_json_and_name_every_topics_fold(chosen_files):
    corpus, space, design = chosen_files
    option = design.of("hits")[0]
    fold_of = option_folds(corpus, space, option, k=3, constraints=Constraints())
    settings = split_settings(corpus, space, option, fold_of, k=3, constraints=Constraints(), more={"encoder": "x"})
    again = json.loads(json.dumps(settings, allow_nan=False))
    assert again["folds"].keys() == set(space.names) and again["option"]["m"] == option.m and again["k"] == 3
    assert sum(fold is not None for fold in again["folds"].values()) == option.topics


def test_the_paragraph_says_what_was_done_for_every_kind(chosen_files):
    corpus, space, design = chosen_files
    for kind, words in {
        "random": "assigned to 3 folds at random (seed 0)",
        "hits": "heterogeneity-informed topic sampling",
        "minimax": "by integer programming",
        "grouping": "merged into the most similar",
        "hybrid": f"at least {merging_threshold(design.threshold):.2f} to one of them was merged into the most similar. "
        "The rest were dropped",
        "least-leakage": "as low as possible. We required that no fold exceeds the mean size by more than",
    }.items():
        option = design.of(kind)[0]
        said = methods_paragraph(corpus, space, option, k=3, encoder="LSA")
        assert words in said and f"{option.documents:,} of {len(corpus):,} documents" in said and "vectors: LSA" in said
        assert ("sawatphol" in references(option)) == ("Sawatphol" in said)
        assert option_label(option).startswith(split_kind(kind).label)
        assert "are in one fold" not in said
        unknown = replace(option, max=float("nan"), nearest_mean=float("nan"))
        assert "nan" not in methods_paragraph(corpus, space, unknown, k=3, encoder="LSA")


def test_the_paragraph_names_the_constraints_of_least_leakage_folds_and_of_no_others(chosen_files):
    corpus, space, design = chosen_files
    one, two, three, four, five = space.names[:5]
    constraints = Constraints(0.5, 0.25, ((one, two, three), (four, five)), ((one, four),))
    option = next(each for each in design.of("least-leakage") if each.balance == 0.5)
    said = methods_paragraph(corpus, space, option, k=3, encoder="LSA", constraints=constraints)
    for words in (
        "that no fold exceeds the mean size by more than 50%, at least 25% of the test documents are by authors of training",
        f"'{one}', '{two}' and '{three}' are in one fold, '{four}' and '{five}' are in one fold",
        f"and '{one}' and '{four}' are in different folds. This was solved to proven optimality.",
    ):
        assert words in said
    other = methods_paragraph(corpus, space, design.of("random")[0], k=3, encoder="LSA", constraints=constraints)
    assert "fold" in other and "are in one fold" not in other and "at least" not in other


def test_the_options_say_that_a_search_stopped_early(courier, design, monkeypatch):
    assert not any(note.code == "search stopped" for note in design.notes)
    monkeypatch.setattr("core.topics.minimax.MOST_COLOURED", 1)
    monkeypatch.setattr("core.topics.minimax.MOST_WORK", 0)
    monkeypatch.setattr("core.topics.minimax.MOST_STEPS", 4)
    corpus, _, space = courier
    assert any(
        note.code == "search stopped" and note.values[0] == "Minimax"
        for note in design_options(corpus, space, k=6, random=1).notes
    )


def test_the_mean_across_folds_is_that_of_the_pairs_across(courier):
    corpus, _, space = courier
    unknown = space.similarity.copy()
    unknown[3], unknown[:, 3] = np.nan, np.nan
    for similarity in (space.similarity, unknown):
        measure = Measure(corpus, replace(space, similarity=similarity), 4, Constraints(), 0.9, None)
        fold_of = random_folds(np.arange(len(space)), k=4, seed=1)
        across = similarity[fold_of[:, None] != fold_of]
        assert measure.option("random", fold_of).mean == pytest.approx(np.nanmean(across), abs=1e-12)
        assert measure.option("random", fold_of).max == np.nanmax(across)
