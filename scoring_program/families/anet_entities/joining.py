"""Bringing a submission into the numbering of the reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring_program.families.anet_entities.files import Reference
from scoring_program.metrics import grounding
from scoring_program.metrics.arrays import Bools, Ints
from validator.findings import Note, counted
from validator.formats.anet_entities import Grounding


@dataclass(frozen=True)
class Joined:
    """A submission in the reference's numbering.

    Attributes
    ----------
    objects : Objects
        Those in annotated segments.
    submitted : bool array of shape (n_segments,)
        Which annotated segments are in the submission.
    classes : list of str
        Those of the reference, then those that only the submission has.
    named : set of str
        The classes that the submission names.
    videos : list of str
        The videos with an annotated segment, in ascending order.
    segment_video : int array of shape (n_segments,)
        Index of the video of each annotated segment.
    submitted_of_video : int array of shape (n_videos,)
        Number of submitted segments of each video, annotated or not.
    n_submitted : int
        Number of all submitted segments.
    notes : list of Note
    """

    objects: grounding.Objects
    submitted: Bools
    classes: list[str]
    named: set[str]
    videos: list[str]
    segment_video: Ints
    submitted_of_video: Ints
    n_submitted: int
    notes: list[Note]


def join(reference: Reference, submission: Grounding) -> Joined:
    """Bring a submission into the reference's numbering; objects in segments that are not annotated are
    left out."""
    position = {segment: number for number, segment in enumerate(reference.segments)}
    number = np.array([position.get(segment, -1) for segment in submission.segments], dtype=np.int64)
    submitted = np.zeros(len(reference.segments), dtype=bool)
    submitted[number[number >= 0]] = True
    classes = {name: code for code, name in enumerate(reference.classes)}
    codes = np.array(
        [classes.setdefault(name, len(classes)) for name in submission.classes] or [0], dtype=np.int64
    )
    segment = number[submission.segment] if len(submission.segment) else np.zeros(0, np.int64)
    kept = np.flatnonzero(segment >= 0)
    # Without classes (allowed in sub-task I) the number does not matter.
    label = codes[np.maximum(submission.label[kept], 0)]
    videos = sorted({video for video, _ in reference.segments})
    video_number = {video: index for index, video in enumerate(videos)}
    of_video = [video_number[video] for video, _ in submission.segments if video in video_number]
    return Joined(
        grounding.Objects(segment[kept], submission.index[kept], label, submission.box[kept]),
        submitted,
        list(classes),
        set(submission.classes),
        videos,
        np.array([video_number[video] for video, _ in reference.segments], dtype=np.int64),
        np.bincount(np.array(of_video, dtype=np.int64), minlength=len(videos)),
        len(submission.segments),
        _notes(int((number < 0).sum()), submitted),
    )


def _notes(outside: int, submitted: Bools) -> list[Note]:
    notes = []
    if outside:
        text = f"{counted(outside, 'submitted segment')} not annotated in the chosen splits"
        notes.append(Note("N-SEGMENTS-OUTSIDE", text))
    missing = int((~submitted).sum())
    if missing:
        text = f"nothing submitted for {missing:,} of {counted(len(submitted), 'annotated segment')}"
        notes.append(Note("N-SEGMENTS-MISSING", text))
    return notes
