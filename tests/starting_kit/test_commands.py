"""The command ``people-in-video``: what it is called with, what it prints, and the codes that it ends with."""

from __future__ import annotations

import json
import os
import pkgutil
import re
import shutil
from importlib import import_module
from pathlib import Path

import pytest

import people_in_video
from people_in_video import commands, progress
from people_in_video.telling_task import tasks_of_submission
from scoring_program.run import BROKEN, INVALID, NOTHING_TO_SCORE, SCORED
from scoring_program.task import task_ids
from tests.helpers import PUBLISHED, REFERENCES, SAMPLES, make_zip
from validator import submission

TASK = "chalearn_gesture"
# What an earlier call left.
A_FILE = "evaluation/scores.json"
GOOD, WEAK = (str(SAMPLES / TASK / name) for name in ("good", "weak"))
COMMANDS = sorted(
    module.name for module in pkgutil.iter_modules(commands.__path__) if module.name != "options"
)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_examples(call, command):
    code, out, _ = call(*filter(None, [command]), "--help")
    assert code == SCORED
    assert f"\n  people-in-video {command}" in out.partition("\nexamples:\n")[2] or not command
    assert "\nexamples:\n" in out


def test_options_of_explain_may_stand_between_its_words(call):
    code, out, _ = call("explain", "E-FILE-NONE", "--cache", ".", "N-LOW")
    assert code == SCORED
    assert "E-FILE-NONE" in out
    assert "N-LOW" in out


def test_help_of_convert_says_of_each_task_what_is_read(call):
    _, out, _ = call("convert", "--help")
    listed = [line.split()[0] for line in out.partition("files that are read:\n")[2].splitlines()]
    assert listed == task_ids()


@pytest.mark.parametrize(
    "module",
    ["organizer.__main__", "quality.__main__", "validator.__main__"],
)
def test_help_of_other_commands_has_examples(module, capsys):
    with pytest.raises(SystemExit):
        import_module(module).main(["--help"])
    assert "\nexamples:\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "name a command"),
        (["nosuch"], "nosuch"),
        (["score"], "your zip"),
        (["score", "nosuch.zip"], "nosuch.zip"),
        (["score", "chalearn_gestures", GOOD], "chalearn_gesture?"),
        # The task of another kit, or a misspelled one, is read as a path.
        (["score", "moon_landing", GOOD], f"task ids here: {', '.join(task_ids())}"),
        (["score", "moon_landing.zip"], "moon_landing.zip; check the path"),
        (["score", GOOD, WEAK], "one submission"),
        (["score", GOOD, "--nosuch"], "--nosuch"),
        (["score", GOOD, "--reference", "nosuch"], "--reference"),
        (["score", GOOD, "--reference", A_FILE], "is a file; name the folder"),
        (["convert", "densepose", A_FILE, "my.zip", "--reference", A_FILE], "is a file; name the folder"),
        (["score", GOOD, "--first", "0"], "--first"),
        (["score", GOOD, "--first", "2", "--items", "ids.txt"], "--first"),
        (["score", GOOD, "--items", "ids.txt"], "ids.txt"),
        (["score", GOOD, "-q", "--json"], "--json"),
        (["score", GOOD, "--drawings", "501"], "--drawings takes 0 to 500"),
        (["score", GOOD, "--images", "none"], "--images: there is no folder none"),
        (["score", GOOD, "--subset"], "--subset is only for anet_entities_gen"),
        (["score", TASK, GOOD, "--eval_mode", "gen"], "--eval_mode gen is that of anet_entities_gen"),
        (["score", TASK, GOOD, "--eval_mode", "GT"], "--eval_mode GT is that of anet_entities_gt"),
        (["score", GOOD, "--loc_mode", "all"], "--loc_mode is only for anet_entities_gen, anet_entities_gt"),
        (["convert", "densepose", "none.pth", "my.zip"], "none.pth"),
        (["convert", "densepose", A_FILE, "my.zip", "--min-score", "x"], "--min-score"),
        (["convert", "densepose", A_FILE, "my.zip", "--first-class", "2"], "--first-class"),
        (["convert", "densepose", A_FILE, "my.zip", "--sizes", "none.csv"], "none.csv"),
        (["convert", "moon", A_FILE, "my.zip"], "moon"),
        (["check", "nosuch.zip"], "nosuch.zip"),
        (["compare", GOOD, "nosuch.zip"], "nosuch.zip"),
        (["compare", TASK], "name at least one"),
        (["compare", TASK, GOOD, GOOD], f"{GOOD} is named twice"),
        (["history"], "runs.csv"),
        (["explain", "E-FILE-NON"], "E-FILE-NONE?"),
    ],
)
def test_wrong_calls_end_with_2_and_touch_no_earlier_result(call, arguments, text):
    for folder in ("evaluation", "comparison"):
        Path(folder).mkdir()
        (Path(folder) / "scores.json").write_text("{}")
    code, out, err = call(*arguments)
    assert (code, out) == (BROKEN, "")
    assert text in err.splitlines()[-1]
    left = sorted(path.as_posix() for path in Path().rglob("*") if path.is_file())
    assert left == ["comparison/scores.json", "evaluation/scores.json"]


