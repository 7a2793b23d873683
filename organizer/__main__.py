"""The commands of organizers: ``python -m organizer COMMAND``, with ``--help`` for each."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import math
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Union

from organizer import ROOT
from people_in_video.drawings.images import Images, Size, image_size
from scoring_program.metrics.resampling import HALVES
from scoring_program.settings import PROTOCOLS
from scoring_program.task import task_ids
from validator import console
from validator.findings import Refused
from validator.texts import printable

REFERENCE_HELP = "folder with a reference folder for each task, or the folder of one task; default: {}"

_EXAMPLES = """\
  python -m organizer prepare ID --source my_files
  python -m organizer bundle --reference refs
  python -m organizer dry-run ID my.zip

python -m organizer COMMAND --help shows the options of a command; docs/commands.md describes all.
"""

# Modules are imported by the command that needs them, so that --help answers at once.
Command = Callable[..., int]
_Add = Callable[[str, Union[Command, str], str], argparse.ArgumentParser]


def main(arguments: list[str] | None = None) -> int:
    """Run one of the organizer's commands and return its exit code.

    It is 1 if its input is refused, and 2 if the disk, the memory or another program does not do its part.
    """
    options = vars(build_parser().parse_args(arguments))
    run = options.pop("run")
    try:
        command: Command = pkgutil.resolve_name(f"organizer.{run}") if isinstance(run, str) else run
        return command(**options)
    except Refused as refused:
        print(*refused.findings.lines(), sep="\n", file=sys.stderr)
        return 1
    except Exception as error:
        if not _report_end(error):
            raise
        return 2


def _report_end(error: Exception) -> bool:
    """Report in a line why a command cannot go on; return False, without a line, if its code is at fault."""
    if console.report_end(error):
        return True
    if isinstance(error, OSError):
        place = f": {error.filename}" if error.filename else ""
        text = f"the work cannot go on: {error.strerror or error}{place}; check the path and its permissions"
    elif isinstance(error, subprocess.CalledProcessError):
        program = " ".join(map(str, error.cmd))
        text = f"the work cannot go on: this program ended with {error.returncode}: {program}"
    else:
        return False
    print(printable(text), file=sys.stderr)
    return True


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; the default ``run`` of each command takes its options as keyword arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m organizer",
        description="Tools for organizers.",
        epilog=f"examples:\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: Command | str, description: str) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = commands.add_parser(
            name, help=description, description=description
        )
        command.set_defaults(run=run)
        return command

    _add_bundle_commands(add)
    _add_run_commands(add)
    _add_data_commands(add)
    _add_task_commands(add)
    return parser


def _add_bundle_commands(add: _Add) -> None:
    bundle = add("bundle", "bundle.build:build_command", "build the bundles into dist/")
    bundle.add_argument("--reference", type=_path(), help=REFERENCE_HELP.format("the synthetic demo data"))
    demo = "use demo data for the tasks missing from REFERENCE"
    bundle.add_argument("--demo", action="store_true", help=demo)
    bundle.add_argument("--format", dest="form", choices=["v2", "v1.5"], default="v2")
    kit = add("kit", "bundle.kit_folder:kit_command", "write the starting kit as a folder and as wheels")
    what = "a kit for one task; default: for the tasks of competition.yaml"
    kit.add_argument("task_id", nargs="?", metavar="id", choices=task_ids(), help=what)
    lint = add("lint", "bundle.lint:lint_command", "check bundles before they are uploaded")
    lint.add_argument("bundles", nargs="*", type=_path(), help="default: all in dist/")
    lint.add_argument("--strict", action="store_true", help="fail on warnings, too")
    what = "run programs of other builds, too, which may do anything that you may"
    lint.add_argument("--run", action="store_true", help=what)
    what = "warn of phases that are over on this day (make lint-bundle: today)"
    lint.add_argument("--date", type=_date, metavar="YYYY-MM-DD", help=what)


def _add_run_commands(add: _Add) -> None:
    dry_run = add("dry-run", _dry_run, "run the built program on a submission as the platform does")
    rescore = add("rescore", _rescore, "score all submissions with the built program and rank the teams")
    submissions = (dry_run, "submission", "SUBMISSION=my.zip"), (rescore, "submissions", "SUBMISSIONS=DIR")
    for command, argument, example in submissions:
        _add_id(command)
        what = "a zip, or for rescore a folder of zips, or Codabench's zip of all"
        command.add_argument(argument, type=_path(example), help=what)
        command.add_argument("--reference", type=_path(), help=REFERENCE_HELP.format("the one in the bundle"))
        what = "the phase of competition.yaml that it is about; default: the only one, or that of REFERENCE"
        command.add_argument("--phase", default="", metavar="NAME", help=what)
    dry_run.add_argument("--output", type=_path(), default=ROOT / "out" / "dry-run")
    what = "the container image; default: docker_image of competition.yaml"
    dry_run.add_argument("--image", type=_image, metavar="IMAGE", help=what)
    option = rescore.add_argument
    option("--output", type=_path(), help="default: out/rescore/ID, with several phases out/rescore/ID_PHASE")
    what = "rank the submissions with this PhaseId in their names; needed if there are several"
    option("--only-phase-id", type=_phase_id, default="", metavar="N", help=what)
    what = "leave out submissions that certainly break the dates or limits of the phase"
    option("--enforce", action="store_true", help=what)
    option("--workers", type=_at_least(1), default=0, help="processes; default: one for each core")
    option("--scheduler", default="", metavar="URL", help="a running Dask cluster, as tcp://host:8786")
    what = "random divisions of the items into halves, for intervals and tests"
    option("--half-samples", type=_at_least(2), default=HALVES, metavar="S", help=what)
    option("--protocols", nargs="+", default=[], choices=PROTOCOLS)
    option(
        "--names", type=_path(), metavar="CSV", help="submission,team,date,counts or user,team; more is shown"
    )
    option("--keep", choices=["best", "last"], default="best", help="which submission of a team counts")
    what = "to show on the pages; default: none"
    option("--date", type=_date, metavar="YYYY-MM-DD", help=what)
    option("--baselines", type=_path(), metavar="JSON", help="baselines.json of make baselines")
    what = "the baseline that a winner must beat: a team, a --baseline-zip, or one of --baselines"
    option("--beats", metavar="NAME", help=what)
    option("--by", type=_gain, metavar="10%", help="by which share of its score, with --beats")
    what = "score this zip as a baseline of this name; may be given several times"
    option("--baseline-zip", type=_baseline_zip, action="append", default=[], metavar="NAME=FILE", help=what)
    what = "the leaderboard of the site as CSV, to compare; with --columns"
    option("--leaderboard", type=_path(), metavar="FILE", help=what)
    what = "the titles of the columns of users and of scores in it"
    option("--columns", type=_columns, metavar="USER,SCORE", help=what)
    option("--fresh", action="store_true", help="score again what an earlier call has scored")
    report = add("report", _report, "write a ranking for a paper, and a page for each team")
    _add_id(report)
    what = "the folder that rescore has written; default: out/rescore/ID"
    report.add_argument("--ranking", type=_path(), help=what)
    report.add_argument("--output", type=_path(), help="default: out/report/ID")
    what = "the phase whose ranking it is; needed if there are several"
    report.add_argument("--phase", default="", metavar="NAME", help=what)
    what = "write a page with several rankings side by side, of tasks or phases"
    beside = add("side-by-side", _side_by_side, what)
    what = "folders that rescore has written"
    beside.add_argument("rankings", nargs="+", type=_path('RANKINGS="DIR DIR"'), metavar="ranking", help=what)
    beside.add_argument("--output", type=_path("OUTPUT=FILE"), help="default: out/report/side_by_side.html")
    archive = add("archive", _archive, "collect a finished competition in a folder to deposit for a DOI")
    _add_id(archive)
    what = "the phase whose ranking it holds; needed if there are several"
    archive.add_argument("--phase", default="", metavar="NAME", help=what)
    what = "the folder that rescore has written; default: out/rescore/ID"
    archive.add_argument("--ranking", type=_path(), help=what)
    what = "the folder that report has written; default: out/report/ID"
    archive.add_argument("--report", type=_path(), help=what)
    archive.add_argument("--output", type=_path(), help="default: out/archive/ID")
    what = "add the reference, without its key, and items.csv"
    archive.add_argument("--with-reference", action="store_true", help=what)
    add("demo", "runs.demo:run_demo", "score the samples of all tasks against the demo reference")


def _add_data_commands(add: _Add) -> None:
    what = "check reference files, write a folder, and show what is in it"
    prepare = add("prepare", _prepare, what)
    _add_id(prepare)
    prepare.add_argument("--source", type=_path("SOURCE=DIR"), required=True)
    prepare.add_argument("--output", type=_path("OUTPUT=DIR"), help="default: refs/ID")
    what = "CoreNLP 3.9.1, for tasks that need lemmas"
    prepare.add_argument("--corenlp", type=_path(), metavar="DIR", help=what)
    prepare.add_argument("--force-corenlp", action="store_true", help="accept another version of CoreNLP")
    what = "write the part of reference files that participants may have"
    public = add("public-data", "public_data.command:public_data_command", what)
    _add_id(public)
    public.add_argument("--source", type=_path("SOURCE=DIR"), required=True)
    public.add_argument("--output", type=_path("OUTPUT=DIR"), help="default: refs/ID_public")
    for command in (prepare, public):
        what = "delete files in OUTPUT that this command did not write, or that were edited"
        command.add_argument("--replace", action="store_true", help=what)
        what = "YAML or JSON: the names of each kind (class, part, state), for messages on unknown names"
        command.add_argument("--vocabulary", type=_path(), metavar="FILE", help=what)
    baselines = add("baselines", "baselines:baselines_command", "write and score baselines of a reference")
    split = add("split", "split:split_command", "divide a reference into two or three parts, for phases")
    for command, default in ((baselines, "out/baselines/ID"), (split, "out/split")):
        _add_id(command)
        command.add_argument("--reference", type=_path(), required=True, help=REFERENCE_HELP.format("none"))
        command.add_argument("--output", type=_path(), help=f"default: {default}")
    what = "two or three: shares of the public and the final, or of the development, test and final part"
    split.add_argument(
        "--shares", nargs="+", action=_Shares, type=_share, default=[30.0, 70.0], metavar="SHARE", help=what
    )
    split.add_argument("--seed", type=_at_least(0), default=0)
    split.add_argument("--groups", type=_path(), metavar="CSV", help="items that stay together: item,group")
    split.add_argument("--write", action="store_true", help="add the later phases to competition.yaml")
    what = "delete files in the parts that this command did not write, or that were edited"
    split.add_argument("--replace", action="store_true", dest="replace_edited", help=what)
    what = "show what the references of a bundle hold"
    overview = add("overview", "bundle.build:overview_command", what)
    overview.add_argument("bundle", type=_path("dist/x.zip"))
    for command in (prepare, overview):
        what = "folder of images or frames, drawn behind the boxes of the overview"
        command.add_argument("--images", type=_path(), metavar="DIR", help=what)
        what = "the size that the boxes belong to, if not that of the image files"
        command.add_argument("--image-size", type=image_size, metavar="WxH", help=what)


def _add_task_commands(add: _Add) -> None:
    start = add("start", "bundle.start:start_command", "start a competition of one task, to be edited")
    _add_id(start)
    start.add_argument("--title", required=True)
    what = "replace files of which git has no clean state"
    start.add_argument("--replace", action="store_true", help=what)
    new = add("new-task", "new_task:new_task", "write a new task that works at once")
    new.add_argument("task_id", metavar="id")
    new.add_argument("--title", required=True)
    new.add_argument("--format", dest="form", required=True, help="csv, json or segments")
    metrics = "accuracy, balanced_accuracy, macro_f1, rmse or f1; for segments segment_f1"
    new.add_argument("--metric", help=metrics)
    what = "words separated by spaces; default: first second third"
    new.add_argument("--labels", type=str.split, help=what)
    columns = "names of columns of numbers, for rmse, separated by spaces; default: one, called number"
    new.add_argument("--columns", type=str.split, help=columns)
    undo = add("undo-new-task", "new_task:undo_new_task", "take back what new-task wrote")
    undo.add_argument("task_id", metavar="id")
    add("messages", "messages:messages_command", "write docs/messages.md from the tables of codes")


def _add_id(command: argparse.ArgumentParser) -> None:
    command.add_argument("task_id", metavar="id", choices=task_ids(), help=", ".join(task_ids()))


def _path(example: str = "a path") -> Callable[[str], Path]:
    """Return a type of options: paths that are not empty, as those of arguments left out in make would be."""

    def path(text: str) -> Path:
        if not text:
            raise argparse.ArgumentTypeError(f"it is empty; give {example}")
        return Path(text)

    return path


def _at_least(least: int) -> Callable[[str], int]:
    """Return a type of options: whole numbers from ``least`` on."""

    def whole(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"it must be at least {least}")
        return int(text)

    return whole


def _date(text: str) -> datetime.date:
    with contextlib.suppress(ValueError):
        return datetime.date.fromisoformat(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a day written as YYYY-MM-DD")


def _gain(text: str) -> float:
    """Return a share given as ``10%`` or ``0.1``."""
    from organizer.ranking.winner_rule import parse_gain

    return parse_gain(text)


def _phase_id(text: str) -> str:
    if text and not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no number")
    return text


def _columns(text: str) -> tuple[str, str]:
    from organizer.ranking.leaderboard import parse_columns

    return parse_columns(text)


def _baseline_zip(text: str) -> tuple[str, Path]:
    name, separator, path = text.partition("=")
    if not (separator and name and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not written as NAME=file.zip")
    return name, Path(path)


class _Shares(argparse.Action):
    """Takes the shares of two or three parts."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if not 2 <= len(values) <= 3:
            parser.error(f'{option_string} takes two or three shares, as in SHARES="30 70"')
        namespace.shares = values


