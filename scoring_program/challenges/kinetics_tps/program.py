"""Kinetics-TPS: from two JSON files on each side to the accuracy conditioned on Part State Correctness."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Union

import numpy as np

from scoring_program.metrics import part_state as ps
from scoring_program.prepared import load_arrays
from scoring_program.result import (
    FULL,
    LEVELS,
    SUMMARY,
    Cell,
    Column,
    Histogram,
    Line,
    LineChart,
    Result,
    Section,
    StackedBar,
    Table,
)
from validator.check import check_submission
from validator.findings import Findings
from validator.formats.kinetics_tps import (
    REFERENCE_SCHEMA,
    KineticsSubmission,
    PartStates,
    read_classes,
    read_parts,
)
from validator.json_files import JsonForm
from validator.rules import load_rules

CLASSES_FILE = "gt_vid_result.json"
PARTS_FILE = "gt_part_result.json"
PREPARED_FILE = "reference.npz"
REFERENCE_FILES = (CLASSES_FILE, PARTS_FILE, PREPARED_FILE)

_PREPARED_VERSION = 1
_BINS = 20
_CURVE_STEP = 100
_OTHERS = "(others, which the submission never names)"


@dataclass(frozen=True)
class Reference:
    """Ground truth; ``classes`` has the class of each video of ``parts.videos``."""

    classes: list[str]
    parts: PartStates


@dataclass(frozen=True)
class _Joined:
    """A submission in the reference's numbering: frames, part names and states that it lacks are -1 or dropped."""

    human_frame: np.ndarray
    human_box: np.ndarray
    part_human: np.ndarray
    part_name: np.ndarray
    proposal_part: np.ndarray
    proposal_box: np.ndarray
    proposal_state: np.ndarray
    has_frame: np.ndarray
    notes: list[str]


def load_reference(folder: Path, settings: dict[str, Any], findings: Findings) -> Reference | None:
    """Read the organizers' two JSON files, or what `prepare_reference` made of them; None after a problem."""
    prepared = folder / PREPARED_FILE
    if prepared.is_file():
        return _load_prepared(prepared, findings)
    for name in (CLASSES_FILE, PARTS_FILE):
        if not (folder / name).is_file():
            findings.add("E-REF-NONE", "the file is missing", "put it into the reference folder", name)
    if not findings.ok:
        return None
    classes = read_classes((folder / CLASSES_FILE).read_bytes(), CLASSES_FILE, findings)
    parts = read_parts((folder / PARTS_FILE).read_bytes(), PARTS_FILE, JsonForm(REFERENCE_SCHEMA), findings)
    if classes is None or parts is None or not findings.ok:
        return None
    for first, second, name in ((parts.videos, classes, CLASSES_FILE), (classes, parts.videos, PARTS_FILE)):
        for video in sorted(set(first) - set(second)):
            findings.add("E-REF-PAIR", f"the video {video} is missing", "both files need the same videos", name)
    if not parts.videos:
        findings.add("E-REF-NONE", "there is no video", "put the ground truth there", PARTS_FILE)
    return Reference([classes[video] for video in parts.videos], parts) if findings.ok else None


def prepare_reference(
    source: Path, output: Path, settings: dict[str, Any], options: dict[str, Any], findings: Findings
) -> None:
    """Check the organizers' files and write them as arrays, which load in no time."""
    reference = load_reference(source, settings, findings)
    if reference is None:
        return
    parts = reference.parts
    arrays = {f.name: getattr(parts, f.name) for f in fields(parts) if isinstance(getattr(parts, f.name), np.ndarray)}
    texts = {
        "version": _PREPARED_VERSION,
        "classes": reference.classes,
        "videos": parts.videos,
        "frames": parts.frames,
        "names": list(parts.names),
        "states": list(parts.states),
    }
    text = np.frombuffer(json.dumps(texts).encode(), np.uint8)
    np.savez(output / PREPARED_FILE, text=text, **arrays)
    findings.note("N-REF-PREPARED", f"{len(parts.videos)} videos with {len(parts.frames)} frames were prepared")


