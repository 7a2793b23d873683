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
from organizer.ranking import paper
from organizer.ranking.command import pages_in, remove_others
from organizer.ranking.mail import draft_mail
from organizer.ranking.ranking import Ranking, page_name, subfolders_of
from organizer.ranking.stored import read_rankings, saved_facts
from organizer.ranking.tables import teams_csv
from organizer.ranking.team_page import team_page, teams_index
from people_in_video.comparing.standings import ranked_rows
from validator.texts import printable

FACTS = "facts.json"
"""What the ranking was made of, as ``ranking.json`` has it."""
_MAIL = "mail.txt"
_FILES = ("ranking.csv", "ranking.tex", "methods.txt", FACTS, "teams.csv", _MAIL, "index.html")
_TEAMS = "teams"


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
        "ranking.csv": paper.published_ranking_csv(standings),
        "ranking.tex": paper.ranking_latex(standings, ranking.title, ranking.facts.is_demo),
        "methods.txt": paper.methods_text(ranking),
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
