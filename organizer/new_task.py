"""``make new-task`` copies a task of ``task_templates/``; ``make undo-new-task`` removes the copy.

The example of the format gives the files that know what a submission looks like. The example whose values are
those of the metric, labels or numbers, gives the others; that of lists of labels gives all. A copy differs
from its example in words only.
"""

from __future__ import annotations

import json
import keyword
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from organizer import ROOT
from organizer.bundle import COMPETITION
from organizer.bundle.edit import with_task, without_task
from organizer.files import file_hash, folder_files, write_files
from validator.findings import Findings
from validator.texts import counted, is_printable

EXAMPLES = ROOT / "task_templates"
FORMATS = ("csv", "json")
METRICS = sorted(path.stem for path in (EXAMPLES / "scoring_program" / "metrics").glob("[a-z]*.py"))
# The example whose values are those of a metric; the others are of labels, as the example csv is.
_OF_VALUES = {"rmse": "json", "f1": "lists"}
# The ending of the files of each example.
_ENDINGS = {"csv": "csv", "json": "json", "lists": "json"}
# What the example of each format calls its values, and which files know the format.
_NOUNS = {"csv": "label", "json": "number"}
_OF_FORMAT = re.compile(r"(pages|starting_kit|validator)/|quality/\w+/files\.py")
_LABEL = re.compile(r'[^,"\\\s]+')
# How the tables begin that get a row for each task.
_TABLES = {
    "README.md": "| task id |",
    "docs/before_the_competition.md": "| task | files in the source folder |",
    "docs/gaming.md": "| task | protocol |",
}
_RECORDS = EXAMPLES / ".written"


def new_task(task_id: str, title: str, form: str, metric: str, labels: list[str] | None) -> int:
    """Write a new task; print what was written and what is left to edit.

    Raises Refused before anything is written.
    """
    _check(task_id, title, form, metric, labels)
    words = [] if _is_of_numbers(metric) else labels or ["first", "second", "third"]
    texts = _copies(task_id, form, metric, _words(task_id, title, form, metric, words))
    module = f"scoring_program/metrics/{metric}.py"
    texts[module] = _read(EXAMPLES / module)
    data = [f"{folder}/{task_id}" for folder in ("reference_data", "starting_kit/samples")]
    for path in (*texts, *data):
        # Another new task may have brought the module of its metric.
        if (ROOT / path).exists() and (path != module or _read(ROOT / path) != texts[path]):
            _refuse(f"{path} exists", f"choose another {'METRIC' if path == module else 'ID'}")
    declaration = texts[f"scoring_program/challenges/{task_id}/{task_id}.yaml"]
    (summary,) = re.findall("^summary: (.+)$", declaration, re.M)
    texts[COMPETITION] = with_task(_read(ROOT / COMPETITION), task_id, title, summary)
    _write(texts)
    del texts[COMPETITION]
    _write_record(task_id, texts)
    code = [path for path in texts if path.endswith(".py")]
    _run("ruff", "check", "--select", "I", "--fix", "--quiet", *code)
    _run("ruff", "format", "--quiet", *code)
    _run("quality", "demo-data", task_id)
    of_data = [f"{folder}/{name}" for folder in data for name in folder_files(ROOT / folder)]
    _write_record(task_id, [*texts, *of_data])
    _add_rows(task_id, title, f"truth.{form}", _described(metric)[0])
    print("written:", *sorted([*texts, *data]), sep="\n  ")
    print("changed:", COMPETITION, *_TABLES, sep="\n  ")
    print("left to edit:")
    for path in texts:
        for number, line in enumerate(_read(ROOT / path).splitlines(), start=1):
            if "EDIT: " in line:
                # Without the end of a comment in HTML or of a string in JSON.
                left = line.split("EDIT: ")[1].rstrip(' ->",')
                print(f"  {path}:{number}: {left}")
    return 0


def _refuse(problem: str, remedy: str) -> NoReturn:
    Findings().refuse("E-NEW", problem, remedy)


