"""How often the interval of a score covers the score of all items: a table for the docs.

A large set of synthetic items with known statistics represents all items that exist. Samples of it are scored
as a reference would be, and the interval of each either covers the score of the large set or does not.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from organizer.files import write_files
from quality.demo_data import write_full_size
from scoring_program.metrics import resampling
from scoring_program.result import Statistics
from scoring_program.task import AnyTask, load_task
from validator.arrays import Floats
from validator.findings import counted

SIZES = (30, 100, 300)
_FEWEST_ITEMS = 900


def run_coverage(ids: list[str], n_samples: int) -> int:
    """Print for each task the share of samples whose 95 % interval covers, by their number of items."""
    print("| task | " + " | ".join(counted(size, "item") for size in SIZES) + " |")
    print("|---|" + "---|" * len(SIZES))
    for name in ids:
        statistics = _large_set(name)
        shares = [coverage(load_task(name), statistics, size, n_samples) for size in SIZES]
        print(f"| {name} | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + " |", flush=True)
    return 0


def coverage(task: AnyTask, statistics: Statistics, size: int, n_samples: int) -> float:
    """Return the share of samples of ``size`` items whose interval covers the score of all items."""
    n = len(statistics.items)
    (score,) = task.reduce(statistics, np.ones((1, n)))
    rng = np.random.default_rng(size)
    draws = resampling.draws(size)
    covered = 0
    for _ in range(n_samples):
        weights = _weights(rng.integers(0, n, size), draws, n)
        low, high = resampling.percentile_interval(task.reduce(statistics, weights))
        covered += low <= score <= high
    return covered / n_samples


def _weights(sample: np.ndarray, draws: Floats, n: int) -> Floats:
    """Return the weights of all items in the replicates of a sample, which may hold an item twice."""
    weights = np.zeros((len(draws), n))
    np.add.at(weights.T, sample, draws.T)
    return weights


def _large_set(name: str) -> Statistics:
    """Return the statistics of a submission to a synthetic reference of at least `_FEWEST_ITEMS` items."""
    task = load_task(name)
    scale = 1.0
    while True:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            write_files(write_full_size(name, scale, work), work / "res")
            loaded = task.load(work / "ref", task.settings(work / "ref", {"interval": False}))
            statistics = loaded.score_path(work / "res").statistics
        if len(statistics.items) >= _FEWEST_ITEMS:
            return statistics
        scale *= np.ceil(_FEWEST_ITEMS / len(statistics.items))