@pytest.mark.parametrize("task", PUBLISHED)
def test_files_tell_the_task(task, call, tmp_path):
    for sample in ("good", "weak"):
        assert tasks_of_submission(SAMPLES / task / sample) == [task]
    (tmp_path / "my.zip").write_bytes(
        make_zip({path.name: path.read_bytes() for path in (SAMPLES / task / "good").iterdir()})
    )
    code, out, _ = call("check", tmp_path / "my.zip")
    assert code == SCORED
    head, *_, verdict = out.splitlines()
    assert head == f"task: {task}"
    assert "unchecked" in verdict
    assert "--public" in verdict
    assert "--reference" in verdict


def test_a_zip_is_one_whatever_its_name_ends_with(call, tmp_path):
    outputs = []
    for name in ("my.zip", "my.ZIP", "my"):
        (tmp_path / name).write_bytes(make_zip({"S1_prediction.csv": "1,2,3\n"}))
        outputs.append(call("check", TASK, tmp_path / name))
    assert outputs[0] == outputs[1] == outputs[2]


@pytest.mark.parametrize("task", ["anet_entities_gen", "anet_entities_gt", "densepose"])
def test_a_json_file_of_any_name_tells_the_task(task, tmp_path):
    (sample,) = (SAMPLES / task / "good").iterdir()
    shutil.copy(sample, tmp_path / "x.json")
    assert tasks_of_submission(tmp_path / "x.json") == [task]
    assert tasks_of_submission(tmp_path) == [task]


def test_files_that_do_not_tell_the_task_need_its_name(call, tmp_path):
    (tmp_path / "my.zip").write_bytes(make_zip({"S1_prediction.csv": ""}))
    code, _, err = call("check", tmp_path / "my.zip")
    assert code == BROKEN
    assert "chalearn_action or chalearn_gesture" in err


@pytest.mark.parametrize("command", ["check", "score", "compare"])
def test_a_submission_without_a_file_of_any_task_is_wrong_and_not_the_command(call, command):
    call("score", GOOD)
    for archive, problem in ((b"no zip", "E-ZIP-NOT"), (make_zip({"a.txt": "no prediction"}), "E-FILE-NONE")):
        Path("my.zip").write_bytes(archive)
        code, out, err = call(command, "my.zip")
        assert code == INVALID
        assert f"{problem} my.zip" in out + err
    assert Path(A_FILE).exists() == (command != "score")


def test_the_default_of_a_kit_stands_in_where_the_files_do_not_tell(call, tmp_path, monkeypatch):
    (tmp_path / "my.zip").write_bytes(make_zip({"S1_prediction.csv": ""}))
    monkeypatch.setattr("people_in_video.commands.options.default_task", lambda: TASK)
    assert call("check", tmp_path / "my.zip")[1].startswith(f"task: {TASK}\n")
    monkeypatch.setattr("people_in_video.commands.options.default_task", lambda: "densepose")
    assert call("check", GOOD)[1].startswith(f"task: {TASK}\n")


def test_check_compares_with_a_reference(call, tmp_path):
    reference = REFERENCES / TASK
    code, out, _ = call("check", GOOD, "--reference", reference)
    assert code == SCORED
    verdict = out.splitlines()[-1]
    assert "compared with the reference" in verdict
    assert "frames and segments" in verdict
    assert "--public" in verdict
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "S1_prediction.csv").write_text("1,1,5\n")
    assert call("check", TASK, tmp_path / "other")[0] == SCORED
    code, out, _ = call("check", TASK, tmp_path / "other", "--reference", reference)
    assert code == INVALID
    assert "E-ITEMS-NONE" in out
    code, _, err = call("check", GOOD, "--reference", tmp_path / "other")
    assert code == BROKEN
    assert "E-REF-NONE" in err


