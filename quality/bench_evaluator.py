"""Measuring what an `Evaluator` takes, against scoring a zip with the same predictions."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from organizer.bundle.parts import build_kit, demo_reference
from organizer.files import folder_files, samples_folder, unpack
from quality.task import quality_tasks

_MOST_TIME, _MOST_MEMORY = 1.1, 1.05
# Prints the peak memory of the second and the last epoch, and seconds of epochs and scores by repetition.
_EPOCHS = """
import tracemalloc
tracemalloc.start()
import json, pickle, sys, time
from pathlib import Path
from evaluate import Evaluator, score
task, sample, calls = sys.argv[1], sys.argv[2], pickle.loads(Path(sys.argv[3]).read_bytes())
evaluator = Evaluator(task)
def epoch():
    for call in calls:
        evaluator.update(*call)
    found = evaluator.compute()
    evaluator.reset()
    return found
def of_zip():
    return score(task, sample)
def seconds(run):
    begin = time.process_time()
    run()
    return time.process_time() - begin
peaks = []
for _ in range(20):
    tracemalloc.reset_peak()
    found = epoch()
    peaks.append(tracemalloc.get_traced_memory()[1])
tracemalloc.stop()
if found.scores != of_zip().scores or found.items != of_zip().items:
    sys.exit("the scores differ")
pairs = [[(seconds(epoch), seconds(of_zip)) for _ in range(20)] for _ in range(5)]
print(json.dumps([peaks[1], peaks[-1], [list(map(sum, zip(*some))) for some in pairs]]))
"""


def run_evaluator_bench(ids: Sequence[str]) -> int:
    """Print time and peak memory of 20 epochs of update, compute, and reset, and of 20 scores of a zip.

    Each task that has an evaluator is measured with its kit and the good sample, in processor time; of five
    repetitions the one with the median ratio is shown. Returns 1 if a ratio is above what is allowed.
    """
    titles = ("task", "20 epochs", "20 scores", "time, ratio", "peak of the 2nd", "of the 20th", "ratio")
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    good = True
    for task_id in ids:
        sample = folder_files(samples_folder(task_id) / "good")
        calls = list(quality_tasks()[task_id].calls(sample))
        if not calls:
            continue
        second, last, repeated = _measured(task_id, calls)
        epochs, scores = sorted(repeated, key=lambda pair: pair[0] / pair[1])[len(repeated) // 2]
        good &= epochs <= _MOST_TIME * scores and last <= _MOST_MEMORY * second
        times = f"{epochs:.2f} s | {scores:.2f} s | {epochs / scores:.2f}"
        peaks = f"{second / 1e6:.2f} MB | {last / 1e6:.2f} MB | {last / second:.3f}"
        print(f"| {task_id} | {times} | {peaks} |", flush=True)
    return 0 if good else 1


def _measured(task_id: str, calls: Sequence[object]) -> tuple[float, float, list[tuple[float, float]]]:
    """Return the bytes of the 2nd and the last epoch, and the seconds of epochs and scores by repetition."""
    with tempfile.TemporaryDirectory() as name:
        kit, saved = Path(name, "kit"), Path(name, "calls")
        unpack(build_kit([task_id], {task_id: demo_reference(task_id)}), kit)
        saved.write_bytes(pickle.dumps(calls))
        command = [sys.executable, "-c", _EPOCHS, task_id, f"samples/{task_id}/good.zip", str(saved)]
        done = subprocess.run(command, cwd=kit, check=True, capture_output=True, text=True)
    second, last, repeated = json.loads(done.stdout)
    return second, last, [(epochs, scores) for epochs, scores in repeated]
