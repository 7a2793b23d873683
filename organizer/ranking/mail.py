"""A draft of the mail to all teams on what changed since the last run, as by a corrected reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from organizer.ranking.changes import Change
from organizer.ranking.ranking import Ranking
from organizer.runs.rescore import Record
from people_in_video.comparing.pairs import ranks
from validator.texts import counted, visible


def count_changed_items(record_of_digest: Mapping[str, Record], team_records: Sequence[Record]) -> int:
    """Return how many items have another score than before, or are new or gone, for the same file of a team.

    ``record_of_digest`` holds the records of the last run by the SHA-256 of their files.
    """
    changed_items: set[str] = set()
    for record in team_records:
        if record.digest in record_of_digest:
            entry_before, entry = record_of_digest[record.digest].entry, record.entry
            scores_before = dict(zip(entry_before.items, entry_before.item_scores))
            scores = dict(zip(entry.items, entry.item_scores))
            changed_items |= {item for item, _ in scores_before.items() ^ scores.items()}
    return len(changed_items)


def texts_before(ranking: Ranking) -> dict[str, tuple[str, str]]:
    """Return the rank and the score of teams in the last run, as they are published."""
    ranked_before = [change for change in ranking.changes if change.score_before is not None]
    score_texts = [f"{change.score_before:.{ranking.score_decimals}f}" for change in ranked_before]
    rank = ranks(np.array([float(text) for text in score_texts]), ranking.task.higher_is_better)
    rank_texts = map(str, rank.tolist())
    return {change.team: texts for change, texts in zip(ranked_before, zip(rank_texts, score_texts))}


def draft_mail(ranking: Ranking) -> str:
    """Return the mail, with columns of ``teams.csv`` in braces; "" if no file has another score now."""
    if not any(_is_corrected(change) for change in ranking.changes):
        return ""
    texts_of_team = texts_before(ranking)
    n_moved = n_rescored = 0
    for place, team in enumerate(ranking.teams):
        rank_text, score_text = texts_of_team.get(team, ("", ""))
        n_moved += rank_text not in ("", str(ranking.comparison.rank[place]))
        n_rescored += score_text not in ("", ranking.standings.score_texts[place])
    n_teams = counted(len(ranking.teams), "team")
    lines = [f"Subject: {ranking.title}: the ranking has changed", "", "Dear {team},", ""]
    if ranking.n_changed_items:
        n_items = counted(len(ranking.team_records[0].entry.items), ranking.task.item)
        lines.append(f"After a correction scores of {ranking.n_changed_items:,} of {n_items} are different.")
    lines += [
        f"All submissions were scored again: {n_rescored:,} of {n_teams} have another score, and {n_moved:,} "
        "another rank.",
        "",
        "Your team had rank {rank_before} with a score of {score_before}. "
        "It now has rank {rank} with a score of {score}; possible ranks: {rank_low} to {rank_high}.",
        "",
        f"The ranking before: {ranking.run_before}",
        f"This ranking: {ranking.facts.run_text}",
        "Scores with equal signatures are comparable.",
    ]
    return "".join(f"{visible(line)}\n" for line in lines)


def _is_corrected(change: Change) -> bool:
    """Return whether the same file of a team has another score than before."""
    is_same_file = "submission" not in change.why.split(", ")
    return change.is_in_both and is_same_file and change.score != change.score_before
