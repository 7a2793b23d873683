"""The public data of ActivityNet-Entities: videos and segments of the skeleton, and the classes."""

from __future__ import annotations

from typing import Any

from people_in_video.public_data import (
    PublicFiles,
    PublicReader,
    read_object,
    read_vocabulary,
    refuse_public_data,
)
from scoring_program.challenges.anet_entities.public import PublicSegments, Word
from scoring_program.challenges.anet_entities.task import GIVEN

SKELETON_FILE = "skeleton.json"


def _read(task_id: str, files: PublicFiles) -> PublicSegments:
    """Return the segments of ``skeleton.json`` and its vocabulary. Raises Refused."""
    skeleton = read_object(files, SKELETON_FILE)
    vocabulary = {**read_vocabulary(files)}
    if "vocab" in skeleton:
        vocabulary.setdefault("class", _class_names(skeleton["vocab"]))
    segments: list[tuple[str, str]] = []
    with_words: list[tuple[str, str]] = []
    words: set[Word] = set()
    try:
        for video, content in skeleton["annotations"].items():
            for name, segment in content["segments"].items():
                segments.append((video, name))
                lists_of_indexes = segment.get("process_idx") or []
                if lists_of_indexes:
                    with_words.append((video, name))
                for indexes in lists_of_indexes:
                    words.update(((video, name), index) for index in indexes)
    except (KeyError, TypeError, AttributeError):
        refuse_public_data("it does not map annotations to videos with segments", SKELETON_FILE)
    is_given = task_id == GIVEN
    return PublicSegments(
        videos=frozenset(skeleton["annotations"]),
        segments=segments,
        asked=with_words if is_given else segments,
        vocabulary=vocabulary,
        words=frozenset(words) if is_given else frozenset(),
    )


def _class_names(vocab: Any) -> list[str]:
    """Return the names of classes in a skeleton. Raises Refused if they are anything else."""
    if not isinstance(vocab, list) or not all(isinstance(name, str) for name in vocab):
        refuse_public_data("its vocab is no list of names", SKELETON_FILE)
    return vocab


PUBLIC_READER = PublicReader(SKELETON_FILE, _read)
