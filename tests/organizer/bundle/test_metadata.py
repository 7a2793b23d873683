"""Commands in the metadata of programs: what cannot run on the platform, and what can."""

from __future__ import annotations

import pytest

from organizer.bundle.metadata import metadata_problems

IMAGE = "codalab/codalab-legacy:py312"
OWN_IMAGE = "me/image:1"
NAMES = ["score.py", "metadata.yaml", "run.sh", "deep/score.py"]
ARGUMENTS = "/app/input /app/output"


def rules(text, names=NAMES, image=IMAGE, is_ours=True):
    content = None if text is None else text.encode()
    return [rule for rule, _ in metadata_problems(content, names, image, is_ours)]


def rules_of_command(command, **options):
    return rules("command: |\n  " + command.replace("\n", "\n  ") + "\n", **options)


@pytest.mark.parametrize(
    "command",
    [
        f"python3 /app/program/score.py {ARGUMENTS}",
        f"python3 score.py {ARGUMENTS}",
        "python3 $program/score.py $input $output",
        f"python3.12 -u -W ignore score.py {ARGUMENTS}",
        f"python score.py {ARGUMENTS}/",
        f"timeout 300 python3 /app/program/score.py {ARGUMENTS}",
        f"env PYTHONHASHSEED=0 python3 score.py {ARGUMENTS}",
        f"/usr/bin/env python3 score.py {ARGUMENTS}",
        f'sh -c "python3 /app/program/score.py {ARGUMENTS}"',
        f'sh -c "cd /app/program && python3 score.py {ARGUMENTS}"',
        f'bash -lc "python3 score.py {ARGUMENTS}"',
        f"timeout -k 5 300 python3 score.py {ARGUMENTS}",
        "sh run.sh a b",
        "python3 -m score /app/input /app/output",
        "python3 score.py ../input ../output",
    ],
)
def test_command_that_runs_has_no_problem(command):
    assert rules_of_command(command) == []


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        (f"python3 scorer.py {ARGUMENTS}", "program is missing"),
        (f"python3 C:\\program\\score.py {ARGUMENTS}", "program is missing"),
        (f"python3 /app/scoring_program/score.py {ARGUMENTS}", "program is missing"),
        (f"sh -c 'python3 /app/program/none.py {ARGUMENTS}'", "program is missing"),
        (f"sh start.sh {ARGUMENTS}", "program is missing"),
        (f"./score.py {ARGUMENTS}", "file is not executable"),
        (f"$program/run.sh {ARGUMENTS}", "file is not executable"),
        (f"PYTHONHASHSEED=0 python3 score.py {ARGUMENTS}", "assignment in a command"),
        (f"cd /app/program && python3 score.py {ARGUMENTS}", "command of a shell"),
        (f"python3.9 score.py {ARGUMENTS}", "no such executable"),
        (f"Python3 score.py {ARGUMENTS}", "no such executable"),
        (f"python3.exe score.py {ARGUMENTS}", "no such executable"),
        (f"\u201cpython3 score.py {ARGUMENTS}\u201d", "no such executable"),
        (f"pyhton3 score.py {ARGUMENTS}", "no such executable"),
        (f"python2 score.py {ARGUMENTS}", "old Python"),
        (f"score {ARGUMENTS}", "command of another program"),
        (f"echo start; python3 score.py {ARGUMENTS}", "command of another program"),
        (f"python3 /tmp/codalab/program/score.py {ARGUMENTS}", "program is missing"),
        ('python3 score.py "/app/input /app/output', "open quote"),
        ("python3 score.py", "wrong arguments"),
        ("python3 score.py /app/output /app/input", "wrong arguments"),
        ("python3 score.py /app/input/ref /app/output", "wrong arguments"),
        ("python3 score.py /app/input", "wrong arguments"),
        ("python3 -u", "no script"),
        (f"python3 score.py {ARGUMENTS} && echo done", "shell in our command"),
        (f"python3 score.py {ARGUMENTS} > log.txt", "shell in our command"),
        (f"python3 score.py {ARGUMENTS}\necho done", "command of several lines"),
    ],
)
def test_command_that_cannot_run_is_named_by_its_cause(command, rule):
    assert rule in rules_of_command(command)


