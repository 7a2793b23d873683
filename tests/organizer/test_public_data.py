"""Public data: what participants may have of a reference, and nothing that depends on labels."""

from __future__ import annotations

import json
import shutil

import pytest

from organizer.__main__ import main
from organizer.data.prepare import MANIFEST
from organizer.files import folder_files
from scoring_program.signature import VOCABULARY_FILE
from tests.helpers import PUBLISHED, REFERENCES, slow_for

GESTURE = "chalearn_gesture"
GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"
KINETICS, DENSEPOSE = "kinetics_tps", "densepose"
FILES = {
    GIVEN: {"skeleton.json", "split_ids.json"},
    GENERATED: {"skeleton.json", "split_ids.json"},
    KINETICS: {"videos.json", VOCABULARY_FILE},
    DENSEPOSE: {"images.json"},
}
BOXES = ("frame_ind", "process_bnd_box", "crowds")


def edit_json(path, change):
    content = json.loads(path.read_text())
    path.write_text(json.dumps(change(content)))


def public_data(task_id, source, output, *options):
    """Return the files that the command writes, and its exit code."""
    code = main(["public-data", task_id, "--source", str(source), "--output", str(output), *options])
    return code, {name: data for name, data in folder_files(output).items() if name != MANIFEST}


def reordered(content):
    """Return JSON data whose objects, and lists of them, are in another order."""
    if isinstance(content, dict):
        return {key: reordered(content[key]) for key in reversed(content)}
    if isinstance(content, list) and content and isinstance(content[0], dict):
        return [reordered(entry) for entry in reversed(content)]
    return content


@pytest.mark.slow
@pytest.mark.parametrize("task_id", [KINETICS, GIVEN, GENERATED, DENSEPOSE])
def test_the_order_of_a_source_is_not_in_its_public_data(task_id, tmp_path):
    """That labels are not, ``tests/test_noninterference.py`` tries."""
    expected = public_data(task_id, REFERENCES / task_id, tmp_path / "first")
    source = shutil.copytree(REFERENCES / task_id, tmp_path / task_id)
    for path in source.glob("[!v]*.json"):  # a given vocabulary keeps its order
        edit_json(path, reordered)
    assert public_data(task_id, source, tmp_path / "second") == expected


@pytest.mark.slow
@pytest.mark.parametrize("task_id", PUBLISHED)
def test_make_reference_writes_public_data_beside_the_reference(task_id, tmp_path, capsys):
    source, output = REFERENCES / task_id, tmp_path / "refs" / task_id
    assert main(["prepare", task_id, "--source", str(source), "--output", str(output)]) == 0
    beside = folder_files(tmp_path / "refs" / f"{task_id}_public")
    assert str(tmp_path / "refs" / f"{task_id}_public") in capsys.readouterr().out
    _, alone = public_data(task_id, source, tmp_path / "alone")
    assert beside == alone
    assert set(alone) >= FILES.get(task_id, {VOCABULARY_FILE})


def test_skeleton_of_given_sentences_has_words_and_no_boxes(tmp_path):
    _, files = public_data(GIVEN, REFERENCES / GIVEN, tmp_path / "out")
    skeleton = json.loads(files["skeleton.json"])
    # The keys of what the challenge published, as docs/reference_files.md describes them.
    assert set(skeleton) == {"vocab", "annotations"}
    assert {key for video in skeleton["annotations"].values() for key in video} == {"duration", "segments"}
    reference = json.loads((REFERENCES / GIVEN / "reference.json").read_text())
    scored = json.loads((REFERENCES / GIVEN / "split.json").read_text())["validation"]
    assert list(skeleton["annotations"]) == sorted(scored)
    for video in scored:
        for name, segment in skeleton["annotations"][video]["segments"].items():
            annotated = reference["annotations"][video]["segments"][name]
            assert set(segment) == {"timestamps", "tokens", "process_idx", "process_clss", *BOXES}
            assert segment["tokens"] == annotated["tokens"]
            assert segment["timestamps"] == annotated["timestamps"]
            words = {index for indexes in annotated["process_idx"] for index in indexes}
            assert segment["process_idx"] == [[index] for index in sorted(words)]
            assert [segment[key] for key in BOXES] == [[], [], []]


