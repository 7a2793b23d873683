"""Check a submission and score it at home: ``people-in-video score my.zip``.

Runs the very code of the server, by default against the synthetic demo reference that comes with the kit.
Exit codes: 0 scored; 1 the submission is invalid; 2 the reference is missing or malformed, or the command is;
3 the submission is valid, and nothing in the reference matches it.

In Python, for example after every epoch of a training: ``from people_in_video import score``.

For ActivityNet-Entities the names of the challenge's own script work too: ``-s FILE --eval_mode GT|gen``.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from people_in_video.commands.options import (
    add_conversion_options,
    add_print_options,
    add_scoring_options,
    add_words,
    aligned,
    command_parser,
    conversion_of,
    indented,
    only_submission,
    report_failure,
    report_mistakes,
    require_task,
    selected_items,
    split_words,
)
from people_in_video.csv_table import per_item_csv
from people_in_video.demo_data import demo_reference
from people_in_video.drawings import images
from people_in_video.drawings import pages as drawing_pages
from people_in_video.errors import ReferenceProblemsError, UsageError
from people_in_video.history import record_run
from people_in_video.home_loaded import MOST_DRAWINGS
from people_in_video.packages import require_packages
from people_in_video.progress import reading_bar
from people_in_video.references.loading import load_for_run
from people_in_video.references.preparation import check_reference
from people_in_video.result import write_tables
from people_in_video.tools.conversion import read_submission
from scoring_program import run as scoring_run
from scoring_program.report import outputs, page
from scoring_program.result import Cell, Result, Table
from scoring_program.run import BROKEN, INVALID, SCORED, Outcome
from scoring_program.scoring import AnyLoaded
from scoring_program.settings import Settings
from scoring_program.task import ScoreColumn, Task, load_task, task_ids
from validator import console
from validator.findings import Note, Refused, note_lines

_INVALID = "The submission is invalid, nothing was scored:"
_DECIMALS = 6
_EXAMPLES = """\
  people-in-video score my.zip
  people-in-video score ID my.zip --reference my_annotations --images my_frames
  people-in-video score my.zip --run "epoch 3" -q
  people-in-video score my.zip --items val_subset.txt --json
"""


def run(options: argparse.Namespace) -> int:
    """Score a submission; return the exit code."""
    task, submission = _read_words(options)
    try:
        task = task or require_task(submission)
        _check_options(options, task)
        outcome = _score(task, submission, options)
    except ReferenceProblemsError as error:
        console.say(f"{page.UNUSABLE}, nothing was scored:\n{error}", to=sys.stderr)
        return BROKEN
    except Refused as refused:
        return report_failure(f"{_INVALID}\n{refused}", partial(outputs.remove_scores, options.output))
    return _report(task, outcome, options)


def _score(task: str, submission: Path, options: argparse.Namespace) -> Outcome:
    """Score a submission as the server does. Raises Refused, ReferenceProblemsError."""
    items = selected_items(task, options)
    conversion = conversion_of(options)
    reference = options.reference or demo_reference(task)
    with read_submission(task, submission, conversion, reference) as readable:
        load = partial(_load, task, items, readable.notes, options)
        with reading_bar([readable.path], is_wanted=not options.quiet):
            return scoring_run.run(load, readable.path, options.output, at_home=True)


def _task_of_mode() -> dict[str, str]:
    """Return the task of each mode that a challenge's own script knows."""
    modes = {task: load_task(task).eval_mode for task in task_ids()}
    return {mode: task for task, mode in modes.items() if mode}


def _read_words(options: argparse.Namespace) -> tuple[str, Path]:
    """Return the task, "" if it is not named, and the submission. Raises UsageError if that is not one."""
    task, submissions = split_words(options.words)
    if options.submission_file:
        submissions.append(options.submission_file)
    submission = only_submission(submissions, options)
    return task or _task_of_mode().get(options.eval_mode, ""), submission


def _check_options(options: argparse.Namespace, task: str) -> None:
    """Raise UsageError if options do not go together."""
    if not 0 <= options.drawings <= MOST_DRAWINGS:
        raise UsageError(f"--drawings takes 0 to {MOST_DRAWINGS}")
    if options.images and not options.images.is_dir():
        raise UsageError(f"--images: there is no folder {options.images}")
    if options.images:
        require_packages(["PIL"], "--images")
    task_of_mode = _task_of_mode()
    named_task = task_of_mode.get(options.eval_mode, task)
    if named_task != task:
        raise UsageError(f"--eval_mode {options.eval_mode} is that of {named_task}, not of {task}")
    if options.loc_mode and task not in task_of_mode.values():
        raise UsageError(f"--loc_mode is only for {', '.join(task_of_mode.values())}")
    tasks_with_subset = _tasks_with_subset()
    if options.subset and task not in tasks_with_subset:
        raise UsageError(f"--subset is only for {', '.join(tasks_with_subset)}")


