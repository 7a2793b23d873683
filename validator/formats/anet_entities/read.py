"""ActivityNet-Entities: objects with a class, a word index and ten boxes, for each segment of each video."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain

import numpy as np

from validator.archive import Source, open_submission
from validator.arrays import Floats, Ints
from validator.files import choose_named
from validator.findings import Findings, Read
from validator.formats.rules import Format, Rules
from validator.hints import EMPTY, box_hints
from validator.items import IGNORED, Place, check_items
from validator.json_files import Entries, read_json
from validator.messages import Note
from validator.strict_json import JsonValue, pointer_part
from validator.texts import quote

FRAMES = 10
_MODES = {"anet_entities_gt": "GT", "anet_entities_gen": "gen"}


@dataclass(frozen=True)
class Grounding:
    """A submission as flat arrays, in the order of the file.

    Attributes
    ----------
    segments : list of (video, segment)
    segment : int array of shape (n_objects,)
        For each object the index of its segment; ascending.
    label : int array of shape (n_objects,)
        Its class, as an index into ``classes``; -1 where the submission gives none (sub-task I).
    index : int array of shape (n_objects,)
        Position of its word in the sentence, from 0.
    box : float32 array of shape (n_objects, 10, 4)
        ``x1, y1, x2, y2`` in pixels on each of the ten sampled frames, rounded to float32.
    classes : list of str
    """

    segments: list[tuple[str, str]]
    segment: Ints
    label: Ints
    index: Ints
    box: Floats
    classes: list[str]


def read(path: Source, rules: Rules, reference_videos: Collection[str] | None = None) -> Read[Grounding]:
    """Check a submission and read its one file. Raises Refused.

    ``reference_videos`` are the videos that are known, None at home; others get a note.
    """
    (file,) = rules.json
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        (name,) = findings.take(choose_named(submission, rules)).values()
        content = read_json(submission.read(name), name, file, _as_grounding)
        (grounding, lengths), members = findings.take(content)
        _check_lengths(grounding, lengths, name, findings)
        mode = _MODES[rules.id]
        if members["eval_mode"] != mode:
            problem, given = f"the mode is '{quote(members['eval_mode'], 20)}'", members["eval_mode"]
            others = [task for task, own in _MODES.items() if own == given]
            remedy = f"this is a file of {others[0]}: submit it there" if others else f'write "{mode}"'
            findings.add("E-ANET-MODE", problem, remedy, file=name, where="/eval_mode")
        external = members.get("external_data")
        given = external if isinstance(external, dict) else {}
        if not (isinstance(given.get("used"), bool) and isinstance(given.get("details"), str)):
            wanted = '"external_data": {"used": true or false, "details": "..."}'
            findings.note("N-ANET-EXTERNAL", f"the challenge asks for {wanted}; it is missing")
        findings.refuse_problems()
        if reference_videos is not None:
            findings.notes += check_videos(grounding, rules, reference_videos, name)
    return Read(grounding, findings.notes)


def check_videos(
    grounding: Grounding, rules: Rules, reference_videos: Collection[str], name: str
) -> list[Note]:
    """Return a note on videos that the reference does not have. Raises Refused if it has none of them."""

    def place(video: str) -> Place:
        return Place(name, f"/results/{pointer_part(video)}")

    videos = dict.fromkeys(video for video, _ in grounding.segments)
    # Generated segments outside of the reference count in the averages; the metric's own note says how.
    verdict = "not in the reference" if _MODES[rules.id] == "gen" else IGNORED
    return check_items(videos, reference_videos, "video", place, verdict)


def _as_grounding(entries: Entries) -> tuple[Grounding, Ints]:
    """Return the arrays, and the lengths of the three lists of each segment (n_segments, 3)."""
    codes: dict[str, int] = {}
    segments: list[tuple[str, str]] = []
    lengths: list[tuple[int, int, int]] = []
    labels: list[int] = []
    indexes: list[int] = []
    boxes_of_videos: list[Floats] = [np.zeros(0)]
    for video, of_video in entries:
        boxes: list[JsonValue] = []
        for segment, objects in of_video.items():
            index, frames = objects["idx_in_sent"], objects["bbox_for_all_frames"]
            classes = objects.get("clss")
            lengths.append((len(index), len(frames), len(frames if classes is None else classes)))
            n = min(lengths[-1])
            segments.append((video, segment))
            labels += [codes.setdefault(name, len(codes)) for name in classes[:n]] if classes else [-1] * n
            indexes += index[:n]
            boxes += frames[:n]
        flat = list(chain.from_iterable(boxes))
        if not set(map(len, flat)) <= {4}:
            flat = [box[:4] for box in flat]
        boxes_of_videos.append(np.fromiter(chain.from_iterable(flat), np.float64, 4 * len(flat)))
    with np.errstate(over="ignore"):
        box = np.concatenate(boxes_of_videos).astype(np.float32).reshape(-1, FRAMES, 4)
    n_lists = np.array(lengths, dtype=np.int64).reshape(-1, 3)
    segment_of = np.repeat(np.arange(len(segments)), n_lists.min(axis=1))
    label, index_in_sentence = (np.array(values, dtype=np.int64) for values in (labels, indexes))
    grounding = Grounding(segments, segment_of, label, index_in_sentence, box, list(codes))
    return grounding, n_lists


def _check_lengths(grounding: Grounding, lengths: Ints, name: str, findings: Findings) -> None:
    for index in np.flatnonzero((lengths != lengths[:, :1]).any(axis=1)).tolist():
        video, segment = grounding.segments[index]
        indexes, boxes, classes = lengths[index].tolist()
        problem = f"{indexes} idx_in_sent, {boxes} bbox_for_all_frames and {classes} clss"
        where = f"/results/{pointer_part(video)}/{pointer_part(segment)}"
        findings.add("E-ANET-LENGTH", problem, "the three lists must be equally long", file=name, where=where)


def hints(submission: Grounding) -> list[Note]:
    """Return notes on likely mistakes that need no reference."""
    return box_hints(submission.box.reshape(-1, 4), "objects") if len(submission.segment) else [EMPTY]


FORMAT = Format(read, hints)
