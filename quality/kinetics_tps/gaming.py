"""Gaming tricks for Kinetics-TPS."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

from organizer.files import Files
from quality.kinetics_tps.synthetic import CLASSES, PARTS, Json, frames_of
from quality.task import Trick

_GIANT = [-1e4, -1e4, 1e4, 1e4]


def _each_frame(change: Callable[[Json], None]) -> Callable[[Files, Files], Files]:
    def play(reference: Files, sample: Files) -> Files:
        videos = json.loads(sample[PARTS])
        for frame in frames_of(videos):
            change(frame)
        return {**sample, PARTS: json.dumps(videos).encode()}

    return play


def _each_part(change: Callable[[Json], None]) -> Callable[[Files, Files], Files]:
    def change_all(frame: Json) -> None:
        for human in frame["humans"]:
            for part in human["parts"].values():
                change(part)

    return _each_frame(change_all)


def _repeated(lists: Json, times: int) -> Json:
    return {key: (entries * times)[:times] for key, entries in lists.items()}


def _giant_humans(frame: Json) -> None:
    for human in frame["humans"]:
        human["box"] = _GIANT


def _most_frequent_class(reference: Files, sample: Files) -> Files:
    classes = json.loads(reference["gt_vid_result.json"])
    label = Counter(classes.values()).most_common(1)[0][0]
    return {**sample, CLASSES: json.dumps(dict.fromkeys(classes, label)).encode()}


def _first(part: Json) -> None:
    part.update({key: values[:1] for key, values in part.items()})


TRICKS = (
    Trick("giant human boxes", _each_frame(_giant_humans)),
    Trick("giant part boxes", _each_part(lambda part: part.update(box=[_GIANT for _ in part["box"]]))),
    Trick("each proposal listed up to 5 times", _each_part(lambda part: part.update(_repeated(part, 5)))),
    # A part that is right counts the less, the more proposals it has.
    Trick("only the first proposal of each part", _each_part(_first), rewarded=True),
    Trick("each human listed up to 10 times", _each_frame(lambda frame: frame.update(_repeated(frame, 10)))),
    Trick("no parts at all", lambda reference, sample: {**sample, PARTS: b"{}"}),
    Trick("the most frequent class everywhere", _most_frequent_class),
)
