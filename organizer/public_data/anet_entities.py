"""Public data of ActivityNet-Entities: the skeleton of the scored splits, as the challenge published one.

For given sentences it has the sentences, and the annotated words with their classes; for generated sentences
only videos, segments and times. Unlike the challenge's own skeleton, which has an entry for each box, it has
one for each annotated word, so that it does not show how many boxes there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from organizer.public_data import PublicData, PublicSource, json_bytes
from scoring_program.challenges.anet_entities.reference import PREPARED_FILE as PREPARED_FILE
from scoring_program.challenges.anet_entities.reference import load_reference
from scoring_program.challenges.anet_entities.task import TASKS, GeneratedSentences
from validator.strict_json import JsonValue, strict_loads

SKELETON_FILE = "skeleton.json"
SPLIT_FILE = "split_ids.json"
_HIDDEN_LISTS = ("frame_ind", "process_bnd_box", "crowds")


def public_files(source: PublicSource) -> PublicData:
    """Return the skeleton of all videos of the scored splits, and these splits. Raises Refused."""
    # Reads the same files, and checks them.
    load_reference(source.folder, source.settings)
    data = _read(source, "reference_file")
    splits = _read(source, "split_file")
    shows_sentences = not isinstance(TASKS[source.task_id], GeneratedSentences)
    public_splits = {split: sorted(splits[split]) for split in sorted(source.settings["splits"])}
    videos = sorted({video for names in public_splits.values() for video in names})
    annotations = {video: _skeleton_of_video(data["annotations"][video], shows_sentences) for video in videos}
    skeleton: dict[str, Any] = {"annotations": annotations}
    if isinstance(data.get("vocab"), list):
        skeleton = {"vocab": data["vocab"], **skeleton}
    files = {SKELETON_FILE: json_bytes(skeleton), SPLIT_FILE: json_bytes(public_splits)}
    return PublicData(files, _remarks(skeleton))


def _read(source: PublicSource, setting: str) -> JsonValue:
    name = source.settings[setting]
    return strict_loads((source.folder / name).read_bytes(), name).content


def _skeleton_of_video(video: Mapping[str, Any], shows_sentences: bool) -> dict[str, Any]:
    segments = {}
    for name in sorted(video["segments"], key=_segment_order):
        segments[name] = _skeleton_of_segment(video["segments"][name], shows_sentences)
    duration = {"duration": video["duration"]} if "duration" in video else {}
    return {**duration, "segments": segments}


def _segment_order(name: str) -> tuple[int, int, str]:
    """Return what segments are sorted by: numbers as numbers, before other names."""
    return (0, int(name), name) if name.isdecimal() else (1, 0, name)


def _skeleton_of_segment(segment: Mapping[str, Any], shows_sentences: bool) -> dict[str, Any]:
    """Return the times of a segment, and for given sentences its words."""
    words = _annotated_words(segment) if shows_sentences else []
    timestamps = {"timestamps": segment["timestamps"]} if "timestamps" in segment else {}
    return {
        **timestamps,
        "tokens": segment.get("tokens", []) if shows_sentences else [],
        "process_clss": [[class_name] for _, class_name in words],
        "process_idx": [[index] for index, _ in words],
        **{name: [] for name in _HIDDEN_LISTS},
    }


def _annotated_words(segment: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Return index and class of each annotated word, ascending and each once."""
    words: set[tuple[int, str]] = set()
    for indexes, classes in zip(segment["process_idx"], segment["process_clss"]):
        words.update(zip(indexes, classes))
    return sorted(words)


def _remarks(skeleton: Mapping[str, Any]) -> list[str]:
    """Return what the source lacks of what a skeleton may hold."""
    remarks = []
    if "vocab" not in skeleton:
        remarks.append("vocab is left out: the source has none")
    videos = skeleton["annotations"].values()
    if not all("duration" in video for video in videos):
        remarks.append("duration is left out where the source has none")
    segments = [segment for video in videos for segment in video["segments"].values()]
    if not all("timestamps" in segment for segment in segments):
        remarks.append("timestamps are left out where the source has none")
    return remarks
