"""Each code of reference data, provoked once: the code, the file and the place."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
import scipy.io

from organizer.__main__ import main
from tests.helpers import REFERENCES as DEMO
from tests.helpers import ROOT, printed_problem
from tests.organizer.message_texts import REFERENCE_ERRORS, REFERENCE_NOTES, with_texts

GESTURE, KINETICS, DENSEPOSE = "chalearn_gesture", "kinetics_tps", "densepose"
GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"
ANNOTATIONS, SUBDIVIDED, TRANSFORM = "annotations.json", "SMPL_subdiv.mat", "SMPL_SUBDIV_TRANSFORM.mat"
DISTANCES = "Pdist_matrix.mat"


def text(name, content):
    """Return a change that writes a file."""
    return lambda folder: (folder / name).write_text(content, encoding="utf-8")


def without(name):
    """Return a change that removes a file."""
    return lambda folder: (folder / name).unlink()


def both(first, second):
    return lambda folder: (first(folder), second(folder))


def data(name, edit):
    """Return a change of the data of a JSON file."""

    def change(folder):
        document = json.loads((folder / name).read_text(encoding="utf-8"))
        edit(document)
        (folder / name).write_text(json.dumps(document), encoding="utf-8")

    return change


def arrays(name, edit):
    """Return a change of the arrays of a file of the body template."""

    def change(folder):
        content = scipy.io.loadmat(folder / name)
        values = {key: value for key, value in content.items() if not key.startswith("_")}
        edit(values)
        scipy.io.savemat(folder / name, values)

    return change


def annotated(document):
    """Return the first video, segment and its content of annotations."""
    video, content = next(iter(document["annotations"].items()))
    segment, words = next(iter(content["segments"].items()))
    return video, segment, words


def rename_class(document):
    for names in annotated(document)[2]["process_clss"]:
        names[:] = ["zeppelin"] * len(names)


def blank_class(document):
    """Blank a class, of a reference that declares no vocabulary."""
    del document["vocab"]
    annotated(document)[2]["process_clss"][0] = [""]


def with_blank_state(document):
    """Blank the first state of the first frame."""
    (human, *_) = document["demo_00000"]["img_00001.json"]["humans"]
    next(iter(human["parts"].values()))["verb"] = ""


def with_word(word):
    """Return a change that adds a word to the vocabulary, for which there is no lemma yet."""
    return both(
        without("lemmas.json"), data("reference.json", lambda document: document["vocab"].append(word))
    )


FIRST = annotated(json.loads((DEMO / GIVEN / "reference.json").read_text(encoding="utf-8")))[:2]
SEGMENT = "/annotations/{}/segments/{}".format(*FIRST)
PROBLEMS = [
    ("E-REF-CLASS", GIVEN, data("reference.json", rename_class), "reference.json", SEGMENT),
    ("E-REF-CLASS", GIVEN, data("reference.json", blank_class), "reference.json", SEGMENT),
    ("E-REF-CLASS", GIVEN, data("reference.json", lambda document: document["vocab"].append("")), "reference.json", "/vocab"),
    ("E-REF-CLASS", KINETICS, data("gt_vid_result.json", lambda document: document.update(demo_00003="")), "gt_vid_result.json", "/demo_00003"),
    ("E-REF-CLASS", KINETICS, data("gt_vid_result.json", lambda document: document.update(demo_00003="  ")), "gt_vid_result.json", "/demo_00003"),
    ("E-REF-CLASS", KINETICS, data("gt_part_result.json", with_blank_state), "gt_part_result.json", "/demo_00000/img_00001.json"),
    ("E-REF-EMPTY", GIVEN, text("split.json", '{"validation": []}'), "reference.json", ""),
    ("E-REF-EMPTY", GESTURE, text("DemoSequence0002_data.csv", ""), "DemoSequence0002_data.csv", ""),
    ("E-REF-EMPTY", DENSEPOSE, data(ANNOTATIONS, lambda document: document.update(annotations=[])), ANNOTATIONS, ""),
    ("E-REF-IMAGE", DENSEPOSE, data(ANNOTATIONS, lambda document: document["images"][1].update(width=0)), ANNOTATIONS, "/images/1"),
    ("E-REF-LEMMAS", GENERATED, text("lemmas.json", "[]"), "lemmas.json", ""),
    ("E-REF-MAT", DENSEPOSE, text(SUBDIVIDED, "no MATLAB file" * 20), SUBDIVIDED, ""),
    ("E-REF-MAT", DENSEPOSE, arrays(TRANSFORM, lambda document: document.update(other=document.pop("index"))), TRANSFORM, ""),
    ("E-REF-MAT", DENSEPOSE, text(DISTANCES, "no HDF5 file"), DISTANCES, ""),
    ("E-REF-NONE", KINETICS, without("gt_part_result.json"), "gt_part_result.json", ""),
    ("E-REF-NONE", GIVEN, without("split.json"), "split.json", ""),
    ("E-REF-NONE", DENSEPOSE, without(DISTANCES), DISTANCES, ""),
    ("E-REF-NONE", GESTURE, lambda folder: [path.unlink() for path in folder.glob("*.csv")], "{Id}_labels.csv", ""),
    ("E-REF-PAIR", GESTURE, without("DemoSequence0003_data.csv"), "DemoSequence0003_labels.csv", ""),
    ("E-REF-PAIR", KINETICS, data("gt_vid_result.json", dict.popitem), "gt_vid_result.json", "/demo_00035"),
    ("E-REF-PERSON", DENSEPOSE, data(ANNOTATIONS, lambda document: document["annotations"][2].update(bbox=[1, 2, 3])), ANNOTATIONS, "/annotations/2/bbox"),
    ("E-REF-PREPARED", KINETICS, text("reference.npz", "not arrays"), "reference.npz", ""),
    ("E-REF-SEGMENT", GIVEN, data("reference.json", lambda document: annotated(document)[2]["frame_ind"].pop()), "reference.json", SEGMENT),
    ("E-REF-SEGMENT", GIVEN, data("reference.json", lambda document: annotated(document)[2]["frame_ind"].__setitem__(0, 10)), "reference.json", f"{SEGMENT}/frame_ind/0"),
    ("E-REF-SHAPE", GIVEN, text("reference.json", "[]"), "reference.json", ""),
    ("E-REF-SHAPE", GIVEN, data("reference.json", lambda document: document["annotations"].update(v=1)), "reference.json", "/annotations/v"),
    ("E-REF-SHAPE", DENSEPOSE, text(ANNOTATIONS, "{}"), ANNOTATIONS, ""),
    ("E-REF-SPLIT", GIVEN, text("settings.yaml", "splits: [moon]"), "split.json", "/"),
    ("E-REF-SPLIT", GIVEN, text("split.json", '{"validation": 1}'), "split.json", "/validation"),
    ("E-REF-SPLIT", GIVEN, text("split.json", "[]"), "split.json", "/"),
    ("E-REF-TEMPLATE", DENSEPOSE, arrays(SUBDIVIDED, lambda document: document.update(U_subdiv=document["U_subdiv"] + 1)), SUBDIVIDED, ""),
    ("E-REF-TEMPLATE", DENSEPOSE, arrays(SUBDIVIDED, lambda document: document.update(Part_ID_subdiv=document["Part_ID_subdiv"] * 0)), SUBDIVIDED, "Part_ID_subdiv"),
    ("E-REF-TEMPLATE", DENSEPOSE, arrays(TRANSFORM, lambda document: document.update(index=document["index"] * 0)), TRANSFORM, "index"),
    ("E-REF-TEMPLATE", DENSEPOSE, arrays(TRANSFORM, lambda document: document.update(index=document["index"] + 10**6)), TRANSFORM, ""),
    ("E-SETTINGS-KEY", GESTURE, text("settings.yaml", "protocoll: released"), "settings.yaml", "/protocoll"),
    ("E-SETTINGS-NAME", GESTURE, text("settings.yml", "protocol: released"), "settings.yml", ""),
    ("E-SETTINGS-VALUE", GESTURE, text("settings.yaml", "score_decimals: 11"), "settings.yaml", "/score_decimals"),
    ("E-SETTINGS-YAML", GESTURE, text("settings.yaml", "detail: full\nprotocol: [released"), "settings.yaml", "line 2 column 20"),
    ("E-SETTINGS-YAML", GESTURE, text("settings.yaml", "- released"), "settings.yaml", ""),
]  # fmt: skip
NOTES = [
    ("N-LEMMAS-MISSING", GENERATED, with_word("zeppelinish")),
    ("N-LEMMAS-NO-TOKEN", GENERATED, with_word(" ")),
    ("N-REF-LEMMAS", GENERATED, without("lemmas.json")),
]


def changed_source(task, change, tmp_path):
    """Return a copy of demo data with a change."""
    source = shutil.copytree(DEMO / task, tmp_path / task)
    # It would lack the names that a change adds.
    (source / "vocabulary.json").unlink(missing_ok=True)
    change(source)
    return source


def prepared(task, change, tmp_path, capsys):
    """Return the exit code and what ``python -m organizer prepare`` prints for demo data with a change."""
    source = changed_source(task, change, tmp_path)
    code = main(["prepare", task, "--source", str(source), "--output", str(tmp_path / "output")])
    return code, capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("code", "task", "change", "file", "where", "message"),
    with_texts(PROBLEMS, REFERENCE_ERRORS),
    ids=[f"{case[0]}-{case[1]}" for case in PROBLEMS],
)
def test_problem_of_a_reference_has_its_code_and_place(
    code, task, change, file, where, message, tmp_path, capsys
):
    exit_code, lines = prepared(task, change, tmp_path, capsys)
    assert exit_code == 1
    (text,) = [problem.text for problem in map(printed_problem, lines) if problem[:3] == (code, file, where)]
    assert message in (None, text)
    assert not (tmp_path / "output").exists()


def test_file_with_a_wrong_name_is_named_beside_the_one_that_is_missing(tmp_path, capsys):
    def rename(folder):
        (folder / "DemoSequence0003_labels.csv").rename(folder / "DemoSequence0003_label.csv")

    exit_code, lines = prepared(GESTURE, rename, tmp_path, capsys)
    assert exit_code == 1
    missing, left_out = map(printed_problem, lines)
    assert missing[:3] == ("E-REF-PAIR", "DemoSequence0003_data.csv", "")
    assert "{Id}_labels.csv" in missing.text
    assert left_out[:3] == ("R-LEFT-OUT", GESTURE, "")
    assert "DemoSequence0003_label.csv" in left_out.text
    assert "*_labels.csv" in left_out.text


def test_many_files_with_wrong_names_are_one_line(tmp_path, capsys):
    def rename(folder):
        for path in sorted(folder.glob("*_labels.csv"))[:5]:
            path.rename(path.with_name(path.name.replace("_labels", "_label")))

    exit_code, lines = prepared(GESTURE, rename, tmp_path, capsys)
    assert exit_code == 1
    assert [printed_problem(line).code for line in lines] == ["E-REF-PAIR", "R-LEFT-OUT"]
    assert "5 files" in lines[0]


@pytest.mark.parametrize("task", [GESTURE, KINETICS])
def test_files_that_systems_add_are_no_part_of_a_reference(tmp_path, capsys, task):
    def add(folder):
        (folder / "Thumbs.db").write_bytes(b"")
        for path in sorted(folder.glob("*.*")):
            (folder / f"._{path.name}").write_bytes(b"\0\5\x16\7")

    exit_code, lines = prepared(task, add, tmp_path, capsys)
    assert exit_code == 0
    assert not [line for line in lines if "._" in line or "Thumbs.db" in line]
    assert not list((tmp_path / "output").glob("._*"))


def test_table_of_groups_that_no_setting_names_is_explained(tmp_path, capsys):
    def add(folder):
        (folder / "persons.csv").write_text("item,group\nDemoSequence0001,ann\n")

    exit_code, lines = prepared(GESTURE, add, tmp_path, capsys)
    assert exit_code == 0
    (line,) = [line for line in lines if "R-LEFT-OUT" in line]
    assert "item_groups: persons.csv" in line


@pytest.mark.parametrize(
    ("code", "task", "change", "message"),
    with_texts(NOTES, REFERENCE_NOTES),
    ids=[case[0] for case in NOTES],
)
def test_note_on_a_reference_has_its_code_and_words(code, task, change, message, tmp_path, capsys):
    exit_code, lines = prepared(task, change, tmp_path, capsys)
    assert exit_code == 0, lines
    assert f"note {code}: {message}" in lines


def test_problem_of_an_interpreter_without_numpy(tmp_path):
    script = ROOT / "scoring_program" / "score.py"
    command = [sys.executable, "-S", str(script), str(tmp_path), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.partition(":")[0]) == (2, "E-PYTHON")
    assert "numpy" in done.stderr
