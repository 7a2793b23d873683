"""The walls of the house: who may import whom, and no circle anywhere."""

from __future__ import annotations

import ast
import graphlib
import re

import pytest

from scoring_program.challenge import challenge_ids
from tests.helpers import ROOT

ROOMS = ("scoring_program", "validator", "organizer")
# From the ground up: a room imports only what lies below it.
FLOORS = ("files", "data", "runs", "bundle", "ranking", "quality", "new_challenge", "__main__")


def _modules():
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


MODULES = dict(_modules())


def _imports(path):
    """Return the modules that a file imports, those imported within functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else node.module for name in inner)


GRAPH = {name: {found for found in _imports(path) if found != name} for name, path in MODULES.items()}


def below(name, *rooms):
    return any(name == room or name.startswith(f"{room}.") for room in rooms)


def test_no_circle():
    graphlib.TopologicalSorter({name: found & MODULES.keys() for name, found in GRAPH.items()}).prepare()


@pytest.mark.parametrize("name", [name for name in MODULES if below(name, "scoring_program.metrics")])
def test_metrics_know_no_files_and_nothing_of_ours(name):
    ours = [found for found in GRAPH[name] if below(found, *ROOMS)]
    assert all(below(found, "scoring_program.metrics") for found in ours)
    assert not GRAPH[name] & {"json", "yaml", "io", "os", "pathlib", "zipfile"}


OWN_ROOMS = ("scoring_program.challenges", "scoring_program.families", "validator.formats")


@pytest.mark.parametrize("name", [name for name in MODULES if not below(name, *OWN_ROOMS)])
def test_what_serves_all_tasks_names_none(name):
    text = MODULES[name].read_text(encoding="utf-8")
    assert not [task for task in challenge_ids() if re.search(rf"\b{task}\b", text)]


@pytest.mark.parametrize("name", [name for name in MODULES if below(name, "validator")])
def test_validator_imports_nothing_of_the_scoring_program(name):
    assert not [found for found in GRAPH[name] if below(found, "scoring_program", "organizer")]


@pytest.mark.parametrize("name", [name for name in MODULES if below(name, "scoring_program")])
def test_scoring_program_knows_no_tool_of_organizers(name):
    found = GRAPH[name]
    assert not [other for other in found if below(other, "organizer")]
    if not name.endswith((".demo", ".preparation")):
        assert not [other for other in found if other.split(".")[0] in ("h5py", "dask", "distributed")]
    if below(name, "scoring_program.families"):
        assert not [other for other in found if below(other, "scoring_program.challenges")]


@pytest.mark.parametrize("name", [name for name in MODULES if name.count(".") and below(name, "organizer")])
def test_no_import_of_the_organizer_runs_back_up(name):
    floor = FLOORS.index(name.split(".")[1])
    above = FLOORS[floor + 1 :]
    assert not [found for found in GRAPH[name] if below(found, *(f"organizer.{room}" for room in above))]


@pytest.mark.parametrize("name", MODULES)
def test_only_the_engine_for_clusters_knows_dask(name):
    used = {found.split(".")[0] for found in GRAPH[name]} & {"dask", "distributed", "cloudpickle"}
    assert not used or name == "organizer.runs.cluster"


def test_challenges_holds_folders_of_tasks_and_nothing_else():
    entries = [
        path for path in (ROOT / "scoring_program" / "challenges").iterdir() if path.name != "__pycache__"
    ]
    assert all((path / "challenge.yaml").is_file() for path in entries)
