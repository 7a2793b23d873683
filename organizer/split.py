"""``organizer split``: two or three disjoint parts of a reference, for phases that follow each other."""

from __future__ import annotations

import csv
import difflib
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from organizer import ROOT
from organizer.bundle import COMPETITION, SOURCE
from organizer.bundle.edit import with_phases_of_parts
from organizer.bundle.own_tasks import with_own_tasks
from organizer.bundle.source import load_competition, task_names
from organizer.data.marks import add_marks
from organizer.data.prepare import (
    SYNTHETIC_MARK,
    copy_key,
    prepare,
    refuse_to_lose,
    refused_if_locked,
    write_manifest,
)
from organizer.data.references import PUBLIC_SUFFIX, naming_folder, task_folder
from organizer.data.vocabulary import complete_vocabulary
from organizer.files import (
    GIT_IGNORE,
    Files,
    folder_files,
    keep_out_of_git,
    read_if_any,
    replacing_folder,
    work_folder,
    write_durable,
    write_files,
)
from organizer.public_data import (
    PublicSource,
    can_be_made_of_prepared,
    is_prepared,
    make_public_data,
    public_files_of_items,
)
from organizer.split_table import SPLIT_FILE, SplitTable, change_lines, keep_parts, write_rows
from organizer.tasks import annotations_of
from people_in_video.references.preparation import check_reference
from scoring_program.item_groups import load_groups
from scoring_program.metrics.resampling import LEAST_ITEMS
from scoring_program.scoring import AnyLoaded, load_reference
from scoring_program.settings import SETTINGS_FILE, Settings
from scoring_program.signature import KEY_FILE, VOCABULARY_FILE
from scoring_program.task import Declaration, Task, load_task
from validator.arrays import Floats, Ints
from validator.findings import Findings
from validator.strict_yaml import load_strict
from validator.texts import counted, printable, quote

PART_KINDS = {2: ("public", "final"), 3: ("development", "test", "final")}
"""What the parts are called by their number; all but the first have phases of their own."""
_SHARES = (30.0, 70.0)
_SWEEPS = 20
_SHOWN_CLASSES = 40
_EMPTY = "E-SPLIT-EMPTY"


class Division(NamedTuple):
    """How a reference is divided.

    Attributes
    ----------
    shares : sequence of float
        The share of each part, where items are dealt.
    seed : int
    groups : Path or None
        A file of items that stay together.
    new_to : str
        The part of new items, "" to refuse them.
    again : bool
        Whether items are dealt anew that are in a part already.
    """

    shares: Sequence[float]
    seed: int = 0
    groups: Path | None = None
    new_to: str = ""
    again: bool = False


def split_command(
    task_id: str,
    reference: Path,
    output: Path | None,
    write: bool,
    replace_edited: bool,
    shares: Sequence[float] | None,
    **further_options: Any,
) -> int:
    """Write the parts of a reference; print how classes divide, and what to add to competition.yaml.

    Items stay in the parts of an earlier call. Its folders are replaced, but files of others in them only
    with ``replace_edited``.
    """
    folder = task_folder(task_id, reference, task_names(load_competition()))
    task = load_task(task_id)
    output = output or ROOT / "parts"
    table = SplitTable(output, task_id)
    if table.n_parts:
        shares = _shares_of_table(table, shares, further_options["again"])
    division = Division(shares or _SHARES, **further_options)
    names = table.names[: len(division.shares)]
    if folder.resolve() in [(output / name).resolve() for name in names]:
        problem = "a part would take the place of the source"
        Findings().refuse("E-OUTPUT", problem, "give the folder of the whole reference", file=str(folder))
    competition = SOURCE / COMPETITION
    text = competition.read_text(encoding="utf-8")
    text = with_own_tasks(text, load_strict(text))
    edited_text, findings = _add_phases(text, task, len(names))
    if write:
        findings.refuse_problems()
    parts = _write_all_or_nothing(task, folder, output, division, table, replace_edited)
    for name, items in zip(names, parts):
        list_file = output / f"{name}_ids.txt"
        write_durable(list_file, "".join(f"{item}\n" for item in items))
        print(f"{output / name}: {counted(len(items), task.item)}, listed in {list_file}")
        public = output / f"{name}{PUBLIC_SUFFIX}"
        if public.is_dir():
            print(f"{public}: what participants may have of it")
    print(f"{table.path}: the part of each {task.item}, which the next split keeps")
    for name in table.names[len(names) :]:
        if (output / name).is_dir():
            print(f"note | {output / name} is of an earlier split: move it away")
    print(phase_sentence(task, len(names)))
    if write and edited_text != text:
        write_durable(competition, edited_text)
        print(f"{COMPETITION} has a phase for each part: correct dates and limits")
    elif edited_text == text and findings.ok:
        print(f"{COMPETITION} has a task for each part already")
    else:
        _print_changes(text, edited_text, findings)
    return 0


