"""The command ``rescore``: score all submissions and write the files and pages of their ranking."""

from __future__ import annotations

import datetime
import hashlib
import re
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from organizer.files import (
    LockedError,
    file_hash,
    keep_out_of_git,
    locked,
    remove_unfinished,
    replacing_folder,
    rewrite_files,
)
from organizer.ranking import cards, page, tables
from organizer.ranking.baselines import GivenBaselines, read_baselines
from organizer.ranking.changes import Change
from organizer.ranking.counting import Counting, counting_of, rank_teams, scores_in_phase
from organizer.ranking.doubts import doubts_of, refuse_other_phase
from organizer.ranking.eligibility import (
    find_violations,
    names_left_out,
    undated_sentence,
    violations_sentence,
)
from organizer.ranking.leaderboard import (
    USER_TITLE,
    Leaderboard,
    LeaderboardColumns,
    compare_leaderboard,
    leaderboard_sentence,
    read_leaderboard,
)
from organizer.ranking.ranking import DETAILS, Facts, Ranking, page_name, subfolders_of
from organizer.ranking.stored import note_on_last_run, save_rankings, with_changes
from organizer.ranking.winner_rule import (
    WinnerRule,
    check_baseline_name,
    check_gain,
    find_baseline,
    is_doubtful,
    rule_of_settings,
    rule_text,
    settings_of,
    winner_line,
)
from organizer.runs.pool import BrokenError
from organizer.runs.rescore import WORK, Options, Record, score_all
from organizer.runs.submissions import Submission, SubmissionsError, find_submissions
from organizer.runs.worker import BuiltTask
from people_in_video.comparing.standings import Baseline
from scoring_program.metrics.resampling import Range
from scoring_program.settings import PROTOCOLS
from scoring_program.task import load_task
from validator.formats.rules import load_rules
from validator.limits import shortage_of
from validator.texts import counted, printable, quote

