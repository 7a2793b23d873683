"""Running built programs as the platform does, and what is said about what they leave."""

from __future__ import annotations

import os
import re

import pytest
import yaml

from organizer import files
from organizer.__main__ import main
from organizer.bundle import source as source_module
from organizer.bundle.cut import one_task
from organizer.runs import built
from organizer.runs.dry_run import describe, read_scores
from organizer.runs.worker import TIMED_OUT, BuiltTask, Run, container_command, run_program
from quality.competition import write_source
from scoring_program.task import load_task
from tests.helpers import REFERENCES, SAMPLES, make_zip

ID = "chalearn_gesture"
TASK = load_task(ID)
PAGE = {"detailed_results.html": b"<p>"}


def run_of(outputs, code=0):
    return Run(code, 1.0, "", "", outputs=outputs)


@pytest.fixture
def run_files(tmp_path):
    """Return a function that runs a program, the files of its zip, on nothing."""

    def run(files, time_limit=30.0, engine=None):
        (tmp_path / "empty").mkdir()
        task = BuiltTask(ID, make_zip(files), tmp_path / "empty", time_limit)
        return run_program(task, tmp_path / "empty", tmp_path / "app", engine)

    return run


@pytest.fixture
def docker(tmp_path, monkeypatch):
    """Return a function that has a script take the place of Docker, which writes its calls into a file."""

    def script(*lines, only=False):
        engine = tmp_path / "bin" / "docker"
        engine.parent.mkdir()
        engine.write_text("\n".join(["#!/bin/sh", f'echo "$@" >> {tmp_path}/calls', *lines, ""]))
        engine.chmod(0o755)
        others = [] if only else [os.environ["PATH"]]
        monkeypatch.setenv("PATH", os.pathsep.join([str(engine.parent), *others]))

    return script


@pytest.mark.parametrize(
    ("outputs", "stored", "name"),
    [
        ({**PAGE, "scores.json": b'{"score": 1, "coverage": NaN}'}, {"score": 1}, "coverage: nan"),
        ({**PAGE, "scores.json": b'{"score": 1, "coverage": 1e11}'}, {"score": 1}, "coverage: 100000000000.0"),
        ({**PAGE, "scores.json": b'{"score": 1, "Coverage": 1}'}, {"score": 1, "Coverage": 1}, "Coverage"),
        ({**PAGE, "scores.json": b'{"coverage": 1, "score": 1' + 400 * b"0" + b"}"}, {"coverage": 1}, "score: "),
        ({**PAGE, "scores.json": b"[1]"}, {}, "mapping"),
        ({**PAGE, "scores.json": b"{"}, {}, "cannot be read"),
        ({**PAGE, "scores.txt": b"score: 1: 2"}, {}, "cannot be read"),
        (PAGE, {}, "no scores file"),
        ({**PAGE, "scores.json": b'{"score": 1, "coverage": 1}', "metadata": b""}, {"score": 1, "coverage": 1}, " metadata"),
        ({"scores.txt": b"score: 1\ncoverage: 1\n"}, {"score": 1, "coverage": 1}, "detailed_results.html"),
    ],
)  # fmt: skip
def test_what_the_platform_would_not_store_is_named(outputs, stored, name):
    scores, warnings = read_scores(run_of(outputs), ["score", "coverage"])
    assert scores == stored
    assert any(name in warning for warning in warnings)


def test_clean_scores_give_no_warning_and_a_row():
    run = run_of({**PAGE, "scores.txt": b"score: 0.5\ncoverage: 1.0\n"})
    assert read_scores(run, ["score", "coverage"]) == ({"score": 0.5, "coverage": 1.0}, [])
    assert any(line.startswith("leaderboard row | ") for line in describe(run, TASK, TASK.columns, 600))


def test_failed_run_has_no_row():
    told = b'{"outcome": "invalid", "problems": [{"code": "E-CSV-X", "problem": "it is wrong"}]}'
    lines = describe(run_of({**PAGE, "detailed_results.json": told}, 1), TASK, TASK.columns, 600)
    (state,) = [line for line in lines if line.startswith("platform | Failed")]
    assert state.endswith(": invalid, E-CSV-X it is wrong")
    (row,) = [line for line in lines if line.startswith("leaderboard row | ")]
    assert row.startswith("leaderboard row | none")


