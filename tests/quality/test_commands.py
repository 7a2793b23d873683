"""Every command calls its function with the options that the function takes; too little memory is one line."""

from __future__ import annotations

import subprocess
import sys
from subprocess import CompletedProcess

import pytest

from quality import all as everything
from quality.__main__ import build_parser, main
from tests.helpers import assert_calls

ID = "chalearn_gesture"


@pytest.mark.parametrize(
    ("command", "module", "function"),
    [
        (f"same elsewhere {ID}", "same", "run_same"),
        (f"demo-data {ID}", "demo_command", "demo_data_command"),
        (f"golden {ID} folder --name case", "golden", "golden_command"),
        ("demo-ranking", "demo_ranking", "write_demo_ranking"),
        (f"bench {ID} --scale 1 100", "benchmarks.run", "run_bench"),
        (f"coverage {ID} --samples 10", "coverage", "run_coverage"),
        ("portability python3", "portability", "run_portability"),
        (f"gaming {ID}", "gaming", "print_table"),
        (f"repairs {ID} --mistakes 1 --correct 1", "repairs", "print_repairs"),
        ("fuzz 10 --seed 2", "fuzzing.run", "fuzz_command"),
        (f"fuzz --task {ID} --seed 2", "fuzzing.run", "fuzz_command"),
        ("edits 10 --samples 1 --seed 3", "edits", "edits_command"),
        ("all --quick", "all", "run_all"),
        ("commands", "commands_page", "commands_command"),
    ],
)
def test_command_calls_its_function(command, module, function):
    assert_calls(main, command, f"quality.{module}", function)


@pytest.mark.parametrize(
    "command", ["same elsewhere", "golden", "demo-data", "bench", "coverage", "gaming", "repairs"]
)
def test_unknown_task_is_named(command, capsys):
    with pytest.raises(SystemExit) as exit_:
        main([*command.split(), "foo"])
    assert exit_.value.code == 2
    message = capsys.readouterr().err.rpartition("error: argument id: ")[2]
    assert "'foo'" in message
    assert "anet_entities_gen, " in message


@pytest.mark.parametrize("quick", [True, False])
def test_all_commands_are_run_and_those_that_fail_are_named(monkeypatch, capsys, quick):
    ran = []

    def run(command, **options):
        ran.append(command[3:])
        return CompletedProcess(command, int("fuzz" in command))

    monkeypatch.setattr(everything.subprocess, "run", run)
    assert everything.run_all(quick) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("failed: fuzz ")
    for arguments in ran:
        assert build_parser().parse_args(arguments)
    names = {"gaming", "fuzz", "repairs", "edits", "bench"}
    assert {name for name, *_ in ran} == (names if quick else {*names, "portability", "coverage"})


@pytest.mark.parametrize("package", ["quality", "organizer"])
def test_too_little_memory_for_the_imports_of_a_command_is_one_line(package):
    command = [sys.executable, "-c", f"import {package}; raise MemoryError"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("E-LIMIT-MEMORY: ")