_MOST_PRINTED = 10
_TABLES = ("scores.csv", "changes.csv", "rules.csv", "leaderboard.csv", "index.html")
_RANKING_FILES = ("ranking.csv", "pairs.csv", "items.csv", "ranking.html")


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
    counting : Counting or None
        Which submission of a team counts; None for that of the reference.
    date, baselines : date and Path, or None
        What to show on the pages.
    protocols : sequence of str
    winner_rule : WinnerRule or None
        None for that of the reference.
    baseline_zips : sequence of Submission
        Of `baseline_submission`.
    leaderboard : Path or None
        The leaderboard of the site as CSV, with the ``columns`` to compare; None for those of Codabench.
    engine : Options
    """

    names: Path | None = None
    only_phase_id: str = ""
    enforce: bool = False
    counting: Counting | None = None
    date: datetime.date | None = None
    baselines: Path | None = None
    protocols: Sequence[str] = ()
    winner_rule: WinnerRule | None = None
    baseline_zips: Sequence[Submission] = ()
    leaderboard: Path | None = None
    columns: LeaderboardColumns | None = None
    engine: Options = field(default_factory=Options)


def rescore(built: BuiltTask, source: Path, output: Path, choices: Choices) -> int:
    """Score all submissions, in a folder of zips or Codabench's download of them, and write their ranking.

    ``output`` gets the tables, ``index.html`` for the organizers, ``ranking.html`` to publish, ``details/``,
    and ``store/``, from which an interrupted call goes on. Two protocols get a folder each.

    Returns 0; 2 if the organizer's side is broken; 130 after Ctrl-C. Raises SubmissionsError if there is
    nothing to score, or if what was given does not fit.
    """
    try:
        (output / "store").mkdir(parents=True, exist_ok=True)
        keep_out_of_git(output)
        with (
            locked(output / "store"),
            find_submissions(
                source, choices.names, choices.only_phase_id, load_rules(built.id)
            ) as submissions,
        ):
            _remove_left_overs(output)
            _rescore(built, submissions, output, choices)
    except LockedError as error:
        print(printable(f"{output}: {error}; wait for it, or give another --output"))
        return 2
    except BrokenError as error:
        print(f"The organizer's side is broken, the work ends here:\n{error}")
        return 2
    except OSError as error:
        shortage = shortage_of(error)
        reason = shortage.line() if shortage else str(error)
        print(f"{printable(reason)}{_kept_text(output)}")
        return 2
    except KeyboardInterrupt:
        print(f"\nstopped{_kept_text(output)}")
        return 130
    return 0


def _kept_text(output: Path) -> str:
    """Return that what is scored is kept, if anything is."""
    if not any((output / "store").glob("*/*.json")):
        return ""
    return "; what is scored is kept: the same command goes on from here"


def _remove_left_overs(output: Path) -> None:
    """Remove what a killed call left: a work folder with the reference, and temporary files."""
    shutil.rmtree(output / WORK, ignore_errors=True)
    store = output / "store"
    for folder in (output, *(output / name for name in PROTOCOLS), store, *store.glob("*/")):
        remove_unfinished(folder)


def _rescore(built: BuiltTask, submissions: list[Submission], output: Path, choices: Choices) -> None:
    """Score the submissions by each protocol, and write a ranking for each."""
    baselines = _given_baselines(choices, load_task(built.id).range)
    settings = settings_of(built)
    counting = choices.counting or counting_of(settings["counts"])
    facts = _facts_of(built, choices, counting, baselines.scores)
    if facts.is_demo:
        print("DEMO: the reference is synthetic demo data")
    refuse_other_phase(built, submissions, output)
    if note := note_on_last_run(output, built.id):
        print(printable(note))
    if built.label and built.phase is None:
        print("note | the phase is not known, so dates and limits are not checked: name it with --phase")
    rule = choices.winner_rule or rule_of_settings(settings)
    if rule is not None:
        names = [baseline.team for baseline in choices.baseline_zips]
        check_baseline_name(rule, [*names, *(baseline.name for baseline in baselines.scores)])
        check_gain(rule, load_task(built.id))
        if is_doubtful(rule):
            print(f"warning | the rule for winners asks for {rule_text(rule, higher_is_better=True)}")
    board = _given_leaderboard(built, submissions, choices)
    options = replace(choices.engine, signature=baselines.signature)
    task, limits = load_task(built.id), load_rules(built.id).limits
    protocols = choices.protocols or [""]
    # Before submissions are scored, which may take hours.
    scores_of_phase = {name: scores_in_phase(counting, built, output, name) for name in protocols}
    rankings = []
    for protocol in protocols:
        records = score_all(built, submissions, limits, output, protocol, options)
        violations = find_violations(records, built.phase, choices.enforce)
        if choices.enforce and built.phase and (sentence := undated_sentence(records)):
            print(f"note | {sentence}")
        print(*(f"{line}\n" for line in doubts_of(built, protocol, records, violations)), sep="", end="")
        left_out = names_left_out(violations)
        team_records = rank_teams(records, left_out, task, counting, scores_of_phase[protocol])
        winner = None
        scored_zips = []
        if choices.baseline_zips:
            scored_zips = score_all(built, choices.baseline_zips, limits, output, protocol, options)
        if rule is not None and team_records:
            baseline = find_baseline(rule, scored_zips, baselines.scores)
            winner = winner_line(rule, baseline, team_records, task)
        ranking = Ranking(
            task=task,
            facts=replace(
                facts,
                protocol=protocol,
                signature=team_records[0].entry.signature if team_records else "",
                submissions=_hash_of_submissions(records),
            ),
            records=records,
            team_records=team_records,
            winner=winner,
            violations=violations,
            board=compare_leaderboard(board, records, task) if board and team_records else (),
            names_file=str(choices.names.resolve()) if choices.names else "",
        )
        rankings.append(with_changes(ranking, output))
    _write_rankings(rankings, output)
    # Written last: until then the next run is compared with the one before.
    save_rankings(rankings, output)


def _hash_of_submissions(records: Sequence[Record]) -> str:
    """Return the SHA-256 of the names and hashes of submissions."""
    lines = sorted(f"{record.submission.name}\0{record.digest}\n" for record in records)
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _given_leaderboard(
    built: BuiltTask, submissions: Sequence[Submission], choices: Choices
) -> Leaderboard | None:
    """Return the leaderboard of the site if it was given. Raises SubmissionsError."""
    if choices.leaderboard is None:
        return None
    # The first column, as the competition or else the task calls it.
    score_column = (built.columns or load_task(built.id).columns)[0]
    columns = choices.columns or LeaderboardColumns(USER_TITLE, score_column.title)
    users = {submission.id: submission.user for submission in submissions if submission.id is not None}
    return read_leaderboard(choices.leaderboard, columns, built.title, users)


def _facts_of(built: BuiltTask, choices: Choices, counting: Counting, baselines: Sequence[Baseline]) -> Facts:
    """Return what the pages say of the competition and of this call."""
    return Facts(
        competition=built.competition,
        title=built.title,
        phase=built.phase.name if built.phase else "",
        reference=built.reference_name,
        is_demo=built.is_demo,
        date=str(choices.date or ""),
        counts=counting.text,
        enforce=choices.enforce,
        only_phase_id=choices.only_phase_id,
        program=hashlib.sha256(built.program).hexdigest(),
        names=file_hash(choices.names) if choices.names else "",
        half_samples=choices.engine.half_samples,
        baselines=baselines,
    )


def _given_baselines(choices: Choices, score_range: Range) -> GivenBaselines:
    """Return the baselines whose scores were given, if any were. Raises SubmissionsError."""
    path = choices.baselines
    if path is None:
        return GivenBaselines()
    if len(choices.protocols) > 1:
        raise SubmissionsError(f"{path}: baselines are scores by one protocol; give one, or leave them out")
    return read_baselines(path, score_range)


def _write_rankings(rankings: Sequence[Ranking], output: Path) -> None:
    """Write the files of each ranking and print what it says; two protocols get a folder each."""
    subfolders = subfolders_of(rankings)
    remove_others(output, subfolders, [*_TABLES, *_RANKING_FILES], DETAILS)
    for ranking, subfolder in zip(rankings, subfolders):
        folder = output / subfolder
        _write_files(ranking, folder)
        print(*_summary(ranking), sep="\n")
        public = f"; to publish: {folder / 'ranking.html'}" if ranking.team_records else ""
        print(printable(f"for you: {folder / 'index.html'}{public}"))


def remove_others(
    output: Path, written_subfolders: Collection[str], files: Collection[str], pages: str
) -> None:
    """Remove the files and the folder of pages of an earlier call with other protocols.

    ``written_subfolders`` are those that this call writes, "" for ``output`` itself; ``files`` and ``pages``
    are names in each of them.
    """
    for subfolder in {"", *PROTOCOLS} - {*written_subfolders}:
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


def _write_files(ranking: Ranking, folder: Path) -> None:
    """Write the tables and pages of a ranking."""
    _copy_details(ranking.records, folder)
    keys = [column.key for column in ranking.task.columns]
    texts = {
        "scores.csv": tables.scores_csv(ranking.records, keys),
        "changes.csv": tables.changes_csv(ranking.changes),
        "rules.csv": tables.rules_csv(ranking.violations),
        "index.html": page.index_page(ranking),
    }
    if ranking.team_records:
        texts["ranking.csv"] = tables.ranking_csv(ranking)
        texts["pairs.csv"] = tables.pairs_csv(ranking)
        texts["items.csv"] = tables.items_csv(ranking)
        texts["ranking.html"] = page.ranking_page(ranking)
    if ranking.board:
        texts["leaderboard.csv"] = tables.leaderboard_csv(ranking.board)
    for name in {*_RANKING_FILES, "leaderboard.csv"} - texts.keys():
        (folder / name).unlink(missing_ok=True)
    rewrite_files(texts, folder)


def pages_in(folder: Path) -> list[Path]:
    """Return the pages in a folder whose names are of `page_name`."""
    return [path for path in folder.glob("*.html") if re.search("-[0-9a-f]{8}$", path.stem)]


def _copy_details(records: Sequence[Record], folder: Path) -> None:
    """Copy the detail pages into the folder."""
    with replacing_folder(folder / DETAILS) as details:
        for record in records:
            shutil.copyfile(record.page, details / page_name(record.submission.name))


def _summary(ranking: Ranking) -> list[str]:
    """Return the first teams, how many submissions have a score, and what changed."""
    lines = []
    if ranking.team_records:
        lines += _first_teams(ranking)
        lines += cards.winner_sentences(ranking)
    scored_text = f"scored {ranking.n_scored:,} of {counted(len(ranking.records), 'submission')}"
    if ranking.changes:
        lines.append(f"{scored_text}; changed since the run before: {_change_counts(ranking.changes)}")
    else:
        lines.append(scored_text)
    notes = [violations_sentence(ranking.violations), cards.failures_sentence(ranking)]
    notes += [cards.not_ranked_sentence(ranking), cards.published_sentence(ranking)]
    if ranking.board:
        notes.append(leaderboard_sentence(ranking.board))
    if ranking.deleted:
        notes.append(
            f"{counted(len(ranking.deleted), 'submission')} of earlier runs no longer there: index.html"
        )
    return lines + [f"note | {note}" for note in notes if note]


def _first_teams(ranking: Ranking) -> list[str]:
    """Return rank, score and name of the first teams."""
    lines = []
    for record, rank in zip(ranking.team_records[:_MOST_PRINTED], ranking.comparison.rank.tolist()):
        lines.append(f"{rank:4}  {ranking.score_text(record)}  {quote(record.submission.team)}")
    n_more = len(ranking.team_records) - _MOST_PRINTED
    if n_more > 0:
        lines.append(f"      and {counted(n_more, 'more team')}: ranking.csv")
    return lines


def _change_counts(changes: Sequence[Change]) -> str:
    """Return how many scores and ranks changed, of teams of both runs, and how many teams came and went."""
    in_both = [change for change in changes if change.is_in_both]
    n_rescored = sum(change.score_before != change.score for change in in_both)
    n_moved = sum(change.rank_before != change.rank for change in in_both)
    text = f"{counted(n_rescored, 'score')} and {counted(n_moved, 'rank')}"
    for reason in ("new", "gone"):
        if number := sum(change.why == reason for change in changes):
            text += f", {counted(number, 'team')} {reason}"
    return text
