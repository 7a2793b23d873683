"""What is in the bundles, and that the same sources give the same bytes."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from dataclasses import replace
from email import message_from_bytes

import jsonschema
import pytest
import yaml

from organizer.bundle import cut, parts
from organizer.bundle.build import build_all
from organizer.bundle.competition import named_files
from organizer.bundle.modules import needed_modules
from organizer.bundle.plan import plan_bundles
from organizer.bundle.programs import files_of_rules
from organizer.bundle.source import load_competition
from organizer.data.prepare import reference_files
from organizer.files import folder_files, unpack, write_files, zip_files
from organizer.runs import built
from organizer.runs.worker import BuiltTask, run_program
from quality.competition import competition_text, write_source
from scoring_program.report.outputs import result_json
from scoring_program.settings import SETTINGS_FILE
from scoring_program.task import load_task, task_ids
from tests.golden_cases import (
    PROTOCOLS,
    cases,
    check_of,
    checks_of,
    expected_of,
    numbers_of,
    score_case,
    settings_of,
    told,
)
from tests.helpers import (
    GOLDEN,
    PUBLISHED,
    REFERENCES,
    ROOT,
    SAMPLES,
    is_nightly,
    make_zip,
    one_of_each_challenge,
    one_task,
    places_of,
    prepared,
    printed_problems,
    refused,
)
from tests.processes import run_in_turn
from validator.choose import OTHER_TASKS_FILE
from validator.formats.rules import load_rules

IDS = task_ids()
VENDOR = "scoring_program/vendor/"
# Runs score.py without jsonschema; opening a file below the first argument, but for the interpreter's, fails.
HOOK = """
import runpy, sys
sys.modules["jsonschema"] = None
root, interpreter = (f"{folder}/" for folder in sys.argv[1:3])
def check(event, arguments):
    path = str(arguments[0]) if event == "open" else ""
    if path.startswith(root) and not path.startswith(interpreter):
        raise RuntimeError(f"outside of the program: {path}")
