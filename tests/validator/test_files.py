"""Which files of a submission are chosen by their names and what is reported of all others."""

from __future__ import annotations

import pytest

from tests.helpers import compact, compact_lines, make_zip, refused
from validator.archive import open_submission
from validator.files import choose_items, choose_named
from validator.formats.rules import JsonFile, load_rules

GESTURES = load_rules("chalearn_gesture")
(CSV,) = GESTURES.csv
BIRDS = GESTURES._replace(
    csv=(), json=(JsonFile("birds.json", GESTURES.folder / "birds.json"),), any_single=True
)


def opened(tmp_path, files):
    """Open a zip with files of these names, all empty."""
    path = tmp_path / "s.zip"
    path.write_bytes(make_zip(dict.fromkeys(files, "")))
    return open_submission(path, GESTURES.limits)


def items(tmp_path, files, known=None, csv=CSV):
    """Return the file of each item, and the lines of problems and notes."""
    with opened(tmp_path, files) as submission:
        chosen, findings = choose_items(submission, csv, known)
    return (
        chosen,
        [compact(problem) for problem in findings.problems],
        [note.line() for note in findings.notes],
    )


def named(tmp_path, files, rules=BIRDS):
    """Choose the files that the rules name."""
    with opened(tmp_path, files) as submission:
        return choose_named(submission, rules)


def test_all_items_have_their_file(tmp_path):
    files = ["Sample0001_prediction.csv", "top/Sample0002_prediction.csv"]
    assert items(tmp_path, files[:1]) == ({"Sample0001": files[0]}, [], [])
    chosen, problems, _ = items(tmp_path, files)
    assert (chosen, len(problems)) == ({"Sample0001": files[0]}, 1)


def test_letters_of_other_scripts_are_no_spelling_of_a_name(tmp_path):
    chosen, (problem,), _ = items(tmp_path, ["S1_prediction.c\u017fv"])
    assert chosen == {}
    assert problem.startswith("E-FILE-NONE")


NAMES = "<sequence>_prediction.csv"
OTHERS = [f"{number}.txt" for number in range(5)]


@pytest.mark.parametrize(
    ("files", "known", "problems", "notes"),
    [
        ([], None, ["E-FILE-NONE: there are no files; name your files " + NAMES + ", at the top of the zip."], []),
        (
            ["readme.txt"],
            None,
            ["E-FILE-NONE: no usable file was found; found: readme.txt; name your files " + NAMES + ", at the top of the zip."],
            ["N-FILE-IGNORED: readme.txt: not named " + NAMES + ", ignored"],
        ),
        (
            ["S1_prediction.csv", "S2_predictionx.csv", *OTHERS],
            None,
            [],
            [
                "N-FILE-IGNORED: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 1 more: not named " + NAMES
                + ", ignored (is S2_predictionx.csv misspelled?)"
            ],
        ),
        (
            ["S1_prediction.csv", *OTHERS],
            None,
            [],
            ["N-FILE-IGNORED: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt: not named " + NAMES + ", ignored"],
        ),
        (
            ["S1_prediction.csv", "S2_Prediction.CSV"],
            None,
            ["E-FILE-CASE S2_Prediction.CSV: upper and lower case differ; rename it to S2_prediction.csv."],
            [],
        ),
        (
            ["a/S1_prediction.csv", "b/S2_prediction.csv"],
            None,
            [
                "E-FILE-PLACE a/S1_prediction.csv: the file is in a folder; put all files at the top of the zip.",
                "E-FILE-PLACE b/S2_prediction.csv: the file is in a folder; put all files at the top of the zip.",
            ],
            [],
        ),
        (
            ["S1_prediction.csv", "S2_prediction.csv"],
            ["S1"],
            [],
            ["N-ITEMS-UNKNOWN: not in the reference, ignored: 1 sequence; the first is 'S2' (S2_prediction.csv)"],
        ),
        (
            ["S2_prediction.csv", "S3_prediction.csv"],
            ["S1"],
            ["E-ITEMS-NONE S2_prediction.csv: no sequence of the submission is in the reference; the first is 'S2'; "
             "write each sequence exactly as in the data (no folder, no file ending), or name the right task."],
            [],
        ),
        (
            ["s1_prediction.csv"],
            ["S1"],
            [
                "E-FILE-CASE s1_prediction.csv: upper and lower case differ; "
                "name it " + NAMES + ", with the sequence as in the names of the data.",
            ],
            [],
        ),
        (
            ["s1_PREDICTION.CSV"],
            ["S1"],
            [
                "E-FILE-CASE s1_PREDICTION.CSV: upper and lower case differ; "
                "name it " + NAMES + ", with the sequence as in the names of the data.",
            ],
            [],
        ),
        (
            ["S1_PREDICTION.CSV"],
            ["S1"],
            ["E-FILE-CASE S1_PREDICTION.CSV: upper and lower case differ; rename it to S1_prediction.csv."],
            [],
        ),
        (
            ["densepose_x_results.json"],
            None,
            [
                "E-FILE-NONE: no usable file was found; found: densepose_x_results.json; "
                "these are files of densepose: submit them there, or name the right task."
            ],
            ["N-FILE-IGNORED: densepose_x_results.json: not named " + NAMES + ", ignored"],
        ),
    ],
)  # fmt: skip
def test_files_of_items(tmp_path, files, known, problems, notes):
    assert items(tmp_path, files, known)[1:] == (problems, notes)


