"""DensePose at the border: PNGs of all kinds, streams, the preparation, the converter."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sys
from unittest import mock

import h5py
import numpy as np
import pytest

from organizer.data.prepare import prepare
from people_in_video.densepose.writer import DensePoseWriter
from people_in_video.references.preparation import check_reference, load_any
from scoring_program.challenges.densepose import measure
from scoring_program.challenges.densepose.reference import load_prepared_folder
from scoring_program.metrics import average_precision
from scoring_program.run import BROKEN, INVALID, SCORED
from scoring_program.task import load_task
from tests.helpers import (
    GOLDEN,
    REFERENCES,
    SAMPLES,
    loaded,
    loaded_at_home,
    make_zip,
    places_of,
    refused,
    run_folder,
    values_of,
)
from validator.checking import load_format
from validator.formats.densepose import read as fmt
from validator.formats.densepose.write import encode_detection

ID = "densepose"
DEMO = REFERENCES / ID
GOOD = json.loads(next((SAMPLES / ID / "good").iterdir()).read_text(encoding="utf-8"))
NAME = "densepose_x_results.json"


@pytest.fixture
def prepared(prepared_densepose):
    return prepared_densepose[0]


def score_with(prepared, tmp_path, detections, **settings):
    submission = tmp_path / "s.zip"
    text = detections if isinstance(detections, (str, bytes)) else json.dumps(detections)
    submission.write_bytes(make_zip({NAME: text}))
    output = tmp_path / "out"
    code = run_folder(ID, prepared, submission, output, **settings).exit_code
    scores = json.loads((output / "scores.json").read_text()) if code == SCORED else None
    return code, scores


@pytest.mark.slow
def test_prepared_and_official_reference_give_the_same_scores(prepared, tmp_path):
    first = score_with(prepared, tmp_path, GOOD)
    assert first[0] == SCORED
    assert score_with(DEMO, tmp_path, GOOD) == first


def test_the_signature_names_the_prepared_hash(prepared, tmp_path, capsys):
    score_with(prepared, tmp_path, GOOD)
    digest = (prepared / "reference.sha256").read_text().strip()
    assert f"ref:{digest[:12]}" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["gpsm", "gps", "iou"])
def test_measure_and_kappa_need_no_new_preparation(prepared, tmp_path, measure):
    _, base = score_with(prepared, tmp_path, GOOD)
    _, scores = score_with(prepared, tmp_path, GOOD, measure=measure, kappa=0.255)
    if measure == "iou":
        assert scores["ap"] == base["ap_iou"]
    assert 0 <= scores["ap"] <= 1


@pytest.mark.slow
def test_order_of_detections_does_not_matter(prepared, tmp_path):
    _, first = score_with(prepared, tmp_path, GOOD)
    mixed = random.Random(1).sample(GOOD, len(GOOD))
    assert score_with(prepared, tmp_path, mixed)[1] == pytest.approx(first, abs=1e-12)


def allow_cores(monkeypatch, number):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(number)))


@pytest.mark.slow
@pytest.mark.parametrize("n_cores", [1, 3])
def test_threads_give_the_same_scores(prepared, tmp_path, monkeypatch, n_cores):
    of_task = loaded(ID, prepared)
    (tmp_path / NAME).write_text(json.dumps(GOOD))
    expected = of_task.score(of_task.read(tmp_path)).scores
    allow_cores(monkeypatch, n_cores)
    assert of_task.score(of_task.read(tmp_path)).scores == expected


@pytest.mark.parametrize("n_cores", [1, 2])
@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError("secret"), INVALID, "E-LIMIT-MEMORY"),
        (ValueError("secret"), BROKEN, "E-INTERNAL: the scoring program failed"),
    ],
)
def test_threads_that_fail_end_in_a_verdict(
    prepared, tmp_path, monkeypatch, capfd, error, code, words, n_cores
):
    allow_cores(monkeypatch, n_cores)
    monkeypatch.setattr(fmt, "decode_png", mock.Mock(side_effect=error))
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / NAME).write_text(json.dumps(GOOD))
    assert run_folder(ID, prepared, tmp_path / "res", tmp_path / "out").exit_code == code
    assert not (tmp_path / "out" / "scores.json").exists()
    text = "".join(capfd.readouterr())
    assert words in text
    assert "secret" not in text


@pytest.mark.slow
def test_detections_beyond_twenty_and_of_other_categories_are_left_out(prepared, tmp_path, capsys):
    _, first = score_with(prepared, tmp_path, GOOD)
    more = [
        *GOOD,
        *({**GOOD[0], "score": -1.0 - i} for i in range(30)),
        {**GOOD[0], "category_id": 7, "score": 2.0},
    ]
    capsys.readouterr()
    _, scores = score_with(prepared, tmp_path, more)
    out = capsys.readouterr().out
    assert "N-CATEGORY: 1 " in out
    assert "N-DETECTIONS-MANY: " in out
    assert scores["coverage"] == first["coverage"]


def test_empty_list_scores_zero(prepared, tmp_path):
    code, scores = score_with(prepared, tmp_path, "[]")
    assert (code, scores["score"], scores["coverage"]) == (SCORED, 0, 0)


def test_detections_of_unknown_images_change_no_number_and_are_checked(prepared, tmp_path, capsys):
    _, expected = score_with(prepared, tmp_path, GOOD)
    others = [{**GOOD[0], "image_id": 999_999, "score": 1.0}] * 30
    code, scores = score_with(prepared, tmp_path, [*others, *GOOD])
    assert (code, scores) == (SCORED, expected)
    out = capsys.readouterr().out
    assert "N-ITEMS-UNKNOWN" in out
    assert "N-DETECTIONS-MANY" not in out
    code, _ = score_with(prepared, tmp_path, [*GOOD, {**others[0], "score": "high"}])
    assert code == INVALID


def official(tmp_path):
    folder = tmp_path / "official"
    shutil.copytree(DEMO, folder)
    return folder


def edit(folder, change):
    path = folder / "annotations.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        (lambda d: d["annotations"][1].update(id=1), "E-REF-PERSON", "/annotations/1/id"),
        pytest.param(lambda d: d["annotations"][0].update(image_id=77), "E-REF-PERSON", "/annotations/0/image_id", marks=pytest.mark.slow),
        (lambda d: d["annotations"][0].update(bbox=[1, 2, -3, 4]), "E-REF-PERSON", "/annotations/0/bbox"),
        (lambda d: d["annotations"][0]["dp_x"].pop(), "E-REF-PERSON", "/annotations/0/dp_x"),
        (lambda d: d["annotations"][0]["dp_U"].__setitem__(0, 2.0), "E-REF-PERSON", "/annotations/0/dp_U"),
        (lambda d: d["annotations"][0]["dp_masks"][0].update(counts="zz"), "E-REF-PERSON", "/annotations/0/dp_masks/0"),
        (lambda d: d.pop("images"), "E-REF-SHAPE", ""),
        (lambda d: d.update(annotations=[]), "E-REF-EMPTY", ""),
    ],
)  # fmt: skip
def test_mistakes_in_annotations_are_found(tmp_path, change, code, where):
    folder = official(tmp_path)
    edit(folder, change)
    findings = refused(prepare, ID, folder, tmp_path / "out")
    assert places_of(findings)[0] == (code, "annotations.json", where)


@pytest.mark.slow
def test_mistakes_in_the_template_are_found(tmp_path):
    folder = official(tmp_path)

    def assert_refused_with(code, file, value=None):
        problem = refused(prepare, ID, folder, tmp_path / "out").problems[0]
        assert (problem.code, problem.file) == (code, file)
        assert value is None or value in values_of(problem.problem)

    for n_distances, file_name, value in (
        (7, "Pdist_matrix.mat", "7"),
        (6, "SMPL_SUBDIV_TRANSFORM.mat", "4"),
    ):
        with h5py.File(folder / "Pdist_matrix.mat", "w") as file:
            file["Pdist_matrix"] = np.zeros((n_distances, 1), np.float32)
        assert_refused_with("E-REF-TEMPLATE", file_name, value)
    (folder / "Pdist_matrix.mat").write_bytes(b"no")
    assert_refused_with("E-REF-MAT", "Pdist_matrix.mat")
    (folder / "SMPL_subdiv.mat").write_bytes(b"no")
    assert_refused_with("E-REF-MAT", "SMPL_subdiv.mat")
    (folder / "SMPL_subdiv.mat").unlink()
    assert_refused_with("E-REF-NONE", "SMPL_subdiv.mat")


def test_changed_prepared_files_are_noticed(prepared, tmp_path):
    folder = tmp_path / "changed"
    shutil.copytree(prepared, folder)
    assert check_reference(loaded(ID, folder)) == []
    data = bytearray((folder / "distances.f32").read_bytes())
    data[0] ^= 1
    (folder / "distances.f32").write_bytes(bytes(data))
    (problem,) = refused(lambda: check_reference(loaded(ID, folder))).problems
    assert problem.code == "E-REF-HASH"
    (folder / "distances.f32").write_bytes(bytes(data[:-4]))
    assert refused(loaded, ID, folder).problems[0].file == "distances.f32"


def test_lookups_in_windows_are_those_of_the_whole_file(prepared):
    whole = np.fromfile(prepared / "distances.f32", "<f4")
    position = np.random.default_rng(1).integers(0, len(whole), 500)
    template = load_prepared_folder(prepared, {}).template
    assert np.array_equal(template.lookup(position, window_size=64), whole[position])
    assert np.array_equal(template.lookup(position), whole[position])
    assert template.lookup(position[:0]).shape == (0,)


def test_reference_without_h5py_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    task = load_task(ID)
    (problem,) = refused(load_any, task, DEMO, task.settings(DEMO)).problems
    assert problem.code == "E-REF-H5PY"
    assert "pip install h5py" in problem.remedy


def test_writer_makes_what_the_validator_accepts(tmp_path):
    iuv = np.zeros((3, 6, 8), np.uint8)
    with DensePoseWriter(tmp_path / "my.zip") as writer:
        writer.add(1, [1.5, 2, 8.9, 6], 0.5, iuv)
        writer.add(2, [1, 2, 8, 6], 0.4, iuv)
    form, rules = load_format(ID)
    assert form.read(tmp_path / "my.zip", rules).content.count == 2


def test_of_an_image_only_the_twenty_best_detections_are_kept(prepared, tmp_path):
    of_task = loaded(ID, prepared)
    image = int(of_task.reference.persons.image_id[0])
    box, empty = (0.0, 0.0, 4.0, 4.0), np.zeros((3, 4, 4), np.uint8)
    scores = [0.5] * 15 + [0.1] * 40 + [0.9] * 10
    detections = [encode_detection(image, box, score, empty) for score in scores]
    (tmp_path / "s.zip").write_bytes(make_zip({NAME: f"[{','.join(detections)}]"}))
    gathered = of_task.read(tmp_path / "s.zip").content
    best = sorted(gathered.kept, key=lambda kept: (-kept.score, kept.index))
    assert [kept.index for kept in best] == [*range(55, 65), *range(10)]
    assert gathered.n_detections == 65


def test_notes_get_nothing_that_was_compared_with_persons(prepared):
    of_task = loaded(ID, prepared)
    read = of_task.read(SAMPLES / ID / "good")
    assert any(len(kept.mask_iou) for kept in read.content.kept)
    with mock.patch("scoring_program.challenges.densepose.task.notes") as notes:
        of_task.task.notes(read.content, of_task.public)
    submission = notes.call_args.args[0]
    compared = [(kept.part, kept.vertex, kept.mask_iou) for kept in submission.kept]
    assert len(compared) == len(read.content.kept)
    assert not any(map(len, sum(compared, ())))


def test_of_detections_of_equal_score_the_first_of_the_file_is_the_best(prepared, tmp_path):
    right = GOOD[0]
    pixels = np.zeros((3, *right["uv_shape"][1:]), np.uint8)
    nothing = json.loads(encode_detection(right["image_id"], tuple(right["bbox"]), right["score"], pixels))
    better = right["score"] + 0.1

    def average_precision_of(*detections):
        return score_with(prepared, tmp_path, list(detections))[1]["score"]

    first, last = average_precision_of(right, nothing), average_precision_of(nothing, right)
    assert first == average_precision_of({**right, "score": better}, nothing)
    assert last == average_precision_of({**nothing, "score": better}, right)
    assert first > last > 0


@pytest.mark.slow
def test_the_last_bits_neither_order_error_costs_nor_show(tmp_path):
    case = GOLDEN / ID / "label-map-resize"
    outcome = run_folder(ID, case / "ref", case / "res", tmp_path)
    free = [cost.error_type for cost in outcome.result.error_costs if not cost.points]
    assert free == ["not_submitted", "masks", "background", "wrong_part", "off_within_part"]
    assert "-0.0" not in (tmp_path / "detailed_results.html").read_text(encoding="utf-8").split("<main>")[1]


def drawings_of(prepared, tmp_path, detections):
    """Return the drawings of a page by title."""
    (tmp_path / "s.zip").write_bytes(make_zip({NAME: json.dumps(detections)}))
    result = loaded_at_home(ID, prepared, detail="full").score_path(tmp_path / "s.zip")
    (section,) = (section for section in result.sections if section.key == "drawings")
    return {drawing.title: drawing for drawing in section.drawings}


def dense_person(prepared):
    """Return the reference, and the first image with a single person, who is dense."""
    reference = loaded(ID, prepared).reference
    persons = reference.persons
    alone = [
        i
        for i, n in enumerate(np.bincount(persons.image))
        if n == 1 and persons.dense[persons.image == i].all()
    ]
    return reference, alone[0], int(np.flatnonzero(persons.image == alone[0])[0])


def test_drawing_has_the_masks_and_the_points_of_a_person(prepared, tmp_path):
    reference, image, person = dense_person(prepared)
    persons = reference.persons
    x, y, w, h = persons.box[person].tolist()
    box = (float(int(x)), float(int(y)), float(int(w)), float(int(h)))
    iuv = np.zeros((3, int(h), int(w)), np.uint8)
    iuv[0, : int(h) // 2] = 1
    number = int(persons.image_id[image])
    entry = json.loads(encode_detection(number, box, 0.9, iuv))
    drawing = drawings_of(prepared, tmp_path, [entry])[f"image {number}"]
    (drawn,) = drawing.objects
    assert drawing.size == tuple(persons.image_size[image].tolist()[::-1])
    assert drawing.files[:2] == [f"{number:012d}", f"COCO_val2014_{number:012d}"]
    assert [shape.role for shape in drawn.shapes] == ["ground truth", "prediction"]
    xs, ys = (np.array(drawn.shapes[1].outlines[0])[start::2] for start in (0, 1))
    assert (xs.min(), xs.max(), ys.min()) == (box[0], pytest.approx(box[0] + int(w), abs=10), box[1])
    assert ys.max() == pytest.approx(box[1] + int(h) // 2, abs=10)
    points = slice(*persons.point_start[person : person + 2].tolist())
    assert [point[0] for point in drawn.points] == persons.x[points].tolist()
    below = persons.y[points] - box[1] >= int(h) // 2
    assert {point[2] for point, is_below in zip(drawn.points, below) if is_below} <= {0.0}
    assert drawn.is_wrong
    assert re.fullmatch(r"GPSm 0\.[0-9]{2}, needs 0\.5", drawn.outcome)


def test_persons_without_a_detection_and_detections_without_a_person_are_drawn(prepared, tmp_path):
    reference, image, _ = dense_person(prepared)
    number = int(reference.persons.image_id[image])
    iuv = np.ones((3, 2, 2), np.uint8)
    far = [json.loads(encode_detection(number, (0.0, 0.0, 2.0, 2.0), 0.25, iuv))]
    drawing = drawings_of(prepared, tmp_path, far)[f"image {number}"]
    assert [(own.label, own.outcome) for own in drawing.objects] == [
        ("person 1", "no prediction"),
        ("detection 0, score 0.25", "matches no person"),
    ]
    titles = list(drawings_of(prepared, tmp_path, far))
    # Images without any detection come last.
    assert titles[0] == f"image {number}"


def image_without_a_dense_person(tmp_path):
    """Return a reference in which the only person of an image is not densely annotated, and the image's id."""
    reference, image, _ = dense_person(DEMO)
    number = int(reference.persons.image_id[image])

    def annotate_no_points(data):
        (annotation,) = (entry for entry in data["annotations"] if entry["image_id"] == number)
        for key in [key for key in annotation if key.startswith("dp_")]:
            del annotation[key]

    folder = official(tmp_path)
    edit(folder, annotate_no_points)
    return folder, number