@pytest.mark.parametrize(
    "command",
    [
        "python3 score.py",
        "python3.9 score.py x",
        "uv run score.py",
        "julia score.jl",
        "python3 /opt/score.py",
    ],
)
def test_what_other_programs_and_images_hold_is_not_known(command):
    assert rules_of_command(command, image=OWN_IMAGE, is_ours=False) == []


def test_metadata_that_is_not_utf_8_fails():
    text = "command: python3 score.py".encode("utf-16")
    assert list(metadata_problems(text, NAMES, IMAGE, is_ours=False)) == [
        ("metadata is not UTF-8", {"script": "score.py"})
    ]


def test_program_in_several_folders_is_that_of_one_of_them():
    ((rule, fields),) = metadata_problems(None, ["a/metadata", "b/metadata.yaml"], IMAGE, is_ours=False)
    assert (rule, fields["folder"], fields["metadata"]) == (
        "program in a folder",
        "a or b",
        "b/metadata.yaml",
    )


@pytest.mark.parametrize(
    ("names", "script"),
    [
        (["score.py", "utils.py"], "score.py"),
        (["evaluate.py", "lib/utils.py", "__MACOSX/._evaluate.py", "labels.csv"], "evaluate.py"),
        (["a.py", "b.py"], "YOUR_SCRIPT.py"),
    ],
)
def test_script_to_run_is_one_that_is_there(names, script):
    ((rule, fields),) = metadata_problems(None, names, IMAGE, is_ours=False)
    assert (rule, fields["script"]) == ("no metadata", script)


def test_text_in_place_of_a_mapping_is_shown():
    ((rule, fields),) = metadata_problems(b"command = python3 score.py", NAMES, IMAGE, is_ours=False)
    assert (rule, "command = python3 score.py" in fields["content"]) == ("no command", True)


def test_slash_that_is_lost_is_said():
    ((rule, fields),) = metadata_problems(b"command: python3 deep\\score.py", NAMES, IMAGE, is_ours=False)
    assert (rule, fields["word"], "/" in fields["slashes"]) == ("program is missing", "deepscore.py", True)


@pytest.mark.parametrize(
    ("text", "names", "rule"),
    [
        (None, ["score.py"], "no metadata"),
        (None, ["scoring_program/metadata.yaml", "__MACOSX/scoring_program/._metadata.yaml"], "program in a folder"),
        (None, ["scoring_program\\metadata.yaml"], "program with backslashes"),
        (None, ["program.zip", "__MACOSX/._program.zip"], "program in a zip"),
        (None, ["metadata.yml"], "misspelled metadata"),
        (None, ["metadata.yaml.txt"], "misspelled metadata"),
        (None, ["Metadata.yaml"], "misspelled metadata"),
        ("image: x", NAMES, "no command"),
        ("- command: python3 score.py", NAMES, "no command"),
        ("command:", NAMES, "no command"),
        ("command: [python3, score.py]", NAMES, "command is no text"),
        ("command:python3 score.py", NAMES, "no blank after command"),
        ("description: x\ncommand:python3 score.py", NAMES, "no blank after command"),
        ("command:\u00a0python3 score.py", NAMES, "no blank after command"),
        ("command: python3 score.py\ndescription: Scores (metric: x)", NAMES, "metadata is no YAML"),
        ("command:\tpython3 score.py\n\tx: y", NAMES, "metadata is no YAML"),
        ("command: python3 score.py\n---\na: b", NAMES, "metadata is no YAML"),
        ("command: !!python/object:a.b 'python3 score.py'", NAMES, "metadata is no YAML"),
    ],
)  # fmt: skip
def test_metadata_without_a_command_is_named_by_its_cause(text, names, rule):
    assert rules(text, names) == [rule]
