"""Bundles that were built before competition.yaml or its pages changed: who says so, and when nobody does."""

from __future__ import annotations

import shutil

import pytest

from organizer import archive as archive_module
from organizer.__main__ import main
from organizer.bundle import lint
from organizer.bundle import source as source_module
from organizer.bundle.outdated import SOURCES, changed_sources
from organizer.files import read_zip
from organizer.runs import built
from quality.competition import write_source

ID = "chalearn_gesture"
YAML = "competition.yaml"
BUNDLES = ["competition.zip", f"{ID}.zip", f"v1.5/{ID}.zip"]


@pytest.fixture
def source(tmp_path, monkeypatch, bundles):
    """Return a folder with the sources of the bundles, of which ``dist`` here holds those of gestures."""
    dist = tmp_path / "dist"
    dist.mkdir()
    shutil.copyfile(bundles / f"{ID}.zip", dist / f"{ID}.zip")
    folder = write_source(tmp_path / "source")
    monkeypatch.setattr(source_module, "SOURCE", folder)
    for module in (built, lint, archive_module):
        monkeypatch.setattr(module, "SOURCE", folder)
        monkeypatch.setattr(module, "DIST", dist)
    return folder


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def changed(bundles, name, source):
    return changed_sources(bundles / name, read_zip(bundles / name), source)


@pytest.mark.parametrize("name", BUNDLES)
def test_bundle_of_today_has_no_changed_sources(bundles, source, name):
    assert changed(bundles, name, source) == []
    # Comments, the order of keys, and when a file was saved change no bundle.
    edit(source / YAML, "version: 2", "# A comment.\nversion: 2")
    (source / "logo.png").touch()
    assert changed(bundles, name, source) == []


@pytest.mark.parametrize(
    "record", [{}, *({SOURCES: text} for text in (b"", b"[1]", b"{" * 10, b"[" * 100_000))]
)
def test_bundle_whose_record_cannot_be_read_is_of_another_source(bundles, source, record):
    files = read_zip(bundles / f"{ID}.zip")
    files.pop(SOURCES)
    files.update(record)
    assert changed_sources(bundles / f"{ID}.zip", files, source) == [YAML]


@pytest.mark.parametrize("name", BUNDLES)
def test_changed_dates_pages_and_logos_are_named(bundles, source, name):
    edit(source / YAML, "2027-12-31 23:59:59", "2027-06-30 23:59:59")
    with (source / "pages" / f"{ID}.md").open("a") as page:
        page.write("More.\n")
    (source / "logo.png").unlink()
    assert set(changed(bundles, name, source)) == {YAML, f"pages/{ID}.md", "logo.png"}


@pytest.mark.parametrize("text", ["", "version: 3", "a: [", "version: 2\ntitle: Birds"])
def test_no_bundle_is_of_a_competition_that_cannot_be_built(bundles, source, text):
    (source / YAML).write_text(text)
    assert changed(bundles, f"{ID}.zip", source) == [YAML]


def test_change_of_another_task_is_no_change_of_this_bundle(bundles, source):
    edit(source / YAML, "name: COCO DensePose 2019", "name: Surfaces")
    assert changed(bundles, f"{ID}.zip", source) == []
    assert changed(bundles, "competition.zip", source) == [YAML]


def test_runs_from_an_older_bundle_say_so_and_how_to_build_it(source, capsys):
    built.built_task(ID, None)
    assert capsys.readouterr().out == ""
    edit(source / YAML, "max_submissions: 200", "max_submissions: 20")
    built.built_task(ID, None)
    (line,) = capsys.readouterr().out.splitlines()
    assert f"dist/{ID}.zip " in line
    assert YAML in line
    assert "make bundle" in line


def test_linter_warns_of_an_older_bundle_in_dist(source, capsys):
    assert main(["lint", "--date", "2027-01-01"]) == 0
    assert " L-OLD " not in capsys.readouterr().out
    edit(source / "pages" / "terms.md", "#", "##")
    assert main(["lint", "--date", "2027-01-01"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if " L-OLD " in line]
    assert f" {ID}.zip: " in line
    assert "pages/terms.md" in line


def test_archive_warns_of_an_older_bundle(source, tmp_path, capsys):
    def warnings():
        options = [f"--{name}={tmp_path / name}" for name in ("ranking", "report", "output")]
        # There is no ranking: only what comes before it is tried.
        assert main(["archive", ID, *options]) == 1
        return [line for line in capsys.readouterr().out.splitlines() if line.startswith("warning | ")]

    assert warnings() == []
    edit(source / "pages" / "terms.md", "#", "##")
    (line,) = warnings()
    assert f" {ID}.zip " in line
    assert "pages/terms.md" in line


def test_linter_does_not_compare_bundles_of_other_folders(source, bundles, capsys):
    edit(source / "pages" / "terms.md", "#", "##")
    assert main(["lint", str(bundles / f"{ID}.zip")]) == 0
    assert " L-OLD " not in capsys.readouterr().out
