"""Who can see which result of a run, by the flags of competition.yaml as Codabench (March 2026) treats them.

The names of the flags mislead: ``hide_score_output`` hides a zip and no score, and under ``hide_output`` the
detail page is still served.
"""

from __future__ import annotations

from organizer.bundle.competition import Competition, Entry, form_of, sorted_phases, yes

_WIDTHS = (26, 22, 22, 0)


def visibility(data: Competition) -> list[str]:
    """Return a table (lines of text) of what a competition without errors shows to whom."""
    modern = form_of(data) == "v2"
    phases = [phase for _, phase in sorted_phases(data)] if modern else list(data["phases"].values())
    rows = [("participants see", "of their own runs", "of others' runs", "anyone if published")]
    for phase in phases:
        rows.append((str(phase["name" if modern else "label"]), "", "", ""))
        rows += _phase_rows(data, phase)
    board = "no" if modern and yes(data["leaderboards"][0].get("hidden")) else "yes"
    rows.append(("the leaderboard", board if board == "yes" else "scores, by the API", board, ""))
    for what, key in (("programs", "make_programs_available"), ("input data", "make_input_data_available")):
        rows.append((f"the {what}", "yes" if yes(data.get(key)) else "no", "", ""))
    fix = "no, but on a server without the fix of April 2026 everyone can (docs/organizers.md)"
    lines = ["".join(text.ljust(width) for text, width in zip(row, _WIDTHS)).rstrip() for row in rows]
    return [*lines, "the reference data".ljust(_WIDTHS[0]) + fix]


def _phase_rows(data: Competition, phase: Entry) -> list[tuple[str, str, str, str]]:
    hidden = yes(phase.get("hide_output"))
    zips = {
        key: "no" if hidden or yes(phase.get(key)) else "yes"
        for key in ("hide_score_output", "hide_prediction_output")
    }
    own, others, anyone = "no", "no", "no"
    if yes(data.get("enable_detailed_results")):
        in_panel = not hidden and yes(data.get("show_detailed_results_in_submission_panel", True))
        on_board = not hidden and yes(data.get("show_detailed_results_in_leaderboard", True))
        own, others = ("yes" if shown else "by its address" for shown in (in_panel, on_board))
        anyone = "no" if hidden else "by its address"
    return [
        ("  log (with all scores)", "no" if hidden else "yes", "no", "no"),
        ("  zip of the scores", zips["hide_score_output"], "no", "no"),
        ("  zip of the predictions", zips["hide_prediction_output"], "no", "no"),
        ("  detail page", own, others, anyone),
    ]
