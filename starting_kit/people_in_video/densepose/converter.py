"""What detectron2, Detectron and other tools write of DensePose as submissions.

The names and the shapes are those of detectron2's projects/DensePose: ``coco_densepose_predictions.pth`` of
its evaluator, and ``results.pkl`` of ``apply_net.py dump``; both are files of `torch.save`. Lists of
detections with arrays or base64, of `torch.save` or as JSON, are read, too. (Tried with files of torch in
which stand-ins take the place of detectron2's classes, not with files that detectron2 itself wrote.)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from people_in_video.densepose.chart_results import CSE_PROBLEM, chart_pixels, png_pixels
from people_in_video.densepose.writer import DensePoseWriter
from people_in_video.plain_values import PlainValues
from people_in_video.tools.conversion import ConversionError, ConversionOptions, Converter, Purpose
from people_in_video.tools.number_lists import NumberListError, array_of_numbers
from people_in_video.tools.torch_file import is_torch_file, read_torch_file
from people_in_video.writing import naming
from validator.findings import Note, Refused
from validator.formats.densepose.write import PNG_LEVEL
from validator.json_reader import iter_list
from validator.texts import counted, quote, quote_path

_CLASS_NAMES = (
    "densepose.structures.chart_result.DensePoseChartResult",
    "densepose.structures.chart_result.DensePoseChartResultWithConfidences",
    "densepose.structures.chart_result.DensePoseChartResultQuantized",
    "densepose.structures.chart_result.DensePoseChartResultCompressed",
    "densepose.structures.cse.DensePoseEmbeddingPredictorOutput",
    # Of 2019 and 2020: the results of an image, as PNGs in base64.
    "densepose.structures.DensePoseResult",
)
_FAST_PNG_LEVEL = 1
# detectron2 numbers its only category, person, from 0.
_PERSON_CATEGORIES = (0, 1)
# Networks leave the range a little; values further off are something else.
_SLIGHTLY_OUTSIDE = 0.25
# Names of files are not longer; a search for an id takes the square of the length.
_LONGEST_FILE_NAME = 255
_MOST_KEYS_NAMED = 10
# A short file can name one detection many times: each takes the time that its array takes. 7,500 images have
# so many if each has 100, the most that detectron2 keeps; 20 of them are scored.
_MOST_DETECTIONS = 750_000
_MOST_PIXELS = 10_000_000_000
# The last number in the name of a file.
_LAST_NUMBER = re.compile("([0-9]+)[^0-9]*$")
_SMALLER_THAN_A_PIXEL = "the box is smaller than a pixel"
_STORED_ELSEWHERE = (
    "it holds record_id instead of arrays; run the evaluation with DENSEPOSE_EVALUATION.STORAGE none"
)

Entry = Mapping[str, Any]
"""A detection as a tool writes it: ``image_id``, ``bbox``, ``score``, and its array under some name."""


def _is_needed(source: Any) -> bool:
    """Return whether something is another tool's: a list of detections, a file but no zip of JSON, and no
    JSON as it is submitted.
    """
    if not isinstance(source, Path):
        return isinstance(source, list) and bool(source) and _is_of_tool(source[0])
    if not source.is_file():
        return False
    if source.suffix != ".json":
        return is_torch_file(source) or source.suffix in (".pkl", ".pth", ".pt")
    return _holds_arrays(source)


def _is_of_tool(value: Any) -> bool:
    """Return whether something is a detection of COCO, or an image of ``apply_net.py dump``."""
    return isinstance(value, Mapping) and bool({"bbox", "file_name"} & value.keys())


def _holds_arrays(source: Path) -> bool:
    """Return whether the detections of a JSON file are not encoded as in a submission."""
    with closing(_json_entries(source)) as json_entries:
        try:
            first = next(json_entries, None)
        except (Refused, ValueError):
            # Reading the file as a submission says what is wrong.
            return False
    return isinstance(first, dict) and "uv_data" not in first


def _convert(
    task_id: str, source: Any, output: Path, options: ConversionOptions, purpose: Purpose
) -> Sequence[Note]:
    """Write the detections of a file, or of a list. Raises ValueError, which names the detection."""
    if not isinstance(source, (Path, list)):
        raise ConversionError("a table holds no arrays; give a file of detectron2, or use the writer")
    left_out: Counter[str] = Counter()
    if isinstance(source, Path) and source.suffix == ".json":
        detections: Iterable[Entry] = _json_entries(source)
    else:
        content = source if isinstance(source, list) else _read_list(source)
        # A short file can name one array many times: it is refused before any array is read.
        _check_totals(len(content), 0)
        for _ in _scored_entries(_entries(content), options.min_score, Counter()):
            pass
        detections = _entries(content)
    png_level = _FAST_PNG_LEVEL if purpose.is_temporary else PNG_LEVEL
    n_written = 0
    with DensePoseWriter(output, "converted", False, png_level) as writer:
        for index, entry, box in _scored_entries(detections, options.min_score, left_out):
            with naming(f"detection {index}"):
                height, width = int(box[3]), int(box[2])
                writer.add(_image_number(entry), box, _score(entry), _pixels(entry, height, width))
            n_written += 1
        if not n_written and left_out.keys() == {_SMALLER_THAN_A_PIXEL}:
            number = counted(left_out[_SMALLER_THAN_A_PIXEL], "detection")
            problem = f"no box of {number} is as large as a pixel"
            raise ConversionError(f"{problem}; write x, y, width and height in pixels")
    return [
        Note("N-CONVERTED", f"{counted(number, 'detection')} left out: {reason}")
        for reason, number in left_out.items()
    ]


def _scored_entries(
    detections: Iterable[Entry], min_score: float | None, left_out: Counter[str]
) -> Iterator[tuple[int, Entry, list[float]]]:
    """Yield the positions of detections, what they hold, and their boxes; count those that are left out.

    Raises ConversionError if there are too many, or if one has no image, box or score.
    """
    n_pixels = 0.0
    for index, entry in enumerate(detections):
        _check_totals(index + 1, n_pixels)
        with naming(f"detection {index}"):
            reason = _reason_to_leave_out(entry, min_score)
            if reason:
                left_out[reason] += 1
                continue
            box = _box(entry)
        n_pixels += box[2] * box[3]
        yield index, entry, box


def _check_totals(n_detections: int, n_pixels: float) -> None:
    """Raise ConversionError if these are more detections, or pixels of their boxes, than are converted."""
    remedy = "leave out those with the lowest scores"
    if n_detections > _MOST_DETECTIONS:
        raise ConversionError(f"there are more than {_MOST_DETECTIONS:,} detections; {remedy}")
    if n_pixels > _MOST_PIXELS:
        raise ConversionError(f"the boxes have more than {_MOST_PIXELS:,} pixels; {remedy}")


def _read_list(source: Path) -> Sequence[Any]:
    """Return what a file of `torch.save` holds. Raises ConversionError if it is no list."""
    content = read_torch_file(source, _CLASS_NAMES)
    if not isinstance(content, (list, tuple)):
        problem = f"it holds a {type(content).__name__} instead of a list of detections"
        raise ConversionError(f"{problem}; give what detectron2's evaluation or apply_net dump wrote")
    return content


def _entries(content: Iterable[Any]) -> Iterator[Entry]:
    """Yield the detections of a list of them, or of images that hold them as ``apply_net.py dump`` writes."""
    for value in content:
        if isinstance(value, dict) and "file_name" in value:
            yield from _entries_of_image(value)
        else:
            yield value


def _entries_of_image(image: Entry) -> Iterator[Entry]:
    """Yield the detections of an image of ``apply_net.py dump``."""
    name = _file_name(image["file_name"])
    if "pred_densepose" not in image:
        # Nothing was detected, or with a model without DensePose.
        return
    image_id = _image_id(name)
    results = image["pred_densepose"]
    with naming(quote_path(name)):
        if hasattr(results, "embedding"):
            raise ConversionError(CSE_PROBLEM)
        # A `DensePoseResult` of 2019 and 2020 holds those of all detections.
        results = getattr(results, "results", results)
        corners = _numbers(image.get("pred_boxes_XYXY"), "pred_boxes_XYXY")
        scores = _numbers(image.get("scores"), "scores")
        if corners.dtype.kind not in "iuf" or corners.shape[1:] != (4,) or scores.ndim != 1:
            problem = "pred_boxes_XYXY are no boxes, or scores no numbers, one for each detection"
            raise ConversionError(f"{problem}; write the dump again")
        if not isinstance(results, list) or not len(results) == len(corners) == len(scores):
            problem = "pred_densepose, pred_boxes_XYXY and scores differ in length"
            raise ConversionError(f"{problem}; write the dump again")
    # In the precision of the file, float32, as detectron2 computes the width and the height of the arrays.
    boxes = np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1)
    for box, score, result in zip(boxes, scores, results):
        yield {"image_id": image_id, "bbox": box, "score": score, "densepose": result}


def _file_name(value: Any) -> str:
    """Return the name of the file of an image; what numbers it is one, too. Raises ConversionError."""
    if not isinstance(value, (str, int)):
        raise ConversionError(f"file_name is a {type(value).__name__}; write the name of the image's file")
    return str(value)


def _image_id(name: str) -> int:
    """Return the id of an image from the name of its file. Raises ConversionError."""
    stem = Path(name).stem
    if len(stem) > _LONGEST_FILE_NAME:
        problem = f"{quote_path(name)} is longer than {_LONGEST_FILE_NAME} characters"
        raise ConversionError(f"{problem}; write the name of the image's file")
    match = _LAST_NUMBER.search(stem)
    if match is None:
        raise ConversionError(f"{quote_path(name)} holds no id of the image; write 000000000001.jpg")
    return int(match[1])


def _json_entries(source: Path) -> Generator[Any, None, None]:
    """Yield the detections of a JSON file, one at a time: it may be larger than memory."""
    with source.open("rb") as stream:
        yield from iter_list(stream.read, source.name)


def _reason_to_leave_out(entry: Any, min_score: float | None) -> str:
    """Return why a detection is no part of a submission, "" if it is. Raises ConversionError."""
    if not isinstance(entry, Mapping) or not {"image_id", "bbox", "score"} <= entry.keys():
        raise ConversionError("it is no dict with image_id, bbox and score; give a list of such dicts")
    category = entry.get("category_id", 1)
    if not isinstance(category, (int, float, np.number)):
        raise ConversionError("category_id is no number; write 1, the category of persons")
    if category not in _PERSON_CATEGORIES:
        return f"of category {quote(repr(category))}, not of persons"
    box = _box(entry)
    if min(box[2:]) < 1:
        return _SMALLER_THAN_A_PIXEL
    if min_score is not None and _score(entry) < min_score:
        return f"the score is below {min_score:g}"
    return ""


def _numbers(value: Any, name: str) -> np.ndarray:
    """Return a tensor, an array or lists as an array. Raises ConversionError with the name of the value."""
    # Lists are left to array_of_numbers, which bounds them.
    plain = value if isinstance(value, (list, tuple)) else PlainValues().of(value)
    try:
        return array_of_numbers(plain)
    except NumberListError as error:
        raise ConversionError(f"{name}: {error}; write an array, or lists of numbers of one length") from None


def _image_number(entry: Entry) -> Any:
    """Return the id of the image, a number that may be whole or not. Raises ConversionError."""
    image_id = entry["image_id"]
    if isinstance(image_id, int) and image_id.bit_length() > 64:
        raise ConversionError(f"the image id is {quote(repr(image_id))}; write a whole number of 64 bits")
    if isinstance(image_id, (int, float, np.number)):
        return image_id
    # Lists are not printed: they may hold themselves, or endless others.
    described = quote(repr(image_id)) if isinstance(image_id, str) else f"a {type(image_id).__name__}"
    raise ConversionError(f"the image id is {described}; write a whole number")


def _box(entry: Entry) -> list[float]:
    box = _numbers(entry["bbox"], "bbox")
    if box.shape != (4,) or box.dtype.kind not in "iuf" or not np.isfinite(box).all():
        raise ConversionError("bbox is no list of four finite numbers; write x, y, width, height")
    return [float(number) for number in box]


def _score(entry: Entry) -> float:
    score = _numbers(entry["score"], "score")
    if score.size != 1 or score.dtype.kind not in "iuf":
        raise ConversionError("score is no number; write one for each detection")
    return float(score.item())


def _pixels(entry: Entry, height: int, width: int) -> np.ndarray:
    """Return parts, U and V of a detection as uint8 of shape (3, height, width). Raises ValueError."""
    if "record_id" in entry:
        raise ConversionError(_STORED_ELSEWHERE)
    if "embedding" in entry:
        raise ConversionError(CSE_PROBLEM)
    for key in ("densepose", "uv", "iuv"):
        if key in entry:
            return _pixels_of(entry[key], key, height, width)
    if "uv_data" in entry:
        return png_pixels(entry["uv_data"], height, width)
    raise ConversionError(f"it holds {_key_names(entry)} and no array; add one as uv, densepose or uv_data")


def _pixels_of(value: Any, name: str, height: int, width: int) -> np.ndarray:
    pixels = chart_pixels(value, height, width, _numbers)
    if pixels is None and isinstance(value, Mapping):
        raise ConversionError(f"{name} holds {_key_names(value)} and no array; write labels and uv")
    return _as_bytes(_numbers(value, name) if pixels is None else pixels)


def _key_names(fields: Mapping[Any, Any]) -> str:
    """Return the first keys of a dict for a message."""
    return ", ".join([quote(str(key)) for key in islice(fields, _MOST_KEYS_NAMED)])


def _as_bytes(array: np.ndarray) -> np.ndarray:
    """Return parts, U and V of shape (3, h, w) as uint8; in floats U and V are 0..1. Nothing is clipped.

    Raises ConversionError if a value is out of range.
    """
    if array.dtype == np.uint8:
        return array
    if array.ndim != 3 or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        kind = f"{array.dtype} {array.shape}"
        raise ConversionError(f"the array is {kind}; it must hold finite numbers of shape (3, h, w)")
    if array.dtype.kind == "f":
        _check_range(array[1:])
        array = np.concatenate([array[:1], np.rint(255 * array[1:])])
    if (array % 1 != 0).any() or array.min(initial=0) < 0 or array.max(initial=0) > 255:
        problem = "parts must be whole numbers 0..24, whole U and V 0..255"
        remedy = "if all were divided by 255, write np.rint(255 * iuv).astype(np.uint8)"
        raise ConversionError(f"{problem}; {remedy}")
    return array.astype(np.uint8)


def _check_range(uv: np.ndarray) -> None:
    """Raise ConversionError if U or V in floats is not in 0..1."""
    low, high = float(uv.min(initial=0)), float(uv.max(initial=0))
    if low >= 0 and high <= 1:
        return
    remedy = "give 0..1, or for 0..255 np.rint(iuv).astype(np.uint8)"
    if low >= -_SLIGHTLY_OUTSIDE and high <= 1 + _SLIGHTLY_OUTSIDE:
        remedy = "clip them as detectron2 does, np.clip(uv, 0, 1)"
    raise ConversionError(f"U and V are floats from {low:.4g} to {high:.4g}; {remedy}")


CONVERTER = Converter(
    takes="files of detectron2; lists of detections as JSON, of torch.save, or in memory",
    options=frozenset({"min_score"}),
    is_needed=_is_needed,
    convert=_convert,
)
