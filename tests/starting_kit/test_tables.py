"""Tables of rows, and the JSON of temporal detectors, as submissions to the ChaLearn tracks."""

from __future__ import annotations

import csv
import json
import shlex
import zipfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.files import folder_files
from people_in_video import SubmissionError, check, compare, convert, score
from people_in_video.__main__ import main
from scoring_program.run import INVALID, SCORED
from tests.helpers import REFERENCES, SAMPLES, calls_of, fewer_examples
from tests.starting_kit.conversions import problem_of, rows_of_zip, text_of, write
from validator.formats.rules import load_rules

GESTURES, ACTIONS = "chalearn_gesture", "chalearn_action"
RATE = 20


@pytest.mark.interpreters
def test_a_table_of_rows_becomes_the_files_of_sequences(tmp_path):
    source = tmp_path / "rows.csv"
    source.write_text(
        "\ufeffscore,item,start,class,end,actor\r\n"
        '0.9,"Seq2",1,wave,20,2\r\n'
        "0.8,Seq1,5.0,3,7,1\r\n\r\n"
        "0.8,Seq2,30,11,31,1\r\n"
    )
    (note,) = convert("chalearn_action", source, tmp_path / "my.zip")
    assert "score is not read" in note.text
    assert rows_of_zip(tmp_path / "my.zip") == [
        ("Seq1", 1, 3, 5, 7),
        ("Seq2", 2, 1, 1, 20),
        ("Seq2", 1, 11, 30, 31),
    ]


def test_a_table_without_actors_is_of_the_first_actor(tmp_path):
    (tmp_path / "a.csv").write_text("item,class,start,end\nS,3,5,7\n")
    (note,) = convert("chalearn_action", tmp_path / "a.csv", tmp_path / "my.zip")
    assert note.code == "N-CONVERTED"
    assert rows_of_zip(tmp_path / "my.zip") == [("S", 1, 3, 5, 7)]
    assert convert("chalearn_gesture", tmp_path / "a.csv", tmp_path / "my.zip") == []
    assert rows_of_zip(tmp_path / "my.zip") == [("S", 3, 5, 7)]


def test_seconds_become_frames_at_the_rate_of_each_video(tmp_path, capsys):
    public = tmp_path / "public"
    public.mkdir()
    (public / "A_data.csv").write_text("1000,20,8000\n")
    (public / "B_data.csv").write_text("1000,29.97\n")
    source = tmp_path / "a.csv"
    source.write_text("item,class,start,end\nA,1,0,0.5\nA,2,0.7,0.7\nB,3,1,2.002\nA,4,0.1,0.35\n")
    arguments = ["convert", "chalearn_gesture", str(source), str(tmp_path / "my.zip"), "--unit", "seconds"]
    assert main(arguments) == INVALID
    assert "--public" in capsys.readouterr().err
    assert main([*arguments, "--public", str(public)]) == SCORED
    assert rows_of_zip(tmp_path / "my.zip") == [
        ("A", 1, 1, 10), ("A", 2, 15, 15), ("A", 4, 3, 7), ("B", 3, 30, 60),
    ]  # fmt: skip


@fewer_examples()
@given(st.integers(1, 5000), st.integers(0, 300), st.sampled_from([5.0, 12.5, 20.0, 25.0, 29.97, 30.0]))
def test_seconds_of_frames_become_these_frames(tmp_path_factory, first, length, rate):
    """From the begin of the first frame to the end of the last one are just these frames."""
    folder = tmp_path_factory.mktemp("seconds")
    (folder / "A_data.csv").write_text(f"9999,{rate}\n")
    last = first + length
    table = SimpleTable([{"item": "A", "class": 1, "start": (first - 1) / rate, "end": last / rate}])
    convert("chalearn_gesture", table, folder / "my.zip", unit="seconds", public=folder)
    assert rows_of_zip(folder / "my.zip") == [("A", 1, first, last)]


class SimpleTable:
    """A data frame as far as tables are read."""

    def __init__(self, rows):
        self._rows = rows
        self.columns = list(rows[0])

    def to_dict(self, orient):
        assert orient == "records"
        return self._rows


@pytest.mark.parametrize("task", ["chalearn_action", "chalearn_gesture"])
def test_score_takes_a_data_frame(task):
    pandas = pytest.importorskip("pandas")
    rows = []
    for sequence, values in calls_of(task, folder_files(SAMPLES / task / "weak")):
        for *actor, label, start, end in values:
            row = {"item": sequence, "class": label, "start": start, "end": end}
            rows.append({**row, "actor": actor[0]} if actor else row)
    frame = pandas.DataFrame(rows)
    assert score(task, frame).scores == score(task, SAMPLES / task / "weak").scores


