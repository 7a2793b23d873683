"""Which files of a submission are chosen by their names and what is reported of all others."""

from __future__ import annotations

import gzip

import pytest

from tests.helpers import make_zip, places_of, refused, text_of, values_of
from validator.checking import load_format
from validator.choose_items import choose_items
from validator.choose_named import choose_named
from validator.formats.rules import JsonFile, load_rules, task_ids
from validator.submission import open_submission

GESTURES = load_rules("chalearn_gesture")
(CSV,) = GESTURES.csv
BIRDS = GESTURES._replace(
    csv=(), json=(JsonFile("birds.json", GESTURES.folder / "birds.json"),), any_single=True
)


def opened(tmp_path, files):
    """Open a zip with these files; names alone are those of empty ones."""
    path = tmp_path / "s.zip"
    path.write_bytes(make_zip(files if isinstance(files, dict) else dict.fromkeys(files, "")))
    return open_submission(path, GESTURES.limits)


def items(tmp_path, files, known=None, csv=CSV):
    """Return the file of each item, and the findings."""
    with opened(tmp_path, files) as submission:
        return choose_items(submission, csv, known)


def named(tmp_path, files, rules=BIRDS):
    """Choose the files that the rules name."""
    with opened(tmp_path, files) as submission:
        return choose_named(submission, rules)


def test_all_items_have_their_file(tmp_path):
    files = ["Sample0001_prediction.csv", "top/Sample0002_prediction.csv"]
    chosen, findings = items(tmp_path, files[:1])
    assert chosen == {"Sample0001": files[0]}
    assert (findings.problems, findings.notes) == ([], [])
    chosen, findings = items(tmp_path, files)
    assert chosen == {"Sample0001": files[0]}
    assert places_of(findings) == [("E-FILE-PLACE", files[1], "")]


def test_letters_of_other_scripts_are_no_spelling_of_a_name(tmp_path):
    chosen, findings = items(tmp_path, ["S1_prediction.c\u017fv"])
    assert chosen == {}
    assert places_of(findings) == [("E-FILE-NONE", "", "")]


NAMES = "<sequence>_prediction.csv"
OTHERS = [f"{number}.txt" for number in range(5)]


# A problem is its code, its file, and what its text names; a note its code and what it names.
@pytest.mark.parametrize(
    ("files", "known", "problems", "notes"),
    [
        ([], None, [("E-FILE-NONE", "", NAMES)], []),
        (["readme.txt"], None, [("E-FILE-NONE", "", "no file is named <sequence>_prediction.csv; found: readme.txt")], []),
        (["S1.csv", "S2.csv"], ["S1", "S2"], [("E-FILE-NONE", "", "rename S1.csv to S1_prediction.csv")], []),
        (["S1 prediction.csv", "S1-b prediction.csv"], ["S1", "S1-b"], [("E-FILE-NONE", "", "rename S1 prediction.csv to S1_prediction.csv")], []),
        (["all.csv", "S2_labels.txt"], ["S1", "S2"], [("E-FILE-NONE", "", "rename S2_labels.txt to S2_prediction.csv")], []),
        (["S1_data.csv", "S1_labels.csv"], ["S1", "S2"], [("E-FILE-NONE", "", "S1_data.csv is a file of the data, no prediction")], []),
        (["table.csv"], ["S1", "S2"], [("E-FILE-NONE", "", "people-in-video convert` makes them from one table")], []),
        (["S1_prediction.csv", *OTHERS], None, [], [("N-FILE-IGNORED", "0.txt, 1.txt, 2.txt, 3.txt, 4.txt: ")]),
        (["S1_prediction.csv", *OTHERS, "5.txt"], None, [], [("N-FILE-IGNORED", "0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 1 more: ")]),
        (["S1_prediction.csv", "S2_Prediction.CSV"], None, [("E-FILE-CASE", "S2_Prediction.CSV", NAMES)], []),
        (["a/S1_prediction.csv", "b/S2_prediction.csv"], None, [("E-FILE-PLACE", "a/S1_prediction.csv", ""), ("E-FILE-PLACE", "b/S2_prediction.csv", "")], []),
        (["S1_prediction.csv", "S2_prediction.csv"], ["S1"], [], [("N-ITEMS-UNKNOWN", "'S2' (S2_prediction.csv)")]),
        (["S2_prediction.csv", "S3_prediction.csv"], ["S1"], [("E-ITEMS-NONE", "S2_prediction.csv", "'S2'")], []),
        (["s1_prediction.csv"], ["S1"], [("E-FILE-CASE", "s1_prediction.csv", NAMES)], []),
        (["S1_PREDICTION.CSV"], ["S1"], [("E-FILE-CASE", "S1_PREDICTION.CSV", NAMES)], []),
        (["densepose_x_results.json"], None, [("E-TASK", "", "densepose")], []),
        (["S1_prediction.csv", "densepose_x_results.json"], None, [], [("N-FILE-IGNORED", "densepose_x_results.json")]),
    ],
)  # fmt: skip
def test_files_of_items(tmp_path, files, known, problems, notes):
    _, findings = items(tmp_path, files, known)
    assert places_of(findings) == [(code, file, "") for code, file, _ in problems]
    for problem, (_, _, name) in zip(findings.problems, problems):
        assert name in text_of(problem)
    assert [note.code for note in findings.notes] == [code for code, _ in notes]
    for note, (_, name) in zip(findings.notes, notes):
        assert name in note.text