del sys.argv[:3]
sys.addaudithook(check)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def read(path):
    with zipfile.ZipFile(path) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def names_in(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return set(archive.namelist())


@pytest.fixture
def program_of(bundles):
    """Return a function that returns the zip of a task's program."""
    return lambda name: read(bundles / f"{name}.zip")[f"{name}_program.zip"]


@pytest.mark.slow
def test_two_builds_give_the_same_bytes(bundles, tmp_path, request):
    paths = build_all(None, "v2", tmp_path)
    request.getfixturevalue("kept_parts")
    for path in [*paths, *build_all(None, "v1.5", tmp_path)]:
        assert path.read_bytes() == (bundles / path.relative_to(tmp_path)).read_bytes()


def test_competition_offers_every_task(bundles):
    files = read(bundles / "competition.zip")
    competition = yaml.safe_load(files["competition.yaml"])
    programs = [task["scoring_program"] for task in competition["tasks"]]
    assert sorted(programs) == sorted(f"{name}_program.zip" for name in IDS)
    assert competition["phases"][0]["tasks"] == [task["index"] for task in competition["tasks"]]
    assert {page["file"] for page in competition["pages"]} >= {f"pages/{name}.md" for name in IDS}
    assert competition["title"].startswith("[DEMO DATA] ")
    assert competition["phases"][0]["max_submissions_per_day"] >= len(PUBLISHED)
    assert all(entry["name"] for entry in competition["solutions"])


def test_competition_of_the_repository_can_be_built():
    competition = load_competition(ROOT)
    here = parts.Parts(source=ROOT)
    assert [
        name for _, name, key in named_files(competition) if key == "file" and not here.supplied_files(name)
    ] == []


def test_page_lists_every_vendored_package_with_its_license(program_of):
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for name in IDS:
        for path, content in zip_files(program_of(name)).items():
            if path.endswith(".dist-info/METADATA"):
                package = message_from_bytes(content)
                license_name = package["License-Expression"] or package["License"]
                assert f"| {package['Name']} | {package['Version']} | {license_name} |" in page


@pytest.mark.parametrize("name", IDS)
def test_program_holds_its_challenges_code_its_own_data_and_no_reference(program_of, name):
    names = names_in(program_of(name))
    rules, folder = load_rules(name), load_task(name).folder
    assert {"score.py", "metadata.yaml", "metadata", "LICENSE"} <= names
    assert {path.relative_to(ROOT).as_posix() for path in files_of_rules(rules)} <= names
    for own, ending in ((rules.folder, ".files.yaml"), (folder, ".yaml")):
        inside = {entry for entry in names if entry.startswith(f"{own.parent.relative_to(ROOT)}/")}
        challenges = {entry.split("/")[2] for entry in inside if entry.count("/") > 2}
        assert challenges == {own.name}
        assert {entry for entry in inside if entry.endswith(".yaml")} == {
            f"{own.relative_to(ROOT)}/{name}{ending}"
        }
    assert {entry.split("/")[0] for entry in names if entry.endswith(".py")} == {
        "score.py", "scoring_program", "validator",
    }  # fmt: skip
    assert not [entry for entry in names if "demo" in entry]


@pytest.mark.parametrize("name", PUBLISHED)
def test_only_a_program_that_reads_json_carries_its_reader_and_wheels(program_of, name):
    names = names_in(program_of(name))
    data_files = {f"validator/{OTHER_TASKS_FILE}"}
    carried = [
        entry for entry in names if entry.startswith(VENDOR) or ("json" in entry and entry not in data_files)
    ]
    if load_rules(name).csv:
        assert carried == []
    else:
        assert {"validator/json_reader.py", f"{VENDOR}jsonschema/__init__.py"} <= set(carried)


def test_programs_hold_the_reader_of_csv_that_their_task_needs():
    of_files = {"validator/csv_reader.py", "validator/csv_words.py", "validator/choose_items.py"}
    of_tables = {"validator/formats/items/table.py", "validator/keys.py", "validator/choose_named.py"}
    for challenge, reader, other_reader in (
        ("chalearn", of_files, of_tables),
        ("items", of_tables, of_files),
    ):
        code = needed_modules(["scoring_program.run", f"scoring_program.challenges.{challenge}.task"])
        assert reader <= code.keys()
        assert other_reader.isdisjoint(code)


# What only organizers and the kit use, beside what it belongs to.
NOT_OF_PROGRAMS = {"check_time", "iter_list", "load_plain"}


def used_names(tree):
    """Return how often names, attributes and words of texts that are names occur in code."""
    names = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            names[node.id] += 1
        elif isinstance(node, ast.Attribute):
            names[node.attr] += 1
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.update(re.findall(r"\w+", node.value) if len(node.value) < 100 else ())
    return names


@pytest.mark.slow
def test_programs_carry_no_function_that_no_program_uses():
    challenges = [path.parent.name for path in (ROOT / "scoring_program" / "challenges").glob("*/task.py")]
    metrics = [path.stem for path in (ROOT / "scoring_program" / "metrics").glob("*.py")]
    tasks = [f"scoring_program.challenges.{challenge}.task" for challenge in challenges]
    entries = ["scoring_program.run", *tasks, *(f"scoring_program.metrics.{metric}" for metric in metrics)]
    trees = [ast.parse(code) for code in needed_modules(entries).values()]
    uses = sum(map(used_names, trees), Counter())
    unused = set()
    for tree in trees:
        for node in tree.body:
            is_definition = isinstance(node, (ast.FunctionDef, ast.ClassDef))
            if is_definition and uses[node.name] == used_names(node)[node.name]:
                unused.add(node.name)
    assert unused - NOT_OF_PROGRAMS - {"main"} == set()


# Prints the modules below the first argument that explaining imports.
IMPORT_JSONSCHEMA = """
import sys
sys.path.insert(0, sys.argv[1])
import jsonschema, jsonschema.exceptions, jsonschema.protocols
files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
print(*[path for path in files if path.startswith(sys.argv[1])], sep="\\n")
"""


def test_programs_carry_of_wheels_the_modules_that_are_imported_alone(program_of, tmp_path):
    unpack(program_of("kinetics_tps"), tmp_path)
    vendor = tmp_path / VENDOR
    command = [sys.executable, "-I", "-c", IMPORT_JSONSCHEMA, str(vendor)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()) == {str(path) for path in vendor.rglob("*.py")}


def test_vendored_wheels_bring_their_licenses(program_of):
    names = set().union(*(names_in(program_of(name)) for name in IDS))
    packages = {name.split("/")[2] for name in names if name.startswith(VENDOR) and ".dist-info/" in name}
    assert packages
    for package in packages:
        licenses = [
            name for name in names if name.startswith(f"{VENDOR}{package}/") and "LICEN" in name.upper()
        ]
        assert licenses, package


@pytest.mark.parametrize("name", IDS)
def test_single_task_bundle_has_the_challenge_columns(bundles, name):
    competition = yaml.safe_load(read(bundles / f"{name}.zip")["competition.yaml"])
    (leaderboard,) = competition["leaderboards"]
    assert leaderboard["submission_rule"] == "Force_Best"
    assert [column["key"] for column in leaderboard["columns"]][:2] == ["score", "coverage"]
    assert [column["index"] for column in leaderboard["columns"]] == list(range(len(leaderboard["columns"])))


def test_tasks_are_called_what_their_challenges_are():
    tasks = yaml.safe_load(competition_text())["tasks"]
    called = {task["scoring_program"]: (task["name"], task["description"]) for task in tasks}
    challenges = [load_task(name) for name in IDS]
    assert called == {f"{found.id}_program.zip": (found.title, found.summary) for found in challenges}


@pytest.mark.slow
def test_what_the_organizer_writes_wins_in_every_bundle(edited):
    def change(data, source):
        data["tasks"][0].update(name="My actions", description="My words.")
        page = next(page for page in data["pages"] if page["file"] == "pages/chalearn_action.md")
        page["title"] = "My page"
        data["leaderboards"][0]["columns"][0].update(title="Points", precision=2)

    changed = edited(change)
    assert changed["competition.zip"]["tasks"][0]["name"] == "My actions"
    one = changed["chalearn_action.zip"]
    assert one["title"] == "[DEMO DATA] My actions"
    assert {one["description"], one["tasks"][0]["description"], one["phases"][0]["description"]} == {
        "My words."
    }
    assert {"title": "My page", "file": "pages/chalearn_action.md"} in one["pages"]
    score = one["leaderboards"][0]["columns"][0]
    # Other tasks have points of another kind.
    assert (score["title"], score["precision"]) == ("Mean Jaccard", 2)
    assert edited(change, "v1.5")["chalearn_action.zip"]["title"] == "[DEMO DATA] My actions"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v1.5"])
def test_phases_keep_the_descriptions_of_the_organizer(edited, form):
    def change(data, source):
        add_final_phase(data, source)
        data["phases"][0]["description"] = "Public data: the board is a guide."
        data["phases"][1].update(description="Hidden data: it decides.", tasks=[0, 1])

    phases = edited(change, form)["chalearn_action.zip"]["phases"]
    phases = phases if form == "v2" else list(phases.values())
    descriptions = [phase["description"] for phase in phases]
    assert descriptions == ["Public data: the board is a guide.", "Hidden data: it decides."]


def only_actions(data):
    data["tasks"], data["phases"][0]["tasks"] = data["tasks"][:1], [0]
    data["solutions"] = data["solutions"][:1]


def test_columns_of_a_competition_of_one_challenge_are_the_organizers(edited):
    def change(data, source):
        only_actions(data)
        data["leaderboards"][0]["columns"][0].update(title="Points")
        del data["leaderboards"][0]["columns"][1]

    (column,) = edited(change)["chalearn_action.zip"]["leaderboards"][0]["columns"]
    assert column["title"] == "Points"


@pytest.mark.parametrize(
    "sentence", ["All tasks are ticked. Please untick those of others.", "One of six tasks."]
)
def test_sentence_about_all_tasks_is_in_no_bundle_of_one_task(sentence):
    data = yaml.safe_load(competition_text())
    data["phases"][0]["description"] = sentence
    bundle = cut.one_task(data, load_task("densepose"))
    assert bundle is not None
    assert bundle["phases"][0]["description"] == bundle["tasks"][0]["description"]


def test_description_of_a_task_may_be_a_number():
    data = yaml.safe_load(competition_text())
    next(task for task in data["tasks"] if "densepose" in task["scoring_program"])["description"] = 2027
    bundle = cut.one_task(data, load_task("densepose"))
    assert bundle is not None
    assert (bundle["description"], bundle["phases"][0]["description"]) == ("2027", "2027")


@pytest.mark.slow
@pytest.mark.parametrize("description", ["Who does what?", None])
def test_texts_of_a_competition_of_one_challenge_are_the_organizers(edited, capsys, description):
    pages = [{"title": title, "file": f"pages/{stem}.md"} for title, stem in
             (("Rules", "terms"), ("Welcome", "overview"), ("Format", "chalearn_action"), ("Owls", "kinetics_tps"))]  # fmt: skip

    def change(data, source):
        only_actions(data)
        add_final_phase(data, source)
        data.update(title="Our challenge", description=description, pages=pages)

    one = edited(change)["chalearn_action.zip"]
    assert (one["title"], one["description"]) == ("[DEMO DATA] Our challenge", description)
    assert one["pages"] == pages
    old = edited(change, "v1.5")["chalearn_action.zip"]
    assert (old["title"], old.get("description")) == ("[DEMO DATA] Our challenge", description)
    names = ("overview", "overview_1", "chalearn_action", "kinetics_tps", "terms")
    assert tuple(old["html"]) == names
    assert "24 hours" in capsys.readouterr().out


def test_competition_of_one_challenge_without_pages_becomes_the_older_form(edited):
    def change(data, source):
        only_actions(data)
        data["pages"] = []

    assert edited(change, "v1.5")["chalearn_action.zip"]["html"] == {"terms": "pages/terms.md"}


@pytest.mark.slow
def test_limits_and_columns_of_the_interval_are_kept_in_every_bundle(edited):
    low = {"index": 2, "title": "Interval from", "key": "score_low", "sorting": "desc", "precision": 4}

    def change(data, source):
        data["tasks"], data["solutions"] = data["tasks"][:2], data["solutions"][:2]
        data["phases"][0].update(tasks=[0, 1], max_submissions=3, max_submissions_per_day=5)
        data["leaderboards"][0]["columns"].append(low)

    for data in edited(change).values():
        (phase,) = data["phases"]
        assert (phase["max_submissions"], phase["max_submissions_per_day"]) == (3, 5)
        assert "score_low" in [column["key"] for column in data["leaderboards"][0]["columns"]]


def test_build_warns_of_text_that_becomes_a_comment(edited, tmp_path, capsys):
    edited(only_actions_in)
    path = tmp_path / "source" / "competition.yaml"
    path.write_text(path.read_text().replace("title: People in Video", "title: People in Video #2"))
    build_all(None, "v2", tmp_path / "dist", source=tmp_path / "source")
    out = capsys.readouterr().out
    (problem,) = [problem for problem in printed_problems(out) if problem.code == "L-YAML"]
    assert problem[1:3] == ("competition.yaml", "line 2")
    assert " #2 " in problem.text


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("folder", ["", "v1.5/"])
def test_single_task_bundle_speaks_of_no_other_task(bundles, folder, name):
    files = read(bundles / f"{folder}{name}.zip")
    texts = [data.decode() for place, data in files.items() if place.endswith((".md", ".yaml"))]
    assert not [text for text in texts if "tick" in text.lower().split() or "untick" in text.lower()]


@pytest.mark.interpreters
def test_real_reference_comes_from_outside_and_is_not_shown(kept_parts, tmp_path):
    name = IDS[0]
    own = tmp_path / "refs" / name
    own.mkdir(parents=True)
    for place, data in folder_files(ROOT / "reference_data" / name).items():
        if place != "SYNTHETIC.md":
            (own / place).parent.mkdir(parents=True, exist_ok=True)
            (own / place).write_bytes(data)
    build_all(tmp_path / "refs", "v2", tmp_path / "dist")
    # No other task has data.
    written_names = [path.name for path in (tmp_path / "dist").iterdir() if not path.name.startswith(".")]
    assert written_names == [f"{name}.zip"]
    files = read(tmp_path / "dist" / f"{name}.zip")
    competition = yaml.safe_load(files["competition.yaml"])
    assert not competition["title"].startswith("[DEMO")
    assert "solutions" not in competition
    assert f"{name}_sample.zip" not in files
    kit = names_in(files["starting_kit.zip"])
    assert f"people_in_video/demo_reference/{name}/SYNTHETIC.md" in kit


@pytest.fixture
def edited(kept_parts, tmp_path):
    """Return a function that edits a copy of competition.yaml and builds; other files are next to it."""
    source = write_source(tmp_path / "source")

    def build(change, form="v2", **options):
        data = yaml.safe_load(competition_text())
        change(data, source)
        (source / "competition.yaml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
        paths = build_all(options.pop("reference", None), form, tmp_path / "dist", source=source, **options)
        return {path.name: yaml.safe_load(read(path)["competition.yaml"]) for path in paths}

    return build


def only_actions_in(data, source):
    only_actions(data)


def add_final_phase(data, source):
    action = next(task for task in data["tasks"] if task["scoring_program"] == "chalearn_action_program.zip")
    index = 1 + max(task["index"] for task in data["tasks"])
    data["tasks"].append(
        {**action, "index": index, "name": "Final", "reference_data": "chalearn_action_final_reference.zip"}
    )
    later = {"index": 1, "name": "Final", "start": "2028-01-02", "end": "2028-02-01", "tasks": [index]}
    data["phases"].append({**data["phases"][0], **later, "max_submissions": 3})


def copy_without_mark(task_id, folder):
    shutil.copytree(ROOT / "reference_data" / task_id, folder)
    (folder / "SYNTHETIC.md").unlink()
    return folder


@pytest.mark.slow
def test_final_phase_on_other_data_has_a_reference_of_its_own(edited, tmp_path):
    refs = tmp_path / "refs"
    copy_without_mark("chalearn_action", refs / "chalearn_action")
    final = copy_without_mark("chalearn_action", refs / "chalearn_action_final")
    for path in sorted(final.glob("*0004_*")):
        path.unlink()
    (final / "settings.yaml").write_text("shares_items_with: chalearn_action\n")
    competition = edited(add_final_phase, reference=refs)["chalearn_action.zip"]
    assert [task["index"] for task in competition["tasks"]] == [0, 1]
    assert [(phase["tasks"], phase["max_submissions"]) for phase in competition["phases"]] == [
        ([0], 200),
        ([1], 3),
    ]
    assert competition["leaderboards"][0]["submission_rule"] == "Force_Best"
    files = read(tmp_path / "dist" / "chalearn_action.zip")
    first, second = (names_in(files[f"chalearn_action{kind}_reference.zip"]) for kind in ("", "_final"))
    assert second - {"settings.yaml"} == {name for name in first if "0004" not in name}
    assert len(first) > len(second)


@pytest.mark.slow
def test_both_phases_are_carried_over_to_the_older_form(edited):
    def change(data, source):
        add_final_phase(data, source)
        data["registration_auto_approve"] = False
        data["enable_detailed_results"] = False
        data["phases"][1]["hide_output"] = True
        data["leaderboards"][0]["columns"][1]["hidden"] = True

    competition = edited(change, "v1.5")["chalearn_action.zip"]
    first, second = competition["phases"][1], competition["phases"][2]
    assert (first["reference_data"], first["hide_output"]) == ("chalearn_action_reference.zip", False)
    assert (second["reference_data"], second["hide_output"]) == ("chalearn_action_final_reference.zip", True)
    assert competition["has_registration"] is True
    assert competition["enable_detailed_results"] is False
    assert competition["force_submission_to_leaderboard"] is True
    hidden = [key for key, column in competition["leaderboard"]["columns"].items() if column.get("hidden")]
    assert hidden == ["coverage"]


@pytest.mark.slow
def test_what_the_older_form_cannot_carry_is_said(edited, capsys):
    edited(lambda data, source: data.update(reward="a cup"), "v1.5")
    said = capsys.readouterr().out
    assert re.search("note [|] .* v1.5: .*reward", said)
    assert re.search("note [|] .*submission rule", said)


@pytest.mark.slow
def test_optional_keys_may_go(edited):
    def change(data, source):
        del data["description"]
        data["solutions"] = None
        optional = "index description end max_submissions max_submissions_per_day execution_time_limit"
        for key in optional.split():
            del data["phases"][0][key]

    assert "solutions" not in edited(change)["competition.zip"]
    assert "end_date" not in edited(change, "v1.5")["chalearn_action.zip"]


KEY = "5b0d4b2e-3a51-4c7d-9d5e-0f4f5a3b8f11"


def test_program_that_the_server_holds_is_left_alone(edited, tmp_path):
    def change(data, source):
        only_actions(data)
        data["tasks"][0]["scoring_program"] = KEY

    assert edited(change)["chalearn_action.zip"]["tasks"][0]["scoring_program"] == KEY
    names = read(tmp_path / "dist" / "chalearn_action.zip").keys()
    assert "chalearn_action_reference.zip" in names
    assert not any("program" in name or KEY in name for name in names)


def test_bundle_of_a_reference_that_the_server_holds_has_no_public_data(edited, capsys):
    def change(data, source):
        only_actions(data)
        data["tasks"][0]["reference_data"] = KEY

    assert "public_data" not in edited(change)["chalearn_action.zip"]["phases"][0]
    assert "no public_data.zip for Main phase" in capsys.readouterr().out


def test_competition_of_nothing_but_keys_is_refused_where_a_file_is_missing(edited):
    def change(data, source):
        data["tasks"] = [{"index": task["index"], "key": KEY} for task in data["tasks"]]
        del data["solutions"]

    (problem,) = refused(edited, change).problems
    place = (problem.code, problem.file, problem.where)
    assert place == ("L-FILE", "competition.yaml", "/phases/0/starting_kit")


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        (("pages", 0, "file"), "pages/overview.md"),
        pytest.param(("tasks", 0, "scoring_program"), "chalearn_action_program.zip", marks=pytest.mark.slow),
    ],
)
def test_nearest_name_of_a_file_is_named(edited, path, nearest):
    def change(data, source):
        *head, key = path
        entry = data
        for step in head:
            entry = entry[step]
        assert entry[key] == nearest
        entry[key] = nearest[:-5] + nearest[-4:]

    problem, *others = [problem for problem in refused(edited, change).problems if problem.code == "L-FILE"]
    assert problem.where == "/" + "/".join(map(str, path))
    assert f"'{nearest}'" in problem.problem
    # Without its program, a task has no other files, whose names are right.
    assert all("nearest" not in problem.problem for problem in others)


