"""Tables of rows, and the JSON of temporal detectors, as submissions to the ChaLearn tracks."""

from __future__ import annotations

import csv
import json
import shlex
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from organizer.files import folder_files
from people_in_video import SubmissionError, check, compare, convert, score
from people_in_video.__main__ import main
from scoring_program.run import INVALID, SCORED
from tests.helpers import REFERENCES, SAMPLES, calls_of, fewer_examples, text_of
from tests.starting_kit.conversions import problem_of, rows_of_zip, write
from validator.formats.rules import load_rules

GESTURES, ACTIONS = "chalearn_gesture", "chalearn_action"
RATE = 20
HEADER = "item,class,start,end\n"
SECONDS = {"unit": "seconds"}
A_SEGMENT = {"label": 3, "segment": [0.1, 0.5]}


class SimpleTable:
    """A data frame as far as tables are read."""

    def __init__(self, rows):
        self._rows = rows
        self.columns = list(rows[0])

    def to_dict(self, orient):
        assert orient == "records"
        return self._rows


def rows_of_sample(task, name="good"):
    """Return sequence, values and frames of each row."""
    rows = []
    for sequence, values in calls_of(task, folder_files(SAMPLES / task / name)):
        rows += [(sequence, *map(int, row)) for row in values]
    return rows


def table_in_seconds(path):
    lines = []
    for sequence, label, first, last in rows_of_sample(GESTURES):
        lines.append(f"{sequence},{label},{(first - 1) / RATE},{last / RATE}")
    return write(path, HEADER + "\n".join(lines))


@pytest.fixture
def public(tmp_path):
    """Return a folder of public data of three sequences."""
    folder = tmp_path / "public"
    folder.mkdir()
    for name, numbers in {"A": "1000,10", "B": "1000,29.97", "S": "1000,20,8000"}.items():
        (folder / f"{name}_data.csv").write_text(f"{numbers}\n")
    return folder


def write_table(folder, content):
    """Write the text of a CSV file, or the content of a JSON file."""
    return write(folder / ("a.csv" if isinstance(content, str) else "a.json"), content)


@pytest.mark.interpreters
def test_a_table_of_rows_becomes_the_files_of_sequences(tmp_path):
    source = write(
        tmp_path / "rows.csv",
        "\ufeffscore,item,start,class,end,actor\r\n"
        '0.9,"Seq2",1,wave,20,2\r\n'
        "0.8,Seq1,5.0,3,7,1\r\n\r\n"
        "0.8,Seq2,30,11,31,1\r\n",
    )
    (note,) = convert(ACTIONS, source, tmp_path / "my.zip")
    assert "score is not read" in note.text
    assert rows_of_zip(tmp_path / "my.zip") == [
        ("Seq1", 1, 3, 5, 7),
        ("Seq2", 2, 1, 1, 20),
        ("Seq2", 1, 11, 30, 31),
    ]


FRAMES_5_TO_10 = [("S", 3, 5, 10)]


