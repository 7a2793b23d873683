"""What is made up for the task: synthetic data, samples, gaming tricks, mistakes, canaries."""

from __future__ import annotations

from people_in_video.diagnosis.trials import Family
from quality.cures import Cure
from quality.items import ItemQuality
from quality.task import Mistake, Said
from task_templates.quality.example_lists_json import files, values
from task_templates.quality.example_lists_json.values import LABELS, Values


def _shifted(prediction: Values) -> Values:
    lists = list(prediction.values())
    return dict(zip(prediction, [*lists[1:], lists[0]]))


_MISTAKES: list[Mistake[Values]] = [
    Mistake(
        name="all labels everywhere",
        change=lambda prediction: dict.fromkeys(prediction, LABELS),
        said=[Said("N-LOOKS-CONSTANT")],
    ),
    Mistake(
        name="the labels of the next item",
        change=_shifted,
        cures=[Cure(("lists of labels",), Family.ITEMS)],
    ),
]
# EDIT: further tricks that a participant might try, as ``tricks``.
TASKS = (ItemQuality("example_lists_json", files, values, mistakes=_MISTAKES),)