@pytest.mark.parametrize("task", ["chalearn_action", "chalearn_gesture"])
def test_the_columns_that_the_rules_name_can_be_converted(task, tmp_path):
    header = ",".join(load_rules(task).csv[0].table_columns)
    (tmp_path / "a.csv").write_text(f"{header}\nS,1,2,3\n")
    convert(task, tmp_path / "a.csv", tmp_path / "my.zip")
    assert zipfile.ZipFile(tmp_path / "my.zip").namelist() == ["S_prediction.csv"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "the column item is missing"),
        ("item,class,start\n", "the column end is missing"),
        ("item;class;start;end\nS;1;2;3\n", "the columns are separated by semicolons"),
        ("item\tclass\tstart\tend\nS\t1\t2\t3\n", "the columns are separated by tabs"),
        ("item,class,start,end,end\n", "twice"),
        ("item,class,start,end\nS,1,2\n", "line 2"),
        ("item,class,start,end\nS,1,2,3\nS,1,,3\n", "row 2: start"),
        ("item,class,start,end\nS,1,2,nan\n", "row 1: end"),
        ("item,class,start,end\nS,1,2,1e400\n", "row 1"),
        ("item,class,start,end\nS,jump,2,3\n", "row 1: the class is 'jump'"),
        ("item,class,start,end\nS,furb\u043e,2,3\n", "(the nearest is 'furbo', yours 'furb\\u043e')"),
        ("item,class,start,end\nS,1.5,2,3\n", "row 1: the class"),
        ("item,class,start,end\nS,1,2.5,3\n", "--unit seconds"),
        ('item,class,start,end\n"S,1,2,3\n', "no CSV"),
        ("item,class,start,end\n,1,2,3\n", "row 1: item"),
    ],
)
def test_a_table_that_cannot_be_read_is_told_with_its_row(text, word, tmp_path):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    problem = problem_of(lambda: convert("chalearn_gesture", tmp_path / "a.csv", tmp_path / "my.zip"))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", "a.csv")
    assert word in f"{problem.problem}; {problem.remedy}"


def test_what_is_wrong_with_a_table_is_told_whatever_its_name_ends_with(tmp_path):
    (tmp_path / "a.tsv").write_text("item\tclass\tstart\tend\nS\t1\t2\t3\n")
    problem = problem_of(lambda: convert("chalearn_gesture", tmp_path / "a.tsv", tmp_path / "my.zip"))
    assert "separated by tabs" in problem.problem


def test_the_file_of_one_sequence_is_no_table(tmp_path):
    path = tmp_path / "Sample0001_prediction.csv"
    path.write_text("7,10,76\n", encoding="utf-8")
    problem = problem_of(lambda: convert("chalearn_gesture", path, tmp_path / "my.zip"))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", path.name)
    assert "one sequence, Sample0001" in problem.problem
    assert "zip the files of all sequences" in problem.remedy


def test_rows_beyond_the_rules_are_told_as_the_server_does(tmp_path):
    (tmp_path / "a.csv").write_text("item,class,start,end\nS,21,2,3\n")
    with pytest.raises(SubmissionError, match="E-CSV-RANGE"):
        convert("chalearn_gesture", tmp_path / "a.csv", tmp_path / "my.zip")


def test_problems_of_values_are_told_with_their_rows_in_the_table(tmp_path):
    rows = ["S,1,2,3", "R,1,2,3", "S,21,2,3", "R,1,9,3", "R,22,2,3"]
    (tmp_path / "a.csv").write_text("\n".join(["item,class,start,end", *rows]))
    with pytest.raises(SubmissionError) as refused:
        convert("chalearn_gesture", tmp_path / "a.csv", tmp_path / "my.zip")
    assert [(problem.code, problem.file, problem.where) for problem in refused.value.problems] == [
        ("E-CSV-RANGE", "a.csv", "row 5"),
        ("E-CSV-RANGE", "a.csv", "row 3"),
        ("E-CSV-RANGE", "a.csv", "row 4"),
    ]


