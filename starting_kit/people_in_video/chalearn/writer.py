"""Build a submission to chalearn_action or chalearn_gesture from rows.

writer = ChalearnWriter("chalearn_gesture")
writer.add_sequence("Sequence0001", [[7, 13, 81]])   # gesture, start frame, end frame
writer.save("my.zip")
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from people_in_video.tools.conversion import is_table
from people_in_video.writing import FilePredictions, Key, text, whole
from validator.formats.chalearn.write import encode_files, sequence_of

FIELDS = {
    "chalearn_action": ("actor", "action", "start frame", "end frame"),
    "chalearn_gesture": ("gesture", "start frame", "end frame"),
}
_COLUMN_OF_FIELD = {
    "actor": "actor",
    "action": "class",
    "gesture": "class",
    "start frame": "start",
    "end frame": "end",
}


class ChalearnWriter(FilePredictions):
    """Collects the rows of sequences and writes a CSV file for each in a zip; ``task_id`` names the track.

    Raises ValueError for any other task.
    """

    def __init__(self, task_id: str) -> None:
        if task_id not in FIELDS:
            raise ValueError(f"task_id is {task_id!r}; it must be one of {', '.join(FIELDS)}")
        super().__init__(task_id)

    def add_sequence(self, sequence: str, rows: Sequence[Sequence[int]] | np.ndarray) -> None:
        """Add rows of a sequence; those that an earlier call gave are dropped.

        Parameters
        ----------
        sequence : str
        rows : int array of shape (n, 4) or (n, 3), or data frame
            Of actions ``actor, action, start frame, end frame``, of gestures ``gesture, start frame, end
            frame``; all count from 1, and the end frame is included. Of a data frame the columns actor,
            class, start and end.

        Raises
        ------
        ValueError
            A row holds anything else, or the sequence is the name of a file or in a folder.
        """
        fields = FIELDS[self.task_id]
        plain_rows = self.values.of(rows_of_table(rows, fields) if is_table(rows) else rows)
        self.put({_sequence_name(self.values.of(sequence)): whole_rows(plain_rows, fields)})

    update = add_sequence

    def join(self, key: Key, earlier: list[list[int]], later: list[list[int]]) -> list[list[int]]:
        """Return the rows of both calls, each of the later one if the earlier one does not have it."""
        earlier_rows = set(map(tuple, earlier))
        return earlier + [row for row in later if tuple(row) not in earlier_rows]

    def files(self) -> dict[str, bytes]:
        """Return the CSV files by name."""
        return encode_files({sequence: self.entries[sequence] for sequence in sorted(self.entries)})

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return the sequence and the row of a problem in a file."""
        match = re.fullmatch("line ([0-9]+) column ([0-9]+)", where)
        row = int(match[1]) - 1 if match else 0
        field = int(match[2]) - 1 if match else 0
        return sequence_of(file), f"rows[{row}][{field}]"


def _sequence_name(sequence: object) -> str:
    """Return the name of a sequence. Raises ValueError for a path, or the name of a file of predictions."""
    name = text(sequence, "the sequence")
    if "/" in name or sequence_of(name) != name:
        plain_name = sequence_of(name.rpartition("/")[-1])
        raise ValueError(f"the sequence is {name!r}; give its name alone, {plain_name!r}")
    return name


def rows_of_table(table: Any, fields: Sequence[str]) -> np.ndarray:
    """Return the rows of a data frame with the columns actor, class, start and end, in the order of a file.

    Raises ValueError if one is missing; an actor is needed where rows have one.
    """
    columns = [_COLUMN_OF_FIELD[field] for field in fields]
    missing_columns = [column for column in columns if column not in table.columns]
    if missing_columns:
        raise ValueError(f"the column {missing_columns[0]} is missing; name the columns {', '.join(columns)}")
    return np.stack([table[column].to_numpy() for column in columns], axis=1)


def whole_rows(rows: Sequence[Sequence[int]] | np.ndarray, fields: Sequence[str]) -> list[list[int]]:
    """Return rows as lists of whole numbers. Raises ValueError if one is not the fields in whole numbers."""
    checked_rows = []
    for index, row in enumerate(rows):
        if np.ndim(row) != 1 or len(row) != len(fields):
            row_value = row.tolist() if isinstance(row, (np.ndarray, np.generic)) else row
            raise ValueError(f"row {index} is {row_value!r}; give {', '.join(fields)} in whole numbers")
        checked_row = []
        for name, value in zip(fields, row):
            checked_row.append(whole(value, f"row {index}: {name}", 1))
        checked_rows.append(checked_row)
    return checked_rows


WRITERS = dict.fromkeys(FIELDS, lambda loaded: ChalearnWriter(loaded.task.id))