@pytest.mark.parametrize("name", ["competition.yaml", "pages/../competition.yaml", "sources.json"])
def test_page_that_the_build_writes_itself_is_refused(name):
    competition = load_competition()
    competition["pages"][0]["file"] = name
    findings = refused(plan_bundles, competition, parts.Parts(), "v2")
    assert places_of(findings) == [("L-FILE", "competition.yaml", "/pages/0/file")]


@pytest.mark.slow
def test_own_data_and_a_computed_column_reach_the_bundles(edited, tmp_path):
    def change(data, source):
        (source / "extra").mkdir()
        (source / "extra" / "help.txt").write_text("help")
        (source / "kit.zip").write_bytes(make_zip({"kit.txt": "kit"}))
        data["phases"][0].update(public_data="extra", starting_kit="kit.zip")
        board = data["leaderboards"][0]["columns"]
        board.append(
            {"index": 2, "title": "Mean", "key": "mean", "computation": "avg", "computation_indexes": [1, 0]}
        )

    columns = edited(change)["kinetics_tps.zip"]["leaderboards"][0]["columns"]
    assert columns[-1]["computation_indexes"] == [
        [c["key"] for c in columns].index(key) for key in ("coverage", "score")
    ]
    assert {"extra/help.txt", "kit.zip"} <= read(tmp_path / "dist" / "kinetics_tps.zip").keys()
    assert "starting_kit.zip" not in read(tmp_path / "dist" / "kinetics_tps.zip")


