"""What is made up for Kinetics-TPS: data, gaming tricks, and likely mistakes in predictions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from organizer.files import Files
from quality.boxes import CANVAS, Boxes, mistakes_in_boxes, sizes
from quality.kinetics_tps import synthetic
from quality.kinetics_tps.synthetic import CLASSES, PARTS, STATES, Json, each, frames_of, humans_of, parts_of
from quality.task import CANARY, Mistake, QualityTask, Trick
from scoring_program.challenges.kinetics_tps import hints

Change = Callable[[Json], Json]
_GIANT = [-1e4, -1e4, 1e4, 1e4]


def _played(change: Change) -> Callable[[Files, Files], Files]:
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
    Trick("giant human boxes", _played(each(humans_of, lambda human: human.update(box=_GIANT)))),
    Trick("giant part boxes", _played(each(parts_of, _giant_boxes))),
    Trick("each proposal listed up to 5 times", _played(each(parts_of, _repeated(5)))),
    # A part that is right counts the less, the more proposals it has.
    Trick("only the first proposal of each part", _played(each(parts_of, _repeated(1))), rewarded=True),
    Trick("each human listed up to 10 times", _played(each(frames_of, _repeated(10)))),
    Trick("no parts at all", lambda reference, sample: {**sample, PARTS: b"{}"}),
    Trick("the most frequent class everywhere", _most_frequent_class),
)


def _in(file: str, change: Change) -> Change:
    """Return a change of the content of one file."""
    return lambda prediction: {**prediction, file: change(prediction[file])}


def _each_box(boxes: Boxes) -> Change:
    def change(human: Json) -> None:
        for entry in (human, *human["parts"].values()):
            entry["box"] = boxes(np.array(entry["box"], dtype=np.float64)).tolist()

    return _in(PARTS, each(humans_of, change))


def _keep_valid(videos: Json) -> Json:
    """Leave out sizes that a validator refuses: it wants width >= x and height >= y."""

    def valid(box: list[float]) -> bool:
        return box[2] >= box[0] and box[3] >= box[1]

    for frame in frames_of(videos):
        frame["humans"] = [human for human in frame["humans"] if valid(human["box"])]
    for human in humans_of(videos):
        human["parts"] = {name: part for name, part in human["parts"].items() if all(map(valid, part["box"]))}
    return videos


def _classes(change: Callable[[str], str]) -> Change:
    return _in(CLASSES, lambda classes: {video: change(name) for video, name in classes.items()})


def _class_numbers(classes: Json) -> Json:
    names = sorted(set(classes.values()))
    return {video: str(names.index(name)) for video, name in classes.items()}


def _states(renamed: Callable[[str], str]) -> Change:
    return _in(PARTS, each(parts_of, lambda part: part.update(verb=list(map(renamed, part["verb"])))))


def _parts(renamed: Callable[[str], str]) -> Change:
    def change(human: Json) -> None:
        human["parts"] = {renamed(name): part for name, part in human["parts"].items()}

    return _in(PARTS, each(humans_of, change))


def _frames(number: Callable[[int], int], name: str = "img_{:05d}.json") -> Change:
    def renamed(frames: Json) -> Json:
        return {name.format(number(int(known[4:9]))): content for known, content in frames.items()}

    return _in(PARTS, lambda videos: {video: renamed(frames) for video, frames in videos.items()})


def _sides(name: str) -> str:
    return name.replace("left", "@").replace("right", "left").replace("@", "right")


def _repeat(part: Json) -> None:
    part.update(box=5 * part["box"][:1], verb=5 * part["verb"][:1])


def _half(videos: Json) -> Json:
    return {video: videos[video] for video in sorted(videos)[::2]}


def _videos(renamed: Callable[[str], str]) -> Change:
    def change(videos: Json) -> Json:
        return {renamed(video): content for video, content in videos.items()}

    return lambda prediction: _in(CLASSES, change)(_in(PARTS, change)(prediction))


MISTAKES: list[Mistake[Json]] = [
    Mistake("left and right swapped", "N-LOOKS-SWAPPED", _parts(_sides)),
    Mistake("each proposal five times", "N-REPEATED", _in(PARTS, each(parts_of, _repeat))),
    Mistake("class missing for half of the videos", "N-CLASSES-MISSING", _in(CLASSES, _half)),
    Mistake("videos with .mp4", "N-LOOKS-SPELLED", _videos("{}.mp4".format)),
    *mistakes_in_boxes(_each_box),
    Mistake(
        "[x, y, width, height]",
        "N-LOOKS-XYWH",
        lambda prediction: _in(PARTS, _keep_valid)(_each_box(sizes)(prediction)),
        large=True,
    ),
    Mistake("all boxes the same", "N-LOOKS-CONSTANT", _each_box(lambda boxes: np.full_like(boxes, 7))),
    Mistake("all boxes -1", "N-LOOKS-CONSTANT", _each_box(lambda boxes: np.full_like(boxes, -1))),
    Mistake("224 x 224", "N-LOOKS-SCALED", _each_box(lambda boxes: boxes / CANVAS * 224)),
    Mistake("classes as words", "N-LOOKS-SPELLED", _classes(lambda name: name.replace("_", " ").title())),
    Mistake("classes in capitals", "N-LOOKS-SPELLED", _classes(str.upper)),
    Mistake("classes as numbers", "N-LOOKS-SPELLED", _in(CLASSES, _class_numbers)),
    Mistake("states in capitals", "N-LOOKS-SPELLED", _states(str.title)),
    Mistake("states as numbers", "N-LOOKS-SPELLED", _states(lambda name: str(STATES.index(name)))),
    Mistake("parts with spaces", "N-LOOKS-SPELLED", _parts(lambda name: name.replace("_", " "))),
    Mistake("parts in capitals", "N-LOOKS-SPELLED", _parts(str.title)),
    Mistake("frames from 0", "N-LOOKS-SHIFTED", _frames(lambda number: number - 1)),
    Mistake("frames counted 1, 2, 3", "N-LOOKS-SHIFTED", _frames(lambda number: (number - 1) // 5 + 1)),
    Mistake("frames named as images", "N-LOOKS-SPELLED", _frames(int, "img_{:05d}.jpg")),
    Mistake("frames without ending", "N-LOOKS-SPELLED", _frames(int, "img_{:05d}")),
    Mistake("frames in 2 digits", "N-LOOKS-SPELLED", _frames(int, "img_{:02d}.json")),
    Mistake("frames 3, 8, 13", "N-NAMES-UNKNOWN", _frames(lambda number: number + 2)),
]


class KineticsTask(QualityTask[Json]):
    """The task of Kinetics-TPS."""

    id, tricks, mistakes = "kinetics_tps", TRICKS, MISTAKES
    checks = staticmethod(hints.checks)

    def write_reference(self, folder: Path, seed: int = 2021, size: int = 1) -> None:
        synthetic.write_videos(folder, 36 * size, (2, 2), seed)

    def write_samples(self, reference: Path, folder: Path) -> None:
        synthetic.write_prediction(reference, folder / "good", jitter=6, wrong=0.05, most_proposals=2)
        synthetic.write_prediction(reference, folder / "weak", jitter=25, wrong=0.4, most_proposals=5)

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write 932 videos times ``scale``; at 1 about 70 MB of predictions."""
        synthetic.write_videos(folder / "ref", max(round(932 * scale), 1), (38, 42), 2021)
        synthetic.write_prediction(folder / "ref", folder / "res", jitter=10, wrong=0.2, most_proposals=5)

    def plant(self, folder: Path) -> None:
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
        human = {"box": [1, 1, 2, 2], "parts": {"head": {"box": [[1, 1, 2, 2]], "verb": ["x"]}}}
        videos = {f"{CANARY}vid": {f"{CANARY}frame.json": {"humans": [human]}}}
        return self.files({CLASSES: {f"{CANARY}vid": "x"}, PARTS: videos})

    def calls(self, files: Files) -> Iterator[Sequence[object]]:
        parts = json.loads(files[PARTS])
        for video, action in json.loads(files[CLASSES]).items():
            frames = {
                int(name[4:-5]): [
                    (human["box"], {key: (part["box"], part["verb"]) for key, part in human["parts"].items()})
                    for human in frame["humans"]
                ]
                for name, frame in parts.get(video, {}).items()
            }
            yield video, action, frames


TASKS = (KineticsTask(),)
