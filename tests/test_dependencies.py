"""The dependencies between packages: who may import whom, and no cycle anywhere.

Imports within functions count, too, and those for types alone.
"""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from functools import cache

import pytest

from scoring_program.task import task_ids
from tests.helpers import ROOT

PACKAGES = ("validator", "scoring_program", "starting_kit", "organizer", "quality")
# Where the modules of one challenge are, each in a package of its name.
OF_CHALLENGES = (
    "validator.formats", "scoring_program.challenges", "starting_kit", "organizer.challenges", "quality",
)  # fmt: skip
CHALLENGES = sorted(path.parent.name for path in (ROOT / "validator" / "formats").glob("*/read.py"))
# What each package may import besides itself; the longest name that fits a module counts.
RULES = {
    "validator": "",
    "scoring_program.metrics": "validator.arrays",
    "scoring_program.result": "scoring_program.metrics.resampling validator",
    "scoring_program.codes": "validator.message_codes",
    "scoring_program.settings": "validator",
    "scoring_program.prepared": "validator",
    "scoring_program.item_groups": "validator",
    "scoring_program.signature": "scoring_program.settings validator",
    "scoring_program.disclosure": "scoring_program.result validator",
    "scoring_program.hints": "scoring_program.disclosure scoring_program.settings validator",
    "scoring_program.task": "scoring_program.settings scoring_program.signature scoring_program.result "
    "scoring_program.disclosure scoring_program.item_groups scoring_program.metrics.resampling validator",
    "scoring_program.report": "scoring_program.task scoring_program.result scoring_program.disclosure "
    "scoring_program.metrics.resampling scoring_program.metrics.comparison validator",
    "scoring_program.run": "scoring_program validator",
    "scoring_program.score": "scoring_program.run",
    "scoring_program.challenges": "scoring_program.task scoring_program.hints scoring_program.disclosure "
    "scoring_program.result scoring_program.settings scoring_program.prepared scoring_program.metrics validator",
    "starting_kit": "scoring_program validator",
    "organizer": "scoring_program validator",
    "quality": "organizer scoring_program validator",
}
# The parts of the organizer's tools: each imports those before it only.
ORGANIZER = (
    "codes", "files", "content", "challenges", "data", "runs", "bundle", "baselines", "split", "ranking", "new_task", "messages", "__main__",
)  # fmt: skip
# It asks CoreNLP for the lemmas of one challenge.
NAMES_A_CHALLENGE = "organizer.data.corenlp"
CLUSTER = "organizer.runs.cluster"
FILES_AND_PLATFORM = {"io", "json", "os", "pathlib", "shutil", "sys", "yaml", "zipfile"}


def _modules():
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


MODULES = dict(_modules())
# In a kit, its modules are beside each other.
KIT = {name.rpartition(".")[2]: name for name in MODULES if name.startswith("starting_kit.")}


def imports(path, within_functions=True):
    """Yield the modules that a file imports."""
    # No expression holds an import.
    nodes = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else node.module for name in inner)
        elif within_functions or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            nodes += [inner for inner in ast.iter_child_nodes(node) if not isinstance(inner, ast.expr)]


@cache
def imported_by(name):
    """Return all that a module imports."""
    in_kit = is_below(name, "starting_kit")
    return {KIT.get(other, other) if in_kit else other for other in imports(MODULES[name])} - {name}


def ours(name):
    return imported_by(name) & MODULES.keys()


def is_below(name, *packages):
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def challenge_of(name):
    """Return the challenge whose package a module is in, "" for a generic one."""
    places = ((package, challenge) for package in OF_CHALLENGES for challenge in CHALLENGES)
    return next((challenge for package, challenge in places if is_below(name, f"{package}.{challenge}")), "")


def is_allowed(name, other):
    """Return whether the rules let a module import another of this repository."""
    package = max((rule for rule in RULES if is_below(name, rule)), key=len, default="")
    if challenge_of(other) not in ("", challenge_of(name)) and name != NAMES_A_CHALLENGE:
        return False
    return is_below(other, package or name, *RULES.get(package, "").split())


def of(*packages):
    return [name for name in MODULES if is_below(name, *packages)]


def test_there_is_no_cycle():
    graphlib.TopologicalSorter({name: ours(name) for name in MODULES}).prepare()


