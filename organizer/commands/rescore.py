"""Score all submissions with the built program and rank the teams."""

from __future__ import annotations

import argparse
from pathlib import Path

from organizer import ROOT
from organizer.commands.options import (
    UsageError,
    add_phase,
    add_reference,
    add_task_id,
    at_least,
    day,
    existing_path,
    given_path,
    worded,
)
from organizer.matrix_memory import take_matrix_memory
from organizer.ranking.baselines import baseline_submission
from organizer.ranking.command import Choices, rescore
from organizer.ranking.counting import parse_counting
from organizer.ranking.leaderboard import parse_columns
from organizer.ranking.winner_rule import WinnerRule, parse_gain
from organizer.runs import built
from organizer.runs.rescore import Options
from scoring_program.settings import PROTOCOLS
from scoring_program.task import load_task


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_task_id(parser)
    help_text = "a folder of zips, or of unpacked submissions, or the zip that the site gives for all of them"
    parser.add_argument("submissions", type=existing_path, metavar="SUBMISSIONS", help=help_text)
    add_reference(parser, "the one in the bundle")
    add_phase(parser)
    option = parser.add_argument
    help_text = "default: out/rescore/ID, with several phases out/rescore/ID_PHASE"
    option("--output", type=given_path, metavar="DIR", help=help_text)
    help_text = "rank the submissions with this PhaseId in their names; needed if there are several"
    option("--only-phase-id", type=_phase_id, default="", metavar="N", help=help_text)
    help_text = "leave out submissions that certainly break the dates or limits of the phase"
    option("--enforce", action="store_true", help=help_text)
    help_text = "processes; default: one for each core"
    option("--workers", type=at_least(1), default=0, metavar="N", help=help_text)
    option("--scheduler", default="", metavar="URL", help="a running Dask cluster, as tcp://host:8786")
    help_text = (
        "random divisions of the items into halves, for intervals and tests; default: 500, or what the "
        "task declares"
    )
    option("--half-samples", type=at_least(2), metavar="S", help=help_text)
    help_text = "default: that of the settings; with two, each has a folder"
    option("--protocols", nargs="+", default=[], choices=PROTOCOLS, help=help_text)
    help_text = (
        "submission,team,date,counts,chosen or user,team; more is shown; or the site's table of submissions"
    )
    option("--names", type=existing_path, metavar="CSV", help=help_text)
    help_text = (
        "which submission of a team counts: best, last, chosen, or best_in: PHASE; default: the setting"
    )
    option("--counts", type=worded(parse_counting), metavar="RULE", help=help_text)
    option("--date", type=day, metavar="YYYY-MM-DD", help="to show on the pages; default: none")
    option("--baselines", type=existing_path, metavar="JSON", help="baselines.json of the command baselines")
    help_text = "the baseline that a winner must beat: a --baseline-zip, or one of --baselines"
    option("--beats", metavar="NAME", help=help_text)
    option("--by", type=worded(parse_gain), metavar="10%", help="by which share of its score, with --beats")
    help_text = "score this zip as a baseline of this name; may be given several times"
    option(
        "--baseline-zip", type=_baseline_zip, action="append", default=[], metavar="NAME=FILE", help=help_text
    )
    help_text = "the leaderboard of the site as CSV, to compare"
    option("--leaderboard", type=existing_path, metavar="FILE", help=help_text)
    help_text = "the titles of the columns of users and of scores in it; default: those of Codabench"
    option("--columns", type=worded(parse_columns), metavar="USER,SCORE", help=help_text)
    option("--fresh", action="store_true", help="score again what an earlier call has scored")


def run(options: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    if (options.beats is None) != (options.by is None):
        raise UsageError("--beats and --by need each other: --beats GVD --by 10%")
    if options.columns is not None and options.leaderboard is None:
        raise UsageError("--columns needs --leaderboard: --leaderboard results.csv")
    take_matrix_memory()
    task = built.built_task(options.task_id, options.reference, options.phase)
    folder = f"{options.task_id}_{task.label}" if task.label else options.task_id
    choices = Choices(
        names=options.names,
        only_phase_id=options.only_phase_id,
        enforce=options.enforce,
        counting=options.counts,
        date=options.date,
        baselines=options.baselines,
        protocols=options.protocols,
        winner_rule=None if options.beats is None else WinnerRule(options.beats, options.by),
        baseline_zips=[baseline_submission(name, path) for name, path in options.baseline_zip],
        leaderboard=options.leaderboard,
        columns=options.columns,
        engine=Options(
            workers=options.workers,
            scheduler=options.scheduler,
            half_samples=options.half_samples or load_task(task.id).half_samples,
            fresh=options.fresh,
        ),
    )
    return rescore(task, options.submissions, options.output or ROOT / "out" / "rescore" / folder, choices)


def _phase_id(text: str) -> str:
    if text and not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no number")
    return text


def _baseline_zip(text: str) -> tuple[str, Path]:
    name, separator, path = text.partition("=")
    if not (separator and name and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not written as NAME=file.zip")
    return name, existing_path(path)
