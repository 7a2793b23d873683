"""``make new-challenge``: the files of a task that works at once, from ``organizer/templates/``."""

from __future__ import annotations

import importlib
import json
import keyword
import random
import re
import runpy
import subprocess
import sys
from pathlib import Path
from string import Template

from organizer import ROOT
from organizer.data.references import RefusedError
from organizer.data.synthetic import write_demo_data
from organizer.quality.games import rows
from validator.findings import Findings, is_printable

_TEMPLATES = Path(__file__).parent / "templates"
_METRICS = {
    "accuracy": ("Accuracy", "The share of the items whose label is right; 1 is perfect."),
    "balanced_accuracy": ("Balanced accuracy", "The mean of the share of right items over the labels; 1 is perfect."),
    "macro_f1": ("Macro F1", "The mean F1 of the labels; 1 is perfect."),
    "rmse": ("RMSE", "The square root of the mean squared error; 0 is perfect."),
}
_LABELS = {
    "kind": "labels", "value": "label", "values": "numbers of labels", "type": "str", "used": "LABELS, TRUTH",
    "item_scores": "(submission == reference.values).astype(np.float64)", "random_value": "rng.choice(LABELS)",
    "guess": "random_value(rng) if rng.random() < wrong else value", "game": "the most frequent label everywhere",
    "best_constant": "max(LABELS, key=list(truth.values()).count)", "canary": "LABELS[index % 2]",
    "constant": "LABELS[0]", "sorting": "desc", "example": "robin", "number": "",
    "rule": "labels: [robin, wren, owl]",
    "schema": '"type": "string", "enum": ["robin", "wren", "owl"]', "described": "robin, wren or owl",
}  # fmt: skip
_NUMBERS = {
    "kind": "numbers", "value": "number", "values": "numbers", "type": "float", "used": "TRUTH",
    "item_scores": "np.abs(submission - reference.values)", "random_value": "round(rng.uniform(0, 100), 2)",
    "guess": "round(value + rng.gauss(0, 100 * wrong), 2)", "game": "the mean everywhere",
    "best_constant": "sum(truth.values()) / len(truth)", "canary": "7391100.0 + index", "constant": "-9e6",
    "sorting": "asc", "example": "17.5", "number": "float", "rule": "type: decimal, min: -1.0e+9, max: 1.0e+9",
    "schema": '"type": "number", "minimum": -1e9, "maximum": 1e9', "described": "a number from -1e9 to 1e9",
}  # fmt: skip
_FORMS = {
    "csv": {
        "imports": "from validator.tables import read_table", "column": "$value",
        "labels": "RULES.tables[0].columns[1].labels",
        "read_truth": "read_table(path.read_bytes(), TRUTH, RULES.tables[0], findings)", "demo_import": "import csv",
        "encode": r'"id,$value\n" + "".join(f"{key},{value}\n" for key, value in values.items())',
        "decode": '{row["id"]: $number(row["$value"]) for row in csv.DictReader(text.splitlines())}',
        "holds": "the columns `id` and `$value`", "sample": "id,$value\nitem_1,$example",
    },
    "json": {
        "imports": "from validator.formats.objects import labels, read_object", "column": "value",
        "labels": "labels(RULES)", "read_truth": "read_object(path.read_bytes(), TRUTH, RULES, findings)",
        "demo_import": "import json", "encode": r'json.dumps(values, indent=1) + "\n"', "decode": "json.loads(text)",
        "holds": "an object from the key of each item to its $value", "sample": '{"item_1": $json_example}',
    },
}  # fmt: skip


def new_challenge(name: str, title: str, form: str, metric: str) -> int:
    """Write a new task; print its files and what is left to edit. Raises RefusedError, with nothing written."""
    _check(name, title, form, metric)
    fields = _fields(name, title, form, metric)
    texts = {place: Template(_template(source)).substitute(fields) for place, source in _places(fields).items()}
    # The module of a metric may be there, of another new task.
    texts = {place: text for place, text in texts.items() if "/metrics/" not in place or not (ROOT / place).exists()}
    for place in texts:
        if (ROOT / place).exists():
            _refuse(f"{place} exists", "choose another ID")
    for place, text in texts.items():
        (ROOT / place).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / place).write_text(text, encoding="utf-8")
    code = [place for place in texts if place.endswith(".py")]
    for command in (["check", "--select", "I,F401", "--fix"], ["format"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, "--quiet", *code], cwd=ROOT, check=True)
    write_demo_data(ROOT, [name])
    _write_golden(name, metric)
    _enter_competition(name, title, fields["summary"])
    table = ROOT / "docs" / "score_games.md"
    head, rest = table.read_text(encoding="utf-8").rsplit(" |\n", 1)
    table.write_text(f"{head} |\n" + "".join(f"{row}\n" for row in rows(name)) + rest, encoding="utf-8")
    _tell(name, list(texts))
    return 0


