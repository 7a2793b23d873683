"""Build a submission to chalearn_action or chalearn_gesture from rows.

writer = ChalearnWriter("chalearn_gesture")
writer.add_sequence("Sequence0001", [[7, 13, 81]])   # gesture, start frame, end frame
writer.save("my.zip")
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from people_in_video.writing import FilePredictions, Key, text, whole
from validator.formats.chalearn.write import encode_files, sequence_of

FIELDS = {
    "chalearn_action": ("ActorID", "ActionID", "StartFrame", "EndFrame"),
    "chalearn_gesture": ("GestureID", "StartFrame", "EndFrame"),
}


class ChalearnWriter(FilePredictions):
    """Collects the rows of sequences and writes a CSV file for each in a zip; ``task_id`` names the track."""

    def add_sequence(self, sequence: str, rows: Sequence[Sequence[int]] | np.ndarray) -> None:
        """Set the rows of a sequence.

        Parameters
        ----------
        sequence : str
        rows : int array of shape (n, 4) or (n, 3)
            Of actions ``actor, action, start frame, end frame``, of gestures ``gesture, start frame, end
            frame``; all count from 1, and the end frame is included.

        Raises
        ------
        ValueError
            A row holds anything else, or there are rows of this sequence already.
        """
        checked_rows = whole_rows(rows, FIELDS[self.task_id])
        self.put(text(sequence, "the sequence"), checked_rows)

    update = add_sequence

    def files(self) -> dict[str, bytes]:
        """Return the CSV files by name."""
        return encode_files({sequence: self.entries[sequence] for sequence in sorted(self.entries)})

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return the sequence and the row of a problem in a file."""
        match = re.fullmatch("line ([0-9]+) column ([0-9]+)", where)
        row = int(match[1]) - 1 if match else 0
        field = int(match[2]) - 1 if match else 0
        return sequence_of(file), f"rows[{row}][{field}]"


def whole_rows(rows: Sequence[Sequence[int]] | np.ndarray, fields: Sequence[str]) -> list[list[int]]:
    """Return rows as lists of whole numbers. Raises ValueError if one is not the fields in whole numbers."""
    checked_rows = []
    for index, row in enumerate(rows):
        if np.ndim(row) != 1 or len(row) != len(fields):
            raise ValueError(f"row {index} is [{', '.join(fields)}] in whole numbers, not {row!r}")
        checked_row = []
        for name, value in zip(fields, row):
            checked_row.append(whole(value, f"row {index}: {name}", 1))
        checked_rows.append(checked_row)
    return checked_rows


WRITERS = dict.fromkeys(FIELDS, lambda loaded: ChalearnWriter(loaded.task.id))
