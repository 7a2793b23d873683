"""The commands of organizers: ``python -m organizer COMMAND``, with ``--help`` for each."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from organizer import ROOT
from organizer.data.references import RefusedError
from validator import console
from validator.findings import Findings

REFERENCE_HELP = "folder with a reference folder for each task, or the folder of one task; default: {}"


def main(arguments: list[str] | None = None) -> int:
    """Run one of the organizer's commands and return its exit code: 1 if what it was given is refused."""
    try:
        return _run(arguments)
    except RefusedError as refused:
        for line in refused.findings.lines():
            print(line, file=sys.stderr)
        return 1


def _run(arguments: list[str] | None) -> int:
    # Imported here so that --help answers at once and a command loads only what it needs.
    from scoring_program.challenge import challenge_ids

    parser = argparse.ArgumentParser(prog="python -m organizer", description="Tools for organizers.")
    commands = parser.add_subparsers(dest="command", required=True)
    bundle = commands.add_parser("bundle", help="build the bundles into dist/")
    bundle.add_argument("--reference", type=Path, help=REFERENCE_HELP.format("the synthetic demo data"))
    bundle.add_argument(
        "--demo", action="store_true", help="use demo data for the tasks that REFERENCE does not hold"
    )
    bundle.add_argument("--format", choices=["v2", "v1.5"], default="v2")
    lint = commands.add_parser("lint", help="check bundles before they are uploaded")
    lint.add_argument("bundles", nargs="*", type=Path, help="default: all in dist/")
    lint.add_argument("--strict", action="store_true", help="fail on warnings, too")
    dry = commands.add_parser("dry-run", help="do with a submission what the platform would do")
    dry.add_argument("id", choices=challenge_ids())
    dry.add_argument("submission", type=Path)
    dry.add_argument("--reference", type=Path, help=REFERENCE_HELP.format("the one in the bundle"))
    dry.add_argument("--output", type=Path, default=ROOT / "out" / "dry-run")
    again = commands.add_parser("rescore", help="score all submissions with the built program and rank the teams")
    again.add_argument("id", choices=challenge_ids())
    again.add_argument("submissions", type=Path, help="folder with the participants' zips, or Codabench's zip of all")
    again.add_argument("--reference", type=Path, help=REFERENCE_HELP.format("the one in the bundle"))
    again.add_argument("--output", type=Path, help="default: out/rescore/ID")
    again.add_argument("--workers", type=_from(1), default=0, help="processes; default: one for each core")
    again.add_argument("--scheduler", default="", metavar="URL", help="a running Dask cluster, as tcp://host:8786")
    again.add_argument("--replicates", type=_from(2), default=1000, help="resamples for intervals and ranks")
    again.add_argument("--protocols", nargs="+", default=[], choices=["published", "released"])
    again.add_argument("--names", type=Path, metavar="CSV", help="whose a submission is: submission,team,date")
    again.add_argument("--keep", choices=["best", "last"], default="best", help="which submission of a team counts")
    again.add_argument("--fresh", action="store_true", help="score again what an earlier call has scored")
    prepare = commands.add_parser("prepare", help="check reference files and write a reference folder")
    prepare.add_argument("id", choices=challenge_ids())
    prepare.add_argument("--source", type=Path, required=True)
    prepare.add_argument("--output", type=Path, required=True)
    prepare.add_argument(
        "--corenlp", type=Path, metavar="DIR", help="anet_entities_gen: CoreNLP 3.9.1 for the lemmas"
    )
    prepare.add_argument("--force-corenlp", action="store_true", help="accept another version of CoreNLP")
    commands.add_parser("demo", help="score the samples of all tasks against the demo reference")
    demo_data = commands.add_parser("demo-data", help="write the demo reference and the samples again")
    demo_data.add_argument("ids", nargs="*", help="default: all tasks")
    bench = commands.add_parser("bench", help="measure the built programs on full-size data")
    bench.add_argument("ids", nargs="*", default=challenge_ids())
    bench.add_argument("--scale", type=float, nargs="+", default=[1.0])
    coverage = commands.add_parser("coverage", help="measure how often the interval of a score covers")
    coverage.add_argument("ids", nargs="*", default=challenge_ids())
    coverage.add_argument("--samples", type=int, default=1000)
    portability = commands.add_parser("portability", help="compare the built programs under several interpreters")
    portability.add_argument("pythons", nargs="*", default=[sys.executable], help="commands; default: this one")
    new = commands.add_parser("new-challenge", help="write the files of a new task")
    new.add_argument("id")
    new.add_argument("--title", required=True)
    new.add_argument("--format", required=True, help="csv or json")
    new.add_argument("--metric", default="accuracy", help="accuracy, balanced_accuracy, macro_f1 or rmse")
    new.add_argument("--labels", default="first second third", help="words with blanks between them")
    commands.add_parser("games", help="print what tricks score against the demo reference")
    yardstick = commands.add_parser("yardstick", help="measure how often notes on mistakes are right")
    yardstick.add_argument("ids", nargs="*", default=challenge_ids())
    yardstick.add_argument("--mistakes", type=int, default=100, help="submissions of each mistake")
    yardstick.add_argument("--honest", type=int, default=1000, help="honest submissions of each task")
    mutants = commands.add_parser("mutants", help="mutation testing of metrics and validator")
    mutants.add_argument("modules", nargs="*", help="default: all")
    mutants.add_argument("--cosmic-ray", default="cosmic-ray", help="its command")
    mutants.add_argument("--sample", type=int, default=40, help="mutants tried of each module")
    fuzz = commands.add_parser("fuzz", help="put bad submissions before the built programs")
    fuzz.add_argument("number", nargs="?", type=int, default=2000)
    fuzz.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)

    if options.command == "bundle":
        from organizer.bundle.build import build_all

        for path in build_all(options.reference, options.format, demo=options.demo):
            print(path.relative_to(ROOT))
        return 0
    if options.command == "lint":
        from organizer.bundle.lint import lint_command

        return lint_command(options.bundles, options.strict)
    if options.command == "dry-run":
        from organizer.bundle.built import built_task
        from organizer.runs.dry_run import dry_run

        return dry_run(built_task(options.id, options.reference), options.submission, options.output)
    if options.command == "rescore":
        from organizer.bundle.built import built_task
        from organizer.ranking.command import Choices, rescore
        from organizer.runs.rescore import Options

        output = options.output or ROOT / "out" / "rescore" / options.id
        engine = Options(options.workers, options.scheduler, options.replicates, options.fresh)
        choices = Choices(options.names, options.keep, options.protocols, engine)
        return rescore(built_task(options.id, options.reference), options.submissions, output, choices)
    if options.command == "prepare":
        from organizer.data.corenlp import lemmatize
        from organizer.data.prepare import prepare as prepare_reference

        own = {"lemmatize": partial(lemmatize, options.corenlp, options.force_corenlp)} if options.corenlp else {}
        return _report(prepare_reference(options.id, options.source, options.output, own))
    if options.command == "demo":
        from organizer.ranking.demo import write_demo_ranking
        from organizer.runs.demo import run_demo

        return run_demo() or write_demo_ranking(ROOT / "out" / "demo" / "ranking")
    if options.command == "demo-data":
        from organizer.data.synthetic import write_demo_data

        write_demo_data(ROOT, options.ids)
        return 0
    if options.command == "coverage":
        from organizer.quality.coverage import run_coverage

        return run_coverage(options.ids, options.samples)
    if options.command == "portability":
        from organizer.quality.portability import run_portability

        return run_portability(options.pythons)
    if options.command == "new-challenge":
        from organizer.new_challenge import new_challenge

        return new_challenge(options.id, options.title, options.format, options.metric, options.labels.split())
    if options.command == "games":
        from organizer.quality.games import print_table

        return print_table()
    if options.command == "yardstick":
        from organizer.quality.yardstick import run_yardstick

        return run_yardstick(options.ids, options.mistakes, options.honest)
    if options.command == "mutants":
        from organizer.quality.mutants import run_mutants

        return run_mutants(options.cosmic_ray, options.modules, options.sample)
    if options.command == "fuzz":
        from organizer.quality.fuzzing.run import fuzz_command

        return fuzz_command(options.number, options.seed)
    from organizer.quality.bench import run_bench
    from organizer.quality.bench_ranking import run_ranking_bench

    code = run_bench(options.ids, options.scale)
    if options.scale == [1.0]:
        run_ranking_bench(options.ids)
    return code


def _from(least: int) -> Callable[[str], int]:
    """Return a type of options: whole numbers from ``least`` on."""

    def whole(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"it must be at least {least}")
        return int(text)

    return whole


def _report(findings: Findings) -> int:
    for note in findings.notes:
        print(f"note {note.line()}")
    for line in findings.lines(shown=None):
        print(line)
    return 0 if findings.ok else 1


def _command() -> int:
    """Run `main` from a shell, where the reader of the output may go away (``| head``) while the work goes on."""
    if sys.stdout is None:  # the shell closed it
        return main()
    with contextlib.redirect_stdout(console.Listener(sys.stdout)):
        code = main()
        sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(_command())
