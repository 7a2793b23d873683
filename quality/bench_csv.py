"""Measuring how long a million rows of CSV files take."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from validator.csv_files import read_csv_files, read_table
from validator.formats.rules import CsvRules, Field

_ROWS, _FILES, _REPEATS = 1_000_000, 1000, 5
_ITEMS = CsvRules(
    "{key}.csv", (Field("class", maximum=20), Field("start"), Field("end")), order=("start", "end")
)
_KEYED = CsvRules(
    "table.csv",
    (Field("id", "string"), Field("label", "string", enum=("a", "b")), Field("share", "number", minimum=0)),
    key="id",
)


def run_csv_bench() -> None:
    """Print the processor time that a million rows take: of 1,000 files without a header, and of a table."""
    rng = np.random.default_rng(1)
    starts, classes = rng.integers(1, 100_000, _ROWS), rng.integers(1, 21, _ROWS)
    lines = [f"{label},{start},{start + 30}\n" for label, start in zip(classes.tolist(), starts.tolist())]
    files = [(f"{i:04}", f"{i:04}.csv", "".join(lines[i::_FILES]).encode()) for i in range(_FILES)]
    keys = [f"item{number:07}" for number in range(_ROWS)]
    rows = (f"{key},{'ab'[start % 2]},{start / 100_000}\n" for key, start in zip(keys, starts.tolist()))
    table = ("id,label,share\n" + "".join(rows)).encode()
    print("| rows of CSV files | without a header | with a header and keys |\n|---|---|---|")
    seconds = (
        _seconds(lambda: read_csv_files(files, _ITEMS)),
        _seconds(lambda: read_table(table, "", _KEYED, keys)),
    )
    print(f"| {_ROWS:,} | {seconds[0]:.2f} s | {seconds[1]:.2f} s |", flush=True)


def _seconds(read: Callable[[], object]) -> float:
    def once() -> float:
        begin = time.process_time()
        read()
        return time.process_time() - begin

    return median(once() for _ in range(_REPEATS))
