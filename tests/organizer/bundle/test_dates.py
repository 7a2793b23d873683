"""Dates of competition.yaml: what the platform takes them for, what they mean, and in which words."""

from __future__ import annotations

import datetime
import re

import pytest

from organizer.__main__ import main
from organizer.bundle.competition import LintReport
from organizer.bundle.dates import AOE, date_lines, find_zone, in_utc, read_date
from organizer.bundle.edit import with_phases_of_parts
from organizer.bundle.source import load_competition
from quality.competition import competition_text
from tests.helpers import make_zip

ON_TIME = "2027-02-01 23:59:00"
# A date, whether it ends a phase, what the platform takes it for, the level of the message, and what to write.
READINGS = [
    ("2027-02-01 23:59", True, ON_TIME, None, []),
    ("2027-02-01 23:59:59", True, "2027-02-01 23:59:59", None, []),
    ("2027-02-01T23:59:00Z", True, ON_TIME, None, []),
    ("2027-02-01 23:59 UTC", True, ON_TIME, None, []),
    ("2027-02-01 23:59:59,5", True, "2027-02-01 23:59:59", None, []),
    ("2027-02-01", False, "2027-02-01 00:00:00", None, []),
    # The zone is dropped; the sign is the ordinary one.
    ("2027-02-01 23:59+09:00", True, ON_TIME, "warning", ["2027-02-01 14:59:00"]),
    ("20270201T2359+0200", True, ON_TIME, "warning", ["2027-02-01 21:59:00"]),
    ("2027-02-01 23:59 UTC-12", True, ON_TIME, "warning", ["2027-02-02 11:59:00"]),
    ("2027-02-01 23:59 GMT +8", True, ON_TIME, "warning", ["2027-02-01 15:59:00"]),
    ("2027-02-01 23:59 UTC+5:30", True, ON_TIME, "warning", ["2027-02-01 18:29:00"]),
    ("2027-02-01 23:59 Z+2", True, ON_TIME, "warning", ["2027-02-01 21:59:00"]),
    ("2027-02-01 23:59 PST", True, ON_TIME, "warning", ["2027-02-02 07:59:00"]),
    ("2027-07-01 23:59 CET", True, "2027-07-01 23:59:00", "warning", ["2027-07-01 22:59:00"]),
    ("2027-02-01 23:59 JST", True, ON_TIME, "warning", ["2027-02-01 14:59:00"]),
    ("2027-02-01 23:59 +0900 (JST)", True, ON_TIME, "warning", ["2027-02-01 14:59:00"]),
    ("2027-02-01 23:59 AOE", True, ON_TIME, "warning", ["2027-02-02 11:59:00"]),
    ("Mon Feb 01 23:59:00 PST 2027", True, ON_TIME, "warning", ["2027-02-02 07:59:00"]),
    # Several zones have the name, or none.
    *((f"2027-02-01 23:59 {name}", True, ON_TIME, "warning", []) for name in ("IST", "CST", "BST", "EST-5", "XYZ")),
    # What the platform refuses.
    ("2027-02-01 23:59 AoE", True, None, "error", ["2027-02-02 11:59:00"]),
    ("2027-02-01 AoE", True, None, "error", ["2027-02-02 11:59:59"]),
    ("1 Feb 2027 AoE", False, None, "error", ["2027-02-01 12:00:00"]),
    ("2027-02-01 23:59 (UTC-12)", True, None, "error", ["2027-02-02 11:59:00"]),
    ("2027-02-01 23:59 Europe/Paris", True, None, "error", ["2027-02-01 22:59:00"]),
    ("2027-07-01 23:59 America/New_York", True, None, "error", ["2027-07-02 03:59:00"]),
    ("2027-02-01 23:59 Etc/GMT+12", True, None, "error", ["2027-02-02 11:59:00"]),
    ("2027\u201302\u201301 23:59", True, None, "error", [ON_TIME]),
    ("2027-02-01 23:59 \u221208:00", True, None, "error", ["2027-02-02 07:59:00"]),
    ("2027-12-31 24:00", True, None, "error", ["2028-01-01 00:00:00"]),
    ("2027-12-31 noon", True, None, "error", ["2027-12-31 12:00:00"]),
    *((text, True, None, "error", []) for text in ("soon", "2027-02-30", "2027-W52-5", "1830297599", "2027-02-01 midnight")),
    # The month comes first, unless there are points.
    ("03/04/2027 10:00", False, "2027-03-04 10:00:00", "warning", ["2027-03-04 10:00:00", "2027-04-03 10:00:00"]),
    ("03.04.2027", False, "2027-03-04 00:00:00", "warning", ["2027-04-03 00:00:00", "2027-03-04 00:00:00"]),
    ("1/2/27", False, "2027-01-02 00:00:00", "warning", ["2027-01-02 00:00:00", "2027-02-01 00:00:00"]),
    ("27-12-31", True, "2031-12-27 00:00:00", "warning", ["2031-12-27 23:59:59", "2027-12-31 23:59:59"]),
    ("03/04/2027 23:59 PST", False, "2027-03-04 23:59:00", "warning", ["2027-03-05 07:59:00", "2027-04-04 07:59:00"]),
    # One reading, in another form.
    ("12/31/2027", False, "2027-12-31 00:00:00", "warning", ["2027-12-31 00:00:00"]),
    ("15-06-2027", False, "2027-06-15 00:00:00", "warning", ["2027-06-15 00:00:00"]),
    ("20270201", False, "2027-02-01 00:00:00", "warning", ["2027-02-01 00:00:00"]),
    ("23:59 2027-02-01", False, ON_TIME, "warning", [ON_TIME]),
    ("2027-02-01 23h59", True, ON_TIME, "warning", [ON_TIME]),
    ("202702012359", True, ON_TIME, "warning", [ON_TIME]),
    ("January 1, 2027", False, "2027-01-01 00:00:00", "warning", ["2027-01-01 00:00:00"]),
    # Parts are missing.
    *((text, False, None, "warning", []) for text in ("2027-02", "March 2027", "10:00", "2027", "Monday")),
    # The time is lost.
    ("2027-02-01", True, "2027-02-01 00:00:00", "warning", ["2027-02-01 23:59:59"]),
    ("12/31/2027", True, "2027-12-31 00:00:00", "warning", ["2027-12-31 23:59:59"]),
    (datetime.date(2027, 2, 1), True, "2027-02-01 00:00:00", "warning", ["2027-02-01 23:59:59"]),
    (datetime.date(2027, 2, 1), False, "2027-02-01 00:00:00", None, []),
    (datetime.datetime(2027, 2, 1, 23, 59), True, "2027-02-01 00:00:00", "warning", [ON_TIME]),
    (datetime.datetime(9999, 12, 31, 23, tzinfo=AOE), False, "9999-12-31 00:00:00", "warning", []),
]  # fmt: skip


