"""Public data of ActivityNet-Entities: the skeleton of the scored splits, as the challenge published one.

For given sentences it has the sentences, and the annotated words with their classes; for generated sentences
only videos, segments and times. Unlike the challenge's own skeleton, which has an entry for each box, it has
one for each annotated word, so that it does not show how many boxes there are.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from organizer.files import Files
from organizer.public_data import Leak, PublicData, PublicSource, breaches, differing_files, json_bytes
from scoring_program.challenges.anet_entities.reference import PREPARED_FILE as PREPARED_FILE
from scoring_program.challenges.anet_entities.reference import Reference, load_reference
from scoring_program.challenges.anet_entities.task import GENERATED, TASKS
from scoring_program.scoring import AnyLoaded
from validator.columns import JsonValue
from validator.json_reader import strict_loads
from validator.texts import counted, quote, some_words

SKELETON_FILE = "skeleton.json"
SPLIT_FILE = "split_ids.json"
_HIDDEN_LISTS = ("frame_ind", "process_bnd_box", "crowds")


def public_files(source: PublicSource) -> PublicData:
    """Return the skeleton of all videos of the scored splits, and these splits. Raises Refused."""
    # Reads the same files, and checks them.
    load_reference(source.folder, source.settings)
    data = _read(source, "reference_file")
    splits = _read(source, "split_file")
    shows_sentences = _shows_sentences(source.task_id)
    public_splits = {split: sorted(splits[split]) for split in sorted(source.settings["splits"])}
    videos = sorted({video for names in public_splits.values() for video in names})
    annotations = {video: _skeleton_of_video(data["annotations"][video], shows_sentences) for video in videos}
    skeleton: dict[str, Any] = {"annotations": annotations}
    if isinstance(data.get("vocab"), list):
        skeleton = {"vocab": data["vocab"], **skeleton}
    files = {SKELETON_FILE: json_bytes(skeleton), SPLIT_FILE: json_bytes(public_splits)}
    return PublicData(files, _remarks(skeleton))


def files_of_items(files: Files, items: Collection[str]) -> Files:
    """Return the skeleton of some videos, and the part of each split that they are."""
    skeleton, splits = json.loads(files[SKELETON_FILE]), json.loads(files[SPLIT_FILE])
    annotations = {video: entry for video, entry in skeleton["annotations"].items() if video in items}
    part_of_splits = {}
    for split, videos in splits.items():
        part_of_splits[split] = [video for video in videos if video in items]
    return {
        SKELETON_FILE: json_bytes({**skeleton, "annotations": annotations}),
        SPLIT_FILE: json_bytes(part_of_splits),
    }


def find_leaks(files: Files, loaded: AnyLoaded) -> Iterator[Leak]:
    """Yield files of other names, other keys than those that are public, and videos of another reference."""
    form = "skeleton_given" if _shows_sentences(loaded.task.id) else "skeleton_generated"
    reference: Reference = loaded.reference
    for name, content in files.items():
        if name == SKELETON_FILE:
            yield from breaches(name, content, form)
            if _videos_of(content) != reference.chosen_videos:
                yield Leak(name, "its videos are not those of the scored splits")
        elif name == SPLIT_FILE:
            splits = {split: sorted(reference.splits[split]) for split in sorted(loaded.settings["splits"])}
            yield from differing_files({name: content}, {SPLIT_FILE: json_bytes(splits)})
        else:
            yield Leak(name, "public data has no such file")


def find_leaks_beside(files: Files, task_id: str, other: AnyLoaded) -> Iterator[Leak]:
    """Yield a skeleton of given sentences with videos for which another task wants generated ones."""
    is_hidden = other.task.id in TASKS and not _shows_sentences(other.task.id)
    if SKELETON_FILE not in files or not _shows_sentences(task_id) or not is_hidden:
        return
    reference: Reference = other.reference
    common = sorted(_videos_of(files[SKELETON_FILE]) & reference.chosen_videos)
    if common:
        videos = counted(len(common), "video")
        names = some_words(list(map(quote, common)))
        yield Leak(
            SKELETON_FILE,
            f"it shows the sentences of {videos} that {other.task.id} must hide ({names}); "
            "give the two tasks different videos",
        )


def _videos_of(skeleton: bytes) -> set[str]:
    """Return the videos of a skeleton, none if it is not of this form."""
    try:
        return set(json.loads(skeleton)["annotations"])
    except (ValueError, TypeError, KeyError):
        return set()


def _shows_sentences(task_id: str) -> bool:
    return task_id != GENERATED


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
