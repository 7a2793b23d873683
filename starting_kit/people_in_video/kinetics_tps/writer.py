"""Build a kinetics_tps submission from arrays.

writer = KineticsTPSWriter()
writer.add_video("vid7", "throw_ball")
writer.add_human("vid7", 1, [10, 20, 90, 200], {"left_arm": ([[12, 30, 40, 80]], ["bend"])})
writer.save("my.zip")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Union

import numpy as np

from people_in_video import writing
from people_in_video.writing import FilePredictions, Key
from scoring_program.task import AnyLoaded
from validator.formats.kinetics_tps.read import (
    KineticsSubmission,
    PartStates,
    as_part_states,
    check_videos,
)
from validator.formats.kinetics_tps.write import (
    CLASSES_FILE,
    MOST_HUMANS,
    MOST_PARTS,
    MOST_PROPOSALS,
    PARTS_FILE,
    encode_submission,
    frame_entry,
    frame_name,
    frame_number,
    human_entry,
    part_entry,
)
from validator.messages import Note

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
        names = [_checked_frame_name(frame) for frame in frames]
        checked_frames = _check_at_once(names, list(frames.values())) if names else None
        if checked_frames is not None:
            whole_video.entries[video]["frames"] = checked_frames
        else:
            whole_video._add_one_by_one(video, frames)
        self.put(video, whole_video.entries[video])

    def _add_one_by_one(self, video: str, frames: Mapping[int, Sequence[Human]]) -> None:
        """Add the humans of a video. Raises ValueError, which names the argument, as `add_human` does."""
        for frame, humans in frames.items():
            self.add_frame(video, frame)
            for index, human in enumerate(humans):
                with writing.naming(f"frames[{frame}][{index}]"):
                    if isinstance(human, (Mapping, str)):
                        raise ValueError("this is no pair of box and parts; give ([10, 20, 90, 200], {...})")
                    box, parts = human
                    self.add_human(video, frame, box, parts)

    def _entry(self, video: str) -> dict[str, Any]:
        name = writing.text(video, "the video")
        return self.entries.setdefault(name, {"action": None, "frames": {}})

    def add_video(self, video: str, action: str) -> None:
        """Set the predicted action class of a video."""
        self._entry(video)["action"] = writing.text(action, "the action class")

    def add_frame(self, video: str, frame: int) -> None:
        """Add a frame without humans; `add_human` adds its frame itself. ``frame`` counts from 1."""
        self._humans(video, frame)

    def _humans(self, video: str, frame: int) -> list[object]:
        name = _checked_frame_name(frame)
        frames: Frames = self._entry(video)["frames"]
        humans: list[object] = frames.setdefault(name, frame_entry([]))["humans"]
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
        human_box = writing.corner_boxes(box, (4,), "the box of the human")
        checked_parts = {name: _check_part(name, proposals) for name, proposals in parts.items()}
        self._humans(video, frame).append(human_entry(human_box.tolist(), checked_parts))

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
        classes, videos = self._by_file()
        parts = as_part_states(iter(videos.items()))
        n_numbers = parts.human_box.size + parts.proposal_box.size
        is_accepted = (
            None not in classes.values()
            and _most_of_one(parts.human_frame) <= MOST_HUMANS
            and _most_of_one(parts.part_human) <= MOST_PARTS
            and writing.is_surely_small(_words(classes, parts), n_numbers, self.least_values)
        )
        return KineticsSubmission(classes, parts) if is_accepted else None

    def files(self) -> dict[str, bytes]:
        """Return the two JSON files by name."""
        classes, videos = self._by_file()
        return encode_submission(classes, videos)

    def _by_file(self) -> tuple[dict[str, str], dict[str, Frames]]:
        """Return the content of the two files: the class and the frames of each video."""
        classes: dict[str, str] = {}
        videos: dict[str, Frames] = {}
        for video in sorted(self.entries):
            entry = self.entries[video]
            classes[video] = entry["action"]
            if entry["frames"]:
                videos[video] = entry["frames"]
        return classes, videos

    def check_items(self, content: KineticsSubmission, loaded: AnyLoaded) -> list[Note]:
        """Return a note on videos that the reference does not have. Raises Refused if it has none of them."""
        known_videos = loaded.task.known_items(loaded.reference)
        return check_videos(content, known_videos, CLASSES_FILE, PARTS_FILE)

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return the video of a problem, and its argument."""
        video, *rest = writing.steps(where)
        if file == CLASSES_FILE:
            return video, "action"
        frame, _, *steps = rest
        argument = f"frames[{frame_number(frame)}]"
        for step in steps:
            argument += f"[{step}]" if step.isdigit() else f".{_ARGUMENTS.get(step, step)}"
        return video, argument


