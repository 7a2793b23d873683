"""Annotations of ActivityNet-Entities: words of sentences with their classes and boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from organizer import content
from organizer.challenges import Annotations, Guess, Pools
from organizer.content import Content, Values
from organizer.files import Files
from scoring_program.challenges.anet_entities.drawings import canvas
from scoring_program.challenges.anet_entities.lemmas import TABLE, load_table
from scoring_program.challenges.anet_entities.reference import (
    LEMMAS_FILE,
    LEMMATIZER_FILE,
    Reference,
    part_of_reference,
    save_reference,
)
from scoring_program.challenges.anet_entities.task import TASKS, GeneratedSentences
from scoring_program.metrics.grounding import FRAMES, IOU, frame_overlaps
from scoring_program.result import GROUND_TRUTH, Drawing, DrawnObject, shapes
from scoring_program.settings import Settings
from scoring_program.task import AnyLoaded
from validator.arrays import Floats, Ints
from validator.findings import Findings
from validator.formats.anet_entities.write import Results, add_object, encode_submission, no_objects
from validator.strict_json import pointer_part
from validator.texts import counted, quote

# The box of an object on each frame that is decided.
Boxes = dict[int, list[float]]
_KIND = "object"


class EntitiesAnnotations(Annotations[Reference, Results]):
    """The annotations of one task; each prediction has an object for each word."""

    shared = (LEMMAS_FILE, LEMMATIZER_FILE)

    def __init__(self, task_id: str) -> None:
        self._generated = isinstance(TASKS[task_id], GeneratedSentences)
        self._mode = TASKS[task_id].eval_mode
        # Each submitted segment counts, whether it is annotated or not.
        self.ignores_others = not self._generated

    def pools(self, reference: Reference) -> Pools:
        """Return the vocabulary and the annotated boxes."""
        labels = Counter(dict.fromkeys(reference.vocab or sorted(reference.classes), 0))
        labels.update(reference.classes[number] for number in reference.words.label.tolist())
        return Pools({_KIND: labels}, {_KIND: reference.words.box.astype(np.float64)})

    def predicted(self, reference: Reference, guess: Guess) -> Results:
        """Return the objects of each segment."""
        results: Results = {}
        for video, name in reference.segments:
            results.setdefault(video, {})[name] = no_objects()
        for segment, label, index, true_boxes in self._objects(reference, guess):
            if guess.keeps():
                if self._generated:
                    # Half as often as boxes are wrong.
                    label = guess.label(label, _KIND, share=0.5)
                video, name = reference.segments[segment]
                add_object(results[video][name], label, index, _boxes_on_all_frames(true_boxes, guess))
        return results

    def _objects(self, annotated: Reference, guess: Guess) -> Iterator[tuple[int, str, int, Boxes]]:
        """Yield segment, class, index and boxes of each word; a perfect submission has one object a class of
        generated sentences, because an object is compared with the first word of its class."""
        if self._generated and guess.name == "perfect":
            for (segment, label), (index, boxes, _) in _merged(annotated).items():
                yield segment, annotated.classes[label], index, boxes
            return
        words = annotated.words
        for word, numbers in enumerate(np.stack([words.segment, words.label, words.index], axis=1).tolist()):
            boxes = dict(reversed(_boxes_of(annotated, word)))
            yield numbers[0], annotated.classes[numbers[1]], numbers[2], boxes

    def files(self, prediction: Results) -> Files:
        """Return the one JSON file."""
        return encode_submission(prediction, self._mode)

    def reasons(self, reference: Reference, settings: Settings) -> dict[str, set[str]]:
        """Return the videos with words that cannot all be right."""
        words, video_of = reference.words, [video for video, _ in reference.segments]
        word_of_box = np.repeat(np.arange(len(words.segment)), np.diff(words.box_start))
        unusable = set(words.segment[word_of_box[~_usable(words.box)]].tolist())
        found = {"a box of one pixel or with reversed corners": unusable}
        if self._generated:
            merged = _merged(reference).items()
            apart = {segment for (segment, _), (_, _, conflict) in merged if conflict}
            many = np.flatnonzero(np.bincount(words.mention_word, minlength=1) > 1)
            found["two words of one class in different boxes of a frame"] = apart
            found["the boxes of a word have several classes"] = set(words.segment[many].tolist())
        return {reason: {video_of[segment] for segment in of} for reason, of in found.items()}

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the class of each word of each video of the chosen splits, annotated or not."""
        kept = {video for videos in reference.splits.values() for video in videos}
        items = set(reference.annotated_videos())
        found: dict[str, list[str]] = {v: [] for v in reference.videos if v in items or v in kept}
        for segment, label in zip(reference.words.segment.tolist(), reference.words.label.tolist()):
            found[reference.segments[segment][0]].append(reference.classes[label])
        return found

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the arrays of some videos."""
        save_reference(part_of_reference(reference, names), output)


def _boxes_on_all_frames(true_boxes: Boxes, guess: Guess) -> list[list[float]]:
    """Return the predicted box on each frame: that of the nearest annotated frame as ``guess`` changes it."""
    predicted_boxes = []
    for frame in range(FRAMES):
        nearest = min(true_boxes, key=lambda other: abs(other - frame))
        # On other frames the object is near the same position, as in a video.
        predicted_boxes.append(guess.box(true_boxes[nearest], _KIND, far=abs(nearest - frame)))
    return predicted_boxes


def _boxes_of(annotated: Reference, word: int) -> list[tuple[int, list[float]]]:
    """Return frame and box of each box of a word, those first that can be right."""
    boxes = slice(*annotated.words.box_start[word : word + 2].tolist())
    order = np.argsort(~_usable(annotated.words.box[boxes]), kind="stable")
    frames = annotated.words.frame[boxes][order].tolist()
    return list(zip(frames, annotated.words.box[boxes][order].tolist()))


def _usable(boxes: Floats) -> np.ndarray:
    sizes = boxes[:, 2:] - boxes[:, :2] + 1
    return (sizes > 0).all(axis=1) & (sizes != 1).any(axis=1)


def _merged(annotated: Reference) -> dict[tuple[int, int], tuple[int, Boxes, bool]]:
    """Return for each (segment, class) the smallest index of its words, boxes that suit as many of them as
    there are free frames for, and whether a word is left over."""
    words = annotated.words
    found: dict[tuple[int, int], tuple[int, Boxes, bool]] = {}
    columns = (words.segment, words.label, words.index)
    for word, (segment, label, index) in enumerate(zip(*(column.tolist() for column in columns))):
        first, boxes, conflict = found.get((segment, label), (index, {}, False))
        own = _boxes_of(annotated, word)
        fits = any(frame in boxes and _meet(boxes[frame], box) for frame, box in own)
        free = [(frame, box) for frame, box in own if frame not in boxes]
        if not fits and free:
            boxes[free[0][0]] = free[0][1]
        found[segment, label] = first, boxes, conflict or not (fits or free)
    return found


def _meet(first: list[float], second: list[float]) -> bool:
    ten = np.full((1, FRAMES, 4), first, np.float32)
    return bool(frame_overlaps(ten, np.array([second], np.float32), np.zeros(1, int))[0, 0] > IOU)


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: the annotated words of the chosen splits."""
    reference: Reference = loaded.reference
    settings = loaded.settings
    words, segments, warnings = reference.words, reference.segments, Findings()
    file, labels = settings["reference_file"], Counter(words.label.tolist())
    names = {name: labels[number] for number, name in enumerate(reference.classes) if labels[number]}
    content.check_names("class", names, file, warnings, load_table() if TABLE.is_file() else ())
    n_boxes = np.diff(words.box_start)
    word_of_box = np.repeat(np.arange(len(n_boxes)), n_boxes)
    segment, word, box = (partial(place, reference) for place in (_segment, _word, _box))
    boxes = words.box.astype(np.float64)
    content.check_boxes("word", boxes, (file, box), warnings)
    rows = np.column_stack([word_of_box, words.frame, boxes])
    problem = "the box of the word repeats an earlier one"
    content.warn_where(content.repeated(rows), "R-REPEATED", problem, (file, box), warnings)
    # In the order of the file, in which the segments of a video follow each other.
    number = {video: i for i, video in enumerate(dict.fromkeys(video for video, _ in segments))}
    video_of_word = np.array([number[video] for video, _ in segments], dtype=np.int64)[words.segment]
    of_word = np.column_stack([words.index, words.label, n_boxes])
    tables = [(video_of_word, of_word), (video_of_word[word_of_box], rows[:, 1:])]
    content.check_same(list(number), tables, warnings)
    _check_splits(reference, settings, warnings)
    scored = {video for split in settings["splits"] for video in reference.splits[split]}
    counts = {"videos": len(number), "videos without annotations": len(scored) - len(number)}
    counts |= {"segments": len(segments), "words": len(of_word), "boxes": len(rows), "classes": len(names)}
    size = np.sqrt(np.maximum(boxes[:, 2:] - boxes[:, :2] + 1, 0).prod(axis=1))
    values = [
        Values("annotated words of a segment", np.bincount(words.segment, minlength=len(segments)), segment),
        Values("boxes of a word", n_boxes, word),
        Values("size of a box (root of the area, pixels)", size, box),
    ]
    view_of_box = words.segment[word_of_box] * FRAMES + words.frame
    views, n_in_view = np.unique(view_of_box, return_counts=True)

    def drawing(view: int) -> Drawing:
        return _drawn_frame(reference, np.flatnonzero(view_of_box == views[view]), word_of_box)

    draw = partial(content.drawings, "Frames", n_in_view, drawing)
    return Content(len(of_word), counts, {"class": names}, values, warnings, draw)