@pytest.mark.slow
def test_own_reference_folder_is_dry_run_from_the_bundle(edited, tmp_path, monkeypatch):
    def change(data, source):
        copy_without_mark("chalearn_action", source / "mine")
        data["tasks"][0]["reference_data"] = "mine"

    edited(change)
    monkeypatch.setattr(built, "DIST", tmp_path / "dist")
    task = built.built_task("chalearn_action", None)
    assert names_in(task.reference) == folder_files(tmp_path / "source" / "mine").keys()


@pytest.mark.slow
def test_bundle_without_a_reference_cannot_be_dry_run(edited, tmp_path, monkeypatch):
    edited(lambda data, source: None)
    path = tmp_path / "dist" / "chalearn_action.zip"
    files = read(path)
    competition = yaml.safe_load(files["competition.yaml"])
    del competition["tasks"][0]["reference_data"]
    path.write_bytes(make_zip({**files, "competition.yaml": yaml.safe_dump(competition)}))
    monkeypatch.setattr(built, "DIST", tmp_path / "dist")
    (problem,) = refused(built.built_task, "chalearn_action", None).problems
    assert (problem.code, problem.file, problem.where) == ("L-REFERENCE", "competition.yaml", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        (lambda data: data["phases"][0].update(tasks=[77]), "L-TASK", "/phases/0/tasks"),
        # Too long with the mark of demo data.
        (lambda data: data.update(title="x" * 250), "L-SCHEMA", "/title"),
    ],
)
def test_wrong_edit_is_refused_with_its_place_and_nothing_is_written(edited, tmp_path, change, code, where):
    findings = refused(edited, lambda data, source: change(data))
    assert places_of(findings) == [(code, "competition.yaml", where)]
    assert not (tmp_path / "dist").exists()


