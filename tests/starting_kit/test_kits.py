"""The kit of every task, unpacked from its own zip: each command and program of its README, and its notebook."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import zipfile

import nbclient
import nbformat
import numpy as np
import pytest

from scoring_program.task import task_ids
from tests.helpers import make_zip

pytestmark = pytest.mark.slow


@pytest.fixture(params=task_ids())
def kit(request, bundles, tmp_path):
    with zipfile.ZipFile(bundles / f"{request.param}.zip") as bundle:
        zipfile.ZipFile(io.BytesIO(bundle.read("starting_kit.zip"))).extractall(tmp_path)
    return tmp_path


def run(arguments, folder):
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False, env=clean
    )
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def put_what_a_participant_has(kit):
    """Put the files that the README's programs read: sample zips of ChaLearn, a pickle of detections."""
    for folder, name, head in (("valSamples", "Seq01", "1,"), ("valGestures", "Sequence01", "")):
        (kit / folder).mkdir()
        files = {
            f"{name}_labels.csv": f"{head}1,102,203\n{head}5,250,325\n",
            f"{name}_data.csv": "1254,20,8000\n",
        }
        (kit / folder / f"{name}.zip").write_bytes(make_zip(files))
    found = [{"image_id": 1, "bbox": [1.0, 2, 8, 6], "score": 0.5, "uv": np.full((3, 6, 8), 20, np.uint8)}]
    (kit / "detections.pkl").write_bytes(pickle.dumps(found))


def test_every_command_and_program_of_the_readme_works(kit):
    readme = (kit / "README.md").read_text(encoding="utf-8")
    assert not re.search(r"\{(id|mode|example)\}|<!--", readme)
    put_what_a_participant_has(kit)
    steps = re.findall(r"^    python ([^\n]+)$|^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert len(steps) >= 7
    for command, program in steps:
        run(command.split() if command else ["-c", program], kit)
        if re.fullmatch(r"evaluate\.py \w+ my\.zip", command):
            score = json.loads((kit / "evaluation" / "scores.json").read_text())["score"]
            assert (score > 0) != ("its score is 0" in readme)
    assert (kit / "evaluation" / "detailed_results.html").is_file()


def test_no_text_of_the_kit_names_what_it_does_not_have(kit):
    (task,) = (path.name for path in (kit / "samples").iterdir())
    others = [other for other in task_ids() if other != task]
    for name in ("README.md", "quickstart.ipynb"):
        text = (kit / name).read_text(encoding="utf-8")
        assert [other for other in others if re.search(rf"\b{other}\b", text)] == []
    readme = (kit / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(\w+\.(?:py|ipynb))`", readme)) <= {path.name for path in kit.iterdir()}
    for text in (readme, (kit / "formats" / f"{task}.md").read_text(encoding="utf-8")):
        paths = re.findall(r"`((?:scoring_program|validator)/[^`]*)`", text)
        assert [path for path in paths if not (kit / path).exists()] == []


def test_help_shows_no_options_of_other_tasks(kit):
    (task,) = (path.name for path in (kit / "samples").iterdir())
    shown = run(["evaluate.py", "--help"], kit)
    assert ("--eval_mode" in shown) == task.startswith("anet_entities")
    assert ("--subset" in shown) == (task == "anet_entities_gen")


def test_a_kit_of_one_task_compares_without_its_name(kit):
    (task,) = (path.name for path in (kit / "samples").iterdir())
    samples = [f"samples/{task}/{name}.zip" for name in ("weak", "good")]
    assert "good is better than weak" in run(["compare.py", *samples], kit)


def test_notebook_runs_and_shows_the_page(kit):
    notebook = nbformat.read(kit / "quickstart.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(kit)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("Valid and scored" in output.get("data", {}).get("text/html", "") for output in shown)
    assert not [output for output in shown if output.output_type == "error"]
    shutil.rmtree(kit / "evaluation")
