"""Names of submissions: their order, and whose they are."""

from __future__ import annotations

import random
import re
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.files import folder_files, zip_files
from organizer.runs.submissions import (
    Submission,
    SubmissionsError,
    find_submissions,
    natural,
    other_task,
    tell_apart,
)
from tests.helpers import SAMPLES, make_zip
from tests.rescoring import ID, write_submissions
from validator.formats.rules import load_rules
from validator.texts import is_printable

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


@pytest.mark.parametrize(
    ("name", "user"),
    [
        # A user and a file who hold the mark of a phase, this one or another, with a date or without.
        ("7_zoe_PhaseId9_z_PhaseId3_2024-05-01_x.zip", "zoe_PhaseId9_z"),
        ("7_zoe_PhaseId3_PhaseId3_2024-05-01_x.zip", "zoe_PhaseId3"),
        ("7_zoe_PhaseId9_2024-01-01_z_PhaseId3_2024-05-01_x.zip", "zoe_PhaseId9_2024-01-01_z"),
        ("7_zoe_PhaseId3_2024-05-01_bob_PhaseId3_x.zip", "zoe"),
        ("7_zoe_PhaseId3_2024-05-01_PhaseId8_2024-05-01_.zip", "zoe"),
    ],
)
def test_mark_of_a_phase_in_the_name_of_a_user_or_a_file_stops_nothing(tmp_path, capsys, name, user):
    others = [f"{number}_eve_PhaseId3_2024-05-01_x{number}.zip" for number in (10, 11)]
    folder = write_submissions(tmp_path / "in", dict.fromkeys([name, *others], b""))
    with find_submissions(folder) as submissions:
        teams = {submission.name: submission.team for submission in submissions}
        assert teams == {name: user, **dict.fromkeys(others, "eve")}
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("warning")]
    assert all(word in line for word in (name, user, "--names"))
    with find_submissions(folder, only_phase="3") as submissions:
        assert len(submissions) == 3
    capsys.readouterr()
    table = tmp_path / "names.csv"
    table.write_text(f"submission,team,date\n{name},Team Z,\n")
    with find_submissions(folder, table) as submissions:
        assert {submission.name: submission.team for submission in submissions}[name] == "Team Z"
    assert "warning" not in capsys.readouterr().out


# Submissions with their teams, other files beside them, and what is said of these.
READ = {
    "marks of phases in the folders of teams": (
        {"ann/1_x_PhaseId3_2024-05-01_y.zip": "ann", "bob/2_x_PhaseId9_2024-05-01_y.zip": "bob"}, [], ""),
    "equal files in the folder of a team": (
        {"team/9_ann_PhaseId3_2024-05-01_x.zip": "team", "team/10_ann_PhaseId3_2024-05-01_x.zip": "team"}, [], ""),
    "a file beside a folder of its name": ({"a/1.zip": "a", "a.zip": "a.zip", "b.zip": "b"}, [], ""),
    "results": (
        {"9_ann_PhaseId3_2024-05-01_x.zip": "ann", "res_team.zip": "res_team", "output.zip": "output"},
        ["res_9_ann_PhaseId3_2024-05-01_x.zip", "res_10_ann_PhaseId3_2024-05-01_x.zip"], "2 zips"),
    "other packing programs": (
        {"a.zip": "a"}, ["bob.rar", "cyd.tar.gz", "Thumbs.db", "._dan.rar"], "2 files: bob.rar, cyd.tar.gz"),
}  # fmt: skip


@pytest.mark.parametrize(("teams", "others", "note"), READ.values(), ids=READ)
def test_what_is_a_submission_has_a_team(tmp_path, capsys, teams, others, note):
    folder = write_submissions(tmp_path / "in", dict.fromkeys([*teams, *others], b""))
    with find_submissions(folder) as submissions:
        assert {submission.name: submission.team for submission in submissions} == teams
    printed = capsys.readouterr().out
    assert note in printed
    assert bool(note) == bool(printed)


def test_where_no_name_holds_a_phase_none_can_be_asked_for(tmp_path):
    folder = write_submissions(tmp_path / "in", {"zoe.zip": b""})
    with pytest.raises(SubmissionsError) as caught, find_submissions(folder, only_phase="9"):
        pass
    assert any("no name holds a PhaseId" in text for text in caught.value.args[1:])