def _shares_of_table(
    table: SplitTable, shares: Sequence[float] | None, again: bool
) -> Sequence[float] | None:
    """Return the shares that are given, or one for each part of a table, whose items stay where they are.

    Raises Refused if a part has no item, if shares are given for another number of parts, or if more parts
    than by default are to be dealt ``again`` without shares.
    """
    if again and (shares or table.n_parts <= len(_SHARES)):
        return shares
    parts = set(table.part_of_item.values())
    least_names = table.names[: max(table.n_parts, min(PART_KINDS))]
    empty_names = [name for part, name in enumerate(least_names) if part not in parts]
    if empty_names:
        problem, remedy = f"no item is in {', '.join(empty_names)}", "write items of two or three parts"
        Findings().refuse(_EMPTY, problem, f"{remedy}, and leave out none between", file=SPLIT_FILE)
    n_parts = len(shares or _SHARES)
    if (again or shares) and n_parts != table.n_parts:
        problem = f"the items are in {table.n_parts} parts, not in {n_parts}"
        remedy = "add --again and --shares to deal them anew"
        Findings().refuse("E-SPLIT-FILE", problem, remedy, file=SPLIT_FILE)
    if shares:
        print(f"note | {table.path} says the part of each item, not --shares; --again deals anew")
    return [1 / table.n_parts] * table.n_parts


def _add_phases(text: str, task: Declaration, n_parts: int) -> tuple[str, Findings]:
    """Return competition.yaml with a phase for each part but the first; unchanged, with the reason, where
    they cannot be added."""
    findings = Findings()
    with findings.part():
        kinds = PART_KINDS[n_parts][1:]
        edited_text = with_phases_of_parts(text, task.id, phase_sentence(task, n_parts), kinds)
        return edited_text, findings
    return text, findings


def _write_all_or_nothing(
    task: Task,
    source: Path,
    output: Path,
    division: Division,
    table: SplitTable,
    replace_edited: bool,
) -> list[list[str]]:
    """Write the parts of a reference, which is prepared first if needed; move them to ``output`` when all
    are right. Return the names of the items of each part. Raises Refused."""
    names = table.names[: len(division.shares)]
    output.mkdir(parents=True, exist_ok=True)
    keep_out_of_git(output)
    original = source
    with refused_if_locked(output), work_folder(output, ".split-") as work:
        if task.prepared_file and not (source / task.prepared_file).is_file():
            prepared_folder = work / "whole"
            prepare(task.id, source, prepared_folder)
            _carry(source, prepared_folder, (), (SYNTHETIC_MARK,))
            source = prepared_folder
        public_files = _public_files_to_divide(task.id, original, source)
        part_of_name = write_parts(task, source, work, division, table)
        parts = [[item for item in part_of_name if part_of_name[item] == part] for part in range(len(names))]
        folders = [*names]
        for name in names:
            _complete_part(task.id, work / name, output / name)
        if public_files:
            for name, items in zip(names, parts):
                folders.append(f"{name}{PUBLIC_SUFFIX}")
                write_files(public_files_of_items(task.id, public_files, items), work / folders[-1])
        for folder in folders:
            refuse_to_lose(output / folder, work / folder, replace_edited)
            write_manifest(work / folder)
        gone_items = {} if division.again else table.part_of_item
        table.write({**gone_items, **part_of_name})
        for folder in folders:
            _replace_folder(work / folder, output / folder)
    return parts


