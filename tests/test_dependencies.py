"""The dependencies between packages: who may import whom, and no cycle anywhere.

Imports within functions count, too, and those for types alone. Each test lists all modules that break its
rule.
"""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from functools import cache

import pytest

from organizer.new_task import metric_names
from scoring_program.task import task_ids
from tests.helpers import ROOT

PACKAGES = ("validator", "scoring_program", "people_in_video", "organizer", "quality")
FOLDERS = {"people_in_video": ROOT / "starting_kit"}
# Where the modules of one challenge are, each in a package of its name.
PLACES_OF_CHALLENGES = (
    "validator.formats",
    "scoring_program.challenges",
    "people_in_video",
    "people_in_video.diagnosis",
    "people_in_video.drawings",
    "people_in_video.references",
    "organizer.tasks",
    "quality",
)
CHALLENGES = sorted(path.parent.name for path in (ROOT / "validator" / "formats").glob("*/read.py"))
# The metrics of tasks of one's own, which take values of items.
METRICS_OF_ITEMS = [f"scoring_program.metrics.{name}" for name in ("item_statistics", *metric_names())]
NEEDS_OF_METRICS = [
    "scoring_program.metrics",
    "scoring_program.result",
    "validator.arrays",
    "validator.formats.items.arrays",
]
KNOW_ITEMS = {"organizer.evaluators", "organizer.new_task", *METRICS_OF_ITEMS}
# The tower: each floor imports those below it. The longest name that fits a module counts; a package may import itself.
MAY_IMPORT = {
    "validator": [],
    "scoring_program": ["validator"],
    "scoring_program.metrics": ["validator.arrays"],
    **dict.fromkeys(METRICS_OF_ITEMS, NEEDS_OF_METRICS),
    # It runs the code of organizers, and refuses what that does.
    "scoring_program.metrics.evaluator": [
        *NEEDS_OF_METRICS,
        "validator.findings",
        "validator.hidden_log",
        "validator.limits",
    ],
    "scoring_program.codes": ["validator.codes"],
    "scoring_program.challenges": ["scoring_program", "validator"],
    "people_in_video": ["scoring_program", "validator"],
    "organizer": ["people_in_video", "scoring_program", "validator"],
    "quality": ["organizer", "people_in_video", "scoring_program", "validator"],
}
# Within the floor of what a submission scores: these know no task and no page.
SCORES_ALONE = {
    "scoring_program.task": ["scoring_program.report", "scoring_program.run", "scoring_program.challenges"],
    "scoring_program.result": [
        "scoring_program.task",
        "scoring_program.report",
        "scoring_program.challenges",
    ],
    "scoring_program.report": ["scoring_program.run", "scoring_program.challenges"],
    "scoring_program.challenges": [
        "scoring_program.run",
        "scoring_program.report.page",
        "scoring_program.report.outputs",
    ],
    "scoring_program.run": ["scoring_program.challenges"],
}
# What organizers' code that a cluster receives by value never imports.
SENT_BY_VALUE = (
    "organizer.runs.cluster",
    "organizer.runs.pool",
    "organizer.runs.scoring_process",
    "organizer.files",
)
# The parts of the organizer's tools: each imports those before it only.
ORGANIZER_PARTS = (
    "codes",
    "errors",
    "files",
    "listener",
    "matrix_memory",
    "messages",
    "data.vocabulary",
    "public_data",
    "data.content",
    "tasks",
    "data",
    "runs",
    "split_table",
    "bundle",
    "runs.built",
    "baselines",
    "split",
    "ranking",
    "archive",
    "evaluators",
    "new_task",
    "commands",
    "__main__",
)
# Lemmas and sampled pixels are of one challenge; the last lists outputs that may differ between versions.
NAME_A_TASK = (
    "organizer.data.corenlp",
    "people_in_video.references.lemmas",
    "people_in_video.diagnosis.sampled_pixels",
    "quality.allowed_differences",
)
CLUSTER = "organizer.runs.cluster"
# Neither the platform nor each checkout has these.
PLACES_OF_PACKAGES = {
    "dask": [CLUSTER],
    "distributed": [CLUSTER],
    "cloudpickle": [CLUSTER],
    "h5py": ["people_in_video.references", "quality.densepose"],
    "matplotlib": [],
}
# What a run on the platform imports only if a submission is refused, names what the data does not have, may hold
# a mistake, or scores next to nothing, and for pages with figures. Each compiles what it imports.
IMPORTED_WHEN_NEEDED = (
    "scoring_program.body_figure",
    "scoring_program.figures",
    "validator.codes",
    "validator.csv_words",
    "validator.names",
)
FILES_AND_PLATFORM = {"io", "json", "os", "pathlib", "shutil", "sys", "yaml", "zipfile"}


