"""The launcher ``score.py``: what it does before the program begins."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT

THREADS = Path("/proc/self/task")
# Imports all that score.py does, and prints the number of threads.
COUNT_THREADS = "import os, runpy, sys; runpy.run_path(sys.argv[1]); print(len(os.listdir(sys.argv[2])))"


@pytest.mark.skipif(not THREADS.exists(), reason="the system does not list threads here")
def test_no_threads_are_started():
    """On a machine with one core none would be in any case."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    launcher = ROOT / "scoring_program" / "score.py"
    command = [sys.executable, "-c", COUNT_THREADS, str(launcher), str(THREADS)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
