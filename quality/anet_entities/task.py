"""What is made up for the two tasks of ActivityNet-Entities: data, gaming tricks, and likely mistakes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from organizer.files import Files
from quality.anet_entities import synthetic
from quality.anet_entities.mistakes import (
    GENERATED_MISTAKES,
    GENERATED_WEAK_MODELS,
    GIVEN_MISTAKES,
    GIVEN_WEAK_MODELS,
)
from quality.anet_entities.synthetic import WHOLE_IMAGE, Box, Json, segments_of, words_of
from quality.task import Mistake, QualityTask, Trick, WeakModel
from validator.formats.anet_entities.write import encode_submission, segment_objects


def _trick(
    name: str, change: Callable[[Json, Json], None], protocol: str = "published", rewarded: bool = False
) -> Trick:
    """Return a trick that changes results; ``change`` gets the reference, too."""

    def play(reference: Files, sample: Files) -> Files:
        (data,) = sample.values()
        content = json.loads(data)
        change(content["results"], json.loads(reference["reference.json"]))
        return encode_submission(content["results"], content["eval_mode"])

    return Trick(name, play, protocol, rewarded)


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
            objects = segment_objects(annotated["tokens"], list(range(n)), [WHOLE_IMAGE] * n)
            results.setdefault(video, {})[segment] = objects


def _every_class(results: Json, reference: Json) -> None:
    n = len(reference["vocab"])
    for _, _, objects in segments_of(results):
        first_boxes = [*objects["bbox_for_all_frames"], WHOLE_IMAGE][0]
        objects.update(segment_objects(reference["vocab"], [0] * n, [first_boxes] * n))


def _only_sure(results: Json, reference: Json) -> None:
    """Keep the segments in which all is right, as a method with well-calibrated confidence nearly can."""
    for video, segment, objects in segments_of(results):
        annotated = reference["annotations"][video]["segments"][segment]
        if [name for (name,) in annotated["process_clss"]] != objects["clss"]:
            del results[video][segment]


def _repeat(objects: Json, number: int, times: int) -> None:
    """Repeat an object, by its number; a segment without it stays as it is."""
    for key in objects:
        objects[key] += objects[key][number : number + 1] * times


def _repeat_first(results: Json, reference: Json) -> None:
    """Repeat the subject of each sentence, which is right more often than other words."""
    for _, _, objects in segments_of(results):
        _repeat(objects, 0, 1)


def _first_of_each_class(results: Json, reference: Json) -> None:
    """Keep the first object of each class of a segment."""
    for _, _, objects in segments_of(results):
        names = objects["clss"]
        first_numbers = sorted({names.index(name) for name in names})
        for key in objects:
            objects[key] = [objects[key][number] for number in first_numbers]


def _repeat_right(results: Json, reference: Json) -> None:
    """Repeat an object that is right: what knowing which one is right would gain."""
    for video, segment, objects in segments_of(results):
        words = list(words_of(reference["annotations"][video]["segments"][segment]))
        for number, (name, boxes) in enumerate(zip(objects["clss"], objects["bbox_for_all_frames"])):
            if any(name == label and _is_near(boxes[frame], box) for label, _, frame, box in words):
                _repeat(objects, number, 10)
                break


def _is_near(box: Box, other_box: Box) -> bool:
    """Return whether no corner is 20 pixels or more from that of the other box."""
    return all(abs(corner - other) < 20 for corner, other in zip(box, other_box))


_TRICKS = (
    _trick("giant boxes", _giant_boxes),
    _trick("every object twice", _objects_twice),
    _trick("nothing", lambda results, reference: results.clear()),
)
GIVEN_TRICKS = (*_TRICKS, _trick("every word, with the whole image as box", _every_word))
GENERATED_TRICKS = (
    *_TRICKS,
    _trick("all classes in each segment", _every_class),
    _trick("only the segments that it is sure of", _only_sure),
    # The released averages per sentence run over the segments that are submitted.
    _trick("only the segments that it is sure of", _only_sure, "released", rewarded=True),
    # Precision counts each object, recall the first of a class.
    _trick("only the first object of each class", _first_of_each_class, rewarded=True),
    # In a sentence precision counts every object and recall only the first of a class: repeating what is sure
    # raises one and costs nothing of the other.
    _trick("the first object of each segment twice", _repeat_first, rewarded=True),
    _trick("an object that is right 11 times", _repeat_right, rewarded=True),
)


class EntitiesTask(QualityTask[Json]):
    """A task; ``mode`` is what its submissions call it."""

    def __init__(
        self,
        task_id: str,
        mode: str,
        tricks: Sequence[Trick],
        mistakes: Sequence[Mistake[Json]],
        weak_models: Sequence[WeakModel[Json]],
    ) -> None:
        self.id = task_id
        self.tricks = tricks
        self.mistakes = mistakes
        self.weak_models = weak_models
        self._mode = mode
        self._generated = mode == "gen"
        if self._generated:
            outside = {f", {n} outside": partial(synthetic.add_outside, n=n) for n in (1, 2)}
            self.variants = {**self.variants, **outside}

    def write_reference(self, folder: Path, seed: int = 2019, size: int = 1) -> None:
        synthetic.write_videos(folder, 16 * size, self._generated, seed)

    def write_samples(self, reference: Path, folder: Path) -> None:
        synthetic.write_prediction(
            reference, folder / "good", self._mode, jitter=8, wrong_share=0.1, left_out_share=0.0
        )
        synthetic.write_prediction(
            reference, folder / "weak", self._mode, jitter=60, wrong_share=0.4, left_out_share=0.25
        )

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write 2,500 videos times ``scale``; at 1 with about 23,000 words."""
        n_videos = max(round(2500 * scale), 1)
        synthetic.write_videos(folder / "ref", n_videos, self._generated, 2019, more_words=200)
        synthetic.write_prediction(
            folder / "ref", folder / "res", self._mode, jitter=20, wrong_share=0.2, left_out_share=0.02
        )


TASKS = (
    EntitiesTask(
        task_id="anet_entities_gt",
        mode="GT",
        tricks=GIVEN_TRICKS,
        mistakes=GIVEN_MISTAKES,
        weak_models=GIVEN_WEAK_MODELS,
    ),
    EntitiesTask(
        task_id="anet_entities_gen",
        mode="gen",
        tricks=GENERATED_TRICKS,
        mistakes=GENERATED_MISTAKES,
        weak_models=GENERATED_WEAK_MODELS,
    ),
)
