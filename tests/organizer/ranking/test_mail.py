"""The draft of the mail on what changed: items, teams, ranks before and after, and nobody else's name."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest

from organizer.__main__ import main
from tests.rescoring import ID, REFERENCE, call, rows, sample, varied, write_submissions

TEAMS = {"Avocet": varied(40), "Bittern": sample("weak"), "Curlew": sample()}


def reported(folder):
    assert main(["report", ID, "--ranking", str(folder / "out"), "--output", str(folder / "report")]) == 0
    return folder / "report"


def corrected(reference):
    """Let the labels of one sequence be what the worst team has predicted."""
    (name, *_) = (name for name in sample("weak") if name.endswith("_prediction.csv"))
    labels = reference / name.replace("prediction", "labels")
    labels.write_bytes(sample("weak")[name])


@pytest.mark.slow
def test_after_a_correction_there_is_a_draft_of_a_mail(tmp_path):
    reference = shutil.copytree(REFERENCE, tmp_path / "reference" / ID)
    submissions = write_submissions(
        tmp_path / "in", {f"{team}/a.zip": files for team, files in TEAMS.items()}
    )
    assert call(submissions, tmp_path / "out", reference=reference) == 0
    folder = reported(tmp_path)
    assert not (folder / "mail.txt").exists()
    before = rows(folder / "teams.csv", "team")
    assert {row["rank_before"] for row in before.values()} == {""}
    signature = json.loads((folder / "facts.json").read_text(encoding="utf-8"))["signature"]
    corrected(reference)
    # The same run again has the same changes.
    for _ in range(2):
        assert call(submissions, tmp_path / "out", reference=reference) == 0
        folder = reported(tmp_path)
        mail = (folder / "mail.txt").read_text(encoding="utf-8")
        assert " 1 of 12 sequences " in mail
        assert " 3 of 3 teams have another score" in mail
        assert f"\nThe ranking before: counts: best; signature: {signature}\n" in mail
        assert not any(team in mail for team in TEAMS)
        teams = rows(folder / "teams.csv", "team")
        for team, row in teams.items():
            assert (row["rank_before"], row["score_before"]) == (before[team]["rank"], before[team]["score"])
        mails = [mail.format(**row) for row in teams.values()]
        assert len(set(mails)) == len(TEAMS)
    (submissions / "Avocet" / "a.zip").unlink()
    assert call(submissions, tmp_path / "out", reference=reference) == 0
    assert not (reported(tmp_path) / "mail.txt").exists()


@pytest.mark.slow
def test_items_are_counted_by_the_results_of_the_last_run_that_can_be_read_and_the_mail_tells_which(tmp_path):
    reference = shutil.copytree(REFERENCE, tmp_path / "reference" / ID)
    submissions = write_submissions(
        tmp_path / "in", {f"{team}/a.zip": files for team, files in TEAMS.items()}
    )
    assert call(submissions, tmp_path / "out", "--counts", "last", "--enforce", reference=reference) == 0
    digest = hashlib.sha256((submissions / "Avocet" / "a.zip").read_bytes()).hexdigest()
    (entry,) = (tmp_path / "out" / "store").glob(f"*/{digest}.json")
    entry.write_text("")
    corrected(reference)
    assert call(submissions, tmp_path / "out", reference=reference) == 0
    mail = (reported(tmp_path) / "mail.txt").read_text(encoding="utf-8")
    assert " 1 of 12 sequences " in mail
    assert "\nThe ranking before: counts: last, enforced; signature: " in mail
    assert "\nThis ranking: counts: best; signature: " in mail