def _public_files_to_divide(task_id: str, original: Path, prepared_folder: Path) -> Files:
    """Return the public data of a reference, of which each part gets its own.

    It is made of the organizers' files, or is beside the reference. There is none where it can be made of
    each part itself.
    """
    if can_be_made_of_prepared(task_id):
        return {}
    if not is_prepared(task_id, original):
        settings = load_task(task_id).settings(original)
        read_vocabulary = partial(read_if_any, prepared_folder / VOCABULARY_FILE)
        return make_public_data(PublicSource(task_id, original, settings, read_vocabulary)).files
    public_folder = original.with_name(f"{original.name}{PUBLIC_SUFFIX}")
    if public_folder.is_dir():
        return folder_files(public_folder)
    problem = f"no public data is divided: {public_folder} is missing"
    print(f"{problem}; organizer prepare writes it from your own files")
    return {}


def _complete_part(task_id: str, part: Path, former_part: Path) -> None:
    """Keep the settings and the key of a former part, and what it says to git; write marks into a part."""
    if (former_part / SETTINGS_FILE).is_file():
        _keep_settings(load_task(task_id), former_part, part)
    add_marks(task_id, part)
    if not (part / KEY_FILE).is_file():
        copy_key(former_part, part)
    if (former_part / GIT_IGNORE).is_file():
        shutil.copyfile(former_part / GIT_IGNORE, part / GIT_IGNORE)
    keep_out_of_git(part)


def _keep_settings(task: Task, former_part: Path, part: Path) -> None:
    """Copy the settings of a former part into a new one, and print what the reference has otherwise."""
    settings_of_reference = task.settings(part)
    shutil.copyfile(former_part / SETTINGS_FILE, part / SETTINGS_FILE)
    differences = []
    with naming_folder(part.name):
        settings = task.settings(part)
    for key, value in settings.items():
        if value != settings_of_reference[key]:
            differences.append(f"{key}: {value} (the reference: {settings_of_reference[key]})")
    if differences:
        print(printable(f"note | {part.name} keeps its {SETTINGS_FILE}: {', '.join(differences)}"))


def _replace_folder(new_folder: Path, output: Path) -> None:
    """Move the files of a folder to its place, where a former one is replaced. Raises Refused."""
    with refused_if_locked(output), replacing_folder(output) as folder:
        for path in new_folder.iterdir():
            path.rename(folder / path.name)


def _print_changes(text: str, edited_text: str, findings: Findings) -> None:
    """Print what to change in competition.yaml, and why nothing could be changed."""
    changes = list(difflib.unified_diff(text.splitlines(), edited_text.splitlines(), n=1, lineterm=""))
    if changes:
        changes.insert(0, f"change {COMPETITION}, or let --write do it:")
    notes = [
        f"note | nothing to add to {COMPETITION}: {problem.line()}"
        for problem in findings.summary().problems(None)
    ]
    print(*changes, *notes, sep="\n")


def phase_sentence(task: Declaration, n_parts: int = 2) -> str:
    """Return what a phase with a later part tells participants about submissions for all parts."""
    other_items = f"Other {task.item}s than in the phase before."
    scope = "both" if n_parts == 2 else "all phases"
    all_parts = (
        f"A submission may hold predictions for {scope}: each phase scores its own and ignores the others."
    )
    return f"{other_items} {all_parts}"


def write_parts(
    task: Task, source: Path, output: Path, division: Division, table: SplitTable
) -> dict[str, int]:
    """Write each part of a prepared reference to ``output/name``; return the part of each item.

    Items stay where a table has them, and items of a group together. Raises Refused if the reference or a
    part is not right.
    """
    loaded = load_reference(task, source, task.settings(source))
    annotations = annotations_of(task.id)
    classes: dict[str, list[str]] = annotations.classes(loaded.reference)
    if division.groups:
        groups_file = division.groups
        groups = load_groups(groups_file.parent, groups_file.name, loaded.items, classes.keys())
        loaded = replace(loaded, groups=groups)
    names = table.names[: len(division.shares)]
    part_of_name = _divide_names(loaded, classes, division, table)
    parts = [[item for item in classes if part_of_name[item] == part] for part in range(len(names))]
    _print_classes(classes, parts)
    if table.n_parts:
        print(*change_lines(table.part_of_item, part_of_name, table.names, task.item), sep="\n")
    for part, name in enumerate(names):
        _print_scored_items(loaded, name, [part_of_name[item] == part for item in loaded.items])
    for name, items in zip(names, parts):
        folder = output / name
        folder.mkdir()
        _write_part(loaded, source, items, folder)
        # Names that messages show must not tell which part they occur in.
        notes = complete_vocabulary(loaded, folder)
        check_reference(load_reference(task, folder, task.settings(folder)))
    for note in notes:
        print(note.log_line())
    return part_of_name


