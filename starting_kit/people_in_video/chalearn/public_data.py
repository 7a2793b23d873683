"""The public data of the two ChaLearn tracks: the length and the frame rate of each sequence."""

from __future__ import annotations

from people_in_video.public_data import PublicFiles, PublicReader
from scoring_program.challenges.chalearn.public import PublicSequences, public
from scoring_program.challenges.chalearn.reference import read_sequences
from scoring_program.challenges.chalearn.task import TRACKS

DATA_ENDING = "_data.csv"


def _read(task_id: str, files: PublicFiles) -> PublicSequences:
    """Return the sequences of all ``{Id}_data.csv``. Raises Refused."""
    data_files = []
    for name, content in sorted(files.items()):
        if name.endswith(DATA_ENDING):
            data_files.append((name.removesuffix(DATA_ENDING), name, content))
    return public(read_sequences(TRACKS[task_id], data_files).content)


PUBLIC_READER = PublicReader(DATA_ENDING, _read)
