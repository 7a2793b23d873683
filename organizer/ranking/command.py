"""The command ``rescore``: score all submissions and write the files and pages of their ranking."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import re
import shutil
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from organizer.files import LockedError, locked, write_durable
from organizer.ranking import page, tables
from organizer.ranking.statistics import ranking_of
from organizer.ranking.tables import History
from organizer.runs.fork_server import SCORED
from organizer.runs.pool import BrokenError
from organizer.runs.rescore import Options, Record, score_all
from organizer.runs.submissions import Submission, SubmissionsError, find_submissions
from organizer.runs.worker import BuiltTask
from scoring_program.report.outputs import write_atomic
from scoring_program.report.standings import Baseline
from scoring_program.settings import PROTOCOLS
from scoring_program.task import load_task
from validator.texts import counted, printable, quote

DETAILS = "details"
RUNS = "store/ranking.json"
"""What was ranked last, for ``report``."""
_SHOWN = 10
_TABLES = ("scores.csv", "changes.csv", "timing.csv", "index.html")
_OF_RANKING = ("ranking.csv", "pairs.csv", "items.csv", "stability.csv", "ranking.html")


@dataclass(frozen=True)
class Choices:
    """How to rank: the table of teams, which submission counts, the date and the baselines to show, the
    protocols, and the engine."""

    names: Path | None = None
    keep: str = "best"
    date: datetime.date | None = None
    baselines: Path | None = None
    protocols: Sequence[str] = ()
    engine: Options = field(default_factory=Options)


def rescore(built: BuiltTask, source: Path, output: Path, choices: Choices) -> int:
    """Score all submissions, in a folder of zips or Codabench's download of them, and write their ranking.

    ``output`` gets the tables, ``index.html`` for the organizers, ``ranking.html`` to publish, ``details/``,
    and ``store/``, from which an interrupted call goes on. Two protocols get a folder each.

    Returns 0; 1 if there is nothing to score; 2 if the organizer's side is broken; 130 after Ctrl-C.
    """
    try:
        (output / "store").mkdir(parents=True, exist_ok=True)
        with locked(output / "store"), find_submissions(source, choices.names) as submissions:
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
        print(f"{printable(str(error))}; what is scored is kept: the same command goes on from here")
        return 2
    except KeyboardInterrupt:
        print("\nstopped; what is scored is kept: the same command goes on from here")
        return 130
    return 0


def _rescore(built: BuiltTask, submissions: list[Submission], output: Path, choices: Choices) -> None:
    task, runs = load_task(built.id), []
    baselines, signature = list[Baseline](), ""
    if choices.baselines:
        baselines, signature = _read_baselines(choices.baselines, len(choices.protocols))
    about = page.About(built.competition, built.is_demo, str(choices.date or ""), choices.keep, baselines)
    if about.is_demo:
        print("DEMO: the reference is synthetic demo data")
    options = replace(choices.engine, signature=signature)
    for protocol in choices.protocols or [""]:
        records = score_all(built, submissions, output, protocol, options)
        runs.append((protocol, records, ranking_of(records, task, choices.keep)))
    written = {protocol if len(runs) > 1 else "" for protocol, _, _ in runs}
    remove_others(output, written, (*_TABLES, *_OF_RANKING), DETAILS)
    rankings = {protocol: ranking for protocol, _, ranking in runs if ranking}
    for protocol, records, ranking in runs:
        folder = output / protocol if len(runs) > 1 else output
        history = History(output / "store" / f"history{protocol and '-'}{protocol}.json", records, ranking)
        other = next((another for name, another in rankings.items() if name != protocol), None)
        details = _details(records, folder)
        pages = page.RankingPages(task, records, ranking, history, details, protocol, other, about)
        _write(pages, folder)
        history.save()
        print(*_summary(pages), sep="\n")
        public = f"; to publish: {folder / 'ranking.html'}" if ranking else ""
        print(printable(f"for you: {folder / 'index.html'}{public}"))
    saved = {protocol: [record.saved() for record in records] for protocol, records, _ in runs}
    write_durable(output / RUNS, json.dumps({"about": asdict(about), "runs": {task.id: saved}}))


def _read_baselines(path: Path, n_protocols: int) -> tuple[list[Baseline], str]:
    """Return the baselines in a JSON file, and their signature, "" if unknown. Raises SubmissionsError."""
    if n_protocols > 1:
        raise SubmissionsError(f"{path}: baselines are scores by one protocol; give one, or leave them out")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        content = data if isinstance(data, dict) else {"baselines": data}
        found = []
        for own in content["baselines"]:
            score = own["score"]
            low, high = own.get("interval") or (own.get("low", score), own.get("high", score))
            if not abs(low) + abs(score) + abs(high) < math.inf:
                raise ValueError("a number is not finite")
            found.append(Baseline(str(own["name"]), score, low, high))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        form = '[{"name": "random", "score": 0.1, "interval": [0.05, 0.15]}]'
        raise SubmissionsError(f"{path}: these are no baselines; write JSON such as {form}") from error
    return found, str(content.get("signature", ""))


def remove_others(output: Path, written: Collection[str], files: Collection[str], pages: str) -> None:
    """Remove the files and the folder of pages of an earlier call with other protocols."""
    for name in {"", *PROTOCOLS} - {*written}:
        folder = output / name
        for path in (*(folder / file for file in files), *pages_in(folder / pages)):
            path.unlink(missing_ok=True)
        for own in (folder / pages, folder):
            if own != output and own.is_dir() and not any(own.iterdir()):
                own.rmdir()


def _write(pages: page.RankingPages, folder: Path) -> None:
    records, ranking = pages.records, pages.ranking
    keys = [column.key for column in pages.task.columns]
    texts = {
        "scores.csv": tables.scores_csv(records, keys),
        "changes.csv": tables.csv_table(", ".join(tables.Change._fields), pages.history.changes()),
        "timing.csv": tables.timing_csv(records),
        "index.html": page.index_page(pages),
    }
    if ranking:
        texts |= {
            "ranking.csv": tables.ranking_csv(ranking),
            "pairs.csv": tables.pairs_csv(ranking),
            "items.csv": tables.items_csv(ranking),
            "stability.csv": tables.stability_csv(ranking),
            "ranking.html": page.ranking_page(pages),
        }
    else:
        for name in _OF_RANKING:
            (folder / name).unlink(missing_ok=True)
    for name, text in texts.items():
        write_atomic(folder / name, text)


def page_name(name: str) -> str:
    """Return the name of the file of a page about a submission or team: a participant's is no safe path."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name.removesuffix(".zip"))[:80].strip("-") or "page"
    # The hash keeps names apart that are equal without signs.
    return f"{plain}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}.html"


