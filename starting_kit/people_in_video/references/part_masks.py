"""Masks of the parts of a person, as annotations have them: COCO's run-length code, and the label map.

Source: COCO's mask API for the code; ``densepose_cocoeval.py`` for the label map.
"""

from __future__ import annotations

import numpy as np

from validator.arrays import Bools, Floats, Ints

MAP_SIZE = 256


# No run is as long, but what is written of a number may be filled up with zeros.
_LONGEST_RUN = 1 << 34
_MOST_BITS = 60


def decode_counts(text: str) -> Ints:
    """Return the run lengths of COCO's compressed code, beginning with background; runs go down the columns.

    Raises
    ------
    ValueError
        The text is cut off or holds other characters.

    Examples
    --------
    >>> decode_counts("22")
    array([2, 2])
    """
    runs: list[int] = []
    value = n_bits = 0
    for character in text:
        code = ord(character) - 48
        if not 0 <= code < 64 or n_bits > _MOST_BITS:
            raise ValueError("not a run-length code")
        # A number is a group of codes of 5 bits, the lowest first, the last of them without the bit 32.
        value |= (code & 31) << n_bits
        n_bits += 5
        if code & 32:
            continue
        if code & 16:
            value -= 1 << n_bits
        # From the fourth on, a number is the difference to the run of the same color before.
        run = value + runs[-2] if len(runs) > 2 else value
        if not 0 <= run < _LONGEST_RUN:
            raise ValueError("not a run-length code")
        runs.append(run)
        value = n_bits = 0
    if n_bits:
        raise ValueError("the code is cut off")
    return np.array(runs, dtype=np.int64)


def mask_to_runs(mask: Bools) -> Ints:
    """Return the runs along the rows, beginning with background, that `runs_to_mask` turns back.

    Examples
    --------
    >>> mask_to_runs(np.array([[True, True], [True, False]]))
    array([0, 3, 1])
    """
    flat = mask.ravel()
    edges = np.flatnonzero(np.diff(flat)) + 1
    runs = np.diff(np.concatenate([[0], edges, [len(flat)]]))
    return np.concatenate([[0], runs]) if len(flat) and flat[0] else runs


def label_map(part_masks: list[Bools | None]) -> Floats:
    """Return the map of part numbers from 1 of masks (256, 256), later ones on top; None is empty.

    Examples
    --------
    >>> label_map([None, np.ones((MAP_SIZE, MAP_SIZE), bool)])[:1, :2]
    array([[2., 2.]])
    """
    labels = np.zeros((MAP_SIZE, MAP_SIZE))
    for number, mask in enumerate(part_masks, start=1):
        if mask is not None:
            labels[mask] = number
    return labels


def resized_foreground(labels: Floats, height: int, width: int) -> Bools:
    """Return where the label map, resized bilinearly as a map of numbers to (height, width), is above 0.5.

    Half-pixel centers, edges clamped, weights in float32 and sums in float64, as OpenCV computes them.

    Examples
    --------
    >>> resized_foreground(np.eye(2), 2, 4)
    array([[ True,  True, False, False],
           [False, False,  True,  True]])
    """
    left, right, across = _neighbors(labels.shape[1], width)
    upper, lower, down = _neighbors(labels.shape[0], height)
    one = np.float32(1)
    rows = labels[:, left] * (one - across) + labels[:, right] * across
    return rows[upper] * (one - down)[:, None] + rows[lower] * down[:, None] > 0.5


def _neighbors(size: int, new_size: int) -> tuple[Ints, Ints, Floats]:
    place = ((np.arange(new_size) + 0.5) * (1 / (new_size / size)) - 0.5).astype(np.float32)
    first = np.floor(place).astype(np.int64)
    weight = place - first.astype(np.float32)
    weight[(first < 0) | (first >= size - 1)] = 0
    first = np.clip(first, 0, size - 1)
    return first, np.minimum(first + 1, size - 1), weight.astype(np.float32)
