"""Annotations of ActivityNet-Entities: words of sentences with their classes and boxes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from organizer.data import content
from organizer.data.content import Content, Values
from organizer.files import MALFORMED, Files, json_bytes
from organizer.public_data import (
    Leak,
    PublicData,
    PublicPart,
    PublicSource,
    breaches,
    differing_files,
)
from organizer.tasks import Annotations, BaselineKind, Guess, Pools
from people_in_video.drawings.anet_entities import canvas
from people_in_video.drawings.scenes import GROUND_TRUTH, Drawing, DrawnObject, shapes
from people_in_video.references.anet_entities import save_reference
from people_in_video.references.lemmas import load_table
from scoring_program.challenges.anet_entities.reference import (
    LEMMAS_FILE,
    LEMMATIZER_FILE,
    PREPARED_FILE,
    Reference,
    load_reference,
    select_segments,
)
from scoring_program.challenges.anet_entities.task import GENERATED, TASKS
from scoring_program.metrics.grounding import FRAMES, IOU, frame_overlaps
from scoring_program.result import Section
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import Settings
from validator.arrays import Bools, Floats, Ints
from validator.findings import Findings
from validator.formats.anet_entities.outside import WIDTH, explain_boxes_outside
from validator.formats.anet_entities.write import Results, add_object, encode_submission, no_objects
from validator.json_columns import JsonValue
from validator.json_reader import strict_loads
from validator.texts import counted, pointer_part, quote, some_words

# The box of an object on each frame that is decided.
Boxes = dict[int, list[float]]
SKELETON_FILE = "skeleton.json"
SPLIT_FILE = "split_ids.json"
_HIDDEN_LISTS = ("frame_ind", "process_bnd_box", "crowds")
_KIND = "object"
# A video with so many boxes has some on its right.
_JUDGED_BOXES = 8
_Value = TypeVar("_Value")


class EntitiesAnnotations(Annotations[Reference, Results]):
    """The annotations of one task; each prediction has an object for each word."""

    shared = (LEMMAS_FILE, LEMMATIZER_FILE)

    def __init__(self, task_id: str) -> None:
        self._generated = task_id == GENERATED
        self._mode = TASKS[task_id].eval_mode
        if self._generated:
            # Otherwise each submitted segment counts under ``released``, those of other parts, too.
            self.part_settings = {"subset": True}

    def pools(self, reference: Reference) -> Pools:
        """Return the vocabulary and the annotated boxes."""
        words = reference.words
        labels = Counter(dict.fromkeys(reference.vocab or sorted(reference.classes), 0))
        labels.update(reference.classes[label] for label in words.label.tolist())
        return Pools(labels={_KIND: labels}, boxes={_KIND: words.box.astype(np.float64)})

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
        if self._generated and guess.baseline is BaselineKind.PERFECT:
            yield from _merge_words(annotated)
            return
        words = annotated.words
        columns = (words.segment.tolist(), words.label.tolist(), words.index.tolist())
        for word, (segment, label, index) in enumerate(zip(*columns)):
            # Where a word has several boxes on a frame, the first that can be right.
            boxes = dict(reversed(_boxes_of(annotated, word)))
            yield segment, annotated.classes[label], index, boxes

    def files(self, prediction: Results) -> Files:
        """Return the one JSON file."""
        return encode_submission(prediction, self._mode)

    def classes(self, reference: Reference) -> dict[str, list[str]]:
        """Return the class of each word of each video of the chosen splits, annotated or not."""
        videos_of_splits = {video for videos in reference.splits.values() for video in videos}
        to_divide = videos_of_splits.union(reference.annotated_videos())
        classes: dict[str, list[str]] = {video: [] for video in reference.videos if video in to_divide}
        for segment, label in zip(reference.words.segment.tolist(), reference.words.label.tolist()):
            video, _ = reference.segments[segment]
            classes[video].append(reference.classes[label])
        return classes

    def cut(self, source: Path, reference: Reference, names: Collection[str], output: Path) -> None:
        """Write the arrays of some videos."""
        save_reference(_part_of_reference(reference, names), output)


def _boxes_on_all_frames(true_boxes: Boxes, guess: Guess) -> list[list[float]]:
    """Return the predicted box on each frame: that of the nearest annotated frame as ``guess`` changes it."""
    predicted_boxes = []
    for frame in range(FRAMES):
        nearest = min(true_boxes, key=lambda other: abs(other - frame))
        # On other frames the object is near the same position, as in a video.
        x1, y1, x2, y2 = guess.box(true_boxes[nearest], _KIND, far=abs(nearest - frame))
        # Videos are resized to this width.
        predicted_boxes.append([min(x1, WIDTH), y1, min(x2, WIDTH), y2])
    return predicted_boxes


def _word_of_box(annotated: Reference) -> Ints:
    """Return the number of the word of each box; shape (n_boxes,)."""
    n_boxes = np.diff(annotated.words.box_start)
    return np.repeat(np.arange(len(n_boxes)), n_boxes)


def _boxes_of(annotated: Reference, word: int) -> list[tuple[int, list[float]]]:
    """Return frame and box of each box of a word, those first that can be right."""
    words = annotated.words
    boxes_of_word = slice(words.box_start[word], words.box_start[word + 1])
    boxes, frames = words.box[boxes_of_word], words.frame[boxes_of_word]
    usable_first = np.argsort(~_usable(boxes), kind="stable")
    return list(zip(frames[usable_first].tolist(), boxes[usable_first].tolist()))


def _usable(boxes: Floats) -> Bools:
    """Return which boxes (n, 4) can be met: their corners are in order, and they are not of one pixel."""
    sizes = boxes[:, 2:] - boxes[:, :2] + 1
    is_ordered = (sizes > 0).all(axis=1)
    is_one_pixel = (sizes == 1).all(axis=1)
    return is_ordered & ~is_one_pixel


def _merge_words(annotated: Reference) -> Iterator[tuple[int, str, int, Boxes]]:
    """Yield segment, class, smallest index and boxes of the words of one class of a segment, as one object.

    Its boxes suit as many of the words as there are free frames for.
    """
    words = annotated.words
    boxes_of_object: dict[tuple[int, int], Boxes] = {}
    first_index: dict[tuple[int, int], int] = {}
    columns = (words.segment.tolist(), words.label.tolist(), words.index.tolist())
    for word, (segment, label, index) in enumerate(zip(*columns)):
        # The words of a segment are in the order of their indexes.
        first_index.setdefault((segment, label), index)
        boxes = boxes_of_object.setdefault((segment, label), {})
        boxes_of_word = _boxes_of(annotated, word)
        is_suited = any(frame in boxes and _meet(boxes[frame], box) for frame, box in boxes_of_word)
        free = [(frame, box) for frame, box in boxes_of_word if frame not in boxes]
        if free and not is_suited:
            frame, box = free[0]
            boxes[frame] = box
    for (segment, label), boxes in boxes_of_object.items():
        yield segment, annotated.classes[label], first_index[segment, label], boxes


def _meet(predicted_box: list[float], true_box: list[float]) -> bool:
    """Return whether a predicted box on the frame of an annotated one overlaps it enough."""
    on_all_frames = np.full((1, FRAMES, 4), predicted_box, np.float32)
    true_boxes = np.array([true_box], np.float32)
    first_frame = np.zeros(1, np.int64)
    overlaps = frame_overlaps(on_all_frames, true_boxes, first_frame)
    return bool(overlaps[0, 0] > IOU)


def content_of(loaded: AnyLoaded) -> Content:
    """Return what is scored: the annotated words of the chosen splits."""
    reference: Reference = loaded.reference
    settings = loaded.settings
    words = reference.words
    n_of_label = Counter(words.label.tolist())
    names = {name: n_of_label[label] for label, name in enumerate(reference.classes) if n_of_label[label]}
    n_videos = len(reference.annotated_videos())
    videos_of_splits = {video for split in settings["splits"] for video in reference.splits[split]}
    counts = {
        "videos": n_videos,
        "videos without annotations": len(videos_of_splits) - n_videos,
        "segments": len(reference.segments),
        "words": len(words.segment),
        "boxes": len(words.box),
        "classes": len(names),
    }
    return Content(
        n_instances=len(words.segment),
        counts=counts,
        names={"class": names},
        values=_values(reference),
        warnings=_warnings(reference, settings, names),
        draw=partial(_drawings, reference),
    )


def _values(reference: Reference) -> list[Values]:
    """Return the numbers whose distributions are shown."""
    words = reference.words
    n_words = np.bincount(words.segment, minlength=len(reference.segments))
    boxes = words.box.astype(np.float64)
    size = np.sqrt(np.maximum(boxes[:, 2:] - boxes[:, :2] + 1, 0).prod(axis=1))
    segment_place, word_place = partial(_segment_place, reference), partial(_word_place, reference)
    box_place = partial(_box_place, reference)
    return [
        Values("annotated words of a segment", n_words, segment_place, "segments"),
        Values("boxes of a word", np.diff(words.box_start), word_place, "words"),
        Values("size of a box (root of the area, pixels)", size, box_place, "boxes"),
    ]


def _warnings(reference: Reference, settings: Settings, names: dict[str, int]) -> Findings:
    """Return what is likely a mistake in classes, boxes, videos and splits."""
    warnings = Findings()
    words = reference.words
    file = settings["reference_file"]
    content.check_names("class", names, file, warnings, load_table())
    location = (file, partial(_box_place, reference))
    boxes = words.box.astype(np.float64)
    content.check_boxes("word", boxes, location, warnings)
    if explanation := explain_boxes_outside(boxes):
        remedy = f"multiply by {WIDTH} / width: boxes are in videos that are {WIDTH} pixels wide"
        warnings.add("R-SIZE", explanation, remedy, file=file, rule="outside")
    word_of_box = _word_of_box(reference)
    is_repeated = content.repeated(np.column_stack([word_of_box, words.frame, boxes]))
    problem = "the box of the word repeats an earlier one"
    content.warn_where(is_repeated, "R-REPEATED", problem, location, warnings)
    # In the order of the file, in which the segments of a video follow each other.
    videos = list(dict.fromkeys(video for video, _ in reference.segments))
    number_of_video = {video: number for number, video in enumerate(videos)}
    segment_video = np.array([number_of_video[video] for video, _ in reference.segments], dtype=np.int64)
    word_video = segment_video[words.segment]
    word_rows = np.column_stack([words.index, words.label, np.diff(words.box_start)])
    box_rows = np.column_stack([words.frame, boxes])
    box_video = word_video[word_of_box]
    reach = boxes[:, 2:3] / WIDTH
    content.check_reach(reach, box_video, (file, "video", videos), _JUDGED_BOXES, warnings)
    content.check_same(videos, [(word_video, word_rows), (box_video, box_rows)], warnings)
    _check_splits(reference, settings, warnings)
    return warnings


def _drawings(reference: Reference) -> list[Section]:
    """Return drawings of a few frames."""
    words = reference.words
    word_of_box = _word_of_box(reference)
    view_of_box = words.segment[word_of_box] * FRAMES + words.frame
    views, n_in_view = np.unique(view_of_box, return_counts=True)

    def draw_view(view: int) -> Drawing:
        boxes = np.flatnonzero(view_of_box == views[view])
        return _draw_frame(reference, boxes, word_of_box)

    return content.drawings("Frames", n_in_view, draw_view)


def _draw_frame(reference: Reference, box_numbers: Ints, word_of_box: Ints) -> Drawing:
    """Return the drawing of boxes of one segment and frame; ``word_of_box`` has the word of each box."""
    words = reference.words
    first_box = box_numbers[0]
    segment = int(words.segment[word_of_box[first_box]])
    labels, objects = [], []
    for box in box_numbers.tolist():
        word = word_of_box[box]
        label = f"{reference.classes[words.label[word]]} (word {words.index[word]})"
        labels.append(label)
        objects.append(DrawnObject(label, "annotated", False, shapes(GROUND_TRUTH, words.box[box])))
    video, _ = reference.segments[segment]
    in_video = np.array([other == video for other, _ in reference.segments])
    boxes_of_video = words.box[in_video[words.segment[word_of_box]]]
    no_boxes = boxes_of_video[:0]
    blank = canvas(reference, segment, int(words.frame[first_box]), boxes_of_video, no_boxes)
    return blank._replace(text=", ".join(labels), objects=objects)


def _segment_place(reference: Reference, segment: int) -> str:
    video, name = reference.segments[segment]
    return f"/annotations/{pointer_part(video)}/segments/{pointer_part(name)}"


def _word_place(reference: Reference, word: int) -> str:
    words = reference.words
    return f"{_segment_place(reference, int(words.segment[word]))} word {words.index[word]}"


def _box_place(reference: Reference, box: int) -> str:
    word = int(np.searchsorted(reference.words.box_start, box, "right")) - 1
    return f"{_word_place(reference, word)} frame {reference.words.frame[box]}"


def _check_splits(reference: Reference, settings: Settings, warnings: Findings) -> None:
    """Warn of videos that are in the data or in the splits alone, and of those in several splits."""
    annotated_or_not = set(reference.videos)
    n_listed = Counter(video for videos in reference.splits.values() for video in videos)
    doubtful_videos = {
        "of the data in no split": [video for video in reference.videos if video not in n_listed],
        "listed more than once": [video for video, times in n_listed.items() if times > 1],
    }
    for split, videos in reference.splits.items():
        missing_videos = [video for video in videos if video not in annotated_or_not]
        # A split of which the data hold nothing is left out on purpose.
        if len(missing_videos) < len(videos):
            doubtful_videos[f"of the split {quote(split)} not in the data"] = missing_videos
    for kind, videos in doubtful_videos.items():
        if videos:
            problem = f"{counted(len(videos), 'video')} {kind}; the first is {quote(videos[0])}"
            remedy = "correct the split or the data"
            warnings.add("R-SPLIT", problem, remedy, file=settings["split_file"], rule=kind)


def _public_files(source: PublicSource) -> PublicData:
    """Return the skeleton of all videos of the scored splits, and these splits. Raises Refused."""
    # Reads the same files, and checks them.
    load_reference(source.folder, source.settings)
    data = _read(source, "reference_file")
    splits = _read(source, "split_file")
    shows_sentences = _shows_sentences(source.task_id)
    public_splits = {split: sorted(splits[split]) for split in sorted(source.settings["splits"])}
    videos = sorted({video for names in public_splits.values() for video in names})
    annotations = {video: _skeleton_of_video(data["annotations"][video], shows_sentences) for video in videos}
    skeleton: dict[str, Any] = {"annotations": annotations}
    if isinstance(data.get("vocab"), list):
        skeleton = {"vocab": data["vocab"], **skeleton}
    files = {SKELETON_FILE: json_bytes(skeleton), SPLIT_FILE: json_bytes(public_splits)}
    return PublicData(files, _remarks(skeleton))


def _public_files_of_items(files: Files, items: Collection[str]) -> Files:
    """Return the skeleton of some videos, and the part of each split that they are."""
    skeleton, splits = json.loads(files[SKELETON_FILE]), json.loads(files[SPLIT_FILE])
    annotations = {video: entry for video, entry in skeleton["annotations"].items() if video in items}
    part_of_splits = {}
    for split, videos in splits.items():
        part_of_splits[split] = [video for video in videos if video in items]
    return {
        SKELETON_FILE: json_bytes({**skeleton, "annotations": annotations}),
        SPLIT_FILE: json_bytes(part_of_splits),
    }


def _find_leaks(files: Files, loaded: AnyLoaded) -> Iterator[Leak]:
    """Yield files of other names, other keys than those that are public, and videos of another reference."""
    form = "skeleton_given" if _shows_sentences(loaded.task.id) else "skeleton_generated"
    reference: Reference = loaded.reference
    for name, data in files.items():
        if name == SKELETON_FILE:
            yield from breaches(name, data, form)
            if _videos_of(data) != reference.chosen_videos:
                yield Leak(name, "its videos are not those of the scored splits")
        elif name == SPLIT_FILE:
            splits = {split: sorted(reference.splits[split]) for split in sorted(loaded.settings["splits"])}
            yield from differing_files({name: data}, {SPLIT_FILE: json_bytes(splits)})
        else:
            yield Leak(name, "public data has no such file")


def _find_leaks_beside(files: Files, task_id: str, other: AnyLoaded) -> Iterator[Leak]:
    """Yield a skeleton of given sentences with videos for which another task wants generated ones."""
    is_hidden = other.task.id in TASKS and not _shows_sentences(other.task.id)
    if SKELETON_FILE not in files or not _shows_sentences(task_id) or not is_hidden:
        return
    reference: Reference = other.reference
    common = sorted(_videos_of(files[SKELETON_FILE]) & reference.chosen_videos)
    if common:
        videos = counted(len(common), "video")
        names = some_words(list(map(quote, common)))
        yield Leak(
            SKELETON_FILE,
            f"it shows the sentences of {videos} that {other.task.id} must hide ({names}); "
            "give the two tasks different videos",
        )


def _videos_of(skeleton: bytes) -> set[str]:
    """Return the videos of a skeleton, none if it is not of this form."""
    try:
        return set(json.loads(skeleton)["annotations"])
    except MALFORMED:
        return set()


def _shows_sentences(task_id: str) -> bool:
    return task_id != GENERATED


def _read(source: PublicSource, setting: str) -> JsonValue:
    name = source.settings[setting]
    return strict_loads((source.folder / name).read_bytes(), name).content


def _skeleton_of_video(video: Mapping[str, Any], shows_sentences: bool) -> dict[str, Any]:
    segments = {}
    for name in sorted(video["segments"], key=_segment_order):
        segments[name] = _skeleton_of_segment(video["segments"][name], shows_sentences)
    duration = {"duration": video["duration"]} if "duration" in video else {}
    return {**duration, "segments": segments}


def _segment_order(name: str) -> tuple[int, int, str]:
    """Return what segments are sorted by: numbers as numbers, before other names."""
    return (0, int(name), name) if name.isdecimal() else (1, 0, name)


def _skeleton_of_segment(segment: Mapping[str, Any], shows_sentences: bool) -> dict[str, Any]:
    """Return the times of a segment, and for given sentences its words."""
    words = _annotated_words(segment) if shows_sentences else []
    timestamps = {"timestamps": segment["timestamps"]} if "timestamps" in segment else {}
    return {
        **timestamps,
        "tokens": segment.get("tokens", []) if shows_sentences else [],
        "process_clss": [[class_name] for _, class_name in words],
        "process_idx": [[index] for index, _ in words],
        **{name: [] for name in _HIDDEN_LISTS},
    }


def _annotated_words(segment: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Return index and class of each annotated word, ascending and each once."""
    words: set[tuple[int, str]] = set()
    for indexes, classes in zip(segment["process_idx"], segment["process_clss"]):
        words.update(zip(indexes, classes))
    return sorted(words)