@pytest.mark.parametrize(("value", "is_end", "taken", "level", "dates"), READINGS)
def test_date_is_read_as_the_platform_does_and_explained_in_utc(value, is_end, taken, level, dates):
    report = LintReport()
    moment = read_date(value, "/phases/0/end", report, is_end)
    assert (moment and f"{moment:%Y-%m-%d %H:%M:%S}") == taken
    levels = {"error": report.errors.problems, "warning": report.warnings.problems}
    assert [name for name, problems in levels.items() if problems] == ([level] if level else [])
    for problem in (*report.errors.problems, *report.warnings.problems):
        assert (problem.code, problem.where) == ("L-DATE", "/phases/0/end")
        assert [date for date in re.findall('"([^"]*)"', problem.remedy) if date[0] == "2"] == dates


@pytest.mark.parametrize("text", ["2027-12-31 23:59 PST", "2027-12-31 23:59 CET"])
def test_abbreviation_of_a_zone_is_said_to_be_fixed(text):
    report = LintReport()
    read_date(text, "", report)
    assert "in summer too" in report.warnings.problems[0].remedy


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("2027-02-01 23:59 AoE", "2027-02-02 11:59:00"),
        ("2027-07-01 12:00 Europe/Paris", "2027-07-01 10:00:00"),
        ("2027-02-01 AoE", "2027-02-02 11:59:59"),
        (datetime.datetime(2027, 2, 1, 23, 59), "2027-02-01 23:59:00"),
        # Nobody knows the moment, or nothing is to be changed.
        ("2027-02-01 23:59 IST", "2027-02-01 23:59 IST"),
        ("03/04/2027 12:00 AoE", "03/04/2027 12:00 AoE"),
        ("2027-02-01", "2027-02-01"),
        ("soon", "soon"),
        (None, None),
    ],
)
def test_dates_with_a_zone_are_written_in_utc(value, written):
    assert in_utc(value, is_end=True) == written


@pytest.fixture
def source(tmp_path):
    text = competition_text().replace('"2027-12-31 23:59:59"', '"2027-12-31 23:59 AoE"')
    (tmp_path / "competition.yaml").write_text(
        text.replace('"2027-01-01 00:00:00"', "2027-01-01 06:00 Europe/Paris")
    )
    return tmp_path


def test_bundles_are_built_from_dates_with_a_zone(source):
    (phase,) = load_competition(source)["phases"]
    assert (phase["start"], phase["end"]) == ("2027-01-01 05:00:00", "2028-01-01 11:59:00")


def test_phase_of_a_part_follows_a_date_with_a_zone(source):
    after = with_phases_of_parts((source / "competition.yaml").read_text(), "densepose", "a", ["final"])
    (source / "competition.yaml").write_text(after)
    assert load_competition(source)["phases"][-1]["start"] == "2028-01-01 11:59:01"


def test_table_shows_dates_in_utc_anywhere_on_earth_and_in_a_zone(source):
    header, start, end = date_lines(load_competition(source), "Asia/Tokyo")
    assert re.split(" {2,}", header) == ["dates", "UTC", "AoE", "Asia/Tokyo"]
    assert re.split(" {2,}", start)[1:] == [
        "2027-01-01 05:00:00",
        "2026-12-31 17:00:00",
        "2027-01-01 14:00:00",
    ]
    assert re.split(" {2,}", end)[1:] == ["2028-01-01 11:59:00", "2027-12-31 23:59:00", "2028-01-01 20:59:00"]


@pytest.mark.parametrize(("name", "hours"), [("AoE", -12), ("+09:00", 9), ("UTC-5", -5), ("asia/tokyo", 9)])
def test_zone_is_found_by_name_and_offset(name, hours):
    zone = find_zone(name)
    assert zone is not None
    assert zone.utcoffset(datetime.datetime(2027, 1, 1)) == datetime.timedelta(hours=hours)


@pytest.mark.parametrize("name", ["IST", "Mars/Base", "", "25:00"])
def test_unknown_zone_is_a_wrong_option(tmp_path, name, capsys):
    (tmp_path / "x.zip").write_bytes(make_zip({"a": "b"}))
    with pytest.raises(SystemExit) as ended:
        main(["lint", str(tmp_path / "x.zip"), f"--zone={name}"])
    assert ended.value.code == 2
    assert "Traceback" not in capsys.readouterr().err
