"""Messages that people search for: each code is explained once, and their order never changes.

That each code is reported by some test is checked at the end of a full run (conftest.py).
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter

import pytest

from organizer.bundle.kit import PACKAGE, package_files
from organizer.bundle.modules import needed_modules
from organizer.bundle.programs import program_files
from organizer.files import folder_files, unpack, zip_bytes
from organizer.messages import PAGE, kit_messages_page, messages_page
from people_in_video.__main__ import run_command
from scoring_program.task import load_task, task_ids
from tests.helpers import PUBLISHED, ROOT, SAMPLES, make_zip, printed_problem, values_of
from validator.__main__ import main
from validator.codes import all_codes, code_tables
from validator.findings import LIKELY_MISTAKES, Findings

CODE = r"[ELNR]-[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*"


DETECTION = {
    "image_id": 1,
    "category_id": 1,
    "score": 0.5,
    "bbox": [1, 2, 3, 4],
    "uv_shape": [3, 4, 3],
    "uv_data": "",
}
# Ten frames of two objects instead of two objects of ten frames.
TRANSPOSED = {
    "results": {
        "v": {
            "0": {"clss": ["a", "b"], "idx_in_sent": [1, 2], "bbox_for_all_frames": [[[0, 0, 9, 9]] * 2] * 10}
        }
    },
    "eval_mode": "GT",
}


def test_the_page_of_messages_is_made_from_the_tables():
    assert PAGE.read_text(encoding="utf-8") == messages_page()


def test_each_code_is_in_one_table_and_in_the_part_of_its_kind():
    tables = code_tables().values()
    codes = [message_code.code for table in tables for part in table for message_code in part]
    assert sorted(code for code, number in Counter(codes).items() if number > 1) == []
    assert [code for code in codes if not re.fullmatch(CODE, code)] == []
    for part, letters in {
        "submission_errors": "E",
        "other_errors": "ER",
        "reference_warnings": "R",
        "notes": "N",
        "linter": "L",
    }.items():
        wrong = [
            message_code.code
            for table in tables
            for message_code in getattr(table, part)
            if message_code.code[0] not in letters
        ]
        assert wrong == [], part


def test_likely_mistakes_are_notes_with_a_meaning():
    notes = [note.code for table in code_tables().values() for note in table.notes]
    assert set(notes).issuperset(LIKELY_MISTAKES)


def test_kits_explain_the_messages_that_participants_meet():
    challenges = {load_task(task_id).folder.name for task_id in PUBLISHED}
    codes = set(re.findall(rf"^\| `({CODE})`", kit_messages_page(challenges), re.MULTILINE))
    assert {"E-FILE-NONE", "E-DP-PNG", "N-LOW", "E-REF-NONE"} <= codes
    of_organizers = code_tables()["organizer.codes"]
    assert not codes & {message_code.code for part in of_organizers for message_code in part}
    assert {code[0] for code in codes} == {"E", "N"}
    assert "E-DP-PNG" not in kit_messages_page(["chalearn"])


def test_each_code_in_the_sources_is_explained():
    known = all_codes()
    unknown = []
    for folder in ("validator", "scoring_program", "organizer", "starting_kit"):
        texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / folder).rglob("*.py")}
        for path, text in texts.items():
            # Most have none, and parsing takes a second.
            tree = ast.parse(text if re.search(f"[\"' ]{CODE}[\"' ]", text) else "")
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    words = node.value.split()
                    is_code = bool(words) and all(re.fullmatch(CODE, word) for word in words)
                    unknown += [f"{path.name}: {word}" for word in words if is_code and word not in known]
    assert unknown == []


@pytest.mark.slow
def test_programs_carry_no_tables_and_kits_those_of_their_tasks():
    for task_id in task_ids():
        assert not [name for name in program_files(task_id) if name.endswith("/codes.py")]
        files = package_files([task_id], lambda _: {})
        tables = {name.removeprefix(f"{PACKAGE}/") for name in files if name.endswith("/codes.py")}
        challenge = load_task(task_id).folder.name
        of_challenge = {
            f"{place}/{challenge}/codes.py" for place in ("validator/formats", "scoring_program/challenges")
        }
        assert tables - of_challenge == {"scoring_program/codes.py", "validator/codes.py"}
        assert tables & of_challenge == {name for name in of_challenge if (ROOT / name).exists()}


def test_explain_prints_the_line_of_a_code(capsys):
    assert run_command("explain", ["n-low"]) == 0
    assert capsys.readouterr().out == f"{all_codes()['N-LOW'].line()}\n"
    with pytest.raises(SystemExit) as ended:
        run_command("explain", ["E-FILE-NOME"])
    assert ended.value.code == 2
    _, _, message = capsys.readouterr().err.rpartition("error:")
    assert message.index("E-FILE-NOME") < message.index("E-FILE-NONE")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "exit_code"), [("E-CSV-RANGE", 0), ("N-LOW", 0), ("N-LEFT-OUT", 0), ("E-DP-PNG", 2)]
)
def test_explain_of_a_starting_kit_knows_the_codes_of_its_tasks(code, exit_code, tmp_path):
    code_of_kit = package_files(["chalearn_gesture"], lambda _: {})
    # A participant's own code lies beside the packages of the kit.
    code_of_participant = {"model/codes.py": b"raise SystemExit('this is not for the kit')"}
    unpack(zip_bytes({**code_of_kit, **code_of_participant}), tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", PACKAGE, "explain", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == exit_code, done.stderr
    assert done.stdout == ("" if exit_code else f"{all_codes()[code].line()}\n")


@pytest.mark.slow
def test_a_program_knows_the_files_of_all_tasks(tmp_path):
    check = needed_modules(["validator.__main__", "validator.formats.kinetics_tps.write"])
    unpack(zip_bytes({**program_files("kinetics_tps"), **check}), tmp_path)
    command = [sys.executable, "-m", "validator", "kinetics_tps", "my.zip"]
    for task_id in set(PUBLISHED) - {"kinetics_tps"}:
        (tmp_path / "my.zip").write_bytes(make_zip(folder_files(SAMPLES / task_id / "good")))
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert f"1. E-TASK: this is a submission to {task_id}:" in done.stdout


@pytest.fixture
def check(tmp_path, capsys):
    """Return a function that checks a submission and returns what ``python -m validator --json`` finds."""

    def check_files(files, task):
        (tmp_path / "my.zip").write_bytes(make_zip(files))
        main([task, str(tmp_path / "my.zip"), "--json"])
        captured = capsys.readouterr()
        assert captured.err == ""
        return json.loads(captured.out)

    return check_files


def lines_with_hash_seed(seed, path, tasks):
    """Return the lines about a submission to each task."""
    program = "import sys\nfrom validator.__main__ import main\nfor task in sys.argv[2:]:\n    main([task, sys.argv[1]])\n    print()"
    done = subprocess.run(
        [sys.executable, "-c", program, str(path), *tasks],
        cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed},
    )  # fmt: skip
    assert done.stderr == ""
    return [text.splitlines() for text in done.stdout.split("\n\n")[:-1]]


@pytest.mark.slow
def test_order_does_not_depend_on_the_hash_seed(tmp_path):
    tasks = ["kinetics_tps", "chalearn_gesture", "anet_entities_gen", "densepose"]
    bad = {
        f"{name}.json": '{"b": 1, "a": [2], "b": {"humans": 3}}'
        for name in ("pred_part_result", "densepose_x_results")
    }
    bad |= {
        "pred_vid_result.json": '{"x": 1, "y": 2}',
        "submission_gen.json": '{"results": {"v": {"0": {}}}}',
    }
    bad |= {f"{name}_prediction.csv": "0,5,1\nx\n99,1,2\n" for name in ("c", "a", "b")}
    (tmp_path / "my.zip").write_bytes(make_zip(bad))
    first, *others = (lines_with_hash_seed(seed, tmp_path / "my.zip", tasks) for seed in ("1", "2", "3"))
    assert others == [first, first]
    assert len(first) == len(tasks)
    for lines in first:
        assert len(set(lines)) == len(lines) > 1


def kinds_of(findings):
    """Return the code, the first place and the number of each kind of problem."""
    return [(kind["code"], kind["first"], kind["count"]) for kind in findings["kinds"]]


def places_of(findings):
    return [(problem["code"], problem["file"], problem["where"]) for problem in findings["problems"]]


def test_counting_from_zero_is_told_beside_what_is_allowed(check):
    findings = check({"S1_prediction.csv": "0,0,5\n" * 207}, "chalearn_gesture")
    assert kinds_of(findings) == [
        ("E-CSV-RANGE", "line 1 column 1", 207),
        ("E-CSV-RANGE", "line 1 column 2", 207),
    ]
    first_of_kind = {problem["where"]: problem["hint"] for problem in reversed(findings["problems"])}
    assert values_of(first_of_kind["line 1 column 1"]) == ["0", "1", "20"]
    assert values_of(first_of_kind["line 1 column 2"]) == ["0", "1"]


def test_the_same_problem_in_many_files_is_one_line(tmp_path, capsys):
    files = {f"S{number}_prediction.csv": "1,0,5\n1,0,9\n" for number in range(1, 6)}
    (tmp_path / "my.zip").write_bytes(make_zip({**files, "S6_prediction.csv": "1,x,9\n"}))
    main(["chalearn_gesture", str(tmp_path / "my.zip")])
    *lines, verdict = capsys.readouterr().out.splitlines()
    integer, ranges = map(printed_problem, lines)
    assert integer[:3] == ("E-CSV-INTEGER", "S6_prediction.csv", "line 1 column 2")
    first_places = [f"S{number}_prediction.csv line 1 column 2" for number in (1, 2, 3)]
    assert ranges[:3] == ("E-CSV-RANGE", "", ", ".join(first_places))
    assert values_of(ranges.count_text) == ["10", "5"]
    assert values_of(verdict) == ["2", "11"]


def test_problems_of_one_kind_without_a_place_are_counted():
    findings = Findings()
    for _ in range(4):
        findings.add("E-JSON-COUNT", "there are too many", "leave some out")
    (line,) = findings.lines()
    assert line.endswith(". In 4 places.")


@pytest.mark.parametrize(
    ("task", "file", "content", "cure"),
    [
        ("densepose", "densepose_x_results.json", [{**DETECTION, "bbox": [0.1, 0.2, 0.3, 0.4]}], "in pixels"),
        ("densepose", "densepose_x_results.json", [{**DETECTION, "bbox": [20, 30, 0.3, 0.4]}], "leave out"),
        ("densepose", "densepose_x_results.json", [{**DETECTION, "score": float("nan")}], "leave out"),
        ("densepose", "densepose_x_results.json", [{**DETECTION, "score": 10**400}], "64 bits"),
        ("anet_entities_gt", "submission_gt.json", TRANSPOSED, "outer list"),
    ],
)  # fmt: skip
def test_cures_fit_the_mistake(task, file, content, cure, check):
    assert cure in check({file: json.dumps(content)}, task)["problems"][0]["hint"]


def test_a_value_of_another_type_hides_no_problem_between_values(check):
    frame = {"humans": [{"box": [0, 0, 9, 9], "parts": {"hip": {"box": [[1, 1, 5, 5]], "verb": []}}}]}
    other_type, other_order = (
        {"humans": [{"box": box, "parts": {}}]} for box in ([0, 0, "9", 9], [9, 0, 0, 9])
    )
    parts = {"u": {"f": other_type}, "v": {"f": other_order}, "w": {"f": frame}}
    files = {"pred_vid_result.json": "{}", "pred_part_result.json": json.dumps(parts)}
    assert [(code, where) for code, _, where in places_of(check(files, "kinetics_tps"))] == [
        ("E-JSON-SCHEMA", "/u/f/humans/0/box/2"),
        ("E-BOX-ORDER", "/v/f/humans/0/box"),
        ("E-PART-LENGTH", "/w/f/humans/0/parts/hip"),
    ]
    boxes = [[[1, 2, 3, 4]] * 10]
    segments = {
        "0": {"clss": ["dog"], "idx_in_sent": ["0"], "bbox_for_all_frames": boxes},
        "1": {"clss": ["dog"], "idx_in_sent": [0, 1], "bbox_for_all_frames": boxes},
    }
    results = {"u": {"0": segments["0"]}, "v": {"1": segments["1"]}}
    content = json.dumps({"results": results, "eval_mode": "gen"})
    findings = check({"submission_gt.json": content}, "anet_entities_gt")
    assert [(code, where) for code, _, where in places_of(findings)] == [
        ("E-JSON-SCHEMA", "/results/u/0/idx_in_sent/0"),
        ("E-ANET-LENGTH", "/results/v/1"),
        ("E-ANET-MODE", "/eval_mode"),
    ]


def test_one_row_in_the_wrong_order_is_no_length(check):
    findings = check({"S1_prediction.csv": "1,1,5\n" * 9 + "1,9,5\n"}, "chalearn_gesture")
    assert places_of(findings) == [("E-CSV-RANGE", "S1_prediction.csv", "line 10 column 3")]
    (problem,) = findings["problems"]
    assert values_of(problem["problem"]) == ["5", "9"]
    assert "length" not in problem["hint"]


@pytest.mark.parametrize(
    ("task", "file", "owner"),
    [
        ("kinetics_tps", "submission_gt.json", "anet_entities_gt"),
        ("kinetics_tps", "S1_prediction.csv", "chalearn_action or chalearn_gesture"),
        ("chalearn_gesture", "densepose_x_results.json", "densepose"),
    ],
)
def test_files_of_another_task_are_named_as_such(task, file, owner, check):
    findings = check({file: "{}"}, task)
    assert places_of(findings) == [("E-TASK", "", "")]
    assert f"submission to {owner}:" in findings["problems"][0]["problem"]


@pytest.mark.parametrize(
    ("file", "is_similar"),
    [("densepose_demo_results.json", False), ("pred_video_result.json", True), ("pred_vid.json", True)],
)
def test_only_a_similar_name_is_asked_about(file, is_similar, check):
    findings = check({file: "{}", "pred_part_result.json": "{}"}, "kinetics_tps")
    assert places_of(findings) == [("E-FILE-NONE", "pred_vid_result.json", "")]
    assert ("misspelled" in findings["problems"][0]["hint"]) == is_similar


@pytest.mark.parametrize(
    ("task", "names", "problem", "folder"),
    [
        ("chalearn_gesture", ["a/S1_prediction.csv"], "", "a/"),
        ("chalearn_gesture", ["a/b/c/S1_prediction.csv"], "a/b/c/S1_prediction.csv", ""),
        ("chalearn_gesture", ["a/b/S1_prediction.csv", "a/S2_prediction.csv"], "a/b/S1_prediction.csv", "a/"),
        ("densepose", ["a/b/c/densepose_x_results.json"], "a/b/c/densepose_x_results.json", ""),
    ],
)
def test_one_folder_around_the_files_is_looked_into_and_others_are_told(task, names, problem, folder, check):
    findings = check(dict.fromkeys(names, "1,1,5\n"), task)
    assert places_of(findings) == ([("E-FILE-PLACE", problem, "")] if problem else [])
    notes = [note["text"] for note in findings["notes"] if note["code"] == "N-FOLDER"]
    assert [folder in text for text in notes] == [True] * bool(folder)
