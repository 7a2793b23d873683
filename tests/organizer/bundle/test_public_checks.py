"""Public data of phases: built for each, and refused if it shows more of a reference than it may."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml

from organizer.__main__ import main
from organizer.bundle.build import build_all
from organizer.bundle.edit import with_phases_of_parts
from organizer.bundle.lint import lint_bundle
from organizer.data.prepare import prepare
from organizer.data.public_data import public_data_command
from organizer.files import folder_files, read_zip, zip_bytes, zip_files
from quality.competition import competition_text, write_source
from tests.helpers import PUBLISHED, REFERENCES, one_of_each_format, places_of, refused

GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"
KINETICS, DENSEPOSE, GESTURE = "kinetics_tps", "densepose", "chalearn_gesture"
PUBLIC = "public_data.zip"


@pytest.fixture
def lint_public(bundles, tmp_path):
    """Return a function that changes the public data in the bundle of a task, and returns its errors."""

    def lint(task_id, change):
        files = read_zip(bundles / f"{task_id}.zip")
        public = zip_files(files[PUBLIC])
        change(public)
        files[PUBLIC] = zip_bytes(public)
        path = tmp_path / f"{task_id}.zip"
        path.write_bytes(zip_bytes(files))
        report, _ = lint_bundle(path)
        return places_of(report.errors)

    return lint


def edited(name, change):
    """Return a change of a JSON file of public data."""

    def edit(public):
        content = json.loads(public[name])
        change(content)
        public[name] = json.dumps(content).encode()

    return edit


def first_segment(content):
    video = next(iter(content["annotations"].values()))
    return video["segments"]["0"]


def added(name, data):
    return lambda public: public.update({name: data})


@pytest.mark.parametrize(
    ("task_id", "folder"), [*((task_id, "") for task_id in PUBLISHED), (GESTURE, "v1.5/")]
)
def test_bundle_has_the_public_data_of_its_task(task_id, folder, bundles):
    files = read_zip(bundles / f"{folder}{task_id}.zip")
    names = zip_files(files[PUBLIC])
    assert names
    assert {name.partition("/")[0] for name in names} == {task_id}
    phases = yaml.safe_load(files["competition.yaml"])["phases"]
    assert [phase["public_data"] for phase in (phases.values() if folder else phases)] == [PUBLIC]


@pytest.mark.slow
@pytest.mark.parametrize("task_id", one_of_each_format(PUBLISHED))
def test_public_data_of_the_demo_references_is_as_it_may_be(lint_public, task_id):
    assert lint_public(task_id, lambda public: None) == []


@pytest.mark.parametrize(
    ("task_id", "file", "change"),
    [
        (GIVEN, "skeleton.json", lambda content: first_segment(content)["frame_ind"].append(3)),
        (GIVEN, "skeleton.json", lambda content: first_segment(content)["process_bnd_box"].append([1, 2, 3, 4])),
        (GIVEN, "skeleton.json", lambda content: first_segment(content).update(boxes=[])),
        (GIVEN, "skeleton.json", lambda content: first_segment(content)["process_idx"].append([1, 4])),
        (GIVEN, "skeleton.json", lambda content: content["annotations"].popitem()),
        (GENERATED, "skeleton.json", lambda content: first_segment(content)["tokens"].append("dog")),
        (GENERATED, "skeleton.json", lambda content: first_segment(content)["process_clss"].append(["dog"])),
        (GENERATED, "split_ids.json", lambda content: content.update(testing=["v_other"])),
        (KINETICS, "videos.json", lambda content: content["demo_00000"].pop()),
        (KINETICS, "vocabulary.json", lambda content: content["class"].append("fly")),
        (DENSEPOSE, "images.json", lambda content: content.update(annotations=[])),
        (DENSEPOSE, "images.json", lambda content: content["images"][0].update(n_persons=2)),
        (DENSEPOSE, "images.json", lambda content: content["images"].pop()),
        (DENSEPOSE, "images.json", lambda content: content["info"].update(persons=7)),
    ],
)  # fmt: skip
def test_what_may_not_be_shown_is_an_error(lint_public, task_id, file, change):
    name = f"{task_id}/{file}"
    assert ("L-LEAK", PUBLIC, name) in lint_public(task_id, edited(name, change))


@pytest.mark.parametrize(
    ("task_id", "file", "data"),
    [
        *((task_id, "labels.csv", b"1,2,3\n") for task_id in (GESTURE, KINETICS, GIVEN, DENSEPOSE)),
        # A number of frames with a label, and what is no JSON.
        (GESTURE, "DemoSequence0001_data.csv", b"1200,20,2000,7\n"),
        (GIVEN, "skeleton.json", b'{"annotations": '),
    ],
)
def test_other_files_are_an_error(lint_public, task_id, file, data):
    name = f"{task_id}/{file}"
    assert set(lint_public(task_id, added(name, data))) == {("L-LEAK", PUBLIC, name)}


def test_files_of_an_organizer_beside_are_left_alone(lint_public):
    assert (
        lint_public(GESTURE, added("training/notes.txt", b"Labels of the training set come later.\n")) == []
    )


@pytest.mark.slow
def test_sentences_that_another_task_must_hide_are_an_error(tmp_path):
    references = tmp_path / "refs"
    for task_id in (GIVEN, GENERATED):
        source = shutil.copytree(REFERENCES / GENERATED, tmp_path / task_id)
        prepare(task_id, source, references / task_id)
        public_data_command(task_id, source, references / f"{task_id}_public", None, replace=False)
    competition = yaml.safe_load(competition_text())
    source = write_source(tmp_path / "source")
    tasks = [task for task in competition["tasks"] if task["scoring_program"].startswith("anet_")]
    indexes = [task["index"] for task in tasks]
    competition.update(tasks=tasks, solutions=[])
    competition["phases"][0]["tasks"] = indexes
    (source / "competition.yaml").write_text(yaml.safe_dump(competition), encoding="utf-8")
    findings = refused(build_all, references, output=tmp_path / "dist", source=source)
    assert ("L-LEAK", PUBLIC, f"{GIVEN}/skeleton.json") in places_of(findings)


@pytest.mark.slow
def test_public_data_that_differs_from_its_source_is_refused(tmp_path):
    references = tmp_path / "refs"
    shutil.copytree(REFERENCES / GESTURE, references / GESTURE)
    public_data_command(GESTURE, references / GESTURE, references / f"{GESTURE}_public", None, replace=False)
    path = references / f"{GESTURE}_public" / "DemoSequence0001_data.csv"
    path.write_bytes(path.read_bytes() + b"\n")
    findings = refused(build_all, references, output=tmp_path / "dist", demo=True)
    assert places_of(findings) == [("L-LEAK", f"{GESTURE}_public", "")]


def test_prepared_reference_without_public_data_is_noted_and_the_key_is_left_out(
    kept_parts, tmp_path, capsys
):
    references = tmp_path / "refs"
    prepare(KINETICS, REFERENCES / KINETICS, references / KINETICS)
    build_all(references, output=tmp_path / "dist")
    assert f"no public data of {KINETICS}" in capsys.readouterr().out
    competition = yaml.safe_load(read_zip(tmp_path / "dist" / f"{KINETICS}.zip")["competition.yaml"])
    assert "public_data" not in competition["phases"][0]


def test_public_data_of_a_later_phase_is_a_warning(bundles, tmp_path):
    files = read_zip(bundles / f"{GESTURE}.zip")
    competition = yaml.safe_load(files["competition.yaml"])
    public_data_command(GESTURE, REFERENCES / GESTURE, tmp_path / "public", None, replace=False)
    files["final_public.zip"] = zip_bytes(folder_files(tmp_path / "public"))
    files["final_reference.zip"] = files[f"{GESTURE}_reference.zip"]
    (task,), (first,) = competition["tasks"], competition["phases"]
    competition["tasks"].append({**task, "index": 1, "reference_data": "final_reference.zip"})
    dates = {"start": "2028-01-01 00:00:00", "end": "2028-12-31 00:00:00"}
    later = {"index": 1, "name": "Final", "tasks": [1], "public_data": "final_public.zip"}
    competition["phases"].append({**first, **later, **dates})
    files["competition.yaml"] = yaml.safe_dump(competition).encode()
    path = tmp_path / "two.zip"
    path.write_bytes(zip_bytes(files))
    report, _ = lint_bundle(path)
    assert ("L-LEAK", "competition.yaml", "/phases/1/public_data") in places_of(report.warnings)
    assert report.errors.ok


@pytest.mark.slow
def test_each_later_part_has_its_zip_beside_the_bundles_and_a_line_on_when_to_add_it(tmp_path, capsys):
    source = shutil.copytree(REFERENCES / KINETICS, tmp_path / "whole")
    (source / "SYNTHETIC.md").unlink()
    competition = write_source(tmp_path / "source") / "competition.yaml"
    text = with_phases_of_parts(competition_text(), KINETICS, "Other videos.", ["test", "final"])
    competition.write_text(text, encoding="utf-8")
    parts = tmp_path / "parts"
    assert main(f"split {KINETICS} --reference {source} --output {parts} --shares 1 1 1".split()) == 0
    capsys.readouterr()
    written = build_all(parts, output=tmp_path / "dist", source=competition.parent)
    names = [f"{KINETICS}_{number}" for number in (2, 3)]
    assert {f"{name}_public.zip" for name in names} < {path.name for path in written}
    lines = capsys.readouterr().out.splitlines()
    phases = yaml.safe_load(text)["phases"]
    for name, phase in zip(names, phases[1:]):
        public = zip_files((tmp_path / "dist" / f"{name}_public.zip").read_bytes())
        assert public == folder_files(parts / f"{name}_public")
        (line,) = [line for line in lines if f"{name}_public.zip" in line]
        assert phase["name"] in line and phase["start"] in line
    (parts / f"{names[1]}_public" / "classes.json").write_text("{}")
    findings = refused(build_all, parts, output=tmp_path / "dist", source=competition.parent)
    assert places_of(findings) == [("L-LEAK", f"{names[1]}_public.zip", "classes.json")]
