"""The command ``python -m validator``, as a participant runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import permutations

import pytest

from organizer.files import folder_files
from tests.helpers import CODE_FOLDERS, PUBLISHED, ROOT, SAMPLES, make_zip, printed_problem, values_of
from validator.__main__ import main
from validator.formats.rules import load_rules


def validate(*arguments, code="import runpy; runpy.run_module('validator', run_name='__main__')"):
    command = [sys.executable, "-c", f"import sys; sys.argv[0] = 'x'; {code}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_valid_and_invalid_submissions(tmp_path):
    path = tmp_path / "my.zip"
    path.write_bytes(make_zip({"S1_prediction.csv": "1,2,3\n" * 4}))
    done = validate("chalearn_gesture", str(path))
    assert done.returncode == 0
    *notes, verdict = done.stdout.splitlines()
    assert [note.partition(":")[0] for note in notes] == [
        "likely mistake N-LOOKS-CONSTANT",
        "note N-UNCHECKED",
    ]
    assert verdict == "valid"
    path.write_bytes(make_zip({"S1_prediction.csv": "1,3,2\n" * 30}))
    done = validate("chalearn_gesture", str(path))
    assert done.returncode == 1
    line, verdict = done.stdout.splitlines()
    problem = printed_problem(line)
    places = "line 1 column 3, line 2 column 3, line 3 column 3"
    assert problem[:3] == ("E-CSV-RANGE", "S1_prediction.csv", places)
    assert values_of(problem.count_text) == ["30"]
    assert verdict.startswith("invalid: ")
    assert values_of(verdict) == ["1", "30"]
    found = json.loads(validate("chalearn_gesture", str(path), "--json").stdout)
    assert (found["valid"], len(found["problems"]), found["notes"]) == (False, 30, [])
    assert found["problems"][0]["where"] == "line 1 column 3"


@pytest.mark.slow
def test_no_scoring_code_is_imported(tmp_path):
    code = (
        "import validator.__main__ as m; code = m.main(sys.argv[1:]);"
        "floors = ('scoring_program', 'organizer', 'starting_kit', 'quality');"
        # Packages without code of their own, and the table of messages of each.
        "print([n for n, module in sys.modules.items() if n.split('.')[0] in floors"
        " if not hasattr(module, '__path__') and not n.endswith('.codes')])"
    )
    path = tmp_path / "my.zip"
    path.write_bytes(make_zip({"S1_prediction.csv": "1,2,3\n"}))
    assert validate("chalearn_gesture", str(path), code=code).stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("task", "other"), [*permutations(PUBLISHED, 2)])
def test_submission_to_another_task_is_one_problem_with_its_name(tmp_path, capsys, task, other):
    (tmp_path / "my.zip").write_bytes(make_zip(folder_files(SAMPLES / other / "good")))
    assert main([task, str(tmp_path / "my.zip")]) == 1
    lines = capsys.readouterr().out.splitlines()
    (line,) = (line for line in lines if line[0].isdigit())
    # Both tracks of ChaLearn have files of the same names; the number of fields alone tells no task.
    are_tracks = load_rules(task).folder == load_rules(other).folder and bool(load_rules(task).csv)
    assert ("E-CSV-COLUMNS" in line) == are_tracks
    assert (f"choose the task {other}" in line) == (not are_tracks)


def test_a_file_without_the_name_of_another_task_is_of_none(tmp_path, capsys):
    (tmp_path / "my.zip").write_bytes(make_zip({"my.json": "{}"}))
    assert main(["densepose", str(tmp_path / "my.zip")]) == 1
    assert "E-FILE-NONE" not in capsys.readouterr().out


@pytest.mark.parametrize("module", ["validator", "people_in_video"])
def test_missing_packages_are_named_with_what_installs_them(module):
    command = [sys.executable, "-S", "-m", module, "check", "--help"]
    environment = {**os.environ, "PYTHONPATH": CODE_FOLDERS}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    (line,) = done.stderr.splitlines()
    assert line.startswith("numpy is not installed: ")
    assert ("make demo" if module == "validator" else "python -m pip install .") in line
    assert done.returncode == 1