@pytest.mark.parametrize("name", ["../S", "a/b", "/S"])
def test_names_of_items_leave_no_folder(name, tmp_path):
    (tmp_path / "a.csv").write_text(f"item,class,start,end\n{name},1,2,3\n")
    with pytest.raises(SubmissionError):
        convert("chalearn_gesture", tmp_path / "a.csv", tmp_path / "my.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("unit", ["frames", "seconds"])
@pytest.mark.parametrize("rows", ["S,1,2,1e999", "S,1e999,2,3"])
def test_numbers_beyond_floats_are_named(unit, rows, tmp_path):
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "S_data.csv").write_text("100,20,3000\n")
    (tmp_path / "a.csv").write_text(f"item,class,start,end\n{rows}\n")
    options = {"unit": unit, "public": tmp_path / "public"}
    problem = problem_of(
        lambda: convert("chalearn_gesture", tmp_path / "a.csv", tmp_path / "my.zip", **options)
    )
    assert problem.problem.startswith("row 1: ")


@pytest.mark.parametrize("task", ["kinetics_tps", "densepose"])
def test_a_table_is_refused_where_none_is_read(task):
    pandas = pytest.importorskip("pandas")
    problem = problem_of(lambda: score(task, pandas.DataFrame({"item": ["a"]})))
    assert (problem.code, problem.file) == ("E-TOOL-FILE", "table")


def test_what_converting_assumed_is_on_the_page_and_in_the_data_of_a_score(tmp_path, capsys):
    first, *_ = sorted((SAMPLES / "chalearn_action" / "good").iterdir())
    item = first.name.removesuffix("_prediction.csv")
    (tmp_path / "rows.csv").write_text(f"item,class,start,end\n{item},1,1,5\n")
    arguments = ["chalearn_action", str(tmp_path / "rows.csv"), "--output", str(tmp_path / "out")]
    assert main(["score", *arguments, "--json"]) == SCORED
    printed = json.loads(capsys.readouterr().out)
    (text,) = [note["text"] for note in printed["notes"] if note["code"] == "N-CONVERTED"]
    assert text in (tmp_path / "out" / "detailed_results.html").read_text()
    assert main(["score", *arguments]) == SCORED
    assert capsys.readouterr().out.count(text) == 1


def rows_of_sample(task, name="good"):
    """Return sequence, values and frames of each row."""
    rows = []
    for sequence, values in calls_of(task, folder_files(SAMPLES / task / name)):
        rows += [(sequence, *map(int, row)) for row in values]
    return rows


def segments(rows, certainty=0.9):
    """Return rows of gestures as the JSON of ActivityNet has them: seconds from the start of the video."""
    results = {}
    for sequence, label, first, last in rows:
        segment = [(first - 1) / RATE, last / RATE]
        results.setdefault(sequence, []).append({"label": label, "score": certainty, "segment": segment})
    return results


def data_folder(tmp_path, **rates):
    folder = tmp_path / "data"
    folder.mkdir(exist_ok=True)
    for item, rate in rates.items():
        (folder / f"{item}_data.csv").write_text(f"1000,{rate},8000\n")
    return folder


@pytest.mark.parametrize("is_bare", [False, True])
@pytest.mark.parametrize("option", ["reference", "public"])
def test_the_json_of_temporal_detectors_becomes_the_rows_that_it_was_made_of(is_bare, option, tmp_path):
    rows = rows_of_sample(GESTURES)
    results = segments(rows)
    source = write(tmp_path / "a.json", results if is_bare else {"version": "1.3", "results": results})
    options: Any = {option: REFERENCES / GESTURES}
    convert(GESTURES, source, tmp_path / "my.zip", **options)
    assert sorted(rows_of_zip(tmp_path / "my.zip")) == sorted(rows)


def test_seconds_need_frame_rates_and_an_unknown_sequence_is_counted(tmp_path):
    segment = {"label": 3, "segment": [0.1, 0.5]}
    source = write(tmp_path / "a.json", {"A": [segment], "B": [segment, segment]})
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip"))
    assert "--public" in problem.remedy
    assert "--reference" in problem.remedy
    (note,) = convert(GESTURES, source, tmp_path / "my.zip", public=data_folder(tmp_path, A=10))
    assert note.text.startswith("2 rows of 1 sequence ")
    assert rows_of_zip(tmp_path / "my.zip") == [("A", 3, 2, 5)]
    write(tmp_path / "a.json", {"C": [segment], "B": [segment]})
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip", public=tmp_path / "data"))
    assert "none of 2 sequences is in the data, the first is B" in problem.problem
    assert problem.remedy == "yours are 'B', 'C', the data's 'A'"
    write(tmp_path / "a.json", {"v_A.mp4": [segment]})
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip", public=tmp_path / "data"))
    assert problem.remedy == "write them as in the data, as 'A' for 'v_A.mp4'"


