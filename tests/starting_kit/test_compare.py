"""Comparing submissions at home: the command, the function, the page, and ``comparison.json``."""

from __future__ import annotations

import json
import random
import re
import shutil
from dataclasses import replace
from functools import partial

import html5lib
import jsonschema
import numpy as np
import pytest

import compare as command
import comparison
import evaluate
import home
from scoring_program.metrics.comparison import compare as compare_halves
from scoring_program.metrics.resampling import half_scores, intervals, weighted_mean
from scoring_program.report.standings import Standings
from scoring_program.result import Result, Statistics
from scoring_program.run import BROKEN, INVALID, SCORED
from scoring_program.task import load_task, task_ids
from tests.helpers import PUBLISHED, REFERENCES, ROOT, SAMPLES, make_zip
from validator import console
from validator.messages import Note

SCHEMA = json.loads((ROOT / "scoring_program" / "report" / "comparison.schema.json").read_text())
TASK = "chalearn_gesture"
GOOD, WEAK = SAMPLES / TASK / "good", SAMPLES / TASK / "weak"


def call(folder, *arguments):
    """Run the command with a folder for its outputs; return the exit code."""
    return command.main([*map(str, arguments), "--output", str(folder)])


def outputs_of(folder):
    """Return the text of the page and the data, which keeps to the schema."""
    found = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(SCHEMA).validate(found)
    return shown((folder / "comparison.html").read_text(encoding="utf-8")), found


def shown(text):
    tree = html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parse(text)
    return " ".join(" ".join(tree.find("body").itertext()).split())


def mixed(folder, n):
    """Write submissions whose files are of both samples, and return their paths."""
    paths = []
    for number in range(n):
        pick = random.Random(number)
        files = {own.name: pick.choice([own, own, WEAK / own.name]).read_text() for own in GOOD.iterdir()}
        paths.append(folder / f"epoch{number}.zip")
        paths[-1].write_bytes(make_zip(files))
    return paths


def made(values, sorting="desc", names=None):
    """Return a comparison of submissions whose scores are means over their columns, the best first."""
    task = load_task(TASK)
    task = replace(task, columns=[task.columns[0]._replace(sorting=sorting), *task.columns[1:]])
    halves = [half_scores(partial(weighted_mean, own), np.arange(len(own))) for own in values.T]
    scores = {column.key: 0.5 for column in task.columns}
    results = [
        Result(
            {**scores, "score": own.score},
            Statistics(column, column == column, np.ones(len(column), int), []),
            (),
        )
        for own, column in zip(halves, values.T)
    ]
    names = names or [f"s{number}" for number in range(len(results))]
    numbers = [own.score for own in halves]
    standings = Standings(
        task=task,
        names=names,
        score_texts=[f"{score:.4f}" for score in numbers],
        scores=numbers,
        comparison=compare_halves(halves, sorting == "desc"),
        intervals=intervals(halves, task.range),
        over=f"{len(values)} sequences",
        unit="sequence",
    )
    items = [f"item{number}" for number in range(len(values))]
    return comparison.Comparison(standings, results, items, {}, "x|ref:0")


@pytest.fixture(autouse=True)
def nothing_loaded():
    home.forget_references()


def test_the_schema_is_one():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize("task", task_ids())
def test_two_samples_are_compared_as_evaluate_scores_them(task, tmp_path, capsys):
    paths = [SAMPLES / task / name for name in ("weak", "good")]
    assert call(tmp_path, task, *paths) == SCORED
    text, found = outputs_of(tmp_path)
    assert [own["name"] for own in found["submissions"]] == ["good", "weak"]
    for own, path in zip(found["submissions"], reversed(paths)):
        alone = evaluate.score(task, path, detail="full")
        assert own["scores"] == pytest.approx(alone.scores, abs=1e-9)
        assert (own["low"], own["high"]) == pytest.approx((alone.interval.low, alone.interval.high))
        assert own["error_costs"] == pytest.approx(
            {cost.error_type: cost.points for cost in alone.error_costs}
        )
    (pair,) = found["pairs"]
    assert pair["sentence"] in text
    assert pair["sentence"] in capsys.readouterr().out
    assert pair["low"] == pair["low_all"]
    assert pair["low"] > 0 if load_task(task).higher_is_better else pair["high"] < 0
    columns = [column for column in load_task(task).columns if column.leaderboard]
    for title in [*(column.title for column in columns), *(own.title for own in load_task(task).error_types)]:
        assert title in text
    assert "on other" in text
    assert len(found["values"]) > 1 or task not in PUBLISHED
    sizes = {(len(own["names"]), 2) for own in found["values"].values()}
    assert sizes == {np.shape(own["values"]) for own in found["values"].values()}


