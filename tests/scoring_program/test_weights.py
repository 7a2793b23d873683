"""The weighted score is the score of the reference in which each item stands as often as its weight says."""

from __future__ import annotations

import json

import numpy as np
import pytest

from organizer.files import folder_files, write_files
from quality.task import quality_tasks
from scoring_program.metrics import resampling
from scoring_program.task import load_task
from tests.helpers import REFERENCES, SAMPLES, loaded, one_of_each_challenge


def repeated(name, files, items, weights):
    """Return files with each item as often as its weight says."""
    copies = {item: [f"{item}{n}" for n in range(int(weight))] for item, weight in zip(items, weights)}
    return quality_tasks()[name].repeated(files, copies)


def demo(name):
    """Return the files of the demo reference and of the weak sample."""
    reference = folder_files(REFERENCES / name)
    reference.pop("SYNTHETIC.md")
    return reference, folder_files(SAMPLES / name / "weak")


def scored(name, reference, submission, folder, protocol, interval=False):
    """Return the result for the files of a reference and of a submission."""
    for place, files in (("ref", reference), ("res", submission)):
        (folder / place).mkdir(parents=True)
        for file, data in files.items():
            (folder / place / file).write_bytes(data)
    # Scores alone are compared.
    settings = {"protocol": protocol, "interval": interval, "detail": "none", "notes": False}
    return loaded(name, folder / "ref", **settings).score_path(folder / "res")


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("name", one_of_each_challenge())
def test_weights_repeat_items(tmp_path, name, protocol):
    reference, submission = demo(name)
    result = scored(name, reference, submission, tmp_path / "once", protocol)
    items = result.items
    for number, weights in enumerate(np.random.default_rng(9).integers(0, 4, (3, len(items))).astype(float)):
        truth, predictions = (repeated(name, part, items, weights) for part in (reference, submission))
        again = scored(name, truth, predictions, tmp_path / f"repeated{number}", protocol)
        expected = again.scores.get("average_video_accuracy_exact", again.scores["score"])
        reduced = load_task(name).reduce(result.statistics, weights[None])
        assert reduced == pytest.approx([expected], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("name", one_of_each_challenge())
def test_halves_are_references_with_half_of_the_groups(tmp_path, name, protocol):
    reference, submission = demo(name)
    items = scored(name, reference, submission, tmp_path / "once", protocol).items
    number = np.arange(len(items)) % 5
    lines = ["item,group", *(f"{item},group{group}" for item, group in zip(items, number.tolist()))]
    write_files({**reference, "persons.csv": "\n".join(lines).encode()}, tmp_path / "grouped")
    write_files(submission, tmp_path / "res")
    of_task = loaded(name, tmp_path / "grouped", protocol=protocol, item_groups="persons.csv")
    result = of_task.score_path(tmp_path / "res")
    halves = of_task.half_scores(result.statistics, 7)
    assert (len(halves.first), halves.n_items, result.interval.items) == (7, 5, 5)
    assert result.shown.over.endswith(" of 5 persons")
    for row, side in enumerate(resampling.sides(5, 7)[:2, number]):
        for own, scores in ((side > 0, halves.first), (side < 0, halves.second)):
            truth, predictions = (
                repeated(name, part, items, own.astype(float)) for part in (reference, submission)
            )
            again = scored(name, truth, predictions, tmp_path / f"half{row}{own[0]}", protocol)
            expected = again.scores.get("average_video_accuracy_exact", again.scores["score"])
            assert scores[row] == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["published", "released"])
def test_segments_of_videos_that_are_no_items_have_the_mean_weight(tmp_path, protocol):
    """A half is scored as the reference that holds its items twice, with outside segments once.

    These are segments of the reference without annotations under ``published``, submitted ones under ``released``.
    """
    name = "anet_entities_gen"
    reference, submission = folder_files(REFERENCES / name), folder_files(SAMPLES / name / "weak")
    reference.pop("SYNTHETIC.md")

    def with_outside(files, file, key, segments):
        content = json.loads(files[file])
        content[key]["v_elsewhere"] = segments
        return {**files, file: json.dumps(content).encode()}

    def whole(reference, submission):
        if protocol == "released":
            empty = {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}
            segments = {str(number): empty for number in range(3)}
            return reference, with_outside(submission, "submission_gen.json", "results", segments)
        lists = ("process_clss", "process_idx", "process_bnd_box", "frame_ind", "tokens")
        segments = {str(number): {key: [] for key in lists} for number in range(3)}
        reference = with_outside(reference, "reference.json", "annotations", {"segments": segments})
        split = json.loads(reference["split.json"])
        split["validation"].append("v_elsewhere")
        return {**reference, "split.json": json.dumps(split).encode()}, submission

    truth, predictions = whole(reference, submission)
    once = scored(name, truth, predictions, tmp_path / "once", protocol, interval=True)
    side = resampling.sides(len(once.items))[0]
    assert len(once.items) % 2 == 0
    doubled = [repeated(name, part, once.items, 2.0 * (side > 0)) for part in (reference, submission)]
    truth, predictions = whole(*doubled)
    again = scored(name, truth, predictions, tmp_path / "half", protocol)
    assert once.halves.first[0] == pytest.approx(again.scores["score"], abs=1e-9)


@pytest.mark.slow
def test_a_submission_of_segments_that_are_not_annotated_scores_zero(tmp_path):
    name = "anet_entities_gen"
    reference, submission = folder_files(REFERENCES / name), folder_files(SAMPLES / name / "weak")
    reference.pop("SYNTHETIC.md")
    ((file, content),) = submission.items()
    content = json.loads(content)
    # An annotated video, of which only a segment without annotations is submitted.
    video = next(iter(content["results"]))
    empty = {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}
    content["results"] = {video: {"9999": empty}}
    outside = {file: json.dumps(content).encode()}
    assert scored(name, reference, outside, tmp_path, "published").scores["score"] == 0