def _load(
    task: str, items: Sequence[str] | None, conversion_notes: Sequence[Note], options: argparse.Namespace
) -> AnyLoaded:
    """Prepare and read a reference for a run, and select items of it, unless all are scored.

    Raises Refused.
    """
    loaded = load_for_run(task, options.reference, options.cache, _overrides(options), conversion_notes)
    loaded = replace(loaded, n_drawings=options.drawings)
    if options.reference:
        check_reference(loaded)
    return loaded if items is None else loaded.select_items(items)


def _overrides(options: argparse.Namespace) -> Settings:
    """Return the settings that options replace."""
    overrides = {"protocol": options.protocol, "subset": options.subset}
    return {name: value for name, value in overrides.items() if value}


def _report(task: str, outcome: Outcome, options: argparse.Namespace) -> int:
    """Write what was asked for, and print where the detail page is; return the exit code."""
    try:
        if outcome.result is not None:
            _write_more(task, outcome.result, options)
        if options.json:
            _print_json(options.output)
        elif not options.quiet:
            _print_outcome(load_task(task), outcome, options)
        elif outcome.result is not None:
            column = _column_of_mode(task, options.loc_mode)
            console.say(outputs.plain_number(outcome.result.scores[column.key]))
    except console.OutputError as error:
        console.report(error)
        with contextlib.suppress(console.OutputError):
            outputs.remove_scores(options.output)
        return BROKEN
    if options.strict and outcome.result is not None and report_mistakes(outcome.result.notes):
        return INVALID
    return outcome.exit_code


def _write_more(task: str, result: Result, options: argparse.Namespace) -> None:
    """Write the scores of the items, and what else was asked for."""
    outputs.write_atomic(options.output / outputs.PER_ITEM, per_item_csv(result))
    content = outputs.plain_result(result.shown, result.notes)
    write_tables(content["tables"], options.output / "tables")
    _write_page_again(task, result, options)
    if options.run:
        # Without links to drawings on further pages, which the next run writes again.
        sections = drawing_pages.divide(result.sections).sections
        page_of_run = page.result_page(
            load_task(task), replace(result.shown, sections=sections), result.notes
        )
        record_run(options.output, options.run, content, page_of_run)


def _print_json(output: Path) -> None:
    """Print what was written for programs, unless the folder could not be written."""
    path = output / outputs.DETAIL_JSON
    if path.is_file():
        console.say(path.read_text(encoding="utf-8").rstrip())


def _print_outcome(task: Task, outcome: Outcome, options: argparse.Namespace) -> None:
    """Print the score and what options ask for, and where the detail page is."""
    result = outcome.result
    if result:
        heading = _heading_of_mode(task.id, result, options.loc_mode)
        console.say(*filter(None, [heading]), *_lines_of_result(task, result))
    if result and options.loc_mode:
        _print_mode(result, options.loc_mode)
    if result and options.verbose:
        console.say(*_further_lines(task, result))
        _print_classes(result)
        console.say("", outcome.signature, outcome.times)
    if outcome.result or outcome.findings.problems:  # or else the outputs cannot be written
        console.say(f"detail page: {options.output / outputs.DETAIL_HTML}")
    if outcome.exit_code == SCORED and options.reference is None:
        console.say("This was the synthetic demo reference: the number says nothing about the hidden data.")


def _lines_of_result(task: Task, result: Result) -> list[str]:
    """Return the score with its interval, notes, and the errors that cost something, the largest first."""
    lines = [page.score_line(task, result.shown), *note_lines(result.notes)]
    rows = [row for row in page.cost_rows(task, result.shown) if float(row[1]) > 0]
    if rows:
        has_mistake = any(note.is_mistake for note in result.notes)
        lines += [f"error costs: {page.COSTS_AS_READ}" if has_mistake else "error costs:"]
        lines += indented(aligned(rows))
    return lines


def _further_lines(task: Task, result: Result) -> list[str]:
    """Return all scores by their keys, what plain answers score, and the errors that cost nothing."""
    scores = [[key, f"{score:.{_DECIMALS}f}"] for key, score in result.scores.items()]
    lines = ["", "scores:", *indented(aligned(scores))]
    if result.shown.marks:
        marks = [[mark.text, f"{mark.score:.{_DECIMALS}f}"] for mark in result.shown.marks]
        lines += ["", "what plain answers score:", *indented(aligned(marks))]
    without_gain = [row for row in page.cost_rows(task, result.shown) if float(row[1]) <= 0]
    if without_gain:
        lines += ["", "errors that cost nothing:", *indented(aligned(without_gain))]
    return lines