def test_several_are_compared_in_all_pairs_at_once(tmp_path, capsys):
    paths = mixed(tmp_path, 4)
    assert call(tmp_path / "out", TASK, *paths) == SCORED
    text, found = outputs_of(tmp_path / "out")
    scores = [own["score"] for own in found["submissions"]]
    assert scores == sorted(scores, reverse=True)
    assert [own["rank"] for own in found["submissions"]] == [1, 2, 3, 4]
    assert len(found["pairs"]) == 6
    for pair in found["pairs"]:
        assert pair["low_all"] < pair["low"] <= pair["difference"] <= pair["high"] < pair["high_all"]
        assert pair["p_adjusted"] >= pair["p"]
        assert pair["sentence"] in text
        assert f"{pair['low_all']:.4f} to {pair['high_all']:.4f}" in pair["sentence"]
    assert "for all pairs of submissions at once" in text
    assert "may be the best" in text
    assert capsys.readouterr().out.count(" is better than ") == 3


def test_one_submission_has_its_interval_and_no_pair(tmp_path):
    assert call(tmp_path, TASK, GOOD) == SCORED
    text, found = outputs_of(tmp_path)
    assert found["pairs"] == []
    assert found["visible_difference"] is None
    assert found["submissions"][0]["low"] < found["submissions"][0]["score"]
    assert "good: Mean Jaccard 0.8932" in text
    assert "Difference" not in text.split("Method")[0]


def test_an_invalid_submission_is_named_and_the_others_are_compared(tmp_path, capsys):
    (tmp_path / "<b>.zip").write_bytes(b"no zip")
    assert call(tmp_path / "out", TASK, GOOD, tmp_path / "<b>.zip", WEAK) == INVALID
    text, found = outputs_of(tmp_path / "out")
    printed = capsys.readouterr()
    head, first = printed.err.splitlines()[:2]
    assert " <b> " in head
    assert first.startswith("1. E-ZIP-NOT <b>.zip: ")
    assert "1 submission not valid" in text
    assert "<b>: 1. E-ZIP-NOT <b>.zip: " in text
    assert [problem["code"] for problem in found["invalid"]["<b>"]] == ["E-ZIP-NOT"]
    assert [own["name"] for own in found["submissions"]] == ["good", "weak"]
    assert "good is better than weak" in printed.out


def test_nothing_is_left_of_an_earlier_comparison_if_none_is_valid(tmp_path, capsys, monkeypatch):
    # Long paths are shortened in messages.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    assert call(tmp_path / "out", TASK, GOOD) == SCORED
    capsys.readouterr()
    assert call(tmp_path / "out", TASK, "bad.zip", "none.zip") == INVALID
    head, first, second = capsys.readouterr().err.splitlines()
    assert head.startswith("No submission is valid")
    assert first.startswith("1. E-ZIP-NOT bad: bad.zip: ")
    assert second.startswith("2. E-FILE-MISSING none: none.zip: ")
    assert list((tmp_path / "out").iterdir()) == []
    with pytest.raises(home.SubmissionError, match="E-ZIP-NOT"):
        command.compare(TASK, [tmp_path / "bad.zip"])


def test_names_have_their_folder_where_two_are_equal(tmp_path):
    (tmp_path / "weak").mkdir()
    other = shutil.copytree(WEAK, tmp_path / "weak" / "good")
    assert command.compare(TASK, [GOOD, WEAK]).standings.names == ["good", "weak"]
    names = command.compare(TASK, [other, GOOD]).standings.names
    assert names == [f"{TASK}/good", "weak/good"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([TASK], "name at least one"),
        ([TASK, GOOD, GOOD], f"{GOOD} is named twice"),
        ([GOOD], "name the task first"),
    ],
)
def test_wrong_calls_say_what_is_missing(arguments, text, tmp_path, capsys):
    with pytest.raises(SystemExit) as caught:
        call(tmp_path, *arguments)
    assert caught.value.code == BROKEN
    assert text in capsys.readouterr().err


def test_reference_and_output_that_cannot_be_used_end_in_2(tmp_path, capsys, monkeypatch):
    assert call(tmp_path, TASK, GOOD, "--reference", tmp_path / "none") == BROKEN
    assert "\n1. E-REF-MISSING " in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert call(tmp_path / "file", TASK, GOOD) == BROKEN
    assert capsys.readouterr().err.startswith("E-OUTPUT: ")

    def fail(*arguments):
        raise ValueError("secret")

    monkeypatch.setattr(command, "load", fail)
    assert call(tmp_path, TASK, GOOD) == BROKEN
    err = capsys.readouterr().err
    assert err.startswith("E-INTERNAL: ValueError in ")
    assert "secret" not in err
    monkeypatch.setattr(command, "load", lambda *_: (_ for _ in ()).throw(console.OutputError("full")))
    assert call(tmp_path, TASK, GOOD) == BROKEN


