"""How often intervals hold the score: samples are scored as references would be."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from organizer.files import folder_files, write_files
from quality import coverage
from quality.coverage import CoverageSizes, Population, share
from quality.demo_data import load_against
from quality.task import quality_tasks
from scoring_program.metrics import resampling
from scoring_program.task import task_ids

SAMPLE = np.array([3, 0, 7, 7, 10, 3, 1, 9, 11, 7, 2])
SIZES = CoverageSizes(
    sample_items=(10,),
    least_items=24,
    noises=(0.3,),
    team_items=10,
    least_team_items=12,
    tournaments_at_once=2,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", task_ids())
def test_a_sample_is_scored_as_a_reference_that_holds_its_items_in_this_order(tmp_path, name):
    made = quality_tasks()[name]
    made.write_reference(tmp_path / "all")
    loaded = load_against(name, tmp_path / "all", tmp_path / "prepared")
    submission = made.files(made.correct_prediction(tmp_path / "all", np.random.default_rng(1), 0.3))
    write_files(submission, tmp_path / "submission")
    statistics = loaded.score_path(tmp_path / "submission").statistics
    large = Population(loaded.task, len(loaded.items), [statistics])
    interval = resampling.intervals([large.half_scores(0, SAMPLE)], loaded.task.range)

    copies: dict[str, list[str]] = {item: [] for item in loaded.items}
    for place, item in enumerate(SAMPLE):
        copies[loaded.items[item]].append(f"{1000 + place}")
    write_files(made.repeated(folder_files(tmp_path / "all"), copies), tmp_path / "sample")
    write_files(made.repeated(submission, copies), tmp_path / "sampled")
    again = load_against(name, tmp_path / "sample", tmp_path / "again")
    expected = again.score_path(tmp_path / "sampled").interval
    assert expected.items == len(SAMPLE)
    assert expected.high > expected.low
    assert [interval.low[0], interval.high[0]] == pytest.approx([expected.low, expected.high], abs=1e-9)


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        (915, "91.5 (89.6 to 93.1)"),
        (910, "91.0 (89.1 to 92.6) **outside**"),
        (995, "99.5 (98.8 to 99.8) **outside**"),
    ],
)
def test_a_share_whose_interval_leaves_out_the_limits_is_outside(hits, expected):
    assert share(hits, 1000, 0.93, 0.98) == expected


@pytest.mark.slow
def test_without_tournaments_there_is_one_table(monkeypatch, capsys):
    monkeypatch.setattr(coverage, "ProcessPoolExecutor", lambda n, context: ThreadPoolExecutor(n))
    assert coverage.run_coverage(["chalearn_action"], 4, 0, SIZES) == 0
    (row,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("| chalearn"))
    assert row.startswith("| chalearn_action | ")


@pytest.mark.slow
def test_tables_of_intervals_and_tournaments(monkeypatch, capsys):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setattr(coverage, "ProcessPoolExecutor", lambda n, context: ThreadPoolExecutor(n))
    assert coverage.run_coverage(["anet_entities_gen"], 20, 3, SIZES) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines if line.startswith("| anet")] == [
        "| anet_entities_gen",
        "| anet_entities_gen, 1 outside",
        "| anet_entities_gen, 2 outside",
        "| anet_entities_gen",
    ]
