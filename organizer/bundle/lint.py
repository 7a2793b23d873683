"""Checking a bundle before it is uploaded: what fails on the platform, and what is unwise there."""

from __future__ import annotations

import datetime
import io
import posixpath
import re
import stat
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path

from PIL import Image

from organizer.bundle import COMPETITION, DIST, SOURCE
from organizer.bundle.competition import (
    DATA_KEYS,
    TASK_DATA,
    Competition,
    Entry,
    LintReport,
    entries_of,
    form_of,
    is_key,
    named_files,
    read_competition,
)
from organizer.bundle.contents import CONTENT, SampleRuns, check_contents
from organizer.bundle.cut import PUBLIC, SEVERAL_TASKS
from organizer.bundle.dates import date_lines
from organizer.bundle.outdated import changed_sources
from organizer.bundle.rules import check_competition, visibility_lines
from organizer.bundle.zip_members import (
    MOST_BYTES,
    has_password,
    is_zip,
    measure_zip,
    member_names,
    outer_names,
    unpacked_bytes,
)
from organizer.data.overview import SUFFIX
from organizer.data.sources import ZIP_MAGIC, head_of
from organizer.files import DAMAGED, Files, files_below, read_zip, zip_bytes
from scoring_program.task import task_ids
from validator.kinds import HEAD_BYTES, kind_of
from validator.names import NearestNames
from validator.submission import is_junk
from validator.texts import counted, printable, quote, some_words

