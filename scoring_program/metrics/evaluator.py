"""An evaluator of one's own: a function ``evaluate(truth, predicted)`` that a task brings.

It gets the values of items as they are in a JSON file, in fresh copies each time, and returns numbers by
name. The whole is evaluated twice, because an evaluator that draws or remembers cannot be compared.
Intervals follow from the numbers of half of the items.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import math
import os
import pickle
import re
import sys
import traceback
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TextIO

import numpy as np

from scoring_program.metrics.item_statistics import ItemStatistics
from scoring_program.result import SCORE_LIMIT
from validator import hidden_log, limits
from validator.arrays import Floats
from validator.findings import Findings, Refused
from validator.formats.items.arrays import PlainValues

KINDS = ("value",)
SORTING = "desc"
RANGE = (None, None)
HALVES = 20
"""How many random halves are evaluated, unless a task declares another number."""
FOLDER = Path(__file__).resolve().parents[1] / "evaluators"
"""Each task has a folder here: its evaluator, and the modules beside it that this one imports."""
_FAILED = "the evaluator of the task failed"
_REMEDY = "organizers: correct the evaluator; dry-run and the kit show what it says"
_REMEDY_OF_IMPORT = "organizers: install the package, or put the module beside the evaluator"
_OTHER_CHARACTERS = re.compile("[^a-z0-9]+")
_DIGITS = 12


@dataclass(eq=False)
class Evaluator:
    """The evaluator of a task.

    Attributes
    ----------
    path : Path
        The module with the function ``evaluate``.
    score_key : str
        The number that ranks.
    columns : collection of str
        The keys of the columns that the task declares: other numbers are left out, as their names may be
        hidden labels. Empty for all numbers.
    higher_is_better : bool
        Whether the largest number that ranks is the best one.
    is_open : bool
        Whether nothing is hidden: what it prints and why it fails are shown, else written to the hidden log.
    is_silent : bool
        Whether what it prints is discarded, as it has said it before.
    """

    path: Path
    score_key: str
    columns: Collection[str] = ()
    higher_is_better: bool = True
    is_open: bool = False
    is_silent: bool = False
    _modules: dict[str, ModuleType] = field(default_factory=dict)

    def digest(self, declaration: Any) -> str:
        """Return the first digits of a hash of the code and of what is declared."""
        total = hashlib.sha256(json.dumps(declaration, sort_keys=True, default=str).encode())
        for path in sorted(self.path.parent.rglob("*.py")):
            total.update(hashlib.sha256(path.relative_to(self.path.parent).as_posix().encode()).digest())
            total.update(hashlib.sha256(path.read_bytes()).digest())
        return total.hexdigest()[:_DIGITS]

    def evaluate(self, truth: Mapping[str, Any], predicted: Mapping[str, Any]) -> dict[str, float]:
        """Return all numbers by the keys of their columns. Raises Refused."""
        numbers = self.call(truth, predicted)
        if self.columns:
            numbers = {key: number for key, number in numbers.items() if column_key(key) in self.columns}
        for key, number in numbers.items():
            if not isinstance(number, float) or not math.isfinite(number):
                self.fail(f"the evaluator returns no finite number for {key}")
            if abs(number) >= SCORE_LIMIT:
                self.fail(f"the evaluator returns {number:g} for {key}, and scores are below {SCORE_LIMIT:g}")
        if self.score_key not in numbers:
            self.fail(f"the evaluator does not return {self.score_key}")
        return {column_key(key): number for key, number in numbers.items()}

    def call(self, truth: Mapping[str, Any], predicted: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the function returns for copies of both sides, numbers as float. Raises Refused."""
        copies = _fresh(truth), _fresh(predicted)
        try:
            with self._streams(), self._imports():
                function = getattr(_load(self.path), "evaluate", None)
                result = function(*copies) if function else None
        except (limits.StoppedError, MemoryError, KeyboardInterrupt):
            raise
        except BaseException as error:
            problem = f"the evaluator raised {_place(error, self.path.parent)}: {error}"
            remedy = _REMEDY_OF_IMPORT if isinstance(error, ModuleNotFoundError) else _REMEDY
            self.fail(problem, remedy, hidden_log.exception_text(error))
        if function is None:
            self.fail(f"{self.path.name} has no function evaluate(truth, predicted)")
        if not isinstance(result, Mapping):
            self.fail("the evaluator does not return numbers by name")
        return {str(key): _as_float(value) for key, value in result.items()}

    def fail(self, problem: str, remedy: str = _REMEDY, details: str = "") -> NoReturn:
        """Raise Refused; where something is hidden, always with the same words.

        That it fails may depend on the labels: why, and where, goes to the hidden log alone.
        """
        if not self.is_open:
            if not self.is_silent:
                hidden_log.write(details or problem)
            problem, remedy = _FAILED, _REMEDY
        Findings().refuse("E-EVALUATOR", problem, remedy)

    @contextlib.contextmanager
    def _streams(self) -> Iterator[None]:
        """Lead what is printed to stderr, to the hidden log, or nowhere."""
        if self.is_open and not self.is_silent:
            with _written_to_stderr():
                yield
        else:
            with hidden_log.open_log(is_discarded=self.is_silent) as log, _written_to(log):
                yield

    @contextlib.contextmanager
    def _imports(self) -> Iterator[None]:
        """Import modules beside the evaluator before others of their names, as if it were a script."""
        folder = self.path.parent
        names = {path.stem for path in folder.iterdir()}
        other_modules = _taken_modules(names)
        sys.modules.update(self._modules)
        sys.path.insert(0, str(folder))
        try:
            yield
        finally:
            sys.path.remove(str(folder))
            self._modules = _taken_modules(names)
            sys.modules.update(other_modules)


