"""``check --public``: what public data tells of a submission, without any reference."""

from __future__ import annotations

import json
import shutil
import zipfile

import numpy as np
import pytest

from organizer.__main__ import main as organizer
from organizer.files import folder_files
from people_in_video import check
from people_in_video.__main__ import main
from people_in_video.errors import ReferenceProblemsError, SubmissionError
from scoring_program.run import BROKEN, INVALID, SCORED
from tests.helpers import PUBLISHED, REFERENCES, SAMPLES, one_of_each_challenge

ACTION, GESTURE = "chalearn_action", "chalearn_gesture"
GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"
KINETICS, DENSEPOSE = "kinetics_tps", "densepose"


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    """Return a zip with a folder of public data for each task, as organizers attach it to a phase."""
    folder = tmp_path_factory.mktemp("public")
    for task in PUBLISHED:
        source, output = str(REFERENCES / task), str(folder / "all" / task)
        assert organizer(["public-data", task, "--source", source, "--output", output]) == 0
    return shutil.make_archive(str(folder / "public_data"), "zip", folder / "all")


@pytest.fixture
def unpacked(tmp_path, public):
    """Return the folder with a folder of public data for each task."""
    with zipfile.ZipFile(public) as archive:
        archive.extractall(tmp_path / "public")
    return tmp_path / "public"


@pytest.fixture
def sample(tmp_path):
    """Return a function that copies the good sample of a task, to be changed."""
    return lambda task: shutil.copytree(SAMPLES / task / "good", tmp_path / "mine")


def edit(folder, change, name="*.json"):
    (path,) = folder.glob(name)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def noted(task, folder, public):
    return {note.code: note.text for note in check(task, folder, public=public)}


@pytest.mark.slow
@pytest.mark.parametrize("task", one_of_each_challenge(PUBLISHED))
def test_samples_fit_their_public_data(task, public, capsys):
    assert main(["check", task, str(SAMPLES / task / "good"), "--public", public]) == SCORED
    *_, verdict = capsys.readouterr().out.splitlines()
    assert verdict == "valid; ids and names were compared with the public data"
    assert check(task, SAMPLES / task / "good", public=public) == []


@pytest.mark.parametrize("task", [ACTION, GESTURE])
def test_sequences_and_frames_beyond_the_end(task, public, sample):
    folder = sample(task)
    row = "1,2,{},{}\n" if task == ACTION else "2,{},{}\n"
    first, second = sorted(folder.glob("*.csv"))[:2]
    first.write_text(row.format(5, 999_999))
    shutil.copy(second, folder / "Other_prediction.csv")
    notes = noted(task, folder, public)
    assert "Other" in notes["N-ITEMS-UNKNOWN"]
    assert "N-CSV-CUT" in notes
    first.write_text(row.format(999_998, 999_999))
    with pytest.raises(SubmissionError, match="E-CSV-FRAME"):
        check(task, folder, public=public)
    first.write_text(row.format(1, 2).replace("2,", "99,", 1))
    with pytest.raises(SubmissionError, match="E-CSV-RANGE"):
        check(task, folder, public=public)


def test_videos_frames_and_names_of_kinetics(public, sample):
    folder = sample(KINETICS)

    def change_parts(content):
        video = next(iter(content))
        frames = content[video]
        frames["img_90001.json"] = next(iter(frames.values()))
        content["other_video"] = frames

    def change_classes(content):
        content[next(iter(content))] = "climb_ropes"

    edit(folder, change_parts, "pred_part_result.json")
    edit(folder, change_classes, "pred_vid_result.json")
    notes = noted(KINETICS, folder, public)
    assert "other_video" in notes["N-ITEMS-UNKNOWN"]
    assert "1 frame" in notes["N-FRAMES-UNKNOWN"]
    assert "'climb_ropes' (1 time; the nearest is 'climb_rope')" in notes["N-NAMES-UNKNOWN"]


def test_frames_that_are_numbers_are_explained(public, sample):
    folder = sample(KINETICS)

    def change(content):
        for video, frames in content.items():
            content[video] = {str(int(frame[4:9])): frames[frame] for frame in frames}

    edit(folder, change, "pred_part_result.json")
    notes = noted(KINETICS, folder, public)
    assert "data, as 'img_00001.json' for '1'" in notes["N-FRAMES-UNKNOWN"]
    assert "N-FRAMES-MISSING" not in notes


@pytest.mark.parametrize(
    ("task", "code"),
    [(GIVEN, "N-SEGMENTS-OUTSIDE"), (GENERATED, "N-SEGMENTS-OUTSIDE"), (GIVEN, "N-WORDS-OUTSIDE")],
)
def test_what_is_counted_from_one_is_a_likely_mistake(task, code, public, sample):
    folder = sample(task)

    def change(content):
        for video, segments in content["results"].items():
            if code == "N-SEGMENTS-OUTSIDE":
                content["results"][video] = {str(int(name) + 1): segments[name] for name in segments}
                continue
            for objects in segments.values():
                objects["idx_in_sent"] = [index + 1 for index in objects["idx_in_sent"]]

    edit(folder, change)
    (note,) = check(task, folder, public=public)
    assert (note.code, note.is_mistake) == (code, True)


