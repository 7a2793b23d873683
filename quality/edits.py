"""Random edits of competition.yaml: each builds and lints, or is refused with a place and a remedy.

Half of the edits are made anywhere, with any value, the others in several places, as organizers do.
"""

from __future__ import annotations

import copy
import random
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from organizer.bundle.competition import LintReport
from organizer.bundle.contents import SampleRuns
from organizer.bundle.lint import lint_files
from organizer.bundle.parts import Parts
from organizer.bundle.plan import plan_bundles
from organizer.bundle.source import check_buildable
from organizer.files import zip_bytes
from quality.competition import competition_text, write_source
from validator.findings import Refused
from validator.texts import counted

Competition = dict[str, Any]
Edit = Callable[[Competition, random.Random], None]
FORMS = ("v2", "v1.5")
_MOST_EDITS = 3
# Keys that a competition may have, and that of all tasks has not.
_KEYS = (
    "contact_email", "docker_image", "execution_time_limit", "fact_sheet", "hide_output", "hidden",
    "input_data", "key", "precision", "primary_index", "queue", "reward", "submission_rule", "tags",
    "version",
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    "2027-03-01 12:00:00", "2027-02-01", "2026-12-31T23:00:00Z", "2028-01-01 00:00:00+02:00", "1 May 2027",
    "own.zip", "own", "pages/data.md", "logo.png", "chalearn_action_reference.zip", "starting_kit.zip",
    "no.zip", "", "A title", "ü" * 300, "someone@example.org", "Force_Best",
    "7e5f2a52-94a5-4a8c-8d2f-3a1c8b0f6f5e", 0, 1, 7, -1, 1.5, 2**40, True, False, None, [], {},
)  # fmt: skip
_QUESTION_KEYS = ("key", "type", "title", "selection", "is_required", "is_on_leaderboard")


class Counts(NamedTuple):
    """How many edits were built and linted, how many were refused, and what is wrong with the others."""

    built: int
    refused: int
    failures: list[str]


def edits_command(number: int, with_samples: int, seed: int) -> int:
    """Try edits and print the outcome; return 1 if one of them failed.

    Of ``number`` edits, ``with_samples`` are such as organizers make, and their samples are run.
    """
    with tempfile.TemporaryDirectory() as name:
        source = write_editable_source(Path(name) / "source")
        counts = try_edits(range(seed, seed + number), with_samples, Parts(source=source), FORMS)
    for failure in counts.failures:
        print(f"FAILED {failure}")
    outcome = f"{counts.built:,} built without errors, {counts.refused:,} refused with a place and a remedy"
    print(f"{counted(number, 'edit')}: {outcome}, {counted(len(counts.failures), 'failure')}")
    return 1 if counts.failures else 0


def write_editable_source(folder: Path) -> Path:
    """Write the competition of all tasks, and what its edits may name, into a new folder; return that."""
    write_source(folder)
    (folder / "own.zip").write_bytes(zip_bytes({"a.txt": b"some data of the organizer"}))
    (folder / "own_folder").mkdir()
    (folder / "own_folder" / "b.txt").write_text("more data of the organizer", encoding="ascii")
    return folder


def try_edits(seeds: Sequence[int], with_samples: int, parts: Parts, forms: Sequence[str]) -> Counts:
    """Build and lint an edited competition for each seed, in some forms of bundles.

    The first ``with_samples`` edits leave the samples what they are: those are run, and none is refused.
    """
    built = refused = 0
    failures = []
    competition = yaml.safe_load(competition_text())
    for place, seed in enumerate(seeds):
        runs_samples = place < with_samples
        rng = random.Random(seed)
        kinds, most = ([edit_as_organizers_do], 1) if runs_samples else (_KINDS, _MOST_EDITS)
        new_competition = _edited(competition, rng, kinds, most)
        samples = SampleRuns.ALL if runs_samples else SampleRuns.NONE
        try:
            _build_and_lint(new_competition, parts, forms, samples)
            built += 1
        except Refused as error:
            refused += 1
            failures += _faults_of_refusal(seed, error, is_expected=not runs_samples)
        except Exception:
            failures.append(f"seed {seed}: {traceback.format_exc()}")
    return Counts(built, refused, failures)


def _build_and_lint(
    competition: Competition, parts: Parts, forms: Sequence[str], samples: SampleRuns
) -> None:
    """Build all bundles of a competition and lint them. Raises Refused."""
    check_buildable(competition)
    for form in forms:
        for bundle in plan_bundles(competition, parts, form).bundles.values():
            report = LintReport()
            lint_files(bundle.data, bundle.files, samples, report)
            report.errors.refuse_problems()


