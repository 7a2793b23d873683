"""ActivityNet-Entities: objects with a class, a word index and ten boxes, for each segment of each video."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, count, repeat

import numpy as np

from validator.arrays import Floats, Ints
from validator.box_hints import box_hints, empty_hints, small_box_hints
from validator.choose_named import choose_named
from validator.findings import Findings, Note, Read
from validator.formats.anet_entities.outside import WIDTH, explain_boxes_outside, explain_videos_outside
from validator.formats.rules import Rules
from validator.hints import empty_note, label_hints, repeat_hints
from validator.items import IGNORED, LIMIT_OF_REFERENCE, Place, check_items
from validator.json_columns import Column, JsonValue
from validator.json_reader import Batch, Members, read_json
from validator.json_text import SUBMIT_LESS
from validator.submission import Source, open_submission
from validator.texts import counted, pointer_part, quote

FRAMES = 10
CORNERS = 4
_WRITE_PIXELS = "they are pixels of frames that are 720 wide"
MODES = {"anet_entities_gt": "GT", "anet_entities_gen": "gen"}
"""What the files of each task say in ``eval_mode``."""
# Objects that are not the first of their segment: fewer may be counted, or have equal boxes, by chance.
_LEAST_FOLLOWING = 5
# A still object may have one box for a while; that a third of all boxes are copies is no chance.
_MOST_COPIED = 0.3
_LEAST_BOXES, _LEAST_UNORDERED = 10, 0.1
# Any picture has a box that ends beyond it.
_LEAST_PIXEL = 2
_EMPTY_SEGMENT = ". What is annotated there counts as missed"
# Far more than the challenge has: about ten objects a segment, and four segments a video.
_MOST_OBJECTS = 1000
_SEGMENTS_A_VIDEO, _LEAST_SEGMENTS = 40, 200_000


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
    n_numbers : int
        How many numbers each box was written with, of which four are read; 4 if boxes differ.
    """

    segments: list[tuple[str, str]]
    segment: Ints
    label: Ints
    index: Ints
    box: Floats
    classes: list[str]
    n_numbers: int = CORNERS


def read(path: Source, rules: Rules, reference_videos: Collection[str] | None = None) -> Read[Grounding]:
    """Check a submission and read its one file. Raises Refused.

    ``reference_videos`` are the videos that are known, None at home; others get a note.
    """
    (file,) = rules.json
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        findings.notes += submission.notes
        (name,) = findings.take(choose_named(submission, rules)).values()

        n_videos = len(reference_videos or ())

        def check_content(content: tuple[Grounding, Ints], members: Members, findings: Findings) -> None:
            grounding, lengths = content
            _check_number_of_segments(len(lengths), n_videos, name, findings)
            _check_lengths(grounding, lengths, name, findings)
            _check_mode(members["eval_mode"], rules.id, name, findings)
            findings.extend(check(grounding, rules).with_files(lambda _: name))

        with submission.open(name) as stream:
            content = read_json(stream.read, name, file, as_grounding, check_content)
        (grounding, _), members = findings.take(content)
        _note_external_data(members, findings)
        findings.refuse_problems()
        if reference_videos is not None:
            findings.notes += check_videos(grounding, rules, reference_videos, name)
    return Read(grounding, findings.notes)


def _check_mode(mode: str, task_id: str, name: str, findings: Findings) -> None:
    wanted_mode = MODES[task_id]
    if mode == wanted_mode:
        return
    remedy = f'write "{wanted_mode}"'
    for other_task, other_mode in MODES.items():
        if mode == other_mode:
            remedy = f"choose the task {other_task} for this file, or {remedy}"
    problem = f"the mode is '{quote(mode, 20)}'"
    findings.add("E-ANET-MODE", problem, remedy, file=name, where="/eval_mode")


def _note_external_data(members: Mapping[str, JsonValue], findings: Findings) -> None:
    """Add a note if a file does not say what external data the method used."""
    external_data = members.get("external_data")
    if (
        isinstance(external_data, dict)
        and isinstance(external_data.get("used"), bool)
        and isinstance(external_data.get("details"), str)
    ):
        return
    member_form = '"external_data": {"used": true or false, "details": "..."}'
    problem = "it holds something else" if "external_data" in members else "it is missing"
    findings.note("N-ANET-EXTERNAL", f"the challenge asks for {member_form}; {problem}")


def check_videos(
    grounding: Grounding, rules: Rules, reference_videos: Collection[str], name: str
) -> list[Note]:
    """Return a note on videos that the reference does not have. Raises Refused if it has none of them."""

    def place(video: str) -> Place:
        return Place(name, f"/results/{pointer_part(video)}")

    videos = dict.fromkeys(video for video, _ in grounding.segments)
    # Generated segments outside of the reference count in the averages; the metric's own note says how.
    verdict = "not in this data" if MODES[rules.id] == "gen" else IGNORED
    return check_items(videos, reference_videos, "video", place, verdict)


