"""Annotations of the two ChaLearn tracks: rows of labels, start and end frames."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np

from organizer.challenges import Annotations, Baseline, Guess, Pools
from organizer.content import Content, Values, check_same, choose_evenly, repeated, warn_where
from organizer.files import Files
from scoring_program.challenges.chalearn.page import lanes
from scoring_program.challenges.chalearn.reference import Reference, Track
from scoring_program.challenges.chalearn.task import TASKS, TrackTask
from scoring_program.result import Section, Timeline
from scoring_program.settings import Settings
from scoring_program.task import AnyLoaded
from validator.arrays import Floats
from validator.findings import Findings

Row = list[int]
Prediction = dict[str, list[Row]]
_KIND = "row"


class _NoisyRows(Guess):
    """Rows with noise; the bias is a lag in frames."""

    def shake(self, box: Floats, far: float) -> list[float]:
        """Return start and end with noise, in any order."""
        return (box + self._bias + self._rng.normal(0, 0.4 * self._noise * (box[1] - box[0]), 2)).tolist()


class TrackAnnotations(Annotations[Reference, Prediction]):
    """The annotations of one track."""

    def __init__(self, task_id: str) -> None:
        self._track = cast(TrackTask, TASKS[task_id]).track

    def pools(self, reference: Reference) -> Pools:
        """Return all classes and the annotated intervals."""
        labels = Counter({str(number): 0 for number in range(1, self._track.n_classes + 1)})
        labels.update(map(str, reference.rows.label.tolist()))
        return Pools({_KIND: labels}, {_KIND: reference.rows.frames.astype(np.float64)})

    def noisy(self, reference: Reference, rng: np.random.Generator, noise: float) -> Prediction:
        """Return rows with noise and a lag."""
        pools, lag = self.pools(reference), np.array(rng.normal(0, 5 * noise))
        return self.predicted(reference, _NoisyRows(Baseline.NOISY, pools, rng, noise, lag))

    def predicted(self, reference: Reference, guess: Guess) -> Prediction:
        """Return the rows of each sequence, equal ones once; the most frequent class all the time."""
        rows, last_frames = reference.rows, reference.n_frames.tolist()
        found: dict[str, dict[tuple[int, ...], None]] = {key: {} for key in reference.sequences}
        columns = (rows.sequence, rows.actor, rows.label, rows.frames)
        for sequence, actor, label, frames in zip(*(column.tolist() for column in columns)):
            if guess.keeps():
                last = last_frames[sequence]
                number = int(guess.label(str(label), _KIND))
                within = [min(frame, last) for frame in frames]
                always = guess.baseline is Baseline.MOST_FREQUENT
                start, end = map(int, np.rint([1, last] if always else guess.box(within, _KIND)))
                start = min(max(start, 1), last)
                actors = (actor,) if self._track.n_actors > 1 else ()
                row = (*actors, number, start, min(max(end, start), last))
                found[reference.sequences[sequence]][row] = None
        return {key: [list(row) for row in of_key] for key, of_key in found.items()}

    def files(self, prediction: Prediction) -> Files:
        """Return a CSV file for each sequence."""
        return {
            f"{key}_prediction.csv": "".join(",".join(map(str, row)) + "\n" for row in rows).encode()
            for key, rows in prediction.items()
        }

    def reasons(self, reference: Reference, settings: Settings) -> dict[str, set[str]]:
        """Return the sequences with rows of one frame, which cover nothing under ``released``."""
        rows = reference.rows
        short = (rows.frames[:, 0] == rows.frames[:, 1]) & (settings["protocol"] == "released")
        named = {reference.sequences[index] for index in rows.sequence[short].tolist()}
        return {"a row of one frame covers nothing under released": named}

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the class of each row of each sequence."""
        found: dict[str, list[str]] = {key: [] for key in reference.sequences}
        for sequence, label in zip(reference.rows.sequence.tolist(), reference.rows.label.tolist()):
            found[reference.sequences[sequence]].append(self._track.classes[label - 1])
        return found

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Copy the two files of each sequence."""
        for key in names:
            for kind in ("labels", "data"):
                shutil.copyfile(source / f"{key}_{kind}.csv", output / f"{key}_{kind}.csv")


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: sequences, rows and classes."""
    reference: Reference = loaded.reference
    track = cast(TrackTask, loaded.task).track
    rows, sequences, warnings = reference.rows, reference.sequences, Findings()
    table = np.column_stack([rows.sequence, rows.actor, rows.label, rows.frames])
    start = np.searchsorted(rows.sequence, np.arange(len(sequences) + 1))

    def line(row: int) -> str:
        sequence = int(rows.sequence[row])
        return f"{sequences[sequence]}_labels.csv line {row - int(start[sequence]) + 1}"

    for sequence in np.flatnonzero(np.diff(start) == 0).tolist():
        problem, remedy = "no row is in it", "give its labels, or take the sequence out"
        warnings.add("R-EMPTY", problem, remedy, file=f"{sequences[sequence]}_labels.csv", rule="empty")
    order = np.lexsort(table.T[::-1])
    check_same(sequences, [(rows.sequence, table[order][:, 1:])], warnings)
    is_repeated, overlaps = repeated(table), np.zeros(len(table), dtype=bool)
    ends: dict[tuple[int, ...], int] = {}
    for row in order[~is_repeated[order]].tolist():
        *group, first, last = table[row].tolist()
        overlaps[row] = first <= ends.get(tuple(group), 0)
        ends[tuple(group)] = max(last, ends.get(tuple(group), 0))
    warn_where(is_repeated, "R-REPEATED", "the row repeats an earlier one", ("", line), warnings)
    problem = "the row overlaps another one of its class and actor"
    warn_where(overlaps, "R-OVERLAP", problem, ("", line), warnings)
    problem = "the row ends after the last frame of its sequence, and is cut there"
    is_cut = rows.frames[:, 1] > reference.n_frames[rows.sequence]
    warn_where(is_cut, "R-CUT", problem, ("", line), warnings)
    n_rows = np.bincount(rows.label, minlength=track.n_classes + 1)[1:].tolist()
    names = {f"{number} {name}": n for number, (name, n) in enumerate(zip(track.classes, n_rows), 1)}
    counts = {"sequences": len(sequences), f"{track.instance}s": len(table)}
    counts["classes"] = len(set(rows.label.tolist()))
    values = [
        Values("frames of a sequence", reference.n_frames, sequences.__getitem__),
        Values(f"frames of one {track.instance}", rows.frames[:, 1] - rows.frames[:, 0] + 1, line),
        Values(f"{track.instance}s in a sequence", np.diff(start), sequences.__getitem__),
    ]
    draw = partial(_timelines, track, reference)
    return Content(len(table), counts, {"class": names}, values, warnings, draw)


def _timelines(track: Track, reference: Reference) -> list[Section]:
    note = "Sequences with the most rows, with the least, and some between."
    names, rows, lengths = reference.sequences, reference.rows, reference.n_frames
    ends = np.minimum(rows.frames, lengths[rows.sequence, np.newaxis]) - [1, 0]
    return [
        Timeline(f"timeline_{n}", names[n], note, int(lengths[n]), lanes(track, n, [(rows, ends)]))
        for n in choose_evenly(np.bincount(rows.sequence, minlength=len(lengths)))
    ]


ANNOTATIONS = {task_id: TrackAnnotations(task_id) for task_id in TASKS}
