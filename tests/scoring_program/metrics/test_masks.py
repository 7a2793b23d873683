"""Run-length codes, the resized label map and IoU of masks, beside programs that go over the pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from people_in_video.references import part_masks
from quality.densepose.synthetic import encode_counts
from scoring_program.metrics import masks
from tests.helpers import fewer_examples
from tests.plain import densepose as plain


def rectangles(seed, height, width):
    """Return a mask of a few rectangles, or of noise."""
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:
        return rng.random((height, width)) < 0.5
    mask = np.full((height, width), seed % 2 == 0)
    for _ in range(rng.integers(0, 4)):
        top, left = rng.integers(0, height), rng.integers(0, width)
        mask[top : top + rng.integers(1, height + 1), left : left + rng.integers(1, width + 1)] ^= True
    return mask


@given(st.integers(0, 2**32), st.integers(1, 200), st.integers(1, 150))
def test_run_length_code_goes_there_and_back(seed, height, width):
    mask = rectangles(seed, height, width)
    runs = part_masks.decode_counts(encode_counts(mask))
    assert np.array_equal(masks.runs_to_mask(runs, width, height).T, mask)
    assert np.array_equal(masks.runs_to_mask(part_masks.mask_to_runs(mask), height, width), mask)
    # Each run but the first has a pixel.
    assert runs[1:].all()
    assert part_masks.mask_to_runs(mask)[1:].all()


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("", []),
        ("0", [0]),
        ("?", [15]),
        ("@0", None),  # a negative run: -16
        ("P1", [32]),
        ("_0", [15]),
        ("123", [1, 2, 3]),
        ("1234", [1, 2, 3, 6]),
        ("123O", [1, 2, 3, 1]),
        ("123N", [1, 2, 3, 0]),
        ("123M", None),
        ("12345", [1, 2, 3, 6, 8]),
        ("PP4PPl1", [4096, 61440]),  # 256 x 256, of an official file
        ("P" * 12 + "0", [0]),
        ("P" * 13 + "0", None),
        ("o" * 6 + "0", [2**30 - 1]),
        ("o" * 12 + "?", None),  # more than 63 bits
        ("P", None),
        ("1P", None),
        ("/", None),
        ("p", None),
        ("\x01", None),
        ("é", None),
        ("…", None),
    ],
)
def test_codes_are_read_or_refused(text, runs):
    if runs is None:
        with pytest.raises(ValueError, match=r"not a run-length code|the code is cut off"):
            part_masks.decode_counts(text)
    else:
        assert part_masks.decode_counts(text).tolist() == runs


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (["00", "00"], "4"),
        (["11", "11"], "04"),
        (["01", "11"], "13"),
        (["10", "01"], "0120"),
        (["00", "01"], "31"),
    ],
)
def test_codes_run_down_the_columns(rows, text):
    assert encode_counts(np.array([[letter == "1" for letter in row] for row in rows])) == text


def test_later_parts_lie_on_top():
    first, second = np.zeros((256, 256), bool), np.zeros((256, 256), bool)
    first[10:20, 10:20] = second[15:30, 15:30] = True
    labels = part_masks.label_map([first, None, second])
    assert labels.tolist() == np.where(second, 3, first).tolist()
    assert not part_masks.label_map([None]).any()


@fewer_examples()
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 40), st.sampled_from([1, 7, 9]))
def test_the_label_map_is_resized_as_pixel_by_pixel(seed, height, width, factor):
    parts = [rectangles(seed + number, 256, 256) for number in range(2)]
    height, width = min(height * factor, 300), min(width, 60)
    found = part_masks.resized_foreground(part_masks.label_map(list(parts)), height, width)
    codes = [{"size": [256, 256], "counts": encode_counts(part)} for part in parts]
    person = {"bbox": [0, 0, width, height], "dp_masks": codes}
    assert found.tolist() == plain.true_mask(person).tolist()


@given(
    st.integers(-5, 12),
    st.integers(-5, 12),
    st.integers(-5, 12),
    st.integers(-5, 12),
    st.booleans(),
    st.integers(0, 99),
)
def test_mask_iou_is_that_of_full_images(row, column, other_row, other_column, crowd, seed):
    rng = np.random.default_rng(seed)
    shapes = [(rng.random((4, 5)) < 0.6, row, column), (rng.random((6, 3)) < 0.6, other_row, other_column)]
    full = []
    for mask, top, left in shapes:
        canvas = np.zeros((40, 40), bool)
        canvas[top + 15 : top + 15 + mask.shape[0], left + 15 : left + 15 + mask.shape[1]] = mask
        full.append(canvas[15:25, 15:25])
    a, b = (masks.place_mask(mask, top, left, 10, 10) for mask, top, left in shapes)
    union = full[0].sum() if crowd else (full[0] | full[1]).sum()
    assert masks.mask_iou(a, b, crowd) == ((full[0] & full[1]).sum() / union if union else 0)
    assert a.area == full[0].sum()
    assert a.mask.shape == full[0][a.row :, a.column :][: a.mask.shape[0], : a.mask.shape[1]].shape


@pytest.mark.parametrize(("row", "column"), [(11, 0), (0, 11), (-4, 0), (0, -4), (40, 40), (10, 10)])
def test_a_mask_entirely_outside_of_the_image_has_no_pixel(row, column):
    placed = masks.place_mask(np.ones((4, 4), bool), row, column, 10, 10)
    assert placed.area == 0
