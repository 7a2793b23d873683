"""Who can see which results of a competition, as a table in lines of text."""

from __future__ import annotations

from collections.abc import Collection

from organizer.bundle.competition import Competition, Entry, columns_of, form_of, sorted_phases, yes

_WIDTHS = (26, 20, 22, 0)
# What something is, and how each of three groups of people sees it.
_Row = tuple[str, str, str, str]


def visibility_lines(data: Competition, full: Collection[str] = ()) -> list[str]:
    """Return a table (lines of text) of what a competition without errors shows to whom.

    It follows Codabench (March 2026), where the names of flags mislead: ``hide_score_output`` hides a zip and
    no score, under ``hide_output`` the detail page is still served, and nothing hides scores from the API.
    ``full`` are the names of references with ``detail: full``.
    """
    is_v2 = form_of(data) == "v2"
    phases = [phase for _, phase in sorted_phases(data)]
    rows = [("who sees", "their own runs", "others, logged in", "anyone, not logged in")]
    for phase in phases:
        rows.append((str(phase["name" if is_v2 else "label"]), "", "", ""))
        rows += _phase_rows(data, phase)
    rows += _board_rows(data)
    for name, key in (("programs", "make_programs_available"), ("input data", "make_input_data_available")):
        rows.append((f"the {name}", "yes" if yes(data.get(key)) else "no", "", ""))
    lines = [_table_line(row) for row in rows]
    fix = "no, but on a server without the fix of April 2026 everyone can (docs/during_the_competition.md)"
    lines.append("the reference data".ljust(_WIDTHS[0]) + fix)
    for name in sorted(full):
        sentence = f"on detail pages and in logs, detail: full shows the annotations of {name} item by item"
        lines.append(" " * _WIDTHS[0] + sentence)
    if any(not yes(phase.get("hide_output")) for phase in phases):
        lines += [
            "* on a server without the fix of August 2026: of finished submissions on the leaderboard, also",
            "  if the competition is not published, so teams can copy each other; hide_output prevents it",
        ]
    if len(phases) > 1:
        text = "the API takes and scores submissions at any time on a server without pull request 2496"
        lines.append(f"dates of phases bind the web page only: {text}")
    return lines


def _table_line(row: _Row) -> str:
    cells = [text.ljust(width) for text, width in zip(row, _WIDTHS)]
    return "".join(cells).rstrip()


def _board_rows(data: Competition) -> list[_Row]:
    """Return the rows of the leaderboard's scores."""
    is_hidden = form_of(data) == "v2" and yes(data["leaderboards"][0].get("hidden"))
    logged_in = "by the API" if is_hidden else "yes"
    rows = [("scores of the leaderboard", logged_in, logged_in, "by the API")]
    if any(yes(column.data.get("hidden")) for column in columns_of(data)):
        rows.append(("scores of hidden columns", "by the API", "by the API", "by the API"))
    return rows


def _phase_rows(data: Competition, phase: Entry) -> list[_Row]:
    """Return the rows of what a run leaves in a phase."""
    is_hidden = yes(phase.get("hide_output"))
    visible = {"log (with all scores)": not is_hidden}
    for what in ("score", "prediction"):
        visible[f"zip of the {what}s"] = not is_hidden and not yes(phase.get(f"hide_{what}_output"))
    rows: list[_Row] = []
    for name, is_visible in visible.items():
        rows.append((f"  {name}", "yes", "no", "yes *") if is_visible else (f"  {name}", "no", "no", "no"))
    rows.append(("  zip that was submitted", "yes", "no", "no" if is_hidden else "yes *"))
    rows.append(("  detail page", *_page_cells(data)))
    return rows


def _page_cells(data: Competition) -> tuple[str, str, str]:
    """Return who sees a detail page."""
    if not yes(data.get("enable_detailed_results")):
        return "no", "no", "no"
    in_panel = yes(data.get("show_detailed_results_in_submission_panel", True))
    on_board = yes(data.get("show_detailed_results_in_leaderboard", True))
    return "yes" if in_panel else "by its address", "yes" if on_board else "by its address", "if published"
