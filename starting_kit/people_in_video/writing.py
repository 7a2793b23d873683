"""The base of the writers: it refuses wrong arguments at once and writes only complete and valid files."""

from __future__ import annotations

import sys
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from people_in_video.plain_values import PlainValues, half_precision_text
from scoring_program.scoring import AnyLoaded
from validator import console
from validator.checking import load_format
from validator.findings import Findings, Read, Refused
from validator.items import ITEMS_NONE
from validator.texts import counted

TO_PIXELS = "multiply x by the width and y by the height of the image"
"""What messages say to do with a box that is a share of the image."""

# What something is predicted for: a sequence, an image, a video and a frame, a video, a segment and a word.
Key = Any


class InvalidFileError(ValueError):
    """A submission that was written is not valid; the message lists the problems of ``findings``."""

    def __init__(self, findings: Findings) -> None:
        super().__init__("\n".join(findings.lines()))
        self.findings = findings


class RepeatedError(ValueError):
    """A call predicts otherwise what an earlier call predicted: that of ``key`` in `Predictions.entries`."""

    def __init__(self, key: Key, name: str) -> None:
        super().__init__(f"{name} was predicted otherwise; give it once, or the same again")
        self.key = key


class IncompleteError(ValueError):
    """Something is missing from predictions, so that they cannot be scored yet: ``key`` needs it."""

    def __init__(self, key: Key, text: str) -> None:
        super().__init__(text)
        self.key = key


