"""A task with a reference at home, where everything about a submission may be said.

A result at ``full`` is explained there: what would make the submission fit, what misspelled names cost, and
drawings of its worst items.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from people_in_video.challenge_modules import find_module
from people_in_video.diagnosis.explanation import explained_notes, keeper
from people_in_video.references.preparation import select_items, select_predictions
from scoring_program.disclosure import min_group
from scoring_program.result import Result, Section
from scoring_program.scoring import AnyLoaded, Begin, Loaded, guarded
from scoring_program.signature import DIGITS
from scoring_program.task import Task
from validator.checking import load_format
from validator.findings import Findings, Note, Read, Refused
from validator.items import ITEMS_NONE, ITEMS_UNKNOWN, LIMIT_OF_REFERENCE
from validator.submission import Source

MOST_DRAWINGS = 500
_DEMO_REFUSED = (
    "this was compared with the synthetic demo reference, which has other ids than the challenge's data: "
    "give yours with --reference DIR, in Python reference=, or check ids with check --public DIR"
)


@dataclass(frozen=True)
class HomeLoaded(Loaded[Any, Any, Any]):
    """A task with a reference that was read at home."""

    whole_reference: Any = None
    """The reference that ``reference`` holds some items of; None if it is whole."""
    n_drawings: int = 0
    """How many of the worst items are drawn."""
    draws_right: bool = False
    """Whether items with nothing wrong are drawn, too."""
    is_demo: bool = False
    """Whether the reference is the synthetic one of the kit."""
    conversion_notes: Sequence[Note] = ()
    """Notes on how the submission that is read was made of a file of another tool."""

    def select_items(self, items: Collection[str]) -> HomeLoaded:
        """Return the same with some of the items only, for quick looks; the signature says so.

        Parameters
        ----------
        items : collection of str
            Names of items of the reference, at least one.

        Raises
        ------
        NotImplementedError
            The task cannot be scored on some of its items.
        """
        is_selected = np.array([item in items for item in self.items], dtype=bool)
        _, group_number = np.unique(self.groups.number[is_selected], return_inverse=True)
        names = [item for item in self.items if item in items]
        reference = select_items(self.task, self.reference, frozenset(names))
        return replace(
            self,
            reference=reference,
            public=self.task.public(reference),
            items=names,
            groups=self.groups._replace(number=group_number.astype(np.int64)),
            signature=with_items(self.signature, names),
            # Those of the whole reference are of other items.
            marks=(),
            whole_reference=self.reference,
        )

    def read(self, source: Source) -> Read[Any]:
        """Return the validated submission, with what diagnosis compares. Raises Refused."""
        with Findings.collect() as findings:
            findings.notes += self.conversion_notes
            content = findings.take(self._read(source))
        return Read(content, findings.notes)

    def _read(self, source: Source) -> Read[Any]:
        """Return the submission. That no item is known is the only problem of one that is otherwise valid."""
        keep = keeper(self.task, self.reference) or self.task.keeper(self.reference)
        try:
            return self.task.read(source, self.public, keep)
        except Refused as refused:
            unknown_items = [problem for problem in refused.findings.problems if problem.code == ITEMS_NONE]
            if not unknown_items:
                raise
        form, rules = load_format(self.task.id)
        form.read(source, rules)
        findings = Findings()
        findings.repeat(unknown_items[0])
        raise Refused(findings)

    def explain(self, findings: Findings) -> Findings:
        """Return the findings of a refused submission; where no item is known, they say that it is valid.

        Problems that follow from the demo reference say so: submissions to a challenge have other ids, and
        may be much larger.
        """
        problems = []
        for problem in findings.problems:
            if problem.code == ITEMS_NONE:
                problem = problem._replace(problem=f"the submission is valid, but {problem.problem}")
            if problem.code == ITEMS_NONE and self.is_demo:
                # Whoever plays with the demo data may have misspelled its ids.
                remedy = f"{_DEMO_REFUSED}. For the demo data itself: {problem.remedy}"
                problem = problem._replace(remedy=remedy)
            elif problem.rule == LIMIT_OF_REFERENCE and self.is_demo:
                problem = problem._replace(remedy=_DEMO_REFUSED)
            problems.append(problem)
        return replace(findings, problems=problems)

    def score(self, reading: Read[Any], begin: Begin = lambda stage: None) -> Result:
        """Return the result of a submission that was read, explained at ``full``."""
        if self.whole_reference is not None:
            content = select_predictions(self.task, reading.content, frozenset(self.items))
            # What is not selected is no mistake.
            reading = Read(content, [note for note in reading.notes if note.code != ITEMS_UNKNOWN])
        result = super().score(reading, begin)
        if min_group(self.settings["detail"]):
            return result
        begin("explanation")
        return self._explained(reading.content, result)

    def _explained(self, submission: Any, result: Result) -> Result:
        """Return a result with what only home tells."""
        notes, no_notes = list(result.notes), list[Note]()
        if self.settings["notes"]:
            whole_reference = self.whole_reference if self.whole_reference is not None else self.reference
            explain = partial(explained_notes, self, whole_reference, submission, result)
            notes, no_notes = guarded("hints", explain, notes)
        draw = partial(self._draw_worst_items, submission, result.statistics)
        drawings, no_drawings = guarded("drawings", draw, list[Section]())
        shown = replace(result.shown, sections=[*result.sections, *drawings])
        return replace(result, shown=shown, notes=[*no_notes, *no_drawings, *notes])

    def _draw_worst_items(self, submission: Any, statistics: Any) -> list[Section]:
        draw = draw_function(self.task)
        if draw is None or not self.n_drawings:
            return []
        return draw(self.reference, submission, statistics, self.n_drawings, self.draws_right)


def with_items(whole_signature: str, items: Sequence[str]) -> str:
    """Return the signature of scores of some items of a reference: how many, and a hash of their names."""
    digest = hashlib.sha256("\n".join(sorted(items)).encode()).hexdigest()[:DIGITS]
    before_reference, separator, reference = whole_signature.rpartition("|ref:")
    return f"{before_reference}|items:{len(items)}-{digest}{separator}{reference}"


def at_home(loaded: AnyLoaded, n_drawings: int = 0) -> HomeLoaded:
    """Return a task with its reference at home."""
    values = {field.name: getattr(loaded, field.name) for field in fields(Loaded)}
    return HomeLoaded(**values, n_drawings=n_drawings)


def draw_function(task: Task) -> Callable[..., list[Section]] | None:
    """Return what draws items of a task, None if they cannot be drawn.

    ``drawings/<challenge>.py`` holds it in ``DRAWINGS``. It takes the reference, the submission, its
    statistics, the most drawings, and whether those with nothing wrong are drawn, too; it returns sections.
    """
    module = find_module(f"{__package__}.drawings", task.folder.name)
    function: Callable[..., list[Section]] | None = getattr(module, "DRAWINGS", {}).get(task.id)
    return function
