"""What tests and tools try on this sub-task."""

from __future__ import annotations

from typing import Any

from scoring_program.families.anet_entities.trials import EntitiesTrials, giant_boxes, nothing, objects_twice


def _every_class(results: Any, truth: Any) -> None:
    for segments in results.values():
        for objects in segments.values():
            box = objects["bbox_for_all_frames"][0] if objects["bbox_for_all_frames"] else [[0, 0, 719, 404]] * 10
            n = len(truth["vocab"])
            objects.update(clss=truth["vocab"], idx_in_sent=[0] * n, bbox_for_all_frames=[box] * n)


def _only_sure(results: Any, truth: Any) -> None:
    """Keep the segments that are all right: what a method with a good sense of its own confidence can come near."""
    for video, segments in list(results.items()):
        for segment, objects in list(segments.items()):
            annotated = truth["annotations"][video]["segments"][segment]
            if [name for (name,) in annotated["process_clss"]] != objects["clss"]:
                del segments[segment]


# The averages per sentence run over the segments that are submitted: the published metric rewards leaving some out.
_ONLY_SURE = "only the segments that it is sure of"
TRIALS = EntitiesTrials(
    "gen",
    {
        _ONLY_SURE: _only_sure,
        "all classes in each segment": _every_class,
        "giant boxes": giant_boxes,
        "every object twice": objects_twice,
        "nothing": nothing,
    },
    rewarded=frozenset({_ONLY_SURE}),
)
