"""Scoring at home: the function for Python, references that are prepared once, and pipes that end early."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import people_in_video
from people_in_video.__main__ import run_command
from people_in_video.references import loading
from scoring_program.report import outputs
from scoring_program.run import BROKEN, INVALID, SCORED
from scoring_program.task import load_task
from tests.helpers import (
    CODE_FOLDERS,
    REFERENCES,
    ROOT,
    SAMPLES,
    full_disk,
    one_of_each_challenge,
    one_of_each_format,
    refused,
    replace_function,
    run_folder,
)
from validator import console

TASK = "chalearn_gesture"
GOOD = str(SAMPLES / TASK / "good")


@pytest.mark.slow
@pytest.mark.parametrize("task", one_of_each_challenge())
def test_score_gives_what_the_command_writes(task, tmp_path, capsys):
    result = people_in_video.score(task, SAMPLES / task / "weak")
    sample = str(SAMPLES / task / "weak")
    assert run_command("score", [task, sample, "--output", str(tmp_path), "-v"]) == SCORED
    written = json.loads((tmp_path / "scores.json").read_text())
    assert {key: pytest.approx(value, abs=1e-9) for key, value in result.scores.items()} == written
    assert result.signature in capsys.readouterr().out
    assert result.interval.low <= result.scores["score"] <= result.interval.high
    # A cost of generated sentences is that of the other protocol.
    error_types = {error.key for error in load_task(task).error_types} - {"not_annotated"}
    assert {cost.error_type for cost in result.error_costs} == error_types
    assert len(result.items) >= 4


def test_second_call_does_not_read_the_reference_again(tmp_path, monkeypatch):
    task, good = "kinetics_tps", SAMPLES / "kinetics_tps" / "good"
    reference = shutil.copytree(REFERENCES / task, tmp_path / "ref")
    first = people_in_video.score(task, good, reference)
    calls = []
    load = load_task(task).load

    def load_and_count(*arguments):
        calls.append(1)
        return load(*arguments)

    replace_function(monkeypatch, task, "load", load_and_count)
    assert people_in_video.score(task, good, reference) == first
    assert calls == []
    people_in_video.score(task, good, reference, protocol="released")
    os.utime(reference / "gt_vid_result.json", (1, 1))
    people_in_video.score(task, good, reference, protocol="released")
    assert calls == [1]


def test_a_reference_that_is_corrected_at_the_same_time_and_size_is_read_again(tmp_path):
    """As after unpacking a corrected zip over the first one: sizes and times of zips made here are equal."""
    reference = shutil.copytree(REFERENCES / TASK, tmp_path / "ref")
    file = reference / "DemoSequence0001_labels.csv"
    os.utime(file, (1, 1))
    first = people_in_video.score(TASK, GOOD, reference)
    label, comma, rest = file.read_bytes().partition(b",")
    file.write_bytes((b"2" if label[-1:] == b"1" else b"1").rjust(len(label), b"1") + comma + rest)
    os.utime(file, (1, 1))
    second = people_in_video.score(TASK, GOOD, reference)
    assert (second.signature != first.signature, second.scores != first.scores) == (True, True)


def test_score_raises_the_list_of_problems(tmp_path, monkeypatch):
    # Long paths are shortened in messages.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "DemoSequence0001_prediction.csv").write_text("1,5\n")
    with pytest.raises(people_in_video.SubmissionError, match="E-CSV-COLUMNS") as caught:
        people_in_video.score(TASK, tmp_path)
    assert [problem.code for problem in caught.value.problems] == ["E-CSV-COLUMNS"]
    with pytest.raises(ValueError, match=r"'gestures'.* anet_entities_gen"):
        people_in_video.score("gestures", tmp_path)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("protocl", r".* protocol\b.* At /protocl\."),
        ("ref", r".* reference\?"),
        ("references", r".* reference\?"),
        ("item", r".* items\?"),
        ("zzz", ".* reference,.* protocol"),
    ],
)
def test_a_setting_that_there_is_not_is_told_with_what_was_meant(setting, words):
    with pytest.raises(people_in_video.ReferenceProblemsError, match=f"E-SETTINGS-KEY: {words}"):
        people_in_video.score(TASK, GOOD, **{setting: "x"})


@pytest.mark.slow
def test_official_files_are_prepared_once_into_the_cache(tmp_path, capsys, monkeypatch):
    source = shutil.copytree(REFERENCES / "densepose", tmp_path / "official")
    sample = SAMPLES / "densepose" / "good"
    arguments = ["densepose", str(sample), "--reference", str(source), "--output", str(tmp_path / "out")]
    assert run_command("score", [*arguments, "--cache", str(tmp_path / "cache")]) == SCORED
    (made,) = (tmp_path / "cache").iterdir()
    assert f" {made} (" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "h5py", None)
    assert people_in_video.score("densepose", sample, source, cache=tmp_path / "cache").scores["score"] > 0.7
    assert run_command("score", [*arguments, "--cache", str(tmp_path / "cache")]) == SCORED
    assert str(made) not in capsys.readouterr().err
    (source / "settings.yaml").write_text("measure: iou\n")
    assert run_command("score", [*arguments, "--cache", str(tmp_path / "cache")]) == BROKEN
    assert "E-REF-H5PY: " in capsys.readouterr().err.splitlines()[-1]
    assert list((tmp_path / "cache").iterdir()) == [made]


@pytest.mark.slow
def test_two_processes_may_prepare_the_same_reference(tmp_path, monkeypatch, capsys):
    source, replace = REFERENCES / "densepose", Path.replace

    def second(self, target):
        shutil.copytree(self, target)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", second)
    made = loading.prepared_folder(load_task("densepose"), source, tmp_path)
    assert list(tmp_path.iterdir()) == [made]
    monkeypatch.setattr(Path, "replace", lambda self, target: (tmp_path / "none").stat())
    (problem,) = refused(loading.prepared_folder, load_task("densepose"), source, tmp_path / "other").problems
    assert problem.code == "E-OUTPUT"


@pytest.mark.slow
def test_settings_and_groups_beside_official_files_are_taken(tmp_path):
    source = shutil.copytree(REFERENCES / "densepose", tmp_path / "official")
    (source / "settings.yaml").write_text("measure: iou\n")
    sample = SAMPLES / "densepose" / "good"
    result = people_in_video.score("densepose", sample, source)
    assert "|measure:iou|" in result.signature
    rows = [f"{row['item']},group{number % 5}" for number, row in enumerate(result.items)]
    (source / "persons.csv").write_text("\n".join(["item,group", *rows]))
    result = people_in_video.score("densepose", sample, source, item_groups="persons.csv")
    assert "|measure:iou|" in result.signature
    assert "|item_groups:none|" not in result.signature
    assert result.interval.items == 5


def test_subset_scores_annotated_segments_only_and_the_signature_says_so(tmp_path, capsys):
    task, reference = "anet_entities_gen", shutil.copytree(REFERENCES / "anet_entities_gen", tmp_path / "ref")
    split = json.loads((reference / "split.json").read_text())
    kept = split["validation"][:6]
    (reference / "split.json").write_text(json.dumps({**split, "validation": kept}))
    submission = shutil.copytree(SAMPLES / task / "good", tmp_path / "all")
    whole = people_in_video.score(task, submission, reference, protocol="released")
    words = f"{task} {submission} --reference {reference} --output {tmp_path / 'out'} --protocol released"
    assert run_command("score", [*words.split(), "--subset", "-v"]) == SCORED
    assert "|subset:True|" in capsys.readouterr().out
    subset = json.loads((tmp_path / "out" / "scores.json").read_text())
    path = submission / "submission_gen.json"
    content = json.loads(path.read_text())
    content["results"] = {video: segments for video, segments in content["results"].items() if video in kept}
    path.write_text(json.dumps(content))
    cut = people_in_video.score(task, submission, reference, protocol="released")
    fixed = {cost.error_type: cost.score_if_fixed for cost in whole.error_costs}["not_annotated"]
    assert whole.scores["score"] < subset["score"] == pytest.approx(cut.scores["score"], abs=1e-9)
    assert fixed == pytest.approx(subset["score"], abs=1e-9)
    assert subset["score_low"] == pytest.approx(cut.scores["score_low"])
    assert "|subset:False|" in cut.signature


def test_a_faulty_reference_is_yours_at_home_and_the_organizers_on_the_platform(tmp_path, capsys):
    reference, out = tmp_path / "ref", tmp_path / "out"
    reference.mkdir()
    (reference / "S1_labels.csv").write_text("1,5,9\n")
    assert run_command("score", [TASK, GOOD, "--reference", str(reference), "--output", str(out)]) == BROKEN
    page, log = (out / "detailed_results.html").read_text(), capsys.readouterr().err
    assert log.startswith("Your reference")
    assert log.splitlines()[1].startswith("1. E-REF-PAIR ")
    assert "your reference" in page
    assert "rganizer" not in page + log
    assert run_folder(TASK, reference, Path(GOOD), out).exit_code == BROKEN
    page, log = (out / "detailed_results.html").read_text(), capsys.readouterr().err
    assert log.startswith("The organizer's side")
    assert log.splitlines()[1].startswith("1. E-REF:")
    assert "organizers" in page
    assert "our reference" not in page


def test_score_interval_and_costs_above_0_are_printed_and_all_else_on_request(tmp_path, capsys):
    task, sample = "kinetics_tps", str(SAMPLES / "kinetics_tps" / "good")
    arguments = [task, sample, "--output", str(tmp_path), "--drawings", "0"]
    assert run_command("score", arguments) == SCORED
    short = capsys.readouterr().out
    assert run_command("score", [*arguments, "-v"]) == SCORED
    verbose = capsys.readouterr().out
    result = people_in_video.score(task, sample)
    assert f"{result.interval}" == f"95 % interval {result.interval.low:.4f} to {result.interval.high:.4f}"
    title = load_task(task).columns[0].title
    assert short.startswith(f"{title} {result.score:.4f}, {result.interval}, over 36 videos\n")
    titles = {error_type.key: error_type.title for error_type in load_task(task).error_types}
    assert {cost.points > 0 for cost in result.error_costs} == {True, False}
    for cost in result.error_costs:
        line = rf"^  {titles[cost.error_type]} +{cost.points:.4f}$"
        assert bool(re.search(line, short, re.MULTILINE)) == (cost.points > 0)
        assert re.search(line, verbose, re.MULTILINE)
    for key, score in result.scores.items():
        assert re.search(rf"^  {key} +{score:.6f}$", verbose, re.MULTILINE)
        assert key == "score" or f"  {key} " not in short
    for text in (result.signature, "\ntime: "):
        assert text in verbose
        assert text not in short


def test_the_time_of_a_run_includes_preparing_the_reference(tmp_path, capsys, monkeypatch):
    def prepare_slowly(*arguments):
        time.sleep(0.3)
        return prepared_folder(*arguments)

    prepared_folder = loading.prepared_folder
    monkeypatch.setattr(loading, "prepared_folder", prepare_slowly)
    assert run_command("score", [TASK, GOOD, "-v", "--output", str(tmp_path)]) == SCORED
    (seconds,) = re.findall(r"\ntime: .* reference ([\d.]+) s", capsys.readouterr().out)
    assert float(seconds) >= 0.3


def test_reference_that_names_no_annotated_video_is_refused(tmp_path, capsys):
    task = "anet_entities_gt"
    reference = shutil.copytree(REFERENCES / task, tmp_path / "ref")
    (reference / "split.json").write_text('{"validation": []}')
    words = f"{task} {SAMPLES / task / 'good'} --reference {reference} --output {tmp_path / 'out'}"
    assert run_command("score", words.split()) == BROKEN
    assert "E-REF-EMPTY" in capsys.readouterr().err
    with pytest.raises(people_in_video.ReferenceProblemsError, match="E-REF-EMPTY"):
        people_in_video.score(task, SAMPLES / task / "good", reference)


def test_split_file_of_the_challenge_is_named_with_the_setting_it_needs(tmp_path, capsys):
    reference = shutil.copytree(REFERENCES / "anet_entities_gt", tmp_path / "ref")
    (reference / "split.json").rename(reference / "split_ids_anet_entities.json")
    sample = str(SAMPLES / "anet_entities_gt" / "good")
    arguments = ["anet_entities_gt", sample, "--reference", str(reference), "--output", str(tmp_path / "out")]
    assert run_command("score", arguments) == BROKEN
    (_, line) = capsys.readouterr().err.splitlines()
    assert "E-REF-NONE split.json: " in line
    assert "reference.json, split_ids_anet_entities.json;" in line
    assert "split_file" in line


def test_items_that_cannot_be_written_end_in_one_line(tmp_path, monkeypatch, capsys):
    write = outputs.write_atomic

    def fail(path, text):
        if path.name == outputs.PER_ITEM:
            raise console.OutputError("per_item.csv cannot be written (No space left on device)")
        write(path, text)

    monkeypatch.setattr(outputs, "write_atomic", fail)
    assert run_command("score", [TASK, GOOD, "--output", str(tmp_path / "out")]) == BROKEN
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("E-OUTPUT: per_item.csv ")
    assert "(No space left on device)" in line
    assert not (tmp_path / "out" / "scores.json").exists()


def test_output_folder_that_is_a_file_ends_in_one_line_without_a_page(tmp_path, capsys):
    (tmp_path / "plain").write_text("")
    assert run_command("score", [TASK, GOOD, "--output", str(tmp_path / "plain")]) == BROKEN
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("E-OUTPUT: ")
    assert "(File exists)" in err
    (tmp_path / "bad").mkdir()
    assert run_command("score", [TASK, str(tmp_path / "bad"), "--output", str(tmp_path / "o")]) == INVALID
    assert f"detail page: {tmp_path / 'o'}" in capsys.readouterr().out


def test_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").write_text("")
    # A reference of which no earlier test left the arrays in memory.
    sample, source = str(SAMPLES / "densepose" / "good"), str(tmp_path / "official")
    shutil.copytree(REFERENCES / "densepose", source)
    arguments = ["densepose", sample, "--reference", source, "--output", str(tmp_path / "out")]
    assert run_command("score", [*arguments, "--cache", "plain"]) == BROKEN
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("1. E-OUTPUT plain: ")
    assert "(File exists)" in line
    assert "--cache" in line
    with pytest.raises(people_in_video.ReferenceProblemsError, match="E-OUTPUT"):
        people_in_video.score("densepose", sample, source, cache="plain")


@pytest.mark.slow
def test_cache_without_room_is_told(tmp_path):
    sample, cache = SAMPLES / "densepose" / "good", tmp_path / "cache"
    source = shutil.copytree(REFERENCES / "densepose", tmp_path / "official")
    with full_disk(1000), pytest.raises(people_in_video.ReferenceProblemsError, match="E-OUTPUT"):
        people_in_video.score("densepose", sample, source, cache=cache)
    assert not [*cache.iterdir()]


def run_closed(arguments, tmp_path):
    """Run a command whose stdout is closed at the other end before it begins; return its exit code."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, *arguments], stdout=write, stderr=subprocess.PIPE, cwd=tmp_path, text=True, check=False,
        env={**os.environ, "PYTHONPATH": CODE_FOLDERS},
    )  # fmt: skip
    os.close(write)
    assert done.stderr == ""
    return done.returncode


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", [[], ["-u"]])
def test_output_that_nobody_reads_changes_nothing(tmp_path, unbuffered):
    command = [*unbuffered, "-m", "people_in_video", "score", TASK]
    assert run_closed([*command, GOOD, "--output", "out", "-v"], tmp_path) == SCORED
    page = (tmp_path / "out" / "detailed_results.html").read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    assert "Valid and scored" in page


