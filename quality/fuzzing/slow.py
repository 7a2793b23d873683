"""Looking for small submissions that take long: hill climbing over changes that make files larger or odd.

A submission may take ten times as long as the task's good sample padded to the same size, and half a second
in any case. What is measured is the processor time of a run in this process, without its start.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from organizer.bundle.public_files import demo_reference
from organizer.files import Files, write_files, zip_bytes
from quality import ROOT
from quality.fuzzing.mutations import mutated_files
from quality.task import quality_tasks
from scoring_program.run import load_folder, run

KEPT = ROOT / "out" / "slow"
_LARGEST = 1_000_000
_FACTOR, _LEAST_SECONDS = 10, 0.5
# Returns the seconds of the processor that a submission takes.
_Measure = Callable[[Files], float]


class Slowest(NamedTuple):
    """The slowest submission that a search found.

    Attributes
    ----------
    files : mapping of str to bytes
    seconds : float
        What it takes.
    seconds_allowed : float
    n_tried : int
        How many submissions were measured.
    """

    files: Files
    seconds: float
    seconds_allowed: float
    n_tried: int


def search_slow(task_ids: Sequence[str], seconds: float, seed: int) -> None:
    """Search for each task; print the slowest submission of each, which is kept in ``out/slow/``."""
    print("| task | tried | slowest, s | allowed, s |\n|---|---|---|---|")
    for task_id in task_ids:
        slowest = _search(task_id, seconds / len(task_ids), seed)
        mark = " **too slow**" if slowest.seconds > slowest.seconds_allowed else ""
        seconds_text = f"{slowest.seconds:.2f}{mark} | {slowest.seconds_allowed:.2f}"
        print(f"| {task_id} | {slowest.n_tried} | {seconds_text} |", flush=True)
        KEPT.mkdir(parents=True, exist_ok=True)
        (KEPT / f"{task_id}.zip").write_bytes(zip_bytes(slowest.files))


def _search(task_id: str, seconds: float, seed: int) -> Slowest:
    """Return the slowest submission that is found in some time."""
    rng = random.Random(f"{task_id} {seed}")
    end = time.perf_counter() + seconds
    samples = quality_tasks()[task_id].short_samples()
    with tempfile.TemporaryDirectory() as name:
        measure = _measure_of(task_id, Path(name))
        # The first run imports and compiles.
        measure(samples[0])
        seconds_allowed = max(_LEAST_SECONDS, _FACTOR * measure(padded(samples[0], _LARGEST)))
        slowest = Slowest(samples[0], 0.0, seconds_allowed, n_tried=0)
        while time.perf_counter() < end:
            files = _next_files(rng, slowest.files, samples)
            if files and _size(files) <= _LARGEST:
                slowest = _slower(slowest, files, measure)
    return slowest


def _next_files(rng: random.Random, slowest_files: Files, samples: Sequence[Files]) -> Files:
    """Return a submission to try: most often a change of the slowest so far."""
    start = slowest_files if rng.random() < 0.8 else rng.choice(samples)
    if rng.random() >= 0.5:
        start = mutated_files(rng, start)
    return grown(rng, start)


def _slower(slowest: Slowest, files: Files, measure: _Measure) -> Slowest:
    """Return the slower of two submissions, with one more tried."""
    seconds = measure(files)
    if seconds > slowest.seconds:
        # Once more: another process may have been in the way.
        seconds = min(seconds, measure(files))
    n_tried = slowest.n_tried + 1
    if seconds > slowest.seconds:
        return slowest._replace(files=files, seconds=seconds, n_tried=n_tried)
    return slowest._replace(n_tried=n_tried)


def _measure_of(task_id: str, folder: Path) -> _Measure:
    """Return a function that runs submissions to a task on its demo reference."""
    write_files(demo_reference(task_id), folder / "reference")
    load = partial(load_folder, task_id, folder / "reference")

    def measure(files: Files) -> float:
        (folder / "submission.zip").write_bytes(zip_bytes(files))
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            begin = time.process_time()
            run(load, folder / "submission.zip", folder / "output")
            return time.process_time() - begin

    return measure


def _size(files: Files) -> int:
    return sum(map(len, files.values()))


def padded(files: Files, size: int) -> Files:
    """Return files that say the same and have about ``size`` bytes in all."""
    n_bytes_each = max(size - _size(files), 0) // len(files)
    padded_files = {}
    for name, data in files.items():
        # The number of lines of a CSV file is limited by its rows, so a row is repeated.
        piece = data.splitlines(keepends=True)[0] if Path(name).suffix == ".csv" else b" "
        padded_files[name] = data + piece * (n_bytes_each // len(piece))
    return padded_files


def grown(rng: random.Random, files: Files) -> Files:
    """Return files of which one is larger: a piece of it many times."""
    if not files:
        return files
    name = rng.choice(sorted(files))
    ways: list[Callable[[random.Random, bytes, int], bytes]] = [_repeat_text, _repeat_line]
    if name.endswith(".json"):
        ways += [_repeat_json] * 4
    room = int((_LARGEST - _size(files)) * rng.choice([0.1, 0.5, 1]))
    with contextlib.suppress(ValueError, RecursionError):
        return {**files, name: rng.choice(ways)(rng, files[name], room)}
    return files


def _repeat_text(rng: random.Random, data: bytes, room: int) -> bytes:
    begin = rng.randrange(len(data) + 1)
    length = rng.choice([1, 2, 5, 20, 1000])
    piece = data[begin : begin + length] or b"[1"
    times = room // len(piece)
    return data[:begin] + piece * times + data[begin:]


def _repeat_line(rng: random.Random, data: bytes, room: int) -> bytes:
    lines = data.splitlines(keepends=True) or [b"\n"]
    index = rng.randrange(len(lines))
    times = room // len(lines[index])
    lines[index:index] = [lines[index]] * times
    return b"".join(lines)


def _repeat_json(rng: random.Random, data: bytes, room: int) -> bytes:
    """Repeat what one list or object holds, in objects under other keys."""
    whole = json.loads(data)
    if containers := _containers_on_a_path(rng, whole):
        container = rng.choice(containers)
        times = max(room // (len(json.dumps(container)) + 6 * len(container)), 0)
        if isinstance(container, list):
            container += container * times
        else:
            entries = list(container.items())
            for number in range(times):
                container.update({f"{key}{number}": value for key, value in entries})
    return json.dumps(whole, separators=(",", ":")).encode()


def _containers_on_a_path(rng: random.Random, whole: Any) -> list[Any]:
    """Return the lists and objects on a random path from the top to a value that is none or empty."""
    containers = []
    value = whole
    while isinstance(value, (list, dict)) and value:
        containers.append(value)
        value = rng.choice(list(value.values()) if isinstance(value, dict) else value)
    return containers
