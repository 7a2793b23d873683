"""JSON files: the same verdict as by jsonschema; every problem located, no duplicate key missed."""

from __future__ import annotations

import copy
import io
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quality.fuzzing.damage import BYTE_CHANGES
from quality.fuzzing.json_texts import odd_json
from tests.helpers import (
    ROOT,
    findings_of,
    json_file,
    places_of,
    refused,
    scaled,
    text_of,
    values_of,
)
from validator import json_text
from validator.checking import load_format, plain_findings
from validator.findings import Findings, Read, Refused
from validator.formats.anet_entities.read import read as read_anet_entities
from validator.formats.kinetics_tps.read import read_classes, read_parts
from validator.formats.rules import JsonFile, load_rules
from validator.json_columns import UnfitError, check_of
from validator.json_reader import as_dict, iter_list, load_schema, read_json, read_list, strict_loads
from validator.texts import pointer_part

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


def check_value(data, schema):
    """Return the only value of a list. Raises Refused."""
    with Findings.collect() as findings:
        stream = io.BytesIO(b"[" + data + b"]")
        batches = list(read_list(stream.read, "f.json", schema, findings))
    ((value,),) = [batch.column.values for batch in batches if batch.keys]
    return value


def parts(data):
    return read_parts(io.BytesIO(data).read, "f.json", PARTS)


NUMBER = re.compile(rb'(?<![\w".+-])-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w".+-])')


def is_valid(data):
    # What nobody reads may be too large for a number; this fits where anything does, and nowhere else.
    data = NUMBER.sub(lambda match: b"[null]" if math.isinf(float(match[0])) else match[0], data)
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


@pytest.mark.slow
# Ten thousand at night.
@settings(max_examples=scaled(2500))
@given(st.integers(0, 2**63), st.sampled_from([0.003, 0.01, 0.05]))
def test_what_jsonschema_accepts_is_accepted(seed, oddity):
    rng = random.Random(seed)
    data = odd_json(rng, GOOD, oddity).encode("utf-8", "surrogatepass")
    if rng.random() < 0.3:
        data = rng.choice(BYTE_CHANGES)(rng, data)
    assert findings_of(parts, data).ok == is_valid(data), data


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
    return Read(check_value(data, DETECTIONS), [])


READERS = {
    "parts": (GOOD, parts),
    "classes": ({"v": "x", "w": "y"}, lambda data: read_classes(io.BytesIO(data).read, "f.json", CLASSES)),
    "grounding": (GROUNDING, grounding),
    "detection": (DETECTION, detection),
}


def outcome(read, data):
    """Return the content as text, None if the file is refused, and all that was found."""
    try:
        found = read(data)
    except Refused as error:
        return None, plain_findings(error.findings)
    return repr(found.content), plain_findings(Findings(notes=found.notes))


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
# Ten thousand in all at night.
@settings(max_examples=scaled(625))
@given(st.integers(0, 2**63), st.sampled_from([0.003, 0.01, 0.05]))
def test_however_json_is_written_contents_and_messages_are_the_same(kind, seed, oddity):
    document, read = READERS[kind]
    data = odd_json(random.Random(seed), document, oddity).encode("utf-8", "surrogatepass")
    strict = findings_of(strict_loads, data, "f.json")
    codes = {problem.code for problem in strict.problems}
    # Numbers that nobody reads may have any size; a list may hold no detection.
    assume(codes != {"E-JSON-NUMBER"} or re.search(b"NaN|Infinity", data))
    assume(data)
    if not strict.ok:
        assert not findings_of(read, data).ok, data
        return
    plain = json.dumps(strict_loads(data, "f.json").content).encode()
    content, found = outcome(read, data)
    plain_content, plain_found = outcome(read, plain)
    assert content == plain_content, data
    assert found["problems"] == plain_found["problems"], data


UNKNOWN = (
    '"x" :NaN',
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
        ("grounding", '{"results":{"v":{"0":{"clss":[],"idx_in_sent":[],"bbox_for_all_frames":[],HERE}}},"eval_mode":"gen"}'),
        ("grounding", '{"results":{},"eval_mode":"gen","external_data":{"used":true,"details":"",HERE}}'),
        ("grounding", '{"results":{},"eval_mode":"gen",HERE}'),
        ("detection", json.dumps(DETECTION)[:-1] + ",HERE}"),
    ],
)  # fmt: skip
def test_what_nobody_reads_is_refused_where_it_is_no_json(kind, text, unknown):
    _, read = READERS[kind]
    assert not findings_of(read, text.replace("HERE", unknown).encode()).ok