def test_a_json_file_of_another_form_is_told_before_what_seconds_need(tmp_path):
    source = write(tmp_path / "a.json", {"A": [[3, 1, 5]]})
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip"))
    assert "it is no segment" in problem.problem


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"results": []},
        {"A": {}},
        {"A": [1]},
        {"A": [{"label": 1}]},
        {"A": [{"label": 1, "segment": [1]}]},
        {"A": [{"label": 1, "segment": "ab"}]},
        {"A": [{"label": 1, "segment": [1, "x"]}]},
        {"A": [{"label": 1, "segment": [2, 1]}]},
        {"A": [{"label": 1, "segment": [1e300, 1.7e308]}]},
        {"A": [{"label": None, "segment": [1, 2]}]},
        {"../A": [{"label": 1, "segment": [1, 2]}]},
    ],
)
def test_other_json_of_temporal_detectors_is_refused_in_one_line(content, tmp_path):
    source = write(tmp_path / "a.json", content)
    public = data_folder(tmp_path, A=RATE)
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip", public=public))
    assert problem.code == "E-TOOL-FILE"
    assert not (tmp_path / "my.zip").exists()


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("video-id,t-start,t-end,label", "S,0.2,0.5,3"),
        ("Video-ID,T-Start,T-End,Label", "S,0.2,0.5,3"),
        ("item,start,end,class", "S,5,10,3"),
        ("VIDEO,Start,End,GESTURE", "S,5,10,perfetto"),
        ("sequence,start_frame,stop_frame,label", "S,5,10,PERFETTO"),
        ("item,start frame,end frame,class", "S,5,10,3.0"),
    ],
)
def test_the_names_of_columns_of_the_field_are_known_and_tell_the_unit(header, row, tmp_path):
    source = write(tmp_path / "a.csv", f"{header}\n{row}\n")
    convert(GESTURES, source, tmp_path / "my.zip", public=data_folder(tmp_path, S=RATE))
    assert rows_of_zip(tmp_path / "my.zip") == [("S", 3, 5, 10)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("S,3,5,10\nS,4,11,12\n", ["the first line is a row", "item,class,start,end"]),
        ("3,5,10\n4,11,12\n", ["the first line is a row", "a file for each sequence"]),
        ("item,video,class,start,end\n", ["item is there twice"]),
        ("item,class,t-start,end\n", ["two units"]),
        ("item,frame,class\nS,1,background\n", ["start is missing", "labels of frames"]),
    ],
)
def test_a_table_without_the_columns_says_what_is_there(text, words, tmp_path):
    source = write(tmp_path / "a.csv", text)
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip"))
    assert [word for word in words if word not in text_of(problem)] == []


def test_seconds_after_the_end_of_the_video_are_refused_at_their_row(tmp_path):
    source = write(tmp_path / "a.csv", "item,t-start,t-end,class\nS,1,2,3\nS,197,265,3\n")
    problem = problem_of(
        lambda: convert(GESTURES, source, tmp_path / "my.zip", public=data_folder(tmp_path, S=20))
    )
    assert (problem.code, problem.file) == ("E-TOOL-FILE", "a.csv")
    assert "row 2: 197 to 265 seconds are after the end of the video, 50" in text_of(problem)


def test_the_file_of_one_sequence_is_told_from_a_table(tmp_path):
    source = write(tmp_path / "S_prediction.csv", "3,5,10\n4,11,12\n")
    problem = problem_of(lambda: score(GESTURES, source))
    assert "one sequence" in problem.problem
    assert "zip" in problem.remedy


def test_rows_of_background_are_left_out_with_their_number(tmp_path):
    source = write(
        tmp_path / "a.csv", "item,class,start,end\nS,Background,1,4\nS,3,5,10\nS,background,11,12\n"
    )
    (note,) = convert(GESTURES, source, tmp_path / "my.zip")
    assert note.text.startswith("2 rows of background ")
    assert rows_of_zip(tmp_path / "my.zip") == [("S", 3, 5, 10)]