def test_help_names_the_tasks_of_an_option_and_the_demo_reference_where_there_is_one(call):
    text_of_command = {}
    for command in ("score", "compare", "check"):
        _, out, _ = call(command, "--help")
        text_of_command[command] = " ".join(out.split())
    has_demo = {command: "demo reference" in text for command, text in text_of_command.items()}
    assert has_demo == {"score": True, "compare": True, "check": False}
    assert " --subset anet_entities_gen: " in text_of_command["score"]


def test_check_with_a_reference_tells_of_unknown_names_in_a_folder_in_a_folder(call, tmp_path):
    folder = shutil.copytree(SAMPLES / "kinetics_tps" / "good", tmp_path / "outer" / "inner")
    path = folder / "pred_vid_result.json"
    path.write_text(json.dumps(dict.fromkeys(json.loads(path.read_text()), "nobody")))
    code, out, _ = call("check", tmp_path / "outer", "--reference", REFERENCES / "kinetics_tps")
    assert code == SCORED
    assert "N-FOLDER" in out
    assert "N-NAMES-UNKNOWN" in out
    assert "nobody" in out


def test_refusals_by_the_demo_reference_say_so(call, tmp_path):
    """Who has the ids of the challenge and no reference must not think that they are wrong."""
    submission = tmp_path / "mine"
    submission.mkdir()
    (submission / "S1_prediction.csv").write_text("1,1,5\n")
    (tmp_path / "reference").symlink_to(REFERENCES / TASK)
    is_told = []
    for options in ([], ["--reference", tmp_path / "reference"]):
        assert call("score", TASK, submission, *options)[0] == NOTHING_TO_SCORE
        page = Path("evaluation/detailed_results.html").read_text()
        _, _, log = call("score", TASK, submission, *options)
        _, json_text, _ = call("score", TASK, submission, "--json", *options)
        (problem,) = json.loads(json_text)["problems"]
        assert problem["code"] == "E-ITEMS-NONE"
        code, _, only = call("compare", TASK, submission, *options)
        assert code == INVALID
        _, _, beside = call("compare", TASK, GOOD, submission, *options)
        comparison_page = Path("comparison/comparison.html").read_text()
        texts = [page, log, problem["hint"], only, beside, comparison_page]
        is_told.append(["demo reference" in text and "--reference" in text for text in texts])
    assert is_told == [[True] * 6, [False] * 6]


@pytest.mark.parametrize("options", [[], ["--reference", REFERENCES / TASK]])
def test_a_valid_submission_of_other_items_is_told_from_an_invalid_one(call, tmp_path, options):
    submission = tmp_path / "mine"
    submission.mkdir()
    for number in range(12):
        (submission / f"Test{number:02}_prediction.csv").write_text("1,1,5\n")
    assert call("score", GOOD, *options)[0] == SCORED
    assert Path("evaluation/scores.json").exists()
    code, out, log = call("score", TASK, submission, "--json", *options)
    outcome = json.loads(out)
    assert (code, outcome["exit_code"], outcome["outcome"]) == (NOTHING_TO_SCORE, 3, "nothing_to_score")
    for name in ("12", *(f"'Test{number:02}'" for number in range(3)), "'DemoSequence0003'"):
        assert name in log
    assert "invalid" not in log + Path("evaluation/detailed_results.html").read_text().lower()
    assert not [path.name for path in Path("evaluation").iterdir() if path.name.startswith("scores")]
    assert call("check", TASK, submission, "--reference", REFERENCES / TASK)[0] == INVALID
    reference = options[1] if options else None
    with pytest.raises(people_in_video.NothingToScoreError, match="E-ITEMS-NONE") as caught:
        people_in_video.score(TASK, submission, reference)
    assert isinstance(caught.value, people_in_video.SubmissionError)
    with pytest.raises(people_in_video.NothingToScoreError):
        people_in_video.score(TASK, [("Test00", [[1, 1, 5]])], reference)
    # The files of unknown sequences are read, too.
    (submission / "Test05_prediction.csv").write_text("1,9,5\n")
    code, _, log = call("score", TASK, submission, *options)
    assert code == INVALID
    assert "E-CSV-RANGE Test05_prediction.csv" in log
    assert "E-ITEMS-NONE" not in log


