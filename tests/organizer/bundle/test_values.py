"""Single values of competition.yaml: the linter judges them as the platform's serializers do."""

from __future__ import annotations

import copy

import pytest
import yaml

from organizer.bundle.competition import LintReport, read_competition
from organizer.bundle.rules import check_competition
from quality.competition import competition_text

OURS = yaml.safe_load(competition_text())
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
    ("place", "value"),
    [(f"{PHASE}/execution_time_limit", 0), (f"{COLUMN}/precision", -1), ("/is_public", True)],
)
def test_value_that_the_platform_reads_otherwise_is_a_warning(place, value):
    report = check_with(place, value)
    assert report.errors.ok
    assert place in [problem.where for problem in report.warnings.problems]
