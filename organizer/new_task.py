"""``organizer new-task`` copies a task of ``task_templates/``; ``organizer undo-new-task`` removes the copy.

``task_templates/README.md`` describes the examples and the placeholders that a copy fills.
"""

from __future__ import annotations

import csv
import io
import json
import keyword
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, NoReturn

from organizer import ROOT
from organizer.bundle import COMPETITION
from organizer.bundle.edit import with_task, without_task
from organizer.files import file_hash, folder_files, rewrite_files
from validator.findings import Findings
from validator.texts import counted, is_printable

EXAMPLES = ROOT / "task_templates"
# The formats, and the metric of each that is the default.
FORMATS = {"csv": "accuracy", "json": "accuracy", "segments": "segment_f1"}
# What an item has under each metric; an example task is named example_<this>_<ending of its file>.
METRICS = {
    "accuracy": "label",
    "balanced_accuracy": "label",
    "f1": "lists",
    "macro_f1": "label",
    "rmse": "number",
    "segment_f1": "segments",
}
# The formats of what only some have.
_FORMATS_OF_VALUES = {"lists": "json", "segments": "segments"}
_DEFAULT_LABELS = ("first", "second", "third")
_COLUMN = re.compile("[a-z][a-z0-9_]{0,29}")
_MOST_COLUMNS = 20
_FIRST_COLUMN, _SECOND_COLUMN = "example_column_1", "example_column_2"
_ALL_COLUMNS = re.compile(f"{_FIRST_COLUMN}(?P<separator>.*?){_SECOND_COLUMN}")
_EXAMPLE_NUMBER = 17.5
_LABEL = re.compile(r'[^,"\\\s]+')
_ALL_LABELS = re.compile(
    'example_label_1(?P<separator>", "| or )example_label_2(?P=separator)example_label_3'
)
# The packages of the examples are below this one, those of other tasks are not.
_PREFIX = f"{EXAMPLES.name}."
# What may end a comment in HTML, or a string in JSON.
_COMMENT_END = ' ->",'
# How the tables begin that get a row for each task.
_TABLES = {
    "README.md": "| task id |",
    "docs/before_the_competition.md": "| task | files in the source folder |",
    "docs/gaming.md": "| task | protocol |",
}
_RECORDS = EXAMPLES / ".written"


class NewTask(NamedTuple):
    """A task to be written: ``labels`` are empty if items have numbers, ``columns`` if they have one."""

    id: str
    title: str
    format: str
    metric: str
    labels: Sequence[str]
    columns: Sequence[str] = ()

    @property
    def example(self) -> str:
        """The id of the example task that is copied."""
        value = "columns" if self.columns else METRICS[self.metric]
        return f"example_{value}_{self.ending}"

    @property
    def ending(self) -> str:
        """How the names of the files of submissions and of the ground truth end."""
        return "csv" if self.format == "csv" else "json"

    @property
    def data_folders(self) -> list[str]:
        """The folders that get synthetic data."""
        return [f"reference_data/{self.id}", f"starting_kit/samples/{self.id}"]


def new_task(
    task_id: str,
    title: str,
    form: str,
    metric: str | None,
    labels: Sequence[str] | None,
    columns: Sequence[str] | None = None,
) -> int:
    """Write a new task; print what was written and what is left to edit.

    Without ``metric`` it is the default of the format. Raises Refused before anything is written.
    """
    if not find_spec("ruff"):
        _refuse("the packages for developers are missing here", "run make .venv/dev")
    _check_id(task_id)
    _check_title(title)
    _check_choice("FORMAT", form, FORMATS)
    metric = metric or FORMATS[form]
    _check_choice("METRIC", metric, METRICS)
    _check_format(form, metric)
    if labels is None:
        labels = [] if METRICS[metric] == "number" else _DEFAULT_LABELS
    else:
        _check_labels(metric, labels)
    if columns is None:
        columns = []
    else:
        _check_columns(metric, columns)
    task = NewTask(id=task_id, title=title, format=form, metric=metric, labels=labels, columns=columns)

    texts = copied_files(task)
    _check_nothing_is_replaced(task, texts)
    competition = _competition_with(task, texts)
    _write({**texts, COMPETITION: competition})
    _write_record(task.id, texts)  # what follows may fail, and is taken back then, too
    _format_code(path for path in texts if path.endswith(".py"))
    *_, tricks = _run("quality", "demo-data", task.id).partition("---|\n")
    data_files = [f"{folder}/{name}" for folder in task.data_folders for name in folder_files(ROOT / folder)]
    _write_record(task.id, [*texts, *data_files])
    _add_rows(task, tricks)

    print("written:", *sorted([*texts, *task.data_folders]), sep="\n  ")
    print("changed:", COMPETITION, *_TABLES, sep="\n  ")
    print("left to edit:", *_places_to_edit(texts), sep="\n  ")
    return 0


