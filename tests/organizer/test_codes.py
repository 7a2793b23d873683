"""Codes that only organizers' commands report, each provoked once: the code, the file and the words."""

from __future__ import annotations

import pytest

from organizer.__main__ import main
from tests.helpers import REFERENCES, make_zip, printed_problems
from tests.organizer.message_texts import COMMAND_ERRORS, with_texts

GESTURE, GENERATED = "chalearn_gesture", "anet_entities_gen"
SOURCE = str(REFERENCES / GESTURE)
SPLIT = ["split", GESTURE, "--reference", SOURCE, "--output", "out"]
LEMMAS = {
    path.relative_to(REFERENCES / GENERATED).as_posix(): path.read_bytes()
    for path in (REFERENCES / GENERATED).iterdir()
    if path.name != "lemmas.json"
}

# The code, the file and the place that the message names, the files below the folder of the command, and its arguments.
CASES = [
    ("E-CORENLP", "none", "", LEMMAS, ["prepare", GENERATED, "--source", ".", "--output", "out", "--corenlp", "none"]),
    ("E-NEW", "", "", {}, ["new-task", "Birds", "--title", "Birds", "--format", "csv"]),
    ("E-REF-MISSING", "none", "", {}, ["prepare", GESTURE, "--source", "none", "--output", "out"]),
    ("E-REF-OTHER", "out", "notes.txt", {"out/notes.txt": b""}, ["prepare", GESTURE, "--source", SOURCE, "--output", "out"]),
    ("E-REF-SAMPLE", "refs/kinetics_tps_sample.zip", "",
     {f"refs/{GESTURE}/x": b"", "refs/kinetics_tps_sample.zip": b""}, ["bundle", "--reference", "refs"]),
    ("E-REF-UNKNOWN", "refs", "", {}, ["bundle", "--reference", "refs"]),
    ("E-SPLIT-EMPTY", "", "", {}, [*SPLIT, "--shares", "0.001", "99"]),
    ("E-SPLIT-FILE", "split.csv", "line 1", {"out/split.csv": b"video,part\n"}, SPLIT),
    ("E-SPLIT-NEW", "split.csv", "",
     {"out/split.csv": f"item,part\nS1,{GESTURE}\nS2,{GESTURE}_2\n".encode()}, SPLIT),
    ("L-COMPETITION", "x.zip", "", {"x.zip": make_zip({"folder/competition.yaml": "version: 2"})}, ["lint", "x.zip"]),
    ("L-YAML", "competition.yaml", "", {"x.zip": make_zip({"competition.yaml": "- list"})}, ["lint", "x.zip"]),
    ("L-ZIP", "x.zip", "", {}, ["lint", "x.zip"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "file", "where", "files", "arguments", "message"),
    with_texts(CASES, COMMAND_ERRORS),
    ids=[case[0] for case in CASES],
)
def test_problem_of_a_command_has_its_code_file_and_words(
    code, file, where, files, arguments, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert main(arguments) == 1
    (problem,) = printed_problems("".join(capsys.readouterr()))
    assert problem[:3] == (code, file, where)
    assert message in (None, problem.text)
