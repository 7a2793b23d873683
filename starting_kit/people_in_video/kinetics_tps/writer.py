"""Build a kinetics_tps submission from arrays.

writer = KineticsTPSWriter()
writer.add_video("vid7", "throw_ball")
writer.add_human("vid7", 1, [10, 20, 90, 200], {"left_arm": ([[12, 30, 40, 80]], ["bend"])})
writer.save("my.zip")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

from people_in_video import writing
from people_in_video.plain_values import PlainValues
from people_in_video.writing import FilePredictions, IncompleteError, Key
from scoring_program.scoring import AnyLoaded
from validator.findings import Read
from validator.formats.kinetics_tps.write import (
    CLASSES_FILE,
    MOST_PROPOSALS,
    encode_submission,
    frame_entry,
    frame_name,
    frame_number,
    human_entry,
    part_entry,
)

# Stands for the video itself; it comes before all frames.
_NO_FRAME = ""
# In place of a class that has not come yet.
_LATER = "later"
_GIVE_CLASS = "call add_video for each video, or give action in one of the calls of update"
Boxes = Union[np.ndarray, Sequence[Sequence[float]]]
# Boxes and states of a part.
Proposals = tuple[Boxes, Sequence[str]]
# The box of a human and its parts by name.
Human = tuple[Union[np.ndarray, Sequence[float]], Mapping[str, Proposals]]
# The frames of a video by name, as the file has them.
Frames = dict[str, dict[str, Any]]


class KineticsTPSWriter(FilePredictions):
    """Collects classes, humans and their parts, and writes the two JSON files as one zip."""

    def __init__(self) -> None:
        super().__init__("kinetics_tps")

    def update(
        self,
        video: str,
        action: str | None = None,
        frames: Mapping[int, Sequence[Human]] | None = None,
    ) -> None:
        """Add what is predicted for a video: its class, all humans of some frames, or both.

        Parameters
        ----------
        video : str
        action : str, optional
            The class; it may be left out in all calls for the video but one.
        frames : mapping of int to sequence of (box, parts), optional
            All humans in each of these frames, counting from 1; box and parts as for `add_human`.

        Raises
        ------
        ValueError
            As `add_human`, or an earlier call gave another class, or other humans of a frame.
        """
        name = writing.text(self.values.of(video), "the video")
        additions: dict[Key, Any] = {(name, _NO_FRAME): None}
        if action is not None:
            additions[name, _NO_FRAME] = writing.text(self.values.of(action), "the action class")
        if frames is not None:
            for frame, humans in self._checked_frames(frames):
                additions[name, frame] = humans
        self.put(additions)

    def _checked_frames(self, frames: Mapping[int, Sequence[Human]]) -> Iterator[tuple[str, list[Any]]]:
        """Yield the names of frames and their humans. Raises ValueError as `add_human`, with the argument."""
        if not isinstance(frames, Mapping):
            kind = type(frames).__name__
            raise ValueError(f"frames is a {kind}; give a dict, {{1: [([10, 20, 90, 200], {{...}})]}}")
        for frame, humans_of_frame in frames.items():
            humans = []
            for index, human in enumerate(humans_of_frame):
                with writing.naming(f"frames[{frame}][{index}]"):
                    humans.append(_checked_human(human, self.values))
            yield _checked_frame_name(self.values.of(frame)), humans

    def join(self, key: Key, earlier: Any, later: Any) -> Any:
        """Return the class, or the humans of a frame, of which only the class may be left out."""
        if key[1] == _NO_FRAME and (earlier is None or later is None):
            return later if earlier is None else earlier
        return super().join(key, earlier, later)

    def is_same(self, entry: Any, other: Any) -> bool:
        """Return whether two classes are equal or one is left out, or the humans of two frames are equal."""
        return entry is None or other is None or super().is_same(entry, other)

    def add_video(self, video: str, action: str) -> None:
        """Set the predicted action class of a video."""
        name = writing.text(self.values.of(video), "the video")
        self.entries[name, _NO_FRAME] = writing.text(self.values.of(action), "the action class")

    def add_frame(self, video: str, frame: int) -> None:
        """Add a frame without humans; `add_human` adds its frame itself. ``frame`` counts from 1."""
        self._humans(video, frame)

    def _humans(self, video: str, frame: int) -> list[object]:
        name = writing.text(self.values.of(video), "the video")
        frame_name = _checked_frame_name(self.values.of(frame))
        self.entries.setdefault((name, _NO_FRAME), None)
        humans: list[object] = self.entries.setdefault((name, frame_name), [])
        return humans

    def add_human(
        self,
        video: str,
        frame: int,
        box: np.ndarray | Sequence[float],
        parts: Mapping[str, Proposals],
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
        entry = _checked_human((box, parts), self.values)
        self._humans(video, frame).append(entry)

    def save(self, path: str | Path) -> None:
        """Write the zip, check it and put it at ``path``; nothing is left there if it is not valid.

        Raises ValueError if a video has frames but no class, so it can only score 0, or if the submission is
        not valid: the message lists what is wrong.
        """
        self._check_classes()
        super().save(path)

    def read(self, loaded: AnyLoaded) -> Read[Any]:
        """Return the predictions as arrays. Raises Refused, IncompleteError if a video has no class."""
        self._check_classes()
        return super().read(loaded)

    def _check_classes(self) -> None:
        """Raise IncompleteError if a video has frames but no class."""
        for key in sorted(self.entries):
            video, frame = key
            if frame == _NO_FRAME and self.entries[key] is None:
                raise IncompleteError(key, f"{video}: the video has frames but no class; {_GIVE_CLASS}")

    def files(self) -> dict[str, bytes]:
        """Return the two JSON files by name."""
        classes: dict[str, str] = {}
        videos: dict[str, Frames] = {}
        for key in sorted(self.entries):
            video, frame = key
            entry = self.entries[key]
            if frame != _NO_FRAME:
                videos.setdefault(video, {})[frame] = frame_entry(entry)
            else:
                # A class that has not come yet is checked apart.
                classes[video] = entry or _LATER
        return encode_submission(classes, videos)

    def item(self, key: Key) -> str:
        """Return the video of a class or of a frame."""
        video, _ = key
        return str(video)

    def name(self, key: Key) -> str:
        """Return how messages name a class or a frame."""
        video, frame = key
        return f"the class of {video}" if frame == _NO_FRAME else f"frame {frame_number(frame)} of {video}"

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return the video of a problem, and its argument."""
        video, *steps_below = writing.steps(where)
        if file == CLASSES_FILE:
            return (video, _NO_FRAME), "action"
        frame, _, *steps = steps_below
        argument = f"frames[{frame_number(frame)}]"
        for step in steps:
            argument += f"[{step}]" if step.isdigit() else f".{_ARGUMENTS.get(step, step)}"
        return (video, frame), argument


