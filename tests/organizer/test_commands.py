"""The commands: what they are called with, wrong arguments, and how they end."""

from __future__ import annotations

import argparse
import pkgutil
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from organizer import __main__ as commands
from organizer import commands as package
from organizer.__main__ import main
from organizer.commands.options import given_path
from tests.helpers import REFERENCES, ROOT, SAMPLES, assert_calls

ID = "chalearn_gesture"


@pytest.mark.parametrize(
    ("command", "function"),
    [
        ("bundle --demo --format v1.5", "bundle.build.build_command"),
        ("overall FILE FILE --weights 1 2", "overall.overall"),
        (f"start {ID} --title Signs", "start.start_command"),
        ("demo", "demo.run_demo"),
        (f"prepare {ID} --source FILE --output b --corenlp FILE", "prepare.prepare_command"),
        ("new-task birds --title Birds --format csv", "new_task.new_task"),
        ("undo-new-task birds", "undo_new_task.undo_new_task"),
        ("kit", "kit.kit_command"),
        ("messages", "messages.messages_command"),
    ],
)
def test_command_calls_its_function(command, function, tmp_path):
    (tmp_path / "file").touch()
    module, _, name = function.rpartition(".")
    command = command.replace("FILE", str(tmp_path / "file"))
    assert_calls(main, command, f"organizer.commands.{module}", name)


def test_home_is_known_in_quotes_too(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert given_path("~/my refs") == tmp_path / "my refs"
    assert given_path("~nobody-of-this-name/x") == Path("~nobody-of-this-name/x")


def test_commands_of_the_checklist_can_be_understood():
    text = (ROOT / "docs" / "data_to_winners.md").read_text(encoding="utf-8")
    lines = re.findall(r"`organizer ([^`]+)`", text)
    assert len(lines) > 5
    for line in lines:
        name, *arguments = shlex.split(line)
        parser = argparse.ArgumentParser()
        import_module(f"{package.__name__}.{name}").add_options(parser)
        parser.parse_args(arguments)


def test_each_option_of_a_command_says_something_of_its_own():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for section in page.split("\n### ")[1:]:
        descriptions = re.findall(r"^\| `[^`]+` \| (.+) \|$", section.partition("\n## ")[0], re.MULTILINE)
        assert len(descriptions) == len(set(descriptions)), section


def test_every_command_has_a_module_and_every_module_is_a_command():
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)} - {"options"}
    assert modules == {name.replace("-", "_") for name in commands.COMMANDS}