@given(st.sampled_from(sorted(READERS)), st.integers(0, 2**63), st.integers(1, 60))
def test_in_pieces_of_any_size_contents_and_messages_are_the_same(kind, seed, n_bytes):
    document, read = READERS[kind]
    data = odd_json(random.Random(seed), document, 0.01).encode("utf-8", "surrogatepass")
    whole = outcome(read, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "_PIECE", n_bytes)
        assert outcome(read, data) == whole, data


@pytest.mark.parametrize("number", ["1.25", "-0.5e+12", "1E-5", "12e3", "-7"])
def test_numbers_may_be_cut_anywhere(monkeypatch, number):
    text = f'{{"a": {number},"b": {number} }}'
    file = JsonFile("f.json", CLASSES.schema)
    for n_bytes in range(1, len(text)):
        monkeypatch.setattr(json_text, "_PIECE", n_bytes)
        problems = refused(read_classes, io.BytesIO(text.encode()).read, "f.json", file).problems
        assert [(problem.code, problem.where) for problem in problems] == [
            ("E-JSON-SCHEMA", "/a"),
            ("E-JSON-SCHEMA", "/b"),
        ]
        values = iter_list(io.BytesIO(f"[{number},{number}]".encode()).read, "f.json")
        assert list(values) == [float(number)] * 2


@pytest.mark.parametrize(
    "wrong", [f"[{'1, ' * 50}1]", '["ab","ab","ab","ab","ab","ab"]', '"\N{GRINNING FACE}' + "a" * 100 + '"']
)
def test_a_value_that_takes_more_memory_than_a_submission_is_refused_before_it_is_decoded(monkeypatch, wrong):
    monkeypatch.setattr(json_text, "_PIECE", 10)
    monkeypatch.setattr(json_text, "_MOST_MEMORY", 900)
    good = {f"v{number}": "run" for number in range(100)}
    assert read_classes(io.BytesIO(json.dumps(good).encode()).read, "f.json", CLASSES).content == good
    text = json.dumps(good)[:-1] + f', "w": {wrong}}}'
    (problem,) = refused(read_classes, io.BytesIO(text.encode()).read, "f.json", CLASSES).problems
    assert (problem.code, problem.where) == ("E-JSON-COUNT", f"line 1 column {text.index(wrong) + 1}")


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
        (changed(["vid7", "img_00001.json", "humans", 0], {"parts": {}}), "E-JSON-SCHEMA", f"{FRAME}/humans/0", ["'box'"]),
        (changed(["vid7", "img_00001.json"], {}), "E-JSON-SCHEMA", FRAME, ["'humans'"]),
        (changed([*PART, "box", 0, 0], True), "E-JSON-SCHEMA", f"{HEAD}/box/0/0", []),
        (changed(["a/b~c"], 3), "E-JSON-SCHEMA", "/a~1b~0c", ["3"]),
        ([], "E-JSON-SCHEMA", "/", []),
        (b'{"v": {"f": {"humans": [NaN]}}}', "E-JSON-NUMBER", "/v/f/humans/0", []),
        (b'{"v": {"f": {"humans": [{"box": [0, 0, 1e999, 1], "parts": {}}]}}}', "E-JSON-NUMBER", "/v/f/humans/0/box/2", ["1e999"]),
        (b'{"v": {"f": {"humans": [{"box": [0, 0, 9, ' + b"9" * 400 + b'], "parts": {}}]}}}', "E-JSON-NUMBER", "/v/f/humans/0/box/3", ["9" * 23]),
        (b'{"v": {"f": {"humans": [], "x": -Infinity}}}', "E-JSON-NUMBER", "/v/f/x", []),
        (b'{"v": {}, "v": {}}', "E-JSON-DUPLICATE", "/", ["'v'"]),
        (b'{"v": ' + b"[" * 100_000, "E-JSON-DEPTH", "", ["64"]),
        (b'{"v": {"f": {"humans": [],}}}', "E-JSON-SYNTAX", "line 1 column 26", []),
        (b'{"v": {"f": {"humans": [1,]}}}', "E-JSON-SYNTAX", "line 1 column 26", []),
        (b'{"v": "a\\x"}', "E-JSON-SYNTAX", "line 1 column 9", []),
        (b'{"v": "a', "E-JSON-SYNTAX", "line 1 column 9", []),
        (b'\xef\xbb\xbf{"v": "\xff"}', "E-JSON-ENCODING", "line 1 column 8", ["10"]),
        (b'{"v": None}', "E-JSON-SYNTAX", "line 1 column 7", []),
        (b'{"v": {}} {"w": {}}', "E-JSON-SYNTAX", "line 1 column 11", ['\'{"w": {}}\'']),
        (b'{"v": {', "E-JSON-SYNTAX", "line 1 column 8", []),
        (b'{"v": "a\nb"}', "E-JSON-SYNTAX", "line 1 column 9", []),
    ],
)  # fmt: skip
def test_each_problem_is_located_and_names_its_values(data, code, where, values):
    findings = refused(parts, data if isinstance(data, bytes) else json.dumps(data).encode())
    values_of_place = {
        (problem.code, problem.where): values_of(problem.problem) for problem in findings.problems
    }
    assert values_of_place[code, where] == values


