"""A result with every kind of section, of any size: what pages and JSON are tried on."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from people_in_video.drawings.scenes import Drawing, DrawnObject, Shape
from people_in_video.drawings.svg import Drawings
from people_in_video.drawings.timelines import Lane, Timeline
from scoring_program.body_figure import BodyFigure
from scoring_program.disclosure import round_floats, visible_sections
from scoring_program.figures.histogram import Histogram
from scoring_program.figures.line_chart import LineChart
from scoring_program.figures.matrix import Matrix
from scoring_program.figures.stacked_bar import StackedBar
from scoring_program.metrics.resampling import HalfScores
from scoring_program.report import outputs, page
from scoring_program.report.elements.lines import Line
from scoring_program.result import (
    Column,
    ErrorCost,
    GroupNumber,
    Groups,
    Interval,
    Result,
    Shown,
    Statistics,
    Table,
)
from scoring_program.task import Declaration, ErrorType, ScoreColumn
from validator.findings import Note

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


def example_result(size: int = 20, text: str = "", fixed_text: str = "") -> Result:
    """Return a result whose lists have about ``size`` entries, with ``text`` wherever a text can be.

    Titles of axes and the like, which come from our code and never from files, are ``fixed_text`` if there is
    one.
    """
    pick = random.Random(7)
    names = [text or GESTURES[i % 20] + (f"{i // 20}" if i >= 20 else "") for i in range(size)]
    shown = Shown(
        scores=SCORES,
        over="240 sequences",
        interval=Interval(
            low=0.3911234567891, high=0.4341234567891, standard_error=0.0109, half_samples=500, items=240
        ),
        error_costs=[
            ErrorCost(key, 0.4127 + points, points)
            for key, points in zip(ERROR_TYPES, (0.121, 0.0833, 0.0412, -0.001))
        ],
        sections=[*_summary(text, fixed_text, names, pick), *_full(text, names, pick)],
        n_items=240,
    )
    return Result(
        shown=shown,
        notes=[
            Note("N-FILE-IGNORED", text or "2 files are not part of the reference and were ignored"),
            Note("N-FILE-MISSING", text or "3 of 240 sequences have no prediction file; they score 0"),
        ],
        statistics=Statistics(
            item_scores=np.linspace(0, 1, size),
            item_submitted=np.ones(size, bool),
            item_weights=np.ones(size, int),
            item_perfect=np.zeros(size, bool),
        ),
        items=[f"Sequence{i:04d}" for i in range(size)],
        halves=HalfScores(0.4127123456, np.full(500, 0.41), np.full(500, 0.415), 240),
    )


def _summary(text, fixed_text, names, pick):
    """Return the sections that the level ``summary`` shows."""
    note = text or "The mean over the sequences in which the gesture counts."
    return [
        *_tables(text, note, names, pick),
        *_matrices(text, fixed_text, note, names, pick),
        *_charts(text, fixed_text, note),
        *_body_parts(text, fixed_text, note, pick),
    ]


def _tables(text, note, names, pick):
    columns = [
        Column(text or "Gesture"),
        Column("Jaccard", "share"),
        Column("Frames, annotated", "count"),
        Column("Frames, predicted", "count"),
        Column("Mean length", "number"),
    ]
    rows = []
    for name in names:
        rows.append((name, pick.random(), pick.randrange(9000), pick.randrange(9000), 40 * pick.random()))
    rows[-1] = (names[-1], None, None, None, None)
    groups = Groups(
        key="groups",
        title=text or "Actors",
        note=note,
        names_title=text or "Actor",
        names=names,
        support=np.full(len(names), 9),
        numbers=[GroupNumber("Sequences", np.full(len(names), 9))],
    )
    classes = Table(
        key="classes",
        title=text or "Gesture classes",
        note=note,
        columns=columns,
        rows=rows,
        level="summary",
    )
    return [*visible_sections([groups], "full"), classes]


def _matrices(text, fixed_text, note, names, pick):
    names = names[:40]
    counts = np.zeros((len(names), len(names)), dtype=int)
    for row in range(len(names)):
        for column in range(len(names)):
            counts[row, column] = pick.randrange(0, 9000 if row == column else 400)
    counts[counts < 60] = 0
    confusions = Matrix(
        key="confusions",
        title=text or "Annotated and predicted",
        note=note,
        names=names,
        counts=np.pad(counts, ((0, 1), (0, 1)), constant_values=9),
        things=fixed_text or "frames",
        unpaired=(fixed_text or "(false)", fixed_text or "(missed)"),
    )
    return [confusions]


def _charts(text, fixed_text, note):
    recall = [step / 100 for step in range(101)]
    thresholds = [0.5 + 0.05 * step for step in range(10)]
    precisions = []
    for threshold in thresholds:
        precision = [max(0.0, 1 - r**3 - (threshold - 0.5) * (0.4 + r)) for r in recall]
        precisions.append(Line(f"{threshold:.2f}", recall, precision))
    mean = Line(text or "mean", recall, np.mean([line.y for line in precisions], axis=0).tolist())
    scores = Histogram(
        key="scores",
        title=text or "Sequence scores",
        note=note,
        edges=[step / 10 for step in range(11)],
        counts=[0, 2, 5, 11, 40, 71, 60, 31, 15, 5],
        value=text or "mean Jaccard index",
        things=text or "sequences",
        threshold=0.5,
    )
    precision_and_recall = LineChart(
        key="precision",
        title=text or "Precision and recall",
        note=note,
        lines=[*precisions, mean],
        x_title=fixed_text or "recall",
        y_title=fixed_text or "precision",
        ordered=True,
    )
    measures = [
        Line(name, thresholds, [1.2 - threshold * slope for threshold in thresholds])
        for slope, name in enumerate(("GPSm", "GPS", "IoU"), start=1)
    ]
    average_precision = LineChart(
        key="thresholds",
        title=text or "AP by threshold",
        note=note,
        lines=measures,
        x_title="threshold",
        y_title="AP",
        ranges=(0.5, 0.95, 0, 1),
    )
    accuracy = LineChart(
        key="accuracy",
        title=text or "Accuracy by threshold",
        note=note,
        lines=[Line("accuracy", recall, [1 - r for r in recall])],
        x_title="threshold",
        y_title="accuracy",
        filled=True,
    )
    return [scores, precision_and_recall, average_precision, accuracy]


def _body_parts(text, fixed_text, note, pick):
    limbs = ["hand", "foot", "upper leg", "lower leg", "upper arm", "lower arm"]
    names = ["head", *(f"{side} {limb}" for limb in limbs for side in ("right", "left"))]
    parts = [(fixed_text or name, pick.random(), 1000 + pick.randrange(9000)) for name in names]
    parts.append((fixed_text or "torso", None, 0))
    share_of_loss = {
        "kept": 0.41,
        "missed person": 0.2642,
        "background": 0.0751,
        "wrong part": 0.1462,
        "off": 0.05,
    }
    shares = [(fixed_text or name, share) for name, share in share_of_loss.items()]
    return [
        BodyFigure("body_parts", text or "Similarity by body part", note, parts),
        StackedBar("lost", text or "Where the similarity is lost", note, shares),
    ]


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
    return [
        Drawing(
            title=name,
            text=text or "Cost 0.01.",
            size=(320, 240),
            extent=text or "Canvas: the extent of all boxes.",
            objects=[right, wrong],
            files=[text or "000000000001"],
        )
        for name in names[:100]
    ]


def _full(text, names, pick):
    """Return the sections that only the level ``full`` shows."""
    n = len(names)
    columns = [
        Column("Sequence"),
        Column("Jaccard", "share"),
        Column("False positive classes", "count"),
        Column("File"),
    ]
    rows = [(text or f"Sequence{i:04d}", i / n, i % 5, "yes") for i in range(n)]
    drawings = Drawings(
        key="drawings",
        title=text or "Worst images",
        note="The worst first.",
        drawings=_drawings(names, text),
        points=text or "similarity",
    )
    timelines = []
    for number in range(1, min(n, 100) + 1):
        timeline = Timeline(
            key=f"timeline_{number}",
            title=text or f"Sequence{number:04d}",
            note="Ground truth above, prediction below.",
            n_frames=1834,
            lanes=[_lane(name, pick) for name in names[: 5 + number % 8]],
        )
        timelines.append(timeline)
    return [
        Table("sequences", text or "Sequences", "The worst first.", columns, rows),
        drawings,
        *timelines,
    ]


def _lane(name, pick):
    starts = [pick.randrange(1700) for _ in range(3)]
    return Lane(
        label=name,
        ground_truth=[(start, start + 60) for start in starts[:2]],
        prediction=[(start + 12, start + 70) for start in starts],
        number=7,
    )


_OF_SHOWN = {field.name for field in fields(Shown)}


def changed(result: Result, **changes: Any) -> Result:
    """Return a result with other values, of what is shown and of the rest."""
    if "halves" in changes:
        changes["n_items"] = changes["halves"].n_items if changes["halves"] else 0
    of_shown = {name: changes.pop(name) for name in list(changes) if name in _OF_SHOWN}
    return replace(result, shown=replace(result.shown, **of_shown), **changes)


def rounded(result: Result) -> Result:
    """Return a result with as many decimals as are shown."""
    shown: Shown = round_floats(result.shown, result.shown.decimals)
    return replace(result, shown=shown)


def page_of(task: Declaration, result: Result, signature: str) -> str:
    """Return the page of a result with a signature."""
    shown = replace(result.shown, signature=signature)
    return page.result_page(task, shown, result.notes)


def json_of(result: Result, signature: str, stages: dict[str, float]) -> str:
    """Return the JSON of a result with a signature."""
    shown = replace(result.shown, signature=signature)
    return outputs.result_json(shown, result.notes, stages)
