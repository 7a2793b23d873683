"""ChaLearn: the rows of all sequences, and the problems of all files in one order."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers import make_zip, places_of, refused, values_of
from validator.formats.chalearn.read import read
from validator.formats.chalearn.write import FORMAT, encode_files
from validator.formats.rules import load_rules

pytestmark = pytest.mark.interpreters

GESTURES, ACTIONS = load_rules("chalearn_gesture"), load_rules("chalearn_action")
ROW = "1,2,3\n"


def zipped(tmp_path, files):
    path = tmp_path / "s.zip"
    path.write_bytes(make_zip(files))
    return path


@pytest.mark.parametrize(("rules", "row"), [(GESTURES, "1,2,3"), (ACTIONS, "2,1,2,3")])
def test_the_files_of_all_sequences_are_read(tmp_path, rules, row):
    files = {"Sample0001_prediction.csv": f"{row}\n", "Sample0002_prediction.csv": f"{row}\n" * 2}
    submission = read(zipped(tmp_path, files), rules)
    sequences, rows = submission.content
    assert sequences == ["Sample0001", "Sample0002"]
    assert rows.sequence.tolist() == [0, 1, 1]
    actor = 2 if rules is ACTIONS else 1
    assert (rows.actor.tolist(), rows.label.tolist()) == ([actor] * 3, [1] * 3)
    assert rows.frames.tolist() == [[2, 3]] * 3
    assert submission.notes == []


def test_files_of_other_sequences_are_not_read(tmp_path):
    path = zipped(tmp_path, {"S1_prediction.csv": ROW, "S2_prediction.csv": ROW})
    sequences, rows = read(path, GESTURES, {"S1": 9, "S3": 9}).content
    assert (sequences, rows.label.tolist(), rows.frames.tolist()) == (["S1"], [1], [[2, 3]])
    path = zipped(tmp_path, {"S1_prediction.csv": ROW, "S2_prediction.csv": "1"})
    assert [note.code for note in read(path, GESTURES, {"S1": 9}).notes] == ["N-ITEMS-UNKNOWN"]
    findings = refused(read, path, GESTURES, {"S1": 9, "S2": 9})
    assert places_of(findings) == [("E-CSV-COLUMNS", "S2_prediction.csv", "line 1 column 1")]


@pytest.mark.parametrize(
    ("rules", "row", "most"), [(GESTURES, ROW, 9 * 20), (ACTIONS, "1,7,2,3\n", 9 * 11 * 2)]
)
def test_a_sequence_has_at_most_a_row_for_each_frame_class_and_actor(tmp_path, rules, row, most):
    files = {"S1_prediction.csv": row * (most + 1000), "S2_prediction.csv": row * (most + 1001)}
    findings = refused(read, zipped(tmp_path, files), rules, {"S1": 9, "S2": 9})
    assert places_of(findings) == [("E-CSV-COUNT", "S2_prediction.csv", "")]
    # The frames of a sequence stay out of messages, and are not known at home.
    assert "9" not in values_of(findings.problems[0].problem)
    assert read(zipped(tmp_path, files), rules).notes == []


def test_problems_of_names_of_damage_and_of_content_are_reported_together_in_this_order(tmp_path):
    files = {
        "S1_prediction.csv": "1,2,x\n",
        "S2_prediction.csv": "1,2\n",
        "S3_prediction.csv": ROW,
        "a/S4_prediction.csv": ROW,
        "S5_Prediction.csv": ROW,
    }
    path = zipped(tmp_path, files)
    data = bytearray(path.read_bytes())
    data[data.index(b"S3_prediction.csv") + len("S3_prediction.csv") + 2] ^= 0xFF
    path.write_bytes(data)
    assert places_of(refused(read, path, GESTURES, {"S1": 9, "S2": 9, "S3": 9})) == [
        ("E-FILE-CASE", "S5_Prediction.csv", ""),
        ("E-FILE-PLACE", "a/S4_prediction.csv", ""),
        ("E-ZIP-DAMAGED", "S3_prediction.csv", ""),
        ("E-CSV-INTEGER", "S1_prediction.csv", "line 1 column 3"),
        ("E-CSV-COLUMNS", "S2_prediction.csv", "line 1 column 2"),
    ]


def test_rows_beyond_the_frames_of_a_sequence(tmp_path):
    path = zipped(tmp_path, {"S1_prediction.csv": "1,2,30\n", "S2_prediction.csv": "1,2,30\n"})
    notes = read(path, GESTURES, {"S1": 9, "S2": 40}).notes
    assert [(note.code, values_of(note.text)) for note in notes] == [("N-CSV-CUT", ["1"])]
    findings = refused(read, path, GESTURES, {"S1": 1, "S2": 40})
    assert places_of(findings) == [("E-CSV-FRAME", "S1_prediction.csv", "line 1 column 2")]
    assert read(path, GESTURES).notes == []


def test_what_is_no_archive_is_refused_as_such(tmp_path):
    (problem,) = refused(read, tmp_path / "none.zip", GESTURES).problems
    assert problem.code == "E-FILE-MISSING"


@pytest.mark.parametrize(
    ("rules", "rows", "notes"),
    [
        (GESTURES, ROW, []),
        (GESTURES, ROW * 4, [("N-LOOKS-CONSTANT", ["4", "1"])]),
        (ACTIONS, "1,7,2,3\n2,7,4,5\n" * 2, [("N-LOOKS-CONSTANT", ["4", "7"])]),
        (ACTIONS, "1,7,2,3\n1,6,4,5\n" * 2, []),
        (GESTURES, "", [("N-EMPTY", [])]),
    ],
)
def test_likely_mistakes_are_noted(tmp_path, rules, rows, notes):
    content = read(zipped(tmp_path, {"S1_prediction.csv": rows}), rules).content
    assert [(note.code, values_of(note.text)) for note in FORMAT.hints(content, rules)] == notes


def spaced(n, label=lambda number: number % 20 + 1, length=10, step=20):
    """Return n rows of a gesture, one after the other: the class, the start and the end of each."""
    return [(label(number), 1 + step * number, length + step * number) for number in range(n)]


def with_copies(rows, *changes):
    """Return rows, each followed by copies with changes of class, start and end."""
    return [tuple(np.add(row, change)) for row in rows for change in ((0, 0, 0), *changes)]


@pytest.mark.parametrize(
    ("files", "notes"),
    [
        ([spaced(2)] * 3, [("N-LOOKS-CONSTANT", ["3", "2"])]),
        ([spaced(2), spaced(2)[::-1], spaced(2)], [("N-LOOKS-CONSTANT", ["3", "2"])]),
        ([spaced(2)] * 2, []),
        ([spaced(1)] * 3 + [spaced(2)], []),
        ([spaced(2), spaced(2), spaced(2, step=21)], []),
        # Other classes for the same interval: of all rows, of too few, and of too small a share.
        ([with_copies(spaced(10, lambda number: 1), (1, 0, 0))], [("N-REPEATED", ["20", "20"])]),
        ([with_copies(spaced(9, lambda number: 1), (1, 0, 0))], []),
        ([with_copies(spaced(10, lambda number: 1), (1, 0, 0)) + spaced(6, length=5)], []),
        # Windows of one class that share more than half of their frames, or half of them.
        ([with_copies(spaced(10), (0, 4, 4))], [("N-ROWS-OVERLAP", ["20", "20"])]),
        ([with_copies(spaced(10), (0, 5, 5))], []),
        ([with_copies(spaced(9), (0, 4, 4))], []),
        ([with_copies(spaced(10), (0, 4, 4)) + spaced(5, lambda number: 20, length=3)], []),
        ([spaced(7, length=20), spaced(7, length=21), spaced(6, length=22)], [("N-ROWS-GAPLESS", ["3", "3"])]),
        ([spaced(7, length=20), spaced(7, length=21), spaced(6)], []),
        ([spaced(10, length=20), spaced(10, length=21)], []),
    ],
)  # fmt: skip
def test_rows_that_look_alike_are_noted(files, notes):
    encoded_files = encode_files({f"S{number}": rows for number, rows in enumerate(files)})
    content = read(encoded_files, GESTURES).content
    found = [(note.code, values_of(note.text)) for note in FORMAT.hints(content, GESTURES)]
    assert [(code, values[: len(notes[0][1])]) for code, values in found] == notes


def test_rows_of_two_actors_do_not_overlap(tmp_path):
    rows = "".join(
        f"{actor},{n % 11 + 1},{1 + 20 * n},{10 + 20 * n}\n" for n in range(20) for actor in (1, 2)
    )
    content = read(zipped(tmp_path, {"S1_prediction.csv": rows}), ACTIONS).content
    assert FORMAT.hints(content, ACTIONS) == []


def test_caps_count_over_all_files(tmp_path):
    files = {f"S{number:02}_prediction.csv": "x\n" * 201 for number in range(30)}
    findings = refused(read, zipped(tmp_path, files), GESTURES)
    assert (len(findings.problems), findings.total, findings.summary().total_text()) == (
        5005,
        6030,
        "1 problem, in 6,030 places",
    )