@pytest.mark.slow
def test_demo_data_beside_real_data_needs_its_flag(edited, tmp_path, capsys):
    refs = tmp_path / "refs"
    copy_without_mark("chalearn_action", refs / "chalearn_action")
    assert edited(lambda data, source: None, reference=refs).keys() == {"chalearn_action.zip"}
    said = capsys.readouterr().out
    (line,) = [line for line in said.splitlines() if " competition.zip, " in line]
    assert line.startswith("note | ")
    assert " anet_entities_gen, " in line
    assert "demo data" not in said
    built = edited(lambda data, source: None, reference=refs, demo=True)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "demo data" in line]
    assert " competition.zip" in line
    assert "chalearn_action.zip" not in line
    assert built["competition.zip"]["title"].startswith("[DEMO DATA] ")
    assert not built["chalearn_action.zip"]["title"].startswith("[DEMO")


def test_reference_without_a_task_of_the_competition_is_named_once(edited, tmp_path):
    refs = tmp_path / "refs"
    copy_without_mark("chalearn_action", refs / "chalearn_action_final")

    (problem,) = refused(edited, add_final_phase, reference=refs).problems
    assert problem.code == "L-NOTHING"
    assert " anet_entities_gen, " in problem.problem
    assert "DEMO=1" in problem.remedy


