"""Random edits of competition.yaml that its schema allows: each builds and lints, or is refused with a located problem."""

from __future__ import annotations

import copy
import json
import random
import uuid

import pytest
import yaml

from organizer.bundle.build import check_buildable, plan_bundles
from organizer.bundle.competition import LintReport
from organizer.bundle.contents import SampleRuns
from organizer.bundle.lint import lint_files
from organizer.bundle.parts import Parts
from tests.competition import competition_text, write_source
from tests.helpers import ROOT, is_nightly, make_zip, scaled
from validator.findings import Refused

N_EDITS = scaled(40) if is_nightly() else 8
N_WITH_SAMPLES = N_EDITS // 4
FORMS = ("v2", "v1.5") if is_nightly() else ("v2",)
SCHEMA, DEFINITIONS = (
    json.loads((ROOT / "organizer" / "bundle" / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("competition-v2", "definitions")
)
OURS = yaml.safe_load(competition_text())
DATES = [
    "2027-03-01 12:00:00",
    "2027-02-01",
    "2026-12-31T23:00:00Z",
    "2028-01-01 00:00:00+02:00",
    "1 May 2027",
]
FACTS = ("key", "type", "title", "selection", "is_required", "is_on_leaderboard")
FILES = [
    "own.zip",
    "own",
    "pages/data.md",
    "logo.png",
    "chalearn_action_reference.zip",
    "starting_kit.zip",
    "no.zip",
]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return a folder with all that competition.yaml may name."""
    folder = write_source(tmp_path_factory.mktemp("competition") / "source")
    (folder / "own.zip").write_bytes(make_zip({"a.txt": "some data of the organizer"}))
    (folder / "own_folder").mkdir()
    (folder / "own_folder" / "b.txt").write_text("more data of the organizer")
    return folder


def resolved(schema):
    return DEFINITIONS[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema


def value(schema, rng):
    """Return a random value that a part of the schema allows."""
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    schema = resolved(schema)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "allOf" in schema or name in ("text", "optional"):
        return rng.choice(["A title", "ü" * rng.randint(1, schema.get("maxLength", 300)), 2027])
    if name in ("path", "data"):
        return rng.choice(FILES)
    if name in ("index", "integer", "count"):
        return rng.randint(0, 7)
    if "pattern" in schema:
        return rng.choice(["", "someone@example.org"])
    return rng.choice([str(uuid.UUID(int=rng.getrandbits(128), version=4)), *DATES])


def spots(node, schema):
    """Yield (container, its schema) of every object and array."""
    schema = resolved(schema)
    if isinstance(node, dict):
        yield node, schema
        for key, inner in node.items():
            yield from spots(inner, schema["properties"][key])
    elif isinstance(node, list):
        yield node, schema
        for inner in node:
            yield from spots(inner, schema["items"])


def edit_anywhere(data, rng):
    node, schema = rng.choice(list(spots(data, SCHEMA)))
    if isinstance(node, dict):
        optional = [key for key in node if key not in schema.get("required", ()) and key != "scoring_program"]
        if optional and rng.random() < 0.5:
            del node[rng.choice(optional)]
            return
        simple = [key for key, inner in schema["properties"].items()
                  if inner is not True and resolved(inner).get("type") not in ("array", ["array", "null"], ["object", "null"])]  # fmt: skip
        key = rng.choice([key for key in simple if key not in ("version", "key")])
        node[key] = value(schema["properties"][key], rng)
    elif rng.random() < 0.5 and len(node) > schema.get("minItems", 0):
        del node[rng.randrange(len(node))]
    elif node and rng.random() < 0.5:
        node.append(copy.deepcopy(rng.choice(node)))
    else:
        rng.shuffle(node)


def edit_as_organizers_do(data, rng):
    """Make an edit that takes several places: most of these build."""
    phase, tasks = data["phases"][0], data["tasks"]
    kind = rng.randrange(6)
    if kind == 0:  # a second phase with other tasks, dates and kit
        chosen = rng.sample([task["index"] for task in tasks], rng.randint(1, len(tasks)))
        more = {"index": 9, "start": "2028-01-01 00:00:00", "end": "2028-02-01 00:00:00", "tasks": chosen}
        data["phases"].append(
            {**phase, **more, **rng.choice([{}, {"starting_kit": "own.zip", "name": "Final"}])}
        )
    elif kind == 1 and len(tasks) > 1:  # a task less
        gone = tasks.pop(rng.randrange(len(tasks)))["index"]
        data["solutions"] = [entry for entry in data.get("solutions", []) if gone not in entry["tasks"]]
        for entry in data["phases"]:
            entry["tasks"] = [index for index in entry["tasks"] if index != gone]
    elif kind == 2:  # a final task of a challenge, on other data
        name = rng.choice(tasks)["scoring_program"][: -len("_program.zip")]
        more = {"index": 50, "name": "Final", "reference_data": f"{name}_final_reference.zip"}
        tasks.append({"scoring_program": f"{name}_program.zip", **more})
        data["phases"].append(
            {**phase, "index": 8, "start": "2029-01-01", "end": "2029-02-01", "tasks": [50]}
        )
    elif kind == 3:  # own data, as a zip and as a folder
        rng.choice(tasks)["input_data"] = "own.zip"
        phase["public_data"] = rng.choice(["own_folder", "own.zip"])
    elif kind == 4:
        columns = data["leaderboards"][0]["columns"]
        columns.append(
            {"index": 40, "title": "Mean", "key": "mean", "computation": "avg", "computation_indexes": [0]}
        )
        data["fact_sheet"] = {"q": {**dict.fromkeys(FACTS, "q"), "type": "text"}}
    else:
        data["pages"].append({"title": "More", "file": rng.choice(["pages/data.md", "pages/terms.md"])})


def edited(rng, kinds, most):
    data = copy.deepcopy(OURS)
    try:
        for _ in range(rng.randint(1, most)):
            rng.choice(kinds)(data, rng)
    except (KeyError, IndexError, ValueError):  # an earlier edit took away what this one needs
        return edited(rng, kinds, most)
    return data


@pytest.mark.slow
def test_every_edit_builds_and_lints_or_is_refused_with_its_place(kept_parts, source):
    parts = Parts(source=source)
    built = refused = 0
    for seed in range(N_EDITS):
        with_samples = seed < N_WITH_SAMPLES  # of edits that leave the samples what they are
        kinds = [edit_as_organizers_do] if with_samples else [edit_anywhere, edit_as_organizers_do]
        data = edited(random.Random(seed), kinds, most=1 if with_samples else 3)
        try:
            check_buildable(data)
            plans = [plan_bundles(data, parts, form) for form in FORMS]
            for bundle in [bundle for plan in plans for bundle in plan.bundles.values()]:
                report = LintReport()
                samples = SampleRuns.ALL if with_samples else SampleRuns.NONE
                lint_files(bundle.data, bundle.files, samples, report)
                report.errors.refuse_problems()
        except Refused as error:
            refused += 1
            for problem in error.findings.problems:
                assert problem.file, (seed, problem)
                assert problem.remedy, (seed, problem)
                assert not with_samples, (seed, problem)
            continue
        assert all(plan.bundles for plan in plans), seed
        built += 1
    assert built > N_EDITS / 3, (built, refused)
    assert refused > N_EDITS / 10, (built, refused)
