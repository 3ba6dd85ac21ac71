"""`simulate`: how often tests err with simulated groups, on synthetic networks or on your own."""

import argparse

from ..demo import bundled_network
from ..errors import SettingError, unknown
from ..formats import counted
from ..papers.neville_2012 import (
    PAIR,
    RELATIONAL,
    RESAMPLING,
    GroupSettings,
    OwnNetwork,
    check_models,
    network_profile,
    own_rates,
    rates_when_equal,
    read_network,
    type1_rates,
)
from ..questions import groups, networks
from ..render import Answer
from . import progress
from .questions import add_settings, seed

TRIALS = {"type1": 1_000, "network": 50}
TEST = "paired"


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what is simulated, under which scheme, how often."""
    about = (
        "type1: simulated groups; network: relational classifiers on synthetic networks, or on your own with --edges"
    )
    command.add_argument("what", metavar="WHAT", choices=tuple(TRIALS), help=about)
    names = ", ".join(RESAMPLING)
    command.add_argument("--scheme", metavar="NAME", help=f"one of {names} (network: all unless named)")
    command.add_argument("--labelled", type=float, metavar="P", help="share labelled, between 0 and 1 (network: 0.3)")
    command.add_argument("--trials", type=int, metavar="N", help="(default: 1,000 for type1, 50 for network)")
    command.add_argument("--seed", type=seed, default=0, metavar="S", help="(default: 0)")
    of_groups = command.add_argument_group("type1")
    add_settings(of_groups, groups.Settings, only=("error", "correlation", "instances", "groups"), fill=True)
    of_networks = command.add_argument_group("network")
    about = "a table with the columns source and target, or demo for the bundled network"
    of_networks.add_argument("--edges", metavar="FILE", help=about)
    of_networks.add_argument(
        "--labels", metavar="FILE", help="a table with the columns node, label and, if you like, part"
    )
    about = "a class to separate from the others; can be repeated (default: the largest)"
    of_networks.add_argument("--positive", action="append", metavar="CLASS", help=about)
    about = f"two of {', '.join(RELATIONAL)} (default: {','.join(PAIR)})"
    of_networks.add_argument("--models", default=",".join(PAIR), metavar="A,B", help=about)
    add_settings(of_networks, networks.SyntheticSettings, only=("nodes",), fill=True)
    about = "share of the worse model's predictions to flip on synthetic networks, for power (default: 0)"
    of_networks.add_argument("--perturbation", type=float, default=0.0, metavar="P", help=about)


def run(options: argparse.Namespace) -> Answer:
    """Count how often tests call equally good classifiers different."""
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
        raise SettingError(
            "A network is two tables: give both --edges and --labels, or neither for synthetic networks."
        )
    if options.edges is None:
        return _synthetic(options, schemes, labelled, models, trials)
    network = bundled_network() if options.edges == "demo" else read_network(options.edges, options.labels)
    return _own(network, options, schemes, labelled, models, trials)


def _groups(options: argparse.Namespace, trials: int) -> Answer:
    for name in ("scheme", "labelled"):
        if getattr(options, name) is None:
            raise SettingError(
                f"type1 needs --{name}; schemes are {', '.join(RESAMPLING)}, shares lie between 0 and 1."
            )
    names = ("error", "correlation", "instances", "groups", "seed")
    given = {name: getattr(options, name) for name in names} | {"trials": trials}
    settings = groups.Settings.resolve(None, given, command=True)
    found = type1_rates(
        options.scheme,
        labelled=options.labelled,
        trials=trials,
        seed=options.seed,
        settings=GroupSettings(options.error, options.correlation, options.instances, options.groups),
        progress=progress,
    )
    return groups.answer_at(options.scheme, options.labelled, found, settings)


def _synthetic(
    options: argparse.Namespace, schemes: list[str], labelled: float, models: tuple[str, str], trials: int
) -> Answer:
    check_models(models)
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
    settings = networks.SyntheticSettings(models[0], models[1], TEST, options.nodes, trials, labelled, options.seed)
    return networks.answer_synthetic_at(found, settings, perturbation=options.perturbation)


def _own(
    network: OwnNetwork,
    options: argparse.Namespace,
    schemes: list[str],
    labelled: float,
    models: tuple[str, str],
    trials: int,
) -> Answer:
    positive = tuple(options.positive or network.usual_positive)
    parts = network.networks(positive)
    check_models(models)
    profiles = dict(zip(network.parts, (network_profile(each, seed=options.seed) for each in parts), strict=True))
    found = {}
    for done, scheme in enumerate(schemes, start=1):
        found[scheme] = own_rates(parts, scheme, labelled, models=models, trials=trials, seed=options.seed)
        progress(done, len(schemes), "schemes", None)
    settings = networks.Settings(positive, models[0], models[1], TEST, trials, options.seed)
    return networks.answer_at(network, profiles, found, settings, labelled=labelled)