def test_limits_of_the_demo_reference_are_not_taken_for_those_of_the_challenge(call, monkeypatch):
    """Who has a file of full size must not be told to leave out detections."""
    monkeypatch.setattr("validator.formats.densepose.read.most_pixels", lambda n_images: 1)
    n_images = len(json.loads((REFERENCES / "densepose" / "annotations.json").read_text())["images"])
    code, _, err = call("score", SAMPLES / "densepose" / "good")
    assert code == INVALID
    assert "E-JSON-COUNT" in err
    assert f"{n_images} images" in err
    assert "demo reference" in err
    assert "leave out" not in err
    _, _, err = call("score", SAMPLES / "densepose" / "good", "--reference", REFERENCES / "densepose")
    assert "demo reference" not in err
    assert "leave out" in err


def test_quiet_prints_the_number_alone(call):
    code, out, err = call("score", GOOD, "-q")
    assert (code, err) == (SCORED, "")
    assert out == f"{json.loads(Path('evaluation/scores.json').read_text())['score']}\n"
    assert call("check", GOOD, "-q") == (SCORED, "", "")
    code, out, _ = call("compare", GOOD, WEAK, "-q")
    assert [line.split()[0] for line in out.splitlines()] == ["good", "weak"]


def test_json_is_what_the_files_hold(call, tmp_path):
    _, out, _ = call("score", GOOD, "--json")
    assert json.loads(out) == json.loads(Path("evaluation/detailed_results.json").read_text())
    _, out, _ = call("compare", GOOD, WEAK, "--json")
    assert json.loads(out) == json.loads(Path("comparison/comparison.json").read_text())
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "S1_prediction.csv").write_text("1,5\n")
    code, out, _ = call("score", TASK, tmp_path / "bad", "--json")
    assert (code, json.loads(out)["outcome"]) == (INVALID, "invalid")
    code, out, _ = call("check", TASK, tmp_path / "bad", "--json")
    assert (code, json.loads(out)["valid"]) == (INVALID, False)


@pytest.mark.parametrize(
    "command",
    ["check", f"check --reference {REFERENCES / TASK}", "score", "compare"],
    ids=["check", "with a reference", "score", "compare"],
)
def test_strict_ends_with_1_where_a_note_tells_of_a_likely_mistake(call, tmp_path, command):
    good, same = shutil.copytree(GOOD, tmp_path / "good"), tmp_path / "same"
    same.mkdir()
    for path in good.iterdir():
        rows = [line.split(",") for line in path.read_text().splitlines()]
        (same / path.name).write_text("".join(f"1,{start},{end}\n" for _, start, end in rows))
    # Of this there is a note, too, which tells of no mistake.
    (good / ".DS_Store").touch()
    name, *options = command.split()
    assert call(name, same, *options)[0] == SCORED
    code, _, err = call(name, same, *options, "--strict")
    assert code == INVALID
    assert "N-LOOKS-CONSTANT" in err
    assert call(name, good, *options, "--strict")[0] == SCORED


def test_some_items_are_scored(call):
    items = [row["item"] for row in people_in_video.score(TASK, GOOD).items]
    Path("ids.txt").write_text(f"item,score\n {items[3]} \n\n{items[5]},0.5\n")
    _, out, _ = call("score", GOOD, "--items", "ids.txt", "-v")
    assert re.search(rf"\n{TASK}\|.*\|items:2-[0-9a-f]+\|ref:", out)
    rows = Path("evaluation/per_item.csv").read_text().splitlines()
    assert [row.partition(",")[0] for row in rows[1:]] == [items[3], items[5]]
    assert "per_item.csv" in Path("evaluation/detailed_results.html").read_text()
    selected = people_in_video.score(TASK, GOOD, items=[items[5], items[3]])
    assert f"\n{selected.signature}\n" in out
    _, out, _ = call("compare", GOOD, WEAK, "--first", "4")
    first = people_in_video.compare(TASK, [GOOD, WEAK], items=items[:4])
    assert out.startswith(f"{first.signature}\n")
    evaluator = people_in_video.Evaluator(TASK, items=items[:4])
    evaluator.update(items[0], [[1, 1, 5]])
    assert "|items:4-" in evaluator.compute().signature