def test_a_second_spelling_is_chosen_with_a_note(tmp_path):
    csv = CSV._replace(other_paths=("{key}_pred.csv", "{key}_p.csv"))
    chosen, problems, notes = items(tmp_path, ["S1_pred.csv", "S2_prediction.csv", "S3_pred.csv"], None, csv)
    assert chosen == {"S1": "S1_pred.csv", "S2": "S2_prediction.csv", "S3": "S3_pred.csv"}
    assert (problems, notes) == ([], ["N-FILE-SPELLING: 2 files named _pred.csv instead of _prediction.csv"])
    _, problems, _ = items(tmp_path, ["S1_pred.csv", "S1_prediction.csv"], None, csv)
    assert problems == [
        "E-FILE-TWICE S1_prediction.csv: there is also S1_pred.csv for the same sequence; keep one of the two."
    ]
    _, _, notes = items(tmp_path, ["S1_pred.csv", "S2_prediction.csv"], ["S2"], csv)
    assert [note.split(":")[0] for note in notes] == ["N-ITEMS-UNKNOWN"]


@pytest.mark.parametrize(
    ("files", "chosen", "notes"),
    [
        (["birds.json"], "birds.json", []),
        (["birds.json", "a.txt"], "birds.json", ["N-FILE-IGNORED: a.txt: not needed, ignored"]),
        (["mine.json"], "mine.json", ["N-FILE-SPELLING: mine.json was read; its name should be birds.json"]),
        (["mine.JSON", "a.txt"], "mine.JSON", [
            "N-FILE-SPELLING: mine.JSON was read; its name should be birds.json",
            "N-FILE-IGNORED: a.txt: not needed, ignored",
        ]),
    ],
)  # fmt: skip
def test_file_with_a_name_or_the_only_one_of_its_type_is_chosen(tmp_path, files, chosen, notes):
    read = named(tmp_path, files)
    assert (read.content, [note.line() for note in read.notes]) == ({"birds.json": chosen}, notes)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (["mine.json", "other.json"], "it is missing; found: mine.json, other.json; put it at the top"),
        (["a.txt"], "E-FILE-NONE birds.json: it is missing; found: a.txt; put it at the top of the zip."),
        ([], "it is missing; there is no other file that could be it; put it at the top of the zip."),
        (["x.json", "a/birds.json"], "E-FILE-PLACE a/birds.json: the file is in a folder; put all files at"),
        (["x/mine.json", "y.txt"], "it is missing; found: x/mine.json, y.txt"),
        (
            ["x.json", "Birds.json"],
            "E-FILE-CASE Birds.json: upper and lower case differ; rename it to birds.json",
        ),
        (["x.json", "bird.json"], "but there is bird.json; is it misspelled? Rename it to birds.json."),
        (["x.json", "y.json", "S1_prediction.csv"], "these are files of chalearn_action: submit them there"),
        (["x.txt", "folder/densepose_x_results.json"], "these are files of densepose: submit them there"),
    ],
)
def test_missing_file_is_reported_with_what_was_found(tmp_path, files, problem):
    (line,) = compact_lines(refused(named, tmp_path, files))
    assert problem in line
    assert ("these are files of" in line) == ("these are files of" in problem)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (
            ["pred_part_result.json"],
            "E-FILE-NONE pred_vid_result.json: it is missing; there is no other file that could be it",
        ),
        (["pred_part_results.json", "pred_vid_result.json"], "there is pred_part_results.json"),
        (["Pred_part_result.json", "pred_vid_result.json"], "rename it to pred_part_result.json"),
        (["x/pred_part_result.json", "pred_vid_result.json"], "put all files at the top"),
    ],
)
def test_one_of_two_files_that_is_missing_is_reported(tmp_path, files, problem):
    (line,) = compact_lines(refused(named, tmp_path, files, load_rules("kinetics_tps")))
    assert problem in line


