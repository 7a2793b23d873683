"""Person masks: COCO's run-length code, DensePose's resized label map, IoU of masks cut at the border.

Source: COCO's mask API for the code; ``densepose_cocoeval.py`` for the label map.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from validator.arrays import Bools, Floats, Ints

MAP_SIZE = 256
_LONGEST_OUTLINED = 64
# Of the codes of a number: no run has 2**34 pixels, but what is written may be filled up with zeros.
_MOST_DIGITS, _LONGEST_GROUP = 7, 13


def decode_counts(text: str) -> Ints:
    """Return the run lengths of COCO's compressed code, beginning with background; runs go down the columns.

    Raises
    ------
    ValueError
        The text is cut off or holds other characters.

    Examples
    --------
    >>> decode_counts(encode_counts(np.array([[False, True], [False, True]])))
    array([2, 2])
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64) - 48
    if not ((codes >= 0) & (codes < 64)).all():
        raise ValueError("not a run-length code")
    # A number is a group of codes, the last of them without the bit 32; each holds 5 bits, the lowest first.
    last = np.flatnonzero(codes & 32 == 0)
    first = np.concatenate([[0], last + 1])
    lengths = np.diff(np.append(first, len(codes)))
    place = np.arange(len(codes)) - np.repeat(first, lengths)
    if lengths.max() > _LONGEST_GROUP or (codes[place >= _MOST_DIGITS] & 31).any():
        raise ValueError("not a run-length code")
    if lengths[-1]:
        raise ValueError("the code is cut off")
    first, lengths = first[:-1], lengths[:-1]
    if not len(first):
        return np.zeros(0, dtype=np.int64)
    runs = np.add.reduceat((codes & 31) << (5 * place), first)
    is_negative = codes[last] & 16 != 0
    runs[is_negative] -= 1 << (5 * lengths[is_negative])
    # From the fourth on, a number is the difference to the run of the same color before.
    runs[1::2] = np.cumsum(runs[1::2])
    runs[2::2] = np.cumsum(runs[2::2])
    if (runs < 0).any():
        raise ValueError("not a run-length code")
    return runs


def encode_counts(mask: Bools) -> str:
    """Return COCO's compressed run-length code of a bool mask of shape (h, w).

    Examples
    --------
    >>> encode_counts(np.array([[False, True], [False, True]]))
    '22'
    """
    runs = mask_to_runs(mask.T).tolist()
    text = []
    for place, run in enumerate(runs):
        value = run - runs[place - 2] if place > 2 else run
        while True:
            code = value & 31
            value >>= 5
            more = value != (-1 if code & 16 else 0)
            text.append(chr(code + (32 if more else 0) + 48))
            if not more:
                break
    return "".join(text)


def runs_to_mask(runs: Ints, height: int, width: int) -> Bools:
    """Return the bool mask (height, width) of runs that go along the rows, beginning with background.

    Examples
    --------
    >>> runs_to_mask(np.array([1, 2, 1]), 2, 2)
    array([[False,  True],
           [ True, False]])
    """
    return np.repeat(np.arange(len(runs)) % 2 == 1, runs).reshape(height, width)


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


def _neighbors(size: int, wanted: int) -> tuple[Ints, Ints, Floats]:
    place = ((np.arange(wanted) + 0.5) * (1 / (wanted / size)) - 0.5).astype(np.float32)
    first = np.floor(place).astype(np.int64)
    weight = place - first.astype(np.float32)
    weight[(first < 0) | (first >= size - 1)] = 0
    first = np.clip(first, 0, size - 1)
    return first, np.minimum(first + 1, size - 1), weight.astype(np.float32)


