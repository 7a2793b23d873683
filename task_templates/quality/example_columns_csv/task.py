"""What is made up for the task: synthetic data, samples, gaming tricks, canaries."""

from __future__ import annotations

from quality.items import ItemQuality
from task_templates.quality.example_columns_csv import files, values

# EDIT: further tricks that a participant might try, as ``tricks``.
TASKS = (ItemQuality("example_columns_csv", files, values),)
