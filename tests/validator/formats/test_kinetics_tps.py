"""Kinetics-TPS: parts as arrays beside loops over the document, problems with their places, facts."""

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
from validator.formats import kinetics_tps as fmt
from validator.json_files import JsonForm
from validator.formats.rules import load_rules

CLASSES, PARTS = fmt.CLASSES_FILE, fmt.PARTS_FILE


def human(box=(0, 0, 9, 9), **parts):
    """Return a human; each part is a list of (box, state)."""
    return {
        "box": list(box),
        "parts": {
            name: {
                "number": len(proposals),
                "box": [list(b) for b, _ in proposals],
                "verb": [v for _, v in proposals],
            }
            for name, proposals in parts.items()
        },
    }


def document(**videos):
    """Return a parts file; each video is a list of frames, each frame a list of humans."""
    return {
        video: {f"{number}.jpg": {"humans": humans} for number, humans in enumerate(frames)}
        for video, frames in videos.items()
    }


def read(value, schema=fmt.PARTS_SCHEMA):
    findings = Findings()
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return fmt.read_parts(data, "p.json", JsonForm(schema), findings), findings


def as_loops(parts):
    """Return all proposals as (video, frame, human box, part, box, state), from the arrays."""
    names, states = list(parts.names), list(parts.states)
    found = []
    for number, part in enumerate(parts.proposal_part.tolist()):
        person = int(parts.part_human[part])
        frame = int(parts.human_frame[person])
        found.append((
            parts.videos[int(parts.frame_video[frame])], parts.frames[frame], parts.human_box[person].tolist(),
            names[int(parts.part_name[part])], parts.proposal_box[number].tolist(),
            states[int(parts.proposal_state[number])],
        ))  # fmt: skip
    return found


def in_document(value):
    return [
        (video, frame, person["box"], name, box, verb)
        for video, frames in value.items()
        for frame, content in frames.items()
        for person in content["humans"]
        for name, part in person["parts"].items()
        for box, verb in zip(part["box"], part["verb"])
    ]


corners = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(
    lambda at: (at[0], at[1], at[0] + 5, at[1] + 0.5)
)
proposals = st.lists(st.tuples(corners, st.sampled_from(["bend", "hold", "kick"])), min_size=1, max_size=3)
humans = st.builds(
    lambda box, parts: human(box, **parts),
    corners,
    st.dictionaries(st.sampled_from(["head", "arm", "leg"]), proposals, max_size=3),
)
documents = st.dictionaries(
    st.sampled_from(["v", "w", "x~/"]), st.lists(st.lists(humans, max_size=2), max_size=3), max_size=3
).map(lambda videos: document(**videos))


@pytest.mark.parametrize("is_fast", [True, False])
def test_arrays_hold_what_the_document_holds(monkeypatch, is_fast):
    if not is_fast:
        monkeypatch.setattr(json_files, "typed_json", None)

    @given(documents, documents)
    def compare(value, other):
        found, findings = read(value)
        assert findings.lines() == []
        check(found, value)
        # Files are also read in two halves.
        second, _ = read(other)
        other = {f"{video} again": frames for video, frames in other.items()}
        second.videos[:] = [f"{video} again" for video in second.videos]
        check(fmt._merge(found, second), {**value, **other})

    def check(found, value):
        assert as_loops(found) == in_document(value)
        assert found.videos == list(value)
        assert found.frames == [frame for frames in value.values() for frame in frames]
        people = [
            person for frames in value.values() for frame in frames.values() for person in frame["humans"]
        ]
        assert found.human_box.tolist() == [person["box"] for person in people]
        assert found.n_states.tolist() == [
            len(part["verb"]) for person in people for part in person["parts"].values()
        ]
        assert np.bincount(found.part_human, minlength=len(people)).tolist() == [
            len(p["parts"]) for p in people
        ]

    compare()


def test_parts_of_the_reference_have_one_box_and_one_state():
    value = {"v": {"1.jpg": {"humans": [{"box": [0, 0, 9, 9], "parts": {
        "head": {"box": [1, 1, 2, 2], "verb": "bend"}, "arm": {"box": [3, 3, 4, 4], "verb": "hold"},
    }}]}}}  # fmt: skip
    parts, findings = read(value, fmt.REFERENCE_SCHEMA)
    assert findings.lines() == []
    assert (parts.proposal_box.tolist(), parts.proposal_part.tolist()) == (
        [[1, 1, 2, 2], [3, 3, 4, 4]],
        [0, 1],
    )
    assert (parts.n_states.tolist(), list(parts.names), list(parts.states)) == (
        [1, 1],
        ["head", "arm"],
        ["bend", "hold"],
    )


