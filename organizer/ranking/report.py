"""The command ``report``: a ranking for a paper or a site, and a page for each team.

All of it is to be published: numbers have the decimals that participants see, and costs of errors are those
that the detail level of the reference showed.
"""

from __future__ import annotations

import json
from pathlib import Path

from organizer.bundle import DEMO_TITLE
from organizer.errors import InputError
from organizer.files import rewrite_files
from organizer.ranking.cards import resampling_sentences, winner_sentences
from organizer.ranking.command import pages_in, remove_others
from organizer.ranking.eligibility import left_out_text
from organizer.ranking.mail import draft_mail
from organizer.ranking.ranking import Ranking, page_name, subfolders_of
from organizer.ranking.stored import read_rankings, saved_facts
from organizer.ranking.tables import Cell, csv_table, teams_csv
from organizer.ranking.team_page import team_page, teams_index
from people_in_video.comparing import standings as standings_parts
from people_in_video.comparing.latex import NEEDED_PACKAGE, escape_latex, latex_table
from people_in_video.comparing.standings import Standings, band_text, ranked_rows
from validator.texts import counted, printable, visible

FACTS = "facts.json"
"""What the ranking was made of, as ``ranking.json`` has it."""
_MAIL = "mail.txt"
_FILES = ("ranking.csv", "ranking.tex", "methods.txt", FACTS, "teams.csv", _MAIL, "index.html")
_TEAMS = "teams"
_DEMO_ROW = [r"\multicolumn{5}{c}{DEMO DATA}"]


def report(task_id: str, folder: Path, output: Path) -> int:
    """Write the report on the ranking that ``rescore`` left in a folder. Raises InputError if there is none.

    ``output`` gets ``ranking.csv``, ``ranking.tex``, ``methods.txt``, ``facts.json``, ``teams/`` with a
    page for each team, ``index.html`` with links to these, ``teams.csv`` for mails to the teams, and
    ``mail.txt``, the draft of one, if ranks or scores have changed since the last run; with two
    protocols a folder for each.
    """
    rankings = read_rankings(folder, task_id)
    subfolders = subfolders_of(rankings)
    for ranking, subfolder in zip([ranking.published for ranking in rankings], subfolders):
        if not ranking.team_records:
            raise InputError(f"{folder}: no submission was scored, so there is nothing to report")
        _write(ranking, output / subfolder)
    remove_others(output, subfolders, _FILES, _TEAMS)
    print(printable(f"{DEMO_TITLE if rankings[0].facts.is_demo else ''}written to {output}"))
    return 0


def _write(ranking: Ranking, folder: Path) -> None:
    """Write the files of one ranking, and its pages of teams in place of earlier ones."""
    standings = ranking.standings
    page_of_team = {team: f"{_TEAMS}/{page_name(team)}" for team in ranking.teams}
    texts = {
        "ranking.csv": _published_ranking_csv(standings),
        "ranking.tex": _ranking_latex(standings, ranking.title, ranking.facts.is_demo),
        "methods.txt": _methods_text(ranking),
        FACTS: json.dumps(saved_facts(ranking.facts), indent=1) + "\n",
        "teams.csv": teams_csv(ranking, page_of_team),
        "index.html": teams_index(ranking, page_of_team),
    }
    for row in ranked_rows(standings):
        if row.place is not None:
            texts[page_of_team[row.name]] = team_page(ranking, row.place, row.band)
    if mail := draft_mail(ranking):
        texts[_MAIL] = mail
    else:
        (folder / _MAIL).unlink(missing_ok=True)
    rewrite_files(texts, folder)
    for old_page in {*pages_in(folder / _TEAMS)} - {folder / name for name in texts}:
        old_page.unlink()


def _published_ranking_csv(standings: Standings) -> str:
    """Return teams and baselines, the best first, with the decimals of the leaderboard."""
    header = ["rank", "rank_low", "rank_high", "team", "score", "score_low", "score_high"]
    comparison = standings.comparison
    rows: list[list[Cell]] = []
    for row in ranked_rows(standings):
        ranks: list[Cell] = [None, None, None]
        if row.place is not None:
            ranks = [
                int(comparison.rank[row.place]),
                int(comparison.rank_low[row.place]),
                int(comparison.rank_high[row.place]),
            ]
        interval: list[Cell] = [row.band.low, row.band.high] if row.band.has_interval else [None, None]
        rows.append([*ranks, row.name, float(row.score_text), *interval])
    return csv_table(header, rows)


def _ranking_latex(standings: Standings, title: str, is_demo: bool) -> str:
    """Return a table for LaTeX with booktabs."""
    score_title = standings.task.columns[0].title
    header = ["Rank", "Possible ranks", standings.noun.capitalize(), score_title, "95 % interval"]
    rows = [_DEMO_ROW] if is_demo else []
    for row in ranked_rows(standings):
        rank, rank_set = "--", "--"
        if row.place is not None:
            rank = str(standings.comparison.rank[row.place])
            rank_set = standings.comparison.rank_set_text(row.place)
        interval = band_text(row.band, standings.decimals)
        cells = [rank, rank_set, row.name, row.score_text, interval]
        rows.append([escape_latex(cell) for cell in cells])
    return latex_table([f"{title}. {NEEDED_PACKAGE}"], "rrlrl", header, rows)


def _counts_text(counts: str) -> str:
    """Return which submission of a team counts, in words."""
    rule, _, phase = counts.partition(": ")
    return (
        f"the submission of a team that was best in {phase}" if phase else f"the {rule} submission of a team"
    )


def _methods_text(ranking: Ranking) -> str:
    """Return what was ranked, what the ranks mean, and how they were computed, for a paper."""
    standings = ranking.standings
    n_scored = counted(sum(ranking.n_submissions), "scored submission")
    not_ranked = left_out_text(ranking.n_left_out)
    sentences = [
        f"{ranking.title}: {counted(len(standings.names), 'team')} with {n_scored};",
        f"{_counts_text(ranking.facts.counts)} counts.",
        *([f"{not_ranked}."] if not_ranked else []),
        *standings_parts.sentences(standings),
        *resampling_sentences(ranking),
        *standings_parts.method_texts(standings, ranking.half_samples),
        *winner_sentences(ranking),
    ]
    return f"{visible(' '.join(sentences))}\n\nSignature: {visible(ranking.facts.signature)}\n"