def test_what_an_object_has_is_named_beside_what_is_missing():
    frame = {"": [], "humans ": 3, "height": 4, "fps": 5, "a": 6, "b": 7}
    (problem,) = refused(parts, json.dumps({"v": {"f": frame}}).encode()).problems
    assert problem.problem == "'humans' is missing beside '', 'humans ', height, fps, a, …"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{\u201cv\u201d: {}}", "typographic quotation marks"),
        ('{"v":\xa0{}}', "no-break space"),
        ('{"v": array([1])}', "array is of numpy, not JSON; convert values with .tolist()"),
        ('{"v": tensor(1)}', "tensor is of PyTorch, not JSON; convert values with .tolist()"),
        (
            'Here it is:\n```json\n{"v": {}}\n```',
            "before the JSON value, 'Here it is:'; write one JSON value into",
        ),
        ('{"v": {}}\n```', "after the end of the JSON value, '```'; write one JSON value into"),
        ('x = {"v": {}}', "'x = {\"v\": {}}' is in the place of a value"),
    ],
)
def test_what_no_json_library_writes_is_named(text, words):
    (problem,) = refused(parts, text.encode()).problems
    assert problem.code == "E-JSON-SYNTAX"
    assert words in text_of(problem)


# What is not ASCII is read in another way.
@pytest.mark.parametrize("document", [GOOD, {"vid7": {}, "vidéo8": {}}], ids=["ASCII", "other"])
def test_one_byte_order_mark_is_accepted_with_a_note_and_no_second_one(document):
    text = json.dumps(document, ensure_ascii=False)
    found = parts(f"\ufeff{text}".encode())
    assert found.content.videos == list(document)
    assert [note.code for note in found.notes] == ["N-JSON-BOM"]
    findings = refused(parts, f"\ufeff\ufeff{text}".encode())
    assert places_of(findings) == [("E-JSON-SYNTAX", "f.json", "line 1 column 1")]
    assert [note.code for note in findings.notes] == ["N-JSON-BOM"]


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_every_schema_is_valid_and_can_be_checked(path):
    schema = load_schema(path)
    jsonschema.Draft7Validator.check_schema(schema)
    check_of(schema, schema)


def test_very_many_problems_are_counted_and_not_all_kept():
    human = {"box": [2, 2, 1, 1], "parts": {"hip": {"box": [], "verb": ["x"]}}}
    document = {str(v): {"f": {"humans": [human] * 10}} for v in range(24)}
    findings = refused(parts, json.dumps(document).encode())
    assert findings.total == 480
    assert plain_findings(findings)["more"] == 480 - len(findings.problems) == 80
    assert [kind["count"] for kind in plain_findings(findings)["kinds"]] == [240, 240]


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="the system does not tell how much memory is used"
)
def test_without_memory_for_its_strings_a_file_ends_in_memory_error_and_not_in_a_crash():
    code = (
        "import io, os, resource\n"
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
        "    try:\n        read_parts(io.BytesIO(data).read, 'f', file)\n"
        "    except MemoryError:\n        pass\n"
        "    os._exit(0)\n"
    )
    command = [sys.executable, "-u", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"{megabytes} 0" for megabytes in range(20, 200, 20)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task_id", "name", "entries", "members"),
    [
        ("anet_entities_gen", "submission_gen.json", "results", {"eval_mode": "gen"}),
        ("anet_entities_gt", "submission_gt.json", "results", {"eval_mode": "GT"}),
        ("kinetics_tps", "pred_part_result.json", "", {}),
    ],
)
def test_submissions_with_too_many_entries_are_refused_with_the_place(task_id, name, entries, members):
    many = {f"v{number}": {} for number in range(200_001)}
    files = {
        "pred_vid_result.json": b"{}",
        name: json.dumps({entries: many, **members} if entries else many).encode(),
    }
    form, rules = load_format(task_id)
    assert places_of(refused(form.read, files, rules)) == [("E-JSON-COUNT", name, f"/{entries}")]


