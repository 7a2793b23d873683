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
from collections.abc import Callable
from functools import partial
from pathlib import Path

from organizer.bundle.parts import demo_reference
from organizer.files import Files, write_files, zip_bytes
from quality import ROOT
from quality.fuzzing.mutations import mutated_files
from quality.task import quality_tasks
from scoring_program.run import load_folder, run

KEPT = ROOT / "out" / "slow"
_LARGEST = 1_000_000
_FACTOR, _LEAST_SECONDS = 10, 0.5
_PAD = {".json": b" ", ".csv": b"\n"}


def slow_command(ids: list[str], seconds: float, seed: int) -> int:
    """Search for each task; print the slowest submission of each, which is kept in ``out/slow/``."""
    print("| task | tried | slowest, s | allowed, s |\n|---|---|---|---|")
    for task_id in ids:
        files, took, allowed, tried = _search(task_id, seconds / len(ids), seed)
        mark = "" if took <= allowed else " **too slow**"
        print(f"| {task_id} | {tried} | {took:.2f}{mark} | {allowed:.2f} |", flush=True)
        KEPT.mkdir(parents=True, exist_ok=True)
        (KEPT / f"{task_id}.zip").write_bytes(zip_bytes(files))
    return 0


def _search(task_id: str, seconds: float, seed: int) -> tuple[Files, float, float, int]:
    """Return the slowest files that were found, their seconds, those allowed, and how many were tried."""
    rng, end = random.Random(f"{task_id} {seed}"), time.perf_counter() + seconds
    samples = quality_tasks()[task_id].short_samples()
    with tempfile.TemporaryDirectory() as name:
        measured = _measuring(task_id, Path(name))
        measured(samples[0])
        allowed = max(_LEAST_SECONDS, _FACTOR * measured(padded(samples[0], _LARGEST)))
        best, slowest, tried = samples[0], 0.0, 0
        while time.perf_counter() < end:
            # Most often a change of the slowest so far.
            start = best if rng.random() < 0.8 else rng.choice(samples)
            files = grown(rng, start if rng.random() < 0.5 else mutated_files(rng, start))
            if sum(map(len, files.values())) > _LARGEST or not files:
                continue
            tried += 1
            took = measured(files)
            if took > slowest:
                took = min(took, measured(files))
            if took > slowest:
                best, slowest = files, took
    return best, slowest, allowed, tried


def _measuring(task_id: str, folder: Path) -> Callable[[Files], float]:
    """Return a function that returns the seconds of the processor that a submission takes."""
    write_files(demo_reference(task_id), folder / "reference")
    load = partial(load_folder, task_id, folder / "reference")

    def measured(files: Files) -> float:
        (folder / "submission.zip").write_bytes(zip_bytes(files))
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            begin = time.process_time()
            run(load, folder / "submission.zip", folder / "output")
            return time.process_time() - begin

    return measured


def padded(files: Files, size: int) -> Files:
    """Return files that say the same and have about ``size`` bytes in all."""
    missing = max(size - sum(map(len, files.values())), 0) // len(files)
    return {name: data + _PAD[Path(name).suffix] * missing for name, data in files.items()}


def grown(rng: random.Random, files: Files) -> Files:
    """Return files of which one is larger: a piece of it many times."""
    if not files:
        return files
    name = rng.choice(sorted(files))
    ways: list[Callable[[random.Random, bytes, int], bytes]] = [_more_text, _more_lines]
    if name.endswith(".json"):
        ways += [_more_json] * 4
    room = int((_LARGEST - sum(map(len, files.values()))) * rng.choice([0.1, 0.5, 1]))
    with contextlib.suppress(ValueError, RecursionError):
        return {**files, name: rng.choice(ways)(rng, files[name], room)}
    return files


def _more_text(rng: random.Random, data: bytes, room: int) -> bytes:
    begin = rng.randrange(len(data) + 1)
    piece = data[begin : begin + rng.choice([1, 2, 5, 20, 1000])] or b"[1"
    return data[:begin] + piece * (room // len(piece)) + data[begin:]


def _more_lines(rng: random.Random, data: bytes, room: int) -> bytes:
    lines = data.splitlines(keepends=True) or [b"\n"]
    at = rng.randrange(len(lines))
    return b"".join([*lines[:at], lines[at] * (room // len(lines[at])), *lines[at:]])


def _more_json(rng: random.Random, data: bytes, room: int) -> bytes:
    """Repeat what one list or object holds, in objects under other keys."""
    whole = json.loads(data)
    node, nodes = whole, []
    while isinstance(node, (list, dict)) and node:
        nodes.append(node)
        node = rng.choice(list(node.values()) if isinstance(node, dict) else node)
    if nodes:
        node = rng.choice(nodes)
        times = max(room // (len(json.dumps(node)) + 6 * len(node)), 0)
        if isinstance(node, list):
            node += node * times
        else:
            node.update({f"{key}{n}": value for n in range(times) for key, value in list(node.items())})
    return json.dumps(whole, separators=(",", ":")).encode()