def test_one_of_several_files_is_not_guessed(tmp_path):
    rules = BIRDS._replace(json=(*BIRDS.json, BIRDS.json[0]._replace(name="bees.json")), any_single=False)
    lines = compact_lines(refused(named, tmp_path, ["mine.json"], rules))
    assert [line.split(":")[0] for line in lines] == ["1. E-FILE-NONE birds.json", "2. E-FILE-NONE bees.json"]
    chosen = named(tmp_path, ["bees.json", "birds.json"], rules).content
    assert list(chosen.items()) == [("birds.json", "birds.json"), ("bees.json", "bees.json")]


def test_a_file_of_any_name_is_the_first_of_the_rules(tmp_path):
    rules = BIRDS._replace(json=(*BIRDS.json, BIRDS.json[0]._replace(name="b.txt")))
    findings = refused(named, tmp_path, ["mine.json"], rules)
    assert compact_lines(findings) == [
        "1. E-FILE-NONE b.txt: it is missing; there is no other file that could be it; put it at the top of the zip."
    ]
    assert [note.line() for note in findings.notes] == [
        "N-FILE-SPELLING: mine.json was read; its name should be birds.json"
    ]


def test_misspelled_ends_of_long_names_are_noticed(tmp_path):
    name = f"{'a' * 60}_predictionx.csv"
    _, _, notes = items(tmp_path, ["S1_prediction.csv", name])
    assert notes == [f"N-FILE-IGNORED: {name}: not named {NAMES}, ignored (is {name} misspelled?)"]
    _, _, notes = items(tmp_path, ["S1_prediction.csv", f"{'a' * 60}.csv"])
    assert "misspelled" not in notes[0]


@pytest.mark.parametrize(("n_before", "is_noticed"), [(99, True), (100, False)])
def test_a_hundred_names_are_compared(tmp_path, n_before, is_noticed):
    others = [f"a{index:03}.txt" for index in range(n_before)]
    _, _, notes = items(tmp_path, ["S1_prediction.csv", "z_predictionx.csv", *others])
    assert ("misspelled" in notes[0]) == is_noticed


def test_names_may_hold_stars(tmp_path):
    rules = BIRDS._replace(json=(BIRDS.json[0]._replace(name="birds_*.json"),))
    assert named(tmp_path, ["birds_1.json"], rules).content == {"birds_*.json": "birds_1.json"}
    assert compact_lines(refused(named, tmp_path, ["birds_1.json", "birds_2.json"], rules)) == [
        "1. E-FILE-TWICE birds_*.json: birds_1.json, birds_2.json all fit; keep one of them."
    ]