@pytest.mark.parametrize("name", MODULES)
def test_module_imports_only_what_its_package_may(name):
    assert sorted(other for other in ours(name) if not is_allowed(name, other)) == []


def test_every_package_of_a_rule_exists():
    named = {package for rule, others in RULES.items() for package in (rule, *others.split())}
    assert sorted(package for package in named if not of(package)) == []


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("validator.files", "scoring_program.result"),
        ("validator.files", "validator.formats.chalearn.read"),
        ("scoring_program.metrics.pairs", "validator.findings"),
        ("scoring_program.metrics.pairs", "scoring_program.result"),
        ("scoring_program.task", "scoring_program.hints"),
        ("scoring_program.task", "scoring_program.metrics.pairs"),
        ("scoring_program.report.page", "scoring_program.run"),
        ("scoring_program.challenges.chalearn.task", "scoring_program.report.page"),
        ("scoring_program.challenges.chalearn.task", "scoring_program.challenges.densepose.reference"),
        ("scoring_program.challenges.chalearn.task", "validator.formats.densepose.read"),
        ("scoring_program.run", "scoring_program.challenges.chalearn.task"),
        ("scoring_program.run", "organizer.files"),
        ("organizer.files", "starting_kit.home"),
        ("starting_kit.home", "organizer.files"),
        ("organizer.files", "quality.task"),
        ("quality.chalearn.task", "quality.densepose.task"),
    ],
)
def test_what_breaks_a_rule_is_noticed(name, other):
    assert not is_allowed(name, other)


@pytest.mark.skipif(sys.version_info < (3, 10), reason="Python does not list its modules")
@pytest.mark.parametrize("name", of("scoring_program.metrics"))
def test_metrics_need_numpy_alone_and_scipy_within_functions(name):
    standard = {"__future__", *sys.stdlib_module_names} - FILES_AND_PLATFORM
    foreign = {other.partition(".")[0] for other in imported_by(name) - ours(name)} - standard
    at_the_top = {other.partition(".")[0] for other in imports(MODULES[name], within_functions=False)}
    assert foreign <= {"numpy", "scipy"}
    assert "scipy" not in at_the_top


@pytest.mark.parametrize("name", of("scoring_program", "validator"))
def test_what_scores_needs_no_package_that_the_platform_lacks(name):
    absent = {"dask", "distributed", "h5py", "matplotlib"}
    at_the_top = {other.partition(".")[0] for other in imports(MODULES[name], within_functions=False)}
    assert not at_the_top & absent
    # References are prepared at home.
    used = {other.partition(".")[0] for other in imported_by(name)} & absent
    assert not used or (used == {"h5py"} and name.endswith(".prepare"))


@pytest.mark.parametrize("name", [name for name in of("organizer") if "." in name])
def test_parts_of_the_organizers_tools_do_not_depend_on_later_ones(name):
    part = ORGANIZER.index(name.split(".")[1])
    later = [f"organizer.{other}" for other in ORGANIZER[part + 1 :]]
    assert [other for other in ours(name) if is_below(other, *later)] == []


@pytest.mark.parametrize("name", MODULES)
def test_only_the_engine_for_clusters_knows_dask(name):
    used = {other.partition(".")[0] for other in imported_by(name)} & {"dask", "distributed", "cloudpickle"}
    assert not used or name == CLUSTER


@pytest.mark.parametrize(
    "name", [name for name in MODULES if not challenge_of(name) and name != NAMES_A_CHALLENGE]
)
def test_generic_module_names_no_task(name):
    text = MODULES[name].read_text(encoding="utf-8")
    assert [word for word in {*task_ids(), *CHALLENGES} if re.search(rf"\b{word}\b", text)] == []


@pytest.mark.parametrize("package", ["scoring_program", "validator"])
def test_packages_are_empty_apart_from_their_modules(package):
    assert [path for path in (ROOT / package).rglob("__init__.py") if path.read_bytes()] == []


def test_every_challenge_has_a_package_where_challenges_are():
    for package in ("validator/formats", "scoring_program/challenges"):
        folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        assert folders == set(CHALLENGES)
    assert {path.parent.name for path in (ROOT / "quality").glob("*/task.py")} == set(CHALLENGES)
    assert {path.stem for path in (ROOT / "scoring_program/challenges").glob("*/*.yaml")} == set(task_ids())
