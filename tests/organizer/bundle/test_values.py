"""Single values of competition.yaml: the linter judges them as the platform's serializers do."""

from __future__ import annotations

import copy

import pytest
import yaml

from organizer.bundle.classic import classic
from organizer.bundle.competition import LintReport, read_competition
from organizer.bundle.rules import check_competition
from quality.competition import competition_text

OURS = yaml.safe_load(competition_text())
CLASSIC, _ = classic(OURS)
COLUMN = "/leaderboards/0/columns/0"
PHASE = "/phases/0"


def check_with(place, value):
    """Return what the linter says of the competition with another value at a JSON Pointer."""
    data = copy.deepcopy(OURS)
    *parents, key = place.strip("/").split("/")
    node = data
    for step in parents:
        node = node[int(step) if isinstance(node, list) else step]
    node[key] = value
    report = LintReport()
    competition = read_competition(yaml.safe_dump(data, allow_unicode=True).encode(), report)
    if competition is not None:
        check_competition(competition, report)
    return report


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("/enable_detailed_results", "off"),
        ("/registration_auto_approve", 0),
        (f"{COLUMN}/precision", "4"),
        (f"{COLUMN}/precision", 2.0),
        (f"{COLUMN}/index", "0"),
        (f"{PHASE}/max_submissions", "20"),
        (f"{PHASE}/max_submissions_per_day", 0),
        (f"{PHASE}/start", "2026-01-01T00:00:00.5Z"),
        ("/title", 2027),
        ("/reward", 100),
    ],
)
def test_value_that_the_platform_takes_is_fine(place, value):
    assert check_with(place, value).errors.ok


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("/title", True),
        ("/pages/0/title", "  "),
        (f"{COLUMN}/precision", 2.5),
        (f"{COLUMN}/sorting", "Asc"),
        (f"{COLUMN}/hidden", None),
        (f"{COLUMN}/computation", "median"),
        (f"{PHASE}/max_submissions", True),
        (f"{PHASE}/max_submissions", "many"),
        (f"{PHASE}/hide_output", 2),
        (f"{PHASE}/start", "2026-01-01 24:00:00"),
    ],
)
def test_value_that_the_platform_refuses_is_an_error_at_its_place(place, value):
    problems = check_with(place, value).errors.problems
    assert [problem.where for problem in problems] == [place]


@pytest.mark.parametrize(
    ("place", "value", "word"),
    [
        # What is empty is called so, however it is written.
        (f"{COLUMN}/sorting", None, "empty"),
        (f"{PHASE}/max_submissions", "", "empty"),
        ("/pages", None, "empty"),
        ("/version", None, "empty"),
        ("/phases", [], "empty"),
        # Quotes would make a file or an image of this name.
        ("/docker_image", False, "image"),
        ("/image", False, "file"),
    ],
)
def test_value_that_is_refused_is_named(place, value, word):
    (problem,) = check_with(place, value).errors.problems
    assert word in problem.problem
    assert "quotes" not in problem.remedy


@pytest.mark.parametrize(
    ("place", "value", "remedy"),
    [
        ("/phases", {"1": OURS["phases"][0]}, "write a list (each entry after a -)"),
        ("/leaderboards", OURS["leaderboards"][0], "write a list (each entry after a -)"),
        ("/pages", ["overview.md"], "write a mapping (key: value)"),
        (f"{COLUMN}/sorting", "down", "write asc or desc"),
    ],
)
def test_remedy_of_another_type_is_the_type(place, value, remedy):
    (problem,) = check_with(place, value).errors.problems
    assert problem.where.startswith(place)
    assert problem.remedy == remedy


def test_misspelled_key_is_not_missing_as_well():
    report = LintReport()
    data = {**OURS, "leaderboard": OURS["leaderboards"]}
    check_competition({key: value for key, value in data.items() if key != "leaderboards"}, report)
    assert [problem.where for problem in report.errors.problems] == ["/leaderboard"]


def test_board_without_index_0_is_one_error():
    columns = [{**column, "index": column["index"] + 1} for column in OURS["leaderboards"][0]["columns"]]
    report = check_with("/leaderboards/0/columns", columns)
    assert [problem.where for problem in report.errors.problems] == ["/leaderboards/0/columns"]


def test_each_missing_key_is_named_once():
    report = LintReport()
    check_competition({key: OURS[key] for key in OURS.keys() - {"pages", "terms"}}, report)
    assert sorted(problem.problem for problem in report.errors.problems) == [
        "pages is missing",
        "terms is missing",
    ]


@pytest.mark.parametrize(
    ("version", "form", "remedy"),
    [
        (None, "v2", "write version: 2"),
        ("1.5", "v2", "write version: 2"),
        ("2.0", "v2", "write version: 2"),
        ("2", "v1.5", "take version out"),
        ("3", "v1.5", "take version out"),
    ],
)
def test_version_is_compared_with_the_keys(version, form, remedy):
    data = OURS if form == "v2" else CLASSIC
    data = {key: value for key, value in data.items() if key != "version"}
    report = LintReport()
    check_competition({**data, "version": version} if version else data, report)
    assert [(problem.where, problem.remedy) for problem in report.errors.problems] == [("/version", remedy)]


def test_few_keys_of_the_other_form_do_not_question_the_version():
    report = LintReport()
    check_competition({**CLASSIC, "pages": []}, report)
    assert report.errors.ok
    assert "/pages" in [problem.where for problem in report.warnings.problems]


@pytest.mark.parametrize(
    ("place", "value"),
    [(f"{PHASE}/execution_time_limit", 0), (f"{COLUMN}/precision", -1), ("/is_public", True)],
)
def test_value_that_the_platform_reads_otherwise_is_a_warning(place, value):
    report = check_with(place, value)
    assert report.errors.ok
    assert place in [problem.where for problem in report.warnings.problems]
