"""The codes of messages: what explains one, the tables of all packages, and that of submissions to any task.

A table is a module ``codes.py`` with a `CodeTable` named ``CODES``. Each package has one, and the folder of a
challenge another for what only its files can be told. The page of all messages and ``explain`` are made
from the tables.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from validator.discovery import discover

# In the order of the page of all messages. Others that lie beside them are not ours.
_NAMES = ("validator", "scoring_program", "organizer")
_FOLDER = Path(__file__).resolve().parent
# What their full names begin with: nothing, or in kits the name of the package that they are in.
_PREFIX = __package__.removesuffix(_FOLDER.name)


class MessageCode(NamedTuple):
    """The code of a message, what it means, and what to do about it, "" if nothing has to be done."""

    code: str
    meaning: str
    remedy: str = ""

    def line(self) -> str:
        """Return the explanation as one line of text."""
        return f"{self.code}: {self.meaning} {self.remedy}".strip()


class CodeTable(NamedTuple):
    """The codes of one package, in the parts of the page of all messages.

    Attributes
    ----------
    submission_errors, other_errors : tuple of MessageCode
        Nothing was scored: participants can correct the former; the latter are of the reference, the
        settings, or the platform.
    reference_warnings : tuple of MessageCode
        What organizers should look at in a reference.
    notes : tuple of MessageCode
        Something was accepted, or looks like a mistake.
    linter : tuple of MessageCode
        What the linter of bundles finds.
    """

    submission_errors: tuple[MessageCode, ...] = ()
    other_errors: tuple[MessageCode, ...] = ()
    reference_warnings: tuple[MessageCode, ...] = ()
    notes: tuple[MessageCode, ...] = ()
    linter: tuple[MessageCode, ...] = ()


def code_table(**parts: Sequence[tuple[str, ...]]) -> CodeTable:
    """Return a table of rows: the code, what it means, and what to do."""
    return CodeTable(**{part: tuple(MessageCode(*row) for row in rows) for part, rows in parts.items()})


@cache
def code_tables() -> dict[str, CodeTable]:
    """Return the tables of all packages and challenges that are present, by the names of their modules."""
    tables = {}
    for name in _NAMES:
        if not (_FOLDER.parent / name / "codes.py").is_file():
            continue
        package = f"{_PREFIX}{name}"
        modules = [f"{package}.codes"]
        for path in discover(package, "*/*/codes.py"):
            group, challenge = path.parts[-3:-1]
            modules.append(f"{package}.{group}.{challenge}.codes")
        for module in modules:
            tables[module] = importlib.import_module(module).CODES
    return tables


@cache
def all_codes() -> dict[str, MessageCode]:
    """Return what is known of each code that is present."""
    codes = {}
    for table in code_tables().values():
        for part in table:
            codes.update({message_code.code: message_code for message_code in part})
    return codes


def explain_code(code: str) -> str:
    """Return what a code means as one line of text, in any case of letters.

    Raises
    ------
    ValueError
        There is no such code; the message names the nearest one.
    """
    import difflib

    known_codes = all_codes()
    if code.upper() not in known_codes:
        close = difflib.get_close_matches(code.upper(), known_codes, 1)
        ask = f"did you mean {close[0]}?" if close else "codes begin with E- or N-"
        raise ValueError(f"there is no message {code.upper()}; {ask}")
    return known_codes[code.upper()].line()


CODES = code_table(
    submission_errors=(
        (
            "E-CSV-COLUMNS",
            "A row has too many or too few fields.",
            "Write the columns that the page of the task names.",
        ),
        (
            "E-CSV-COUNT",
            "The file has more lines and commas than a submission, or an item more rows than allowed.",
            "Submit only what is asked for, each row once.",
        ),
        ("E-CSV-EMPTY", "A field that must not be empty is empty.", "Fill it in, or delete the row."),
        ("E-CSV-EMPTY-LINE", "There is an empty line between rows.", "Delete it."),
        ("E-CSV-ENCODING", "The file is not plain ASCII or UTF-8.", "Save it as UTF-8."),
        (
            "E-CSV-FRAME",
            "A row begins after the last frame of its sequence.",
            "Count frames from 1 at the rate of the video; the message says how late the last rows end.",
        ),
        (
            "E-CSV-HEADER",
            "The first line is a header although the files have none, or a column is missing from the "
            "header.",
            "Delete the header, or name the columns as the page of the task does.",
        ),
        ("E-CSV-INTEGER", "A field is not a plain whole number.", "Write digits only."),
        ("E-CSV-LABEL", "A label is not one of the task's labels.", "Check spelling and upper case."),
        ("E-CSV-NUMBER", "A field is not a finite number.", "Write digits, with a point for decimals."),
        (
            "E-CSV-RANGE",
            "A number is out of range, or a row ends before it begins.",
            "Count from 1; write the last frame, not a length.",
        ),
        (
            "E-CSV-SEPARATOR",
            "Fields are separated by semicolons, tabs or other characters, or a row ends with one.",
            "Write commas between fields, and nothing behind the last.",
        ),
        ("E-CSV-SYNTAX", "Quotation marks are unbalanced.", 'Quote a field as `"a ""quoted"" word"`.'),
        ("E-FILE-CASE", "A file name differs from the expected one in upper and lower case.", "Rename it."),
        (
            "E-FILE-KIND",
            "A file is not what its name says: a pointer of git-lfs, a web page, packed, of numpy, Excel ...",
            "Make the file that the name says of it; the message says how.",
        ),
        ("E-FILE-MISSING", "There is no file or folder at the path that was given.", "Check the path."),
        (
            "E-FILE-NONE",
            "A file is missing. The message names the files that were found in its place.",
            "Put it at the top of the zip, or rename the one that was found.",
        ),
        ("E-FILE-PLACE", "A file is in a folder.", "Put all files at the top of the zip."),
        (
            "E-FILE-RESERVED",
            "A platform would take a file of this name for a program to run: `metadata` or `metadata.yaml`.",
            "Remove it.",
        ),
        ("E-FILE-TWICE", "Two files are for the same thing.", "Keep one."),
        (
            "E-FILE-UNREADABLE",
            "A file cannot be opened or read.",
            "Check that it is a file and that you may read it.",
        ),
        (
            "E-ITEMS-NONE",
            "No item (sequence, video, image, key) that the submission names is in this data.",
            "Write them exactly as in the data, or name the right task; the message says if another spelling "
            "or other numbers fit.",
        ),
        (
            "E-JSON-COUNT",
            "There are more entries of some kind, or larger ones, than the task allows.",
            "Submit only what is asked for.",
        ),
        (
            "E-JSON-DEPTH",
            "The JSON is nested too deeply.",
            "Write lists and objects as the page of the task shows them.",
        ),
        ("E-JSON-DUPLICATE", "A key occurs twice in an object.", "Keep one."),
        ("E-JSON-ENCODING", "The JSON is not UTF-8.", "Save it as UTF-8."),
        (
            "E-JSON-NUMBER",
            "A number is NaN, infinite or too large.",
            "Write finite numbers, or leave out the entry.",
        ),
        (
            "E-JSON-SCHEMA",
            "A value has the wrong type or size, is not one of the allowed words, or occurs twice in its "
            "list; the place is a JSON Pointer.",
            "Write the value as the page of the task describes.",
        ),
        (
            "E-JSON-SYNTAX",
            "This is not JSON: single quotes, trailing commas and `None` are not allowed.",
            "Write the file with a JSON library.",
        ),
        ("E-KEY-MISSING", "Keys of the reference are missing.", "Predict every item."),
        ("E-KEY-TWICE", "A key occurs twice.", "Keep one of them."),
        (
            "E-KEY-UNKNOWN",
            "A key is not in the reference while others are missing.",
            "It may be a misspelling of one of these: correct it, or remove it.",
        ),
        (
            "E-LIMIT-MEMORY",
            "The run needs more memory than is allowed.",
            "Submit less. If organizers can raise the limit, the message names the setting.",
        ),
        (
            "E-LIMIT-TIME",
            "The run takes longer than is allowed.",
            "Submit less. If organizers can raise the limit, the message names the setting.",
        ),
        (
            "E-SEGMENT-ORDER",
            "A segment or a box does not end after its start.",
            "Write start and end in seconds, the end last; of a box x1 < x2 and y1 < y2.",
        ),
        ("E-TASK", "The files are those of a submission to another task.", "Submit them to that task."),
        ("E-ZIP-BOMB", "Files overlap in the zip.", "Create the zip again with an ordinary program."),
        ("E-ZIP-CASE", "Two names in the zip differ only in upper and lower case.", "Rename one."),
        ("E-ZIP-COUNT", "There are too many files.", "Zip only the files of the submission."),
        ("E-ZIP-DAMAGED", "The zip, or a file in it, cannot be unpacked.", "Create it again."),
        ("E-ZIP-EMPTY", "The zip has 0 bytes.", "Create and upload it again."),
        ("E-ZIP-ENCRYPTED", "A file has a password.", "Create the zip without one."),
        ("E-ZIP-LINK", "A file is a symbolic link.", "Put the file itself there."),
        ("E-ZIP-METHOD", "A file is packed with a rare method.", "Use the ordinary one."),
        (
            "E-ZIP-NAME",
            "A file name is absolute, leads outside the zip, is too long, or has characters that are not "
            "allowed.",
            "Rename the file.",
        ),
        (
            "E-ZIP-NESTED",
            "There is a zip among several files, or in the only zip of the submission.",
            "Zip its files directly.",
        ),
        ("E-ZIP-NOT", "This is not a zip, or it was cut off.", "Create and upload it again."),
        ("E-ZIP-SIZE", "The unpacked files are too large.", "Submit only what is asked for."),
        ("E-ZIP-SPECIAL", "A member is neither a file nor a folder.", "Remove it."),
        ("E-ZIP-TWICE", "Two files in the zip have the same name.", "Keep one."),
    ),
    other_errors=(
        (
            "E-OUTPUT",
            "A file cannot be written.",
            "Allow writing, free space, or choose another place. `--cache` is the place of prepared "
            "references.",
        ),
        (
            "E-PUBLIC-DATA",
            "The public data of a task is missing, damaged, or that of another task.",
            "Name the folder or the zip file with the public data of the task, as you downloaded it.",
        ),
        (
            "E-SCHEMA",
            "What a task declares of its files or values, or its JSON Schema, cannot be used.",
            "Write the words that [new_task.md](new_task.md) lists; for a published challenge those of "
            "`files.schema.json`.",
        ),
    ),
    notes=(
        (
            "N-BACKSLASH",
            "Folders in the zip are separated by backslashes, as by some tools of Windows; "
            "they were read as /.",
        ),
        (
            "N-BASELINE",
            "The submission holds `BASELINE.txt`; `organizer baselines` made it from the reference.",
        ),
        (
            "N-BOXES-OUTSIDE",
            "Many boxes reach far beyond their image.",
            "Write pixels of the image as it is in the data, and check the image ids.",
        ),
        ("N-CSV-COLUMNS", "Columns that the task does not need were ignored."),
        (
            "N-CSV-CUT",
            "Rows end after the last frame and were cut there.",
            "Write no frames after the last one.",
        ),
        (
            "N-CSV-EARLY",
            "No row of ten or more items reaches the second half of its item, or many end at nearly one "
            "frame long before it ends; no row of fewer items reaches more than a tenth.",
            "Write frames of the whole video, counted from 1 at its own rate.",
        ),
        ("N-CSV-READ", "Line ends, byte order marks or empty last lines were accepted."),
        ("N-EMPTY", "The whole submission predicts nothing.", "Check that it was written to its end."),
        ("N-FILE-IGNORED", "Files that are not needed were ignored."),
        ("N-FILE-SPELLING", "A file with another name was read.", "Use the name of the page of the task."),
        (
            "N-FOLDER",
            "All files are in a folder and were read from there. Folders within a folder are not read.",
        ),
        ("N-FOUND-ZIP", "The submission was read from the only zip in the zip or folder."),
        (
            "N-ITEMS-UNKNOWN",
            "Items (sequences, videos, images, keys) are not in this data. They are checked and ignored, "
            "so that one file serves two phases; generated sentences: see `N-SEGMENTS-OUTSIDE`.",
            "If they should be, write them exactly as in the data; the note says if another spelling or "
            "other numbers fit.",
        ),
        ("N-JSON-BOM", "A byte order mark was skipped."),
        ("N-JUNK", "Files of the operating system were ignored."),
        (
            "N-LOOKS-CONSTANT",
            "All boxes, classes, states, scores or lists of labels are the same, all pixels are "
            "background, many boxes are one and the same point, a third of the boxes are those of the "
            "frame before, all objects of each segment have the same boxes, or the word "
            "indexes of each segment are 0, 1, 2, ...",
            "Check that it is not a placeholder, or another field.",
        ),
        (
            "N-LOOKS-NORMALIZED",
            "Coordinates are in or near 0..1.",
            "Write pixels, or `round(255 * u)` for U and V.",
        ),
        (
            "N-PLACES-EMPTY",
            "At least half of the frames or segments that are submitted hold no prediction.",
            "Check that predictions were written for all of them.",
        ),
        (
            "N-REPEATED",
            "Many predictions are repeated: intervals, classes or words of a segment, humans of a frame, "
            "boxes of a part, detections of an image. Repetitions cost score.",
            "Write each prediction once.",
        ),
        (
            "N-UNCHECKED",
            "The validator alone has no reference; it cannot know whether names, ids and boxes fit.",
            "Score it at home with `people-in-video score`.",
        ),
    ),
)
