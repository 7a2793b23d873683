"""``organizer new-task`` declares a task of one's own; ``organizer undo-new-task`` puts it aside.

A task is data: two declarations, a page, golden cases, and synthetic data. ``task_templates/`` has the texts.
"""

from __future__ import annotations

import html
import json
import keyword
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import cycle
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any, NoReturn

import yaml

from organizer import ROOT
from organizer.bundle import COMPETITION
from organizer.bundle.cut import without_math
from organizer.bundle.edit import without_task
from organizer.data.references import PUBLIC_SUFFIX
from organizer.evaluators import schema_of, wrap
from organizer.files import new_folder, rewrite_files, write_files
from organizer.split_table import MOST_PARTS, part_names
from scoring_program import metrics
from scoring_program.challenges.items.task import checked_thresholds
from scoring_program.metrics.evaluator import HALVES, RANGE, column_key
from scoring_program.task import load_task, task_ids
from validator.findings import Findings
from validator.formats.items.write import as_instance, encode, example_value
from validator.formats.values import (
    CORNERS,
    KINDS_OF_CSV,
    LIST_OF_CORNERS,
    Form,
    Kind,
    parse_form,
    range_text,
)
from validator.strict_yaml import load_strict
from validator.texts import is_printable

TEMPLATES = ROOT / "task_templates"
CHALLENGE = "items"
# What a submission of detections looks like, as in ActivityNet.
_WORDS_OF_DETECTIONS = {"scores": True, "each": "results", "missing": "empty"}
_SHOWN_THRESHOLDS = (0.5, 0.75, 0.95)
_ALL_ONCE = "Every item of the test set must occur exactly once."
_LEFT_OUT = "Items without predictions may be left out."
_COVERAGE = "Share of the items that have a prediction."
_RULES_COMMENT = "# What a submission is, and the ground truth: docs/new_task.md lists the words.\n"
_DECLARATION_COMMENT = """\
# How the task is scored and shown: docs/new_task.md lists the words.
# EDIT: summary, what is asked for, in a sentence or two; item, what one of your items is, such as video.
"""
_DEFAULT_LABELS = ("first", "second", "third")
_DEFAULT_COLUMNS = ("first", "second")
_COLUMN = re.compile("[a-z][a-z0-9_]{0,29}")
_MOST_COLUMNS = 20
# Boxes of golden cases are segments of this height.
_HEIGHT_OF_CASE = (0, 1)
_OPTION_OF_FIELD = {"form": "format"}
# Values of an evaluator of one's own have no kind to choose.
_KINDS = {kind.value: kind for kind in Kind if kind is not Kind.VALUE}
_OPTIONS_OF_EVALUATORS = ("truth", "prediction", "score", "sorting", "needs")
_OPTIONS_OF_METRICS = ("kind", "form", "metric", "labels", "columns", "thresholds", "values")
# A metric is a module that says what it is for.
_METRIC_MARK = "\nKINDS = "


@dataclass(frozen=True)
class NewTask:
    """A task to be declared, as an organizer asks for it; what is None has a default.

    Attributes
    ----------
    id : str
    title, item, kind, form, metric : str, optional
        ``item`` is the noun for what is scored by itself; ``form`` is csv or json.
    labels, columns : sequence of str, optional
    thresholds : sequence of float, optional
        Of IoU, where predictions have scores.
    values : mapping of str to value, optional
        Further words of the declaration of what an item has.
    evaluator, truth, prediction : Path, optional
        An evaluator of one's own, and the examples of its two sides; with ``score``, the key of the number
        that ranks, ``sorting``, and the packages that it ``needs``.
    """

    id: str
    title: str | None = None
    item: str = "item"
    kind: str | None = None
    form: str | None = None
    metric: str | None = None
    labels: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    thresholds: Sequence[float] | None = None
    values: Mapping[str, Any] | None = None
    evaluator: Path | None = None
    truth: Path | None = None
    prediction: Path | None = None
    score: str | None = None
    sorting: str | None = None
    needs: Sequence[str] | None = None


