"""Two checkouts are compared by what their commands print and write."""

from __future__ import annotations

import sys
from pathlib import Path

from quality.allowed_differences import ALLOWED_DIFFERENCES
from quality.forks import Run, run_forks
from quality.same import print_differences, run_same

_SIGNATURE = b"chalearn_gesture|protocol:published|version:%s|ref:0123456789ab\nscore: %s\n"
_NAME = "chalearn_gesture/random-1/program/stdout"


def test_version_and_place_of_a_checkout_may_differ(capsys):
    here = {_NAME: _SIGNATURE % (b"2.0.0", b"0.5"), "x/stdout": b"detail page: /tmp/a/here/output/x.html"}
    there = {_NAME: _SIGNATURE % (b"1.3.0", b"0.5"), "x/stdout": b"detail page: /tmp/a/there/output/x.html"}
    assert print_differences(here, there, n_cases=1) == 0
    assert "version: 1 outputs" in capsys.readouterr().out


def test_one_digit_and_a_missing_file_are_differences(capsys):
    here = {_NAME: _SIGNATURE % (b"2.0.0", b"0.5"), "x/scores.txt": b"score: 0"}
    there = {_NAME: _SIGNATURE % (b"1.3.0", b"0.6")}
    assert print_differences(here, there, n_cases=1) == 2
    assert "score: 0.6" in capsys.readouterr().out


def test_words_and_pages_may_differ_between_versions_alone_and_codes_never():
    name = "chalearn_action/E-X-1/check/stdout"
    problem = b'"code": "%s", "problem": "%s", "hint": "h"'
    here = {name: problem % (b"E-CSV-RANGE", b"one"), "x/page.html": b"a"}
    there = {name: problem % (b"E-CSV-RANGE", b"other"), "x/page.html": b"b"}
    assert print_differences(here, there, 1) == 2
    assert print_differences(here, there, 1, ALLOWED_DIFFERENCES) == 0
    there[name] = problem % (b"E-CSV-FRAME", b"one")
    assert print_differences(here, there, 1, ALLOWED_DIFFERENCES) == 1


def test_folder_that_is_no_checkout_is_refused(tmp_path, capsys):
    assert run_same(tmp_path, ["chalearn_gesture"], scores=True) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_each_run_begins_anew_and_leaves_its_exit_code_and_output(tmp_path):
    script = "import json, sys\nprint(len(sys.argv), hasattr(json, 'mark'))\njson.mark = 1\nsys.exit(sys.argv[1:].count('x'))\n"
    (tmp_path / "script.py").write_text(script)
    runs = [Run(tmp_path / "first", ["x"]), Run(tmp_path / "second", ["x", "x"])]
    run_forks(Path(sys.executable), tmp_path, "script.py", runs)
    outputs = []
    for run in runs:
        outputs.append([(run.output / name).read_text() for name in ("exit_code", "stdout", "stderr")])
    assert outputs == [["1", "2 False\n", ""], ["2", "3 False\n", ""]]


def test_crash_is_an_exit_code_with_a_traceback(tmp_path):
    (tmp_path / "script.py").write_text("raise ValueError('oh')\n")
    run_forks(Path(sys.executable), tmp_path, "script.py", [Run(tmp_path / "out", [])])
    assert (tmp_path / "out" / "exit_code").read_text() == "70"
    assert "ValueError: oh" in (tmp_path / "out" / "stderr").read_text()
