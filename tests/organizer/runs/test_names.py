"""The table of names: its forms, and wrong lines."""

from __future__ import annotations

import pytest

from organizer.runs.submissions import SubmissionsError, find_submissions, read_names
from tests.rescoring import write_submissions

USERS = {"1.zip": "ann", "2.zip": "ann", "3.zip": "böb"}


def written(tmp_path, text, encoding="utf-8"):
    table = tmp_path / "names.csv"
    table.write_bytes(text.encode(encoding))
    return table


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize(
    "text",
    [
        "submission,team,date\n1.zip,Ärzte,2024-05-31T10:30\n",
        "Submission;Team;Date\r\n1.zip; Ärzte ;2024-05-31T10:30Z\r\n\r\n",
        'date,team,submission,note\n2024-05-31 10:30,"Ärzte",1.zip,x\n',
    ],
)
def test_a_submission_has_a_team_and_a_date(tmp_path, text, encoding):
    found = read_names(written(tmp_path, text, encoding), USERS)
    assert [(name, row["team"], row["date"]) for name, row in found.items()] == [
        ("1.zip", "Ärzte", "2024-05-31T10:30")
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_team_may_have_several_users_with_several_submissions(tmp_path, capsys, encoding):
    table = written(tmp_path, 'user;team\nann;"A; B"\nböb;"A; B"\neve;C\n', encoding)
    found = read_names(table, USERS)
    assert {name: row["team"] for name, row in found.items()} == dict.fromkeys(USERS, "A; B")
    assert "note | " in (said := capsys.readouterr().out)
    assert said.endswith("there is no submission of the user 'eve'\n")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("9.zip,A,", "there is no submission '9.zip'"),
        ("2.zip,A,31.05.2024", "the date '31.05.2024' is not written as 2024-05-31"),
        ("2.zip,A,2024-13-01", "the date '2024-13-01' is not written as 2024-05-31"),
        ("2.zip,A,2024-05-31T10:30+02:00", "the date '2024-05-31T10:30+02:00' is not"),
        ("2.zip,A,2024-05-31 or so", "the date '2024-05-31 or so' is not written as 2024-05-31"),
        ("2.zip,A, B,2024-05-31", "it has more cells than the header"),
        ("1.zip,A,", "the submission '1.zip' has a line before"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, problem):
    table = written(tmp_path, f"submission,team,date\n1.zip,A\n{line}\n")
    with pytest.raises(SubmissionsError) as error:
        read_names(table, USERS)
    assert error.value.args[0] == f"{table}: 1 wrong line:"
    assert error.value.args[1].startswith(f"line 3: {problem}")


def test_all_wrong_lines_are_counted_and_the_first_ten_named(tmp_path):
    table = written(tmp_path, "user,team\n" + "ann,\n" * 12)
    with pytest.raises(SubmissionsError) as error:
        read_names(table, USERS)
    first, *lines, more = error.value.args
    assert first.endswith(": 12 wrong lines:")
    assert [line.partition(":")[0] for line in lines] == [f"line {number}" for number in range(2, 12)]
    assert more == "and 2 more"


@pytest.mark.parametrize(
    "text", ["", "name,team\n", "user\nann\n", "user,submission,team\n", 'user,team\n"a\n']
)
def test_another_header_is_refused(tmp_path, text):
    with pytest.raises(
        SubmissionsError, match="write a CSV with the header submission,team,date or user,team"
    ):
        read_names(written(tmp_path, text), USERS)


def test_a_missing_table_is_refused(tmp_path):
    with pytest.raises(SubmissionsError, match=r"cannot be read [(]No such file"):
        read_names(tmp_path / "none.csv", USERS)


def test_a_user_whose_name_is_ambiguous_needs_a_line_of_the_submission(tmp_path):
    name = "9_ann_PhaseId3_2024-05-01_bob_PhaseId3_x.zip"
    folder = write_submissions(tmp_path / "in", {name: b""})
    table = written(tmp_path, "user,team\nann,A\n")
    with (
        pytest.raises(SubmissionsError, match="give the team of this submission"),
        find_submissions(folder, table),
    ):
        pass