@pytest.mark.slow
def test_detections_of_images_without_a_dense_person_are_not_drawn_as_false(tmp_path):
    folder, number = image_without_a_dense_person(tmp_path)
    nobody = json.loads(encode_detection(number, (0.0, 0.0, 2.0, 2.0), 0.25, np.ones((3, 2, 2), np.uint8)))
    assert f"image {number}" in drawings_of(DEMO, tmp_path, [nobody])
    assert f"image {number}" not in drawings_of(folder, tmp_path, [nobody])


@pytest.mark.slow
def test_images_without_a_dense_person_are_not_missing_without_a_detection(tmp_path, capsys):
    folder, number = image_without_a_dense_person(tmp_path)
    others = [detection for detection in GOOD if detection["image_id"] != number]
    for reference, is_missing in ((DEMO, True), (folder, False)):
        code, _ = score_with(reference, tmp_path, others, detail="full", at_home=True)
        assert code == SCORED
        assert ("N-IMAGES-MISSING" in capsys.readouterr().out) == is_missing


def test_only_the_detections_drawn_are_decoded_again(prepared, tmp_path, monkeypatch):
    decoded = []
    check = fmt.check
    of_task = loaded_at_home(ID, prepared, detail="full", n_drawings=1)
    (tmp_path / "s.zip").write_bytes(make_zip({NAME: json.dumps(GOOD)}))
    read = of_task.read(tmp_path / "s.zip")

    def check_and_note(entry):
        decoded.append(entry.position)
        return check(entry)

    monkeypatch.setattr("validator.formats.densepose.selection.check", check_and_note)
    monkeypatch.setattr(fmt, "check", check_and_note)
    result = of_task.score(read)
    (section,) = (section for section in result.sections if section.key == "drawings")
    predicted = [s for own in section.drawings[0].objects for s in own.shapes if s.role == "prediction"]
    assert len(section.drawings) == 1
    assert 0 < len(decoded) < len(GOOD)
    assert len(decoded) == len(set(decoded)) <= len(predicted)
    decoded.clear()
    for detail in ("summary", "none"):
        loaded(ID, prepared, detail=detail).score(read)
    assert decoded == []


def test_damaged_second_pass_costs_no_score(prepared, tmp_path):
    of_task = loaded_at_home(ID, prepared, detail="full")
    (tmp_path / "s.zip").write_bytes(make_zip({NAME: json.dumps(GOOD)}))
    read = of_task.read(tmp_path / "s.zip")
    (tmp_path / "s.zip").write_bytes(b"")
    result = of_task.score(read)
    assert result.scores["score"] > 0
    assert "there are no drawings" in result.notes[0].text
    assert "drawings" not in {section.key for section in result.sections}


def test_without_large_persons_only_their_scores_are_0():
    shape = (3, len(measure.MEASURES), len(average_precision.THRESHOLDS))
    curves = average_precision.PrecisionCurves(np.ones((*shape, 101)), np.ones(shape), np.array([2, 2, 0]))
    zero = [key for key, value in measure.average_precisions(curves, "gpsm").items() if not value]
    assert zero == ["ap_large", "ar_large"]
