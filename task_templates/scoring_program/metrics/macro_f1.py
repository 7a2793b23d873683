"""Macro F1: the mean F1 of the labels that are annotated or predicted; 1 is perfect."""

from __future__ import annotations

import numpy as np

from validator.arrays import Floats, Ints


def weighted(truth: Ints, predicted: Ints, weights: Floats) -> Floats:
    """Return the mean F1 of the labels on either side for each row of weights.

    Shapes: (n,), (n,), (n_rows, n) -> (n_rows,).
    """
    labels = np.union1d(truth, predicted)
    annotated, guessed = ((side[:, None] == labels).astype(np.float64) for side in (truth, predicted))
    both, total = weights @ (annotated * guessed), weights @ annotated + weights @ guessed
    f1: Floats = 2 * both / np.where(total > 0, total, 1)
    return f1.sum(axis=1) / np.maximum((total > 0).sum(axis=1), 1)
