"""Starting a competition of one task: what is written builds one bundle, and nothing is lost."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
import yaml

from organizer.bundle.build import build_all
from organizer.bundle.edit import with_phases_of_parts, with_task
from organizer.bundle.lint import lint_bundle
from organizer.bundle.source import load_competition
from organizer.bundle.start import start
from quality.competition import write_source
from scoring_program.task import task_ids
from tests.helpers import PUBLISHED, places_of, refused
from tests.organizer.message_texts import START_ERRORS

ID = "chalearn_gesture"
TITLE = "Gestures: who sees them first?"
WRITTEN = ["competition.yaml", "pages/overview.md", "pages/terms.md"]
OF_SEVERAL_TASKS = re.compile("six tasks|untick|all tasks are ticked|one task or all", re.I)


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path):
    """Return a checkout with the competition of all tasks."""
    folder = write_source(tmp_path / "checkout")
    git(folder, "init", "--quiet")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "all tasks")
    return folder


def texts_of(folder):
    return {name: (folder / name).read_text(encoding="utf-8") for name in WRITTEN}


def fill_in(folder):
    for name, text in texts_of(folder).items():
        (folder / name).write_text(text.replace("FILL IN:", "Written:"), encoding="utf-8")


def test_competition_is_of_one_task_and_what_was_there_is_put_aside(checkout):
    before = texts_of(checkout)
    start(ID, TITLE, False, checkout)
    competition = load_competition(checkout)
    assert competition["title"] == TITLE
    assert [task["scoring_program"] for task in competition["tasks"]] == [f"{ID}_program.zip"]
    files = [page["file"] for page in competition["pages"]]
    assert files[:2] == ["pages/overview.md", f"pages/{ID}.md"]
    # The dates of the phase, in UTC and anywhere on earth.
    overview = (checkout / "pages" / "overview.md").read_text(encoding="utf-8")
    assert re.search(r"Main phase ends +2027-12-31 23:59:59 +2027-12-31 11:59:59", overview)
    assert set(files) == {"pages/overview.md", f"pages/{ID}.md", "pages/evaluation.md", "pages/data.md"}
    assert texts_of(checkout / "out" / "started") == before


@pytest.mark.slow
@pytest.mark.parametrize("task_id", task_ids())
def test_texts_of_one_task_mention_no_other(checkout, task_id):
    texts = start(task_id, TITLE, False, checkout).texts
    assert list(texts) == WRITTEN
    # The id of a task of one's own may be any word.
    others = [other for other in PUBLISHED if other not in task_id and task_id not in other]
    for text in texts.values():
        assert not OF_SEVERAL_TASKS.search(text)
        assert not [other for other in others if other in text]


@pytest.mark.parametrize(
    "task_id",
    [pytest.param(task_id, marks=[] if task_id == ID else [pytest.mark.slow]) for task_id in PUBLISHED],
)
def test_started_competition_is_one_bundle_that_asks_for_its_texts_only(
    checkout, tmp_path, kept_parts, task_id
):
    start(task_id, TITLE, False, checkout)
    paths = build_all(None, output=tmp_path / "dist", source=checkout)
    assert [path.name for path in paths] == [f"{task_id}.zip"]
    report, _ = lint_bundle(paths[0])
    assert report.errors.lines() == []
    marked = {(code, file) for code, file, _ in places_of(report.warnings) if code == "L-TEXT"}
    assert marked == {("L-TEXT", "pages/overview.md"), ("L-TEXT", "pages/terms.md")}
    fill_in(checkout)
    (path,) = build_all(None, output=tmp_path / "dist", source=checkout)
    codes = {problem.code for problem in lint_bundle(path)[0].warnings.problems}
    assert codes <= {"L-DEMO", "L-NAME"}


def test_started_competition_can_get_a_final_phase_and_a_new_task(checkout):
    text = start(ID, TITLE, False, checkout).texts["competition.yaml"]
    data = yaml.safe_load(with_phases_of_parts(text, ID, "Other sequences.", ["final"]))
    assert [phase["tasks"] for phase in data["phases"]] == [[0], [1]]
    data = yaml.safe_load(with_task(text, "bird_calls", "Bird calls", "Which bird?"))
    assert data["phases"][0]["tasks"] == [0, 1]


def test_changed_files_are_replaced_only_on_request(checkout):
    (checkout / "pages" / "terms.md").write_text("my terms\n", encoding="utf-8")
    before = texts_of(checkout)
    (problem,) = refused(start, ID, TITLE, False, checkout).problems
    assert f"{problem.problem}; {problem.remedy}" == START_ERRORS[problem.code]
    assert texts_of(checkout) == before
    start(ID, TITLE, True, checkout)
    assert texts_of(checkout / "out" / "started") == before


def test_without_git_nothing_is_replaced(checkout):
    shutil.rmtree(checkout / ".git")
    before = texts_of(checkout)
    assert [problem.code for problem in refused(start, ID, TITLE, False, checkout).problems] == ["E-START"]
    assert texts_of(checkout) == before


def test_files_put_aside_before_are_kept(checkout):
    start(ID, TITLE, False, checkout)
    first = texts_of(checkout / "out" / "started")
    edited = texts_of(checkout)
    started = start(ID, "Another title", True, checkout)
    assert started.former_folder == checkout / "out" / "started_2"
    assert texts_of(started.former_folder) == edited
    assert texts_of(checkout / "out" / "started") == first
    assert load_competition(checkout)["title"] == "Another title"


def test_task_that_no_phase_offers_is_refused(checkout):
    start(ID, TITLE, False, checkout)
    shutil.rmtree(checkout / "out")
    before = texts_of(checkout)
    assert places_of(refused(start, "densepose", TITLE, True, checkout)) == [
        ("L-TASK", "competition.yaml", "/tasks")
    ]
    assert texts_of(checkout) == before


def test_without_a_title_nothing_is_written(checkout):
    before = (checkout / "competition.yaml").read_bytes()
    findings = refused(start, ID, " ", False, checkout)
    assert places_of(findings) == [("L-SCHEMA", "competition.yaml", "/title")]
    assert "--title" in findings.problems[0].remedy
    assert (checkout / "competition.yaml").read_bytes() == before
