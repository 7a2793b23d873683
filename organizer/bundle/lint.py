"""Checking a bundle before it is uploaded: what fails on the platform, and what is unwise there."""

from __future__ import annotations

import io
import posixpath
import zipfile
from pathlib import Path, PurePosixPath

from PIL import Image, UnidentifiedImageError

from organizer.bundle import COMPETITION, DIST
from organizer.bundle.competition import (
    DATA_KEYS,
    Competition,
    Entry,
    LintReport,
    form_of,
    named_files,
    read_competition,
    sorted_phases,
    yes,
)
from organizer.bundle.contents import check_contents
from organizer.bundle.rules import check_competition
from organizer.files import DAMAGED, Files, files_below, read_zip, zip_bytes
from validator.findings import counted, printable

_CUT_NAME = 35
_WIDTHS = (26, 22, 22, 0)
_IMAGE_KINDS = ("PNG", "JPEG", "GIF", "WEBP")


def lint_command(bundles: list[Path], strict: bool) -> int:
    """Lint bundles (default: all in dist/) and print the findings.

    Return 1 if any has an error, with ``strict`` also if any has a warning.
    """
    chosen = bundles or sorted([*DIST.glob("*.zip"), *(DIST / "v1.5").glob("*.zip")])
    if not chosen:
        print("there is no bundle in dist/; build one with: make bundle")
        return 1
    failed = False
    printed: list[str] = []
    for path in chosen:
        report, table = lint_bundle(path)
        failed |= not report.ok or (strict and not report.warnings.ok)
        found = counted(report.errors.total, "error"), counted(report.warnings.total, "warning")
        print(f"{printable(path.name)}: {', '.join(found)}")
        if table and table == printed:
            table = ["participants see the same as in the table above"]
        printed = table if len(table) > 1 else printed
        for line in [*report.lines(), *table]:
            print(f"  {printable(line)}")
    return 1 if failed else 0


def lint_bundle(path: Path) -> tuple[LintReport, list[str]]:
    """Return the findings about a bundle, and a table of who can see what (empty if there are errors)."""
    report = LintReport()
    try:
        files = read_zip(path)
    except DAMAGED as error:
        missing = isinstance(error, FileNotFoundError)
        problem = "there is no such file" if missing else "this is not a readable zip file"
        report.error("L-ZIP", problem, "build it with: make bundle", file=path.name)
        return report, []
    if COMPETITION not in files:
        nested = [name for name in files if PurePosixPath(name).name == COMPETITION]
        hint = f"zip the content of {PurePosixPath(nested[0]).parent}, not the folder" if nested else "add it"
        problem = "there is no competition.yaml at the root of the zip"
        report.error("L-COMPETITION", problem, hint, file=path.name)
        return report, []
    data = read_competition(files[COMPETITION], report)
    if data is None:
        return report, []
    lint_files(data, files, samples=True, report=report)
    return report, visibility(data) if report.ok else []


def lint_files(data: Competition, files: Files, samples: bool, report: LintReport) -> None:
    """Check a bundle that is not yet a zip: its competition.yaml as data, and its files."""
    if check_competition(data, report):
        named = _check_files(data, files, report)
        if report.ok:
            check_contents(data, named, samples, report)


def _check_files(data: Competition, files: Files, report: LintReport) -> dict[str, bytes]:
    """Return the named files, with folders zipped as the platform does; report what is wrong with them."""
    named = {}
    names = {posixpath.normpath(name) for _, name, _ in named_files(data)}
    for where, name, key in named_files(data):
        path = posixpath.normpath(name)
        if not name or path == ".":
            report.error("L-PATH", "an empty path means the whole bundle", "name a file", where)
        elif path.startswith(("/", "\\", "../")) or path == "..":
            report.error("L-PATH", f"{name} leads out of the bundle", "use a plain name", where)
        elif path in files:
            named[name] = files[path]
            _check_file(name, files[path], where, key, report)
        elif key in DATA_KEYS and (folder := files_below(path, files)):
            named[name] = zip_bytes(folder)
            if f"{path}.zip" in names:
                problem = f"there are both a folder {path}/ and a file {path}.zip"
                hint = "rename one: the server zips the folder over the file"
                report.error("L-CLASH", problem, hint, where)
        else:
            report.error("L-FILE", f"{name} is not in the bundle", "add it", where)
    return named


def _check_file(name: str, data: bytes, where: str, key: str, report: LintReport) -> None:
    if not data:
        report.error("L-FILE", f"{name} is empty", "fill it", where)
    elif key == "image":
        _check_logo(name, data, report)
    elif key not in DATA_KEYS:
        _check_text(name, data, report)
    else:
        if not zipfile.is_zipfile(io.BytesIO(data)):
            report.error("L-FILE", f"{name} is not a zip file", "zip its content", where)
        if len(name) > _CUT_NAME:
            report.warn("L-NAME", f"the site cuts {name} to {_CUT_NAME} characters", "shorten it", where)


def _check_text(name: str, data: bytes, report: LintReport) -> None:
    hint = "save it as plain UTF-8"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        report.error("L-TEXT", "the page is not UTF-8", hint, file=name)
        return
    if "\0" in text:
        report.error("L-TEXT", "the page holds a NUL character", hint, file=name)
    elif not text.strip("\ufeff \t\r\n"):
        report.error("L-TEXT", "the page is empty", "fill it", file=name)
    elif text.startswith("\ufeff"):
        report.warn("L-TEXT", "the page begins with a byte order mark", hint, file=name)
    elif "EDIT:" in text:
        report.warn(
            "L-TEXT", "the page holds the mark EDIT:", "write what it asks for and delete it", file=name
        )


def _check_logo(name: str, data: bytes, report: LintReport) -> None:
    try:
        with Image.open(io.BytesIO(data), formats=_IMAGE_KINDS) as image:
            mode = image.mode
            image.verify()
    except (UnidentifiedImageError, OSError, SyntaxError):
        problem = "the logo is not a PNG, JPEG, GIF or WebP image that can be read"
        report.error("L-LOGO", problem, "convert it to PNG (an SVG fails)", file=name)
        return
    if mode == "CMYK":
        report.error("L-LOGO", "the logo is a CMYK JPEG", "save it as RGB", file=name)


def visibility(data: Competition) -> list[str]:
    """Return a table (lines of text) of what a competition without errors shows to whom.

    It follows Codabench (March 2026), where the names of flags mislead: ``hide_score_output`` hides a zip and
    no score, and under ``hide_output`` the detail page is still served.
    """
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
