"""Which phase of a competition is ranked: what it offers, its dates and its limits."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from organizer.bundle.competition import (
    Competition,
    Entry,
    LintReport,
    entries_of,
    number,
    refused,
    sorted_phases,
)
from organizer.bundle.cut import reference_name, task_id_of
from organizer.bundle.rules import read_date
from organizer.runs.phase import Phase
from validator.texts import quote

# What Codabench takes where competition.yaml gives no limit.
_PER_DAY = 5
_IN_ALL = 100


class Offer(NamedTuple):
    """A task in a phase: the entries of both in competition.yaml."""

    phase: Entry
    task: Entry

    @property
    def phase_name(self) -> str:
        """The name of the phase."""
        return str(self.phase.get("name", ""))

    @property
    def reference(self) -> str:
        """The name of the reference without its ending."""
        return reference_name(self.task) or str(self.task.get("reference_data", ""))


def offers_of(competition: Competition, task_id: str) -> list[Offer]:
    """Return where the phases of a competition offer a task, in their order."""
    task_of_index = {entry["index"]: entry for _, entry in entries_of(competition, "tasks")}
    offers = []
    for _, phase in sorted_phases(competition):
        for index in phase.get("tasks") or ():
            task = task_of_index.get(index)
            if task is not None and task_id_of(task) == task_id:
                offers.append(Offer(phase, task))
    return offers


def find_offer(
    competition: Competition, task_id: str, phase_name: str, given_names: Collection[str] | None
) -> Offer | None:
    """Return the phase that is ranked with its task; None if it cannot be told.

    It is the one with this name or, without a name, the one whose reference is given, or the only one.

    Parameters
    ----------
    phase_name : str
        "" if no phase is named.
    given_names : collection of str or None
        The names of the references that are given instead of those of the competition; None if none is.

    Raises
    ------
    Refused
        If there is no phase of this name, or if nothing tells several references apart.
    """
    offers = offers_of(competition, task_id)
    if phase_name:
        named = [offer for offer in offers if offer.phase_name == phase_name]
        if not named:
            names = _phase_names(offers)
            raise refused("no phase of this name", task=task_id, name=quote(phase_name), names=names)
        return named[0]
    if given_names is not None and len(offers) > 1:
        offers = [offer for offer in offers if offer.reference in given_names]
    references = list(dict.fromkeys(offer.reference for offer in offers))
    if len(references) > 1:
        texts = ", ".join(map(quote, references))
        raise refused("several references", task=task_id, references=texts, names=_phase_names(offers))
    return offers[0] if len(offers) == 1 else None


def _phase_names(offers: list[Offer]) -> str:
    names = dict.fromkeys(offer.phase_name for offer in offers)
    return ", ".join(f'"{quote(name)}"' for name in names) or "none has this task"


def rules_of_phase(phase: Entry) -> Phase:
    """Return the dates of a phase and its limits, as the platform reads them."""
    ignored = LintReport()
    start, end = phase.get("start"), phase.get("end")
    return Phase(
        name=str(phase.get("name", "")),
        start=read_date(start, "", ignored) if start else None,
        end=read_date(end, "", ignored) if end else None,
        per_day=_limit(phase.get("max_submissions_per_day"), _PER_DAY),
        in_all=_limit(phase.get("max_submissions"), _IN_ALL),
    )


def _limit(value: object, default: int) -> int:
    return default if value is None else number(value)
