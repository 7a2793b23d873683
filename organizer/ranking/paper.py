"""A ranking for a paper: as CSV, as a table for LaTeX, and its method in words."""

from __future__ import annotations

from organizer.ranking.cards import resampling_sentences, winner_sentences
from organizer.ranking.eligibility import left_out_text
from organizer.ranking.ranking import Ranking
from organizer.ranking.tables import Cell, csv_table
from people_in_video.comparing import standings as standings_parts
from people_in_video.comparing.latex import NEEDED_PACKAGE, escape_latex, latex_table
from people_in_video.comparing.standings import Standings, band_text, ranked_rows
from validator.texts import counted, visible

_DEMO_ROW = [r"\multicolumn{5}{c}{DEMO DATA}"]


def published_ranking_csv(standings: Standings) -> str:
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


def ranking_latex(standings: Standings, title: str, is_demo: bool) -> str:
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


def methods_text(ranking: Ranking) -> str:
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