# Steps in the file that an argument calls otherwise.
_ARGUMENTS = {"verb": "states"}


def _checked_frame_name(frame: int) -> str:
    return frame_name(writing.whole(frame, "the frame", 1))


def _check_part(name: str, proposals: Proposals) -> dict[str, Any]:
    """Return the entry of a part. Raises ValueError as `KineticsTPSWriter.add_human` does."""
    where = f"the boxes of {writing.text(name, 'the part')}"
    if not isinstance(proposals, (tuple, list)) or len(proposals) != 2:
        raise ValueError(f"{name}: a part is (boxes, states), as ([[12, 30, 40, 80]], ['bend'])")
    boxes, states = proposals
    array = writing.corner_boxes(boxes, (-1, 4), where)
    checked_states = writing.texts(states, f"the states of {name}")
    if len(array) != len(checked_states):
        lengths = f"boxes {len(array)}, states {len(checked_states)}"
        raise ValueError(f"{where}: the lengths differ, {lengths}; give one state a box")
    if len(array) > MOST_PROPOSALS:
        raise ValueError(f"{where}: there are {len(array)}; keep the best {MOST_PROPOSALS}")
    return part_entry(array.tolist(), checked_states)


def _check_at_once(names: list[str], frames: Sequence[Sequence[Human]]) -> Frames | None:
    """Return the frames of a video by name, checked together, which is many times as fast as one by one.

    None if `KineticsTPSWriter.add_human` or the schema may refuse one: then they say why.
    """
    try:
        boxes: list[Any] = []
        words: list[object] = []
        for humans in frames:
            for box, parts in humans:
                boxes.append(box)
                words += parts
                for part_boxes, states in parts.values():
                    boxes += part_boxes
                    words += states
                    n_boxes = len(part_boxes)
                    # The letters of a single string are no states.
                    if n_boxes != len(states) or n_boxes > MOST_PROPOSALS or isinstance(states, str):
                        return None
        if not all(words) or set(map(type, words)) - {str}:
            return None
        rows = iter(writing.corner_boxes(boxes, (-1, 4), "the boxes").tolist())
    except (AttributeError, TypeError, ValueError):
        return None
    return {
        name: frame_entry([_human_of_rows(parts, rows) for _, parts in humans])
        for name, humans in zip(names, frames)
    }


def _human_of_rows(parts: Mapping[str, Proposals], rows: Iterator[list[float]]) -> dict[str, Any]:
    """Return the entry of a human; ``rows`` yields its box, then those of its parts."""
    box = next(rows)
    part_entries = {}
    for name, (part_boxes, states) in parts.items():
        part_entries[name] = part_entry(list(islice(rows, len(part_boxes))), list(states))
    return human_entry(box, part_entries)


def _most_of_one(owner: np.ndarray) -> int:
    """Return how many rows the owner with the most of them has."""
    return int(np.bincount(owner, minlength=1).max())


def _words(classes: Mapping[str, str], parts: PartStates) -> Iterator[str]:
    """Yield each string of both files."""
    yield from classes
    yield from classes.values()
    yield from parts.videos
    yield from parts.frames
    yield from (parts.names[number] for number in parts.part_name.tolist())
    yield from (parts.states[number] for number in parts.proposal_state.tolist())


WRITERS = {"kinetics_tps": lambda loaded: KineticsTPSWriter()}
