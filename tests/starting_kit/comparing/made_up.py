"""Made-up submissions, whose scores are means over the columns of a table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from people_in_video.comparing.pairs import compare
from people_in_video.comparing.standings import Standings
from scoring_program.metrics.resampling import half_scores, intervals, weighted_mean
from scoring_program.task import load_task


def halves_of(values):
    """Return the half scores of submissions, the columns of a table (n_items, m)."""
    groups = np.arange(len(values))
    return [half_scores(partial(weighted_mean, column), groups) for column in values.T]


def made_standings(values, sorting="desc", names=None):
    """Return the standings of submissions, the columns of a table (n_items, m), the best first."""
    task = load_task("chalearn_gesture")
    task = replace(task, columns=[task.columns[0]._replace(sorting=sorting), *task.columns[1:]])
    halves = halves_of(values)
    scores = [halves_of_submission.score for halves_of_submission in halves]
    return Standings(
        task=task,
        names=names or [f"s{number}" for number in range(len(halves))],
        score_texts=[f"{score:.4f}" for score in scores],
        scores=scores,
        comparison=compare(halves, sorting == "desc"),
        intervals=intervals(halves, task.range) if len(values) > 1 else None,
        over=f"{len(values)} sequences",
        unit="sequence",
    )
