"""Bringing a submission into the numbering of the reference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Union

import numpy as np

from scoring_program.metrics import part_state
from scoring_program.metrics.arrays import Bools, Floats, Ints
from validator.findings import Note, counted
from validator.formats.kinetics_tps import PartStates


@dataclass(frozen=True)
class Joined:
    """A submission in the reference's numbering; frames that the reference does not have are dropped.

    Part names and states that the reference does not have are -1; ``has_frame`` (n_frames,) says which frames
    of the reference the submission has.
    """

    human_frame: Ints
    human_box: Floats
    proposals: part_state.Proposals
    has_frame: Bools
    notes: list[Note]


def join(ground_truth: PartStates, predicted: PartStates) -> Joined:
    """Bring a submission into the reference's numbering; frames that it does not have are dropped."""
    position = {key: index for index, key in enumerate(frame_keys(ground_truth))}
    frame = np.fromiter(
        (position.get(key, -1) for key in frame_keys(predicted)), np.int64, len(predicted.frames)
    )
    has_frame = np.zeros(len(ground_truth.frames), dtype=bool)
    has_frame[frame[frame >= 0]] = True
    # Frames may come in another order than the reference's; humans follow frames, parts and proposals follow
    # them.
    human_frame, human_order = _renumber(predicted.human_frame, frame)
    part_human, part_order = _renumber(
        predicted.part_human, _new_numbers(human_order, len(predicted.human_box))
    )
    part_number = _new_numbers(part_order, len(predicted.part_name))
    proposal_part, proposal_order = _renumber(predicted.proposal_part, part_number)
    notes = _notes(frame, has_frame, len(set(predicted.videos) - set(ground_truth.videos)))
    return Joined(
        human_frame,
        predicted.human_box[human_order],
        part_state.Proposals(
            part_human,
            _translate(predicted.names, ground_truth.names)[predicted.part_name[part_order]],
            proposal_part,
            predicted.proposal_box[proposal_order],
            _translate(predicted.states, ground_truth.states)[predicted.proposal_state[proposal_order]],
        ),
        has_frame,
        notes,
    )


def _notes(frame: Ints, has_frame: Bools, extra_videos: int) -> list[Note]:
    notes = []
    extra_frames = int((frame < 0).sum())
    if extra_videos or extra_frames:
        extra = [
            counted(number, thing)
            for number, thing in ((extra_videos, "video"), (extra_frames, "frame"))
            if number
        ]
        text = f"ignored what is not in the reference: {' and '.join(extra)} of the submission"
        notes.append(Note("N-NAMES-UNKNOWN", text))
    if not has_frame.all():
        text = (
            f"no prediction for {int((~has_frame).sum()):,} of {counted(len(has_frame), 'reference frame')}"
        )
        notes.append(Note("N-FRAMES-MISSING", text))
    return notes


def frame_keys(parts: PartStates) -> Iterable[tuple[str, str]]:
    """Return video and name of each frame."""
    return zip((parts.videos[index] for index in parts.frame_video.tolist()), parts.frames)


_Order = Union[Ints, slice]


def _renumber(owner: Ints, new_number: Ints) -> tuple[Ints, _Order]:
    """Return new owners in ascending order, and which old entries they belong to; owners at -1 are
    dropped."""
    if np.array_equal(new_number, np.arange(len(new_number))):
        return owner, slice(None)
    numbers = new_number[owner] if len(owner) else np.zeros(0, np.int64)
    order = np.flatnonzero(numbers >= 0)
    numbers = numbers[order]
    if (np.diff(numbers) < 0).any():
        by_number = np.argsort(numbers, kind="stable")
        order, numbers = order[by_number], numbers[by_number]
    return numbers, order


def _new_numbers(order: _Order, size: int) -> Ints:
    """Return the new number of each of ``size`` old entries, -1 for those that are dropped."""
    numbers = np.full(size, -1)
    numbers[order] = np.arange(size if isinstance(order, slice) else len(order))
    return numbers


def _translate(predicted: dict[str, int], ground_truth: dict[str, int]) -> Ints:
    """Return for each word of the prediction its number in the ground truth, -1 if there is none."""
    return np.array([ground_truth.get(word, -1) for word in predicted], dtype=np.int64)
