"""The page on reference files: its examples are read, and it names every file and key."""

from __future__ import annotations

import gzip
import re
import shutil
import textwrap
import zipfile

import h5py
import pytest
import scipy.io

from organizer.__main__ import main
from organizer.data.prepare import prepare
from organizer.files import folder_files
from people_in_video.references.preparation import source_files
from scoring_program.task import load_task
from tests.helpers import PUBLISHED, REFERENCES, ROOT, loaded, places_of, refused

PAGE = (ROOT / "docs" / "reference_files.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^( *)```(?:csv|json|yaml) (.+)\n((?:.*\n)*?)\1```$", re.M)
EXAMPLES = [(words.split(), textwrap.dedent(text)) for _, words, text in EXAMPLE.findall(PAGE)]
# What the loaded examples hold, first and second thing.
HOLDS = {
    "chalearn_action": {"sequences": 1, "actions": 5},
    "chalearn_gesture": {"sequences": 1, "gestures": 5},
    "kinetics_tps": {"videos": 3, "parts": 2},
    "anet_entities_gt": {"videos": 1, "words": 2},
    "anet_entities_gen": {"videos": 1, "words": 2},
    "densepose": {"images": 1, "densely annotated persons": 1, "points": 2},
}


def write_examples(task, folder):
    """Write the examples of a task into a folder; return their names."""
    folder.mkdir(exist_ok=True)
    names = []
    for (*tasks, name), text in EXAMPLES:
        if task in tasks:
            (folder / name).write_text(text, encoding="utf-8")
            names.append(name)
    return names


@pytest.mark.parametrize("task", PUBLISHED)
def test_examples_are_prepared_and_scored(task, tmp_path):
    source = tmp_path / "source"
    names = write_examples(task, source)
    if task == "densepose":
        for path in (REFERENCES / task).glob("*.mat"):
            shutil.copyfile(path, source / path.name)
    assert names
    counts = prepare(task, source, tmp_path / "out")[0].content.counts
    assert {thing: counts[thing] for thing in HOLDS[task]} == HOLDS[task]
    lemmas = [name for name in names if name == "lemmas.json"]
    assert not lemmas or (source / "lemmas.json").is_file()


def test_examples_of_settings_and_groups_are_read(tmp_path):
    task = "chalearn_action"
    write_examples(task, tmp_path)
    for (*tasks, name), text in EXAMPLES:
        if not tasks:
            (tmp_path / name).write_text(text, encoding="utf-8")
    for number in (2, 3, 4):
        for kind in ("labels", "data"):
            shutil.copyfile(tmp_path / f"Seq0001_{kind}.csv", tmp_path / f"Seq000{number}_{kind}.csv")
    found = loaded(task, tmp_path)
    assert (found.settings["score_decimals"], found.groups.count_text("sequence")) == (
        4,
        "4 sequences of 2 persons",
    )


@pytest.mark.parametrize("task", PUBLISHED)
def test_every_file_is_named(task, tmp_path):
    prepare(task, REFERENCES / task, tmp_path / "out")
    read = source_files(load_task(task), REFERENCES / task, load_task(task).settings(REFERENCES / task))
    for name in {*read, *folder_files(tmp_path / "out")}:
        assert f"`{re.sub('DemoSeq.*_', '{Id}_', name)}`" in PAGE, name


def test_arrays_of_the_template_are_those_of_the_files():
    rows = re.findall(r"^\| `(\w+\.mat)` \((\w+)\) \| (.*?) \|", PAGE, re.M)
    assert len(rows) == 3
    for name, kind, arrays in rows:
        path = REFERENCES / "densepose" / name
        if kind == "HDF5":
            with h5py.File(path) as file:
                assert len(file) == 1
        else:
            assert {key for key in scipy.io.loadmat(path) if key[0] != "_"} == set(
                re.findall("`(.*?)`", arrays)
            )


