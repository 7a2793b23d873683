"""``python -m quality bench``: all that is measured of programs."""

from __future__ import annotations

from collections.abc import Sequence

from quality.benchmarks.programs import print_programs
from quality.benchmarks.start import print_starts


def run_bench(ids: Sequence[str], scales: Sequence[float]) -> int:
    """Print what programs hold, and their times at each scale."""
    print_starts(ids)
    print_programs(ids, scales)
    return 0