def _refuse(problem: str, remedy: str) -> NoReturn:
    Findings().refuse("E-NEW", problem, remedy)


def _check_id(task_id: str) -> None:
    if not re.fullmatch("[a-z][a-z0-9_]{1,39}", task_id) or keyword.iskeyword(task_id):
        _refuse(f"'{task_id}' is not an ID", "write small letters, digits and _, a letter first")
    # The folders of the task are packages beside other modules.
    neighbors = [
        ROOT / folder / f"{task_id}.py" for folder in ("validator/formats", "quality", "starting_kit")
    ]
    spec = find_spec(task_id)
    is_importable = spec is not None and spec.origin is not None
    if is_importable or any(path.exists() for path in neighbors):
        _refuse(f"'{task_id}' is the name of a module", "choose another ID")


def _check_title(title: str) -> None:
    if not 1 <= len(title.strip()) <= 60 or not is_printable(title):
        _refuse("a title has 1 to 60 characters", 'write it like TITLE="Bird calls"')


def _check_choice(option: str, value: str, choices: Iterable[str]) -> None:
    if value not in choices:
        _refuse(f"there is no {option} '{value}'", f"write {option}={' or '.join(choices)}")


def _check_format(form: str, metric: str) -> None:
    """Refuse a metric in a format that does not hold what it compares."""
    needed_format = _FORMATS_OF_VALUES.get(METRICS[metric])
    if needed_format and form != needed_format:
        problem = f"the metric {metric} is for {METRICS[metric]}, which FORMAT={form} cannot hold"
        _refuse(problem, f"write FORMAT={needed_format}")
    if form == "segments" and METRICS[metric] != "segments":
        _refuse(f"FORMAT=segments has no metric {metric}", f"write METRIC={FORMATS[form]}")


def _check_columns(metric: str, columns: Sequence[str]) -> None:
    if METRICS[metric] != "number":
        _refuse(
            f"the metric {metric} is for labels and has no columns", "leave COLUMNS out, or write METRIC=rmse"
        )
    are_names = all(map(_COLUMN.fullmatch, columns)) and "id" not in columns
    are_different = len(set(columns)) == len(columns)
    if not 2 <= len(columns) <= _MOST_COLUMNS or not are_names or not are_different:
        names = "different names of small letters, digits and _, none of them id"
        _refuse(
            f"columns are 2 to {_MOST_COLUMNS} {names}",
            'write them like COLUMNS="valence arousal", or leave COLUMNS out for one number',
        )


def _check_labels(metric: str, labels: Sequence[str]) -> None:
    if METRICS[metric] == "number":
        remedy = "leave LABELS out, or choose another METRIC"
        _refuse(f"the metric {metric} is for numbers and has no labels", remedy)
    are_words = all(_LABEL.fullmatch(label) and is_printable(label) for label in labels)
    are_different = len(set(labels)) == len(labels)
    if len(labels) < 2 or not are_words or not are_different:
        _refuse("labels are at least two different words", 'write them like LABELS="robin wren owl"')


def _check_nothing_is_replaced(task: NewTask, texts: Mapping[str, str]) -> None:
    metric_module = _metric_module(task.metric)
    for path in (*texts, *task.data_folders):
        if not (ROOT / path).exists():
            continue
        if path != metric_module:
            _refuse(f"{path} exists", "choose another ID")
        if _read(ROOT / path) != texts[path]:  # not what another new task has brought
            _refuse(f"{path} exists", "choose another METRIC")


def copied_files(task: NewTask) -> dict[str, str]:
    """Return the texts of the files of a new task by their paths in the repository."""
    values = _placeholder_values(task)
    texts = {}
    for path, data in folder_files(EXAMPLES).items():
        if task.example in path:
            text = data.decode()
            if task.columns:
                text = _with_columns(path, text, task.columns)
            if path.endswith("/expected.json"):
                text = _expected_scores(text, task)
            texts[_filled(path, task.labels, values)] = _filled(text, task.labels, values)
    metric_module = _metric_module(task.metric)
    texts[metric_module] = _read(EXAMPLES / metric_module)
    return texts


