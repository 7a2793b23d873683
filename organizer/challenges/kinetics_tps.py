"""Annotations of Kinetics-TPS: classes of videos, humans, and states of their parts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from organizer.challenges import Annotations, Guess, Pools
from organizer.files import Files
from scoring_program.challenges.kinetics_tps.read import PREPARED_FILE, Reference, save_reference
from scoring_program.challenges.kinetics_tps.task import TASKS
from scoring_program.settings import Settings
from validator.arrays import Ints

Json = dict[str, Any]
CLASSES, PARTS = "pred_vid_result.json", "pred_part_result.json"
# The most humans of a frame, and parts of a human, that a submission may hold.
_MOST = 10
# The columns of frames, humans, parts and proposals, by that of what each belongs to.
_COLUMNS = {
    "frame_video": ["frames"],
    "human_frame": ["human_box"],
    "part_human": ["part_name", "n_states"],
    "proposal_part": ["proposal_box", "proposal_state"],
}
_CLASS, _STATE, _HUMAN, _PART = "class", "state", "human", "part"


class KineticsAnnotations(Annotations[Reference, Json]):
    """The annotations of the task."""

    id = next(iter(TASKS))
    # A perfect video lacks half a step of 10,000; the released sum has 9,999 steps.
    perfect_scores = (0.99995, 0.9999)

    def pools(self, reference: Reference) -> Pools:
        """Return the annotated classes and states, and the boxes of humans and parts."""
        parts = reference.parts
        states = list(parts.states)
        annotated = Counter(states[number] for number in parts.proposal_state.tolist())
        labels = {_CLASS: Counter(reference.classes), _STATE: annotated}
        in_order = {kind: Counter(dict(sorted(of_kind.items()))) for kind, of_kind in labels.items()}
        return Pools(in_order, {_HUMAN: parts.human_box, _PART: parts.proposal_box})

    def predicted(self, reference: Reference, guess: Guess) -> Json:
        """Return the content of both files."""
        parts = reference.parts
        names, states = list(parts.names), list(parts.states)
        humans_of = _members(parts.human_frame, len(parts.frames))
        parts_of = _members(parts.part_human, len(parts.human_frame))

        def predicted(human: int) -> Json:
            found: Json = {}
            for part in parts_of[human][:_MOST]:
                state = guess.label(states[parts.proposal_state[part]], _STATE)
                box = guess.box(parts.proposal_box[part].tolist(), _PART)
                found[names[parts.part_name[part]]] = {"box": [box], "verb": [state]}
            return {"box": guess.box(parts.human_box[human].tolist(), _HUMAN), "parts": found}

        kept = [frame for frame in range(len(parts.frames)) if guess.keeps()]
        videos: Json = {}
        for frame in kept:
            humans = [predicted(human) for human in humans_of[frame][:_MOST] if guess.keeps()]
            video = parts.videos[parts.frame_video[frame]]
            videos.setdefault(video, {})[parts.frames[frame]] = {"humans": humans}
        chosen = {video: guess.label(name, _CLASS) for video, name in zip(parts.videos, reference.classes)}
        return {CLASSES: {video: name for video, name in chosen.items() if name}, PARTS: videos}

    def files(self, prediction: Json) -> Files:
        """Return both JSON files."""
        return {name: json.dumps(content).encode() for name, content in prediction.items()}

    def reasons(self, reference: Reference, settings: Settings) -> dict[str, set[str]]:
        """Return the videos with too many humans or parts, and with equal boxes of two humans."""
        parts = reference.parts
        frames = np.flatnonzero(np.bincount(parts.human_frame, minlength=1) > _MOST)
        humans = np.flatnonzero(np.bincount(parts.part_human, minlength=1) > _MOST)
        boxes = Counter(map(tuple, np.column_stack([parts.human_frame, parts.human_box]).tolist()))
        many = [*frames.tolist(), *parts.human_frame[humans].tolist()]
        found = {f"a submission holds at most {_MOST} humans a frame and parts a human": many}
        found["two humans of a frame have the same box"] = [int(box[0]) for box in boxes if boxes[box] > 1]
        return {reason: {parts.videos[parts.frame_video[n]] for n in of} for reason, of in found.items()}

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the class of each video."""
        return {video: [name] for video, name in zip(reference.parts.videos, reference.classes)}

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the arrays of some videos."""
        parts = reference.parts
        kept = videos = np.array([video in names for video in parts.videos])
        changed: dict[str, Any] = {"videos": [video for video in parts.videos if video in names]}
        for owner, columns in _COLUMNS.items():
            owners: Ints = getattr(parts, owner)
            inner = kept[owners]
            changed[owner] = (np.cumsum(kept) - 1)[owners[inner]].astype(np.int32)
            changed.update({column: np.array(getattr(parts, column))[inner] for column in columns})
            kept = inner
        part = replace(parts, **{**changed, "frames": changed["frames"].tolist()})
        chosen = [name for name, stays in zip(reference.classes, videos.tolist()) if stays]
        save_reference(Reference(chosen, part), output / PREPARED_FILE)


def _members(owner: Ints, n: int) -> list[list[int]]:
    """Return the indexes of the members of each of ``n`` owners."""
    found: list[list[int]] = [[] for _ in range(n)]
    for member, index in enumerate(owner.tolist()):
        found[index].append(member)
    return found


ANNOTATIONS = {task_id: KineticsAnnotations() for task_id in TASKS}
