"""What is in the bundles, and that the same sources give the same bytes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile

import jsonschema
import pytest
import yaml

from conftest import GOLDEN, ROOT
from organizer.bundle.build import build_all, build_program
from organizer.data import synthetic
from organizer.files import folder_files
from organizer.runs.worker import run_program
from scoring_program import signature
from scoring_program.challenge import challenge_ids, load_challenge

IDS = challenge_ids()


def read(path):
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def names_in(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return set(archive.namelist())


def test_two_builds_give_the_same_bytes(bundles, tmp_path):
    for form in ("v2", "v1.5"):
        for path in build_all(None, form, tmp_path):
            assert path.read_bytes() == (bundles / path.relative_to(tmp_path)).read_bytes()


def test_competition_offers_every_task(bundles):
    files = read(bundles / "competition.zip")
    competition = yaml.safe_load(files["competition.yaml"])
    programs = [task["scoring_program"] for task in competition["tasks"]]
    assert sorted(programs) == sorted(f"{name}_program.zip" for name in IDS)
    assert competition["phases"][0]["tasks"] == [task["index"] for task in competition["tasks"]]
    assert {page["file"] for page in competition["pages"]} >= {f"pages/{name}.md" for name in IDS}
    assert competition["title"].startswith("[DEMO DATA] ")


@pytest.mark.parametrize("name", IDS)
def test_program_is_self_contained_and_holds_no_reference(bundles, name):
    names = names_in(read(bundles / f"{name}.zip")[f"{name}_program.zip"])
    assert {"score.py", "metadata.yaml", "metadata", "LICENSE", f"validator/rules/{name}.yaml"} <= names
    assert any(entry.startswith("scoring_program/vendor/jsonschema/") for entry in names)
    others = [other for other in IDS if other != name]
    assert not [
        entry
        for entry in names
        if entry.startswith(tuple(f"scoring_program/challenges/{other}/" for other in others))
    ]
    assert not [entry for entry in names if "demo" in entry or entry.startswith(("organizer/", "tests/"))]


def test_vendored_wheels_bring_their_licences(bundles):
    names = names_in(read(bundles / f"{IDS[0]}.zip")[f"{IDS[0]}_program.zip"])
    vendor = "scoring_program/vendor/"
    packages = {name.split("/")[2] for name in names if name.startswith(vendor) and ".dist-info/" in name}
    assert packages
    for package in packages:
        licences = [name for name in names if name.startswith(f"{vendor}{package}/") and "LICEN" in name.upper()]
        assert licences, package


@pytest.mark.parametrize("name", IDS)
def test_single_task_bundle_has_the_challenge_columns(bundles, name):
    competition = yaml.safe_load(read(bundles / f"{name}.zip")["competition.yaml"])
    (leaderboard,) = competition["leaderboards"]
    assert leaderboard["submission_rule"] == "Force_Best"
    assert [column["key"] for column in leaderboard["columns"]][:2] == ["score", "coverage"]
    assert [column["index"] for column in leaderboard["columns"]] == list(range(len(leaderboard["columns"])))


def test_real_reference_comes_from_outside_and_is_not_shown(tmp_path):
    name = IDS[0]
    own = tmp_path / "refs" / name
    own.mkdir(parents=True)
    for place, data in folder_files(ROOT / "reference_data" / name).items():
        if place != "SYNTHETIC.md":
            (own / place).parent.mkdir(parents=True, exist_ok=True)
            (own / place).write_bytes(data)
    build_all(tmp_path / "refs", "v2", tmp_path / "dist")
    files = read(tmp_path / "dist" / f"{name}.zip")
    competition = yaml.safe_load(files["competition.yaml"])
    assert not competition["title"].startswith("[DEMO")
    assert "solutions" not in competition
    assert f"{name}_sample.zip" not in files
    kit = names_in(files["starting_kit.zip"])
    assert f"demo_reference/{name}/SYNTHETIC.md" in kit


@pytest.mark.parametrize("name", IDS)
def test_demo_data_is_what_the_generator_writes(tmp_path, name, monkeypatch):
    monkeypatch.setattr(synthetic, "challenge_ids", lambda: [name])
    synthetic.write_demo_data(tmp_path)
    for folder in (f"reference_data/{name}", f"starting_kit/samples/{name}"):
        made, committed = folder_files(tmp_path / folder), folder_files(ROOT / folder)
        assert made.keys() == committed.keys()
        for file in made:
            # Versions of the HDF5 and PNG libraries may differ in bytes that say the same.
            if not (name == "densepose" and file.endswith((".mat", "results.json"))):
                assert made[file] == committed[file], file


@pytest.mark.parametrize("name", IDS)
def test_declared_columns_are_the_written_scores(run_built, name):
    outcome = run_built(name, ROOT / "reference_data" / name, ROOT / "starting_kit" / "samples" / name / "good")
    assert outcome.exit_code == 0, outcome.stderr
    scores = json.loads(outcome.outputs["scores.json"])
    assert list(scores) == [column.key for column in load_challenge(name).columns]
    assert list(scores)[:2] == ["score", "coverage"]


@pytest.fixture
def run_built(tmp_path):
    """Return a function that runs a built program as the platform's worker does."""

    def run(name, reference, submission):
        return run_program(build_program(name), reference, submission, name, tmp_path / "app", 120.0)

    return run


