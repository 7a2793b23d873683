"""Files of other tools as submissions: what a converter is, and the converter of each challenge.

    from people_in_video import convert

    convert(task, "results_of_another_tool.pth", "my.zip")

A challenge whose tools write something else than submissions has a module ``converter`` in its folder, with
the object ``CONVERTER``.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from people_in_video.writing import InvalidFileError
from scoring_program.task import load_task
from validator.discovery import find_module
from validator.findings import Findings, Note, Refused

_PACKAGE = "people_in_video"
UNITS = ("frames", "seconds")
# The last number in the name of a file.
LAST_NUMBER = r"([0-9]+)[^0-9]*$"


class ConversionError(ValueError):
    """A file cannot be converted; the message says why, and after a semicolon what to do."""


class ConversionOptions(NamedTuple):
    """What a file of another tool does not say, and what the submission is for.

    Attributes
    ----------
    unit : str
        In what starts and ends are given: ``frames``, counted from 1, both included; or ``seconds``.
    public : Path, optional
        The public data of the task, which has the frame rates that seconds need.
    image_id : str
        A regular expression whose first group is the id of an image in the name of its file.
    is_temporary : bool
        Whether the submission is only scored, so that it had better be written fast than small.
    """

    unit: str = UNITS[0]
    public: Path | None = None
    image_id: str = LAST_NUMBER
    is_temporary: bool = False


DEFAULT_OPTIONS = ConversionOptions()


class Converter(NamedTuple):
    """How files of other tools become submissions to the tasks of a challenge.

    Attributes
    ----------
    takes : str
        What files are read, for messages.
    is_needed : callable
        Whether a path, or a table in memory, is to be converted; False for what is a submission as it is.
    convert : callable
        Writes the submission to a task from a path or a table and returns notes on it. Raises ValueError if
        something cannot be converted, with what to do after a semicolon.
    """

    takes: str
    is_needed: Callable[[Any], bool]
    convert: Callable[[str, Any, Path, ConversionOptions], Sequence[Note]]


def convert_file(task: str, source: Any, output: Path, options: ConversionOptions) -> list[Note]:
    """Write the submission that a file or a table of another tool is.

    Nothing is left at ``output`` if it is not valid.

    Parameters
    ----------
    task : str
    source : Path, or data frame
    output : Path
        A zip file.
    options : ConversionOptions

    Returns
    -------
    list of Note
        What was left out or assumed.

    Raises
    ------
    Refused
        The file cannot be converted, or the submission would not be valid.
    OSError
        The file cannot be read, or nothing can be written there.
    """
    name = source.name if isinstance(source, Path) else "table"
    converter = converter_of(task)
    if converter is None:
        remedy = "write your predictions with the writer of the kit"
        Findings().refuse("E-TOOL-FILE", f"no files of other tools are known for {task}", remedy, file=name)
    try:
        return list(converter.convert(task, source, output, options))
    except InvalidFileError as error:
        raise Refused(error.findings) from None
    except ValueError as error:
        problem, _, remedy = str(error).partition("; ")
        Findings().refuse("E-TOOL-FILE", problem, remedy or f"give {converter.takes}", file=name)


def converter_of(task: str) -> Converter | None:
    """Return the converter of a task's challenge, None if it has none."""
    module = find_module(_PACKAGE, f"{load_task(task).folder.name}.converter")
    return module.CONVERTER if module else None


class ReadableSubmission(NamedTuple):
    """A submission that can be scored, and the notes on how it was made."""

    path: Path
    notes: list[Note]


@contextmanager
def read_tool_file(
    task: str, source: Any, options: ConversionOptions = DEFAULT_OPTIONS
) -> Iterator[ReadableSubmission]:
    """Yield the path of a submission: that of ``source``, or a temporary one if it has to be converted.

    A JSON file that needs no converting is put in a folder, as the platform has it. Raises Refused as
    `convert_file` does.
    """
    converter = converter_of(task)
    if is_table(source) or (converter is not None and converter.is_needed(source)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "converted.zip")
            notes = convert_file(task, source, path, options._replace(is_temporary=True))
            yield ReadableSubmission(path, notes)
    elif isinstance(source, Path) and source.suffix == ".json" and source.is_file():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(source, folder)
            yield ReadableSubmission(Path(folder), [])
    else:
        yield ReadableSubmission(Path(source), [])


def is_table(source: object) -> bool:
    """Return whether something is a data frame, of pandas or of what behaves as it does."""
    return hasattr(source, "columns") and hasattr(source, "to_dict")
