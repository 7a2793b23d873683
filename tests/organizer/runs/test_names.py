"""The table of names: its forms, and wrong lines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from organizer.runs.submissions import SubmissionsError, find_submissions, read_names
from tests.helpers import ROOT, make_zip
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
        "submission\tteam\tdate\n1.zip\tÄrzte\t2024-05-31T10:30\n",
        'date,team,submission,note\n2024-05-31 10:30,"Ärzte",1.zip,x\n',
    ],
)
def test_a_submission_has_a_team_and_a_date(tmp_path, text, encoding):
    found = read_names(written(tmp_path, text, encoding), USERS)
    assert [(name, row["team"], row["date"]) for name, row in found.items()] == [
        ("1.zip", "Ärzte", "2024-05-31T10:30")
    ]


def test_a_table_says_what_counts_and_more_of_a_team(tmp_path):
    first, second = (f"{number}_ann_PhaseId3_2024-05-01_x.zip" for number in (1, 2))
    folder = write_submissions(tmp_path / "in", {first: b"one", second: b"another"})
    table = written(tmp_path, f"submission,counts,method\n{first},Yes,A CNN\n{second},no,\n")
    with find_submissions(folder, table) as found:
        assert [(own.team, own.counts, own.facts) for own in found] == [
            ("ann", "yes", {"method": "A CNN"}),
            ("ann", "no", {"method": ""}),
        ]


@pytest.mark.parametrize("header", ["user,counts", "user,date"])
def test_a_user_may_have_a_line_without_a_team(tmp_path, header):
    table = written(tmp_path, f"{header}\nann,\n")
    assert list(read_names(table, USERS)) == ["1.zip", "2.zip"]


def test_the_nearest_user_of_a_wrong_one_is_named(tmp_path, capsys):
    read_names(written(tmp_path, "user,team\nANN,A\n"), USERS)
    assert "'ann'" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_team_may_have_several_users_with_several_submissions(tmp_path, capsys, monkeypatch, encoding):
    # Long paths are shortened in messages.
    monkeypatch.chdir(tmp_path)
    table = written(Path(), 'user;team\nann;"A; B"\nböb;"A; B"\neve;C\n', encoding)
    found = read_names(table, USERS)
    assert {name: row["team"] for name, row in found.items()} == dict.fromkeys(USERS, "A; B")
    (note,) = capsys.readouterr().out.splitlines()
    assert note.startswith(f"note | {table}: ")
    assert note.endswith(" 'eve'")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("9.zip,A,", "submission '9.zip'"),
        ("2.zip,A,31.05.2024", "date '31.05.2024'"),
        ("2.zip,A,2024-13-01", "date '2024-13-01'"),
        ("2.zip,A,2024-05-31T24:30", "date '2024-05-31T24:30'"),
        ("2.zip,A,2024-05-31T10:61:00.5", "date '2024-05-31T10:61:00.5'"),
        ("2.zip,A,2024-05-31T10:30+02:00", "date '2024-05-31T10:30+02:00'"),
        ("2.zip,A,2024-05-31 or so", "date '2024-05-31 or so'"),
        ("2.zip,A,2024-05-31,yes,no", "more cells"),
        ("2.zip,A,2024-05-31,maybe", "counts is 'maybe'"),
        ("1.zip,A,", "submission '1.zip'"),
        ("2,A,", "called '2.zip'"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, value):
    table = written(tmp_path, f"submission,team,date,counts\n1.zip,A\n{line}\n")
    with pytest.raises(SubmissionsError) as error:
        read_names(table, USERS)
    first, problem = error.value.args
    assert first.startswith(f"{table}: 1 ")
    assert problem.startswith("line 3: ")
    assert value in problem


def test_all_wrong_lines_are_counted_and_the_first_ten_named(tmp_path):
    table = written(tmp_path, "user,team\n" + "ann,\n" * 12)
    with pytest.raises(SubmissionsError) as error:
        read_names(table, USERS)
    first, *lines, more = error.value.args
    assert first.startswith(f"{table}: 12 ")
    assert [line.partition(":")[0] for line in lines] == [f"line {number}" for number in range(2, 12)]
    assert " 2 " in more


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name,team\n",
        "user\nann\n",
        "user,submission,team\n",
        'user,team\n"a\n',
        "user,team,team\nann,A,B\n",
        "user,team,rank,Rank\nann,A,1,2\n",
    ],
)
def test_another_header_is_refused(tmp_path, text):
    with pytest.raises(SubmissionsError, match=r"names\.csv: .*submission,team,date or user,team"):
        read_names(written(tmp_path, text), USERS)


@pytest.mark.parametrize(
    ("data", "name"),
    [(make_zip({"[Content_Types].xml": ""}), "Excel"), ("user,team\n".encode("utf-16"), "UTF-16")],
)
def test_a_table_that_is_no_csv_is_named(tmp_path, data, name):
    (tmp_path / "names.csv").write_bytes(data)
    with pytest.raises(SubmissionsError, match=rf"names\.csv: .*{name}"):
        read_names(tmp_path / "names.csv", USERS)


def test_a_missing_table_is_refused(tmp_path):
    with pytest.raises(SubmissionsError, match=r"none\.csv: .*No such file"):
        read_names(tmp_path / "none.csv", USERS)


FIRST, SECOND = (f"{number}_ann_PhaseId3_2026-01-10_12-30_x.zip" for number in (1000, 1001))
AMBIGUOUS = "1002_bob_PhaseId3_y_PhaseId3_2026-01-11_12-30_x.zip"


@pytest.mark.parametrize(
    "text",
    [
        "ID,Filename,Owner,Created When,Status,Phase,Task,Score,On Leaderboard\n"
        "1000,x.zip,ann,2026-01-10T12:30:11.398404Z,Finished,Main,G,0.8932,True\n"
        "1001,x.zip,ann,2026-01-10T09:00:00Z,Finished,Main,G,0.5,False\n"
        "1002,x.zip,bob,2026-01-11T12:30:11Z,Finished,Main,G,0.5,False\n"
        "1003,x.zip,eve,2026-01-11T12:30:11Z,Failed,Main,G,,False\n",
        "\ufeffphase;owner;id;created_when\r\n"
        "Main;ann;1000;2026-01-10 12:30:11.398404+00:00\r\n"
        "Main;ann;1001;2026-01-10 09:00:00+00:00\r\n"
        "Main;bob;1002;2026-01-11 12:30:11+00:00\r\n"
        "Main;eve;1003;2026-01-11 12:30:11+00:00\r\n",
    ],
)
def test_table_of_submissions_of_the_site_says_who_made_each_and_when(tmp_path, capsys, text):
    folder = write_submissions(tmp_path / "in", {FIRST: b"one", SECOND: b"two", AMBIGUOUS: b"three"})
    with find_submissions(folder, written(tmp_path, text)) as submissions:
        found = [(one.name, one.user, one.team, one.date, one.facts) for one in submissions]
    assert found == [
        (FIRST, "ann", "ann", "2026-01-10T12:30:11.398404", {}),
        (SECOND, "ann", "ann", "2026-01-10T09:00:00", {}),
        (AMBIGUOUS, "bob", "bob", "2026-01-11T12:30:11", {}),
    ]
    (note,) = capsys.readouterr().out.splitlines()
    assert "1 line" in note


def test_table_of_the_site_may_have_columns_of_teams_and_of_what_counts(tmp_path):
    folder = write_submissions(tmp_path / "in", {FIRST: b"one", SECOND: b"two"})
    text = "ID,Created When,Team,Counts\n1000,2026-01-10T12:30:11Z,A,yes\n1001,2026-01-10T09:00Z,,no\n"
    with find_submissions(folder, written(tmp_path, text)) as submissions:
        assert [(one.team, one.counts) for one in submissions] == [("A", "yes"), ("ann", "no")]


@pytest.mark.parametrize(
    ("line", "value"), [("1000,2026-01-12T12:30Z", "line before"), ("1001,yesterday", "yesterday")]
)
def test_wrong_line_of_the_table_of_the_site_is_named(tmp_path, line, value):
    users = {FIRST: "ann", SECOND: "ann"}
    table = written(tmp_path, f"id,created when\n1000,2026-01-10T12:30Z\n{line}\n")
    with pytest.raises(SubmissionsError) as error:
        read_names(table, users)
    assert value in error.value.args[1]


_TEAMS = """
import sys
from pathlib import Path
from organizer.runs.submissions import find_submissions
with find_submissions(Path(sys.argv[1]), Path(sys.argv[2])) as submissions:
    print(ascii([submission.team for submission in submissions]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("locale", [{"PYTHONUTF8": "1"}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_names_of_files_are_read_as_utf_8_in_any_locale(tmp_path, locale):
    folder = write_submissions(tmp_path / "in", {"ann.zip": b"one", "böb.zip": b"two", "zoë/a.zip": b"three"})
    table = written(tmp_path, "submission,team\nböb.zip,Böb\n")
    command = [sys.executable, "-c", _TEAMS, str(folder), str(table)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "LC_ALL": "C", **locale},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{['ann', 'Böb', 'zoë']!a}\n"