def new_task(task_id: str, **options: Any) -> int:
    """Write a new task; print what was written, and what to edit in which order.

    ``options`` are fields of `NewTask`. Raises Refused before anything is written. Where the work cannot be
    finished, nothing is left.
    """
    request = NewTask(task_id, **options)
    texts = task_files(request)
    _check_nothing_is_replaced(request.id)
    try:
        rewrite_files(texts, ROOT)
        command = [sys.executable, "-m", "quality", "demo-data", request.id]
        process = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
        if process.returncode < 0:  # it was killed, and has not said why
            process.check_returncode()
    except BaseException:
        _remove(request.id)
        raise
    if process.returncode:
        _remove(request.id)
        return process.returncode
    print("written:", *_places(request.id), sep="\n  ")
    if request.truth is not None and request.prediction is not None:
        examples = f"{request.truth.name} and {request.prediction.name}"
        print(
            f"note | the kit publishes the values of {examples}, as demo data: no hidden label may be in them"
        )
    print("next, in this order:", *_steps(request.id), sep="\n  ")
    return 0


def task_files(request: NewTask) -> dict[str, bytes]:
    """Return the declarations, the page and the golden cases of a new task by their paths. Raises Refused."""
    _check_id(request.id)
    title = request.id.replace("_", " ").capitalize() if request.title is None else request.title
    _check_length("a title", title, 60, '--title "Bird calls"')
    _check_length("a noun for items", request.item, 30, "--item recording")
    if request.evaluator is not None:
        _check_unused(request, _OPTIONS_OF_METRICS, "is not for an evaluator of your own")
        return _wrapped_files(request, title)
    _check_unused(request, _OPTIONS_OF_EVALUATORS, "is for an evaluator of your own")
    kind = _kind_of(request)
    has_scores = _has_scores(request, kind)
    words = _template_words("detections" if has_scores else kind.value)
    metric = _metric_of(request.metric or words["metric"], kind)
    values = _declared_values(kind, request)
    if has_scores:
        values.update(_WORDS_OF_DETECTIONS, names={LIST_OF_CORNERS[kind]: list(CORNERS[kind])})
    thresholds = _thresholds_of(request.thresholds, metric, has_scores)
    _check_said_once(request)
    values.update(request.values or {})
    form = _form_of(f"{request.id}.{_ending_of(request, kind)}", values)
    _check_columns(form)
    _check_scores(form, metric)
    metric_title, metric_text = _metric_words(metric, kind)
    declaration = {
        "title": title,
        "summary": _with_noun(f"{words['question']} {metric_title}.", request.item),
        "item": request.item,
        "metric": _name_of(metric),
        "range": list(metric.RANGE),
    }
    if has_scores:
        declaration["thresholds"] = thresholds
    for word in ("needs", "error_types"):
        if hasattr(metric, word.upper()):
            declaration[word] = list(getattr(metric, word.upper()))
    declaration["columns"] = _columns(metric, form, thresholds, request.item)
    page_words = {
        "file": form.file,
        "metric_title": metric_title,
        "metric_text": _with_noun(_with_thresholds(metric_text, thresholds), request.item),
        "content": _with_noun(_content(form, words), request.item),
        "presence": _with_noun(_LEFT_OUT if form.is_missing_empty else _ALL_ONCE, request.item),
        "example": encode(form, {"item_1": example_value(form)}).decode(),
    }
    files = _declarations_and_page(request.id, values, declaration, page_words)
    # The numbers of other thresholds or of one label are not known here.
    if request.thresholds is None and len(form.names) != 1:
        files.update(_golden_cases(words["cases"], form, _name_of(metric)))
    return files


def _declarations_and_page(
    task_id: str, values: Mapping[str, Any], declaration: Mapping[str, Any], page_words: Mapping[str, str]
) -> dict[str, bytes]:
    """Return the two declarations of a task, and its page with further words."""
    # The site shows what is between two $ as a formula.
    shown_words = {**page_words, "title": declaration["title"], "summary": declaration["summary"]}
    for key in ("title", "summary", "metric_title", "metric_text"):
        shown_words[key] = without_math(shown_words[key])
    page = (TEMPLATES / "page.md").read_text(encoding="utf-8").format(**shown_words)
    texts = {
        f"validator/formats/{CHALLENGE}/{task_id}.files.yaml": _RULES_COMMENT
        + _yaml_of({"file": page_words["file"], "values": values}),
        f"scoring_program/challenges/{CHALLENGE}/{task_id}.yaml": _DECLARATION_COMMENT
        + _yaml_of(declaration),
        f"pages/{task_id}.md": page,
    }
    return {path: text.encode() for path, text in texts.items()}


