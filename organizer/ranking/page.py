"""The pages of a ranking, without scripts: ``index.html`` for the organizers, ``ranking.html`` to publish.

Each page is a list of cards from top to bottom; `organizer.ranking.cards` makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from organizer.ranking import cards
from organizer.ranking.eligibility import left_out_text
from organizer.ranking.ranking import Ranking
from organizer.runs.rescore import Overlap, overlap_with_reference
from people_in_video.comparing.standings import standings_style
from scoring_program.report.elements.layout import document, with_contents
from scoring_program.report.html import element
from validator.texts import counted

_NOT_PUBLIC = "For the organizers only: it names items of the hidden reference. Publish ranking.html instead."
_WRONG_REFERENCE = "No item of any submission is in the reference: it may be the wrong one."
DEMO_WARNING = "DEMO: the reference is synthetic demo data, so this ranking says nothing about methods."


def ranking_page(ranking: Ranking) -> str:
    """Return the page to publish: the ranking, how sure it is, and the method."""
    ranking = ranking.published
    if not ranking.team_records:
        return render_page(ranking, "Ranking", [cards.nothing_ranked_card(ranking)])
    shown_cards = [
        cards.ranking_card(ranking),
        *cards.winner_cards(ranking),
        *cards.fact_cards(ranking),
        cards.method_card(ranking),
    ]
    return render_page(ranking, "Ranking", shown_cards)


def index_page(ranking: Ranking) -> str:
    """Return the page for the organizers: the published page, and results that must not be published."""
    failures = [
        *cards.similar_name_cards(ranking),
        *cards.violation_cards(ranking),
        *cards.leaderboard_cards(ranking),
        *cards.failed_cards(ranking),
        *cards.equal_file_cards(ranking),
        *cards.near_copy_cards(ranking),
        *cards.deleted_cards(ranking),
    ]
    submissions = [
        *cards.change_cards(ranking),
        *cards.submission_cards(ranking),
    ]
    warnings = [_NOT_PUBLIC] if ranking.team_records else []
    warnings += _reference_warnings(ranking)
    if sentence := cards.not_ranked_sentence(ranking):
        warnings.append(sentence)
    if not ranking.team_records:
        shown_cards = [cards.nothing_ranked_card(ranking), *failures, *submissions]
    else:
        shown_cards = [
            cards.ranking_card(ranking),
            *cards.winner_cards(ranking),
            *failures,
            *cards.fact_cards(ranking),
            cards.method_card(ranking),
            *cards.pair_cards(ranking),
            *cards.item_cards(ranking),
            *submissions,
        ]
    return render_page(ranking, "Ranking, for the organizers", shown_cards, warnings)


def _reference_warnings(ranking: Ranking) -> list[str]:
    """Return a warning if submissions have items, and none of any is in the reference."""
    overlaps = {overlap_with_reference(record.entry) for record in ranking.records}
    return [_WRONG_REFERENCE] if Overlap.NONE in overlaps and Overlap.SOME not in overlaps else []


def render_page(
    ranking: Ranking, title: str, shown_cards: Sequence[Element], warnings: Sequence[str] = ()
) -> str:
    """Return a page of a ranking."""
    return page_document(
        title=ranking.title,
        heading=title,
        subtitle=subtitle_of(ranking),
        warnings=[DEMO_WARNING, *warnings] if ranking.facts.is_demo else warnings,
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


def subtitle_of(ranking: Ranking) -> str:
    """Return how many teams and submissions there are, what they were for and scored by, and the date.

    It also says how many submissions were left out: all pages show it, those for participants, too.
    """
    text = f"{counted(len(ranking.teams), 'team')} ranked; "
    text += f"{ranking.n_scored:,} of {counted(len(ranking.records), 'submission')} scored"
    if ranking.team_records:
        text += f", over {ranking.team_records[0].entry.over}"
    for noun, name in (
        ("phase", ranking.facts.phase),
        ("reference", ranking.facts.reference),
        ("protocol", ranking.facts.protocol),
    ):
        if name:
            text += f"; {noun}: {name}"
    if ranking.facts.date:
        text += f"; {ranking.facts.date}"
    not_ranked = left_out_text(ranking.n_left_out)
    return f"{text}. {not_ranked}." if not_ranked else f"{text}."