@pytest.mark.parametrize(
    ("content", "rows", "words", "options"),
    [
        ("video-id,t-start,t-end,label\nS,0.2,0.5,3\n", FRAMES_5_TO_10, [], {}),
        ("Video-ID,T-Start,T-End,Label\nS,0.2,0.5,3\n", FRAMES_5_TO_10, [], {}),
        ("VIDEO,Start,End,GESTURE\nS,5,10,perfetto\n", FRAMES_5_TO_10, [], {}),
        ("sequence,start_frame,stop_frame,label\nS,5,10,PERFETTO\n", FRAMES_5_TO_10, [], {}),
        ("item,start frame,end frame,class\nS,5,10,3.0\n", FRAMES_5_TO_10, [], {}),
        (f"{HEADER}S,Background,1,4\nS,3,5,10\nS,background,11,12\n", FRAMES_5_TO_10, ["2 rows of background "], {}),
        (f"{HEADER}S,0,1,4\nS,19,5,10\nS,vattene,11,12\n", [("S", 1, 1, 4), ("S", 20, 5, 10), ("S", 1, 11, 12)], [], {"first_class": 0}),
        (f"{HEADER}S,1,0,0.5\nS,2,0.7,0.7\nB,3,1,2.002\nS,4,0.1,0.35\n", [("B", 3, 30, 60), ("S", 1, 1, 10), ("S", 2, 15, 15), ("S", 4, 3, 7)], [], SECONDS),
        ({"A": [A_SEGMENT], "Z": [A_SEGMENT, A_SEGMENT]}, [("A", 3, 2, 5)], ["2 rows of 1 sequence "], {}),
        ("item,class,start,end,score\nS,3,5,10,-4\nS,3,5,10,0.2\nS,3,5,10,0.9\n", 3 * FRAMES_5_TO_10, [" 1 have less than 0.2,"], {}),
        ("item,class,start,end,score\nS,3,5,10,0.2\nS,3,5,10,0.3\n", FRAMES_5_TO_10, ["1 row with a score below 0.3 "], {"min_score": 0.3}),
    ],
)  # fmt: skip
def test_rows_come_from_tables_of_many_forms(content, rows, words, options, tmp_path, public):
    """The names of columns that are usual in the field are known and tell the unit."""
    notes = convert(GESTURES, write_table(tmp_path, content), tmp_path / "my.zip", public=public, **options)
    assert rows_of_zip(tmp_path / "my.zip") == rows
    assert len(notes) == len(words)
    assert all(word in note.text for word, note in zip(words, notes))


def test_a_table_without_actors_is_of_the_first_actor(tmp_path):
    source = write(tmp_path / "a.csv", f"{HEADER}S,3,5,7\n")
    (note,) = convert(ACTIONS, source, tmp_path / "my.zip")
    assert note.code == "N-CONVERTED"
    assert rows_of_zip(tmp_path / "my.zip") == [("S", 1, 3, 5, 7)]


@pytest.mark.parametrize("task", [ACTIONS, GESTURES])
def test_the_columns_that_the_rules_name_can_be_converted(task, tmp_path):
    header = ",".join(load_rules(task).csv[0].table_columns)
    convert(task, write(tmp_path / "a.csv", f"{header}\nS,1,2,3\n"), tmp_path / "my.zip")
    assert [row[0] for row in rows_of_zip(tmp_path / "my.zip")] == ["S"]


@pytest.mark.parametrize(("is_bare", "option"), [(False, "reference"), (True, "public")])
def test_the_json_of_temporal_detectors_becomes_the_rows_that_it_was_made_of(is_bare, option, tmp_path):
    results = {}
    rows = rows_of_sample(GESTURES)
    for sequence, label, first, last in rows:
        segment = {"label": label, "score": 0.9, "segment": [(first - 1) / RATE, last / RATE]}
        results.setdefault(sequence, []).append(segment)
    source = write_table(tmp_path, results if is_bare else {"version": "1.3", "results": results})
    options: Any = {option: REFERENCES / GESTURES}
    convert(GESTURES, source, tmp_path / "my.zip", **options)
    assert sorted(rows_of_zip(tmp_path / "my.zip")) == sorted(rows)


@fewer_examples()
@example(62, 63, 29.97)
@given(st.integers(1, 5000), st.integers(0, 300), st.sampled_from([5.0, 12.5, 20.0, 25.0, 29.97, 30.0]))
def test_seconds_of_frames_become_these_frames(tmp_path_factory, first, length, rate):
    """From the begin of the first frame to the end of the last one are just these frames."""
    folder = tmp_path_factory.mktemp("seconds")
    (folder / "A_data.csv").write_text(f"9999,{rate}\n")
    last = first + length
    table = SimpleTable([{"item": "A", "class": 1, "start": (first - 1) / rate, "end": last / rate}])
    convert(GESTURES, table, folder / "my.zip", unit="seconds", public=folder)
    assert rows_of_zip(folder / "my.zip") == [("A", 1, first, last)]


def frame_makers():
    """Return what makes a data frame of records: the stand-in, and pandas where it is installed."""
    makers = [pytest.param(SimpleTable, id="stand-in")]
    return [*makers, import_module("pandas").DataFrame] if find_spec("pandas") else makers