WITHOUT_UNIX = """
import os, runpy, signal, sys
sys.modules["resource"] = None
for module, names in {os: ["fork", "sched_getaffinity"], signal: ["SIGALRM", "SIGXCPU", "setitimer", "alarm"]}.items():
    for name in names:
        delattr(module, name)
runpy.run_module("people_in_video", run_name="__main__", alter_sys=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("task", one_of_each_format())
def test_nothing_at_home_needs_what_windows_does_not_have(task, tmp_path):
    folders = ["--output", str(tmp_path / "out"), "--cache", str(tmp_path / "c")]
    arguments = ["score", task, str(SAMPLES / task / "good"), *folders]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_UNIX, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": CODE_FOLDERS},
    )
    assert (done.returncode, "Traceback" in done.stderr) == (SCORED, False), done.stderr


@pytest.mark.slow
def test_commands_of_organizers_go_on_where_nobody_reads(tmp_path):
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    program = (
        f"import runpy, sys; sys.path[0] = {str(ROOT)!r}; runpy.run_module('organizer', run_name='__main__')"
    )
    assert run_closed(["-c", program, "lint", "bad.zip"], tmp_path) == 1


def test_a_score_in_python_draws_the_worst_items_that_it_is_asked_for():
    def timelines(**options):
        tables = people_in_video.score(TASK, SAMPLES / TASK / "weak", **options).tables
        return [key for key in tables if key.startswith("timeline")]

    assert len(timelines(drawings=2)) == 2
    assert timelines() == []
    with pytest.raises(ValueError, match="drawings is -1"):
        timelines(drawings=-1)