def _load_prepared(path: Path, findings: Findings) -> Reference | None:
    try:
        arrays = load_arrays(path)
        texts = json.loads(arrays.pop("text").tobytes())
        if texts["version"] != _PREPARED_VERSION:
            raise ValueError("another version")
        words: dict[str, Any] = {
            key: {word: number for number, word in enumerate(texts[key])} for key in ("names", "states")
        }
        parts = PartStates(videos=texts["videos"], frames=texts["frames"], **{**arrays, **words})
        return Reference(texts["classes"], parts)
    except (ValueError, KeyError, TypeError):
        findings.add("E-REF-PREPARED", "the prepared reference cannot be read", "prepare it anew", path.name)
        return None


def read_submission(path: Path, reference: Reference, findings: Findings) -> KineticsSubmission | None:
    """Check the submission; None after a problem."""
    return check_submission(path, load_rules("kinetics_tps"), findings)


def score(reference: Reference, submission: KineticsSubmission, settings: dict[str, Any]) -> Result:
    """Score a submission by the protocol that the settings choose."""
    released = settings["protocol"] == "released"
    truth = reference.parts
    n_videos, n_frames = len(truth.videos), len(truth.frames)
    guess = _join(truth, submission.parts)
    match = ps.match_assigned if released else ps.match_best
    matched = match(truth.human_box, truth.human_frame, guess.human_box, guess.human_frame, settings["human_iou"])
    outcomes = ps.judge_parts(
        matched[truth.part_human],
        truth.part_name,
        truth.proposal_box,
        truth.proposal_state,
        guess.part_human,
        guess.part_name,
        guess.proposal_part,
        guess.proposal_box,
        guess.proposal_state,
        part_iou=settings["part_iou"],
        inclusive=released,
    )
    frame_scores = ps.frame_means(outcomes.correctness, truth.part_human, truth.human_frame, n_frames)
    if released:
        # A frame with humans but no parts counts with 0 where the submission lacks it.
        humans = np.bincount(truth.human_frame, minlength=n_frames)
        frame_scores[np.isnan(frame_scores) & (humans > 0) & ~guess.has_frame] = 0.0
    psc = ps.part_state_correctness(frame_scores, truth.frame_video, n_videos)
    right = np.array([submission.classes.get(v) == c for v, c in zip(truth.videos, reference.classes)], dtype=bool)
    part_frame = truth.human_frame[truth.part_human]
    if released:
        exact = ps.released_area(psc, right)
        shown = round(exact, 6)
        above = [float((right & (psc >= t)).mean()) for t in (0.0, 0.25, 0.5)]
        curve = [float((right & (psc >= k / ps.GRID)).mean()) for k in range(0, ps.GRID + 1, _CURVE_STEP)]
    else:
        passed = ps.grid_points_passed(psc, outcomes, part_frame, truth.frame_video)
        area = ps.area_under_accuracy(passed, right)
        exact, shown = float(area), ps.round_half_up(area, 6)
        accuracy = ps.conditioned_accuracy(passed, right)
        above = accuracy[[0, 2500, 5000]].tolist()
        curve = accuracy[::_CURVE_STEP].tolist()
    scores = {
        "score": shown,
        "coverage": float(guess.has_frame.mean()) if n_frames else 1.0,
        "average_video_accuracy": shown,
        "average_video_accuracy_exact": exact,
        "mean_psc": float(psc.mean()),
        "top1_accuracy": float(right.mean()),
        **dict(zip(("accuracy_psc_0", "accuracy_psc_25", "accuracy_psc_50"), above)),
    }
    items = {"video": np.array(truth.videos), "psc": psc, "right": right, "class": np.array(reference.classes)}
    sections: list[Section] = []
    levels = LEVELS[settings["detail"]]
    if SUMMARY in levels:
        sections += _summary(reference, submission, outcomes, frame_scores, items, curve, exact, released)
    if FULL in levels:
        sections.append(_video_table(submission, items))
    return Result(scores, items, sections, guess.notes)


