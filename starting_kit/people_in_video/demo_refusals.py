"""The synthetic demo reference of a kit, which says that a submission that it refuses may be right.

Submissions to a challenge have other ids than the demo reference, and may be much larger.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic

from people_in_video.home_loaded import HomeLoaded
from scoring_program.scoring import ReferenceT, StatisticsT, SubmissionT
from validator.findings import Findings, Problem
from validator.items import ITEMS_NONE, LIMIT_OF_REFERENCE

DEMO_REFUSED = (
    "this was compared with the synthetic demo reference, which has other ids than the challenge's data: "
    "give yours with --reference DIR, in Python reference=, or check ids with check --public DIR"
)


@dataclass(frozen=True)
class DemoLoaded(
    HomeLoaded[ReferenceT, SubmissionT, StatisticsT], Generic[ReferenceT, SubmissionT, StatisticsT]
):
    """A task with its demo reference."""

    def explain(self, findings: Findings) -> Findings:
        """Return findings; problems that follow from the demo reference say so."""
        findings = super().explain(findings)
        return replace(findings, problems=[_explained(problem) for problem in findings.problems])


def _explained(problem: Problem) -> Problem:
    """Return a problem with what to do about it if the demo reference was not meant."""
    if problem.code == ITEMS_NONE:
        # Whoever plays with the demo data may have misspelled its ids.
        return problem._replace(remedy=f"{DEMO_REFUSED}. For the demo data itself: {problem.remedy}")
    if problem.rule == LIMIT_OF_REFERENCE:
        return problem._replace(remedy=DEMO_REFUSED)
    return problem