def test_what_has_no_phase_in_its_name_is_named_where_a_phase_is_asked_for(tmp_path, capsys):
    names = ["7_zoe_PhaseId3_2024-05-01_x.zip", "8_zoe_PhaseId4_2024-05-01_x.zip", "by_mail.zip"]
    folder = write_submissions(tmp_path / "in", dict.fromkeys(names, b""))
    with find_submissions(folder, only_phase="3") as submissions:
        assert [submission.name for submission in submissions] == names[:1]
    other_phase, no_phase = capsys.readouterr().out.splitlines()
    assert "1 zip" in other_phase
    assert "by_mail.zip" in no_phase


# With invisible characters, in full width, with a Cyrillic, a Greek and a Turkish letter, in capitals.
ALIKE = ["alice", "al\xadice", "alice\u200b", "\uff41lice", "al\u0456ce", "\u0391lice", "al\u0131ce", "ALICE"]
AS_SHOWN = [
    "alice",
    r"al\xadice",
    r"alice\u200b",
    r"\uff41lice",
    r"al\u0456ce",
    r"\u0391lice",
    r"al\u0131ce",
    "ALICE",
]


def test_names_that_look_equal_are_teams_with_their_code_points(tmp_path, capsys):
    members = {f"{n}_{name}_PhaseId3_2024-05-01_x.zip": b"" for n, name in enumerate([*ALIKE, "Zo\xeb"])}
    path = download(tmp_path / "all.zip", members)
    with find_submissions(path) as submissions:
        assert [submission.team for submission in submissions] == [*AS_SHOWN, "Zo\xeb"]
        assert {len(submission.other_looks) for submission in submissions} == {len(ALIKE) - 1, 0}
    out = capsys.readouterr().out
    assert out.startswith("warning | ")
    assert all(name in out for name in AS_SHOWN)
    assert "Zo" not in out
    table = tmp_path / "names.csv"
    table.write_text("\n".join(["user,team", *(f"{name},A" for name in AS_SHOWN)]))
    with find_submissions(path, table) as submissions:
        assert {submission.team for submission in submissions} == {"A", "Zo\xeb"}
    assert "warning" not in capsys.readouterr().out


def test_no_name_is_shown_as_another_one(tmp_path, capsys):
    names = ["Zo\xeb", "zo\xeb", r"Zo\xeb", "an\xadn", r"an\xadn", "plain"]
    rows = [f"{n}.zip,{name}" for n, name in enumerate(names)]
    (tmp_path / "names.csv").write_text("\n".join(["submission,team", *rows]), encoding="utf-8")
    path = download(tmp_path / "all.zip", {f"{n}.zip": b"" for n in range(len(names))})
    with find_submissions(path, tmp_path / "names.csv") as submissions:
        teams = [submission.team for submission in submissions]
    assert teams == [r"Zo\xeb", r"zo\xeb", r"Zo\\xeb", r"an\xadn", r"an\\xadn", "plain"]


@given(names=st.lists(st.text("aAé\\x9eb\xad\u200b", max_size=8), min_size=2, unique=True))
def test_different_names_are_shown_differently(names):
    submissions = [Submission(f"{n}.zip", name, "", Path()) for n, name in enumerate(names)]
    shown = [submission.team for submission in tell_apart(submissions)]
    assert len(set(shown)) == len(names)
    assert all(is_printable(name) for name in shown)


