"""Build a densepose submission from arrays.

writer = DensePoseWriter()
# iuv: uint8 of shape (3, 342, 215), or a result of detectron2
writer.update(785, [([278.7, 42.6, 215, 342], 0.99, iuv)])
writer.save("my.zip")
"""

from __future__ import annotations

import hashlib
import os
import sys
import weakref
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

import numpy as np

from people_in_video.densepose.chart_results import chart_pixels
from people_in_video.diagnosis.sampled_pixels import SamplingKeeper
from people_in_video.plain_values import PlainValues
from people_in_video.writing import (
    Key,
    Predictions,
    checked_file,
    naming,
    numbers,
    refuse_fractions,
    require_ending,
    say_half_precision,
    size_text,
    steps,
    temporary_file,
    whole,
)
from scoring_program.challenges.densepose.public import public
from scoring_program.challenges.densepose.reference import (
    Gathered,
    Gatherer,
    Images,
    Keep,
    Kept,
    best_of_images,
    check_images,
    in_order,
)
from scoring_program.metrics.average_precision import MOST_DETECTIONS
from scoring_program.scoring import AnyLoaded
from validator import console
from validator.findings import Findings, Read, Refused
from validator.formats.densepose.read import Box, DetectionHints, are_corners
from validator.formats.densepose.selection import ArrayEntry, check_arrays
from validator.formats.densepose.write import (
    PNG_LEVEL,
    DetectionList,
    array_entry,
    encode_detection,
    file_name,
)
from validator.formats.rules import Rules, load_rules
from validator.texts import counted

# They wait in a temporary file. A submission holds at most 4 GB; worse ones of the same images wait, too.
_MOST_WAITING_BYTES = 8_000_000_000
_ENDINGS = [".zip", ".json"]
DetectionKey = tuple[float, bytes]
"""The negative score of a detection, and a hash of its box and array."""


class _Written(NamedTuple):
    """Where the text of a detection is in the temporary file; ``key`` orders the detections of an image."""

    key: DetectionKey
    begin: int
    size: int


