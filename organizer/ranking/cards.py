"""The cards of a ranking's pages.

Functions whose name is a plural return no card where there is nothing to show.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from xml.etree.ElementTree import Element

import numpy as np

from organizer.ranking.eligibility import violations_sentence
from organizer.ranking.leaderboard import leaderboard_sentence
from organizer.ranking.near_copies import find_near_copies
from organizer.ranking.ranking import DETAILS, Ranking, page_name
from organizer.ranking.tables import hardest_items, team_facts
from organizer.runs.rescore import Record
from organizer.runs.scoring_process import SCORED
from people_in_video.comparing import standings as standings_parts
from people_in_video.comparing.standings import LONGEST_NAME, MOST_DRAWN, table_cards
from scoring_program.metrics.resampling import LEAST_ITEMS
from scoring_program.report.elements.layout import card
from scoring_program.report.elements.tables import Cell, Heading, table
from scoring_program.report.html import cut, cut_middle, element
from validator.texts import counted, quote, some_words

_MOST_ROWS = 5000
_LONGEST_PROBLEM = 300
# Columns of the table of names with one in their title or in a text are on no page.
_PRIVATE_IN_TITLE, _PRIVATE_IN_TEXT = "mail", "@"
_CODE = re.compile(r"[EN](-[A-Z0-9]+)+")
_SUBMISSION_TITLES = ("Submission", "Team", "Outcome")


def nothing_ranked_card(ranking: Ranking) -> Element:
    """Return the card in place of a ranking."""
    text = "No submission was scored."
    if ranking.n_scored:
        text = "No submission is ranked: all that were scored are left out."
    return card("ranking", "Ranking", "", text)


def not_ranked_sentence(ranking: Ranking) -> str:
    """Return which teams are not ranked because they have no submission in another phase, "" if all are."""
    ranked_teams = set(ranking.teams)
    teams = [quote(team) for team in ranking.eligible_records if team not in ranked_teams]
    if not teams:
        return ""
    return f"Not ranked, because {ranking.facts.counts} counts and they were not there: {some_words(teams)}."


def ranking_card(ranking: Ranking) -> Element:
    """Return the table of teams, and what it means."""
    standings = ranking.standings
    details = []
    for place, record in enumerate(ranking.team_records):
        team_details = [counted(ranking.n_submissions[place], "submission")]
        if record.entry.why_rough:
            team_details.append(f"rough: {record.entry.why_rough}")
        coverage = record.entry.scores["coverage"]
        if coverage < 1:
            team_details.append(f"coverage {coverage:.{standings.decimals}f}")
        details.append(team_details)
    parts = standings_parts.standings_table(standings, "Ranking", details)
    link = element("a", "How to read this", href="#method")
    text = element("p", *(f"{sentence} " for sentence in standings_parts.sentences(standings)[:1]), link, ".")
    return card("ranking", "Ranking", "", *parts, text)


def _reading_lines(ranking: Ranking) -> list[str]:
    """Return what the table of teams means, but for the sentence that stands below it."""
    standings = ranking.standings
    lines = [f"Possible ranks: those that a team may have over all such {ranking.task.item}s (its rank set)."]
    if any(record.entry.scores["coverage"] < 1 for record in ranking.team_records):
        lines.append("Coverage: the share of the reference that a team has submitted; 1 where none is shown.")
    lines += standings_parts.sentences(standings)[1:]
    lines += resampling_sentences(ranking)
    if ranking.facts.counts == "best" and max(ranking.n_submissions) > 1:
        lines.append("The best of several submissions of a team counts; this favors teams with many.")
        lines += _drops_sentences(ranking)
    return lines


def _drops_sentences(ranking: Ranking) -> list[str]:
    """Return by how much the scores of the teams are too good at most, because the best of many counts."""
    drops = []
    for place, team in enumerate(ranking.teams):
        if amount := _drop_amount(ranking, place):
            drops.append((amount, f"{cut(team, LONGEST_NAME)} {amount}"))
    if not drops:
        return []
    direction = "lower" if ranking.task.higher_is_better else "higher"
    largest_first = [text for _, text in sorted(drops, reverse=True)]
    amounts = some_words(largest_first)
    return [
        f"On new items scores are expected to be {direction} because of that, at most by about: {amounts}."
    ]


def _drop_amount(ranking: Ranking, place: int) -> str:
    """Return by how much the score of a team is expected to be worse on new items, at most.

    "" if that is less than scores show.
    """
    drop, decimals = ranking.expected_drops[place], ranking.standings.decimals
    return "" if drop is None or drop < 10.0**-decimals else f"{drop:.{decimals}f}"


def expected_drop_text(ranking: Ranking, place: int) -> str:
    """Return what the page of a team says of the best of its submissions, "" if there is nothing to say."""
    drop = _drop_amount(ranking, place)
    if not drop:
        return ""
    direction = "lower" if ranking.task.higher_is_better else "higher"
    amount = f"about {drop} {direction}"
    return f"the best of {ranking.n_submissions[place]:,}: on new items expected to be at most {amount}"


def resampling_sentences(ranking: Ranking) -> list[str]:
    """Return how many neighbors can be told apart, and what is resampled."""
    n_pairs = len(ranking.team_records) - 1
    if n_pairs < 1 or ranking.comparison.n_items < LEAST_ITEMS:
        return []
    pairs = counted(n_pairs, "neighboring pair")
    verb = "differs" if n_pairs == 1 else "differ"
    unit = ranking.standings.unit
    return [
        f"{ranking.n_different_neighbors:,} of {pairs} {verb} significantly.",
        f"What is resampled: the {unit}s of the reference, not the methods, their training, or the tasks.",
    ]


def winner_cards(ranking: Ranking) -> list[Element]:
    """Return who reaches the line that a winner must reach, if there is a rule."""
    winner = ranking.winner
    if winner is None:
        return []
    standings = ranking.standings
    rows = list[list[Cell]]()
    for place, team in enumerate(ranking.teams):
        verdict = "reaches it" if winner.passes[place] else "does not reach it"
        band = winner.band(place, standings.decimals)
        difference = f"{band.value:.{standings.decimals}f}"
        interval = standings_parts.band_text(band, standings.decimals)
        margin = standings_parts.text_over_text(difference, interval)
        rows.append([cut(team, LONGEST_NAME), standings.score_texts[place], verdict, margin])
    margin_heading = standings_parts.text_over_text("Score less the line", "95 % interval")
    headings = ("Team", "Score", "The line", margin_heading)
    return table_cards("winners", "Rule for winners", " ".join(winner_sentences(ranking)), headings, rows)


def winner_sentences(ranking: Ranking) -> list[str]:
    """Return the line of the rule for winners, and how many teams reach it; nothing without a rule."""
    winner = ranking.winner
    if winner is None:
        return []
    decimals = ranking.standings.decimals
    higher = ranking.task.higher_is_better
    share = f"{100 * winner.rule.relative_gain:g} %"
    name = cut(winner.rule.baseline, LONGEST_NAME)
    line = f"{winner.score:.{decimals}f}"
    direction = "above" if higher else "below"
    sentences = [
        f"A winner needs a score at least {share} {direction} that of {name} "
        f"({winner.baseline.score:.{decimals}f}), which is {line}.",
        f"{winner.n_passing:,} of {counted(len(ranking.team_records), 'team')} reach it.",
    ]
    best = ranking.task.range[1] if higher else ranking.task.range[0]
    if best is not None and (winner.score > best if higher else winner.score < best):
        sentences.append(f"No score can reach it: the best possible one is {best:g}.")
    if winner.margins is None:
        sentences.append("There is no interval: only the score of the baseline is known, or items are few.")
    return sentences


def fact_cards(ranking: Ranking) -> list[Element]:
    """Return what organizers say of the teams, without addresses, if they say anything."""
    facts_of_team = team_facts(ranking)
    titles = public_titles(facts_of_team)
    rows = list[list[Cell]]()
    for team, facts in facts_of_team.items():
        rows.append([cut(text, LONGEST_NAME) for text in (team, *(facts.get(title, "") for title in titles))])
    headings = [cut(title, LONGEST_NAME) for title in ("Team", *titles)]
    return table_cards("facts", "About the teams", "", headings, rows if titles else [])


def published_sentence(ranking: Ranking) -> str:
    """Return which columns of the table of names the published pages show, "" if none."""
    titles = [quote(title) for title in public_titles(team_facts(ranking))]
    return f"Pages to publish show these columns of --names: {some_words(titles)}." if titles else ""


def public_titles(facts_of_team: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the titles of what may be shown of teams: of columns with a text, and not of mail addresses."""
    texts_of_title: dict[str, str] = {}
    for facts in facts_of_team.values():
        for title, text in facts.items():
            texts_of_title[title] = texts_of_title.get(title, "") + text
    return [
        title
        for title, texts in texts_of_title.items()
        if texts and _PRIVATE_IN_TITLE not in title and _PRIVATE_IN_TEXT not in texts
    ]