def test_unknown_items_are_named(call):
    ids = Path("ids.txt")
    ids.write_text("DemoSequence0001\nDemoSequence1\nbird\n")
    code, _, err = call("score", GOOD, "--items", ids)
    assert code == BROKEN
    assert "2 sequences" in err
    assert "'DemoSequence1', 'bird'" in err
    ids.write_text("\n")
    assert call("score", GOOD, "--items", ids)[0] == BROKEN
    ids.write_text("DemoSequence0001", encoding="utf-16")
    code, _, err = call("score", GOOD, "--items", ids)
    assert code == BROKEN
    assert "UTF-8" in err.splitlines()[-1]
    assert "codec" not in err
    for items, words in ((["bird"], "'bird'"), ([], "at least one")):
        with pytest.raises(ValueError, match=words):
            people_in_video.score(TASK, GOOD, items=items)


class Terminal:
    """Stands for stderr on a terminal."""

    encoding = "utf-8"

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def fileno(self):
        raise OSError


@pytest.mark.parametrize(("least_bytes", "is_shown"), [(1, True), (10**9, False)])
def test_a_bar_shows_how_much_of_a_large_submission_was_read(call, monkeypatch, least_bytes, is_shown):
    monkeypatch.setattr(progress, "LEAST_BYTES", least_bytes)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert call("score", GOOD)[0] == SCORED
    assert ("reading" in terminal.text) == is_shown
    assert ("B/s" in terminal.text) == is_shown


def test_what_is_read_adds_up_to_the_size():
    sizes = []
    token = submission.on_read.set(sizes.append)
    people_in_video.score(TASK, GOOD)
    submission.on_read.reset(token)
    assert sum(sizes) == sum(path.stat().st_size for path in Path(GOOD).iterdir())


def test_missing_files_are_errors_of_python():
    for function in (people_in_video.score, people_in_video.check):
        with pytest.raises(FileNotFoundError) as caught:
            function(TASK, "nosuch.zip")
        assert os.fspath(caught.value.filename) == "nosuch.zip"
    with pytest.raises(FileNotFoundError):
        people_in_video.compare(TASK, [GOOD, "nosuch.zip"])
    with pytest.raises(FileNotFoundError):
        people_in_video.Evaluator(TASK, "nosuch")


@pytest.mark.parametrize(
    "path",
    ["a" * 300, "a/" * 2000 + "b", "no\x1b[31mred\u202e" + "/such" * 2000],
    ids=["long name", "deep folders", "folders with control characters"],
)
@pytest.mark.parametrize(
    "arguments",
    [
        ["PATH"],
        ["check", "PATH"],
        ["check", GOOD, "--public", "PATH"],
        ["score", TASK, "PATH"],
        ["score", TASK, GOOD, "--output", "PATH"],
        ["compare", "PATH", GOOD],
        ["history", "PATH"],
        ["convert", "densepose", "PATH", "my.zip"],
    ],
    ids=lambda arguments: " ".join(word for word in arguments if word != GOOD),
)
def test_a_path_that_is_too_long_is_one_line_that_a_terminal_can_show(call, arguments, path):
    code, _, err = call(*(path if word == "PATH" else word for word in arguments))
    assert code == BROKEN
    assert "Traceback" not in err
    assert not {"\x1b", "\u202e"} & set(err)
    assert len(err.splitlines()[-1]) < 1200


def test_a_submission_is_explained_and_nothing_is_written(call, tmp_path):
    """Classes of Kinetics-TPS as of the next video: the note says so, with shares."""
    task = "kinetics_tps"
    folder = shutil.copytree(SAMPLES / task / "good", tmp_path / "res")
    path = folder / "pred_vid_result.json"
    classes = json.loads(path.read_text())
    names = list(classes.values())
    path.write_text(json.dumps(dict(zip(classes, [*names[1:], names[0]]))))
    code, out, _ = call("explain", task, folder, "--reference", REFERENCES / task)
    assert code == SCORED
    assert "N-LOOKS" in out and "%" in out
    assert list((tmp_path / "empty").iterdir()) == []
    code, out, _ = call("explain", task, SAMPLES / task / "good", "--reference", REFERENCES / task)
    assert (code, out.splitlines()[-1]) == (SCORED, "nothing looks like a mistake")
    path.write_text("{")
    code, out, err = call("explain", task, folder, "--reference", REFERENCES / task)
    assert (code, out) == (INVALID, "")
    assert "E-JSON-SYNTAX" in err