def _modules():
    for package in PACKAGES:
        folder = FOLDERS.get(package, ROOT)
        for path in (folder / package).rglob("*.py"):
            parts = path.relative_to(folder).with_suffix("").parts
            if "evaluators" in parts[:-1]:  # the code of organizers
                continue
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


MODULES = dict(_modules())


@cache
def tree_of(path):
    """Return a file parsed, which several tests look through."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path, within_functions=True):
    """Yield the modules that a file imports."""
    # No expression holds an import.
    nodes = list(tree_of(path).body)
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
    return set(imports(MODULES[name])) - {name}


def our_imports(name):
    """Return the modules of this repository that a module imports."""
    return imported_by(name) & MODULES.keys()


def foreign_imports(name):
    """Return the packages of others that a module imports, and those that it imports as it is imported."""
    everywhere = imported_by(name) - our_imports(name)
    at_the_top = set(imports(MODULES[name], within_functions=False))
    return [{other.partition(".")[0] for other in names} for names in (everywhere, at_the_top)]


def is_below(name, *packages):
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def modules_below(*packages):
    return [name for name in MODULES if is_below(name, *packages)]


def challenge_of(name):
    """Return the challenge whose package a module is in, "" for a generic one."""
    for place in PLACES_OF_CHALLENGES:
        for challenge in CHALLENGES:
            if is_below(name, f"{place}.{challenge}"):
                return challenge
    return ""


def is_allowed(name, other):
    """Return whether the rules let a module import another of this repository."""
    knows_other = name in NAME_A_TASK or (challenge_of(other) == "items" and name in KNOW_ITEMS)
    if challenge_of(other) not in ("", challenge_of(name)) and not knows_other:
        return False
    if is_below(name, "organizer") and is_below(other, "organizer") and "." in name and "." in other:
        return part_number(other) <= part_number(name)
    for place, others in SCORES_ALONE.items():
        if is_below(name, place) and is_below(other, *others) and not is_below(other, place):
            return False
    package = max((rule for rule in MAY_IMPORT if is_below(name, rule)), key=len)
    return is_below(other, package, *MAY_IMPORT[package])


def part_number(name):
    """Return the place of a module of the organizer's tools among the parts; the longest name that fits counts."""
    parts = [part for part in ORGANIZER_PARTS if is_below(name, f"organizer.{part}")]
    return ORGANIZER_PARTS.index(max(parts, key=len))


def test_there_is_no_cycle():
    graphlib.TopologicalSorter({name: our_imports(name) for name in MODULES}).prepare()


def test_modules_import_only_what_their_packages_may():
    assert [
        (name, other) for name in MODULES for other in our_imports(name) if not is_allowed(name, other)
    ] == []


def test_what_a_cluster_receives_by_value_imports_nothing_of_the_kit_or_the_program():
    """A scoring process imports the built program once it is told where that is."""
    offenders = []
    for name in SENT_BY_VALUE:
        others = set(imports(MODULES[name], within_functions=False)) & MODULES.keys()
        top = tree_of(MODULES[name]).body
        modules = [node.module for node in top if isinstance(node, ast.ImportFrom) and node.module]
        if name.startswith("organizer.runs."):
            offenders += [
                (name, other) for other in modules if is_below(other, "scoring_program", "validator")
            ]
        offenders += [(name, other) for other in others if is_below(other, "people_in_video")]
    assert offenders == []


@pytest.mark.parametrize("name", ["organizer.runs.scoring_process", "organizer.runs.unpacking"])
def test_what_scores_on_another_machine_imports_the_program_alone(name):
    """It is sent as a text, to where nothing else of ours is installed."""
    assert [other for other in our_imports(name) if not is_below(other, "scoring_program", "validator")] == []