def test_a_class_0_is_refused_until_it_is_the_first_class(tmp_path):
    source = write(tmp_path / "a.csv", "item,class,start,end\nS,0,1,4\nS,19,5,10\nS,vattene,11,12\n")
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip"))
    assert problem.problem.startswith("row 1: ")
    assert "--first-class 0" in problem.remedy
    convert(GESTURES, source, tmp_path / "my.zip", first_class=0)
    assert rows_of_zip(tmp_path / "my.zip") == [("S", 1, 1, 4), ("S", 20, 5, 10), ("S", 1, 11, 12)]


def test_a_class_beyond_those_from_0_is_refused_as_it_is_written(tmp_path):
    source = tmp_path / "rows.csv"
    source.write_text("item,class,start,end\nS,20,1,5\n")
    problem = problem_of(lambda: convert(GESTURES, source, tmp_path / "my.zip", first_class=0))
    assert "the class is 20" in problem.problem
    assert "leave the option out" in problem.remedy


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
    assert f" {n_low / len(rows):.0%} have less than 0.3" in note.text
    if n_low == len(rows):
        problem = problem_of(lambda: convert(GESTURES, source, folder / "other.zip", min_score=0.3))
        assert f"{n_low} rows" in problem.problem
        return
    notes = convert(GESTURES, source, folder / "my.zip", min_score=0.3)
    assert len(rows_of_zip(folder / "my.zip")) == len(rows) - n_low
    assert [note.text.split()[0] for note in notes] == [str(n_low)] * bool(n_low)


def test_scores_that_are_no_probabilities_have_their_median_as_the_threshold(tmp_path):
    source = write(tmp_path / "a.csv", "item,class,start,end,score\nS,3,1,2,-4\nS,3,5,6,2\nS,3,8,9,7\n")
    (note,) = convert(GESTURES, source, tmp_path / "my.zip")
    assert "33% have less than 2," in note.text


def test_the_scores_of_the_participants_table_count_through_a_threshold(tmp_path):
    """The same segments with forty uncertain ones: a threshold gives the score of the certain ones."""
    rows = [(*row, 0.9) for row in rows_of_sample(GESTURES)]
    uncertain = [
        (sequence, 1 + (label + 3) % 20, first, last, 0.1) for sequence, label, first, last, _ in rows
    ]
    lines = [",".join(map(str, row)) for row in rows + uncertain]
    source = write(tmp_path / "a.csv", "\n".join(["item,class,start,end,score", *lines]))
    everything = score(GESTURES, source)
    assert "50% have less than 0.3" in " ".join(note.text for note in everything.notes)
    certain = score(GESTURES, source, min_score=0.3)
    assert certain.score == score(GESTURES, SAMPLES / GESTURES / "good").score > everything.score + 0.2


def test_a_threshold_needs_scores(tmp_path):
    source = write(tmp_path / "a.csv", "item,class,start,end\nS,3,1,2\n")
    assert (
        "column score"
        in problem_of(lambda: convert(GESTURES, source, tmp_path / "o.zip", min_score=1)).problem
    )


def table_in_seconds(path):
    rows = rows_of_sample(GESTURES)
    lines = [f"{s},{label},{(first - 1) / RATE},{last / RATE}" for s, label, first, last in rows]
    return write(path, "\n".join(["item,class,start,end", *lines]))


@pytest.mark.parametrize("command", ["convert", "check", "score", "compare", "explain"])
def test_every_command_takes_a_table_in_seconds(command, tmp_path, capsys):
    source = table_in_seconds(tmp_path / "a.csv")
    words = {
        "convert": [GESTURES, str(source), str(tmp_path / "my.zip")],
        "check": [GESTURES, str(source)],
        "score": [GESTURES, str(source), "--output", str(tmp_path / "out")],
        "compare": [
            GESTURES,
            str(source),
            str(SAMPLES / GESTURES / "weak"),
            "--output",
            str(tmp_path / "out"),
        ],
        "explain": [GESTURES, str(source)],
    }[command]
    if command != "compare":
        assert main([command, *words]) == INVALID
        assert "--unit seconds" in "".join(capsys.readouterr())
    if command == "compare":
        words.pop(2)
    assert main([command, *words, "--unit", "seconds", "--public", str(REFERENCES / GESTURES)]) == SCORED


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


def test_a_csv_in_memory_and_on_disk_give_the_same_rows(tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = rows_of_sample(ACTIONS)
    names = ["video-id", "actor", "label", "start", "end"]
    with (tmp_path / "a.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([names, *rows])
    frame = pandas.DataFrame(rows, columns=names)
    assert score(ACTIONS, frame).score == score(ACTIONS, tmp_path / "a.csv").score
