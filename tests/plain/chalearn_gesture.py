"""The scores of gestures, from pages/chalearn_gesture.md; all frames are triples (sequence, class, frame)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any


def scores(reference: Path, submission: Path, protocol: str, **settings: Any) -> dict[str, Fraction]:
    """Return all columns of a submission."""
    return columns(reference, submission, protocol)


def columns(
    reference: Path, submission: Path, protocol: str, n_labels: int = 1, empty_counts: bool = True
) -> dict[str, Fraction]:
    """Return all columns; with ``n_labels=2`` the class is the pair of actor and class."""
    lengths = lengths_of(reference)
    true_rows = list(read_rows(reference, lengths, "labels", n_labels))
    predicted_rows = list(read_rows(submission, lengths, "prediction", n_labels))
    true, predicted = frames(true_rows, lengths, protocol), frames(predicted_rows, lengths, protocol)
    shared = Counter(triple[:2] for triple in true & predicted)
    either = Counter(triple[:2] for triple in true | predicted)
    true_classes, predicted_classes = ({row[:2] for row in rows} for rows in (true_rows, predicted_rows))
    counted = true_classes | predicted_classes if protocol == "published" else true_classes
    if not empty_counts:
        counted &= either.keys()
    n_classes = Counter(sequence for sequence, _ in counted)
    score = sum(Fraction(shared[pair], (either[pair] or 1) * n_classes[pair[0]]) for pair in counted)
    score = Fraction(score, len(n_classes) or 1)
    return {
        "score": score,
        "mean_jaccard": score,
        "coverage": Fraction(sum(bool(files_of(submission, name, "prediction")) for name in lengths), len(lengths)),
        "precision_frames": Fraction(len(true & predicted), len(predicted) or 1),
        "recall_frames": Fraction(len(true & predicted), len(true) or 1),
        "false_positive_classes": Fraction(len(predicted_classes - true_classes), len(lengths)),
    }


def lengths_of(reference: Path) -> dict[str, int]:
    """Return the number of frames of each sequence."""
    texts = {file.name[: -len("_data.csv")]: file.read_text() for file in reference.glob("*_data.csv")}
    return {sequence: int(text.split()[-1].partition(",")[0]) for sequence, text in texts.items()}


def files_of(folder: Path, sequence: str, kind: str) -> list[Path]:
    return [folder / name for name in (f"{sequence}_{kind}.csv", f"{sequence}_{kind}s.csv") if (folder / name).exists()]


def read_rows(folder: Path, sequences: dict[str, int], kind: str, n_labels: int) -> Iterator[tuple]:
    """Yield sequence, class, first frame and last frame of each row."""
    for sequence in sequences:
        for file in files_of(folder, sequence, kind):
            for line in file.read_text().split():
                *label, first, last = map(int, line.split(","))
                yield sequence, tuple(label[-n_labels:]), first, last


def frames(rows: list[tuple], lengths: dict[str, int], protocol: str) -> set[tuple]:
    """Return (sequence, class, frame) of all rows."""
    end = 1 if protocol == "published" else 0
    return {
        (sequence, label, frame)
        for sequence, label, first, last in rows
        for frame in range(first, min(last + end, lengths[sequence] + 1))
    }
