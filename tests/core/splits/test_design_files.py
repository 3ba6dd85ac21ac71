"""A chosen split as files: every option gives the folds it was measured on, and the words say what was done."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.arrays import known_max
from core.corpora.readers import read_corpus
from core.errors import SettingError
from core.splits import (
    Wishes,
    design_options,
    folds_table,
    make_folds,
    merging_line,
    methods_paragraph,
    option_folds,
    option_label,
    own_split,
    references,
    split_kind,
    split_kinds,
    split_settings,
)
from core.topics import FORMATS, make_setup, topic_space
from tests.core.spies import corpus_of, rows_of


@pytest.fixture(scope="module")
def made():
    corpus = corpus_of(rows_of(topics=8, authors=3, each=3))
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(8, 5))[corpus.topic_codes] + 0.6 * rng.normal(size=(len(corpus), 5)) + 0.4
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    return corpus, space, design_options(corpus, space, k=3, random=4)


def test_every_option_gives_the_folds_it_was_measured_on(made):
    corpus, space, design = made
    assert {option.kind for option in design.options} == set(split_kinds())
    for option in design.options:
        fold_of = option_folds(corpus, space, option, k=3, wishes=Wishes())
        kept = fold_of >= 0
        assert corpus.topic_sizes[kept].sum() == option.documents
        across = np.where(fold_of[:, None] != fold_of, space.similarity, np.nan)
        highest = known_max(across[np.ix_(kept, kept)])
        if option.kind in ("random", "least-leakage"):
            assert highest == pytest.approx(option.max)
        else:
            assert highest <= option.max + 1e-9, "of a sample, the highest in whatever deal"
        assert set(fold_of[kept]) == {0, 1, 2}


def test_what_models_are_run_on_is_the_split_that_was_chosen(made):
    corpus, space, design = made
    vectors = np.zeros((len(corpus), 2), dtype=np.float32)
    vectors[:, 0] = 1.0
    for option in design.options:
        fold_of = option_folds(corpus, space, option, k=3, wishes=Wishes())
        kind, line = split_kind(option.kind), merging_line(design.line)
        sampler = "none" if kind.sampler is None else kind.sampler
        setup = make_setup(corpus, vectors, space, sampler=sampler, m=option.m, policy=kind.policy, threshold=line)
        if option.kind == "least-leakage":
            folds = make_folds(corpus, scheme="least-leakage", k=3, seed=0, space=space, wishes=Wishes(option.balance))
        else:
            folds = make_folds(setup.corpus, scheme="topic-kfold", k=3, seed=option.seed)
        sides = {frozenset(setup.corpus.ids[row] for row in fold.test) for fold in folds}
        expected = {frozenset(np.array(corpus.ids)[fold_of[corpus.topic_codes] == fold].tolist()) for fold in range(3)}
        assert sides == expected, option_label(option)


@pytest.mark.parametrize("format", FORMATS)
def test_the_file_reads_back_with_its_folds(made, tmp_path, format):
    corpus, space, design = made
    option = design.of("hits")[0]
    fold_of = option_folds(corpus, space, option, k=3, wishes=Wishes())
    file = tmp_path / f"split.{format}"
    file.write_bytes(FORMATS[format](folds_table(corpus, fold_of)))
    again = read_corpus(file)
    table = folds_table(corpus, fold_of)
    assert len(again) == option.documents == len(table) and set(table["fold"]) == {1, 2, 3}
    topics = {name: int(fold) + 1 for name, fold in zip(space.names, fold_of, strict=True)}
    assert all(topics[topic] == fold for topic, fold in zip(table["topic"], table["fold"], strict=True))


def test_a_column_of_sides_tests_fold_1_and_reads_back_as_a_split(made, tmp_path):
    corpus, space, design = made
    fold_of = option_folds(corpus, space, design.of("hits")[0], k=3, wishes=Wishes())
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


def test_settings_are_json_and_name_every_topics_fold(made):
    corpus, space, design = made
    option = design.of("hits")[0]
    fold_of = option_folds(corpus, space, option, k=3, wishes=Wishes())
    settings = split_settings(corpus, space, option, fold_of, k=3, wishes=Wishes(), more={"encoder": "x"})
    again = json.loads(json.dumps(settings, allow_nan=False))
    assert again["folds"].keys() == set(space.names) and again["option"]["m"] == option.m and again["k"] == 3
    assert sum(fold is not None for fold in again["folds"].values()) == option.topics


def test_the_paragraph_says_what_was_done_for_every_kind(made):
    corpus, space, design = made
    for kind, words in {
        "random": "dealt into 3 folds at random",
        "hits": "heterogeneity-informed topic sampling",
        "least-maximum": "by integer programming",
        "grouping": "merged into the most similar",
        "hybrid": f"at least {merging_line(design.line):.2f} alike to one of them was merged into the most similar, and the "
        "others dropped",
        "least-leakage": "as low as possible while no fold exceeds the mean size by more than",
    }.items():
        option = design.of(kind)[0]
        said = methods_paragraph(corpus, space, option, k=3, encoder="LSA")
        assert words in said and f"{option.documents:,} of {len(corpus):,} documents" in said and "vectors: LSA" in said
        assert ("sawatphol" in references(option)) == ("Sawatphol" in said)
        assert option_label(option).startswith(split_kind(kind).label)
        assert "are in one fold" not in said
        unknown = replace(option, max=float("nan"), nearest_mean=float("nan"))
        assert "nan" not in methods_paragraph(corpus, space, unknown, k=3, encoder="LSA")


def test_the_paragraph_names_what_was_wished_of_least_leakage_folds_and_of_no_others(made):
    corpus, space, design = made
    one, two, three, four, five = space.names[:5]
    wishes = Wishes(0.5, 0.25, ((one, two, three), (four, five)), ((one, four),))
    option = next(each for each in design.of("least-leakage") if each.balance == 0.5)
    said = methods_paragraph(corpus, space, option, k=3, encoder="LSA", wishes=wishes)
    for words in (
        "while no fold exceeds the mean size by more than 50 %, at least 25 % of the test documents are by authors of training",
        f"'{one}', '{two}' and '{three}' are in one fold, '{four}' and '{five}' are in one fold",
        f"and '{one}' and '{four}' are in different folds, which was solved to proven optimality.",
    ):
        assert words in said
    other = methods_paragraph(corpus, space, design.of("random")[0], k=3, encoder="LSA", wishes=wishes)
    assert "fold" in other and "are in one fold" not in other and "at least" not in other
