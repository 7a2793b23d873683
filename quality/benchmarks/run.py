"""``python -m quality bench``: all that is measured."""

from __future__ import annotations

from collections.abc import Sequence

from quality.benchmarks.csv_files import print_csv_files
from quality.benchmarks.evaluator import print_evaluators
from quality.benchmarks.programs import print_programs
from quality.benchmarks.quick import print_quick
from quality.benchmarks.rankings import print_rankings
from quality.benchmarks.start import print_starts


def run_bench(ids: Sequence[str], scales: Sequence[float], quick: bool) -> int:
    """Print what programs hold, their times at each scale, and at scale 1 those of files, kits and rankings.

    ``quick`` prints ratios of processor times at a tenth of the full size instead.
    """
    task_ids = list(ids)
    if quick:
        print_quick(task_ids)
        return 0
    print_starts(task_ids)
    print_programs(task_ids, list(scales))
    if list(scales) == [1.0]:
        print_csv_files()
        print_evaluators(task_ids)
        print_rankings(task_ids)
    return 0