def _image(text: str) -> str:
    if not text or text.startswith("-"):
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of an image")
    return text


def _share(text: str) -> float:
    if not 0 < float(text) < math.inf:
        raise argparse.ArgumentTypeError("it must be more than 0")
    return float(text)


def _prepare(
    corenlp: Path | None,
    force_corenlp: bool,
    images: Path | None,
    image_size: Size | None,
    vocabulary: Path | None,
    output: Path | None,
    **options: Any,
) -> int:
    from organizer.data.corenlp import lemmatize
    from organizer.data.prepare import VOCABULARY_OPTION, prepare_command
    from organizer.public_data.command import write_beside_reference

    task_options: dict[str, Any] = {VOCABULARY_OPTION: vocabulary} if vocabulary else {}
    if corenlp:
        task_options["lemmatize"] = partial(lemmatize, corenlp, force_corenlp)
    output = (output or Path("refs", options["task_id"])).resolve()
    code = prepare_command(**options, output=output, options=task_options, images=Images(images, image_size))
    return code or write_beside_reference(**options, reference=output)


def _dry_run(
    task_id: str, submission: Path, reference: Path | None, phase: str, output: Path, image: str | None
) -> int:
    from organizer.bundle.build import built_task
    from organizer.runs.dry_run import dry_run

    built = built_task(task_id, reference, phase)
    return dry_run(replace(built, image=image or built.image), submission, output)


