"""ActivityNet-Entities: arrays beside loops over the document, problems with their places, notes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import make_zip
from validator import json_files
from validator.check import check_submission
from validator.findings import Findings
from validator.formats import anet_entities as fmt
from validator.formats.rules import load_rules

GIVEN, GENERATED = "anet_entities_gt", "anet_entities_gen"
MODES = {GIVEN: "GT", GENERATED: "gen"}
UNUSED = {"used": False, "details": ""}


def segment(objects, named=True):
    """Return a segment of (class, index, ten boxes)."""
    content = {
        "idx_in_sent": [o[1] for o in objects],
        "bbox_for_all_frames": [[list(b) for b in o[2]] for o in objects],
    }
    return {"clss": [o[0] for o in objects], **content} if named else content


def read(tmp_path, results, task=GENERATED, **members):
    rules = load_rules(task)
    assert rules.json
    value = {"results": results, "eval_mode": MODES[task], "external_data": UNUSED, **members}
    path, findings = tmp_path / "s.zip", Findings()
    (name,) = rules.json.files
    path.write_bytes(make_zip({name: json.dumps(value)}))
    return check_submission(path, rules, findings), findings


boxes = st.lists(
    st.lists(st.sampled_from([0, 1, 2.5, 1 / 3, 1e300, -4]), min_size=4, max_size=5), min_size=10, max_size=10
)
objects = st.lists(st.tuples(st.sampled_from(["man", "dog", "Ball"]), st.integers(0, 9), boxes), max_size=3)
documents = st.dictionaries(
    st.sampled_from(["v_a", "v_b"]), st.dictionaries(st.sampled_from("012"), objects, max_size=3), max_size=2
)


@pytest.mark.parametrize("is_fast", [True, False])
@pytest.mark.parametrize("task", [GIVEN, GENERATED])
def test_arrays_hold_what_the_document_holds(tmp_path, monkeypatch, task, is_fast):
    if not is_fast:
        monkeypatch.setattr(json_files, "typed_json", None)
    named = task == GENERATED

    @given(documents)
    def compare(videos):
        results = {v: {s: segment(of, named) for s, of in segments.items()} for v, segments in videos.items()}
        content, findings = read(tmp_path, results, task)
        assert (findings.lines(), findings.notes) == ([], [])
        found = [(v, s, of) for v, segments in videos.items() for s, of in segments.items()]
        assert content.segments == [(v, s) for v, s, _ in found]
        numbered = [(number, one) for number, (_, _, of) in enumerate(found) for one in of]
        assert content.segment.tolist() == [number for number, _ in numbered]
        assert content.index.tolist() == [one[1] for _, one in numbered]
        names = [content.classes[label] if label >= 0 else label for label in content.label.tolist()]
        assert names == [one[0] if named else -1 for _, one in numbered]
        with np.errstate(over="ignore"):
            expected = [
                np.array([box[:4] for box in one[2]], float).astype(np.float32).tolist()
                for _, one in numbered
            ]
        assert content.box.tolist() == expected
        assert content.box.dtype == np.float32
        assert content.box.shape == (len(numbered), 10, 4)

    compare()


def test_further_numbers_of_all_boxes_are_left_out(tmp_path):
    content, _ = read(tmp_path, {"v": {"0": segment([("man", 0, [[1, 2, 3, 4, 5]] * 10)])}})
    assert content.box.tolist() == [[[1, 2, 3, 4]] * 10]


def test_numbers_of_keys_are_those_of_the_document():
    one = segment([("man", 0, [[0, 0, 1, 1]] * 10)])
    results = {"v": {"0": one, "1": one}, "w": {"0": one}, "x": {}}
    # Three segments, with three lists each.
    assert fmt._as_grounding(iter(results.items()))[1] == 3 + 3 * 3


@pytest.mark.parametrize(
    ("lengths", "problem"),
    [
        ((2, 2, 1), "2 idx_in_sent, 2 bbox_for_all_frames and 1 clss"),
        ((2, 1, 2), "2 idx_in_sent, 1 bbox_for_all_frames and 2 clss"),
        ((1, 2, 2), "1 idx_in_sent, 2 bbox_for_all_frames and 2 clss"),
        ((0, 0, 1), "0 idx_in_sent, 0 bbox_for_all_frames and 1 clss"),
    ],
)
def test_lists_of_different_lengths_are_refused(tmp_path, lengths, problem):
    content = {
        "idx_in_sent": [0] * lengths[0], "bbox_for_all_frames": [[[0, 0, 1, 1]] * 10] * lengths[1],
        "clss": ["man"] * lengths[2],
    }  # fmt: skip
    found, findings = read(tmp_path, {"v": {"0": segment([])}, "v/~": {"x": segment([]), "7": content}})
    assert found is None
    (line,) = findings.lines()
    assert line == (
        f"1. E-ANET-LENGTH submission_gen.json /results/v~1~0/7: {problem}; the three lists must be equally long."
    )


def test_the_mode_is_that_of_the_task(tmp_path):
    for task, mode in ((GENERATED, "GT"), (GIVEN, "gen"), (GIVEN, "x" * 21)):
        content, findings = read(tmp_path, {}, task, eval_mode=mode)
        assert content is None
        shown = mode if len(mode) < 21 else "x" * 19 + "…"
        assert findings.lines()[0].endswith(
            f"/eval_mode: the mode is '{shown}'; this task needs \"{MODES[task]}\"."
        )


@pytest.mark.parametrize(
    ("external", "n_notes"),
    [
        (UNUSED, 0), ({"used": True, "details": "x", "more": 1}, 0), (None, 1), ([], 1), ({"used": True}, 1),
        ({"used": 1, "details": ""}, 1), ({"used": False, "details": None}, 1), ({"details": "x"}, 1),
    ],
)  # fmt: skip
def test_missing_words_about_external_data_are_noted(tmp_path, external, n_notes):
    content, findings = read(tmp_path, {}, external_data=external)
    assert content is not None
    assert [note.code for note in findings.notes] == ["N-ANET-EXTERNAL"] * n_notes


def test_facts(tmp_path):
    inside = [[0.1, 0.1, 0.5, 0.9]] * 9 + [[0.1, 0.1, 0.5, 0.8]]
    for of, codes in (
        ([], ["N-EMPTY"]),
        ([("man", 0, inside)], ["N-LOOKS-NORMALIZED"]),
        ([("man", 0, [[5, 5, 9, 9]] * 10)], ["N-LOOKS-CONSTANT"]),
        ([("man", 0, [[i, 5, 9, 9] for i in range(10)])], []),
    ):
        content, _ = read(tmp_path, {"v": {"0": segment(of)}})
        assert [note.code for note in fmt.facts(content)] == codes