def _remarks(skeleton: Mapping[str, Any]) -> list[str]:
    """Return what the source lacks of what a skeleton may hold."""
    remarks = []
    if "vocab" not in skeleton:
        remarks.append("vocab is left out: the source has none")
    videos = skeleton["annotations"].values()
    if not all("duration" in video for video in videos):
        remarks.append("duration is left out where the source has none")
    segments = [segment for video in videos for segment in video["segments"].values()]
    if not all("timestamps" in segment for segment in segments):
        remarks.append("timestamps are left out where the source has none")
    return remarks


def _part_of_reference(whole: Reference, videos: Collection[str]) -> Reference:
    """Return the reference of some videos, in which nothing is left of the others."""
    part = select_segments(whole, videos)
    used_tokens, token = np.unique(part.token, return_inverse=True)
    splits = {}
    for split, videos_of_split in whole.splits.items():
        splits[split] = [video for video in videos_of_split if video in videos]
    return part._replace(
        tokens=[part.tokens[number] for number in used_tokens.tolist()],
        token=token,
        splits=splits,
        videos=[video for video in whole.videos if video in videos],
        n_segments=_of_videos(whole.n_segments, videos),
        segments_of_video=_of_videos(whole.segments_of_video, videos),
    )


def _of_videos(
    value_of_video: Mapping[str, _Value] | None, videos: Collection[str]
) -> dict[str, _Value] | None:
    """Return the values of some videos, None if they are not known."""
    if value_of_video is None:
        return None
    return {video: value for video, value in value_of_video.items() if video in videos}


ANNOTATIONS = {task_id: EntitiesAnnotations(task_id) for task_id in TASKS}
PUBLIC_DATA = PublicPart(
    make=_public_files,
    find_leaks=_find_leaks,
    find_leaks_beside=_find_leaks_beside,
    prepared_file=PREPARED_FILE,
    of_items=_public_files_of_items,
)


def labelled_items(name: str, data: bytes) -> set[str]:
    """Return the videos with boxes in a file of the challenge's shape, none of other files."""
    if not name.endswith(".json"):
        return set()
    segments_of_video = {
        video: content["segments"].values() for video, content in json.loads(data)["annotations"].items()
    }
    return {
        video
        for video, segments in segments_of_video.items()
        if any(segment["process_bnd_box"] for segment in segments)
    }
