"""Build a kinetics_tps submission from arrays.

writer = KineticsTPSWriter()
writer.add_video("vid7", "throw_ball")
writer.add_human("vid7", 1, [10, 20, 90, 200], {"left_arm": ([[12, 30, 40, 80]], ["bend"])})
writer.save("my.zip")
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, count, islice
from operator import gt
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np

import writing
from writing import FilePredictions, Key

# isort: split
from validator.formats.kinetics_tps.read import KineticsSubmission, PartStates, numbered, owners

MOST_PROPOSALS = 5
# Humans in a frame, parts of a human, and proposals, as in the schema.
_MOST = (10, 10, MOST_PROPOSALS)
_NO_BOXES = np.zeros((0, 4))
Boxes = Union[np.ndarray, Sequence[Sequence[float]]]
# The box of a human and its parts by name, each with boxes and states.
Human = tuple[Union[np.ndarray, Sequence[float]], Mapping[str, tuple[Boxes, Sequence[str]]]]
_CLASSES, _PARTS = "pred_vid_result.json", "pred_part_result.json"


class KineticsTPSWriter(FilePredictions):
    """Collects classes, humans and their parts, and writes the two JSON files as one zip."""

    def __init__(self) -> None:
        super().__init__("kinetics_tps")

    def update(self, video: str, action: str, frames: Mapping[int, Sequence[Human]]) -> None:
        """Set all that is predicted for a video.

        Parameters
        ----------
        video, action : str
        frames : mapping of int to sequence of (box, parts)
            The humans in each frame, counting from 1; box and parts as for `add_human`.

        Raises
        ------
        ValueError
            As `add_human`, or there is a prediction for the video already.
        """
        whole_video = KineticsTPSWriter()
        whole_video.add_video(video, action)
        names = [_frame_name(frame) for frame in frames]
        flat = _checked_at_once(names, list(frames.values())) if names else None
        if flat is not None:
            whole_video.entries[video]["frames"] = flat
        for frame, humans in frames.items() if flat is None else ():
            whole_video.add_frame(video, frame)
            for index, human in enumerate(humans):
                with writing.naming(f"frames[{frame}][{index}]"):
                    if isinstance(human, (Mapping, str)):
                        raise ValueError("this is no pair of box and parts; give ([10, 20, 90, 200], {...})")
                    box, parts = human
                    whole_video.add_human(video, frame, box, parts)
        self.put(video, whole_video.entries[video])

    def _video(self, video: str) -> dict[str, Any]:
        return self.entries.setdefault(writing.text(video, "the video"), {"action": None, "frames": {}})

    def add_video(self, video: str, action: str) -> None:
        """Set the predicted action class of a video."""
        self._video(video)["action"] = writing.text(action, "the action class")

    def add_frame(self, video: str, frame: int) -> None:
        """Add a frame without humans; `add_human` adds its frame itself. ``frame`` counts from 1."""
        self._humans(video, frame)

    def _humans(self, video: str, frame: int) -> list[object]:
        name, own = _frame_name(frame), self._video(video)
        own["frames"] = _nested(own["frames"])
        return own["frames"].setdefault(name, {"humans": []})["humans"]

    def add_human(
        self,
        video: str,
        frame: int,
        box: np.ndarray | Sequence[float],
        parts: Mapping[str, tuple[Boxes, Sequence[str]]],
    ) -> None:
        """Add a human to a frame.

        Parameters
        ----------
        video : str
        frame : int
            Number of the frame, counting from 1; every fifth is scored (1, 6, 11, ...).
        box : array of shape (4,)
            ``x1, y1, x2, y2`` in pixels, both ends included.
        parts : mapping of part name to (boxes, states)
            At most 5 proposals a part: boxes of shape (n, 4) and n states.

        Raises
        ------
        ValueError
            A box has another shape, is not in pixels or has x2 < x1; boxes and states differ in number or are
            more than 5; ``frame`` is not a whole number from 1; a part is no pair; states are no strings.
        """
        human_box = writing.corner_boxes(box, (4,), "the box of the human")
        proposals = {}
        for name, proposed in parts.items():
            where = f"the boxes of {writing.text(name, 'the part')}"
            if not isinstance(proposed, (tuple, list)) or len(proposed) != 2:
                raise ValueError(f"{name}: a part is (boxes, states), as ([[12, 30, 40, 80]], ['bend'])")
            boxes, states = proposed
            array = writing.corner_boxes(boxes, (-1, 4), where)
            verbs = writing.texts(states, f"the states of {name}")
            if len(array) != len(verbs):
                lengths = f"boxes {len(array)}, states {len(verbs)}"
                raise ValueError(f"{where}: the lengths differ, {lengths}; give one state a box")
            if len(array) > MOST_PROPOSALS:
                raise ValueError(f"{where}: there are {len(array)}; keep the best {MOST_PROPOSALS}")
            proposals[name] = {"box": array.tolist(), "verb": verbs}
        self._humans(video, frame).append({"box": human_box.tolist(), "parts": proposals})

    def save(self, path: str | Path) -> None:
        """Write the zip, check it and put it at ``path``; nothing is left there if it is not valid.

        Raises ValueError if a video has frames but no class, so it can only score 0, or if the submission is
        not valid: the message lists what is wrong.
        """
        for video in sorted(self.entries):
            if self.entries[video]["action"] is None:
                raise ValueError(f"{video}: the video has frames but no class; call add_video for each video")
        super().save(path)

    def content(self) -> KineticsSubmission | None:
        """Return the predictions as arrays; None where a check of the files may fail."""
        videos = {video: self.entries[video] for video in sorted(self.entries)}
        classes = {video: own["action"] for video, own in videos.items()}
        known = {video: own["frames"] for video, own in videos.items() if own["frames"]}
        if any(isinstance(own, dict) for own in known.values()):
            return None

        def joined(column: int) -> list[Any]:
            return list(chain.from_iterable(own[column] for own in known.values()))

        frames, n_humans, n_parts, n_proposals, words, verbs = map(joined, range(6))
        split = [(own.boxes[: len(own.parts)], own.boxes[len(own.parts) :]) for own in known.values()]
        human_box, proposal_box = map(np.concatenate, zip(*[(_NO_BOXES, _NO_BOXES), *split]))
        texts = chain(videos, classes.values(), frames, words, verbs)
        if not writing.is_surely_small(texts, human_box.size + proposal_box.size):
            return None
        names: dict[str, int] = defaultdict(count().__next__)
        states: dict[str, int] = defaultdict(count().__next__)
        parts = PartStates(
            videos=list(known),
            frames=frames,
            frame_video=owners([len(own.frames) for own in known.values()]),
            human_frame=owners(n_humans),
            human_box=human_box,
            part_human=owners(n_parts),
            part_name=numbered(names, words),
            proposal_part=owners(n_proposals),
            proposal_box=proposal_box,
            proposal_state=numbered(states, verbs),
            n_states=np.array(n_proposals, dtype=np.int32),
            names=dict(names),
            states=dict(states),
        )
        return KineticsSubmission(classes, parts)

    def files(self) -> dict[str, bytes]:
        """Return the two JSON files by name."""
        videos = {video: self.entries[video] for video in sorted(self.entries)}
        contents = {
            _CLASSES: {video: own["action"] for video, own in videos.items()},
            _PARTS: {video: nested for video, own in videos.items() if (nested := _nested(own["frames"]))},
        }
        return {name: writing.encode(data) for name, data in contents.items()}

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return the video of a problem, and its argument."""
        video, *rest = writing.steps(where)
        if file == _CLASSES:
            return video, "action"
        frame, _, *within = rest
        names = (f"[{step}]" if step.isdigit() else f".{_ARGUMENTS.get(step, step)}" for step in within)
        return video, f"frames[{int(frame[4:-5])}]{''.join(names)}"


