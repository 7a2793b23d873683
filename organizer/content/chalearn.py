"""What a reference of a track holds, and what of it is likely a mistake."""

from __future__ import annotations

from functools import partial
from typing import cast

import numpy as np

from organizer.content import Content, Values, check_same, chosen, repeated, warn_where
from scoring_program.challenges.chalearn.page import lanes
from scoring_program.challenges.chalearn.read import Reference, Track
from scoring_program.challenges.chalearn.task import TrackTask
from scoring_program.result import Section, Timeline
from scoring_program.task import AnyLoaded
from validator.findings import Findings


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
        for n in chosen(np.bincount(rows.sequence, minlength=len(lengths)))
    ]
