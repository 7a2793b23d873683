"""What is said of submissions that are refused beside the synthetic demo reference of a kit.

Those to a challenge have other ids than the demo reference, and may be much larger.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Generic

from scoring_program.task import AnyLoaded, Loaded, ReferenceT, StatisticsT, SubmissionT
from validator.archive import Source
from validator.findings import Findings, Read, Refused
from validator.items import ITEMS_NONE, LIMIT_OF_REFERENCE
from validator.messages import Problem

DEMO_REFUSED = (
    "this was compared with the synthetic demo reference, which has other ids than the challenge's data: "
    "give yours with --reference DIR, in Python reference=, or check ids with check --public DIR"
)


@contextmanager
def explaining_demo(is_demo: bool = True) -> Iterator[None]:
    """Say of problems that follow from the demo reference that they do; other problems stay as they are."""
    try:
        yield
    except Refused as refused:
        if is_demo:
            _explain_problems(refused.findings)
        raise


def _explain_problems(findings: Findings) -> None:
    findings.problems[:] = map(_explained, findings.problems)


def _explained(problem: Problem) -> Problem:
    """Return a problem with what to do about it if the demo reference was not meant."""
    if problem.code == ITEMS_NONE:
        # Whoever plays with the demo data may have misspelled its ids.
        return problem._replace(remedy=f"{DEMO_REFUSED}. For the demo data itself: {problem.remedy}")
    if problem.rule == LIMIT_OF_REFERENCE:
        return problem._replace(remedy=DEMO_REFUSED)
    return problem


class DemoLoaded(Loaded[ReferenceT, SubmissionT, StatisticsT], Generic[ReferenceT, SubmissionT, StatisticsT]):
    """The demo reference of a task; what it refuses is explained."""

    @classmethod
    def of(cls, loaded: AnyLoaded) -> AnyLoaded:
        """Return a task with its demo reference, so that what it refuses is explained."""
        return cls(**{field.name: getattr(loaded, field.name) for field in fields(loaded)})

    def read(self, path: Source) -> Read[SubmissionT]:
        """Return the validated submission. Raises Refused."""
        with explaining_demo():
            return super().read(path)