def test_the_same_slip_in_240_names_is_one_line(tmp_path):
    _, findings = items(tmp_path, [f"S{number}_Prediction.csv" for number in range(240)], None)
    (placed,) = findings.summary().problems()
    assert (placed.first.code, placed.n_places) == ("E-FILE-CASE", 240)


def test_the_kind_of_a_file_that_no_item_has_is_named(tmp_path):
    _, findings = items(tmp_path, {"all.bin": gzip.compress(b"7,10,76")})
    assert "all.bin is a gzip file" in findings.problems[0].problem


def test_a_second_spelling_is_chosen_with_a_note(tmp_path):
    csv = CSV._replace(other_paths=("{key}_pred.csv", "{key}_p.csv"))
    chosen, findings = items(tmp_path, ["S1_pred.csv", "S2_prediction.csv", "S3_pred.csv"], None, csv)
    assert chosen == {"S1": "S1_pred.csv", "S2": "S2_prediction.csv", "S3": "S3_pred.csv"}
    assert findings.problems == []
    (note,) = findings.notes
    assert (note.code, values_of(note.text)) == ("N-FILE-SPELLING", ["2"])
    assert note.text.index("_pred.csv") < note.text.index("_prediction.csv")
    _, findings = items(tmp_path, ["S1_pred.csv", "S1_prediction.csv"], None, csv)
    assert places_of(findings) == [("E-FILE-TWICE", "S1_prediction.csv", "")]
    assert "S1_pred.csv" in findings.problems[0].problem
    _, findings = items(tmp_path, ["S1_pred.csv", "S2_prediction.csv"], ["S2"], csv)
    assert [note.code for note in findings.notes] == ["N-ITEMS-UNKNOWN"]


@pytest.mark.parametrize(
    ("files", "chosen", "notes"),
    [
        (["birds.json"], "birds.json", []),
        (["birds.json", "a.txt"], "birds.json", [("N-FILE-IGNORED", "a.txt")]),
        (["mine.json"], "mine.json", [("N-FILE-SPELLING", "mine.json")]),
        (["mine.JSON", "a.txt"], "mine.JSON", [("N-FILE-SPELLING", "mine.JSON"), ("N-FILE-IGNORED", "a.txt")]),
    ],
)  # fmt: skip
def test_file_with_a_name_or_the_only_one_of_its_type_is_chosen(tmp_path, files, chosen, notes):
    read = named(tmp_path, files)
    assert read.content == {"birds.json": chosen}
    assert [note.code for note in read.notes] == [code for code, _ in notes]
    for note, (_, name) in zip(read.notes, notes):
        assert name in note.text


@pytest.mark.parametrize(
    ("files", "code", "file", "name"),
    [
        (["mine.json", "other.json"], "E-FILE-NONE", "birds.json", "mine.json, other.json"),
        (["a.txt"], "E-FILE-NONE", "birds.json", "a.txt"),
        ([], "E-FILE-NONE", "birds.json", "there are no files"),
        (["x.json", "a/birds.json"], "E-FILE-PLACE", "a/birds.json", ""),
        (["x/mine.json", "y.txt"], "E-FILE-NONE", "birds.json", "x/mine.json, y.txt"),
        (["x.json", "Birds.json"], "E-FILE-CASE", "Birds.json", "birds.json"),
        (["x.json", "bird.json"], "E-FILE-NONE", "birds.json", "bird.json; is it misspelled?"),
        (["birds1.json", "birds2.json"], "E-FILE-NONE", "birds.json", "found: birds1.json, birds2.json"),
        (["birds.json.bak", "x.md"], "E-FILE-NONE", "birds.json", "Rename it to birds.json"),
        (["birds.json.txt", "x.md"], "E-FILE-NONE", "birds.json", "Rename it to birds.json"),
        (["x.json", "y.json", "S1_prediction.csv"], "E-TASK", "", "chalearn_action or chalearn_gesture"),
        (["x.txt", "folder/densepose_x_results.json"], "E-TASK", "", "submission to densepose"),
        (["a/birds.json", "S1_prediction.csv"], "E-FILE-PLACE", "a/birds.json", ""),
    ],
)
def test_missing_file_is_reported_with_what_was_found(tmp_path, files, code, file, name):
    findings = refused(named, tmp_path, files)
    assert places_of(findings) == [(code, file, "")]
    assert name in text_of(findings.problems[0])