def _rescore(
    task_id: str,
    submissions: Path,
    reference: Path | None,
    phase: str,
    output: Path | None,
    **options: Any,
) -> int:
    from organizer.bundle.build import built_task
    from organizer.ranking.command import Choices, rescore
    from organizer.ranking.winner_rule import BaselineZip, WinnerRule
    from organizer.runs.rescore import Options

    for name, other in (("beats", "by"), ("leaderboard", "columns")):
        if (options[name] is None) != (options[other] is None):
            print(f"--{name} and --{other} need each other: {_PAIRS_OF_OPTIONS[name]}", file=sys.stderr)
            return 2
    ranking = {name: options.pop(name) for name in _RANKING_OPTIONS}
    beats, gain = options.pop("beats"), options.pop("by")
    if beats is not None:
        ranking["winner_rule"] = WinnerRule(beats, gain)
    ranking["baseline_zips"] = [BaselineZip(name, path) for name, path in options.pop("baseline_zip")]
    built = built_task(task_id, reference, phase)
    output = output or ROOT / "out" / "rescore" / _task_and_phase(task_id, built.label)
    choices = Choices(**ranking, engine=Options(**options))
    return rescore(built, submissions, output, choices)


_RANKING_OPTIONS = (
    "names",
    "only_phase_id",
    "enforce",
    "keep",
    "date",
    "baselines",
    "protocols",
    "leaderboard",
    "columns",
)
_PAIRS_OF_OPTIONS = {
    "beats": "--beats GVD --by 10%",
    "leaderboard": "--leaderboard results.csv --columns User,Score",
}