@pytest.mark.slow
def test_problems_come_in_the_order_of_the_file_whatever_the_hash_seed():
    code = (
        "import io, json\n"
        "from validator.findings import Refused\n"
        "from validator.formats.kinetics_tps.read import read_parts\n"
        "from validator.formats.rules import load_rules\n"
        "data = json.dumps({'v': {f'f{n}': n for n in range(20)}, 'w': {'humans': {}}}).encode()\n"
        "try:\n    read_parts(io.BytesIO(data).read, 'f', load_rules('kinetics_tps').json[1])\n"
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
    data = json.dumps({**DETECTION, "bbox": [1] + ["x"] * 300}).encode()
    findings = refused(check_value, data, DETECTIONS)
    assert (len(findings.problems), findings.total, findings.is_complete) == (200, 201, False)


@pytest.mark.parametrize(("box", "n_problems"), [([[1, 2], [3, 4]], 1), ([1, 2, "3"], 2)])
def test_a_list_of_another_kind_is_one_problem(box, n_problems):
    findings = refused(check_value, json.dumps({**DETECTION, "bbox": box}).encode(), DETECTIONS)
    assert len(findings.problems) == n_problems
    assert findings.problems[0].where.endswith("/bbox")


# Words of our schemas that each give a message of their own.
MANY_RULES: dict[str, Any] = {
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
            "i": {"type": "object", "properties": {"p": {}}},
            "j": {"type": "string", "minLength": 1},
        },
    },
}


@pytest.fixture
def many_rules(tmp_path):
    """Return a function that reads a document by `MANY_RULES`."""

    def read(value, **limits):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        return read_json(io.BytesIO(data).read, "f.json", json_file(tmp_path, MANY_RULES, **limits), as_dict)

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
        ({"v": {"a": [1], "b": -1}}, "/v/b", "-1", "less than 0"),
        ({"v": {"a": [1], "b": 6}}, "/v/b", "6", "more than 5"),
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
        ({"type": "object", "additionalProperties": {"type": "number", "minimum": "0"}}, "minimum needs a number"),
        ({"type": "object", "additionalProperties": {"enum": [1]}}, "enum"),
        ({"type": "object", "additionalProperties": {"type": "date"}}, "no type date"),
        ({"type": "object", "additionalProperties": {"type": "object", "required": ["a"]}}, "required a"),
        ({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "number"}, "uniqueItems": True}}, "uniqueItems"),
        ({"type": "object"}, "additionalProperties"),
        ("{", ""),
    ],
)  # fmt: skip
def test_schema_that_cannot_be_used_is_refused_in_one_line(tmp_path, schema, reason):
    file = json_file(tmp_path, schema)
    if isinstance(schema, str):
        file.schema.write_text(schema, encoding="utf-8")
    findings = refused(read_json, io.BytesIO(b"{}").read, "f.json", file, as_dict)
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


@pytest.mark.parametrize("n_bytes", [5, 1000])
def test_entries_and_values_are_bounded_whatever_is_read_at_once(many_rules, monkeypatch, n_bytes):
    monkeypatch.setattr(json_text, "_PIECE", n_bytes)
    three = {key: {"a": [1]} for key in "pqr"}
    assert many_rules(three, entries=3)
    findings = refused(many_rules, three, entries=2)
    assert places_of(findings) == [("E-JSON-COUNT", "f.json", "/")]
    assert values_of(findings.problems[0].problem) == ["2"]
    # Six colons and seven brackets that count one and a half times, two commas, and six strings.
    assert many_rules(three, values=28)
    assert refused(many_rules, three, values=27)


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
    assert [kind["count"] for kind in plain_findings(findings)["kinds"]] == [4]
    (placed,) = findings.summary().problems()
    places = f"/0/{key}, /1/{key}, /2/{key}"
    assert (placed.first.code, placed.as_dict()["where"], placed.n_places) == ("E-JSON-SCHEMA", places, 4)