# Steps in the file that an argument calls otherwise.
_ARGUMENTS = {"verb": "states"}


def _checked_frame_name(frame: int) -> str:
    return frame_name(writing.whole(frame, "the frame", 1))


def _checked_human(human: Any, values: PlainValues) -> dict[str, Any]:
    """Return the entry of a human. Raises ValueError as `KineticsTPSWriter.add_human`."""
    if isinstance(human, (Mapping, str)):
        raise ValueError("this is no pair of box and parts; give ([10, 20, 90, 200], {...})")
    box, parts = human
    checked_box = writing.corner_boxes(values.of(box), (4,), "the box of the human")
    part_entries = {}
    for part, proposals in parts.items():
        name = writing.text(values.of(part), "the part")
        part_entries[name] = _checked_part(name, proposals, values)
    return human_entry(checked_box.tolist(), part_entries)


def _checked_part(name: str, proposals: Any, values: PlainValues) -> dict[str, Any]:
    """Return the entry of a part. Raises ValueError as `KineticsTPSWriter.add_human`."""
    if not isinstance(proposals, (tuple, list)) or len(proposals) != 2:
        raise ValueError(f"{name}: a part is (boxes, states), as ([[12, 30, 40, 80]], ['bend'])")
    noun = f"the boxes of {name}"
    states = writing.texts(values.of(proposals[1]), f"the states of {name}")
    boxes = writing.corner_boxes(values.of(proposals[0]), (-1, 4), noun)
    if len(boxes) != len(states):
        lengths = f"boxes {len(boxes)}, states {len(states)}"
        raise ValueError(f"{noun}: the lengths differ, {lengths}; give one state a box")
    if len(boxes) > MOST_PROPOSALS:
        raise ValueError(f"{noun}: there are {len(boxes)}; keep the best {MOST_PROPOSALS}")
    return part_entry(boxes.tolist(), states)


WRITERS = {"kinetics_tps": lambda loaded: KineticsTPSWriter()}