class DensePoseWriter:
    """Collects detections, in a temporary file, and writes them: a zip for uploading, or plain JSON.

    Of each image the file holds the 20 best detections, all that are scored, and those of equal score in an
    order that depends on their content alone: the order of the calls changes no byte of it. A ``with`` block
    saves at its end, unless there was an exception.

    Parameters
    ----------
    path : path, optional
        Where `save` writes. Raises ValueError if it ends in something else than .zip or .json.
    name : str
        The team or the method, which is part of the name of the file.
    print_size : bool
        Whether the size of the file is printed on stderr.
    png_level : int
        How much arrays are compressed, 1 to 9: 1 is three times as fast as 6.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        name: str = "mymodel",
        print_size: bool = True,
        png_level: int = PNG_LEVEL,
    ) -> None:
        if path is not None:
            require_ending(path, _ENDINGS)
        self._path = path
        self._name = file_name(name)
        self._prints_size = print_size
        self._png_level = png_level
        self._best_of_image: dict[int, list[_Written]] = {}
        self._n_detections = 0
        self._n_equal = 0
        self._values = PlainValues()
        self._rules = load_rules("densepose")

    @cached_property
    def _waiting(self) -> IO[bytes]:
        """Where detections wait, because better ones may come, and memory may be too small for all."""
        waiting = temporary_file(self._path)
        weakref.finalize(self, waiting.close)
        return waiting

    def __enter__(self) -> DensePoseWriter:
        return self

    def update(self, image_id: int, detections: Sequence[tuple[Sequence[float], float, Any]]) -> None:
        """Add detections of an image, each as for `add`, which says what is refused."""
        for index, (box, score, iuv) in enumerate(_triples(detections)):
            with naming(f"detections[{index}]"):
                self.add(image_id, box, score, iuv)

    def add(self, image_id: int, box: Sequence[float], score: float, iuv: Any) -> None:
        """Add a detection; equal ones are written once.

        Parameters
        ----------
        image_id : int
        box : sequence of 4 float
            ``x, y, width, height`` in pixels.
        score : float
        iuv : uint8 array of shape (3, int(height), int(width))
            Part 0..24, then U and V scaled to 0..255: ``np.rint(255 * u)``. A result of detectron2 is taken
            as it is, in all forms of `people_in_video.densepose.chart_results`.

        Raises
        ------
        ValueError
            A value is not finite or not a number; the box is not in pixels; the array does not fit the box,
            is not uint8, holds a part above 24, or U and V in 0..1; the detections take more than 8 GB.
        """
        image = whole(self._values.of(image_id), "the image id", 0)
        checked_box, certainty, array = _checked(box, score, iuv, self._values)
        try:
            check_arrays([array_entry(image, checked_box, certainty, array)], self._rules, lambda _: None)
        except Refused as refused:
            first = refused.findings.problems[0]
            raise ValueError(f"{first.code}: {first.problem}; {first.remedy}") from None
        self._n_detections += 1
        best = self._best_of_image.setdefault(image, [])
        # Saving has moved the place in the file.
        begin = self._waiting.seek(0, os.SEEK_END)
        key = detection_key(checked_box, certainty, array)
        if any(detection.key == key for detection in best):
            self._n_equal += 1
            return
        if len(best) == MOST_DETECTIONS and best[-1].key < key:
            return
        if begin > _MOST_WAITING_BYTES:
            problem = f"the detections take more than {size_text(_MOST_WAITING_BYTES)}"
            raise ValueError(f"{problem}; leave out those with the lowest scores")
        text = encode_detection(image, checked_box, certainty, array, png_level=self._png_level).encode(
            "ascii"
        )
        self._waiting.write(text)
        best.append(_Written(key, begin, len(text)))
        best.sort()
        del best[MOST_DETECTIONS:]

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error_type is None:
            self.save()

    def save(self, path: str | Path | None = None) -> None:
        """Write the best detections of all images, check the file and put it at ``path``, by default that of
        the writer; nothing is left there if it is not valid.

        Raises ValueError if the submission is not valid, where the message lists what is wrong, the path has
        another ending, or there is none.
        """
        target = self._path if path is None else path
        if target is None:
            raise ValueError("there is no path; give save one, such as my.zip")
        require_ending(target, _ENDINGS)
        with checked_file(target, "densepose") as work:
            self._write(work)
        say_half_precision(self._values)
        if self._prints_size:
            self._print_size(Path(target))

    def _write(self, work: Path) -> None:
        """Write the best detections of all images."""
        with ExitStack() as stack:
            if work.suffix == ".json":
                stream: IO[bytes] = stack.enter_context(work.open("wb"))
            else:
                archive = stack.enter_context(zipfile.ZipFile(work, "w", zipfile.ZIP_DEFLATED))
                stream = stack.enter_context(archive.open(self._name, "w", force_zip64=True))
            detections = DetectionList(stream)
            for image in sorted(self._best_of_image):
                for detection in self._best_of_image[image]:
                    self._waiting.seek(detection.begin)
                    detections.add(self._waiting.read(detection.size).decode("ascii"))
            detections.close()

    def _print_size(self, path: Path) -> None:
        n_written = sum(map(len, self._best_of_image.values()))
        n_dropped = self._n_detections - n_written - self._n_equal
        line = f"{path}: {counted(n_written, 'detection')}, {size_text(path.stat().st_size)}"
        if n_dropped:
            line += f"; left out {n_dropped:,} after the {MOST_DETECTIONS} best of an image: they never score"
        if self._n_equal:
            line += f"; {self._n_equal:,} are equal to others"
        console.say(line, to=sys.stderr)


def _triples(detections: Any) -> list[tuple[Any, Any, Any]]:
    """Return detections, each its box, score and array. Raises ValueError if they are something else."""
    triples = list(detections)
    for index, triple in enumerate(triples):
        if not isinstance(triple, (tuple, list)) or len(triple) != 3:
            remedy = "give a list of (box, score, iuv), of a single detection, too"
            raise ValueError(f"detections[{index}] is a {type(triple).__name__}; {remedy}")
    return triples


def detection_key(box: Box, score: float, iuv: np.ndarray) -> DetectionKey:
    """Return what orders the detections of an image, the best first, those of equal score by content."""
    content = hashlib.blake2b(np.array(box, dtype="<f8").tobytes(), digest_size=16)
    content.update(np.ascontiguousarray(iuv).data)
    return -score, content.digest()


class DensePosePredictions(Predictions):
    """Keeps what scoring needs of detections; their arrays are dropped at once.

    The entry of an image maps the `detection_key` of its detections to what is kept of each.
    """

    def __init__(self, loaded: AnyLoaded) -> None:
        super().__init__(loaded.task.id)
        self._rules, self._public = load_rules(self.task_id), public(loaded.reference)
        self._keep = SamplingKeeper(loaded.reference)

    def update(self, image_id: int, detections: Sequence[tuple[Sequence[float], float, np.ndarray]]) -> None:
        """Add detections of an image; equal ones count once, as in a file of the writer.

        Of all calls the 20 best are scored; equal scores are ordered by content.

        Parameters
        ----------
        image_id : int
        detections : sequence of (box, score, iuv)
            As for `DensePoseWriter.add`.

        Raises
        ------
        ValueError
            As `DensePoseWriter.add`.
        """
        image = whole(self.values.of(image_id), "the image id", 0)
        checked_detections = []
        for index, (box, score, iuv) in enumerate(_triples(detections)):
            with naming(f"detections[{index}]"):
                checked_box, certainty, array = _checked(box, score, iuv, self.values)
            key = detection_key(checked_box, certainty, array)
            checked_detections.append((key, index, array_entry(image, checked_box, certainty, array)))
        # In the order of a file; of equal ones the first comes first, so that arrays are never compared.
        checked_detections.sort(key=lambda detection: detection[:2])
        gathered_by_key = {}
        with Findings.collect() as findings:
            for key, index, entry in checked_detections:
                with findings.part():
                    gathered_by_key[key] = self._gather(index, entry)
        self.put({image: gathered_by_key})

    def _gather(self, index: int, entry: ArrayEntry) -> Gathered:
        """Return what is kept of a detection. Raises Refused, with its index in the call."""
        try:
            return gather([entry], self._rules, self._public, self._keep)
        except Refused as refused:
            placed_findings = Findings()
            for problem in refused.findings.problems:
                _, *steps_below = steps(problem.where)
                placed_findings.repeat(problem, where="/" + "/".join([str(index), *steps_below]))
            raise Refused(placed_findings) from None

    def join(self, key: Key, earlier: Any, later: Any) -> Any:
        """Return the detections of both calls."""
        return {**later, **earlier}

    def is_same(self, entry: Any, other: Any) -> bool:
        """Return whether the detections are the same."""
        return bool(entry.keys() == other.keys())

    def check(self, loaded: AnyLoaded) -> None:
        """Check nothing: `update` did."""

    def read(self, loaded: AnyLoaded) -> Read[Gathered]:
        """Return the detections of all images, by the ids of the images."""
        detections = [
            self.entries[image][key] for image in sorted(self.entries) for key in sorted(self.entries[image])
        ]
        gathered = _joined_in_order(detections)
        return Read(gathered, check_images(gathered, self._public, ""))

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return the argument of a problem in the call that raises it."""
        index, name, *_ = steps(where)
        return "", f"detections[{index}].{_ARGUMENTS.get(name, 'iuv')}"


