"""Which tests are run against the mutants of a module."""

from __future__ import annotations

import pytest

from conftest import ROOT
from organizer.quality.mutants import chosen_tests, modules


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
