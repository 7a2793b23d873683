"""Names of submissions: their order, and whose they are."""

from __future__ import annotations

import random

import pytest

from organizer.runs.submissions import SubmissionsError, find_submissions, natural
from tests.rescoring import write_submissions

HOSTILE = ["v1².zip", "①.zip", "٣.zip", "1" * 5000 + ".zip", "a" + "0" * 5000 + ".zip"]


def test_numbers_in_names_are_in_the_order_of_their_values():
    names = ["1.zip", "2.zip", "02.zip", "10.zip", "10a2.zip", "10a10.zip", "a9b.zip", "a0010b.zip", "a.zip"]
    shuffled = names[:]
    random.Random(3).shuffle(shuffled)
    assert sorted(shuffled, key=natural) == sorted(names, key=natural)
    assert [name for name in sorted(shuffled, key=natural) if name != "02.zip"] == [
        name for name in names if name != "02.zip"
    ]


@pytest.mark.parametrize("name", HOSTILE)
def test_other_digits_and_long_numbers_are_names_too(name):
    assert sorted([name, "2.zip", "10.zip"], key=natural).index("2.zip") < 2


def test_user_is_ambiguous_if_a_phase_is_named_twice(tmp_path):
    name = "9_ann_PhaseId3_2024-05-01_bob_PhaseId3_x.zip"
    folder = write_submissions(tmp_path / "in", {name: b"", "10_eve_PhaseId3_2024-05-01_x.zip": b""})
    with (
        pytest.raises(SubmissionsError, match=r"its user is ambiguous.*with --names"),
        find_submissions(folder),
    ):
        pass
    table = tmp_path / "names.csv"
    table.write_text(f"submission,team,date\n{name},ann_PhaseId3,\n")
    with find_submissions(folder, table) as found:
        assert {own.name: own.team for own in found}[name] == "ann_PhaseId3"