def test_a_wrong_file_of_one_of_several_references_is_named_with_its_folder(edited, tmp_path):
    refs = tmp_path / "refs"
    for name in ("chalearn_action", "chalearn_action_final"):
        copy_without_mark("chalearn_action", refs / name)
    (refs / "chalearn_action_final" / "settings.yaml").write_text("detail: no\n")
    (problem,) = refused(edited, add_final_phase, reference=refs).problems
    assert problem.file == "chalearn_action_final/settings.yaml"


def test_build_says_what_is_left_of_earlier_builds(edited, tmp_path, capsys):
    refs = tmp_path / "refs"
    copy_without_mark("chalearn_action", refs / "chalearn_action")
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "kinetics_tps.zip").touch()
    edited(lambda data, source: None, reference=refs)
    assert re.search("note [|] .* dist/ .*: kinetics_tps.zip;", capsys.readouterr().out)


@pytest.mark.slow
def test_parts_are_made_once_in_a_build(tmp_path, monkeypatch):
    made = []

    def demo_reference(task_id):
        made.append(task_id)
        return {"SYNTHETIC.md": b"x"}

    monkeypatch.setattr(parts, "demo_reference", demo_reference)
    plan = plan_bundles(load_competition(), parts.Parts(), "v2")
    assert len(plan.bundles) == len(IDS) + 1
    assert sorted(made) == IDS