def _check(task_id: str, title: str, form: str, metric: str, labels: list[str] | None) -> None:
    if not find_spec("ruff"):
        _refuse("the packages for developers are missing here", "run make .venv/dev")
    if not re.fullmatch("[a-z][a-z0-9_]{1,39}", task_id) or keyword.iskeyword(task_id):
        _refuse(f"'{task_id}' is not an ID", "write small letters, digits and _, a letter first")
    # The folders of the task are packages beside other modules.
    beside = [ROOT / folder / f"{task_id}.py" for folder in ("validator/formats", "quality", "starting_kit")]
    spec = find_spec(task_id)
    if (spec and spec.origin) or any(path.exists() for path in beside):
        _refuse(f"'{task_id}' is the name of a module", "choose another ID")
    if not 1 <= len(title.strip()) <= 60 or not is_printable(title):
        _refuse("a title has 1 to 60 characters", 'write it like TITLE="Bird calls"')
    for option, given, known in (("FORMAT", form, FORMATS), ("METRIC", metric, METRICS)):
        if given not in known:
            _refuse(f"there is no {option} '{given}'", f"write {option}={' or '.join(known)}")
    if _OF_VALUES.get(metric) == "lists" and form != "json":
        _refuse(f"the metric {metric} is for lists of labels, which need JSON", "write FORMAT=json")
    if labels is not None:
        _check_labels(metric, labels)


def _is_of_numbers(metric: str) -> bool:
    return _OF_VALUES.get(metric) == "json"


def _check_labels(metric: str, labels: list[str]) -> None:
    if _is_of_numbers(metric):
        remedy = "leave LABELS out, or choose another METRIC"
        _refuse(f"the metric {metric} is for numbers and has no labels", remedy)
    are_words = all(_LABEL.fullmatch(label) and is_printable(label) for label in labels)
    if len(set(labels)) < max(len(labels), 2) or not are_words:
        _refuse("labels are at least two different words", 'write them like LABELS="robin wren owl"')


def _words(task_id: str, title: str, form: str, metric: str, labels: Sequence[str]) -> dict[str, str]:
    """Return what replaces the words of the examples: longer ones win."""
    name, shown = json.dumps(title, ensure_ascii=False), json.dumps(labels, ensure_ascii=False)
    words = {
        ', "task_templates.validator.formats"': "",
        "task_templates.": "",
        '["robin", "wren", "owl"]': shown,
    }
    for example, ending in _ENDINGS.items():
        # The schema of a JSON file has its name, and is not there for CSV files.
        words |= {f"example_{example}": task_id, f"example_{example}.{ending}": f"{task_id}.{form}"}
        words |= {f"truth.{ending}": f"truth.{form}", f"# Example {example.upper()}": f"# {title}"}
        words[f'"Example {example.upper()}"'] = name
    for known in ("accuracy", "rmse"):
        words |= zip((known, *_described(known)), (metric, *_described(metric)))
    value, quoted, described = "17.5", "17.5", "a number from -1e9 to 1e9"
    constraints = "type: number, constraints: {minimum: -1.0e+9, maximum: 1.0e+9}"
    schema = '"type": "number", "minimum": -1e9, "maximum": 1e9'
    if labels:
        value, quoted, described = labels[0], json.dumps(labels[0], ensure_ascii=False), " or ".join(labels)
        words |= {"wren": labels[1], schema: f'"type": "string", "enum": {shown}', "17.5": quoted}
    else:
        words['type: string, constraints: {enum: ["robin", "wren", "owl"]}'] = constraints
    # A value stands in quotes in code and without in CSV files.
    words |= {"robin": value, '"robin"': quoted}
    return words | dict.fromkeys(("robin or wren or owl", "a number from -1e9 to 1e9"), described)


def _described(metric: str) -> tuple[str, str]:
    """Return the title and the description of a metric."""
    text = _read(EXAMPLES / "scoring_program" / "metrics" / f"{metric}.py")
    title, _, description = text.split('"""')[1].partition(": ")
    return title, description[0].upper() + description[1:]