def test_skeleton_of_generated_sentences_has_neither_words_nor_classes(tmp_path):
    _, files = public_data(GENERATED, REFERENCES / GENERATED, tmp_path / "out")
    for video in json.loads(files["skeleton.json"])["annotations"].values():
        for segment in video["segments"].values():
            assert segment["timestamps"]
            assert [segment[key] for key in ("tokens", "process_clss", "process_idx")] == [[], [], []]


def test_frames_that_the_reference_lacks_are_listed_in_videos_of_sampled_frames(tmp_path, capsys):
    source = shutil.copytree(REFERENCES / KINETICS, tmp_path / "source")
    parts = json.loads((source / "gt_part_result.json").read_text())
    first, second, *_ = parts
    parts[first]["img_00020.json"] = {"humans": []}
    parts[second]["img_00021.json"] = {"humans": []}
    (source / "gt_part_result.json").write_text(json.dumps(parts))
    _, files = public_data(KINETICS, source, tmp_path / "out")
    listed = json.loads(files["videos.json"])
    assert listed[first] == sorted(parts[first])
    assert listed[second][-3:] == ["img_00011.json", "img_00016.json", "img_00021.json"]
    assert "2 frames" in capsys.readouterr().out


def test_what_the_source_lacks_is_left_out_with_a_line(tmp_path, capsys):
    source = shutil.copytree(REFERENCES / GIVEN, tmp_path / "source")

    def without_times(content):
        del content["vocab"]
        for video in content["annotations"].values():
            video.pop("duration", None)
            for segment in video["segments"].values():
                segment.pop("timestamps", None)
        return content

    edit_json(source / "reference.json", without_times)
    _, files = public_data(GIVEN, source, tmp_path / "out")
    output = capsys.readouterr().out
    for key in ("vocab", "duration", "timestamps"):
        assert f"note {key} " in output
        assert key.encode() not in files["skeleton.json"]


@pytest.mark.parametrize("task_id", slow_for(DENSEPOSE, of=[KINETICS, GIVEN, GENERATED, DENSEPOSE]))
def test_prepared_reference_is_refused_as_a_source(task_id, tmp_path, capsys):
    prepared = tmp_path / "prepared"
    main(["prepare", task_id, "--source", str(REFERENCES / task_id), "--output", str(prepared)])
    capsys.readouterr()
    assert public_data(task_id, prepared, tmp_path / "out") == (1, {})
    assert " E-PUBLIC-SOURCE " in capsys.readouterr().out


def test_source_that_was_prepared_is_prepared_again_without_public_data(tmp_path, capsys):
    prepared, again = tmp_path / "prepared", tmp_path / "again"
    main(["prepare", KINETICS, "--source", str(REFERENCES / KINETICS), "--output", str(prepared)])
    assert main(["prepare", KINETICS, "--source", str(prepared), "--output", str(again)]) == 0
    assert "no public data" in capsys.readouterr().out
    assert not again.with_name("again_public").exists()


def test_files_of_others_in_the_folder_are_not_lost(tmp_path, capsys):
    output = tmp_path / "out"
    public_data(GESTURE, REFERENCES / GESTURE, output)
    (output / "notes.txt").write_text("mine")
    code, files = public_data(GESTURE, REFERENCES / GESTURE, output)
    assert (code, files["notes.txt"]) == (1, b"mine")
    assert " E-REF-OTHER " in capsys.readouterr().out
    code, files = public_data(GESTURE, REFERENCES / GESTURE, output, "--replace")
    assert code == 0
    assert "notes.txt" not in files


def test_a_reference_is_not_lost_for_public_data(tmp_path, capsys):
    (tmp_path / "signature_key.txt").write_text("0" * 32)
    call = f"public-data chalearn_gesture --source {REFERENCES / 'chalearn_gesture'} --output {tmp_path} --replace"
    assert main(call.split()) == 1
    assert "E-OUTPUT" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["signature_key.txt"]


def test_wrong_source_writes_nothing(tmp_path, capsys):
    assert public_data(GESTURE, tmp_path / "nowhere", tmp_path / "out") == (1, {})
    assert " E-REF-MISSING " in capsys.readouterr().out
    source = shutil.copytree(REFERENCES / GESTURE, tmp_path / "source")
    (source / "DemoSequence0001_data.csv").write_text("many\n")
    code, files = public_data(GESTURE, source, tmp_path / "out")
    assert (code, files) == (1, {})
    assert "DemoSequence0001_data.csv" in capsys.readouterr().out
