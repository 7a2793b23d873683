"""Annotations of the two ChaLearn tracks: rows of labels, start and end frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from organizer.data.content import (
    Content,
    Values,
    check_same,
    choose_evenly,
    find_overlaps,
    repeated,
    warn_of_share,
    warn_where,
)
from organizer.files import Files
from organizer.public_data import (
    Leak,
    PublicData,
    PublicPart,
    PublicSource,
    differing_files,
    expected_vocabulary,
)
from organizer.tasks import Annotations, BaselineKind, Guess, Pools
from people_in_video.drawings.chalearn import group_intervals, make_lanes
from people_in_video.drawings.timelines import Timeline
from people_in_video.references.chalearn import load_source, write_prepared
from scoring_program.challenges.chalearn.reference import (
    PREPARED_FILE,
    Reference,
    Track,
)
from scoring_program.challenges.chalearn.task import TRACKS
from scoring_program.result import Section
from scoring_program.scoring import AnyLoaded
from scoring_program.task import load_task
from validator.arrays import Ints
from validator.findings import Findings
from validator.formats.chalearn.write import encode_files

Row = list[int]
Prediction = dict[str, list[Row]]
_KIND = "row"
_LABELS = "_labels.csv"
# Rows that end before this share of their sequence are early; so many of a sequence are not all early.
_EARLY = 0.1
_MANY_ROWS = 3


class TrackAnnotations(Annotations[Reference, Prediction]):
    """The annotations of one track."""

    lag = 5

    def __init__(self, task_id: str) -> None:
        self._track = TRACKS[task_id]

    def pools(self, reference: Reference) -> Pools:
        """Return all classes and the annotated intervals."""
        count_of_label = Counter({str(number): 0 for number in range(1, self._track.n_classes + 1)})
        count_of_label.update(str(label) for label in reference.rows.label.tolist())
        intervals = reference.rows.frames.astype(np.float64)
        return Pools({_KIND: count_of_label}, {_KIND: intervals})

    def predicted(self, reference: Reference, guess: Guess) -> Prediction:
        """Return the rows of each sequence, equal ones once; the most frequent class all the time."""
        # Keys in the order of their rows, each once.
        rows_of_sequence: dict[str, dict[tuple[int, ...], None]] = {key: {} for key in reference.sequences}
        last_frames = reference.n_frames.tolist()
        rows = reference.rows
        columns = (rows.sequence, rows.actor, rows.label, rows.frames)
        for sequence, actor, label, frames in zip(*(column.tolist() for column in columns)):
            if guess.keeps():
                predicted_label = int(guess.label(str(label), _KIND))
                start, end = _predicted_frames(frames, last_frames[sequence], guess)
                row: tuple[int, ...] = (predicted_label, start, end)
                if self._track.n_actors > 1:
                    row = (actor, *row)
                rows_of_sequence[reference.sequences[sequence]][row] = None
        return {key: [list(row) for row in rows] for key, rows in rows_of_sequence.items()}

    def files(self, prediction: Prediction) -> Files:
        """Return a CSV file for each sequence."""
        return encode_files(prediction)

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the class of each row of each sequence."""
        rows = reference.rows
        names_of_sequence: dict[str, list[str]] = {key: [] for key in reference.sequences}
        for sequence, label in zip(rows.sequence.tolist(), rows.label.tolist()):
            names_of_sequence[reference.sequences[sequence]].append(self._track.classes[label - 1])
        return names_of_sequence

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the two files of each sequence as one prepared file."""
        file_names = [f"{key}_{kind}.csv" for key in names for kind in ("labels", "data")]
        contents = {name: reference.contents[name] for name in file_names}
        write_prepared(contents, output / PREPARED_FILE)


def _predicted_frames(true_frames: list[int], last_frame: int, guess: Guess) -> tuple[int, int]:
    """Return the start and the end of a predicted row, in order and within the sequence."""
    if guess.baseline is BaselineKind.MOST_FREQUENT:
        return 1, last_frame
    annotated = [min(frame, last_frame) for frame in true_frames]
    start, end = np.rint(guess.box(annotated, _KIND)).astype(int).tolist()
    start = min(max(start, 1), last_frame)
    return start, min(max(end, start), last_frame)


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: sequences, rows and classes."""
    reference: Reference = loaded.reference
    track = TRACKS[loaded.task.id]
    labels = reference.rows.label
    n_rows_of_class = np.bincount(labels, minlength=track.n_classes + 1)[1:].tolist()
    n_of_name = {}
    for number, name in enumerate(track.classes, start=1):
        n_of_name[f"{number} {name}"] = n_rows_of_class[number - 1]
    return Content(
        n_instances=len(labels),
        counts={
            "sequences": len(reference.sequences),
            f"{track.instance}s": len(labels),
            "classes": len(set(labels.tolist())),
        },
        names={"class": n_of_name},
        values=_values(track, reference),
        warnings=_warnings(reference),
        draw=partial(_timelines, track, reference),
    )


def _first_rows(reference: Reference) -> Ints:
    """Return the position of the first row of each sequence, and the number of all rows."""
    return np.searchsorted(reference.rows.sequence, np.arange(len(reference.sequences) + 1))


