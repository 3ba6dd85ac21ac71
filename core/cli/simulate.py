"""`simulate`: how often tests err with simulated groups, on synthetic networks or on your own."""

import argparse

from ..demo import bundled_network
from ..errors import SettingError
from ..papers.neville_2012 import (
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
from .questions import add_settings, given_settings

OF_BOTH = ("scheme", "labelled", "trials", "seed")


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what is simulated, under which scheme, how often."""
    about = (
        "type1: simulated groups; network: relational classifiers on synthetic networks, or on your own with --edges"
    )
    command.add_argument("what", metavar="WHAT", choices=("type1", "network"), help=about)
    add_settings(command, groups.GroupPointSettings, only=OF_BOTH)
    of_groups = command.add_argument_group("type1")
    add_settings(of_groups, groups.GroupPointSettings, but=OF_BOTH)
    of_networks = command.add_argument_group("network")
    about = "a table with the columns source and target, or demo for the bundled network"
    of_networks.add_argument("--edges", metavar="FILE", help=about)
    of_networks.add_argument(
        "--labels", metavar="FILE", help="a table with the columns node, label and, if you like, part"
    )
    add_settings(of_networks, networks.NetworkPointSettings, but=OF_BOTH)


def run(options: argparse.Namespace) -> Answer:
    """Count how often tests call equally good classifiers different."""
    if options.what == "type1":
        return _groups(options)
    given = given_settings(networks.NetworkPointSettings, options)
    networks.NetworkPointSettings.check_early(given)
    if (options.edges is None) != (options.labels is None) and options.edges != "demo":
        raise SettingError(
            "A network is two tables: give both --edges and --labels, or neither for synthetic networks."
        )
    if options.edges is None:
        return _on_synthetic(networks.NetworkPointSettings.resolve(None, given))
    network = bundled_network() if options.edges == "demo" else read_network(options.edges, options.labels)
    return _own(network, networks.NetworkPointSettings.resolve(network, given))


def _groups(options: argparse.Namespace) -> Answer:
    settings = groups.GroupPointSettings.resolve(None, given_settings(groups.GroupPointSettings, options))
    for name in ("scheme", "labelled"):
        if getattr(settings, name) is None:
            choices = f"one of {', '.join(RESAMPLING)}" if name == "scheme" else "a share between 0 and 1"
            raise SettingError(f"type1 needs --{name}. Choose {choices}.")
    found = type1_rates(
        settings.scheme,
        labelled=settings.labelled,
        trials=settings.trials,
        seed=settings.seed,
        settings=GroupSettings(settings.error, settings.correlation, settings.instances, settings.groups),
        progress=progress,
    )
    return groups.answer_at(found, settings)


def _on_synthetic(settings: networks.NetworkPointSettings) -> Answer:
    check_models(settings.models)
    found = {}
    for done, scheme in enumerate(settings.schemes, start=1):
        found[scheme] = rates_when_equal(
            scheme,
            settings.labelled,
            trials=settings.trials,
            seed=settings.seed,
            perturbation=settings.perturbation,
            models=settings.models,
            nodes=settings.nodes,
        )
        progress(done, len(settings.schemes), "schemes", None)
    return networks.answer_synthetic_at(found, settings)


def _own(network: OwnNetwork, settings: networks.NetworkPointSettings) -> Answer:
    check_models(settings.models)
    parts, seed = network.networks(settings.positive), settings.seed
    profiles = dict(zip(network.parts, (network_profile(each, seed=seed) for each in parts), strict=True))
    found = {}
    for done, scheme in enumerate(settings.schemes, start=1):
        found[scheme] = own_rates(
            parts, scheme, settings.labelled, models=settings.models, trials=settings.trials, seed=seed
        )
        progress(done, len(settings.schemes), "schemes", None)
    return networks.answer_at(network, profiles, found, settings)
