"""The command ``python -m validator``, as a participant runs it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.helpers import ROOT, make_zip


def validate(*arguments, code="import runpy; runpy.run_module('validator', run_name='__main__')"):
    command = [sys.executable, "-c", f"import sys; sys.argv[0] = 'x'; {code}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_valid_and_invalid_submissions(tmp_path):
    path = tmp_path / "my.zip"
    path.write_bytes(make_zip({"S1_prediction.csv": "1,2,3\n" * 4}))
    done = validate("chalearn_gesture", str(path))
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "note N-LOOKS-CONSTANT: all 4 rows have the class 1. Is it a placeholder, or another field?",
        "note N-UNCHECKED: names, ids and boxes were not compared with the reference",
        "valid",
    ]
    path.write_bytes(make_zip({"S1_prediction.csv": "1,3,2\n" * 30}))
    done = validate("chalearn_gesture", str(path))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "1. E-CSV-RANGE S1_prediction.csv line 1 column 3, line 2 column 3, line 3 column 3: "
        "end frame 2 is before start frame 3 (30 such problems); "
        "if it is a length, write start + length - 1; otherwise swap them or drop the line.",
        "invalid: 30 problems",
    ]
    found = json.loads(validate("chalearn_gesture", str(path), "--json").stdout)
    assert (found["valid"], len(found["problems"]), found["notes"]) == (False, 30, [])
    assert found["problems"][0]["where"] == "line 1 column 3"


@pytest.mark.slow
def test_no_scoring_code_is_imported(tmp_path):
    code = (
        "import validator.__main__ as m; code = m.main(sys.argv[1:]);"
        "print([n for n in sys.modules if n.split('.')[0] in ('scoring_program', 'organizer', 'starting_kit', 'quality')])"
    )
    path = tmp_path / "my.zip"
    path.write_bytes(make_zip({"S1_prediction.csv": "1,2,3\n"}))
    assert validate("chalearn_gesture", str(path), code=code).stdout.splitlines()[-1] == "[]"