def test_a_value_that_is_reported_itself_is_of_the_same_kind(many_rules):
    findings = refused(many_rules, b'{"p": {"a": [1], "d": {"x": 1, "x": 2}}, "q": {"a": [1], "d": {}}}')
    assert [kind["count"] for kind in plain_findings(findings)["kinds"]] == [1, 2]


@pytest.mark.parametrize(
    "values",
    [
        [{"b": []}, {"g": []}],
        [{"b": "x"}, {"b": []}],
        [{"f": {}}, {"f": {"p": 1, "q": 1, "r": 1}}],
        [{"d": math.nan}, {"d": 1.5}],
    ],
)
def test_texts_of_two_rules_or_types_are_two_kinds(many_rules, values):
    findings = refused(many_rules, {str(n): {"a": [1], **value} for n, value in enumerate(values)})
    assert [kind["count"] for kind in plain_findings(findings)["kinds"]] == [1, 1]


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
    findings = refused(
        read_json, io.BytesIO(b'{"entries": {"p": {}, "q": {}}}').read, "f.json", file, as_dict
    )
    assert [(problem.where, values_of(problem.problem)) for problem in findings.problems] == [
        ("/entries/p", ["'a'"]),
        ("/entries/q", ["'a'"]),
        ("/", ["'mode'"]),
    ]
    assert [kind["count"] for kind in plain_findings(findings)["kinds"]] == [2, 1]


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
    return read_json(
        io.BytesIO(text.encode()).read, "f.json", json_file(folder, NESTED, each="entries"), as_dict
    )


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


def test_of_a_file_with_a_bad_entry_other_entries_are_looked_through_for_duplicate_keys():
    text = '{"v": {"f": {"humans": []}, "f": {"humans": []}}, "bad": 3, "w": {}}'
    found = refused(parts, text.encode()).problems
    assert [(problem.code, problem.where) for problem in found] == [
        ("E-JSON-DUPLICATE", "/v"),
        ("E-JSON-SCHEMA", "/bad"),
    ]


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
        calls.append(list(as_dict(entries).items()))
        return calls[0]

    # The second value is one that only the strict parser accepts.
    entry = {"type": "object", "additionalProperties": {"type": "integer"}}
    read = read_json(
        io.BytesIO(b'{"v": 1, "w": 2.0, "x": 3}').read, "f.json", json_file(tmp_path, entry), convert
    )
    assert calls == [[("v", 1), ("w", 2), ("x", 3)]]
    assert read == Read((calls[0], {}), [])


