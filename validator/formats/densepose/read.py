"""Reading COCO DensePose: a list of detections, each with a box, a score and a PNG of parts, U and V.

Files are large, so they are read as a stream (`entries`), and folded in worker processes: a fold checks
batches of detections (`Checker`) and takes what it needs from the pixels of each, which are then dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar, Union

import numpy as np

from validator.array_stream import EntryLimit, ReadBytes, iter_entries
from validator.arrays import Pixels
from validator.choose import choose_named, naming_other_task
from validator.findings import REPORTED_PER_KIND, Findings, Note, Problem, Read
from validator.formats.rules import Format, JsonFile, Rules
from validator.hints import empty_note
from validator.items import LIMIT_OF_REFERENCE
from validator.json_decoding import count_marks
from validator.json_files import check_value
from validator.limits import collector_off
from validator.png import ImageError, decode_base64, decode_png
from validator.schema_errors import Budget
from validator.strict_json import JsonValue
from validator.submission import Source, open_submission
from validator.texts import counted
from validator.workers import Batch, Fold, fold, usable_cores

PARTS = 24

# Limits of a detection: bytes and values of its entry, and pixels of its mask. A detection has about a dozen
# values. More may be in keys of one's own.
_LARGEST_ENTRY = 32_000_000
_MOST_VALUES = 10_000
_MOST_PIXELS = 25_000_000

# Limits of a file: so many for each image of the reference, or the least if that is more. The metric reads 20
# detections of an image. Masks of one value compress to nothing, and take as long as others: pixels are ten
# times those of an image of 640 x 480.
_ENTRIES_AN_IMAGE = 1000
_LEAST_ENTRIES = 100_000
_PIXELS_AN_IMAGE = 3_000_000
_LEAST_PIXELS = 100_000_000

# What reading a detection costs, in pixels that take as long to decode: the first however small its mask is,
# and the second for each value of its entry, among which equal keys are looked for. The text of a mask has at
# most about 4 bytes for each pixel and few escape sequences.
_LEAST_PIXELS_OF_MASK = 10_000
_PIXELS_OF_VALUE = 50
_TEXT_BYTES_OF_PIXEL = 4

# A batch is passed on when it has so many detections. Only then is it known whether more are needed.
_MOST_IN_BATCH = 5000
# Equal masks that are not larger are decoded once, if they are among the last ones.
_FEW_PIXELS = 20_000
_SMALL_MASKS_KEPT = 64

# Explaining a bad entry takes far longer than reading a good one: a fold ends after so many of them.
_MOST_BAD = REPORTED_PER_KIND
_MOST_BAD_BYTES = 32_000_000
_MOST_PROBLEMS = 500

# Hints are given from so many detections or scores on; some look at the first detections only.
_LEAST_SCORES = 10
_LEAST_DETECTIONS = 10
_DETECTIONS_SEEN = 200
# Masks of the annotations have 14 coarse parts; fine parts 1 and 2 alone are those of a torso.
_COARSE_PARTS = 14
_TORSO_PARTS = 2
# U and V of many persons come near their largest value.
_LEAST_PERCENT = 90

ResultT = TypeVar("ResultT")
# ``x, y, width, height`` in pixels.
Box = tuple[float, float, float, float]
# The text of a detection, or a text without pixels and the pixels, for arrays that are in memory.
Entry = Union[bytes, tuple[bytes, Pixels]]


class ReaderSizes(NamedTuple):
    """How much is read at once.

    Attributes
    ----------
    batch_bytes : int
        Detections are passed to a process in batches of so many bytes, or a little more. Large: each change
        between processes on a core makes it slower.
    parallel_from_bytes : int
        From this size on a file is read in worker processes.
    most_workers : int
        Worker processes, even if there are more cores.
    """

    batch_bytes: int = 8_000_000
    parallel_from_bytes: int = 8_000_000
    most_workers: int = 4

    def workers(self, file_bytes: int) -> int:
        """Return how many processes read a file of so many bytes."""
        if file_bytes < self.parallel_from_bytes:
            return 1
        return min(usable_cores(), self.most_workers)


SIZES = ReaderSizes()


@dataclass(frozen=True)
class Detection:
    """One detection.

    Attributes
    ----------
    index : int
        Its position in the file, from 0.
    image_id, category_id : int
    box : tuple of 4 float
        ``x, y, width, height`` in pixels.
    score : float
    pixels : uint8 array of shape (int(height), int(width), 3)
        Part 0..24 (0 is background), U and V (0..255).
    """

    index: int
    image_id: int
    category_id: int
    box: Box
    score: float
    pixels: Pixels


class Checked(NamedTuple):
    """What one process checked: the problems with their positions, their number, and the pixels."""

    problems: list[tuple[int, Problem]]
    total: int
    is_complete: bool
    n_pixels: int = 0


class Checker:
    """Checks detections batch by batch.

    Parameters
    ----------
    schema : Path
        The schema of a detection.
    most_pixels : int, optional
        After so many pixels of masks it reads no further; the caller refuses the submission. A small mask
        counts as 10,000 pixels, and one with a long text as more.

    Attributes
    ----------
    is_done : bool
        Whether it left a detection out, and will leave out all others.
    """

    def __init__(self, schema: Path, most_pixels: int | None = None) -> None:
        self._schema = schema
        self._most_pixels = most_pixels
        self._n_pixels = 0
        self._budget = Budget()
        self._n_bad = 0
        self._n_bad_bytes = 0
        self._problems: list[tuple[int, Problem]] = []
        self._total = 0
        self._is_complete = True
        self.is_done = False

    def good(self, batch: Iterable[tuple[int, Entry]]) -> Iterator[Detection]:
        """Check a batch; yield its detections, none after a problem, when they are of no use."""
        for index, entry in batch:
            if self._has_too_many_bad() or self._has_too_many_pixels():
                self._is_complete = False
                self.is_done = True
                return
            findings = Findings()
            n_values = count_marks(_text_of(entry), b",[{")
            with findings.part():
                _refuse_many_values(n_values, f"/{index}")
                detection = check(index, entry, self._schema, self._budget)
            self._note(index, findings)
            if findings.ok:
                self._n_pixels += _n_pixels_counted(detection, _text_of(entry), n_values)
            else:
                self._n_bad += 1
                self._n_bad_bytes += len(_text_of(entry))
            if not self._total:
                yield detection

    def _has_too_many_bad(self) -> bool:
        return self._n_bad == _MOST_BAD or self._n_bad_bytes > _MOST_BAD_BYTES

    def _has_too_many_pixels(self) -> bool:
        return self._most_pixels is not None and self._n_pixels > self._most_pixels

    def _note(self, index: int, findings: Findings) -> None:
        """Keep the problems of the detection at ``index``; only their number once there are many."""
        self._total += findings.total
        self._is_complete &= findings.is_complete
        if len(self._problems) < _MOST_PROBLEMS:
            self._problems += [(index, problem) for problem in findings.problems]

    def result(self) -> Checked:
        """Return the problems so far."""
        return Checked(self._problems, self._total, self._is_complete, self._n_pixels)


def read(path: Source, rules: Rules, sizes: ReaderSizes = SIZES) -> Read[DetectionHints]:
    """Check a submission without a reference. Raises Refused."""
    make_fold = partial(_HintsFold, rules.json[0].schema)
    folded = read_folded(path, rules, make_fold, sizes)
    _, hints_of_processes = folded.content
    return Read(DetectionHints.joined(hints_of_processes), folded.notes)


def read_folded(
    path: Source,
    rules: Rules,
    make_fold: Callable[[], Fold[tuple[Checked, ResultT]]],
    sizes: ReaderSizes = SIZES,
    n_images: int | None = None,
) -> Read[tuple[str, list[ResultT]]]:
    """Pass all detections of a submission to folds, in worker processes for large files.

    Parameters
    ----------
    path : Path, or mapping of str to bytes
        A zip file, or a folder with the submission's file; or its content by name.
    rules : Rules
    make_fold : callable
        Makes the fold of a process; its result is that of its `Checker`, and one of its own.
    sizes : ReaderSizes
    n_images : int, optional
        Images that there are, which bound the detections; None at home.

    Returns
    -------
    Read of (str, list)
        The name of the file, and the folds' own results.

    Raises
    ------
    Refused
        With the problems of all detections, in the order of the file.
    """
    (file,) = rules.json
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        (name,) = findings.take(choose_named(submission, rules)).values()
        n_workers = sizes.workers(submission.size(name))
        with submission.open(name) as stream, collector_off():
            texts = entries(stream.read, name, file, n_images)
            batches = _batches(texts, sizes.batch_bytes, findings)
            results = fold(batches, make_fold, n_workers)
        checked_parts = [checked for checked, _ in results]
        if n_images is not None:
            _refuse_many_pixels(checked_parts, n_images, name)
        report(checked_parts, name, findings)
    return Read((name, [result for _, result in results]), findings.notes)


def read_at(path: Path, rules: Rules, positions: Collection[int]) -> dict[int, Detection]:
    """Return the detections at these positions of a submission that is valid; only they are decoded.

    Raises Refused.
    """
    (file,) = rules.json
    detections: dict[int, Detection] = {}
    n_read = max(positions, default=-1) + 1
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        (name,) = findings.take(choose_named(submission, rules)).values()
        with submission.open(name) as stream:
            texts = islice(entries(stream.read, name, file), n_read)
            for index, text in enumerate(texts):
                if index in positions:
                    detections[index] = check(index, text, file.schema, Budget())
    return detections


def _text_of(entry: Entry) -> bytes:
    return entry[0] if isinstance(entry, tuple) else entry


def _n_pixels_counted(detection: Detection, text: bytes, n_values: int) -> int:
    """Return how many pixels take as long to decode as this detection took to be read."""
    return max(
        detection.pixels[..., 0].size,
        _LEAST_PIXELS_OF_MASK,
        len(text) // _TEXT_BYTES_OF_PIXEL + count_marks(text, b"\\"),
        n_values * _PIXELS_OF_VALUE,
    )


def _entry_limit(file: JsonFile, n_images: int | None) -> EntryLimit:
    """Return how many detections a file may have; ``n_images`` is None where images are not known."""
    most = file.entries or 0
    if n_images is None:
        return EntryLimit(most)
    for_images = max(_LEAST_ENTRIES, _ENTRIES_AN_IMAGE * n_images)
    if most < for_images:
        return EntryLimit(most)
    origin = f" ({_ENTRIES_AN_IMAGE:,} for each image, at least {_LEAST_ENTRIES:,})"
    origin += f"; the reference has {counted(n_images, 'image')}"
    return EntryLimit(for_images, origin)


def most_pixels(n_images: int) -> int:
    """Return how many pixels the masks of a submission may have together, each counted as at least 10,000."""
    return max(_LEAST_PIXELS, _PIXELS_AN_IMAGE * n_images)


def _refuse_many_pixels(parts: Sequence[Checked], n_images: int, name: str) -> None:
    """Refuse masks with more pixels than are allowed, whatever else is wrong: not all of them are read.

    Each process ends beyond the limit, so their sum tells the same however they divided the masks.
    """
    most = most_pixels(n_images)
    if sum(part.n_pixels for part in parts) > most:
        images = counted(n_images, "image")
        origin = f"{_PIXELS_AN_IMAGE:,} for each image, at least {_LEAST_PIXELS:,}"
        origin += f"; a detection counts as {_LEAST_PIXELS_OF_MASK:,} or more"
        origin += f", and as {_PIXELS_OF_VALUE} or more for each value"
        problem = f"the masks have more than {most:,} pixels ({origin}); the reference has {images}"
        remedy = "a reference with more images allows more; otherwise leave out detections with low scores"
        Findings().refuse("E-JSON-COUNT", problem, remedy, file=name, rule=LIMIT_OF_REFERENCE)


def entries(read_bytes: ReadBytes, name: str, file: JsonFile, n_images: int | None = None) -> Iterator[bytes]:
    """Yield the texts of the detections; ``n_images`` is None where images are not known.

    Raises Refused where the list breaks off or is damaged.
    """
    with naming_other_task(name, file.name):
        yield from iter_entries(read_bytes, name, _LARGEST_ENTRY, _entry_limit(file, n_images))


def _batches(texts: Iterable[bytes], batch_bytes: int, findings: Findings) -> Iterator[Batch]:
    """Yield the texts with their positions in batches; what ends them early is a problem in ``findings``.

    The batch in which that happens is dropped: what seems wrong there often only follows from it.
    """
    batch: Batch = []
    size = 0
    with findings.part():
        for index, text in enumerate(texts):
            batch.append((index, text))
            size += len(text)
            if size >= batch_bytes or len(batch) == _MOST_IN_BATCH:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def report(parts: Sequence[Checked], name: str, findings: Findings) -> None:
    """Add the problems that all processes found, in the order of the file."""
    problems = sorted((entry for part in parts for entry in part.problems), key=lambda entry: entry[0])
    for _, problem in problems:
        findings.repeat(problem, file=name)
    unread = sum(part.total for part in parts) - len(problems)
    if unread or not all(part.is_complete for part in parts):
        findings.count_unread(unread, name)


def check(index: int, entry: Entry, schema: Path, budget: Budget) -> Detection:
    """Parse, check, and decode the detection at ``index``. Raises Refused; problems name no file."""
    where = f"/{index}"
    text, pixels_in_memory = entry if isinstance(entry, tuple) else (entry, None)
    value = check_value(text, schema, where, budget)
    with Findings.collect() as findings:
        box = value["bbox"]
        height, width = int(box[3]), int(box[2])
        _check_size(value, height, width, where, findings)
        findings.refuse_problems()
        uv_place = f"{where}/uv_data"
        if pixels_in_memory is None:
            pixels = _decode(value["uv_data"], height, width, uv_place, findings)
        else:
            pixels = pixels_in_memory
        _check_parts(pixels, uv_place, findings)
    return Detection(
        index=index,
        image_id=int(value["image_id"]),
        category_id=int(value["category_id"]),
        box=(float(box[0]), float(box[1]), float(box[2]), float(box[3])),
        score=float(value["score"]),
        pixels=pixels,
    )


def _refuse_many_values(n_values: int, where: str) -> None:
    """Refuse an entry with very many values before it is parsed: each takes a hundred bytes of memory."""
    if n_values > _MOST_VALUES:
        problem = f"the entry has more than {_MOST_VALUES:,} values (commas and brackets)"
        remedy = "see the format's example for the right shape; uv_data is a PNG in base64"
        Findings().refuse("E-JSON-COUNT", problem, remedy, where=where, rule="entry")


def _check_size(value: dict[str, JsonValue], height: int, width: int, where: str, findings: Findings) -> None:
    """Check the size of the box, ``height`` and ``width`` in whole pixels, and that ``uv_shape`` fits it."""
    shape = [int(number) for number in value["uv_shape"]]
    shape_place = f"{where}/uv_shape"
    if height < 1 or width < 1:
        _add_tiny_box(value["bbox"], where, findings)
    elif shape != [3, height, width]:
        rule = "shape"
        remedy = f"write [3, {height}, {width}]: 3, then the integer parts of the box's height and width"
        if _are_corners(value["bbox"], shape):
            rule = "corners"
            remedy = "write bbox as x, y, width, height, not as two corners"
        elif shape == [3, width, height]:
            rule = "exchanged"
            remedy += ", if bbox is x, y, width, height as it should be"
        else:
            remedy += ", which the PNG must have, too"
        problem = "the shape {} x {} x {} does not fit the box".format(*shape)
        findings.add("E-DP-SHAPE", problem, remedy, where=shape_place, rule=rule)
    elif height * width > _MOST_PIXELS:
        problem = f"{height} x {width} pixels are more than {_MOST_PIXELS:,}"
        findings.add("E-DP-SHAPE", problem, "cut the box at the image", where=shape_place, rule="pixels")


def _add_tiny_box(box: list[float], where: str, findings: Findings) -> None:
    remedy = "write x, y, width and height in pixels, and leave out boxes smaller than a pixel"
    problem = f"the box is {box[2]:g} x {box[3]:g} pixels"
    findings.add("E-DP-BOX", problem, remedy, where=f"{where}/bbox")


def _are_corners(box: list[float], shape: list[int]) -> bool:
    """Return whether the shape is that of a box ``x1, y1, x2, y2`` or ``x1, x2, y1, y2``; both ends may be
    included."""
    _, height, width = shape
    for x1, y1, x2, y2 in (box, [box[0], box[2], box[1], box[3]]):
        if 0 <= height - int(y2 - y1) <= 1 and 0 <= width - int(x2 - x1) <= 1:
            return True
    return False


def _decode(data: str | bytes, height: int, width: int, where: str, findings: Findings) -> Pixels:
    """Return the pixels of an image, given in base64 or as the bytes of the file. Raises Refused."""
    code = "E-DP-BASE64"
    try:
        png = data if isinstance(data, bytes) else decode_base64(data)
        code = "E-DP-PNG"
        decode = decode_png if height * width > _FEW_PIXELS else _decode_small_png
        return decode(png, height, width)
    except ImageError as error:
        findings.refuse(code, error.problem, error.remedy, where=where, rule=error.rule)


@lru_cache(maxsize=_SMALL_MASKS_KEPT)
def _decode_small_png(png: bytes, height: int, width: int) -> Pixels:
    """Return what `decode_png` does, once for equal files: a small zip may hold 100,000 of them."""
    pixels = decode_png(png, height, width)
    pixels.setflags(write=False)
    return pixels


def _check_parts(pixels: Pixels, where: str, findings: Findings) -> None:
    """Check that the first channel holds parts."""
    largest = int(pixels[..., 0].max())
    if largest > PARTS:
        problem = f"the first channel holds {largest}, the third at most {int(pixels[..., 2].max())}"
        remedy = f"write parts, 0 (background) to {PARTS}, into the first channel, R, then U and V"
        findings.add("E-DP-PART", problem, remedy, where=where, rule="part")


@dataclass
class DetectionHints:
    """A few extremes of all detections, for notes on likely mistakes."""

    count: int = 0
    scores: tuple[float, float] = (np.inf, -np.inf)
    corners: tuple[float, float] = (np.inf, -np.inf)
    whole_corners: bool = True
    largest_part: int = 0
    # -1 if all is background.
    largest_uv: int = -1

    def take(self, detection: Detection) -> None:
        """Look at a detection; at the pixels of the first 200 only."""
        self.count += 1
        self.scores = _widened(self.scores, detection.score)
        for value in detection.box[:2]:
            self.corners = _widened(self.corners, value)
            self.whole_corners &= value.is_integer()
        if detection.index < _DETECTIONS_SEEN:
            largest_part = int(detection.pixels[..., 0].max())
            largest_uv = int(detection.pixels[..., 1:].max()) if largest_part else -1
            self.largest_part = max(self.largest_part, largest_part)
            self.largest_uv = max(self.largest_uv, largest_uv)

    @staticmethod
    def joined(parts: Sequence[DetectionHints]) -> DetectionHints:
        """Return the facts of all processes as one."""
        return DetectionHints(
            count=sum(part.count for part in parts),
            scores=_joined_extremes([part.scores for part in parts]),
            corners=_joined_extremes([part.corners for part in parts]),
            whole_corners=all(part.whole_corners for part in parts),
            largest_part=max(part.largest_part for part in parts),
            largest_uv=max(part.largest_uv for part in parts),
        )

    def notes(self) -> list[Note]:
        """Return notes on coordinates in 0..1, on background or coarse parts alone, and on scores that rank
        nothing."""
        if not self.count:
            return [empty_note()]
        notes = []
        if self.corners[0] >= 0 and self.corners[1] <= 1 and not self.whole_corners:
            boxes = counted(self.count, "box", "boxes")
            text = f"x and y of every box lie between 0 and 1 ({boxes}); they are pixels of the image"
            notes.append(Note("N-LOOKS-NORMALIZED", text))
        seen = f"the first {counted(min(self.count, _DETECTIONS_SEEN), 'detection')}"
        if self.largest_uv < 0:
            text = f"all pixels of {seen} are background (part 0). Write part 1..24 on the person"
            notes.append(Note("N-LOOKS-CONSTANT", text))
        elif self.largest_uv <= 1:
            notes.append(Note("N-LOOKS-NORMALIZED", f"U and V are 0 or 1 in {seen}; they are round(255 * u)"))
        has_many = self.count >= _LEAST_DETECTIONS
        if has_many and _LEAST_PERCENT <= self.largest_uv <= 100:
            text = f"no U or V is above {self.largest_uv} in {seen}; they are round(255 * u), with u in 0..1"
            notes.append(Note("N-LOOKS-NORMALIZED", text))
        if has_many and _TORSO_PARTS < self.largest_part <= _COARSE_PARTS:
            text = f"no part is above {_COARSE_PARTS} in {seen}; the fine parts go from 1 to {PARTS}"
            notes.append(Note("N-PARTS-COARSE", text))
        if self.count >= _LEAST_SCORES and self.scores[0] == self.scores[1]:
            same = f"{counted(self.count, 'score')} are {self.scores[0]:g}"
            text = f"all {same}. AP ranks detections: give each its own score"
            notes.append(Note("N-LOOKS-CONSTANT", text))
        return notes


def _widened(extremes: tuple[float, float], value: float) -> tuple[float, float]:
    smallest, largest = extremes
    return min(smallest, value), max(largest, value)


def _joined_extremes(parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    smallest = min(part[0] for part in parts)
    largest = max(part[1] for part in parts)
    return smallest, largest


class _HintsFold:
    """Checks detections and keeps their extremes."""

    def __init__(self, schema: Path) -> None:
        self._checker, self._hints = Checker(schema), DetectionHints()

    def take(self, batch: Batch) -> None:
        for detection in self._checker.good(batch):
            self._hints.take(detection)

    @property
    def is_done(self) -> bool:
        return self._checker.is_done

    def result(self) -> tuple[Checked, DetectionHints]:
        return self._checker.result(), self._hints


FORMAT = Format(read, DetectionHints.notes)
