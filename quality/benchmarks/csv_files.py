"""Measuring the reader of CSV files, without a program around it."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from quality.benchmarks.programs import REPEATS
from validator.csv_reader import read_csv_files, read_table
from validator.formats.rules import CsvRules, Field

_ROWS = 1_000_000
_FILES = 1000
_FILES_OF_ITEMS = CsvRules(
    path="{key}.csv",
    fields=(Field("class", maximum=20), Field("start"), Field("end")),
    order=("start", "end"),
)
_TABLE = CsvRules(
    path="table.csv",
    fields=(
        Field("id", "string"),
        Field("label", "string", enum=("a", "b")),
        Field("share", "number", minimum=0),
    ),
    key="id",
)


def print_csv_files() -> None:
    """Print the processor time that a million rows take: in files without a header, and in one table."""
    random = np.random.default_rng(1)
    starts = random.integers(1, 100_000, _ROWS).tolist()
    labels = random.integers(1, 21, _ROWS).tolist()
    lines = [f"{label},{start},{start + 30}\n" for label, start in zip(labels, starts)]
    files = []
    for number in range(_FILES):
        content = "".join(lines[number::_FILES]).encode()
        files.append((f"{number:04}", f"{number:04}.csv", content))
    keys = [f"item{number:07}" for number in range(_ROWS)]
    table_lines = ["id,label,share\n"]
    for key, start in zip(keys, starts):
        label = "ab"[start % 2]
        table_lines.append(f"{key},{label},{start / 100_000}\n")
    table = "".join(table_lines).encode()
    without_header = _processor_time(lambda: read_csv_files(files, _FILES_OF_ITEMS))
    with_header = _processor_time(lambda: read_table(table, "", _TABLE, keys))
    print("| rows of CSV files | without a header | with a header and keys |\n|---|---|---|")
    print(f"| {_ROWS:,} | {without_header:.2f} s | {with_header:.2f} s |", flush=True)


def _processor_time(read: Callable[[], object]) -> float:
    """Return the median seconds of processor time of several calls."""
    seconds = []
    for _ in range(REPEATS):
        begin = time.process_time()
        read()
        seconds.append(time.process_time() - begin)
    return median(seconds)
