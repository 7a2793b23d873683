"""Check a submission and score it at home: ``people-in-video score ID my.zip``.

Runs the very code of the server, by default against the synthetic demo reference that comes with the kit.
Exit codes: 0 scored; 1 the submission is invalid; 2 the reference is missing or malformed.

In Python, for example after every epoch of a training: ``from people_in_video import score``.

For ActivityNet-Entities the names of the challenge's own script work too: ``-s FILE --eval_mode GT|gen``.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from people_in_video.commands.options import add_options
from people_in_video.demo_data import demo_reference
from people_in_video.history import add_run
from people_in_video.home import prepared_folder
from people_in_video.result import write_tables
from people_in_video.tools.conversion import read_tool_file
from scoring_program.report import images, outputs, page
from scoring_program.result import Cell, Result, Table
from scoring_program.run import BROKEN, INVALID, SCORED, Outcome, load_folder, run
from scoring_program.settings import MOST_DRAWINGS, Settings, SettingValue
from scoring_program.task import load_task, task_ids
from validator import console
from validator.findings import Refused
from validator.messages import note_lines


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    console.prepare()
    task_of_mode = _task_of_mode()
    parser = _parser(sorted(task_of_mode))
    options = parser.parse_args(arguments)
    task = options.id or task_of_mode.get(options.eval_mode, "")
    submission = options.submission_file or options.submission
    _check_options(parser, options, task, submission, task_of_mode)
    source = options.reference or demo_reference(task)
    try:
        reference = prepared_folder(load_task(task), source, options.cache)
    except Refused as refused:
        console.say(f"{page.UNUSABLE}, nothing was scored:\n{refused}", to=sys.stderr)
        return BROKEN
    load = partial(load_folder, task, reference, _overrides(options), is_limited=True)
    try:
        with read_tool_file(task, submission) as readable:
            for line in note_lines(readable.notes):
                console.say(line)
            outcome = run(load, readable.path, options.output, options.reference is not None, at_home=True)
    except Refused as refused:
        console.say(f"The submission is invalid, nothing was scored:\n{refused}", to=sys.stderr)
        return INVALID
    return _report(task, outcome, options)


def _task_of_mode() -> dict[str, str]:
    """Return the task of each mode that a challenge's own script knows."""
    modes = {task: load_task(task).eval_mode for task in task_ids()}
    return {mode: task for task, mode in modes.items() if mode}


def _check_options(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    task: str,
    submission: Path | None,
    task_of_mode: dict[str, str],
) -> None:
    """Stop with a message if options are missing, or do not go together."""
    if task not in task_ids():
        parser.error(f"name the task: score ID my.zip, ID one of {', '.join(task_ids())}")
    if submission is None:
        parser.error(f"name your zip file: score {task} my.zip")
    if not 0 <= options.drawings <= MOST_DRAWINGS:
        parser.error(f"--drawings takes 0 to {MOST_DRAWINGS}")
    if options.images and not options.images.is_dir():
        parser.error(f"--images: there is no folder {options.images}")
    named_task = task_of_mode.get(options.eval_mode, task)
    if named_task != task:
        parser.error(f"--eval_mode {options.eval_mode} is that of {named_task}, not of {task}")
    if options.loc_mode and task not in task_of_mode.values():
        parser.error(f"--loc_mode is only for {', '.join(task_of_mode.values())}")
    tasks_with_subset = _tasks_with_subset()
    if options.subset and task not in tasks_with_subset:
        parser.error(f"--subset is only for {', '.join(tasks_with_subset)}")


def _overrides(options: argparse.Namespace) -> Settings:
    """Return the settings that options replace."""
    overrides: dict[str, SettingValue] = {"detail": "full", "drawings": options.drawings}
    if options.protocol:
        overrides["protocol"] = options.protocol
    if options.subset:
        overrides["subset"] = True
    return overrides


def _report(task: str, outcome: Outcome, options: argparse.Namespace) -> int:
    """Write what was asked for, and print where the detail page is; return the exit code."""
    try:
        if outcome.result is not None:
            _report_result(task, outcome, outcome.result, options)
        if outcome.result or outcome.findings.problems:  # or else the outputs cannot be written
            console.say(f"detail page: {options.output / outputs.DETAIL_HTML}")
        if outcome.exit_code == SCORED and options.reference is None:
            what = "This was the synthetic demo reference"
            console.say(f"{what}: the number says nothing about the hidden data.")
    except console.OutputError as error:
        console.report(error)
        with contextlib.suppress(console.OutputError):
            outputs.remove_scores(options.output)
        return BROKEN
    return outcome.exit_code