def _fresh(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of each value by itself, so that no two items share one; faster than copy.deepcopy."""
    return {key: pickle.loads(pickle.dumps(value)) for key, value in values.items()}  # noqa: S301


def _taken_modules(names: Collection[str]) -> dict[str, ModuleType]:
    """Take modules of some names, and what is in them, out of those that are imported, and return them."""
    modules = [name for name in sys.modules if name.partition(".")[0] in names]
    return {name: sys.modules.pop(name) for name in modules}


def _as_float(value: Any) -> Any:
    """Return a number as float, anything else as it is."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def column_key(key: str) -> str:
    """Return the key of a column of the leaderboard for a number of an evaluator.

    Examples
    --------
    >>> column_key("mAP@0.5")
    'map_0_5'
    """
    return _OTHER_CHARACTERS.sub("_", key.lower()).strip("_")


def _place(error: BaseException, folder: Path) -> str:
    """Return the type of an exception and the last line of the evaluator's own code."""
    entries = traceback.extract_tb(error.__traceback__)
    of_evaluator = [entry for entry in entries if Path(entry.filename).resolve().is_relative_to(folder)]
    frame = (of_evaluator or entries)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name} line {frame.lineno} in {frame.name}"


def _load(path: Path) -> ModuleType:
    """Return a module of any name, imported once."""
    if path.stem in sys.modules:
        return sys.modules[path.stem]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(path.name)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def _written_to(stream: TextIO) -> Iterator[None]:
    """Write what is printed to stdout and stderr to a stream instead."""
    streams = contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream)
    with _descriptors_to(stream.fileno(), 1, 2), streams[0], streams[1]:
        yield


@contextlib.contextmanager
def _written_to_stderr() -> Iterator[None]:
    """Write what is printed to stdout to stderr: scripts read the numbers of a run from stdout."""
    with _descriptors_to(2, 1), contextlib.redirect_stdout(sys.stderr):
        yield


@contextlib.contextmanager
def _descriptors_to(target: int, *numbers: int) -> Iterator[None]:
    """Let file descriptors be another one, for what is printed past the streams of Python."""
    _flush()
    copies = {number: os.dup(number) for number in numbers if _is_open(number) and _is_open(target)}
    try:
        for number in copies:
            os.dup2(target, number)
        yield
    finally:
        _flush()
        for number, copy in copies.items():
            os.dup2(copy, number)
            os.close(copy)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _flush() -> None:
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()


@dataclass(frozen=True)
class EvaluatorStatistics(ItemStatistics):
    """The values of both sides, and all numbers of the whole; items have no scores of their own."""

    evaluator: Evaluator
    truth: PlainValues
    predicted: PlainValues
    numbers: Mapping[str, float]


def measure(truth: PlainValues, predicted: PlainValues, evaluator: Evaluator) -> EvaluatorStatistics:
    """Evaluate the whole, twice. Raises Refused."""
    numbers = evaluator.evaluate(truth.submitted(), predicted.submitted())
    silent = replace(evaluator, is_silent=True)
    if numbers != silent.evaluate(truth.submitted(), predicted.submitted()):
        evaluator.fail("the evaluator is not deterministic: the same input gives other numbers")
    n = len(truth.keys)
    return EvaluatorStatistics(
        item_scores=np.full(n, np.nan),
        item_submitted=predicted.is_submitted,
        item_weights=np.zeros(n, np.int64),
        item_perfect=np.zeros(n, bool),
        evaluator=silent,
        truth=truth,
        predicted=predicted,
        numbers=numbers,
    )


def reduce(statistics: EvaluatorStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights; NaN where the evaluator gives none."""
    key_of_score = column_key(statistics.evaluator.score_key)
    # Items without predictions are not evaluated; an error of 0 would be the best.
    nothing = 0.0 if statistics.evaluator.higher_is_better else math.nan
    truth, predicted = statistics.truth.submitted(), statistics.predicted.submitted()
    scores = []
    for row in weights.astype(np.int64):
        if (row == 1).all():
            scores.append(statistics.numbers[key_of_score])
            continue
        times = {statistics.truth.keys[item]: int(row[item]) for item in np.flatnonzero(row)}
        sides = _repeated(truth, times), _repeated(predicted, times)
        try:
            score = statistics.evaluator.evaluate(*sides)[key_of_score] if all(sides) else nothing
        except Refused:
            score = math.nan
        scores.append(score)
    return np.array(scores)


def _repeated(values: Mapping[str, Any], times: Mapping[str, int]) -> dict[str, Any]:
    """Return the value of each item as often as it occurs, each time under another name."""
    value_of_name = {}
    for key, n_times in times.items():
        for number in range(n_times if key in values else 0):
            value_of_name[f"{key} ({number + 1})" if number else key] = values[key]
    return value_of_name


def scores(statistics: EvaluatorStatistics) -> dict[str, float]:
    """Return the score, and all numbers of the evaluator."""
    numbers = dict(statistics.numbers)
    return {"score": numbers[column_key(statistics.evaluator.score_key)], **numbers}
