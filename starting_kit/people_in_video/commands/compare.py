"""Compare submissions at home: ``people-in-video compare ID a.zip b.zip [c.zip ...]``.

All are scored on the same reference, by default the synthetic demo reference of the kit; each difference
comes with an interval and a test. Exit codes: 0 all were compared; 1 a submission is invalid, the others were
compared; 2 the reference is missing or malformed. In Python: ``from people_in_video import compare``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from people_in_video.commands.options import add_options
from people_in_video.comparing import compare, name_submissions
from people_in_video.comparison import Comparison, page, sentences
from people_in_video.demo_data import default_task
from people_in_video.home import ReferenceProblemsError, SubmissionError
from scoring_program.report import outputs
from scoring_program.run import BROKEN, INVALID, SCORED
from scoring_program.task import place_of, task_ids
from validator import console
from validator.texts import quote

PAGE, JSON = "comparison.html", "comparison.json"
_SHOWN = 10
_LONGEST_LINE = 400


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    console.prepare()
    parser = _parser()
    options = parser.parse_args(arguments)
    files = options.files
    ids = task_ids()
    if files[0] in ids:
        task = files.pop(0)
    elif default_task():
        task = default_task()
    else:
        parser.error(f"name the task first: compare ID a.zip b.zip, ID one of {', '.join(ids)}")
    try:
        name_submissions([Path(file) for file in files])
    except ValueError as error:
        parser.error(str(error))
    settings = {"protocol": options.protocol} if options.protocol else {}
    try:
        outputs.clear(options.output, [PAGE, JSON])
        return _report(compare(task, files, options.reference, options.cache, **settings), options)
    except SubmissionError as error:
        console.say(f"No submission is valid, nothing was compared:\n{error}", to=sys.stderr)
        return INVALID
    except ReferenceProblemsError as error:
        console.say(f"The reference cannot be used, nothing was compared:\n{error}", to=sys.stderr)
    except console.OutputError as error:
        console.report(error)
    except Exception as error:
        remedy = "report it to the maintainers of the scoring program"
        console.say(f"E-INTERNAL: {place_of(error)}; {remedy}", to=sys.stderr)
    return BROKEN


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compare submissions at home.")
    what = "your zip files, or folders with their files; the task comes first where the kit has several"
    parser.add_argument("files", nargs="+", metavar="submission", help=what)
    add_options(parser, "comparison")
    return parser


def _report(comparison: Comparison, options: argparse.Namespace) -> int:
    """Write the outputs and print the same in short; return the exit code."""
    for name, findings in comparison.invalid.items():
        head = f"The submission {quote(name)} is invalid and was not compared:"
        console.say(head, *findings.lines(), to=sys.stderr)
    outputs.write_atomic(options.output / PAGE, page(comparison))
    outputs.write_atomic(options.output / JSON, outputs.json_text(comparison.to_dict()))
    lines = [*_summary(comparison), f"page: {options.output / PAGE}"]
    if options.reference is None:
        lines.append("This was the synthetic demo reference: the numbers say nothing about the hidden data.")
    console.say(*lines)
    return INVALID if comparison.invalid else SCORED


def _summary(comparison: Comparison) -> list[str]:
    """Return the signature, the ranking, and what it means."""
    standings = comparison.standings
    lines = [comparison.signature]
    for place, (name, result) in enumerate(zip(standings.names, comparison.results)):
        rank, score = standings.comparison.rank[place], standings.score_texts[place]
        lines.append(f"{rank:4}  {score}  {result.interval or 'no interval'}  {quote(name)}")
    # The first pairs are those of the best submission.
    n_others = len(standings.names) - 1
    for pair in comparison.pair_sentences[: min(n_others, _SHOWN)]:
        lines.append(quote(pair, _LONGEST_LINE))
    return lines + sentences(standings)
