"""The command ``rescore``: score all submissions and write the files and pages of their ranking."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from organizer.files import LockedError, locked
from organizer.ranking import page, tables
from organizer.ranking.statistics import ranking_of
from organizer.ranking.tables import History
from organizer.runs.fork_server import SCORED
from organizer.runs.pool import BrokenError
from organizer.runs.rescore import Options, Record, score_all
from organizer.runs.submissions import Submission, SubmissionsError, find_submissions
from organizer.runs.worker import BuiltTask
from scoring_program.report.outputs import write_atomic
from scoring_program.task import load_task
from validator.findings import counted, printable, quote

DETAILS = "details"
_SHOWN = 10


@dataclass(frozen=True)
class Choices:
    """How to rank: the table of teams, which submission counts, the protocols, and the engine."""

    names: Path | None = None
    keep: str = "best"
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
        print(printable(str(error)))
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
    task = load_task(built.id)
    runs = []
    for protocol in choices.protocols or [""]:
        records = score_all(built, submissions, output, protocol, choices.engine)
        runs.append((protocol, records, ranking_of(records, task, choices.keep)))
    rankings = {protocol: ranking for protocol, _, ranking in runs if ranking}
    for protocol, records, ranking in runs:
        folder = output / protocol if len(runs) > 1 else output
        history = History(output / "store" / f"history{protocol and '-'}{protocol}.json", records, ranking)
        other = next((another for name, another in rankings.items() if name != protocol), None)
        pages = page.RankingPages(
            task, records, ranking, history, _details(records, folder), protocol, other, choices.keep
        )
        _write(pages, folder)
        history.save()
        print(*_summary(pages), sep="\n")
        print(printable(f"for you: {folder / 'index.html'}; to publish: {folder / 'ranking.html'}"))


def _write(pages: page.RankingPages, folder: Path) -> None:
    records, ranking = pages.records, pages.ranking
    keys = [column.key for column in pages.task.columns]
    texts = {
        "scores.csv": tables.scores_csv(records, keys),
        "changes.csv": tables.changes_csv(pages.history.changes()),
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
        for name in ("ranking.csv", "pairs.csv", "items.csv", "stability.csv", "ranking.html"):
            (folder / name).unlink(missing_ok=True)
    for name, text in texts.items():
        write_atomic(folder / name, text)


def _details(records: Sequence[Record], folder: Path) -> dict[str, str]:
    """Copy the detail pages into the folder; return the link to the page of each submission by its name."""
    shutil.rmtree(folder / DETAILS, ignore_errors=True)
    (folder / DETAILS).mkdir(parents=True)
    links = {}
    for record in records:
        name = record.submission.name
        # A participant's name is not a safe path. The hash keeps names apart that are equal without signs.
        plain = re.sub(r"[^A-Za-z0-9]+", "-", name.removesuffix(".zip"))[:80].strip("-")
        link = f"{DETAILS}/{plain}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}.html"
        shutil.copyfile(record.page, folder / link)
        links[name] = link
    return links


def _summary(pages: page.RankingPages) -> list[str]:
    """Return the first teams and how many submissions have a score."""
    task, records, ranking, history = pages.task, pages.records, pages.ranking, pages.history
    decimals, lines = task.columns[0].precision, []
    for record, rank in zip(ranking.records[:_SHOWN], ranking.comparison.rank.tolist()) if ranking else ():
        score = f"{record.entry.scores['score']:.{decimals}f}"
        lines.append(f"{rank:4}  {score}  {quote(record.submission.team)}")
    scored = sum(record.entry.outcome == SCORED for record in records)
    lines.append(f"scored {scored:,} of {counted(len(records), 'submission')}")
    if changes := history.changes():
        moved = sum(change.rank_before != change.rank for change in changes)
        rescored = sum(change.score_before != change.score for change in changes)
        tau = f"Kendall's tau-b between the two rankings is {page.tau_text(history.tau_b())}"
        changed = f"{counted(rescored, 'score')} and {counted(moved, 'rank')}"
        lines[-1] += f"; changed since the run before: {changed}; {tau}"
    return lines