@pytest.mark.parametrize("name", IDS)
def test_built_program_gives_the_numbers_of_a_golden_case(run_built, name):
    expected_key = {"chalearn_action": "mean_jaccard", "chalearn_gesture": "mean_jaccard"}.get(name)
    case = next(path for path in sorted((GOLDEN / name).iterdir()) if (path / "expected.json").is_file())
    outcome = run_built(name, case / "ref", case / "res")
    assert outcome.exit_code == 0, outcome.stderr
    scores = json.loads(outcome.outputs["scores.json"])
    if expected_key:
        expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))["published"]
        assert scores["score"] == pytest.approx(expected[expected_key], abs=1e-9)


def test_version_is_the_same_everywhere():
    assert f'version = "{signature.VERSION}"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"## {signature.VERSION}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_starting_kit_runs_from_its_own_zip(bundles, tmp_path):
    with zipfile.ZipFile(io.BytesIO(read(bundles / "competition.zip")["starting_kit.zip"])) as kit:
        kit.extractall(tmp_path)
    for name in IDS:
        sample = f"samples/{name}/good.zip"
        for command in (["evaluate.py", name, sample], ["-m", "validator", name, sample]):
            done = subprocess.run(
                [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
        assert (tmp_path / "evaluation" / "detailed_results.html").is_file()
        found = json.loads((tmp_path / "evaluation" / "detailed_results.json").read_text(encoding="utf-8"))
        jsonschema.validate(found, json.loads((tmp_path / "formats" / "detailed_results.schema.json").read_text()))
        items = (tmp_path / "evaluation" / "per_item.csv").read_text(encoding="utf-8").splitlines()
        assert items[0] == "item,score"
        assert len(items) == 1 + found["interval"]["items"]


def test_kits_with_generated_sentences_make_the_servers_lemmas(bundles, tmp_path):
    task, table = "anet_entities_gen", load_challenge("anet_entities_gen").kit_data[0]
    files = {name: read(bundles / f"{name}.zip") for name in (task, "densepose")}
    assert table not in names_in(files[task][f"{task}_program.zip"])
    assert table not in names_in(files["densepose"]["starting_kit.zip"])
    with zipfile.ZipFile(io.BytesIO(files[task]["starting_kit.zip"])) as kit:
        kit.extractall(tmp_path)
    case = next((GOLDEN / task).glob("*/released.json")).parent
    command = ["evaluate.py", task, str(case / "submission.zip"), "--reference", str(case / "source")]
    done = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "|lemmas:corenlp-3.9.1-table+0|" in done.stdout, done.stderr
    scores = json.loads((tmp_path / "evaluation" / "scores.json").read_text(encoding="utf-8"))
    released = json.loads((case / "released.json").read_text(encoding="utf-8"))
    assert scores["score"] == pytest.approx(released["all"][5], abs=1e-9)


def test_chalearn_modules_work_from_the_kit_as_in_the_challenges_text(bundles, tmp_path):
    with zipfile.ZipFile(io.BytesIO(read(bundles / "chalearn_action.zip")["starting_kit.zip"])) as kit:
        kit.extractall(tmp_path)
    (tmp_path / "valSamples").mkdir()
    with zipfile.ZipFile(tmp_path / "valSamples" / "Seq01.zip", "w") as sample:
        sample.writestr(
            "Seq01_labels.csv", "1,2,5\n102,250,325\n".replace("1,2,5", "1,1,2,5").replace("102,", "1,3,")
        )
        sample.writestr("Seq01_data.csv", "1254,20,8000\n")
    code = (
        "from ChalearnLAPEvaluation import evalAction, exportGT_Action\n"
        "from ChalearnLAPSample import ActionSample\n"
        "exportGT_Action('valSamples', 'gtData')\n"
        "sample = ActionSample('valSamples/Seq01.zip')\n"
        "sample.exportPredictions(([1, 1, 2, 5], [1, 3, 250, 325]), 'valPredict')\n"
        "print(sample.evaluate('gtData'), evalAction('valPredict', 'gtData'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["1.0", "1.0"], done.stderr