def pages_in(folder: Path) -> list[Path]:
    """Return the pages in a folder whose names are of `page_name`."""
    return [path for path in folder.glob("*.html") if re.search("-[0-9a-f]{8}$", path.stem)]


def _details(records: Sequence[Record], folder: Path) -> dict[str, str]:
    """Copy the detail pages into the folder; return the link to the page of each submission by its name."""
    shutil.rmtree(folder / DETAILS, ignore_errors=True)
    (folder / DETAILS).mkdir(parents=True)
    links = {own.submission.name: f"{DETAILS}/{page_name(own.submission.name)}" for own in records}
    for record in records:
        shutil.copyfile(record.page, folder / links[record.submission.name])
    return links


def _summary(pages: page.RankingPages) -> list[str]:
    """Return the first teams and how many submissions have a score."""
    task, records, ranking, history = pages.task, pages.records, pages.ranking, pages.history
    decimals, lines = task.columns[0].precision, []
    for record, rank in zip(ranking.records[:_SHOWN], ranking.comparison.rank.tolist()) if ranking else ():
        score = f"{record.entry.scores['score']:.{decimals}f}"
        lines.append(f"{rank:4}  {score}  {quote(record.submission.team)}")
    if ranking and len(ranking.records) > _SHOWN:
        lines.append(f"      and {counted(len(ranking.records) - _SHOWN, 'more team')}: ranking.csv")
    scored = sum(record.entry.outcome == SCORED for record in records)
    lines.append(f"scored {scored:,} of {counted(len(records), 'submission')}")
    if changes := history.changes():
        both = [change for change in changes if change.rank_before and change.rank]
        moved = sum(change.rank_before != change.rank for change in both)
        rescored = sum(change.score_before != change.score for change in both)
        changed = f"{counted(rescored, 'score')} and {counted(moved, 'rank')}"
        lines[-1] += f"; changed since the run before: {changed}"
        for why in ("new", "gone"):
            if number := sum(change.why == why for change in changes):
                lines[-1] += f", {counted(number, 'team')} {why}"
        lines.append(page.tau_sentence("the two rankings", history.tau_b()))
    return lines + [f"warning | {warning}" for warning in page.phases_warning(records)]
