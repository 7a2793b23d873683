"""What readers need in memory: no record for each escape sequence, joined word or row of a text."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.helpers import ROOT

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems do not tell a process its peak"
)

# Prints what becomes of a small submission and of a large one, and by how many megabytes the peak rises.
READ = """
import re, sys
from validator.findings import Refused
from validator.formats.rules import load_format

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

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) // 1024

print(verdict(10))
peak_before = peak()
print(verdict(5_000_000 // len(piece)))
print(peak() - peak_before)
"""


@pytest.mark.parametrize(
    ("task_id", "name", "before", "piece", "after", "verdicts"),
    [
        ("densepose", "densepose_a_results.json", '[{"x": "', r"\\", '", y}]', ["E-JSON-SYNTAX"] * 2),
        ("densepose", "densepose_a_results.json", '[{"x": "', r"\u0041", '", y}]', ["E-JSON-SYNTAX"] * 2),
        ("anet_entities_gen", "submission_gen.json", '{"', r"\\", '": 1}', ["E-JSON-SCHEMA"] * 2),
        ("kinetics_tps", "pred_part_result.json", '{"a": {"b": {"humans": [], "x:": "', r"\"", '"}}}', ["accepted"] * 2),
        ("chalearn_gesture", "Sample0001_prediction.csv", "", "7,1,2\n", "", ["accepted"] * 2),
    ],
)  # fmt: skip
def test_a_long_text_takes_no_record_for_each_escape_or_row(task_id, name, before, piece, after, verdicts):
    command = [sys.executable, "-c", READ, task_id, name, before, piece, after]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    *printed_verdicts, megabytes = done.stdout.split()
    assert printed_verdicts == verdicts
    assert int(megabytes) < 100
