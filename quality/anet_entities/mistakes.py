"""Likely mistakes in predictions for ActivityNet-Entities, and models that are honest and weak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from people_in_video.diagnosis.trials import Family
from quality import cures
from quality.anet_entities.synthetic import Json, segments_of, vocabulary
from quality.box_mistakes import ChangeOfAllBoxes, ChangeOfBoxes, mistakes_in_boxes, weak_models_of_boxes
from quality.cures import Cure
from quality.task import Mistake, Said, WeakModel, cured, noted
from validator.arrays import Floats

# Changes of all results, and of the objects of a segment; they may change in place.
Change = Callable[[Json], Json]
ChangeOfSegment = Callable[[Json], None]
Rename = Callable[[str], str]
_CANVAS = (720, 405)
_BOXES = ("boxes",)
_CLASSES = "classes"
_NAMES = vocabulary()
_PLACEHOLDER = [-1.0] * 4


def _change_segments(change: ChangeOfSegment) -> Change:
    """Return a change of the objects of all segments."""

    def change_all(results: Json) -> Json:
        for _, _, objects in segments_of(results):
            change(objects)
        return results

    return change_all


def _change_values(field: str, change: Callable[[Any], Any]) -> Change:
    """Return a change of one field of all objects."""

    def change_field(objects: Json) -> None:
        objects[field] = list(map(change, objects[field]))

    return _change_segments(change_field)


def _change_boxes(change: ChangeOfBoxes) -> Change:
    """Return a change of the ten boxes (10, 4) of all objects."""
    return _change_values(
        "bbox_for_all_frames", lambda boxes: change(np.array(boxes, dtype=np.float64)).tolist()
    )


def _rename_videos(rename: Rename) -> Change:
    return partial(cures.rename_keys, rename=rename)


def _rename_segments(rename: Rename) -> Change:
    def change(results: Json) -> Json:
        return {video: cures.rename_keys(segments, rename) for video, segments in results.items()}

    return change


def _rename_classes(rename: Rename) -> Change:
    return _change_values("clss", rename)


def _write_scales_of_videos(results: Json) -> Json:
    """Write boxes of videos that were not resized to one width."""
    for number, video in enumerate(sorted(results)):
        _change_boxes(partial(_divide, float(cures.uneven_scales(np.array(number)))))({video: results[video]})
    return results


def _divide(scale: float, boxes: Floats) -> Floats:
    return boxes / scale


def _shuffle_boxes(objects: Json) -> None:
    """Write the boxes of the objects of a segment in another order, the last first."""
    objects["bbox_for_all_frames"] = objects["bbox_for_all_frames"][::-1]


def _reshape_boxes(objects: Json) -> None:
    """Write the boxes of a segment frame by frame, in the shape of one that is written object by object."""
    boxes = np.array(objects["bbox_for_all_frames"]).reshape(-1, 10, 4)
    objects["bbox_for_all_frames"] = boxes.transpose(1, 0, 2).reshape(boxes.shape).tolist()


def _change_boxes_of_some_videos(change: ChangeOfBoxes) -> Change:
    """Return a change of the boxes of every second video."""

    def change_some(results: Json) -> Json:
        _change_boxes(change)({video: results[video] for video in sorted(results)[::2]})
        return results

    return change_some


def _share_boxes(objects: Json) -> None:
    """Write the boxes of the first object of a segment for all of its objects."""
    n_objects = len(objects["bbox_for_all_frames"])
    objects["bbox_for_all_frames"] = objects["bbox_for_all_frames"][:1] * n_objects


def _count_objects(objects: Json) -> None:
    objects["idx_in_sent"] = list(range(len(objects["idx_in_sent"])))


def _repeat_objects(objects: Json) -> None:
    for field in objects:
        objects[field] = objects[field] * 2


def _empty_objects(objects: Json) -> None:
    for field in objects:
        objects[field] = []


def _exchange_corners(boxes: Floats) -> Floats:
    """Return boxes of which every second one ends where it begins."""
    boxes[::2] = boxes[::2][:, [2, 3, 0, 1]]
    return boxes


def _with_score_first(boxes: Floats) -> Floats:
    scores = 1 / (2 + np.arange(len(boxes)))
    return np.column_stack([scores, boxes])


def _hold_first_box(boxes: Floats) -> Floats:
    return np.tile(boxes[:1], (len(boxes), 1))


def _empty_some_segments(results: Json) -> Json:
    for number, (_, _, objects) in enumerate(segments_of(results)):
        if number % 2 == 0:
            _empty_objects(objects)
    return results


def _leave_out_frames(boxes: Floats) -> Floats:
    """Return boxes with a placeholder on every second frame."""
    boxes[::2] = _PLACEHOLDER
    return boxes


def _add_segments(results: Json) -> Json:
    """Return as many segments again, which are not annotated."""
    for segments in results.values():
        segments.update({str(int(name) + len(segments)): objects for name, objects in segments.items()})
    return results


def _wrong_frames(name: str, frames: list[int]) -> Mistake[Json]:
    """Return the mistake that the ten boxes are those of ``frames``."""
    return cured(name, _BOXES, Family.NUMBERS, _change_boxes(lambda boxes: boxes[frames]))


def _spelled_videos(name: str, rename: Rename) -> Mistake[Json]:
    return noted(name, "E-ITEMS-NONE", _rename_videos(rename), "write them as in the data, as 'v_")


_IN_PLACE: list[Mistake[Json]] = [
    *mistakes_in_boxes(_change_boxes, _BOXES, _CANVAS),
    cured("boxes of videos of different sizes", _BOXES, Family.ITEM_SCALE, _write_scales_of_videos),
    _wrong_frames("boxes one frame late", [0, *range(9)]),
    _wrong_frames("boxes one frame early", [*range(1, 10), 9]),
    _wrong_frames("the ten frames in reverse", [*reversed(range(10))]),
    Mistake(
        name="boxes of half of the videos of half size",
        change=_change_boxes_of_some_videos(partial(_divide, 2.0)),
        cures=[Cure(_BOXES, Family.FIT)],
        size=2,
    ),
    cured(
        "boxes of a segment reshaped from (10, n, 4), not transposed",
        ("boxes of a segment",),
        Family.READING,
        _change_segments(_reshape_boxes),
    ),
    cured(
        "predictions of the next video", _BOXES, Family.ITEMS, partial(cures.exchange, items=cures.next_items)
    ),
    cured(
        "predictions of other videos, in random order",
        _BOXES,
        Family.ITEMS,
        partial(cures.exchange, items=cures.shuffled_items),
    ),
    cured(
        "boxes of a segment in another order",
        ("boxes of a segment",),
        Family.ORDER,
        _change_segments(_shuffle_boxes),
    ),
    noted(
        "boxes of the first object for all of a segment", "N-LOOKS-CONSTANT", _change_segments(_share_boxes)
    ),
    noted("boxes of -1 on every second frame", "N-LOOKS-CONSTANT", _change_boxes(_leave_out_frames)),
    noted("all boxes -1", "N-LOOKS-CONSTANT", _change_boxes(lambda boxes: np.full_like(boxes, -1))),
    noted(
        "half of the videos in 0..1",
        "N-LOOKS",
        _change_boxes_of_some_videos(lambda boxes: boxes / np.array(_CANVAS * 2)),
    ),
    noted(
        "half of the videos at a width of 1280",
        "N-LOOKS",
        _change_boxes_of_some_videos(lambda boxes: boxes * 1280 / 720),
    ),
    noted("corners of half of the boxes exchanged", "N-BOXES-ORDER", _change_boxes(_exchange_corners)),
    noted("a score in front of each box", "N-BOXES-FIRST", _change_boxes(_with_score_first)),
    noted("the box of the first frame on all", "N-LOOKS-CONSTANT", _change_boxes(_hold_first_box)),
    noted("half of the segments empty", "N-PLACES-EMPTY", _empty_some_segments),
    noted("all segments empty", "N-EMPTY", _change_segments(_empty_objects)),
    noted(
        "segments counted from 1",
        "N-SEGMENTS-OUTSIDE",
        _rename_segments(lambda name: str(int(name) + 1)),
        "n - 1",
    ),
    noted("segments as 00, 01, 02", "N-SEGMENTS-OUTSIDE", _rename_segments("0{}".format), "as '0' for '00'"),
    noted("segments as seg_0", "N-SEGMENTS-OUTSIDE", _rename_segments("seg_{}".format), "as '0' for 'seg_0'"),
    noted(
        "segments as segment_01, from 1",
        "N-SEGMENTS-OUTSIDE",
        _rename_segments(lambda name: f"segment_{int(name) + 1:02d}"),
        "for 'segment_",
    ),
    noted("twice as many segments", "N-SEGMENTS-OUTSIDE", _add_segments),
    _spelled_videos("videos without v_", lambda video: video[2:]),
    _spelled_videos("videos with .mp4", "{}.mp4".format),
    _spelled_videos("videos without v_, with .mp4", lambda video: f"{video[2:]}.mp4"),
]


def _add_one(word_index: int) -> int:
    return word_index + 1


GIVEN_MISTAKES: list[Mistake[Json]] = [
    *_IN_PLACE,
    cured("words counted from 1", ("word indexes",), Family.NUMBERS, _change_values("idx_in_sent", _add_one)),
    noted("word indexes that count objects", "N-LOOKS-CONSTANT", _change_segments(_count_objects)),
]


def _in_other_order(name: str, other_name: dict[str, str]) -> Mistake[Json]:
    change = _rename_classes(partial(cures.look_up, other_name))
    return cured(name, (_CLASSES,), Family.ORDER, change)


def _spelled(manner: str, respell: Rename) -> Mistake[Json]:
    """Return the mistake that all classes are spelled otherwise."""
    said = [Said("N-LOOKS", "read with classes as '"), Said("N-NAMES-UNKNOWN")]
    return Mistake(f"classes {manner}", _rename_classes(respell), said=said)


def _misspelled(name: str, wrong_name: str) -> Mistake[Json]:
    """Return the mistake that one class is misspelled, which a note must name."""
    change = _rename_classes(partial(cures.look_up, {name: wrong_name}))
    return noted(f"{wrong_name} for {name}", "N-NAMES-UNKNOWN", change, wrong_name)


def _as_phrase(name: str) -> str:
    return f"{'a' if len(name) % 2 else 'the small'} {name}"


_NEXT_NAME = dict(zip(_NAMES, [*_NAMES[1:], _NAMES[0]]))
_NUMBERS = {name: str(number) for number, name in enumerate(_NAMES)}
GENERATED_MISTAKES: list[Mistake[Json]] = [
    *_IN_PLACE,
    _in_other_order("classes of a list in another order", cures.other_order(_NAMES)),
    _in_other_order("classes of the next place of the list", _NEXT_NAME),
    _in_other_order("classes as numbers", _NUMBERS),
    _spelled("in capitals", str.upper),
    _spelled("with a capital letter", str.title),
    _spelled("in the plural", "{}s".format),
    _spelled("misspelled", lambda name: name[0] + name),
    _misspelled("woman", "womann"),
    noted("classes as phrases", "N-NAMES-UNKNOWN", _rename_classes(_as_phrase), "the last word"),
    noted("each object twice", "N-REPEATED", _change_segments(_repeat_objects)),
    noted("one class everywhere", "N-LOOKS-CONSTANT", _rename_classes(lambda name: _NAMES[0])),
]


def _objects_of(results: Json) -> Iterator[tuple[Json, int]]:
    """Yield the objects of the segment of each object, and its place among them."""
    for _, _, objects in segments_of(results):
        for place in range(len(objects["clss"])):
            yield objects, place


def _change_all_boxes(results: Json, change: ChangeOfAllBoxes, rng: np.random.Generator) -> Json:
    """Change all boxes of all objects together."""
    places = list(_objects_of(results))
    if places:
        boxes = [objects["bbox_for_all_frames"][place] for objects, place in places]
        changed_boxes = change(np.array(boxes, dtype=np.float64).reshape(-1, 4), rng)
        for (objects, place), boxes_of_object in zip(places, changed_boxes.reshape(-1, 10, 4).tolist()):
            objects["bbox_for_all_frames"][place] = boxes_of_object
    return results


def _keep_first_boxes(results: Json, rng: np.random.Generator) -> Json:
    """Give each object on all frames its box on the first one."""
    return _change_boxes(_hold_first_box)(results)


def _keep_tenth(results: Json, rng: np.random.Generator) -> Json:
    def keep(objects: Json) -> None:
        places = [place for place in range(len(objects["clss"])) if rng.random() < 0.1]
        for field, values in objects.items():
            objects[field] = [values[place] for place in places]

    return _change_segments(keep)(results)


def _shuffle_classes(results: Json, rng: np.random.Generator) -> Json:
    """Give each object the class of another one."""
    places = list(_objects_of(results))
    names = rng.permutation([objects["clss"][place] for objects, place in places]).tolist()
    for (objects, place), name in zip(places, names):
        objects["clss"][place] = name
    return results


def _most_frequent_class(results: Json, rng: np.random.Generator) -> Json:
    counts = Counter(objects["clss"][place] for objects, place in _objects_of(results))
    return _rename_classes(lambda name: max(counts, key=counts.__getitem__))(results)


def _collapse_classes(results: Json, rng: np.random.Generator) -> Json:
    """Predict a third of the classes only."""
    return _rename_classes(lambda name: _NAMES[_NAMES.index(name) // 3 * 3])(results)


GIVEN_WEAK_MODELS: list[WeakModel[Json]] = [
    *weak_models_of_boxes(_change_all_boxes, _CANVAS),
    WeakModel("the box of the first frame on all", _keep_first_boxes),
    WeakModel("a tenth of the objects", _keep_tenth),
]
GENERATED_WEAK_MODELS: list[WeakModel[Json]] = [
    *GIVEN_WEAK_MODELS,
    WeakModel("shuffled classes", _shuffle_classes),
    WeakModel("the most frequent class", _most_frequent_class),
    WeakModel("a third of the classes", _collapse_classes),
]
