"""How long code may be: functions, parameters, packages, and lines that name ``Any``."""

from __future__ import annotations

import ast
import json
import re

import pytest

from tests.helpers import ROOT

PRODUCT = ("scoring_program", "validator", "organizer", "starting_kit")
MOST_LINES = {"product": 24_150, "quality": 3_927}
# Tasks that make new-task wrote have no limit.
WRITTEN = {
    path for record in (ROOT / "examples").glob(".written/*.json") for path in json.loads(record.read_text())
}
FILES = [
    path
    for package in (*PRODUCT, "quality", "examples")
    for path in sorted((ROOT / package).rglob("*.py"))
    if "vendor" not in path.parts and path.relative_to(ROOT).as_posix() not in WRITTEN
]


def functions(path):
    nodes = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        # No expression holds one.
        nodes += [inner for inner in ast.iter_child_nodes(node) if not isinstance(inner, ast.expr)]


def length(function):
    """Return the number of lines from the name to the end, without the docstring."""
    has_docstring = ast.get_docstring(function) is not None
    docstring = function.body[0]
    inside = docstring.end_lineno - docstring.lineno + 1 if has_docstring else 0
    return function.end_lineno - function.lineno + 1 - inside


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_functions_have_at_most_40_lines_and_6_parameters(path):
    for function in functions(path):
        assert length(function) <= 40, f"{function.name} has {length(function)} lines"
        arguments = function.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        own = [parameter for parameter in parameters if parameter.arg not in ("self", "cls")]
        assert len(own) <= 6, f"{function.name} has {len(own)} parameters"


def test_any_is_named_on_at_most_60_lines():
    lines = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in FILES
        if path.relative_to(ROOT).parts[0] in PRODUCT
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\bAny\b", line) and not re.match(r"\s*(from|import) ", line)
    ]
    assert len(lines) <= 60, "\n".join(lines)


@pytest.mark.parametrize(("name", "packages"), [("product", PRODUCT), ("quality", ("quality",))])
def test_packages_have_at_most_as_many_lines(name, packages):
    paths = [path for path in FILES if path.relative_to(ROOT).parts[0] in packages]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths) <= MOST_LINES[name]
