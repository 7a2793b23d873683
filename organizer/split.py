"""``make split``: disjoint parts of a reference, for a public and a final phase."""

from __future__ import annotations

import csv
import difflib
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from organizer import ROOT
from organizer.bundle import COMPETITION
from organizer.bundle.build import load_competition, task_names
from organizer.bundle.edit import with_final_phase
from organizer.challenges import annotations_of
from organizer.data.prepare import SYNTHETIC_MARK, prepare
from organizer.data.references import task_folder
from scoring_program.item_groups import load_groups
from scoring_program.metrics.resampling import LEAST_ITEMS
from scoring_program.settings import SETTINGS_FILE, Settings
from scoring_program.signature import KEY_FILE
from scoring_program.task import AnyLoaded, AnyTask, Declaration, load_task
from validator.arrays import Floats, Ints
from validator.findings import Findings
from validator.strict_yaml import load_strict
from validator.texts import counted, printable

_SWEEPS = 20
_SHOWN_CLASSES = 40
_EMPTY = "E-SPLIT-EMPTY"


class Division(NamedTuple):
    """How a reference is divided: shares of the public and the final part, a seed, and a file of groups."""

    shares: Sequence[float]
    seed: int = 0
    groups: Path | None = None


def split_command(task_id: str, reference: Path, output: Path | None, write: bool, **division: Any) -> int:
    """Write both parts of a reference; print how classes divide, and what to add to competition.yaml."""
    folder, task = task_folder(task_id, reference, task_names(load_competition())), load_task(task_id)
    path = ROOT / COMPETITION
    output, names = output or ROOT / "out" / "split", (task_id, f"{task_id}_2")
    rule = sentence(task)
    text = path.read_text(encoding="utf-8")
    edited, findings = text, Findings()
    with findings.part():
        edited = with_final_phase(text, task_id, rule)
    if write:
        findings.refuse_problems()
    for name in names:
        if (output / name).exists():
            remedy = "delete it, or choose another OUTPUT"
            Findings().refuse("E-SPLIT-OUTPUT", "the folder exists", remedy, file=str(output / name))
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output, prefix=".split-") as folder_name:
        work = Path(folder_name)
        if task.prepared_file and not (folder / task.prepared_file).is_file():
            prepare(task_id, folder, work / "whole")
            _carry(folder, work / "whole", (), (SYNTHETIC_MARK,))
            folder = work / "whole"
        parts = write_parts(task, folder, work, Division(**division), names)
        for name in names:
            (work / name).replace(output / name)
    for name, items in zip(names, parts):
        listed = output / f"{name}_ids.txt"
        listed.write_text("".join(f"{item}\n" for item in items), encoding="utf-8")
        print(f"{output / name}: {counted(len(items), task.item)}, listed in {listed}")
    print(rule)
    if write:
        path.write_text(edited, encoding="utf-8")
        print(f"{COMPETITION} has a final phase with this task: correct its dates and limits")
    else:
        changes = [*difflib.unified_diff(text.splitlines(), edited.splitlines(), n=1, lineterm="")]
        said = [f"change {COMPETITION}, or let --write do it:"] if changes else []
        print(*said, *changes, *findings.lines(), sep="\n")
    return 0


def sentence(task: Declaration) -> str:
    """Return what a phase with the final part tells participants about submissions for both parts."""
    other_items = f"Other {task.item}s than in the phase before."
    both = "A submission may hold predictions for both: each phase scores its own and ignores the others."
    return f"{other_items} {both} {annotations_of(task.id).part_rule}".rstrip()


def write_parts(
    task: AnyTask, source: Path, output: Path, division: Division, names: Sequence[str]
) -> list[list[str]]:
    """Write each part of a prepared reference to ``output/name``; return the names of its items.

    Items of a group stay together. Raises Refused if the reference or a part is not right.
    """
    loaded = task.load(source, task.settings(source))
    annotations = annotations_of(task.id)
    classes: dict[str, list[str]] = annotations.classes(loaded.reference)
    groups_file = loaded.settings["item_groups"]
    if file := division.groups:
        groups = load_groups(file.parent, file.name, loaded.items, classes.keys())
        loaded = replace(loaded, groups=groups)
    part_of = _parts(loaded, classes, division)
    parts = [[item for item in classes if part_of[item] == part] for part in range(len(names))]
    _print_classes(classes, parts)
    part_of_item = np.array([part_of[item] for item in loaded.items])
    for part, name in enumerate(names):
        number = np.unique(loaded.groups.number[part_of_item == part], return_inverse=True)[1]
        scored = f"{name}: " + loaded.groups._replace(number=number).over(task.item)
        is_small = number.max(initial=-1) + 1 < LEAST_ITEMS
        print(f"warning | {scored}: fewer than {LEAST_ITEMS} cannot rank teams" if is_small else scored)
    for name, items in zip(names, parts):
        folder = output / name
        folder.mkdir()
        _carry(source, folder, annotations.shared, (SETTINGS_FILE, KEY_FILE, SYNTHETIC_MARK))
        _change_settings(folder / SETTINGS_FILE, annotations.part_settings)
        annotations.cut(source, loaded.reference, frozenset(items), folder)
        if groups_file:
            _cut_groups(source / groups_file, set(items), folder / groups_file)
        task.load(folder, task.settings(folder)).check()
    return parts


