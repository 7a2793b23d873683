"""Submissions of different teams that are nearly the same: which are listed, and that nothing is decided by it."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from organizer.files import folder_files
from organizer.ranking.near_copies import find_near_copies
from organizer.ranking.page import index_page, ranking_page
from organizer.runs.scoring_process import content_hash
from scoring_program.task import task_ids
from tests.helpers import REFERENCES, SAMPLES, loaded, make_zip
from tests.organizer.ranking.test_page import TASK, ranking_of, record_of, shown
from tests.rescoring import call, rows, sample, write_submissions

PICK = np.random.RandomState(2)


def records_with(*columns):
    """Return a record for each list of scores of items, each of a team and a file of its own."""
    records = []
    for number, values in enumerate(columns):
        record = record_of(f"team{number}", np.round(values, 12))
        records.append(replace(record, digest=str(number)))
    return records


def spoiled(values, n_changed):
    """Return scores of items of which the first ones differ."""
    changed = values.copy()
    changed[:n_changed] = 0.123
    return changed


@pytest.mark.parametrize(
    ("n_part", "n_changed", "is_listed"),
    [
        (30, 0, True),
        (30, 3, True),
        (30, 4, False),
        (20, 0, True),
        (19, 0, False),
        (22, 2, True),
        (21, 2, False),
    ],
)
def test_twenty_items_and_nine_tenths_of_those_with_a_part_of_the_score_must_be_equal(
    n_part, n_changed, is_listed
):
    values = np.concatenate([PICK.uniform(0.2, 0.8, n_part), np.zeros(40), np.ones(40)])
    pairs = find_near_copies(records_with(values, spoiled(values, n_changed)), TASK)
    assert [(pair.n_equal, pair.n_items) for pair in pairs] == (
        [(n_part - n_changed, n_part)] if is_listed else []
    )


def test_independent_teams_that_are_mostly_right_are_not_listed():
    """Of scores of 0 and 1 alone, fifteen teams at 97 % agree on 94 %."""
    teams = [(PICK.rand(500) < 0.97).astype(float) for _ in range(15)]
    assert find_near_copies(records_with(*teams), TASK) == []


def test_items_where_one_score_is_neither_0_nor_perfect_count_on_both_sides():
    values = PICK.uniform(0.2, 0.8, 60)
    others = values.copy()
    others[:10] = 1.0
    assert find_near_copies(records_with(values, others), TASK) == []


def test_scores_are_compared_at_ten_decimals():
    values = PICK.uniform(0.2, 0.8, 60)
    assert find_near_copies(records_with(values, values + 1e-12), TASK)
    assert not find_near_copies(records_with(values, values + 1e-9), TASK)


def test_submissions_of_one_team_and_equal_files_are_not_listed():
    values = PICK.uniform(0.2, 0.8, 60)
    first, second = records_with(values, values)
    own = replace(second, submission=replace(second.submission, team="team0"))
    assert find_near_copies([first, own], TASK) == []
    assert find_near_copies([first, replace(second, digest=first.digest)], TASK) == []


def test_they_are_shown_to_organizers_alone_and_decide_nothing():
    values = PICK.uniform(0.2, 0.8, 60)
    ranking = ranking_of(records_with(values, spoiled(values, 2)))
    assert "58 of 60 items" in shown(index_page(ranking))
    assert "nearly equal" not in shown(ranking_page(ranking))
    assert len(ranking.teams) == 2


@pytest.mark.parametrize("task_id", task_ids())
def test_what_is_read_of_a_submission_is_the_same_whatever_the_zip(task_id, tmp_path):
    task = loaded(task_id, REFERENCES / task_id)
    contents = {}
    for name in ("good", "weak"):
        files = folder_files(SAMPLES / task_id / name)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, data in reversed(files.items()):
                archive.writestr(f"inner/{member}", data)
        paths = [tmp_path / f"{name}{number}.zip" for number in range(2)]
        paths[0].write_bytes(make_zip(files))
        paths[1].write_bytes(buffer.getvalue())
        hashes = {content_hash(task.read(path).content) for path in paths}
        assert len(hashes) == 1
        contents[name] = hashes.pop()
    assert contents["good"] != contents["weak"]


@pytest.mark.slow
def test_a_copy_in_another_zip_is_listed(tmp_path):
    files = sample()
    copy = {name: data.replace(b"\n", b"\r\n") for name, data in files.items()}
    folder = write_submissions(
        tmp_path / "in", {"ann/a.zip": files, "bob/b.zip": copy, "eve/c.zip": sample("weak")}
    )
    assert call(folder, tmp_path / "out") == 0
    text = shown((tmp_path / "out" / "index.html").read_text(encoding="utf-8"))
    assert "ann/a.zip ann bob/b.zip bob the same contents" in text
    assert len(rows(tmp_path / "out" / "ranking.csv", "team")) == 3


def test_files_that_another_user_has_now_may_be_of_a_user_with_a_new_name(tmp_path):
    folder = write_submissions(tmp_path / "in", {"lab/a.zip": sample(), "eve/c.zip": sample("weak")})
    assert call(folder, tmp_path / "out") == 0
    (folder / "lab").rename(folder / "vision_lab")
    assert call(folder, tmp_path / "out") == 0
    assert "lab/a.zip vision_lab: renamed?" in shown(
        (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    )
