"""docs/new_task.md: its declarations can be read, and its metric is what it says."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import yaml

from organizer.commands import new_task
from organizer.files import write_files
from organizer.new_task import NewTask
from tests.helpers import ROOT
from tests.item_cases import declared_with_evaluator
from validator.formats.items.arrays import Values
from validator.formats.values import Kind, parse_form

PAGE = (ROOT / "docs" / "new_task.md").read_text(encoding="utf-8")
NEEDED: dict[Kind, dict[str, Any]] = {
    Kind.LABEL: {"labels": ["robin", "wren"]},
    Kind.NUMBER: {},
    Kind.COLUMNS: {"columns": ["valence", "arousal"]},
    Kind.LABELS: {"labels": ["robin", "wren"]},
    Kind.SEGMENTS: {"labels": ["robin", "wren"]},
    Kind.BOXES: {"labels": ["robin", "wren"]},
    Kind.VALUE: {"schema": {"type": "string"}, "truth_schema": {"type": "string"}},
}
VALUES: dict[str, Any] = {
    "minimum": 0,
    "maximum": 9,
    "latest": 60,
    "scores": True,
    "names": {"label": "bird"},
    "missing": "empty",
    "each": "results",
    "key": "clip",
    "column": "bird",
    "example": "robin",
}


def code_blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def is_accepted(file, words):
    try:
        parse_form(file, words)
    except ValueError:
        return False
    return True


def test_the_declaration_can_be_read():
    (text,) = code_blocks("yaml")
    data = yaml.safe_load(text)
    form = parse_form(data["file"], data["values"])
    assert (form.kind, form.names) == (Kind.LABEL, ("robin", "wren", "owl"))


def documented_words():
    """Return the words of the table, and for what each is."""
    table = PAGE.partition("| word | for | what it says |")[2].partition("\n\n")[0]
    words = {}
    for line in table.splitlines()[2:]:
        _, names, kinds, _, _ = line.split("|")
        for name in re.findall("`([a-z_]+)`", names):
            words[name] = kinds
    return words


@pytest.mark.parametrize("word", VALUES)
def test_each_word_is_for_the_kinds_and_formats_that_the_page_names(word):
    kinds = documented_words()[word]
    for kind in Kind:
        for ending in ("csv", "json"):
            declared = {"kind": kind.value, **NEEDED[kind]}
            if not is_accepted(f"birds.{ending}", declared):
                continue
            if word == "column" and kind is Kind.COLUMNS:
                continue
            is_for = f"`{kind.value}`" in kinds or ending.upper() in kinds
            assert is_accepted(f"birds.{ending}", {**declared, word: VALUES[word]}) == is_for, (kind, ending)


def test_the_page_names_all_words_and_has_four_examples():
    assert len(EXAMPLES) == 4 and EXAMPLES[-1][0] == "An evaluator of your own"
    needed = {word for words in NEEDED.values() for word in words}
    assert documented_words().keys() == {"kind", *needed, *VALUES}


EXAMPLES = re.findall("^### (.*?)\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)[:4]


@pytest.mark.parametrize(("title", "text"), EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_each_example_works_as_it_stands(tmp_path, monkeypatch, title, text):
    """The command declares the task, the first file is its ground truth, and the second scores what the page says."""
    (tmp_path / "checkout").mkdir()
    monkeypatch.chdir(tmp_path / "checkout")
    truth, submission = re.findall("^```(?:csv|json)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    files = {"truth.json": truth, "prediction.json": submission}
    for code in re.findall("^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        files["my_eval.py"] = code
    write_files({name: content.encode() for name, content in files.items()}, tmp_path)
    (command,) = re.findall("organizer (new-task .*)", text)
    parser = argparse.ArgumentParser()
    new_task.add_options(parser)
    options = vars(parser.parse_args(shlex.split(command)[1:]))
    wanted = NewTask(options.pop("task_id"), **options)
    example = declared_with_evaluator(tmp_path / "task", wanted, monkeypatch)
    write_files({example.form.truth_file: truth.encode()}, tmp_path / "ref")
    write_files({example.form.file: submission.encode()}, tmp_path / "res")
    result = example.load(tmp_path / "ref").score_path(tmp_path / "res")
    (score,) = re.findall(r"This submission scores ([0-9.]+[0-9]|[0-9])", text)
    assert result.scores["score"] == pytest.approx(float(score), abs=5e-5)


SCRIPT = """\
import json
def main(truth_file, results_file):
    with open(truth_file) as truth_lines, open(results_file) as results_lines:
        truth, results = json.load(truth_lines)["annotations"], json.load(results_lines)["results"]
    print("hits", sum(truth[key] == value for key, value in results.items()))
"""


def test_the_module_around_a_script_returns_what_it_prints(monkeypatch):
    (code,) = [text for text in code_blocks("python") if "count_people" in text]
    script, module = ModuleType("count_people"), ModuleType("my_eval")
    exec(SCRIPT, script.__dict__)  # noqa: S102 - a script of our own
    monkeypatch.setitem(sys.modules, "count_people", script)
    exec(code, module.__dict__)  # noqa: S102 - a module of our own page
    assert module.evaluate({"a": 1, "b": 2}, {"a": 1, "b": 3}) == {"hits": 1}


def test_the_metric_is_what_it_says():
    *_, code = code_blocks("python")
    metric = ModuleType("near_accuracy")
    exec(code, metric.__dict__)  # noqa: S102 - a module of our own page
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = int(rng.integers(1, 20))
        keys = [str(number) for number in range(n)]
        truth, predicted = rng.integers(0, 4, n), rng.integers(0, 4, n)
        statistics = metric.measure(Values(keys, truth, ()), Values(keys, predicted, ()))
        points = [{0: 1.0, 1: 0.5}.get(abs(int(a) - int(b)), 0.0) for a, b in zip(truth, predicted)]
        assert metric.reduce(statistics, np.ones((1, n))) == pytest.approx(sum(points) / n)
        assert np.isfinite(metric.reduce(statistics, np.zeros((1, n)))).all()
