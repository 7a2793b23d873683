"""JSON files: the same verdict as by jsonschema; every problem located, no duplicate key missed."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from validator.json_document import Conversion
from validator.json_files import check_value, read_json
from validator.json_schemas import load_schema
from validator.schema_errors import Budget, ExplainSizes, SchemaExplainer
from validator.strict_json import parse, strict_loads
from validator.typed_json import SchemaError, decoder_for

from quality.fuzzing.json_texts import odd_json
from tests.helpers import (
    ROOT,
    compact,
    findings_of,
    json_file,
    make_zip,
    places_of,
    refused,
    scaled,
    values_of,
)
from validator import json_decoding, large_json, strict_json
from validator.findings import Findings, Read, Refused
from validator.formats.anet_entities.read import read as read_anet_entities
from validator.formats.kinetics_tps.read import read_classes, read_parts
from validator.formats.rules import load_format, load_rules

pytestmark = pytest.mark.interpreters

CLASSES, PARTS = load_rules("kinetics_tps").json
DETECTIONS = load_rules("densepose").json[0].schema
SCHEMAS = sorted((ROOT / "validator" / "formats").glob("*/*.json"))
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


def parts(data, budget=None):
    return read_parts(data, "f.json", PARTS, budget=budget)


def is_valid(data):
    try:
        value = strict_loads(data, "f.json").content
    except Refused:
        return False
    return jsonschema.Draft7Validator(load_schema(PARTS.schema)).is_valid(value) and fields_agree(value)


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
@settings(max_examples=scaled(500))
@given(mutated())
def test_what_jsonschema_accepts_is_accepted(data):
    assert findings_of(parts, data).ok == is_valid(data), data


@pytest.mark.slow
@settings(max_examples=scaled(200))
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "box"]), inner),
    )
)
def test_any_json_gets_the_same_verdict(value):
    data = json.dumps(value).encode()
    assert findings_of(parts, data).ok == is_valid(data)


OBJECTS = {"clss": ["x", "y"], "idx_in_sent": [0, 1], "bbox_for_all_frames": [[[1, 1, 5, 5]] * 10] * 2}
GROUNDING: dict[str, Any] = {
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


def grounding(data):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "submission_gen.json").write_bytes(data)
        return read_anet_entities(Path(folder), load_rules("anet_entities_gen"))


def detection(data):
    return Read(check_value(data, DETECTIONS, "/0", Budget()), [])


READERS = {
    "parts": (GOOD, parts),
    "classes": ({"v": "x", "w": "y"}, lambda data: read_classes(data, "f.json", CLASSES)),
    "grounding": (GROUNDING, grounding),
    "detection": (DETECTION, detection),
}


def outcome(read, data):
    """Return the content as text, None if the file is refused, and all that was found."""
    try:
        found = read(data)
    except Refused as error:
        return None, error.findings.as_dict()
    return repr(found.content), Findings(notes=found.notes).as_dict()


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=scaled(150))
@given(st.integers(0, 2**63), st.sampled_from([0.003, 0.01, 0.05]))
def test_however_json_is_written_contents_and_messages_are_the_same(kind, seed, oddity):
    document, read = READERS[kind]
    data = odd_json(random.Random(seed), document, oddity).encode("utf-8", "surrogatepass")
    strict = findings_of(strict_loads, data, "f.json")
    if not strict.ok:
        assert not findings_of(read, data).ok, data
        return
    plain = json.dumps(strict_loads(data, "f.json").content).encode()
    content, found = outcome(read, data)
    plain_content, plain_found = outcome(read, plain)
    assert content == plain_content, data
    assert found["problems"] == plain_found["problems"], data


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
def test_what_nobody_reads_is_refused_where_it_is_no_json(kind, text, unknown):
    _, read = READERS[kind]
    assert not findings_of(read, text.replace("HERE", unknown).encode()).ok


@pytest.mark.parametrize("levels", [62, 63, 64])
def test_levels_are_counted_from_the_top_of_the_file(levels):
    text = '{"results":{},"eval_mode":"gen","external_data":' + "[" * levels + "]" * levels + "}"
    assert findings_of(grounding, text.encode()).ok == (levels < 64)


def changed(path, value):
    document = copy.deepcopy(GOOD)
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return document


PART = ["vid7", "img_00001.json", "humans", 1, "parts", "head"]
FRAME, HEAD = "/vid7/img_00001.json", "/vid7/img_00001.json/humans/1/parts/head"


@pytest.mark.parametrize(
    ("data", "code", "where", "values"),
    [
        (changed([*PART, "box", 0], [1, 2, "3", 4]), "E-JSON-SCHEMA", f"{HEAD}/box/0/2", []),
        (changed([*PART, "box", 0], [1, 2, 3]), "E-JSON-SCHEMA", f"{HEAD}/box/0", ["3", "4"]),
        (changed([*PART, "box", 0], [3, 2, 1, 4]), "E-BOX-ORDER", f"{HEAD}/box/0", ["1", "3"]),
        (changed([*PART, "box", 1], [3, 9, 4, 8]), "E-BOX-ORDER", f"{HEAD}/box/1", ["8", "9"]),
        (changed([*PART, "verb"], ["a"]), "E-PART-LENGTH", HEAD, ["2", "1"]),
        (changed(["vid7", "img_00001.json", "humans", 0], {"parts": {}}), "E-JSON-SCHEMA", f"{FRAME}/humans/0", ["'box'"]),
        (changed(["vid7", "img_00001.json"], {}), "E-JSON-SCHEMA", FRAME, ["'humans'"]),
        (changed([*PART, "box", 0, 0], True), "E-JSON-SCHEMA", f"{HEAD}/box/0/0", []),
        (changed(["a/b~c"], 3), "E-JSON-SCHEMA", "/a~1b~0c", ["3"]),
        ([], "E-JSON-SCHEMA", "/", []),
        (b'{"v": {"f": {"humans": [NaN]}}}', "E-JSON-NUMBER", "/v/f/humans/0", []),
        (b'{"v": {"f": {"humans": [], "x": 1e999}}}', "E-JSON-NUMBER", "/v/f/x", ["1e999"]),
        (b'{"v": {"f": {"humans": [], "x": ' + b"9" * 400 + b"}}}", "E-JSON-NUMBER", "/v/f/x", ["9" * 23]),
        (b'{"v": {}, "v": {}}', "E-JSON-DUPLICATE", "/", ["'v'"]),
        (b'{"v": {"f": {"humans": [], "humans": []}}}', "E-JSON-DUPLICATE", "/v/f", ["'humans'"]),
        (b'{"v": ' + b"[" * 100_000, "E-JSON-DEPTH", "line 1 column 70", ["64"]),
        (b'{"v": {"f": {"humans": [],}}}', "E-JSON-SYNTAX", "line 1 column 26", []),
        (b'{"v": {"f": {"humans": [1,]}}}', "E-JSON-SYNTAX", "line 1 column 26", []),
        (b"{'v': {}}", "E-JSON-SYNTAX", "line 1 column 2", []),
        (b'{"v": None}', "E-JSON-SYNTAX", "line 1 column 7", []),
        (b'{"v": {}} {"w": {}}', "E-JSON-SYNTAX", "line 1 column 11", []),
        (b'{"v": {', "E-JSON-SYNTAX", "line 1 column 8", []),
        (b"", "E-JSON-SYNTAX", "", []),
        (b'{"v": "\xff"}', "E-JSON-ENCODING", "line 1 column 8", ["7"]),
        ('{"v": {}}'.encode("utf-16"), "E-JSON-ENCODING", "", []),
        (b'{"v": "a\nb"}', "E-JSON-SYNTAX", "line 1 column 9", []),
    ],
)  # fmt: skip
def test_each_problem_is_located_and_names_its_values(data, code, where, values):
    findings = refused(parts, data if isinstance(data, bytes) else json.dumps(data).encode())
    values_of_place = {
        (problem.code, problem.where): values_of(problem.problem) for problem in findings.problems
    }
    assert values_of_place[code, where] == values


def test_all_problems_are_collected():
    document = {
        f"v{i}": {"f": {"humans": [{"box": [1, 2, 3], "parts": {}}, {"parts": {}}]}} for i in range(30)
    }
    findings = refused(parts, json.dumps(document).encode())
    assert findings.total == 60
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [30, 30]


def test_byte_order_mark_is_accepted_with_a_note():
    # What is not ASCII is read in another way.
    for document in (GOOD, {"vid7": {}, "vidéo8": {}}):
        found = parts(b"\xef\xbb\xbf" + json.dumps(document, ensure_ascii=False).encode())
        assert found.content.videos == list(document)
        assert [note.code for note in found.notes] == ["N-JSON-BOM"]


def test_one_byte_order_mark_is_skipped_and_no_second_one():
    for document in (GOOD, {"vidéo": {}}):
        text = json.dumps(document, ensure_ascii=False)
        findings = refused(parts, f"\ufeff\ufeff{text}".encode())
        assert places_of(findings) == [("E-JSON-SYNTAX", "f.json", "line 1 column 1")]
        assert [note.code for note in findings.notes] == ["N-JSON-BOM"]


def test_arrays_hold_what_the_file_says():
    content = parts(json.dumps(GOOD).encode()).content
    assert content.frames == ["img_00001.json", "img_00006.json"]
    assert content.human_frame.tolist() == [0, 0]
    assert content.human_box.tolist() == [[1, 2.5, 30, 40]] * 2
    assert content.proposal_part.tolist() == [0, 0, 1, 1]
    assert content.proposal_box[1].tolist() == [5, 6, 7, 8]
    assert content.states == ["bend", "look"]
    assert content.proposal_state.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_every_schema_is_valid_and_can_be_typed(path):
    schema = load_schema(path)
    jsonschema.Draft7Validator.check_schema(schema)
    assert decoder_for(schema, schema)


@pytest.mark.parametrize("schema", [{"type": "string", "pattern": "x"}, {"type": "date"}, {"enum": [1]}])
def test_a_schema_that_cannot_be_typed_is_refused(schema):
    with pytest.raises(SchemaError):
        decoder_for(schema, schema)


TWO: dict[str, Any] = {
    "a": {"f": {"humans": [{"box": [0, 0, 1, 1], "parts": {"hip": {"box": [[1, 1, 2, 2]], "verb": ["x"]}}}]}},
    "b": {"f": {"humans": []}, "g": {"humans": [HUMAN, {"box": [3, 3, 4, 4], "parts": {}}]}},
}


def test_arrays_of_several_videos_are_numbered_through():
    content = parts(json.dumps(TWO).encode()).content
    assert content.frame_video.tolist() == [0, 1, 1]
    assert content.human_frame.tolist() == [0, 2, 2]
    assert content.part_human.tolist() == [0, 1]
    assert content.proposal_part.tolist() == [0, 1, 1]
    assert content.names == ["hip", "head"]
    assert content.part_name.tolist() == [0, 1]


def test_places_of_several_videos_and_parts_are_right():
    document = copy.deepcopy(TWO)
    document["b"]["g"]["humans"][0]["parts"]["hip"] = {"box": [[1, 1, 0, 2]], "verb": ["x", "y"]}
    findings = refused(parts, json.dumps(document).encode())
    assert places_of(findings) == [
        ("E-BOX-ORDER", "f.json", "/b/g/humans/0/parts/hip/box/0"),
        ("E-PART-LENGTH", "f.json", "/b/g/humans/0/parts/hip"),
    ]
    assert [values_of(problem.problem) for problem in findings.problems] == [["0", "1"], ["1", "2"]]


def test_very_many_problems_are_counted_and_not_all_kept():
    human = {"box": [2, 2, 1, 1], "parts": {"hip": {"box": [], "verb": ["x"]}}}
    document = {str(v): {"f": {"humans": [human] * 10}} for v in range(24)}
    findings = refused(parts, json.dumps(document).encode())
    assert findings.total == 480
    assert findings.as_dict()["more"] == 480 - len(findings.problems) == 80
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [240, 240]


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="the system does not tell how much memory is used"
)
def test_without_memory_for_its_strings_a_file_ends_in_memory_error_and_not_in_a_crash():
    # Without the check before decoding, msgspec dereferences NULL in about a third of these.
    code = (
        "import os, resource\n"
        "from validator.formats.kinetics_tps.read import read_parts\n"
        "from validator.formats.rules import load_rules\n"
        "data = b'{\"v\":{' + b','.join(b'\"f%d\":{\"humans\":[]}' % n for n in range(300_000)) + b'}}'\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "_, file = load_rules('kinetics_tps').json\n"
        "for megabytes in range(20, 200, 20):\n"
        "    if child := os.fork():\n"
        "        print(megabytes, os.waitpid(child, 0)[1])\n"
        "        continue\n"
        "    resource.setrlimit(resource.RLIMIT_AS, (used + (megabytes << 20), -1))\n"
        "    try:\n        read_parts(data, 'f', file)\n"
        "    except MemoryError:\n        pass\n"
        "    os._exit(0)\n"
    )
    command = [sys.executable, "-u", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"{megabytes} 0" for megabytes in range(20, 200, 20)]


@pytest.mark.parametrize(
    ("limits", "texts"),
    [
        ({"entries": 1}, ["entries than 1"]),
        ({"values": 10}, ["than 10"]),
        ({"entries": 2, "values": 1000}, []),
    ],
)
def test_what_a_file_may_hold_is_bounded(limits, texts):
    findings = findings_of(read_parts, json.dumps(GOOD).encode(), "f.json", PARTS._replace(**limits))
    assert places_of(findings) == [("E-JSON-COUNT", "f.json", "/")] * len(texts)
    assert [text in problem.problem for problem, text in zip(findings.problems, texts)] == [True] * len(texts)


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
    form, rules = load_format(name)
    (problem,) = refused(form.read, path, rules).problems
    assert problem.code == "E-JSON-COUNT"
    assert problem.where == ("/" if name == "kinetics_tps" else "/results")


@pytest.mark.slow
def test_problems_come_in_the_order_of_the_file_whatever_the_hash_seed():
    code = (
        "import json\n"
        "from validator.findings import Refused\n"
        "from validator.formats.kinetics_tps.read import read_parts\n"
        "from validator.formats.rules import load_rules\n"
        "data = json.dumps({'v': {f'f{n}': n for n in range(20)}, 'w': {'humans': {}}}).encode()\n"
        "try:\n    read_parts(data, 'f', load_rules('kinetics_tps').json[1])\n"
        "except Refused as refused:\n"
        "    print(*[problem.where for problem in refused.findings.problems])\n"
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


def test_of_one_detection_two_hundred_problems_are_explained():
    data = json.dumps({**DETECTION, "bbox": ["x"] * 300}).encode()
    findings = refused(check_value, data, DETECTIONS, "/3", Budget())
    assert (len(findings.problems), findings.total, findings.is_complete) == (200, 201, False)


@pytest.mark.parametrize(("most", "ok"), [(39_999, True), (39_998, False)])
def test_values_of_large_files_are_counted(most, ok):
    data = json.dumps({f"video {index}": "x" for index in range(20_000)}).encode()
    file = CLASSES._replace(values=most)
    assert findings_of(read_json, data, "f.json", file, Conversion(dict)).ok == ok


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
            "g": {"type": "object", "minProperties": 1, "maxProperties": 1},
            "h": {"type": "array", "items": {"type": "string", "enum": [*"pqrstu"]}, "uniqueItems": True},
        },
    },
}


@pytest.fixture
def many_rules(tmp_path):
    """Return a function that reads a document by `MANY_RULES`."""

    def read(value, **limits):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        return read_json(data, "f.json", json_file(tmp_path, MANY_RULES, **limits), Conversion(dict))

    return read


@pytest.mark.parametrize(
    ("value", "where", "values"),
    [
        ({"v": {}}, "/v", ["'a'"]),
        ({"v": {"a": []}}, "/v/a", ["0", "1"]),
        ({"v": {"a": [1, 2, 3]}}, "/v/a", ["3", "2"]),
        ({"v": {"a": [1], "b": -0.5}}, "/v/b", ["-0.5", "0"]),
        ({"v": {"a": [1], "b": 6}}, "/v/b", ["6", "5"]),
        ({"v": {"a": [1], "b": 10**30}}, "/v/b", ["1" + "0" * 22, "5"]),
        ({"v": {"a": [1], "e": "y"}}, "/v/e", ["'y'"]),
        ({"v": {"a": [1], "f": {"p": 1, "q": 1, "s": 1}}}, "/v/f", ["'r'"]),
        ({"v": {"a": [1], "f": {"s": 1, "q": 1}}}, "/v/f", ["'p'", "'r'"]),
        ({"v": {"a": [1], "f": {}}}, "/v/f", ["'p'", "'q'", "'r'"]),
        ({"v": {"a": [1], "h": ["p", "q", "p", "q"]}}, "/v/h", ["'p'"]),
        ({"v": {"a": [1], "h": ["q"] * 300}}, "/v/h", ["'q'"]),
        ({"v": {"a": [1], "g": {}}}, "/v/g", ["0", "1"]),
        ({"v": {"a": [1], "g": {"p": 1, "q": 1}}}, "/v/g", ["2", "1"]),
    ],
)
def test_each_rule_of_a_schema_names_the_values(many_rules, value, where, values):
    findings = refused(many_rules, value)
    assert places_of(findings) == [("E-JSON-SCHEMA", "f.json", where)]
    assert values_of(findings.problems[0].problem) == values


@pytest.mark.parametrize(
    ("value", "where", "value_text", "expected_text"),
    [
        ([], "/", "a list", "an object {…}"),
        ({"v": None}, "/v", "null", "an object {…}"),
        ({"v": {"a": "x"}}, "/v/a", "a string", "a list […]"),
        ({"v": {"a": [1], "b": {}}}, "/v/b", "an object", "a number"),
        ({"v": {"a": [1], "c": 1.5}}, "/v/c", "1.5", "a whole number or null"),
        ({"v": {"a": [1], "c": False}}, "/v/c", "false", "a whole number or null"),
        ({"v": {"a": [1], "d": 10**30}}, "/v/d", f"1{'0' * 22}…", "true or false"),
        ({"v": {"a": [1], "h": ["p", "S"]}}, "/v/h/1", "'S'", "s, p, q, r, t, … (the nearest is 's')"),
        ({"v": {"a": [1], "h": ["p", []]}}, "/v/h/1", "a list", "a string"),
    ],
)
def test_value_of_another_type_is_named_with_what_is_expected(
    many_rules, value, where, value_text, expected_text
):
    findings = refused(many_rules, value)
    assert places_of(findings) == [("E-JSON-SCHEMA", "f.json", where)]
    (problem,) = findings.problems
    assert value_text in problem.problem
    assert problem.problem.endswith(expected_text)


@pytest.mark.parametrize(
    ("value", "description"),
    [
        ([], "write an object of entries"),
        ({"v": {}}, "write an entry"),
        ({"v": {"a": "x"}}, "write a list"),
        ({"v": {"a": [1], "b": 6}}, "schema of the file"),
        ({"v": {"a": [1], "h": ["p", []]}}, "schema of the file"),
    ],
)
def test_remedy_is_the_description_of_the_schema(many_rules, value, description):
    (problem,) = refused(many_rules, value).problems
    assert problem.remedy.endswith(description)


def test_bounds_of_a_schema_may_be_reached(many_rules):
    value = {
        "p": {"a": [1], "b": 0, "c": None},
        "q": {"a": [1, 2], "b": 5.0, "c": 3},
        "r": {"a": [[]], "d": True, "e": "x", "h": [*"ups"]},
    }
    assert many_rules(value).content == (value, {})


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({**MANY_RULES, "maxProperties": 9, "minProperties": 1}, "maxProperties, minProperties"),
        ({"type": "object", "additionalProperties": {"type": "string", "pattern": "x"}}, "pattern with type string"),
        ({"type": "object", "additionalProperties": {"enum": ["a", "b"]}}, "enum"),
        ({"type": "object", "additionalProperties": {"type": "string", "enum": "a"}}, "enum needs a list"),
        ({"type": "object", "additionalProperties": {"type": "number", "minimum": "0"}}, "wrong value"),
        ({"type": "object"}, "additionalProperties"),
        ("{", ""),
    ],
)  # fmt: skip
def test_schema_that_cannot_be_used_is_refused_in_one_line(tmp_path, schema, reason):
    file = json_file(tmp_path, schema)
    if isinstance(schema, str):
        file.schema.write_text(schema, encoding="utf-8")
    findings = refused(read_json, b"{}", "f.json", file, Conversion(dict))
    assert places_of(findings) == [("E-SCHEMA", "schema.json", "")]
    assert reason in findings.problems[0].problem
    assert "docs/new_task.md" in findings.problems[0].remedy


@pytest.mark.slow
def test_repeated_words_among_values_of_many_types_are_found_in_linear_time(many_rules):
    values = [n if n % 2 else f"w{n}" for n in range(80_000)]
    problem, *_ = refused(many_rules, {"v": {"a": [1], "h": [*values, "w0", *"p" * 9]}}).problems
    assert (problem.where, values_of(problem.problem)) == ("/v/h", ["'w0'"])


def test_two_hundred_problems_of_a_file_are_explained(many_rules):
    for n, is_complete in ((200, True), (201, False), (250, False)):
        findings = refused(many_rules, {f"v{index}": {} for index in range(n)})
        assert (findings.total, findings.is_complete, len(findings.problems)) == (n, is_complete, 200)
    # Good ones are none of them, wherever they are.
    bad, good = (
        {f"{key}{index}": value for index in range(200)} for key, value in (("v", {}), ("w", {"a": [1]}))
    )
    findings = refused(many_rules, {**bad, **good})
    assert (findings.total, findings.is_complete) == (200, True)
    findings = refused(many_rules, {**good, "x": {}})
    assert (findings.total, findings.is_complete) == (1, True)
    assert findings.problems[0].where == "/x"
    assert refused(many_rules, {**good, "x": {"a": [1], **dict.fromkeys("bcdef", 7)}, "y": {}}).total == 5


def test_entries_are_bounded(many_rules):
    three = {key: {"a": [1]} for key in "pqr"}
    assert many_rules(three, entries=3)
    findings = refused(many_rules, three, entries=2)
    assert places_of(findings) == [("E-JSON-COUNT", "f.json", "/")]
    assert values_of(findings.problems[0].problem) == ["2"]
    # Commas and colons: three keys with an object each, and two commas between them.
    assert many_rules(three, values=8)
    assert refused(many_rules, three, values=7)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("d", [1, 1.5, 10**30, -1e300]),
        ("b", [True, False, True, True]),
        ("f", [{}, {"p": 1}, {"s": 1}, {"r": 1}]),
        ("e", ["y", "z", "'", "x "]),
        ("b", [6, 7.5, 1e300, 10**30]),
    ],
)
def test_different_texts_of_one_rule_are_one_kind(many_rules, key, values):
    findings = refused(many_rules, {str(n): {"a": [1], key: value} for n, value in enumerate(values)})
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [4]
    (placed,) = findings.summary().problems()
    places = f"/0/{key}, /1/{key}, /2/{key}"
    assert (placed.first.code, placed.as_dict()["where"], placed.n_places) == ("E-JSON-SCHEMA", places, 4)


def test_numbers_that_are_not_finite_are_a_kind_of_their_own(many_rules):
    findings = refused(many_rules, b'{"p": {"a": [1], "d": NaN}, "q": {"a": [1], "d": 1.5}}')
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [1, 1, 1]


def test_a_value_that_is_reported_itself_is_of_the_same_kind(many_rules):
    findings = refused(many_rules, b'{"p": {"a": [1], "d": {"x": 1, "x": 2}}, "q": {"a": [1], "d": {}}}')
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [1, 2]


@pytest.mark.parametrize(
    "values",
    [
        [{"b": []}, {"g": []}],
        [{"b": "x"}, {"b": []}],
        [{"f": {}}, {"f": {"p": 1, "q": 1, "r": 1}}],
    ],
)
def test_texts_of_two_rules_or_types_are_two_kinds(many_rules, values):
    findings = refused(many_rules, {str(n): {"a": [1], **value} for n, value in enumerate(values)})
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [1, 1]


def test_rules_of_entries_are_not_those_around_them(tmp_path):
    schema = {
        "type": "object",
        "required": ["entries", "mode"],
        "properties": {
            "entries": {
                "type": "object",
                "additionalProperties": {"type": "object", "required": ["a"], "properties": {"a": {}}},
            },
            "mode": {"type": "string"},
        },
    }
    file = json_file(tmp_path, schema, each="entries")
    findings = refused(read_json, b'{"entries": {"p": {}, "q": {}}}', "f.json", file, Conversion(dict))
    assert [(problem.where, values_of(problem.problem)) for problem in findings.problems] == [
        ("/", ["'mode'"]),
        ("/entries/p", ["'a'"]),
        ("/entries/q", ["'a'"]),
    ]
    assert [kind["count"] for kind in findings.as_dict()["kinds"]] == [1, 2]


NESTED: dict[str, Any] = {
    "type": "object",
    "required": ["entries"],
    "properties": {
        "more": {},
        "entries": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["a"],
                "properties": {
                    "a": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}},
                    "b": {"type": "string"},
                },
            },
        },
    },
}  # fmt: skip


def nested(text, folder):
    """Read a file by `NESTED`."""
    return read_json(text.encode(), "f.json", json_file(folder, NESTED, each="entries"), Conversion(dict))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"entries": {"v": {"a": []}, "v": {"a": []}}}', "/entries"),
        ('{"entries": {"v": {"a": [{"p": 1}, {"p": 1, "q": 2, "p": 3}]}}}', "/entries/v/a/1"),
        # An escape is another way to write a key.
        ('{"entries": {"v": {"a": [], "\\u0061": []}}}', "/entries/v"),
        # A colon in a string: there are more colons than keys.
        ('{"entries": {"v:w": {"a": [{"p": 1, "p": 2}], "b": "x:y"}}}', "/entries/v:w/a/0"),
        ('{"entries": {"v": {"a": [], "b": ":", "b": "::"}}}', "/entries/v"),
        # Further keys, which no type has.
        ('{"entries": {"v": {"a": [], "x": {"y": [1]}, "x": 2}}}', "/entries/v"),
        ('{"entries": {"v": {"a": [], "x": [{"y": {"z": 1, "z": 1}}]}}}', "/entries/v/x/0/y"),
        # An entry that only the strict parser accepts: half a character, or a whole number with a point.
        ('{"entries": {"v": {"a": [], "b": "\\ud800"}, "w": {"a": [{"p": 1, "p": 2}]}}}', "/entries/w/a/0"),
        ('{"entries": {"w": {"a": [{"p": 1, "p": 2}]}, "v": {"a": [{"p": 1.0}]}}}', "/entries/w/a/0"),
        ('{"entries": {"v": {"a": [{"p": 1.0, "p": 2}]}}}', "/entries/v/a/0"),
        ('{"entries": {"\\ud800": {"a": []}, "\\ud800": {"a": []}}}', "/entries"),
        # Members other than the entries.
        ('{"more": 1, "entries": {}, "more": 2}', "/"),
        ('{"entries": {}, "entries": {"v": {"a": []}}}', "/"),
        ('{"entries": {}, "more": {"x": 1, "x": 2}}', "/more"),
        ('{"entries": {}, "more": [{"x": ":", "y": {"z": [], "z": []}}]}', "/more/0/y"),
        ('{"entries": {}, "x": 1, "x": {"y": 2}}', "/"),
        ('{"entries": {}, "x": [{"y": 1, "y": 2}]}', "/x/0"),
        ('{"entries": {"v": {"a": []}}, "more": "\\ud800", "more": 2}', "/"),
    ],
)  # fmt: skip
def test_duplicate_key_is_found_wherever_it_is(tmp_path, text, where):
    (problem,) = refused(nested, text, tmp_path).problems
    assert (problem.code, problem.where) == ("E-JSON-DUPLICATE", where)


@pytest.mark.parametrize(
    "text",
    [
        '{"entries": {"v": {"a": [{"p": 1}, {"p": 1}], "b": "p"}, "w": {"a": []}}}',
        '{"entries": {"v:": {"a": [{"p:q": 1, "p": 1}], "b": "a:b"}}, "more": {"more": ":"}}',
        '{"entries": {"v": {"a": [], "x": {"a": {"a": 1}}, "y": [{"a": 1}, {"a": 2}]}}, "x": {"x": 1}}',
        '{"entries": {"v": {"a": [], "b": "\\ud800"}, "w": {"a": [{"p": 1.0}]}, "\\ud800": {"a": []}}}',
        '{"entries": {}, "more": "\\ud800"}',
    ],
)
def test_equal_keys_of_different_objects_are_no_duplicates(tmp_path, text):
    content, members = nested(text, tmp_path).content
    expected = json.loads(text)
    assert list(content) == list(expected.pop("entries"))
    assert members == expected


def random_text(rng):
    """Return the text of a file of `NESTED`, with colons, further keys and repeated ones here and there."""

    def string():
        return rng.choice(['"x"', '"y"', '":"', '"a\\":"', '"\\u0078"', '"\\ud800"', '"é"'])

    def text_of(pairs):
        pairs += rng.choices(pairs, k=rng.random() < 0.1) if pairs else []
        return f"{{{','.join(f'{key}:{value}' for key, value in rng.sample(pairs, len(pairs)))}}}"

    def any_value(depth=0):
        kind = rng.randrange(4 if depth < 3 else 2)
        if kind < 2:
            return string() if kind else rng.choice(["1", "null", "[]"])
        values = [any_value(depth + 1) for _ in range(rng.randrange(3))]
        return f"[{','.join(values)}]" if kind == 2 else text_of(distinct(values))

    def distinct(values):
        return list({string(): value for value in values}.items())

    def further():
        return [(rng.choice(['"u"', '"v:"']), any_value())] if rng.random() < 0.2 else []

    def entry():
        objects = [text_of(distinct(rng.choices(["1", "-3", "2.0"], k=rng.randrange(3)))) for _ in range(2)]
        return text_of([('"a"', f"[{','.join(objects)}]"), ('"b"', string()), *further()])

    entries = text_of(distinct([entry() for _ in range(rng.randrange(4))]))
    return text_of([('"entries"', entries), ('"more"', any_value()), *further()])


def has_duplicate_key(text):
    found = []

    def look(pairs):
        found.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    json.loads(text, object_pairs_hook=look)
    return any(found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("schema")


@given(st.integers(0, 2**63))
def test_duplicate_keys_are_all_that_is_refused_of_good_values(folder, seed):
    text = random_text(random.Random(seed))
    is_bad = has_duplicate_key(text)
    assert findings_of(nested, text, folder).ok != is_bad


def test_a_key_of_a_detection_that_occurs_twice_is_refused():
    text = json.dumps({**DETECTION, "uv_data": "AAAA"})[:-1] + ', "score": 0.5}'
    findings = refused(check_value, text.encode(), DETECTIONS, "/3", Budget())
    assert places_of(findings) == [("E-JSON-DUPLICATE", "", "/3")]
    assert values_of(findings.problems[0].problem) == ["'score'"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": [{"p": 1}, {"q": 2, "q": 3}]}', "/7/a/1"),
        ('{"a": [{"p": 1}], "b": "x:", "b": "y"}', "/7"),
        ('{"a": [{"p": 1}], "x": {"y": [{"z": 1, "z": 2}]}}', "/7/x/y/0"),
        ('{"a": [{"p": 1}, {"p": 2.0}], "b": "p"}', None),
    ],
)
def test_duplicate_keys_of_a_value_are_found_at_all_depths(tmp_path, text, where):
    schema = json_file(tmp_path, NESTED["properties"]["entries"]["additionalProperties"]).schema
    if where is None:
        assert check_value(text.encode(), schema, "/7", Budget()) == json.loads(text)
    else:
        (problem,) = refused(check_value, text.encode(), schema, "/7", Budget()).problems
        assert (problem.code, problem.where) == ("E-JSON-DUPLICATE", where)


@pytest.fixture
def strictly_parsed(monkeypatch):
    """Return the sizes of the texts that are parsed strictly, which takes a few times as long."""
    sizes: list[int] = []

    def remember(data, *arguments, **options):
        sizes.append(len(data))
        return parse(data, *arguments, **options)

    monkeypatch.setattr(strict_json, "parse", remember)
    return sizes


def test_good_files_are_not_parsed_strictly(strictly_parsed, tmp_path):
    umlauts = json.dumps({"vidéo": {"f": {"humans": []}}, **TWO}, ensure_ascii=False).encode()
    assert parts(umlauts).content.videos == ["vidéo", "a", "b"]
    assert parts(b"\xef\xbb\xbf" + umlauts).content.videos == ["vidéo", "a", "b"]
    assert parts(json.dumps(GOOD).encode()).content.videos == ["vid7", "vid8"]
    nested('{"entries": {"v": {"a": [{"p": 1, "q": 2}, {"p": 3}], "b": "x"}, "w": {"a": []}}}', tmp_path)
    (tmp_path / "value").mkdir()
    value = json_file(tmp_path / "value", NESTED["properties"]["entries"]["additionalProperties"]).schema
    check_value(b'{"a": [{"p": 1, "q": 2}, {"p": 3}], "b": "x"}', value, "/0", Budget())
    # Around the entries there is nothing.
    assert set(strictly_parsed) == {len("{}")}


def test_only_small_members_of_good_files_are_parsed_strictly(strictly_parsed):
    external = {"used": False, "details": "from: my disk"}
    content = grounding(json.dumps({**GROUNDING, "external_data": external}).encode()).content
    assert content.segments == [("v", "0")]
    members = {"eval_mode": "gen", "external_data": external}
    # As they are in the file, with a colon and a comma that no blank follows.
    assert strictly_parsed == [len(json.dumps(members)) - 3]


def test_of_a_file_with_bad_entries_only_these_are_parsed_strictly(strictly_parsed):
    good = {f"v{number}": GOOD["vid7"] for number in range(50)}
    bad = {"bad": {"f": {"humans": [{"box": [1, 2, "x", 4], "parts": {}}]}}, "worse": 3}
    document = {**good, **bad, "v": {}}
    places = [problem.where for problem in refused(parts, json.dumps(document).encode()).problems]
    assert places == ["/bad/f/humans/0/box/2", "/worse"]
    # Written without a blank after each colon and comma between entries.
    assert strictly_parsed == [len(json.dumps(bad)) - 3]


def test_of_a_file_with_a_bad_entry_other_entries_are_looked_through_for_duplicate_keys():
    text = '{"v": {"f": {"humans": []}, "f": {"humans": []}}, "bad": 3, "w": {}}'
    found = refused(parts, text.encode()).problems
    assert [(problem.code, problem.where) for problem in found] == [
        ("E-JSON-DUPLICATE", "/v"),
        ("E-JSON-SCHEMA", "/bad"),
    ]


def test_the_place_of_a_bad_entry_that_is_nested_too_deep_is_one_of_the_file():
    text = '{"v": {},\n "w": ' + "[" * 70 + "]" * 70 + "}"
    (problem,) = refused(parts, text.encode()).problems
    assert (problem.code, problem.where) == ("E-JSON-DEPTH", "line 2 column 70")


# Each adds one colon to what is read, as much as the key that is lost.
ESCAPED_COLONS = ("\\u003a", "\\u003A", "\\u003a\\u003A")


@pytest.mark.parametrize("colons", ESCAPED_COLONS)
@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"entries": {"v": {"a": [], "b": "COLONS", "b": "COLONS"}}}', "/entries/v"),
        ('{"entries": {"v": {"a": [{"COLONS": 1, "p": 2, "p": 3}]}}}', "/entries/v/a/0"),
        ('{"entries": {"COLONS": {"a": []}, "v": {"a": []}, "v": {"a": []}}}', "/entries"),
        ('{"entries": {"v": {"a": [], "b": "COLONS"}, "w": {"a": [{"p": 1, "p": 2}]}}}', "/entries/w/a/0"),
        ('{"entries": {"v": {"a": [], "b": "COLONS", "x": 1, "x": 2}}}', "/entries/v"),
        ('{"entries": {"v": {"a": []}}, "more": {"x": "COLONS", "y": 1, "y": 2}}', "/more"),
    ],
)
def test_duplicate_keys_are_not_hidden_behind_escaped_colons(tmp_path, text, where, colons):
    (problem,) = refused(nested, text.replace("COLONS", colons), tmp_path).problems
    assert (problem.code, problem.where) == ("E-JSON-DUPLICATE", where)


def test_entries_are_converted_once(tmp_path):
    calls = []

    def convert(entries):
        calls.append(list(entries))
        return calls[0]

    # The second value is one that only the strict parser accepts.
    entry = {"type": "object", "additionalProperties": {"type": "integer"}}
    read = read_json(b'{"v": 1, "w": 2.0, "x": 3}', "f.json", json_file(tmp_path, entry), Conversion(convert))
    assert calls == [[("v", 1), ("w", 2), ("x", 3)]]
    assert read == Read((calls[0], {}), [])


def test_without_memory_nothing_is_decoded(monkeypatch):
    def refuse(size):
        raise MemoryError

    monkeypatch.setattr(json_decoding, "require_memory", refuse)
    for read, document in ((parts, GOOD), (detection, DETECTION)):
        with pytest.raises(MemoryError):
            read(json.dumps(document).encode())


def large(n_frames, bad):
    """Return a parts file of one video with many good frames, then the bad ones."""
    frames = {f"img_{number:05d}.json": {"humans": [HUMAN] * 10} for number in range(n_frames)}
    return json.dumps({"vid7": {**frames, **bad}, "vid8": {}}).encode()


def test_problem_beside_many_good_values_is_explained():
    data = large(30, {"bad": {"humans": 1}, "worse": {"humans": [{"box": [1, 2, 3, "x"], "parts": {}}]}})
    assert places_of(refused(parts, data)) == [
        ("E-JSON-SCHEMA", "f.json", "/vid7/bad/humans"),
        ("E-JSON-SCHEMA", "f.json", "/vid7/worse/humans/0/box/3"),
    ]


def test_explaining_stops_after_so_many_values_and_says_where():
    bad = {f"bad{number}": {"humans": [HUMAN, {"box": 1, "parts": {}}] * 4} for number in range(9)}
    findings = refused(partial(parts, budget=Budget(values=400)), large(30, bad))
    stopped = [problem for problem in findings.problems if problem.code == "E-JSON-STOPPED"]
    assert ["/vid7/bad3;" in problem.problem for problem in stopped] == [True]
    places = [problem.where for problem in findings.problems if problem.code == "E-JSON-SCHEMA"]
    assert places[:2] == ["/vid7/bad0/humans/1/box", "/vid7/bad0/humans/3/box"]
    assert len(places) == 12


def test_one_budget_serves_several_files():
    budget = Budget(problems=3)
    bad = b'{"vid7": 1, "vid8": 2}'
    assert len(refused(partial(parts, budget=budget), bad).problems) == 2
    second = refused(partial(parts, budget=budget), bad)
    assert [problem.where for problem in second.problems] == ["/vid7"]
    third = refused(partial(parts, budget=budget), bad)
    assert [(findings.total, findings.is_complete) for findings in (second, third)] == [(2, False)] * 2


SEGMENTS = GROUNDING["results"]["v"]
INDENTED = json.dumps({"results": {"u": SEGMENTS, "v": SEGMENTS}, "eval_mode": "gen"}, indent=1).encode()


@pytest.mark.parametrize(
    "data",
    [
        INDENTED,
        INDENTED[:-20],
        INDENTED[:1900],
        INDENTED.rstrip()[:-1],
        INDENTED.rstrip()[:-1] + b",}",
        INDENTED.replace(b'"results"', b',"results"'),
        INDENTED.replace(b'"eval_mode"', b',"eval_mode"'),
        INDENTED.replace(b'"eval_mode"', b"'eval_mode'"),
        INDENTED.replace(b"eval_mode", b"mode"),
        INDENTED.replace(b"results", b"result"),
        INDENTED.replace(b'"gen"', b"7"),
        INDENTED.replace(b'"gen"', b"NaN"),
        INDENTED.replace(b'"gen"', b'"gen", "eval_mode": "GT"'),
        INDENTED.replace(b'"v": {', b'"v": {}, "v": {'),
        INDENTED.replace(b'"v": {', b'"a:b": {}, "v": {'),
        INDENTED.replace(b'"v": {', b'"a:b": {}, "a:b": {}, "v": {'),
        INDENTED.replace(b'"v": {', b'"a\\u003Ab": {}, "v": {'),
        INDENTED.replace(b'"v": {', b'"a\\u003ab": {}, "v": {}, "v": {'),
        INDENTED.replace(b'"v": {', b'"n": {"0": 7}, "v": {'),
        INDENTED.replace(b'"v": {', b'"n": {"0": NaN}, "m": NaN, "v": {'),
        INDENTED.replace(b'"v": {', b'"n": {"0": {"a:": 1, "a:": 1}}, "v": {'),
        INDENTED.replace(b'"v": {', b'"n": [[}, "v": {'),
        INDENTED.replace(b'"v": {', b'"n": {}}, "v": {'),
        INDENTED.replace(b'"v": {', '"é": {"é": 1x}, "v": {'.encode()),
        INDENTED.replace(b'"v": {', b'"n": ' + b"[" * 80 + b'], "v": {'),
        INDENTED + b"x",
        b'{"a": 1}\n' * 40,
        b"[" + b"1, " * 100 + b"1]",
        b" " * 300,
        b'{"results": [], "eval_mode": "gen"}' + b" " * 300,
        b"\xff" + INDENTED,
    ],
)
def test_a_large_file_is_judged_as_a_small_one(data):
    (file,) = load_rules("anet_entities_gen").json
    read = partial(read_json, data, "f.json", file, Conversion(dict))
    small, large = findings_of(read, Budget()), findings_of(read, Budget(bytes=2000))
    assert set(places_of(large)) <= set(places_of(small))
    assert large.ok == small.ok


@pytest.mark.parametrize("character", ["a", "\N{GRINNING FACE}", r"\ud83d\ude00", r"\u003a"])
def test_names_of_entries_are_short_in_large_files(character):
    def places(length, budget):
        data = '{"v": {}, "%s": {}}' % (character * length)
        return places_of(findings_of(partial(parts, budget=budget), data.encode()))

    assert places(255, Budget(bytes=100)) == []
    assert places(256, Budget(bytes=100)) == [("E-JSON-COUNT", "f.json", "line 1 column 11")]
    assert places(256, Budget()) == []


@pytest.mark.parametrize("character", ["\u0100", "\N{GRINNING FACE}", r"\ud83d\ude00"])
def test_characters_that_are_larger_in_memory_are_refused_in_very_large_files(monkeypatch, character):
    monkeypatch.setattr(large_json, "_MOST_BYTES_WITH_WIDE_CHARACTERS", 1000)

    def problem(name, length):
        entries = {"v": {}, name: {"a" * length: {"humans": []}}}
        data = json.dumps(entries, ensure_ascii=False).replace("\\\\", "\\")
        return places_of(findings_of(partial(parts, budget=Budget(bytes=100)), data.encode()))

    assert problem("\u00e9", 1000) == []
    assert problem(character, 100) == []
    assert problem(character, 1000) == [("E-JSON-COUNT", "f.json", "line 1 column 12")]


def test_escaped_backslash_before_u_is_no_wide_character_in_very_large_files(monkeypatch):
    monkeypatch.setattr(large_json, "_MOST_BYTES_WITH_WIDE_CHARACTERS", 10)

    def places(name):
        return places_of(findings_of(partial(parts, budget=Budget(bytes=10)), b'{"%s": {}}' % name))

    assert places(rb"C:\\users\\v") == []
    assert places(rb"C:\\users\\\u0100") == [("E-JSON-COUNT", "f.json", "line 1 column 14")]


@pytest.mark.parametrize(
    ("member", "codes"),
    [
        ('"v": {}', ["E-JSON-DUPLICATE", "E-JSON-DUPLICATE", "E-JSON-COUNT"]),
        ('"v": x', ["E-JSON-SYNTAX"]),
    ],
)
def test_equal_names_count_as_entries_in_large_files(member, codes):
    data = ("{" + ",".join([member] * 200) + "}").encode()
    findings = refused(read_parts, data, "f.json", PARTS._replace(entries=3), budget=Budget(bytes=100))
    assert [problem.code for problem in findings.problems] == codes


def test_a_large_file_may_have_more_members_than_entries():
    (file,) = load_rules("anet_entities_gen").json
    document = {"results": {"v:w:": {}}, "eval_mode": "gen", "external_data": "x" * 100}
    data = json.dumps(document).replace("w:", r"w\u003a").encode()
    conversion = Conversion(dict)
    read = read_json(data, "f.json", file._replace(entries=1), conversion, Budget(bytes=150))
    assert read.content[0] == {"v:w:": {}}


@settings(max_examples=scaled(300))
@given(mutated())
def test_in_parts_no_file_is_accepted_that_is_refused_as_a_whole(data):
    whole = findings_of(parts, data)
    in_parts = findings_of(partial(parts, budget=Budget(bytes=60)), data)
    assert whole.ok or not in_parts.ok
    # Of entries that are too large nothing is explained, and only the strict parser takes halves of characters.
    codes = {problem.code for problem in in_parts.problems}
    assert in_parts.ok or not whole.ok or codes & {"E-JSON-STOPPED", "E-JSON-ENCODING"}


def test_of_a_large_file_twenty_wrong_entries_are_explained():
    entries = {f"v{number}": {"f": {"humans": 7}} for number in range(90)}
    findings = refused(parts, json.dumps(entries).encode(), Budget(bytes=1000))
    assert (len(findings.problems), findings.total, findings.is_complete) == (20, 90, False)
    broken = json.dumps(entries).replace(": 7", ": NaN").encode()
    assert {problem.where for problem in refused(parts, broken, Budget(bytes=1000)).problems} == {
        f"/v{number}/f/humans" for number in range(20)
    }


def test_a_wrong_entry_that_is_too_large_is_named_alone():
    data = large(30, {"bad": {"humans": 7}})
    assert places_of(refused(parts, data, Budget(bytes=1000))) == [("E-JSON-STOPPED", "f.json", "/vid7")]
    assert places_of(refused(parts, data[:-40], Budget(bytes=1000))) == [
        ("E-JSON-STOPPED", "f.json", "line 1 column 2")
    ]


@pytest.mark.parametrize("small_value", [2, 50])
def test_problems_are_the_same_in_large_and_in_small_values(small_value):
    human_problems = [{"box": [1, 2, 3, "x"], "parts": {"a": 1}}, {"box": 1}] * 3
    video = {"good": {"humans": [HUMAN] * 10}, "bad": {"humans": human_problems}}
    schema = load_schema(PARTS.schema)

    def explain(sizes):
        findings = Findings()
        explainer = SchemaExplainer(schema["definitions"], findings, "f.json", Budget(), sizes)
        assert explainer.explain({"v": video}, schema)
        return findings

    whole, apart = explain(ExplainSizes(10_000)), explain(ExplainSizes(small_value))
    assert whole.total == apart.total == 12
    assert {problem.rule for problem in apart.problems} == {problem.rule for problem in whole.problems}
    assert sorted(compact(problem) for problem in apart.problems) == sorted(
        compact(problem) for problem in whole.problems
    )
