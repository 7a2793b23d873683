"""Measuring an `Evaluator` of the kit, which scores from memory, beside scoring a zip of the same content."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from organizer.bundle.kit import build_kit
from organizer.bundle.public_files import demo_reference
from organizer.files import folder_files, samples_folder, unpack
from quality.task import quality_tasks

# Runs in an unpacked kit: prints the seconds of processor time of epochs and of scoring a zip.
_TIMED = """
import json, pickle, sys, time
from collections.abc import Sequence
from pathlib import Path
from people_in_video import Evaluator, score
task, sample, calls = sys.argv[1], sys.argv[2], pickle.loads(Path(sys.argv[3]).read_bytes())
evaluator = Evaluator(task)

def score_from_memory():
    for call in calls:
        evaluator.update(*call)
    result = evaluator.compute()
    evaluator.reset()
    return result

def score_zip():
    return score(task, sample)

def seconds(action):
    begin = time.process_time()
    for _ in range(20):
        action()
    return time.process_time() - begin

if score_from_memory().scores != score_zip().scores:
    sys.exit("the scores differ")
print(json.dumps([(seconds(score_from_memory), seconds(score_zip)) for _ in range(5)]))
"""


def print_evaluators(task_ids: list[str]) -> None:
    """Print the processor time of 20 epochs of update, compute and reset, and of 20 scores of a zip.

    Each task that has an evaluator is measured with its kit and the good sample; of five repetitions the one
    with the median ratio is shown.
    """
    print("| task | 20 epochs of an Evaluator | 20 scores of a zip | ratio |\n|---|---|---|---|")
    for task_id in task_ids:
        sample = folder_files(samples_folder(task_id) / "good")
        calls = list(quality_tasks()[task_id].calls(sample))
        if calls:
            epochs, scores = _median_seconds(task_id, calls)
            print(f"| {task_id} | {epochs:.2f} s | {scores:.2f} s | {epochs / scores:.2f} |", flush=True)


def _median_seconds(task_id: str, calls: list[Sequence[object]]) -> tuple[float, float]:
    """Return the seconds of epochs and of scores, from the repetition with the median ratio."""
    with tempfile.TemporaryDirectory() as name:
        kit = Path(name, "kit")
        calls_file = Path(name, "calls")
        unpack(build_kit([task_id], demo_reference), kit)
        calls_file.write_bytes(pickle.dumps(calls))
        command = [
            sys.executable,
            "-c",
            _TIMED,
            task_id,
            f"people_in_video/samples/{task_id}/good.zip",
            str(calls_file),
        ]
        done = subprocess.run(command, cwd=kit, check=True, capture_output=True, text=True)
    repetitions = sorted(json.loads(done.stdout), key=lambda pair: pair[0] / pair[1])
    epochs, scores = repetitions[len(repetitions) // 2]
    return epochs, scores
