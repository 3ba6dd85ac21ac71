"""The lock file holds a hash of every pin, and the errand that writes it loses none."""

import os
import re
import subprocess
import tomllib

import pytest
from packaging.requirements import Requirement

from tests.conftest import ROOT
from tests.test_requirements import needed_by
from tools.lock import HEAD, LOCK, PINS, lock_text, locked, pins, plain, reported


def test_every_pin_has_a_hash_and_nothing_else_has():
    found = locked(LOCK.read_text(encoding="utf-8"))
    assert sorted(found) == pins(PINS.read_text(encoding="utf-8")), "run: make lock"
    assert all(found.values())


def test_the_lock_file_holds_nothing_but_what_is_read_from_it():
    text = LOCK.read_text(encoding="utf-8")
    found = locked(text)
    assert text == lock_text(sorted(found), found)


def test_hashes_of_two_platforms_add_up():
    here, there = {"a==1": ["0" * 64]}, {"a==1": ["f" * 64], "b==2": ["1" * 64]}
    assert locked(lock_text(["a==1", "b==2"], here, there)) == {"a==1": ["0" * 64, "f" * 64], "b==2": ["1" * 64]}


def test_hashes_of_an_old_pin_go():
    assert locked(lock_text(["a==2"], {"a==1": ["0" * 64]}, {"a==2": ["1" * 64]})) == {"a==2": ["1" * 64]}


def test_a_pin_without_a_hash_is_no_lock():
    with pytest.raises(KeyError, match="b==2 has no hash"):
        lock_text(["a==1", "b==2"], {"a==1": ["0" * 64]})


def test_a_build_has_the_pin_of_its_version():
    file = {"archive_info": {"hashes": {"sha256": "0" * 64}}}
    report = {"install": [{"metadata": {"name": "Torch_X", "version": "2.13.0+cpu"}, "download_info": file}]}
    assert reported(report) == {"torch-x==2.13.0": ["0" * 64]}


def test_the_image_installs_by_hash_as_somebody_who_is_not_root():
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"pip install .*--require-hashes .*-r requirements\.lock", image)
    lines = image.splitlines()
    users = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert users and users[-1] not in ("root", "0")
    assert lines.index(f"USER {users[-1]}") < next(i for i, line in enumerate(lines) if line.startswith("CMD"))
    assert "/_stcore/health" in image and "HEALTHCHECK" in image
    assert not re.search(r"https?://(?!127\.0\.0\.1)", image), "the image names no host but itself"


def test_python_is_the_same_in_the_image_and_in_the_lock_file():
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (said,) = re.findall(r"Python (\d+\.\d+)", HEAD)
    assert re.findall(r"^FROM python:(\d+\.\d+)", image, flags=re.MULTILINE) == [said]


def test_the_image_leaves_out_what_only_sbert_needs(tmp_path):
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (names,) = re.findall(r'^ARG ONLY_SBERT="(.+)"$', image, flags=re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    base = {plain(Requirement(line).name): "" for line in project["dependencies"]}
    everything = {pin.split("==")[0] for pin in pins(PINS.read_text(encoding="utf-8"))}
    assert set(names.split()) == everything - set(base) - needed_by(base)
    (command,) = re.findall(r'^RUN test -n "\$SBERT" \|\| (.+)$', image, flags=re.MULTILINE)
    (tmp_path / "requirements.lock").write_text(LOCK.read_text(encoding="utf-8"), encoding="utf-8")
    environment = {**os.environ, "ONLY_SBERT": names}
    subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, check=True)
    left = locked((tmp_path / "requirements.lock").read_text(encoding="utf-8"))
    whole = locked(LOCK.read_text(encoding="utf-8"))
    assert left == {pin: hashes for pin, hashes in whole.items() if pin.split("==")[0] not in names.split()}