def test_dry_run_command_scores_a_sample(tmp_path, capsys):
    submission = tmp_path / "my.zip"
    submission.write_bytes(make_zip(files.folder_files(SAMPLES / ID / "weak")))
    arguments = ["dry-run", ID, str(submission), "--reference", str(REFERENCES / ID)]
    assert main([*arguments, "--output", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "leaderboard row | " in out
    assert re.search("^platform [|] Finished; .*: scored$", out, re.MULTILINE)
    assert "warning | " not in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "image"), [([], "codalab/codalab-legacy:py312"), (["--image", "my/image:1"], "my/image:1")]
)
def test_dry_run_takes_the_image_of_the_competition_or_a_given_one(tmp_path, capsys, docker, more, image):
    docker()
    sample = SAMPLES / ID / "good"
    main(["dry-run", ID, str(sample), "--output", str(tmp_path / "out"), *more])
    assert f"ran in a container (docker, {image})" in capsys.readouterr().out
    # The engine is asked once whether it runs.
    info, call = (tmp_path / "calls").read_text().splitlines()
    assert info == "info"
    assert f" {image} python3 " in call


def test_image_of_a_competition_is_that_of_its_dry_runs(tmp_path, monkeypatch):
    source = write_source(tmp_path / "source")
    path = source / "competition.yaml"
    path.write_text(path.read_text().replace("codalab/codalab-legacy:py312", "my/image:2"))
    monkeypatch.setattr(source_module, "SOURCE", source)
    assert built.built_task(ID, None).image == "my/image:2"


def test_row_is_that_of_the_leaderboard(tmp_path, monkeypatch):
    source = write_source(tmp_path / "source")
    competition = yaml.safe_load((source / "competition.yaml").read_text())
    started = one_task(competition, TASK)
    assert started is not None
    started["leaderboards"][0]["columns"] = [
        {"index": 1, "title": "Covered", "key": "coverage"},
        {"index": 0, "title": "Jaccard", "key": "score", "precision": 3},
        {"index": 2, "title": "Precision", "key": "precision_frames", "hidden": True},
    ]
    (source / "competition.yaml").write_text(yaml.safe_dump(started))
    monkeypatch.setattr(source_module, "SOURCE", source)
    monkeypatch.setattr(built, "DIST", tmp_path / "dist")
    columns = built.built_task(ID, None).columns
    run = run_of({**PAGE, "scores.txt": b"score: 0.5\ncoverage: 1.0\nprecision_frames: 0.25\n"})
    lines = describe(run, TASK, columns, 600)
    assert "leaderboard row | Jaccard 0.500 | Covered 1.00" in lines
    assert [line for line in lines if line.startswith("warning")] == []


def test_a_second_dry_run_in_one_folder_says_who_works_there(tmp_path, capsys):
    sample, out = SAMPLES / ID / "good", tmp_path / "out"
    out.mkdir()
    with files.locked(out):
        assert main(["dry-run", ID, str(sample), "--output", str(out)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{out}: process {os.getpid()} ")
    assert "--output" in said
    assert not (out / "app").exists()


def test_program_is_killed_at_its_time_limit(run_files):
    files = {"metadata.yaml": "command: python3 /app/program/x.py", "x.py": "import time; time.sleep(60)"}
    assert run_files(files, time_limit=0.3).exit_code == TIMED_OUT


@pytest.mark.parametrize(
    ("name", "command", "arguments"),
    [
        ("metadata.yaml", "python3 /app/program/x.py $HOME /app/input '*'", ["$HOME", "{app}/input", "*"]),
        # The names of classic CodaLab.
        ("metadata", "python3 $program/x.py $input $output $outputs", ["{app}/input", "{app}/output", "$outputs"]),
    ],
)  # fmt: skip
def test_command_has_the_names_of_folders_and_no_shell(run_files, tmp_path, name, command, arguments):
    run = run_files({name: f"command: {command}", "x.py": "import sys; print(sys.argv[1:])"})
    assert run.stdout.strip() == str([argument.format(app=tmp_path / "app") for argument in arguments])


def test_a_container_is_ended_at_the_time_limit(run_files, docker, tmp_path):
    docker('case "$1" in run) exec sleep 30;; esac')
    files = {"metadata.yaml": "command: python3 /app/program/x.py", "x.py": ""}
    assert run_files(files, time_limit=0.5, engine="docker").exit_code == TIMED_OUT
    started, ended = (tmp_path / "calls").read_text().splitlines()
    (name,) = re.findall(r"--name=(\S+)", started)
    assert ended == f"kill {name}"


def test_image_that_is_asked_for_needs_an_engine_whose_daemon_runs(tmp_path, docker, capsys):
    docker("exit 1", only=True)
    call = f"dry-run {ID} {SAMPLES / ID / 'good'} --output {tmp_path / 'out'} --image no/such:1"
    with pytest.raises(SystemExit) as ended:
        main(call.split())
    assert ended.value.code == 2
    assert "--image" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_container_has_no_network_and_a_read_only_program(tmp_path):
    command = container_command("docker", "image:1", tmp_path, ["python3", "/app/program/score.py"], "name")
    assert command[:2] == ["docker", "run"]
    assert "--network=none" in command
    assert f"--volume={tmp_path.resolve()}/program:/app/program:ro" in command
    assert command[-3:] == ["image:1", "python3", "/app/program/score.py"]