def _print_scored_items(loaded: AnyLoaded, name: str, is_in_part: Sequence[bool]) -> None:
    """Print how many items and groups the score of a part is over, with a warning if these are few."""
    group_numbers = loaded.groups.number[np.array(is_in_part, dtype=bool)]
    number = np.unique(group_numbers, return_inverse=True)[1]
    groups = loaded.groups._replace(number=number)
    text = f"{name}: {groups.count_text(loaded.task.item)}"
    if groups.n_groups < LEAST_ITEMS:
        text = f"warning | {text}: fewer than {LEAST_ITEMS} cannot rank teams"
    print(text)


def _write_part(loaded: AnyLoaded, source: Path, items: Sequence[str], folder: Path) -> None:
    """Write some items of the reference in ``source`` to a folder, with settings, groups and shared files."""
    annotations = annotations_of(loaded.task.id)
    _carry(source, folder, annotations.shared, (SETTINGS_FILE, SYNTHETIC_MARK))
    copy_key(source, folder)
    _change_settings(folder / SETTINGS_FILE, annotations.part_settings)
    annotations.cut(source, loaded.reference, frozenset(items), folder)
    groups_file = loaded.settings["item_groups"]
    if groups_file:
        _cut_groups(source / groups_file, set(items), folder / groups_file)


def _divide_names(
    loaded: AnyLoaded,
    classes: Mapping[str, Sequence[str]],
    division: Division,
    table: SplitTable,
) -> dict[str, int]:
    """Return the part of each name of ``classes``, which are items and others that are divided."""
    number_of_name = _group_numbers(loaded, classes)
    if table.n_parts and not division.again:
        part_of_new = _part_number(division.new_to, table.names[: table.n_parts])
        part_of_name = keep_parts(table.part_of_item, number_of_name, part_of_new, table.path)
    else:
        counts = _class_counts(number_of_name, classes)
        shares = np.array(division.shares) / sum(division.shares)
        part_of_group = divide(counts, shares, division.seed)
        part_of_name = {name: int(part_of_group[number]) for name, number in number_of_name.items()}
    if len(set(part_of_name.values())) < len(division.shares):
        n_groups = len(set(number_of_name.values()))
        problem, remedy = "a part would be empty", "choose other --shares, or smaller groups"
        Findings().refuse(_EMPTY, f"{problem}: {counted(n_groups, 'group')} found", remedy)
    return part_of_name


def _part_number(name: str, names: Sequence[str]) -> int | None:
    """Return the number of the part of a name, None for "". Raises Refused if there is no such part."""
    if name and name not in names:
        problem, remedy = f"--new-to {quote(name)} is no part", f"write one of {', '.join(names)}"
        Findings().refuse("E-SPLIT-FILE", problem, remedy)
    return names.index(name) if name else None


def _group_numbers(loaded: AnyLoaded, names: Iterable[str]) -> dict[str, int]:
    """Return the number of the group of each name; names that are no items, as videos without annotations,
    are groups of their own."""
    group_of_item = dict(zip(loaded.items, loaded.groups.number.tolist()))
    number_of_group: dict[object, int] = {}
    number_of_name = {}
    for name in names:
        group = group_of_item.get(name, name)
        number_of_name[name] = number_of_group.setdefault(group, len(number_of_group))
    return number_of_name


def _class_counts(number_of_name: Mapping[str, int], classes: Mapping[str, Sequence[str]]) -> Floats:
    """Return how often each group has each class, and in the last column its number of names."""
    class_names = sorted(set(chain.from_iterable(classes.values())))
    column_of_class = {class_name: column for column, class_name in enumerate(class_names)}
    counts = np.zeros((max(number_of_name.values(), default=-1) + 1, len(class_names) + 1))
    for name, names_of_classes in classes.items():
        group = number_of_name[name]
        for class_name in names_of_classes:
            counts[group, column_of_class[class_name]] += 1
        counts[group, -1] += 1
    return counts