@pytest.mark.parametrize("make", frame_makers())
def test_a_data_frame_scores_as_its_csv_and_as_the_sample(make, tmp_path):
    rows = rows_of_sample(ACTIONS)
    names = ["video-id", "actor", "label", "start", "end"]
    with (tmp_path / "a.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([names, *rows])
    frame = make([dict(zip(names, row)) for row in rows])
    expected = score(ACTIONS, SAMPLES / ACTIONS / "good").scores
    assert score(ACTIONS, frame).scores == score(ACTIONS, tmp_path / "a.csv").scores == expected


@pytest.mark.parametrize("task", ["kinetics_tps", "densepose"])
def test_a_table_is_refused_where_none_is_read(task):
    problem = problem_of(lambda: score(task, SimpleTable([{"item": "a"}])))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", "table")


@pytest.mark.parametrize(
    ("content", "words", "options"),
    [
        ("", ["the column item is missing"], {}),
        ("item,class,start\n", ["the column end is missing"], {}),
        ("item;class;start;end\nS;1;2;3\n", ["the columns are separated by semicolons"], {}),
        ("item class start end\nS 1 2 3\n", ["the columns are separated by blanks"], {}),
        ("S 0.5 2.5 3 0.9\n", ["commas between all fields"], {}),
        ("item,class,start,end,end\n", ["twice"], {}),
        ("item,video,class,start,end\n", ["item is there twice"], {}),
        ("item,class,t-start,end\n", ["two units"], {}),
        ("item,frame,class\nS,1,background\n", ["start is missing", "labels of frames"], {}),
        ("S,3,5,10\nS,4,11,12\n", ["the first line is a row", "item,class,start,end"], {}),
        ("3,5,10\n4,11,12\n", ["the first line is a row", "a file for each sequence"], {}),
        (f"{HEADER}S,1,2\n", ["line 2"], {}),
        (f'{HEADER}"S,1,2,3\n', ["no CSV"], {}),
        (f"{HEADER}S,1,2,3\nS,1,,3\n", ["row 2: start"], {}),
        (f"{HEADER}S,1,2,nan\n", ["row 1: end"], {}),
        (f"{HEADER}S,1,2,1e400\n", ["row 1: "], {}),
        (f"{HEADER}S,1,2,1e999\n", ["row 1: "], SECONDS),
        (f"{HEADER}S,1e999,2,3\n", ["row 1: "], {}),
        (f"{HEADER}S,jump,2,3\n", ["row 1: the class is 'jump'"], {}),
        (f"{HEADER}S,furb\u043e,2,3\n", ["(the nearest is 'furbo', yours 'furb\\u043e')"], {}),
        (f"{HEADER}S,1.5,2,3\n", ["row 1: the class"], {}),
        (f"{HEADER}S,0,1,4\n", ["row 1: ", "--first-class 0, in Python first_class=0"], {}),
        (f"{HEADER}S,20,1,5\n", ["the class is 20", "leave the option out"], {"first_class": 0}),
        (f"{HEADER}S,1,2.5,3\n", ["--unit seconds, in Python unit='seconds'"], {}),
        (f"{HEADER},1,2,3\n", ["row 1: item"], {}),
        (f"{HEADER}../S,1,2,3\n", ["row 1: item is '../S'"], {}),
        (f"{HEADER}S,3,1,2\n", ["no column score"], {"min_score": 1}),
        ("item,t-start,t-end,class\nS,1,2,3\nS,197,265,3\n", ["row 2: 197 to 265 seconds are after the end of the video, 50"], {}),
        (f"{HEADER}S,1,2,3\n", ["--public", "--reference"], {"unit": "seconds", "public": None}),
        ({"A": [A_SEGMENT]}, ["--public", "--reference"], {"public": None}),
        # It is told before what seconds need.
        ({"A": [[3, 1, 5]]}, ["it is no segment"], {"public": None}),
        ({"Z": [A_SEGMENT], "Y": [A_SEGMENT]}, ["none of 2 sequences is in the data, the first is Y; yours are 'Y', 'Z', the data's 'A'"], {}),
        ({"v_A.mp4": [A_SEGMENT]}, ["; write them as in the data, as 'A' for 'v_A.mp4'"], {}),
        ([], [], {}),
        ({"results": []}, [], {}),
        ({"A": {}}, [], {}),
        ({"A": [1]}, [], {}),
        ({"A": [{"label": 1}]}, [], {}),
        ({"A": [{"label": 1, "segment": [1]}]}, [], {}),
        ({"A": [{"label": 1, "segment": "ab"}]}, [], {}),
        ({"A": [{"label": 1, "segment": [1, "x"]}]}, [], {}),
        ({"A": [{"label": 1, "segment": [2, 1]}]}, [], {}),
        ({"A": [{"label": 1, "segment": [1e300, 1.7e308]}]}, [], {}),
        ({"A": [{"label": None, "segment": [1, 2]}]}, [], {}),
        ({"../A": [A_SEGMENT]}, [], {}),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_read_is_told_with_its_row(content, words, options, tmp_path, public):
    source = write_table(tmp_path, content)
    options = {"public": public, **options}
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip", **options))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", source.name)
    assert [word for word in words if word not in text_of(problem)] == []
    assert not (tmp_path / "my.zip").exists()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.tsv", "item\tclass\tstart\tend\nS\t1\t2\t3\n", ["separated by tabs"]),
        ("S1_prediction.csv", "7,10,76\n", ["one sequence, S1", "zip the files of all sequences"]),
        ("S1_predictions.csv", "7,10,76\n", ["one sequence, S1"]),
        ("folder", None, ["this is a folder", "rows from labels of frames"]),
    ],
)
def test_a_file_of_another_name_is_told_as_what_it_is(name, text, words, tmp_path):
    source = tmp_path / name
    source.mkdir() if text is None else source.write_text(text)
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip"))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", name)
    assert [word for word in words if word not in text_of(problem)] == []