@pytest.mark.parametrize(
    ("files", "code", "file", "name"),
    [
        (["pred_part_result.json"], "E-FILE-NONE", "pred_vid_result.json", "found: pred_part_result.json"),
        (
            ["pred_part_results.json", "pred_vid_result.json"],
            "E-FILE-NONE",
            "pred_part_result.json",
            "pred_part_results.json",
        ),
        (
            ["pred_part_result.json", "pred_vid_result.csv"],
            "E-FILE-NONE",
            "pred_vid_result.json",
            "write its content as JSON, with the name pred_vid_result.json",
        ),
        (
            ["Pred_part_result.json", "pred_vid_result.json"],
            "E-FILE-CASE",
            "Pred_part_result.json",
            "pred_part_result.json",
        ),
        (["x/pred_part_result.json", "pred_vid_result.json"], "E-FILE-PLACE", "x/pred_part_result.json", ""),
    ],
)
def test_one_of_two_files_that_is_missing_is_reported(tmp_path, files, code, file, name):
    findings = refused(named, tmp_path, files, load_rules("kinetics_tps"))
    assert places_of(findings) == [(code, file, "")]
    assert name in text_of(findings.problems[0])


def test_a_file_is_offered_for_one_missing_file_only(tmp_path):
    findings = refused(
        named, tmp_path, ["pred_vid.json", "pred_part_results.json"], load_rules("kinetics_tps")
    )
    assert places_of(findings) == [
        ("E-FILE-NONE", "pred_vid_result.json", ""),
        ("E-FILE-NONE", "pred_part_result.json", ""),
    ]
    assert "there is pred_vid.json; is it misspelled?" in text_of(findings.problems[0])
    assert "there is pred_part_results.json; is it misspelled?" in text_of(findings.problems[1])


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("all.bin", b"\x80\x04\x95" + bytes(50), "all.bin, a pickle of Python; write its content as JSON, with"),
        ("birds.csv", b"a,b", "birds.csv; write its content as JSON, with the name"),
        ("all.csv", b"a,b", "found: all.csv; put it"),
        ("all.bin", b"{}", "found: all.bin; put it"),
    ],
)  # fmt: skip
def test_the_only_file_is_named_by_its_kind_where_that_is_another(tmp_path, name, content, expected):
    (problem,) = refused(named, tmp_path, {name: content}).problems
    assert (problem.code, problem.file) == ("E-FILE-NONE", "birds.json")
    assert expected in text_of(problem)


@pytest.mark.parametrize(
    ("content", "is_told"),
    [
        (b"1,2,3\n", True),
        (b"1;2;3", True),
        (b"", True),
        (b"background\njump\n", False),
        (b"[[1, 2, 3]]", False),
    ],
)
def test_only_what_may_hold_rows_is_told_to_be_renamed(tmp_path, content, is_told):
    path = tmp_path / "s.zip"
    path.write_bytes(make_zip({"S1.txt": content}))
    (rules,) = load_rules("chalearn_gesture").csv
    with open_submission(path, load_rules("chalearn_gesture").limits) as submission:
        findings = choose_items(submission, rules, ["S1"])[1]
    (problem,) = findings.problems
    assert ("rename S1.txt to S1_prediction.csv" in problem.remedy) == is_told


def test_one_of_several_files_is_not_guessed(tmp_path):
    rules = BIRDS._replace(json=(*BIRDS.json, BIRDS.json[0]._replace(name="bees.json")), any_single=False)
    findings = refused(named, tmp_path, ["mine.json"], rules)
    assert places_of(findings) == [("E-FILE-NONE", "", "")]
    assert "birds.json and bees.json" in text_of(findings.problems[0])
    chosen = named(tmp_path, ["bees.json", "birds.json"], rules).content
    assert list(chosen.items()) == [("birds.json", "birds.json"), ("bees.json", "bees.json")]


def test_a_file_of_any_name_is_the_first_of_the_rules(tmp_path):
    rules = BIRDS._replace(json=(*BIRDS.json, BIRDS.json[0]._replace(name="b.txt")))
    findings = refused(named, tmp_path, ["mine.json"], rules)
    assert places_of(findings) == [("E-FILE-NONE", "b.txt", "")]
    assert "rename" not in text_of(findings.problems[0])
    (note,) = findings.notes
    assert note.code == "N-FILE-SPELLING"
    assert note.text.index("mine.json") < note.text.index("birds.json")


def test_names_may_hold_stars(tmp_path):
    rules = BIRDS._replace(json=(BIRDS.json[0]._replace(name="birds_*.json"),))
    assert named(tmp_path, ["birds_1.json"], rules).content == {"birds_*.json": "birds_1.json"}
    findings = refused(named, tmp_path, ["birds_1.json", "birds_2.json"], rules)
    assert places_of(findings) == [("E-FILE-TWICE", "birds_<name>.json", "")]
    assert "birds_1.json, birds_2.json" in findings.problems[0].problem


@pytest.mark.parametrize("task_id", task_ids())
def test_command_of_a_submission_is_named_where_the_platform_left_no_file_and_not_at_home(tmp_path, task_id):
    form, rules = load_format(task_id)
    (problem,) = refused(form.read, tmp_path, rules).problems
    assert problem.code == "E-FILE-NONE"
    assert "metadata" not in problem.remedy
    (tmp_path / "metadata").write_text("exitCode: 0\n")
    (problem,) = refused(form.read, tmp_path, rules).problems
    assert (problem.code, problem.file) == ("E-FILE-NONE", "")
    assert "metadata.yaml with a command" in problem.remedy
