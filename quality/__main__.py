"""The commands of maintainers: ``python -m quality COMMAND``, with ``--help`` for each."""

from __future__ import annotations

import argparse
import pkgutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scoring_program.task import task_ids
from validator import console
from validator.findings import Refused

_EXAMPLES = """\
  python -m quality same ../other_checkout
  python -m quality bench ID --scale 1 100
  python -m quality fuzz 2000 --seed 1

python -m quality COMMAND --help shows the options of a command; docs/commands.md describes all.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run one of the commands and return its exit code: 1 if its input is refused."""
    console.prepare()
    options = vars(build_parser().parse_args(arguments))
    # Imported by the command that needs it, so that --help answers at once.
    run = pkgutil.resolve_name(f"quality.{options.pop('run')}")
    try:
        return run(**options)  # type: ignore[no-any-return]
    except Refused as refused:
        print(*refused.findings.lines(), sep="\n", file=sys.stderr)
        return 1


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; ``run`` names the function that takes the options of a command as keywords."""
    parser = argparse.ArgumentParser(
        prog="python -m quality",
        description="Tools for maintainers.",
        epilog=f"examples:\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: str, description: str) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = commands.add_parser(
            name, help=description, description=description
        )
        command.set_defaults(run=run)
        return command

    same = add("same", "same:run_same", "compare the outputs of this checkout with those of another")
    same.add_argument("--scores", action="store_true", help="compare exit codes and scores alone")
    same.add_argument("other", type=Path, metavar="CHECKOUT", help="the folder of the other checkout")
    _add_ids(same, (), "tasks to compare; default: all, and the bundles")
    golden = add("golden", "golden:golden_command", "write the skeleton of a golden case")
    golden.add_argument("task_id", type=_id, metavar="id")
    help_text = "ref/ with a reference, res/ with the files of a submission"
    golden.add_argument("folder", type=Path, help=help_text)
    golden.add_argument("--name", default="", help="of the case; default: the name of the folder")
    _add_ids(
        add("demo-data", "demo_command:demo_data_command", "write the demo references and samples again")
    )
    add("demo-ranking", "demo_ranking:write_demo_ranking", "rank made-up teams, into out/demo/ranking/")
    bench = add("bench", "benchmarks.run:run_bench", "measure the built programs on full-size data")
    _add_ids(bench)
    bench.add_argument("--scale", dest="scales", type=float, nargs="+", default=[1.0])
    coverage = add("coverage", "coverage:run_coverage", "measure how often intervals hold the score")
    _add_ids(coverage)
    coverage.add_argument("--samples", dest="n_samples", type=int, default=1000)
    coverage.add_argument("--tournaments", dest="n_tournaments", type=int, default=2000)
    portability = add("portability", "portability:run_portability", "compare programs under other Pythons")
    portability.add_argument("pythons", nargs="*", help="commands, to compare with this interpreter")
    _add_ids(add("gaming", "gaming:print_table", "print what gaming tricks score on the demo reference"))
    repairs = add("repairs", "repairs:print_repairs", "print which mistakes are found, and false alarms")
    _add_ids(repairs)
    repairs.add_argument("--mistakes", dest="n_mistakes", type=int, default=4, help="submissions of each")
    repairs.add_argument("--correct", dest="n_correct", type=int, default=100, help="of each task")
    _add_searches(add)
    add("commands", "commands_page:commands_command", "write docs/commands.md from the parsers")
    return parser


def command_parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command by its name."""
    (commands,) = (action for action in build_parser()._actions if action.choices)
    return dict(commands.choices or {})


def _add_searches(add: Callable[[str, str, str], argparse.ArgumentParser]) -> None:
    """Add the commands that search for mistakes, and the one that runs all."""
    fuzz = add("fuzz", "fuzzing.run:fuzz_command", "run the built programs on corrupted submissions")
    fuzz.add_argument("number", nargs="?", type=int, default=2000)
    fuzz.add_argument("--seed", type=int, default=1)
    fuzz.add_argument("--task", dest="ids", type=_id, nargs="+", default=task_ids(), metavar="ID")
    edits = add("edits", "edits:edits_command", "build and lint random edits of competition.yaml")
    edits.add_argument("number", nargs="?", type=int, default=1000)
    help_text = "how many of them are such as organizers make, whose samples are run"
    edits.add_argument("--samples", dest="with_samples", type=int, default=20, help=help_text)
    edits.add_argument("--seed", type=int, default=0, help="the first of the seeds")
    add("all", "all:run_all", "run all of these one after the other").add_argument(
        "--quick", action="store_true", help="half a minute of each, at most"
    )


def _add_ids(
    command: argparse.ArgumentParser, default: Sequence[str] | None = None, text: str = "default: all tasks"
) -> None:
    # Not choices: Python 3.9 to 3.11 compare the default, a list, with them.
    ids = task_ids() if default is None else default
    command.add_argument("ids", nargs="*", metavar="id", type=_id, default=ids, help=text)


def _id(text: str) -> str:
    if text not in task_ids():
        raise argparse.ArgumentTypeError(f"there is no task '{text}'; choose from {', '.join(task_ids())}")
    return text


if __name__ == "__main__":
    sys.exit(main())