def method_card(ranking: Ranking) -> Element:
    """Return how to read the ranking, how it was computed, and the signature."""
    return standings_parts.method_card(
        ranking.standings, ranking.facts.signature, ranking.half_samples, _reading_lines(ranking)
    )


def pair_cards(ranking: Ranking) -> list[Element]:
    """Return the p values of all pairs of the first teams, if there are several."""
    if len(ranking.team_records) < 2:
        return []
    return [standings_parts.pairs_card(ranking.standings, "pairs.csv")]


def item_cards(ranking: Ranking) -> list[Element]:
    """Return the items with the worst mean score over the teams, if items have scores."""
    item = ranking.task.item
    scored_items = [row for row in hardest_items(ranking) if not np.isnan(row.mean)]
    if not scored_items:
        return []
    # A bar ends at 1, which errors in units of the task do not.
    is_share = all(0 <= row.mean <= 1 for row in scored_items)
    note = "If no team is right, the annotation may be wrong."
    if len(scored_items) > MOST_DRAWN:
        note += f" The first {MOST_DRAWN} of {len(scored_items):,}; all: items.csv."
    headings = [
        Heading(item.capitalize(), "text"),
        Heading("Mean over teams", "share" if is_share else "number"),
        Heading("Spread", "number"),
        Heading("Teams", "count"),
    ]
    rows = table(headings, scored_items[:MOST_DRAWN], "Hardest")
    return [card("items", f"Hardest {item}s", note, *rows)]