_NEARLY_COMPETITION = re.compile(r"\.?competition( ?\(\d+\))?\.(yaml|yml|json|txt)(\.\w+)?", re.I)
# What the site shows between two signs is a formula, but not in fenced blocks, the title and the description.
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.DOTALL)
_PLAIN_TEXTS = ("/title", "/description")
FILL_IN = "FILL IN:"
"""The mark of a text that an organizer has to write."""
_CUT_NAME = 35
_ICON_WIDTH = 100
_PNG_MAGIC = b"\x89PNG"
_IMAGE_KINDS = ("PNG", "JPEG", "GIF", "WEBP")
# Code in a page of Markdown; the target of a link or an image in Markdown and HTML; what needs no file.
_CODE = re.compile(r"(`+).*?\1", re.DOTALL)
_TARGET = re.compile(
    r"""\]\(\s*<?([^)>\s]+)|^ {0,3}\[[^]]+\]:\s*<?([^>\s]+)|\b(?:src|href)\s*=\s*["']?([^"'>\s]+)""",
    re.M | re.I,
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:|/|#", re.I)


def lint_command(
    bundles: list[Path],
    strict: bool,
    run_samples: bool = False,
    date: datetime.date | None = None,
    zone: str | None = None,
) -> int:
    """Lint bundles (default: all in dist/) and print the findings.

    With a ``date`` phases that are over on it are reported; with ``run_samples``, programs of other builds
    are run. Dates are printed in UTC, anywhere on earth, and in ``zone``.
    Return 1 if any bundle has an error, with ``strict`` also if any has a warning that is not
    about the content of a reference.
    """
    samples = SampleRuns.ALL if run_samples else SampleRuns.WITH_OUR_PROGRAMS
    built = sorted([*DIST.glob("*.zip"), *(DIST / "v1.5").glob("*.zip")])
    paths = bundles or [path for path in built if not path.name.endswith(PUBLIC)]
    if not paths:
        print("there is no bundle in dist/; build one with: make bundle")
        return 1
    has_failed = False
    last_table: list[str] = []
    for path in paths:
        report, table = lint_bundle(path, date, samples, zone)
        if not bundles and path.stem not in _stems():
            report.add("no such task", file=path.name)
        errors = report.errors.summary().problems(None)
        warnings = report.warnings.summary().problems(None)
        unwise = [problem for problem in warnings if not problem.first.code.startswith(CONTENT)]
        has_failed |= bool(errors) or (strict and bool(unwise))
        counts = f"{counted(len(errors), 'error')}, {counted(len(warnings), 'warning')}"
        print(f"{printable(path.name)}: {counts}")
        if table and table == last_table:
            table = ["who sees what, and when, is as in the table above"]
        elif table:
            last_table = table
        for line in [*report.lines(), *table]:
            print(f"  {printable(line)}")
    return 1 if has_failed else 0


def lint_bundle(
    path: Path,
    today: datetime.date | None = None,
    samples: SampleRuns = SampleRuns.WITH_OUR_PROGRAMS,
    zone: str | None = None,
) -> tuple[LintReport, list[str]]:
    """Return the findings about a bundle, and tables of who can see what and of dates (empty with errors).

    With ``today`` phases that are over are reported.
    """
    report = LintReport()
    try:
        if unpacked_bytes(path) > MOST_BYTES:
            report.add("large zips", file=path.name, gigabytes=MOST_BYTES >> 30)
            return report, []
        files = read_zip(path)
    except DAMAGED as error:
        _report_unreadable(path, error, report)
        return report, []
    files = {_unpacked_name(name): content for name, content in files.items()}
    if COMPETITION not in files:
        report.add("not at the root", file=path.name, remedy=_way_to_root(files))
        return report, []
    data = read_competition(files[COMPETITION], report)
    if data is None:
        return report, []
    lint_files(data, files, samples, report, today)
    for name in _symbolic_links(path):
        report.add("page is a link", file=name)
    if report.errors.ok:
        _check_sources(path, files, report)
    full = {problem.file for problem in report.warnings.problems if problem.code == "L-DETAIL"}
    if not report.errors.ok:
        return report, []
    return report, [*visibility_lines(data, full), *date_lines(data, zone)]


def _report_unreadable(path: Path, error: Exception, report: LintReport) -> None:
    """Report why a bundle cannot be read."""
    if isinstance(error, FileNotFoundError):
        is_ours = _is_built_here(path)
        remedy = "build it with: make bundle" if is_ours else "check the path"
        report.add("no zip", file=path.name, problem="there is no such file", remedy=remedy)
    elif path.is_dir():
        report.add("no zip", file=path.name, problem="this is a folder", remedy="give the zips in it")
    elif path.is_file() and has_password(path):
        report.add("zip with a password", file=path.name)
    elif path.is_file() and not head_of(path).startswith(ZIP_MAGIC):
        remedy = f"give a bundle; make bundle writes them to dist/ from {COMPETITION}"
        report.add("no zip", file=path.name, problem="this is no zip file", remedy=remedy)
    else:
        problem = "this is not a readable zip file"
        report.add("no zip", file=path.name, problem=problem, remedy="make it again")


def _way_to_root(files: Files) -> str:
    """Return what to do about a bundle without competition.yaml at its root."""
    for name in sorted(files):
        folder, _, base = name.replace("\\", "/").rpartition("/")
        if base == COMPETITION and "\\" in name:
            return "zip it again with / in the names of files, and competition.yaml at the root"
        if base == COMPETITION and not is_junk(name):
            return f"zip the content of {folder}, not the folder"
    for name, data in sorted(files.items()):
        if COMPETITION in outer_names(data):
            return f"unpack it, and give {name}, which is in it"
    similar_names = [name for name in sorted(files) if _NEARLY_COMPETITION.fullmatch(name)]
    return f"rename {similar_names[0]}" if similar_names else "add it"


def _unpacked_name(name: str) -> str:
    """Return the name that a file of a zip has when it is unpacked, whatever it begins with."""
    return "/".join(part for part in name.split("/") if part not in ("", ".", ".."))


def _symbolic_links(path: Path) -> list[str]:
    """Return the names of the symbolic links in a zip."""
    with zipfile.ZipFile(path) as bundle:
        infos = bundle.infolist()
    return [_unpacked_name(info.filename) for info in infos if stat.S_ISLNK(info.external_attr >> 16)]


def _check_sources(path: Path, files: Files, report: LintReport) -> None:
    """Report what has changed since a bundle was built, if it is one of dist/."""
    names = changed_sources(path, files, SOURCE) if _is_built_here(path) else []
    if names:
        report.add("changed since the build", file=path.name, names=some_words(names))


def _is_built_here(path: Path) -> bool:
    """Return whether a path is one at which `make bundle` writes a bundle."""
    is_in_dist = path.resolve().parent in (DIST.resolve(), (DIST / "v1.5").resolve())
    return is_in_dist and path.suffix == ".zip" and path.stem in _stems()


def _stems() -> set[str]:
    """Return the names of bundles without their ending."""
    return {"competition", *task_ids()}


def lint_files(
    data: Competition,
    files: Files,
    samples: SampleRuns,
    report: LintReport,
    today: datetime.date | None = None,
    other_names: Collection[str] = (),
) -> None:
    """Check a bundle that is not yet a zip: its competition.yaml as data, and its files.

    ``other_names`` are those of files that it could also hold: one of them may be meant by a misspelled name.
    """
    if not _are_bounded(files, report):
        return
    _check_overviews(files, report)
    if check_competition(data, report, today):
        data = _without_keys(data, files, report)
        files_in_use = _check_files(data, files, report, other_names)
        _check_wording(data, files_in_use, report)
        if report.errors.ok:
            check_contents(data, files_in_use, samples, report)


def _without_keys(data: Competition, files: Files, report: LintReport) -> Competition:
    """Return a competition without the files that it names by the keys of what the server holds.

    Such a key may stand wherever a file may; only the server knows what is behind it.
    """

    def without_keys(entry: Entry, where: str) -> Entry:
        new_entry = {}
        for name, value in entry.items():
            if name in DATA_KEYS and is_key(value) and value not in files:
                report.add("unverified key", f"{where}/{name}", key="key")
                # As an entry that is on the server as a whole.
                new_entry["key"] = value
            else:
                new_entry[name] = value
        return new_entry

    new_data: dict[str, object] = dict(data)
    for group in ("tasks", "phases", "solutions"):
        entries = data.get(group)
        if isinstance(entries, dict):
            new_data[group] = {key: without_keys(entry, f"/{group}/{key}") for key, entry in entries.items()}
        elif entries:
            new_data[group] = [
                without_keys(entry, f"/{group}/{place}") for place, entry in enumerate(entries)
            ]
    return new_data


def _are_bounded(files: Files, report: LintReport) -> bool:
    """Return whether the zips of a bundle can be looked into; report what is too large or too deep."""
    allowed_bytes = MOST_BYTES
    for name, content in files.items():
        if not is_zip(content):
            continue
        try:
            # With the same bound for each, what is found is kept for the other bundles that hold this zip.
            extent = measure_zip(content, MOST_BYTES)
        except DAMAGED:
            rule = "zip with a password" if has_password(io.BytesIO(content)) else "damaged zip"
            report.add(rule, file=name)
            return False
        allowed_bytes -= extent.n_bytes
        if allowed_bytes < 0:
            report.add("large zips", file=name, gigabytes=MOST_BYTES >> 30)
            return False
        if extent.deep_zips:
            report.add("deep zips", file=name, names=some_words(extent.deep_zips))
    return True


def _check_overviews(files: Files, report: LintReport) -> None:
    """Report overviews of references, which hold all labels."""
    for name, content in files.items():
        names = [name, *member_names(content)]
        overviews = [inner for inner in names if inner.lower().endswith(SUFFIX)]
        if overviews:
            problem = "it is an overview" if overviews[0] == name else f"it holds {overviews[0]}, an overview"
            report.add("overview in a zip", file=name, problem=problem)


def _check_files(
    data: Competition, files: Files, report: LintReport, other_names: Collection[str]
) -> dict[str, bytes]:
    """Return the named files, with folders zipped as the platform does; report what is wrong with them."""
    files_in_use = {}
    names = {posixpath.normpath(name) for _, name, _ in named_files(data)}
    # What is named elsewhere is not meant here.
    nearest_names = NearestNames({*files, *other_names} - names)
    for where, name, key in named_files(data):
        path = posixpath.normpath(name)
        if not name or path == ".":
            report.add("no path", where)
        elif path.startswith(("/", "\\", "../")) or path == "..":
            report.add("path leads out", where, name=name)
        elif path in files and not name.endswith("/"):
            files_in_use[name] = files[path]
            _check_file(name, files[path], where, key, form_of(data) == "v1.5", report)
        elif key in DATA_KEYS and (folder := files_below(path, files)):
            files_in_use[name] = zip_bytes(folder)
            if f"{path}.zip" in names:
                report.add("folder over file", where, path=path)
        elif files_below(path, files):
            report.add("folder for a file", where, name=name)
        else:
            nearest = "" if path in {*files, *other_names} else nearest_names.words(path)
            remedy = _remedy_of_missing(path, files, bool(nearest))
            report.add("file is missing", where, name=name, nearest=nearest, remedy=remedy)
    return files_in_use


def _remedy_of_missing(path: str, files: Files, has_nearest: bool) -> str:
    """Return what to do about a file that is not in a bundle."""
    folder = path.removesuffix(".zip")
    if path in files:
        return f"take out the / at its end: {path} is a file"
    if folder != path and files_below(folder, files):
        return f"the folder {folder}/ is: name that, or zip its content"
    if path.replace("/", "\\") in files:
        return "zip the bundle again with / in the names of files; it has \\ instead"
    if _ADDRESS.match(path):
        return "put the file itself into the bundle, and write its name"
    return "correct the name, or add the file" if has_nearest else "add it"


def _check_file(name: str, data: bytes, where: str, key: str, is_classic: bool, report: LintReport) -> None:
    is_page = key not in DATA_KEYS and key != "image"
    if not data and is_page and is_classic:
        report.add("page is empty", file=name)
    elif not data:
        report.add("file is empty", where, name=name)
    elif key == "image":
        _check_logo(name, data, report)
    elif is_page:
        _check_text(name, data, report)
    else:
        _check_data(name, data, where, key, report)


def _check_data(name: str, data: bytes, where: str, key: str, report: LintReport) -> None:
    """Check a file that is stored; workers unpack programs, references and input data."""
    if not is_zip(data):
        _report_no_zip(name, data, where, key, report)
    if len(posixpath.basename(name)) > _CUT_NAME:
        report.add("long name", where, name=name, longest=_CUT_NAME)


def _report_no_zip(name: str, data: bytes, where: str, key: str, report: LintReport) -> None:
    """Report a file that is no zip where one is needed, or where its name says so."""
    is_damaged = data.startswith(ZIP_MAGIC)
    kind = kind_of(data[:HEAD_BYTES])
    if is_damaged and key in (*TASK_DATA, "path"):
        report.add("damaged zip", file=name)
    elif kind and not is_damaged and (key in TASK_DATA or name.lower().endswith(".zip")):
        rule = "zip is something else" if key in TASK_DATA else "download is something else"
        remedy = "unpack it, and zip its files" if kind.is_archive else kind.how("a zip")
        report.add(rule, where, name=name, kind=kind.name, remedy=remedy)
    elif key in TASK_DATA:
        report.add("file is no zip", where, name=name)
    elif key == "path":
        report.add("solution is no zip", where, name=name)


def _check_text(name: str, data: bytes, report: LintReport) -> None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        report.add("page is not UTF-8", file=name)
        return
    rules = {
        "page with NUL": "\0" in text,
        "page is empty": not text.strip("\ufeff \t\r\n"),
        "page with mark": text.startswith("\ufeff"),
        "page to edit": "EDIT:" in text,
    }
    broken_rule = next((rule for rule, is_broken in rules.items() if is_broken), None)
    if broken_rule:
        report.add(broken_rule, file=name)
    # Of the groups of the pattern, one for each way to write a target, one is not empty.
    targets = {max(groups) for groups in _TARGET.findall(_CODE.sub("", text))}
    files = sorted(quote(target) for target in targets if not _ADDRESS.match(target))
    if files:
        report.add("page with file", file=name, targets=", ".join(files))


def _check_wording(data: Competition, files: Files, report: LintReport) -> None:
    """Report texts that are not written yet, and in a competition of one task those about several."""
    programs = {entry.get("scoring_program") for _, entry in entries_of(data, "tasks")}
    for where, file, text in _texts(data, files):
        if FILL_IN in text:
            report.add("text to fill in", where, file)
        words = SEVERAL_TASKS.search(text)
        if words and len(programs) == 1:
            report.add("text of several tasks", where, file, words=quote(words[0]))
        formula = _FORMULA.search(_FENCED.sub("", text))
        if formula and where not in _PLAIN_TEXTS:
            report.add("formula", where, file, formula=quote(formula[0]))


def _texts(data: Competition, files: Files) -> Iterator[tuple[str, str, str]]:
    """Yield the place, the file and the text of all that the site shows: first of competition.yaml."""
    for key in ("title", "description"):
        yield f"/{key}", COMPETITION, str(data.get(key, ""))
    for where, phase in entries_of(data, "phases"):
        yield f"{where}/description", COMPETITION, str(phase.get("description", ""))
    for _, name, key in named_files(data):
        if key not in (*DATA_KEYS, "image") and name in files:
            yield "", name, files[name].decode("utf-8", "replace")


def _report_no_logo(name: str, data: bytes, report: LintReport) -> None:
    """Report what a file is that cannot be read as a logo."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            image_kind = str(image.format)
    except Exception:  # as above
        image_kind = ""
    kind = kind_of(data[:HEAD_BYTES])
    if image_kind in _IMAGE_KINDS or data.startswith(_PNG_MAGIC):
        report.add("logo is damaged", file=name)
    elif kind and not image_kind and b"<svg" not in data:
        report.add("logo is something else", file=name, kind=kind.name, remedy=kind.how("PNG"))
    else:
        report.add("logo is no image", file=name)


def _check_logo(name: str, data: bytes, report: LintReport) -> None:
    try:
        with Image.open(io.BytesIO(data), formats=_IMAGE_KINDS) as image:
            mode = image.mode
            width, height = image.size
            image.verify()
        # What verify leaves out of JPEG and GIF: an image that is cut.
        with Image.open(io.BytesIO(data), formats=_IMAGE_KINDS) as image:
            image.load()
    except Image.DecompressionBombError:
        report.add("logo is too large", file=name)
        return
    except Exception:  # the readers of images raise all kinds for a broken file
        _report_no_logo(name, data, report)
        return
    # The platform makes a small picture, 100 pixels wide.
    if int(_ICON_WIDTH / width * height) == 0:
        report.add("logo is too wide", file=name)
    if mode == "CMYK":
        report.add("logo in CMYK", file=name)
