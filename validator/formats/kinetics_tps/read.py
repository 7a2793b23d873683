"""Kinetics-TPS: predicted action classes, and humans with their parts, states and boxes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from validator.arrays import Floats, Ints
from validator.box_hints import box_hints, empty_hints, small_box_hints
from validator.choose_named import choose_named
from validator.findings import Findings, Note, Read, Refused
from validator.formats.rules import JsonFile, Rules
from validator.hints import empty_note, label_hints, repeat_hints
from validator.items import Place, check_items
from validator.json_columns import Column
from validator.json_reader import Batch, Members, as_dict, read_json
from validator.reading_ahead import reading_ahead
from validator.submission import Source, Submission, open_submission
from validator.texts import counted, pointer_part, quote

# The start of a file with videos by name, and the first character of the value of the first.
_FIRST_VALUE = re.compile(rb'\s*\{\s*"[^"\\]*"\s*:\s*(.)', re.DOTALL)
_LONGEST_START = 1000


class PartStates(NamedTuple):
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
    n_states : int32 array
        How many states are given for each part.
    names, states : list of str
        Strings in the order of their first use; their places are their numbers.
    """

    videos: list[str]
    frames: list[str]
    frame_video: Ints
    human_frame: Ints
    human_box: Floats
    part_human: Ints
    part_name: Ints
    proposal_part: Ints
    proposal_box: Floats
    proposal_state: Ints
    n_states: Ints
    names: list[str]
    states: list[str]


class KineticsSubmission(NamedTuple):
    """A valid submission: ``classes`` maps video names to action classes."""

    classes: dict[str, str]
    parts: PartStates


def read(
    path: Source, rules: Rules, reference_frames: Mapping[str, Collection[str]] | None = None
) -> Read[KineticsSubmission]:
    """Check a submission and read both files. Raises Refused, with the problems of both.

    ``reference_frames`` are the frames of each video that is known, None at home. Other videos get a note.
    """
    classes_file, parts_file = rules.json
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        names = findings.take(choose_named(submission, rules))
        classes: dict[str, str] = {}
        _refuse_exchanged(submission, names[classes_file.name], names[parts_file.name])
        with findings.part():
            name = names[classes_file.name]
            with submission.open(name) as stream:
                classes = findings.take(read_classes(stream.read, name, classes_file))
        with findings.part():
            name = names[parts_file.name]

            def check_all(parts: PartStates) -> Findings:
                problems = check(KineticsSubmission(classes, parts), rules)
                return problems.with_files(names.__getitem__)

            with submission.open(name) as stream, reading_ahead(stream.read) as read_on:
                parts = findings.take(read_parts(read_on, name, parts_file, check=check_all))
        findings.refuse_problems()
        content = KineticsSubmission(classes, parts)
        if reference_frames is not None:
            classes_name, parts_name = names[classes_file.name], names[parts_file.name]
            findings.notes += check_videos(content, reference_frames, classes_name, parts_name)
    return Read(content, findings.notes)


def _refuse_exchanged(submission: Submission, classes_name: str, parts_name: str) -> None:
    if _first_value(submission, classes_name) == b"{" and _first_value(submission, parts_name) == b'"':
        problem = f"it holds what belongs into {quote(parts_name)}, and that holds classes"
        Findings().refuse(
            "E-FILES-EXCHANGED", problem, "exchange the names of the two files", file=classes_name
        )


def _first_value(submission: Submission, name: str) -> bytes:
    """Return the first character of the value of the first video in a file, b"" without one."""
    # A damaged file is explained when all of it is read.
    with suppress(Refused), submission.open(name) as stream:
        match = _FIRST_VALUE.match(stream.read(_LONGEST_START))
        return match[1] if match else b""
    return b""