def _placeholder_values(task: NewTask) -> dict[str, str]:
    """Return what stands for each placeholder in the files of a new task."""
    metric_title, metric_description = _metric_words(task.metric)
    values = {
        task.example: task.id,
        "example_title": task.title,
        # The title alone may hold what a string in double quotes escapes.
        '"example_title"': json.dumps(task.title, ensure_ascii=False),
        "example_metric": task.metric,
        "example_metric_title": metric_title,
        "example_metric_description": metric_description,
        _FIRST_COLUMN: next(iter(task.columns), ""),
        "example_numbers": _example_numbers(task),
        _PREFIX: "",
    }
    for number, label in enumerate(task.labels, start=1):
        values[f"example_label_{number}"] = label
    return values


def _example_numbers(task: NewTask) -> str:
    """Return a number for each column, as a file holds them."""
    if task.ending == "csv":
        return ",".join([str(_EXAMPLE_NUMBER)] * len(task.columns))
    return json.dumps(dict.fromkeys(task.columns, _EXAMPLE_NUMBER))


def _with_columns(path: str, text: str, columns: Sequence[str]) -> str:
    """Return a text of an example, which has two columns, with other ones.

    Lines that differ in the name of the column alone become a line for each. In golden cases further columns
    have the numbers of the two in turn.
    """
    if "/golden/" in path:
        return _golden_with_columns(path, text, columns)
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        previous_line = lines[-1] if lines else ""
        if _SECOND_COLUMN in line and previous_line.replace(_FIRST_COLUMN, _SECOND_COLUMN) == line:
            lines[-1:] = [previous_line.replace(_FIRST_COLUMN, column) for column in columns]
        else:
            lines.append(line)
    return _ALL_COLUMNS.sub(lambda match: match["separator"].join(columns), "".join(lines))


def _golden_with_columns(path: str, text: str, columns: Sequence[str]) -> str:
    if path.endswith(".csv"):
        _, *rows = csv.reader(io.StringIO(text))
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["id", *columns])
        for key, *numbers in rows:
            writer.writerow([key, *islice(cycle(numbers), len(columns))])
        return stream.getvalue()
    content = json.loads(text)
    if path.endswith("/expected.json"):
        what = content.pop("what")
        errors = dict(zip(columns, cycle(content.values())))
        return json.dumps({"what": what, **{f"rmse_{column}": error for column, error in errors.items()}})
    return json.dumps({key: dict(zip(columns, cycle(row.values()))) for key, row in content.items()}) + "\n"


def _filled(text: str, labels: Sequence[str], values: Mapping[str, str]) -> str:
    """Return a text with the values of its placeholders."""
    text_with_labels = _ALL_LABELS.sub(lambda match: match["separator"].join(labels), text)
    # The longest first, because example_metric begins example_metric_title.
    placeholders = sorted(values, key=len, reverse=True)
    any_placeholder = "|".join(re.escape(placeholder) for placeholder in placeholders)
    return re.sub(any_placeholder, lambda match: values[match[0]], text_with_labels)


def _expected_scores(text: str, task: NewTask) -> str:
    """Return the expected.json of a golden case, whose example has the score by each metric or column."""
    case = json.loads(text)
    what = case.pop("what")
    scores = {"score": case[task.metric]} if not task.columns else {"score": fmean(case.values()), **case}
    return json.dumps({"what": what, "published": {**scores, "coverage": 1.0}}) + "\n"


def _metric_module(metric: str) -> str:
    return f"scoring_program/metrics/{metric}.py"


def _metric_words(metric: str) -> tuple[str, str]:
    """Return the title and the description of a metric, which its docstring begins with."""
    docstring = _read(EXAMPLES / _metric_module(metric)).split('"""')[1]
    title, _, description = docstring.partition(": ")
    return title, description[0].upper() + description[1:]


def _competition_with(task: NewTask, texts: Mapping[str, str]) -> str:
    declaration = texts[f"scoring_program/challenges/{task.id}/{task.id}.yaml"]
    (summary,) = re.findall("^summary: (.+)$", declaration, re.M)
    return with_task(_read(ROOT / COMPETITION), task.id, task.title, summary)


def _format_code(paths: Iterable[str]) -> None:
    """Sort the imports of files, whose order depends on the names in them, and break their lines."""
    code = list(paths)
    _run("ruff", "check", "--select", "I", "--fix", "--quiet", *code)
    _run("ruff", "format", "--quiet", *code)