def outlines(mask: Bools) -> list[list[float]]:
    """Return the borders of a mask as closed polygons, each x, y, x, y, ..., in pixels of the mask.

    A mask with a side above 64 is thinned to every second, third, ... pixel first, so that the
    outline of any mask stays short.

    Examples
    --------
    >>> outlines(np.array([[False, True]]))
    [[1.0, 0.0, 2.0, 0.0, 2.0, 1.0, 1.0, 1.0]]
    """
    step = -(-max(mask.shape) // _LONGEST_OUTLINED) or 1
    next_corners = _edges(mask[::step, ::step])
    polygons = []
    while next_corners:
        start = next(iter(next_corners))
        corner = start
        polygon: list[float] = []
        while corner != start or not polygon:
            row, column = corner
            polygon += [float(step * column), float(step * row)]
            corner = _take_edge(next_corners, corner)
        polygons.append(polygon)
    return polygons


Corner = tuple[int, int]


def _edges(mask: Bools) -> dict[Corner, list[Corner]]:
    """Return where the edges of a mask end, by where they begin (row, column); it is to their right."""
    inside = np.pad(mask, 1)
    # Of each side of a pixel: its neighbor, and where the edge begins and ends, from the upper left corner.
    sides = (
        ((-1, 0), (0, 0), (0, 1)),
        ((0, 1), (0, 1), (1, 1)),
        ((1, 0), (1, 1), (1, 0)),
        ((0, -1), (1, 0), (0, 0)),
    )
    ends_of: dict[Corner, list[Corner]] = {}
    for (row_step, column_step), begin, end in sides:
        neighbor = np.roll(inside, (-row_step, -column_step), (0, 1))
        pixels = np.argwhere(inside & ~neighbor) - 1
        for row, column in pixels.tolist():
            edge_begin = (row + begin[0], column + begin[1])
            edge_end = (row + end[0], column + end[1])
            ends_of.setdefault(edge_begin, []).append(edge_end)
    return ends_of


def _take_edge(ends_of: dict[Corner, list[Corner]], corner: Corner) -> Corner:
    """Remove the last edge that begins at a corner; return where it ends."""
    end = ends_of[corner].pop()
    if not ends_of[corner]:
        del ends_of[corner]
    return end


class PlacedMask(NamedTuple):
    """A bool mask (h, w) whose upper left pixel is (row, column) of the image; cut at the image's border."""

    row: int
    column: int
    mask: Bools

    @property
    def area(self) -> int:
        """Number of foreground pixels."""
        return int(np.count_nonzero(self.mask))

    def part(self, top: int, bottom: int, left: int, right: int) -> Bools:
        """Return the part between rows and columns of the image, all of them within the mask."""
        rows = slice(top - self.row, bottom - self.row)
        columns = slice(left - self.column, right - self.column)
        return self.mask[rows, columns]


def place_mask(mask: Bools, row: int, column: int, height: int, width: int) -> PlacedMask:
    """Paste a mask into an image of (height, width) and cut it at the border; it may be entirely outside.

    Examples
    --------
    >>> place_mask(np.ones((2, 2), bool), -1, 3, 4, 4)
    PlacedMask(row=0, column=3, mask=array([[ True]]))
    """
    top, left = max(row, 0), max(column, 0)
    rows = slice(top - row, max(height - row, 0))
    columns = slice(left - column, max(width - column, 0))
    return PlacedMask(top, left, mask[rows, columns])


def mask_iou(detection: PlacedMask, person: PlacedMask, crowd: bool) -> float:
    """Return the IoU of two masks as in COCO: for a crowd over the detection's area; 0 if undefined.

    Examples
    --------
    >>> square, lower = (place_mask(np.ones((2, 2), bool), row, 0, 4, 4) for row in (0, 1))
    >>> round(mask_iou(square, lower, crowd=False), 4)
    0.3333
    """
    top, left = max(detection.row, person.row), max(detection.column, person.column)
    bottom = min(detection.row + detection.mask.shape[0], person.row + person.mask.shape[0])
    right = min(detection.column + detection.mask.shape[1], person.column + person.mask.shape[1])
    if bottom <= top or right <= left:
        return 0.0
    predicted_part = detection.part(top, bottom, left, right)
    true_part = person.part(top, bottom, left, right)
    shared = int(np.count_nonzero(predicted_part & true_part))
    union = detection.area if crowd else detection.area + person.area - shared
    return shared / union if union else 0.0
