"""Detections of COCO DensePose in memory, and some of those in a file: programs read all of a file."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from validator.arrays import Pixels
from validator.choose_named import choose_named
from validator.findings import Findings
from validator.formats.densepose.read import Detection, check, entries_of
from validator.formats.rules import Rules
from validator.submission import open_submission

# A detection in memory: its text with an empty mask, and the pixels of the mask.
ArrayEntry = tuple[str, Pixels]


def check_arrays(entries: Sequence[ArrayEntry], rules: Rules, keep: Callable[[Detection], None]) -> None:
    """Pass detections in memory to a function. Raises Refused; problems name no file."""
    texts = ",".join(text for text, _ in entries)
    (file,) = rules.json
    with Findings.collect() as findings:
        stream = io.BytesIO(f"[{texts}]".encode())
        for entry in entries_of(stream.read, "", file, findings):
            with findings.part():
                detection = check(entry._replace(pixels=entries[entry.position][1]))
                if findings.ok:
                    keep(detection)


def read_at(path: Path, rules: Rules, positions: Collection[int]) -> dict[int, Detection]:
    """Return the detections at these positions of a submission that is valid; only they are decoded.

    Raises Refused.
    """
    (file,) = rules.json
    detections: dict[int, Detection] = {}
    with Findings.collect() as findings, open_submission(path, rules.limits) as submission:
        (name,) = findings.take(choose_named(submission, rules)).values()
        with submission.open(name) as stream:
            for entry in entries_of(stream.read, name, file, findings):
                if entry.position > max(positions, default=-1):
                    break
                if entry.position in positions:
                    detections[entry.position] = check(entry)
    return detections
