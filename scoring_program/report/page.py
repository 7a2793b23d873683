"""The HTML detail page: one static file, no script, no request to anywhere.

There are four pages: while scoring runs, when it is done, when the submission is invalid, and when the
organizer's side is broken. Each is a tree of elements; text never becomes markup. What a task adds to the
page of a scored submission are sections, which `scoring_program.report.sections` turns into cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from scoring_program.low_score import LOW_SCORE
from scoring_program.metrics.resampling import LEAST_ITEMS
from scoring_program.report.elements.layout import card, document, folded, with_contents
from scoring_program.report.elements.tables import Heading, bar, table
from scoring_program.report.html import Child, append, cut, cut_middle, element
from scoring_program.report.score_strip import score_strip
from scoring_program.report.sections import Look, section_cards
from scoring_program.result import DECIMALS, SHORT_DECIMALS, Interval, Shown
from validator.findings import Findings, Note
from validator.texts import counted

if TYPE_CHECKING:
    from scoring_program.task import Declaration, ScoreColumn
    from validator.findings import PlacedProblem

LARGEST_PAGE = 2_000_000
# With drawings, which may have images.
LARGEST_DRAWN_PAGE = 10_000_000
ROUGH_BELOW = 30
"""Intervals over fewer items are called rough."""
# The page of kits on what the texts of published challenges leave open.
_CONVENTIONS = "people_in_video/conventions.md"
# The title while the task is not known yet.
NO_TASK = "Scoring"
ORGANIZERS_SIDE = "The organizer's side is broken"
UNUSABLE = "Your reference cannot be used"
FAILED = "The scoring program failed"
NO_MATCH = "Nothing in the reference matches the submission"
COSTS_AS_READ = "These are the costs of the submission as it was read; look at the likely mistake first."
# Instead of the number of the cost above, in "... cost {points}: ...".
_AS_MUCH = "as much"
_NO_COSTS = "No type of error costs anything."
_NO_SINGLE_COST = (
    "No single repair helps: if one type of error alone were fixed, the score would stay as it is. Look at "
    "what most predictions have in common, such as names, numbering, units, or the order of columns."
)
_MOST_ENTRIES = 500
_OPEN_NOTES = 3
_LONGEST_NOTE = 400
# The end of a longer note says what to do and what it costs.
_END_OF_NOTE = 150
_LONGEST_SIGNATURE = 1000
# The heading above problems that are in several files or in none.
_NO_SINGLE_FILE = "The submission"


def running_page() -> str:
    """Return the page that is there until scoring ends, and stays if it is stopped."""
    text = "The submission is being checked and scored. If this page stays, the run was stopped: see its log."
    head = [element("h1", "Scoring has begun")]
    return document(NO_TASK, head, [card("run-wait", "Please wait", text)])


def result_page(task: Declaration, shown: Shown, notes: Sequence[Note], heading: str = "") -> str:
    """Return the page of a scored submission: at most `LARGEST_PAGE` bytes, or `LARGEST_DRAWN_PAGE` with
    drawings, with shorter lists if need be.

    At home ``heading`` may be another number to begin with than the score, which then comes below it.
    """
    has_images = any(section.has_images for section in shown.sections)
    largest = LARGEST_DRAWN_PAGE if has_images else LARGEST_PAGE
    limit = _MOST_ENTRIES
    text = _result_page(task, shown, notes, heading, limit)
    while len(text.encode("utf-8", "replace")) > largest and limit > 1:
        limit //= 2
        text = _result_page(task, shown, notes, heading, limit)
    return text


def _result_page(task: Declaration, shown: Shown, notes: Sequence[Note], heading: str, limit: int) -> str:
    main_column = task.columns[0]
    score = _score(task, shown)
    mistakes = [note for note in notes if note.is_mistake]
    verdict = element("p", _verdict(task, score, mistakes))
    if shown.n_items:
        append(verdict, f" · {_interval_text(task, shown)}")
    score_text = f"{main_column.title} {_score_text(task, shown)}"
    head = [element("h1", heading or score_text), verdict]
    if heading:
        head.insert(1, element("p", f"{score_text}, to which all below belongs"))
    if task.range == (0, 1) and (shown.interval or shown.marks):
        head += score_strip(score, shown.interval, shown.marks, _decimals_of_head(task, shown))
    if shown.interval:
        head.append(element("small", _meaning_of_interval(task, shown.interval, shown.decimals)))
    elif shown.n_items > 1:
        head.append(element("small", _why_no_interval(task)))
    first_cards = [
        *_note_cards(notes, limit),
        *cost_cards(task, shown, may_be_misread=bool(mistakes)),
    ]
    other_cards = [_scores_card(task, shown), *section_cards(shown.sections, Look(limit))]
    styles = sorted({section.style() for section in shown.sections})
    return document(task.title, head, with_contents(first_cards, other_cards), "".join(styles))


def _verdict(task: Declaration, score: float, mistakes: Sequence[Note]) -> Element:
    """Return the verdict on a scored submission: plain green only where nothing looks like a mistake."""
    if mistakes:
        return element("strong", "Valid and scored, but it looks like a mistake", class_="warn")
    is_low = task.range == (0, 1) and task.higher_is_better and score < LOW_SCORE
    return element("strong", "Valid and scored", class_="warn" if is_low else "good")


def score_line(task: Declaration, shown: Shown) -> str:
    """Return the score with its interval in words, for the log."""
    main_column = task.columns[0]
    line = f"{main_column.title} {_score_text(task, shown)}"
    if shown.n_items:
        line += f", {_interval_text(task, shown)}"
    return line


def cost_rows(task: Declaration, shown: Shown) -> list[list[str]]:
    """Return the title of each type of error and what it costs, the largest first, for the log."""
    titles = {error_type.key: error_type.title for error_type in task.error_types}
    return [[titles[cost.error_type], shown.short(cost.points)] for cost in shown.error_costs]


def _decimals_of_head(task: Declaration, shown: Shown) -> int:
    """Return the decimals of the score, its interval and the marks beside it."""
    return min(task.columns[0].precision, SHORT_DECIMALS, shown.decimals)


def _score(task: Declaration, shown: Shown) -> float:
    return shown.scores[task.columns[0].key]


def _score_text(task: Declaration, shown: Shown) -> str:
    return f"{_score(task, shown):.{_decimals_of_head(task, shown)}f}"


def _interval_text(task: Declaration, shown: Shown) -> str:
    interval, n_items = shown.interval, shown.n_items
    if interval is None and n_items < 2:
        return f"over {shown.over}, too few for an interval"
    if interval is None and shown.decimals < DECIMALS:
        shown_decimals = counted(shown.decimals, "decimal")
        return (
            f"over {shown.over}; with {shown_decimals} both ends of the interval are the same: none is given"
        )
    if interval is None:
        # An evaluator of one's own may also give no score for a half.
        cause = "" if task.evaluator else "all halves score the same: "
        return f"over {shown.over}; {cause}no interval can be given"
    decimals = _decimals_of_head(task, shown)
    interval_text = f"{interval.low:.{decimals}f} to {interval.high:.{decimals}f}"
    text = f"95 % interval {interval_text}, over {shown.over}{caution(n_items, _unit(task, interval))}"
    if reason := why_rough(task, shown):
        text += f", and {reason}" if n_items < ROUGH_BELOW else f"; rough: {reason}"
    return text


def why_rough(task: Declaration, shown: Shown) -> str:
    """Return why an interval over enough items is rough all the same, as far as is shown; "" if it is not."""
    interval = shown.interval
    if interval is None or interval.few is None or shown.n_items < LEAST_ITEMS:
        return ""
    return interval.few.text(counted(shown.n_items, _unit(task, interval)))


def _meaning_of_interval(task: Declaration, interval: Interval, decimals: int) -> str:
    text = "The interval says where the score would be over very many such "
    text += f"{_unit(task, interval)}s; another set of this size could give a score a little outside."
    # An end that was rounded may only be near the end of the scale; which it is would reveal a hidden digit.
    shown_ends = (interval.low, interval.high) if decimals >= DECIMALS else ()
    for end in shown_ends:
        if end in task.range:
            text += f" It is cut at {end:g}, because there are no scores beyond."
    return text


def _why_no_interval(task: Declaration) -> str:
    return (
        f"An interval is computed from the scores of random halves of the {task.item}s: where these do not "
        "differ in the digits that are shown, as for an empty or a perfect submission, or a half has no "
        "score, it is left out."
    )


def _unit(task: Declaration, interval: Interval) -> str:
    return "group" if interval.is_grouped else task.item


def caution(n_items: int, item: str) -> str:
    """Return what to add to an interval over few items or groups, "" over many."""
    if n_items < LEAST_ITEMS:
        return f"; fewer than {counted(LEAST_ITEMS, item)}: too few to say"
    if n_items < ROUGH_BELOW:
        return f"; rough: fewer than {counted(ROUGH_BELOW, item)}"
    return ""


def _note_cards(notes: Sequence[Note], limit: int) -> list[Element]:
    """Return the card of likely mistakes and that of all other notes, as far as there are any."""
    mistakes = [note for note in notes if note.is_mistake]
    other_notes = [note for note in notes if not note.is_mistake]
    cards = []
    if mistakes:
        cards.append(_note_card("run-mistakes", "This looks like a mistake", mistakes, limit))
        cards[0].set("class", "warning")
    if other_notes:
        cards.append(_note_card("run-notes", "Notes", other_notes, limit))
    return cards


def _note_card(key: str, title: str, notes: Sequence[Note], limit: int) -> Element:
    lines = [element("li", cut_middle(note.line(), _LONGEST_NOTE, _END_OF_NOTE)) for note in notes[:limit]]
    parts: list[Child] = [element("ul", *lines[:_OPEN_NOTES])]
    if more_lines := lines[_OPEN_NOTES:]:
        parts.append(folded(f"{len(more_lines):,} more", element("ul", *more_lines)))
    if len(notes) > limit:
        parts.append(f"and {len(notes) - limit:,} more")
    return card(key, title, "", *parts)


def cost_cards(task: Declaration, shown: Shown, may_be_misread: bool = False) -> list[Element]:
    """Return the card of what each type of error costs: the largest with advice, then all as a table.

    ``may_be_misread`` says that a note tells of a likely mistake in the submission, which makes errors of all
    types.
    """
    if not shown.error_costs:
        return []
    interval = shown.interval
    note = "What the score would gain if one type of error were fixed. Gains overlap: they do not add up."
    if interval and interval.items < ROUGH_BELOW:
        note += f" With fewer than {counted(ROUGH_BELOW, _unit(task, interval))} their order is rough."
    if may_be_misread:
        note = f"{COSTS_AS_READ} {note}"
    best = task.range[1 if task.higher_is_better else 0]
    largest_first: Child = _NO_COSTS if _score(task, shown) == best else _NO_SINGLE_COST
    if entries := _advice(task, shown):
        largest_first = element("ol", *entries, class_="costs")
    all_costs = folded("All types of errors", *_cost_table(task, shown))
    return [card("run-costs", "What costs most", note, largest_first, all_costs)]


def _advice(task: Declaration, shown: Shown) -> list[Element]:
    """Return what to do about each type of error that costs something, with a bar of its share of all that is
    missing; where there is no best score, of the largest cost."""
    best = task.range[1 if task.higher_is_better else 0]
    costs = shown.error_costs
    missing_points = costs[0].points if best is None else abs(best - _score(task, shown))
    advice = {error_type.key: error_type.advice for error_type in task.error_types}
    entries = []
    points_before = ""
    for cost in costs:
        points = shown.short(cost.points)
        if float(points) <= 0:
            continue
        # One error may be the whole of another, as words of missing segments are: the number is shown once.
        shown_points = _AS_MUCH if points == points_before else points
        points_before = points
        entry = element("li", advice[cost.error_type].format(points=shown_points))
        entry.append(bar(cost.points / missing_points))
        entries.append(entry)
    return entries


def _cost_table(task: Declaration, shown: Shown) -> list[Element]:
    titles = {error_type.key: error_type.title for error_type in task.error_types}
    rows = []
    for cost in shown.error_costs:
        numbers = [shown.short(cost.score_if_fixed), shown.short(cost.points)]
        rows.append([titles[cost.error_type], *numbers])
    headings = [Heading(title, "text") for title in ("Type of error", "Score if fixed", "Gain")]
    return table(headings, rows, "All types of errors")


def _scores_card(task: Declaration, shown: Shown) -> Element:
    # The ends of the interval are declared and may be missing.
    present_columns = [column for column in task.columns if column.key in shown.scores]
    leaderboard = [column for column in present_columns if column.leaderboard]
    other_columns = [column for column in present_columns if not column.leaderboard]
    parts = [_score_table(leaderboard, shown)]
    if other_columns:
        parts.append(folded("All numbers", _score_table(other_columns, shown)))
    if shown.interval:
        text = (
            "Whether two intervals overlap says nothing about two submissions: they are scored on the same "
            f"{task.item}s, so compare them directly."
        )
        parts.append(element("p", text, class_="after"))
    code = element("code", cut(shown.signature, _LONGEST_SIGNATURE))
    parts.append(element("p", "Scores with this signature are comparable: ", code, class_="after"))
    if task.is_published:
        differs = "Your number differs from that of another program? This page of the starting kit says why: "
        parts.append(element("p", differs, element("code", _CONVENTIONS), class_="after"))
    return card("run-scores", "Scores", "", *parts)


def _score_table(columns: Sequence[ScoreColumn], shown: Shown) -> Element:
    body = element("tbody")
    for column in columns:
        name = element("td", column.title, element("small", column.description))
        number = element("td", shown.short(shown.scores[column.key]), class_="number")
        body.append(element("tr", name, number))
    return element("table", body)


def invalid_page(task: Declaration, findings: Findings) -> str:
    """Return the page of a submission that could not be scored: what is wrong and how to fix it."""
    summary = findings.summary()
    verdict = element("p", element("strong", "Invalid submission", class_="bad"))
    head = [element("h1", f"Not scored: {summary.total_text()}"), verdict]
    cards = _problem_cards(summary.problems())
    if more := summary.not_shown_text():
        cards.append(element("p", more))
    cards += [*_note_cards(findings.notes, _MOST_ENTRIES), _home_card(task)]
    return document(task.title, head, cards)


def _problem_cards(problems: Sequence[PlacedProblem]) -> list[Element]:
    """Return a card for each file, with what to do about it; problems of many files come first."""
    entries_of_file: dict[str, list[Element]] = {}
    for problem in problems:
        in_one_file = problem.n_files == 1 and problem.first.file
        title = problem.first.file if in_one_file else _NO_SINGLE_FILE
        entries_of_file.setdefault(title, []).append(_problem_entry(problem))
    titles = sorted(entries_of_file, key=lambda title: title != _NO_SINGLE_FILE)
    cards = []
    for number, title in enumerate(titles, start=1):
        entries = element("ul", *entries_of_file[title], class_="problems")
        cards.append(card(f"run-problems-{number}", title, "", entries))
    return cards


def _home_card(task: Declaration) -> Element:
    """Return how to check the next submission before it is sent."""
    code = element("code", f"people-in-video check {task.id} my.zip")
    advice = element("p", "The starting kit checks a submission at home, as often as you like: ", code)
    return card("run-home", "Before you submit again", "", advice)


def _problem_entry(problem: PlacedProblem) -> Element:
    """Return what to do, below it what is wrong, and then where, with the code."""
    first = problem.first
    remedy = element("strong", f"{first.remedy}{first.remedy_end}")
    places = element("small", f"{problem.places_text()} ".lstrip(), element("code", first.code))
    return element("li", remedy, element("div", f"{first.problem}."), places)


def broken_page(lines: Sequence[str], title: str = NO_TASK, cause: str = ORGANIZERS_SIDE) -> str:
    """Return the page of a run that failed for no fault of the submission; ``lines`` hold no reference data.

    ``cause`` says whose fault it is, or what is the matter.
    """
    heading = element("h1", f"Not scored: {cause[0].lower()}{cause[1:]}")
    note = "Please write to the organizers." if cause == ORGANIZERS_SIDE else ""
    problems = card("run-problems", "What happened", note, *lines)
    return document(title, [heading], [problems])
