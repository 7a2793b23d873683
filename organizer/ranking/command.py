"""The command ``rescore``: score all submissions and write the files and pages of their ranking."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from organizer.files import (
    LockedError,
    keep_out_of_git,
    locked,
    remove_unfinished,
    replacing_folder,
    write_durable,
)
from organizer.ranking import cards, page, tables
from organizer.ranking.cards import tau_sentence
from organizer.ranking.changes import Change, History, changes_tau_b
from organizer.ranking.eligibility import (
    count_left_out,
    find_violations,
    names_left_out,
    ranked_records,
    violations_sentence,
)
from organizer.ranking.leaderboard import (
    LeaderboardColumns,
    compare_leaderboard,
    leaderboard_sentence,
    read_leaderboard,
)
from organizer.ranking.run import About, RankingRun
from organizer.ranking.statistics import Ranking, ranking_of
from organizer.ranking.winner_rule import (
    BaselineZip,
    WinnerBaseline,
    WinnerRule,
    check_baseline_name,
    find_baseline,
    rule_of_reference,
    saved_winner,
    winner_line,
)
from organizer.runs.pool import BrokenError
from organizer.runs.rescore import WORK, Options, Record, score_all
from organizer.runs.submissions import Submission, SubmissionsError, find_submissions
from organizer.runs.worker import BuiltTask
from scoring_program.report.standings import Baseline
from scoring_program.settings import PROTOCOLS
from scoring_program.task import load_task
from validator.limits import shortage_of
from validator.texts import counted, printable, quote

DETAILS = "details"
RUNS = "store/ranking.json"
"""What was ranked last, for ``report``."""
_MOST_PRINTED = 10
# What reading a JSON file of another form raises; a whole number may be too large for a float.
_MALFORMED = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
    RecursionError,
)
_LONGEST_PAGE_NAME = 80
_TABLES = ("scores.csv", "changes.csv", "timing.csv", "rules.csv", "leaderboard.csv", "index.html")
_RANKING_FILES = ("ranking.csv", "pairs.csv", "items.csv", "stability.csv", "ranking.html")


@dataclass(frozen=True)
class Choices:
    """How to rank.

    Attributes
    ----------
    names : Path or None
        The table of teams.
    only_phase_id : str
        The PhaseId of the submissions that are ranked, "" if all are of one.
    enforce : bool
        Whether submissions that certainly break a rule of the phase are left out.
    keep : str
        Which submission of a team counts, ``best`` or ``last``.
    date, baselines : date and Path, or None
        What to show on the pages.
    protocols : sequence of str
    winner_rule : WinnerRule or None
        None for that of the reference.
    baseline_zips : sequence of BaselineZip
    leaderboard : Path or None
        The leaderboard of the site as CSV, with the ``columns`` to compare.
    engine : Options
    """

    names: Path | None = None
    only_phase_id: str = ""
    enforce: bool = False
    keep: str = "best"
    date: datetime.date | None = None
    baselines: Path | None = None
    protocols: Sequence[str] = ()
    winner_rule: WinnerRule | None = None
    baseline_zips: Sequence[BaselineZip] = ()
    leaderboard: Path | None = None
    columns: LeaderboardColumns | None = None
    engine: Options = field(default_factory=Options)


def rescore(built: BuiltTask, source: Path, output: Path, choices: Choices) -> int:
    """Score all submissions, in a folder of zips or Codabench's download of them, and write their ranking.

    ``output`` gets the tables, ``index.html`` for the organizers, ``ranking.html`` to publish, ``details/``,
    and ``store/``, from which an interrupted call goes on. Two protocols get a folder each.

    Returns 0; 1 if there is nothing to score; 2 if the organizer's side is broken; 130 after Ctrl-C.
    """
    try:
        (output / "store").mkdir(parents=True, exist_ok=True)
        keep_out_of_git(output)
        with (
            locked(output / "store"),
            find_submissions(source, choices.names, choices.only_phase_id) as submissions,
        ):
            _remove_left_overs(output)
            _rescore(built, submissions, output, choices)
    except LockedError as error:
        print(printable(f"{output}: {error}; wait for it, or give another --output"))
        return 2
    except SubmissionsError as error:
        print(*map(printable, error.args), sep="\n")
        return 1
    except BrokenError as error:
        print(f"The organizer's side is broken, the work ends here:\n{error}")
        return 2
    except OSError as error:
        shortage = shortage_of(error)
        reason = shortage.line() if shortage else str(error)
        print(f"{printable(reason)}; what is scored is kept: the same command goes on from here")
        return 2
    except KeyboardInterrupt:
        print("\nstopped; what is scored is kept: the same command goes on from here")
        return 130
    return 0


def _remove_left_overs(output: Path) -> None:
    """Remove what a killed call left: a work folder with the reference, and temporary files."""
    shutil.rmtree(output / WORK, ignore_errors=True)
    store = output / "store"
    for folder in (output, *(output / name for name in PROTOCOLS), store, *store.glob("*/")):
        remove_unfinished(folder)


def _rescore(built: BuiltTask, submissions: list[Submission], output: Path, choices: Choices) -> None:
    """Score the submissions by each protocol, and write a ranking for each."""
    baselines = _read_baselines(choices)
    about = _describe(built, choices, baselines.scores)
    if about.is_demo:
        print("DEMO: the reference is synthetic demo data")
    if built.label and built.phase is None:
        print("note | the phase is not known, so dates and limits are not checked: name it with --phase")
    rule = choices.winner_rule or rule_of_reference(built)
    if rule is not None:
        teams = {submission.team for submission in submissions}
        check_baseline_name(rule, teams, _names_of_baselines(choices, baselines))
    board = None
    if choices.leaderboard is not None and choices.columns is not None:
        board = read_leaderboard(choices.leaderboard, choices.columns)
    options = replace(choices.engine, signature=baselines.signature)
    baseline_zips = [baseline.as_submission() for baseline in choices.baseline_zips]
    runs = []
    winner_baselines: dict[str, WinnerBaseline] = {}
    for protocol in choices.protocols or [""]:
        records = score_all(built, submissions, output, protocol, options)
        scored_zips = score_all(built, baseline_zips, output, protocol, options) if baseline_zips else []
        run = _rank(built, about, protocol, records, choices)
        ranking = run.ranking
        if rule is not None and ranking is not None:
            baseline = find_baseline(rule, ranking, scored_zips, baselines.scores)
            winner_baselines[protocol] = baseline
            run = replace(run, winner=winner_line(rule, baseline, ranking))
        if board and ranking is not None:
            run = replace(run, board=compare_leaderboard(board, records, ranking))
        runs.append(run)
    _write_rankings(runs, output)
    winners = {}
    if rule is not None:
        for protocol, baseline in winner_baselines.items():
            winners[protocol] = saved_winner(rule, baseline)
    saved_runs = {run.protocol: _saved_run(run) for run in runs}
    content = {"about": asdict(about), "runs": {built.id: saved_runs}, "winners": winners}
    write_durable(output / RUNS, json.dumps(content))


def _describe(built: BuiltTask, choices: Choices, baselines: Sequence[Baseline]) -> About:
    """Return what the pages say of the competition and of this call."""
    return About(
        competition=built.competition,
        title=built.title,
        phase=built.phase.name if built.phase else "",
        reference=built.reference_name,
        is_demo=built.is_demo,
        date=str(choices.date or ""),
        keep=choices.keep,
        baselines=baselines,
    )


def _rank(
    built: BuiltTask, about: About, protocol: str, records: Sequence[Record], choices: Choices
) -> RankingRun:
    """Return the ranking of submissions that were scored by a protocol, by the rules of the phase."""
    task = load_task(built.id)
    violations = find_violations(records, built.phase, choices.enforce)
    eligible_records = ranked_records(records, names_left_out(violations))
    return RankingRun(
        task=task,
        about=about,
        protocol=protocol,
        records=records,
        ranking=ranking_of(eligible_records, task, choices.keep),
        violations=violations,
        n_left_out=count_left_out(violations),
    )


def _names_of_baselines(choices: Choices, baselines: _Baselines) -> list[str]:
    """Return the names of the baselines that are scored here, and of those whose scores were given."""
    scored_here = [baseline.name for baseline in choices.baseline_zips]
    return [*scored_here, *(baseline.name for baseline in baselines.scores)]


def _saved_run(run: RankingRun) -> dict[str, Any]:
    """Return the submissions of a ranking as JSON, for ``report``."""
    records = [record.saved() for record in run.records]
    return {
        "records": records,
        "left_out": names_left_out(run.violations),
        "n_left_out": dict(run.n_left_out),
    }


def _write_rankings(runs: Sequence[RankingRun], output: Path) -> None:
    """Write the files of each ranking and print what it says; two protocols get a folder each."""
    folders = {run.protocol: output / run.protocol if len(runs) > 1 else output for run in runs}
    subfolders = {run.protocol if len(runs) > 1 else "" for run in runs}
    remove_others(output, subfolders, [*_TABLES, *_RANKING_FILES], DETAILS)
    for run in runs:
        folder = folders[run.protocol]
        others = [another.ranking for another in runs if another is not run and another.ranking]
        suffix = f"-{run.protocol}" if run.protocol else ""
        history = History(output / "store" / f"history{suffix}.json", run.records, run.ranking)
        whole_run = replace(run, deleted=history.deleted())
        _write_files(whole_run, history.changes(), others[0] if others else None, folder)
        history.save()
        print(*_summary(whole_run, history.changes()), sep="\n")
        public = f"; to publish: {folder / 'ranking.html'}" if run.ranking else ""
        print(printable(f"for you: {folder / 'index.html'}{public}"))


class _Baselines(NamedTuple):
    """The baselines to show, and the signature of their scores, "" if unknown."""

    scores: Sequence[Baseline] = ()
    signature: str = ""


def _read_baselines(choices: Choices) -> _Baselines:
    """Return the baselines in the JSON file that was chosen, if one was. Raises SubmissionsError."""
    path = choices.baselines
    if not path:
        return _Baselines()
    if len(choices.protocols) > 1:
        raise SubmissionsError(f"{path}: baselines are scores by one protocol; give one, or leave them out")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        content = data if isinstance(data, dict) else {"baselines": data}
        baselines = [_baseline(entry) for entry in content["baselines"]]
    except _MALFORMED as error:
        form = '[{"name": "random", "score": 0.1, "interval": [0.05, 0.15]}]'
        raise SubmissionsError(f"{path}: these are no baselines; write JSON such as {form}") from error
    return _Baselines(baselines, str(content.get("signature", "")))


def _baseline(entry: Mapping[str, Any]) -> Baseline:
    """Return a baseline, whose interval is in one key or in two. Raises one of `_MALFORMED`."""
    score = entry["score"]
    low, high = entry.get("interval") or (entry.get("low", score), entry.get("high", score))
    if not all(math.isfinite(number) for number in (low, score, high)):
        raise ValueError("a number is not finite")
    return Baseline(str(entry["name"]), score, low, high)


def remove_others(output: Path, written: Collection[str], files: Collection[str], pages: str) -> None:
    """Remove the files and the folder of pages of an earlier call with other protocols.

    ``written`` are the subfolders that this call writes, "" for ``output`` itself; ``files`` and ``pages``
    are names in each of them.
    """
    for subfolder in {"", *PROTOCOLS} - {*written}:
        folder = output / subfolder
        for name in files:
            (folder / name).unlink(missing_ok=True)
        for page_path in pages_in(folder / pages):
            page_path.unlink(missing_ok=True)
        _remove_if_empty(folder / pages)
        if folder != output:
            _remove_if_empty(folder)


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _write_files(run: RankingRun, changes: Sequence[Change], other: Ranking | None, folder: Path) -> None:
    """Write the tables and pages of a ranking; ``other`` is that by the other protocol."""
    links = _copy_details(run.records, folder)
    keys = [column.key for column in run.task.columns]
    texts = {
        "scores.csv": tables.scores_csv(run.records, keys),
        "changes.csv": tables.changes_csv(changes),
        "timing.csv": tables.timing_csv(run.records),
        "rules.csv": tables.rules_csv(run.violations),
        "index.html": page.index_page(run, changes, links, other),
    }
    if run.ranking:
        texts["ranking.csv"] = tables.ranking_csv(run.ranking)
        texts["pairs.csv"] = tables.pairs_csv(run.ranking)
        texts["items.csv"] = tables.items_csv(run.ranking)
        texts["stability.csv"] = tables.stability_csv(run.ranking)
        texts["ranking.html"] = page.ranking_page(run, other)
    if run.board:
        texts["leaderboard.csv"] = tables.leaderboard_csv(run.board)
    for name in {*_RANKING_FILES, "leaderboard.csv"} - texts.keys():
        (folder / name).unlink(missing_ok=True)
    for name, text in texts.items():
        write_durable(folder / name, text)


def page_name(name: str) -> str:
    """Return the name of the file of a page about a submission or team: a participant's is no safe path."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name.removesuffix(".zip"))
    plain = plain[:_LONGEST_PAGE_NAME].strip("-") or "page"
    # The hash keeps names apart that are equal without signs.
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
    return f"{plain}-{digest[:8]}.html"


