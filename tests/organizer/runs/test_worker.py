"""The folders that a submission is laid out in: as the platform does it, or packed if it cannot be unpacked."""

from __future__ import annotations

import random

import pytest

from organizer.files import zip_bytes
from organizer.runs.worker import BuiltTask, run_program
from quality.fuzzing.damage import damaged_zip
from tests.helpers import make_zip, with_wrong_checksum

PROGRAM = zip_bytes({
    "metadata.yaml": b"command: python3 /app/program/list.py /app/input/res",
    "list.py": b"import os, sys\nfor folder, _, names in os.walk(sys.argv[1]):\n"
    b"    for name in names:\n        print(os.path.relpath(os.path.join(folder, name), sys.argv[1]))\n",
})  # fmt: skip
REFERENCE = zip_bytes({"x": b""})
GOOD = {"S1_prediction.csv": "1,2,3\n"}


def laid_out(tmp_path, data):
    path = tmp_path / "mine.zip"
    path.write_bytes(data)
    run = run_program(BuiltTask("chalearn_gesture", PROGRAM, REFERENCE, 60.0), path, tmp_path / "app", None)
    assert (run.exit_code, run.stderr) == (0, "")
    return sorted(run.stdout.splitlines())


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (GOOD, ["S1_prediction.csv", "metadata"]),
        ({f"top/{name}": text for name, text in GOOD.items()}, ["metadata", "top/S1_prediction.csv"]),
        ({**GOOD, "__MACOSX/x": b"y"}, ["S1_prediction.csv", "__MACOSX/x", "metadata"]),
        ({**GOOD, "../up.csv": "", "/x/./b.csv": ""}, ["S1_prediction.csv", "metadata", "up.csv", "x/b.csv"]),
        ({**GOOD, "metadata": "description: mine"}, ["S1_prediction.csv", "metadata"]),
        ({**GOOD, "metadata": "command: rm"}, ["metadata"]),
        ({**GOOD, "metadata.yaml": "command: rm"}, ["metadata"]),
        ({**GOOD, "metadata/x": ""}, ["S1_prediction.csv", "metadata/x"]),
        pytest.param({"__MACOSX/x": bytes(300_000_000)}, ["__MACOSX/x", "metadata"], marks=pytest.mark.slow),
    ],
)
def test_a_submission_is_unpacked_as_by_the_worker_of_the_platform(tmp_path, files, found):
    assert laid_out(tmp_path, make_zip(files)) == found


@pytest.mark.parametrize(
    "data",
    [
        b"no zip",
        with_wrong_checksum(GOOD),
        make_zip(GOOD).replace(b"S1_", b"S2_", 1),
        {"a": "", "a/b": ""},
        {"x" * 256: ""},
        {".": ""},
    ],
)
def test_what_cannot_be_unpacked_stays_packed(tmp_path, data):
    if isinstance(data, dict):
        data = make_zip({**GOOD, **data})
    assert laid_out(tmp_path, data) == ["metadata", "mine.zip"]


@pytest.mark.slow
def test_no_damaged_zip_stops_a_run(tmp_path):
    rng = random.Random(5)
    files = {name: text.encode() for name, text in GOOD.items()}
    for _ in range(40):
        assert "metadata" in laid_out(tmp_path, damaged_zip(rng, files))
