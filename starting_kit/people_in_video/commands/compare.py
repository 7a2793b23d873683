"""Compare submissions at home: ``people-in-video compare a.zip b.zip [c.zip ...]``.

All are scored on the same reference, by default the synthetic demo reference of the kit; each difference
comes with an interval and a test. Exit codes: 0 all were compared; 1 a submission is invalid, the others were
compared; 2 the reference is missing or malformed, or the command is. In Python:
``from people_in_video import compare``.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from people_in_video.commands.options import (
    add_conversion_options,
    add_print_options,
    add_scoring_options,
    add_words,
    aligned,
    check_paths,
    command_parser,
    conversion_of,
    report_failure,
    report_mistakes,
    require_task,
    selected_items,
    split_words,
)
from people_in_video.comparing.comparison import Comparison, page
from people_in_video.comparing.submissions import compare, find_name, name_submissions
from people_in_video.errors import (
    MissingPackageError,
    ReferenceProblemsError,
    SubmissionError,
    UsageError,
)
from people_in_video.progress import reading_bar
from scoring_program.report import outputs
from scoring_program.run import BROKEN, INVALID, SCORED
from scoring_program.scoring import place_of
from validator import console
from validator.findings import Refused
from validator.texts import quote

PAGE, JSON = "comparison.html", "comparison.json"
_NO_SUBMISSION = "No submission is valid, or the baseline is not; nothing was compared:"
_DEMO = "This was the synthetic demo reference: the numbers say nothing about the hidden data."
_EXAMPLES = """\
  people-in-video compare first.zip second.zip
  people-in-video compare ID first.zip second.zip third.zip --reference my_annotations
  people-in-video compare baseline.zip ablation1.zip ablation2.zip --baseline baseline --keep-order
  people-in-video compare first.zip second.zip --latex > table.tex
"""


def run(options: argparse.Namespace) -> int:
    """Compare submissions; return the exit code."""
    task, files = split_words(options.words)
    try:
        names = name_submissions(files)
        if options.baseline:
            find_name(options.baseline, names)
    except ValueError as error:
        raise UsageError(str(error)) from None
    check_paths(files, options)
    try:
        return _compare(task, files, options)
    except (Refused, SubmissionError) as error:
        clear = partial(outputs.clear, options.output, [PAGE, JSON])
        return report_failure(f"{_NO_SUBMISSION}\n{error}", clear)
    except ReferenceProblemsError as error:
        console.say(f"The reference cannot be used, nothing was compared:\n{error}", to=sys.stderr)
    except (MissingPackageError, UsageError, console.OutputError):
        raise
    except Exception as error:
        remedy = "report it to the maintainers of the scoring program"
        console.say(f"E-INTERNAL: {place_of(error)}; {remedy}", to=sys.stderr)
    return BROKEN


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    words = "[ID] SUBMISSION SUBMISSION ..."
    parser = command_parser("compare", words, "Compare submissions at home.", _EXAMPLES)
    add_words(parser, "your zip files, or folders with their files")
    add_scoring_options(parser, "comparison")
    add_conversion_options(parser, "frame rates for seconds; default: those of the reference")
    help_text = "compare each other submission with this one alone: its name without folder and ending"
    parser.add_argument("--baseline", metavar="NAME", help=help_text)
    help_text = "keep the order of the submissions in tables, instead of the best first"
    parser.add_argument("--keep-order", action="store_true", help=help_text)
    forms = add_print_options(
        parser,
        quiet="print the scores alone, each with the name of its submission",
        strict="end with 1 if a note on a submission tells of a likely mistake",
    )
    help_text = (
        "print a table for a paper: scores with intervals, the best in bold, differences with p values"
    )
    forms.add_argument("--latex", action="store_true", help=help_text)
    help_text = "print the differences of all pairs, not only those from the best"
    parser.add_argument("-v", "--verbose", action="store_true", help=help_text)
    return parser


def _compare(task: str, files: list[Path], options: argparse.Namespace) -> int:
    """Compare submissions, write and print what was asked for; return the exit code.

    Raises Refused, SubmissionError, ReferenceProblemsError, or OutputError.
    """
    task = task or require_task(files[0])
    items = selected_items(task, options)
    settings = {"protocol": options.protocol} if options.protocol else {}
    conversion = conversion_of(options)
    outputs.clear(options.output, [PAGE, JSON])
    with reading_bar(files, is_wanted=not options.quiet):
        comparison = compare(
            task,
            files,
            options.reference,
            options.cache,
            items,
            baseline=options.baseline,
            **conversion._asdict(),
            **settings,
        )
    if options.keep_order:
        valid_names = [name for name in name_submissions(files) if name not in comparison.invalid]
        comparison = comparison.in_order(valid_names)
    _report(comparison, options)
    notes = [note for result in comparison.results for note in result.notes]
    has_mistakes = options.strict and report_mistakes(notes)
    return INVALID if comparison.invalid or has_mistakes else SCORED


def _report(comparison: Comparison, options: argparse.Namespace) -> None:
    """Write the outputs and print the same in short."""
    for name, findings in comparison.invalid.items():
        head = f"The submission {quote(name)} is invalid and was not compared:"
        console.say(head, *findings.lines(), to=sys.stderr)
    json_text = outputs.json_text(comparison.to_dict())
    outputs.write_atomic(options.output / PAGE, page(comparison))
    outputs.write_atomic(options.output / JSON, json_text)
    if options.json:
        console.say(json_text.rstrip())
        return
    is_demo = options.reference is None
    if options.latex:
        console.say(comparison.latex(*([_DEMO] if is_demo else [])).rstrip())
        return
    if options.quiet:
        standings = comparison.standings
        rows = [[quote(standings.names[place]), standings.score_texts[place]] for place in comparison.places]
        console.say(*aligned(rows))
        return
    lines = [*comparison.lines(options.verbose), f"page: {options.output / PAGE}"]
    if is_demo:
        lines.append(_DEMO)
    console.say(*lines)
