"""The command ``archive``: what it collects, and what it never shows."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
from typing import Any

import pytest
import yaml

from organizer import archive as archive_module
from organizer.__main__ import main
from organizer.bundle.programs import build_program
from organizer.files import folder_files, write_files, zip_bytes, zip_files
from organizer.runs import built
from organizer.runs.worker import BuiltTask
from scoring_program.signature import KEY_FILE
from tests.helpers import REFERENCES
from tests.rescoring import ID, call, sample, varied, write_submissions

LABELS = {
    name: data
    for name, data in folder_files(REFERENCES / ID).items()
    if name.endswith((".csv", ".yaml")) or name == KEY_FILE
}
REFERENCE = {**LABELS, KEY_FILE: b"0123456789abcdef0123456789abcdef\n"}
PROGRAM = build_program(ID)
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


SUBMISSIONS = {
    "ann/1.zip": varied(40),
    "ann/2.zip": sample(),
    "ann/3.zip": sample("weak"),
    "bob/1.zip": sample("weak"),
}


@pytest.fixture(scope="module")
def season(tmp_path_factory):
    """Return a folder with submissions, the reference, its ranking, and the report on it."""
    folder = tmp_path_factory.mktemp("season")
    write_submissions(folder / "in", SUBMISSIONS)
    write_files(REFERENCE, folder / "refs" / ID)
    assert rescored(folder) == 0
    assert reported(folder) == 0
    return folder


def rescored(folder, *options):
    task = BuiltTask(ID, PROGRAM, folder / "refs" / ID, 600.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(built, "built_task", lambda *arguments: task)
        return call(folder / "in", folder / "ranking", *options)


def reported(folder):
    return main(["report", ID, "--ranking", str(folder / "ranking"), "--output", str(folder / "report")])


@pytest.fixture
def competition(season, tmp_path, monkeypatch):
    """Return a function that writes a bundle beside a ranking and a report, and archives them."""
    for name in ("in", "refs", "ranking", "report"):
        shutil.copytree(season / name, tmp_path / name)
    monkeypatch.setattr(archive_module, "DIST", tmp_path / "dist")

    def archive(*options, **more):
        bundle = {
            "competition.yaml": yaml.safe_dump(COMPETITION).encode(),
            f"{ID}_program.zip": PROGRAM,
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
            f"--ranking={tmp_path / 'ranking'}",
            f"--report={tmp_path / 'report'}",
            f"--output={tmp_path / 'out'}",
        ]
        return main(["archive", ID, *places, *options])

    return archive


def names_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


ALWAYS = {
    *("README.md", "CITATION.cff", ".zenodo.json", "SHA256SUMS"),
    *("bundle/competition.yaml", f"bundle/{ID}_program.zip", "bundle/sample.zip"),
    *("ranking/ranking.html", "ranking/pairs.csv"),
    *("report/ranking.csv", "report/methods.txt", "report/ranking.tex", "report/facts.json"),
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
    assert not (tmp_path / "out" / "reference").exists()


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


@pytest.mark.slow
def test_rankings_by_both_protocols_are_kept_apart(competition, tmp_path):
    shutil.rmtree(tmp_path / "in" / "ann")
    assert rescored(tmp_path, "--protocols", "published", "released") == 0
    assert reported(tmp_path) == 0
    assert competition() == 0
    names = names_in(tmp_path / "out")
    assert {"ranking/published/ranking.html", "report/published/methods.txt"} <= names
    assert {"ranking/released/pairs.csv", "report/released/facts.json"} <= names
    assert "ranking/ranking.html" not in names


def refusal(competition, capsys):
    """Return what is printed about a mixture, of which nothing is written."""
    capsys.readouterr()
    assert competition() == 1
    return capsys.readouterr().out


@pytest.mark.slow
def test_a_report_on_another_run_is_refused_with_both_sides(competition, tmp_path, capsys):
    assert rescored(tmp_path, "--counts", "last") == 0
    printed = refusal(competition, capsys)
    assert "counts: 'last' and 'best'" in printed
    assert not (tmp_path / "out").exists()
    _, command = printed.split("; run organizer ")
    assert main(shlex.split(command)) == 0
    assert competition() == 0
    write_submissions(tmp_path / "in", {"bob/2.zip": varied(20)})
    assert rescored(tmp_path, "--counts", "last") == 0
    assert "submissions: '" in refusal(competition, capsys)


@pytest.mark.slow
def test_a_ranking_with_another_reference_than_that_of_the_bundle_is_refused(competition, tmp_path, capsys):
    labels = next((tmp_path / "refs" / ID).glob("*_labels.csv"))
    labels.write_text("\n".join(labels.read_text().splitlines()[:-1]) + "\n")
    of_bundle = facts_in(tmp_path)["signature"]
    shutil.rmtree(tmp_path / "in" / "ann")
    assert rescored(tmp_path) == 0
    assert reported(tmp_path) == 0
    of_ranking = facts_in(tmp_path)["signature"]
    assert of_ranking != of_bundle
    printed = refusal(competition, capsys)
    assert of_bundle in printed
    assert of_ranking in printed


def facts_in(folder):
    return json.loads((folder / "report" / "facts.json").read_text(encoding="utf-8"))


def test_a_ranking_with_another_program_than_that_of_the_bundle_is_refused(competition, tmp_path, capsys):
    other = zip_bytes({**zip_files(PROGRAM), "note.txt": b"changed"})
    assert competition(**{f"{ID}_program.zip": other}) == 1
    printed = capsys.readouterr().out
    for program in (PROGRAM, other):
        assert hashlib.sha256(program).hexdigest() in printed


def test_pages_and_tables_are_those_of_the_stored_ranking(competition, tmp_path):
    expected = {name: (tmp_path / "ranking" / name).read_bytes() for name in ("ranking.html", "pairs.csv")}
    for name in expected:
        (tmp_path / "ranking" / name).write_text("of another run")
    assert competition() == 0
    assert {name: (tmp_path / "out" / "ranking" / name).read_bytes() for name in expected} == expected


@pytest.mark.parametrize("missing", ["ranking", "report", "dist"])
def test_what_is_missing_is_named(competition, tmp_path, capsys, monkeypatch, missing):
    (tmp_path / missing).mkdir(exist_ok=True)
    (tmp_path / missing).rename(tmp_path / "elsewhere")
    if missing == "dist":
        monkeypatch.setattr(archive_module, "DIST", tmp_path / "nowhere")
    assert competition() == 1
    assert "make " in capsys.readouterr().out
    assert zip_files((tmp_path / "dist" / f"{ID}.zip").read_bytes())


def test_a_table_of_names_that_has_changed_is_told(competition, tmp_path, capsys):
    table = tmp_path / "names.csv"
    table.write_text("user,team\nann,Ann\n")
    assert rescored(tmp_path, "--names", table) == 0
    assert reported(tmp_path) == 0
    capsys.readouterr()
    assert competition() == 0
    assert "names.csv" not in capsys.readouterr().out
    table.write_text("user,team\nann,Anne\n")
    assert competition() == 0
    assert f"warning | {table} has changed " in capsys.readouterr().out
    table.unlink()
    assert competition() == 0
    assert str(tmp_path) not in "".join(
        data.decode("utf-8", "replace") for data in folder_files(tmp_path / "out" / "report").values()
    )