def _copies(task_id: str, form: str, metric: str, words: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of the files of a new task by their paths."""
    of_values = _OF_VALUES.get(metric, "csv")
    of_format = of_values if of_values == "lists" else form
    coder, decoder = (
        import_module(f"task_templates.quality.example_{name}.files") for name in (of_format, of_values)
    )
    texts = {}
    for path, data in folder_files(EXAMPLES).items():
        knows_format = bool(_OF_FORMAT.match(path))
        if f"example_{of_format if knows_format else of_values}" not in path:
            continue
        own = dict(words)
        if "/ref/" in path or "/res/" in path:
            data, knows_format = coder.encode(decoder.decode(data)), True
        if knows_format and of_format != of_values:
            own[_NOUNS[of_format]] = _NOUNS[of_values]
        if path.endswith("expected.json"):
            case = json.loads(data)
            case = {"what": case["what"], "published": {"score": case[metric], "coverage": 1.0}}
            data = json.dumps(case).encode() + b"\n"
        texts[_replaced(path, words)] = _replaced(data.decode(), own)
    return texts


def _replaced(text: str, words: Mapping[str, str]) -> str:
    pattern = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.sub(pattern, lambda match: words[match[0]], text)


def _run(module: str, *arguments: str) -> str:
    """Run a module in the repository, in a process that finds the new task; return what it printed."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write(texts: Mapping[str, str]) -> None:
    write_files({path: text.encode() for path, text in texts.items()}, ROOT)


def _add_rows(task_id: str, title: str, truth: str, metric: str) -> None:
    *_, tricks = _run("quality", "gaming", task_id).partition("---|\n")
    of_readme = "| `{}` | {} | {} |\n".format(task_id, title.replace("|", r"\|"), metric)
    rows = of_readme, f"| `{task_id}` | `{truth}` | a checked copy |\n", tricks
    for (document, head), added in zip(_TABLES.items(), rows):
        text = _read(ROOT / document)
        table = re.search(rf"^( *){re.escape(head)}.*\n(\1\|.*\n)*", text, re.M)
        assert table is not None, document  # noqa: S101 - a test holds that it is there
        indented = re.sub("^(?=.)", table[1], added, flags=re.M)
        _write({document: text[: table.end()] + indented + text[table.end() :]})


def _write_record(task_id: str, paths: Iterable[str]) -> None:
    """Remember the hashes of what was written, for `undo_new_task`."""
    record = {path: file_hash(ROOT / path) for path in paths}
    write_files({f"{task_id}.json": json.dumps(record, indent=1).encode() + b"\n"}, _RECORDS)


def undo_new_task(task_id: str) -> int:
    """Take back what `new_task` wrote.

    Files that were edited since are put aside, files that it did not write are left; both are named.
    """
    records = {path.stem: json.loads(_read(path)) for path in _RECORDS.glob("*.json")}
    if task_id not in records:
        written = ", ".join(sorted(records)) or "no task"
        _refuse(f"make new-task has not written '{task_id}'", f"it has written {written}")
    record, aside = records.pop(task_id), ROOT / "out" / "undone" / task_id
    # Tasks with one metric share its module.
    shared = {path for other in records.values() for path in other}
    paths = [path for path in record if path not in shared and (ROOT / path).is_file()]
    edited = [path for path in paths if file_hash(ROOT / path) != record[path]]
    if edited and aside.exists():
        _refuse(f"there is already {aside.relative_to(ROOT)}, for files that were edited", "move it away")
    texts = {COMPETITION: without_task(_read(ROOT / COMPETITION), task_id)}
    for document in _TABLES:
        row = re.compile(rf"^ *\| `?{task_id}`? \|.*\n", re.M)
        texts[document] = row.sub("", _read(ROOT / document))
    _write(texts)
    for path in edited:
        (aside / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(ROOT / path, aside / path)
    for path in set(paths).difference(edited):
        (ROOT / path).unlink()
    (_RECORDS / f"{task_id}.json").unlink()
    left = _remove_folders(task_id, [*record, f"{_RECORDS.relative_to(ROOT)}/{task_id}.json"])
    print(f"removed: {counted(len(paths) - len(edited), 'file')}, and what is about the task in", *texts)
    if edited:
        print(f"edited since, so moved to {aside.relative_to(ROOT)}/:", *edited, sep="\n  ")
    if left:
        print("left, because make new-task did not write it:", *left, sep="\n  ")
    return 0


def _remove_folders(task_id: str, paths: Iterable[str]) -> list[str]:
    """Remove the folders of a task that are empty now; return the files that are left in the others."""
    folders = {parent for path in paths for parent in (ROOT / path).parents if ROOT in parent.parents}
    left = []
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        if folder.is_dir() and {path.name for path in folder.iterdir()} <= {"__pycache__"}:
            shutil.rmtree(folder)
        elif folder.name == task_id:
            left += [str((folder / name).relative_to(ROOT)) for name in folder_files(folder)]
    return sorted(left)
