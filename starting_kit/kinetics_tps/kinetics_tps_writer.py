"""Build a kinetics_tps submission from arrays.

writer = KineticsTPSWriter()
writer.add_video("vid7", "throw_ball")
writer.add_human("vid7", 1, [10, 20, 90, 200], {"left_arm": ([[12, 30, 40, 80]], ["bend"])})
writer.save("my.zip")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Union

import numpy as np

from writing import ANY, FilePredictions, Key, corner_boxes, encode, naming, steps, text, texts, whole

MOST_PROPOSALS = 5
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
        checked = _checked_at_once([human for humans in frames.values() for human in humans])
        for frame, humans in frames.items():
            of_frame = whole_video._humans(video, frame)
            for index, (box, parts) in enumerate(humans):
                if checked is not None:
                    of_frame.append(next(checked))
                    continue
                with naming(f"frames[{frame}][{index}]"):
                    whole_video.add_human(video, frame, box, parts)
        self.put(video, whole_video.entries[video])

    def _video(self, video: str) -> dict[str, Any]:
        return self.entries.setdefault(text(video, "the video"), {"action": None, "frames": {}})

    def add_video(self, video: str, action: str) -> None:
        """Set the predicted action class of a video."""
        self._video(video)["action"] = text(action, "the action class")

    def add_frame(self, video: str, frame: int) -> None:
        """Add a frame without humans; `add_human` adds its frame itself. ``frame`` counts from 1."""
        self._humans(video, frame)

    def _humans(self, video: str, frame: int) -> list[object]:
        name = f"img_{whole(frame, 'the frame', 1):05d}.json"
        return self._video(video)["frames"].setdefault(name, {"humans": []})["humans"]

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
        human_box = corner_boxes(box, (4,), "the box of the human")
        proposals = {}
        for name, proposed in parts.items():
            where = f"the boxes of {text(name, 'the part')}"
            if not isinstance(proposed, (tuple, list)) or len(proposed) != 2:
                raise ValueError(f"{name}: a part is (boxes, states), as ([[12, 30, 40, 80]], ['bend'])")
            boxes, states = proposed
            array = corner_boxes(boxes, (ANY, 4), where)
            verbs = texts(states, f"the states of {name}")
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

    def files(self) -> dict[str, bytes]:
        """Return the two JSON files by name."""
        videos = {video: self.entries[video] for video in sorted(self.entries)}
        contents = {
            _CLASSES: {video: own["action"] for video, own in videos.items()},
            _PARTS: {video: own["frames"] for video, own in videos.items() if own["frames"]},
        }
        return {name: encode(data) for name, data in contents.items()}

    def place(self, file: str, where: str) -> tuple[Key, str]:
        """Return the video of a problem, and its argument."""
        video, *rest = steps(where)
        if file == _CLASSES:
            return video, "action"
        frame, _, *within = rest
        names = (f"[{step}]" if step.isdigit() else f".{_ARGUMENTS.get(step, step)}" for step in within)
        return video, f"frames[{int(frame[4:-5])}]{''.join(names)}"


def _checked_at_once(humans: Sequence[Human]) -> Iterator[object] | None:
    """Return humans as `KineticsTPSWriter.add_human` keeps them; None if it may refuse one, and then it says
    why."""
    parts = [part for _, parts in humans for part in parts.items()]
    try:
        proposals = [(list(boxes), list(states)) for _, (boxes, states) in parts]
        words = [*(name for name, _ in parts), *chain.from_iterable(states for _, states in proposals)]
        sizes = all(len(boxes) == len(states) <= MOST_PROPOSALS for boxes, states in proposals)
        if not sizes or not all(words) or set(map(type, words)) - {str}:
            return None
        flat = [*(box for box, _ in humans), *chain.from_iterable(boxes for boxes, _ in proposals)]
        values = corner_boxes(flat, (ANY, 4), "the boxes").tolist()
    except (TypeError, ValueError):
        return None
    rows, states_of_parts = iter(values[len(humans) :]), (states for _, states in proposals)

    def with_boxes(states: list[str]) -> dict[str, object]:
        return {"box": list(islice(rows, len(states))), "verb": states}

    return (
        {"box": box, "parts": {name: with_boxes(next(states_of_parts)) for name in own}}
        for box, (_, own) in zip(values, humans)
    )


_ARGUMENTS = {"verb": "states"}
WRITERS = {"kinetics_tps": lambda loaded: KineticsTPSWriter()}