def pages_in(folder: Path) -> list[Path]:
    """Return the pages in a folder whose names are of `page_name`."""
    return [path for path in folder.glob("*.html") if re.search("-[0-9a-f]{8}$", path.stem)]


def _copy_details(records: Sequence[Record], folder: Path) -> dict[str, str]:
    """Copy the detail pages into the folder; return the link to the page of each submission by its name."""
    links = {record.submission.name: f"{DETAILS}/{page_name(record.submission.name)}" for record in records}
    with replacing_folder(folder / DETAILS) as details:
        for record in records:
            shutil.copyfile(record.page, details / page_name(record.submission.name))
    return links


def _summary(run: RankingRun, changes: Sequence[Change]) -> list[str]:
    """Return the first teams, how many submissions have a score, and what changed."""
    lines = []
    if run.ranking:
        lines += _first_teams(run, run.ranking)
        lines += cards.winner_sentences(run, run.ranking)
    scored = f"scored {run.n_scored:,} of {counted(len(run.records), 'submission')}"
    if changes:
        lines.append(f"{scored}; changed since the run before: {_change_counts(changes)}")
        lines.append(tau_sentence("the two rankings", changes_tau_b(changes)))
    else:
        lines.append(scored)
    notes = [violations_sentence(run.violations), cards.failures_sentence(run)]
    if run.board:
        notes.append(leaderboard_sentence(run.board))
    if run.deleted:
        notes.append(f"{counted(len(run.deleted), 'submission')} of earlier runs no longer there: index.html")
    return lines + [f"note | {note}" for note in notes if note]


def _first_teams(run: RankingRun, ranking: Ranking) -> list[str]:
    """Return rank, score and name of the first teams."""
    lines = []
    for record, rank in zip(ranking.records[:_MOST_PRINTED], ranking.comparison.rank.tolist()):
        lines.append(f"{rank:4}  {run.score_text(record)}  {quote(record.submission.team)}")
    n_more = len(ranking.records) - _MOST_PRINTED
    if n_more > 0:
        lines.append(f"      and {counted(n_more, 'more team')}: ranking.csv")
    return lines


def _change_counts(changes: Sequence[Change]) -> str:
    """Return how many scores and ranks changed, of teams of both runs, and how many teams came and went."""
    in_both = [change for change in changes if change.is_in_both]
    n_rescored = sum(change.score_before != change.score for change in in_both)
    n_moved = sum(change.rank_before != change.rank for change in in_both)
    text = f"{counted(n_rescored, 'score')} and {counted(n_moved, 'rank')}"
    for why in ("new", "gone"):
        if number := sum(change.why == why for change in changes):
            text += f", {counted(number, 'team')} {why}"
    return text
