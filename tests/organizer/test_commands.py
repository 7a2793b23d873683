"""Every command calls its function with the options that the function takes."""

from __future__ import annotations

from importlib import import_module
from unittest.mock import create_autospec

import pytest

from organizer.__main__ import main

ID = "chalearn_gesture"


@pytest.mark.parametrize(
    ("command", "module", "function"),
    [
        ("bundle --demo --format v1.5", "bundle.build", "build_command"),
        ("lint a.zip --strict", "bundle.lint", "lint_command"),
        (f"dry-run {ID} a.zip", "runs.dry_run", "dry_run"),
        (f"rescore {ID} submissions --workers 2 --keep last --protocols released", "ranking.command", "rescore"),
        ("demo", "runs.demo", "run_demo"),
        (f"prepare {ID} --source a --output b --corenlp c", "data.prepare", "prepare_command"),
        (f"demo-data {ID}", "data.synthetic", "write_demo_data"),
        ("new-challenge birds --title Birds --format csv", "new_challenge", "new_challenge"),
        (f"bench {ID} --scale 1 100", "quality.bench", "bench_command"),
        (f"coverage {ID} --samples 10", "quality.coverage", "run_coverage"),
        ("portability python3", "quality.portability", "run_portability"),
        ("games", "quality.games", "print_table"),
        (f"yardstick {ID} --mistakes 1 --honest 1", "quality.yardstick", "run_yardstick"),
        ("mutants validator/archive.py --sample 1", "quality.mutants", "run_mutants"),
        ("fuzz 10 --seed 2", "quality.fuzzing.run", "fuzz_command"),
    ],
)
def test_command_calls_its_function(monkeypatch, command, module, function):
    called = import_module(f"organizer.{module}")
    fake = create_autospec(getattr(called, function), return_value=7)
    monkeypatch.setattr(called, function, fake)
    assert main(command.split()) == (0 if function == "write_demo_data" else 7)
    fake.assert_called_once()


@pytest.mark.parametrize("command", ["", "nothing", "dry-run no_task a.zip", f"rescore {ID} folder --workers 0"])
def test_wrong_arguments_exit_with_2(command, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(command.split())
    assert exit_.value.code == 2
    assert "usage:" in capsys.readouterr().err
