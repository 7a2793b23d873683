"""``python -m quality bench``: all that is measured."""

from __future__ import annotations

from collections.abc import Sequence

from quality.benchmarks.programs import print_programs
from quality.benchmarks.rankings import print_rankings
from quality.benchmarks.start import print_starts


def run_bench(ids: Sequence[str], scales: Sequence[float]) -> int:
    """Print what programs hold, their times at each scale, and at scale 1 those of rankings."""
    task_ids = list(ids)
    print_starts(task_ids)
    print_programs(task_ids, list(scales))
    if list(scales) == [1.0]:
        print_rankings(task_ids)
    return 0