def _join(truth: PartStates, guess: PartStates) -> _Joined:
    """Bring a submission into the reference's numbering; frames that the reference lacks are dropped."""
    position = {key: index for index, key in enumerate(_frame_keys(truth))}
    frame = np.fromiter((position.get(key, -1) for key in _frame_keys(guess)), np.int64, len(guess.frames))
    has_frame = np.zeros(len(truth.frames), dtype=bool)
    has_frame[frame[frame >= 0]] = True
    # Frames may come in another order than the reference's; humans follow frames, parts and proposals follow them.
    human_frame, human_order = _renumber(guess.human_frame, frame)
    part_human, part_order = _renumber(guess.part_human, _places(human_order, len(guess.human_box)))
    proposal_part, proposal_order = _renumber(guess.proposal_part, _places(part_order, len(guess.part_name)))
    extra_frames = int((frame < 0).sum())
    extra_videos = len(set(guess.videos) - set(truth.videos))
    notes = []
    if extra_videos:
        notes.append(f"{extra_videos} videos that the reference lacks were ignored.")
    if extra_frames:
        notes.append(f"{extra_frames} frames that the reference lacks were ignored.")
    if not has_frame.all():
        notes.append(f"{int((~has_frame).sum())} of {len(has_frame)} reference frames have no prediction.")
    return _Joined(
        human_frame,
        guess.human_box[human_order],
        part_human,
        _translate(guess.names, truth.names)[guess.part_name[part_order]],
        proposal_part,
        guess.proposal_box[proposal_order],
        _translate(guess.states, truth.states)[guess.proposal_state[proposal_order]],
        has_frame,
        notes,
    )


def _frame_keys(parts: PartStates) -> Iterable[tuple[int | str, str]]:
    return zip((parts.videos[index] for index in parts.frame_video.tolist()), parts.frames)


_Order = Union[np.ndarray, slice]


def _renumber(owner: np.ndarray, new_number: np.ndarray) -> tuple[np.ndarray, _Order]:
    """Return new owners in ascending order, and which old entries they belong to; owners at -1 are dropped."""
    if np.array_equal(new_number, np.arange(len(new_number))):
        return owner, slice(None)
    numbers = new_number[owner] if len(owner) else np.zeros(0, np.int64)
    order = np.flatnonzero(numbers >= 0)
    numbers = numbers[order]
    if (np.diff(numbers) < 0).any():
        by_number = np.argsort(numbers, kind="stable")
        order, numbers = order[by_number], numbers[by_number]
    return numbers, order


def _places(order: _Order, size: int) -> np.ndarray:
    places = np.full(size, -1)
    places[order] = np.arange(size if isinstance(order, slice) else len(order))
    return places


def _translate(own: dict[str, int], other: dict[str, int]) -> np.ndarray:
    """Return for each number of ``own`` that of the same word in ``other``, -1 if there is none."""
    return np.array([other.get(word, -1) for word in own], dtype=np.int64)


def _summary(
    reference: Reference,
    submission: KineticsSubmission,
    outcomes: ps.PartOutcomes,
    frame_scores: np.ndarray,
    items: dict[str, np.ndarray],
    curve: list[float],
    area: float,
    released: bool,
) -> list[Section]:
    psc = items["psc"]
    counts, edges = np.histogram(psc, bins=_BINS, range=(0, 1))
    sign = "≥" if released else ">"
    points = [k * _CURVE_STEP / ps.GRID for k in range(len(curve))]
    return [
        LineChart(
            "Accuracy conditioned on PSC",
            f"Share of the videos with the right class and PSC {sign} T. The area below is the score: {area:.6f}.",
            [Line("accuracy", points, curve)],
            "threshold T",
            "accuracy",
            filled=True,
            level=SUMMARY,
        ),
        _loss(reference, outcomes, frame_scores, float(psc.mean())),
        Histogram(
            "Part State Correctness",
            "Videos by their PSC.",
            edges.tolist(),
            counts.tolist(),
            "PSC",
            "videos",
            SUMMARY,
        ),
        _class_table(items, set(submission.classes.values()), released),
        _part_table(reference.parts, set(submission.parts.names), outcomes),
    ]