def _refuse(problem: str, hint: str) -> None:
    findings = Findings()
    findings.add("E-NEW", problem, hint)
    raise RefusedError(findings)


def _check(name: str, title: str, form: str, metric: str) -> None:
    if not re.fullmatch("[a-z][a-z0-9_]{1,39}", name) or keyword.iskeyword(name):
        _refuse(f"'{name}' is no ID", "write small letters, digits and _, as in ID=bird_calls")
    if not 1 <= len(title.strip()) <= 60 or not is_printable(title):
        _refuse("a title has 1 to 60 characters", 'write it like TITLE="Bird calls"')
    for kind, given, known in (("FORMAT", form, _FORMS), ("METRIC", metric, _METRICS)):
        if given not in known:
            _refuse(f"there is no {kind} '{given}'", f"write {kind}={' or '.join(known)}")


def _template(name: str) -> str:
    return (_TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")


def _fields(name: str, title: str, form: str, metric: str) -> dict[str, str]:
    kind = _NUMBERS if metric == "rmse" else _LABELS
    metric_title, metric_text = _METRICS[metric]
    fields = {
        **kind, "id": name, "title": title, "form": form, "metric": metric, "file": f"{name}.{form}",
        "metric_title": metric_title, "metric_text": metric_text, "title_yaml": json.dumps(title, ensure_ascii=False),
        "summary": f"Which {kind['value']} does each item have? {metric_title}.",
        "json_example": kind["example"] if kind is _NUMBERS else json.dumps(kind["example"]),
    }  # fmt: skip
    fields.update({key: Template(text).substitute(fields) for key, text in _FORMS[form].items()})
    fields["constants"] = f"LABELS = {fields['labels']}\n" if kind is _LABELS else ""
    return fields


def _places(fields: dict[str, str]) -> dict[str, str]:
    """Return the templates by the places of the files that they become."""
    name, form, folder = fields["id"], fields["form"], f"scoring_program/challenges/{fields['id']}"
    places = {
        f"{folder}/{file}": file for file in ("challenge.yaml", "metadata.yaml", "program.py", "demo.py", "trials.py")
    }
    places[f"{folder}/detail.py"] = f"detail_{fields['kind']}.py"
    places[f"scoring_program/metrics/{fields['metric']}.py"] = f"metrics/{fields['metric']}"
    places[f"validator/rules/{name}.yaml"] = f"rules_{form}.yaml"
    if form == "json":
        places[f"validator/schemas/{name}.json"] = "schema.json"
    return {**places, f"pages/{name}.md": "page.md", f"tests/scoring_program/challenges/test_{name}.py": "test.py"}


def _write_golden(name: str, metric: str) -> None:
    """Write three golden cases, with numbers of a brute-force computation."""
    demo = importlib.import_module(f"scoring_program.challenges.{name}.demo")
    plain, rng = runpy.run_path(str(ROOT / "tests" / "plain_metrics.py"))[metric], random.Random(3)  # noqa: S311
    for case in ("perfect", "random-1", "random-2"):
        folder = ROOT / "tests" / "golden" / name / case
        truth, predicted = ({f"item{n}": demo.random_value(rng) for n in range(8)} for _ in range(2))
        predicted = truth if case == "perfect" else predicted
        demo.write(folder / "ref" / demo.TRUTH, truth)
        demo.write(folder / "res" / demo.FILE, predicted)
        expected = {"score": plain(truth, predicted), "coverage": 1.0}
        (folder / "expected.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")


def _enter_competition(name: str, title: str, summary: str) -> None:
    """Add the page, the task and its sample to competition.yaml; what else is in it stays as it is."""
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


def _tell(name: str, places: list[str]) -> None:
    demo = [f"{folder}/{name}/" for folder in ("reference_data", "starting_kit/samples", "tests/golden")]
    print("written:", *sorted([*places, *demo]), "changed: competition.yaml docs/score_games.md", sep="\n  ")
    print("left to edit:")
    for place in places:
        for number, line in enumerate((ROOT / place).read_text(encoding="utf-8").splitlines(), start=1):
            if "EDIT: " in line:
                print(f"  {place}:{number}: {line.split('EDIT: ')[1].strip(' ->')}")