def _faults_of_refusal(seed: int, error: Refused, is_expected: bool) -> list[str]:
    """Return what is wrong with a refusal: problems without a file or a remedy, or any of them."""
    faults = []
    for problem in error.findings.problems:
        if not (is_expected and problem.file and problem.remedy):
            faults.append(f"seed {seed}: {problem.head()}: {problem.cure()}")
    return faults


def _edited(competition: Competition, rng: random.Random, kinds: Sequence[Edit], most: int) -> Competition:
    """Return a competition with up to ``most`` edits of some kinds."""
    while True:
        data = copy.deepcopy(competition)
        try:
            for _ in range(rng.randint(1, most)):
                rng.choice(kinds)(data, rng)
        except (AttributeError, LookupError, ValueError, TypeError):
            # An earlier edit took away what it needs.
            continue
        return data


def edit_anywhere(data: Competition, rng: random.Random) -> None:
    """Make one edit in any place: remove, replace, repeat, or reorder."""
    nodes = list(_nodes(data))
    node = rng.choice([node for node in nodes if isinstance(node, (dict, list)) and node])
    keys = list(node if isinstance(node, dict) else range(len(node)))
    key, action = rng.choice(keys), rng.choice(["remove", "replace", "replace", "further"])
    values = [copy.deepcopy(rng.choice(nodes)), rng.choice(_VALUES)]
    if action == "remove":
        del node[key]
    elif action == "replace":
        node[key] = rng.choice(values)
    elif isinstance(node, dict):
        node[rng.choice(_KEYS)] = rng.choice(values)
    else:
        node.append(copy.deepcopy(node[key]))
        rng.shuffle(node)


def _nodes(node: Any) -> Iterator[Any]:
    """Yield all values of a competition, those within others, too."""
    yield node
    inner_nodes: Sequence[Any] = ()
    if isinstance(node, (dict, list)):
        inner_nodes = list(node.values()) if isinstance(node, dict) else node
    for inner in inner_nodes:
        yield from _nodes(inner)


def edit_as_organizers_do(data: Competition, rng: random.Random) -> None:
    """Make an edit that takes several places: most of these build."""
    edit = rng.choice([_add_phase, _remove_task, _add_final_task, _add_data, _add_computed_column, _add_page])
    edit(data, rng)


_KINDS: tuple[Edit, ...] = (edit_anywhere, edit_as_organizers_do)


def _add_phase(data: Competition, rng: random.Random) -> None:
    """Add a second phase with other tasks, dates and kit."""
    task_indexes = [task["index"] for task in data["tasks"]]
    second = {"index": 9, "start": "2028-01-01 00:00:00", "end": "2028-02-01 00:00:00"}
    second["tasks"] = rng.sample(task_indexes, rng.randint(1, len(task_indexes)))
    further = rng.choice([{"name": "Second"}, {"starting_kit": "own.zip", "name": "Final"}])
    data["phases"].append({**data["phases"][0], **second, **further})


def _remove_task(data: Competition, rng: random.Random) -> None:
    """Remove a task with its solutions; of a competition of one task, add a page instead."""
    if len(data["tasks"]) == 1:
        _add_page(data, rng)
        return
    removed = data["tasks"].pop(rng.randrange(len(data["tasks"])))["index"]
    data["solutions"] = [entry for entry in data.get("solutions", []) if removed not in entry["tasks"]]
    for phase in data["phases"]:
        phase["tasks"] = [index for index in phase["tasks"] if index != removed]


def _add_final_task(data: Competition, rng: random.Random) -> None:
    """Add a final task of a challenge, on other data, in a phase of its own."""
    name = rng.choice(data["tasks"])["scoring_program"].removesuffix("_program.zip")
    task = {
        "index": 50,
        "name": "Final",
        "scoring_program": f"{name}_program.zip",
        "reference_data": f"{name}_final_reference.zip",
    }
    phase = {"index": 8, "name": "Last", "start": "2029-01-01", "end": "2029-02-01", "tasks": [50]}
    data["tasks"].append(task)
    data["phases"].append({**data["phases"][0], **phase})


def _add_data(data: Competition, rng: random.Random) -> None:
    """Add data of the organizer's own, as a zip and as a folder."""
    rng.choice(data["tasks"])["input_data"] = "own.zip"
    data["phases"][0]["public_data"] = rng.choice(["own_folder", "own.zip"])


def _add_computed_column(data: Competition, rng: random.Random) -> None:
    """Add a computed column and a question of the fact sheet."""
    column = {"index": 40, "title": "Mean", "key": "mean", "computation": "avg", "computation_indexes": [0]}
    data["leaderboards"][0]["columns"].append(column)
    data["fact_sheet"] = {"q": {**dict.fromkeys(_QUESTION_KEYS, "q"), "type": "text"}}


def _add_page(data: Competition, rng: random.Random) -> None:
    """Add a page that another one has, too."""
    data["pages"].append({"title": "More", "file": rng.choice(["pages/data.md", "pages/terms.md"])})