def _loss(reference: Reference, outcomes: ps.PartOutcomes, frame_scores: np.ndarray, mean_psc: float) -> StackedBar:
    """Return where mean PSC is lost; the shares and mean PSC add up to 1."""
    truth = reference.parts
    counting = ~np.isnan(frame_scores)
    frames_of_video = np.bincount(truth.frame_video[counting], minlength=len(truth.videos))
    part_frame = truth.human_frame[truth.part_human]
    parts_of_frame = np.bincount(part_frame, minlength=len(truth.frames))
    frame_weight = 1 / np.maximum(frames_of_video[truth.frame_video], 1) / len(truth.videos)
    weight = frame_weight[part_frame] / np.maximum(parts_of_frame[part_frame], 1)
    lost = np.bincount(outcomes.kind, weight, 5)
    # Counted by the released protocol only: a missing frame with humans but without parts.
    no_parts = float(frame_weight[counting & (parts_of_frame == 0)].sum())
    diluted = float((weight * (1 - outcomes.correctness))[outcomes.kind == ps.CORRECT].sum())
    return StackedBar(
        "Where the score is lost",
        "Shares of mean PSC; with what is kept they add up to 1.",
        [
            ("kept (mean PSC)", mean_psc),
            ("no human matched", float(lost[ps.NO_HUMAN]) + no_parts),
            ("no box", float(lost[ps.NO_BOX])),
            ("box too far", float(lost[ps.TOO_FAR])),
            ("wrong state", float(lost[ps.WRONG_STATE])),
            ("diluted by extra proposals", diluted),
        ],
        SUMMARY,
    )


def _class_table(items: dict[str, np.ndarray], named: set[str], released: bool) -> Table:
    """Return a table of the classes that the submission names; the others are one row, so that none is told."""
    shown = np.array(_shown(items["class"].tolist(), named))
    rows = []
    for name in sorted(set(shown.tolist()), key=_others_last):
        psc, right = items["psc"][shown == name], items["right"][shown == name]
        if released:
            area = ps.released_area(psc, right)
        else:
            # The exact decision at points of the grid shows in the score only.
            passed = np.ceil(ps.GRID * psc - 1e-6).astype(np.int64)
            area = float(ps.area_under_accuracy(passed, right))
        rows.append((name, len(psc), float(right.mean()), float(psc.mean()), area))
    columns = [Column("Class"), Column("Videos", "count"), Column("Top-1", "share")]
    columns += [Column("Mean PSC", "share"), Column("Area", "share")]
    return Table("Action classes", "Area: the score of the videos of this class alone.", columns, rows, SUMMARY)


def _shown(names: Iterable[str], named: set[str]) -> list[str]:
    return [name if name in named else _OTHERS for name in names]


def _others_last(name: str) -> tuple[bool, str]:
    return name == _OTHERS, name


def _part_table(truth: PartStates, named: set[str], outcomes: ps.PartOutcomes) -> Table:
    """Return a table of the parts that the submission names; the others are one row."""
    of_number = _shown(truth.names, named)
    shown = sorted(set(of_number), key=_others_last)
    row = np.array([shown.index(name) for name in of_number], dtype=np.int64)[truth.part_name]
    kinds = np.bincount(5 * row + outcomes.kind, minlength=5 * len(shown)).reshape(-1, 5)
    some = outcomes.n_proposals > 0
    proposals = np.bincount(row[some], outcomes.n_proposals[some], len(shown))
    with_proposals = np.bincount(row[some], minlength=len(shown))
    rows: list[list[Cell]] = []
    for name, count, total, n_some in zip(shown, kinds, proposals.tolist(), with_proposals.tolist()):
        n = int(count.sum())
        matched, localized = n - count[ps.NO_HUMAN], count[ps.CORRECT] + count[ps.WRONG_STATE]
        shares = [float(number / max(n, 1)) for number in (matched, localized, count[ps.CORRECT])]
        rows.append([name, n, *shares, total / max(n_some, 1)])
    columns = [Column("Part"), Column("Ground truth", "count"), Column("Human matched", "share")]
    columns += [Column("Localized", "share"), Column("Right state", "share"), Column("Mean proposals", "number")]
    note = "Shares of the ground-truth parts; mean proposals where there are any."
    return Table("Parts", note, columns, rows, SUMMARY)


def _video_table(submission: KineticsSubmission, items: dict[str, np.ndarray]) -> Table:
    order = np.argsort(items["psc"] + items["right"], kind="stable")
    rows = [
        (
            str(items["video"][i]),
            str(items["class"][i]),
            submission.classes.get(str(items["video"][i]), "missing"),
            float(items["psc"][i]),
        )
        for i in order[:500].tolist()
    ]
    columns = [Column("Video"), Column("Ground truth"), Column("Predicted"), Column("PSC", "share")]
    return Table("Videos", "The worst first, at most 500.", columns, rows, FULL)
