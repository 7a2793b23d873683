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

from scoring_program.task import task_ids
from tests.helpers import ROOT

PACKAGES = ("validator", "scoring_program", "people_in_video", "organizer", "quality")
FOLDERS = {"people_in_video": ROOT / "starting_kit"}
# Where the modules of one challenge are, each in a package of its name.
PLACES_OF_CHALLENGES = (
    "validator.formats",
    "scoring_program.challenges",
    "people_in_video",
    "organizer.challenges",
    "organizer.public_data",
    "quality",
)
CHALLENGES = sorted(path.parent.name for path in (ROOT / "validator" / "formats").glob("*/read.py"))
# What each package may import besides itself; the longest name that fits a module counts.
MAY_IMPORT = {
    "validator": [],
    "scoring_program.codes": ["validator.codes"],
    "scoring_program.metrics": ["validator.arrays"],
    "scoring_program.result": ["scoring_program.marks", "scoring_program.metrics.resampling", "validator"],
    "scoring_program.figures": ["scoring_program.result", "validator"],
    "scoring_program.marks": ["scoring_program.settings", "validator"],
    "scoring_program.settings": ["validator"],
    "scoring_program.prepared": ["validator"],
    "scoring_program.item_groups": ["validator"],
    "scoring_program.signature": ["scoring_program.marks", "scoring_program.settings", "validator"],
    "scoring_program.vocabulary": ["validator"],
    "scoring_program.vocabulary_file": ["scoring_program.signature", "validator"],
    "scoring_program.disclosure": ["scoring_program.marks", "scoring_program.result", "validator"],
    "scoring_program.repairs": ["scoring_program.metrics.pairs", "validator"],
    "scoring_program.agreement_steps": [
        "scoring_program.disclosure",
        "scoring_program.repairs",
        "validator",
    ],
    "scoring_program.low_score": [
        "scoring_program.agreement_steps",
        "scoring_program.disclosure",
        "scoring_program.metrics.resampling",
        "validator",
    ],
    "scoring_program.repair_notes": ["scoring_program.disclosure", "scoring_program.repairs", "validator"],
    "scoring_program.task": [
        "scoring_program.agreement_steps",
        "scoring_program.disclosure",
        "scoring_program.item_groups",
        "scoring_program.low_score",
        "scoring_program.marks",
        "scoring_program.metrics.resampling",
        "scoring_program.repair_notes",
        "scoring_program.repairs",
        "scoring_program.result",
        "scoring_program.settings",
        "scoring_program.signature",
        "scoring_program.vocabulary",
        "validator",
    ],
    "scoring_program.report": [
        "scoring_program.disclosure",
        "scoring_program.figures",
        "scoring_program.low_score",
        "scoring_program.marks",
        "scoring_program.metrics.comparison",
        "scoring_program.metrics.resampling",
        "scoring_program.result",
        "scoring_program.task",
        "validator",
    ],
    "scoring_program.run": ["scoring_program", "validator"],
    "scoring_program.score": ["scoring_program.run"],
    "scoring_program.challenges": [
        "scoring_program.disclosure",
        "scoring_program.figures",
        "scoring_program.marks",
        "scoring_program.metrics",
        "scoring_program.prepared",
        "scoring_program.repairs",
        "scoring_program.result",
        "scoring_program.settings",
        "scoring_program.signature",
        "scoring_program.task",
        "scoring_program.vocabulary",
        "scoring_program.vocabulary_file",
        "validator",
    ],
    "people_in_video": ["scoring_program", "validator"],
    "organizer": ["scoring_program", "validator"],
    "quality": ["organizer", "scoring_program", "validator"],
}
# The parts of the organizer's tools: each imports those before it only.
ORGANIZER_PARTS = (
    "codes",
    "files",
    "messages",
    "content",
    "challenges",
    "data",
    "public_data",
    "runs",
    "bundle",
    "archive",
    "uncertainty",
    "baselines",
    "split",
    "ranking",
    "new_task",
    "__main__",
)
# The first asks CoreNLP for the lemmas of one challenge; the second lists outputs that may differ between versions.
NAME_A_TASK = ("organizer.data.corenlp", "quality.allowed_differences")
CLUSTER = "organizer.runs.cluster"
# What a run on the platform imports only if a submission is refused, names what the data does not have, may hold
# a mistake, or scores next to nothing, and for pages with figures. Each compiles what it imports.
IMPORTED_WHEN_NEEDED = (
    "scoring_program.agreement_steps",
    "scoring_program.figures",
    "scoring_program.repairs.array_trials",
    "scoring_program.repairs.fits",
    "scoring_program.repairs.name_trials",
    "scoring_program.repairs.names",
    "scoring_program.repairs.numbering",
    "scoring_program.repairs.spelling",
    "scoring_program.repairs.region_trials",
    "scoring_program.repairs.weak_models",
    "scoring_program.report.charts",
    "scoring_program.report.drawings",
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
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


MODULES = dict(_modules())


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
    if challenge_of(other) not in ("", challenge_of(name)) and name not in NAME_A_TASK:
        return False
    if is_below(name, "organizer") and is_below(other, "organizer") and "." in name and "." in other:
        part, other_part = (ORGANIZER_PARTS.index(module.split(".")[1]) for module in (name, other))
        return other_part <= part
    package = max((rule for rule in MAY_IMPORT if is_below(name, rule)), key=len, default="")
    return is_below(other, package or name, *MAY_IMPORT.get(package, []))


def test_there_is_no_cycle():
    graphlib.TopologicalSorter({name: our_imports(name) for name in MODULES}).prepare()


def test_modules_import_only_what_their_packages_may():
    assert [
        (name, other) for name in MODULES for other in our_imports(name) if not is_allowed(name, other)
    ] == []


def test_what_breaks_a_rule_is_noticed():
    wrong = [
        ("validator.choose", "scoring_program.result"),
        ("validator.choose", "validator.formats.chalearn.read"),
        ("scoring_program.metrics.pairs", "validator.findings"),
        ("scoring_program.metrics.pairs", "scoring_program.result"),
        ("scoring_program.repairs.search", "scoring_program.disclosure"),
        ("scoring_program.task", "scoring_program.metrics.pairs"),
        ("scoring_program.report.page", "scoring_program.run"),
        ("scoring_program.challenges.chalearn.task", "scoring_program.report.page"),
        ("scoring_program.challenges.chalearn.task", "scoring_program.challenges.densepose.reference"),
        ("scoring_program.challenges.chalearn.task", "validator.formats.densepose.read"),
        ("scoring_program.run", "scoring_program.challenges.chalearn.task"),
        ("scoring_program.run", "organizer.files"),
        ("organizer.files", "people_in_video.home"),
        ("organizer.files", "organizer.split"),
        ("people_in_video.home", "organizer.files"),
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
    for name in modules_below("scoring_program.metrics"):
        everywhere, at_the_top = foreign_imports(name)
        if everywhere - standard - {"numpy", "scipy"} or "scipy" in at_the_top:
            offenders.append(name)
    assert offenders == []


def test_what_scores_needs_no_package_that_the_platform_lacks():
    absent = {"dask", "distributed", "h5py", "matplotlib"}
    offenders = []
    for name in modules_below("scoring_program", "validator"):
        everywhere, at_the_top = foreign_imports(name)
        # References are prepared at home.
        allowed = {"h5py"} if name.endswith(".prepare") else set()
        if at_the_top & absent or (everywhere & absent) - allowed:
            offenders.append(name)
    assert offenders == []


def test_only_the_engine_for_clusters_knows_dask():
    dask = {"dask", "distributed", "cloudpickle"}
    assert [name for name in MODULES if foreign_imports(name)[0] & dask] == [CLUSTER]


def test_generic_modules_name_no_task():
    names = re.compile(rf"\b({'|'.join([*task_ids(), *CHALLENGES])})\b")
    generic = [name for name in MODULES if not challenge_of(name) and name not in NAME_A_TASK]
    assert [name for name in generic if names.search(MODULES[name].read_text(encoding="utf-8"))] == []


def test_no_module_of_kits_names_another_one_in_a_string():
    """Kits have the packages below another one, so names come from ``__package__`` and from imports."""
    offenders = []
    for name in modules_below("scoring_program", "validator"):
        for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and "." in node.value and node.value in MODULES:
                offenders.append((name, node.value))
    assert offenders == []


def test_packages_are_where_the_rules_say():
    named = {package for rule, others in MAY_IMPORT.items() for package in (rule, *others)}
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