def _write_page_again(task: str, result: Result, options: argparse.Namespace) -> None:
    """Write the detail page once more: with images and links to drawings, and the number of a mode first.

    Drawings for which it has no room get pages of their own.
    """
    sections = result.sections
    if options.images or options.image_size:
        own_images = images.Images(options.images, options.image_size)
        most_bytes = images.MOST_BYTES * drawing_pages.number_of_pages(sections)
        sections = images.with_images(sections, own_images, most_bytes)
    divided = drawing_pages.divide(sections)
    declaration = load_task(task)
    items_text = f"{outputs.PER_ITEM} beside this page has the score of each {declaration.item}."
    with_links = replace(result.shown, sections=drawing_pages.with_links(divided, items_text))
    heading = _heading_of_mode(task, result, options.loc_mode)
    html = page.result_page(declaration, with_links, result.notes, heading)
    outputs.write_atomic(options.output / outputs.DETAIL_HTML, html)
    drawing_pages.write_pages(options.output, declaration.title, divided.pages)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    description = "Check a submission and score it at home."
    parser = command_parser("score", "[ID] SUBMISSION", description, _EXAMPLES)
    parser.set_defaults(submission_file=None, eval_mode=None, loc_mode=None, subset=False)
    add_words(parser, "your zip file, or a folder with its files")
    add_scoring_options(parser, "evaluation")
    add_conversion_options(parser, "frame rates for seconds; default: those of the reference")
    add_print_options(
        parser,
        quiet="print the score alone",
        strict="end with 1 if a note tells of a likely mistake",
    )
    help_text = "print all scores, the tables of classes, the signature and the times, too"
    parser.add_argument("-v", "--verbose", action="store_true", help=help_text)
    help_text = "append the scores to runs.csv under this name, and draw history.html"
    parser.add_argument("--run", metavar="NAME", help=help_text)
    _add_drawing_options(parser)
    tasks_with_subset = ", ".join(_tasks_with_subset())
    if tasks_with_subset:
        help_text = (
            f"{tasks_with_subset}: with --protocol released, leave out submitted segments that are not "
            "annotated; the signature says so"
        )
        parser.add_argument("--subset", action="store_true", help=help_text)
    modes = sorted(_task_of_mode())
    if modes:
        script = parser.add_argument_group("as in the script of ActivityNet-Entities")
        help_text = "your zip file; a .json file is accepted too"
        script.add_argument("-s", "--submission_file", type=Path, metavar="FILE", help=help_text)
        script.add_argument("--eval_mode", choices=modes, help="the task: given or generated sentences")
        script.add_argument("--loc_mode", choices=["all", "loc"], help="show the numbers of one mode")
    return parser


def _add_drawing_options(parser: argparse.ArgumentParser) -> None:
    help_text = "how many of the worst items are drawn; default: %(default)s, of which "
    help_text += f"{drawing_pages.IN_DETAIL_PAGE} on the detail page"
    parser.add_argument("--drawings", type=int, default=MOST_DRAWINGS, metavar="N", help=help_text)
    help_text = "folder of your own images or frames, drawn behind the boxes; guide.md names the files"
    parser.add_argument("--images", type=Path, metavar="DIR", help=help_text)
    help_text = "the size that the boxes belong to, if not that of the image files"
    parser.add_argument("--image-size", type=images.image_size, metavar="WxH", help=help_text)


def _tasks_with_subset() -> list[str]:
    """Return the tasks that have the setting ``subset``."""
    names_of_task = {
        task: [setting.name for setting in load_task(task).known_settings] for task in task_ids()
    }
    return [task for task, names in names_of_task.items() if "subset" in names]


def _column_of_mode(task: str, mode: str | None) -> ScoreColumn:
    """Return the first number of the mode ``loc``; otherwise the score, which is the number of all."""
    columns = load_task(task).columns
    columns_of_mode = [column for column in columns if mode == "loc" and f"_{mode}" in column.key]
    return [*columns_of_mode, *columns][0]


def _heading_of_mode(task: str, result: Result, mode: str | None) -> str:
    """Return what the log and the page begin with: the number of a mode, "" if the score is that."""
    column = _column_of_mode(task, mode)
    if column is load_task(task).columns[0]:
        return ""
    return f"{column.title} {result.scores[column.key]:.{column.precision}f}"


def _print_mode(result: Result, mode: str) -> None:
    """Print the scores of a mode; those of other modes are left out."""
    lines = [f"{key}: {value:.4f}" for key, value in result.scores.items() if f"_{mode}" in key]
    console.say(f"\nmode {mode}", *(lines or ["this task has no scores of a mode"]))


def _print_classes(result: Result) -> None:
    """Print the tables of classes, in columns."""
    for table in result.sections:
        if isinstance(table, Table) and table.key in ("classes", "predicted_classes"):
            rows = [[column.title for column in table.columns]]
            rows += [[_cell_text(cell) for cell in row] for row in table.rows]
            console.say(f"\n{table.title}:", *indented(aligned(rows)))


def _cell_text(cell: Cell) -> str:
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)
