"""The scores of gestures, from pages/chalearn_gesture.md; all frames are triples (sequence, class, frame)."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any


def scores(reference: Path, submission: Path, protocol: str, **settings: Any) -> dict[str, Fraction]:
    """Return all columns of a submission."""
    return Comparison(reference, submission, protocol).columns()


class Comparison:
    """Both sides of all sequences; with ``with_actors`` a class is the pair of actor and class."""

    def __init__(self, reference: Path, submission: Path, protocol: str, with_actors: bool = False) -> None:
        data = {
            file.name[: -len("_data.csv")]: file.read_text() for file in sorted(reference.glob("*_data.csv"))
        }
        self.lengths = {name: int(text.split()[-1].partition(",")[0]) for name, text in data.items()}
        self.files = {file.name: file.read_text() for file in [*reference.iterdir(), *submission.iterdir()]}
        self.end = 1 if protocol == "published" else 0
        self.n_labels = 2 if with_actors else 1
        self.true_classes, self.true = self.side("_labels.csv")
        self.predicted_classes, self.predicted = self.side("_prediction.csv", "_predictions.csv")
        counted = self.true_classes | (self.predicted_classes if protocol == "published" else set())
        shared = Counter(triple[:2] for triple in self.true & self.predicted)
        either = Counter(triple[:2] for triple in self.true | self.predicted)
        # Without a frame on both sides a gesture counts 0, a pair of actor and action does not count.
        counted = {pair for pair in counted if either[pair] or not with_actors}
        self.jaccard = {pair: Fraction(shared[pair], either[pair] or 1) for pair in counted}

    def side(self, *endings: str) -> tuple[set[tuple], set[tuple]]:
        """Return (sequence, class) of all rows, and (sequence, class, frame) of all of their frames."""
        classes, frames = set(), set()
        for sequence, n_frames in self.lengths.items():
            for line in "".join(self.files.get(sequence + ending, "") for ending in endings).split():
                *label, first, last = map(int, line.split(","))
                pair = sequence, tuple(label[-self.n_labels :])
                classes.add(pair)
                frames.update((*pair, frame) for frame in range(first, last + self.end) if frame <= n_frames)
        return classes, frames

    def means(self) -> dict[str, Fraction]:
        """Return the mean over the classes of each sequence that has any."""
        number = Counter(sequence for sequence, _ in self.jaccard)
        total: dict[str, Fraction] = defaultdict(Fraction)
        for (sequence, _), value in self.jaccard.items():
            total[sequence] += value
        return {sequence: total[sequence] / number[sequence] for sequence in number}

    def columns(self) -> dict[str, Fraction]:
        means, n_right, n_sequences = self.means(), len(self.true & self.predicted), len(self.lengths)
        score = Fraction(sum(means.values()), len(means) or 1)
        has_file = [
            not self.files.keys().isdisjoint({f"{s}_prediction.csv", f"{s}_predictions.csv"})
            for s in self.lengths
        ]
        return {
            "score": score,
            "mean_jaccard": score,
            "coverage": Fraction(sum(has_file), n_sequences),
            "precision_frames": Fraction(n_right, len(self.predicted) or 1),
            "recall_frames": Fraction(n_right, len(self.true) or 1),
            "false_positive_classes": Fraction(len(self.predicted_classes - self.true_classes), n_sequences),
        }
