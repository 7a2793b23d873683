"""Packages that only some tasks need: what is missing is one sentence with the command, and others work without."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from people_in_video import Evaluator, check, convert, packages, score
from people_in_video.__main__ import main
from people_in_video.diagnosis.samples import one_to_one_map
from people_in_video.errors import MissingPackageError
from tests.helpers import CODE_FOLDERS, SAMPLES, one_of_each_challenge

# Runs several commands, and prints how each ended.
WITHOUT = """
import sys
for name in ("scipy", "PIL", "tqdm", "h5py"):
    sys.modules[name] = None
from people_in_video.__main__ import main
for words in sys.argv[1:]:
    try:
        code = main(words.split())
    except SystemExit as end:
        code = end.code
    print(f"\\nended: {words.split()[0]} {code}")
"""


@pytest.fixture
def without_pillow(monkeypatch):
    monkeypatch.setattr(packages, "find_spec", lambda name: None if name == "PIL" else True)


@pytest.mark.parametrize("command", ["check", "score", "compare", "explain"])
def test_a_command_names_what_its_task_needs_and_how_to_install_it(command, without_pillow, tmp_path, capsys):
    sample = str(SAMPLES / "densepose" / "good")
    words = [command, "densepose", sample]
    if command in ("score", "compare"):
        words += ["--output", str(tmp_path / "out")]
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert capsys.readouterr().err == "densepose needs pillow: python -m pip install pillow\n"


def test_functions_raise_the_same_sentence(without_pillow, tmp_path):
    sample = SAMPLES / "densepose" / "good"
    for call in (
        lambda: score("densepose", sample),
        lambda: check("densepose", sample),
        lambda: convert("densepose", [], tmp_path / "my.zip"),
        lambda: Evaluator("densepose"),
    ):
        with pytest.raises(MissingPackageError, match="python -m pip install pillow"):
            call()


@pytest.mark.slow
def test_other_tasks_work_without_them(tmp_path):
    (tmp_path / "frames").mkdir()
    tasks = one_of_each_challenge(["chalearn_gesture", "anet_entities_gt", "anet_entities_gen"])
    commands = []
    for task in tasks:
        (tmp_path / task).symlink_to(SAMPLES / task / "weak")
        commands += [f"score {task} {task}", f"explain {task} {task}", f"score {task} {task} --images frames"]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *commands],
        cwd=tmp_path,
        env={"PYTHONPATH": CODE_FOLDERS, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    endings = [line for line in done.stdout.splitlines() if line.startswith("ended: ")]
    assert endings == ["ended: score 0", "ended: explain 0", "ended: score 2"] * len(tasks), done.stderr
    needed = "--images needs pillow: python -m pip install pillow\n"
    assert done.stderr.count(needed) == len(tasks)
    assert done.stderr.endswith(needed)
    assert "N-INTERNAL" not in done.stdout


@given(st.permutations(range(8)), st.integers(0, 2**32 - 1))
def test_a_map_that_holds_for_most_is_that_with_the_largest_sum(order, seed):
    counts = np.random.default_rng(seed).integers(0, 5, (8, 8))
    counts[np.arange(8), order] += 10
    _, best = linear_sum_assignment(counts, maximize=True)
    assert one_to_one_map(counts).tolist() == best.tolist() == list(order)


def test_rows_without_a_count_have_no_column():
    assert one_to_one_map(np.zeros((3, 2), np.int64)).tolist() == [-1, -1, -1]