def load(text):
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return strict_loads(data, "x.json")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_json_is_read_as_python_reads_it(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    if ascii_only or not any(0xD800 <= ord(letter) < 0xE000 for letter in text):
        read = load(text)
        assert (read.content, read.notes) == (json.loads(text), [])


@pytest.mark.parametrize(
    ("text", "code", "where", "values"),
    [
        ("", "E-JSON-SYNTAX", "", []),
        (" \t\r\n", "E-JSON-SYNTAX", "", []),
        ("{}".encode("utf-16"), "E-FILE-KIND", "", []),
        ("{}".encode("utf-16-le"), "E-FILE-KIND", "", []),
        ("\ufeff\ufeff{}", "E-JSON-SYNTAX", "line 1 column 1", ["'\\ufeff{}'"]),
        ("\ufeff\ufeff", "E-JSON-SYNTAX", "line 1 column 1", ["'\\ufeff'"]),
        ("Here is the file:\n{}", "E-JSON-SYNTAX", "line 1 column 1", ["'Here is the file:'"]),
        ("{}\nThat is all.", "E-JSON-SYNTAX", "line 2 column 1", ["'That is all.'"]),
        ('{"a": [1,, 2]}', "E-JSON-SYNTAX", "line 1 column 10", []),
        (b"\xef\xbb\xbf\xef\xbb\xbf\xff", "E-JSON-ENCODING", "line 1 column 2", ["6"]),
        (b'{\n"a": "\xff"}', "E-JSON-ENCODING", "line 2 column 7", ["8"]),
        ('{"a": 1,}', "E-JSON-SYNTAX", "line 1 column 8", []),
        ('{"a":\n [1,\n  2 3]}', "E-JSON-SYNTAX", "line 3 column 5", []),
        ("[NaN]", "E-JSON-NUMBER", "/0", []),
        ("-Infinity", "E-JSON-NUMBER", "", []),
        ('{"a": {"b": [0, 1e999]}}', "E-JSON-NUMBER", "/a/b/1", ["1e999"]),
        (f"[{'9' * 309}]", "E-JSON-NUMBER", "/0", ["9" * 23]),
        ('{"a": 1, "b": 2, "b": 3, "a": 4}', "E-JSON-DUPLICATE", "/", ["'b'"]),
        ('[{"~/": {"a": 1, "a": 1}}]', "E-JSON-DUPLICATE", "/0/~0~1", ["'a'"]),
        (f'{{"{"k" * 41}": 1, "{"k" * 41}": 1}}', "E-JSON-DUPLICATE", "/", [f"'{'k' * 39}…'"]),
    ],
)
def test_problems_have_their_place(text, code, where, values):
    findings = refused(load, text)
    assert places_of(findings)[0] == (code, "x.json", where)
    assert len(findings.lines()) == 1
    assert values_of(findings.problems[0].problem) == values


def test_null_is_a_value():
    assert load("null").content is None


def test_long_whole_numbers_are_read_as_far_as_they_fit():
    assert load("9" * 308).content == int("9" * 308)
    assert load("-" + "9" * 307).content == -int("9" * 307)
    assert load("0" + "." + "0" * 400 + "1").content == 0


def test_problems_come_in_the_order_of_the_file():
    findings = refused(load, '{"a": [NaN, {"b": NaN}], "c": NaN, "d": {"x": 1, "x": NaN}}')
    assert [problem.where for problem in findings.problems] == ["/a/0", "/a/1/b", "/c", "/d", "/d/x"]


def test_numbers_that_are_not_finite_are_of_one_kind_by_how_they_are_written():
    findings = refused(load, "[NaN, 1e999, NaN, 9e999, -Infinity]")
    assert [kind["count"] for kind in plain_findings(findings)["kinds"]] == [2, 2, 1]
    placed_problems = findings.summary().problems()
    assert [placed.as_dict()["where"] for placed in placed_problems] == ["/0, /2", "/1, /3", "/4"]
    problems = [placed.first for placed in placed_problems]
    texts = ("NaN", "1e999", "-Infinity")
    assert [problem.problem.startswith(text) for problem, text in zip(problems, texts)] == [True] * 3


def test_parts_of_pointers_are_escaped():
    assert [pointer_part(part) for part in (3, "a/b", "~1", "\n")] == ["3", "a~1b", "~01", "\\n"]


@pytest.mark.parametrize("number", ["1e999", "9" * 400, "-" + "9" * 5000])
def test_numbers_that_nobody_reads_may_have_any_size(many_rules, number):
    text = '{"v": {"a": [BIG], "x": [BIG]}, "w": {"a": [1]}}'
    assert list(many_rules(text.replace("BIG", number).encode()).content[0]) == ["v", "w"]
    text = '{"v": {"a": [1], "b": BIG}, "w": {"a": [1], "c": BIG}}'
    findings = refused(many_rules, text.replace("BIG", number).encode())
    assert places_of(findings) == [("E-JSON-NUMBER", "f.json", "/v/b"), ("E-JSON-NUMBER", "f.json", "/w/c")]


def test_a_number_of_any_size_around_the_entries_is_read_as_any_other():
    around = '{"results": {}, "eval_mode": "gen", "external_data": {}, "x": 1e999}'
    assert places_of(refused(grounding, around.replace("{}", "[]", 1).encode())) == [
        ("E-JSON-SCHEMA", "submission_gen.json", "/results")
    ]
    assert places_of(refused(parts, b'{"v": 1e999}')) == [("E-JSON-SCHEMA", "f.json", "/v")]


def test_very_many_numbers_that_are_none_take_little_memory():
    n_numbers = 2000
    data = b'{"v": {"f": [' + b"NaN, 1e999, " * n_numbers + b"0]}}"
    # What explaining imports takes memory once.
    refused(parts, data)
    tracemalloc.start()
    refused(parts, data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 250 * n_numbers


@pytest.mark.parametrize("size", [0, 100_000])
def test_messages_are_those_of_a_small_file_at_every_size(size):
    """Each of these was told less precisely, or was refused although it is right, above a megabyte."""
    good = {f"good{number}": GOOD["vid7"] for number in range(size // 1000)}
    wrapped = json.dumps({"results": {**good, **GOOD}}).encode()
    (problem,) = refused(parts, wrapped).problems
    assert (problem.code, problem.where) == ("E-JSON-SCHEMA", "/results")
    assert "further object" in problem.problem
    frames = {f"g{number}": {"humans": [HUMAN]} for number in range(size // 200)}
    data = json.dumps({"v": {**frames, "f": {"humans": [{"box": [1, 2, 30, "40"], "parts": {}}]}}}).encode()
    assert places_of(refused(parts, data)) == [("E-JSON-SCHEMA", "f.json", "/v/f/humans/0/box/3")]
    apostrophe = json.dumps({**good, "don’t": {}, "\ud800": {}}, ensure_ascii=True).encode()
    assert parts(apostrophe).content.videos[-2:] == ["don’t", "\ud800"]
    twice = json.dumps(good)[:-1].encode() + (b"," if good else b"") + b'"v": {}, "v": {}}'
    assert places_of(refused(parts, twice)) == [("E-JSON-DUPLICATE", "f.json", "/")]


def test_what_is_wrong_before_a_syntax_error_is_listed_too():
    data = b'{"v": 1, "w": {"f": {"humans": [NaN]}}, "x": {}, }'
    assert places_of(refused(parts, data)) == [
        ("E-JSON-SCHEMA", "f.json", "/v"),
        ("E-JSON-NUMBER", "f.json", "/w/f/humans/0"),
        ("E-JSON-SYNTAX", "f.json", "line 1 column 48"),
    ]


def test_what_is_built_is_checked_only_where_what_is_around_the_entries_fits():
    findings = refused(
        grounding, b'{"results": {"v": {"0": {"clss": ["x"], "idx_in_sent": [], "bbox_for_all_frames": []}}}}'
    )
    assert places_of(findings) == [("E-JSON-SCHEMA", "submission_gen.json", "/")]


def test_entries_of_a_list_that_is_too_long_are_explained_too():
    humans = [{"parts": {}}] * 11
    findings = refused(parts, json.dumps({"v": {"f": {"humans": humans}}}).encode())
    places = [problem.where for problem in findings.problems]
    assert places == ["/v/f/humans", *(f"/v/f/humans/{number}" for number in range(11))]


def test_a_wrong_value_of_a_list_of_another_length_is_explained_too():
    box = {"v": {"f": {"humans": [{"box": ["1", 2, 3], "parts": {}}]}}}
    findings = refused(parts, json.dumps(box).encode())
    where = "/v/f/humans/0/box"
    assert [problem.where for problem in findings.problems] == [where, f"{where}/0"]


def test_a_good_file_imports_neither_jsonschema_nor_the_words():
    code = (
        "import io, sys\n"
        "from validator.formats.kinetics_tps.read import read_parts\n"
        "from validator.formats.rules import load_rules\n"
        'data = b\'{"v:": {"f": {"humans": [], "x": [{"y": ":"}]}}}\'\n'
        "read_parts(io.BytesIO(data).read, 'f', load_rules('kinetics_tps').json[1])\n"
        "print({'jsonschema', 'validator.json_words', 'validator.names', 'difflib'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


# What a value at any place may be.
ANY_VALUE = st.recursive(
    st.sampled_from([None, True, False, 0, 1, -1, 2.0, 0.5, 1e300, 10**30, 10**400, "", "x", "p", ":", "é"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*"abcdefghpq"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=scaled(500))
@given(
    st.lists(ANY_VALUE, max_size=4), st.sampled_from([*MANY_RULES["additionalProperties"]["properties"], ""])
)
def test_columns_fit_where_jsonschema_says_that_all_values_do(values, key):
    entry: Any = MANY_RULES["additionalProperties"]
    schema = entry["properties"][key] if key else entry
    validator = jsonschema.Draft7Validator(schema)
    try:
        check_of(schema, schema)(values)
        fit = True
    except UnfitError:
        fit = False
    if fit:
        assert all(map(validator.is_valid, values))
    elif "0" * 400 not in json.dumps(values):
        assert not all(map(validator.is_valid, values))
