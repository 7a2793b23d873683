"""Nothing of the hidden reference leaves a run: canaries in every field, for good, bad and crashing submissions."""

from __future__ import annotations

import importlib
import json
import re
import shutil

import pytest

from conftest import ROOT, make_zip
from organizer.data.prepare import prepare
from organizer.data.synthetic import samples_folder
from organizer.files import folder_files
from scoring_program import scoring
from scoring_program.challenge import challenge_ids, load_challenge

IDS = challenge_ids()
WORD = "zqcanary"
NUMBER = re.compile(r"73911\d{2}|0\.73911")


def plant_chalearn(folder, with_actor):
    head = "1," if with_actor else ""
    (folder / f"{WORD}one_labels.csv").write_text(f"{head}7,7391101,7391102\n{head}9,7391103,7391104\n")
    (folder / f"{WORD}one_data.csv").write_text("7391155,20,2000\n")
    (folder / f"{WORD}two_labels.csv").write_text(f"{head}3,7391105,7391106\n")
    (folder / f"{WORD}two_data.csv").write_text("7391156,20,2000\n")


def plant_kinetics(folder):
    part = {
        "number": 7391107,
        "box": [7391108.5, 1, 7391109.5, 7391110],
        "verb": f"{WORD}state",
        "name": f"{WORD}name",
    }
    human = {"number": 7391111, "box": [7391112, 2, 7391113, 7391114], "parts": {f"{WORD}part": part}}
    (folder / "gt_vid_result.json").write_text(json.dumps({f"{WORD}vid": f"{WORD}class", "b": f"{WORD}other"}))
    videos = {f"{WORD}vid": {f"{WORD}frame.json": {"humans": [human]}}, "b": {}}
    (folder / "gt_part_result.json").write_text(json.dumps(videos))


def plant_anet(folder):
    segment = {
        "timestamps": [7391115.5, 7391116.5],
        "process_clss": [[f"{WORD}class"]],
        "tokens": [f"{WORD}token", f"{WORD}other"],
        "frame_ind": [3],
        "process_idx": [[0]],
        "process_bnd_box": [[7391117, 7391118, 7391119, 7391120]],
        "crowds": [0],
    }
    reference = {
        "vocab": [f"{WORD}class"],
        "annotations": {f"v_{WORD}": {"duration": 7391121.5, "segments": {"0": segment}}},
    }
    (folder / "reference.json").write_text(json.dumps(reference))
    (folder / "split.json").write_text(json.dumps({"validation": [f"v_{WORD}"]}))
    (folder / "lemmas.json").write_text(json.dumps({f"{WORD}token": f"{WORD}lemma", f"{WORD}other": f"{WORD}lemma2"}))


def plant_densepose(folder):
    shutil.copytree(ROOT / "reference_data" / "densepose", folder, dirs_exist_ok=True)
    data = json.loads((folder / "annotations.json").read_text())
    for number, image in enumerate(data["images"]):
        image["file_name"] = f"{WORD}{number}.jpg"
    for number, person in enumerate(data["annotations"]):
        person["id"] = 7391130 + number
        person["area"] = 7391150.5
        person["dp_U"] = [0.73911 for _ in person["dp_U"]]
    (folder / "annotations.json").write_text(json.dumps(data))
    ready = folder.with_name("ready")
    assert prepare("densepose", folder, ready).ok
    shutil.rmtree(folder)
    ready.rename(folder)


