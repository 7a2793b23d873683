"""Checking a bundle before it is uploaded: what fails on the platform, and what is unwise there."""

from __future__ import annotations

import io
import posixpath
import zipfile
from pathlib import Path, PurePosixPath

from PIL import Image, UnidentifiedImageError

from organizer.bundle import COMPETITION, DIST
from organizer.bundle.competition import DATA_KEYS, Competition, named_files, read_competition
from organizer.bundle.contents import check_contents
from organizer.bundle.report import LintReport
from organizer.bundle.rules import check_competition
from organizer.bundle.visibility import visibility
from organizer.files import DAMAGED, Files, files_below, read_zip, zip_bytes
from validator.findings import counted, printable

_CUT_NAME = 35
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
    report, build = LintReport(), "build it with: make bundle"
    try:
        files = read_zip(path)
    except FileNotFoundError:
        report.error("L-ZIP", "there is no such file", build, file=path.name)
        return report, []
    except DAMAGED:
        report.error("L-ZIP", "this is not a readable zip file", build, file=path.name)
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
                report.error(
                    "L-CLASH", problem, "rename one: the server zips the folder over the file", where
                )
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
        hint = "write what it asks for and delete it"
        report.warn("L-TEXT", "the page holds the mark EDIT:", hint, file=name)


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