def test_what_breaks_a_rule_is_noticed():
    wrong = [
        ("validator.choose", "scoring_program.result"),
        ("validator.choose", "validator.formats.chalearn.read"),
        ("scoring_program.metrics.pairs", "validator.findings"),
        ("scoring_program.metrics.pairs", "scoring_program.result"),
        ("scoring_program.task", "people_in_video.diagnosis.search"),
        ("scoring_program.report.sections", "people_in_video.drawings.svg"),
        ("scoring_program.report.page", "scoring_program.run"),
        ("scoring_program.challenges.chalearn.task", "scoring_program.report.page"),
        ("scoring_program.challenges.chalearn.task", "scoring_program.challenges.densepose.reference"),
        ("scoring_program.challenges.chalearn.task", "validator.formats.densepose.read"),
        ("scoring_program.challenges.chalearn.task", "people_in_video.drawings.chalearn"),
        ("people_in_video.drawings.chalearn", "people_in_video.diagnosis.densepose"),
        ("scoring_program.run", "scoring_program.challenges.chalearn.task"),
        ("scoring_program.run", "organizer.files"),
        ("organizer.files", "organizer.split"),
        ("people_in_video.scoring", "organizer.files"),
        ("organizer.files", "quality.task"),
        ("quality.chalearn.task", "quality.densepose.task"),
    ]
    assert {module for pair in wrong for module in pair} <= MODULES.keys()
    assert [pair for pair in wrong if is_allowed(*pair)] == []


def test_scoring_a_good_submission_imports_nothing_that_explains_a_bad_one(tmp_path):
    task_id = "chalearn_gesture"
    (tmp_path / "ref").symlink_to(ROOT / "reference_data" / task_id)
    (tmp_path / "res").symlink_to(ROOT / "starting_kit" / "samples" / task_id / "good")
    code = (
        "import sys; from scoring_program.run import main; "
        f"code = main([{str(tmp_path)!r}, {str(tmp_path / 'out')!r}, '--task', {task_id!r}]); "
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(IMPORTED_WHEN_NEEDED) <= MODULES.keys()
    assert set(done.stderr.split()) & set(IMPORTED_WHEN_NEEDED) == set()


@pytest.mark.skipif(sys.version_info < (3, 10), reason="Python does not list its modules")
def test_metrics_need_numpy_alone_and_scipy_within_functions():
    standard = {"__future__", *sys.stdlib_module_names} - FILES_AND_PLATFORM
    offenders = []
    # An evaluator of one's own is a file that is run.
    for name in sorted({*modules_below("scoring_program.metrics")} - {"scoring_program.metrics.evaluator"}):
        everywhere, at_the_top = foreign_imports(name)
        if everywhere - standard - {"numpy", "scipy"} or "scipy" in at_the_top:
            offenders.append(name)
    assert offenders == []


def test_packages_that_are_not_everywhere_are_imported_where_they_are():
    offenders = []
    for name in MODULES:
        everywhere, _ = foreign_imports(name)
        for package, places in PLACES_OF_PACKAGES.items():
            if package in everywhere and not is_below(name, *places):
                offenders.append((name, package))
    assert offenders == []


def test_generic_modules_name_no_task():
    # Items are what all tasks have.
    words = {*task_ids(), *CHALLENGES} - {"items"}
    names = re.compile(rf"\b({'|'.join(sorted(words))})\b")
    generic = [name for name in MODULES if not challenge_of(name) and name not in NAME_A_TASK]
    assert [name for name in generic if names.search(MODULES[name].read_text(encoding="utf-8"))] == []


def test_no_module_of_kits_names_another_one_in_a_string():
    """Kits have the packages below another one, so names come from ``__package__`` and from imports."""
    offenders = []
    for name in modules_below("scoring_program", "validator"):
        for node in ast.walk(tree_of(MODULES[name])):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and "." in node.value and node.value in MODULES:
                offenders.append((name, node.value))
    assert offenders == []


def test_packages_are_where_the_rules_say():
    arrows = [*MAY_IMPORT.items(), *SCORES_ALONE.items()]
    named = {package for rule, others in arrows for package in (rule, *others)}
    assert sorted(package for package in named if not modules_below(package)) == []
    for package in ("validator/formats", "scoring_program/challenges"):
        folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        assert folders == set(CHALLENGES)
    assert {path.parent.name for path in (ROOT / "quality").glob("*/task.py")} == set(CHALLENGES)
    assert {path.stem for path in (ROOT / "scoring_program/challenges").glob("*/*.yaml")} == set(task_ids())
    initial = [
        path for package in ("scoring_program", "validator") for path in (ROOT / package).rglob("__init__.py")
    ]
    assert [path for path in initial if path.read_bytes()] == []
