"""Every command calls its function with the options that the function takes."""

from __future__ import annotations

from importlib import import_module
from unittest.mock import create_autospec

import pytest

from quality.__main__ import main

ID = "chalearn_gesture"


@pytest.mark.parametrize(
    ("command", "module", "function"),
    [
        (f"same elsewhere {ID}", "same", "run_same"),
        (f"demo-data {ID}", "demo_data", "demo_data_command"),
        ("demo-ranking", "demo_ranking", "write_demo_ranking"),
        (f"bench {ID} --scale 1 100", "bench", "run_bench"),
        (f"coverage {ID} --samples 10", "coverage", "run_coverage"),
        ("portability python3", "portability", "run_portability"),
        (f"gaming {ID}", "gaming", "print_table"),
        (f"hints {ID} --mistakes 1 --correct 1", "hints", "run_hints"),
        ("mutants validator/archive.py --sample 1", "mutants", "run_mutants"),
        ("fuzz 10 --seed 2", "fuzzing.run", "fuzz_command"),
    ],
)
def test_command_calls_its_function(monkeypatch, command, module, function):
    called = import_module(f"quality.{module}")
    fake = create_autospec(getattr(called, function), return_value=7)
    monkeypatch.setattr(called, function, fake)
    assert main(command.split()) == 7
    fake.assert_called_once()


@pytest.mark.parametrize("command", ["same elsewhere", "demo-data", "bench", "coverage", "gaming", "hints"])
def test_unknown_task_is_named(command, capsys):
    with pytest.raises(SystemExit) as exit_:
        main([*command.split(), "foo"])
    assert exit_.value.code == 2
    assert "argument id: there is no task 'foo'; choose from anet_entities_gen, " in capsys.readouterr().err
