"""Intervals that rest on few items with errors, or with a score, are marked as rough."""

from __future__ import annotations

import json

import numpy as np
import pytest

from organizer.files import write_files
from quality.demo_data import load_against
from quality.task import quality_tasks
from scoring_program.disclosure import few_items
from scoring_program.report.page import score_line
from scoring_program.result import HAVE_ERRORS, HAVE_SCORES, FewItems
from scoring_program.task import load_task
from tests.helpers import PUBLISHED, run_folder


def found(n_imperfect, n_scored, starts_at_zero=True):
    places = np.arange(30)
    return few_items(places < n_imperfect, places < n_scored, starts_at_zero)


def test_few_items_with_errors_or_with_a_score_make_an_interval_rough():
    assert found(4, 30) == FewItems(HAVE_ERRORS, 4)
    assert found(30, 4) == FewItems(HAVE_SCORES, 4)
    assert found(5, 5) is None
    assert found(30, 0, starts_at_zero=False) is None
    assert found(3, 30).text("30 videos") == "only 3 of 30 videos have errors"


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Return a function that scores a prediction with some noise for the demo reference of a task."""

    def score(task_id, noise):
        folder = tmp_path_factory.mktemp(task_id)
        made = quality_tasks()[task_id]
        made.write_reference(folder / "source")
        loaded = load_against(task_id, folder / "source", folder / "reference")
        prediction = made.correct_prediction(folder / "source", np.random.default_rng(1), noise)
        write_files(made.files(prediction), folder / "submission")
        return loaded.score_path(folder / "submission")

    return score


@pytest.mark.slow
@pytest.mark.parametrize("task_id", PUBLISHED)
def test_items_are_perfect_where_the_prediction_is(scored, task_id):
    without_errors, with_errors = scored(task_id, 0), scored(task_id, 5.0)
    is_perfect = without_errors.statistics.item_perfect
    if without_errors.scores["score"] > 0.9999:
        assert is_perfect.all()
    else:
        # The demo data holds words and sizes that no prediction gets right.
        assert 0 < (~is_perfect).sum() < 5
    assert not with_errors.statistics.item_perfect.any()


def few_wrong(folder, n_wrong):
    """Write a reference of 40 sequences and a submission that is wrong in some of them."""
    for number in range(40):
        files = {"ref": {f"S{number}_labels.csv": "1,1,10\n", f"S{number}_data.csv": "100,20,2000\n"}}
        last = 5 if number < n_wrong else 10
        files["res"] = {f"S{number}_prediction.csv": f"1,1,{last}\n"}
        for name, content in files.items():
            write_files({key: text.encode() for key, text in content.items()}, folder / name)


@pytest.mark.parametrize(
    ("detail", "text"),
    [
        ("summary", ""),
        ("full", "; rough: only 3 of 40 sequences have errors"),
        ("none", ""),
    ],
)
def test_all_outputs_of_a_nearly_perfect_submission_say_so_at_full(tmp_path, capsys, detail, text):
    few_wrong(tmp_path, 3)
    output = tmp_path / "out"
    run_folder("chalearn_gesture", tmp_path / "ref", tmp_path / "res", output, detail=detail)
    places = [capsys.readouterr().out, (output / "detailed_results.html").read_text(encoding="utf-8")]
    data = json.loads((output / "detailed_results.json").read_text(encoding="utf-8"))
    assert all(text in place and ("rough" in place) == bool(text) for place in places)
    few = {"that": "have errors", "fewer_than": 5, "number": 3}
    assert data["interval"].get("few_items") == (few if detail == "full" else None)


def test_interval_over_enough_errors_is_not_marked(tmp_path):
    few_wrong(tmp_path, 5)
    outcome = run_folder("chalearn_gesture", tmp_path / "ref", tmp_path / "res", tmp_path / "out")
    assert outcome.result is not None
    assert outcome.result.interval is not None
    assert outcome.result.interval.few is None
    assert "rough" not in score_line(load_task("chalearn_gesture"), outcome.result.shown)
