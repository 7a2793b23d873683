"""Every rule of the linter, each on a bundle that breaks just that rule."""

from __future__ import annotations

import zipfile

import pytest
import yaml

from organizer.bundle.lint import lint_bundle
from organizer.files import zip_bytes

ID = "chalearn_gesture"


@pytest.fixture
def linted(bundles, tmp_path):
    """Return a function that changes a bundle and lints it."""

    def lint(change, name=f"{ID}.zip"):
        with zipfile.ZipFile(bundles / name) as bundle:
            files = {entry: bundle.read(entry) for entry in bundle.namelist()}
        data = yaml.safe_load(files["competition.yaml"])
        change(data, files)
        files.setdefault("competition.yaml", b"")
        if files["competition.yaml"] is not None and "raw" not in files:
            files["competition.yaml"] = yaml.safe_dump(data, sort_keys=False).encode()
        files.pop("raw", None)
        path = tmp_path / "bundle.zip"
        path.write_bytes(zip_bytes(files))
        return lint_bundle(path)

    return lint


@pytest.mark.parametrize("name", ["competition.zip", f"{ID}.zip", f"v1.5/{ID}.zip"])
def test_our_bundles_have_no_errors_but_warn_of_the_demo_data(linted, name):
    findings = linted(lambda data, files: None, name)
    assert findings.lines() == []
    assert any("demo" in note.text.lower() or "synthetic" in note.text.lower() for note in findings.notes)


def put(data, path, value):
    *head, last = path
    for step in head:
        data = data[step]
    if value is None:
        del data[last]
    else:
        data[last] = value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["version"], 2.0),
        (["title"], "x" * 257),
        (["title"], None),
        (["image"], "nothing.png"),
        (["terms"], None),
        (["pages", 0, "file"], "pages/none.md"),
        (["phases", 0, "end"], "2026-01-01 00:00:00"),
        (["phases", 0, "name"], "x" * 51),
        (["phases", 0, "tasks"], []),
        (["phases", 0, "tasks"], [7]),
        (["phases", 0, "max_submissions_per_person"], 3),
        (["tasks"], []),
        (["tasks", 0, "scoring_program"], ""),
        (["tasks", 0, "scoring_program"], "../x.zip"),
        (["tasks", 0, "reference_data"], "starting_kit.zip"),
        (["leaderboards", 0, "columns", 0, "index"], 5),
        (["leaderboards", 0, "columns", 1, "index"], 0),
        (["leaderboards", 0, "columns", 1, "key"], "score"),
        (["leaderboards", 0, "columns", 1, "key"], "Coverage"),
        (["leaderboards", 0, "columns", 0, "precision"], 11),
        (["leaderboards", 0, "submission_rule"], "force_best"),
        (["starting_kit"], "starting_kit.zip"),
        (["solutions", 0, "tasks"], [3]),
    ],
)
def test_a_broken_competition_is_found(linted, path, value):
    findings = linted(lambda data, files: put(data, path, value))
    assert findings.total, path
    assert all(problem.hint and problem.problem for problem in findings.problems)


def test_unquoted_date_is_found(linted):
    def change(data, files):
        text = yaml.safe_dump(data, sort_keys=False).replace("'2027-01-01 00:00:00'", "2027-01-01 00:00:00")
        files["competition.yaml"] = text.encode()
        files["raw"] = b""

    assert any("date" in line for line in linted(change).lines())


def test_reference_data_in_the_starting_kit_is_found(linted):
    def change(data, files):
        files["starting_kit.zip"] = zip_bytes({"help/readme.txt": b"x", "ref.zip": files[f"{ID}_reference.zip"]})

    findings = linted(change)

    # The demo reference is public; the same data without its mark is not.
    def unmarked(data, files):
        secret = b"1,1,10\n" * 40
        reference = {"S1_labels.csv": secret, "S1_data.csv": b"900,20,2000\n"}
        files[f"{ID}_reference.zip"] = zip_bytes(reference)
        files["starting_kit.zip"] = zip_bytes({"extra/S1_labels.csv": secret})

    assert any("starting_kit.zip" in line for line in linted(unmarked).lines())
    assert findings.ok


def test_sample_that_does_not_score_is_found(linted):
    def change(data, files):
        files[f"{ID}_sample.zip"] = zip_bytes({"nothing.csv": b"1,2,3\n"})

    assert any(f"{ID}_sample.zip" in line for line in linted(change).lines())


@pytest.mark.parametrize("content", [b"command: python3 score.py && rm x\n", b"nothing: 1\n", None])
def test_metadata_that_cannot_run_is_found(linted, bundles, content):
    def change(data, files):
        import io

        with zipfile.ZipFile(io.BytesIO(files[f"{ID}_program.zip"])) as program:
            inside = {name: program.read(name) for name in program.namelist()}
        inside.pop("metadata", None)
        inside.pop("metadata.yaml")
        if content:
            inside["metadata.yaml"] = content
        files[f"{ID}_program.zip"] = zip_bytes(inside)

    assert linted(change).total


def test_not_a_zip_and_missing_competition(tmp_path):
    bad = tmp_path / "x.zip"
    bad.write_bytes(b"no zip")
    assert "L-ZIP" in lint_bundle(bad).lines()[0]
    bad.write_bytes(zip_bytes({"folder/competition.yaml": b"x: 1\n"}))
    assert "not the folder" in lint_bundle(bad).lines()[0]
