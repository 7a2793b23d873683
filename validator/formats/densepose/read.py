"""Reading COCO DensePose: a list of detections, each with a box, a score and a PNG of parts, U and V.

Files are large, so they are read as a stream. They are unpacked and masks are decoded in threads, which zlib
and Pillow allow, and each detection is passed on in the order of the file to a function that keeps what it
needs of the pixels.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

import numpy as np

from validator.arrays import Pixels
from validator.choose_named import choose_named, naming_other_task
from validator.collector import collector_off
from validator.cores import usable_cores
from validator.findings import REPORTED_PER_KIND, Findings, Note, Read, Refused
from validator.formats.rules import JsonFile, Rules
from validator.hints import empty_note, score_hints
from validator.items import LIMIT_OF_REFERENCE
from validator.json_columns import JsonValue
from validator.json_reader import EntryLimit, read_list
from validator.png import ImageError, decode_base64, decode_png
from validator.reading_ahead import reading_ahead
from validator.submission import Source, open_submission
from validator.texts import counted

PARTS = 24

# A mask has at most so many pixels.
_MOST_PIXELS = 25_000_000

# Limits of a file: so many for each image of the reference, or the least if that is more. The metric reads 20
# detections of an image. Masks of one value compress to nothing, and take as long as others: pixels are ten
# times those of an image of 640 x 480.
_ENTRIES_AN_IMAGE = 1000
_LEAST_ENTRIES = 100_000
_PIXELS_AN_IMAGE = 3_000_000
_LEAST_PIXELS = 100_000_000

# What reading a detection costs, in pixels that take as long to decode, however small its mask is. The text
# of a mask has at most about 4 characters for each pixel.
_LEAST_PIXELS_OF_MASK = 10_000
_CHARACTERS_OF_PIXEL = 4

# Threads that decode masks, and what the masks may cost together that are being decoded, or wait to be kept.
_MOST_THREADS = 4
_COST_IN_FLIGHT = 2_000_000

# After so many bad masks none is decoded.
_MOST_BAD = REPORTED_PER_KIND

# Hints are given from so many detections on; some look at the first detections only.
_LEAST_DETECTIONS = 10
_DETECTIONS_SEEN = 200
# Masks of the annotations have 14 coarse parts; fine parts 1 and 2 alone are those of a torso.
_COARSE_PARTS = 14
_TORSO_PARTS = 2
# U and V of many persons come near their largest value.
_LEAST_PERCENT = 90

# ``x, y, width, height`` in pixels.
Box = tuple[float, float, float, float]


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


class Entry(NamedTuple):
    """A detection that fits its schema: its position in the file, its value, and the length of its text.

    ``pixels`` are those of a detection that is in memory, whose value has no PNG.
    """

    position: int
    value: dict[str, JsonValue]
    n_characters: int = 0
    pixels: Pixels | None = None

    @property
    def height(self) -> int:
        """The rows of the mask."""
        return int(self.value["bbox"][3])

    @property
    def width(self) -> int:
        """The columns of the mask."""
        return int(self.value["bbox"][2])

    @property
    def cost(self) -> int:
        """How many pixels take as long to read."""
        n_pixels_of_text = self.n_characters // _CHARACTERS_OF_PIXEL
        return max(self.height * self.width, n_pixels_of_text, _LEAST_PIXELS_OF_MASK)


def read(path: Source, rules: Rules) -> Read[DetectionHints]:
    """Check a submission without a reference. Raises Refused."""
    hints = DetectionHints()
    return Read(hints, read_detections(path, rules, hints.take).notes)


def read_detections(
    path: Source, rules: Rules, keep: Callable[[Detection], None], n_images: int | None = None
) -> Read[str]:
    """Pass all detections of a submission to a function, in the order of the file.

    Parameters
    ----------
    path : Path, or mapping of str to bytes
        A zip file, or a folder with the submission's file; or its content by name.
    rules : Rules
    keep : callable
        Takes each detection, as long as no problem was found.
    n_images : int, optional
        Images that there are, which bound the detections; None at home.

    Returns
    -------
    Read of str
        The name of the file.

    Raises
    ------
    Refused
        With the problems of all detections.
    """
    (file,) = rules.json
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        (name,) = findings.take(choose_named(submission, rules)).values()
        with ExitStack() as stack:
            stack.enter_context(naming_other_task(name, file.name))
            entry_findings = stack.enter_context(Findings.collect())
            stack.enter_context(collector_off())
            stream = stack.enter_context(submission.open(name))
            read_on = stack.enter_context(reading_ahead(stream.read))
            entries = entries_of(read_on, name, file, entry_findings, n_images)
            _pass_on(entries, keep, entry_findings, name, n_images)
        findings.notes += entry_findings.notes
    return Read(name, findings.notes)


def entries_of(
    stream: Callable[[int], bytes],
    name: str,
    file: JsonFile,
    findings: Findings,
    n_images: int | None = None,
) -> Iterator[Entry]:
    """Yield the detections of a list that fit their schema. Raises Refused where the list is damaged."""
    for batch in read_list(stream, name, file.schema, findings, _entry_limit(file, n_images)):
        yield from map(Entry, batch.keys, batch.column.values, batch.lengths)


def _pass_on(
    entries: Iterable[Entry],
    keep: Callable[[Detection], None],
    findings: Findings,
    name: str,
    n_images: int | None,
) -> None:
    """Check detections in threads, and pass them on in their order, as long as there is no problem."""
    n_bad = 0
    n_pixels = 0
    needed_entries = (entry for entry in entries if n_bad < _MOST_BAD)
    for entry, future in _checked_in_order(needed_entries):
        try:
            detection = future.result()
        except Refused as refused:
            findings.extend(refused.findings.with_files(lambda _: name))
            n_bad += 1
            continue
        n_pixels += entry.cost
        if n_images is not None and n_pixels > most_pixels(n_images):
            _refuse_too_many_pixels(n_images, name, findings)
        if findings.ok:
            keep(detection)
    if n_bad >= _MOST_BAD:
        findings.count_unread(0, name)


def _checked_in_order(entries: Iterable[Entry]) -> Iterator[tuple[Entry, Future[Detection]]]:
    """Yield each entry with what comes of it, in their order; some are ahead, in threads."""
    pool = ThreadPoolExecutor(min(usable_cores(), _MOST_THREADS))
    waiting: deque[tuple[Entry, Future[Detection]]] = deque()
    cost = 0
    try:
        for entry in entries:
            waiting.append((entry, pool.submit(check, entry)))
            cost += entry.cost
            while cost > _COST_IN_FLIGHT:
                cost -= waiting[0][0].cost
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()
    finally:
        pool.shutdown(cancel_futures=True)


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


def _refuse_too_many_pixels(n_images: int, name: str, findings: Findings) -> NoReturn:
    origin = f"{_PIXELS_AN_IMAGE:,} for each image, at least {_LEAST_PIXELS:,}"
    origin += f"; a detection counts as {_LEAST_PIXELS_OF_MASK:,} or more"
    problem = f"the masks have more than {most_pixels(n_images):,} pixels ({origin}); the reference has "
    problem += counted(n_images, "image")
    remedy = "a reference with more images allows more; otherwise leave out detections with low scores"
    findings.refuse("E-JSON-COUNT", problem, remedy, file=name, rule=LIMIT_OF_REFERENCE)


def check(entry: Entry) -> Detection:
    """Return the detection of an entry. Raises Refused; problems name no file."""
    with Findings.collect() as findings:
        where = f"/{entry.position}"
        _check_size(entry, where, findings)
        findings.refuse_problems()
        pixels = entry.pixels
        if pixels is None:
            pixels = _decode(entry, f"{where}/uv_data", findings)
        largest = int(pixels[..., 0].max())
        if largest > PARTS:
            problem = f"the first channel holds {largest}, the third at most {int(pixels[..., 2].max())}"
            remedy = f"write parts, 0 (background) to {PARTS}, into the first channel, R, then U and V"
            findings.add("E-DP-PART", problem, remedy, where=f"{where}/uv_data", rule="part")
    value = entry.value
    x, y, width, height = value["bbox"]
    return Detection(
        index=entry.position,
        image_id=int(value["image_id"]),
        category_id=int(value["category_id"]),
        box=(float(x), float(y), float(width), float(height)),
        score=float(value["score"]),
        pixels=pixels,
    )


def _check_size(entry: Entry, where: str, findings: Findings) -> None:
    value, height, width = entry.value, entry.height, entry.width
    shape = [int(number) for number in value["uv_shape"]]
    shape_place = f"{where}/uv_shape"
    if height < 1 or width < 1:
        remedy = "write x, y, width and height in pixels, and leave out boxes smaller than a pixel"
        problem = "the box is {2:g} x {3:g} pixels".format(*value["bbox"])
        findings.add("E-DP-BOX", problem, remedy, where=f"{where}/bbox")
    elif shape != [3, height, width]:
        rule = "shape"
        remedy = f"write [3, {height}, {width}], the integer parts of the box's height and width, if bbox is "
        remedy += "x, y, width, height; the PNG must have this size, too"
        if are_corners(value["bbox"], shape):
            rule = "corners"
            remedy = "write bbox as x, y, width, height, not as two corners"
        problem = "the shape {} x {} x {} does not fit the box".format(*shape)
        findings.add("E-DP-SHAPE", problem, remedy, where=shape_place, rule=rule)
    elif height * width > _MOST_PIXELS:
        problem = f"{height} x {width} pixels are more than {_MOST_PIXELS:,}"
        findings.add("E-DP-SHAPE", problem, "cut the box at the image", where=shape_place, rule="pixels")


def are_corners(box: Sequence[float], shape: Sequence[int]) -> bool:
    """Return whether the shape is that of a box ``x1, y1, x2, y2`` or ``x1, x2, y1, y2``; both ends may be
    included."""
    _, height, width = shape
    for x1, y1, x2, y2 in (box, [box[0], box[2], box[1], box[3]]):
        if 0 <= height - int(y2 - y1) <= 1 and 0 <= width - int(x2 - x1) <= 1:
            return True
    return False


def _decode(entry: Entry, where: str, findings: Findings) -> Pixels:
    code = "E-DP-BASE64"
    try:
        png = decode_base64(entry.value["uv_data"])
        code = "E-DP-PNG"
        return decode_png(png, entry.height, entry.width)
    except ImageError as error:
        findings.refuse(code, error.problem, error.remedy, where=where, rule=error.rule)


@dataclass
class Range:
    """The lowest and the highest of some values."""

    lowest: float = math.inf
    highest: float = -math.inf

    def take(self, lowest: float, highest: float) -> None:
        """Look at more values, by their lowest and their highest."""
        self.lowest = min(self.lowest, lowest)
        self.highest = max(self.highest, highest)

    @property
    def is_constant(self) -> bool:
        """Whether all are one and the same."""
        return self.lowest == self.highest


@dataclass
class DetectionHints:
    """A few extremes of all detections, for notes on likely mistakes.

    ``corner`` is one of x and y of a box; part, U and V are those of pixels that are not background.
    """

    count: int = 0
    whole_corners: bool = True
    score: Range = field(default_factory=Range)
    corner: Range = field(default_factory=Range)
    part: Range = field(default_factory=Range)
    u: Range = field(default_factory=Range)
    v: Range = field(default_factory=Range)

    def take(self, detection: Detection) -> None:
        """Look at a detection; at the pixels of the first 200 only."""
        self.count += 1
        corner = detection.box[:2]
        self.whole_corners &= all(value.is_integer() for value in corner)
        self.score.take(detection.score, detection.score)
        self.corner.take(min(corner), max(corner))
        if detection.index < _DETECTIONS_SEEN:
            pixels = detection.pixels.reshape(-1, 3)
            # An index with the mask, and extremes along the axis of pixels, would take ten times as long.
            channels = np.compress(pixels[:, 0] > 0, pixels, axis=0).T
            if channels.size:
                for values, channel in zip((self.part, self.u, self.v), channels):
                    values.take(int(channel.min()), int(channel.max()))

    def add(self, hints: DetectionHints) -> None:
        """Add what was found of other detections."""
        self.count += hints.count
        self.whole_corners &= hints.whole_corners
        for name in ("score", "corner", "part", "u", "v"):
            other = getattr(hints, name)
            getattr(self, name).take(other.lowest, other.highest)

    @property
    def has_coarse_parts(self) -> bool:
        """Whether parts of several detections are at most 14, but not those of a torso alone."""
        return self.count >= _LEAST_DETECTIONS and _TORSO_PARTS < self.part.highest <= _COARSE_PARTS

    def notes(self) -> list[Note]:
        """Return notes on coordinates in 0..1, on values that are constant, on coarse parts, and on scores
        that rank nothing."""
        if not self.count:
            return [empty_note()]
        notes = []
        if self.corner.lowest >= 0 and self.corner.highest <= 1 and not self.whole_corners:
            boxes = counted(self.count, "box", "boxes")
            text = f"x and y of every box lie between 0 and 1 ({boxes}); they are pixels of the image"
            notes.append(Note("N-LOOKS-NORMALIZED", text))
        sample = f"the first {counted(min(self.count, _DETECTIONS_SEEN), 'detection')}"
        largest_part, largest_uv = self.part.highest, max(self.u.highest, self.v.highest)
        has_many = self.count >= _LEAST_DETECTIONS
        channels = (("U", self.u), ("V", self.v))
        constants = [f"{name} is {values.lowest}" for name, values in channels if values.is_constant]
        if largest_part < 0:
            text = f"all pixels of {sample} are background (part 0). Write part 1..24 on the person"
            notes.append(Note("N-LOOKS-CONSTANT", text))
        elif has_many and constants:
            text = f"{' and '.join(constants)} in all pixels with a part of {sample}"
            notes.append(Note("N-LOOKS-CONSTANT", f"{text}. U and V are places within the part"))
        elif largest_uv <= 1:
            text = f"U and V are 0 or 1 in {sample}; they are round(255 * u)"
            notes.append(Note("N-LOOKS-NORMALIZED", text))
        elif has_many and _LEAST_PERCENT <= largest_uv <= 100:
            text = f"no U or V is above {largest_uv} in {sample}; they are round(255 * u), with u in 0..1"
            notes.append(Note("N-LOOKS-NORMALIZED", text))
        if has_many and self.part.is_constant:
            text = f"all pixels of {sample} that are not background have part {largest_part}"
            notes.append(Note("N-LOOKS-CONSTANT", text))
        if self.has_coarse_parts:
            text = f"no part is above {_COARSE_PARTS} in {sample}; the fine parts go from 1 to {PARTS}"
            notes.append(Note("N-PARTS-COARSE", text))
        return notes + score_hints(self.count, self.score.lowest, self.score.highest)