def as_grounding(batches: Iterable[Batch]) -> tuple[Grounding, Ints]:
    """Return the arrays, and the lengths of the three lists of each segment (n_segments, 3).

    Segments whose lengths differ have no objects: `_check_lengths` refuses the file.
    """
    number_of_class: dict[str, int] = defaultdict(count().__next__)
    segments: list[tuple[str, str]] = []
    lengths: list[Ints] = []
    labels: list[Ints] = []
    indexes: list[Ints] = []
    boxes: list[Floats] = []
    n_objects: list[Ints] = []
    # The fewest and the most of each batch.
    n_numbers: set[int] = set()
    for batch in batches:
        column = batch.column
        objects = column.inner
        segments += zip(chain.from_iterable(map(repeat, batch.keys, column.sizes.tolist())), column.keys)
        index_column, box_column = objects.members["idx_in_sent"], objects.members["bbox_for_all_frames"]
        class_column = objects.members["clss"]
        has_classes = np.array(["clss" in segment for segment in objects.values], dtype=bool)
        n_classes = box_column.sizes.copy()
        n_classes[has_classes] = class_column.sizes
        lengths.append(np.column_stack([index_column.sizes, box_column.sizes, n_classes]))
        if (lengths[-1] != lengths[-1][:, :1]).any():
            n_objects.append(np.zeros(len(n_classes), np.int64))
            continue
        n_objects.append(n_classes)
        label = np.full(n_classes.sum(), -1, np.int64)
        classes = class_column.inner.values
        numbers = np.fromiter(map(number_of_class.__getitem__, classes), np.int64, len(classes))
        label[np.repeat(has_classes, n_classes)] = numbers
        labels.append(label)
        indexes.append(index_column.inner.numbers.astype(np.int64))
        boxes.append(_corners(box_column.inner.inner))
        sizes = box_column.inner.inner.sizes
        if len(sizes):
            n_numbers |= {int(sizes.min()), int(sizes.max())}
    n_of_segments = np.concatenate(n_objects)
    grounding = Grounding(
        segments=segments,
        segment=np.repeat(np.arange(len(segments)), n_of_segments),
        label=np.concatenate([np.zeros(0, np.int64), *labels]),
        index=np.concatenate([np.zeros(0, np.int64), *indexes]),
        box=np.concatenate([np.zeros((0, FRAMES, 4), np.float32), *boxes]),
        classes=list(number_of_class),
        n_numbers=n_numbers.pop() if len(n_numbers) == 1 else CORNERS,
    )
    return grounding, np.concatenate(lengths)


def _corners(boxes: Column) -> Floats:
    """Return the four corners of each of ten boxes, without further numbers of the boxes."""
    corners = boxes.inner.numbers
    if len(corners) > 4 * len(boxes.sizes):
        first = np.cumsum(boxes.sizes) - boxes.sizes
        corners = corners[first[:, np.newaxis] + np.arange(4)]
    with np.errstate(over="ignore"):
        return corners.astype(np.float32).reshape(-1, FRAMES, 4)


def _check_number_of_segments(n_segments: int, n_videos: int, name: str, findings: Findings) -> None:
    most = max(_LEAST_SEGMENTS, _SEGMENTS_A_VIDEO * n_videos)
    if n_segments > most:
        limit = f"{most:,} ({_SEGMENTS_A_VIDEO} for each video, at least {_LEAST_SEGMENTS:,})"
        problem = f"there are more segments than {limit}"
        findings.add(
            "E-JSON-COUNT", problem, SUBMIT_LESS, file=name, where="/results", rule=LIMIT_OF_REFERENCE
        )


def check(grounding: Grounding, rules: Rules) -> Findings:
    """Return a problem for each segment with too many objects."""
    findings = Findings()
    n_objects = np.bincount(grounding.segment, minlength=len(grounding.segments))
    for number in findings.first_of(n_objects > _MOST_OBJECTS):
        problem = f"the segment has more than {_MOST_OBJECTS:,} objects"
        where = _segment_place(grounding, number)
        name = rules.json[0].name
        findings.add("E-JSON-COUNT", problem, SUBMIT_LESS, file=name, where=where, rule="objects")
    return findings


def _segment_place(grounding: Grounding, number: int) -> str:
    video, segment = grounding.segments[number]
    return f"/results/{pointer_part(video)}/{pointer_part(segment)}"


def _check_lengths(grounding: Grounding, lengths: Ints, name: str, findings: Findings) -> None:
    """Add a problem for each segment whose three lists differ in length; ``lengths`` (n_segments, 3)."""
    differs = (lengths != lengths[:, :1]).any(axis=1)
    for number in np.flatnonzero(differs).tolist():
        n_indexes, n_boxes, n_classes = lengths[number].tolist()
        problem = f"{n_indexes} idx_in_sent, {n_boxes} bbox_for_all_frames and {n_classes} clss"
        where = _segment_place(grounding, number)
        remedy = "write one class, one word index and ten boxes for each object"
        findings.add("E-ANET-LENGTH", problem, remedy, file=name, where=where)