def _wrapped_files(request: NewTask, title: str) -> dict[str, bytes]:
    """Return the files of a task with an evaluator of one's own. Raises Refused."""
    if request.evaluator is None or request.truth is None or request.prediction is None or not request.score:
        _refuse("an evaluator needs examples, and a score", "add --truth, --prediction and --score")
    if not request.evaluator.is_file():
        _refuse(f"{request.evaluator.name} is a folder", "give the script in it as --evaluator")
    sorting, package_names = request.sorting or "desc", list(request.needs or ())
    _check_choice("sorting", sorting, ("asc", "desc"))
    wrapped = wrap(request.evaluator, request.truth, request.prediction, request.score, package_names)
    schema, truth_schema = schema_of(wrapped.predicted.values()), schema_of(wrapped.truth.values())
    # The shortest value that has something: schemas do not say which texts an evaluator knows.
    examples = sorted(wrapped.predicted.items(), key=lambda item: (not item[1], len(json.dumps(item[1]))))
    item, value = examples[0]
    values = {"kind": "value", "missing": "empty", "schema": schema, "truth_schema": truth_schema}
    values["example"] = value
    form = parse_form(f"{request.id}.json", values)
    columns: list[dict[str, Any]] = [
        {"key": "score", "title": request.score, "sorting": sorting},
        {"key": "coverage", "title": "Coverage", "description": _with_noun(_COVERAGE, request.item)},
    ]
    for key, name in wrapped.titles.items():
        if key != "score":
            is_shown = name != request.score
            columns.append({"key": key, "title": name, "sorting": sorting, "leaderboard": is_shown})
    for column in columns:
        column.setdefault("description", f"What the evaluator calls {column['title']}.")
    conversion = ""
    if request.prediction.is_dir():
        command = f"people-in-video convert {request.id} FOLDER my.zip"
        conversion = f" `{command}` writes it from a folder with a CSV file for each item."
    declaration = {
        "title": title,
        "summary": f"{title} ({request.score}).",
        "item": request.item,
        "metric": "evaluator",
        "range": list(RANGE),
        "evaluator": request.evaluator.name,
        "score": request.score,
        "half_samples": HALVES,
    }
    if package_names:
        declaration["needs"] = package_names
    declaration["columns"] = columns
    page_words = {
        "file": form.file,
        "metric_title": request.score,
        "metric_text": f"By the evaluator `{request.evaluator.name}` of the organizers.",
        "content": _with_noun(
            f"an object from the key of each item to its value{_members_text(schema)}.{conversion}",
            request.item,
        ),
        "presence": _with_noun(_LEFT_OUT, request.item),
        "example": encode(form, {item: value}).decode(),
    }
    case = f"tests/golden/{request.id}/example"
    coverage = len(wrapped.predicted) / len(wrapped.truth)
    scores = {"score": wrapped.numbers[column_key(request.score)], "coverage": coverage, **wrapped.numbers}
    description = "The examples, with the numbers of the evaluator."
    files = {
        **_declarations_and_page(request.id, values, declaration, page_words),
        f"{case}/ref/{form.truth_file}": encode(form.truth, wrapped.truth),
        f"{case}/res/{form.file}": encode(form, wrapped.predicted),
        f"{case}/expected.json": json.dumps({"what": description, "published": scores}).encode() + b"\n",
    }
    for name, code in wrapped.code.items():
        files[f"scoring_program/evaluators/{request.id}/{name}"] = code
    return files


def _members_text(schema: Mapping[str, Any]) -> str:
    """Return what objects of a schema have, in words; "" for other values."""
    names = [f"`{name}`" for name in schema.get("required", ())]
    return f", an object with {' and '.join(names)}" if names else ""


def _thresholds_of(thresholds: Sequence[float] | None, metric: ModuleType, has_scores: bool) -> list[float]:
    """Return thresholds, or those of a metric where none are wanted. Raises Refused."""
    if thresholds is not None and not thresholds:
        _refuse("thresholds are at least one", 'write them like --thresholds "0.3 0.4 0.5"')
    if thresholds is not None and not has_scores:
        _refuse("only predictions with scores have thresholds", "leave --thresholds out")
    try:
        return list(
            checked_thresholds(getattr(metric, "THRESHOLDS", ()) if thresholds is None else thresholds)
        )
    except ValueError as error:
        _refuse(str(error), 'write them like --thresholds "0.3 0.4 0.5"')


