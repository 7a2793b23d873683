"""Check reference files and write a reference folder."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from organizer.commands.options import (
    add_images,
    add_replacing,
    add_task_id,
    add_vocabulary,
    given_path,
)
from organizer.data.corenlp import lemmatize
from organizer.data.prepare import VOCABULARY_OPTION, prepare_command
from organizer.data.public_data import write_beside_reference
from organizer.data.sources import unpacked_source
from organizer.ranking.winner_rule import rule_of_settings, rule_text
from people_in_video.drawings.images import Images
from scoring_program.task import Task, load_task


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_task_id(parser)
    parser.add_argument(
        "--source", type=given_path, required=True, metavar="DIR", help="your files, a folder or a zip"
    )
    parser.add_argument("--output", type=given_path, metavar="DIR", help="default: refs/ID")
    help_text = "CoreNLP 3.9.1, for tasks that need lemmas"
    parser.add_argument("--corenlp", type=given_path, metavar="DIR", help=help_text)
    parser.add_argument("--force-corenlp", action="store_true", help="accept another version of CoreNLP")
    add_replacing(parser)
    add_vocabulary(parser)
    add_images(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    task_options: dict[str, Any] = {}
    if options.vocabulary:
        task_options[VOCABULARY_OPTION] = options.vocabulary
    if options.corenlp:
        task_options["lemmatize"] = partial(lemmatize, options.corenlp, options.force_corenlp)
    output = (options.output or Path("refs", options.task_id)).resolve()
    with unpacked_source(options.source) as source:
        code = prepare_command(
            task_id=options.task_id,
            source=source,
            output=output,
            replace=options.replace,
            options=task_options,
            images=Images(options.images, options.image_size),
        )
        if code == 0:
            _print_rule(load_task(options.task_id), output)
        return code or write_beside_reference(options.task_id, source, output, options.replace)


def _print_rule(task: Task, reference: Path) -> None:
    """Print what the rule for winners asks for, if the settings of a reference have one."""
    rule = rule_of_settings(task.settings(reference))
    if rule is not None:
        print(f"rule for winners: {rule_text(rule, task.higher_is_better)}")
