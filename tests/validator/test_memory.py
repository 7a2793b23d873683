"""What readers need in memory: no record for each escape sequence, joined word or row of a text."""

from __future__ import annotations

import subprocess
import sys
import zipfile

import pytest

from tests.helpers import ROOT
from validator import json_text

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems do not tell a process its peak"
)

# The highest memory of this process until now, in megabytes.
PEAK = """
import re

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) // 1024
"""
# Prints what becomes of a small submission and of a large one, and by how many megabytes the peak rises.
READ = """
import sys
from validator.findings import Refused
from validator.checking import load_format

task_id, name, before, piece, after = sys.argv[1:]
format, rules = load_format(task_id)

def verdict(n_pieces):
    text = before + piece * n_pieces + after
    files = {name: text.encode(), "pred_vid_result.json": b"{}"}
    try:
        format.read(files, rules)
    except Refused as refused:
        return refused.findings.problems[0].code
    return "accepted"

print(verdict(10))
peak_before = peak()
print(verdict(5_000_000 // len(piece)))
print(peak() - peak_before)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task_id", "name", "before", "piece", "after", "verdicts"),
    [
        ("densepose", "densepose_a_results.json", '[{"x": "', r"\\", '", y}]', ["E-JSON-SYNTAX"] * 2),
        ("densepose", "densepose_a_results.json", '[{"x": "', r"\u0041", '", y}]', ["E-JSON-SYNTAX"] * 2),
        ("anet_entities_gen", "submission_gen.json", '{"', r"\\", '": 1}', ["E-JSON-SCHEMA"] * 2),
        ("kinetics_tps", "pred_part_result.json", '{"a": {"b": {"humans": [], "x:": "', r"\"", '"}}}', ["accepted"] * 2),
        ("chalearn_gesture", "Sample0001_prediction.csv", "", "7,1,2\n", "", ["accepted"] * 2),
        ("chalearn_gesture", "Sample0001_prediction.csv", "1,2,3\n", "11,", "x\n", ["E-CSV-COLUMNS"] * 2),
    ],
)  # fmt: skip
def test_a_long_text_takes_no_record_for_each_escape_or_row(task_id, name, before, piece, after, verdicts):
    command = [sys.executable, "-c", PEAK + READ, task_id, name, before, piece, after]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    *printed_verdicts, megabytes = done.stdout.split()
    assert printed_verdicts == verdicts
    assert int(megabytes) < 100


# Prints by how many megabytes the peak rises while an entry is refused, and the code of the problem.
READ_LARGEST = """
import sys
from pathlib import Path
from validator import json_text
from validator.findings import Refused
from validator.formats.kinetics_tps.read import read_parts
from validator.formats.rules import load_rules

json_text._PIECE, json_text._MOST_MEMORY = 1_000_000, int(sys.argv[2])
rules = load_rules("kinetics_tps").json[1]
before = peak()
try:
    read_parts(open(sys.argv[1], "rb").read, "f.json", rules)
except Refused as refused:
    print(refused.findings.problems[0].code, peak() - before)
"""
MOST_MEMORY = 130_000_000


def expected_memory(text):
    n_values = json_text.count_values(text.encode())
    return json_text._MEMORY_OF_VALUE * n_values + json_text._MEMORY_OF_TEXT * sys.getsizeof(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ['"ab"', '"\N{GRINNING FACE}b"', '"\N{GRINNING FACE}bbbbbbbbbbbb"', "0.5", "1000", "[1]", '{{"a":1}}', '"{number:05x}":1'],
    ids=["words", "wide words", "long wide words", "numbers", "whole numbers", "lists", "objects", "keys"],
)  # fmt: skip
def test_no_value_takes_much_more_memory_than_is_allowed(tmp_path, unit):
    thousand = ",".join(unit.format(number=number) for number in range(1000))
    n_units = int(0.98 * MOST_MEMORY / expected_memory(thousand) * 1000)
    units = ",".join(unit.format(number=number) for number in range(n_units))
    text = f'{{"v":{{{units}}}}}' if "{number" in unit else f'{{"v":[{units}]}}'
    assert 0.9 * MOST_MEMORY < expected_memory(text) < MOST_MEMORY
    path = tmp_path / "f.json"
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", PEAK + READ_LARGEST, str(path), str(MOST_MEMORY)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    code, megabytes = done.stdout.split()
    assert code == "E-JSON-SCHEMA"
    assert int(megabytes) < 150


# Checks a submission, and prints the peak in megabytes.
CHECK = """
import sys
from validator.__main__ import main

main(sys.argv[1:])
print(peak())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_detections", "n_megabytes", "code"), [(5, 200, "E-JSON-SCHEMA"), (2, 550, "E-JSON-COUNT")]
)
def test_detections_with_hundreds_of_megabytes_each_take_bounded_memory(
    tmp_path, n_detections, n_megabytes, code
):
    path = tmp_path / "s.zip"
    begin = b'{"image_id":1,"category_id":1,"bbox":[0,0,9,9],"score":0.5,"uv_shape":[3,9,9],"uv_data":"'
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("densepose_x_results.json", "w") as stream,
    ):
        for index in range(n_detections):
            stream.write((b"," if index else b"[") + begin)
            for _ in range(n_megabytes):
                stream.write(b"A" * 1_000_000)
            stream.write(b'"}')
        stream.write(b"]")
    command = [sys.executable, "-c", PEAK + CHECK, "densepose", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    *lines, megabytes = done.stdout.splitlines()
    assert code in lines[0]
    assert int(megabytes) < 1500
