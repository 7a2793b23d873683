"""A result with every kind of section, of any size: what pages and JSON are tried on."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from scoring_program.disclosure import disclosed
from scoring_program.figures import (
    BodyFigure,
    Drawing,
    Drawings,
    DrawnObject,
    Histogram,
    Lane,
    Line,
    LineChart,
    Matrix,
    Shape,
    StackedBar,
    Timeline,
)
from scoring_program.metrics.resampling import HalfScores
from scoring_program.result import Column, ErrorCost, Groups, Interval, Result, Statistics, Table
from scoring_program.task import Declaration, ErrorType, ScoreColumn
from validator.messages import Note

GESTURES = [
    *("vattene", "vieniqui", "perfetto", "furbo", "cheduepalle", "chevuoi", "daccordo", "seipazzo", "combinato"),
    *("freganiente", "ok", "cosatifarei", "basta", "prendere", "noncenepiu", "fame", "tantotempo", "buonissimo"),
    *("messidaccordo", "sonostufo"),
]  # fmt: skip
ERROR_TYPES = ["false_classes", "missed_classes", "timing", "extra"]
ADVICE = "Errors of this kind cost {points}: look at the worst classes."
TASK = Declaration(
    id="example",
    folder=Path("example"),
    title="Example challenge, track 3 (gestures)",
    summary="When does which gesture happen?",
    item="sequence",
    columns=[
        ScoreColumn("score", "Mean Jaccard", "Mean over sequences of the mean Jaccard index; 1 is perfect."),
        ScoreColumn(
            "coverage", "Coverage", "Share of the reference sequences for which there is a prediction."
        ),
        ScoreColumn("score_low", "Interval from", "Lower end of the interval.", leaderboard=False),
        ScoreColumn("score_high", "Interval to", "Upper end of the interval.", leaderboard=False),
    ],
    error_types=[ErrorType(key, key.replace("_", " ").capitalize(), ADVICE) for key in ERROR_TYPES],
    known_settings=(),
    range=(0, 1),
)
SCORES = {"score": 0.4127123456, "coverage": 0.9875, "score_low": 0.391, "score_high": 0.434}
SIGNATURE = "example|protocol:published|version:1.0.0|ref:1f3a9c0d2b4e"


def example_result(size: int = 20, text: str = "", own: str = "") -> Result:
    """Return a result whose lists have about ``size`` entries, with ``text`` wherever a text can be.

    Titles of axes and the like, which come from our code and never from files, are ``own`` if there is one.
    """
    pick = random.Random(7)
    names = [text or GESTURES[i % 20] + (f"{i // 20}" if i >= 20 else "") for i in range(size)]
    return Result(
        scores=SCORES,
        statistics=Statistics(
            np.linspace(0, 1, size), np.ones(size, bool), np.ones(size, int), np.zeros(size, bool), []
        ),
        items=[f"Sequence{i:04d}" for i in range(size)],
        halves=HalfScores(0.4127123456, np.full(500, 0.41), np.full(500, 0.415), 240),
        interval=Interval(0.3911234567891, 0.4341234567891, 0.0109, 500, 240),
        over="240 sequences",
        error_costs=[
            ErrorCost(key, 0.4127 + points, points)
            for key, points in zip(ERROR_TYPES, (0.121, 0.0833, 0.0412, -0.001))
        ],
        sections=[*_summary(text, own, names, pick), *_full(text, names, pick)],
        notes=[
            Note("N-FILE-IGNORED", text or "2 files are not part of the reference and were ignored"),
            Note("N-FILE-MISSING", text or "3 of 240 sequences have no prediction file; they score 0"),
        ],
    )


def _summary(text, own, names, pick):
    columns = [Column(text or "Gesture"), Column("Jaccard", "share"), Column("Frames, annotated", "count")]
    columns += [Column("Frames, predicted", "count"), Column("Mean length", "number")]
    rows = [
        (name, pick.random(), pick.randrange(9000), pick.randrange(9000), 40 * pick.random())
        for name in names
    ]
    rows[-1] = (names[-1], None, None, None, None)
    n = min(len(names), 40)
    counts = np.array([[pick.randrange(0, 9000 if i == j else 400) for j in range(n)] for i in range(n)])
    counts[counts < 60] = 0
    unpaired = np.pad(counts, ((0, 1), (0, 1)), constant_values=9)
    bins = [0, 2, 5, 11, 40, 71, 60, 31, 15, 5]
    recall = [step / 100 for step in range(101)]
    thresholds = [0.5 + 0.05 * step for step in range(10)]
    steps = [
        Line(f"{t:.2f}", recall, [max(0.0, 1 - r**3 - (t - 0.5) * (0.4 + r)) for r in recall])
        for t in thresholds
    ]
    mean = Line(text or "mean", recall, np.mean([line.y for line in steps], axis=0).tolist())
    limbs = ["hand", "foot", "upper leg", "lower leg", "upper arm", "lower arm"]
    parts = ["torso", "head", *(f"{side} {limb}" for limb in limbs for side in ("right", "left"))]
    shares = [
        ("kept", 0.41),
        ("missed person", 0.2642),
        ("background", 0.0751),
        ("wrong part", 0.1462),
        ("off", 0.05),
    ]
    figure = [(part, pick.random(), 1000 + pick.randrange(9000)) for part in parts[1:]] + [("torso", None, 0)]
    note = text or "The mean over the sequences in which the gesture counts."
    if own:
        shares, figure = [(own, share) for _, share in shares], [(own, *numbers) for _, *numbers in figure]
    groups = Groups(
        "groups", text or "Actors", note, [Column(text or "Actor"), Column("Sequences", "count")], names,
        np.full(len(names), 9), lambda chosen: [9 * len(chosen)],
    )  # fmt: skip
    return [
        *disclosed([groups], "full"),
        Table("classes", text or "Gesture classes", note, columns, rows, level="summary"),
        Matrix("confusions", text or "Annotated and predicted", note, names[:n], counts, own or "frames"),
        Matrix("unpaired", text or "With unpaired", note, names[:n], unpaired, own or "frames",
               (own or "(false)", own or "(missed)")),
        Histogram("scores", text or "Sequence scores", note, [i / 10 for i in range(11)], bins,
                  text or "mean Jaccard index", text or "sequences", 0.5),
        LineChart("precision", text or "Precision and recall", note, [*steps, mean], own or "recall", own or "precision", ordered=True),
        LineChart("thresholds", text or "AP by threshold", note,
                  [Line(name, thresholds, [1.2 - t * k for t in thresholds]) for k, name in enumerate(("GPSm", "GPS", "IoU"), 1)],
                  "threshold", "AP", (0.5, 0.95, 0, 1)),
        BodyFigure("body_parts", text or "Similarity by body part", note, figure),
        StackedBar("lost", text or "Where the similarity is lost", note, shares),
        LineChart("accuracy", text or "Accuracy by threshold", note, [Line("accuracy", recall, [1 - r for r in recall])],
                  "threshold", "accuracy", filled=True),
    ]  # fmt: skip


def _drawings(names, text):
    """Return a drawing for each of the first names, with shapes of both sides, outlines, and points."""
    outline = [30.0, 20.0, 90.0, 20.0, 60.0, 80.0]
    shapes = [
        Shape("ground truth", [20.0, 10.0, 90.0, 120.0]),
        Shape("prediction", [30.0, 20.0, 90.0, 80.0], [outline]),
    ]
    points = [(40.0, 40.0, 0.2), (60.0, 60.0, 1.0)]
    right = DrawnObject(text or "person 1", text or "matched, IoU 0.80", False, shapes[:1])
    wrong = DrawnObject(text or "person 2", text or "IoU 0.42, needs 0.5", True, shapes, points)
    words = [text or own for own in ("Cost 0.01.", "Canvas: the extent of all boxes.", "000000000001")]
    return [Drawing(name, words[0], (320, 240), words[1], [right, wrong], words[2:]) for name in names[:100]]


def _full(text, names, pick):
    n = len(names)
    columns = [
        Column("Sequence"),
        Column("Jaccard", "share"),
        Column("False positive classes", "count"),
        Column("File"),
    ]
    sequences = [(text or f"Sequence{i:04d}", i / n, i % 5, "yes") for i in range(n)]

    def lane(name):
        starts = [pick.randrange(1700) for _ in range(3)]
        return Lane(name, [(s, s + 60) for s in starts[:2]], [(s + 12, s + 70) for s in starts], 7)

    return [
        Table("sequences", text or "Sequences", "The worst first.", columns, sequences),
        Drawings("drawings", text or "Worst images", "The worst first.", _drawings(names, text), text or "similarity"),
        *(Timeline(f"timeline_{i}", text or f"Sequence{i:04d}", "Ground truth above, prediction below.", 1834,
                   [lane(name) for name in names[: 5 + i % 8]]) for i in range(1, min(n, 100) + 1)),
    ]  # fmt: skip