PLANT = {
    "chalearn_action": lambda folder: plant_chalearn(folder, True),
    "chalearn_gesture": lambda folder: plant_chalearn(folder, False),
    "kinetics_tps": plant_kinetics,
    "anet_entities_gt": plant_anet,
    "anet_entities_gen": plant_anet,
    "densepose": plant_densepose,
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Return a function that makes a reference folder full of canaries, once a task."""
    made = {}

    def plant(name):
        if name not in made:
            folder = tmp_path_factory.mktemp(name) / "ref"
            folder.mkdir()
            PLANT[name](folder)
            made[name] = folder
        return made[name]

    return plant


def sample(name):
    return folder_files(samples_folder(name) / "good")


def knowing(name):
    """Return a submission that touches the canaries without naming them."""
    if name.startswith("chalearn"):
        row = b"1,7,5,6\n" if name == "chalearn_action" else b"7,5,6\n"
        return {f"{WORD}one_prediction.csv": row}
    if name == "kinetics_tps":
        human = {"box": [1, 1, 2, 2], "parts": {"head": {"box": [[1, 1, 2, 2]], "verb": ["x"]}}}
        frames = {f"{WORD}frame.json": {"humans": [human]}}
        return {
            "pred_vid_result.json": json.dumps({f"{WORD}vid": "x"}).encode(),
            "pred_part_result.json": json.dumps({f"{WORD}vid": frames}).encode(),
        }
    if name.startswith("anet"):
        mode = "gen" if name.endswith("gen") else "GT"
        objects = {"clss": ["x"], "idx_in_sent": [0], "bbox_for_all_frames": [[[1, 1, 5, 5]] * 10]}
        content = {
            "results": {f"v_{WORD}": {"0": objects}},
            "eval_mode": mode,
            "external_data": {"used": False, "details": ""},
        }
        return {f"submission_{mode.lower()}.json": json.dumps(content).encode()}
    return sample(name)


def bad(name):
    files = {}
    for place, data in knowing(name).items():
        if place.endswith(".csv"):
            files[place] = data + b"oops\n" + data.replace(b"5,6", b"9999999,99999999") + data.replace(b"5,6", b"6,5")
        else:
            text = data.decode()
            text = (
                text.replace("[1, 1, 2, 2]", "[2, 2, 1, 1]")
                .replace("[1, 1, 5, 5]", "[1, 1, 5]")
                .replace('"score"', '"scor"')
            )
            files[place] = text.encode()
    return files


def run(name, reference, files, folder, capsys, **settings):
    submission = folder / "s.zip"
    submission.write_bytes(files if isinstance(files, bytes) else make_zip(files))
    output = folder / "out"
    code = scoring.score_folder(name, reference, submission, output, settings)
    captured = capsys.readouterr()
    texts = {path.name: path.read_text(encoding="utf-8") for path in output.iterdir()}
    return code, {**texts, "stdout": captured.out, "stderr": captured.err}


def assert_silent(texts, own=b""):
    """The submission's own words may be quoted; no other canary may appear."""
    for place, text in texts.items():
        for found in [*re.findall(rf"{WORD}\w*", text), *NUMBER.findall(text)]:
            assert found.encode() in own, f"{place} tells {found}"


@pytest.mark.parametrize("detail", ["summary", "none"])
@pytest.mark.parametrize("make", [sample, knowing, bad])
@pytest.mark.parametrize("name", IDS)
def test_no_canary_leaves_a_run(planted, tmp_path, capsys, name, make, detail):
    files = make(name)
    code, texts = run(name, planted(name), files, tmp_path, capsys, detail=detail)
    assert code in (scoring.SCORED, scoring.INVALID), texts["stderr"]
    if make is knowing:
        assert code == scoring.SCORED, texts["stderr"]
    assert_silent(texts, b" ".join([*(place.encode() for place in files), *files.values()]))


@pytest.mark.parametrize("name", [name for name in IDS if name != "densepose"])
def test_full_detail_shows_ground_truth_in_the_detailed_results_only(planted, tmp_path, capsys, name):
    files = knowing(name)
    code, texts = run(name, planted(name), files, tmp_path, capsys, detail="full")
    assert code == scoring.SCORED
    for place in ("detailed_results.html", "detailed_results.json"):
        assert WORD in texts.pop(place)
    assert_silent(texts, b" ".join([*(place.encode() for place in files), *files.values()]))


# A function of every stage, to be broken: module and name.
STAGES = {
    "reference": "load_reference",
    "submission": "read_submission",
    "measure": "measure",
    "reduce": "reduce",
    "scores": "scores",
    "losses": "losses",
}


@pytest.mark.parametrize("stage", [*STAGES, "sections", "report", "json", "signature", "write"])
@pytest.mark.parametrize("name", IDS)
def test_exceptions_of_our_own_tell_their_type_only(planted, tmp_path, capsys, monkeypatch, name, stage):
    def fail(*arguments, **options):
        raise ValueError(f"{WORD}secret 7391160")

    if stage in STAGES:
        monkeypatch.setattr(load_challenge(name).program(), STAGES[stage], fail)
    elif stage == "sections":
        module = importlib.import_module(f"scoring_program.challenges.{name}.detail")
        monkeypatch.setattr(module, "sections", fail)
    elif stage == "json":
        monkeypatch.setattr(scoring.data, "result_json", fail)
    elif stage == "report":
        monkeypatch.setattr(scoring.page, "result_page", fail)
    elif stage == "signature":
        monkeypatch.setattr(scoring, "signature", fail)
    else:
        monkeypatch.setattr(scoring.files, "write_scores", fail)
    code, texts = run(name, planted(name), sample(name) if name == "densepose" else knowing(name), tmp_path, capsys)
    assert code == scoring.BROKEN
    assert "E-INTERNAL: ValueError in " in texts["stderr"]
    assert "scores.json" not in texts
    assert_silent(texts)


@pytest.mark.parametrize("name", IDS)
def test_a_broken_reference_is_not_quoted(planted, tmp_path, capsys, name):
    folder = tmp_path / "broken"
    shutil.copytree(planted(name), folder)
    for path in folder.iterdir():
        data = path.read_bytes()
        if path.suffix == ".csv":
            path.write_bytes(data + f"{WORD},oops\n".encode())
        elif path.suffix in (".json", ".npz", ".f32"):
            path.write_bytes(data[: len(data) // 2])
    code, texts = run(name, folder, sample(name), tmp_path, capsys)
    assert code == scoring.BROKEN
    assert_silent(texts)


def test_every_task_has_canaries():
    assert sorted(PLANT) == IDS


def test_canaries_are_noticed():
    with pytest.raises(AssertionError, match="stdout tells zqcanaryclass"):
        assert_silent({"stdout": "class zqcanaryclass"})
    with pytest.raises(AssertionError, match="7391117"):
        assert_silent({"stdout": "box 7391117"})