def test_who_has_no_table_is_told_what_it_holds(tmp_path):
    (tmp_path / "a.pkl").write_bytes(b"\x80\x04")
    problem = problem_of(lambda: convert(GESTURES, tmp_path / "a.pkl", tmp_path / "my.zip"))
    assert problem.code == "E-FILE-KIND"
    assert problem.remedy.endswith("item, class, start, end")


def test_problems_of_values_are_told_with_their_rows_in_the_table(tmp_path):
    rows = ["S,1,2,3", "R,1,2,3", "S,21,2,3", "R,1,9,3", "R,22,2,3"]
    source = write(tmp_path / "a.csv", HEADER + "\n".join(rows))
    with pytest.raises(SubmissionError) as refused:
        convert(GESTURES, source, tmp_path / "my.zip")
    assert [(problem.code, problem.file, problem.where) for problem in refused.value.problems] == [
        ("E-CSV-RANGE", "a.csv", "row 5"),
        ("E-CSV-RANGE", "a.csv", "row 3"),
        ("E-CSV-RANGE", "a.csv", "row 4"),
    ]


@fewer_examples()
@given(st.lists(st.integers(0, 100), min_size=2, max_size=30))
def test_a_column_of_scores_is_named_with_what_a_threshold_does(tmp_path_factory, percents):
    folder = tmp_path_factory.mktemp("scores")
    rows = [
        f"S,3,{10 * place + 1},{10 * place + 2},{percent / 100}" for place, percent in enumerate(percents)
    ]
    source = write(folder / "a.csv", "\n".join(["item,class,start,end,confidence", *rows]))
    (note,) = convert(GESTURES, source, folder / "my.zip")
    assert note.text.startswith(f"confidence is not read: all {len(rows)} rows ")
    if len(set(percents)) == 1:
        return
    n_low = sum(percent < 30 for percent in percents)
    if n_low == 0:
        assert note.text.endswith(f"scores go from {min(percents) / 100:g} to {max(percents) / 100:g}")
        return
    if n_low == len(rows):
        # A threshold of 0.3 would leave none.
        assert "min-score" not in note.text
        problem = problem_of(lambda: convert(GESTURES, source, folder / "other.zip", min_score=0.3))
        assert f"{n_low} rows" in problem.problem
        return
    assert f" {n_low} have less than 0.3" in note.text
    notes = convert(GESTURES, source, folder / "my.zip", min_score=0.3)
    assert len(rows_of_zip(folder / "my.zip")) == len(rows) - n_low
    assert [note.text.split()[0] for note in notes] == [str(n_low)] * bool(n_low)


