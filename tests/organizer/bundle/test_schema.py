"""competition.yaml without its files: each value is judged as by the platform's serializers, in words of one table."""

from __future__ import annotations

import ast
import copy
import datetime
import json
import string
from itertools import product

import pytest
import yaml

from organizer.bundle.classic import classic
from organizer.bundle.competition import LintReport
from organizer.bundle.rules import check_competition
from organizer.bundle.words import ERRORS, WARNINGS
from quality.competition import competition_text
from tests.helpers import ROOT

SCHEMAS = ROOT / "organizer" / "bundle" / "schemas"
WORDS = {**ERRORS, **WARNINGS}
KEYWORDS = {"required", "maxLength", "additionalProperties", "otherwise"}
FIELDS = {"key", "value", "short", "message", "limit", "missing", "known"}


def titles(node):
    if isinstance(node, dict):
        if isinstance(node.get("title"), str):
            yield node["title"]
        for part in node.values():
            yield from titles(part)
    elif isinstance(node, list):
        for part in node:
            yield from titles(part)


def of_schemas():
    """Return the names that the schemas use: keywords, and titles of their parts."""
    used = set(KEYWORDS)
    for name in ("competition-v2", "competition-v1.5", "definitions"):
        used.update(titles(json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))))
    return {title for title in used if not title.startswith("competition.yaml of ")}


PATHS = [*SCHEMAS.parent.glob("*.py"), ROOT / "organizer" / "runs" / "built.py"]
CODE = [ast.parse(path.read_text(encoding="utf-8")) for path in PATHS if path.stem != "words"]