def check_videos(
    submission: KineticsSubmission, reference_videos: Collection[str], classes_name: str, parts_name: str
) -> list[Note]:
    """Return a note on videos that the reference does not have. Raises Refused if it has none of them."""

    def place(video: str) -> Place:
        name = classes_name if video in submission.classes else parts_name
        return Place(name, f"/{pointer_part(video)}")

    videos = dict.fromkeys([*submission.classes, *submission.parts.videos])
    items_of_files = (submission.classes, submission.parts.videos)
    return check_items(videos, reference_videos, "video", place, items_of_files=items_of_files)


def read_classes(stream: Callable[[int], bytes], name: str, file: JsonFile) -> Read[dict[str, str]]:
    """Read a mapping of videos to classes; ``stream`` is that of `read_json`. Raises Refused."""
    reading = read_json(stream, name, file, as_dict)
    return Read(reading.content[0], reading.notes)


def read_parts(
    stream: Callable[[int], bytes],
    name: str,
    file: JsonFile,
    one_each: bool = False,
    check: Callable[[PartStates], Findings] | None = None,
) -> Read[PartStates]:
    """Read a parts file of a submission, or of the reference (``one_each``: one box and one state a part).

    ``stream`` is that of `read_json`; ``check`` returns what is wrong with the arrays, `check_parts` by
    default. Raises Refused.
    """

    def check_content(parts: PartStates, members: Members, findings: Findings) -> None:
        findings.extend(check(parts) if check else check_parts(parts, name))

    build = partial(as_part_states, one_each=one_each)
    reading = read_json(stream, name, file, build, check_content)
    return Read(reading.content[0], reading.notes)


def check(submission: KineticsSubmission, rules: Rules) -> Findings:
    """Return the problems of `check_parts`; ``classes`` are empty where their file is refused."""
    _, parts_file = rules.json
    return check_parts(submission.parts, parts_file.name)


def check_parts(parts: PartStates, name: str) -> Findings:
    """Return a problem for each box whose ends are not in order, and each part with fewer or more states."""
    findings = Findings()
    _check_boxes(parts, name, findings)
    _check_lengths(parts, name, findings)
    return findings


def as_part_states(batches: Iterable[Batch], one_each: bool = False) -> PartStates:
    """Return the arrays of the videos; ``one_each``: parts have one box and one state."""
    names = _numbering()
    states = _numbering()
    videos: list[str] = []
    frames: list[str] = []
    pieces: dict[str, list[Any]] = defaultdict(list)
    for batch in batches:
        videos += batch.keys
        frames += batch.column.keys
        for name, values in _columns_of_videos(batch.column, names, states, one_each).items():
            pieces[name].append(values)
        # Its values go while they are in the cache of a core, before others are decoded.
        del batch
    columns = {name: np.concatenate(values) for name, values in pieces.items()}
    return PartStates(
        videos=videos,
        frames=frames,
        frame_video=owners(columns["frames"]),
        human_frame=owners(columns["humans"]),
        human_box=columns["human_box"].reshape(-1, 4),
        part_human=owners(columns["parts"]),
        part_name=columns["part_name"],
        proposal_part=owners(columns["proposals"]),
        proposal_box=columns["proposal_box"].reshape(-1, 4),
        proposal_state=columns["proposal_state"],
        n_states=columns["n_states"],
        names=list(names),
        states=list(states),
    )


def _columns_of_videos(
    videos: Column, names: dict[str, int], states: dict[str, int], one_each: bool
) -> dict[str, Any]:
    """Return the arrays of some videos: sizes, boxes, and numbers of strings."""
    human_lists = videos.inner.members["humans"]
    humans = human_lists.inner
    part_lists = humans.members["parts"]
    boxes, part_states = part_lists.inner.members["box"], part_lists.inner.members["verb"]
    n_boxes = n_states = np.ones(len(boxes.values), np.int32)
    if not one_each:
        n_boxes, n_states = boxes.sizes, part_states.sizes
        boxes, part_states = boxes.inner, part_states.inner
    return {
        "frames": videos.sizes,
        "humans": human_lists.sizes,
        "human_box": humans.members["box"].inner.numbers,
        "parts": part_lists.sizes,
        "part_name": numbered(names, part_lists.keys),
        "proposals": n_boxes,
        "proposal_box": boxes.inner.numbers,
        "proposal_state": numbered(states, part_states.values),
        "n_states": n_states,
    }


