"""What is made up for Kinetics-TPS: data, gaming tricks, and likely mistakes in predictions."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np

from organizer.files import Files
from organizer.tasks.kinetics_tps import Prediction
from quality.kinetics_tps import synthetic
from quality.kinetics_tps.mistakes import MISTAKES, WEAK_MODELS
from quality.kinetics_tps.synthetic import change_each, frames_of, humans_of, parts_of
from quality.task import QualityTask, Trick
from scoring_program.challenges.kinetics_tps import reference
from validator.arrays import Floats
from validator.formats.kinetics_tps.write import (
    CLASSES_FILE,
    MOST_HUMANS,
    MOST_PROPOSALS,
    PARTS_FILE,
    Json,
    encode_submission,
    part_entry,
)

# Changes of the content of one file; they may change in place.
ChangeOfFile = Callable[[Json], Json]
_GIANT = [-1e4, -1e4, 1e4, 1e4]


def play(change: ChangeOfFile) -> Callable[[Files, Files], Files]:
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


def add_all_parts(videos: Json) -> Json:
    """Give each human all parts: those that it lacks at their mean place in humans, in their usual state."""
    places: defaultdict[str, list[list[list[float]]]] = defaultdict(list)
    states: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for human in humans_of(videos):
        corner, size = _corner_and_size(human)
        for name, part in human["parts"].items():
            places[name] += ((np.reshape(part["box"], (-1, 2, 2)) - corner) / size).tolist()
            states[name].update(part["verb"])
    for human in humans_of(videos):
        corner, size = _corner_and_size(human)
        for name in places.keys() - human["parts"].keys():
            box = (np.mean(places[name], axis=0) * size + corner).ravel().tolist()
            ((state, _),) = states[name].most_common(1)
            human["parts"][name] = part_entry([box], [state])
    return videos


def _corner_and_size(human: Json) -> tuple[Floats, Floats]:
    """Return x and y of the first corner of the box of a human, and its width and height."""
    first, last = np.reshape(human["box"], (2, 2))
    return first, last - first


TRICKS = (
    Trick("giant human boxes", play(change_each(humans_of, _make_human_giant))),
    Trick("giant part boxes", play(change_each(parts_of, _make_proposals_giant))),
    Trick("each proposal listed up to 5 times", play(change_each(parts_of, _list_again(MOST_PROPOSALS)))),
    # A part that is right counts the less, the more proposals it has.
    Trick("only the first proposal of each part", play(change_each(parts_of, _list_again(1))), rewarded=True),
    Trick("each human listed up to 10 times", play(change_each(frames_of, _list_again(MOST_HUMANS)))),
    # A part that is predicted costs nothing where no part is annotated.
    Trick("all parts of each human, missing ones at their mean place", play(add_all_parts)),
    Trick("no parts at all", _predict_no_parts),
    Trick("the most frequent class everywhere", _predict_most_frequent_class),
)


class KineticsTask(QualityTask[Prediction]):
    """The task of Kinetics-TPS."""

    id = "kinetics_tps"
    tricks = TRICKS
    mistakes = MISTAKES
    weak_models = WEAK_MODELS

    def write_reference(self, folder: Path, seed: int = 2021, size: int = 1) -> None:
        synthetic.write_videos(folder, 36 * size, (2, 2), seed)

    def write_samples(self, reference: Path, folder: Path) -> None:
        synthetic.write_prediction(reference, folder / "good", jitter=6, wrong_share=0.05, most_proposals=2)
        synthetic.write_prediction(reference, folder / "weak", jitter=25, wrong_share=0.4, most_proposals=5)

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write 932 videos times ``scale``; at 1 about 70 MB of predictions."""
        n_videos = max(round(932 * scale), 1)
        synthetic.write_videos(folder / "ref", n_videos, (38, 42), 2021)
        synthetic.write_prediction(
            folder / "ref", folder / "res", jitter=10, wrong_share=0.2, most_proposals=5
        )


TASKS = (KineticsTask(),)
