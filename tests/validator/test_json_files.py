"""JSON submissions: one verdict by the fast reader, the strict one and jsonschema; every problem located."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quality.fuzzing.json_texts import odd_json
from tests.helpers import ROOT, make_zip
from validator import json_files
from validator.archive import Submission
from validator.check import check_submission
from validator.findings import Findings
from validator.formats import anet_entities, kinetics_tps
from validator.formats.rules import load_rules
from validator.strict_json import strict_loads

SCHEMA = "kinetics_tps_parts.json"
FORM = json_files.JsonForm(SCHEMA)
HUMAN = {
    "box": [1, 2.5, 30, 40],
    "parts": {
        "head": {"number": 1, "name": "head", "box": [[1, 2, 3, 4], [5, 6, 7, 8]], "verb": ["bend", "look"]}
    },
}
GOOD: dict[str, Any] = {
    "vid7": {"img_00001.json": {"humans": [HUMAN, HUMAN]}, "img_00006.json": {"humans": []}},
    "vid8": {},
}


def verdicts(data):
    """Return whether the fast way, the slow way and plain jsonschema accept a parts file."""
    fast, slow = Findings(), Findings()
    kinetics_tps.read_parts(data, "f.json", FORM, fast)
    typed = json_files.typed_json
    try:
        json_files.typed_json = None  # type: ignore[assignment]
        kinetics_tps.read_parts(data, "f.json", FORM, slow)
    finally:
        json_files.typed_json = typed
    plain = Findings()
    value = strict_loads(data, "f.json", plain)
    valid = plain.ok and jsonschema.Draft7Validator(json_files.load_schema(SCHEMA)).is_valid(value)
    return fast.ok, slow.ok, valid and fields_agree(value)


def fields_agree(value):
    """Return whether the rules hold that no schema can say."""
    for frames in value.values():
        for frame in frames.values():
            for human in frame["humans"]:
                boxes = [human["box"]]
                for part in human["parts"].values():
                    boxes += part["box"]
                    if len(part["box"]) != len(part["verb"]):
                        return False
                if any(x2 < x1 or y2 < y1 for x1, y1, x2, y2 in boxes):
                    return False
    return True


def places(value, path=()):
    yield path
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield from places(child, (*path, key))


ODD = [
    None, True, False, 0, -1, 1.0, 3.5, 1e300, 10**400, "", "x", ":x", "a\"b", "é", "\ud800", [], {}, [[]], [1, 2, 3, 4],
    [1, 2, 3, 4, 5], [4, 3, 2, 1], ["1", 2, 3, 4], [True, 2, 3, 4], {"box": []}, HUMAN, [HUMAN] * 11,
    {"box": [[1, 2, 3, 4]], "verb": ["x"]}, {"box": [[1, 2, 3, 4]] * 6, "verb": ["x"] * 6}, {"humans": []},
]  # fmt: skip


@st.composite
def mutated(draw):
    """Return the bytes of a document that was changed at random, as a tree and then as text."""
    document = copy.deepcopy(GOOD)
    for _ in range(draw(st.integers(0, 2))):
        path = draw(st.sampled_from(list(places(document))))
        if not path:
            continue
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        action = draw(st.sampled_from(["replace", "delete", "add"]))
        if action == "replace":
            holder[path[-1]] = copy.deepcopy(draw(st.sampled_from(ODD)))
        elif action == "delete":
            del holder[path[-1]]
        elif isinstance(holder, dict):
            holder[draw(st.sampled_from(["box", "number", "new", "é", "a:b", 'q"']))] = copy.deepcopy(
                draw(st.sampled_from(ODD))
            )
    text = json.dumps(document, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        change = draw(
            st.sampled_from([
                b"", b"\0", b"\xff", b",", b'"', b"NaN", b"1e999", b"-Infinity", b"0", b"e", b".", b"\\", b"[" * 70,
                b'"box":1,', b" ", b"\n", b"'", b"\xc3\xa9", b"\x01", b"-", b"+", b"/", b"\\u00e9", b"\\x",
            ])
        )  # fmt: skip
        data[at : at + draw(st.integers(0, 3))] = change
    return bytes(data)


@pytest.mark.slow
@settings(max_examples=1500)
@given(mutated())
def test_all_three_ways_agree(data):
    fast, slow, plain = verdicts(data)
    assert fast == slow == plain, data


@pytest.mark.slow
@settings(max_examples=300)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "box"]), inner),
    )
)
def test_any_json_gets_the_same_verdict(value):
    assert len(set(verdicts(json.dumps(value).encode()))) == 1


OBJECTS = {"clss": ["x", "y"], "idx_in_sent": [0, 1], "bbox_for_all_frames": [[[1, 1, 5, 5]] * 10] * 2}
GROUNDING = {
    "results": {"v": {"0": OBJECTS}, "w": {}},
    "eval_mode": "gen",
    "external_data": {"used": False, "details": ":"},
}
DETECTION = {
    "image_id": 7,
    "category_id": 1,
    "bbox": [1, 2.5, 3, 4],
    "score": 0.5,
    "uv_shape": [3, 4, 3],
    "uv_data": "x",
}


class OneFile(Submission):
    def __init__(self, data):
        self.data = data

    def read(self, name):
        return self.data


READERS = {
    "parts": (GOOD, lambda data, found: kinetics_tps.read_parts(data, "f.json", FORM, found)),
    "classes": ({"v": "x", "w": "y"}, lambda data, found: kinetics_tps.read_classes(data, "f.json", found)),
    "grounding": (
        GROUNDING,
        lambda data, found: anet_entities.read(
            OneFile(data), {"x": "f.json"}, load_rules("anet_entities_gen"), found
        ),
    ),
    "detection": (DETECTION, lambda data, found: json_files.check_value(data, "densepose.json", found, "/0")),
}


def assert_readers_agree(read, data):
    fast, slow = Findings(), Findings()
    quick = read(data, fast)
    with mock.patch.object(json_files, "typed_json", None):
        thorough = read(data, slow)
    assert fast.lines(None) == slow.lines(None), data
    assert fast.notes == slow.notes
    if isinstance(quick, kinetics_tps.PartStates):
        for name, value in vars(quick).items():
            assert np.array_equal(value, getattr(thorough, name)), (name, data)
    return fast


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=500)
@given(st.integers(0, 2**63), st.sampled_from([0.003, 0.01, 0.05]))
def test_oddly_written_json_gets_the_same_messages_and_values_by_both_readers(kind, seed, oddity):
    document, read = READERS[kind]
    text = odd_json(random.Random(seed), document, oddity)
    assert_readers_agree(read, text.encode("utf-8", "surrogatepass"))


UNKNOWN = (
    '"x" :1e999',
    '"x":1,"x" :2',
    '"\\u0078":1,"x"\n:1',
    '"x" :' + "[" * 70 + "]" * 70,
    '"x" :{"a":{"b" :[1,{"c":NaN}]}}',
)


@pytest.mark.parametrize("unknown", UNKNOWN)
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("parts", '{"v":{"f":{"humans":[],HERE}}}'),
        ("parts", '{"v":{"f":{"humans":[{"box":[1,2,3,4],"parts":{"hip":{"box":[],"verb":[],HERE}}}]}}}'),
        (
            "grounding",
            '{"results":{"v":{"0":{"clss":[],"idx_in_sent":[],"bbox_for_all_frames":[],HERE}}},"eval_mode":"gen"}',
        ),
        ("grounding", '{"results":{},"eval_mode":"gen","external_data":{"used":true,"details":"",HERE}}'),
        ("grounding", '{"results":{},"eval_mode":"gen",HERE}'),
        ("detection", json.dumps(DETECTION)[:-1] + ",HERE}"),
    ],
)
def test_what_nobody_reads_is_refused_by_both_readers(kind, text, unknown):
    assert not assert_readers_agree(READERS[kind][1], text.replace("HERE", unknown).encode()).ok


@pytest.mark.parametrize("levels", [62, 63, 64])
def test_both_readers_count_the_same_levels(levels):
    text = '{"results":{},"eval_mode":"gen","external_data":' + "[" * levels + "]" * levels + "}"
    assert assert_readers_agree(READERS["grounding"][1], text.encode()).ok == (levels < 64)


def problems(data):
    findings = Findings()
    kinetics_tps.read_parts(
        data if isinstance(data, bytes) else json.dumps(data).encode(), "f.json", FORM, findings
    )
    return [problem.line() for problem in findings.problems]


def changed(path, value):
    document = copy.deepcopy(GOOD)
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return document


PART = ["vid7", "img_00001.json", "humans", 1, "parts", "head"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (changed([*PART, "box", 0], [1, 2, "3", 4]), "/vid7/img_00001.json/humans/1/parts/head/box/0/2: this is a string"),
        (changed([*PART, "box", 0], [1, 2, 3]), "/head/box/0: the list has 3 entries instead of at least 4"),
        (changed([*PART, "box", 0], [3, 2, 1, 4]), "/head/box/0: x2 1 is less than x1 3"),
        (changed([*PART, "box", 1], [3, 9, 4, 8]), "/head/box/1: y2 8 is less than y1 9"),
        (changed([*PART, "verb"], ["a"]), "humans/1/parts/head: 2 boxes, but 1 state;"),
        (changed(["vid7", "img_00001.json", "humans", 0], {"parts": {}}), "humans/0: 'box' is missing"),
        (changed(["vid7", "img_00001.json"], {}), "/vid7/img_00001.json: 'humans' is missing"),
        (changed([*PART, "box", 0, 0], True), "box/0/0: this is true instead of a number"),
        (changed(["a/b~c"], 3), "/a~1b~0c: this is the number 3 instead of an object"),
        ([], "this is a list instead of an object"),
        (b'{"v": {"f": {"humans": [NaN]}}}', "/v/f/humans/0: NaN is not a finite number"),
        (b'{"v": {"f": {"humans": [], "x": 1e999}}}', "/v/f/x: 1e999 is not a finite number"),
        (b'{"v": {"f": {"humans": [], "x": ' + b"9" * 400 + b"}}}", "/v/f/x: 99999999999999999999999… is not a finite"),
        (b'{"v": {}, "v": {}}', "/: the key 'v' occurs twice in this object"),
        (b'{"v": {"f": {"humans": [], "humans": []}}}', "/v/f: the key 'humans' occurs twice"),
        (b'{"v": ' + b"[" * 100_000, "line 1 column 70: the nesting is deeper than 64 levels"),
        (b'{"v": {"f": {"humans": [],}}}', "line 1 column 26: there is a comma before the closing bracket"),
        (b'{"v": {"f": {"humans": [1,]}}}', "there is a comma before the closing bracket"),
        (b"{'v': {}}", "line 1 column 2: strings are in single quotes"),
        (b'{"v": None}', "None is not JSON"),
        (b'{"v": {}} {"w": {}}', "there is more text after the end"),
        (b'{"v": {', "the file ends too early"),
        (b"", "the file is empty"),
        (b'{"v": "\xff"}', "line 1 column 8: byte 7 is not valid UTF-8"),
        ('{"v": {}}'.encode("utf-16"), "the file is UTF-16"),
        (b'{"v": "a\nb"}', "line break or control character inside a string"),
    ],
)  # fmt: skip
def test_each_problem_is_located_and_has_a_hint(data, words):
    found = problems(data)
    assert any(words in line for line in found), found


def test_all_problems_are_collected():
    document = {
        f"v{i}": {"f": {"humans": [{"box": [1, 2, 3], "parts": {}}, {"parts": {}}]}} for i in range(30)
    }
    findings = Findings()
    kinetics_tps.read_parts(json.dumps(document).encode(), "f.json", FORM, findings)
    assert findings.total == 60
    assert [line.count("30 such problems") for line in findings.lines()] == [1, 1]


def test_byte_order_mark_is_accepted_with_a_note():
    findings = Findings()
    parts = kinetics_tps.read_parts(b"\xef\xbb\xbf" + json.dumps(GOOD).encode(), "f.json", FORM, findings)
    assert parts.videos == ["vid7", "vid8"]
    assert [note.code for note in findings.notes] == ["N-JSON-BOM"]


def test_arrays_hold_what_the_file_says():
    findings = Findings()
    parts = kinetics_tps.read_parts(json.dumps(GOOD).encode(), "f.json", FORM, findings)
    assert parts.frames == ["img_00001.json", "img_00006.json"]
    assert parts.human_frame.tolist() == [0, 0]
    assert parts.human_box.tolist() == [[1, 2.5, 30, 40]] * 2
    assert parts.proposal_part.tolist() == [0, 0, 1, 1]
    assert parts.proposal_box[1].tolist() == [5, 6, 7, 8]
    assert parts.states == {"bend": 0, "look": 1}
    assert parts.proposal_state.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {"pred_part_result.json": "{}"},
            "E-FILE-NONE pred_vid_result.json: it is missing; there is no other file that could be it",
        ),
        ({"pred_part_results.json": "{}", "pred_vid_result.json": "{}"}, "there is pred_part_results.json"),
        ({"Pred_part_result.json": "{}", "pred_vid_result.json": "{}"}, "rename it to pred_part_result.json"),
        ({"x/pred_part_result.json": "{}", "pred_vid_result.json": "{}"}, "put all files at the top"),
    ],
)
def test_missing_files_are_named_with_what_was_found(tmp_path, files, words):
    path = tmp_path / "s.zip"
    path.write_bytes(make_zip(files))
    findings = Findings()
    check_submission(path, load_rules("kinetics_tps"), findings)
    assert any(words in line for line in findings.lines()), findings.lines()


@pytest.mark.parametrize("name", sorted(path.name for path in json_files.SCHEMAS.glob("*.json")))
def test_every_schema_is_valid_and_can_be_typed(name):
    schema = json_files.load_schema(name)
    jsonschema.Draft7Validator.check_schema(schema)
    assert json_files.typed_json.decoder_for(schema, schema)


@pytest.mark.parametrize("schema", [{"type": "string", "pattern": "x"}, {"type": "date"}, {"enum": [1]}])
def test_a_schema_that_cannot_be_typed_is_refused(schema):
    with pytest.raises(json_files.typed_json.SchemaError):
        json_files.typed_json.decoder_for(schema, schema)


TWO: dict[str, Any] = {
    "a": {"f": {"humans": [{"box": [0, 0, 1, 1], "parts": {"hip": {"box": [[1, 1, 2, 2]], "verb": ["x"]}}}]}},
    "b": {"f": {"humans": []}, "g": {"humans": [HUMAN, {"box": [3, 3, 4, 4], "parts": {}}]}},
}


def test_arrays_of_several_videos_are_numbered_through():
    parts = kinetics_tps.read_parts(json.dumps(TWO).encode(), "f.json", FORM, Findings())
    assert parts.frame_video.tolist() == [0, 1, 1]
    assert parts.human_frame.tolist() == [0, 2, 2]
    assert parts.part_human.tolist() == [0, 1]
    assert parts.proposal_part.tolist() == [0, 1, 1]
    assert parts.names == {"hip": 0, "head": 1}
    assert parts.part_name.tolist() == [0, 1]


def test_places_of_several_videos_and_parts_are_right():
    document = copy.deepcopy(TWO)
    document["b"]["g"]["humans"][0]["parts"]["hip"] = {"box": [[1, 1, 0, 2]], "verb": ["x", "y"]}
    (first, second) = problems(document)
    assert "/b/g/humans/0/parts/hip/box/0: x2 0 is less than x1 1" in first
    assert "/b/g/humans/0/parts/hip: 1 box, but 2 states" in second


def test_very_many_problems_are_counted_and_not_all_kept():
    human = {"box": [2, 2, 1, 1], "parts": {"hip": {"box": [], "verb": ["x"]}}}
    document = {str(v): {"f": {"humans": [human] * 10}} for v in range(24)}
    findings = Findings()
    kinetics_tps.read_parts(json.dumps(document).encode(), "f.json", FORM, findings)
    assert findings.total == 480
    assert findings.as_dict()["more"] == 480 - len(findings.problems) == 80
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [240, 240]


def test_good_files_are_not_read_the_slow_way(monkeypatch):
    strict = json_files.strict_loads

    def small_only(data, name, findings, depth=0):
        assert len(data) < 100, "the slow reader was asked"
        return strict(data, name, findings, depth)

    monkeypatch.setattr(json_files, "strict_loads", small_only)
    umlauts = json.dumps({"vidéo": {"f": {"humans": []}}, **TWO}, ensure_ascii=False).encode()
    assert kinetics_tps.read_parts(umlauts, "f.json", FORM, Findings()).videos == ["vidéo", "a", "b"]
    assert kinetics_tps.read_parts(json.dumps(TWO).encode(), "f.json", FORM, Findings()).videos == ["a", "b"]
    objects = {"clss": ["x"], "idx_in_sent": [0], "bbox_for_all_frames": [[[1, 1, 5, 5]] * 10]}
    results = {"v": {"0": objects, "1": objects}, "w": {}}
    content = {
        "results": results,
        "eval_mode": "gen",
        "external_data": {"used": False, "details": "from: my disk"},
    }
    findings = Findings()
    file = OneFile(json.dumps(content).encode())
    found = anet_entities.read(file, {"x": "x"}, load_rules("anet_entities_gen"), findings)
    assert found.segments == [("v", "0"), ("v", "1")]
    assert found.label.tolist() == [0, 0]
    assert findings.notes == []


def test_objects_without_classes_have_the_label_minus_one():
    objects = {"idx_in_sent": [3, 4], "bbox_for_all_frames": [[[1, 1, 5, 5, 9]] * 10] * 2}
    file = OneFile(json.dumps({"results": {"v": {"0": objects}}, "eval_mode": "GT"}).encode())
    found = anet_entities.read(file, {"x": "x"}, load_rules("anet_entities_gt"), Findings())
    assert found.label.tolist() == [-1, -1]
    assert found.index.tolist() == [3, 4]
    assert found.box.shape == (2, 10, 4)


@pytest.mark.slow
@settings(max_examples=200)
@given(mutated())
def test_reading_in_two_processes_gives_the_same(data):
    alone, alone_findings = read_alone(data, 10**9)
    pair, pair_findings = read_alone(data, 0)
    assert pair_findings.lines() == alone_findings.lines()
    if alone is not None and alone_findings.ok:
        for name, value in vars(alone).items():
            assert np.array_equal(value, getattr(pair, name)), name


def read_alone(data, parallel_from):
    findings = Findings()
    with (
        mock.patch.object(json_files, "_PARALLEL_FROM_BYTES", parallel_from),
        mock.patch.object(json_files.forks, "usable_cores", lambda: 2),
    ):
        return kinetics_tps.read_parts(data, "f.json", FORM, findings), findings


@pytest.mark.parametrize("bad", ["a", "b"])
def test_a_bad_entry_in_either_half_is_located(bad):
    document = copy.deepcopy(TWO)
    document[bad]["f"] = 7
    _, findings = read_alone(json.dumps(document).encode(), 0)
    assert f"/{bad}/f: this is the number 7" in findings.lines()[0]


def test_where_no_process_may_be_started_one_reads_all():
    with mock.patch.object(
        json_files.forks, "start", side_effect=BlockingIOError("no more processes")
    ) as start:
        parts, findings = read_alone(json.dumps(TWO).encode(), 0)
    assert start.called
    assert findings.ok
    assert parts.videos == ["a", "b"]


def test_a_helper_that_dies_is_no_verdict(capfd):
    def die(*arguments):
        raise MemoryError("secret")

    with mock.patch.object(json_files, "_convert_rest", die):
        parts, findings = read_alone(json.dumps(TWO).encode(), 0)
    assert findings.ok
    assert parts.videos == ["a", "b"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="the system does not tell how much memory is used"
)
def test_without_memory_for_its_strings_a_file_ends_in_memory_error_and_not_in_a_crash():
    # Without the check before decoding, msgspec dereferences NULL in about a third of these.
    code = (
        "import resource, sys\n"
        "from validator.findings import Findings\n"
        "from validator.formats import kinetics_tps as kinetics\n"
        "data = b'{\"v\":{' + b','.join(b'\"f%d\":{\"humans\":[]}' % n for n in range(300_000)) + b'}}'\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (int(sys.argv[1]) << 20), -1))\n"
        "form = kinetics.JsonForm('kinetics_tps_parts.json')\n"
        "try:\n    kinetics.read_parts(data, 'f', form, Findings())\n"
        "except MemoryError:\n    print('memory')\n"
    )
    for megabytes in range(20, 200, 20):
        done = subprocess.run(
            [sys.executable, "-c", code, str(megabytes)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (
            {"entries": 1},
            "E-JSON-COUNT f.json /: there are more entries than 1; submit only what is asked for",
        ),
        (
            {"values": 10},
            "E-JSON-COUNT f.json /: there are more values (commas and colons in the text) than 10",
        ),
        ({"entries": 2, "values": 1000}, ""),
    ],
)
def test_what_a_file_may_hold_is_bounded(monkeypatch, typed, limits, words):
    if not typed:
        monkeypatch.setattr(json_files, "typed_json", None)
    findings = Findings()
    form = json_files.JsonForm(SCHEMA, **limits)
    parts = kinetics_tps.read_parts(json.dumps(GOOD).encode(), "f.json", form, findings)
    assert (parts is None) == bool(words)
    assert words in "".join(findings.lines())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["anet_entities_gen", "anet_entities_gt", "kinetics_tps"])
def test_submissions_with_too_many_entries_are_refused_with_the_place(tmp_path, name):
    many = {f"v{number}": {} for number in range(200_001)}
    mode = name.rpartition("_")[2].replace("gt", "GT")
    files = {
        "pred_vid_result.json": "{}",
        "pred_part_result.json": json.dumps(many),
        f"submission_{mode.lower()}.json": json.dumps({"results": many, "eval_mode": mode}),
    }
    path = tmp_path / "s.zip"
    path.write_bytes(make_zip(files))
    findings = Findings()
    check_submission(path, load_rules(name), findings)
    assert [problem.code for problem in findings.problems] == ["E-JSON-COUNT"]
    assert findings.problems[0].where == ("/" if name == "kinetics_tps" else "/results")


def test_problems_come_in_the_order_of_the_file_whatever_the_hash_seed():
    code = (
        "import json\n"
        "from validator.findings import Findings\n"
        "from validator.formats import kinetics_tps as kinetics\n"
        "data = json.dumps({'v': {f'f{n}': n for n in range(20)}, 'w': {'humans': {}}}).encode()\n"
        "findings = Findings()\n"
        "kinetics.read_parts(data, 'f', kinetics.JsonForm('kinetics_tps_parts.json'), findings)\n"
        "print(*[problem.where for problem in findings.problems])\n"
    )
    places = [f"/v/f{number}" for number in range(20)] + ["/w/humans"]
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == places


def test_a_key_of_a_detection_that_occurs_twice_is_refused():
    findings = Findings()
    text = json.dumps({**DETECTION, "uv_data": "AAAA"})[:-1] + ', "score": 0.5}'
    assert json_files.check_value(text.encode(), "densepose.json", findings, "/3") is None
    assert [problem.line() for problem in findings.problems] == [
        "E-JSON-DUPLICATE /3: the key 'score' occurs twice in this object; keep one of them."
    ]


def test_of_one_detection_two_hundred_problems_are_explained():
    findings = Findings()
    data = json.dumps({**DETECTION, "bbox": ["x"] * 300}).encode()
    assert json_files.check_value(data, "densepose.json", findings, "/3") is None
    assert (len(findings.problems), findings.told_total()) == (200, "at least 201 problems")


@pytest.mark.parametrize(("most", "ok"), [(39_999, True), (39_998, False)])
def test_values_of_large_files_are_counted(most, ok):
    data = json.dumps({f"video {index}": "x" for index in range(20_000)}).encode()
    form = json_files.JsonForm("kinetics_tps_classes.json", values=most)
    content = json_files.read_json(data, "f.json", form, Findings(), json_files.as_dict)
    assert (content is not None) == ok


# Words of our schemas that each give a message of their own.
MANY_RULES = {
    "description": "Write an object of entries",
    "type": "object",
    "additionalProperties": {
        "description": "Write an entry",
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"description": "Write a list", "type": "array", "minItems": 1, "maxItems": 2},
            "b": {"type": "number", "minimum": 0, "maximum": 5},
            "c": {"type": ["integer", "null"]},
            "d": {"type": "boolean"},
            "e": {"enum": ["x"], "type": "string"},
            "f": {
                "type": "object",
                "required": ["p", "q", "r", "s"],
                "properties": {key: {} for key in "pqrs"},
            },
            "g": {"type": "object", "maxProperties": 1},
        },
    },
}


@pytest.fixture(params=[True, False], ids=["fast", "strict"])
def many_rules(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(json_files, "typed_json", None)
    monkeypatch.setattr(json_files, "load_schema", lambda name: MANY_RULES)


def read_many_rules(value, **form):
    findings = Findings()
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return json_files.read_json(
        data, "f.json", json_files.JsonForm("", **form), findings, json_files.as_dict
    ), findings


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ([], "/: this is a list instead of an object {…}; write an object of entries."),
        ({"v": None}, "/v: this is null instead of an object {…}; write an entry."),
        ({"v": {}}, "/v: 'a' is missing; write an entry."),
        ({"v": {"a": []}}, "/v/a: the list has 0 entries instead of at least 1; write a list."),
        ({"v": {"a": [1, 2, 3]}}, "/v/a: the list has 3 entries instead of at most 2; write a list."),
        ({"v": {"a": "x"}}, "/v/a: this is a string instead of a list […]; write a list."),
        ({"v": {"a": [1], "b": -0.5}}, "/v/b: -0.5 is less than 0; see the schema of the file."),
        ({"v": {"a": [1], "b": 6}}, "/v/b: 6 is more than 5; see the schema of the file."),
        (
            {"v": {"a": [1], "b": 10**30}},
            f"/v/b: 1{'0' * 22}… is more than 5; see the schema of the file.",
        ),
        ({"v": {"a": [1], "b": {}}}, "/v/b: this is an object instead of a number; see the schema of the file."),
        ({"v": {"a": [1], "c": 1.5}}, "/v/c: this is the number 1.5 instead of a whole number or null; see the schema of the file."),
        ({"v": {"a": [1], "c": False}}, "/v/c: this is false instead of a whole number or null; see the schema of the file."),
        ({"v": {"a": [1], "d": 10**30}}, f"/v/d: this is the number {'1' + '0' * 22}… instead of true or false; see the schema of the file."),
        ({"v": {"a": [1], "e": "y"}}, "/v/e: 'y' is not one of ['x']; see the schema of the file."),
        ({"v": {"a": [1], "f": {"p": 1, "q": 1, "s": 1}}}, "/v/f: 'r' is missing; see the schema of the file."),
        ({"v": {"a": [1], "f": {"s": 1, "q": 1}}}, "/v/f: 'p' and 'r' are missing; see the schema of the file."),
        ({"v": {"a": [1], "f": {}}}, "/v/f: 'p' and 'q' and 'r' are missing; see the schema of the file."),
        ({"v": {"a": [1], "g": {"p": 1, "q": 1}}}, "/v/g: the object has 2 entries instead of at most 1; see the schema of the file."),
    ],
)  # fmt: skip
def test_each_rule_of_a_schema_has_its_words(many_rules, value, line):
    content, findings = read_many_rules(value)
    assert content is None
    assert findings.lines() == [f"1. E-JSON-SCHEMA f.json {line}"]


def test_bounds_of_a_schema_may_be_reached(many_rules):
    value = {
        "p": {"a": [1], "b": 0, "c": None},
        "q": {"a": [1, 2], "b": 5.0, "c": 3},
        "r": {"a": [[]], "d": True, "e": "x"},
    }
    assert read_many_rules(value)[0] == (value, {})


def test_rules_that_no_reader_would_check_are_refused(monkeypatch):
    monkeypatch.setattr(
        json_files, "load_schema", lambda name: {**MANY_RULES, "maxProperties": 999, "required": ["v"]}
    )
    with pytest.raises(
        json_files.typed_json.SchemaError, match="no entries with maxProperties, required next to them"
    ):
        read_many_rules({})


def test_two_hundred_problems_of_a_file_are_explained(many_rules):
    for n, told in ((200, "200 problems"), (201, "at least 201 problems"), (250, "at least 250 problems")):
        _, findings = read_many_rules({f"v{index}": {} for index in range(n)})
        assert (findings.told_total(), len(findings.problems)) == (told, 200)
    # Good ones are none of them, wherever they are.
    _, findings = read_many_rules(
        {**{f"v{index}": {} for index in range(200)}, **{f"w{index}": {"a": [1]} for index in range(50)}}
    )
    assert findings.told_total() == "200 problems"
    _, findings = read_many_rules({**{f"v{index}": {"a": [1]} for index in range(250)}, "w": {}})
    assert (findings.told_total(), findings.problems[0].where) == ("1 problem", "/w")
    good = {f"v{index}": {"a": [1]} for index in range(5)}
    _, findings = read_many_rules({**good, "w": {"a": [1], **dict.fromkeys("bcdef", 7)}, "x": {}})
    assert findings.total == 6


def test_entries_are_bounded(many_rules):
    three = {key: {"a": [1]} for key in "pqr"}
    assert read_many_rules(three, entries=3)[1].ok
    assert [problem.line() for problem in read_many_rules(three, entries=2)[1].problems] == [
        "E-JSON-COUNT f.json /: there are more entries than 2; submit only what is asked for."
    ]
    # Commas and colons: three keys with an object each, and two commas between them.
    assert read_many_rules(three, values=8)[1].ok
    assert not read_many_rules(three, values=7)[1].ok


def test_memory_is_asked_for_before_a_text_is_decoded(monkeypatch):
    asked = mock.Mock()
    monkeypatch.setattr(json_files.limits, "require_memory", asked)
    text = json.dumps(DETECTION).encode()
    json_files.check_value(text, "densepose.json", Findings(), "/0")
    asked.assert_called_once_with(50 * len(text) + (16 << 20))


def test_keys_are_counted_at_all_depths():
    for value, n_keys in (
        (3, 0),
        ([], 0),
        ({}, 0),
        ([1, {"a": 1}, [{"b": {"c": []}}]], 3),
        ({"a": {"b": 1, "c": 2}, "d": 3}, 4),
    ):
        assert json_files._count_keys(value) == n_keys


@pytest.mark.parametrize(
    ("lengths", "first"),
    [([10, 10, 10, 10], 2), ([40, 1, 1, 1], 0), ([1, 1, 1, 40], 3), ([5], 0), ([2, 9, 2], 1)],
)
def test_the_two_halves_of_a_file_have_about_the_same_length(lengths, first):
    entries = {f"v{index}": "x" * length for index, length in enumerate(lengths)}
    raw = list(json_files.typed_json.RAW_MEMBERS.decode(json.dumps(entries).encode()).items())
    decoder = json_files.typed_json.decoder_for({"type": "string"}, {})
    seen = []

    def convert(parts):
        seen.append(dict(parts))
        return list(seen[-1].items()), 1

    with mock.patch.object(json_files.forks, "shared_room", wraps=json_files.forks.shared_room) as room:
        found = json_files._convert_in_two(raw, decoder, convert, lambda one, two: one + two)
    # Quotation marks, too; twice as much as the text is enough for arrays.
    room.assert_called_once_with(2 * sum(length + 2 for length in lengths[first:]))
    assert found == (list(entries.items()), 2)
    # The other half was converted in the other process.
    assert [len(half) for half in seen] == [first]
