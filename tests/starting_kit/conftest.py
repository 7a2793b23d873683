"""Fixtures of tests of the kit."""

from __future__ import annotations

import pytest

from people_in_video import score
from people_in_video.__main__ import main
from tests.starting_kit.predictions import sample


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Return a function that calls the command in an empty folder: its exit code, stdout and stderr."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")

    def call(*arguments):
        try:
            return (main([str(argument) for argument in arguments]), *capsys.readouterr())
        except SystemExit as end:
            return (end.code, *capsys.readouterr())

    return call


@pytest.fixture
def result():
    return score("chalearn_gesture", sample("chalearn_gesture"))
