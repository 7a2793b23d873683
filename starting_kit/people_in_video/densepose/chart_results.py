"""The arrays of a detection as detectron2's projects/DensePose holds them, in its forms since 2019.

| form | attributes, or keys |
|---|---|
| `DensePoseChartResult`, `...WithConfidences` | ``labels`` (h, w), ``uv`` (2, h, w) in 0..1 |
| `DensePoseChartResultQuantized` | ``labels_uv_uint8`` (3, h, w) |
| `DensePoseChartResultCompressed` | ``labels_uv_str``, a PNG in base64 |
| of `DensePoseResult.results` (2019, 2020) | ``(shape, text)``, or with its box ``((shape, text), box)`` |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from validator.png import ImageError, decode_base64, decode_png

CSE_PROBLEM = (
    "it is of a model of CSE, whose embeddings are no parts, U and V; "
    "find the vertex of each pixel with the model, and the part, U and V of that vertex"
)
_ATTRIBUTES = ("labels", "uv", "labels_uv_uint8", "labels_uv_str", "embedding")


def chart_pixels(
    result: Any, height: int, width: int, as_array: Callable[[Any, str], np.ndarray]
) -> np.ndarray | None:
    """Return parts, U and V of a result of detectron2 as uint8 of shape (3, h, w), None for anything else.

    Parameters
    ----------
    result : object, mapping or tuple
        In one of the forms above.
    height, width : int
        Of the box: how large a PNG may be.
    as_array : callable
        Returns a tensor or lists as an array; its second argument is the name of the value.

    Raises
    ------
    ValueError
        The result holds something else than parts, U and V.
    """
    text = _png_of_pair(result)
    if text is not None:
        return png_pixels(text, height, width)
    fields = result
    if not isinstance(result, Mapping):
        fields = {name: getattr(result, name) for name in _ATTRIBUTES if hasattr(result, name)}
    if "labels_uv_uint8" in fields:
        return as_array(fields["labels_uv_uint8"], "labels_uv_uint8")
    if "labels_uv_str" in fields:
        return png_pixels(fields["labels_uv_str"], height, width)
    if {"labels", "uv"} <= fields.keys():
        return _quantized(as_array(fields["labels"], "labels"), as_array(fields["uv"], "uv"))
    if "embedding" in fields:
        raise ValueError(CSE_PROBLEM)
    return None


def _png_of_pair(result: Any) -> Any:
    """Return the text of ``(shape, text)`` or ``((shape, text), box)``, None for anything else."""
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        return None
    if isinstance(result[0], (tuple, list)) and len(result[0]) == 2:
        result = result[0]
    return result[1] if isinstance(result[1], str) else None


def png_pixels(text: Any, height: int, width: int) -> np.ndarray:
    """Return the array (3, h, w) of a PNG in base64. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError("the PNG is no text in base64; write it as base64")
    try:
        pixels = decode_png(decode_base64(text), height, width)
    except ImageError as error:
        raise ValueError(f"{error.problem}; {error.remedy}") from None
    return np.moveaxis(pixels, -1, 0)


def _quantized(labels: np.ndarray, uv: np.ndarray) -> np.ndarray:
    """Return labels (h, w) and U, V (2, h, w) as bytes, as detectron2's `quantize_densepose_chart_result`.

    It cuts U and V at 0 and 1, and rounds down.
    """
    if uv.ndim != 3 or uv.shape[0] != 2 or labels.shape != uv.shape[1:]:
        problem = f"labels and uv have the shapes {labels.shape} and {uv.shape}"
        raise ValueError(f"{problem}; they must be (h, w) and (2, h, w)")
    if uv.dtype.kind not in "iuf" or labels.dtype.kind not in "iuf":
        problem = f"labels and uv are of the types {labels.dtype} and {uv.dtype}"
        raise ValueError(f"{problem}; they must be numbers")
    if not np.isfinite(uv).all():
        raise ValueError("U or V is NaN or infinite; leave the detection out")
    scaled_uv = np.clip(uv * uv.dtype.type(255), 0, 255)
    return np.concatenate([labels[None].astype(np.uint8), scaled_uv.astype(np.uint8)])
