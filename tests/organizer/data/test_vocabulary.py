"""The vocabulary that prepare checks, completes and writes."""

from __future__ import annotations

import json
import shutil

import pytest

from organizer.__main__ import main
from scoring_program.signature import VOCABULARY_FILE
from tests.helpers import REFERENCES, loaded

KINETICS = "kinetics_tps"
CLASSES = ["climb_rope", "jump_rope", "paint_wall", "play_drums", "push_cart", "throw_ball"]


@pytest.fixture
def prepared(tmp_path, capsys):
    """Return a function that prepares a reference, that of the demo without its vocabulary if none is given.

    It returns the code, the output and the file.
    """

    def prepare(task=KINETICS, content=None, name="names.yaml", source=None):
        if source is None:
            source = shutil.copytree(REFERENCES / task, tmp_path / task, dirs_exist_ok=True)
            (source / VOCABULARY_FILE).unlink(missing_ok=True)
        arguments = ["prepare", task, "--source", str(source), "--output", str(tmp_path / "out")]
        if content is not None:
            (tmp_path / name).write_text(content, encoding="utf-8")
            arguments += ["--vocabulary", str(tmp_path / name)]
        code = main(arguments)
        path = tmp_path / "out" / VOCABULARY_FILE
        return code, capsys.readouterr().out, json.loads(path.read_text()) if path.is_file() else None

    return prepare


@pytest.mark.parametrize(
    ("task", "kinds"),
    [
        ("anet_entities_gen", ["class"]),
        ("anet_entities_gt", ["class"]),
        ("chalearn_action", ["class", "class_name"]),
        ("chalearn_gesture", ["class", "class_name"]),
        pytest.param("densepose", None, marks=pytest.mark.slow),
        (KINETICS, ["class", "part", "state"]),
    ],
)
def test_each_task_has_the_kinds_of_its_names_as_its_demo_reference_has(task, kinds, prepared):
    code, out, vocabulary = prepared(task)
    assert code == 0
    assert (list(vocabulary) if vocabulary else None) == kinds
    assert out.count("N-REF-VOCABULARY") == (3 if task == KINETICS else 0)
    assert out.count("Give all names with --vocabulary") == out.count("N-REF-VOCABULARY")
    demo = REFERENCES / task / VOCABULARY_FILE
    assert not demo.exists() or json.loads(demo.read_text(encoding="utf-8")) == vocabulary


@pytest.mark.parametrize("name", ["names.yaml", "names.json"])
def test_a_given_vocabulary_is_kept_in_its_order_and_missing_kinds_are_made(name, prepared, tmp_path):
    classes = ["zip_bag", *CLASSES]
    code, out, vocabulary = prepared(content=json.dumps({"class": classes}), name=name)
    assert code == 0
    assert vocabulary["class"] == classes
    assert vocabulary["part"] == sorted(vocabulary["part"])
    assert out.count("N-REF-VOCABULARY") == 2
    assert loaded(KINETICS, tmp_path / "out").public.vocabulary["class"] == classes


def test_a_vocabulary_in_the_source_is_read_and_changes_no_signature(prepared, tmp_path):
    prepared()
    signature = loaded(KINETICS, tmp_path / "out").signature
    source = shutil.copytree(REFERENCES / KINETICS, tmp_path / "source")
    (source / VOCABULARY_FILE).write_text(json.dumps({"class": [*CLASSES, "new"]}))
    code, _, vocabulary = prepared(source=source)
    assert (code, vocabulary["class"][-1]) == (0, "new")
    assert loaded(KINETICS, tmp_path / "out").signature == signature


@pytest.mark.parametrize(
    ("content", "code", "where"),
    [
        (json.dumps({"class": CLASSES[1:]}), "E-REF-VOCABULARY", "/class"),
        ("class: [a, 'b", "E-REF-VOCABULARY", "line 1"),
        ("class: [null, none]", "E-JSON-SCHEMA", "/class/0"),
        ("class: {a: b}", "E-JSON-SCHEMA", "/class"),
        ("- class", "E-JSON-SCHEMA", ""),
        ("class: []", "E-JSON-SCHEMA", "/class"),
        ("class: [a, a]", "E-JSON-SCHEMA", "/class"),
    ],
)
def test_a_wrong_vocabulary_is_refused_with_its_place(content, code, where, prepared):
    exit_code, out, vocabulary = prepared(content=content)
    assert (exit_code, vocabulary) == (1, None)
    assert code in out
    assert where in out


@pytest.mark.parametrize(
    ("task", "content", "words"),
    [
        (KINETICS, "states: [bend, hold]", "kinds of this task are class, part, state"),
        ("anet_entities_gt", "part: [head]", "kinds of this task are class:"),
        ("chalearn_gesture", "class: [wave, clap]", "takes no names from a file"),
        ("chalearn_gesture", "class_name: [wave, clap]", "takes no names from a file"),
        ("densepose", "part: [head]", "takes no names from a file"),
    ],
)
def test_names_that_a_task_would_ignore_are_refused(task, content, words, prepared):
    code, out, vocabulary = prepared(task, content)
    assert (code, vocabulary) == (1, None)
    assert "E-REF-VOCABULARY names.yaml: " in out
    assert words in out


def test_a_prepared_reference_of_fixed_names_can_be_prepared_again(prepared, tmp_path):
    _, _, vocabulary = prepared("chalearn_gesture")
    source = shutil.copytree(tmp_path / "out", tmp_path / "prepared")
    assert prepared("chalearn_gesture", source=source)[::2] == (0, vocabulary)


def test_a_vocabulary_that_is_not_there_is_refused(tmp_path, capsys):
    call = f"prepare {KINETICS} --source {REFERENCES / KINETICS} --output {tmp_path / 'out'}"
    assert main([*call.split(), "--vocabulary", str(tmp_path / "none.yaml")]) == 1
    assert "E-REF-VOCABULARY" in capsys.readouterr().out
