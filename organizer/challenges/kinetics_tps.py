"""Annotations of Kinetics-TPS: classes of videos, humans, and states of their parts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from organizer.challenges import Annotations, Perfect, Pools
from organizer.files import Files
from scoring_program.challenges.kinetics_tps.read import PREPARED_FILE, Reference, save_reference
from scoring_program.challenges.kinetics_tps.task import TASKS
from scoring_program.settings import Settings

Json = dict[str, Any]
CLASSES, PARTS = "pred_vid_result.json", "pred_part_result.json"
# The most humans of a frame, and parts of a human, that a submission may hold.
_MOST = 10
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

    def predicted(self, reference: Reference, guess: Perfect) -> Json:
        """Return the content of both files."""
        parts = reference.parts
        names, states = list(parts.names), list(parts.states)
        humans_of = _members(parts.human_frame, len(parts.frames))
        parts_of = _members(parts.part_human, len(parts.human_frame))

        def predicted(human: int) -> Json:
            found: Json = {}
            for part in parts_of[human][:_MOST]:
                state = guess.label(states[parts.proposal_state[part]], _STATE)
                box = guess.box(parts.proposal_box[part], _PART)
                found[names[parts.part_name[part]]] = {"box": [box], "verb": [state]}
            return {"box": guess.box(parts.human_box[human], _HUMAN), "parts": found}

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
        many = np.bincount(parts.human_frame, minlength=1) > _MOST
        crowded = {*np.flatnonzero(many).tolist()}
        many_parts = np.flatnonzero(np.bincount(parts.part_human, minlength=1) > _MOST)
        crowded |= {*parts.human_frame[many_parts].tolist()}
        seen = Counter(map(tuple, np.column_stack([parts.human_frame, parts.human_box]).tolist()))
        equal = {int(frame) for (frame, *_), count in seen.items() if count > 1}
        return {
            reason: {parts.videos[parts.frame_video[frame]] for frame in frames}
            for reason, frames in (
                (f"a submission holds at most {_MOST} humans a frame and parts a human", crowded),
                ("two humans of a frame have the same box", equal),
            )
        }

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the class of each video."""
        return {video: [name] for video, name in zip(reference.parts.videos, reference.classes)}

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the arrays of some videos."""
        parts = reference.parts
        videos = np.array([video in names for video in parts.videos])
        frames = videos[parts.frame_video]
        humans = frames[parts.human_frame]
        kept = humans[parts.part_human]
        proposals = kept[parts.proposal_part]

        def owners(owner: np.ndarray, inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
            return (np.cumsum(outer) - 1)[owner[inner]].astype(np.int32)

        part = replace(
            parts,
            videos=[video for video in parts.videos if video in names],
            frames=[frame for frame, stays in zip(parts.frames, frames.tolist()) if stays],
            frame_video=owners(parts.frame_video, frames, videos),
            human_frame=owners(parts.human_frame, humans, frames),
            human_box=parts.human_box[humans],
            part_human=owners(parts.part_human, kept, humans),
            part_name=parts.part_name[kept],
            proposal_part=owners(parts.proposal_part, proposals, kept),
            proposal_box=parts.proposal_box[proposals],
            proposal_state=parts.proposal_state[proposals],
            n_states=parts.n_states[kept],
        )
        chosen = [name for name, stays in zip(reference.classes, videos.tolist()) if stays]
        save_reference(Reference(chosen, part), output / PREPARED_FILE)


def _members(owner: np.ndarray, n: int) -> list[list[int]]:
    """Return the indexes of the members of each of ``n`` owners."""
    found: list[list[int]] = [[] for _ in range(n)]
    for member, index in enumerate(owner.tolist()):
        found[index].append(member)
    return found


ANNOTATIONS = {task_id: KineticsAnnotations() for task_id in TASKS}
