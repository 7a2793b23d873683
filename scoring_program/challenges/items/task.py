"""Tasks with a value for each item: each ``<id>.yaml`` beside this module declares one, with its metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from scoring_program import metrics
from scoring_program.challenges.items import page
from scoring_program.challenges.items.public import notes, public, read_submission
from scoring_program.challenges.items.reference import Reference, items, load_reference
from scoring_program.metrics.item_statistics import ItemStatistics
from scoring_program.result import FULL
from scoring_program.settings import Settings
from scoring_program.task import (
    Functions,
    Task,
    declared_task,
    keep_all,
    no_names,
    read_declaration,
)
from validator.formats.items.arrays import Items
from validator.formats.items.read import form_of
from validator.formats.rules import Rules, load_rules
from validator.formats.values import Kind, reading_declaration

# Thresholds are in hundredths, but for rounding.
_ROUNDING_ERROR = 1e-9


def _measure(
    metric: ModuleType, thresholds: Sequence[float], reference: Reference, rows: Items, settings: Settings
) -> ItemStatistics:
    """Compare both sides item by item."""
    arguments = (thresholds,) if thresholds else ()
    statistics: ItemStatistics = metric.measure(reference.items, rows, *arguments)
    return statistics


def _scores(metric: ModuleType, statistics: ItemStatistics) -> dict[str, float]:
    """Return the numbers of the metric: the score, also by its name, if it has no others."""
    if hasattr(metric, "scores"):
        numbers: dict[str, float] = metric.scores(statistics)
    else:
        score = float(metric.reduce(statistics, statistics.once)[0])
        numbers = {"score": score, metric.__name__.rpartition(".")[2]: score}
    coverage = float(statistics.item_submitted.mean())
    return {"score": numbers.pop("score"), "coverage": coverage, **numbers}


def _measure_with(
    metric: ModuleType, evaluator: Any, reference: Reference, rows: Items, settings: Settings
) -> ItemStatistics:
    """Evaluate both sides; what the evaluator says is hidden with the labels."""
    open_evaluator = replace(evaluator, is_open=settings["detail"] == FULL)
    statistics: ItemStatistics = metric.measure(reference.items, rows, open_evaluator)
    return statistics


def _evaluator_of(path: Path, declaration: Mapping[str, Any], metric: ModuleType) -> Any:
    """Return the evaluator of a task that brings one, else None. Raises ValueError."""
    if not hasattr(metric, "Evaluator"):
        return None
    module = metric.FOLDER / path.stem / declaration["evaluator"]
    if not module.is_file():
        raise ValueError(
            f"evaluator: there is no file {module.name} in scoring_program/evaluators/{path.stem}/"
        )
    first_column = declaration["columns"][0]
    keys = [column["key"] for column in declaration["columns"]]
    return metric.Evaluator(
        path=module,
        score_key=declaration["score"],
        columns={*keys, metric.column_key(declaration["score"])},
        higher_is_better=first_column.get("sorting", "desc") == "desc",
    )


def _no_error_costs(statistics: ItemStatistics) -> dict[str, float]:
    """Return nothing: no type of error is declared."""
    return {}


def _identity(
    declaration: Mapping[str, Any],
    thresholds: Sequence[float],
    evaluator: Any,
    reference: Reference,
    settings: Settings,
) -> dict[str, str]:
    """Return what moves a score and is in the declarations or the evaluator alone."""
    if evaluator is not None:
        return {"evaluator": evaluator.digest([declaration, reference.form._asdict()])}
    return {"thresholds": ",".join(f"{threshold:g}" for threshold in thresholds)} if thresholds else {}


def _thresholds_of(declaration: Mapping[str, Any], metric: ModuleType) -> tuple[float, ...]:
    """Return the thresholds that a task declares, or those of its metric. Raises ValueError."""
    default = getattr(metric, "THRESHOLDS", ())
    thresholds = tuple(declaration.get("thresholds", default))
    if thresholds and not default:
        raise ValueError("thresholds: the metric has none")
    if default and not thresholds:
        raise ValueError("thresholds: at least one")
    return checked_thresholds(thresholds)


def checked_thresholds(thresholds: Sequence[float]) -> tuple[float, ...]:
    """Return thresholds as the hundredths next to them, each of which has a key. Raises ValueError.

    Those of ``np.arange`` miss hundredths by rounding errors: an IoU of 0.6 would miss 0.6000000000000001.

    Examples
    --------
    >>> checked_thresholds([0.55, 0.6000000000000001])
    (0.55, 0.6)
    """
    hundredths = tuple(round(threshold, 2) for threshold in thresholds)
    are_near = all(abs(threshold - near) < _ROUNDING_ERROR for threshold, near in zip(thresholds, hundredths))
    are_ascending = all(low < high for low, high in zip(hundredths, hundredths[1:]))
    if hundredths and not (are_near and are_ascending and hundredths[0] > 0 and hundredths[-1] <= 1):
        raise ValueError("thresholds: hundredths above 0, at most 1, ascending")
    return hundredths


def _functions(
    rules: Rules,
    declaration: Mapping[str, Any],
    metric: ModuleType,
    thresholds: Sequence[float],
    evaluator: Any,
) -> Functions:
    """Return the functions of a task whose file has some rules."""
    measure = partial(_measure, metric, thresholds)
    if evaluator is not None:
        measure = partial(_measure_with, metric, evaluator)
    return Functions(
        load=partial(load_reference, rules),
        items=items,
        public=public,
        read=partial(read_submission, rules),
        measure=measure,
        reduce=metric.reduce,
        scores=partial(_scores, metric),
        error_costs=getattr(metric, "error_costs", _no_error_costs),
        sections=page.sections,
        notes=notes,
        identity=partial(_identity, declaration, thresholds, evaluator),
        keeper=keep_all,
        other_names=no_names,
    )


def item_task(path: Path, rules: Rules) -> Task:
    """Return the task that a file declares. Raises Refused if it cannot be used."""
    form = form_of(rules)
    with reading_declaration(path):
        declaration = read_declaration(path)
        name = declaration["metric"]
        metric = import_module(f"{metrics.__name__}.{name}")
        if form.kind.value not in metric.KINDS:
            raise ValueError(f"the metric {name} is for {' or '.join(metric.KINDS)}, not {form.kind.value}")
        if form.has_scores != getattr(metric, "SCORES", False):
            scores = "without" if form.has_scores else "with"
            raise ValueError(f"the metric {name} is for predictions {scores} scores")
        thresholds = _thresholds_of(declaration, metric)
        evaluator = _evaluator_of(path, declaration, metric)
        task = declared_task(
            path,
            _functions(rules, declaration, metric, thresholds, evaluator),
            reference_files=(form.truth_file,),
            prepared_file=form.truth_file if form.kind is Kind.VALUE else "",
        )
    return task


TASKS = {
    path.stem: item_task(path, load_rules(path.stem)) for path in sorted(Path(__file__).parent.glob("*.yaml"))
}