class Predictions(ABC):
    """Predictions in memory; they can be pickled.

    What calls add is looked for among that of earlier calls: what is there already is dropped if its content
    is equal. Within a call nothing counts as repeated.

    Attributes
    ----------
    task_id : str
    entries : dict
        What is predicted, by what it is predicted for, such as a video and a frame; in any order.
    values : PlainValues
        Turns arguments into plain values.
    """

    n_item_arguments = 1
    """How many arguments of `update` come first and name the item."""

    def __init__(self, task_id: str) -> None:
        self.task_id = task_id
        self.entries: dict[Key, Any] = {}
        self.values = PlainValues()

    # What a call takes differs by task.
    update: Any

    def put(self, additions: Mapping[Key, Any]) -> bool:
        """Add what a call predicts; nothing, if a part is refused. Raises ValueError as `join`.

        Returns whether anything is new.
        """
        new_entries = {}
        for key, entry in additions.items():
            new_entries[key] = self.join(key, self.entries[key], entry) if key in self.entries else entry
        is_new = any(
            key not in self.entries or not self.is_same(self.entries[key], new_entries[key])
            for key in new_entries
        )
        self.entries.update(new_entries)
        return is_new

    def join(self, key: Key, earlier: Any, later: Any) -> Any:
        """Return the entry that two calls make; neither changes. Raises RepeatedError if they contradict."""
        if not self.is_same(earlier, later):
            raise RepeatedError(key, self.name(key))
        return earlier

    def is_same(self, entry: Any, other: Any) -> bool:
        """Return whether two entries have equal content."""
        return _is_same(entry, other)

    def unit(self, key: Key) -> Key:
        """Return what is merged as a whole: the first part of a key, or all of it."""
        return key

    def name(self, key: Key) -> str:
        """Return how messages name what a key is of."""
        return str(key)

    def item(self, key: Key) -> str:
        """Return the name of the item of the reference that a key of ``entries`` is of."""
        return str(key)

    @abstractmethod
    def check(self, loaded: AnyLoaded) -> None:
        """Check all that reading a submission checks of each item. Raises Refused."""

    @abstractmethod
    def read(self, loaded: AnyLoaded) -> Read[Any]:
        """Return the predictions as arrays, checked as a submission is. Raises Refused, IncompleteError."""

    @abstractmethod
    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return the key of a problem, and its argument with indexes. Raises ValueError if there is none."""


def _is_same(content: Any, other: Any) -> bool:
    """Return whether values of the same structure are equal, arrays among them."""
    if isinstance(content, np.ndarray):
        return np.array_equal(content, other)
    if isinstance(content, (list, tuple)):
        return len(content) == len(other) and all(map(_is_same, content, other))
    return bool(content == other)


class FilePredictions(Predictions):
    """Predictions that are written as files of text, all at once, and checked and read as these files."""

    @abstractmethod
    def files(self) -> dict[str, bytes]:
        """Return the files of the submission by name, whatever the order of the calls was."""

    def check(self, loaded: AnyLoaded) -> None:
        """Check all that reading the files checks of each item. Raises Refused."""
        try:
            loaded.read(self.files())
        except Refused as refused:
            # Whether any item is known is asked of all predictions together.
            problems = [problem for problem in refused.findings.problems if problem.code != ITEMS_NONE]
            if problems:
                findings = Findings()
                for problem in problems:
                    findings.repeat(problem)
                raise Refused(findings) from None

    def read(self, loaded: AnyLoaded) -> Read[Any]:
        """Return the predictions as arrays, those that reading the files of a zip gives. Raises Refused."""
        return loaded.read(self.files())

    def save(self, path: str | Path) -> None:
        """Write the zip, check it and put it at ``path``; nothing is left there if it is not valid.

        Notes on stderr that there were numbers of half precision. Raises ValueError if the submission is not
        valid, where the message lists what is wrong, or the path has another ending.
        """
        save_zip(path, self.task_id, self.files())
        say_half_precision(self.values)


def say_half_precision(values: PlainValues) -> None:
    """Print a note on stderr if there were numbers of half precision."""
    if values.half_types:
        console.say(f"N-HALF: {half_precision_text(values.half_types)}", to=sys.stderr)


def steps(pointer: str) -> list[str]:
    """Return the keys and indexes of a JSON Pointer."""
    _, *escaped_steps = pointer.split("/")
    return [step.replace("~1", "/").replace("~0", "~") for step in escaped_steps]


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Begin the messages of ValueErrors with ``name``, unless it is ""."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{name}: {error}" if name else str(error)) from None


@contextmanager
def checked_file(path: str | Path, task_id: str) -> Iterator[Path]:
    """Yield a temporary path of the same name; afterwards check the file there and move it to ``path``.

    After an exception, or if the check fails, nothing is left and an older file at ``path`` stays. Raises
    ValueError if the submission is not valid (the message lists what is wrong), OSError if nothing can be
    written there.
    """
    target = Path(path)
    with _errors_of(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.TemporaryDirectory(dir=target.parent, prefix=".writing-")
    with temporary as folder:
        work = Path(folder, target.name)
        yield work
        form, rules = load_format(task_id)
        try:
            form.read(work if zipfile.is_zipfile(work) else work.parent, rules)
        except Refused as refused:
            raise InvalidFileError(refused.findings) from None
        work.replace(target)


def temporary_file(path: str | Path | None) -> IO[bytes]:
    """Return a temporary file in the folder of a path, where there is room; without a path in that of the
    system. Raises OSError."""
    if path is None:
        return tempfile.TemporaryFile()
    folder = Path(path).parent
    with _errors_of(path):
        folder.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=folder)


@contextmanager
def _errors_of(path: str | Path) -> Iterator[None]:
    """Name this path in an OSError."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def require_ending(path: str | Path, endings: Sequence[str]) -> None:
    """Raise ValueError if the name of a file has another ending than that of what is written there."""
    if Path(path).suffix.lower() not in ("", *endings):
        raise ValueError(f"the path is {str(path)!r}; it must end in {' or '.join(endings)}")


