"""Golden and random cases of tasks that `make new-challenge` wrote.

``python -m tests.item_cases ID METRIC`` writes the golden cases of one.
"""

import json
import random
import sys
from importlib import import_module

from tests import plain_metrics
from tests.helpers import GOLDEN, loaded


def golden_cases(name):
    """Yield truth, prediction and pinned score of each golden case of a task that `make new-challenge` wrote."""
    task = import_module(f"quality.{name}.task")
    for path in sorted((GOLDEN / name).glob("*/expected.json")):
        truth, predicted = (
            task.decode((path.parent / folder / file).read_bytes())
            for folder, file in (("ref", task.TRUTH), ("res", task.FILE))
        )
        yield truth, predicted, json.loads(path.read_text(encoding="utf-8"))["score"]


def random_cases(name, folder, n_cases=50):
    """Yield truth, prediction and score of random cases, with the items in any order."""
    task = import_module(f"quality.{name}.task")
    for seed in range(n_cases):
        rng = random.Random(seed)
        keys = [f"item{number}" for number in range(rng.randint(1, 30))]
        truth, predicted = (
            {key: task.random_value(rng) for key in rng.sample(keys, len(keys))} for _ in range(2)
        )
        _write(folder, task, truth, predicted)
        result = loaded(name, folder / "ref", interval=False).score_path(folder / "res")
        yield truth, predicted, result.scores["score"]


def write_golden_cases(name, metric):
    """Write three golden cases, with numbers of a brute-force computation."""
    task, rng = import_module(f"quality.{name}.task"), random.Random(3)
    for case in ("perfect", "random-1", "random-2"):
        truth, predicted = ({f"item{n}": task.random_value(rng) for n in range(8)} for _ in range(2))
        predicted = truth if case == "perfect" else predicted
        _write(GOLDEN / name / case, task, truth, predicted)
        expected = {"score": getattr(plain_metrics, metric)(truth, predicted), "coverage": 1.0}
        (GOLDEN / name / case / "expected.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")


def _write(folder, task, truth, predicted):
    for place, file, values in (("ref", task.TRUTH, truth), ("res", task.FILE, predicted)):
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / place / file).write_bytes(task.encode(values))


if __name__ == "__main__":
    write_golden_cases(*sys.argv[1:])