def _parts(loaded: AnyLoaded, classes: Mapping[str, Sequence[str]], division: Division) -> dict[str, int]:
    group_of, numbers = dict(zip(loaded.items, loaded.groups.number.tolist())), dict[object, int]()
    # Names that are no items, as videos without annotations, are groups of their own.
    number_of = {item: numbers.setdefault(group_of.get(item, item), len(numbers)) for item in classes}
    columns = {name: number for number, name in enumerate(sorted({c for of in classes.values() for c in of}))}
    counts = np.zeros((len(numbers), len(columns) + 1))
    for item, of_item in classes.items():
        np.add.at(counts, (number_of[item], [*(columns[name] for name in of_item), -1]), 1)
    part = divide(counts, np.array(division.shares) / sum(division.shares), division.seed)
    if len(set(part.tolist())) < len(division.shares):
        problem, remedy = "a part would be empty", "choose other SHARES, or smaller groups"
        Findings().refuse(_EMPTY, f"{problem}: {counted(len(numbers), 'group')} found", remedy)
    return {item: int(part[number]) for item, number in number_of.items()}


def divide(counts: Floats, shares: Floats, seed: int) -> Ints:
    """Return the part of each group, so that each part has its share of each column.

    Groups with the rarest columns choose first, as in iterative stratification (Sechidis et al., ECML PKDD
    2011), in random order among equals. Then each group in turn moves to the part where it is best, until
    none moves: the sum of (count - wanted)² / wanted over parts and columns never grows.

    Parameters
    ----------
    counts : float64 array of shape (n_groups, n_columns)
        How often each group has each class, and in the last column its number of items, which weighs as much
        as all classes.
    shares : float64 array of shape (n_parts,)
        Positive, with sum 1.
    seed : int
    """
    totals = counts.sum(axis=0)
    wanted = shares[:, None] * np.maximum(totals, 1)
    weights = np.ones(len(totals))
    weights[-1] = max(len(totals) - 1, 1)
    order = np.random.default_rng(seed).permutation(len(counts))
    rarest = np.where(counts > 0, totals, np.inf).min(axis=1)
    order = order[np.argsort(rarest[order], kind="stable")]
    part, held = np.full(len(counts), -1), np.zeros_like(wanted)
    for _ in range(_SWEEPS):
        before = part.copy()
        for group in order.tolist():
            own = counts[group]
            if part[group] >= 0:
                held[part[group]] -= own
            cost = (weights * own * (2 * (held - wanted) + own) / wanted).sum(axis=1)
            part[group] = int(cost.argmin())
            held[part[group]] += own
        if (part == before).all():
            break
    return part


def _print_classes(classes: Mapping[str, Sequence[str]], parts: Sequence[Sequence[str]]) -> None:
    """Print how many instances of each class are in each part, and its share of them."""
    counts = [Counter(name for item in part for name in classes[item]) for part in parts]
    total = sum(counts, Counter[str]())
    print(f"{'class':30}{'all':>8}{'public':>16}{'final':>16}")
    for name, n in sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))[:_SHOWN_CLASSES]:
        cells = "".join(f"{of[name]:8,} ({of[name] / n:4.0%})" for of in counts)
        print(f"{printable(name)[:29]:30}{n:8,}{cells}")
    if len(total) > _SHOWN_CLASSES:
        print(f"and {counted(len(total) - _SHOWN_CLASSES, 'class', 'classes')} with fewer instances")
    if alone := sum(min(of[name] for of in counts) == 0 for name in total):
        print(f"{counted(alone, 'class', 'classes')} of {len(total):,} in one part only")


def _carry(source: Path, folder: Path, linked: Sequence[str], copied: Sequence[str]) -> None:
    """Link large files that a source has, and copy those that are edited by hand."""
    for name in (*linked, *copied):
        if (source / name).is_file():
            try:
                (os.link if name in linked else shutil.copyfile)(source / name, folder / name)
            except OSError:  # no links between these folders
                shutil.copyfile(source / name, folder / name)


def _change_settings(path: Path, changes: Settings) -> None:
    """Add settings to a file of settings, or to an empty one; comments and other settings stay."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    settings = load_strict(text) or {}
    if all(settings.get(name) == value for name, value in changes.items()):
        return
    wanted = {**settings, **changes}
    kept = [line for line in text.splitlines() if line.partition(":")[0] not in changes]
    edited = "\n".join([*kept, yaml.safe_dump(dict(changes))])
    try:
        is_right = load_strict(edited) == wanted
    except yaml.YAMLError:  # all settings are on one line
        is_right = False
    path.write_text(edited if is_right else yaml.safe_dump(wanted), encoding="utf-8")


def _cut_groups(source: Path, items: set[str], output: Path) -> None:
    with source.open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    with output.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([header, *(row for row in rows if row[0] in items)])
