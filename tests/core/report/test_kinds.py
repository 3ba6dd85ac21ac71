"""Results from a file that anybody may have forged: whatever is cut, swapped or out of range is a sentence, or fits nothing."""

import json
from copy import deepcopy
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from core.corpora.readers import File
from core.errors import InputError, LeakscopeError
from core.evaluation import difference_sources, dose_effects, swap_effects
from core.report import SAVED, fitted, open_project
from core.report.kinds import check
from core.report.records import from_json, to_json
from core.splits import (
    Wishes,
    audit_split,
    design_options,
    make_folds,
    make_swaps,
    mend_split,
    near_copies,
)
from core.statistics.simulation import PAIR, network_profile, own_rates, rates_when_equal, type1_rates
from core.studies import (
    FoldPlan,
    Inputs,
    categorize_file,
    place_on_dial,
    read_comparison_table,
    read_network,
    run_experiment,
)
from core.topics import SAMPLERS, find_topics, hits_path, map_layout, optimum_curve, topic_space
from core.vectors import VectorStore, embed, make_encoder
from tests.core.report.made import NETWORK, SCORES, labelled_file, made
from tests.core.report.test_project import changed, saved

MOST = 400  # changes of one result


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """One result of every kind, with what its function was called with."""
    corpus = made(6, 8, authors=4, split=True)
    vectors = embed(corpus, make_encoder("lsa"))
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names)
    path, wishes = hits_path(space.similarity), Wishes(0.5)
    swaps = make_swaps(corpus, space, draws=1, seed=0, most=2)
    models = {"task": "attribution", "models": ["topic_fit"]}
    network = read_network(*(File(name, content) for name, content in NETWORK.items()))
    parts = network.networks(network.usual_positive)
    store = VectorStore(tmp_path_factory.mktemp("store"))
    given = Inputs(corpus, vectors, space, path, 4, FoldPlan(2), None, {}, store)
    whole = make_folds(corpus, scheme="topic-kfold", k=2, seed=0)
    calls = {
        "maps": (map_layout, (vectors.matrix, corpus.topic_codes, space), {"method": "pca"}),
        "designs": (design_options, (corpus, space), {"k": 2, "wishes": wishes}),
        "split audits": (audit_split, (corpus, vectors.matrix, space), {}),
        "mended splits": (mend_split, (corpus, vectors.matrix, space), {}),
        "near copies": (near_copies, (corpus.texts,), {"threshold": 0.1}),
        "optima": (optimum_curve, (space.similarity,), {}),
        "places": (place_on_dial, (corpus,), {}),
        "topics": (find_topics, (corpus, vectors.matrix), {"method": "k-means", "k": 3}),
        "swaps": (swap_effects, (corpus, swaps), models),
        "sources": (difference_sources, (corpus, whole, [whole, whole]), models),
        "experiments": (run_experiment, ("closest", given), {}),
        "simulations": (type1_rates, ("ncv",), {"labelled": 0.5, "trials": 5, "seed": 0}),
        "networks": (rates_when_equal, ("ncv", 0.3), {"trials": 2, "seed": 1, "nodes": 60}),
        "network profiles": (network_profile, (parts[0],), {"seed": 0}),
        "own networks": (read_network, tuple(File(*each) for each in NETWORK.items()), {}),
        "own network rates": (own_rates, (parts, "ncv", 0.3), {"models": PAIR, "trials": 2, "seed": 0}),
        "tables": (read_comparison_table, (File("scores.csv", SCORES),), {}),
        "categorizations": (categorize_file, (File("many.csv", labelled_file()),), {"models": ["nb", "knn"]}),
    }
    return {kind: (function(*given, **more), given, more) for kind, (function, given, more) in calls.items()}


def test_there_is_a_result_of_every_kind(computed):
    assert set(computed) == set(SAVED)


@pytest.mark.parametrize("kind", SAVED)
def test_what_was_computed_comes_back_and_fits(kind, computed):
    found, arguments, choices = computed[kind]
    written = json.loads(json.dumps(to_json(SAVED[kind].pack(found))))
    again = from_json(written)
    check(kind, again)
    assert json.dumps(to_json(again)) == json.dumps(written)  # NaN is not NaN
    taken = fitted(kind, again, arguments, choices)
    assert isinstance(taken, type(found))


@pytest.mark.parametrize("name", ["similarity", "left out", "closest"])
def test_every_experiment_fits_under_its_own_name_alone(name, computed):
    _, (_, given), _ = computed["experiments"]
    found = run_experiment(name, given)
    check("experiments", found)
    assert fitted("experiments", found, (name, given), {}) is found
    other = "closest" if name != "closest" else "similarity"
    assert fitted("experiments", found, (other, given), {}) is None


