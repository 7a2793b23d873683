"""The public data of the two ChaLearn tracks: the length and the frame rate of each sequence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from people_in_video.public_data import PublicData, PublicFiles, PublicReader
from scoring_program.challenges.chalearn.reference import Reference, read_sequences, read_submission
from scoring_program.task import load_task
from validator.findings import Note
from validator.formats.chalearn.read import hints
from validator.formats.rules import load_rules

DATA_ENDING = "_data.csv"


class PublicSequences(PublicData):
    """The sequences of a track, without rows."""

    def __init__(self, task_id: str, sequences: Reference) -> None:
        self._task_id = task_id
        self._sequences = sequences

    def read_notes(self, submission: Path) -> list[Note]:
        """Return notes on sequences, on rows after the end of theirs, and on classes. Raises Refused."""
        read = read_submission(load_rules(self._task_id), submission, self._sequences)
        return [*read.notes, *hints(read.content.rows)]


def _read(task_id: str, files: PublicFiles) -> PublicSequences:
    """Return the sequences of all ``{Id}_data.csv``. Raises Refused."""
    data_files = []
    for name, content in sorted(files.items()):
        if name.endswith(DATA_ENDING):
            data_files.append((name.removesuffix(DATA_ENDING), name, content))
    task: Any = load_task(task_id)
    return PublicSequences(task_id, read_sequences(task.track, data_files).content)


PUBLIC_READER = PublicReader(DATA_ENDING, _read)