def hints(submission: Grounding) -> list[Note]:
    """Return the notes on likely mistakes of both sub-tasks; none needs a reference."""
    if not len(submission.segment):
        return [empty_note()]
    boxes = submission.box.reshape(-1, CORNERS)
    notes = box_hints(boxes, "objects", _WRITE_PIXELS)
    notes = (
        notes or _shared_boxes(submission) or _copied_boxes(submission) or _small_or_large_boxes(submission)
    )
    n_objects = np.bincount(submission.segment, minlength=len(submission.segments))
    return [
        *notes,
        *_unordered_boxes(boxes),
        *_further_numbers(submission),
        *empty_hints(n_objects, "submitted segments have no object", _EMPTY_SEGMENT),
    ]


def given_hints(submission: Grounding) -> list[Note]:
    """Return the notes of `hints`, and those on the word indexes of sub-task I."""
    notes = hints(submission)
    if counts_objects(submission):
        text = "idx_in_sent is 0, 1, 2, ... in each segment. Write the position of the word in the sentence"
        notes.append(Note("N-LOOKS-CONSTANT", text))
    words = np.stack([submission.segment, submission.index], axis=1)
    return [*notes, *repeat_hints(words, "object", "repeat a word of their segment. The first alone counts")]


def generated_hints(submission: Grounding) -> list[Note]:
    """Return the notes of `hints`, and those on the classes of sub-task II."""
    return [*hints(submission), *_repeated_classes(submission)]


def _shared_boxes(submission: Grounding) -> list[Note]:
    segment = submission.segment
    following = np.flatnonzero(segment[1:] == segment[:-1]) + 1
    if len(following) < _LEAST_FOLLOWING:
        return []
    # What is not true of the first is not true of all, whose boxes take long.
    for objects in (following[:_LEAST_FOLLOWING], following):
        if (submission.box[objects] != submission.box[objects - 1]).any():
            return []
    text = "all objects of each segment have the same ten boxes. Write those of each object"
    return [Note("N-LOOKS-CONSTANT", text)]


def _copied_boxes(submission: Grounding) -> list[Note]:
    is_copied = (submission.box[:, 1:] == submission.box[:, :-1]).all(axis=2)
    if len(is_copied) < _LEAST_FOLLOWING or is_copied.mean() <= _MOST_COPIED:
        return []
    text = f"{int(is_copied.sum()):,} of {is_copied.size:,} boxes of objects are that of the frame before. "
    return [Note("N-LOOKS-CONSTANT", text + "One frame of the ten is annotated: write the box of each")]


def _small_or_large_boxes(submission: Grounding) -> list[Note]:
    number_of_video: dict[str, int] = defaultdict(count().__next__)
    numbers = [number_of_video[video] for video, _ in submission.segments]
    video = np.array(numbers, dtype=np.int64)[submission.segment]
    small = small_box_hints(submission.box.reshape(-1, CORNERS), "objects", _WRITE_PIXELS)
    explanation = explain_boxes_outside(submission.box) or explain_videos_outside(submission.box, video)
    if explanation:
        small.append(Note("N-BOXES-OUTSIDE", f"{explanation}. Videos are resized to a width of {WIDTH}"))
    return small


def _unordered_boxes(boxes: Floats) -> list[Note]:
    is_unordered = (boxes[:, 2:] < boxes[:, :2] - 1).any(axis=1)
    n_unordered = int(is_unordered.sum())
    if len(boxes) < _LEAST_BOXES or n_unordered < _LEAST_UNORDERED * len(boxes):
        return []
    share = f"{n_unordered:,} of {counted(len(boxes), 'box', 'boxes')}"
    text = f"x2 is less than x1, or y2 less than y1, in {share}. Such a box meets no other"
    return [Note("N-BOXES-ORDER", text)]


def _further_numbers(submission: Grounding) -> list[Note]:
    if submission.n_numbers == CORNERS:
        return []
    text = (
        f"all {submission.box.shape[0] * FRAMES:,} boxes have {submission.n_numbers} numbers; the first four "
    )
    text += "are read, as x1, y1, x2, y2"
    first, other_numbers = submission.box[..., 0], submission.box[..., 1:]
    if first.min() < 0 or first.max() > 1 or other_numbers.max() < _LEAST_PIXEL:
        return [Note("N-BOXES-NUMBERS", text)]
    return [Note("N-BOXES-FIRST", f"{text}. The first lies between {first.min():.3g} and {first.max():.3g}")]


def counts_objects(submission: Grounding) -> bool:
    """Return whether the word indexes are 0, 1, 2, ... in each segment, so that they name no words."""
    segment = submission.segment
    position = np.arange(len(segment)) - np.searchsorted(segment, segment)
    n_following = int((position > 0).sum())
    return n_following >= _LEAST_FOLLOWING and bool((submission.index == position).all())


def _repeated_classes(submission: Grounding) -> list[Note]:
    """Return a note if all objects have the same class, or many one that their segment had before.

    A sentence may well speak of two dogs, but not many do.
    """
    classes = np.stack([submission.segment, submission.label], axis=1)
    effect = "repeat a class of their segment. Precision counts each, recall the first only"
    constant = label_hints(len(classes), submission.classes, "class", "object")
    return constant or repeat_hints(classes, "object", effect)
