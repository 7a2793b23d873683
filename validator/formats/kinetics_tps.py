"""Kinetics-TPS: predicted action classes, and humans with their parts, states and boxes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, count
from operator import itemgetter
from typing import Any

import numpy as np

from validator.archive import Submission
from validator.facts import EMPTY, box_facts
from validator.findings import REPORTED_PER_KIND_AND_FILE, Findings, Note, counted
from validator.json_files import JsonForm, read_json
from validator.rules import Rules
from validator.strict_json import pointer_part

CLASSES_FILE = "pred_vid_result.json"
PARTS_FILE = "pred_part_result.json"
PARTS_SCHEMA = "kinetics_tps_parts.json"
REFERENCE_SCHEMA = "kinetics_tps_reference.json"

_box, _verb, _parts, _humans = (itemgetter(name) for name in ("box", "verb", "parts", "humans"))


@dataclass
class Words:
    """Strings numbered from 0 in the order of their first use."""

    number: dict[str, int] = field(default_factory=lambda: defaultdict(count().__next__))

    def codes(self, words: list[str]) -> np.ndarray:
        """Return the numbers of ``words`` as an int32 array."""
        return np.fromiter(map(self.number.__getitem__, words), np.int32, len(words))


@dataclass(frozen=True)
class PartStates:
    """Humans, their parts and the proposals for these, of all frames of all videos, as flat arrays.

    Attributes
    ----------
    videos : list of str
    frames : list of str
        Frame names, video by video.
    frame_video, human_frame, part_human, proposal_part : int arrays
        For each frame, human, part and proposal the index of what it belongs to; they ascend.
    human_box, proposal_box : float64 arrays, shape (n, 4)
        ``x1, y1, x2, y2`` in pixels, both ends included.
    part_name, proposal_state : int32 arrays
        Numbers of strings in ``names`` and ``states``.
    """

    videos: list[str]
    frames: list[str]
    frame_video: np.ndarray
    human_frame: np.ndarray
    human_box: np.ndarray
    part_human: np.ndarray
    part_name: np.ndarray
    proposal_part: np.ndarray
    proposal_box: np.ndarray
    proposal_state: np.ndarray
    n_states: np.ndarray
    names: dict[str, int]
    states: dict[str, int]


@dataclass(frozen=True)
class KineticsSubmission:
    """A valid submission: ``classes`` maps video names to action classes."""

    classes: dict[str, str]
    parts: PartStates


def read(
    submission: Submission, files: dict[str, str], rules: Rules, findings: Findings
) -> KineticsSubmission | None:
    """Read both files; None after a problem. ``files`` maps the declared names to those in the submission."""
    assert rules.json is not None  # noqa: S101 - these rules are for JSON
    form = JsonForm("kinetics_tps_classes.json", "", rules.json.entries, rules.json.values)
    name = files[CLASSES_FILE]
    classes = read_json(submission.read(name), name, form, findings, _gather_plain)
    name = files[PARTS_FILE]
    parts = read_parts(submission.read(name), name, replace(form, schema=PARTS_SCHEMA), findings)
    if classes is None or parts is None:
        return None
    return KineticsSubmission(classes[0], parts)


def read_classes(data: bytes, name: str, findings: Findings) -> dict[str, str] | None:
    """Read a mapping of videos to classes; None after a problem."""
    found = read_json(data, name, JsonForm("kinetics_tps_classes.json"), findings, _gather_plain)
    return found[0] if found else None


def _gather_plain(entries: Iterator[tuple[str, Any]]) -> tuple[dict[str, str], int]:
    return dict(entries), 0


def read_parts(data: bytes, name: str, form: JsonForm, findings: Findings) -> PartStates | None:
    """Read a parts file of a submission or of the reference (one box and one state a part)."""
    single = form.schema == REFERENCE_SCHEMA
    found = read_json(data, name, form, findings, _Gatherer(single), _merge)
    if found is None:
        return None
    parts = found[0]
    _check_boxes(parts, name, findings)
    if not np.array_equal(parts.n_states, np.bincount(parts.proposal_part, minlength=len(parts.part_name))):
        _check_lengths(parts, name, findings)
    return parts


class _Gatherer:
    """Flattens videos into arrays one at a time, so that only one is held as Python objects."""

    def __init__(self, single: bool) -> None:
        self._single = single

    def __call__(self, entries: Iterator[tuple[str, Any]]) -> tuple[PartStates, int]:
        """Return the arrays of the videos, and the number of keys that were read."""
        columns = _PartColumns(self._single)
        for video, frames in entries:
            columns.add(video, frames)
        return columns.part_states(), columns.n_keys


class _PartColumns:
    """Arrays of each video, in the order of the fields of `PartStates`."""

    def __init__(self, single: bool) -> None:
        self.n_keys = 0
        self._single = single
        self._names, self._states = Words(), Words()
        self._videos: list[str] = []
        self._frames: list[str] = []
        self._n_humans = self._n_parts = 0
        # The first arrays are empty, and give each column its shape and type.
        none, boxes = np.zeros(0, np.int32), np.zeros((0, 4))
        self._columns: list[list[np.ndarray]] = [
            [empty] for empty in (none, none, boxes, none, none, none, boxes, none, none)
        ]

    def add(self, video: str, frames: dict[str, Any]) -> None:
        """Append the arrays of a video."""
        contents = list(frames.values())
        in_frame = list(map(_humans, contents))
        humans = list(chain.from_iterable(in_frame))
        in_human = list(map(_parts, humans))
        parts = list(chain.from_iterable(map(dict.values, in_human)))  # type: ignore[arg-type]
        boxes, verbs = list(map(_box, parts)), list(map(_verb, parts))
        self.n_keys += len(frames) + sum(
            chain(map(len, contents), map(len, humans), map(len, in_human), map(len, parts))
        )
        if self._single:
            n_boxes = n_states = np.ones(len(parts), np.int32)
        else:
            n_boxes, n_states = _lengths(boxes), _lengths(verbs)
            boxes, verbs = list(chain.from_iterable(boxes)), list(chain.from_iterable(verbs))
        part = np.arange(self._n_parts, self._n_parts + len(parts), dtype=np.int32)
        arrays = (
            np.full(len(frames), len(self._videos), np.int32),
            _owners(len(self._frames), in_frame),
            _boxes(list(map(_box, humans))),
            _owners(self._n_humans, in_human),
            self._names.codes(list(chain.from_iterable(in_human))),
            np.repeat(part, n_boxes),
            _boxes(boxes),
            self._states.codes(verbs),
            n_states,
        )
        for column, values in zip(self._columns, arrays):
            column.append(values)
        self._videos.append(video)
        self._frames += frames
        self._n_humans += len(humans)
        self._n_parts += len(parts)

    def part_states(self) -> PartStates:
        """Return what was added."""
        arrays = [np.concatenate(column) for column in self._columns]
        names, states = dict(self._names.number), dict(self._states.number)
        return PartStates(self._videos, self._frames, *arrays, names, states)  # type: ignore[call-arg,arg-type]


def _merge(first: PartStates, second: PartStates) -> PartStates:
    """Concatenate both; the second is numbered after the first."""
    names, states = dict(first.names), dict(first.states)
    name_of = np.array([names.setdefault(word, len(names)) for word in second.names], dtype=np.int32)
    state_of = np.array([states.setdefault(word, len(states)) for word in second.states], dtype=np.int32)
    n_frames, n_humans, n_parts = len(first.frames), len(first.human_box), len(first.part_name)

    def joined(name: str, add: int = 0) -> np.ndarray:
        later = getattr(second, name)
        return np.concatenate([getattr(first, name), later + np.int32(add) if add else later])

    return PartStates(
        first.videos + second.videos,
        first.frames + second.frames,
        joined("frame_video", len(first.videos)),
        joined("human_frame", n_frames),
        joined("human_box"),
        joined("part_human", n_humans),
        np.concatenate([first.part_name, name_of[second.part_name]]),
        joined("proposal_part", n_parts),
        joined("proposal_box"),
        np.concatenate([first.proposal_state, state_of[second.proposal_state]]),
        joined("n_states"),
        names,
        states,
    )


def _owners(first: int, lists: list[Any]) -> np.ndarray:
    """Return for each entry of the lists the number of its list, counting from ``first``."""
    return np.repeat(np.arange(first, first + len(lists), dtype=np.int32), _lengths(lists))


def _lengths(lists: list[Any]) -> np.ndarray:
    return np.fromiter(map(len, lists), np.int32, len(lists))


def _boxes(boxes: list[Any]) -> np.ndarray:
    return np.fromiter(chain.from_iterable(boxes), np.float64, 4 * len(boxes)).reshape(-1, 4)


def _check_boxes(parts: PartStates, name: str, findings: Findings) -> None:
    hint = "write x1, y1, x2, y2 with x1 <= x2 and y1 <= y2; [x, y, width, height] is another form"
    for boxes, owner in ((parts.human_box, None), (parts.proposal_box, parts.proposal_part)):
        x_wrong, y_wrong = boxes[:, 2] < boxes[:, 0], boxes[:, 3] < boxes[:, 1]
        for axis, letter, wrong in ((0, "x", x_wrong), (1, "y", y_wrong & ~x_wrong)):
            chosen = np.flatnonzero(wrong)
            for index in chosen[:REPORTED_PER_KIND_AND_FILE].tolist():
                first, last = boxes[index, axis], boxes[index, axis + 2]
                problem = f"{letter}2 {last:.6g} is less than {letter}1 {first:.6g}"
                findings.add("E-BOX-ORDER", problem, hint, file=name, where=_box_place(parts, owner, index))
            findings.count_more(max(len(chosen) - REPORTED_PER_KIND_AND_FILE, 0))


def _box_place(parts: PartStates, owner: np.ndarray | None, index: int) -> str:
    """Return the place of a box: of a human if ``owner`` is None, otherwise of a proposal for its owner, a part."""
    if owner is None:
        return f"{_human_place(parts, index)}/box"
    part = int(owner[index])
    return f"{_part_place(parts, part)}/box/{index - int(np.searchsorted(owner, part))}"


def _check_lengths(parts: PartStates, name: str, findings: Findings) -> None:
    n_boxes = np.bincount(parts.proposal_part, minlength=len(parts.part_name))
    wrong = np.flatnonzero(n_boxes != parts.n_states)
    for part in wrong[:REPORTED_PER_KIND_AND_FILE].tolist():
        problem = f"{counted(int(n_boxes[part]), 'box', 'boxes')}, but {counted(int(parts.n_states[part]), 'state')}"
        findings.add(
            "E-PART-LENGTH", problem, "give one state (verb) for each box", file=name, where=_part_place(parts, part)
        )
    findings.count_more(max(len(wrong) - REPORTED_PER_KIND_AND_FILE, 0))


def _human_place(parts: PartStates, human: int) -> str:
    frame = int(parts.human_frame[human])
    video = pointer_part(parts.videos[int(parts.frame_video[frame])])
    position = human - int(np.searchsorted(parts.human_frame, frame))
    return f"/{video}/{pointer_part(parts.frames[frame])}/humans/{position}"


def _part_place(parts: PartStates, part: int) -> str:
    name = next(text for text, number in parts.names.items() if number == parts.part_name[part])
    return f"{_human_place(parts, int(parts.part_human[part]))}/parts/{pointer_part(name)}"


def facts(submission: KineticsSubmission) -> list[Note]:
    """Return notes that need no reference."""
    parts = submission.parts
    if not len(parts.human_box):
        return [EMPTY]
    return box_facts(parts.human_box, "humans") or box_facts(parts.proposal_box, "parts")