def _with_thresholds(metric_text: str, thresholds: Sequence[float]) -> str:
    """Return what the page says of a metric, with its thresholds in the first line."""
    if not thresholds:
        return metric_text
    first_line, line_end, other_lines = metric_text.partition("\n")
    numbers = ", ".join(f"{threshold:g}" for threshold in thresholds)
    return f"{first_line} The thresholds are {numbers}.{line_end}{other_lines}"


def _template_words(name: str) -> Mapping[str, Any]:
    """Return what a template says of a kind of task."""
    words: Mapping[str, Any] = load_strict((TEMPLATES / f"{name}.yaml").read_text(encoding="utf-8"))
    return words


def _has_scores(request: NewTask, kind: Kind) -> bool:
    """Return whether predictions have scores: those of boxes always, others if the metric ranks them."""
    is_ranked = request.metric is not None and getattr(_metric_module(request.metric), "SCORES", False)
    return kind is Kind.BOXES or (kind in CORNERS and is_ranked)


def _refuse(problem: str, remedy: str) -> NoReturn:
    Findings().refuse("E-NEW", problem, remedy)


def _check_unused(request: NewTask, names: Iterable[str], problem: str) -> None:
    """Refuse options that change nothing."""
    for name in names:
        if getattr(request, name) is not None:
            option = f"--{_OPTION_OF_FIELD.get(name, name)}"
            _refuse(f"{option} {problem}", f"leave {option} out")


def _check_scores(form: Form, metric: ModuleType) -> None:
    """Refuse predictions with scores for a metric that does not rank them, or the reverse."""
    has_scores = getattr(metric, "SCORES", False)
    if form.has_scores != has_scores:
        with_or_without = "with" if has_scores else "without"
        problem = f"the metric {_name_of(metric)} is for predictions {with_or_without} scores"
        _refuse(problem, "leave scores out of --values: --metric says it")


def _check_id(task_id: str) -> None:
    if not re.fullmatch("[a-z][a-z0-9_]{1,39}", task_id):
        _refuse(f"'{task_id}' is not an ID", "write 2 to 40 small letters, digits and _, a letter first")
    if keyword.iskeyword(task_id):
        _refuse(f"'{task_id}' is a word of Python", "choose another ID")
    if task_id not in task_ids() and (ROOT / "scoring_program" / "challenges" / task_id).is_dir():
        _refuse(f"'{task_id}' is a challenge", "choose another ID")
    _, *endings_of_parts = part_names("", MOST_PARTS)
    if task_id.endswith((*endings_of_parts, PUBLIC_SUFFIX)):
        _refuse(f"'{task_id}' names a part of a task, or its public data", "choose another ID")


def _check_length(name: str, text: str, longest: int, example: str) -> None:
    if not 1 <= len(text.strip()) <= longest or not is_printable(text):
        _refuse(f"{name} has 1 to {longest} characters", f"write it like {example}")


def _check_choice(option: str, value: str, choices: Iterable[str]) -> None:
    if value not in choices:
        _refuse(f"there is no {option} '{value}'", f"write --{option} {' or '.join(choices)}")


def _form_of(file: str, values: Mapping[str, Any]) -> Form:
    """Return what is declared. Raises Refused."""
    try:
        return parse_form(file, values)
    except ValueError as error:
        _refuse(str(error), "docs/new_task.md lists the words for --labels, --columns and --values")


def _kind_of(request: NewTask) -> Kind:
    """Return what an item has; what is asked for may say it without --kind."""
    if request.kind is not None:
        _check_choice("kind", request.kind, _KINDS)
        return _KINDS[request.kind]
    if request.columns is not None:
        return Kind.COLUMNS
    if request.metric is not None:
        return _KINDS[_metric_module(request.metric).KINDS[0]]
    return Kind.LABEL


def metric_names() -> list[str]:
    """Return the names of the metrics that tasks of one's own may have."""
    (folder,) = metrics.__path__
    modules = sorted(Path(folder).glob("[a-z]*.py"))
    return [path.stem for path in modules if _METRIC_MARK in path.read_text(encoding="utf-8")]