def sample_zips(folder):
    """Write the demo reference of gestures as a zip for each sequence, the last one beside them; return it."""
    source = REFERENCES / "chalearn_gesture"
    keys = sorted(path.name[: -len("_labels.csv")] for path in source.glob("*_labels.csv"))
    folder.mkdir()
    for number, key in enumerate(keys[:-1]):
        inner = f"{key}/" if number % 2 else ""
        with zipfile.ZipFile(folder / f"{key}.zip", "w") as archive:
            for kind in ("labels", "data"):
                archive.write(source / f"{key}_{kind}.csv", f"{inner}{key}_{kind}.csv")
            archive.writestr(f"__MACOSX/._{key}_labels.csv", b"\0")
            archive.writestr(f"{key}_color.mp4", b"\0" * 100)
    for kind in ("labels", "data"):
        shutil.copyfile(source / f"{keys[-1]}_{kind}.csv", folder / f"{keys[-1]}_{kind}.csv")
    return folder


def test_zips_of_samples_are_read_as_the_files_in_them(tmp_path, capsys):
    zips, source = sample_zips(tmp_path / "zips"), REFERENCES / "chalearn_gesture"
    for name, folder in (("a", zips), ("b", source)):
        call = f"prepare chalearn_gesture --source {folder} --output {tmp_path / name / 'chalearn_gesture'}"
        assert main(call.split()) == 0
    assert "R-LEFT-OUT" not in capsys.readouterr().out
    first, second = (folder_files(tmp_path / name) for name in ("a", "b"))
    assert "chalearn_gesture_public/DemoSequence0001_data.csv" in first
    assert first["chalearn_gesture/sequences.json"] == second["chalearn_gesture/sequences.json"]
    public = [{name: data for name, data in files.items() if "_public/" in name} for files in (first, second)]
    assert public[0] == public[1]


def test_damaged_zip_of_a_sample_and_a_zip_as_source_are_problems(tmp_path):
    zips = sample_zips(tmp_path / "zips")
    path = min(zips.glob("*.zip"))
    data = bytearray(path.read_bytes())
    data[60] ^= 255
    path.write_bytes(data)
    findings = refused(prepare, "chalearn_gesture", path, tmp_path / "out")
    assert [code for code, _, _ in places_of(findings)] == ["E-REF-MISSING"]
    for content in (bytes(data), bytes(data)[:200]):
        path.write_bytes(content)
        findings = refused(prepare, "chalearn_gesture", zips, tmp_path / "out")
        assert places_of(findings) == [("E-FILE-KIND", path.name, "")]


def test_equal_names_in_several_zips_of_samples_are_refused(tmp_path):
    for number in (1, 2):
        with zipfile.ZipFile(tmp_path / f"Sample{number}.zip", "w") as archive:
            archive.writestr("X_data.csv", "100,20,8000\n")
            archive.writestr("X_labels.csv", f"{number},1,50\n")
    findings = refused(prepare, "chalearn_gesture", tmp_path, tmp_path / "out")
    assert places_of(findings)[0] == ("E-FILE-TWICE", "Sample2.zip", "")


@pytest.mark.parametrize("folder", ["labels", "data/labels"])
def test_files_in_a_folder_are_named(tmp_path, folder):
    shutil.copytree(REFERENCES / "chalearn_gesture", tmp_path / "source" / folder)
    findings = refused(prepare, "chalearn_gesture", tmp_path / "source", tmp_path / "out")
    (problem,) = [problem for problem in findings.problems if problem.code == "R-LEFT-OUT"]
    assert problem.problem.startswith("1 folder left out")
    assert f"folder {folder}:" in problem.remedy


def test_files_deep_in_a_zip_are_read(tmp_path):
    source = tmp_path / "labels.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for path in (REFERENCES / "chalearn_gesture").glob("*.csv"):
            archive.write(path, f"data/labels/{path.name}")
    call = f"prepare chalearn_gesture --source {source} --output {tmp_path / 'out'}"
    assert main(call.split()) == 0