def test_settings_of_the_reference_do_not_prevent_a_comparison(tmp_path):
    reference = shutil.copytree(REFERENCES / TASK, tmp_path / "ref")
    (reference / "settings.yaml").write_text("detail: none\ninterval: false\n")
    found = command.compare(TASK, [GOOD, WEAK], reference)
    assert found.standings.comparison.pairs.p[0] < 0.05
    assert "classes" in found.values
    released = command.compare(TASK, [GOOD, WEAK], reference, protocol="released")
    assert "protocol:released" in released.signature


def test_groups_of_items_are_what_is_independent(tmp_path):
    reference = shutil.copytree(REFERENCES / TASK, tmp_path / "ref")
    items = command.compare(TASK, [GOOD]).items
    lines = [f"{item},{number // 2}" for number, item in enumerate(items)]
    (reference / "persons.csv").write_text("\n".join(["item,group", *lines]) + "\n")
    (reference / "settings.yaml").write_text("item_groups: persons.csv\n")
    assert call(tmp_path / "out", TASK, GOOD, WEAK, "--reference", reference) == SCORED
    text, found = outputs_of(tmp_path / "out")
    assert found["over"] == "12 sequences of 6 persons"
    assert "6 groups are too few" in found["pairs"][0]["sentence"]
    assert "Every rank set holds all ranks: 6 groups are too few" in text


def test_the_same_files_give_the_same_outputs(tmp_path):
    for name in ("a", "b"):
        assert call(tmp_path / name, TASK, GOOD, WEAK) == SCORED
    for name in ("comparison.html", "comparison.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


PICK = np.random.RandomState(3)
VALUES = np.round(np.clip(PICK.rand(40, 1) + PICK.normal(0, 0.1, (40, 3)), 0, 1), 3)


@pytest.mark.parametrize(("sorting", "side"), [("desc", "up"), ("asc", "down")])
def test_a_dot_for_each_item_has_its_side(sorting, side):
    values = VALUES[:, :2].copy()
    values[:, 1] = values[:, 0]
    values[4, 1] += 0.5
    values[5, 1] = np.nan
    strips = comparison.page(made(values, sorting)).split('id="differences"')[1].split("</section>")[0]
    assert strips.count('class="dot even"') == 38
    (dot,) = re.findall(r'class="dot (up|down)"[^>]*><title>([^<]*)', strips)
    assert dot == (side, "item4: +0.5000")
    counts = {"up": "1 better, 38 equal, 0 worse", "down": "0 better, 38 equal, 1 worse"}
    assert counts[side] in strips


def test_many_items_are_counted_in_bins():
    values = np.tile(VALUES, (8, 1))
    strips = comparison.page(made(values)).split('id="differences"')[1].split("</section>")[0]
    assert "dot" not in strips
    counted = [int(count) for count in re.findall(r"<title>[^<]*: (\d+)<", strips)]
    different = sum(int((values[:, 0] != values[:, j]).sum()) for j in (1, 2))
    assert sum(counted) == different


def test_items_without_a_score_have_no_strip():
    page = comparison.page(made(np.where([[True, False]] * 12, np.nan, VALUES[:12, :2])))
    assert 'id="differences"' not in page


def test_classes_and_items_that_differ_most_come_first():
    values = np.full((12, 2), 0.5)
    values[7], values[3] = (0.1, 0.9), (0.5, 0.7)
    table = comparison.page(made(values)).split('id="of-items"')[1].split("</section>")[0]
    assert re.findall(r"<td>(item\d+)", table) == ["item7", "item3"]
    assert "2 of 12 differ" in table


def test_notes_are_shown_with_the_submission():
    found = made(VALUES)
    noted = replace(found.results[1], notes=[Note("N-JUNK", "a <note>")])
    found = replace(found, results=[found.results[0], noted, found.results[2]])
    assert "s1: N-JUNK: a <note>" in shown(comparison.page(found))
    assert found.to_dict()["submissions"][1]["notes"] == ["N-JUNK: a <note>"]


@pytest.mark.slow
def test_fifty_submissions_make_a_page_below_3_mb_and_all_numbers_are_in_the_data():
    pick = np.random.RandomState(5)
    values = np.round(pick.rand(300, 1) * 0.5 + pick.rand(300, 50) * 0.5, 3)
    values = values[:, np.argsort(-values.mean(axis=0))]
    names = [f"<script>{number}" + "W" * 300 for number in range(50)]
    found = made(values, names=names)
    page = comparison.page(found)
    assert len(page.encode()) < 3_000_000
    assert "<script" not in page
    assert page.split('id="differences"')[1].split("</section>")[0].count("<svg") == 10
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    jsonschema.Draft7Validator(SCHEMA).validate(data)
    assert len(data["pairs"]) == 1225
    assert data["values"]["items"]["values"] == values.tolist()