def _metric_module(name: str) -> ModuleType:
    _check_choice("metric", name, [other for other in metric_names() if other != "evaluator"])
    return import_module(f"{metrics.__name__}.{name}")


def _metric_of(name: str, kind: Kind) -> ModuleType:
    metric = _metric_module(name)
    if kind.value not in metric.KINDS:
        _refuse(
            f"the metric {name} is not for --kind {kind.value}", f"write --kind {' or '.join(metric.KINDS)}"
        )
    return metric


def _name_of(metric: ModuleType) -> str:
    return metric.__name__.rpartition(".")[2]


def _metric_words(metric: ModuleType, kind: Kind) -> tuple[str, str]:
    """Return the title of a metric, and what its docstring says of it."""
    title, _, text = (metric.__doc__ or "").strip().partition(": ")
    text = text[:1].upper() + text[1:]
    return title, f"The mean over the columns. Of each: {text}" if kind is Kind.COLUMNS else text


def _ending_of(request: NewTask, kind: Kind) -> str:
    ending = request.form or ("csv" if kind in KINDS_OF_CSV else "json")
    _check_choice("format", ending, ["csv", "json"] if kind in KINDS_OF_CSV else ["json"])
    return ending


def _declared_values(kind: Kind, request: NewTask) -> dict[str, Any]:
    """Return what a declaration says of the values. Raises Refused."""
    has_labels = kind not in (Kind.NUMBER, Kind.COLUMNS)
    if request.labels is not None and not has_labels:
        _refuse(f"--kind {kind.value} has no labels", "leave --labels out, or write --kind label")
    if request.columns is not None and kind is not Kind.COLUMNS:
        _refuse(f"--kind {kind.value} has no columns", "leave --columns out, or write --kind columns")
    if has_labels:
        labels = list(_DEFAULT_LABELS if request.labels is None else request.labels)
        if any("," in label for label in labels):
            _refuse("labels are separated by spaces", 'write them like --labels "robin wren owl"')
        return {"kind": kind.value, "labels": labels}
    if kind is Kind.COLUMNS:
        columns = list(_DEFAULT_COLUMNS if request.columns is None else request.columns)
        return {"kind": kind.value, "columns": columns}
    return {"kind": kind.value}


def _check_said_once(request: NewTask) -> None:
    """Refuse values that options say."""
    values = request.values or {}
    if "kind" in values:
        _refuse("--values has a kind", "write --kind instead")
    for name in ("labels", "columns"):
        if name in values and getattr(request, name) is not None:
            _refuse(f"--{name} and --values both have {name}", f"leave --{name} out")


def _check_columns(form: Form) -> None:
    """Refuse names of columns that the keys of the leaderboard cannot hold."""
    if form.kind is not Kind.COLUMNS:
        return
    if len(form.names) > _MOST_COLUMNS or not all(map(_COLUMN.fullmatch, form.names)):
        names = f"at most {_MOST_COLUMNS} names of small letters, digits and _"
        _refuse(f"columns are {names}", 'write them like --columns "valence arousal"')


def _code(name: str) -> str:
    """Return a name as code; where it has a ``$``, in marks that let it be written otherwise."""
    return f"<code>{without_math(html.escape(name))}</code>" if "$" in name else f"`{name}`"


def _with_noun(text: str, noun: str) -> str:
    """Return a text with a noun for items; names in backticks stay.

    Examples
    --------
    >>> _with_noun("Items of a list: each item in the column `item`", "clip")
    'Clips of a list: each clip in the column `item`'
    """
    text = re.sub(r"(?<!`)\bitem(?=s?\b)", lambda _: noun, text)
    return re.sub(r"\bItem(?=s?\b)", lambda _: noun[:1].upper() + noun[1:], text)


def _content(form: Form, words: Mapping[str, Any]) -> str:
    """Return what the page says of the file of a submission."""
    text: str = words["content"]["csv" if form.is_table else "json"]
    return text.format(
        key=form.key,
        column=form.column,
        columns=", ".join(map(_code, form.names)),
        any_label=" or ".join(map(_code, form.names)),
        range=range_text(form),
        kind=form.kind.value,
        corners=_corners_text(form),
        label=form.instance.label if form.instance else "",
        score=form.instance.score if form.instance else "",
        map=f"an object whose member `{form.each}` maps the key of each item to"
        if form.each
        else "an object from the key of each item to",
    )


