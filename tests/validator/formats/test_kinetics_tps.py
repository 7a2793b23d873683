"""Kinetics-TPS: parts as arrays beside loops over the document, problems with their places, hints."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import compact_lines, make_zip, places_of, refused, values_of
from validator import json_reader
from validator.formats.kinetics_tps import read as fmt
from validator.formats.kinetics_tps.read import KineticsSubmission, read_classes, read_parts
from validator.formats.kinetics_tps.write import FORMAT
from validator.formats.rules import JsonFile, load_rules

pytestmark = pytest.mark.interpreters

RULES = load_rules("kinetics_tps")
CLASSES, PARTS = RULES.json
REFERENCE = JsonFile("p.json", RULES.reference_schemas[0])


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


def read(value, file=PARTS, **options):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return read_parts(io.BytesIO(data).read, "p.json", file, **options)


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


# Boxes may have no size.
corners = st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from([0, 0.5])).map(
    lambda at: (at[0], at[1], at[0] + 10 * at[2], at[1] + at[2])
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


def test_arrays_hold_what_the_document_holds(monkeypatch):
    # Good documents are not parsed strictly: all keys were counted.
    monkeypatch.setattr(json_reader, "Marks", None)

    @given(documents)
    def compare(value):
        found = read(value).content
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
    parts = read(value, REFERENCE, one_each=True).content
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


@pytest.mark.parametrize(
    ("value", "code", "place", "values"),
    [
        (
            document(v=[[], [human(), human((5, 0, 4, 9))]]),
            "E-BOX-ORDER", "/v/1.jpg/humans/1/box", ["4", "5"],
        ),
        (
            document(u=[[human(), human()]], v=[[human(), human((5, 0, 4, 9))]]),
            "E-BOX-ORDER", "/v/0.jpg/humans/1/box", ["4", "5"],
        ),
        (
            document(v=[[human(head=[RIGHT], arm=[RIGHT], leg=[UPSIDE_DOWN])]]),
            "E-BOX-ORDER", "/v/0.jpg/humans/0/parts/leg/box/0", ["2", "3"],
        ),
        (
            document(v=[[human((0, 5.25, 9, 5))]]),
            "E-BOX-ORDER", "/v/0.jpg/humans/0/box", ["5", "5.25"],
        ),
        (
            document(u=[[human()]], v=[[], [human(head=[RIGHT]), human(arm=[RIGHT], head=[RIGHT, RIGHT, UPSIDE_DOWN])]]),
            "E-BOX-ORDER", "/v/1.jpg/humans/1/parts/head/box/2", ["2", "3"],
        ),
        (
            document(v=[[human(head=[RIGHT, RIGHT]), human(arm=[RIGHT], head=[RIGHT, RIGHT, UPSIDE_DOWN])]]),
            "E-BOX-ORDER", "/v/0.jpg/humans/1/parts/head/box/2", ["2", "3"],
        ),
        (
            {"a/b": {"~": {"humans": [{"box": [0, 0, 1, 1], "parts": {"x/y": {
                "number": 2, "box": [[0, 0, 1, 1], [0, 0, 1, 1]], "verb": ["a"],
            }}}]}}},
            "E-PART-LENGTH", "/a~1b/~0/humans/0/parts/x~1y", ["2", "1"],
        ),
        (
            {"v": {"f": {"humans": [human(head=[((0, 0, 1, 1), "a")]), {"box": [0, 0, 1, 1], "parts": {"head": {
                "number": 1, "box": [[0, 0, 1, 1]], "verb": ["a", "b"],
            }}}]}}},
            "E-PART-LENGTH", "/v/f/humans/1/parts/head", ["1", "2"],
        ),
    ],
)  # fmt: skip
def test_problems_have_their_place(value, code, place, values):
    findings = refused(read, value)
    assert places_of(findings) == [(code, "p.json", place)]
    assert values_of(findings.problems[0].problem) == values


def test_problems_of_boxes_are_counted_for_each_axis_and_rule():
    people = [human((5, 0, 4, 9), head=[UPSIDE_DOWN]), human((0, 9, 9, 0), head=[UPSIDE_DOWN, RIGHT])]
    people[1]["parts"]["head"]["verb"] = ["a"]
    lines = compact_lines(refused(read, document(v=[people])))
    assert [line.split(":")[0] for line in lines] == [
        "1. E-BOX-ORDER p.json /v/0.jpg/humans/0/box",
        "2. E-BOX-ORDER p.json /v/0.jpg/humans/1/box, /v/0.jpg/humans/0/parts/head/box/0, "
        "/v/0.jpg/humans/1/parts/head/box/0",
        "3. E-PART-LENGTH p.json /v/0.jpg/humans/1/parts/head",
    ]


@pytest.mark.parametrize("value", [b"[]", b"{", {"v": {"f": {"humans": [{"box": [0, 0, 1], "parts": {}}]}}}])
def test_what_is_no_parts_file_is_refused(value):
    assert refused(read, value)


def submit(classes, parts):
    return {CLASSES.name: json.dumps(classes).encode(), PARTS.name: json.dumps(parts).encode()}


def test_so_many_problems_of_each_file_are_explained():
    wrong = {f"v{number}": 1 for number in range(250)}
    found = refused(fmt.read, submit(wrong, wrong), RULES)
    assert len(found.problems) == 400
    assert found.summary().total_text() == "at least 2 problems, in at least 500 places"


def test_a_damaged_file_does_not_hide_problems_of_the_other(tmp_path):
    data = bytearray(make_zip(submit({"v": "jump"}, document(v=[[human((5, 0, 4, 9))]]))))
    data[data.index(CLASSES.name.encode()) + len(CLASSES.name) + 2] ^= 0xFF
    path = tmp_path / "s.zip"
    path.write_bytes(data)
    codes = [(problem.code, problem.file) for problem in refused(fmt.read, path, RULES).problems]
    assert codes == [("E-ZIP-DAMAGED", CLASSES.name), ("E-BOX-ORDER", PARTS.name)]


def test_classes_of_the_reference():
    file = JsonFile("c.json", CLASSES.schema)
    assert read_classes(io.BytesIO(b'{"v": "jump"}').read, "c.json", file).content == {"v": "jump"}
    assert refused(read_classes, io.BytesIO(b"[]").read, "c.json", file)


SMALL = [human((0.1, 0.1, 0.5, 0.9), head=[((0, 0, 0.5, 1), s) for s in "ab"]), human((0.1, 0.1, 0.4, 0.9))]
APART = [human((i, 0, i + 9, 9), head=[((1, 2, 3, 4), "ab"[i % 2])]) for i in range(10)]
SAME_BOX = [human((i, 0, i + 9, 9), head=[((i, 0, i + 9, 9), "ab"[i % 2])]) for i in range(10)]
ONE_STATE = [human((i, 0, i + 9, 9), head=[((1, 2, 3, 4 + i), "a")]) for i in range(4)]


@pytest.mark.parametrize(
    ("people", "code", "name"),
    [
        ([], "N-EMPTY", ""),
        (SMALL * 5, "N-LOOKS-NORMALIZED", "of humans"),
        (APART, "N-LOOKS-CONSTANT", "of parts"),
        (APART[:9], "", ""),
        (SAME_BOX, "N-LOOKS-CONSTANT", "their human"),
        (SAME_BOX[:9], "", ""),
        ([*SAME_BOX[:6], *APART[6:]], "N-LOOKS-CONSTANT", "6 of 10 boxes of parts"),
        ([*SAME_BOX[:5], *APART[5:]], "", ""),
        (ONE_STATE, "N-LOOKS-CONSTANT", "state 'a'"),
        (ONE_STATE[:3], "", ""),
    ],
)
def test_likely_mistakes_are_noted(people, code, name):
    parts = read(document(v=[people])).content
    notes = FORMAT.hints(KineticsSubmission({}, parts), RULES)
    assert [note.code for note in notes] == ([code] if code else [])
    assert name in "".join(note.text for note in notes)


def crowd(n_frames, *frame):
    """Return frames with the same people, each frame a little further to the right."""
    shifted = [
        [human((x + n, y, u + n, v), **parts) for (x, y, u, v), parts in frame] for n in range(n_frames)
    ]
    return [*shifted]


HEAD = {"head": [((1, 2, 3, 4), "a"), ((5, 2, 9, 4), "b")]}
TWO_PARTS = {**HEAD, "hip": HEAD["head"]}


@pytest.mark.parametrize(
    ("frames", "notes"),
    [
        # Two humans with the same box and one part each, in five frames: ten humans.
        (crowd(5, ((0, 0, 9, 9), HEAD), ((0, 0, 9, 9), HEAD)), ["N-REPEATED"]),
        (crowd(4, ((0, 0, 9, 9), HEAD), ((0, 0, 9, 9), HEAD)), []),
        (crowd(5, ((0, 0, 9, 9), HEAD), ((1, 0, 9, 9), HEAD)), []),
        (crowd(5, ((0, 0, 9, 9), TWO_PARTS), ((0, 0, 9, 9), TWO_PARTS)), []),
        (crowd(20, ((0, 0, 9, 9), {})), ["N-PARTS-NONE"]),
        (crowd(19, ((0, 0, 9, 9), {})), []),
        (crowd(20, ((0, 0, 9, 9), {"head": []})), ["N-PARTS-NONE"]),
        (crowd(10, ((0, 0, 9, 9), {}), ((3, 0, 9, 9), TWO_PARTS)), []),
        (crowd(10, ((0, 0, 9, 9), TWO_PARTS)) + [[]] * 10, ["N-PLACES-EMPTY"]),
        (crowd(11, ((0, 0, 9, 9), TWO_PARTS)) + [[]] * 10, []),
        (crowd(9, ((0, 0, 9, 9), TWO_PARTS)) + [[]] * 10, []),
    ],
)
def test_humans_without_parts_and_frames_without_humans_are_noted(frames, notes):
    parts = read(document(v=frames)).content
    found = [note.code for note in FORMAT.hints(KineticsSubmission({}, parts), RULES)]
    # The boxes of parts are the same everywhere.
    assert [code for code in found if code != "N-LOOKS-CONSTANT"] == notes


@pytest.mark.parametrize(
    ("box", "is_noted"), [((0.1, 0.2, 0.5, 0.9), True), ((0, 0, 1, 1), False), ((0.1, 0.2, 0.5, 2), False)]
)
@pytest.mark.parametrize("noun", ["humans", "parts"])
def test_boxes_in_shares_beside_boxes_in_pixels_are_noted(box, is_noted, noun):
    people = [human((10 * n, 0, 99, 99), head=[((n, 2, 30, 40), "ab"[n % 2])]) for n in range(9)]
    people.append(human(box) if noun == "humans" else human((90, 0, 99, 99), head=[(box, "a")]))
    parts = read(document(v=[people])).content
    notes = FORMAT.hints(KineticsSubmission({}, parts), RULES)
    assert [note.code for note in notes] == ["N-LOOKS-NORMALIZED"] * is_noted
    assert all(f"1 of 10 boxes of {noun}" in note.text for note in notes)


@pytest.mark.parametrize("key", ["results", "a/b"])
def test_entries_in_a_further_object_are_one_problem(key):
    files = submit({key: {"v": "run", "w": "run"}}, {key: document(v=[[human()]], w=[[]])})
    place = key.replace("/", "~1")
    findings = refused(FORMAT.read, files, RULES)
    assert places_of(findings) == [("E-JSON-SCHEMA", name, f"/{place}") for name in files]
    assert ["further object" in problem.problem for problem in findings.problems] == [True, True]


@pytest.mark.parametrize("frame", [{"x": 1}, {}])
def test_a_single_bad_entry_is_no_further_object(frame):
    files = submit({"v": {"w": 1}}, {"v": {"w": frame}})
    assert "further object" not in "".join(compact_lines(refused(FORMAT.read, files, RULES)))


def test_parts_in_shares_of_the_box_of_their_human_are_noted():
    def human_of(number):
        hip = {"box": [[0.1, 0.2, 0.3, 0.4 + number / 100]], "verb": ["bend"]}
        return {"box": [90, 90, 300 + number, 300], "parts": {"hip": hip}}

    frames = {f"img_{n:05d}.json": {"humans": [human_of(n)]} for n in range(12)}
    submission = fmt.read(submit({"v": "run"}, {"v": frames}), RULES).content
    notes = FORMAT.hints(submission, RULES)
    (text,) = [note.text for note in notes if note.code == "N-LOOKS-NORMALIZED"]
    assert values_of(text) == ["48", "0", "1"]


def test_exchanged_files_are_named_before_all_else():
    classes, parts = {"v": "run"}, {"v": {"img_00001.json": {"humans": []}}}
    problems = refused(fmt.read, submit(parts, classes), RULES).problems
    assert [problem.code for problem in problems] == ["E-FILES-EXCHANGED"]
