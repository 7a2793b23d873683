"""Public data of the two ChaLearn tracks: length and frame rate of each sequence, and all classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from organizer.files import Files
from organizer.public_data import Leak, PublicData, PublicSource, differing_files, expected_vocabulary
from scoring_program.challenges.chalearn.reference import read_contents
from scoring_program.task import AnyLoaded, load_task


def public_files(source: PublicSource) -> PublicData:
    """Return the file of numbers of frames of each sequence, and the vocabulary. Raises Refused."""
    task = load_task(source.task_id)
    reference = task.load_reference(source.folder, source.settings)
    files = _data_files(source.folder, task.items(reference))
    return PublicData({**files, **source.vocabulary_file()}, [])


def find_leaks(files: Files, loaded: AnyLoaded) -> Iterator[Leak]:
    """Yield the files that are not those of the reference."""
    expected = _data_files(loaded.folder, loaded.items)
    yield from differing_files(files, {**expected, **expected_vocabulary(loaded)})


def _data_files(folder: Path, sequences: Sequence[str]) -> dict[str, bytes]:
    contents = read_contents(folder)
    names = [f"{sequence}_data.csv" for sequence in sequences]
    return {name: contents[name] for name in names}
