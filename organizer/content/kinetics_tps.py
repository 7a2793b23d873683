"""What a reference of Kinetics-TPS holds, and what of it is likely a mistake."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np

from organizer.content import (
    Content,
    Values,
    check_boxes,
    check_names,
    check_same,
    drawings,
    repeated,
    warn_where,
)
from scoring_program.challenges.kinetics_tps import read
from scoring_program.challenges.kinetics_tps.drawings import canvas
from scoring_program.result import GROUND_TRUTH, Drawing, DrawnObject, shapes
from scoring_program.task import AnyLoaded
from validator.arrays import Ints
from validator.findings import Findings
from validator.formats.kinetics_tps.read import PartStates, human_place, part_place


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: videos, frames, humans and parts."""
    reference: read.Reference = loaded.reference
    parts, warnings = reference.parts, Findings()
    names = {"class": dict(Counter(reference.classes)), "part": _counts(parts.names, parts.part_name)}
    names["state"] = _counts(parts.states, parts.proposal_state)
    for kind, counts in names.items():
        check_names(kind, counts, read.CLASSES_FILE if kind == "class" else read.PARTS_FILE, warnings)
    _check_boxes(parts, warnings)
    video_of_human = parts.frame_video[parts.human_frame]
    video_of_part = video_of_human[parts.part_human]
    shown = np.column_stack([parts.part_name, parts.proposal_state, parts.proposal_box])
    check_same(parts.videos, [(video_of_human, parts.human_box), (video_of_part, shown)], warnings)
    n_frames = np.bincount(parts.frame_video, minlength=len(parts.videos))
    n_humans = np.bincount(parts.human_frame, minlength=len(parts.frames))
    at = (read.PARTS_FILE, lambda video: f"/{parts.videos[video]}")
    warn_where(n_frames == 0, "R-FRAMES", "the video has no frame: its PSC is 1 for nothing", at, warnings)

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
    draw = partial(drawings, "Frames", n_parts, partial(_drawing, reference))
    return Content(len(shown), things, names, values, warnings, draw)


def _drawing(reference: read.Reference, frame: int) -> Drawing:
    parts, objects = reference.parts, list[DrawnObject]()
    names, states = list(parts.names), list(parts.states)
    first, last = np.searchsorted(parts.human_frame, [frame, frame + 1]).tolist()
    for human in range(first, last):
        label, box = f"human {human - first + 1}", shapes(GROUND_TRUTH, parts.human_box[human])
        objects.append(DrawnObject(label, "annotated", False, box))
        for part in range(*np.searchsorted(parts.part_human, [human, human + 1]).tolist()):
            box = shapes(GROUND_TRUTH, parts.proposal_box[part])
            name, state = names[parts.part_name[part]], states[parts.proposal_state[part]]
            objects.append(DrawnObject(f"{label}, {name}", state, False, box))
    blank = canvas(parts, frame, parts.human_box[:0], parts.human_frame[:0])
    text = f"Class of the video: {reference.classes[parts.frame_video[frame]]}."
    return replace(blank, text=text, objects=objects)


def _counts(numbers: dict[str, int], used: Ints) -> dict[str, int]:
    counts = np.bincount(used, minlength=len(numbers)).tolist()
    return {name: counts[number] for name, number in numbers.items() if counts[number]}


def _check_boxes(parts: PartStates, warnings: Findings) -> None:
    human = (read.PARTS_FILE, partial(human_place, parts))
    part = (read.PARTS_FILE, partial(part_place, parts))
    check_boxes("human", parts.human_box, human, warnings)
    check_boxes("part", parts.proposal_box, part, warnings)
    rows = np.column_stack([parts.human_frame, parts.human_box])
    warn_where(repeated(rows), "R-REPEATED", "the box of the human repeats an earlier one", human, warnings)
    # A part may reach out of the box of its human, but no farther than half its size.
    of_human = parts.human_box[parts.part_human]
    margin = (of_human[:, 2:] - of_human[:, :2]) / 2
    outside = parts.proposal_box[:, 2:] < of_human[:, :2] - margin
    outside |= parts.proposal_box[:, :2] > of_human[:, 2:] + margin
    problem = "the box of the part is far outside of its human"
    warn_where(np.logical_or(*outside.T), "R-BOX", problem, part, warnings)