def download(path, members):
    """Write Codabench's download of all submissions."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


REST = "ann_PhaseId3_2024-05-01_submission.zip"
THREE = {f"9_{REST}": b"first", f"10_{REST}": b"second", f"11_{REST}": b"third"}
IN_ANOTHER_ORDER = {f"12_{REST}": b"third", f"13_{REST}": b"first", f"14_{REST}": b"second"}


def test_reruns_in_another_order_are_the_submissions_with_the_smallest_ids(tmp_path, capsys):
    reruns = {
        **IN_ANOTHER_ORDER,
        f"15_{REST}": b"third",
        "16_bob_PhaseId3_2024-05-01_submission.zip": b"third",
    }
    for name, members in (("a", {**THREE, **reruns}), ("b", {**reruns, **THREE})):
        with find_submissions(download(tmp_path / name, members)) as found:
            assert [(own.name, own.read()) for own in found] == [
                *THREE.items(),
                ("16_bob_PhaseId3_2024-05-01_submission.zip", b"third"),
            ]
        out = capsys.readouterr().out
        assert "note | 4 reruns " in out
        assert re.search("^warning [|] .* ann: .*--names", out, re.MULTILINE)
        assert "bob" not in out


@pytest.mark.parametrize(
    "others",
    [
        {"12_ann_PhaseId3_2024-05-02_submission.zip": b"first"},
        {"12_ann_PhaseId3_2024-05-01_other.zip": b"first"},
        {"12_bob_PhaseId3_2024-05-01_submission.zip": b"first"},
        {f"12_{REST}": b"fourth"},
    ],
)
def test_other_dates_files_users_and_bytes_are_other_submissions(tmp_path, capsys, others):
    with find_submissions(download(tmp_path / "all.zip", {**THREE, **others})) as found:
        assert len(found) == 4
    assert capsys.readouterr().out == ""


OF_ANOTHER_PHASE = {"12_ann_PhaseId40_2024-05-01_submission.zip": b"first"}


def test_several_phases_are_refused_until_one_is_named(tmp_path, capsys):
    path = download(tmp_path / "all.zip", {**THREE, **OF_ANOTHER_PHASE})
    with pytest.raises(SubmissionsError, match="--only-phase-id") as error, find_submissions(path):
        pass
    remedy, *counts = error.value.args
    assert [line.split(",")[0].split() for line in counts] == [
        ["PhaseId", "3:", "3", "submissions"],
        ["PhaseId", "40:", "1", "submission"],
    ]
    # Which of them is meant is not known.
    assert not any(phase in remedy for phase in ("3", "40"))
    with find_submissions(path, only_phase="40") as found:
        assert [(own.name, own.user, own.id) for own in found] == [(*OF_ANOTHER_PHASE, "ann", 12)]
    assert "note | " in capsys.readouterr().out
    with find_submissions(path, only_phase="3") as found:
        assert [own.name for own in found] == [*THREE]
    with pytest.raises(SubmissionsError) as error, find_submissions(path, only_phase="4"):
        pass
    assert [line.split(":")[0].strip() for line in error.value.args[1:]] == ["PhaseId 3", "PhaseId 40"]


def test_dates_in_names_end_the_warning_about_the_order_of_ids(tmp_path, capsys):
    table = tmp_path / "names.csv"
    rows = (f"{name},,2024-05-01T{hour}:00" for name, hour in zip(THREE, (12, 11, 10)))
    table.write_text("\n".join(["submission,team,date", *rows]))
    with find_submissions(download(tmp_path / "all.zip", {**THREE, **IN_ANOTHER_ORDER}), table) as found:
        assert [own.date[11:13] for own in found] == ["12", "11", "10"]
    assert "warning | " not in capsys.readouterr().out


def test_hidden_zips_and_symbolic_links_are_left_out_and_named(tmp_path, capsys):
    elsewhere = write_submissions(tmp_path / "elsewhere", {"secret.zip": b"", "team/1.zip": b""})
    names = ["ann/1.zip", ".bob.zip", "ann/.2.zip", ".cyd/1.zip", "__MACOSX/ann/1.zip"]
    folder = write_submissions(tmp_path / "in", dict.fromkeys(names, b""))
    (folder / "ann" / "notes.txt").symlink_to(elsewhere / "secret.zip")
    (folder / "ann" / "link.zip").symlink_to(elsewhere / "secret.zip")
    (folder / "broken.zip").symlink_to(elsewhere / "nothing.zip")
    (folder / "linked").symlink_to(elsewhere / "team")
    with find_submissions(folder) as found:
        assert [submission.name for submission in found] == ["ann/1.zip"]
    links, hidden = capsys.readouterr().out.splitlines()
    assert "3 zips or folders" in links
    assert all(name in links for name in ("ann/link.zip", "broken.zip", "linked"))
    assert "4 zips" in hidden
    assert ".bob.zip" in hidden


def test_a_folder_of_hidden_zips_alone_is_explained(tmp_path, capsys):
    folder = write_submissions(tmp_path / "in", {".1.zip": b""})
    with pytest.raises(SubmissionsError, match="no zip file"), find_submissions(folder):
        pass
    assert ".1.zip" in capsys.readouterr().out


CLASSIC = {
    "team_names_and_members.txt": b"Team: Blue; members: bob\nTeam: Red - 9 x; members: dan, eve\n",
    "anna - 1 submission.zip": b"a",
    "anna - 1 output.zip": b"scores",
    "anna - 1 profile.txt": b"{}",
    "anna - 12 submission.zip": b"a",
    "Team Blue  - 2 submission.zip": b"b",
    "Team Blue  - 2 output.zip": b"scores",
    "Team Red - 9 x  - 3 submission.zip": b"c",
}


def test_download_of_a_leaderboard_of_classic_codalab_is_read(tmp_path, capsys):
    with find_submissions(download(tmp_path / "all.zip", CLASSIC)) as submissions:
        assert [(one.team, one.user, one.id, one.read()) for one in submissions] == [
            ("Blue", "bob", 2, b"b"),
            ("Red - 9 x", "", 3, b"c"),
            ("anna", "anna", 1, b"a"),
            ("anna", "anna", 12, b"a"),
        ]
    (note,) = capsys.readouterr().out.splitlines()
    assert "2 zips" in note


def test_unpacked_submissions_of_classic_codalab_have_their_users(tmp_path):
    names = [f"anna - 1 submission/{GESTURE}", f"Team Blue  - 2 submission/x/{GESTURE}"]
    data_of_name = {**dict.fromkeys(names, b"1"), "anna - 1 output/scores.txt": b"score: 1"}
    folder = write_submissions(tmp_path / "in", data_of_name)
    with find_submissions(folder, rules=load_rules(ID)) as submissions:
        assert [(one.team, one.id) for one in submissions] == [("Blue", 2), ("anna", 1)]


SECOND = "10_bob_PhaseId3_2024-05-02_x.zip"


def test_whole_downloads_in_a_folder_are_read_and_what_they_share_is_there_once(tmp_path, capsys):
    first = {f"9_{REST}": b"ann", f"res_9_{REST}": b"scores", SECOND: b"bob"}
    files = {
        "may.zip": make_zip(first),
        "june.zip": make_zip({SECOND: b"bob", "11_cyd_PhaseId3_2024-06-01_x.zip": b"cyd"}),
        "board.zip": make_zip(CLASSIC),
        "may/9_ann_PhaseId3_2024-05-01_submission.zip": b"ann",
        "dan.zip": b"dan",
    }
    with find_submissions(write_submissions(tmp_path / "in", files)) as submissions:
        found = {(one.team, one.user, one.read()) for one in submissions}
        assert len(submissions) == 8
    assert found == {
        ("ann", "ann", b"ann"),
        ("bob", "bob", b"bob"),
        ("cyd", "cyd", b"cyd"),
        ("dan", "", b"dan"),
        ("anna", "anna", b"a"),
        ("Blue", "bob", b"b"),
        ("Red - 9 x", "", b"c"),
    }
    notes = capsys.readouterr().out
    assert "3 zips: board.zip, june.zip, may.zip" in notes
    assert "1 folder: may" in notes


def test_zip_of_whole_downloads_is_refused_in_one_line(tmp_path):
    path = download(tmp_path / "all.zip", {"may.zip": make_zip(THREE)})
    with pytest.raises(SubmissionsError, match=r"may\.zip.*unpack") as caught, find_submissions(path):
        pass
    assert len(caught.value.args) == 1


@pytest.mark.parametrize("is_download", [False, True])
def test_only_folder_with_several_users_is_the_download_and_no_team(tmp_path, capsys, is_download):
    files = {f"all/9_{REST}": b"ann", f"all/{SECOND}": b"bob", "all/.DS_Store": b"", ".lock": b""}
    path = tmp_path / "in.zip"
    given = download(path, files) if is_download else write_submissions(tmp_path / "in", files)
    with find_submissions(given) as submissions:
        assert [(one.team, one.date) for one in submissions] == [("ann", "2024-05-01"), ("bob", "2024-05-02")]
    assert "all" in capsys.readouterr().out
    more = write_submissions(tmp_path / "more", {**files, "dan/x.zip": b""})
    with find_submissions(more) as submissions:
        assert {one.team for one in submissions} == {"all", "dan"}


def test_baselines_among_submissions_are_named(tmp_path, capsys):
    baseline = {"BASELINE.txt": b"noisy", GESTURE: b"1,2,3\n"}
    files = {
        "a.zip": make_zip(baseline),
        "b.zip": make_zip({GESTURE: b""}),
        "c.zip": b"no zip",
        f"d/{GESTURE}": b"",
    }
    files["d/BASELINE.txt"] = b"noisy"
    with find_submissions(write_submissions(tmp_path / "in", files), rules=load_rules(ID)):
        pass
    (warning,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("warning")]
    assert "2 submissions: a.zip, d" in warning


def test_members_with_equal_names_are_submissions_of_their_own(tmp_path):
    path = tmp_path / "all.zip"
    name = "Team Blue  - 2 submission.zip"
    with zipfile.ZipFile(path, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        for data in (b"first", b"second"):
            archive.writestr(name, data)
    table = tmp_path / "names.csv"
    table.write_text("submission,team\nTeam Blue  - 2 submission (2).zip,Blue of Rome\n")
    with find_submissions(path, table) as submissions:
        assert {one.team: one.read() for one in submissions} == {"Blue": b"first", "Blue of Rome": b"second"}


GESTURE = "S1_prediction.csv"
UNPACKED = {
    "9_ann_PhaseId3_2024-05-01_12-30_x/S1.csv": "ann",
    "9_ann_PhaseId3_2024-05-01_12-30_x/notes/S2.csv": "ann",
    f"bob/{GESTURE}": "bob",
    f"cyd/first/{GESTURE}": "cyd",
    f"cyd/second/{GESTURE}": "cyd",
    f"10_dan_PhaseId3_2024-05-02_12-30_{GESTURE}": "dan",
}
NO_SUBMISSIONS = [
    GESTURE,
    "names.csv",
    "eve/notes.txt",
    f".fay/{GESTURE}",
    f"gus/my/{GESTURE}",
    f"hal/{GESTURE}",
]


@pytest.mark.parametrize("is_download", [False, True])
def test_unpacked_submissions_are_read_as_zips(tmp_path, capsys, is_download):
    zips = ["gus/my.zip", "hal/1.zip"]
    data_of_name = {name: name.encode() for name in [*UNPACKED, *NO_SUBMISSIONS, *zips]}
    source = tmp_path / "in"
    if is_download:
        download(source, data_of_name)
    else:
        write_submissions(source, data_of_name)
    with find_submissions(source, rules=load_rules(ID)) as submissions:
        files = {
            one.name: sorted(zip_files(one.read())) for one in submissions if not one.name.endswith(".zip")
        }
        teams = {one.name: one.team for one in submissions}
    assert files == {
        "9_ann_PhaseId3_2024-05-01_12-30_x": ["S1.csv", "notes/S2.csv"],
        f"10_dan_PhaseId3_2024-05-02_12-30_{GESTURE}": [GESTURE],
        "bob": [GESTURE],
        "cyd/first": [GESTURE],
        "cyd/second": [GESTURE],
    }
    assert {name: teams[name] for name in zips} == {"gus/my.zip": "gus", "hal/1.zip": "hal"}
    assert sorted(teams.values()) == ["ann", "bob", "cyd", "cyd", "dan", "gus", "hal"]
    assert "5 unpacked submissions" in capsys.readouterr().out


def test_single_files_are_submissions_where_the_task_takes_one_of_any_name(tmp_path):
    names = ["ann.json", "bob/1.json", "bob/2.json", "names.csv", "7_cyd_PhaseId3_2024-05-01_12-30_a.json"]
    folder = write_submissions(tmp_path / "in", dict.fromkeys(names, b"[]"))
    with find_submissions(folder, rules=load_rules("densepose")) as submissions:
        found = [(one.team, *zip_files(one.read())) for one in submissions]
    assert found == [("cyd", "a.json"), ("ann", "ann.json"), ("bob", "1.json"), ("bob", "2.json")]
    with (
        pytest.raises(SubmissionsError, match="no zip"),
        find_submissions(folder / "bob", rules=load_rules(ID)),
    ):
        pass


def of_sample(task_id, path, prefix="9_ann_PhaseId3_2024-05-01_"):
    """Return a good sample submission of a task as a member of the download."""
    path.write_bytes(make_zip(folder_files(SAMPLES / task_id / "good")))
    return Submission(f"{prefix}{path.name}", "ann", "", path)


def test_empty_files_of_two_tasks_are_of_no_other_task(tmp_path):
    (tmp_path / "x.zip").write_bytes(make_zip({"S1_prediction.csv": ""}))
    assert other_task(Submission("9_ann_PhaseId3_x.zip", "ann", "", tmp_path / "x.zip"), ID) == ""


def test_task_of_a_file_of_a_team_or_of_unknown_files_is_not_guessed(tmp_path):
    assert other_task(of_sample("kinetics_tps", tmp_path / "x.zip", prefix=""), ID) == ""
    for files in ({"my.json": "{}"}, {"pred_vid_result.json": "{}"}, {"S1_prediction.csv": "x"}):
        (tmp_path / "y.zip").write_bytes(make_zip(files))
        assert other_task(Submission("9_ann_PhaseId3_y.zip", "ann", "", tmp_path / "y.zip"), ID) == ""
    (tmp_path / "y.zip").write_bytes(b"no zip")
    assert other_task(Submission("9_ann_PhaseId3_y.zip", "ann", "", tmp_path / "y.zip"), ID) == ""


def test_a_submission_that_is_too_large_for_this_task_may_be_for_another(tmp_path):
    files = {**folder_files(SAMPLES / "densepose" / "good"), "more.bin": bytes(17_000_000)}
    path = tmp_path / f"9_{REST}"
    path.write_bytes(make_zip(files))
    assert other_task(Submission(path.name, "ann", "", path), "chalearn_gesture") == "densepose"
