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
from people_in_video.plain_values import PlainValues
from people_in_video.writing import FilePredictions, IncompleteError, Key
from scoring_program.scoring import AnyLoaded
from validator.columns import UnfitError
from validator.findings import Note, Read
from validator.formats.kinetics_tps.read import (
    KineticsSubmission,
    PartStates,
    as_part_states,
    check_videos,
)
from validator.formats.kinetics_tps.write import (
    CLASSES_FILE,
    MOST_PROPOSALS,
    PARTS_FILE,
    encode_submission,
    frame_entry,
    frame_name,
    frame_number,
    human_entry,
    part_entry,
)
from validator.formats.rules import load_rules
from validator.json_reader import entries_in_memory

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
        frame_entries = {} if frames is None else self._check_frames(frames)
        for frame, entry in frame_entries.items():
            additions[name, frame] = entry["humans"]
        self.put(additions)

    def _check_frames(self, frames: Mapping[int, Sequence[Human]]) -> Frames:
        """Return the frames of a video by name. Raises ValueError as `add_human`, with the argument."""
        if not isinstance(frames, Mapping):
            kind = type(frames).__name__
            raise ValueError(f"frames is a {kind}; give a dict, {{1: [([10, 20, 90, 200], {{...}})]}}")
        humans = _Humans(self.values)
        names = []
        for frame, humans_of_frame in frames.items():
            names.append(_checked_frame_name(self.values.of(frame)))
            for index, human in enumerate(humans_of_frame):
                humans.add(f"frames[{frame}][{index}]", human)
        entries = iter(humans.entries())
        return {
            name: frame_entry(list(islice(entries, len(humans_of_frame))))
            for name, humans_of_frame in zip(names, frames.values())
        }

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
        humans = _Humans(self.values)
        humans.add("", (box, parts))
        (entry,) = humans.entries()
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

    def content(self) -> KineticsSubmission | None:
        """Return the predictions as arrays; None where a check of the files may fail."""
        classes, videos = self._by_file()
        _, parts_file = load_rules(self.task_id).json
        try:
            parts = as_part_states(entries_in_memory(videos, parts_file))
        except UnfitError:
            return None
        n_numbers = parts.human_box.size + parts.proposal_box.size
        is_small = writing.is_surely_small(_words(classes, parts), n_numbers, self.least_values)
        return KineticsSubmission(classes, parts) if is_small else None

    def files(self) -> dict[str, bytes]:
        """Return the two JSON files by name."""
        classes, videos = self._by_file()
        return encode_submission(classes, videos)

    def _by_file(self) -> tuple[dict[str, str], dict[str, Frames]]:
        """Return the content of the two files: the class and the frames of each video."""
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
        return classes, videos

    def item(self, key: Key) -> str:
        """Return the video of a class or of a frame."""
        video, _ = key
        return str(video)

    def name(self, key: Key) -> str:
        """Return how messages name a class or a frame."""
        video, frame = key
        return f"the class of {video}" if frame == _NO_FRAME else f"frame {frame_number(frame)} of {video}"

    def check_items(self, content: KineticsSubmission, loaded: AnyLoaded) -> list[Note]:
        """Return a note on videos that the reference does not have. Raises Refused if it has none of them."""
        known_videos = frozenset(loaded.public.items)
        return check_videos(content, known_videos, CLASSES_FILE, PARTS_FILE)

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return the video of a problem, and its argument."""
        video, *rest = writing.steps(where)
        if file == CLASSES_FILE:
            return (video, _NO_FRAME), "action"
        frame, _, *steps = rest
        argument = f"frames[{frame_number(frame)}]"
        for step in steps:
            argument += f"[{step}]" if step.isdigit() else f".{_ARGUMENTS.get(step, step)}"
        return (video, frame), argument


# Steps in the file that an argument calls otherwise.
_ARGUMENTS = {"verb": "states"}


def _checked_frame_name(frame: int) -> str:
    return frame_name(writing.whole(frame, "the frame", 1))


class _Humans:
    """The humans of a call: parts and states are checked as they come, all boxes together, which is fast."""

    def __init__(self, values: PlainValues) -> None:
        self._values = values
        # All boxes, and of each human and each part their place, name, shape and values.
        self._boxes: list[Any] = []
        self._groups: list[tuple[str, str, tuple[int, ...], Any]] = []
        # The states of the parts of each human, by the name of the part.
        self._states_of_human: list[dict[str, list[str]]] = []

    def add(self, place: str, human: Any) -> None:
        """Add a human. Raises ValueError for what is no human, no part, or no states."""
        with writing.naming(place):
            if isinstance(human, (Mapping, str)):
                raise ValueError("this is no pair of box and parts; give ([10, 20, 90, 200], {...})")
            box, parts = human
            plain_box = self._values.of(box)
            self._boxes.append(plain_box)
            self._groups.append((place, "the box of the human", (4,), plain_box))
            states_of_part = {}
            for part, proposals in parts.items():
                name = writing.text(self._values.of(part), "the part")
                states_of_part[name] = self._add_part(place, name, proposals)
            self._states_of_human.append(states_of_part)

    def _add_part(self, place: str, name: str, proposals: Any) -> list[str]:
        """Add the boxes of a part; return its states."""
        if not isinstance(proposals, (tuple, list)) or len(proposals) != 2:
            raise ValueError(f"{name}: a part is (boxes, states), as ([[12, 30, 40, 80]], ['bend'])")
        boxes = self._values.of(proposals[0])
        what, shape = f"the boxes of {name}", (-1, 4)
        states = writing.texts(self._values.of(proposals[1]), f"the states of {name}")
        is_list = isinstance(boxes, (list, tuple)) or np.ndim(boxes) > 0
        if not is_list or len(boxes) != len(states):
            # What is no list of boxes, as a single box, is refused by its shape.
            n_boxes = len(writing.corner_boxes(boxes, shape, what))
            raise ValueError(
                f"{what}: the lengths differ, boxes {n_boxes}, states {len(states)}; give one state a box"
            )
        if len(boxes) > MOST_PROPOSALS:
            raise ValueError(f"{what}: there are {len(boxes)}; keep the best {MOST_PROPOSALS}")
        self._boxes += list(boxes)
        self._groups.append((place, what, shape, boxes))
        return states

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yield the entry of each human. Raises ValueError, which names the first wrong boxes."""
        try:
            boxes = writing.corner_boxes(self._boxes, (-1, 4), "the boxes")
        except ValueError:
            for place, what, shape, group in self._groups:
                with writing.naming(place):
                    writing.corner_boxes(group, shape, what)
            raise
        rows = iter(boxes.tolist())
        for states_of_part in self._states_of_human:
            box = next(rows)
            part_entries = {}
            for name, states in states_of_part.items():
                part_entries[name] = part_entry(list(islice(rows, len(states))), states)
            yield human_entry(box, part_entries)


def _words(classes: Mapping[str, str], parts: PartStates) -> Iterator[str]:
    """Yield each string of both files."""
    yield from classes
    yield from classes.values()
    yield from parts.videos
    yield from parts.frames
    yield from (parts.names[number] for number in parts.part_name.tolist())
    yield from (parts.states[number] for number in parts.proposal_state.tolist())


WRITERS = {"kinetics_tps": lambda loaded: KineticsTPSWriter()}