def gather(entries: Sequence[ArrayEntry], rules: Rules, public: Images, keep: Keep) -> Gathered:
    """Check detections in memory and keep what ``keep`` returns of each. Raises Refused."""
    gatherer = Gatherer(public, keep)
    check_arrays(entries, rules, gatherer.keep)
    return gatherer.gathered()


def _joined_in_order(parts: Sequence[Gathered]) -> Gathered:
    """Return detections that were gathered apart as those of one file, which has them in this order."""
    hints = DetectionHints()
    first_of_image: dict[int, int] = {}
    detections: list[Kept] = []
    n_before = 0
    for part in parts:
        hints.add(part.hints)
        for image_id, first in part.first_of_image.items():
            first_of_image.setdefault(image_id, n_before + first)
        detections += [replace(detection, index=n_before + detection.index) for detection in part.kept]
        n_before += part.n_detections
    return Gathered(
        kept=in_order(best_of_images(detections)),
        n_detections=n_before,
        n_other_categories=sum(part.n_other_categories for part in parts),
        n_other_images=sum(part.n_other_images for part in parts),
        hints=hints,
        first_of_image=first_of_image,
    )


_ARGUMENTS = {"image_id": "image_id", "bbox": "box", "score": "score"}
WRITERS = {"densepose": DensePosePredictions}


def _checked(
    box: Sequence[float], score: float, iuv: Any, values: PlainValues
) -> tuple[Box, float, np.ndarray]:
    """Return box, score and array of a detection. Raises ValueError as `DensePoseWriter.add` does."""
    box_values = numbers(values.of(box), (4,), "the box")
    refuse_fractions(box_values, "the box")
    certainty = float(numbers(values.of(score), (), "the score"))
    height, width = int(box_values[3]), int(box_values[2])
    pixels = chart_pixels(iuv, height, width, lambda value, _: np.asarray(values.of(value)))
    array = np.asarray(values.of(iuv)) if pixels is None else pixels
    _check_pixels(array, box_values.tolist())
    x, y, width, height = box_values.tolist()
    return (x, y, width, height), certainty, array


def _check_pixels(array: np.ndarray, box: Sequence[float]) -> None:
    shape = (3, int(box[3]), int(box[2]))
    if array.shape != shape:
        hint = ""
        if array.shape == (*shape[1:], 3):
            hint = "; write np.moveaxis(iuv, -1, 0)"
        elif array.ndim == 3 and are_corners(box, array.shape):
            hint = "; write the box as x, y, width, height, not as two corners"
        shape_text = f"(3, int(height), int(width)) = {shape}"
        raise ValueError(f"the array has shape {array.shape}; the box needs {shape_text}{hint}")
    if array.dtype != np.uint8:
        hint = "parts 0..24, U and V 0..255; for U and V in 0..1 write np.rint(255 * u).astype(np.uint8)"
        raise ValueError(f"the array is of type {array.dtype}; it must be uint8: {hint}")
    if array[0].any() and array[1:].max() == 1:
        raise ValueError("U and V are all 0 or 1: they were in 0..1; write np.rint(255 * u).astype(np.uint8)")
