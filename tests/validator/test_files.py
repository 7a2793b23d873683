"""Which files of a submission are read, and what is said about all others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.helpers import make_zip
from validator import check
from validator.check import check_submission, submission_facts
from validator.findings import Findings
from validator.formats.rules import JsonRules, TableColumn, TableRules, load_rules

GESTURES = load_rules("chalearn_gesture")
ROW = "1,2,3\n"
TABLES = replace(
    load_rules("chalearn_gesture"),
    csv=None,
    tables=(TableRules("birds.csv", (TableColumn("id"), TableColumn("n", "integer"))),),
)
BIRDS = "id,n\na,1\n"


def run(tmp_path, files, rules=GESTURES, last_frames=None, **options):
    """Check a zip with these files; return the content, and codes and texts of problems and notes."""
    path, findings = tmp_path / "s.zip", Findings()
    path.write_bytes(make_zip(files))
    content = check_submission(path, rules, findings, last_frames, **options)
    return (
        content,
        [problem.line() for problem in findings.problems],
        [note.line() for note in findings.notes],
    )


def test_the_files_of_all_items_are_read(tmp_path):
    files = {"Sample0001_prediction.csv": ROW, "Sample0002_prediction.csv": ROW * 2}
    content, problems, notes = run(tmp_path, files)
    assert (content.keys, content.values.tolist(), content.file_index.tolist()) == (
        ["Sample0001", "Sample0002"], [[1, 2, 3]] * 3, [0, 1, 1],
    )  # fmt: skip
    assert (problems, notes) == ([], [])


NAMES = "<sequence>_prediction.csv"


@pytest.mark.parametrize(
    ("files", "last_frames", "problems", "notes"),
    [
        ({}, None, ["E-FILE-NONE: there are no files; name your files " + NAMES + ", at the top of the zip."], []),
        (
            {"readme.txt": "x"},
            None,
            ["E-FILE-NONE: no usable file was found; found: readme.txt; name your files " + NAMES + ", at the top of the zip."],
            ["N-FILE-IGNORED: readme.txt: not named " + NAMES + ", ignored"],
        ),
        (
            {"S1_prediction.csv": ROW, "S2_predictionx.csv": ROW, **{f"{i}.txt": "" for i in range(5)}},
            None,
            [],
            [
                "N-FILE-IGNORED: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 1 more: not named " + NAMES
                + ", ignored (is S2_predictionx.csv misspelled?)"
            ],
        ),
        (
            {"S1_prediction.csv": ROW, **{f"{i}.txt": "" for i in range(5)}},
            None,
            [],
            ["N-FILE-IGNORED: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt: not named " + NAMES + ", ignored"],
        ),
        (
            {"S1_prediction.csv": ROW, "S2_Prediction.CSV": ROW},
            None,
            ["E-FILE-CASE S2_Prediction.CSV: upper and lower case differ; rename it to S2_prediction.csv."],
            [],
        ),
        (
            {"a/S1_prediction.csv": ROW, "b/S2_prediction.csv": ROW},
            None,
            [
                "E-FILE-PLACE a/S1_prediction.csv: the file is in a folder; put all files at the top of the zip.",
                "E-FILE-PLACE b/S2_prediction.csv: the file is in a folder; put all files at the top of the zip.",
            ],
            [],
        ),
        (
            {"S1_prediction.csv": ROW, "S2_prediction.csv": ROW},
            {"S1": 9},
            [],
            ["N-FILE-UNKNOWN: S2_prediction.csv: no sequence of this name, ignored"],
        ),
        (
            {"S2_prediction.csv": ROW},
            {"S1": 9},
            ["E-FILE-NONE: no usable file was found; found: S2_prediction.csv; name your files " + NAMES + ", at the top of the zip."],
            ["N-FILE-UNKNOWN: S2_prediction.csv: no sequence of this name, ignored"],
        ),
        (
            {"s1_prediction.csv": ROW},
            {"S1": 9},
            [
                "E-FILE-CASE s1_prediction.csv: upper and lower case differ; write the sequence as in the names of the data.",
            ],
            [],
        ),
        (
            {"S1_prediction.csv": ROW, "S2_prediction.csv": "1"},
            {"S1": 9},
            ["E-CSV-COLUMNS S2_prediction.csv line 1 column 1: the row has 1 field instead of 3; write gesture,start frame,end frame."],
            ["N-FILE-UNKNOWN: S2_prediction.csv: no sequence of this name, ignored"],
        ),
        (
            {"densepose_x_results.json": "[]"},
            None,
            [
                "E-FILE-NONE: no usable file was found; found: densepose_x_results.json; "
                "these are files of densepose: submit them there, or name the right task."
            ],
            ["N-FILE-IGNORED: densepose_x_results.json: not named " + NAMES + ", ignored"],
        ),
    ],
)  # fmt: skip
def test_files_of_items(tmp_path, files, last_frames, problems, notes):
    content, *found = run(tmp_path, files, last_frames=last_frames)
    assert found == [problems, notes]
    assert (content is None) == bool(problems)


def test_a_second_spelling_is_read_with_a_note(tmp_path):
    assert GESTURES.csv
    rules = replace(GESTURES, csv=replace(GESTURES.csv, also_named=("{key}_pred.csv", "{key}_p.csv")))
    content, problems, notes = run(
        tmp_path, {"S1_pred.csv": ROW, "S2_prediction.csv": ROW, "S3_pred.csv": ROW}, rules
    )
    assert content.keys == ["S1", "S2", "S3"]
    assert (problems, notes) == ([], ["N-FILE-SPELLING: 2 files named _pred.csv instead of _prediction.csv"])
    content, problems, _ = run(tmp_path, {"S1_pred.csv": ROW, "S1_prediction.csv": ROW}, rules)
    assert content is None
    assert problems == [
        "E-FILE-TWICE S1_prediction.csv: there is also S1_pred.csv for the same sequence; keep one of the two."
    ]
    _, _, notes = run(tmp_path, {"S1_pred.csv": ROW, "S2_prediction.csv": ROW}, rules, {"S2": 9})
    assert notes == ["N-FILE-UNKNOWN: S1_pred.csv: no sequence of this name, ignored"]


@pytest.mark.parametrize(
    ("files", "problem", "notes"),
    [
        ({"birds.csv": BIRDS}, "", []),
        ({"birds.csv": BIRDS, "a.txt": ""}, "", ["N-FILE-IGNORED: a.txt: not needed, ignored"]),
        ({"mine.csv": BIRDS}, "", ["N-FILE-SPELLING: mine.csv was read; its name should be birds.csv"]),
        ({"mine.CSV": BIRDS, "a.txt": ""}, "", [
            "N-FILE-SPELLING: mine.CSV was read; its name should be birds.csv",
            "N-FILE-IGNORED: a.txt: not needed, ignored",
        ]),
        ({"mine.csv": BIRDS, "other.csv": BIRDS}, "it is missing; found: mine.csv, other.csv; put it at the top", []),
        ({"a.txt": ""}, "E-FILE-NONE birds.csv: it is missing; found: a.txt; put it at the top of the zip.", []),
        ({}, "it is missing; there is no other file that could be it; put it at the top of the zip.", []),
        ({"x.csv": "", "a/birds.csv": BIRDS}, "E-FILE-PLACE a/birds.csv: the file is in a folder; put all files at", []),
        ({"x/mine.csv": BIRDS, "y.txt": ""}, "it is missing; found: x/mine.csv, y.txt", []),
        ({"x.csv": "", "Birds.csv": BIRDS}, "E-FILE-CASE Birds.csv: upper and lower case differ; rename it to birds.csv", []),
        ({"x.csv": "", "bird.csv": BIRDS}, "but there is bird.csv; is it misspelled? Rename it to birds.csv.", []),
        ({"x.csv": "", "S1_prediction.csv": ROW}, "these are files of chalearn_action: submit them there", []),
    ],
)  # fmt: skip
def test_files_with_a_name(tmp_path, files, problem, notes):
    content, problems, found = run(tmp_path, files, TABLES)
    if problem:
        assert content is None
        assert len(problems) == 1
        assert problem in problems[0]
    else:
        assert problems == []
        assert content["birds.csv"].columns["n"].tolist() == [1]
    assert found == notes


def test_one_of_several_files_is_not_guessed(tmp_path):
    rules = replace(TABLES, tables=(*TABLES.tables, replace(TABLES.tables[0], file="bees.csv")))
    _, problems, _ = run(tmp_path, {"mine.csv": BIRDS}, rules)
    assert [line.split(":")[0] for line in problems] == ["E-FILE-NONE birds.csv", "E-FILE-NONE bees.csv"]
    content, problems, _ = run(tmp_path, {"birds.csv": BIRDS, "bees.csv": BIRDS}, rules)
    assert list(content) == ["birds.csv", "bees.csv"]


def test_a_file_of_any_name_is_the_first_of_the_rules(tmp_path):
    rules = replace(GESTURES, csv=None, json=JsonRules("objects", ("a.json", "b.txt"), 5, any_single=True))
    _, problems, notes = run(tmp_path, {"mine.json": "{}"}, rules)
    assert problems == [
        "E-FILE-NONE b.txt: it is missing; there is no other file that could be it; put it at the top of the zip."
    ]
    assert notes == ["N-FILE-SPELLING: mine.json was read; its name should be a.json"]


def test_misspelled_ends_of_long_names_are_noticed(tmp_path):
    name = f"{'a' * 60}_predictionx.csv"
    _, _, notes = run(tmp_path, {"S1_prediction.csv": ROW, name: ROW})
    assert notes == [f"N-FILE-IGNORED: {name}: not named {NAMES}, ignored (is {name} misspelled?)"]
    _, _, notes = run(tmp_path, {"S1_prediction.csv": ROW, f"{'a' * 60}.csv": ROW})
    assert "misspelled" not in notes[0]


@pytest.mark.parametrize(("n_before", "is_noticed"), [(99, True), (100, False)])
def test_a_hundred_names_are_compared(tmp_path, n_before, is_noticed):
    others = {f"a{index:03}.txt": "" for index in range(n_before)}
    _, _, notes = run(tmp_path, {"S1_prediction.csv": ROW, "z_predictionx.csv": ROW, **others})
    assert ("misspelled" in notes[0]) == is_noticed


def test_names_may_hold_stars(tmp_path):
    rules = replace(TABLES, tables=(replace(TABLES.tables[0], file="birds_*.csv"),))
    assert run(tmp_path, {"birds_1.csv": BIRDS}, rules)[0]
    _, problems, _ = run(tmp_path, {"birds_1.csv": BIRDS, "birds_2.csv": BIRDS}, rules)
    assert problems == ["E-FILE-TWICE birds_*.csv: birds_1.csv, birds_2.csv all fit; keep one of them."]


def test_options_are_those_of_the_reader(tmp_path):
    _, problems, _ = run(tmp_path, {"birds.csv": BIRDS}, TABLES, reference_keys=["a", "b"], name_missing=True)
    assert "1 of 2, as b" in problems[0]


@pytest.mark.parametrize(
    "rules", [GESTURES, TABLES, load_rules("densepose"), load_rules("kinetics_tps")], ids=str
)
def test_damaged_files_are_told(tmp_path, rules):
    files = {"S1_prediction.csv": ROW} if rules.csv else {}
    for file in [] if rules.csv else rules.named_files:
        files[file.replace("*", "x")] = "[" + '{"a": 1}, ' * 200
    data = make_zip(files)
    # A byte of the compressed content, which begins behind the name of the first file.
    at = data.index(next(iter(files)).encode()) + len(next(iter(files))) + 2
    path, findings = tmp_path / "s.zip", Findings()
    path.write_bytes(data[:at] + bytes([data[at] ^ 255]) + data[at + 1 :])
    assert check_submission(path, rules, findings) is None
    assert "E-ZIP-DAMAGED" in findings.lines()[0]


def test_facts_end_with_what_was_not_compared(tmp_path):
    unchecked = ["N-UNCHECKED: names, ids and boxes were not compared with the reference"]
    for files, rules, first in (
        ({"S1_prediction.csv": ROW}, GESTURES, []),
        (
            {"S1_prediction.csv": ROW * 4},
            GESTURES,
            ["N-LOOKS-CONSTANT: all 4 rows have the class 1. Is it the right column?"],
        ),
        (
            {"S1_prediction.csv": ""},
            GESTURES,
            ["N-EMPTY: the submission contains no predictions. Was it written too early?"],
        ),
        (
            {"birds.csv": "id,n\n"},
            TABLES,
            ["N-EMPTY: the submission contains no predictions. Was it written too early?"],
        ),
    ):
        content, _, _ = run(tmp_path, files, rules)
        assert [note.line() for note in submission_facts(content, rules)] == first + unchecked


def test_files_of_other_tasks_are_known_by_their_names():
    for name, files in (
        ("chalearn_action", ["S1_prediction.csv"]),
        ("densepose", ["x.txt", "folder/densepose_x_results.json"]),
        ("", ["x.txt"]),
        ("", []),
    ):
        hint = check._other_task(files)
        assert (f"files of {name}:" in hint) if name else not hint