def test_packed_files_are_told_to_be_unpacked(tmp_path):
    source = shutil.copytree(REFERENCES / "kinetics_tps", tmp_path / "source")
    path = source / "gt_vid_result.json"
    (source / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    findings = refused(prepare, "kinetics_tps", source, tmp_path / "out")
    (problem,) = [problem for problem in findings.problems if problem.code == "R-LEFT-OUT"]
    assert "unpack gt_vid_result.json.gz" in problem.remedy


@pytest.mark.parametrize(
    ("content", "code", "word"),
    [
        (b"version https://git-lfs.github.com/spec/v1\n", "E-FILE-KIND", "git lfs pull"),
        (b"<!DOCTYPE html><html>", "E-FILE-KIND", "download"),
        (b"\x1f\x8b\x08", "E-FILE-KIND", "unpack"),
        (b"PK\x03\x04" + bytes(50), "E-REF-MISSING", "download"),
        (b"1,1,50\n", "E-REF-MISSING", "give the folder"),
    ],
)
@pytest.mark.parametrize("command", ["prepare", "public-data"])
def test_source_that_is_no_folder_is_said_as_what_it_is(tmp_path, capsys, command, content, code, word):
    source = tmp_path / "labels.zip"
    source.write_bytes(content)
    call = f"{command} chalearn_gesture --source {source} --output {tmp_path / 'out'}"
    assert main(call.split()) == 1
    line = "".join(capsys.readouterr())
    assert code in line
    assert word in line


def test_empty_zip_has_no_files(tmp_path, capsys):
    source = tmp_path / "labels.zip"
    zipfile.ZipFile(source, "w").close()
    call = f"prepare chalearn_gesture --source {source} --output {tmp_path / 'out'}"
    assert main(call.split()) == 1
    assert "E-REF-NONE" in "".join(capsys.readouterr())


def test_zips_of_samples_that_are_none_are_said_as_what_they_are(tmp_path):
    zips = sample_zips(tmp_path / "zips")
    names = sorted(path.name for path in zips.glob("*.zip"))
    for name in names:
        (zips / name).write_text("version https://git-lfs.github.com/spec/v1\n")
    findings = refused(prepare, "chalearn_gesture", zips, tmp_path / "out")
    assert places_of(findings) == [("E-FILE-KIND", name, "") for name in names]


def test_files_in_a_folder_for_each_sequence_are_told_to_go_into_one(tmp_path):
    for path in (REFERENCES / "chalearn_gesture").glob("DemoSequence000[12]_*.csv"):
        folder = tmp_path / "source" / path.name[:16]
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder)
    findings = refused(prepare, "chalearn_gesture", tmp_path / "source", tmp_path / "out")
    (problem,) = [problem for problem in findings.problems if problem.code == "R-LEFT-OUT"]
    assert " 2 folders" in problem.remedy


def test_official_files_beside_a_prepared_reference_are_said_to_be_not_read(tmp_path):
    source = shutil.copytree(REFERENCES / "chalearn_gesture", tmp_path / "source")
    prepare("chalearn_gesture", source, tmp_path / "out")
    shutil.copy(tmp_path / "out" / "sequences.json", source)
    overview, _ = prepare("chalearn_gesture", source, tmp_path / "out")
    (problem,) = [one for one in overview.content.warnings.problems if one.code == "R-LEFT-OUT"]
    assert "sequences.json alone is read" in problem.remedy


def test_files_of_another_kind_are_named_whatever_they_should_be(tmp_path):
    source = shutil.copytree(REFERENCES / "densepose", tmp_path / "source")
    names = sorted(path.name for path in source.glob("*.mat"))
    for name in names:
        (source / name).write_text("version https://git-lfs.github.com/spec/v1\n")
    findings = refused(prepare, "densepose", source, tmp_path / "out")
    assert sorted(places_of(findings)) == [("E-FILE-KIND", name, "") for name in names]