class _Frames(NamedTuple):
    """The frames of a video that no schema refuses: how many humans each has, how many parts each human, how
    many proposals each part; the names of parts, the states, and the boxes of humans and then proposals."""

    frames: list[str]
    humans: list[int]
    parts: list[int]
    proposals: list[int]
    names: list[str]
    states: list[str]
    boxes: np.ndarray


def _frame_name(frame: int) -> str:
    return f"img_{writing.whole(frame, 'the frame', 1):05d}.json"


def _checked_at_once(frames: list[str], contents: Sequence[Sequence[Human]]) -> _Frames | None:
    """Return the humans of frames; None if `KineticsTPSWriter.add_human` or the schema may refuse one, and
    then they say why."""
    try:
        humans = list(chain.from_iterable(contents))
        parts = [part for _, own in humans for part in own.items()]
        proposed = [(list(boxes), list(states)) for _, (boxes, states) in parts]
        names = [name for name, _ in parts]
        states = list(chain.from_iterable(states for _, states in proposed))
        counts = list(map(len, contents)), [len(own) for _, own in humans], [len(own) for own, _ in proposed]
        if any(len(boxes) != len(own) for boxes, own in proposed) or set(map(type, names + states)) - {str}:
            return None
        if not (all(names) and all(states)) or any(map(gt, (max(of, default=0) for of in counts), _MOST)):
            return None
        flat = [*(box for box, _ in humans), *chain.from_iterable(boxes for boxes, _ in proposed)]
        return _Frames(frames, *counts, names, states, writing.corner_boxes(flat, (-1, 4), "the boxes"))
    except (AttributeError, TypeError, ValueError):
        return None


def _nested(flat: _Frames | dict[str, Any]) -> dict[str, Any]:
    """Return frames as the file has them."""
    if isinstance(flat, dict):
        return flat
    n_humans = len(flat.parts)
    boxes, rows = flat.boxes[:n_humans].tolist(), iter(flat.boxes[n_humans:].tolist())
    states, counts, names = iter(flat.states), iter(flat.proposals), iter(flat.names)
    proposals = ({"box": list(islice(rows, n)), "verb": list(islice(states, n))} for n in counts)
    humans = (
        {"box": box, "parts": dict(islice(zip(names, proposals), n))} for box, n in zip(boxes, flat.parts)
    )
    return {name: {"humans": list(islice(humans, n))} for name, n in zip(flat.frames, flat.humans)}


_ARGUMENTS = {"verb": "states"}
WRITERS = {"kinetics_tps": lambda loaded: KineticsTPSWriter()}
