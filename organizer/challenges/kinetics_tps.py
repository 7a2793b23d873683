"""Annotations of Kinetics-TPS: classes of videos, humans, and states of their parts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from organizer import content
from organizer.challenges import Annotations, Guess, Pools
from organizer.content import Content, Values
from organizer.files import Files
from scoring_program.challenges.kinetics_tps.drawings import canvas
from scoring_program.challenges.kinetics_tps.reference import (
    CLASSES_FILE,
    PARTS_FILE,
    PREPARED_FILE,
    Reference,
    save_reference,
)
from scoring_program.challenges.kinetics_tps.task import TASKS
from scoring_program.result import GROUND_TRUTH, Drawing, DrawnObject, shapes
from scoring_program.settings import Settings
from scoring_program.task import AnyLoaded
from validator.arrays import Ints
from validator.findings import Findings
from validator.formats.kinetics_tps.read import PartStates, human_place, part_place

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

    # A perfect video lacks half a step of 10,000; the released sum has 9,999 steps.
    perfect_scores = (0.99995, 0.9999)

    def pools(self, reference: Reference) -> Pools:
        """Return the annotated classes and states, and the boxes of humans and parts."""
        parts = reference.parts
        labels = {_CLASS: Counter(reference.classes), _STATE: _counts(parts.states, parts.proposal_state)}
        in_order = {kind: Counter(dict(sorted(of_kind.items()))) for kind, of_kind in labels.items()}
        return Pools(in_order, {_HUMAN: parts.human_box, _PART: parts.proposal_box})

    def predicted(self, reference: Reference, guess: Guess) -> Json:
        """Return the content of both files."""
        parts = reference.parts
        names, states = list(parts.names), list(parts.states)

        def predicted(human: int) -> Json:
            found: Json = {}
            for part in _members(parts.part_human, human)[:_MOST]:
                state = guess.label(states[parts.proposal_state[part]], _STATE)
                box = guess.box(parts.proposal_box[part].tolist(), _PART)
                found[names[parts.part_name[part]]] = {"box": [box], "verb": [state]}
            return {"box": guess.box(parts.human_box[human].tolist(), _HUMAN), "parts": found}

        kept = [frame for frame in range(len(parts.frames)) if guess.keeps()]
        videos: Json = {}
        for frame in kept:
            members = _members(parts.human_frame, frame)[:_MOST]
            humans = [predicted(human) for human in members if guess.keeps()]
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
        part = parts._replace(**{**changed, "frames": changed["frames"].tolist()})
        chosen = [name for name, stays in zip(reference.classes, videos.tolist()) if stays]
        save_reference(Reference(chosen, part), output / PREPARED_FILE)


def _members(owner: Ints, index: int) -> range:
    """Return what belongs to the owner of an index; owners ascend."""
    # For numbers of another type all owners would be copied.
    return range(*np.searchsorted(owner, np.array([index, index + 1], owner.dtype)).tolist())


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: videos, frames, humans and parts."""
    reference: Reference = loaded.reference
    parts, warnings = reference.parts, Findings()
    names = {"class": dict(Counter(reference.classes)), "part": _counts(parts.names, parts.part_name)}
    names["state"] = _counts(parts.states, parts.proposal_state)
    for kind, counts in names.items():
        content.check_names(
            kind,
            counts,
            CLASSES_FILE if kind == "class" else PARTS_FILE,
            warnings,
        )
    _check_boxes(parts, warnings)
    video_of_human = parts.frame_video[parts.human_frame]
    video_of_part = video_of_human[parts.part_human]
    shown = np.column_stack([parts.part_name, parts.proposal_state, parts.proposal_box])
    content.check_same(parts.videos, [(video_of_human, parts.human_box), (video_of_part, shown)], warnings)
    n_frames = np.bincount(parts.frame_video, minlength=len(parts.videos))
    n_humans = np.bincount(parts.human_frame, minlength=len(parts.frames))
    at = (PARTS_FILE, lambda video: f"/{parts.videos[video]}")
    problem = "the video has no frame: its PSC is 1 for nothing"
    content.warn_where(n_frames == 0, "R-FRAMES", problem, at, warnings)

    def frame(index: int) -> str:
        return f"{parts.videos[parts.frame_video[index]]} {parts.frames[index]}"

    human = partial(human_place, parts)
    size = np.sqrt((parts.human_box[:, 2:] - parts.human_box[:, :2] + 1).prod(axis=1))
    values = [
        Values("frames of a video", n_frames, parts.videos.__getitem__),
        Values("humans in a frame", n_humans, frame),
        Values("parts of a human", np.bincount(parts.part_human, minlength=len(size)), human),
        Values("size of a human (root of the area, pixels)", size, human),
    ]
    videos, frames = (len(np.unique(of)) for of in (video_of_part, parts.human_frame[parts.part_human]))
    things = {"videos": len(n_frames), "videos without parts": len(n_frames) - videos}
    things |= {"frames": len(n_humans), "frames without parts": len(n_humans) - frames}
    things |= {"humans": len(size), "parts": len(shown), "classes": len(names["class"])}
    n_parts = np.bincount(parts.human_frame[parts.part_human], minlength=len(parts.frames))
    draw = partial(content.drawings, "Frames", n_parts, partial(_drawn_frame, reference))
    return Content(len(shown), things, names, values, warnings, draw)


def _drawn_frame(reference: Reference, frame: int) -> Drawing:
    parts, objects = reference.parts, list[DrawnObject]()
    names, states = list(parts.names), list(parts.states)
    for number, human in enumerate(_members(parts.human_frame, frame), 1):
        label, box = f"human {number}", shapes(GROUND_TRUTH, parts.human_box[human])
        objects.append(DrawnObject(label, "annotated", False, box))
        for part in _members(parts.part_human, human):
            box = shapes(GROUND_TRUTH, parts.proposal_box[part])
            name, state = names[parts.part_name[part]], states[parts.proposal_state[part]]
            objects.append(DrawnObject(f"{label}, {name}", state, False, box))
    blank = canvas(parts, frame, parts.human_box[:0], parts.human_frame[:0])
    text = f"Class of the video: {reference.classes[parts.frame_video[frame]]}."
    return blank._replace(text=text, objects=objects)


def _counts(numbers: dict[str, int], used: Ints) -> dict[str, int]:
    counts = np.bincount(used, minlength=len(numbers)).tolist()
    return {name: counts[number] for name, number in numbers.items() if counts[number]}


def _check_boxes(parts: PartStates, warnings: Findings) -> None:
    human = (PARTS_FILE, partial(human_place, parts))
    part = (PARTS_FILE, partial(part_place, parts))
    content.check_boxes("human", parts.human_box, human, warnings)
    content.check_boxes("part", parts.proposal_box, part, warnings)
    rows = np.column_stack([parts.human_frame, parts.human_box])
    problem = "the box of the human repeats an earlier one"
    content.warn_where(content.repeated(rows), "R-REPEATED", problem, human, warnings)
    # A part may reach out of the box of its human, but no farther than half its size.
    of_human = parts.human_box[parts.part_human]
    margin = (of_human[:, 2:] - of_human[:, :2]) / 2
    outside = parts.proposal_box[:, 2:] < of_human[:, :2] - margin
    outside |= parts.proposal_box[:, :2] > of_human[:, 2:] + margin
    problem = "the box of the part is far outside of its human"
    content.warn_where(np.logical_or(*outside.T), "R-BOX", problem, part, warnings)


ANNOTATIONS = {task_id: KineticsAnnotations() for task_id in TASKS}