def reported():
    """Yield each rule that the code reports by its name, and the names of the fields that it gives."""
    for node in (node for tree in CODE for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if ast.unparse(node.func) in ("report.add", "refused", "check_unique"):
            fields = {keyword.arg for keyword in node.keywords} or {"name", "value"}
            for part in ast.walk(node.args[0]):
                if isinstance(part, ast.Constant):
                    yield part.value, fields


def fields_of(rule):
    return {
        name for text in WORDS[rule] for _, name, _, _ in string.Formatter().parse(text) if name is not None
    }


def test_each_title_and_each_reported_rule_has_words_and_each_word_is_used():
    assert of_schemas() | {rule for rule, _ in reported()} <= WORDS.keys()
    texts = {node.value for tree in CODE for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert WORDS.keys() - of_schemas() <= texts


def test_words_are_complete_and_name_known_fields():
    assert ERRORS.keys() & WARNINGS.keys() == set()
    for words in WORDS.values():
        assert words.code.startswith("L-")
        assert words.problem
        assert words.remedy
    for rule in of_schemas():
        assert fields_of(rule) <= FIELDS
    found_rules = list(reported())
    assert len(found_rules) > 50
    for rule, fields in found_rules:
        assert fields_of(rule) <= fields, rule


OURS = yaml.safe_load(competition_text())
CLASSIC, _ = classic(OURS)
KEY = "5b0d4b2e-3a51-4c7d-9d5e-0f4f5a3b8f11"
QUESTION = {
    "key": "q",
    "type": "text",
    "title": "Q",
    "selection": "",
    "is_required": "true",
    "is_on_leaderboard": False,
}
MISSING = object()
DATE = datetime.date(2027, 6, 1)
PHASE, COLUMN, RULE = "/phases/0", "/leaderboards/0/columns/0", "/leaderboards/0/submission_rule"
LIMIT = f"{PHASE}/execution_time_limit"


def changed(place, value, data=OURS):
    """Return competition.yaml with another value at a JSON Pointer."""
    data = copy.deepcopy(data)
    *parents, key = place.strip("/").split("/")
    node = data
    for step in parents:
        node = node[int(step) if isinstance(node, list) else step]
    if value is MISSING:
        del node[key]
    else:
        node[int(key) if isinstance(node, list) else key] = value
    return data


def found(data):
    """Return the level, the code, the place and the words of each finding about competition.yaml."""
    report = LintReport()
    check_competition(data, report)
    return [
        (level, problem.code, problem.where, f"{problem.problem}; {problem.remedy}.")
        for level, findings in (("error", report.errors), ("warning", report.warnings))
        for problem in findings.problems
    ]


def asked(**changes):
    """Return a fact sheet of one question."""
    return {"q": {**QUESTION, **changes}}


FINE = [
    ("/solutions", None),
    ("/fact_sheet", asked()),
    (LIMIT, ""),
    ("/fact_sheet", asked(type="checkbox", selection=[True, False])),
    ("/fact_sheet", asked(type="select", selection=["net", "tree"])),
    ("/enable_detailed_results", "off"),
    ("/registration_auto_approve", 0),
    (f"{COLUMN}/precision", "4"),
    (f"{COLUMN}/precision", 2.0),
    (f"{COLUMN}/index", "0"),
    (f"{COLUMN}/title", f" {'x' * 36} "),
    *((f"{PHASE}/max_submissions", text) for text in ("5", " 5 ", "+5", "5.0", "1_000")),
    (f"{PHASE}/max_submissions_per_day", 0),
    (f"{PHASE}/start", "2026-01-01T00:00:00.5Z"),
    ("/title", 2027),
    ("/reward", 100),
    *(("/contact_email", address) for address in (
        "info@example.org", "info@example.org ", "a.b+c@x-y.co", '"a!b"@example.org', "ann@b\u00fccher.example", "me@localhost",
        "a@[127.0.0.1]", "a@[::1]", "u@example.123", "")),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value"), FINE)
def test_value_that_the_platform_takes_is_fine(place, value):
    assert found(changed(place, value)) == []


# A place and a value there; the level, the code and the place of what is said of it, and words that this holds.
JUDGED = [
    ("/title", MISSING, "error", "L-SCHEMA", "/", ["title"]),
    ("/title", [], "error", "L-SCHEMA", "/title", ["[]", "quotes"]),
    ("/title", True, "error", "L-SCHEMA", "/title", ["True", "quotes"]),
    ("/title", "  ", "error", "L-SCHEMA", "/title", ["blank"]),
    ("/title", "x" * 231, "error", "L-SCHEMA", "/title", []),
    *((place, DATE, "error", "L-SCHEMA", place, ["2027-06-01"]) for place in (
        "/title", "/description", "/reward", "/image", "/tasks/0/name", f"{PHASE}/name", f"{PHASE}/description", f"{PHASE}/public_data",
        "/pages/0/title", "/pages/0/file", "/leaderboards/0/columns/1/title", "/tasks/0/reference_data")),
    *((place, text, "error", "L-SCHEMA", place, []) for place, text in product(("/title", "/pages/0/title"), ("a\0b", "\ud800"))),
    ("/description", False, "error", "L-SCHEMA", "/description", ["False", "quotes"]),
    *(("/description", value, "warning", "L-TEXT", "/description", ["description"]) for value in (None, "")),
    ("/forum_enabled", "perhaps", "error", "L-SCHEMA", "/forum_enabled", ["perhaps", "true", "false"]),
    (f"{PHASE}/hide_output", 2, "error", "L-SCHEMA", f"{PHASE}/hide_output", ["2", "true", "false"]),
    (f"{COLUMN}/hidden", None, "error", "L-SCHEMA", f"{COLUMN}/hidden", []),
    ("/contact_email", "me", "error", "L-SCHEMA", "/contact_email", ["me ", "address"]),
    *(("/contact_email", address, "error", "L-SCHEMA", "/contact_email", []) for address in (
        "a@b", "a@@b.org", "a..b@c.org", ".a@b.org", "a.@b.org", "a@-b.org", "a@b-.org", "a@b_c.org", "a,b@c.org", "\u00e4@b.org",
        "a b@c.org", '"a b"@c.org', "a@b.c", "a@b..org", f"a@{'b' * 64}.org", "a@[300.0.0.1]", "a@[b.org]")),
    (f"{PHASE}/max_submissions", -1, "error", "L-SCHEMA", f"{PHASE}/max_submissions", ["-1", " 0 or more"]),
    (f"{PHASE}/max_submissions", True, "error", "L-SCHEMA", f"{PHASE}/max_submissions", ["number"]),
    (f"{PHASE}/max_submissions", "many", "error", "L-SCHEMA", f"{PHASE}/max_submissions", ["many", "number"]),
    *((place, value, "error", "L-SCHEMA", place, ["2147483647"])
      for place in (f"{PHASE}/max_submissions", f"{PHASE}/execution_time_limit", f"{COLUMN}/precision", "/leaderboards/0/columns/1/index")
      for value in (2**31, str(2**31))),
    (f"{COLUMN}/precision", 2.5, "error", "L-SCHEMA", f"{COLUMN}/precision", ["2.5", "number"]),
    *((f"{COLUMN}/precision", value, "warning", "L-BOARD", f"{COLUMN}/precision", [f" {value} ", "0 to 10"]) for value in (-1, 11, "-1", "011")),
    (f"{COLUMN}/sorting", "down", "error", "L-SCHEMA", f"{COLUMN}/sorting", ["write asc or desc"]),
    (f"{COLUMN}/sorting", "Asc", "error", "L-SCHEMA", f"{COLUMN}/sorting", ["write asc or desc"]),
    ("/leaderboards/0/columns", [{**column, "index": column["index"] + 1} for column in OURS["leaderboards"][0]["columns"]],
     "error", "L-BOARD", "/leaderboards/0/columns", ["index 0"]),
    (f"{COLUMN}/computation", "median", "error", "L-SCHEMA", f"{COLUMN}/computation", ["'median'"]),
    (f"{COLUMN}/computation", "avg", "error", "L-COLUMN", COLUMN, ["computation ", "computation_indexes"]),
    (f"{COLUMN}/computation_indexes", [1], "error", "L-COLUMN", COLUMN, ["computation ", "computation_indexes"]),
    (f"{COLUMN}/computation_indexes", [0.0], "error", "L-SCHEMA", f"{COLUMN}/computation_indexes/0", []),
    (f"{PHASE}/naem", "x", "error", "L-UNKNOWN", f"{PHASE}/naem", ["naem", " name"]),
    (f"{PHASE}/max_submissions_per_person", 3, "error", "L-UNKNOWN", f"{PHASE}/max_submissions_per_person", [" max_submissions."]),
    ("/pages/0/zzz", "x", "warning", "L-UNKNOWN", "/pages/0/zzz", ["zzz", "file, index, title"]),
    ("/report", "x", "warning", "L-UNKNOWN", "/report", ["report", "documented"]),
    (f"{PHASE}/tasks", "0", "error", "L-SCHEMA", f"{PHASE}/tasks", ["[0]"]),
    (f"{PHASE}/start", "2026-01-01 24:00:00", "error", "L-DATE", f"{PHASE}/start", ["2026-01-02 00:00:00"]),
    (f"{PHASE}/end", 86399, "error", "L-SCHEMA", f"{PHASE}/end", []),
    *((LIMIT, value, "warning", "L-LIMIT", LIMIT, ["600 s", "unlimited"]) for value in (0, "0", " 00.0")),
    *((LIMIT, value, "warning", "L-LIMIT", LIMIT, ["600 s", "queue"]) for value in (601, "601", "1000.", 6000)),
    *(("/solutions/0/name", value, "warning", "L-NAME", "/solutions/0", []) for value in (MISSING, "", 0)),
    *((place, value, "error", "L-KEY", place, [value, f" {place.rpartition('/')[2]} "])
      for place in ("/queue", "/tasks/0/key", "/solutions/0/key") for value in ("mine", KEY.replace("4c", "1c"))),
    *((place, KEY, "warning", "L-KEY", place, [f" {place.rpartition('/')[2]} "]) for place in ("/queue", "/tasks/0/key", "/solutions/0/key")),
    ("/leaderboards", OURS["leaderboards"] * 3, "warning", "L-BOARD", "/leaderboards/1", ["first"]),
    (RULE, MISSING, "warning", "L-RULE", RULE, [" Add,", "Force"]),
    (RULE, "Add_And_Delete", "warning", "L-RULE", RULE, [" Add_And_Delete,", "Force"]),
    ("/pages", MISSING, "error", "L-SCHEMA", "/", ["pages is missing"]),
    ("/pages", [], "warning", "L-TEXT", "/pages", ["pages"]),
    ("/fact_sheet", [QUESTION], "error", "L-FACTS", "/fact_sheet", ["mapping"]),
    ("/fact_sheet", asked(type="radio"), "error", "L-FACTS", "/fact_sheet/q/type", ["radio", "text", "checkbox", "select"]),
    ("/fact_sheet", asked(selection=None), "error", "L-FACTS", "/fact_sheet/q/selection", ['selection: ""']),
    *(("/fact_sheet", asked(type=kind, selection=selection), "warning", "L-FACTS", "/fact_sheet/q/selection", []) for kind, selection in (
        ("checkbox", []), ("checkbox", ["a", "b"]), ("checkbox", ["true", "false"]), ("checkbox", [True]),
        ("select", []), ("select", ""), ("select", [1, 2]))),
    *(("/fact_sheet", asked(**{key: value}), "warning", "L-FACTS", f"/fact_sheet/q/{key}", [f" {value} ", '"true"'])
      for key in ("is_required", "is_on_leaderboard") for value in (True, 1, "True", "yes")),
    ("/docker_image", "x" * 129, "error", "L-SCHEMA", "/docker_image", ["xxx", " 129 ", " 128;"]),
    ("/pages", DATE, "error", "L-SCHEMA", "/pages", ["2027-06-01 is", "list"]),
    (f"{PHASE}/tasks", [[0]], "error", "L-SCHEMA", f"{PHASE}/tasks/0", ["[0]", "whole number."]),
    ("/tasks/0/index", [0], "error", "L-SCHEMA", "/tasks/0/index", ["[0]", "whole number."]),
    ("/contact_email", 5, "error", "L-SCHEMA", "/contact_email", ["5 ", "address"]),
    (f"{PHASE}/start", "", "error", "L-SCHEMA", f"{PHASE}/start", ["the value is empty"]),
    *((f"{COLUMN}/computation_indexes", value, "error", "L-SCHEMA", f"{COLUMN}/computation_indexes", [f"{value} is no list", "[0, 1]"])
      for value in (1, "0,1")),
    *((COLUMN, {**OURS["leaderboards"][0]["columns"][0], "computation": "avg", "computation_indexes": indexes}, "error", "L-COLUMN", COLUMN, [])
      for indexes in (None, [], "")),
    ("/fact_sheet", "What?", "error", "L-FACTS", "/fact_sheet", ["What?", "key: method"]),
    ("/is_public", True, "warning", "L-UNKNOWN", "/is_public", []),
    # What is empty is called so, however it is written.
    *((place, value, "error", "L-SCHEMA", place, ["empty"]) for place, value in (
        (f"{COLUMN}/sorting", None), (f"{PHASE}/max_submissions", ""), ("/pages", None), ("/version", None), ("/phases", []))),
    # Quotes would make a file or an image of this name.
    ("/docker_image", False, "error", "L-SCHEMA", "/docker_image", ["name of an image"]),
    ("/image", False, "error", "L-SCHEMA", "/image", ["name of a file"]),
    # The remedy of another type is the type.
    ("/phases", {"1": OURS["phases"][0]}, "error", "L-SCHEMA", "/phases", ["write a list (each entry after a -)"]),
    ("/leaderboards", OURS["leaderboards"][0], "error", "L-SCHEMA", "/leaderboards", ["write a list (each entry after a -)"]),
    ("/pages/0", "overview.md", "error", "L-SCHEMA", "/pages/0", ["write a mapping (key: value)"]),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "level", "code", "where", "words"), JUDGED)
def test_each_value_is_judged_with_its_code_and_place(place, value, level, code, where, words):
    ((*judged, text),) = found(changed(place, value))
    assert judged == [level, code, where]
    assert [word for word in words if word not in text] == []


def test_competition_without_a_task_is_warned_of():
    assert ("warning", "L-TASK", "/tasks") in [finding[:3] for finding in found(changed("/tasks", []))]


def test_misspelled_key_is_not_missing_as_well():
    data = changed("/leaderboard", OURS["leaderboards"])
    del data["leaderboards"]
    assert [where for _, _, where, _ in found(data)] == ["/leaderboard"]


@pytest.mark.parametrize(
    ("version", "form", "remedy"),
    [
        (MISSING, "v2", "write version: 2"),
        ("1.5", "v2", "write version: 2"),
        (3, "v2", "write version: 2"),
        ("2", "v1.5", "take version out"),
        ("3", "v1.5", "take version out"),
    ],
)
def test_version_is_compared_with_the_keys(version, form, remedy):
    data = changed("/version", version, OURS if form == "v2" else CLASSIC)
    ((level, _, where, text),) = found(data)
    assert (level, where) == ("error", "/version")
    assert text.endswith(f"; {remedy}.")


def test_few_keys_of_the_other_form_do_not_question_the_version():
    findings = {(level, where) for level, _, where, _ in found({**CLASSIC, "pages": []})}
    assert ("warning", "/pages") in findings
    assert "error" not in {level for level, _ in findings}