def _places_to_edit(paths: Iterable[str]) -> list[str]:
    """Return the places with the mark ``EDIT:``, each with what is written behind it."""
    places = []
    for path in paths:
        for number, line in enumerate(_read(ROOT / path).splitlines(), start=1):
            _, mark, instruction = line.partition("EDIT: ")
            if mark:
                places.append(f"{path}:{number}: {instruction.rstrip(_COMMENT_END)}")
    return places


def _run(module: str, *arguments: str) -> str:
    """Run a module in the repository, in a process that finds the new task; return what it printed."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write(texts: Mapping[str, str]) -> None:
    rewrite_files({path: text.encode() for path, text in texts.items()}, ROOT)


def _add_rows(task: NewTask, tricks: str) -> None:
    """Add the rows of the task to the tables of the documents; ``tricks`` are those of docs/gaming.md."""
    title = task.title.replace("|", r"\|")
    metric_title, _ = _metric_words(task.metric)
    if task.columns:
        metric_title += ", the mean of its columns"
    rows = {
        "README.md": f"| `{task.id}` | {title} | {metric_title} |\n",
        "docs/before_the_competition.md": f"| `{task.id}` | `truth.{task.ending}` | a checked copy |\n",
        "docs/gaming.md": tricks,
    }
    for document, table_head in _TABLES.items():
        text = _read(ROOT / document)
        table = re.search(rf"^( *){re.escape(table_head)}.*\n(\1\|.*\n)*", text, re.M)
        assert table is not None, document  # noqa: S101 - a test holds that it is there
        indented_rows = re.sub("^(?=.)", table[1], rows[document], flags=re.M)
        _write({document: text[: table.end()] + indented_rows + text[table.end() :]})


def _without_rows(text: str, task_id: str) -> str:
    return re.sub(rf"^ *\| `?{task_id}`? \|.*\n", "", text, flags=re.M)


def _write_record(task_id: str, paths: Iterable[str]) -> None:
    """Remember the hashes of what was written, for `undo_new_task`."""
    hashes = {path: file_hash(ROOT / path) for path in paths}
    text = json.dumps(hashes, indent=1) + "\n"
    rewrite_files({f"{task_id}.json": text.encode()}, _RECORDS)


def undo_new_task(task_id: str) -> int:
    """Take back what `new_task` wrote.

    Files that were edited since are put aside, files that it did not write are left; both are named.
    """
    records = {path.stem: json.loads(_read(path)) for path in _RECORDS.glob("*.json")}
    if task_id not in records:
        written_tasks = ", ".join(sorted(records)) or "no task"
        _refuse(f"organizer new-task has not written '{task_id}'", f"it has written {written_tasks}")
    hashes = records.pop(task_id)
    # Tasks with one metric share its module.
    shared = {path for other_hashes in records.values() for path in other_hashes}
    paths = [path for path in hashes if path not in shared and (ROOT / path).is_file()]
    edited = [path for path in paths if file_hash(ROOT / path) != hashes[path]]
    unedited = [path for path in paths if path not in edited]
    aside = ROOT / "out" / "undone" / task_id
    if edited and aside.exists():
        _refuse(f"there is already {aside.relative_to(ROOT)}, for files that were edited", "move it away")

    texts = {document: _without_rows(_read(ROOT / document), task_id) for document in _TABLES}
    texts = {COMPETITION: without_task(_read(ROOT / COMPETITION), task_id), **texts}
    _write(texts)
    for path in edited:
        (aside / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(ROOT / path, aside / path)
    for path in unedited:
        (ROOT / path).unlink()
    record = _RECORDS / f"{task_id}.json"
    record.unlink()
    left = _remove_folders(task_id, [*hashes, record.relative_to(ROOT).as_posix()])

    print(f"removed: {counted(len(unedited), 'file')}, and what is about the task in", *texts)
    if edited:
        print(f"edited since, so moved to {aside.relative_to(ROOT)}/:", *edited, sep="\n  ")
    if left:
        print("left, because organizer new-task did not write it:", *left, sep="\n  ")
    return 0


def _remove_folders(task_id: str, paths: Iterable[str]) -> list[str]:
    """Remove the folders of a task that are empty now; return the files that are left in the others."""
    folders = {folder for path in paths for folder in (ROOT / path).parents if ROOT in folder.parents}
    deepest_first = sorted(folders, key=lambda folder: -len(folder.parts))
    left: list[str] = []
    for folder in deepest_first:
        if not folder.is_dir():
            continue
        if {path.name for path in folder.iterdir()} <= {"__pycache__"}:
            shutil.rmtree(folder)
        elif folder.name == task_id:
            left += [str((folder / name).relative_to(ROOT)) for name in folder_files(folder)]
    return sorted(left)