def _report_result(task: str, outcome: Outcome, result: Result, options: argparse.Namespace) -> None:
    """Write the scores of the items, and write and print what was asked for."""
    outputs.write_atomic(options.output / outputs.PER_ITEM, outputs.per_item_csv(result))
    write_tables(outputs.plain_result(result, outcome.signature)["tables"], options.output / "tables")
    if options.images or options.image_size:
        _add_images(task, outcome, result, options)
    if options.loc_mode:
        _print_mode(result, options.loc_mode)
    if options.verbose:
        _print_classes(result)
    if options.run:
        add_run(options.output, options.run, outputs.plain_result(result, outcome.signature))


def _add_images(task: str, outcome: Outcome, result: Result, options: argparse.Namespace) -> None:
    """Write the detail page once more, with the participant's images behind the drawings."""
    own_images = images.Images(options.images, options.image_size)
    with_images = replace(result, sections=images.with_images(result.sections, own_images))
    html = page.result_page(load_task(task), with_images, outcome.signature)
    outputs.write_atomic(options.output / outputs.DETAIL_HTML, html)


def _parser(modes: list[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Check a submission and score it at home.")
    parser.set_defaults(submission_file=None, eval_mode=None, loc_mode=None, subset=False)
    parser.add_argument("id", nargs="?", choices=task_ids(), help="the task")
    parser.add_argument("submission", nargs="?", type=Path, help="your zip file, or a folder with its files")
    tasks_with_subset = ", ".join(_tasks_with_subset())
    if tasks_with_subset:
        what = (
            f"{tasks_with_subset}: leave out submitted segments that are not annotated; the signature says so"
        )
        parser.add_argument("--subset", action="store_true", help=what)
    if modes:
        script = parser.add_argument_group("as in the script of ActivityNet-Entities")
        what = "your zip file; a .json file is accepted too"
        script.add_argument("-s", "--submission_file", type=Path, help=what)
        script.add_argument("--eval_mode", choices=modes, help="the task: given or generated sentences")
        script.add_argument("--loc_mode", choices=["all", "loc"], help="show the numbers of one mode")
    what = "print the table of classes, if the task has one"
    parser.add_argument("-v", "--verbose", action="store_true", help=what)
    add_options(parser, "evaluation")
    what = "how many of the worst items are drawn; default: 24"
    parser.add_argument("--drawings", type=int, default=24, metavar="N", help=what)
    what = "folder of your own images or frames, drawn behind the boxes; README.md names the files"
    parser.add_argument("--images", type=Path, metavar="DIR", help=what)
    what = "the size that the boxes belong to, if not that of the image files"
    parser.add_argument("--image-size", type=images.image_size, metavar="WxH", help=what)
    what = "append the scores to runs.csv under this name, and draw history.html"
    parser.add_argument("--run", metavar="NAME", help=what)
    return parser


def _tasks_with_subset() -> list[str]:
    """Return the tasks that have the setting ``subset``."""
    settings_of_tasks = {task: load_task(task).known_settings for task in task_ids()}
    return [
        task
        for task, settings in settings_of_tasks.items()
        if any(setting.name == "subset" for setting in settings)
    ]


def _print_mode(result: Result, mode: str) -> None:
    """Print the scores of a mode; those of other modes are left out."""
    lines = []
    for key, value in result.scores.items():
        if f"_{mode}" in key:
            lines.append(f"{key}: {value:.4f}")
    if not lines:
        lines.append("this task has no scores of a mode")
    console.say(f"\nmode {mode}", *lines)


def _print_classes(result: Result) -> None:
    """Print the tables of classes."""
    for table in result.sections:
        if isinstance(table, Table) and table.key in ("classes", "predicted_classes"):
            console.say(f"\n{table.title}")
            console.say("  ".join(column.title for column in table.columns))
            for row in table.rows:
                console.say("  ".join(_cell_text(cell) for cell in row))


def _cell_text(cell: Cell) -> str:
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)