def _drawn_frame(reference: Reference, own: Ints, word_of_box: Ints) -> Drawing:
    """Return the drawing of the boxes ``own``, all of one segment and frame."""
    words, word = reference.words, word_of_box[own]
    labels = [f"{reference.classes[words.label[n]]} (word {words.index[n]})" for n in word.tolist()]
    boxes = (shapes(GROUND_TRUTH, box) for box in words.box[own])
    objects = [DrawnObject(label, "annotated", False, box) for label, box in zip(labels, boxes)]
    segment, frame = int(words.segment[word[0]]), int(words.frame[own[0]])
    in_video = np.array([video == reference.segments[segment][0] for video, _ in reference.segments])
    of_video = words.box[in_video[words.segment[word_of_box]]]
    blank = canvas(reference, segment, frame, of_video, of_video[:0])
    return blank._replace(text=", ".join(labels), objects=objects)


def _segment(reference: Reference, segment: int) -> str:
    return "/annotations/{}/segments/{}".format(*map(pointer_part, reference.segments[segment]))


def _word(reference: Reference, word: int) -> str:
    words = reference.words
    return f"{_segment(reference, int(words.segment[word]))} word {words.index[word]}"


def _box(reference: Reference, box: int) -> str:
    word = int(np.searchsorted(reference.words.box_start, box, "right")) - 1
    return f"{_word(reference, word)} frame {reference.words.frame[box]}"


def _check_splits(reference: Reference, settings: Settings, warnings: Findings) -> None:
    """Warn of videos that are in the data or in the splits alone, and of those in several splits."""
    known = set(reference.videos)
    listed = Counter(video for videos in reference.splits.values() for video in videos)
    kinds = {
        "of the data in no split": [video for video in reference.videos if video not in listed],
        "listed more than once": [video for video, times in listed.items() if times > 1],
    }
    for split, videos in reference.splits.items():
        missing = [video for video in videos if video not in known]
        # A split of which the data hold nothing is left out on purpose.
        kinds[f"of the split {quote(split)} not in the data"] = missing if len(missing) < len(videos) else []
    for kind, videos in kinds.items():
        if videos:
            problem = f"{counted(len(videos), 'video')} {kind}; the first is {quote(videos[0])}"
            remedy = "correct the split or the data"
            warnings.add("R-SPLIT", problem, remedy, file=settings["split_file"], rule=kind)


ANNOTATIONS = {task_id: EntitiesAnnotations(task_id) for task_id in TASKS}
