"""example_metric_title: example_metric_description."""

from __future__ import annotations

# The metric of a new task is in place of this module, which is not copied.
from task_templates.scoring_program.metrics.accuracy import weighted as weighted
