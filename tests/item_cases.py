"""Random cases of tasks with one value for each item, as `make new-task` writes them."""

from __future__ import annotations

import numpy as np

from organizer.files import write_files
from scoring_program.scoring import load_reference


def write_case(made_up, folder, truth, predicted):
    """Write ``ref`` and ``res`` in a folder; ``made_up`` is what quality makes up for the task."""
    made_up.write_reference(folder / "ref")
    (path,) = (folder / "ref").iterdir()
    (data,) = made_up.files(truth).values()
    path.write_bytes(data)
    write_files(made_up.files(predicted), folder / "res")


def score_case(task, folder):
    ref = folder / "ref"
    return load_reference(task, ref, task.settings(ref, {"interval": False})).score_path(folder / "res")


def random_cases(task, made_up, folder, n_cases=50):
    """Yield truth, prediction and score of random cases, with the items in any order."""
    made_up.write_reference(folder / "all")
    for seed in range(n_cases):
        rng = np.random.default_rng(seed)
        sides = [made_up.correct_prediction(folder / "all", rng, noise) for noise in (1.0, rng.random())]
        kept = rng.permutation(list(sides[0]))[: rng.integers(1, 30)].tolist()
        truth, predicted = ({item: side[item] for item in rng.permutation(kept).tolist()} for side in sides)
        if not any(truth.values()):  # a reference without any label is refused
            continue
        write_case(made_up, folder / str(seed), truth, predicted)
        yield truth, predicted, score_case(task, folder / str(seed)).scores["score"]
