"""The pages of a ranking, without scripts: ``index.html`` for the organizers, ``ranking.html`` to publish.

Each page is a list of cards from top to bottom; `organizer.ranking.cards` makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from organizer.ranking import cards
from organizer.ranking.eligibility import left_out_text
from organizer.ranking.run import RankingRun
from organizer.runs.rescore import Overlap, overlap_with_reference
from people_in_video.comparing.standings import standings_style
from scoring_program.report.elements.layout import document, with_contents
from scoring_program.report.html import element
from validator.texts import counted

_NOT_PUBLIC = "For the organizers only: it names items of the hidden reference. Publish ranking.html instead."
_WRONG_REFERENCE = "No item of any submission is in the reference: it may be the wrong one."
DEMO_WARNING = "DEMO: the reference is synthetic demo data, so this ranking says nothing about methods."


def ranking_page(run: RankingRun) -> str:
    """Return the page to publish: the ranking, how sure it is, and the method."""
    ranking = run.ranking
    if ranking is None:
        return render_page(run, "Ranking", [cards.nothing_ranked_card(run)])
    shown_cards = [
        cards.ranking_card(run, ranking),
        *cards.winner_cards(run, ranking),
        *cards.fact_cards(run, ranking),
        cards.method_card(run, ranking),
    ]
    return render_page(run, "Ranking", shown_cards)


def index_page(run: RankingRun) -> str:
    """Return the page for the organizers: the published page, and results that must not be published."""
    ranking = run.ranking
    failures = [
        *cards.similar_name_cards(run),
        *cards.violation_cards(run),
        *cards.leaderboard_cards(run),
        *cards.failed_cards(run),
        *cards.equal_file_cards(run),
        *cards.deleted_cards(run),
    ]
    submissions = [
        *cards.change_cards(run),
        cards.submissions_card(run),
    ]
    warnings = [_NOT_PUBLIC] if ranking is not None else []
    warnings += _reference_warnings(run)
    if ranking is None:
        shown_cards = [cards.nothing_ranked_card(run), *failures, *submissions]
    else:
        shown_cards = [
            cards.ranking_card(run, ranking),
            *cards.winner_cards(run, ranking),
            *failures,
            *cards.fact_cards(run, ranking),
            cards.method_card(run, ranking),
            *cards.pair_cards(run, ranking),
            cards.items_card(run, ranking),
            *submissions,
        ]
    return render_page(run, "Ranking, for the organizers", shown_cards, warnings)


def _reference_warnings(run: RankingRun) -> list[str]:
    """Return a warning if submissions have items, and none of any is in the reference."""
    overlaps = {overlap_with_reference(record.entry) for record in run.records}
    return [_WRONG_REFERENCE] if Overlap.NONE in overlaps and Overlap.SOME not in overlaps else []


def render_page(
    run: RankingRun, title: str, shown_cards: Sequence[Element], warnings: Sequence[str] = ()
) -> str:
    """Return a page of a ranking."""
    return page_document(
        title=run.title,
        heading=title,
        subtitle=run_subtitle(run),
        warnings=[DEMO_WARNING, *warnings] if run.about.is_demo else warnings,
        shown_cards=shown_cards,
    )


def page_document(
    title: str, heading: str, subtitle: str, warnings: Sequence[str], shown_cards: Sequence[Element]
) -> str:
    """Return a page on rankings; the table of contents comes first, because the first card is long."""
    head = [element("h1", heading), element("p", subtitle)]
    head += [element("p", element("strong", warning, class_="bad")) for warning in warnings]
    ranking_style = (Path(__file__).parent / "ranking.css").read_text(encoding="utf-8")
    body = with_contents([], shown_cards)
    return document(title, head, body, standings_style() + ranking_style)


def run_subtitle(run: RankingRun) -> str:
    """Return how many teams and submissions there are, what they were for and scored by, and the date.

    It also says how many submissions were left out: all pages show it, those for participants, too.
    """
    n_teams = len(run.ranking.records) if run.ranking else 0
    text = f"{counted(n_teams, 'team')} ranked; "
    text += f"{run.n_scored:,} of {counted(len(run.records), 'submission')} scored"
    if run.ranking:
        text += f", over {run.ranking.records[0].entry.over}"
    for what, name in (
        ("phase", run.about.phase),
        ("reference", run.about.reference),
        ("protocol", run.protocol),
    ):
        if name:
            text += f"; {what}: {name}"
    if run.about.date:
        text += f"; {run.about.date}"
    not_ranked = left_out_text(run.n_left_out)
    return f"{text}. {not_ranked}." if not_ranked else f"{text}."
