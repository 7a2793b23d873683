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
from scoring_program.challenges.anet_entities.public import PublicSegments

SKELETON_FILE = "skeleton.json"


def _read(task_id: str, files: PublicFiles) -> PublicSegments:
    """Return the segments of ``skeleton.json`` and its vocabulary. Raises Refused."""
    skeleton = read_object(files, SKELETON_FILE)
    vocabulary = {**read_vocabulary(files)}
    if "vocab" in skeleton:
        vocabulary.setdefault("class", _class_names(skeleton["vocab"]))
    segments = []
    try:
        for video, content in skeleton["annotations"].items():
            segments += [(video, name) for name in content["segments"].keys()]  # noqa: SIM118 - lists have none
    except (KeyError, TypeError, AttributeError):
        refuse_public_data("it does not map annotations to videos with segments", SKELETON_FILE)
    return PublicSegments(frozenset(skeleton["annotations"]), segments, vocabulary)


def _class_names(vocab: Any) -> list[str]:
    """Return the names of classes in a skeleton. Raises Refused if they are anything else."""
    if not isinstance(vocab, list) or not all(isinstance(name, str) for name in vocab):
        refuse_public_data("its vocab is no list of names", SKELETON_FILE)
    return vocab


PUBLIC_READER = PublicReader(SKELETON_FILE, _read)
