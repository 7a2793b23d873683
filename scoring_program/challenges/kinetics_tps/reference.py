"""The reference of Kinetics-TPS: the organizers' two JSON files, or arrays prepared from them."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from scoring_program.metrics.pairs import rows_of_owners
from scoring_program.prepared import Arrays, Texts, load_prepared, require_files
from scoring_program.settings import Settings
from scoring_program.task import Vocabulary
from scoring_program.vocabulary_file import read_vocabulary
from validator.arrays import Ints
from validator.findings import Findings
from validator.formats.kinetics_tps.read import PartStates, read_classes, read_parts
from validator.formats.rules import JsonFile, Rules
from validator.texts import pointer_part

CLASSES_FILE = "gt_vid_result.json"
PARTS_FILE = "gt_part_result.json"
PREPARED_FILE = "reference.npz"
TEXT_COLUMNS = ("videos", "frames", "names", "states")


class Reference(NamedTuple):
    """Ground truth; ``classes`` has the class of each video of ``parts.videos``.

    ``vocabulary`` has the public names of each kind, as far as there are any.
    """

    classes: list[str]
    parts: PartStates
    vocabulary: Vocabulary = MappingProxyType({})


def load_reference(rules: Rules, folder: Path, settings: Settings) -> Reference:
    """Read a reference as `read_reference` does, with the videos in ascending order, and its vocabulary.

    Raises Refused.
    """
    reference = read_reference(folder, rules)
    videos = reference.parts.videos
    in_order = sorted(range(len(videos)), key=lambda video: videos[video])
    if in_order != list(range(len(videos))):
        reference = select_videos(reference, np.array(in_order))
    return reference._replace(vocabulary=read_vocabulary(folder))


def items(reference: Reference) -> list[str]:
    """Return the videos, in ascending order."""
    return reference.parts.videos


def read_reference(folder: Path, rules: Rules) -> Reference:
    """Read the organizers' two JSON files, or the arrays prepared from them, in their order.

    Raises Refused.
    """
    prepared_path = folder / PREPARED_FILE
    if prepared_path.is_file():
        return load_prepared(prepared_path, _from_prepared)
    with Findings.collect() as findings:
        require_files(folder, (CLASSES_FILE, PARTS_FILE), "put it into the reference folder", findings)
        with findings.part():
            classes_file = JsonFile(CLASSES_FILE, rules.json[0].schema)
            with (folder / CLASSES_FILE).open("rb") as stream:
                classes = findings.take(read_classes(stream.read, CLASSES_FILE, classes_file))
        with findings.part():
            (parts_schema,) = rules.reference_schemas
            parts_file = JsonFile(PARTS_FILE, parts_schema)
            with (folder / PARTS_FILE).open("rb") as stream:
                parts = findings.take(read_parts(stream.read, PARTS_FILE, parts_file, one_each=True))
        findings.refuse_problems()
        videos_with_frames = set(parts.videos)
        _check_both_have(videos_with_frames - classes.keys(), CLASSES_FILE, findings)
        _check_both_have(classes.keys() - videos_with_frames, PARTS_FILE, findings)
        if not parts.videos:
            findings.add("E-REF-NONE", "there is no video", "put the ground truth there", file=PARTS_FILE)
    return Reference([classes[video] for video in parts.videos], parts)


def _check_both_have(missing_videos: set[str], file: str, findings: Findings) -> None:
    """Add a problem for each video that ``file`` lacks and the other file has."""
    for video in sorted(missing_videos):
        problem, remedy = f"the video {video} is missing", "both files need the same videos"
        findings.add("E-REF-PAIR", problem, remedy, file=file, where=f"/{pointer_part(video)}")


def _from_prepared(texts: Texts, arrays: Arrays) -> Reference:
    columns: dict[str, Any] = {**{name: texts[name] for name in TEXT_COLUMNS}, **arrays}
    return Reference(texts["classes"], PartStates(**columns))


def select_videos(reference: Reference, videos: Ints) -> Reference:
    """Return some videos of a reference, given by their numbers, in that order."""
    parts = reference.parts
    frame_video, frame = rows_of_owners(parts.frame_video, videos)
    selected = take_frames(parts, frame)._replace(
        videos=[parts.videos[video] for video in videos.tolist()],
        frames=[parts.frames[number] for number in frame.tolist()],
        frame_video=frame_video.astype(np.int32),
    )
    classes = [reference.classes[video] for video in videos.tolist()]
    return Reference(classes, selected, reference.vocabulary)


def take_frames(parts: PartStates, frames: Ints) -> PartStates:
    """Return the humans, parts and proposals of frames, which are given by their numbers, frame by frame.

    -1 stands for a frame of nobody. Humans have the places of their frames in ``frames``; the names of frames
    and videos stay.
    """
    human_frame, human = rows_of_owners(parts.human_frame, frames)
    part_human, part = rows_of_owners(parts.part_human, human)
    proposal_part, proposal = rows_of_owners(parts.proposal_part, part)
    return parts._replace(
        human_frame=human_frame.astype(np.int32),
        human_box=parts.human_box[human],
        part_human=part_human.astype(np.int32),
        part_name=parts.part_name[part],
        proposal_part=proposal_part.astype(np.int32),
        proposal_box=parts.proposal_box[proposal],
        proposal_state=parts.proposal_state[proposal],
        n_states=parts.n_states[part],
    )
