"""`simulate`: how often tests err, by simulated groups, on made networks or on networks of one's own."""

import argparse
from collections.abc import Mapping

from ..arrays import Floats
from ..demo import bundled_network
from ..errors import SettingError, unknown
from ..formats import counted, percent
from ..statistics.simulation import (
    PAIR,
    RELATIONAL,
    RESAMPLING,
    GroupSettings,
    NetworkProfile,
    NetworkRates,
    OwnRates,
    Type1,
    network_profile,
    own_rates,
    own_rates_sentence,
    profile_conclusion,
    rates_when_equal,
    rejection_sentence,
    type1_rates,
)
from ..studies import OwnNetwork, read_network
from .options import (
    Answer,
    defined,
    seed,
)
from .screen import progress

PAPER = GroupSettings()
TRIALS = {"type1": 1_000, "network": 50}
TEST, LABEL = "paired", "the paired t-test"


def add_options(command: argparse.ArgumentParser) -> None:
    """What is simulated, under which scheme, how often."""
    about = "type1: by simulated groups; network: relational classifiers, on made networks or with --edges on your own"
    command.add_argument("what", metavar="WHAT", choices=tuple(TRIALS), help=about)
    names = ", ".join(RESAMPLING)
    command.add_argument("--scheme", metavar="NAME", help=f"one of {names} (network: all unless named)")
    command.add_argument("--labelled", type=float, metavar="P", help="share labelled, between 0 and 1 (network: 0.3)")
    command.add_argument("--trials", type=int, metavar="N", help="(default: 1,000 for type1, 50 for network)")
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="(default: 0)")
    groups = command.add_argument_group("type1")
    groups.add_argument("--error", type=float, default=PAPER.error, metavar="P", help="error rate (default: 0.1)")
    about = "error correlation (default: 0.9)"
    groups.add_argument("--correlation", type=float, default=PAPER.correlation, metavar="C", help=about)
    groups.add_argument("--instances", type=int, default=PAPER.instances, metavar="N", help="(default: 300)")
    groups.add_argument("--groups", type=int, default=PAPER.groups, metavar="G", help="(default: 10)")
    networks = command.add_argument_group("network")
    about = "a table with the columns source and target, or the word demo (the bundled network)"
    networks.add_argument("--edges", metavar="FILE", help=about)
    networks.add_argument("--labels", metavar="FILE", help="a table with the columns node, label and perhaps part")
    about = "a class to be told from the others; may be given several times (default: the largest)"
    networks.add_argument("--positive", action="append", metavar="CLASS", help=about)
    about = f"two of {', '.join(RELATIONAL)} (default: {','.join(PAIR)})"
    networks.add_argument("--models", default=",".join(PAIR), metavar="A,B", help=about)
    networks.add_argument("--nodes", type=int, default=300, metavar="N", help="of a made network (default: 300)")
    about = "share of the worse model's predictions to flip on made networks, for power (default: 0)"
    networks.add_argument("--perturbation", type=float, default=0.0, metavar="P", help=about)


def run(options: argparse.Namespace) -> Answer:
    """How often the paired and unpaired t-test and Wilcoxon's call equally good classifiers different."""
    trials = TRIALS[options.what] if options.trials is None else options.trials
    if options.scheme is not None and options.scheme not in RESAMPLING:
        raise unknown("resampling scheme", options.scheme, RESAMPLING)
    if options.what == "type1":
        return _groups(options, trials)
    labelled = 0.3 if options.labelled is None else options.labelled
    schemes = list(RESAMPLING) if options.scheme is None else [options.scheme]
    names = [name.strip() for name in options.models.split(",")]
    if len(names) != 2:
        raise SettingError(f"{counted(len(names), 'classifier')} in --models; name two, such as {','.join(PAIR)}.")
    models = names[0], names[1]
    if (options.edges is None) != (options.labels is None) and options.edges != "demo":
        raise SettingError("A network is two tables: give both --edges and --labels, or neither for made networks.")
    if options.edges is None:
        return _made(options, schemes, labelled, models, trials)
    network = bundled_network() if options.edges == "demo" else read_network(options.edges, options.labels)
    return _own(network, options, schemes, labelled, models, trials)


