"""A data card is Croissant that its own library reads, says what the answers say, and leaves other people's fields alone."""

import json

import mlcroissant
import pytest

from core.__main__ import main

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the library's own graph


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    """The card of the bundled corpus, written by the command."""
    target = tmp_path_factory.mktemp("card") / "card.json"
    assert main(["report", "demo", "--croissant", str(target)]) == 0
    return target


def checked(file) -> mlcroissant.Metadata:
    """The card as Croissant's library reads it; errors raise, and only fields that we cannot know are missed."""
    found = mlcroissant.Dataset(str(file)).metadata
    assert not found.ctx.issues.errors
    missed = {warning.split('Property "')[1].split('"')[0].split("/")[-1] for warning in found.ctx.issues.warnings}
    assert missed <= {"citeAs", "datePublished", "license", "version"}
    return found


def told(capsys, *command: str) -> dict:
    assert main([*command, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_croissant_reads_verdict_split_and_advice(card, capsys):
    found = checked(card)
    assert found.conforms_to == ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"]
    verdict, split, design = (told(capsys, name, "demo") for name in ("verdict", "split", "design"))
    assert any(each.endswith(verdict["headline"]) for each in found.data_biases)
    assert any(each.endswith(split["headline"]) for each in found.data_limitations)
    assert any("Near twins in training: 5 of 9" in each for each in found.data_limitations)
    assert any(each.endswith(design["headline"]) for each in found.data_use_cases)
    assert "1,500" in found.description and found.name


def test_an_earlier_card_keeps_its_fields_and_gets_ours_once(card, tmp_path, capsys):
    target = tmp_path / "mine.json"
    mine = {
        "@context": {"@vocab": "https://schema.org/", "mine": "https://example.org/"},
        "@type": "Dataset",
        "name": "mine",
        "license": "https://spdx.org/licenses/MIT",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "rai:dataBiases": "Only one newspaper.",
        "rai:dataCollection": "Written by hand.",
        "mine:colour": "blue",
    }
    target.write_text(json.dumps(mine))
    first = told(capsys, "report", "demo", "--croissant", str(target))
    assert first["fields"] == ["rai:dataBiases", "rai:dataCollection", "rai:dataLimitations", "rai:dataUseCases"]
    once = json.loads(target.read_text())
    assert {name: once[name] for name in ("name", "license", "rai:dataCollection", "mine:colour")} == {
        name: mine[name] for name in ("name", "license", "rai:dataCollection", "mine:colour")
    }
    assert once["rai:dataBiases"] == ["Only one newspaper.", *json.loads(card.read_text())["rai:dataBiases"]]
    assert once["@context"]["mine"] == "https://example.org/"
    assert checked(target).data_collection == "Written by hand."
    told(capsys, "report", "demo", "--croissant", str(target))
    assert json.loads(target.read_text()) == once


def test_another_file_is_not_overwritten(tmp_path, capsys):
    for content in ("[1, 2]", "not json", '{"@type": "Person"}'):
        (tmp_path / "other.json").write_text(content)
        assert main(["report", "demo", "--croissant", str(tmp_path / "other.json")]) == 2
        assert "not a Croissant card of a dataset" in capsys.readouterr().err
        assert (tmp_path / "other.json").read_text() == content
    assert main(["report", "demo"]) == 2
    assert "with --out, or a data card with --croissant" in capsys.readouterr().err