def _corners_text(form: Form) -> str:
    """Return in words where an instance is."""
    if form.instance is None:
        return ""
    unit = " in seconds" if form.kind is Kind.SEGMENTS else ""
    if not form.instance.list:
        *first_corners, last_corner = (f"`{corner}`" for corner in form.instance.corners)
        return f"{', '.join(first_corners)} and {last_corner}{unit}"
    corners = ", ".join(form.instance.corners)
    return f"a `{form.instance.list}`, the list `[{corners}]`{unit}"


def _columns(metric: ModuleType, form: Form, thresholds: Sequence[float], noun: str) -> list[dict[str, Any]]:
    """Return the columns of the leaderboard; ``noun`` is the one for items."""
    name = _name_of(metric)
    title, metric_text = _metric_words(metric, form.kind)
    text = _with_noun(metric_text.partition("\n")[0], noun)
    coverage = _with_noun(_COVERAGE if form.is_missing_empty else f"{_COVERAGE[:-1]}; all must.", noun)
    columns = [
        {"key": "score", "title": title, "sorting": metric.SORTING, "description": text},
        {"key": "coverage", "title": "Coverage", "description": coverage},
    ]
    for column in form.names if form.kind is Kind.COLUMNS else ():
        columns.append(
            {
                "key": f"{name}_{column}",
                "title": f"{title} of {column}",
                "sorting": metric.SORTING,
                "description": f"The number of {column} alone.",
            }
        )
    is_default = tuple(thresholds) == getattr(metric, "THRESHOLDS", ())
    for threshold in thresholds:
        columns.append(
            {
                "key": metric.threshold_key(threshold),
                "title": f"mAP at {threshold:g}",
                "sorting": metric.SORTING,
                "leaderboard": not is_default or threshold in _SHOWN_THRESHOLDS,
                "description": f"The mean over the labels at the threshold {threshold:g}.",
            }
        )
    if form.kind is not Kind.COLUMNS:
        columns.append(
            {
                "key": "map" if form.has_scores else name,
                "title": f"{title} by name",
                "sorting": metric.SORTING,
                "leaderboard": False,
                "description": "The same number as the score.",
            }
        )
    return columns


def _yaml_of(content: Mapping[str, Any]) -> str:
    """Return YAML with a line for each entry that holds no further ones."""
    text: str = yaml.safe_dump(
        content, sort_keys=False, default_flow_style=None, allow_unicode=True, width=sys.maxsize
    )
    return text


def _golden_cases(cases: Iterable[Mapping[str, Any]], form: Form, metric: str) -> dict[str, bytes]:
    """Return the files of the golden cases whose numbers are known, and that the range allows."""
    lowest, highest = form.range
    files = {}
    for case in cases:
        numbers = [*_numbers_in(case["truth"]), *_numbers_in(case["predicted"])]
        if form.kind is Kind.BOXES:
            numbers += _HEIGHT_OF_CASE
        if metric in case["expected"] and all(lowest <= number <= highest for number in numbers):
            files.update(_golden_case(case, form, metric))
    return files


