"""The schemas of competition.yaml and the table of words for their errors."""

from __future__ import annotations

import ast
import copy
import datetime
import json
import string

import pytest
import yaml

from organizer.bundle.competition import LintReport
from organizer.bundle.rules import check_schema
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
KEY = "5b0d4b2e-3a51-4c7d-9d5e-0f4f5a3b8f11"
QUESTION = {
    "key": "q",
    "type": "text",
    "title": "Q",
    "selection": "",
    "is_required": "true",
    "is_on_leaderboard": False,
}
COLUMN = ("leaderboards", 0, "columns", 0)


def found(data):
    report = LintReport()
    check_schema(data, "v2", report)
    return [
        (level, problem.code, problem.where, f"{problem.problem}; {problem.remedy}.")
        for level, findings in (("error", report.errors), ("warning", report.warnings))
        for problem in findings.problems
    ]


def changed(path, value):
    data = node = copy.deepcopy(OURS)
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    if value is None:
        del node[path[-1]]
    return data


def test_our_competition_violates_no_schema():
    assert found(OURS) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("solutions",), []),
        (("fact_sheet",), {"q": QUESTION}),
        (("phases", 0, "execution_time_limit"), ""),
    ],
)
def test_what_the_platform_takes_violates_no_schema(path, value):
    assert found(changed(path, value)) == []


@pytest.mark.parametrize("indexes", [None, [], ""])
def test_computation_of_nothing_is_an_error(indexes):
    (problem,) = found(
        changed(
            COLUMN,
            {**OURS["leaderboards"][0]["columns"][0], "computation": "avg", "computation_indexes": indexes},
        )
    )
    assert problem[:3] == ("error", "L-COLUMN", "/leaderboards/0/columns/0")


def test_each_unknown_key_of_a_question_is_an_error_of_its_own():
    problems = found({**OURS, "fact_sheet": {"q": {**QUESTION, "help": "x", "hint": "x"}}})
    assert [place for _, _, place, _ in problems] == ["/fact_sheet/q"] * 2


