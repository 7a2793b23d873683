"""The reference of Kinetics-TPS: the organizers' two JSON files, or arrays prepared from them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from scoring_program.prepared import Arrays, Texts, load_prepared, require_files, save_prepared
from validator.findings import Findings
from validator.formats.kinetics_tps.read import PartStates, read_classes, read_parts
from validator.formats.rules import JsonFile, Rules
from validator.strict_json import pointer_part

CLASSES_FILE = "gt_vid_result.json"
PARTS_FILE = "gt_part_result.json"
PREPARED_FILE = "reference.npz"


class Reference(NamedTuple):
    """Ground truth; ``classes`` has the class of each video of ``parts.videos``."""

    classes: list[str]
    parts: PartStates


def load_reference(folder: Path, rules: Rules) -> Reference:
    """Read the organizers' two JSON files, or the arrays that were prepared from them. Raises Refused."""
    prepared = folder / PREPARED_FILE
    if prepared.is_file():
        return load_prepared(prepared, _from_prepared)
    with Findings.collect() as findings:
        require_files(folder, (CLASSES_FILE, PARTS_FILE), "put it into the reference folder", findings)
        with findings.part():
            schema = rules.json[0].schema
            data = (folder / CLASSES_FILE).read_bytes()
            classes = findings.take(read_classes(data, CLASSES_FILE, JsonFile(CLASSES_FILE, schema)))
        with findings.part():
            (schema,) = rules.reference_schemas
            data = (folder / PARTS_FILE).read_bytes()
            parts = findings.take(read_parts(data, PARTS_FILE, JsonFile(PARTS_FILE, schema), one_each=True))
        findings.refuse_problems()
        videos = set(parts.videos)
        for missing, name in ((videos - classes.keys(), CLASSES_FILE), (classes.keys() - videos, PARTS_FILE)):
            for video in sorted(missing):
                problem, remedy = f"the video {video} is missing", "both files need the same videos"
                where = f"/{pointer_part(video)}"
                findings.add("E-REF-PAIR", problem, remedy, file=name, where=where)
        if not parts.videos:
            findings.add("E-REF-NONE", "there is no video", "put the ground truth there", file=PARTS_FILE)
    return Reference([classes[video] for video in parts.videos], parts)


def save_reference(reference: Reference, path: Path) -> None:
    """Write a reference as arrays, which load fast."""
    parts = reference.parts
    texts = {"classes": reference.classes, "videos": parts.videos, "frames": parts.frames}
    texts |= {"names": list(parts.names), "states": list(parts.states)}
    arrays = {name: value for name, value in parts._asdict().items() if isinstance(value, np.ndarray)}
    save_prepared(path, texts, arrays)


def _from_prepared(texts: Texts, arrays: Arrays) -> Reference:
    names, states = ({word: number for number, word in enumerate(texts[key])} for key in ("names", "states"))
    parts = PartStates(**arrays, videos=texts["videos"], frames=texts["frames"], names=names, states=states)
    return Reference(texts["classes"], parts)