def test_the_scores_of_the_participants_table_count_through_a_threshold(tmp_path):
    """The same segments with forty uncertain ones: a threshold gives the score of the certain ones."""
    rows = [(*row, 0.9) for row in rows_of_sample(GESTURES)]
    uncertain = [
        (sequence, 1 + (label + 3) % 20, first, last, 0.1) for sequence, label, first, last, _ in rows
    ]
    lines = [",".join(map(str, row)) for row in rows + uncertain]
    source = write(tmp_path / "a.csv", "\n".join(["item,class,start,end,score", *lines]))
    everything = score(GESTURES, source)
    assert f" {len(uncertain)} have less than 0.3" in " ".join(note.text for note in everything.notes)
    certain = score(GESTURES, source, min_score=0.3)
    assert certain.score == score(GESTURES, SAMPLES / GESTURES / "good").score > everything.score + 0.2


@pytest.mark.parametrize("command", ["convert", "check", "score", "compare", "explain"])
def test_every_command_takes_a_table_in_seconds(command, tmp_path, capsys):
    words = [command, GESTURES, str(table_in_seconds(tmp_path / "a.csv"))]
    if command == "convert":
        words.append(str(tmp_path / "my.zip"))
    if command in ("score", "compare"):
        words += ["--output", str(tmp_path / "out")]
    if command != "compare":
        assert main(words) == INVALID
        assert "--unit seconds" in "".join(capsys.readouterr())
    assert main([*words, "--unit", "seconds", "--public", str(REFERENCES / GESTURES)]) == SCORED


@pytest.mark.parametrize("option", ["--public", "--reference"])
def test_check_says_how_a_file_becomes_the_zip_that_is_uploaded(option, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = table_in_seconds(tmp_path / "my table.csv")
    folder = str(REFERENCES / GESTURES)
    assert main(["check", GESTURES, str(source), "--unit", "seconds", option, folder]) == SCORED
    *_, last_line = capsys.readouterr().out.splitlines()
    program, *words = shlex.split(last_line.partition(": ")[2])
    assert program == "people-in-video"
    assert main(words) == SCORED
    assert score(GESTURES, tmp_path / "my.zip").score == score(GESTURES, SAMPLES / GESTURES / "good").score
    capsys.readouterr()
    assert main(["check", GESTURES, "my.zip"]) == SCORED
    assert "convert" not in capsys.readouterr().out


def test_every_function_takes_a_table_in_seconds(tmp_path):
    source = table_in_seconds(tmp_path / "a.csv")
    expected = score(GESTURES, SAMPLES / GESTURES / "good").score
    assert score(GESTURES, source, unit="seconds").score == expected
    assert score(GESTURES, source, unit="seconds", public=REFERENCES / GESTURES).score == expected
    assert check(GESTURES, source, public=REFERENCES / GESTURES, unit="seconds") == []
    comparison = compare(GESTURES, {"table": source, "table again": source}, unit="seconds")
    assert comparison.standings.scores == pytest.approx([expected, expected])
    with pytest.raises(SubmissionError, match="--unit seconds"):
        score(GESTURES, source)


def test_what_converting_assumed_is_on_the_page_and_in_the_data_of_a_score(tmp_path, capsys):
    source = write(tmp_path / "rows.csv", f"{HEADER}DemoSeq0001,1,1,5\n")
    arguments = ["score", ACTIONS, str(source), "--output", str(tmp_path / "out")]
    assert main([*arguments, "--json"]) == SCORED
    printed = json.loads(capsys.readouterr().out)
    (text,) = [note["text"] for note in printed["notes"] if note["code"] == "N-CONVERTED"]
    assert text in (tmp_path / "out" / "detailed_results.html").read_text()
    assert main(arguments) == SCORED
    assert capsys.readouterr().out.count(text) == 1