@pytest.mark.parametrize(
    ("path", "value", "level", "code", "where", "values"),
    [
        (("title",), None, "error", "L-SCHEMA", "/", ["title"]),
        (("title",), [], "error", "L-SCHEMA", "/title", ["[]", "quotes"]),
        (("title",), True, "error", "L-SCHEMA", "/title", ["True", "quotes"]),
        (("title",), "  ", "error", "L-SCHEMA", "/title", ["blank"]),
        (("description",), False, "error", "L-SCHEMA", "/description", ["False", "quotes"]),
        (("forum_enabled",), "perhaps", "error", "L-SCHEMA", "/forum_enabled", ["perhaps", "true", "false"]),
        (("contact_email",), "me", "error", "L-SCHEMA", "/contact_email", ["me ", "address"]),
        (("phases", 0, "max_submissions"), -1, "error", "L-SCHEMA", "/phases/0/max_submissions", ["-1", "number"]),
        (("phases", 0, "naem"), "x", "error", "L-UNKNOWN", "/phases/0/naem", ["naem", " name"]),
        (("pages", 0, "zzz"), "x", "warning", "L-UNKNOWN", "/pages/0/zzz", ["zzz", "file, index, title"]),
        (("report",), "x", "warning", "L-UNKNOWN", "/report", ["report", "documented"]),
        (("phases", 0, "tasks"), [], "error", "L-PHASE", "/phases/0/tasks", []),
        *((("phases", 0, "execution_time_limit"), value, "warning", "L-LIMIT", "/phases/0/execution_time_limit",
           ["600 s", "unlimited"]) for value in (0, "0", " 00.0")),
        *((("phases", 0, "execution_time_limit"), value, "warning", "L-LIMIT", "/phases/0/execution_time_limit",
           ["600 s", "queue"]) for value in (601, "601", "1000.", 6000)),
        (("tasks",), [], "warning", "L-TASK", "/tasks", []),
        (("tasks", 0, "index"), "0", "warning", "L-TASK", "/tasks/0/index", ["number"]),
        *((("solutions", 0, "name"), value, "warning", "L-NAME", "/solutions/0", []) for value in (None, "", 0)),
        *((path, value, "error", "L-KEY", f"/{'/'.join(map(str, path))}", [value, f" {path[-1]} "])
          for path in (("queue",), ("tasks", 0, "key"), ("solutions", 0, "key")) for value in ("mine", KEY.replace("4c", "1c"))),
        *((path, KEY, "warning", "L-KEY", f"/{'/'.join(map(str, path))}", [f" {path[-1]} "])
          for path in (("queue",), ("tasks", 0, "key"), ("solutions", 0, "key"))),
        (("leaderboards",), OURS["leaderboards"] * 3, "warning", "L-BOARD", "/leaderboards/1", ["first"]),
        ((*COLUMN, "index"), 1, "error", "L-BOARD", "/leaderboards/0/columns", ["index 0"]),
        *(((*COLUMN, "precision"), value, "warning", "L-BOARD", "/leaderboards/0/columns/0/precision",
           [f" {value} ", "0 to 10"]) for value in (-1, 11, "-1", "011")),
        ((*COLUMN, "computation"), "avg", "error", "L-COLUMN", "/leaderboards/0/columns/0", ["computation ", "computation_indexes"]),
        ((*COLUMN, "computation_indexes"), [1], "error", "L-COLUMN", "/leaderboards/0/columns/0",
         ["computation ", "computation_indexes"]),
        (("leaderboards", 0, "submission_rule"), None, "warning", "L-RULE", "/leaderboards/0/submission_rule", [" Add,", "Force"]),
        (("leaderboards", 0, "submission_rule"), "Add_And_Delete", "warning", "L-RULE",
         "/leaderboards/0/submission_rule", [" Add_And_Delete,", "Force"]),
        (("pages",), None, "error", "L-SCHEMA", "/", ["pages"]),
        (("pages",), [], "warning", "L-TEXT", "/pages", ["pages"]),
        (("fact_sheet",), {"q": {**QUESTION, "type": "radio"}}, "error", "L-FACTS", "/fact_sheet/q/type",
         ["radio", "text", "checkbox", "select"]),
        (("fact_sheet",), {"q": {**QUESTION, "selection": None}}, "error", "L-FACTS", "/fact_sheet/q/selection", ['selection: ""']),
        *((("fact_sheet",), {"q": {**QUESTION, key: value}}, "warning", "L-FACTS", f"/fact_sheet/q/{key}",
           [f" {value} ", '"true"']) for key in ("is_required", "is_on_leaderboard") for value in (True, 1, "True", "yes")),
        *((("description",), value, "warning", "L-TEXT", "/description", ["description"]) for value in (None, "")),
        (("docker_image",), "x" * 129, "error", "L-SCHEMA", "/docker_image", ["xxx", " 129 ", " 128;"]),
        (("pages",), datetime.date(2027, 6, 1), "error", "L-SCHEMA", "/pages", ["2027-06-01 is", "list"]),
        (("phases", 0, "tasks"), [[0]], "error", "L-SCHEMA", "/phases/0/tasks/0", ["[0]", "whole number."]),
        (("tasks", 0, "index"), [0], "error", "L-SCHEMA", "/tasks/0/index", ["[0]", "whole number."]),
        (("contact_email",), 5, "error", "L-SCHEMA", "/contact_email", ["5 ", "address"]),
        (("phases", 0, "start"), "", "error", "L-SCHEMA", "/phases/0/start", ["the value is empty"]),
        *(((*COLUMN, "computation_indexes"), value, "error", "L-SCHEMA", "/leaderboards/0/columns/0/computation_indexes",
           [f"{value} is no list", "[0, 1]"]) for value in (1, "0,1")),
        (("fact_sheet",), "What?", "error", "L-FACTS", "/fact_sheet", ["What?", "key: method"]),
    ],
)  # fmt: skip
def test_each_value_is_judged_with_its_code_and_place(path, value, level, code, where, values):
    ((*place, text),) = found(changed(path, value))
    assert place == [level, code, where]
    assert [value for value in values if value not in text] == []