def _task_and_phase(task_id: str, label: str) -> str:
    return f"{task_id}_{label}" if label else task_id


def _report(task_id: str, ranking: Path | None, phase: str, output: Path | None) -> int:
    from organizer.ranking.report import report

    out, name = ROOT / "out", _name_of_ranking(task_id, phase)
    return report(task_id, ranking or out / "rescore" / name, output or out / "report" / name)


def _side_by_side(rankings: list[Path], output: Path | None) -> int:
    from organizer.ranking.side_by_side import side_by_side

    return side_by_side(rankings, output or ROOT / "out" / "report" / "side_by_side.html")


def _archive(
    task_id: str,
    phase: str,
    ranking: Path | None,
    report: Path | None,
    output: Path | None,
    with_reference: bool,
) -> int:
    from organizer.archive import archive

    out, name = ROOT / "out", _name_of_ranking(task_id, phase)
    return archive(
        task_id,
        ranking=ranking or out / "rescore" / name,
        report=report or out / "report" / name,
        output=output or out / "archive" / name,
        with_reference=with_reference,
    )


def _name_of_ranking(task_id: str, phase: str) -> str:
    """Return the name of the folder in which rescore has put the ranking of a task in a phase."""
    from organizer.runs.phase import folder_name

    name = _task_and_phase(task_id, folder_name(phase) if phase else "")
    # With one phase, rescore leaves it out of the name.
    return name if (ROOT / "out" / "rescore" / name).is_dir() else task_id


def _command() -> int:
    """Run `main` from a shell, where the reader of the output may go away (``| head``) during the work."""
    if sys.platform == "win32":
        print("these tools need Linux or macOS; on Windows use WSL", file=sys.stderr)
        return 2
    try:
        if sys.stdout is None:  # the shell closed it
            return main()
        with contextlib.redirect_stdout(console.Listener(sys.stdout)):
            code = main()
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(_command())