def failed_cards(ranking: Ranking) -> list[Element]:
    """Return the submissions without a score, each with its first problem."""
    rows = list[list[Cell]]()
    for record in ranking.records:
        if record.entry.outcome != SCORED:
            problem = element("div", cut(record.entry.problem, _LONGEST_PROBLEM), class_="reason")
            rows.append([problem, *_submission_cells(record)])
    headings = ["First problem", *_SUBMISSION_TITLES]
    return table_cards("failed", "Submissions without a score", failures_sentence(ranking), headings, rows)


def failures_sentence(ranking: Ranking) -> str:
    """Return how many submissions have no score, by the code of their first problem; "" if all have one."""
    failed_entries = [record.entry for record in ranking.records if record.entry.outcome != SCORED]
    if not failed_entries:
        return ""
    n_of_code = Counter(_code(entry.problem) or entry.outcome for entry in failed_entries)
    counts = ", ".join(f"{code} {number:,}" for code, number in n_of_code.most_common())
    return f"{counted(len(failed_entries), 'submission')} without a score, by the first problem: {counts}."


def _code(problem: str) -> str:
    """Return the code that a problem begins with, "" without one."""
    code = _CODE.match(problem)
    return code[0] if code else ""


def violation_cards(ranking: Ranking) -> list[Element]:
    """Return the submissions that break rules of the phase, if there are any."""
    rows = list[list[Cell]]()
    for violation in ranking.violations:
        state = "ranked" if violation.is_ranked else "left out"
        reason = element("div", violation.rule.value, element("small", violation.reason), class_="reason")
        rows.append([reason, state, *_submission_cells(violation.record)])
    headings = ["What was found", "Ranking", *_SUBMISSION_TITLES]
    text = violations_sentence(ranking.violations)
    return table_cards("rules", "Rules of the phase", text, headings, rows)


def similar_name_cards(ranking: Ranking) -> list[Element]:
    """Return the teams whose names look equal, if there are any."""
    others_of_team = {
        record.submission.team: record.submission.other_looks
        for record in ranking.records
        if record.submission.other_looks
    }
    rows = list[list[Cell]]()
    for team in sorted(others_of_team):
        rows.append([cut(team, LONGEST_NAME), cut(", ".join(others_of_team[team]), LONGEST_NAME)])
    title = "Look at these: names that look equal"
    text = (
        "They are ranked as different teams, with the code points of their letters. --names makes them one."
    )
    return table_cards("similar", title, text, ["Team", "Looks like"], rows)