def _groups(options: argparse.Namespace, trials: int) -> Answer:
    for name in ("scheme", "labelled"):
        if getattr(options, name) is None:
            raise SettingError(
                f"type1 needs --{name}; schemes are {', '.join(RESAMPLING)}, shares lie between 0 and 1."
            )
    found = type1_rates(
        options.scheme,
        labelled=options.labelled,
        trials=trials,
        seed=options.seed,
        settings=GroupSettings(options.error, options.correlation, options.instances, options.groups),
        progress=progress,
    )
    return {
        "sentence": _sentence({options.scheme: found}),
        **_rates(found),
        "trials": found.trials,
        "error_correlation": defined(found.error_correlation),
        "notes": list(found.notes),
    }


def _made(
    options: argparse.Namespace, schemes: list[str], labelled: float, models: tuple[str, str], trials: int
) -> Answer:
    found = {}
    for done, scheme in enumerate(schemes, start=1):
        found[scheme] = rates_when_equal(
            scheme,
            labelled,
            trials=trials,
            seed=options.seed,
            perturbation=options.perturbation,
            models=models,
            nodes=options.nodes,
        )
        progress(done, len(schemes), "schemes", None)
    first = next(iter(found.values()))
    sentence = _sentence(found)
    if options.perturbation:
        power = "; ".join(f"{scheme.upper()} {percent(each.rates[TEST])}" for scheme, each in found.items())
        sentence = (
            f"A true difference of {100 * first.difference:.1f} points is found by {LABEL} in so many studies: {power}."
        )
    return {
        "sentence": sentence,
        "nodes": options.nodes,
        "labelled": labelled,
        "models": list(models),
        "schemes": {
            scheme: _rates(each) | {"difference": each.difference, "error_correlation": defined(each.error_correlation)}
            for scheme, each in found.items()
        },
        "autocorrelation": defined(first.autocorrelation),
        "trials": trials,
        "notes": list(dict.fromkeys(note for each in found.values() for note in each.notes)),
    }


def _sentence(found: Mapping[str, Type1 | NetworkRates]) -> str:
    known = {scheme.upper(): (each.rates[TEST], each.intervals[TEST]) for scheme, each in found.items()}
    return rejection_sentence(known, test=LABEL)


def _rates(found: Type1 | NetworkRates | OwnRates) -> Answer:
    return {
        "rates": {name: defined(rate) for name, rate in found.rates.items()},
        "intervals": {name: list(interval) for name, interval in found.intervals.items()},
    }


def _own(
    network: OwnNetwork,
    options: argparse.Namespace,
    schemes: list[str],
    labelled: float,
    models: tuple[str, str],
    trials: int,
) -> Answer:
    positive = options.positive or list(network.usual_positive)
    parts = network.networks(positive)
    profiles = [network_profile(each, seed=options.seed) for each in parts]
    found = {}
    for done, scheme in enumerate(schemes, start=1):
        found[scheme] = own_rates(parts, scheme, labelled, models=models, trials=trials, seed=options.seed)
        progress(done, len(schemes), "schemes", None)
    said = profile_conclusion(profiles)
    notes = [*network.notes, *(note for each in found.values() for note in each.notes)]
    return {
        "sentence": f"{own_rates_sentence(found, test=TEST, label=LABEL)} {said.answer}",
        "nodes": len(network),
        "links": len(network.links),
        "classes": list(network.classes),
        "positive": positive,
        "labelled": labelled,
        "models": list(models),
        "networks": {name: _profile(each) for name, each in zip(network.parts, profiles, strict=True)},
        "schemes": {scheme: _rates(each) | _by_network(network, each) for scheme, each in found.items()},
        "held_out": next(iter(found.values())).held_out,
        "trials": trials,
        "notes": list(dict.fromkeys(notes)),
    }


def _profile(each: NetworkProfile) -> Answer:
    classifiers = {
        name: {way: _means(each, row, column) for column, way in enumerate(("alone", "collective"))}
        for row, name in enumerate(each.models)
    }
    return {
        "nodes": each.nodes,
        "links": each.links,
        "positives": each.positives,
        "autocorrelation": defined(each.autocorrelation),
        "error_correlation": defined(each.error_correlation),
        "classifiers": classifiers,
    }


def _means(each: NetworkProfile, row: int, column: int) -> Answer:
    """Means over the shares labelled."""
    accuracy, phi = each.means
    return {"accuracy": defined(float(accuracy[row, column])), "error_correlation": defined(float(phi[row, column]))}


def _by_network(network: OwnNetwork, each: OwnRates) -> Answer:
    def named(values: Floats) -> dict[str, float]:
        return {part: float(value) for part, value in zip(network.parts, values, strict=True)}

    return {"by_network": named(each.by_network[TEST]), "difference": named(each.difference)}
