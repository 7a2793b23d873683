"""Write a new task that works at once."""

from __future__ import annotations

import argparse

from organizer.new_task import new_task


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("task_id", metavar="ID", help="a name in small letters, digits and _")
    parser.add_argument("--title", required=True, metavar="TEXT", help="of the task")
    parser.add_argument(
        "--format", dest="form", required=True, metavar="FORMAT", help="csv, json or segments"
    )
    what = "accuracy, balanced_accuracy, macro_f1, rmse or f1; for segments segment_f1"
    parser.add_argument("--metric", metavar="NAME", help=what)
    what = "words separated by spaces; default: first second third"
    parser.add_argument("--labels", type=str.split, metavar="WORDS", help=what)
    what = "names of columns of numbers, for rmse, separated by spaces; default: one, called number"
    parser.add_argument("--columns", type=str.split, metavar="WORDS", help=what)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    return new_task(
        task_id=options.task_id,
        title=options.title,
        form=options.form,
        metric=options.metric,
        labels=options.labels,
        columns=options.columns,
    )
