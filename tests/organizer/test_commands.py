"""Every command calls its function with the options that the function takes."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from organizer import __main__ as commands
from organizer.__main__ import main
from tests.helpers import ROOT, assert_calls

ID = "chalearn_gesture"


@pytest.mark.parametrize(
    ("command", "module", "function"),
    [
        ("bundle --demo --format v1.5", "bundle.build", "build_command"),
        ("lint a.zip --strict", "bundle.lint", "lint_command"),
        (f"dry-run {ID} a.zip", "runs.dry_run", "dry_run"),
        (
            f"rescore {ID} submissions --workers 2 --keep last --protocols released",
            "ranking.command",
            "rescore",
        ),
        (f"report {ID} --ranking out", "ranking.report", "report"),
        ("side-by-side out/a out/b --output c.html", "ranking.side_by_side", "side_by_side"),
        (f"archive {ID} --with-reference", "archive", "archive"),
        (f"start {ID} --title Signs", "bundle.start", "start_command"),
        ("demo", "runs.demo", "run_demo"),
        (f"prepare {ID} --source a --output b --corenlp c", "data.prepare", "prepare_command"),
        (f"baselines {ID} --reference a", "baselines", "baselines_command"),
        (f"split {ID} --reference a --shares 1 2 --groups b --write", "split", "split_command"),
        (f"prepare {ID} --source a --replace", "data.prepare", "prepare_command"),
        ("overview dist/x.zip", "bundle.build", "overview_command"),
        ("new-task birds --title Birds --format csv", "new_task", "new_task"),
        ("undo-new-task birds", "new_task", "undo_new_task"),
    ],
)
def test_command_calls_its_function(command, module, function):
    assert_calls(main, command, f"organizer.{module}", function)


@pytest.mark.parametrize(
    "command", ["", "nothing", "dry-run no_task a.zip", f"rescore {ID} folder --workers 0"]
)
def test_wrong_arguments_exit_with_2(command, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(command.split())
    assert exit_.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "argument", "values"),
    [
        (["dry-run", ID, ""], "submission", ["SUBMISSION=my.zip"]),
        (["rescore", ID, ""], "submissions", ["SUBMISSIONS=DIR"]),
        (["prepare", ID, "--source", "", "--output", "x"], "--source", ["SOURCE=DIR"]),
        (["lint", "--date", "01.01.2027"], "--date", ["'01.01.2027'", "YYYY-MM-DD"]),
        (["rescore", ID, "x", "--date", "2027-1"], "--date", ["'2027-1'", "YYYY-MM-DD"]),
    ],
)
def test_wrong_arguments_are_named(arguments, argument, values, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert f" argument {argument}: " in line
    assert [value for value in values if value not in line] == []


def test_submission_that_holds_the_output_is_not_copied_into_itself(tmp_path, capsys):
    assert main(["dry-run", ID, str(tmp_path), "--output", str(tmp_path / "out")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{tmp_path}: ")
    assert "--output" in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "stopped"),
        (NotADirectoryError(20, "Not a directory", "out.txt/x"), 2, "Not a directory: out.txt/x"),
        (OSError(28, "No space left on device", "x.csv"), 2, "E-OUTPUT: x.csv: "),
    ],
)
@pytest.mark.parametrize("command", ["demo", "lint a.zip", f"dry-run {ID} a.zip", "bundle --demo"])
def test_what_ends_a_command_is_one_line(monkeypatch, capsys, command, error, code, words):
    def fail(*arguments, **options):
        raise error

    for module, function in (
        ("runs.demo", "run_demo"),
        ("bundle.lint", "lint_command"),
        ("bundle.build", "build_command"),
        ("bundle.build", "built_task"),
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
