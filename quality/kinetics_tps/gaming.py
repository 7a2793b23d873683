"""Gaming tricks for Kinetics-TPS."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

from organizer.files import Files
from quality.kinetics_tps.synthetic import CLASSES, PARTS, Json, each, frames_of, humans_of, parts_of
from quality.task import Trick

_GIANT = [-1e4, -1e4, 1e4, 1e4]


def _videos(change: Callable[[Json], Json]) -> Callable[[Files, Files], Files]:
    """Return what plays a change of all videos."""
    return lambda reference, sample: {**sample, PARTS: json.dumps(change(json.loads(sample[PARTS]))).encode()}


def _repeated(times: int) -> Callable[[Json], None]:
    """Return a change that lists all entries up to ``times`` times, cut to as many entries."""
    return lambda lists: lists.update({key: (values * times)[:times] for key, values in lists.items()})


def _giant_boxes(part: Json) -> None:
    part["box"] = [_GIANT for _ in part["box"]]


def _most_frequent_class(reference: Files, sample: Files) -> Files:
    classes = json.loads(reference["gt_vid_result.json"])
    label = Counter(classes.values()).most_common(1)[0][0]
    return {**sample, CLASSES: json.dumps(dict.fromkeys(classes, label)).encode()}


TRICKS = (
    Trick("giant human boxes", _videos(each(humans_of, lambda human: human.update(box=_GIANT)))),
    Trick("giant part boxes", _videos(each(parts_of, _giant_boxes))),
    Trick("each proposal listed up to 5 times", _videos(each(parts_of, _repeated(5)))),
    # A part that is right counts the less, the more proposals it has.
    Trick("only the first proposal of each part", _videos(each(parts_of, _repeated(1))), rewarded=True),
    Trick("each human listed up to 10 times", _videos(each(frames_of, _repeated(10)))),
    Trick("no parts at all", lambda reference, sample: {**sample, PARTS: b"{}"}),
    Trick("the most frequent class everywhere", _most_frequent_class),
)
