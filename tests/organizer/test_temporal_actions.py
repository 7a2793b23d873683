"""Temporal action localization as in ActivityNet and THUMOS, written as an organizer would: commands and data alone.

Beside it, on the same data, a published challenge's script as an evaluator of one's own.
"""

from __future__ import annotations

import json
import random

import pytest

from organizer.files import zip_bytes
from tests.helpers import ROOT
from tests.organizer.test_new_task import copy_repository, run_command
from tests.rescoring import rows

LABELS = ("run", "jump", "swim")


def annotated(rng):
    """Return the ground truth of 40 videos."""
    truth = {}
    for number in range(40):
        starts = [rng.uniform(0, 90) for _ in range(rng.randint(1, 4))]
        truth[f"video_{number:02d}"] = [
            {"label": rng.choice(LABELS), "segment": [round(start, 2), round(start + rng.uniform(2, 20), 2)]}
            for start in starts
        ]
    return truth


def predicted(truth, rng, noise):
    """Return predictions that are worse with more noise."""
    results = {}
    for video, segments in truth.items():
        results[video] = [
            {
                "label": rng.choice(LABELS) if rng.random() < noise else segment["label"],
                "segment": [round(end + rng.gauss(0, 4 * noise), 3) for end in segment["segment"]],
                "score": round(rng.random(), 6),
            }
            for segment in segments
        ]
        results[video] = [row for row in results[video] if row["segment"][0] < row["segment"][1]]
    return results


@pytest.mark.slow
def test_a_published_challenge_needs_no_python_and_ranks_as_its_own_script(tmp_path):
    folder = copy_repository(tmp_path / "copy")
    rng = random.Random(1)
    truth = annotated(rng)
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    teams = {f"team{number}": predicted(truth, rng, 0.12 * number) for number in range(1, 6)}
    (tmp_path / "prediction.json").write_text(json.dumps(teams["team1"]), encoding="utf-8")
    run_command(folder, "new-task", "actions", "--metric", "detection_ap", "--labels", " ".join(LABELS))
    words = [
        "--truth",
        str(tmp_path / "labels" / "truth.json"),
        "--prediction",
        str(tmp_path / "prediction.json"),
    ]
    script = str(ROOT / "tests" / "wrapped" / "eval_detection.py")
    words += ["--evaluator", script, "--score", "Average-mAP", "--needs", "scipy"]
    run_command(folder, "new-task", "wrapped", *words)
    rankings = {}
    for task_id in ("actions", "wrapped"):
        reference = str(tmp_path / "refs" / task_id)
        run_command(folder, "prepare", task_id, "--source", str(tmp_path / "labels"), "--output", reference)
        submissions = tmp_path / task_id
        submissions.mkdir()
        for team, results in teams.items():
            content = {"results": results} if task_id == "actions" else results
            data = zip_bytes({f"{task_id}.json": json.dumps(content).encode()})
            (submissions / f"{team}.zip").write_bytes(data)
        (folder / "competition.yaml").write_bytes((ROOT / "competition.yaml").read_bytes())
        run_command(folder, "start", task_id, "--title", "Actions", "--replace")
        run_command(folder, "bundle", "--reference", str(tmp_path / "refs"))
        assert ": 0 errors" in run_command(folder, "lint", f"dist/{task_id}.zip")
        dry = ("dry-run", task_id, str(submissions / "team1.zip"), "--reference", reference)
        assert "leaderboard row" in run_command(folder, *dry)
        output = tmp_path / "rank" / task_id
        run_command(
            folder, "rescore", task_id, str(submissions), "--reference", reference, "--output", str(output)
        )
        rankings[task_id] = rows(output / "ranking.csv", "team")
    run_command(folder, "baselines", "actions", "--reference", str(tmp_path / "refs"))
    actions, wrapped = rankings["actions"], rankings["wrapped"]
    assert list(actions) == list(wrapped) == sorted(teams)
    for team in teams:
        assert float(actions[team]["score"]) == pytest.approx(float(wrapped[team]["score"]), abs=1e-9)
