"""The command ``archive``: what it collects, and what it never shows."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import yaml

from organizer import archive as archive_module
from organizer.__main__ import main
from organizer.files import folder_files, zip_bytes, zip_files
from scoring_program.signature import KEY_FILE
from tests.helpers import REFERENCES
from tests.rescoring import ID, sample

LABELS = {
    name: data
    for name, data in folder_files(REFERENCES / ID).items()
    if name.endswith((".csv", ".yaml")) or name == KEY_FILE
}
REFERENCE = {**LABELS, KEY_FILE: b"0123456789abcdef0123456789abcdef\n"}
COMPETITION: dict[str, Any] = {
    "version": 2,
    "title": "Who sees them first?",
    "tasks": [
        {"index": 0, "scoring_program": f"{ID}_program.zip", "reference_data": f"{ID}_reference.zip"},
    ],
    "phases": [{"index": 0, "name": "Final", "start": "2027-01-01", "tasks": [0]}],
    "solutions": [
        {"index": 0, "path": "sample.zip", "tasks": [0]},
        {"index": 1, "path": "mine.zip", "tasks": [0]},
    ],
}


@pytest.fixture
def competition(tmp_path, monkeypatch):
    """Return a function that writes a bundle, a ranking and a report, and archives them."""
    for folder, names in (
        ("ranking", ["ranking.html", "ranking.csv", "pairs.csv", "items.csv", "index.html"]),
        ("report", ["ranking.csv", "methods.txt", "teams.csv", "teams/ann.html"]),
    ):
        for name in names:
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{folder} {name}")
    monkeypatch.setattr(archive_module, "DIST", tmp_path / "dist")

    def archive(*options, **more):
        bundle = {
            "competition.yaml": yaml.safe_dump(COMPETITION).encode(),
            f"{ID}_program.zip": zip_bytes({"score.py": b""}),
            f"{ID}_reference.zip": zip_bytes(REFERENCE),
            "sample.zip": zip_bytes(sample()),
            "mine.zip": zip_bytes({"labels in another form.csv": b"1"}),
            KEY_FILE: REFERENCE[KEY_FILE],
            **more,
        }
        if "labels" in str(more.get("competition.yaml")):
            del bundle[f"{ID}_reference.zip"]
        (tmp_path / "dist").mkdir(exist_ok=True)
        (tmp_path / "dist" / f"{ID}.zip").write_bytes(zip_bytes(bundle))
        places = [
            "--ranking",
            tmp_path / "ranking",
            "--report",
            tmp_path / "report",
            "--output",
            tmp_path / "out",
        ]
        return main(["archive", ID, *map(str, places), *options])

    return archive


def names_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


ALWAYS = {
    "README.md",
    "CITATION.cff",
    ".zenodo.json",
    "SHA256SUMS",
    "bundle/competition.yaml",
    f"bundle/{ID}_program.zip",
    "bundle/sample.zip",
    "ranking/ranking.html",
    "ranking/pairs.csv",
    "report/ranking.csv",
    "report/methods.txt",
}


def test_archive_holds_nothing_that_is_hidden_nor_of_single_teams(competition, tmp_path):
    assert competition() == 0
    out = tmp_path / "out"
    assert names_in(out) == ALWAYS
    readme = (out / "README.md").read_text()
    for name in (f"{ID}_reference.zip", "mine.zip", KEY_FILE):
        assert f"`{name}`" in readme
    for line in (out / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest


def test_reference_is_added_without_its_key_if_asked_and_taken_out_again(competition, tmp_path):
    assert competition("--with-reference") == 0
    added = names_in(tmp_path / "out") - ALWAYS
    references = {f"reference/{ID}_reference/{name}" for name in LABELS if name != KEY_FILE}
    assert added == {*references, "ranking/items.csv"}
    assert competition() == 0
    assert names_in(tmp_path / "out") == ALWAYS


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("ending", ["_labels.csv", KEY_FILE])
def test_file_that_shows_a_secret_is_refused_and_nothing_is_written(
    competition, tmp_path, capsys, ending, inside
):
    secret = next(data for name, data in sorted(REFERENCE.items()) if name.endswith(ending))
    shown = zip_bytes({"under/another_name.txt": secret}) if inside else secret
    assert competition(**{"kit.zip": shown}) == 1
    assert "L-LEAK bundle/kit.zip" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_citation_that_was_edited_is_kept(competition, tmp_path, capsys):
    assert competition() == 0
    assert "CITATION.cff" in capsys.readouterr().out
    citation = tmp_path / "out" / "CITATION.cff"
    assert yaml.safe_load(citation.read_text())["title"] == COMPETITION["title"]
    citation.write_text("cff-version: 1.2.0\n")
    assert competition() == 0
    assert citation.read_text() == "cff-version: 1.2.0\n"
    assert "CITATION.cff" not in capsys.readouterr().out


def test_reference_that_is_a_folder_is_left_out_and_added(competition, tmp_path):
    text = yaml.safe_dump(COMPETITION).replace(f"{ID}_reference.zip", "./labels")
    files = {f"labels/{name}": data for name, data in REFERENCE.items()}
    files["competition.yaml"] = text.encode()
    assert competition(**files) == 0
    assert not [name for name in names_in(tmp_path / "out") if "labels" in name]
    assert competition("--with-reference", **files) == 0
    added = {name for name in names_in(tmp_path / "out") if name.startswith("reference/")}
    assert added == {f"reference/labels/{name}" for name in LABELS if name != KEY_FILE}


@pytest.mark.parametrize("path", ["./mine.zip", "mine", "./mine/"])
def test_solution_is_left_out_however_it_is_named(competition, tmp_path, path):
    """A bundle has files by their shortest names, and of folders each file."""
    text = yaml.safe_dump(COMPETITION).replace("path: mine.zip", f"path: {path}")
    assert competition(**{"competition.yaml": text.encode(), "mine/labels.csv": b"1"}) == 0
    names = names_in(tmp_path / "out")
    assert f"bundle/{'mine.zip' if 'zip' in path else 'mine/labels.csv'}" not in names


def test_reference_and_public_data_may_be_named_with_their_folder(competition, tmp_path):
    text = yaml.safe_dump(
        {
            **COMPETITION,
            "tasks": [{**COMPETITION["tasks"][0], "reference_data": f"./{ID}_reference.zip"}],
            "phases": [{**COMPETITION["phases"][0], "public_data": f"./{ID}_public.zip"}],
        }
    )
    lengths = {name: data for name, data in LABELS.items() if name.endswith("_data.csv")}
    files = {"competition.yaml": text.encode(), f"{ID}_public.zip": zip_bytes(lengths)}
    assert competition(**files) == 0
    assert f"bundle/{ID}_public.zip" in names_in(tmp_path / "out")
    files[f"{ID}_public.zip"] = zip_bytes(LABELS)
    assert competition(**files) == 1


def test_rankings_by_both_protocols_are_kept_apart(competition, tmp_path):
    for folder in ("ranking", "report"):
        former = tmp_path / folder
        (tmp_path / "moved").mkdir()
        former.rename(tmp_path / "moved" / "published")
        (tmp_path / "moved").rename(former)
    assert competition() == 0
    names = names_in(tmp_path / "out")
    assert {"ranking/published/ranking.html", "report/published/methods.txt"} <= names
    assert "ranking/ranking.html" not in names


@pytest.mark.parametrize("missing", ["ranking", "report", "dist"])
def test_what_is_missing_is_named(competition, tmp_path, capsys, monkeypatch, missing):
    (tmp_path / missing).mkdir(exist_ok=True)
    (tmp_path / missing).rename(tmp_path / "elsewhere")
    if missing == "dist":
        monkeypatch.setattr(archive_module, "DIST", tmp_path / "nowhere")
    assert competition() == 1
    assert "make " in capsys.readouterr().out
    assert zip_files((tmp_path / "dist" / f"{ID}.zip").read_bytes())