@pytest.mark.parametrize(
    "command",
    [
        "",
        "nothing",
        "dry-run no_task a.zip",
        f"dry-run {ID} no/such/file",
        f"rescore {ID} . --workers 0",
        f"rescore {ID} . --beats GVD",
        f"rescore {ID} . --by 10%",
        f"rescore {ID} . --columns User,Score",
        f"rescore {ID} . --by -1",
        f"rescore {ID} . --baseline-zip GVD=no/such/file",
    ],
)
def test_wrong_arguments_exit_with_2(command, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(command.split())
    assert exit_.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "argument", "values"),
    [
        (["dry-run", ID, ""], "SUBMISSION", ["empty"]),
        (["rescore", ID, ""], "SUBMISSIONS", ["empty"]),
        (["prepare", ID, "--source", "", "--output", "x"], "--source", ["empty"]),
        (["bundle", "--reference", ""], "--reference", ["empty"]),
        (["lint", "--date", "01.01.2027"], "--date", ["'01.01.2027'", "YYYY-MM-DD"]),
        (["rescore", ID, ".", "--date", "2027-1"], "--date", ["'2027-1'", "YYYY-MM-DD"]),
        (["rescore", ID, ".", "--counts", "first"], "--counts", ["'first'", "best_in: PHASE"]),
        *((["rescore", ID, ".", f"--by={share}"], "--by", [f"'{share}'", "10%"]) for share in ("ten", "-5%", "2000%")),
        (["rescore", ID, ".", "--columns", "User"], "--columns", ["'User'", "USER,SCORE"]),
        *((["split", ID, "--reference", ".", "--shares", "1", share], "--shares", ["more than 0"]) for share in ("0", "-3", "inf", "nan")),
        *((["split", ID, "--reference", ".", "--shares", *shares], "--shares", ["two or three"]) for shares in ("1", "1234")),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(arguments, argument, values, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert f" argument {argument}: " in line
    assert [value for value in values if value not in line] == []


# Beside those of test_damaged_files.py.
ODD_PATHS = {"long": "a" * 300, "deep": "a/" * 2000 + "b", "binary": "BINARY", "device": "/dev/null"}


@pytest.mark.parametrize("kind", ODD_PATHS)
@pytest.mark.parametrize(
    "command",
    [
        "lint PATH",
        "overview PATH",
        pytest.param(f"dry-run {ID} PATH", marks=pytest.mark.slow),
        f"rescore {ID} PATH",
        f"rescore {ID} FOLDER --names PATH",
        f"rescore {ID} FOLDER --baselines PATH",
        f"rescore {ID} FOLDER --leaderboard PATH --columns User,Score",
        f"rescore {ID} FOLDER --baseline-zip GVD=PATH",
        f"report {ID} --ranking PATH",
        f"archive {ID} --ranking PATH",
        f"prepare {ID} --source PATH",
        f"prepare {ID} --source {REFERENCES / ID} --vocabulary PATH",
        f"public-data {ID} --source PATH",
        f"baselines {ID} --reference PATH",
        f"split {ID} --reference PATH",
        f"split {ID} --reference {REFERENCES / ID} --groups PATH",
    ],
)
def test_no_path_that_a_user_types_ends_in_a_traceback(command, kind, tmp_path, capsys):
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    words = command.replace("PATH", ODD_PATHS[kind])
    words = words.replace("FOLDER", str(tmp_path / "folder")).replace("BINARY", str(tmp_path / "binary"))
    output = [] if command.startswith(("lint", "overview")) else ["--output", str(tmp_path / "out")]
    try:
        code = main([*words.split(), *output])
    except SystemExit as end:
        code = int(end.code or 0)
    assert code in (1, 2)
    printed = capsys.readouterr()
    assert printed.out + printed.err
    assert max(map(len, printed.err.splitlines()), default=0) < 1200


def test_submission_that_holds_the_output_is_not_copied_into_itself(tmp_path, capsys):
    assert main(["dry-run", ID, str(tmp_path), "--output", str(tmp_path / "out")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{tmp_path}: ")
    assert "--output" in line
    assert not list(tmp_path.iterdir())


def test_reference_that_holds_the_output_is_not_copied_into_itself(tmp_path, capsys):
    (tmp_path / "S1_labels.csv").write_text("1,1,10\n")
    (tmp_path / "S1_data.csv").write_text("100,20,2000\n")
    submission = str(SAMPLES / ID / "good")
    output = str(tmp_path / "out")
    assert main(["dry-run", ID, submission, "--reference", str(tmp_path), "--output", output]) == 1
    *_, line = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{tmp_path}: ")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "stopped"),
        (NotADirectoryError(20, "Not a directory", "out.txt/x"), 2, "Not a directory: out.txt/x"),
        (OSError(28, "No space left on device", "x.csv"), 2, "E-OUTPUT: x.csv: "),
    ],
)
@pytest.mark.parametrize("command", ["demo", "lint a.zip", f"dry-run {ID} .", "bundle --demo"])
def test_what_ends_a_command_is_one_line(monkeypatch, capsys, command, error, code, words):
    def fail(*arguments, **options):
        raise error

    for module, function in (
        ("commands.demo", "run_demo"),
        ("commands.lint", "lint_command"),
        ("bundle.build", "build_command"),
        ("runs.built", "built_task"),
    ):
        monkeypatch.setattr(import_module(f"organizer.{module}"), function, fail)
    monkeypatch.setattr("sys.argv", ["organizer", *command.split()])
    assert commands._command() == code
    (line,) = capsys.readouterr().err.strip("\n").splitlines()
    assert words in line


def test_windows_is_named(monkeypatch, capsys):
    monkeypatch.setattr("sys.platform", "win32")
    assert commands._command() == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "WSL" in line


def test_a_kit_from_elsewhere_is_refused_in_a_sentence(tmp_path):
    other = tmp_path / "people_in_video"
    other.mkdir()
    (other / "__init__.py").write_text("")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import people_in_video, organizer"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert str(other) in done.stderr and "Traceback" not in done.stderr
