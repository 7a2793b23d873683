"""Files of other tools as submissions: what a converter is, and the converter of each challenge.

    from people_in_video import convert

    convert(task, "results_of_another_tool.pth", "my.zip")

Each command, and each function that takes a submission, reads it through `read_submission`. A challenge whose
tools write something else than submissions has a module ``converter`` in its folder, with the object
``CONVERTER``.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from people_in_video.challenge_modules import find_module
from people_in_video.errors import ReferenceProblemsError
from people_in_video.packages import require_packages
from people_in_video.writing import InvalidFileError
from scoring_program.task import load_task
from validator.findings import Findings, Note, Refused
from validator.formats.rules import load_rules
from validator.kinds import HEAD_BYTES, FileKind, kind_of

_PACKAGE = "people_in_video"
UNITS = ("frames", "seconds")


class ConversionError(ValueError):
    """A file cannot be converted; the message says why, and after a semicolon what to do."""


class ConversionOptions(NamedTuple):
    """What a file of another tool does not say.

    Attributes
    ----------
    unit : str
        In what starts and ends are given: ``frames``, counted from 1, both included; or ``seconds``.
    public : Path, optional
        The public data of the task, which has the frame rates that seconds need.
    min_score : float, optional
        What is less certain is left out.
    first_class : int
        The number of the first class, 0 or 1.
    boxes : str
        What boxes are in: ``WIDTHxHEIGHT``, ``0-1000``, ``0-1``, or ``original``; "" as in a submission.
    sizes : Path, optional
        A CSV file with the columns video, width, height.
    """

    unit: str = UNITS[0]
    public: Path | None = None
    min_score: float | None = None
    first_class: int = 1
    boxes: str = ""
    sizes: Path | None = None

    def given(self, omitted_names: Collection[str] = ()) -> dict[str, Any]:
        """Return the options that are given, by name."""
        defaults = self._field_defaults
        values = self._asdict().items()
        return {
            name: value for name, value in values if value != defaults[name] and name not in omitted_names
        }


DEFAULT_OPTIONS = ConversionOptions()


def option_text(name: str) -> str:
    """Return an option as a command has it."""
    return f"--{name.replace('_', '-')}"


class Purpose(NamedTuple):
    """What a file is converted for.

    ``reference`` is a folder whose data tell what the file does not, None if there is none. ``is_temporary``
    says whether the submission is only scored, so that it had better be written fast than small.
    """

    reference: Path | None = None
    is_temporary: bool = False


NO_PURPOSE = Purpose()


class Converter(NamedTuple):
    """How files of other tools become submissions to the tasks of a challenge.

    Attributes
    ----------
    takes : str
        What files are read, for messages.
    options : frozenset of str
        Which of the `ConversionOptions` are read.
    is_needed : callable
        Whether a path, or what is in memory, is to be converted; False for what is a submission as it is. The
        tasks for which it is True are those that a file may be to: it is False for files of other challenges.
    convert : callable
        Writes the submission to a task from a path or what is in memory, and returns notes on it. Raises
        ValueError if something cannot be converted, with what to do after a semicolon.
    """

    takes: str
    options: frozenset[str]
    is_needed: Callable[[Any], bool]
    convert: Callable[[str, Any, Path, ConversionOptions, Purpose], Sequence[Note]]


def convert_file(
    task: str,
    source: Any,
    output: Path,
    options: ConversionOptions = DEFAULT_OPTIONS,
    purpose: Purpose = NO_PURPOSE,
) -> list[Note]:
    """Write the submission that a file of another tool is, or a table or detections in memory.

    Nothing is left at ``output`` if it is not valid.

    Parameters
    ----------
    task : str
    source : Path, data frame, or list of dict
    output : Path
        A zip file.
    options : ConversionOptions
    purpose : Purpose

    Returns
    -------
    list of Note
        What was left out or assumed.

    Raises
    ------
    Refused
        The file cannot be converted, or the submission would not be valid.
    ReferenceProblemsError
        The reference cannot be read.
    OSError
        The file cannot be read, or nothing can be written there.
    """
    require_packages(load_task(task).needs, task)
    name = _name_of(source)
    converter = converter_of(task)
    if converter is None:
        remedy = "write your predictions with the writer of the kit"
        Findings().refuse("E-TOOL-FILE", f"no files of other tools are known for {task}", remedy, file=name)
    unread_options = list(options.given(omitted_names=converter.options))
    if unread_options:
        problem = f"{task} has no {option_text(unread_options[0])}"
        Findings().refuse("E-TOOL-FILE", problem, _options_text(converter), file=name)
    try:
        return list(converter.convert(task, source, output, options, purpose))
    except InvalidFileError as error:
        raise Refused(error.findings) from None
    except ReferenceProblemsError:
        raise
    except IsADirectoryError:
        if not (isinstance(source, Path) and source.is_dir()):
            raise
        Findings().refuse("E-TOOL-FILE", "this is a folder", f"give {converter.takes}", file=name)
    except ValueError as error:
        problem, _, remedy = str(error).partition("; ")
        Findings().refuse("E-TOOL-FILE", problem, remedy or f"give {converter.takes}", file=name)


def _name_of(source: Any) -> str:
    """Return what messages call a source."""
    if isinstance(source, Path):
        return source.name
    return "table" if is_table(source) else "detections"


def _options_text(converter: Converter) -> str:
    names = [option_text(name) for name in ConversionOptions._fields if name in converter.options]
    return f"its options are {', '.join(names)}" if names else "leave it out"


def converter_of(task: str) -> Converter | None:
    """Return the converter of a task's challenge, None if it has none."""
    module = find_module(_PACKAGE, f"{load_task(task).folder.name}.converter")
    return module.CONVERTER if module else None


