"""What is made up for the task: synthetic data, samples, gaming tricks, mistakes, canaries."""

from __future__ import annotations

from quality.items import ItemQuality
from task_templates.quality.example_segments_json import files, values

# EDIT: further tricks that a participant might try, as ``tricks``.
TASKS = (ItemQuality("example_segments_json", files, values),)
