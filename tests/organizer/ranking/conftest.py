"""Settings of the tests of rankings, and a ranking with all that there may be in one."""

from __future__ import annotations

import datetime

import pytest

from organizer.bundle.programs import build_program
from organizer.runs import built
from organizer.runs.phase import Phase
from organizer.runs.worker import BuiltTask
from tests.helpers import make_zip
from tests.rescoring import ID, REFERENCE, call, sample, varied, write_submissions

PHASE = Phase("Final phase", datetime.datetime(2027, 1, 1), datetime.datetime(2027, 1, 31), per_day=1)
FILES = {
    "1_ann_PhaseId4_2027-01-02_a.zip": sample("weak"),
    "2_bob_PhaseId4_2027-01-02_a.zip": varied(10),
    "3_ann_PhaseId4_2027-02-01_a.zip": sample(),
    "4_bob_PhaseId4_2027-01-02_b.zip": varied(20),
    "5_eve_PhaseId4_2027-01-02_b.zip": b"no zip",
    "6_an\xadn_PhaseId4_2027-01-03_b.zip": varied(10),
    "7_zoe_PhaseId4_2027-01-03_b.zip": sample("weak"),
}


@pytest.fixture(scope="session")
def everything(tmp_path_factory):
    """Return the folder of a ranking with all that there may be in one."""
    folder = tmp_path_factory.mktemp("stored")
    submissions = write_submissions(folder / "in", FILES)
    (folder / "gvd.zip").write_bytes(make_zip(sample("weak")))
    (folder / "board.csv").write_text("User,Score\nann,0.5\nbob,0.7\nmax,1\n")
    (folder / "names.csv").write_text("user,team,counts,country\nann,Ann,,NL\nbob,Bob,no,\nzoe,Zoe,,\n")
    (folder / "baselines.json").write_text('[{"name": "random", "score": 0.1, "interval": [0.05, 0.15]}]')
    options = [
        *("--names", folder / "names.csv", "--baselines", folder / "baselines.json", "--date", "2027-03-01"),
        *("--leaderboard", folder / "board.csv", "--columns", "User,Score", "--enforce"),
        *("--beats", "GVD", "--by", "10%", "--baseline-zip", f"GVD={folder / 'gvd.zip'}"),
    ]
    task = BuiltTask(ID, build_program(ID), REFERENCE, 600.0, "Us", "Our task", "refs_2", phase=PHASE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(built, "built_task", lambda *arguments: task)
        assert call(submissions, folder / "out", *options) == 0
        (submissions / "7_zoe_PhaseId4_2027-01-03_b.zip").unlink()
        assert call(submissions, folder / "out", *options) == 0
    return folder / "out"
