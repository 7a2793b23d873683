"""``quality demo-data``: write synthetic data again, and show what gaming tricks score on it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from quality import ROOT
from quality.demo_data import write_demo_data
from quality.gaming import print_table
from validator import hidden_log

_LONGEST_LOG = 2000


def demo_data_command(ids: Sequence[str]) -> int:
    """Write reference_data/ and starting_kit/samples/ of some tasks again; print what tricks score.

    Return 1 if a submission with a trick cannot be scored.
    """
    with _log_if_it_fails() as outcome:
        for task_id in ids:
            write_demo_data(task_id, ROOT)
        print("written to reference_data/ and starting_kit/samples/:", *ids)
        print("what docs/gaming.md says of them now:")
        outcome.append(print_table(ids))
    return outcome[0]


@contextmanager
def _log_if_it_fails() -> Iterator[list[int]]:
    """Print the end of what an evaluator of one's own has said unless the list gets the exit code 0.

    Demo data are public, so nothing of it is hidden.
    """
    outcome: list[int] = []
    path_before = hidden_log.path
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        hidden_log.path = str(log)
        try:
            yield outcome
        finally:
            hidden_log.path = path_before
            if outcome != [0] and log.is_file():
                print(log.read_text(encoding="utf-8", errors="replace")[-_LONGEST_LOG:], file=sys.stderr)
