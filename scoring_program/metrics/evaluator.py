"""An evaluator of one's own: a function ``evaluate(truth, predicted)`` that a task brings.

It gets the values of items as they are in a JSON file, in fresh copies each time, and returns numbers by
name. The whole is evaluated twice, because an evaluator that draws or remembers cannot be compared.
Intervals follow from the numbers of half of the items.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import importlib.util
import io
import math
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from scoring_program.metrics.item_statistics import ItemStatistics
from validator import limits
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
_REMEDY = "organizers: correct the evaluator; dry-run and the kit show what it says"
_OTHER_CHARACTERS = re.compile("[^a-z0-9]+")
_DIGITS = 12


class Evaluator:
    """The evaluator of a task.

    Parameters
    ----------
    path : Path
        The module with the function ``evaluate``.
    score_key : str
        The number that ranks.
    is_open : bool
        Whether nothing is hidden: what it prints and the messages of its errors are shown.
    """

    def __init__(self, path: Path, score_key: str, is_open: bool = False) -> None:
        self.path = path
        self.score_key = score_key
        self.is_open = is_open
        self._module: ModuleType | None = None

    def opened(self, is_open: bool) -> Evaluator:
        """Return the same evaluator for data that are hidden or not."""
        return Evaluator(self.path, self.score_key, is_open)

    def digest(self) -> str:
        """Return the first digits of a hash of the code and of the key of the score."""
        total = hashlib.sha256(self.score_key.encode())
        for path in sorted(self.path.parent.rglob("*.py")):
            total.update(hashlib.sha256(path.relative_to(self.path.parent).as_posix().encode()).digest())
            total.update(hashlib.sha256(path.read_bytes()).digest())
        return total.hexdigest()[:_DIGITS]

    def evaluate(self, truth: Mapping[str, Any], predicted: Mapping[str, Any]) -> dict[str, float]:
        """Return all numbers by the keys of their columns. Raises Refused."""
        numbers = self._call(truth, predicted)
        for key, number in numbers.items():
            if not math.isfinite(number):
                _refuse(f"the evaluator returns no finite number for {key}")
        if self.score_key not in numbers:
            _refuse(f"the evaluator does not return {self.score_key}")
        return {column_key(key): number for key, number in numbers.items()}

    def keys(self, truth: Mapping[str, Any], predicted: Mapping[str, Any]) -> list[str]:
        """Return the evaluator's own keys of its numbers. Raises Refused."""
        return list(self._call(truth, predicted))

    def _call(self, truth: Mapping[str, Any], predicted: Mapping[str, Any]) -> dict[str, float]:
        """Return what the function returns for copies of both sides. Raises Refused."""
        copies = copy.deepcopy(dict(truth)), copy.deepcopy(dict(predicted))
        with self._refusing(), contextlib.nullcontext() if self.is_open else _silence():
            if self._module is None:
                self._module = _load(self.path)
            result = self._module.evaluate(*copies)
            return {str(key): float(value) for key, value in result.items()}

    @contextlib.contextmanager
    def _refusing(self) -> Iterator[None]:
        """Refuse what the evaluator raises, without its message where labels are hidden."""
        try:
            yield
        except (limits.StoppedError, MemoryError, Refused):
            raise
        except BaseException as error:
            message = f": {error}" if self.is_open else ""
            _refuse(f"the evaluator raised {_place(error, self.path.parent)}{message}")


def column_key(key: str) -> str:
    """Return the key of a column of the leaderboard for a number of an evaluator.

    Examples
    --------
    >>> column_key("mAP@0.5")
    'map_0_5'
    """
    return _OTHER_CHARACTERS.sub("_", key.lower()).strip("_")


def _refuse(problem: str) -> NoReturn:
    Findings().refuse("E-EVALUATOR", problem, _REMEDY)


def _place(error: BaseException, folder: Path) -> str:
    """Return the type of an exception and the last line of the evaluator's own code."""
    entries = traceback.extract_tb(error.__traceback__)
    of_evaluator = [entry for entry in entries if Path(entry.filename).resolve().is_relative_to(folder)]
    frame = (of_evaluator or entries)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name} line {frame.lineno} in {frame.name}"


def _load(path: Path) -> ModuleType:
    """Import a module and those beside it."""
    sys.path.insert(0, str(path.parent))
    try:
        spec = importlib.util.spec_from_file_location(f"_evaluator_{path.parent.name}", path)
        if spec is None or spec.loader is None:
            raise ImportError(path.name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Discard what is written to stdout and stderr, by file descriptor, too."""
    _flush()
    kept = {number: os.dup(number) for number in (1, 2) if _is_open(number)}
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in kept:
            os.dup2(nothing, number)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        _flush()
        for number, copy_of_number in kept.items():
            os.dup2(copy_of_number, number)
            os.close(copy_of_number)
        os.close(nothing)


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
    numbers, numbers_again = (evaluator.evaluate(truth.submitted(), predicted.submitted()) for _ in range(2))
    if numbers != numbers_again:
        _refuse("the evaluator is not deterministic: the same input gives other numbers")
    n = len(truth.keys)
    return EvaluatorStatistics(
        item_scores=np.full(n, np.nan),
        item_submitted=predicted.is_submitted,
        item_weights=np.zeros(n, np.int64),
        item_perfect=np.zeros(n, bool),
        evaluator=evaluator,
        truth=truth,
        predicted=predicted,
        numbers=numbers,
    )


def reduce(statistics: EvaluatorStatistics, weights: Floats) -> Floats:
    """Return the score for each row of weights; NaN where the evaluator gives none."""
    return np.array([_score_of_row(statistics, row) for row in weights.astype(np.int64)])


def _score_of_row(statistics: EvaluatorStatistics, weights: np.ndarray) -> float:
    """Return the score if each item occurs so often, 0 without items or predictions."""
    key_of_score = column_key(statistics.evaluator.score_key)
    if (weights == 1).all():
        return statistics.numbers[key_of_score]
    sides = [side.submitted() for side in (statistics.truth, statistics.predicted)]
    repeated: list[dict[str, Any]] = [{}, {}]
    for key, times in zip(statistics.truth.keys, weights.tolist()):
        for number in range(times):
            name = f"{key} ({number + 1})" if number else key
            for side, copies in zip(sides, repeated):
                if key in side:
                    copies[name] = side[key]
    if not all(repeated):
        return 0.0
    try:
        return statistics.evaluator.evaluate(*repeated)[key_of_score]
    except Refused:
        return math.nan


def scores(statistics: EvaluatorStatistics) -> dict[str, float]:
    """Return the score, and all numbers of the evaluator."""
    numbers = dict(statistics.numbers)
    return {"score": numbers[column_key(statistics.evaluator.score_key)], **numbers}
