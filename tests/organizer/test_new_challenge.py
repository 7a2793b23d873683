"""``make new-challenge``: its metrics against scikit-learn's, what it refuses, and tasks of each format that work at once."""

from __future__ import annotations

import math
import random
import re
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from organizer import new_challenge
from organizer.data.references import RefusedError
from tests import plain_metrics
from tests.helpers import ROOT

LEFT_OUT = (".git", ".venv", "out", "dist", ".hypothesis", "*_cache", "__pycache__", "mutants", "bench")


def module(metric):
    names = {}
    exec(compile(new_challenge._template(f"metrics/{metric}"), metric, "exec"), names)  # noqa: S102
    return names["weighted"]


def of_scikit_learn(metric, truth, predicted, weights):
    from sklearn import metrics  # it takes a second to import

    if metric == "rmse":
        return math.sqrt(metrics.mean_squared_error(truth, predicted, sample_weight=weights))
    kept = weights > 0
    truth, predicted, weights = truth[kept], predicted[kept], weights[kept]
    if metric == "macro_f1":
        return metrics.f1_score(truth, predicted, average="macro", sample_weight=weights, zero_division=0)
    return {"accuracy": metrics.accuracy_score, "balanced_accuracy": metrics.recall_score}[metric](
        truth, predicted, sample_weight=weights,
        **({"average": "macro", "labels": np.unique(truth), "zero_division": 0} if metric == "balanced_accuracy" else {}),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("metric", new_challenge._METRICS)
@given(st.integers(0, 2**32 - 1))
def test_metrics_are_those_of_scikit_learn(metric, seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 30)
    make = (lambda: rng.normal(0, 100, n)) if metric == "rmse" else (lambda: rng.integers(0, 5, n))
    truth, predicted = make(), make()
    weights = rng.integers(0, 4, (5, n)).astype(float)
    weights[:, 0] += 1
    expected = [of_scikit_learn(metric, truth, predicted, row) for row in weights]
    assert module(metric)(truth, predicted, weights) == pytest.approx(expected, abs=1e-12)
    sides = (dict(enumerate(side.tolist())) for side in (truth, predicted))
    once = module(metric)(truth, predicted, np.ones((1, n)))[0]
    assert once == pytest.approx(getattr(plain_metrics, metric)(*sides), abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Bird", "x", "csv", "accuracy", ["a", "b"]), "'Bird' is not an ID"),
        (("import", "x", "csv", "accuracy", ["a", "b"]), "'import' is not an ID"),
        (("../x", "x", "csv", "accuracy", ["a", "b"]), "'../x' is not an ID"),
        (("densepose", "x", "csv", "accuracy", ["a", "b"]), "densepose/challenge.yaml exists"),
        (("overview", "x", "csv", "accuracy", ["a", "b"]), "pages/overview.md exists"),
        (("birds", "x", "tsv", "accuracy", ["a", "b"]), "there is no FORMAT 'tsv'; write FORMAT=csv or json"),
        (("birds", "x", "csv", "bleu", ["a", "b"]), "there is no METRIC 'bleu'; write METRIC=accuracy or "),
        (("birds", "x\ny", "csv", "accuracy", ["a", "b"]), "a title has 1 to 60 characters"),
        (("birds", "x", "csv", "accuracy", ["a"]), "labels are at least two different words"),
        (("birds", "x", "csv", "accuracy", ["a", "b", "a"]), "labels are at least two different words"),
        (("birds", "x", "csv", "rmse", ["a", "b"]), "the metric rmse is for numbers and has no labels"),
        (("birds", "x", "csv", "accuracy", ["a", "b,c"]), "labels are at least two different words"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line_with_nothing_written(arguments, said, monkeypatch):
    monkeypatch.setattr(new_challenge.Path, "write_text", lambda *_, **__: pytest.fail("it wrote a file"))
    with pytest.raises(RefusedError) as refused:
        new_challenge.new_challenge(*arguments)
    (line,) = refused.value.findings.lines()
    assert said in line


def test_make_asks_for_the_format_of_a_new_task():
    shown = subprocess.run(
        ["make", "--dry-run", "new-challenge", "ID=birds"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--format" not in shown.stdout


@given(st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_numbers_of_samples_stay_in_the_range_of_the_demo_data(wrong, seed):
    rng = random.Random(seed)
    fields = {
        "wrong": wrong,
        "rng": rng,
        "value": rng.uniform(5, 6),
        "random_value": lambda rng: rng.uniform(5, 6),
    }
    assert 5 <= eval(new_challenge._FIELDS["numbers"]["guess"], fields) <= 6  # noqa: S307


@pytest.fixture
def copy(tmp_path):
    """Return a function that runs Python in a copy of the repository, and returns what it printed."""
    shutil.copytree(ROOT, tmp_path / "copy", ignore=shutil.ignore_patterns(*LEFT_OUT))

    def run(*arguments, cwd="copy"):
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path / cwd, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    return run


@pytest.mark.slow
@pytest.mark.parametrize(("form", "metric"), [("csv", "balanced_accuracy"), ("json", "rmse")])
def test_new_task_works_at_once(copy, tmp_path, form, metric):
    title = 'Birds: "calls" & more'
    told = copy(
        "-m",
        "organizer",
        "new-challenge",
        "bird_calls",
        "--title",
        title,
        "--format",
        form,
        "--metric",
        metric,
    )
    written, edits = told.split("left to edit:\n")
    assert 1 <= len(edits.splitlines()) <= 6
    assert not re.search('[",]$', edits, re.MULTILINE)
    for place in written.split("changed:")[0].split()[1:]:
        assert (tmp_path / "copy" / place).exists(), place
    before, after = (
        (root / "competition.yaml").read_text().splitlines() for root in (ROOT, tmp_path / "copy")
    )
    assert len([line for line in before if line not in after]) == 3  # the limits and tasks of the phase
    for tool in (["ruff", "format", "--check", "."], ["ruff", "check", "."], ["mypy"]):
        copy("-m", *tool)
    assert "bird_calls" in copy("-m", "organizer", "demo")
    copy("-m", "organizer", "bundle")
    assert "the page holds the mark EDIT:" in copy("-m", "organizer", "lint")
    copy("-m", "pytest", "-k", "bird_calls and not new_challenge", "-p", "no:cacheprovider")
    with zipfile.ZipFile(tmp_path / "copy" / "dist" / "bird_calls.zip") as bundle:
        competition = yaml.safe_load(bundle.read("competition.yaml"))
        bundle.extract("starting_kit.zip", tmp_path)
    column = competition["leaderboards"][0]["columns"][0]
    assert competition["title"] == f"[DEMO DATA] {title}"
    assert (column["key"], column["sorting"]) == ("score", "asc" if metric == "rmse" else "desc")
    shutil.unpack_archive(tmp_path / "starting_kit.zip", tmp_path / "kit")
    copy("evaluate.py", "bird_calls", "samples/bird_calls/good.zip", cwd="kit")
    copy("-m", "validator", "bird_calls", "samples/bird_calls/good.zip", cwd="kit")