class ReadableSubmission(NamedTuple):
    """A submission that can be scored, and the notes on how it was made."""

    path: Path
    notes: list[Note]


@contextmanager
def read_submission(
    task: str,
    source: Any,
    options: ConversionOptions = DEFAULT_OPTIONS,
    reference: Path | None = None,
) -> Iterator[ReadableSubmission]:
    """Yield the path of a submission: that of ``source``, or a temporary one if it has to be converted.

    A JSON file that needs no converting is put in a folder, as the platform has it. Raises Refused and
    ReferenceProblemsError as `convert_file` does, and Refused if options are given that change nothing.
    """
    require_packages(load_task(task).needs, task)
    if is_converted(task, source, options):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "converted.zip")
            converter = converter_of(task)
            if converter and "public" not in converter.options:
                # It is compared with the result.
                options = options._replace(public=None)
            notes = convert_file(task, source, path, options, Purpose(reference, is_temporary=True))
            yield ReadableSubmission(path, notes)
        return
    # Public data is compared with any submission.
    idle_options = list(options.given(omitted_names=["public"]))
    if idle_options:
        problem = f"this is a submission as it is, in which {option_text(idle_options[0])} changes nothing"
        remedy = "leave the option out"
        if _is_read_from_json(task, source, idle_options):
            remedy = "give the JSON file that is in it, or leave the option out"
        Findings().refuse("E-TOOL-FILE", problem, remedy, file=_name_of(source))
    if isinstance(source, Path) and source.suffix == ".json" and source.is_file():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(source, folder)
            yield ReadableSubmission(Path(folder), [])
    else:
        yield ReadableSubmission(Path(source), [])


def _is_read_from_json(task: str, source: Any, options: Collection[str]) -> bool:
    """Return whether options that change nothing in a zip are read of the JSON file in it."""
    converter = converter_of(task)
    is_packed = isinstance(source, Path) and source.suffix != ".json"
    return bool(is_packed and load_rules(task).json and converter and converter.options.issuperset(options))


def is_converted(task: str, source: Any, options: ConversionOptions = DEFAULT_OPTIONS) -> bool:
    """Return whether a path, or what is in memory, has to be converted to be a submission to a task."""
    converter = converter_of(task)
    if is_table(source):
        return True
    if converter is None:
        return False
    if converter.is_needed(source):
        return True
    # A converter without options takes folders, and these by the command convert alone.
    if not converter.options or not isinstance(source, Path) or not source.is_file():
        return False
    if source.suffix == ".zip":
        return False
    if source.suffix == ".json" and load_rules(task).json:
        return bool(options.given(omitted_names=["public"]))
    # What is packed otherwise is told as what it is; of other files the converter says what to give.
    kind = kind_of_file(source)
    return not kind.is_archive if kind else not zipfile.is_zipfile(source)


def kind_of_file(path: Path) -> FileKind | None:
    """Return what a file is by its first bytes, None for text and what is not known."""
    with path.open("rb") as stream:
        return kind_of(stream.read(HEAD_BYTES))


def is_table(source: object) -> bool:
    """Return whether something is a data frame, of pandas or of what behaves as it does."""
    return hasattr(source, "columns") and hasattr(source, "to_dict")
