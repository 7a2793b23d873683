"""Public data of the two ChaLearn tracks: length and frame rate of each sequence, and all classes."""

from __future__ import annotations

from organizer.public_data import PublicData, PublicSource
from scoring_program.task import load_task


def public_files(source: PublicSource) -> PublicData:
    """Return the file of numbers of frames of each sequence, and the vocabulary. Raises Refused."""
    task = load_task(source.task_id)
    reference = task.load_reference(source.folder, source.settings)
    files = {}
    for sequence in task.items(reference):
        name = f"{sequence}_data.csv"
        files[name] = (source.folder / name).read_bytes()
    return PublicData({**files, **source.vocabulary_file()}, [])