def _numbering() -> dict[str, int]:
    """Return an empty numbering of strings, which gives a new one the next number."""
    return defaultdict(count().__next__)


def frames_of_videos(parts: PartStates) -> dict[str, list[str]]:
    """Return the names of the frames of each video, in their order."""
    starts = np.searchsorted(parts.frame_video, np.arange(len(parts.videos) + 1)).tolist()
    return {video: parts.frames[start:end] for video, start, end in zip(parts.videos, starts, starts[1:])}


def numbered(number: dict[str, int], words: list[str]) -> Ints:
    """Return the number of each word, int32; ``number`` gives a new word the next one."""
    return np.fromiter(map(number.__getitem__, words), np.int32, len(words))


def owners(counts: Ints | Sequence[int]) -> Ints:
    """Return for each entry the number of its owner; ``counts`` says how many each has."""
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


def rows_of_owner(owner: Ints, index: int) -> range:
    """Return the rows that belong to the owner of an index; ``owner`` (n_rows,) ascends."""
    # For numbers of another type the whole column would be copied.
    first, last = np.searchsorted(owner, np.array([index, index + 1], owner.dtype)).tolist()
    return range(first, last)


def _check_boxes(parts: PartStates, name: str, findings: Findings) -> None:
    def human_box_place(human: int) -> str:
        return f"{human_place(parts, human)}/box"

    def proposal_box_place(proposal: int) -> str:
        part = int(parts.proposal_part[proposal])
        number = proposal - rows_of_owner(parts.proposal_part, part).start
        return f"{part_place(parts, part)}/box/{number}"

    for boxes, place in ((parts.human_box, human_box_place), (parts.proposal_box, proposal_box_place)):
        is_wrong_in_x = boxes[:, 2] < boxes[:, 0]
        is_wrong_in_y = (boxes[:, 3] < boxes[:, 1]) & ~is_wrong_in_x
        for axis, is_wrong in (("x", is_wrong_in_x), ("y", is_wrong_in_y)):
            remedy = f"write two corners, x1, y1, x2, y2, with {axis}1 <= {axis}2, no center, width or height"
            for index in findings.first_of(is_wrong):
                first, last = boxes[index, "xy".index(axis) :: 2]
                problem = f"{axis}2 {last:.6g} is less than {axis}1 {first:.6g}"
                findings.add("E-BOX-ORDER", problem, remedy, file=name, where=place(index), rule=axis)


def _check_lengths(parts: PartStates, name: str, findings: Findings) -> None:
    n_boxes = np.bincount(parts.proposal_part, minlength=len(parts.part_name))
    hint = "give one state (verb) for each box"
    for part in findings.first_of(n_boxes != parts.n_states):
        boxes = counted(int(n_boxes[part]), "box", "boxes")
        problem = f"{boxes}, but {counted(int(parts.n_states[part]), 'state')}"
        findings.add("E-PART-LENGTH", problem, hint, file=name, where=part_place(parts, part))


def human_place(parts: PartStates, human: int) -> str:
    """Return the JSON Pointer of a human."""
    frame = int(parts.human_frame[human])
    video = pointer_part(parts.videos[int(parts.frame_video[frame])])
    position = human - rows_of_owner(parts.human_frame, frame).start
    return f"/{video}/{pointer_part(parts.frames[frame])}/humans/{position}"


def part_place(parts: PartStates, part: int) -> str:
    """Return the JSON Pointer of a part."""
    name = parts.names[parts.part_name[part]]
    return f"{human_place(parts, int(parts.part_human[part]))}/parts/{pointer_part(name)}"


