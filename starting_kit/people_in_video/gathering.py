"""Predictions in memory with the calls that gave them: what an `Evaluator` and `score` keep."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from people_in_video.challenge_modules import find_module
from people_in_video.plain_values import half_precision_text
from people_in_video.writing import IncompleteError, Key, Predictions, RepeatedError
from scoring_program.result import Result
from scoring_program.scoring import AnyLoaded
from scoring_program.task import Task
from validator.collector import collector_off
from validator.findings import Findings, Note, Refused
from validator.items import ITEMS_NONE
from validator.texts import counted

# What happens to predictions of two processes that differ.
REPEATS = ("first", "error", "join")
# The package with the writer of each challenge.
_PACKAGE = "people_in_video"


# How messages name a call of `update`, and its arguments by position and by name.
NamedCall = tuple[str, Sequence[object], Mapping[str, object]]


@dataclass
class GatheredState:
    """What can be sent to other processes.

    Attributes
    ----------
    entries : dict
        What is predicted, as `Predictions.entries`.
    names : dict of Key to str
        The call that gave each entry first.
    n_calls : int
    half_types : set of str
        The types of half precision among the numbers of all calls.
    contradictions : set of Key
        What several processes predicted otherwise.
    """

    entries: dict[Key, Any] = field(default_factory=dict)
    names: dict[Key, str] = field(default_factory=dict)
    n_calls: int = 0
    half_types: set[str] = field(default_factory=set)
    contradictions: set[Key] = field(default_factory=set)

    def copy(self) -> GatheredState:
        """Return the same; no change of one is one of the other."""
        return GatheredState(
            entries=dict(self.entries),
            names=dict(self.names),
            n_calls=self.n_calls,
            half_types=set(self.half_types),
            contradictions=set(self.contradictions),
        )


class Gathered:
    """Predictions in memory, with the names of the calls that gave them, for messages.

    Raises ValueError for a task whose challenge has no writer.
    """

    def __init__(self, loaded: AnyLoaded, state: GatheredState | None = None) -> None:
        make = writer_of(loaded.task)
        if make is None:
            raise ValueError(f"{loaded.task.id} takes no predictions in memory; give a zip file")
        self._loaded = loaded
        self._make = make
        self.state = state.copy() if state else GatheredState()
        self.predictions = make(loaded)
        self.predictions.entries = self.state.entries

    def items(self) -> frozenset[str]:
        """Return the items that are predicted."""
        return frozenset(map(self.predictions.item, self.predictions.entries))

    def name_call(self, arguments: Sequence[object]) -> str:
        """Return how messages name the next call: by its number and its short arguments."""
        short_arguments = [repr(value) for value in arguments if isinstance(value, (str, int))]
        return f"call {self.state.n_calls + 1}, update({', '.join(short_arguments)})"

    def update(
        self, name: str, positional: Sequence[object], named: Mapping[str, object]
    ) -> tuple[str, bool]:
        """Add the predictions of a call; nothing is added if a part is refused.

        Returns the item, and whether anything was predicted that was not there. Raises Refused.
        """
        self.state.n_calls += 1
        call, names = self._make(self._loaded), self.state.names
        with Findings.collect() as findings, collector_off():
            try:
                call.update(*positional, **named)
                call.check(self._loaded)
                is_new = self.predictions.put(call.entries)
            except Refused as refused:
                findings.extend(self._placed(refused.findings, lambda key: name))
            except RepeatedError as error:
                problem = f"{self.predictions.name(error.key)} was predicted otherwise by {names[error.key]}"
                findings.add("E-ARGUMENT", problem, "give it once, or the same again", where=name)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                _add_problem(str(error), name, findings)
        self.state.half_types |= call.values.half_types
        for key in call.entries:
            names.setdefault(key, name)
        return self.predictions.item(next(iter(call.entries))), is_new

    def merge(self, state: GatheredState, repeats: str) -> None:
        """Add the predictions of another process. Raises ValueError as `Evaluator.merge`."""
        predictions = self.predictions
        entries_of_unit = _by_unit(predictions, predictions.entries)
        for unit, entries in _by_unit(predictions, state.entries).items():
            earlier_entries = entries_of_unit.get(unit)
            is_repeated = earlier_entries is not None and _is_same(predictions, earlier_entries, entries)
            if earlier_entries is None or is_repeated or repeats == "join":
                try:
                    predictions.put(entries)
                except RepeatedError as error:
                    raise ValueError(self._contradiction(error.key, state)) from None
            elif repeats == "error":
                raise ValueError(self._contradiction(next(iter(entries)), state))
            else:
                self.state.contradictions.add(unit)
        self.state.names = {**state.names, **self.state.names}
        self.state.n_calls = max(self.state.n_calls, state.n_calls)
        self.state.contradictions |= state.contradictions
        self.state.half_types |= state.half_types

    def _contradiction(self, key: Key, state: GatheredState) -> str:
        first_call = self.state.names.get(key, "another process")
        other_call = state.names.get(key, "another process")
        name = self.predictions.name(key)
        return f"{name} was predicted otherwise by two processes ({first_call}; {other_call})"

    def result(self) -> Result:
        """Return the result of scoring, with notes on how the predictions came. Raises Refused."""
        try:
            reading = self.predictions.read(self._loaded)
        except Refused as refused:
            raise Refused(self._placed(refused.findings, self.state.names.__getitem__)) from None
        except IncompleteError as error:
            findings = Findings()
            _add_problem(str(error), self.state.names[error.key], findings)
            raise Refused(findings) from None
        result = self._loaded.score(reading)
        return replace(result, notes=[*result.notes, *self._notes()])

    def _notes(self) -> list[Note]:
        notes = []
        if self.state.half_types:
            notes.append(Note("N-HALF", half_precision_text(self.state.half_types)))
        if self.state.contradictions:
            contradictions = counted(len(self.state.contradictions), "prediction")
            text = f"{contradictions} of several processes differ; those of the first process are scored"
            notes.append(Note("N-PROCESSES", text))
        return notes

    def _placed(self, findings: Findings, name: Callable[[Key], str]) -> Findings:
        """Return findings with arguments of calls in place of files and the places in them."""
        placed_findings = Findings()
        for problem in findings.problems:
            if problem.code == ITEMS_NONE:
                # No single call is at fault; the message names the first item.
                placed_findings.repeat(problem, file="", where="")
                continue
            changes = {}
            with contextlib.suppress(KeyError, ValueError):
                key, argument = self.predictions.place(problem.file, problem.where)
                changes = {"file": "", "where": f"{name(key)}.{argument}"}
            placed_findings.repeat(problem, **changes)
        n_more = findings.total - len(findings.problems)
        if n_more:
            placed_findings.count_unread(n_more, "")
        return placed_findings


def _add_problem(text: str, name: str, findings: Findings) -> None:
    """Add a problem with an argument of a call, whose text has what to do after a semicolon."""
    problem, _, remedy = text.partition("; ")
    findings.add("E-ARGUMENT", problem, remedy or "see the arguments of update", where=name)


def _by_unit(predictions: Predictions, entries: Mapping[Key, Any]) -> dict[Key, dict[Key, Any]]:
    """Return entries by what is merged as a whole."""
    entries_of_unit: dict[Key, dict[Key, Any]] = {}
    for key, entry in entries.items():
        entries_of_unit.setdefault(predictions.unit(key), {})[key] = entry
    return entries_of_unit


def _is_same(predictions: Predictions, entries: Mapping[Key, Any], other_entries: Mapping[Key, Any]) -> bool:
    """Return whether the entries of a unit are those of another process."""
    if entries.keys() != other_entries.keys():
        return False
    return all(predictions.is_same(entries[key], other_entries[key]) for key in entries)


def named_calls(predictions: Predictions, submission: Any, findings: Findings) -> Iterator[NamedCall]:
    """Yield the calls of `update` that predictions in memory stand for.

    Parameters
    ----------
    predictions : Predictions
        Tells what ``update`` takes.
    submission : iterable of sequence or mapping, or mapping
        The arguments of each call; or a mapping of items to the other arguments of their calls: the one that
        there is, a tuple, or a mapping by name.
    findings : Findings
        Gets a problem for each item whose value is none of these.
    """
    if not isinstance(submission, Mapping):
        for index, arguments in enumerate(submission):
            by_name = isinstance(arguments, Mapping)
            positional, named = ((), arguments) if by_name else (arguments, {})
            yield f"predictions[{index}]", positional, named
        return
    parameters = list(inspect.signature(predictions.update).parameters)[predictions.n_item_arguments :]
    for item, arguments in submission.items():
        name = f"predictions[{item!r:.80}]"
        items = item if isinstance(item, tuple) else (item,)
        if isinstance(arguments, Mapping) and set(arguments) <= set(parameters):
            yield name, items, arguments
        elif len(parameters) == 1:
            yield name, (*items, arguments), {}
        elif isinstance(arguments, tuple):
            yield name, (*items, *arguments), {}
        else:
            remedy = f"give ({', '.join(parameters)}), or a dict with these names"
            _add_problem(f"the value is a {type(arguments).__name__}; {remedy}", name, findings)


def writer_of(task: Task) -> Callable[[AnyLoaded], Predictions] | None:
    """Return what makes the predictions in memory of a task; None if its challenge has no writer here."""
    module = find_module(_PACKAGE, f"{task.folder.name}.writer")
    return module.WRITERS.get(task.id) if module else None
