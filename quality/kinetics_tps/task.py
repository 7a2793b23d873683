"""What is made up for Kinetics-TPS: data, gaming tricks, and likely mistakes in predictions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from organizer.challenges.kinetics_tps import Prediction
from organizer.files import Files
from quality.boxes import CANVAS, ChangeOfBoxes, as_sizes, mistakes_in_boxes
from quality.kinetics_tps import synthetic
from quality.kinetics_tps.mistakes import MISTAKES as CURABLE_MISTAKES
from quality.kinetics_tps.mistakes import WEAK_MODELS
from quality.kinetics_tps.synthetic import STATES, change_each, frames_of, humans_of, parts_of
from quality.task import CANARY, Mistake, QualityTask, Trick, write_json
from scoring_program.challenges.kinetics_tps import reference
from validator.formats.kinetics_tps.write import (
    CLASSES_FILE,
    MOST_HUMANS,
    MOST_PROPOSALS,
    PARTS_FILE,
    Json,
    encode_submission,
    frame_entry,
    frame_number,
    human_entry,
    part_entry,
)

# Changes of the content of one file, and of both; they may change in place.
ChangeOfFile = Callable[[Json], Json]
Change = Callable[[Prediction], Prediction]
_GIANT = [-1e4, -1e4, 1e4, 1e4]


def _play(change: ChangeOfFile) -> Callable[[Files, Files], Files]:
    """Return the trick that makes a change of all videos of a sample."""

    def play(reference: Files, sample: Files) -> Files:
        videos = change(json.loads(sample[PARTS_FILE]))
        return encode_submission(json.loads(sample[CLASSES_FILE]), videos)

    return play


def _list_again(n_entries: int) -> Callable[[Json], None]:
    """Return a change of a mapping of lists: the entries of each again, until there are ``n_entries``."""

    def change(lists: Json) -> None:
        for key, entries in lists.items():
            lists[key] = (entries * n_entries)[:n_entries]

    return change


def _make_human_giant(human: Json) -> None:
    human["box"] = _GIANT


def _make_proposals_giant(part: Json) -> None:
    part["box"] = [_GIANT for _ in part["box"]]


def _predict_no_parts(reference: Files, sample: Files) -> Files:
    return encode_submission(json.loads(sample[CLASSES_FILE]), {})


def _predict_most_frequent_class(reference_files: Files, sample: Files) -> Files:
    true_classes = json.loads(reference_files[reference.CLASSES_FILE])
    ((most_frequent, _),) = Counter(true_classes.values()).most_common(1)
    predicted_classes: Json = dict.fromkeys(true_classes, most_frequent)
    return encode_submission(predicted_classes, json.loads(sample[PARTS_FILE]))


TRICKS = (
    Trick("giant human boxes", _play(change_each(humans_of, _make_human_giant))),
    Trick("giant part boxes", _play(change_each(parts_of, _make_proposals_giant))),
    Trick("each proposal listed up to 5 times", _play(change_each(parts_of, _list_again(MOST_PROPOSALS)))),
    # A part that is right counts the less, the more proposals it has.
    Trick(
        "only the first proposal of each part", _play(change_each(parts_of, _list_again(1))), rewarded=True
    ),
    Trick("each human listed up to 10 times", _play(change_each(frames_of, _list_again(MOST_HUMANS)))),
    Trick("no parts at all", _predict_no_parts),
    Trick("the most frequent class everywhere", _predict_most_frequent_class),
)


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


def _write_sizes(prediction: Prediction) -> Prediction:
    """Write width and height instead of x2 and y2, without the boxes that a validator then refuses."""
    return _in_videos(_keep_ordered_boxes)(_change_boxes(as_sizes)(prediction))


def _keep_ordered_boxes(videos: Json) -> Json:
    def is_ordered(box: list[float]) -> bool:
        return box[2] >= box[0] and box[3] >= box[1]

    for frame in frames_of(videos):
        frame["humans"] = [human for human in frame["humans"] if is_ordered(human["box"])]
    for human in humans_of(videos):
        parts = human["parts"].items()
        human["parts"] = {name: part for name, part in parts if all(map(is_ordered, part["box"]))}
    return videos


def _rename_classes(rename: Callable[[str], str]) -> Change:
    def change(classes: Json) -> Json:
        return {video: rename(name) for video, name in classes.items()}

    return _in_classes(change)


def _number_classes(classes: Json) -> Json:
    names = sorted(set(classes.values()))
    return {video: str(names.index(name)) for video, name in classes.items()}


def _rename_states(rename: Callable[[str], str]) -> Change:
    def change_part(part: Json) -> None:
        part["verb"] = [rename(state) for state in part["verb"]]

    return _in_videos(change_each(parts_of, change_part))


def _rename_parts(rename: Callable[[str], str]) -> Change:
    def change_human(human: Json) -> None:
        human["parts"] = {rename(name): part for name, part in human["parts"].items()}

    return _in_videos(change_each(humans_of, change_human))


def _swap_sides(name: str) -> str:
    return name.replace("left", "@").replace("right", "left").replace("@", "right")


def _rename_frames(change_number: Callable[[int], int], form: str = "img_{:05d}.json") -> Change:
    def rename(name: str) -> str:
        return form.format(change_number(frame_number(name)))

    def change(videos: Json) -> Json:
        return {video: _rename_keys(frames, rename) for video, frames in videos.items()}

    return _in_videos(change)


def _rename_videos(rename: Callable[[str], str]) -> Change:
    def change(prediction: Prediction) -> Prediction:
        return Prediction(_rename_keys(prediction.classes, rename), _rename_keys(prediction.videos, rename))

    return change


def _rename_keys(content: Json, rename: Callable[[str], str]) -> Json:
    return {rename(key): value for key, value in content.items()}


def _repeat_first_proposal(part: Json) -> None:
    part["box"] = part["box"][:1] * MOST_PROPOSALS
    part["verb"] = part["verb"][:1] * MOST_PROPOSALS


def _keep_every_second(videos: Json) -> Json:
    return {video: videos[video] for video in sorted(videos)[::2]}


MISTAKES: list[Mistake[Prediction]] = [
    Mistake("left and right swapped", "N-LOOKS", _rename_parts(_swap_sides)),
    Mistake(
        "each proposal five times", "N-REPEATED", _in_videos(change_each(parts_of, _repeat_first_proposal))
    ),
    Mistake("class missing for half of the videos", "N-CLASSES-MISSING", _in_classes(_keep_every_second)),
    Mistake("videos with .mp4", "E-ITEMS-NONE", _rename_videos("{}.mp4".format)),
    *mistakes_in_boxes(_change_boxes),
    Mistake(
        "[x, y, width, height]",
        "N-LOOKS",
        _write_sizes,
        large=True,
    ),
    Mistake("all boxes the same", "N-LOOKS-CONSTANT", _change_boxes(lambda boxes: np.full_like(boxes, 7))),
    Mistake("all boxes -1", "N-LOOKS-CONSTANT", _change_boxes(lambda boxes: np.full_like(boxes, -1))),
    Mistake("224 x 224", "N-LOOKS", _change_boxes(lambda boxes: boxes / CANVAS * 224)),
    Mistake(
        "classes as words", "N-NAMES-UNKNOWN", _rename_classes(lambda name: name.replace("_", " ").title())
    ),
    Mistake("classes in capitals", "N-NAMES-UNKNOWN", _rename_classes(str.upper)),
    Mistake("classes as numbers", "N-NAMES-UNKNOWN", _in_classes(_number_classes)),
    Mistake("states in capitals", "N-NAMES-UNKNOWN", _rename_states(str.title)),
    Mistake("states as numbers", "N-NAMES-UNKNOWN", _rename_states(lambda name: str(STATES.index(name)))),
    Mistake("parts with spaces", "N-NAMES-UNKNOWN", _rename_parts(lambda name: name.replace("_", " "))),
    Mistake("parts in capitals", "N-NAMES-UNKNOWN", _rename_parts(str.title)),
    Mistake("frames from 0", "N-FRAMES-UNKNOWN", _rename_frames(lambda number: number - 1)),
    Mistake(
        "frames counted 1, 2, 3", "N-FRAMES-UNKNOWN", _rename_frames(lambda number: (number - 1) // 5 + 1)
    ),
    Mistake("frames named as images", "N-FRAMES-UNKNOWN", _rename_frames(int, "img_{:05d}.jpg")),
    Mistake("frames without ending", "N-FRAMES-UNKNOWN", _rename_frames(int, "img_{:05d}")),
    Mistake("frames in 2 digits", "N-FRAMES-UNKNOWN", _rename_frames(int, "img_{:02d}.json")),
    Mistake("frames 3, 8, 13", "N-FRAMES-UNKNOWN", _rename_frames(lambda number: number + 2)),
]


class KineticsTask(QualityTask[Prediction]):
    """The task of Kinetics-TPS."""

    id = "kinetics_tps"
    tricks = TRICKS
    mistakes = MISTAKES
    curable_mistakes = CURABLE_MISTAKES
    weak_models = WEAK_MODELS

    def write_reference(self, folder: Path, seed: int = 2021, size: int = 1) -> None:
        synthetic.write_videos(folder, 36 * size, (2, 2), seed)

    def write_samples(self, reference: Path, folder: Path) -> None:
        synthetic.write_prediction(reference, folder / "good", jitter=6, wrong=0.05, most_proposals=2)
        synthetic.write_prediction(reference, folder / "weak", jitter=25, wrong=0.4, most_proposals=5)

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write 932 videos times ``scale``; at 1 about 70 MB of predictions."""
        n_videos = max(round(932 * scale), 1)
        synthetic.write_videos(folder / "ref", n_videos, (38, 42), 2021)
        synthetic.write_prediction(folder / "ref", folder / "res", jitter=10, wrong=0.2, most_proposals=5)

    def plant(self, folder: Path) -> None:
        part = {
            "number": 7391107, "box": [7391108.5, 1, 7391109.5, 7391110],
            "verb": f"{CANARY}state", "name": f"{CANARY}name",
        }  # fmt: skip
        human = {"number": 7391111, "box": [7391112, 2, 7391113, 7391114], "parts": {f"{CANARY}part": part}}
        classes = {f"{CANARY}vid": f"{CANARY}class", "b": f"{CANARY}other"}
        videos = {f"{CANARY}vid": {f"{CANARY}frame.json": frame_entry([human])}, "b": {}}
        write_json(folder / reference.CLASSES_FILE, classes)
        write_json(folder / reference.PARTS_FILE, videos)

    def knowing(self) -> Files:
        head = part_entry([[1, 1, 2, 2]], ["x"])
        human = human_entry([1, 1, 2, 2], {"head": head})
        frames = {f"{CANARY}frame.json": frame_entry([human])}
        return encode_submission({f"{CANARY}vid": "x"}, {f"{CANARY}vid": frames})

    def calls(self, files: Files) -> Iterator[Sequence[object]]:
        videos = json.loads(files[PARTS_FILE])
        for video, action in json.loads(files[CLASSES_FILE]).items():
            frames = {}
            for name, frame in videos.get(video, {}).items():
                frames[frame_number(name)] = [_arguments_of_human(human) for human in frame["humans"]]
            yield video, action, frames


def _arguments_of_human(human: Json) -> tuple[object, object]:
    """Return the box and the parts of a human as `KineticsTPSWriter.update` takes them."""
    parts = {}
    for name, part in human["parts"].items():
        parts[name] = (part["box"], part["verb"])
    return human["box"], parts


TASKS = (KineticsTask(),)
