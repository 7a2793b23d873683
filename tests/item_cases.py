"""Random cases of tasks with one value for each item, as `make new-task` writes them."""

from __future__ import annotations

import numpy as np

from organizer.files import folder_files, write_files


def random_cases(task, made_up, folder, n_cases=50):
    """Yield truth, prediction and score of random cases, with the items in any order.

    ``made_up`` is what quality makes up for the task; its `correct_prediction` without noise is the truth.
    """
    for seed in range(n_cases):
        rng, ref, res = np.random.default_rng(seed), folder / f"ref{seed}", folder / f"res{seed}"
        made_up.write_reference(ref, seed=seed)
        items = list(made_up.correct_prediction(ref, rng, 0.0))
        kept = rng.permutation(items)[: rng.integers(1, 30)].tolist()
        write_files(made_up.repeat(folder_files(ref), {item: item for item in kept}), ref)
        truth, predicted = (made_up.correct_prediction(ref, rng, noise) for noise in (0.0, rng.random()))
        write_files(made_up.files({item: predicted[item] for item in rng.permutation(kept).tolist()}), res)
        yield (
            truth,
            predicted,
            task.load(ref, task.settings(ref, {"interval": False})).score_path(res).scores["score"],
        )
