"""The examples in the challenges' own texts, sent as a participant would who copies them.

The worked example of ChaLearn is the golden case ``page-example-059`` of both tracks.
"""

from __future__ import annotations

import json

import pytest

from tests.golden_cases import cases, expected_of
from tests.helpers import REFERENCES, make_zip, places_of, refused
from validator.checking import load_format

KINETICS, GIVEN, GENERATED = "kinetics_tps", "anet_entities_gt", "anet_entities_gen"
# The page of Kinetics-TPS shows this form: a human without a box of its own, and commas before closing brackets.
AS_PRINTED = """{
  "vid1": {
    "img_00001.json": {
      "humans": [
        {
          "number": 1,
          "parts": {
            "left_arm": {
              "number": 2,
              "box": [[12, 30, 40, 80], [50, 30, 80, 80]],
              "verb": ["bend", "hold"],
              "name": "left_arm",
            },
          },
        },
      ],
    },
  },
}
"""


def read(task_id, files, tmp_path):
    """Check a submission as the command of the validator does."""
    form, rules = load_format(task_id)
    path = tmp_path / "submission.zip"
    path.write_bytes(make_zip(files))
    return form.read, path, rules


def refused_kinetics(text, tmp_path):
    files = {"pred_vid_result.json": '{"vid1": "throw_ball"}', "pred_part_result.json": text}
    return refused(*read(KINETICS, files, tmp_path))


def test_example_of_kinetics_as_printed_is_refused_for_its_comma(tmp_path):
    findings = refused_kinetics(AS_PRINTED, tmp_path)
    (problem,) = findings.problems
    assert (problem.code, problem.file) == ("E-JSON-SYNTAX", "pred_part_result.json")
    assert "comma" in problem.problem + problem.remedy


def test_example_of_kinetics_without_its_commas_is_refused_for_the_missing_box(tmp_path):
    text = json.dumps(json.loads(_without_trailing_commas(AS_PRINTED)))
    findings = refused_kinetics(text, tmp_path)
    place = "/vid1/img_00001.json/humans/0"
    assert places_of(findings) == [("E-JSON-SCHEMA", "pred_part_result.json", place)]
    (problem,) = findings.problems
    assert "box" in problem.problem


def _without_trailing_commas(text):
    lines = text.splitlines()
    kept = []
    for line, next_line in zip(lines, [*lines[1:], ""]):
        is_trailing = line.endswith(",") and next_line.strip().startswith(("}", "]"))
        kept.append(line[:-1] if is_trailing else line)
    return "\n".join(kept)


@pytest.mark.parametrize("task_id", ["chalearn_action", "chalearn_gesture"])
def test_worked_example_of_chalearn_is_a_golden_case(task_id):
    (case,) = [case for case in cases(task_id) if case.name == "page-example-059"]
    assert expected_of(case)["published"]["mean_jaccard"] == pytest.approx(0.59, abs=1e-12)


@pytest.mark.parametrize(("task_id", "mode"), [(GIVEN, "GT"), (GENERATED, "gen")])
def test_skeleton_of_a_submission_to_activitynet_entities_is_valid(task_id, mode, tmp_path):
    """The keys of the submission format that the page describes, with a video of the demo reference."""
    split = json.loads((REFERENCES / task_id / "split.json").read_text(encoding="utf-8"))
    objects = {
        "clss": ["man", "ball"],
        "idx_in_sent": [1, 4],
        "bbox_for_all_frames": [[[10, 20, 90, 200]] * 10, [[30, 40, 60, 70]] * 10],
    }
    content = {
        "results": {split["validation"][0]: {"0": objects}},
        "eval_mode": mode,
        "external_data": {"used": True, "details": "Visual features of a detector trained on Visual Genome."},
    }
    name = "submission_gt.json" if task_id == GIVEN else "submission_gen.json"
    read_submission, path, rules = read(task_id, {name: json.dumps(content)}, tmp_path)
    assert read_submission(path, rules).notes == []


@pytest.mark.parametrize(
    ("task_id", "names", "to_send"),
    [
        (GIVEN, ["attn-gt-sent-results-val.json", "grd-gt-sent-results-val.json"], "grd-gt-sent-results-val.json"),
        (GENERATED, ["attn-gen-sent-results-val.json", "other.json"], "attn-gen-sent-results-val.json"),
    ],
)  # fmt: skip
def test_message_names_the_file_of_gvd_to_send(task_id, names, to_send, tmp_path):
    findings = refused(*read(task_id, dict.fromkeys(names, "{}"), tmp_path))
    (problem,) = findings.problems
    assert problem.code == "E-FILE-NONE"
    assert to_send in problem.remedy