def save_zip(path: str | Path, task_id: str, files: Mapping[str, str | bytes]) -> None:
    """Write a zip of texts by name, as `checked_file` does.

    Raises ValueError if the submission is not valid, or the path has another ending.
    """
    require_ending(path, [".zip"])
    with checked_file(path, task_id) as work, zipfile.ZipFile(work, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def size_text(n_bytes: int) -> str:
    """Return the size of a file for people.

    Examples
    --------
    >>> size_text(2_340_000)
    '2.3 MB'
    >>> size_text(1_700)
    '2 kB'
    >>> size_text(412)
    '412 bytes'
    """
    if n_bytes >= 1e5:
        return f"{n_bytes / 1e6:.1f} MB"
    return f"{n_bytes / 1e3:.0f} kB" if n_bytes >= 1e3 else counted(n_bytes, "byte")


def numbers(values: object, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Return finite numbers as float64 of a shape in which -1 is any length; [] has length 0.

    Raises ValueError if the values are not numbers, have another shape, or are NaN or infinite.
    """
    shape_text = str(tuple("n" if size == -1 else size for size in shape)).replace("'", "")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name}: the lists differ in length; the shape must be {shape_text}") from None
    if array.shape == (0,) and shape[0] == -1:
        return np.zeros((0, *shape[1:]))
    if array.dtype == object:
        is_wrong = np.vectorize(_is_no_number, otypes=[bool])(array)
        first_wrong = array[is_wrong].tolist()[:1]
        if first_wrong and array.ndim == len(shape):
            place = _first_place(is_wrong)
            raise ValueError(f"{name}{place} is {first_wrong[0]!r:.40}; give numbers of shape {shape_text}")
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name}: the values are of type {array.dtype}; give numbers of shape {shape_text}")
    sizes_fit = all(size in (-1, n) for size, n in zip(shape, array.shape))
    if array.ndim != len(shape) or not sizes_fit:
        hint = _reshaping(array.shape, shape)
        raise ValueError(f"{name}: the shape is {array.shape} and must be {shape_text}{hint}")
    is_finite = np.isfinite(array)
    if not is_finite.all():
        share = f"{int((~is_finite).sum())} of {counted(array.size, 'value')}"
        raise ValueError(
            f"{name}{_first_place(~is_finite)}: NaN or infinite: {share}; leave such entries out"
        )
    return array.astype(np.float64)


def _is_no_number(value: object) -> bool:
    return isinstance(value, bool) or not isinstance(value, (int, float))


def _first_place(is_wrong: np.ndarray) -> str:
    """Return the indexes of the first value that is wrong, as Python writes them."""
    if not is_wrong.ndim:
        return ""
    return "".join(f"[{index}]" for index in np.argwhere(is_wrong)[0].tolist())


def _reshaping(shape: tuple[int, ...], target_shape: tuple[int, ...]) -> str:
    if target_shape[:1] == (-1,) and shape == target_shape[1:]:
        return "; for a single one write array[None]"
    if len(shape) == len(target_shape) == 3 and shape[0] == target_shape[1] and shape[2] == target_shape[2]:
        return "; write np.swapaxes(array, 0, 1)"
    return ""


def corner_boxes(values: object, shape: tuple[int, ...], name: str) -> np.ndarray:
    """Return boxes ``x1, y1, x2, y2`` in pixels as float64 of a shape that ends in 4.

    Raises ValueError as `numbers`, and if x2 < x1, y2 < y1, or a box lies within 0..1: it is not in pixels.
    """
    array = numbers(values, shape, name)
    is_reversed = (array[..., 2:] < array[..., :2]).any(axis=-1)
    if is_reversed.any():
        first = array[is_reversed][0].tolist()
        hint = "from x, y, width, height compute x2 = x + width - 1, y2 = y + height - 1"
        raise ValueError(f"{name}: {first} has x2 < x1 or y2 < y1; boxes are x1, y1, x2, y2; {hint}")
    refuse_fractions(array, name)
    return array


def refuse_fractions(boxes: np.ndarray, name: str, to_pixels: str = TO_PIXELS) -> None:
    """Raise ValueError if a box (..., 4) lies within 0..1 and is not whole: it is a share of the image.

    ``to_pixels`` says what to do then.
    """
    is_within = ((boxes >= 0) & (boxes <= 1)).all(axis=-1)
    is_share = is_within & (boxes % 1 != 0).any(axis=-1)
    if is_share.any():
        first = boxes[is_share][0].tolist()
        raise ValueError(f"{name}: {first} lies within 0..1; {to_pixels}")


def whole(value: Any, name: str, low: int) -> int:
    """Return a whole number of ``low`` or more. Raises ValueError for anything else."""
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not (is_number and value % 1 == 0 and value >= low):
        plain_value = value.item() if isinstance(value, np.generic) else value
        raise ValueError(f"{name} is {plain_value!r}; it must be a whole number of {low} or more")
    return int(value)


def text(value: object, name: str) -> str:
    """Return a string that is not empty. Raises ValueError for anything else."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} is {value!r}; it must be a string")
    return str(value)


def texts(values: Sequence[str], name: str) -> list[str]:
    """Return a list of strings. Raises ValueError for a single string, which would become its letters."""
    if isinstance(values, (str, bytes)):
        raise ValueError(f"{name}: {values!r} is no list; give [{values!r}]")
    return [text(value, f"{name}[{index}]") for index, value in enumerate(values)]