def test_doses_come_back_and_no_other_dose_is_taken_for_one(computed):
    _, (corpus, swaps), models = computed["swaps"]
    doses = {1: swaps}
    found = dose_effects(corpus, doses, **models)
    again = from_json(json.loads(json.dumps(to_json(found))))
    check("swaps", again)
    assert fitted("swaps", again, (corpus, doses), models) is not None
    assert fitted("swaps", again, (corpus, {2: swaps}), models) is None
    assert fitted("swaps", again, (corpus, swaps), models) is None


def places(value, path=()):
    """Every place in JSON at which something can be changed."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in islice(inside, 40):
        yield from places(each, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def mutants(written, rng):
    """The JSON of a result with one thing changed: cut, doubled, swapped, out of range, of another type, gone."""
    every = [path for path in places(written) if path]
    for number in rng.permutation(len(every))[:MOST]:
        *parent, key = every[number]
        old = at(written, every[number])
        bad = [None, "x", -7, 10**6, 1e300, float("nan"), [], {}]
        if isinstance(old, list) and old:
            bad += [old[:-1], [*old, old[-1]], old[::-1]]
        for new in rng.permutation(np.array([*bad, "gone"], dtype=object))[:3]:
            made_one = deepcopy(written)
            holder = at(made_one, parent)
            if isinstance(new, str) and new == "gone":
                del holder[key]
            else:
                holder[key] = new
            yield every[number], new, made_one


@pytest.mark.parametrize("kind", SAVED)
def test_whatever_is_changed_is_a_sentence_or_fits_nothing_or_can_be_taken(kind, computed):
    found, arguments, choices = computed[kind]
    written = json.loads(json.dumps(to_json(SAVED[kind].pack(found))))
    refused = 0
    for path, new, mutant in mutants(written, np.random.default_rng(0)):
        try:
            again = from_json(json.loads(json.dumps(mutant)))
            check(kind, again)
            fitted(kind, again, arguments, choices)
        except LeakscopeError as problem:
            refused += 1
            assert str(problem) and "\n" not in str(problem)
        except Exception as problem:
            pytest.fail(f"{kind}: {path} = {new!r} raised {problem!r}")
    assert refused > 10


@pytest.mark.parametrize("kind", SAVED)
def test_a_result_under_the_name_of_another_kind_is_refused(kind, computed):
    for other in SAVED:
        if not {*SAVED[other].of} & {*SAVED[kind].of}:
            with pytest.raises(InputError, match="not what is kept under"):
                check(kind, SAVED[other].pack(computed[other][0]))
    with pytest.raises(InputError, match="not known here"):
        check("pickles", computed[kind][0])


def test_of_another_corpus_nothing_fits(computed):
    other = made(3, 4, split=True)
    vectors = embed(other, make_encoder("lsa"))
    space = topic_space(vectors.matrix, other.topic_codes, other.topic_names)
    calls = {
        "maps": ((vectors.matrix, other.topic_codes, space), {"method": "pca"}),
        "designs": ((other, space), {"k": 2, "wishes": Wishes(0.5)}),
        "split audits": ((other, vectors.matrix, space), {}),
        "mended splits": ((other, vectors.matrix, space), {}),
        "optima": ((space.similarity,), {}),
        "topics": ((other, vectors.matrix), {"method": "k-means", "k": 3}),
    }
    for kind, (arguments, choices) in calls.items():
        assert fitted(kind, SAVED[kind].pack(computed[kind][0]), arguments, choices) is None, kind


def test_ways_to_split_from_before_a_sampler_was_added_open_and_are_tried_anew(computed, monkeypatch):
    found, arguments, choices = computed["designs"]
    assert fitted("designs", found, arguments, choices) is found
    monkeypatch.setitem(SAMPLERS, "other", replace(SAMPLERS["hits"], label="other"))
    check("designs", found)
    assert fitted("designs", found, arguments, choices) is None


def test_a_forged_result_is_refused_with_what_is_wrong_with_it(computed):
    layout = json.loads(json.dumps(to_json(computed["maps"][0])))
    layout["fields"]["rows"]["values"] = layout["fields"]["rows"]["values"][:-1]
    layout["fields"]["rows"]["shape"] = [len(layout["fields"]["rows"]["values"])]
    forged = changed(saved(made(3, 3)), "results.json", json.dumps([["maps", "key", layout]]).encode())
    with pytest.raises(InputError, match="does not hold together: a map has not two coordinates a document; save"):
        open_project(forged)
