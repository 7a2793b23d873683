"""What is made up for the task: synthetic data, samples, gaming tricks, mistakes, canaries."""

from __future__ import annotations

from people_in_video.diagnosis.trials import Family
from quality import cures
from quality.cures import Cure
from quality.items import ItemQuality
from quality.task import Mistake, Said
from task_templates.quality.example_segments_json import files, values
from task_templates.quality.example_segments_json.values import LABELS, Values

_SEGMENTS = ("segments",)
_ONE_SEGMENT = [{"label": LABELS[0], "start": 0.0, "end": 9.0}]
_FRAMES_A_SECOND = 25
_SECONDS_LATE = 5.0
_MEANT_LABEL = cures.other_order(LABELS)
_WRITTEN_LABEL = {meant: written for written, meant in _MEANT_LABEL.items()}


def _with_times(prediction: Values, scale: float, delay: float) -> Values:
    """Return a prediction with other times; ``delay`` is in seconds."""
    changed = {}
    for key, segments in prediction.items():
        changed[key] = [
            {
                **segment,
                "start": scale * segment["start"] + delay,
                "end": scale * segment["end"] + delay,
            }
            for segment in segments
        ]
    return changed


def _with_written_labels(prediction: Values) -> Values:
    changed = {}
    for key, segments in prediction.items():
        changed[key] = [{**segment, "label": _WRITTEN_LABEL[segment["label"]]} for segment in segments]
    return changed


def _of_next_item(prediction: Values) -> Values:
    lists = list(prediction.values())
    return dict(zip(prediction, [*lists[1:], lists[0]]))


def _scaled(name: str, scale: float) -> Mistake[Values]:
    return Mistake(
        name=name,
        change=lambda prediction: _with_times(prediction, scale, 0.0),
        cures=[Cure(_SEGMENTS, Family.FIT)],
    )


_MISTAKES: list[Mistake[Values]] = [
    Mistake(
        name="one segment everywhere",
        change=lambda prediction: dict.fromkeys(prediction, _ONE_SEGMENT),
        said=[Said("N-LOOKS-CONSTANT")],
    ),
    _scaled("milliseconds instead of seconds", 1000),
    _scaled("frames instead of seconds", _FRAMES_A_SECOND),
    Mistake(
        name="5 seconds late",
        change=lambda prediction: _with_times(prediction, 1.0, _SECONDS_LATE),
        cures=[Cure(_SEGMENTS, Family.FIT)],
    ),
    Mistake(
        name="labels in another order",
        change=_with_written_labels,
        cures=[Cure(("labels",), Family.ORDER)],
    ),
    Mistake(
        name="the segments of the next item",
        change=_of_next_item,
        cures=[Cure(_SEGMENTS, Family.ITEMS)],
    ),
]
# EDIT: further tricks that a participant might try, as ``tricks``.
TASKS = (ItemQuality("example_segments_json", files, values, mistakes=_MISTAKES),)