def divide(counts: Floats, shares: Floats, seed: int) -> Ints:
    """Return the part of each group, so that each part has its share of each column.

    Groups with the rarest columns choose first, as in iterative stratification (Sechidis et al., ECML PKDD
    2011), in random order among equals. Then each group in turn moves to the part where it is best, until
    none moves: the sum of (count - target)² / target over parts and columns never grows.

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
    target = shares[:, None] * np.maximum(totals, 1)
    weights = np.ones(len(totals))
    weights[-1] = max(len(totals) - 1, 1)
    order = np.random.default_rng(seed).permutation(len(counts))
    rarest = np.where(counts > 0, totals, np.inf).min(axis=1)
    order = order[np.argsort(rarest[order], kind="stable")]
    part, held = np.full(len(counts), -1), np.zeros_like(target)
    for _ in range(_SWEEPS):
        part_before = part.copy()
        for group in order.tolist():
            group_counts = counts[group]
            if part[group] >= 0:
                held[part[group]] -= group_counts
            cost = (weights * group_counts * (2 * (held - target) + group_counts) / target).sum(axis=1)
            part[group] = int(cost.argmin())
            held[part[group]] += group_counts
        if (part == part_before).all():
            break
    return part


def _print_classes(classes: Mapping[str, Sequence[str]], parts: Sequence[Sequence[str]]) -> None:
    """Print how many instances of each class are in each part, and its share of them."""
    count_of_class_by_part = []
    for part in parts:
        count_of_class_by_part.append(Counter(chain.from_iterable(classes[item] for item in part)))
    total = sum(count_of_class_by_part, Counter[str]())
    kinds = "".join(f"{kind:>16}" for kind in PART_KINDS[len(parts)])
    print(f"{'class':30}{'all':>8}{kinds}")
    most_frequent_first = sorted(total.items(), key=lambda entry: (-entry[1], entry[0]))
    for name, n_instances in most_frequent_first[:_SHOWN_CLASSES]:
        line = f"{printable(name)[:29]:30}{n_instances:8,}"
        for count_of_class in count_of_class_by_part:
            share = count_of_class[name] / n_instances
            line += f"{count_of_class[name]:8,} ({share:4.0%})"
        print(line)
    if len(total) > _SHOWN_CLASSES:
        n_not_shown = len(total) - _SHOWN_CLASSES
        print(f"and {counted(n_not_shown, 'class', 'classes')} with fewer instances")
    n_in_one_part = 0
    for name in total:
        n_in_one_part += any(count_of_class[name] == 0 for count_of_class in count_of_class_by_part)
    if n_in_one_part:
        print(f"{counted(n_in_one_part, 'class', 'classes')} of {len(total):,} in one part only")


def _carry(source: Path, folder: Path, linked_names: Sequence[str], copied_names: Sequence[str]) -> None:
    """Link large files that a source has, and copy those that are edited by hand."""
    for name in linked_names:
        if (source / name).is_file():
            try:
                os.link(source / name, folder / name)
            except OSError:  # no links between these folders
                shutil.copyfile(source / name, folder / name)
    for name in copied_names:
        if (source / name).is_file():
            shutil.copyfile(source / name, folder / name)


def _change_settings(path: Path, changes: Settings) -> None:
    """Add settings to a file of settings, or to an empty one; comments and other settings stay."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    settings = load_strict(text) or {}
    if all(settings.get(name) == value for name, value in changes.items()):
        return
    new_settings = {**settings, **changes}
    other_lines = [line for line in text.splitlines() if line.partition(":")[0] not in changes]
    new_text = "\n".join([*other_lines, yaml.safe_dump(dict(changes))])
    try:
        is_right = load_strict(new_text) == new_settings
    except yaml.YAMLError:  # all settings are on one line
        is_right = False
    write_durable(path, new_text if is_right else yaml.safe_dump(new_settings))


def _cut_groups(source: Path, items: set[str], output: Path) -> None:
    """Write the lines of a file of groups that are on some items."""
    with source.open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    rows_of_part = [row for row in rows if row[0] in items]
    write_rows(output, [header, *rows_of_part])