RIGHT, UPSIDE_DOWN = ((0, 0, 1, 1), "a"), ((0, 3, 1, 2), "a")
WRONG = "write x1, y1, x2, y2 with x1 <= x2 and y1 <= y2; [x, y, width, height] is another form."


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (
            document(v=[[], [human(), human((5, 0, 4, 9))]]),
            f"E-BOX-ORDER p.json /v/1.jpg/humans/1/box: x2 4 is less than x1 5; {WRONG}",
        ),
        (
            document(u=[[human(), human()]], v=[[human(), human((5, 0, 4, 9))]]),
            f"E-BOX-ORDER p.json /v/0.jpg/humans/1/box: x2 4 is less than x1 5; {WRONG}",
        ),
        (
            document(v=[[human(head=[RIGHT], arm=[RIGHT], leg=[UPSIDE_DOWN])]]),
            f"E-BOX-ORDER p.json /v/0.jpg/humans/0/parts/leg/box/0: y2 2 is less than y1 3; {WRONG}",
        ),
        (
            document(v=[[human((0, 5.25, 9, 5))]]),
            f"E-BOX-ORDER p.json /v/0.jpg/humans/0/box: y2 5 is less than y1 5.25; {WRONG}",
        ),
        (
            document(v=[[human((5, 5, 4, 4))]]),
            f"E-BOX-ORDER p.json /v/0.jpg/humans/0/box: x2 4 is less than x1 5; {WRONG}",
        ),
        (
            document(u=[[human()]], v=[[], [human(head=[RIGHT]), human(arm=[RIGHT], head=[RIGHT, RIGHT, UPSIDE_DOWN])]]),
            f"E-BOX-ORDER p.json /v/1.jpg/humans/1/parts/head/box/2: y2 2 is less than y1 3; {WRONG}",
        ),
        (
            document(v=[[human(head=[RIGHT, RIGHT]), human(arm=[RIGHT], head=[RIGHT, RIGHT, UPSIDE_DOWN])]]),
            f"E-BOX-ORDER p.json /v/0.jpg/humans/1/parts/head/box/2: y2 2 is less than y1 3; {WRONG}",
        ),
        (
            {"a/b": {"~": {"humans": [{"box": [0, 0, 1, 1], "parts": {"x/y": {
                "number": 2, "box": [[0, 0, 1, 1], [0, 0, 1, 1]], "verb": ["a"],
            }}}]}}},
            "E-PART-LENGTH p.json /a~1b/~0/humans/0/parts/x~1y: 2 boxes, but 1 state; give one state (verb) for each box.",
        ),
        (
            {"v": {"f": {"humans": [human(head=[((0, 0, 1, 1), "a")]), {"box": [0, 0, 1, 1], "parts": {"head": {
                "number": 1, "box": [[0, 0, 1, 1]], "verb": ["a", "b"],
            }}}]}}},
            "E-PART-LENGTH p.json /v/f/humans/1/parts/head: 1 box, but 2 states; give one state (verb) for each box.",
        ),
    ],
)  # fmt: skip
def test_problems_have_their_place(value, line):
    _, findings = read(value)
    assert findings.lines() == [f"1. {line}"]


def test_boxes_of_no_size_are_in_order():
    assert read(document(v=[[human((5, 5, 5, 5), head=[((2, 2, 2, 2), "a")])]]))[1].ok


def test_what_is_no_parts_file_is_refused():
    for value in (b"[]", b"{", {"v": {"f": {"humans": [{"box": [0, 0, 1], "parts": {}}]}}}):
        parts, findings = read(value)
        assert parts is None
        assert not findings.ok


def check(tmp_path, files):
    path, findings = tmp_path / "s.zip", Findings()
    path.write_bytes(make_zip({name: json.dumps(value) for name, value in files.items()}))
    return check_submission(path, load_rules("kinetics_tps"), findings), findings


def test_a_submission_has_classes_and_parts(tmp_path):
    content, findings = check(tmp_path, {CLASSES: {"v": "jump"}, PARTS: document(v=[[human()]])})
    assert findings.lines() == []
    assert (content.classes, content.parts.videos) == ({"v": "jump"}, ["v"])
    content, findings = check(tmp_path, {CLASSES: {"v": 1}, PARTS: document(v=[[human((5, 0, 4, 9))]])})
    assert content is None
    assert [problem.code for problem in findings.problems] == ["E-JSON-SCHEMA", "E-BOX-ORDER"]


def test_classes_of_the_reference():
    findings = Findings()
    assert fmt.read_classes(b'{"v": "jump"}', "c.json", findings) == {"v": "jump"}
    assert fmt.read_classes(b"[]", "c.json", findings) is None
    assert not findings.ok


def test_numbers_of_keys_are_those_of_the_document():
    value = document(v=[[human(head=[((0, 0, 1, 1), "a")]), human()], []], w=[])
    assert fmt._as_part_states(iter(value.items()), False)[1] == count_keys(value) - len(value)


def count_keys(value):
    if isinstance(value, dict):
        return len(value) + sum(map(count_keys, value.values()))
    return sum(map(count_keys, value)) if isinstance(value, list) else 0


def test_facts(tmp_path):
    small = [human((0.1, 0.1, 0.5, 0.9), head=[((0, 0, 0.5, 1), "a")]), human((0.1, 0.1, 0.4, 0.9))]
    apart = [human((i, 0, i + 9, 9), head=[((1, 2, 3, 4), "a")]) for i in range(10)]
    for people, code in (
        ([], "N-EMPTY"),
        (small * 5, "N-LOOKS-NORMALIZED"),
        (apart, "N-LOOKS-CONSTANT"),
        (apart[:9], ""),
    ):
        parts, _ = read(document(v=[people]))
        assert [note.code for note in fmt.facts(fmt.KineticsSubmission({}, parts))] == (
            [code] if code else []
        )
    assert "of humans" in fmt.facts(fmt.KineticsSubmission({}, read(document(v=[small * 5]))[0]))[0].text
    assert "of parts" in fmt.facts(fmt.KineticsSubmission({}, read(document(v=[apart]))[0]))[0].text