def _numbers_in(value: Any) -> Iterator[float]:
    """Yield the numbers and times in a value of a golden case."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _numbers_in(entry) if key != "score" else ()
    elif isinstance(value, list):
        for entry in value:
            yield from _numbers_in(entry)
    elif not isinstance(value, str):
        yield value


def _golden_case(case: Mapping[str, Any], form: Form, metric: str) -> dict[str, bytes]:
    """Return the files of a golden case, whose numbers the template has."""
    folder = f"tests/golden/{form.file.partition('.')[0]}/{case['name']}"
    number = case["expected"][metric]
    if isinstance(number, dict):
        numbers, score = number, number["map"]
    elif form.kind is Kind.COLUMNS:
        numbers = dict(zip((f"{metric}_{column}" for column in form.names), cycle(number)))
    else:
        numbers = {metric: number}
    if not isinstance(number, dict):
        score = fmean(numbers.values())
    scores = {"score": score, "coverage": 1.0, **numbers}
    return {
        f"{folder}/ref/{form.truth_file}": encode(form.truth, _values_of_case(case["truth"], form.truth)),
        f"{folder}/res/{form.file}": encode(form, _values_of_case(case["predicted"], form)),
        f"{folder}/expected.json": json.dumps({"what": case["what"], "published": scores}).encode() + b"\n",
    }


def _values_of_case(values: Mapping[str, Any], form: Form) -> dict[str, Any]:
    """Return values of a golden case with the labels and columns of a task."""
    names = dict(zip(("first", "second"), form.names))

    def value_of(value: Any) -> Any:
        if form.kind is Kind.COLUMNS:
            return dict(zip(form.names, cycle(value)))
        if isinstance(value, list):
            return [value_of(entry) for entry in value]
        if isinstance(value, dict):
            corners = [value["start"], value["end"]]
            if form.kind is Kind.BOXES:
                top, bottom = _HEIGHT_OF_CASE
                corners = [value["start"], top, value["end"], bottom]
            score = value.get("score", 1.0)
            return as_instance(form.instance_keys, names[value["label"]], corners, score)
        return names.get(value, value)

    return {key: value_of(value) for key, value in values.items()}


def _places(task_id: str) -> list[str]:
    """Return the files and folders of a task of one's own that are there."""
    places = (
        f"validator/formats/{CHALLENGE}/{task_id}.files.yaml",
        f"scoring_program/challenges/{CHALLENGE}/{task_id}.yaml",
        f"pages/{task_id}.md",
        f"scoring_program/evaluators/{task_id}",
        f"tests/golden/{task_id}",
        f"reference_data/{task_id}",
        f"starting_kit/samples/{task_id}",
    )
    return [place for place in places if (ROOT / place).exists()]


def _check_nothing_is_replaced(task_id: str) -> None:
    if task_id in task_ids():
        _refuse(f"there is a task {task_id}", "choose another ID")
    for place in _places(task_id):
        _refuse(f"{place} exists", "choose another ID")


def _remove(task_id: str) -> None:
    """Remove the files of a task that was not finished."""
    for place in _places(task_id):
        if (ROOT / place).is_dir():
            shutil.rmtree(ROOT / place)
        else:
            (ROOT / place).unlink()


def _steps(task_id: str) -> list[str]:
    """Return what to do with a new task, in this order."""
    declaration, score, page, *_ = _places(task_id)
    truth_file = next(path.name for path in (ROOT / "reference_data" / task_id).glob("truth.*"))
    quality = ".venv/bin/python -m quality"
    return [
        f"{declaration}: what an item has; then {quality} demo-data {task_id} writes the data anew",
        f"{score}: summary and item",
        f"{page}: what the task is about",
        f"{quality} golden {task_id} FOLDER: cases whose numbers you know",
        f"make check ID={task_id}",
        f"organizer prepare {task_id} --source FOLDER, which holds your {truth_file}",
        f'organizer start {task_id} --title "...", then make bundle',
    ]


def undo_new_task(task_id: str) -> int:
    """Move all files of a task of one's own to ``out/undone/``, and take it out of competition.yaml."""
    own_tasks = [name for name in task_ids() if not load_task(name).is_published]
    if task_id not in own_tasks:
        written_tasks = ", ".join(own_tasks) or "no task"
        _refuse(f"organizer new-task has not written '{task_id}'", f"it has written {written_tasks}")
    competition = ROOT / COMPETITION
    text = competition.read_text(encoding="utf-8")
    text_without_task = without_task(text, task_id)
    # No command could read a competition without any task.
    is_its_own = not load_strict(text_without_task)["tasks"]
    is_changed = text_without_task != text and not is_its_own
    if is_changed:
        rewrite_files({COMPETITION: text_without_task.encode()}, ROOT)
    folder = _put_aside(task_id)
    print(f"all files of {task_id} are in {folder.relative_to(ROOT)}/ now")
    if is_its_own:
        print(
            f"{COMPETITION} has no other task and stays: organizer new-task {task_id} writes its task anew; "
            f"for another task take {COMPETITION} and pages/ from git, and start again"
        )
    if is_changed:
        write_files({COMPETITION: text.encode()}, folder)
        print(f"{COMPETITION} is without {task_id} now; as it was, it is there, too")
    return 0


def _put_aside(task_id: str) -> Path:
    """Move the files of a task to a folder of ``out/undone/``, and return that."""
    places = _places(task_id)
    folder = new_folder(ROOT / "out" / "undone", task_id)
    for place in places:
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / place).rename(folder / place)
    return folder
