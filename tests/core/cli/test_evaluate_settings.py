"""Settings of models on the command line: whatever a registry has, and none by its name."""

import os
import re
from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from core.__main__ import parser
from core.cli.evaluate import _use_settings
from core.errors import SettingError
from core.models import ModelKind, setting_variable
from core.models.contract import Settings
from core.models.verification import VERIFIERS, make_verifier
from core.registry import Setting

TRUST = Setting("Share", "How far it trusts itself.")


@dataclass(frozen=True, slots=True)
class Vain(Settings):
    trust: str = field(default_factory=lambda: os.environ.get(setting_variable("vain", "trust"), ""))

    name: ClassVar[str] = "vain"

    def __post_init__(self) -> None:
        if self.trust == "much":
            raise SettingError("'much' is no number.")


@pytest.fixture(autouse=True)
def vain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VERIFIERS, "vain", ModelKind("Vain", "Slow.", Vain, by_choice=True, settings={"trust": TRUST}))
    monkeypatch.setenv(setting_variable("vain", "trust"), "")  # put back at the end of every test


def used(models: list[str], task: str = "verification", trust: str = "0.9") -> tuple[str, ...]:
    command = ["evaluate", "demo", "--task", task, "--models", ",".join(models), "--vain-trust", trust]
    return _use_settings(parser().parse_args(command), models)


def test_the_help_names_what_is_slow_and_what_can_be_set(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        parser().parse_args(["evaluate", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert re.search(r"default: all of the task but luar, [\w, ]*\bvain\b", shown)
    assert "--vain-trust SHARE how far it trusts itself" in shown and "--luar-weights FOLDER a folder of" in shown


def test_a_setting_reaches_the_model_wherever_it_is_made():
    assert used(["vain"]) == ()
    assert make_verifier("vain").trust == os.environ["LEAKSCOPE_VAIN_TRUST"] == "0.9"
    assert '"trust":"0.9"' in make_verifier("vain").key()


def test_what_has_no_effect_is_said_and_what_is_wrong_refused():
    said = "Vain is not among the models, so --vain-trust has no effect; add --models vain."
    assert used(["char_ngram"]) == (said,) == used(["char_svm"], task="attribution")
    assert make_verifier("vain").trust == ""
    with pytest.raises(SettingError, match="no number"):
        used(["vain"], trust="much")
