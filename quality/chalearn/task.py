"""What is made up for the two ChaLearn tracks: data, gaming tricks, and likely mistakes in predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from organizer.files import Files, write_files
from quality.chalearn import synthetic
from quality.chalearn.mistakes import WEAK_MODELS, mistakes_of_track
from quality.chalearn.synthetic import Prediction, Row, Track, sequences
from quality.task import QualityTask, Trick
from validator.formats.chalearn.write import (
    decode_rows,
    encode_files,
    encode_rows,
    prediction_name,
)


def tricks(track: Track) -> Sequence[Trick]:
    """Return the tricks of a track."""
    return (
        Trick("all classes on all frames", partial(_everything, track)),
        Trick("the most frequent class on all frames", partial(_most_frequent_class, track)),
        Trick("empty files", lambda reference, sample: dict.fromkeys(sample, b"")),
        Trick("every row twice", lambda reference, sample: {name: data * 2 for name, data in sample.items()}),
        Trick(
            "all unpredicted classes on all frames", partial(_unpredicted, track), "released", rewarded=True
        ),
    )


def _everything(track: Track, reference: Files, sample: Files) -> Files:
    heads = [[*track.first_actor, label] for label in _labels(track)]
    return _whole_sequences(reference, heads)


def _most_frequent_class(track: Track, reference: Files, sample: Files) -> Files:
    labels: Counter[int] = Counter()
    for _, _, rows in sequences(reference):
        for *_, label, _, _ in rows:
            labels[label] += 1
    ((most_frequent_label, _),) = labels.most_common(1)
    return _whole_sequences(reference, [[*track.first_actor, most_frequent_label]])


def _whole_sequences(reference: Files, heads: Sequence[Row]) -> Files:
    """Return a row on all frames for each head, an actor if there are several and a class."""
    rows_of_sequence = {}
    for key, n_frames, _ in sequences(reference):
        rows_of_sequence[key] = [[*head, 1, n_frames] for head in heads]
    return encode_files(rows_of_sequence)


def _unpredicted(track: Track, reference: Files, sample: Files) -> Files:
    """Add the classes that a sequence lacks, for each actor; where they are wrong, rows cost nothing."""
    files = {}
    for key, n_frames, _ in sequences(reference):
        name = prediction_name(key)
        predicted_heads = [row[:-2] for row in decode_rows(sample[name])]
        missing_heads = [head for head in _all_heads(track) if head not in predicted_heads]
        files[name] = sample[name] + encode_rows([*head, 1, n_frames] for head in missing_heads)
    return files


def _all_heads(track: Track) -> list[Row]:
    """Return what the rows of each class begin with, for each actor."""
    return [[*actor, label] for actor in track.actors for label in _labels(track)]


def _labels(track: Track) -> range:
    return range(1, track.n_classes + 1)


class ChalearnTask(QualityTask[Prediction]):
    """A track."""

    weak_models = WEAK_MODELS

    def __init__(self, task_id: str, track: Track) -> None:
        self.id = task_id
        self._track = track
        self.tricks = tricks(track)
        self.mistakes = mistakes_of_track(track)

    def write_reference(self, folder: Path, seed: int = 2014, size: int = 1) -> None:
        track = self._track
        synthetic.write_sequences(folder, track, 12 * size, track.n_frames // 2, track.n_rows // 2, seed)

    def write_samples(self, reference: Path, folder: Path) -> None:
        often_wrong = partial(synthetic.often_wrong, n_classes=self._track.n_classes)
        for name, change in (("good", synthetic.slightly_off), ("weak", often_wrong)):
            write_files(self.files(synthetic.predicted(reference, change)), folder / name)

    def write_full_size(self, folder: Path, scale: float) -> None:
        track, n_sequences = self._track, max(round(self._track.n_sequences * scale), 1)
        synthetic.write_sequences(folder / "ref", track, n_sequences, track.n_frames, track.n_rows, 2014)
        prediction = synthetic.predicted(folder / "ref", synthetic.slightly_off)
        write_files(self.files(prediction), folder / "res")


TASKS = (
    ChalearnTask("chalearn_action", Track("DemoSeq", 11, 2, n_sequences=9, n_frames=3000, n_rows=24)),
    ChalearnTask("chalearn_gesture", Track("DemoSequence", 20, 1, n_sequences=240, n_frames=1800, n_rows=20)),
)