def deleted_cards(ranking: Ranking) -> list[Element]:
    """Return the submissions of earlier runs that are no longer there, if there are any."""
    rows = list[list[Cell]]()
    for entry in ranking.deleted:
        rows.append([cut_middle(entry.name), f"{cut(entry.renamed)}: renamed?" if entry.renamed else ""])
    title = "Submissions that are gone"
    text = "An earlier run had them. They may have been deleted on the site, and are not ranked."
    return table_cards("deleted", title, text, ["Submission", "New with the same file"], rows)


def leaderboard_cards(ranking: Ranking) -> list[Element]:
    """Return the leaderboard of the site beside this ranking, if it is known."""
    rows = list[list[Cell]]()
    for comparison in ranking.board:
        both_scores = (comparison.score_there, comparison.score)
        scores = [_score_text(score, ranking.score_decimals) for score in both_scores]
        name = cut_middle(comparison.submission)
        rows.append([cut(comparison.user), *scores, comparison.verdict, cut(comparison.team), name])
    headings = ["User", "Score on the site", "Score here", "What differs", "Team", "Submission"]
    text = leaderboard_sentence(ranking.board) if ranking.board else ""
    return table_cards("board", "The leaderboard of the site", text, headings, rows)


def _score_text(score: float | None, decimals: int) -> str:
    return "" if score is None else f"{score:.{decimals}f}"


def equal_file_cards(ranking: Ranking) -> list[Element]:
    """Return the submissions of different teams that are the same file."""
    records_of_digest: dict[str, list[Record]] = {}
    for record in ranking.records:
        records_of_digest.setdefault(record.digest, []).append(record)
    rows = list[list[Cell]]()
    for digest, records in records_of_digest.items():
        teams = {record.submission.team for record in records}
        if len(teams) > 1:
            rows += [[digest[:8], *_submission_cells(record)] for record in records]
    text = "Files of different teams with the same bytes, by their SHA-256."
    return table_cards("equal", "Equal submissions", text, ["File", *_SUBMISSION_TITLES], rows)


def near_copy_cards(ranking: Ranking) -> list[Element]:
    """Return the submissions of different teams that are nearly the same, if there are any."""
    rows = list[list[Cell]]()
    for pair in find_near_copies(ranking.records, ranking.task)[:_MOST_ROWS]:
        cells = [cell for record in (pair.first, pair.second) for cell in _submission_cells(record)[:2]]
        rows.append([*cells, pair.reason])
    title = "Look at these: nearly equal submissions"
    text = (
        "Different files of different teams whose contents are equal, or whose items have equal scores where "
        "one is neither 0 nor perfect. Nothing was decided by it."
    )
    return table_cards("near", title, text, ["Submission", "Team", "Like", "Team", "Why"], rows)


def change_cards(ranking: Ranking) -> list[Element]:
    """Return the teams whose rank, score or submission changed since the last run, if there was one."""
    if not ranking.changes:
        return []
    title = "What changed"
    note = "Against the last run with another signature or other submissions."
    headings = [
        Heading("Team", "text"),
        Heading("Rank before", "count"),
        Heading("Rank", "count"),
        Heading("Score before", "number"),
        Heading("Score", "number"),
        Heading("What differs", "text"),
    ]
    rows = [change for change in ranking.changes if change.has_effect]
    return [card("changes", title, note, *table(headings, rows, title, most=_MOST_ROWS))]


def submission_cards(ranking: Ranking) -> list[Element]:
    """Return all submissions with their outcome and score."""
    rows = [[*_submission_cells(record), ranking.score_text(record)] for record in ranking.records]
    headings = [*_SUBMISSION_TITLES, "Score"]
    return table_cards("submissions", "All submissions", "Names link to detail pages.", headings, rows)


def _submission_cells(record: Record) -> list[Cell]:
    """Return the cells below `_SUBMISSION_TITLES`."""
    name = record.submission.name
    link = element("a", cut_middle(name), href=f"{DETAILS}/{page_name(name)}")
    return [link, cut(record.submission.team), record.entry.outcome]
