"""``quality demo-data``: write synthetic data again, and show what gaming tricks score on it."""

from __future__ import annotations

from collections.abc import Sequence

from quality import ROOT
from quality.demo_data import write_demo_data
from quality.gaming import print_table


def demo_data_command(ids: Sequence[str]) -> int:
    """Write reference_data/ and starting_kit/samples/ of some tasks again; print what tricks score.

    Return 1 if a submission with a trick cannot be scored.
    """
    for task_id in ids:
        write_demo_data(task_id, ROOT)
    print("written to reference_data/ and starting_kit/samples/:", *ids)
    print("what docs/gaming.md says of them now:")
    return print_table(ids)