def run_alone(name, program, folder):
    """Run a program on the good sample where opening a file of the repository fails, though it could be
    imported, and importing jsonschema, too."""
    for part in ("program", "input/ref", "input/res"):
        (folder / part).mkdir(parents=True)
    unpack(program, folder / "program")
    write_files(reference_files(name, REFERENCES / name), folder / "input" / "ref")
    write_files(folder_files(SAMPLES / name / "good"), folder / "input" / "res")
    arguments = [str(folder / part) for part in ("program/score.py", "input", "output")]
    return subprocess.run(
        [sys.executable, "-c", HOOK, str(ROOT), sys.prefix, *arguments],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", one_of_each_challenge())
def test_program_runs_from_its_zip_alone_and_writes_the_declared_columns(program_of, tmp_path, name):
    done = run_alone(name, program_of(name), tmp_path)
    assert done.returncode == 0, done.stderr
    scores = json.loads((tmp_path / "output" / "scores.json").read_text(encoding="utf-8"))
    assert list(scores) == [column.key for column in load_task(name).columns]
    assert list(scores)[:2] == ["score", "coverage"]


@pytest.mark.slow
def test_program_without_one_of_its_packages_does_not_run_alone(program_of, tmp_path):
    with zipfile.ZipFile(io.BytesIO(program_of(IDS[0]))) as archive:
        names = [entry for entry in archive.namelist() if not entry.startswith("validator/")]
        done = run_alone(IDS[0], make_zip({entry: archive.read(entry) for entry in names}), tmp_path)
    assert done.returncode
    assert f"outside of the program: {ROOT}/validator/" in done.stderr


@pytest.fixture
def run_built(program_of, tmp_path):
    """Return a function that runs a built program as the platform's worker does."""

    def run(name, reference, submission):
        return run_program(
            BuiltTask(name, program_of(name), reference, 120.0), submission, tmp_path / "app", None
        )

    return run


def largest_cases():
    """Yield for each task the golden case that holds the most, under one protocol, at night under each."""
    for number, name in enumerate(one_of_each_challenge()):
        for protocol in PROTOCOLS if is_nightly() else [PROTOCOLS[number % len(PROTOCOLS)]]:
            told = [case for case in cases(name) if numbers_of(case, protocol) is not None]
            if told:
                case = max(told, key=lambda case: (case / "expected.json").stat().st_size)
                yield pytest.param(case, protocol, id=f"{name}-{case.name}-{protocol}")


@pytest.mark.slow
@pytest.mark.parametrize(("case", "protocol"), list(largest_cases()))
def test_built_program_gives_the_numbers_of_a_golden_case(run_built, tmp_path, case, protocol):
    """The built program writes what the sources give, digit by digit, and that are the golden numbers."""
    name = case.parent.name
    reference = tmp_path / "reference"
    reference.mkdir()
    write_files(folder_files(prepared(name, case / "ref")), reference)

    def score(**settings):
        result = score_case(case, protocol, **settings)
        (reference / SETTINGS_FILE).write_text(yaml.safe_dump(settings_of(case, protocol, **settings)))
        outcome = run_built(name, reference, case / "res")
        assert outcome.exit_code == 0, outcome.stderr
        written = json.loads(outcome.outputs["detailed_results.json"])
        assert {**written, "stages": {}} == json.loads(
            result_json(replace(result.shown, signature=written["signature"]), result.notes, {})
        )
        assert json.loads(outcome.outputs["scores.json"]) == written["scores"]
        return result

    checks, expected = checks_of(name), expected_of(case)
    with told(case):
        check_of(name)(name, score, numbers_of(case, protocol))
        if set(getattr(checks, "MORE", ())) & expected.keys():
            checks.check_more(score, expected)


@pytest.mark.slow
def test_starting_kit_runs_from_its_own_zip(unpack_kit, tmp_path):
    unpack_kit("competition", tmp_path)
    schemas = tmp_path / "people_in_video" / "scoring_program" / "report"
    for name in one_task():
        samples = [f"people_in_video/samples/{name}/{kind}.zip" for kind in ("good", "weak")]
        check = ["-m", "people_in_video", "check", name, samples[0]]
        kit = ["-m", "people_in_video"]
        commands = [[*kit, "score", name, samples[0]], check, [*kit, "compare", name, *samples]]
        run_in_turn(commands, tmp_path)
        assert (tmp_path / "evaluation" / "detailed_results.html").is_file()
        found = json.loads((tmp_path / "evaluation" / "detailed_results.json").read_text(encoding="utf-8"))
        jsonschema.validate(found, json.loads((schemas / "detailed_results.schema.json").read_text()))
        compared = json.loads((tmp_path / "comparison" / "comparison.json").read_text(encoding="utf-8"))
        comparing = tmp_path / "people_in_video" / "comparing"
        jsonschema.validate(compared, json.loads((comparing / "comparison.schema.json").read_text()))
        items = (tmp_path / "evaluation" / "per_item.csv").read_text(encoding="utf-8").splitlines()
        assert items[0].startswith("item,submitted,score,weight")
        assert len(items) == 1 + found["interval"]["items"]


@pytest.mark.slow
def test_kits_with_generated_sentences_make_the_servers_lemmas(program_of, unpack_kit, tmp_path):
    task, table = "anet_entities_gen", "corenlp_3.9.1_lemmas.tsv.gz"
    assert table not in names_in(program_of(task))
    unpack_kit(task, tmp_path)
    case = next((GOLDEN / task).glob("*/released.json")).parent
    places = [str(case / "submission.zip"), "--reference", str(case / "source")]
    run_in_turn([["-m", "people_in_video", "score", task, *places, "--protocol", "released"]], tmp_path)
    detail = json.loads((tmp_path / "evaluation" / "detailed_results.json").read_text(encoding="utf-8"))
    assert "|lemmas:corenlp-3.9.1-table+0|" in detail["signature"]
    scores = json.loads((tmp_path / "evaluation" / "scores.json").read_text(encoding="utf-8"))
    released = json.loads((case / "released.json").read_text(encoding="utf-8"))
    assert scores["score"] == pytest.approx(released["all"][5], abs=1e-9)


@pytest.mark.slow
def test_chalearn_modules_work_from_the_kit_as_in_the_challenges_text(unpack_kit, tmp_path):
    unpack_kit("chalearn_action", tmp_path)
    with zipfile.ZipFile(tmp_path / "valSamples" / "Seq01.zip", "w") as sample:
        sample.writestr(
            "Seq01_labels.csv", "1,2,5\n102,250,325\n".replace("1,2,5", "1,1,2,5").replace("102,", "1,3,")
        )
        sample.writestr("Seq01_data.csv", "1254,20,8000\n")
    code = (
        "from ChalearnLAPEvaluation import evalAction, exportGT_Action\n"
        "from ChalearnLAPSample import ActionSample\n"
        "exportGT_Action('valSamples', 'gtData')\n"
        "sample = ActionSample('valSamples/Seq01.zip')\n"
        "sample.exportPredictions(([1, 1, 2, 5], [1, 3, 250, 325]), 'valPredict')\n"
        "print(sample.evaluate('gtData'), evalAction('valPredict', 'gtData'))\n"
    )
    (printed,) = run_in_turn([["-c", code]], tmp_path)
    assert printed.split() == ["1.0", "1.0"]
