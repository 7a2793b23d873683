"""Public data of the two ChaLearn tracks: length and frame rate of each sequence, and all classes."""

from __future__ import annotations

from collections.abc import Iterator

from organizer.files import Files
from organizer.public_data import Leak, PublicData, PublicSource, differing_files, expected_vocabulary
from people_in_video.references.chalearn import load_source
from scoring_program.challenges.chalearn.reference import Reference
from scoring_program.scoring import AnyLoaded
from scoring_program.task import load_task


def public_files(source: PublicSource) -> PublicData:
    """Return the file of numbers of frames of each sequence, and the vocabulary. Raises Refused."""
    task = load_task(source.task_id)
    files = _data_files(load_source(task, source.folder, source.settings))
    return PublicData({**files, **source.vocabulary_file()}, [])


def find_leaks(files: Files, loaded: AnyLoaded) -> Iterator[Leak]:
    """Yield the files that are not those of the reference."""
    expected = _data_files(loaded.reference)
    yield from differing_files(files, {**expected, **expected_vocabulary(loaded)})


def _data_files(reference: Reference) -> dict[str, bytes]:
    names = [f"{sequence}_data.csv" for sequence in reference.sequences]
    return {name: reference.contents[name] for name in names}
