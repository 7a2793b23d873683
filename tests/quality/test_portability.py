"""The built programs under the interpreters of this machine: scores.json must be the same bytes."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from quality import portability
from tests.helpers import only_at_night


def others():
    """Return the other interpreters here that have what the programs need."""
    needed = "import numpy, scipy.optimize, yaml, PIL"
    found = []
    for minor in range(9, 15):
        path = shutil.which(f"python3.{minor}")
        if path and minor != sys.version_info.minor:
            done = subprocess.run([path, "-c", needed], capture_output=True, check=False)
            found += [path] if done.returncode == 0 else []
    return found


@only_at_night()
@pytest.mark.slow
def test_golden_cases_give_the_same_bytes_on_every_interpreter(capsys):
    # By day CI runs the golden cases on other interpreters.
    assert portability.run_portability([sys.executable, *others()]) == 0, capsys.readouterr().out
    assert "different: 0, failed: 0" in capsys.readouterr().out


def test_interpreter_that_is_missing_is_named(capsys):
    assert portability.run_portability(["nopython"]) == 1
    assert capsys.readouterr().out.startswith("there is no command nopython; give interpreters, ")
