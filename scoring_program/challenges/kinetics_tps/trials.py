"""What tests and tools try on this task; see `scoring_program.trials.Trials`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scoring_program.trials import CANARY, Files, Game, Trials

_CLASSES, _PARTS = "pred_vid_result.json", "pred_part_result.json"
# A part that is right counts the less, the more proposals it has.
_FIRST = "only the first proposal of each part"
Change = Callable[[Any], None]


def _humans(frames_of_videos: Any) -> Iterator[dict[str, Any]]:
    for frames in frames_of_videos.values():
        for frame in frames.values():
            yield from frame["humans"]


def _giant_humans(videos: Any) -> None:
    for human in _humans(videos):
        human["box"] = [-1e4, -1e4, 1e4, 1e4]


def _giant_parts(videos: Any) -> None:
    for human in _humans(videos):
        for part in human["parts"].values():
            part["box"] = [[-1e4, -1e4, 1e4, 1e4] for _ in part["box"]]


def _five_proposals(videos: Any) -> None:
    for human in _humans(videos):
        for part in human["parts"].values():
            part["box"], part["verb"] = (part["box"] * 5)[:5], (part["verb"] * 5)[:5]


def _first_proposal(videos: Any) -> None:
    for human in _humans(videos):
        for part in human["parts"].values():
            part["box"], part["verb"] = part["box"][:1], part["verb"][:1]


def _ten_humans(videos: Any) -> None:
    for frames in videos.values():
        for frame in frames.values():
            frame["humans"] = (frame["humans"] * 10)[:10]


def _with_parts(change: Change) -> Game:
    def play(reference: Files, sample: Files) -> Files:
        videos = json.loads(sample[_PARTS])
        change(videos)
        return {**sample, _PARTS: json.dumps(videos).encode()}

    return play


def _most_frequent_class(reference: Files, sample: Files) -> Files:
    truth = json.loads(reference["gt_vid_result.json"])
    label = Counter(truth.values()).most_common(1)[0][0]
    return {**sample, _CLASSES: json.dumps(dict.fromkeys(truth, label)).encode()}


class KineticsTrials(Trials):
    """The trials of Kinetics-TPS."""

    GAMES: Mapping[str, Game] = {
        "giant human boxes": _with_parts(_giant_humans),
        "giant part boxes": _with_parts(_giant_parts),
        "each proposal listed up to 5 times": _with_parts(_five_proposals),
        _FIRST: _with_parts(_first_proposal),
        "each human listed up to 10 times": _with_parts(_ten_humans),
        "no parts at all": _with_parts(lambda videos: videos.clear()),
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
