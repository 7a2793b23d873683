"""Preparing the reference of Kinetics-TPS: its two JSON files become arrays."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from people_in_video.references.preparation import Notes, Options, Preparation, save_prepared
from scoring_program.challenges.kinetics_tps.reference import (
    CLASSES_FILE,
    PARTS_FILE,
    PREPARED_FILE,
    TEXT_COLUMNS,
    Reference,
    read_reference,
    select_videos,
)
from scoring_program.settings import Settings
from scoring_program.task import Task
from validator.findings import Findings
from validator.formats.rules import load_rules
from validator.texts import pointer_part


def save_reference(reference: Reference, path: Path) -> None:
    """Write a reference as arrays, which load fast."""
    columns = reference.parts._asdict()
    texts = {"classes": reference.classes, **{name: columns.pop(name) for name in TEXT_COLUMNS}}
    save_prepared(path, texts, columns)


def _sources(task: Task, source: Path, settings: Settings) -> list[str]:
    """Return the prepared file if there is one, which is read alone, or the organizers' two."""
    is_prepared = (source / PREPARED_FILE).is_file()
    return [PREPARED_FILE] if is_prepared else [CLASSES_FILE, PARTS_FILE]


def _write(task: Task, source: Path, output: Path, settings: Settings, options: Options) -> Notes:
    """Check the organizers' files and write them as arrays, which load fast."""
    # In the order of the files, as ever: the signature holds a hash of what is written.
    reference = read_reference(source, load_rules(task.id))
    with Findings.collect() as findings:
        _check_names(reference, findings)
    save_reference(reference, output / PREPARED_FILE)
    return []


def _check_names(reference: Reference, findings: Findings) -> None:
    """Add a problem for each blank class of a video, and for each blank name or state of a part."""
    parts = reference.parts
    for video, class_name in zip(parts.videos, reference.classes):
        if not class_name.strip():
            problem, remedy = f"the class is {class_name!r}", "write the class of the video"
            place = {"file": CLASSES_FILE, "where": f"/{pointer_part(video)}", "rule": problem}
            findings.add("E-REF-CLASS", problem, remedy, **place)
    for kind, names, numbers, part_of_number in (
        ("name of a part", parts.names, parts.part_name, np.arange(len(parts.part_name))),
        ("state", parts.states, parts.proposal_state, parts.proposal_part),
    ):
        blank = [number for number, name in enumerate(names) if not name.strip()]
        for part in part_of_number[np.isin(numbers, blank)]:
            frame = parts.human_frame[parts.part_human[part]]
            video = parts.videos[parts.frame_video[frame]]
            where = f"/{pointer_part(video)}/{pointer_part(parts.frames[frame])}"
            problem = f"a {kind} is blank"
            findings.add("E-REF-CLASS", problem, "write it", file=PARTS_FILE, where=where, rule=problem)


def _names(reference: Reference) -> dict[str, list[str]]:
    """Return the classes, parts, and states."""
    return {
        "class": sorted(set(reference.classes)),
        "part": sorted(reference.parts.names),
        "state": sorted(reference.parts.states),
    }


def _select_items(reference: Reference, items: Collection[str]) -> Reference:
    """Return some videos."""
    numbers = [number for number, video in enumerate(reference.parts.videos) if video in items]
    return select_videos(reference, np.array(numbers, dtype=np.int64))


PREPARATIONS = {
    "kinetics_tps": Preparation(_sources, _write, names=_names, select_items=_select_items),
}
