"""What the slowest known submissions below 1 MB cost."""

from __future__ import annotations

import json
import zipfile

import pytest

from organizer.files import folder_files, samples_folder
from tests.helpers import ROOT, make_zip, n_calls, one_of_each_challenge, only_at_night, run_folder

# Of functions, of Python and built in: about half a second. Before explaining was bounded, one error beside good
# values took nine million.
MOST_CALLS = 4_500_000
SLOWEST = {path.stem: path for path in sorted((ROOT / "tests/slow").glob("*.zip"))}
TASKS = one_of_each_challenge(SLOWEST)
HUMAN = {"box": [1, 2, 30, 40], "parts": {"head": {"box": [[1, 2, 3, 4]], "verb": ["still"]}}}


def error_beside_many():
    """Return a submission to kinetics_tps with one wrong value and many good frames of one video."""
    good = {f"img_{number:05d}.json": {"humans": [HUMAN] * 4} for number in range(2500)}
    parts = json.dumps({"v": {"bad": {"humans": [1]}, **good}}).encode()
    return make_zip({"pred_vid_result.json": "{}", "pred_part_result.json": parts})


def empty_videos():
    """Return a good submission to kinetics_tps with as many other videos as there is room for."""
    files = folder_files(samples_folder("kinetics_tps") / "good")
    parts = {**json.loads(files["pred_part_result.json"]), **{f"d{number}": {} for number in range(65_000)}}
    return make_zip({**files, "pred_part_result.json": json.dumps(parts, separators=(",", ":"))})


def other_members():
    """Return a good submission to anet_entities_gen with as many other members as there is room for."""
    ((name, data),) = folder_files(samples_folder("anet_entities_gen") / "good").items()
    members = {**json.loads(data), **{f"x{number}": 0 for number in range(75_000)}}
    return make_zip({name: json.dumps(members, separators=(",", ":"))})


@only_at_night()
@pytest.mark.slow
@pytest.mark.parametrize(
    ("task_id", "data", "exit_code"),
    [
        *(
            pytest.param(
                task_id,
                SLOWEST[task_id].read_bytes,
                1,
                marks=only_at_night() if task_id == "densepose" else (),
            )
            for task_id in TASKS
        ),
        ("kinetics_tps", error_beside_many, 1),
        pytest.param("kinetics_tps", empty_videos, 0, marks=only_at_night()),
        ("anet_entities_gen", other_members, 0),
    ],
    ids=[*TASKS, "one error", "empty videos", "other members"],
)
def test_slow_submissions_call_few_functions(task_id, data, exit_code, tmp_path, capsys):
    (tmp_path / "slow.zip").write_bytes(data())
    with zipfile.ZipFile(tmp_path / "slow.zip") as archive:
        assert sum(info.file_size for info in archive.infolist()) < 1_000_000
    reference = ROOT / "reference_data" / task_id
    calls, outcome = n_calls(run_folder, task_id, reference, tmp_path / "slow.zip", tmp_path / "out")
    assert outcome.exit_code == exit_code
    assert calls < MOST_CALLS
