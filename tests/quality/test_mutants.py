"""Which tests are run against the mutants of a module."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from quality import mutant_tests
from quality.mutants import chosen_tests, modules
from tests.helpers import ROOT


@pytest.mark.parametrize("module", modules())
def test_every_module_has_tests_that_exist(module):
    files, _ = chosen_tests(module)
    assert files
    assert all((ROOT / file).exists() for file in files)


def test_files_that_import_a_module_and_golden_cases_of_its_tasks_are_run():
    files, words = chosen_tests("scoring_program/metrics/part_state.py")
    assert files == ["tests/scoring_program/metrics/test_part_state.py", "tests/test_golden.py"]
    assert words == "not test_golden or kinetics_tps"
    assert chosen_tests("validator/png.py") == (["tests/validator/test_png.py"], "")


@pytest.mark.slow
def test_the_tests_run_on_the_module_as_it_is_at_that_moment(tmp_path):
    module, test = tmp_path / "numbers_of.py", tmp_path / "test_numbers.py"
    module.write_text("ONE = 1\n")
    test.write_text("from numbers_of import ONE\n\n\ndef test_one():\n    assert ONE == 1\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\nmarkers = slow\n")
    command = [sys.executable, mutant_tests.__file__, "socket"]
    with subprocess.Popen([*command, "test_numbers.py"], cwd=tmp_path) as server:
        while not (tmp_path / "socket").exists():
            assert server.poll() is None
            time.sleep(0.05)
        codes = []
        # All within a second and of one size, as mutants are; the last would never end.
        for text in ("ONE = 1\n", "ONE = 2\n", "ONE = 1\n", "ONE == 1", "while 1:"):
            module.write_text(text + "\n    pass\n" if text.endswith(":") else text)
            codes.append(subprocess.run(command, cwd=tmp_path, timeout=60).returncode)
        server.kill()
    assert codes == [0, 1, 0, 1, 1]


def test_tests_that_fail_without_a_mutant_are_told(tmp_path):
    (tmp_path / "test_wrong.py").write_text("def test_wrong():\n    assert False\n")
    command = [sys.executable, mutant_tests.__file__, "socket", "test_wrong.py"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr == "the tests fail without a mutant (exit code 1): pytest test_wrong.py\n"
