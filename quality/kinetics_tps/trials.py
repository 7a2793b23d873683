"""What tests and tools try on this task; see `quality.trials.Trials`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from quality.trials import CANARY, Files, Game, Trials

_CLASSES, _PARTS = "pred_vid_result.json", "pred_part_result.json"
# A part that is right counts the less, the more proposals it has.
_FIRST = "only the first proposal of each part"
_GIANT = [-1e4, -1e4, 1e4, 1e4]
Json = dict[str, Any]
Change = Callable[[Json], None]


def _each_frame(change: Change) -> Game:
    def play(reference: Files, sample: Files) -> Files:
        videos = json.loads(sample[_PARTS])
        for frames in videos.values():
            for frame in frames.values():
                change(frame)
        return {**sample, _PARTS: json.dumps(videos).encode()}

    return play


def _each_part(change: Change) -> Game:
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
    return {**sample, _CLASSES: json.dumps(dict.fromkeys(classes, label)).encode()}


class KineticsTrials(Trials):
    """The trials of Kinetics-TPS."""

    GAMES: Mapping[str, Game] = {
        "giant human boxes": _each_frame(_giant_humans),
        "giant part boxes": _each_part(lambda part: part.update(box=[_GIANT for _ in part["box"]])),
        "each proposal listed up to 5 times": _each_part(lambda part: part.update(_repeated(part, 5))),
        _FIRST: _each_part(lambda part: part.update({key: values[:1] for key, values in part.items()})),
        "each human listed up to 10 times": _each_frame(lambda frame: frame.update(_repeated(frame, 10))),
        "no parts at all": lambda reference, sample: {**sample, _PARTS: b"{}"},
        "the most frequent class everywhere": _most_frequent_class,
    }

    REWARDED = frozenset({_FIRST})

    def plant(self, folder: Path) -> None:
        """Write a reference full of canaries."""
        part = {
            "number": 7391107, "box": [7391108.5, 1, 7391109.5, 7391110],
            "verb": f"{CANARY}state", "name": f"{CANARY}name",
        }  # fmt: skip
        human = {"number": 7391111, "box": [7391112, 2, 7391113, 7391114], "parts": {f"{CANARY}part": part}}
        classes = {f"{CANARY}vid": f"{CANARY}class", "b": f"{CANARY}other"}
        videos = {f"{CANARY}vid": {f"{CANARY}frame.json": {"humans": [human]}}, "b": {}}
        (folder / "gt_vid_result.json").write_text(json.dumps(classes))
        (folder / "gt_part_result.json").write_text(json.dumps(videos))

    def knowing(self) -> Files:
        """Return a submission that touches the canaries without naming them."""
        human = {"box": [1, 1, 2, 2], "parts": {"head": {"box": [[1, 1, 2, 2]], "verb": ["x"]}}}
        videos = {f"{CANARY}vid": {f"{CANARY}frame.json": {"humans": [human]}}}
        return {_CLASSES: json.dumps({f"{CANARY}vid": "x"}).encode(), _PARTS: json.dumps(videos).encode()}

    def repeat(self, files: Files, copies: Mapping[str, str]) -> Files:
        """Return files with a copy of each item."""
        repeated = {}
        for name, data in files.items():
            content = json.loads(data)
            kept = {copy: content[item] for copy, item in copies.items() if item in content}
            repeated[name] = json.dumps(kept).encode()
        return repeated


TRIALS = KineticsTrials()
