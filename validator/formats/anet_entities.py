"""ActivityNet-Entities: objects with a class, a word index and ten boxes, for each segment of each video."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from validator.archive import Submission
from validator.facts import EMPTY, box_facts
from validator.findings import Findings, Note, quote
from validator.json_files import JsonForm, read_json
from validator.rules import Rules
from validator.strict_json import pointer_part

SCHEMAS = {"GT": "anet_entities_gt.json", "gen": "anet_entities_gen.json"}
FRAMES = 10


@dataclass(frozen=True)
class Grounding:
    """A submission as flat arrays, in the order of the file.

    Attributes
    ----------
    segments : list of (video, segment)
    segment : int array of shape (n_objects,)
        For each object the index of its segment; ascending.
    label : int array of shape (n_objects,)
        Its class, as an index into ``classes``; -1 where the submission gives none (sub-task I).
    index : int array of shape (n_objects,)
        Position of its word in the sentence, from 0.
    box : float32 array of shape (n_objects, 10, 4)
        ``x1, y1, x2, y2`` in pixels on each of the ten sampled frames, rounded to float32.
    classes : list of str
    """

    segments: list[tuple[str, str]]
    segment: np.ndarray
    label: np.ndarray
    index: np.ndarray
    box: np.ndarray
    classes: list[str]


def read(submission: Submission, files: dict[str, str], rules: Rules, findings: Findings) -> Grounding | None:
    """Read the one file of a submission; None after a problem."""
    (name,) = files.values()
    assert rules.json is not None  # noqa: S101 - these rules are for JSON
    mode = rules.json.mode
    form = JsonForm(SCHEMAS[mode], "results", rules.json.entries, rules.json.values)
    found = read_json(submission.read(name), name, form, findings, _gather)
    if found is None:
        return None
    (grounding, lengths), members = found
    _check_lengths(grounding, lengths, name, findings)
    if members["eval_mode"] != mode:
        given = quote(members["eval_mode"], 20)
        findings.add(
            "E-ANET-MODE", f"the mode is '{given}'", f'this task needs "{mode}"', file=name, where="/eval_mode"
        )
    _look_at_external_data(members.get("external_data"), findings)
    return grounding if findings.ok else None


def _look_at_external_data(found: Any, findings: Findings) -> None:
    good = isinstance(found, dict) and isinstance(found.get("used"), bool) and isinstance(found.get("details"), str)
    if not good:
        findings.note(
            "N-ANET-EXTERNAL",
            'the challenge asks for "external_data": {"used": true or false, "details": "..."}; it is missing',
        )


def _gather(entries: Iterator[tuple[str, Any]]) -> tuple[tuple[Grounding, np.ndarray], int]:
    """Return the arrays, and the lengths of each segment's three lists (n_segments, 3)."""
    codes: dict[str, int] = {}
    segments: list[tuple[str, str]] = []
    lengths: list[tuple[int, int, int]] = []
    counts: list[int] = []
    labels: list[int] = []
    indexes: list[int] = []
    chunks: list[np.ndarray] = []
    keys = 0
    for video, of_video in entries:
        keys += len(of_video) + sum(map(len, of_video.values()))
        boxes: list[Any] = []
        for segment, objects in of_video.items():
            index, own = objects["idx_in_sent"], objects["bbox_for_all_frames"]
            classes = objects.get("clss")
            n = min(len(index), len(own)) if classes is None else min(len(classes), len(index), len(own))
            lengths.append((len(index), len(own), len(own) if classes is None else len(classes)))
            segments.append((video, segment))
            counts.append(n)
            labels += [-1] * n if classes is None else [codes.setdefault(name, len(codes)) for name in classes[:n]]
            indexes += index[:n]
            boxes += own[:n]
        flat = list(chain.from_iterable(boxes))
        if not set(map(len, flat)) <= {4}:
            flat = [box[:4] for box in flat]
        chunks.append(np.fromiter(chain.from_iterable(flat), np.float64, 4 * len(flat)))
    with np.errstate(over="ignore"):
        box = np.concatenate([np.zeros(0), *chunks]).astype(np.float32).reshape(-1, FRAMES, 4)
    grounding = Grounding(
        segments,
        np.repeat(np.arange(len(segments)), np.array(counts, dtype=np.int64)),
        np.array(labels, dtype=np.int64),
        np.array(indexes, dtype=np.int64),
        box,
        list(codes),
    )
    return (grounding, np.array(lengths, dtype=np.int64).reshape(-1, 3)), keys


def _check_lengths(grounding: Grounding, lengths: np.ndarray, name: str, findings: Findings) -> None:
    wrong = np.flatnonzero((lengths != lengths[:, :1]).any(axis=1))
    for place in wrong.tolist():
        video, segment = grounding.segments[place]
        indexes, boxes, classes = lengths[place].tolist()
        problem = f"{indexes} idx_in_sent, {boxes} bbox_for_all_frames and {classes} clss"
        where = f"/results/{pointer_part(video)}/{pointer_part(segment)}"
        findings.add("E-ANET-LENGTH", problem, "the three lists must be equally long", file=name, where=where)


def facts(submission: Grounding) -> list[Note]:
    """Return notes that need no reference."""
    return box_facts(submission.box.reshape(-1, 4), "objects") if len(submission.segment) else [EMPTY]
