"""``make new-challenge``: the files of a task that works at once, from ``organizer/templates/``."""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
from pathlib import Path
from string import Template

import yaml

from organizer import ROOT
from organizer.data.references import RefusedError
from validator.findings import Findings, is_printable

_TEMPLATES = Path(__file__).parent / "templates"
_FIELDS = yaml.safe_load((_TEMPLATES / "fields.yaml").read_text(encoding="utf-8"))
_METRICS, _FORMATS = _FIELDS["metrics"], _FIELDS["formats"]


def new_challenge(name: str, title: str, form: str, metric: str, labels: list[str] | None) -> int:
    """Write a new task, print its files and what is left to edit; raise RefusedError before anything is
    written."""
    _check(name, title, form, metric)
    if labels is not None and metric == "rmse":
        _refuse(
            "the metric rmse is for numbers and has no labels", "leave LABELS out, or choose another METRIC"
        )
    labels = ["first", "second", "third"] if labels is None else labels
    if len(set(labels)) < max(len(labels), 2) or not all(
        re.fullmatch('[^,"\\s]+', label) for label in labels
    ):
        _refuse("labels are at least two different words", 'write them like LABELS="robin wren owl"')
    fields = _fields(name, title, form, metric, labels)
    texts = {
        path: Template(_template(source)).substitute(fields) for path, source in _sources(fields).items()
    }
    # Another new task may have written the module of the metric.
    texts = {
        path: text for path, text in texts.items() if "/metrics/" not in path or not (ROOT / path).exists()
    }
    for path in texts:
        if (ROOT / path).exists():
            _refuse(f"{path} exists", "choose another ID")
    for path, text in texts.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
    code = [path for path in texts if path.endswith(".py")]
    for command in (["check", "--select", "I,F401", "--fix"], ["format"]):
        _run("ruff", *command, "--quiet", *code)
    _run("quality", "demo-data", name)
    _run("tests.item_cases", name, metric)
    _enter_competition(name, title, fields["summary"])
    table = ROOT / "docs" / "gaming.md"
    head, rest = table.read_text(encoding="utf-8").rsplit(" |\n", 1)
    *_, rows = _run("quality", "gaming", name).partition("---|\n")
    table.write_text(f"{head} |\n{rows}{rest}", encoding="utf-8")
    _tell(name, list(texts))
    return 0


def _run(module: str, *arguments: str) -> str:
    """Run a module in the repository, in a process that finds the new task, and return what it printed."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def _refuse(problem: str, hint: str) -> None:
    findings = Findings()
    findings.add("E-NEW", problem, hint)
    raise RefusedError(findings)


def _check(name: str, title: str, form: str, metric: str) -> None:
    if not re.fullmatch("[a-z][a-z0-9_]{1,39}", name) or keyword.iskeyword(name):
        _refuse(f"'{name}' is not an ID", "write small letters, digits and _, as in ID=bird_calls")
    if not 1 <= len(title.strip()) <= 60 or not is_printable(title):
        _refuse("a title has 1 to 60 characters", 'write it like TITLE="Bird calls"')
    for option, given, known in (("FORMAT", form, _FORMATS), ("METRIC", metric, _METRICS)):
        if given not in known:
            _refuse(f"there is no {option} '{given}'", f"write {option}={' or '.join(known)}")


def _template(name: str) -> str:
    return (_TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")


def _fields(name: str, title: str, form: str, metric: str, labels: list[str]) -> dict[str, str]:
    shown, numeric = json.dumps(labels, ensure_ascii=False), metric == "rmse"
    values = _FIELDS["numbers" if numeric else "labels"]
    fields = {
        "rule": f"labels: {shown}", "schema": f'"type": "string", "enum": {shown}', "example": labels[0],
        "described": " or ".join(labels), **values,
        "id": name, "title": title, "form": form, "metric": metric, "file": f"{name}.{form}",
        **_METRICS[metric],
        "title_yaml": json.dumps(title, ensure_ascii=False),
        "summary": f"Which {values['value']} does each item have? {_METRICS[metric]['metric_title']}.",
        "one_of": "" if numeric else f": {' or '.join(labels)}",
        "json_example": "17.5" if numeric else json.dumps(labels[0], ensure_ascii=False),
    }  # fmt: skip
    fields.update({key: Template(text).substitute(fields) for key, text in _FORMATS[form].items()})
    fields["constants"] = f"LABELS = {fields['labels']}\n" if not numeric else ""
    return fields


def _sources(fields: dict[str, str]) -> dict[str, str]:
    """Return the name of the template of each file."""
    name, form, folder = fields["id"], fields["form"], f"scoring_program/challenges/{fields['id']}"
    sources = {f"{folder}/{file}": file for file in ("challenge.yaml", "metadata.yaml", "program.py")}
    sources[f"quality/{name}/task.py"] = "task.py"
    sources[f"{folder}/detail.py"] = f"detail_{fields['kind']}.py"
    sources[f"scoring_program/metrics/{fields['metric']}.py"] = f"metrics/{fields['metric']}"
    sources[f"validator/rules/{name}.yaml"] = f"rules_{form}.yaml"
    if form == "json":
        sources[f"validator/schemas/{name}.json"] = "schema.json"
    return {
        **sources,
        f"pages/{name}.md": "page.md",
        f"tests/scoring_program/challenges/test_{name}.py": "test.py",
    }


def _enter_competition(name: str, title: str, summary: str) -> None:
    """Add the page, the task and its sample to competition.yaml; the rest stays as it is."""
    from ruamel.yaml import YAML

    yaml, path, shown = YAML(), ROOT / "competition.yaml", json.dumps(title, ensure_ascii=False)
    yaml.preserve_quotes, yaml.width = True, 1000
    yaml.indent(mapping=2, sequence=4, offset=2)
    data = yaml.load(path.read_text(encoding="utf-8"))
    phase, index = data["phases"][0], max(task["index"] for task in data["tasks"]) + 1
    number = max((entry["index"] for entry in data.get("solutions", [])), default=-1) + 1
    sample = f"{{index: {number}, name: {shown}, path: {name}_sample.zip, tasks: [{index}]}}"
    data["pages"].append(yaml.load(f"{{title: {shown}, file: pages/{name}.md}}"))
    task = {"index": index, "name": title, "description": summary}
    data["tasks"].append(
        {**task, "scoring_program": f"{name}_program.zip", "reference_data": f"{name}_reference.zip"}
    )
    data.setdefault("solutions", []).append(yaml.load(sample))
    phase["tasks"].append(index)
    for key, more in (("max_submissions_per_day", 5), ("max_submissions", 100)):
        if phase.get(key):
            phase[key] += more
    with path.open("w", encoding="utf-8") as stream:
        yaml.dump(data, stream)


def _tell(name: str, paths: list[str]) -> None:
    demo = [f"{folder}/{name}/" for folder in ("reference_data", "starting_kit/samples", "tests/golden")]
    print("written:", *sorted([*paths, *demo]), "changed: competition.yaml docs/gaming.md", sep="\n  ")
    print("left to edit:")
    for path in paths:
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), start=1):
            if "EDIT: " in line:
                # Without the end of a comment in HTML or of a string in JSON.
                left = line.split("EDIT: ")[1].rstrip(' ->",')
                print(f"  {path}:{number}: {left}")
