"""What is made up for the two ChaLearn tracks: data, gaming tricks, and likely mistakes in predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from organizer.files import Files, write_files
from quality.chalearn import synthetic
from quality.chalearn.synthetic import Prediction, Row, Track, sequences
from quality.task import CANARY, Mistake, QualityTask, Trick
from scoring_program.challenges.chalearn import hints


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
    return _whole_sequences(reference, [f"{track.actors[0]}{label}" for label in _labels(track)])


def _most_frequent_class(track: Track, reference: Files, sample: Files) -> Files:
    labels = Counter(row[-3] for _, _, rows in sequences(reference) for row in rows)
    return _whole_sequences(reference, [f"{track.actors[0]}{labels.most_common(1)[0][0]}"])


def _whole_sequences(reference: Files, heads: Sequence[str]) -> Files:
    return {
        f"{key}_prediction.csv": "".join(f"{head},1,{n_frames}\n" for head in heads).encode()
        for key, n_frames, _ in sequences(reference)
    }


def _unpredicted(track: Track, reference: Files, sample: Files) -> Files:
    """Add the classes that a sequence lacks, for each actor; where they are wrong, rows cost nothing."""
    heads = [f"{actor}{label}" for actor in track.actors for label in _labels(track)]
    files = {}
    for key, n_frames, _ in sequences(reference):
        name = f"{key}_prediction.csv"
        present = {line.rsplit(",", 2)[0] for line in sample[name].decode().split()}
        rows = "".join(f"{head},1,{n_frames}\n" for head in heads if head not in present)
        files[name] = sample[name] + rows.encode()
    return files


def _labels(track: Track) -> range:
    return range(1, track.n_classes + 1)


def _rows(change: Callable[[Row], Row | None]) -> Callable[[Prediction], Prediction]:
    return lambda prediction: {
        key: [changed for row in rows if (changed := change(row)) is not None]
        for key, rows in prediction.items()
    }


def _frames_from_zero(row: Row) -> Row | None:
    return [*row[:-2], row[-2] - 1, row[-1] - 1] if row[-2] > 1 else None


def _classes_from_zero(row: Row) -> Row | None:
    return [*row[:-3], row[-3] - 1, *row[-2:]] if row[-3] > 1 else None


def _seconds(row: Row) -> Row | None:
    start, end = round(row[-2] / 20), round(row[-1] / 20)
    return [*row[:-2], start, end] if start else None


# No sequence of the demo data is shorter.
_LEAST_FRAMES = 700


def _half_rate(row: Row) -> Row | None:
    return [*row[:-2], *(max(frame // 2, 1) for frame in row[-2:])]


def _double_rate(row: Row) -> Row | None:
    # A validator refuses rows that begin after the last frame.
    return [*row[:-2], 2 * row[-2], 2 * row[-1]] if row[-2] <= _LEAST_FRAMES // 2 else None


def _length(row: Row) -> Row | None:
    length = row[-1] - row[-2] + 1
    return [*row[:-1], length] if length >= row[-2] else None


MISTAKES: list[Mistake[Prediction]] = [
    Mistake("frames from 0", "N-LOOKS-SHIFTED", _rows(_frames_from_zero)),
    Mistake("classes off by one", "N-LOOKS-SHIFTED", _rows(_classes_from_zero)),
    Mistake("seconds instead of frames", "N-LOOKS-SCALED", _rows(_seconds)),
    Mistake("half frame rate", "N-LOOKS-SCALED", _rows(_half_rate)),
    Mistake("double frame rate", "N-LOOKS-SCALED", _rows(_double_rate)),
    Mistake("start, length", "N-LOOKS-LENGTH", _rows(_length), large=True),
    Mistake("one class everywhere", "N-LOOKS-CONSTANT", _rows(lambda row: [*row[:-3], 3, *row[-2:]])),
    Mistake("all files empty", "N-EMPTY", _rows(lambda row: None)),
]


class ChalearnTask(QualityTask[Prediction]):
    """A track."""

    mistakes = MISTAKES
    checks = staticmethod(hints.checks)

    def __init__(self, task_id: str, track: Track) -> None:
        self.id, self._track, self.tricks = task_id, track, tricks(track)

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

    def plant(self, folder: Path) -> None:
        head = self._track.actors[0]
        (folder / f"{CANARY}one_labels.csv").write_text(f"{head}7,7391101,7391102\n{head}9,7391103,7391104\n")
        (folder / f"{CANARY}one_data.csv").write_text("7391155,20,2000\n")
        (folder / f"{CANARY}two_labels.csv").write_text(f"{head}3,7391105,7391106\n")
        (folder / f"{CANARY}two_data.csv").write_text("7391156,20,2000\n")

    def knowing(self) -> Files:
        return {f"{CANARY}one_prediction.csv": f"{self._track.actors[0]}7,5,6\n".encode()}

    def calls(self, files: Files) -> Iterator[Sequence[object]]:
        for name, data in files.items():
            rows = [list(map(int, line.split(","))) for line in data.decode("ascii").splitlines()]
            yield name.replace("_prediction.csv", ""), np.array(rows)


TASKS = (
    ChalearnTask("chalearn_action", Track("DemoSeq", 11, 2, n_sequences=9, n_frames=3000, n_rows=24)),
    ChalearnTask("chalearn_gesture", Track("DemoSequence", 20, 1, n_sequences=240, n_frames=1800, n_rows=20)),
)