# Comparing all of a large submission would take long.
_PROPOSALS_COMPARED = 20_000
# Fewer boxes may be alike by chance.
_LEAST_PROPOSALS = 10
_MOST_HUMAN_BOXES = 0.5
_LEAST_HUMANS_SPLIT, _MOST_HUMANS_SPLIT = 10, 0.5
_LEAST_HUMANS, _LEAST_WITHOUT_PARTS = 20, 0.9
_EMPTY_FRAME = ". Who is annotated there counts as missed"


def hints(submission: KineticsSubmission) -> list[Note]:
    """Return notes on likely mistakes that need no reference."""
    parts = submission.parts
    if not len(parts.human_box):
        return [empty_note()]
    notes = box_hints(parts.human_box, "humans")
    notes = notes or box_hints(parts.proposal_box, "parts")
    notes = notes or _human_boxes_as_parts(parts)
    notes = (
        notes or small_box_hints(parts.human_box, "humans") or small_box_hints(parts.proposal_box, "parts")
    )
    notes += _humans_of_one_part(parts) or _humans_without_parts(parts)
    n_humans = np.bincount(parts.human_frame, minlength=len(parts.frames))
    notes += empty_hints(n_humans, "submitted frames have no human", _EMPTY_FRAME)
    notes += label_hints(len(submission.classes), set(submission.classes.values()), "class", "video")
    notes += label_hints(len(parts.proposal_state), parts.states, "state", "proposal")
    first = slice(0, _PROPOSALS_COMPARED)
    proposals = np.column_stack([parts.proposal_part[first], parts.proposal_box[first]])
    effect = "repeat a box of their part. A part with N boxes counts 1/N: write each once"
    return notes or repeat_hints(proposals, "proposal", effect)


def _human_boxes_as_parts(parts: PartStates) -> list[Note]:
    human_of_proposal = parts.part_human[parts.proposal_part]
    n_boxes = len(human_of_proposal)
    # Of most submissions one coordinate is enough, and all take long.
    candidates = np.flatnonzero(parts.proposal_box[:, 0] == parts.human_box[human_of_proposal, 0])
    human_box = parts.human_box[human_of_proposal[candidates]]
    n_alike = int((parts.proposal_box[candidates] == human_box).all(axis=1).sum())
    if n_boxes < _LEAST_PROPOSALS or n_alike <= _MOST_HUMAN_BOXES * n_boxes:
        return []
    text = f"{n_alike:,} of {counted(n_boxes, 'box', 'boxes')} of parts are the box of their human"
    return [Note("N-LOOKS-CONSTANT", f"{text}. Write that of each part")]


def _humans_of_one_part(parts: PartStates) -> list[Note]:
    n_humans = len(parts.human_box)
    n_parts = np.bincount(parts.part_human, minlength=n_humans)
    # Of most submissions this is enough, and all boxes take long.
    if (n_parts == 1).sum() <= _MOST_HUMANS_SPLIT * n_humans:
        return []
    place = np.column_stack([parts.human_frame, parts.human_box])
    _, box, n_alike = np.unique(place, axis=0, return_inverse=True, return_counts=True)
    n_split = int(((n_parts == 1) & (n_alike[box.ravel()] > 1)).sum())
    if n_split < _LEAST_HUMANS_SPLIT or n_split <= _MOST_HUMANS_SPLIT * n_humans:
        return []
    text = (
        f"{n_split:,} of {counted(n_humans, 'human')} have one part, and the box of another human of their "
    )
    text += "frame. An annotated human is compared with the parts of one human"
    return [Note("N-REPEATED", text)]


def _humans_without_parts(parts: PartStates) -> list[Note]:
    n_humans = len(parts.human_box)
    human_of_proposal = parts.part_human[parts.proposal_part]
    n_empty = int((np.bincount(human_of_proposal, minlength=n_humans) == 0).sum())
    if n_humans < _LEAST_HUMANS or n_empty < _LEAST_WITHOUT_PARTS * n_humans:
        return []
    text = f"{n_empty:,} of {counted(n_humans, 'human')} have no part with a box"
    return [Note("N-PARTS-NONE", f"{text}. Each part that is annotated counts as wrong")]
