"""ActivityNet-Entities: arrays beside loops over the document, problems with their places, notes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import fewer_examples, places_of, refused, values_of
from validator.formats.anet_entities import read as fmt
from validator.formats.anet_entities.write import FORMAT, add_object, encode_submission, no_objects
from validator.formats.rules import load_rules

pytestmark = pytest.mark.interpreters

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


def read(results, task=GENERATED, **members):
    rules = load_rules(task)
    value = {"results": results, "eval_mode": MODES[task], "external_data": UNUSED, **members}
    return fmt.read({rules.json[0].name: json.dumps(value).encode()}, rules)


boxes = st.lists(
    st.lists(st.sampled_from([0, 1, 2.5, 1 / 3, 1e300, -4]), min_size=4, max_size=5), min_size=10, max_size=10
)
objects = st.lists(st.tuples(st.sampled_from(["man", "dog", "Ball"]), st.integers(0, 9), boxes), max_size=3)
documents = st.dictionaries(
    st.sampled_from(["v_a", "v_b"]), st.dictionaries(st.sampled_from("012"), objects, max_size=3), max_size=2
)


@pytest.mark.slow
@pytest.mark.parametrize("task", [GIVEN, GENERATED])
def test_arrays_hold_what_the_document_holds(task):
    named = task == GENERATED

    @fewer_examples()
    @given(documents)
    def compare(videos):
        results = {v: {s: segment(of, named) for s, of in segments.items()} for v, segments in videos.items()}
        content = read(results, task).content
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


@pytest.mark.parametrize(("task", "external"), [(GIVEN, ""), (GENERATED, "COCO")])
def test_what_is_encoded_is_read(task, external):
    objects = no_objects()
    add_object(objects, "na\u00efve", 7, [[1, 2, 3, 4.5]] * 10)
    add_object(objects, "dog", 0, [[5, 6, 7, 8]] * 10)
    results = {"v_b": {"10": objects}, "v_a": {"0": no_objects()}}
    read_back = fmt.read(encode_submission(results, MODES[task], external), load_rules(task))
    content = read_back.content
    assert not read_back.notes
    assert content.segments == [("v_b", "10"), ("v_a", "0")]
    assert content.segment.tolist() == [0, 0]
    assert [content.classes[label] for label in content.label.tolist()] == ["na\u00efve", "dog"]
    assert content.index.tolist() == [7, 0]
    assert content.box[:, 0].tolist() == [[1, 2, 3, 4.5], [5, 6, 7, 8]]


def test_further_numbers_of_all_boxes_are_left_out():
    content = read({"v": {"0": segment([("man", 0, [[1, 2, 3, 4, 5]] * 10)])}}).content
    assert content.box.tolist() == [[[1, 2, 3, 4]] * 10]


@pytest.mark.parametrize("task", [GIVEN, GENERATED])
@pytest.mark.parametrize("unseen", [None, [], [None] * 4, [float("nan")] * 4])
def test_where_an_object_is_not_seen_the_problem_says_what_to_write(task, unseen):
    boxes = [[[1, 2, 3, 4]] * 9 + [unseen]]
    results = {"v": {"0": {**segment([("man", 0, [])]), "bbox_for_all_frames": boxes}}}
    for problem in refused(read, results, task).problems:
        assert "a likely box, as of the nearest frame" in problem.remedy


@pytest.mark.parametrize(
    ("lengths", "numbers"),
    [
        ((2, 2, 1), "2 idx_in_sent, 2 bbox_for_all_frames and 1 clss"),
        ((2, 1, 2), "2 idx_in_sent, 1 bbox_for_all_frames and 2 clss"),
        ((1, 2, 2), "1 idx_in_sent, 2 bbox_for_all_frames and 2 clss"),
    ],
)
def test_lists_of_different_lengths_are_refused(lengths, numbers):
    content = {
        "idx_in_sent": [0] * lengths[0], "bbox_for_all_frames": [[[0, 0, 1, 1]] * 10] * lengths[1],
        "clss": ["man"] * lengths[2],
    }  # fmt: skip
    results = {"v": {"0": segment([])}, "v/~": {"x": segment([]), "7": content}}
    findings = refused(read, results)
    assert places_of(findings) == [("E-ANET-LENGTH", "submission_gen.json", "/results/v~1~0/7")]
    assert numbers in findings.problems[0].problem


def test_a_segment_has_at_most_a_thousand_objects():
    box = [[0, 0, 1, 1]] * 10
    fitting, further = segment([("man", 0, box)] * 1000), segment([("man", 0, box)] * 1001)
    assert len(read({"v_a": {"0": fitting}}).content.index) == 1000
    findings = refused(read, {"v_a": {"0": fitting}, "v_b": {"1": further}})
    (name,) = (file.name for file in load_rules(GENERATED).json)
    assert places_of(findings) == [("E-JSON-COUNT", name, "/results/v_b/1")]


@pytest.mark.parametrize(
    ("task", "mode", "quoted_mode", "name"),
    [
        (GENERATED, "GT", "GT", "task anet_entities_gt"),
        (GIVEN, "gen", "gen", "task anet_entities_gen"),
        (GIVEN, "x" * 21, "x" * 19 + "…", '"GT"'),
    ],
)
def test_the_mode_is_that_of_the_task(task, mode, quoted_mode, name):
    (problem,) = refused(read, {}, task, eval_mode=mode).problems
    assert (problem.code, problem.where) == ("E-ANET-MODE", "/eval_mode")
    assert values_of(problem.problem) == [f"'{quoted_mode}'"]
    assert name in problem.remedy


def test_problems_of_lists_and_mode_are_reported_together():
    bad = {"idx_in_sent": [0], "bbox_for_all_frames": [], "clss": []}
    problems = refused(read, {"v": {"0": bad}}, eval_mode="GT").problems
    assert [problem.code for problem in problems] == ["E-ANET-LENGTH", "E-ANET-MODE"]


@pytest.mark.parametrize(
    ("external", "n_notes"),
    [
        (UNUSED, 0), ({"used": True, "details": "x", "more": 1}, 0), (None, 1), ([], 1), ({"used": True}, 1),
        ({"used": 1, "details": ""}, 1), ({"used": False, "details": None}, 1), ({"details": "x"}, 1),
    ],
)  # fmt: skip
def test_missing_words_about_external_data_are_noted(external, n_notes):
    notes = read({}, external_data=external).notes
    assert [note.code for note in notes] == ["N-ANET-EXTERNAL"] * n_notes
    assert not any("it is missing" in note.text for note in notes)


INSIDE = [[0.1, 0.1, 0.5, 0.9]] * 9 + [[0.1, 0.1, 0.5, 0.8]]


def boxes_that_change(*at_frames):
    """Return ten boxes that change at some frames only."""
    return [[5 + sum(frame >= at for at in at_frames), 5, 99, 99] for frame in range(10)]


def own_boxes(number):
    return [[number + frame, 5, 99, 99] for frame in range(10)]


def each_alone(*boxes_of_objects):
    """Return segments of a man each, with these boxes."""
    return [[("man", 0, boxes)] for boxes in boxes_of_objects]


def with_boxes(*numbers_of_segments):
    """Return segments of men whose boxes are the same where the number is."""
    return [
        [("man", word, own_boxes(number)) for word, number in enumerate(of)] for of in numbers_of_segments
    ]


def with_words(*words_of_segments):
    return [[("man", word, own_boxes(place)) for place, word in enumerate(of)] for of in words_of_segments]


def with_classes(*classes_of_segments):
    return [[(name, 0, own_boxes(place)) for place, name in enumerate(of)] for of in classes_of_segments]


@pytest.mark.parametrize(
    ("hints", "segments", "codes"),
    [
        (fmt.hints, [[]], ["N-EMPTY"]),
        (fmt.hints, each_alone(INSIDE), ["N-LOOKS-NORMALIZED"]),
        (fmt.hints, each_alone([[5, 5, 9, 9]] * 10), ["N-LOOKS-CONSTANT"]),
        (fmt.hints, each_alone([[i, 5, 9, 9] for i in range(10)]), []),
        # Boxes that are copied to other frames.
        (fmt.hints, each_alone(*[boxes_that_change(5)] * 5), ["N-LOOKS-CONSTANT"]),
        (fmt.hints, each_alone(*[boxes_that_change(5)] * 4), []),
        (fmt.hints, each_alone(*[boxes_that_change(2, 4, 6, 8)] * 5), ["N-LOOKS-CONSTANT"]),
        (fmt.hints, each_alone(*[boxes_that_change(1, 2, 3, 4, 5, 7, 8)] * 5), []),
        (fmt.hints, each_alone(*[boxes_that_change(5)] * 2, *[boxes_that_change(*range(10))] * 3), ["N-LOOKS-CONSTANT"]),
        (fmt.hints, each_alone(boxes_that_change(5), *[boxes_that_change(*range(10))] * 4), []),
        # Objects of a segment share their boxes; of two objects, and of one each, that is too little to tell.
        (fmt.hints, with_boxes([7, 7, 7, 7], [50, 50, 50]), ["N-LOOKS-CONSTANT"]),
        (fmt.hints, with_boxes([7, 7, 7, 7], [50, 50, 51]), []),
        (fmt.hints, with_boxes([7, 7, 7, 7], [50, 50]), []),
        (fmt.hints, with_boxes(*[[7]] * 7), []),
        (fmt.given_hints, with_words([0, 1, 2, 3], [0, 1, 2]), ["N-LOOKS-CONSTANT"]),
        (fmt.given_hints, with_words([0, 1, 2, 3], [0, 1, 3]), []),
        (fmt.given_hints, with_words([1, 2, 3, 4], [1, 2, 3]), []),
        (fmt.given_hints, with_words([0, 1, 2, 3], [0, 1]), []),
        (fmt.given_hints, with_words(*[[0]] * 8), []),
        (fmt.given_hints, with_words([1, 4, 1], [4, 4, 4]), ["N-REPEATED"]),
        (fmt.given_hints, [*with_words(*[[1]] * 10), *[[]] * 9], []),
        (fmt.given_hints, [*with_words(*[[1]] * 10), *[[]] * 10], ["N-PLACES-EMPTY"]),
        (fmt.generated_hints, with_classes(["man"], ["man"], ["man"], ["man"]), ["N-LOOKS-CONSTANT"]),
        (fmt.generated_hints, with_classes(["man", "dog"], ["man", "man"]), ["N-REPEATED"]),
        (fmt.generated_hints, with_classes(["man", "dog"], ["dog", "man"]), []),
    ],
)  # fmt: skip
def test_likely_mistakes_are_noted(hints, segments, codes):
    task = GIVEN if hints is fmt.given_hints else GENERATED
    results = {str(number): segment(objects) for number, objects in enumerate(segments)}
    content = read({"v": results}, task).content
    assert [note.code for note in hints(content)] == codes


def moved(box, step=1):
    """Return ten boxes, each ``step`` pixels to the right of the one before."""
    return [[box[0] + step * n, box[1], box[2] + step * n, *box[3:]] for n in range(10)]


def hints_of(videos, task=GIVEN):
    """Return the notes on objects, by video: (video, ten boxes of each object); a segment for each object."""
    results = {}
    for video, boxes_of_objects in videos.items():
        results[video] = {
            str(n): segment([("ab"[n % 2], n % 2 + 1, boxes)]) for n, boxes in enumerate(boxes_of_objects)
        }
    return FORMAT.hints(read(results, task).content, load_rules(task))


SHARES = moved((0.1, 0.2, 0.5, 0.9), 0.01)
PIXELS = moved((20, 30, 200, 150))
BACKWARDS = moved((200, 30, 20, 150))
WIDE = moved((700, 30, 900, 150))


@pytest.mark.parametrize("task", [GIVEN, GENERATED])
@pytest.mark.parametrize(
    ("videos", "codes"),
    [
        ({"v": [SHARES], "w": [PIXELS]}, ["N-LOOKS-NORMALIZED"]),
        ({"v": [SHARES, PIXELS], "w": [PIXELS]}, ["N-LOOKS-NORMALIZED"]),
        ({"v": [SHARES, *[PIXELS] * 98]}, ["N-LOOKS-NORMALIZED"]),
        ({"v": [SHARES, *[PIXELS] * 99]}, []),
        ({"v": [moved((-500.5, -400, -300.5, -200))], "w": [PIXELS]}, []),
        ({"v": [moved((0, 0, 0, 0), 0)], "w": [PIXELS] * 20}, []),
        # Of 1,010 boxes ten are too few to be noted, unless they are those of one video.
        ({"v": [WIDE], "w": [PIXELS] * 100}, ["N-BOXES-OUTSIDE"]),
        ({"v": [WIDE, PIXELS, PIXELS], "w": [PIXELS] * 100}, []),
        ({"v": [BACKWARDS] + [PIXELS] * 9}, ["N-BOXES-ORDER"]),
        ({"v": [BACKWARDS] + [PIXELS] * 10}, []),
        ({"v": [moved((20, 30, 19, 150))] + [PIXELS] * 9}, []),
        ({"v": [moved((20, 30, 200, 150, 0.5))]}, ["N-BOXES-NUMBERS"]),
        ({"v": [moved((20, 30, 200, 150, 0.5)), PIXELS]}, []),
        ({"v": [moved((0.5, 20, 30, 200, 150), 0.01)]}, ["N-BOXES-FIRST"]),
        ({"v": [moved((0.5, 20, 30, 200), 0.01)]}, []),
    ],
)
def test_boxes_that_look_wrong_by_video_are_noted(videos, codes, task):
    # One class and ten boxes of one object are alike where there is one object only.
    found = [note.code for note in hints_of(videos, task)]
    assert [code for code in found if code not in ("N-LOOKS-CONSTANT", "N-REPEATED")] == codes