def _line_of_row(reference: Reference) -> Callable[[int], str]:
    """Return what gives the place of a row: its file and line."""
    first_rows = _first_rows(reference)

    def line(row: int) -> str:
        sequence = int(reference.rows.sequence[row])
        number = row - int(first_rows[sequence]) + 1
        return f"{reference.sequences[sequence]}_labels.csv line {number}"

    return line


def _values(track: Track, reference: Reference) -> list[Values]:
    """Return the lengths of sequences and rows, and the numbers of rows."""
    frames, sequences = reference.rows.frames, reference.sequences
    lengths = frames[:, 1] - frames[:, 0] + 1
    n_rows = np.diff(_first_rows(reference))
    return [
        Values("frames of a sequence", reference.n_frames, sequences.__getitem__, "sequences"),
        Values(f"frames of one {track.instance}", lengths, _line_of_row(reference), f"{track.instance}s"),
        Values(f"{track.instance}s in a sequence", n_rows, sequences.__getitem__, "sequences"),
    ]


def _warnings(reference: Reference) -> Findings:
    """Return warnings of what looks like a mistake in the labels."""
    rows, sequences, warnings = reference.rows, reference.sequences, Findings()
    n_rows = np.diff(_first_rows(reference))
    for sequence in np.flatnonzero(n_rows == 0).tolist():
        problem, remedy = "the sequence has no row", "give its labels, or take it out"
        warnings.add("R-EMPTY", problem, remedy, where=f"{sequences[sequence]}_labels.csv", rule="empty")
    table = np.column_stack([rows.sequence, rows.actor, rows.label, rows.frames])
    order = np.lexsort(table.T[::-1])
    check_same(sequences, [(rows.sequence, table[order][:, 1:])], warnings)
    is_repeated = repeated(table)
    # The last frame is covered, too.
    is_overlapping = find_overlaps(table[:, :-2], rows.frames + np.array([0, 1]))
    is_cut = rows.frames[:, 1] > reference.n_frames[rows.sequence]
    place = ("", _line_of_row(reference))
    warn_where(is_repeated, "R-REPEATED", "the row repeats an earlier one", place, warnings)
    problem = "the row overlaps another one of its class and actor"
    warn_where(is_overlapping, "R-OVERLAP", problem, place, warnings)
    problem = "the row ends after the last frame of its sequence, and is cut there"
    warn_where(is_cut, "R-CUT", problem, place, warnings)
    _check_times(reference, n_rows, warnings)
    return warnings


def _check_times(reference: Reference, n_rows: Ints, warnings: Findings) -> None:
    """Warn of sequences whose rows all end early, as times in seconds do, or all last one frame."""
    rows, file = reference.rows, "{Id}_labels.csv"
    is_early = rows.frames[:, 1] <= reference.n_frames[rows.sequence] * _EARLY
    is_short = rows.frames[:, 0] == rows.frames[:, 1]
    doubtful_rows = {
        "have rows that all end in the first tenth: they may be in seconds, not in frames": is_early,
        "have rows that all end where they start": is_short,
    }
    for problem, is_doubtful_row in doubtful_rows.items():
        n_doubtful = np.bincount(rows.sequence[is_doubtful_row], minlength=len(n_rows))
        is_doubtful = (n_doubtful == n_rows) & (n_rows > 0)
        # That a few rows do so happens by chance.
        if not is_doubtful_row.all():
            is_doubtful &= n_rows >= _MANY_ROWS
        warn_of_share(is_doubtful, "R-TIMES", problem, (file, "sequence", reference.sequences), warnings)


def _timelines(track: Track, reference: Reference) -> list[Section]:
    note = "Sequences with the most rows, with the least, and some between."
    names, rows, lengths = reference.sequences, reference.rows, reference.n_frames
    intervals = np.minimum(rows.frames, lengths[rows.sequence, np.newaxis]) - [1, 0]
    sections: list[Section] = []
    for number in choose_evenly(np.bincount(rows.sequence, minlength=len(lengths))):
        section = Timeline(
            key=f"timeline_{number}",
            title=names[number],
            note=note,
            n_frames=int(lengths[number]),
            lanes=make_lanes(track, group_intervals(rows, intervals, number), {}),
        )
        sections.append(section)
    return sections


def _public_files(source: PublicSource) -> PublicData:
    """Return the file of numbers of frames of each sequence, and the vocabulary. Raises Refused."""
    task = load_task(source.task_id)
    files = _public_data_files(load_source(task, source.folder, source.settings))
    return PublicData({**files, **source.vocabulary_file()}, [])


def _find_leaks(files: Files, loaded: AnyLoaded) -> Iterator[Leak]:
    """Yield the files that are not those of the reference."""
    expected_files = _public_data_files(loaded.reference)
    yield from differing_files(files, {**expected_files, **expected_vocabulary(loaded)})


def _public_data_files(reference: Reference) -> dict[str, bytes]:
    names = [f"{sequence}_data.csv" for sequence in reference.sequences]
    return {name: reference.contents[name] for name in names}


ANNOTATIONS = {task_id: TrackAnnotations(task_id) for task_id in TRACKS}
PUBLIC_DATA = PublicPart(make=_public_files, find_leaks=_find_leaks)


def labelled_items(name: str, data: bytes) -> set[str]:
    """Return the sequence whose labels a file holds, none of other files."""
    return {name[: -len(_LABELS)]} if name.endswith(_LABELS) and data.strip() else set()
