"""Gaming tricks for both tasks, as functions that change the results of a submission."""

from __future__ import annotations

import json
from collections.abc import Callable

from organizer.files import Files
from quality.anet_entities.synthetic import WHOLE_IMAGE, Box, Json, no_objects, segments_of, words_of
from quality.task import Trick


def _trick(name: str, change: Callable[[Json, Json], None], rewarded: bool = False) -> Trick:
    """Return a trick that changes results; ``change`` gets the reference, too."""

    def play(reference: Files, sample: Files) -> Files:
        ((file, data),) = sample.items()
        content = json.loads(data)
        change(content["results"], json.loads(reference["reference.json"]))
        return {file: json.dumps(content).encode()}

    return Trick(name, play, rewarded=rewarded)


def _giant_boxes(results: Json, reference: Json) -> None:
    for _, _, objects in segments_of(results):
        objects["bbox_for_all_frames"] = [WHOLE_IMAGE for _ in objects["bbox_for_all_frames"]]


def _objects_twice(results: Json, reference: Json) -> None:
    for _, _, objects in segments_of(results):
        for key in objects:
            objects[key] *= 2


def _every_word(results: Json, reference: Json) -> None:
    for video, content in reference["annotations"].items():
        for segment, annotated in content["segments"].items():
            n = len(annotated["tokens"])
            objects = dict(zip(no_objects(), (annotated["tokens"], list(range(n)), [WHOLE_IMAGE] * n)))
            results.setdefault(video, {})[segment] = objects


def _every_class(results: Json, reference: Json) -> None:
    n = len(reference["vocab"])
    for _, _, objects in segments_of(results):
        boxes = [*objects["bbox_for_all_frames"], WHOLE_IMAGE][0]
        objects.update(zip(objects, (reference["vocab"], [0] * n, [boxes] * n)))


def _only_sure(results: Json, reference: Json) -> None:
    """Keep the segments in which all is right, as a method with well-calibrated confidence nearly can."""
    for video, segment, objects in segments_of(results):
        annotated = reference["annotations"][video]["segments"][segment]
        if [name for (name,) in annotated["process_clss"]] != objects["clss"]:
            del results[video][segment]


def _repeat(objects: Json, index: int, times: int) -> None:
    for key in objects:
        objects[key] += objects[key][index : index + 1] * times


def _repeat_first(results: Json, reference: Json) -> None:
    """Repeat the subject of each sentence, which is right more often than other words."""
    for _, _, objects in segments_of(results):
        _repeat(objects, 0, 1)


def _repeat_right(results: Json, reference: Json) -> None:
    """Repeat an object that is right: what knowing which one is right would gain."""
    for video, segment, objects in segments_of(results):
        words = list(words_of(reference["annotations"][video]["segments"][segment]))
        for index, (name, boxes) in enumerate(zip(objects["clss"], objects["bbox_for_all_frames"])):
            if any(name == label and _near(boxes[frame], box) for label, _, frame, box in words):
                _repeat(objects, index, 10)
                break


def _near(box: Box, other: Box) -> bool:
    return all(abs(a - b) < 20 for a, b in zip(box, other))


_BOTH = (
    _trick("giant boxes", _giant_boxes),
    _trick("every object twice", _objects_twice),
    _trick("nothing", lambda results, reference: results.clear()),
)
GIVEN_TRICKS = (*_BOTH, _trick("every word, with the whole image as box", _every_word))
GENERATED_TRICKS = (
    *_BOTH,
    _trick("all classes in each segment", _every_class),
    # The averages per sentence run over the segments that are submitted: the published metric rewards leaving
    # some out.
    _trick("only the segments that it is sure of", _only_sure, rewarded=True),
    # In a sentence precision counts every object and recall only the first of a class: repeating what is sure
    # raises one and costs nothing of the other.
    _trick("the first object of each segment twice", _repeat_first, rewarded=True),
    _trick("an object that is right 11 times", _repeat_right, rewarded=True),
)