@pytest.mark.parametrize("task", [GIVEN, GENERATED])
def test_videos_segments_classes_and_boxes_of_entities(task, public, sample):
    folder = sample(task)

    def change(content):
        results = content["results"]
        video = next(iter(results))
        objects = next(iter(results[video].values()))
        objects["clss"] = ["wommen", *objects["clss"][1:]]
        wide = np.array([0, 0, 800, 0])
        objects["bbox_for_all_frames"] = (np.array(objects["bbox_for_all_frames"]) + wide).tolist()
        results[video]["77"] = objects
        results["v_other"] = {"0": objects}

    edit(folder, change)
    notes = noted(task, folder, public)
    assert "v_other" in notes["N-ITEMS-UNKNOWN"]
    assert "'77'" in notes["N-SEGMENTS-OUTSIDE"]
    if task == GENERATED:
        assert "'wommen'" in notes["N-NAMES-UNKNOWN"]
    else:
        # The classes of given sentences are not read.
        assert "N-NAMES-UNKNOWN" not in notes
    assert "x = 734" in notes["N-BOXES-OUTSIDE"]


def test_images_categories_and_boxes_of_densepose(public, sample):
    folder = sample(DENSEPOSE)

    def change(content):
        content[0]["image_id"] = 424242
        content[1]["category_id"] = 2
        for detection in content[2:]:
            detection["bbox"][0] += 900

    edit(folder, change)
    notes = noted(DENSEPOSE, folder, public)
    assert "424242" in notes["N-ITEMS-UNKNOWN"]
    assert "N-CATEGORY" in notes
    assert "N-BOXES-OUTSIDE" in notes


@pytest.mark.parametrize(
    ("task", "options", "code"),
    [(GIVEN, ["--boxes", "1280x720"], "N-SEGMENTS-OUTSIDE"), (DENSEPOSE, [], "N-ITEMS-UNKNOWN")],
)
def test_files_of_other_tools_are_compared_with_public_data(task, options, code, tmp_path, public, capsys):
    (data,) = folder_files(SAMPLES / task / "good").values()
    content = json.loads(data)
    if task == GIVEN:
        video = next(iter(content["results"]))
        content["results"][video]["99"] = content["results"][video].pop("0")
    else:
        width, height = content[0]["bbox"][2:]
        array = np.zeros((3, int(height), int(width)), dtype=int).tolist()
        content = [{**content[0], "image_id": image_id, "uv": array} for image_id in (1, 424242)]
        for detection in content:
            del detection["uv_data"]
    source = tmp_path / "predictions.json"
    source.write_text(json.dumps(content))
    assert main(["check", task, str(source), *options, "--public", public]) == SCORED
    assert code in capsys.readouterr().out


@pytest.mark.parametrize("task", PUBLISHED)
def test_a_submission_without_a_known_item_is_refused(task, unpacked, capsys):
    other = {ACTION: GESTURE, GESTURE: ACTION}.get(task, task)
    folder = unpacked / other
    for path in folder.iterdir():
        text = path.read_text()
        path.write_text(text.replace('"v_', '"w_').replace('"climb', '"x').replace('"id": ', '"id": 9'))
    if task == KINETICS:
        frames = json.loads((folder / "videos.json").read_text())
        renamed = {f"x{video}": names for video, names in frames.items()}
        (folder / "videos.json").write_text(json.dumps(renamed))
    if task in (ACTION, GESTURE):
        for path in folder.glob("*_data.csv"):
            path.rename(folder / f"x{path.name}")
    assert main(["check", task, str(SAMPLES / task / "good"), "--public", str(folder)]) == INVALID
    assert "E-ITEMS-NONE" in capsys.readouterr().out


@pytest.mark.parametrize("task", PUBLISHED)
def test_public_data_in_place_of_a_reference_is_told_as_what_it_is(task, tmp_path, unpacked, capsys):
    words = [task, str(SAMPLES / task / "good"), "--reference", str(unpacked / task)]
    for command in ("check", "score"):
        output = ["--output", str(tmp_path / "out")] if command == "score" else []
        assert main([command, *words, *output]) == BROKEN
        (line,) = [line for line in capsys.readouterr().err.splitlines() if "E-REF-NONE" in line]
        assert "public data" in line
        assert "--public" in line


@pytest.mark.parametrize(
    ("task", "name", "content"),
    [
        (KINETICS, "videos.json", {"a": 1}),
        (KINETICS, "videos.json", {"a": [1]}),
        (KINETICS, "videos.json", []),
        (DENSEPOSE, "images.json", {"images": [{"id": 1}]}),
        (DENSEPOSE, "images.json", {"images": [{"id": 10**18 * 10, "width": 4, "height": 4}]}),
        (DENSEPOSE, "images.json", {"images": [], "categories": [{"id": 1e40}]}),
        (GIVEN, "skeleton.json", {"annotations": {"v": []}}),
        (GIVEN, "skeleton.json", {"annotations": {}, "vocab": [1]}),
        (GIVEN, "skeleton.json", {"annotations": {}, "vocab": 7}),
        (GIVEN, "skeleton.json", {"annotations": {"v": {"segments": [["0"]]}}}),
    ],
)
def test_public_data_of_another_form_is_refused(task, name, content, tmp_path):
    (tmp_path / name).write_text(json.dumps(content))
    with pytest.raises(ReferenceProblemsError, match=f"E-PUBLIC-DATA {name}"):
        check(task, SAMPLES / task / "good", public=tmp_path)


def test_public_data_of_another_task_cannot_be_used(unpacked, capsys):
    arguments = ["check", KINETICS, str(SAMPLES / KINETICS / "good"), "--public"]
    assert main([*arguments, str(unpacked / DENSEPOSE)]) == BROKEN
    assert "E-PUBLIC-DATA" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*arguments, str(unpacked / "nosuch")])
    assert "--public" in capsys.readouterr().err


def test_names_are_not_compared_with_public_data_that_lists_none(unpacked):
    (unpacked / KINETICS / "vocabulary.json").unlink()
    notes = check(KINETICS, SAMPLES / KINETICS / "good", public=unpacked / KINETICS)
    assert [note.code for note in notes] == ["N-UNCHECKED"]
