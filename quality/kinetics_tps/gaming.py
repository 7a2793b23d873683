"""Gaming tricks for Kinetics-TPS."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable

from organizer.files import Files
from quality.kinetics_tps.synthetic import CLASSES, PARTS, Json, frames_of, humans_of, parts_of
from quality.task import Trick

_GIANT = [-1e4, -1e4, 1e4, 1e4]


def _each(
    items: Callable[[Json], Iterable[Json]], change: Callable[[Json], None]
) -> Callable[[Files, Files], Files]:
    def play(reference: Files, sample: Files) -> Files:
        videos = json.loads(sample[PARTS])
        for item in items(videos):
            change(item)
        return {**sample, PARTS: json.dumps(videos).encode()}

    return play


def _repeated(times: int) -> Callable[[Json], None]:
    """Return a change that lists all entries up to ``times`` times, cut to as many entries."""
    return lambda lists: lists.update({key: (values * times)[:times] for key, values in lists.items()})


def _most_frequent_class(reference: Files, sample: Files) -> Files:
    classes = json.loads(reference["gt_vid_result.json"])
    label = Counter(classes.values()).most_common(1)[0][0]
    return {**sample, CLASSES: json.dumps(dict.fromkeys(classes, label)).encode()}


TRICKS = (
    Trick("giant human boxes", _each(humans_of, lambda human: human.update(box=_GIANT))),
    Trick("giant part boxes", _each(parts_of, lambda part: part.update(box=[_GIANT for _ in part["box"]]))),
    Trick("each proposal listed up to 5 times", _each(parts_of, _repeated(5))),
    # A part that is right counts the less, the more proposals it has.
    Trick("only the first proposal of each part", _each(parts_of, _repeated(1)), rewarded=True),
    Trick("each human listed up to 10 times", _each(frames_of, _repeated(10))),
    Trick("no parts at all", lambda reference, sample: {**sample, PARTS: b"{}"}),
    Trick("the most frequent class everywhere", _most_frequent_class),
)
