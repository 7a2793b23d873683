"""Likely mistakes in predictions for Kinetics-TPS, and models that are honest and weak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from organizer.tasks.kinetics_tps import Prediction
from people_in_video.diagnosis.samples import to_sizes
from people_in_video.diagnosis.trials import Family
from quality import cures
from quality.box_mistakes import ChangeOfAllBoxes, ChangeOfBoxes, mistakes_in_boxes, weak_models_of_boxes
from quality.cures import Cure
from quality.kinetics_tps.synthetic import (
    CLASS_NAMES,
    PART_NAMES,
    STATES,
    change_each,
    frames_of,
    humans_of,
    parts_of,
)
from quality.task import Mistake, Said, WeakModel, cured, noted
from validator.arrays import Floats, Ints
from validator.formats.kinetics_tps.write import MOST_HUMANS, MOST_PROPOSALS, Json, frame_number

# Changes of the content of one file, and of both; they may change in place.
ChangeOfFile = Callable[[Json], Json]
Change = Callable[[Prediction], Prediction]
Rename = Callable[[str], str]
_CANVAS = (640, 480)
_BOXES = ("humans", "parts")
_NAMED = "N-NAMES-UNKNOWN"
_FRAME = "img_{:05d}.json"


def _in_classes(change: ChangeOfFile) -> Change:
    """Return a change of the classes of videos."""
    return lambda prediction: prediction._replace(classes=change(prediction.classes))


def _in_videos(change: ChangeOfFile) -> Change:
    """Return a change of the frames of videos."""
    return lambda prediction: prediction._replace(videos=change(prediction.videos))


def _change_boxes(change: ChangeOfBoxes) -> Change:
    """Return a change of the boxes of humans and parts."""

    def change_human(human: Json) -> None:
        for entry in (human, *human["parts"].values()):
            entry["box"] = change(np.array(entry["box"], dtype=np.float64)).tolist()

    return _in_videos(change_each(humans_of, change_human))


def _write_ordered_sizes(prediction: Prediction) -> Prediction:
    """Write width and height instead of x2 and y2, without the boxes that a validator then refuses."""
    return _in_videos(_keep_ordered_boxes)(_change_boxes(to_sizes)(prediction))


def _keep_ordered_boxes(videos: Json) -> Json:
    def is_ordered(box: list[float]) -> bool:
        return box[2] >= box[0] and box[3] >= box[1]

    for frame in frames_of(videos):
        frame["humans"] = [human for human in frame["humans"] if is_ordered(human["box"])]
    for human in humans_of(videos):
        parts = human["parts"].items()
        human["parts"] = {name: part for name, part in parts if all(map(is_ordered, part["box"]))}
    return videos


def _write_relative_parts(prediction: Prediction) -> Prediction:
    """Write the boxes of parts from the corner of their human."""
    for human in humans_of(prediction.videos):
        corner = np.array(human["box"][:2] * 2)
        for part in human["parts"].values():
            part["box"] = (np.array(part["box"]) - corner).tolist()
    return prediction


def _write_large_humans(human: Json) -> None:
    human["box"] = [2 * value for value in human["box"]]


def _write_scales_of_videos(prediction: Prediction) -> Prediction:
    """Write boxes of videos that were made smaller, each to another size."""
    names = sorted(prediction.classes)
    for video, frames in prediction.videos.items():
        scale = float(cures.uneven_scales(np.array(names.index(video))))
        for human in humans_of({video: frames}):
            for entry in (human, *human["parts"].values()):
                entry["box"] = (np.array(entry["box"]) / scale).tolist()
    return prediction


def _in_some_videos(change: Change) -> Change:
    """Return a change of every second video, which changes in place."""

    def change_some(prediction: Prediction) -> Prediction:
        change(prediction._replace(videos=_keep_every_second(prediction.videos)))
        return prediction

    return change_some


def _split_humans(videos: Json) -> Json:
    for frame in frames_of(videos):
        split = []
        for human in frame["humans"]:
            split += [{**human, "parts": {name: part}} for name, part in human["parts"].items()]
        frame["humans"] = split[:MOST_HUMANS]
    return videos


def _write_boxes_of_humans(prediction: Prediction) -> Prediction:
    for human in humans_of(prediction.videos):
        for part in human["parts"].values():
            part["box"] = [human["box"]] * len(part["box"])
    return prediction


def _empty_every_second(videos: Json) -> Json:
    for frame in list(frames_of(videos))[::2]:
        frame["humans"] = []
    return videos


def _exchange_parts(videos: Json) -> Json:
    """Give each human the parts of the next one of its frame."""
    for frame in frames_of(videos):
        parts = [human["parts"] for human in frame["humans"]]
        for human, other_parts in zip(frame["humans"], parts[1:] + parts[:1]):
            human["parts"] = other_parts
    return videos


def _sort_humans(videos: Json) -> Json:
    """Sort the boxes of humans from the right, and leave their parts where they are."""
    for frame in frames_of(videos):
        boxes = sorted((human["box"] for human in frame["humans"]), reverse=True)
        for human, box in zip(frame["humans"], boxes):
            human["box"] = box
    return videos


def _roll_states(human: Json) -> None:
    parts = list(human["parts"].values())
    states = [part["verb"] for part in parts]
    for part, other_states in zip(parts, [*states[1:], *states[:1]]):
        part["verb"] = [other_states[0]] * len(part["verb"])


def _exchange_videos(items: Callable[[int], Ints], prediction: Prediction) -> Prediction:
    """Return all predictions under the names of other videos: those of video ``items(n)[i]`` for video i."""
    names = sorted(prediction.classes)
    videos: Json = {}
    for name, item in zip(names, items(len(names)).tolist()):
        if names[item] in prediction.videos:
            videos[name] = prediction.videos[names[item]]
    return Prediction(cures.exchange(prediction.classes, items), videos)


def _exchange_classes(items: Callable[[int], Ints], prediction: Prediction) -> Prediction:
    """Return the classes under the names of other videos."""
    return prediction._replace(classes=cures.exchange(prediction.classes, items))


def _rename_classes(rename: Rename) -> Change:
    def change(classes: Json) -> Json:
        return {video: rename(name) for video, name in classes.items()}

    return _in_classes(change)


def _rename_states(rename: Rename) -> Change:
    def change_part(part: Json) -> None:
        part["verb"] = [rename(state) for state in part["verb"]]

    return _in_videos(change_each(parts_of, change_part))


def _rename_parts(rename: Rename) -> Change:
    def change_human(human: Json) -> None:
        human["parts"] = {rename(name): part for name, part in human["parts"].items()}

    return _in_videos(change_each(humans_of, change_human))


def _swap_sides(name: str) -> str:
    return name.replace("left", "@").replace("right", "left").replace("@", "right")


def _rename_frames(change_number: Callable[[int], int], form: str = _FRAME) -> Change:
    def rename(name: str) -> str:
        return form.format(change_number(frame_number(name)))

    def change(videos: Json) -> Json:
        return {video: cures.rename_keys(frames, rename) for video, frames in videos.items()}

    return _in_videos(change)


def _rename_videos(rename: Rename) -> Change:
    def change(prediction: Prediction) -> Prediction:
        return Prediction(
            cures.rename_keys(prediction.classes, rename), cures.rename_keys(prediction.videos, rename)
        )

    return change


def _next_name(video: str) -> str:
    return f"demo_{int(video[-5:]) + 1:05d}"


def _next_state(state: str) -> str:
    return STATES[(STATES.index(state) + 1) % len(STATES)]


def _misspell_some(video: str) -> str:
    return video.replace("demo", "dmo") if video.endswith("3") else video


def _repeat_first_proposal(part: Json) -> None:
    part["box"] = part["box"][:1] * MOST_PROPOSALS
    part["verb"] = part["verb"][:1] * MOST_PROPOSALS


def _keep_every_second(videos: Json) -> Json:
    return {video: videos[video] for video in sorted(videos)[::2]}


def _in_other_order(
    noun: str, names: Sequence[str], rename_all: Callable[[Rename], Change]
) -> Mistake[Prediction]:
    """Return the mistake that names come from a list in another order."""
    other_name = cures.other_order(names)
    change = rename_all(partial(cures.look_up, other_name))
    return cured(f"{noun} of a list in another order", (noun,), Family.ORDER, change)


def _as_numbers(
    noun: str, names: Sequence[str], rename_all: Callable[[Rename], Change]
) -> Mistake[Prediction]:
    """Return the mistake that names are written as their places in their list."""
    number_of_name = {name: str(number) for number, name in enumerate(names)}
    change = rename_all(partial(cures.look_up, number_of_name))
    said = [Said("N-LOOKS", f"read with {noun} from a list"), Said(_NAMED)]
    return Mistake(f"{noun} as numbers", change, said=said)


def _spelled(
    noun: str, manner: str, respell: Rename, rename_all: Callable[[Rename], Change]
) -> Mistake[Prediction]:
    """Return the mistake that all names are spelled otherwise."""
    return noted(f"{noun} {manner}", _NAMED, rename_all(respell))


def _misspelled(name: str, wrong_name: str, rename_all: Callable[[Rename], Change]) -> Mistake[Prediction]:
    """Return the mistake that one name is misspelled, which a note must name."""
    change = rename_all(partial(cures.look_up, {name: wrong_name}))
    return noted(f"{wrong_name} for {name}", _NAMED, change, wrong_name)


def _numbered_frames(
    name: str, change_number: Callable[[int], int], words: str, form: str = _FRAME
) -> Mistake[Prediction]:
    said = [Said("N-FRAMES-UNKNOWN", words), Said("N-FRAMES-UNKNOWN", "the data's 'img_")]
    return Mistake(name, _rename_frames(change_number, form), said=said)


def _spelled_frames(name: str, form: str) -> Mistake[Prediction]:
    return noted(name, "N-FRAMES-UNKNOWN", _rename_frames(int, form), "write them as in the data, as 'img_")


def _spelled_videos(name: str, rename: Rename) -> Mistake[Prediction]:
    return noted(name, "E-ITEMS-NONE", _rename_videos(rename), "write them as in the data, as '")


def _other_boxes() -> list[Mistake[Prediction]]:
    """Return mistakes in the boxes of pictures that were changed in other ways."""
    width, height = _CANVAS

    def from_bottom(boxes: Floats) -> Floats:
        x1, y1, x2, y2 = np.moveaxis(boxes, -1, 0)
        return np.stack([x1, height - y2, x2, height - y1], axis=-1)

    def turned(boxes: Floats) -> Floats:
        x1, y1, x2, y2 = np.moveaxis(boxes, -1, 0)
        return np.stack([y1, width - x2, y2, width - x1], axis=-1)

    percent = np.array([width, height, width, height]) / 100
    corner = np.array([80.0, 20.0, 80.0, 20.0])
    return [
        _boxes("boxes with y from the bottom", from_bottom),
        _boxes("boxes of pictures turned by 90 degrees", turned),
        _boxes("boxes in percent", lambda boxes: boxes / percent),
        _boxes("boxes of a part of the picture, 0.7 of its size", lambda boxes: (boxes - corner) * 0.7),
    ]


def _boxes(name: str, write: ChangeOfBoxes) -> Mistake[Prediction]:
    return cured(name, _BOXES, Family.FIT, _change_boxes(write))


_CLASSES = "action classes"
_PARTS = "part names"
MISTAKES: list[Mistake[Prediction]] = [
    *mistakes_in_boxes(_change_boxes, _BOXES, _CANVAS, [Said("E-BOX-ORDER")]),
    Mistake(
        name="boxes as [x, y, width, height], those that are in order",
        change=_write_ordered_sizes,
        cures=[Cure(_BOXES, Family.READING)],
        size=10,
    ),
    *_other_boxes(),
    cured("boxes of parts from the corner of their human", ("parts",), Family.READING, _write_relative_parts),
    cured(
        "boxes of humans at double size",
        ("humans",),
        Family.FIT,
        _in_videos(change_each(humans_of, _write_large_humans)),
    ),
    cured("boxes of videos of different sizes", _BOXES, Family.ITEM_SCALE, _write_scales_of_videos),
    cured(
        "boxes of half of the videos at double size",
        _BOXES,
        Family.FIT,
        _in_some_videos(_change_boxes(lambda boxes: 2 * boxes)),
    ),
    cured(
        "parts of the next human of the frame",
        ("parts of humans",),
        Family.ORDER,
        _in_videos(_exchange_parts),
    ),
    cured(
        "boxes of humans sorted, their parts not",
        ("parts of humans",),
        Family.ORDER,
        _in_videos(_sort_humans),
    ),
    cured(
        "states of the next part of the human",
        ("states",),
        Family.ITEMS,
        _in_videos(change_each(humans_of, _roll_states)),
    ),
    cured("predictions of the next video", _BOXES, Family.ITEMS, partial(_exchange_videos, cures.next_items)),
    cured(
        "predictions of the video two after it",
        _BOXES,
        Family.ITEMS,
        partial(_exchange_videos, cures.second_items),
    ),
    cured(
        "predictions of other videos, in random order",
        _BOXES,
        Family.ITEMS,
        partial(_exchange_videos, cures.shuffled_items),
    ),
    cured(
        "classes of the next video", (_CLASSES,), Family.ITEMS, partial(_exchange_classes, cures.next_items)
    ),
    Mistake(
        name="videos counted from 1",
        change=_rename_videos(_next_name),
        said=[Said("N-ITEMS-UNKNOWN", "n - 1")],
        cures=[Cure(_BOXES, Family.ITEMS)],
    ),
    cured("left and right swapped", (_PARTS,), Family.ORDER, _rename_parts(_swap_sides)),
    cured(
        "left and right swapped in half of the videos",
        (_PARTS,),
        Family.ORDER,
        _in_some_videos(_rename_parts(_swap_sides)),
    ),
    _in_other_order(_CLASSES, CLASS_NAMES, _rename_classes),
    _in_other_order("states", STATES, _rename_states),
    cured("states one place later in their list", ("states",), Family.ORDER, _rename_states(_next_state)),
    _in_other_order(_PARTS, PART_NAMES, _rename_parts),
    _spelled(_CLASSES, "as words", lambda name: name.replace("_", " ").title(), _rename_classes),
    _spelled(_CLASSES, "in capitals", str.upper, _rename_classes),
    _as_numbers(_CLASSES, CLASS_NAMES, _rename_classes),
    _spelled("states", "with a capital letter", str.title, _rename_states),
    _as_numbers("states", STATES, _rename_states),
    _spelled(_PARTS, "with blanks", lambda name: name.replace("_", " "), _rename_parts),
    _spelled(_PARTS, "with capital letters", str.title, _rename_parts),
    _misspelled("push_cart", "pushcart", _rename_classes),
    _misspelled("touch", "tuch", _rename_states),
    _misspelled("none", "None", _rename_states),
    _misspelled("hip", "hips", _rename_parts),
    _numbered_frames("frames counted from 0", lambda number: number - 1, "n + 1"),
    _numbered_frames("frames one too high", lambda number: number + 1, "n - 1"),
    _numbered_frames("frames counted 1, 2, 3", lambda number: (number - 1) // 5 + 1, ""),
    _numbered_frames("frames 3, 8, 13", lambda number: number + 2, ""),
    _spelled_frames("frames named as images", "img_{:05d}.jpg"),
    _spelled_frames("frames without ending", "img_{:05d}"),
    _spelled_frames("frames without zeros", "img_{}.json"),
    _spelled_frames("frames in 2 digits", "img_{:02d}.json"),
    _spelled_frames("frames as numbers alone", "{}"),
    _spelled_frames("frames named frame_000001.jpg", "frame_{:06d}.jpg"),
    _numbered_frames(
        "frames counted from 0, as numbers alone", lambda number: number - 1, "n + 1 for n", "{}"
    ),
    _spelled_videos("videos with .mp4", "{}.mp4".format),
    _spelled_videos("videos in capitals", str.upper),
    _spelled_videos("videos with times", "{}_000001_000010".format),
    _spelled_videos("videos with a folder", "throw_ball/{}".format),
    noted("a tenth of the videos misspelled", "N-ITEMS-UNKNOWN", _rename_videos(_misspell_some)),
    noted("videos of another split", "E-ITEMS-NONE", _rename_videos(lambda video: f"train{video[4:]}")),
    noted(
        "each proposal five times", "N-REPEATED", _in_videos(change_each(parts_of, _repeat_first_proposal))
    ),
    noted("each part in a human of its own", "N-REPEATED", _in_videos(_split_humans)),
    noted("boxes of parts that are those of their humans", "N-LOOKS-CONSTANT", _write_boxes_of_humans),
    noted(
        "humans without parts",
        "N-PARTS-NONE",
        _in_videos(change_each(humans_of, lambda human: human.update(parts={}))),
    ),
    noted("every second frame empty", "N-PLACES-EMPTY", _in_videos(_empty_every_second)),
    noted(
        "half of the videos in 0..1",
        "N-LOOKS",
        _in_some_videos(_change_boxes(lambda boxes: boxes / np.array(_CANVAS * 2))),
    ),
    _numbered_frames("frames 1, 5, 10", lambda number: max(number - 1, 1), ""),
    noted("class missing for half of the videos", "N-CLASSES-MISSING", _in_classes(_keep_every_second)),
    noted("all boxes the same", "N-LOOKS-CONSTANT", _change_boxes(lambda boxes: np.full_like(boxes, 7))),
    noted("all boxes -1", "N-LOOKS-CONSTANT", _change_boxes(lambda boxes: np.full_like(boxes, -1))),
    noted("one class everywhere", "N-LOOKS-CONSTANT", _rename_classes(lambda name: CLASS_NAMES[0])),
]


def _change_all_boxes(
    prediction: Prediction, change: ChangeOfAllBoxes, rng: np.random.Generator
) -> Prediction:
    """Change all boxes of humans together, and all of parts."""
    humans, parts = list(humans_of(prediction.videos)), list(parts_of(prediction.videos))
    if humans:
        boxes = change(np.array([human["box"] for human in humans], dtype=np.float64), rng)
        for human, box in zip(humans, boxes.tolist()):
            human["box"] = box
    if parts:
        boxes = change(np.array([part["box"][0] for part in parts], dtype=np.float64), rng)
        for part, box in zip(parts, boxes.tolist()):
            part["box"] = [box]
    return prediction


def _shuffle_names(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    """Give each video the class of another one, and each part the state of another one."""
    classes = dict(zip(prediction.classes, rng.permutation(list(prediction.classes.values())).tolist()))
    states = rng.permutation([part["verb"][0] for part in parts_of(prediction.videos)]).tolist()
    for part, state in zip(parts_of(prediction.videos), states):
        part["verb"] = [state]
    return prediction._replace(classes=classes)


def _most_frequent_names(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    """Give each video the most frequent class, and each part the most frequent state."""
    states = Counter(part["verb"][0] for part in parts_of(prediction.videos))
    if states:
        _rename_states(lambda state: max(states, key=states.__getitem__))(prediction)
    classes = Counter(prediction.classes.values())
    return _rename_classes(lambda name: max(classes, key=classes.__getitem__))(prediction)


def _collapse_names(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    """Predict a third of the classes and of the states only."""
    _rename_states(lambda state: STATES[STATES.index(state) // 3 * 3])(prediction)
    return _rename_classes(lambda name: CLASS_NAMES[CLASS_NAMES.index(name) // 3 * 3])(prediction)


def _keep_tenth(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    for frame in frames_of(prediction.videos):
        frame["humans"] = [human for human in frame["humans"] if rng.random() < 0.1]
    return prediction


def _reverse_frames(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    """Give each frame of a video the humans of the frame that is as far from the other end."""
    for video, frames in prediction.videos.items():
        names = sorted(frames)
        prediction.videos[video] = {name: frames[other] for name, other in zip(names, reversed(names))}
    return prediction


WEAK_MODELS: list[WeakModel[Prediction]] = [
    WeakModel("frames of a video in reverse order", _reverse_frames),
    *weak_models_of_boxes(_change_all_boxes, _CANVAS),
    WeakModel("shuffled classes and states", _shuffle_names),
    WeakModel("the most frequent class and state", _most_frequent_names),
    WeakModel("a third of the classes and states", _collapse_names),
    WeakModel("a tenth of the humans", _keep_tenth),
]
