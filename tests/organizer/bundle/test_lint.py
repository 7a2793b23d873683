"""Every rule of the linter, each on a bundle that breaks just that rule, and the verdicts of the platform itself."""

from __future__ import annotations

import copy
import datetime
import io
import random
import re
import shutil
import struct
import zipfile
import zlib
from dataclasses import replace

import pytest
import yaml
from PIL import Image

from organizer.__main__ import main
from organizer.bundle import contents
from organizer.bundle import lint as lint_module
from organizer.bundle.build import build_all
from organizer.bundle.competition import LintReport, read_competition
from organizer.bundle.contents import SampleRuns
from organizer.bundle.lint import lint_bundle, lint_files
from organizer.bundle.rules import visibility_lines
from organizer.codes import CODES
from organizer.data.prepare import prepare
from organizer.files import folder_files, zip_bytes
from organizer.tasks import labelled_items
from scoring_program.task import load_task
from tests.helpers import REFERENCES, ROOT, make_zip, with_flag_of_encryption

ID = "chalearn_gesture"
DELETE = object()
GENERATED = "anet_entities_gen"
BASES = {
    "gesture": f"{ID}.zip",
    "all": "competition.zip",
    "gesture-v1.5": f"v1.5/{ID}.zip",
    "generated": f"{GENERATED}.zip",
    "generated-v1.5": f"v1.5/{GENERATED}.zip",
}
FACTS = {
    "key": "q",
    "type": "text",
    "title": "t",
    "selection": "",
    "is_required": "false",
    "is_on_leaderboard": "false",
}
# Warnings that a bundle of demo data, or of long names, has anyway.
USUAL = ("L-DEMO", "L-NAME")
KEY = b"0123456789abcdef" * 2


@pytest.fixture(scope="module")
def unpacked(bundles):
    """Return the files of our bundles without public data, which ``test_public_checks.py`` tests.

    It would no longer be that of the references that are changed here.
    """

    def read(path):
        with zipfile.ZipFile(path) as bundle:
            files = {name: bundle.read(name) for name in bundle.namelist()}
        data = yaml.safe_load(files["competition.yaml"])
        phases = data["phases"]
        for phase in phases.values() if isinstance(phases, dict) else phases:
            del phase["public_data"]
        del files["public_data.zip"]
        return {**files, "competition.yaml": yaml.safe_dump(data, sort_keys=False).encode()}

    return {base: read(bundles / name) for base, name in BASES.items()}


@pytest.fixture(scope="module")
def data_of_base(unpacked):
    """Return competition.yaml of each bundle, which takes longer to parse than to lint."""
    return {base: yaml.safe_load(files["competition.yaml"]) for base, files in unpacked.items()}


@pytest.fixture
def lint(unpacked, data_of_base):
    """Return a function that changes the data and the files of a bundle and lints it."""

    def lint(change=lambda data, files: None, base="gesture", samples=False):
        files, data = dict(unpacked[base]), copy.deepcopy(data_of_base[base])
        change(data, files)
        report = LintReport()
        lint_files(data, files, SampleRuns.ALL if samples else SampleRuns.NONE, report)
        return report

    return lint


def put(data, path, value):
    *head, last = path
    for step in head:
        data = data[step]
    if value is DELETE:
        del data[last]
    else:
        data[last] = value


def codes(findings):
    return {problem.code for problem in findings.problems} - set(USUAL)


@pytest.mark.slow
@pytest.mark.parametrize("base", BASES)
def test_our_bundles_have_no_errors_and_warn_only_of_the_demo_data(lint, base):
    report = lint(base=base, samples=True)
    assert report.lines()
    assert report.errors.lines() == []
    of_form = {"L-RULE"} if base.endswith("v1.5") else set[str]()
    assert {problem.code for problem in report.warnings.problems} <= {*USUAL, *of_form}


YAML, PROGRAM, REFERENCE = "competition.yaml", f"{ID}_program.zip", f"{ID}_reference.zip"
BOARD = ["leaderboards", 0]
COLUMNS = [*BOARD, "columns"]
KIT, SAMPLE = "starting_kit.zip", f"{ID}_sample.zip"
LATER = f"{ID}_2_reference.zip"
SECOND_PHASE = {"name": "Final", "start": "2040-01-01 00:00:00", "tasks": [0]}


def at(*path, value):
    return lambda data, files: put(data, path, value)


def more(*path, **entry):
    """Return a change that appends a copy of the last entry of a list, with other values."""

    def change(data, files):
        entries = data
        for step in path:
            entries = entries[step]
        entries.append({**entries[-1], **entry})

    return change


def final_phase(**entry):
    """Return a change that ends the phase and adds a second one with these values."""
    first = at("phases", 0, "end", value="2039-01-01 00:00:00")
    last = {"index": 1, "start": "2040-01-01 00:00:00", "end": "2041-01-01 00:00:00"}
    return both(first, more("phases", **last, **entry))


def file(name, content):
    return lambda data, files: files.update({name: content})


def program(**changed):
    """Return a change of the files in the program; None removes one."""

    def change(data, files):
        content = {
            **members(files[PROGRAM]),
            **{name.replace("__", "."): text for name, text in changed.items()},
        }
        files[PROGRAM] = zip_bytes({name: text for name, text in content.items() if text is not None})

    return change


def members(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def both(*changes):
    def change(data, files):
        for each in changes:
            each(data, files)

    return change


SECRET = b"1,1,10\n2,20,30\n3,40,50\n4,60,70\n5,80,90\n6,100,110\n7,120,130\n8,140,150\n"
REAL = {"S1_labels.csv": SECRET, "S1_data.csv": b"900,20,2000\n", "signature_key.txt": KEY}


def hidden(data, files):
    """Replace the demo reference by one that is not marked as such."""
    data["title"] = "Real data"
    files[REFERENCE] = zip_bytes(REAL)


def added(name, more):
    """Return a change that adds files to a zip of the bundle."""
    return lambda data, files: files.update({name: make_zip({**members(files[name]), **more})})


def second_phase(settings=b"", items=("S1",)):
    """Return a change that adds a phase with a reference of its own."""

    def change(data, files):
        hidden(data, files)
        own = {f"{item}_{kind}.csv": SECRET for item in items for kind in ("labels", "data")}
        own.update({f"{item}_data.csv": b"900,20,2000\n" for item in items})
        files[LATER] = zip_bytes({**own, "settings.yaml": settings, "signature_key.txt": KEY})
        data["tasks"].append({**data["tasks"][0], "index": 1, "reference_data": LATER})
        data["phases"].append({**SECOND_PHASE, "index": 1, "tasks": [1]})

    return change


BASELINE = {
    "BASELINE.txt": b"perfect baseline of a task\nIt was made from a hidden reference: show it to nobody who takes part.\n"
}
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


def damaged_zip(method):
    """Return a zip of whose file half of the bytes are others."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.txt", bytes(range(256)) * 8)
        n_bytes = archive.getinfo("a.txt").compress_size
    data = bytearray(buffer.getvalue())
    begin = 30 + len("a.txt")
    for place in range(begin + n_bytes // 2, begin + n_bytes):
        data[place] ^= 255
    return bytes(data)


def picture(kind):
    """Return a picture that no format makes small."""
    stream = io.BytesIO()
    pixels = random.Random(0).randbytes(64 * 64 * 3)
    Image.frombytes("RGB", (64, 64), pixels).save(stream, format=kind)
    return stream.getvalue()


def large_png():
    """Return the head of a PNG of 256 megapixels."""
    head = b"IHDR" + struct.pack(">IIBBBBB", 16_000, 16_000, 8, 0, 0, 0, 0)
    chunk = struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk + struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
    )


def cmyk():
    stream = io.BytesIO()
    Image.new("CMYK", (8, 8)).save(stream, format="JPEG")
    return stream.getvalue()


# What fails: the code, the file and the position in it, and a change of a good bundle that provokes it.
ERRORS = [
    ("L-SCHEMA", YAML, "/phases/0/hide_output", at("phases", 0, "hide_output", value="perhaps")),
    ("L-DATE", YAML, "/phases/0/start", at("phases", 0, "start", value="soon")),
    ("L-PHASE", YAML, "/phases/0", both(at("phases", 0, "end", value=DELETE), lambda d, f: d["phases"].append(SECOND_PHASE))),
    ("L-PHASE", YAML, "/phases/1/start", more("phases", index=1)),
    ("L-PHASE", YAML, "/phases/0/auto_migrate_to_this_phase", at("phases", 0, "auto_migrate_to_this_phase", value=True)),
    ("L-TWICE", YAML, "/tasks", more("tasks")),
    ("L-TWICE", YAML, "/leaderboards/0/columns", at(*COLUMNS, 1, "key", value="score")),
    ("L-TASK", YAML, "/phases/0/tasks", at("phases", 0, "tasks", value=[0, 7])),
    ("L-COLUMN", YAML, "/leaderboards/0/columns/1", at(*COLUMNS, 1, "key", value="Coverage")),
    ("L-COLUMN", YAML, "/leaderboards/0/columns/1", lambda d, f: d["leaderboards"][0]["columns"][1].update(
        computation="avg", computation_indexes=[1])),
    ("L-COLUMN", YAML, "/leaderboards/0/columns/1", lambda d, f: d["leaderboards"][0]["columns"][1].update(
        computation="avg", computation_indexes=[99])),
    ("L-PATH", YAML, "/tasks/0/scoring_program", at("tasks", 0, "scoring_program", value="")),
    ("L-FILE", YAML, "/tasks/0/scoring_program", at("tasks", 0, "scoring_program", value=f"{PROGRAM}/")),
    ("L-FILE", YAML, "/pages/0/file", at("pages", 0, "file", value=f"pages/{ID}.md/")),
    ("L-ZIP", REFERENCE, "", lambda d, f: f.update({REFERENCE: f[REFERENCE][: len(f[REFERENCE]) // 2]})),
    ("L-PATH", YAML, "/tasks/0/scoring_program", at("tasks", 0, "scoring_program", value="./")),
    ("L-PATH", YAML, "/terms", at("terms", value="../terms.md")),
    ("L-FILE", YAML, "/pages/0/file", at("pages", 0, "file", value="pages/none.md")),
    ("L-FILE", YAML, "/terms", file("pages/terms.md", b"")),
    ("L-FILE", YAML, "/tasks/0/reference_data", file(REFERENCE, b"no zip")),
    ("L-CLASH", YAML, "/phases/0/public_data", both(
        file("starting_kit/a.txt", b"x"), at("phases", 0, "public_data", value="starting_kit"))),
    ("L-TEXT", "pages/terms.md", "", file("pages/terms.md", b"\xff")),
    ("L-TEXT", "pages/terms.md", "", file("pages/terms.md", b"a\0b")),
    ("L-LOGO", "logo.png", "", file("logo.png", b"<svg/>")),
    ("L-LOGO", "logo.png", "", file("logo.png", cmyk())),
    ("L-METADATA", PROGRAM, "", program(metadata=None, metadata__yaml=None)),
    *(("L-METADATA", PROGRAM, "metadata.yaml", program(metadata__yaml=text)) for text in (
        b"image: x", b"command: python3 score.py > y", b"command: python3 /app/program/none.py")),
    ("L-REFERENCE E-REF-NONE", REFERENCE, "{Id}_labels.csv", file(REFERENCE, zip_bytes({"x": b"1"}))),
    ("L-DEMO", REFERENCE, "", at("title", value="Real data")),
    ("L-LEAK", "pages/data.md", "", both(hidden, file("pages/data.md", SECRET))),
    *(("L-LEAK", name, "", both(hidden, added(name, {"deep/x": SECRET}))) for name in (KIT, PROGRAM, SAMPLE)),
    *(("L-LEAK", "other.zip", "", both(hidden, file("other.zip", make_zip({"deep/x": SECRET})), at(group, 0, key, value="other.zip")))
      for group, key in (("phases", "public_data"), ("tasks", "input_data"))),
    ("L-LEAK", KIT, "", both(hidden, lambda d, f: added(KIT, {"deep/x.zip": f[REFERENCE]})(d, f))),
    *(("L-LEAK", name, "", added(name, baseline)) for name in (KIT, SAMPLE)
      for baseline in (BASELINE, {"deep/perfect.zip": make_zip(BASELINE)})),
    ("L-LEAK", KIT, "", both(hidden, added(KIT, {"__MACOSX/data.csv": SECRET}))),
    ("L-LEAK", KIT, "", both(hidden, added(KIT, {"deep/notes.txt": KEY}))),
    ("L-LEAK", REFERENCE, "", both(hidden, file(REFERENCE, zip_bytes({name: data for name, data in REAL.items() if data != KEY})))),
    *(("L-ZIP", "more.zip", "", file("more.zip", damaged_zip(method))) for method in METHODS),
    ("L-FILE", YAML, "/terms", at("terms", value="pages")),
    ("L-IMAGE", YAML, "/docker_image", at("docker_image", value=DELETE)),
    ("L-PHASE", YAML, "/phases/0/tasks", at("phases", 0, "tasks", value=[])),
    ("L-REFERENCE", YAML, "/tasks/0", at("tasks", 0, "reference_data", value=DELETE)),
    ("L-BOARD", YAML, "/leaderboards/0/primary_index", at(*BOARD, "primary_index", value=9)),
    ("L-BOARD", YAML, "/leaderboards/0/columns", lambda d, f: [c.update(hidden="yes") for c in d["leaderboards"][0]["columns"]]),
    ("L-SHARED", LATER, "", second_phase(b"shares_items_with: another")),
    ("L-OVERVIEW", "x.overview.html", "", lambda d, f: f.update({"x.overview.html": b"<html>"})),
    ("L-TASK", YAML, "/phases/0/tasks", at("phases", 0, "tasks", value=["0"])),
    ("L-FACTS", YAML, "/fact_sheet", at("fact_sheet", value="What is it?")),
    ("L-FACTS", YAML, "/fact_sheet/1/key", at("fact_sheet", value={"1": {**FACTS, "key": 1}})),
    ("L-COLUMN", YAML, "/leaderboards/0/columns/1", lambda d, f: d["leaderboards"][0]["columns"][1].update(
        computation="avg", computation_indexes=[0])),
    ("L-COLUMN", YAML, "/leaderboards/0/columns", both(
        at(*COLUMNS, 1, "key", value="score_high"), at(*BOARD, "primary_index", value=1))),
    ("L-PHASE", YAML, "/phases/0/end", at("phases", 0, "end", value="2027-01-01 00:00:00")),
    *(("L-LOGO", "logo.png", "", lambda d, f, kind=kind, size=size: f.update({"logo.png": picture(kind)[:-size]}))
      for kind, size in (("JPEG", 40), ("GIF", 40), ("PNG", 40), ("WEBP", 40))),
    ("L-LOGO", "logo.png", "", lambda d, f: f.update({"logo.png": large_png()})),
]  # fmt: skip

# What is unwise.
WARNINGS = [
    ("L-MIGRATION", YAML, "/phases/1/auto_migrate_to_this_phase", both(
        more("tasks", index=1), final_phase(auto_migrate_to_this_phase=True, tasks=[0, 1]))),
    ("L-MIGRATION", YAML, "/phases/1/max_submissions_per_day", final_phase(
        auto_migrate_to_this_phase=True, max_submissions_per_day=1)),
    ("L-OUTPUT", YAML, "/phases/1/hide_output", final_phase(hide_output=False)),
    ("L-MIGRATION", YAML, "/phases/1/max_submissions", final_phase(auto_migrate_to_this_phase="yes", max_submissions="1")),
    ("L-SHARED", YAML, "/phases/1/tasks", lambda data, files: (second_phase()(data, files), data["phases"][1].update(tasks=[0]))),
    ("L-LINK", "pages/terms.md", "", file("pages/terms.md", b"[rules]: rules.md")),
    ("L-TEXT", "pages/terms.md", "", file("pages/terms.md", b" \n")),
    ("L-TEXT", "pages/terms.md", "", file("pages/terms.md", b"\xef\xbb\xbftext")),
    ("L-TEXT", "pages/terms.md", "", file("pages/terms.md", b"<!-- EDIT: what may be used -->\ntext")),
    ("L-TEXT", "pages/terms.md", "", file("pages/terms.md", b"FILL IN: the license")),
    ("L-TEXT", "pages/terms.md", "", file("pages/terms.md", b"All tasks are ticked: untick yours")),
    ("L-TEXT", YAML, "/description", at("description", value="FILL IN: what it is about")),
    *(("L-IMAGE", YAML, "/docker_image", at("docker_image", value=name)) for name in (
        "an image", "None", "https://hub.docker.com/r/codalab/codalab-legacy")),
    ("L-DATE", YAML, "/phases/0/end", at("phases", 0, "end", value=datetime.datetime(2027, 12, 31, 23, 59, 59))),
    ("L-PHASE", YAML, "/phases", lambda data, files: data["phases"].append(SECOND_PHASE)),
    ("L-TWICE", YAML, "/phases", more("phases", name="Final", start="2040-01-01 00:00:00", end="2041-01-01 00:00:00")),
    ("L-LIMIT", YAML, "/phases/0", at("phases", 0, "execution_time_limit", value=570)),
    ("L-LIMIT", YAML, "/phases/1", second_phase(b"time_limit: 600", ("S2", "S3"))),
    ("L-DETAIL", LATER, "", second_phase(b"detail: full", ("S2", "S3"))),
    ("L-TASK", YAML, "/tasks/1/index", more("tasks", index="1")),
    ("L-TASK", YAML, "/tasks/1", more("tasks", index=1)),
    ("L-COLUMN", YAML, "/leaderboards/0/columns/5", both(added(REFERENCE, {"settings.yaml": b"interval: false\n"}),
        lambda d, f: d["leaderboards"][0]["columns"].append({"index": 9, "title": "From", "key": "score_low", "sorting": "desc"}))),
    ("L-NAME", YAML, "/phases/0/public_data", both(
        file("x" * 40 + ".zip", zip_bytes({})), at("phases", 0, "public_data", value="x" * 40 + ".zip"))),
    ("L-UNKNOWN", YAML, "/phases/0/start_date", at("phases", 0, "start_date", value="2027-01-01")),
    *(("L-LEAK", KIT, "", both(hidden, added(KIT, more))) for more in (
        {"train/S1_labels.csv": b"2,5,9\n"}, {"S1_labels.csv": b"1,1,10\n", "S1_data.csv": b"900,20,3000\n"},
        {"labels/": b"", "labels/S1_labels.csv": b"1,1,10\n", "labels/S1_data.csv": b"900,20,3000\n"})),
    *(("L-KEY", YAML, "/" + "/".join(map(str, path)), at(*path, value="610d3700-13c6-45fe-9da2-f71efcf884f6")) for path in (
        ("tasks", 0, "reference_data"), ("tasks", 0, "scoring_program"), ("phases", 0, "starting_kit"), ("solutions", 0, "path"))),
    ("L-RUN", YAML, "/auto_run_submissions", at("auto_run_submissions", value=False)),
    ("L-RULE", YAML, "/leaderboards/0/submission_rule", both(
        more("tasks", index=1), at("phases", 0, "tasks", value=[0, 1]), at(*BOARD, "submission_rule", value="Force_Best"))),
    ("L-SORTING", YAML, "/leaderboards/0/columns/0/sorting", at(*COLUMNS, 0, "sorting", value="asc")),
    ("L-METADATA", PROGRAM, "metadata.yaml", program(metadata__yaml=b"command: python2 score.py /app/input /app/output")),
    ("L-DEMO", REFERENCE, "", lambda data, files: None),
    ("L-SCHEMA", YAML, "/title", at("title", value="[DEMO DATA] " + "x" * 190)),
    ("L-FACTS", YAML, "/fact_sheet/team.name/key", at("fact_sheet", value={
        "team.name": {**FACTS, "key": "team.name", "is_on_leaderboard": "true"}})),
    ("L-BOARD", YAML, "/leaderboards/0/columns/1/title", at(*COLUMNS, 1, "title", value="Detailed Results")),
    ("L-BOARD", YAML, "/leaderboards/0/columns/0", at(*COLUMNS, 0, "precision", value=0)),
    ("L-TEXT", "pages/terms.md", "", file("pages/terms.md", b"$$\nx = 1\n$$")),
    ("L-TEXT", "pages/terms.md", "", file("pages/terms.md", b"Write `$a` and `$b`.")),
    ("L-TEXT", YAML, "/phases/0/description", at("phases", 0, "description", value="$500 and $250")),
    ("L-FILE", YAML, "/solutions/0/path", both(
        at("solutions", 0, "path", value="sample.csv"), file("sample.csv", b"1,2,3"))),
]  # fmt: skip

JUNK = {"__MACOSX/._x": b"Mac OS X " * 20, ".DS_Store": b"Bud1" * 40}
MARKS, VOCABULARY = ((REFERENCES / ID / name).read_bytes() for name in ("marks.json", "vocabulary.json"))
# What the platform takes, and what works there, beside the cases of test_platform.py.
FINE = {
    "odd booleans": both(at("enable_detailed_results", value="tRuE"), at("phases", 0, "hide_output", value="NO")),
    "no fact sheet": at("fact_sheet", value=False),
    "no end": at("phases", 0, "end", value=False),
    "a tag of Python 2": program(metadata__yaml=b"command: !!python/unicode 'python3 score.py /app/input /app/output'"),
    "a file of an ignored key": at("tasks", 0, "public_data", value="none.zip"),
    "a folder with a slash": both(at("tasks", 0, "input_data", value="data/"), file("data/a.csv", b"x")),
    "a program in ./": lambda data, files: files.update(
        {PROGRAM: zip_bytes({f"./{name}": content for name, content in members(files[PROGRAM]).items()})}),
    "an ingestion program without metadata": both(
        at("tasks", 0, "ingestion_program", value="more.zip"), file("more.zip", zip_bytes({"a.py": b"x"}))),
    "one dollar a line, and fenced ones": file("pages/terms.md", b"It costs $5.\nNot $6.\n```\n$a $b\n```\n"),
    "a rehearsal with two phases of demo data": lambda data, files: data["phases"].append({**SECOND_PHASE, "index": 1}),
    "junk of the operating system": both(hidden, added(REFERENCE, JUNK), added(KIT, JUNK)),
    "marks that happen to be those of the demo reference": both(
        hidden, added(REFERENCE, {"marks.json": MARKS}), added(KIT, {"demo/marks.json": MARKS})),
    "a vocabulary": both(
        hidden, added(REFERENCE, {"vocabulary.json": VOCABULARY}), added(KIT, {"deep/vocabulary.json": VOCABULARY})),
}  # fmt: skip

# What is not even unwise.
SILENT = {
    "an image with its server": at("docker_image", value="docker.io/codalab/codalab-legacy:py312"),
    "an image with its digest": at("docker_image", value="codalab/codalab-legacy:py312@sha256:0"),
    "a task twice in a phase": lambda data, files: data["phases"][0]["tasks"].append(0),
    **{text: file("pages/terms.md", text.encode()) for text in (
        "[a](https://example.org)", "[b](#top), [c](mailto:a@b.org)", "`[d](e.md)`", "```\n![f](g.png)\n```")},
}  # fmt: skip

# What is wrong in the older form.
OLD_PHASE = ["phases", 1]
OLD_FINE = {
    "empty terms": file("pages/terms.md", b""),
    "no end": at("end_date", value=False),
    "equal ranks on two boards": lambda data, files: (
        data["leaderboard"]["leaderboards"].update(MORE={"label": "More", "rank": 2}),
        data["leaderboard"]["columns"]["coverage"].update(leaderboard={"label": "More", "rank": 2}, rank=1)),
}  # fmt: skip
OLD_COLUMN = ["leaderboard", "columns", "coverage"]
OLD = [
    ("L-PHASE", "/phases/1/auto_migration", at(*OLD_PHASE, "auto_migration", value=True)),
    ("L-PHASE", "/phases/2/start_date", lambda data, files: data["phases"].update(
        {2: {**data["phases"][1], "phasenumber": 2}})),
    ("L-PHASE", "/end_date", at("end_date", value="2001-01-01 00:00:00")),
    ("L-REFERENCE", "/phases/1", at(*OLD_PHASE, "reference_data", value=DELETE)),
    ("L-IMAGE", "/competition_docker_image", at("competition_docker_image", value=DELETE)),
    ("L-UNKNOWN", "/phases/1/hide_outputs", at(*OLD_PHASE, "hide_outputs", value=True)),
    ("L-BOARD", "/leaderboard/columns", lambda data, files: [
        column.update(hidden=True) for column in data["leaderboard"]["columns"].values()]),
    ("L-MIGRATION", "/phases/2/max_submissions", lambda data, files: data["phases"].update({2: {
        **data["phases"][1], "phasenumber": 2, "start_date": "2040-01-01 00:00:00", "auto_migration": True,
        "max_submissions": 1}})),
    ("L-TWICE", "/phases", lambda data, files: data["phases"].update({2: data["phases"][1]})),
    ("L-TWICE", "/phases", lambda data, files: data["phases"].update(
        {2: {**data["phases"][1], "phasenumber": "2", "start_date": "2040-01-01 00:00:00"}})),
    ("L-TWICE", "/leaderboard/columns", at(*OLD_COLUMN, "rank", value=1)),
    ("L-LIMIT", "/phases/1/execution_time_limit", at(*OLD_PHASE, "execution_time_limit", value=601)),
    ("L-BOARD", "/leaderboard/columns/coverage/numeric_format", at(*OLD_COLUMN, "numeric_format", value=11)),
    ("L-BOARD", "/leaderboard/columns/coverage", at(*OLD_COLUMN, "leaderboard", value={"label": "x", "rank": 1})),
    ("L-COLUMN", "/leaderboard/columns/none", lambda data, files: data["leaderboard"]["columns"].update(
        {"none": {**data["leaderboard"]["columns"]["score"], "rank": 9}})),
    ("L-REGISTRATION", "/has_registration", at("has_registration", value="no")),
    ("L-SORTING", "/leaderboard/columns/score/sort", at("leaderboard", "columns", "score", "sort", value="asc")),
    ("L-SCHEMA", "/leaderboard/leaderboards/RESULTS/label", at("leaderboard", "leaderboards", "RESULTS", "label", value=1)),
    ("L-COLUMN", "/leaderboard/columns/coverage/computed", at(*OLD_COLUMN, "computed", value={"operation": "Avg"})),
    ("L-BOARD", "/leaderboard/columns/coverage", OLD_FINE["equal ranks on two boards"]),
    ("L-IMAGE", "/competition_docker_image", at("competition_docker_image", value=False)),
    ("L-DATE", "/end_date", at("end_date", value="2027-12-31")),
    ("L-UNKNOWN", "/admin_names", at("admin_names", value="x")),
]  # fmt: skip


def places(findings):
    return {(problem.code, problem.file, problem.where) for problem in findings.problems}


def named(faults):
    return [f"{code} {where or name}" for code, name, where, _ in faults]


@pytest.mark.parametrize(("code", "name", "where", "change"), ERRORS, ids=named(ERRORS))
def test_what_fails_is_an_error_with_its_code_and_place(lint, code, name, where, change):
    report = lint(change)
    assert (code, name, where) in places(report.errors)
    assert {problem.code for problem in report.errors.problems} == {code}


@pytest.mark.parametrize(("code", "name", "where", "change"), WARNINGS, ids=named(WARNINGS))
def test_what_is_unwise_is_a_warning_with_its_code_and_place(lint, code, name, where, change):
    report = lint(change)
    assert report.errors.lines() == []
    assert (code, name, where) in places(report.warnings)


@pytest.mark.parametrize("change", FINE.values(), ids=FINE)
def test_what_the_platform_takes_is_no_error(lint, change):
    assert lint(change).errors.lines() == []


@pytest.mark.parametrize("change", SILENT.values(), ids=SILENT)
def test_what_works_is_not_warned_of(lint, change):
    assert codes(lint(change).warnings) == set()


@pytest.mark.parametrize("change", OLD_FINE.values(), ids=OLD_FINE)
def test_what_the_platform_takes_in_the_older_form_is_no_error(lint, change):
    report = lint(change, "gesture-v1.5")
    assert report.errors.lines() == []
    assert "L-TWICE" not in codes(report.warnings)


@pytest.mark.parametrize(
    "text",
    ["name: '1:30'", 'start: "2027-01-01 10:00:00"', "limit: 10", "limit: 0", "a: 1_000", "b: 08:30h",
     'title: "Challenge #3"', "title: Birds  # the 2nd", "title: C#", "image: a.png #1"],
)  # fmt: skip
def test_numbers_texts_and_comments_that_are_meant_are_not_warned_of(text):
    report = LintReport()
    read_competition(text.encode(), report)
    assert report.lines() == []


@pytest.mark.parametrize(
    ("code", "where", "text"),
    [
        ("L-YAML", "", b"\xff"),
        ("L-YAML", "line 1 column 5", b"a: b: c"),
        pytest.param("L-YAML", "line 1 column 52", b"[" * 20_000, marks=pytest.mark.slow),
        ("L-TWICE", "line 2 column 1", b"title: a\ntitle: b\n"),
        ("L-YAML", "line 2", b"version: 2\ntitle: Challenge #3 of birds\n"),
        ("L-YAML", "line 2", b"tasks:\n  - name: Track #2\n"),
        # Numbers that nobody meant.
        ("L-YAML", "line 1 column 7", b"name: 1:30"),
        ("L-YAML", "line 2 column 30", b"phases:\n  - max_submissions_per_day: 010"),
        ("L-YAML", "line 1 column 8", b"index: 0x10"),
    ],
)
def test_text_of_competition_yaml_is_judged_by_code_and_place(code, where, text):
    report = LintReport()
    read_competition(text, report)
    assert places(report.errors) | places(report.warnings) == {(code, YAML, where)}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("image:\tlogo.png", "tab"),
        ("title: !!python/unicode 'Birds'", "python"),
        ("terms: !include terms.yaml", "tag"),
        ("a: 1\n---\nb: 2", "document"),
        ("title: Birds: calls", "quotes"),
        ("title: %birds", "quotes"),
        ("title: @birds", "quotes"),
        ("version:2\ntitle: Birds", "line 1"),
        ("title: Birds\nimage:logo.png\nterms: a", "line 2"),
        ("version: 2\ntitle:\xa0Birds\nterms: a", "line 2"),
        ("version: 2\n<<<<<<< HEAD\ntitle: Birds\n=======", "line 2"),
        ("title: Birds\n  terms: a", "indent"),
        ('title: "Birds', "close"),
        ("title: =", "= in quotes"),
        ("title: 'What's new'", "''"),
        ('title: "C:\\data"', "single quotes"),
        ("version: 2\ntitle Birds\nterms: a", "colon after the key in line 2"),
        ("pages:\n- title Birds\n  file: a", "colon after the key in line 2"),
    ],
)
def test_remedy_of_wrong_yaml_fits_its_cause(text, word):
    report = LintReport()
    read_competition(text.encode(), report)
    (problem,) = report.errors.problems
    assert (problem.code, problem.file) == ("L-YAML", YAML)
    assert word in problem.remedy


def test_unknown_keys_of_one_kind_are_one_line(lint):
    report = lint(lambda data, files: [page.update(color="x", size=2) for page in data["pages"]])
    (problem,) = [problem for problem in report.warnings.problems if problem.code == "L-UNKNOWN"]
    assert problem.where == "/pages/0/color"
    assert "color, size" in problem.problem


def test_all_files_that_a_page_needs_are_named(lint):
    links = b"![a](b/c.png) [d](e.md 'title') [f](<g h>) [i](https://j.org) <a HREF='more.html'>more</a>"
    report = lint(file("pages/terms.md", links))
    (problem,) = [problem for problem in report.warnings.problems if problem.code == "L-LINK"]
    assert " b/c.png, e.md, g, more.html, " in problem.problem


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (f"{PROGRAM}/", f"take out the / at its end: {PROGRAM} is a file"),
        ("https://example.org/program.zip", "put the file itself into the bundle"),
        ("C:\\mine\\program.zip", "put the file itself into the bundle"),
    ],
)
def test_remedy_of_a_name_that_is_no_file_fits_it(lint, name, words):
    (problem,) = lint(at("tasks", 0, "scoring_program", value=name)).errors.problems
    assert words in problem.remedy


LFS = b"version https://git-lfs.github.com/spec/v1\n"


@pytest.mark.parametrize(
    ("name", "content", "is_error", "word"),
    [
        (PROGRAM, LFS, True, "git lfs pull"),
        (REFERENCE, b"<!DOCTYPE html><html>", True, "download"),
        (REFERENCE, b"\x1f\x8b\x08", True, "zip its files"),
        (REFERENCE, b"1,2,3\n", True, "zip its content"),
        ("starting_kit.zip", LFS, False, "git lfs pull"),
        (f"{ID}_sample.zip", b"7z\xbc\xaf", False, "zip its files"),
    ],
)
def test_what_is_no_zip_is_said_as_what_it_is(lint, name, content, is_error, word):
    report = lint(file(name, content))
    findings = report.errors if is_error else report.warnings
    (problem,) = [problem for problem in findings.problems if problem.code == "L-FILE"]
    assert report.errors.ok != is_error
    assert word in problem.remedy


@pytest.mark.parametrize("index", [0.0, False])
def test_index_that_the_platform_takes_for_that_of_a_task_is_no_warning(lint, index):
    report = lint(at("phases", 0, "tasks", value=[index]))
    assert report.errors.lines() == []
    assert codes(report.warnings) == set()


@pytest.mark.parametrize(("rule", "is_warned"), [("Force_Last", True), ("Force_Latest_Multiple", False)])
def test_rule_that_keeps_one_submission_is_warned_of_with_several_tasks(lint, rule, is_warned):
    report = lint(at(*BOARD, "submission_rule", value=rule), "all")
    assert ("L-RULE" in codes(report.warnings)) == is_warned


def test_task_of_many_phases_is_said_once_for_each(lint):
    def change(data, files):
        for number in range(1, 4):
            year = 2040 + number
            dates = {"start": f"{year}-01-01 00:00:00", "end": f"{year}-12-31 00:00:00"}
            data["phases"].append({**data["phases"][0], **dates, "index": number})

    shared = [problem for problem in lint(change).warnings.problems if problem.code == "L-SHARED"]
    assert [problem.where for problem in shared] == [f"/phases/{number}/tasks" for number in range(1, 4)]


@pytest.mark.parametrize("key", ["reference_data", "scoring_program"])
def test_sample_of_what_the_server_holds_is_not_said_to_be_of_others(lint, key):
    key_on_server = "5b0d4b2e-3a51-4c7d-9d5e-0f4f5a3b8f11"
    warnings = lint(at("tasks", 0, key, value=key_on_server), samples=True).warnings
    (problem,) = [problem for problem in warnings.problems if problem.code == "L-SAMPLE"]
    assert "not in the bundle" in problem.problem


def test_ingestion_program_is_told_its_own_command(lint):
    change = both(
        at("tasks", 0, "ingestion_program", value="more.zip"),
        file("more.zip", zip_bytes({"ingest.py": b"x"})),
    )
    (problem,) = [problem for problem in lint(change).warnings.problems if problem.code == "L-METADATA"]
    assert "every run" not in problem.problem
    assert "/app/program/ingest.py /app/input_data" in problem.remedy


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"<!DOCTYPE html><html>", "download"),
        (picture("PNG")[:2000], "from its source again"),
        (b"\x89PNG\r\n", "from its source again"),
        (picture("TIFF"), "convert it to PNG"),
        (b'<?xml version="1.0"?><svg/>', "convert it to PNG"),
        (b"logo", "convert it to PNG"),
    ],
)
def test_remedy_of_a_logo_fits_what_it_is(lint, content, word):
    (problem,) = lint(file("logo.png", content)).errors.problems
    assert (problem.code, problem.file) == ("L-LOGO", "logo.png")
    assert word in problem.remedy


@pytest.mark.parametrize(("size", "is_refused"), [((700, 7), False), ((4900, 49), True), ((101, 1), True)])
def test_logo_that_the_platform_makes_no_small_picture_of_is_refused(lint, size, is_refused):
    """int(100 / width * height), with its rounding, is the height of the small picture."""
    stream = io.BytesIO()
    Image.new("RGB", size).save(stream, format="PNG")
    assert lint(file("logo.png", stream.getvalue())).errors.ok != is_refused


def test_name_of_no_image_is_one_warning(lint):
    problems = lint(at("docker_image", value="python 3.12")).warnings.problems
    assert [problem.code for problem in problems if problem.code not in USUAL] == ["L-IMAGE"]


@pytest.mark.parametrize("text", [b"detail: summary", b"time_limit: 599"])
def test_settings_that_suit_the_platform_are_not_warned_of(lint, text):
    report = lint(second_phase(text, ("S2", "S3")))
    assert {"L-DETAIL", "L-LIMIT"} & codes(report.warnings) == set()


def test_demo_reference_without_its_mark_is_named_where_the_kit_shows_it(lint):
    def change(data, files):
        reference = {**members(files[REFERENCE]), "signature_key.txt": KEY}
        del reference["SYNTHETIC.md"]
        data["title"] = "Real data"
        files[REFERENCE] = zip_bytes(reference)

    (problem,) = [problem for problem in lint(change).errors.problems if problem.code == "L-LEAK"]
    assert "demo" in problem.remedy


def test_file_that_is_named_elsewhere_is_not_taken_for_a_missing_one(lint):
    (problem,) = lint(lambda data, files: files.pop("pages/data.md")).errors.problems
    assert (problem.code, problem.remedy) == ("L-FILE", "add it")


def test_columns_that_no_program_writes_are_one_error(lint):
    def change(data, files):
        columns = data["leaderboards"][0]["columns"]
        columns += [
            {"index": 50 + number, "title": f"T{number}", "key": f"k{number}"} for number in range(100)
        ]

    (problem,) = lint(change).errors.problems
    assert problem.code == "L-COLUMN"
    assert "k0, k1, " in problem.problem


@pytest.mark.parametrize(
    ("name", "code", "word"),
    [
        ("./competition.yaml", None, ""),
        ("/competition.yaml", None, ""),
        ("competition (1).yaml", "L-COMPETITION", "rename competition (1).yaml"),
        ("mine/competition.yaml", "L-COMPETITION", "content of mine"),
        ("mine\\competition.yaml", "L-COMPETITION", "with /"),
        ("competition.yml", "L-COMPETITION", "rename competition.yml"),
        ("Competition.yaml", "L-COMPETITION", "rename Competition.yaml"),
    ],
)
def test_place_of_competition_yaml_is_found(unpacked, tmp_path, name, code, word):
    folder = re.sub("competition.*[.]ya?ml", "", name, flags=re.I)
    files = {folder + inner: content for inner, content in unpacked["gesture"].items()}
    files[name] = files.pop(f"{folder}competition.yaml")
    path = tmp_path / "bundle.zip"
    path.write_bytes(make_zip(files))
    report, _ = lint_bundle(path, samples=SampleRuns.NONE)
    assert {problem.code for problem in report.errors.problems} == ({code} if code else set())
    assert all(word in problem.remedy for problem in report.errors.problems)


def test_bundle_in_a_zip_is_named(unpacked, tmp_path):
    path = tmp_path / "bundle.zip"
    path.write_bytes(zip_bytes({"mine.zip": zip_bytes(unpacked["gesture"])}))
    report, _ = lint_bundle(path, samples=SampleRuns.NONE)
    (problem,) = report.errors.problems
    assert problem.code == "L-COMPETITION"
    assert "mine.zip" in problem.remedy


@pytest.mark.parametrize(
    ("wrap", "word"),
    [
        (lambda archive: {f"a/b/{name}": data for name, data in members(archive).items()}, "content of a/b,"),
        (lambda archive: {"r.zip": archive, "__MACOSX/._r.zip": b"x"}, "files of r.zip"),
    ],
)
def test_reference_that_is_packed_too_deep_is_one_error(lint, wrap, word):
    (problem,) = lint(
        lambda data, files: files.update({REFERENCE: zip_bytes(wrap(files[REFERENCE]))})
    ).errors.problems
    assert (problem.code, problem.file) == ("L-REFERENCE", REFERENCE)
    assert word in problem.remedy


def test_zip_with_a_password_is_said_to_have_one(unpacked, lint, tmp_path):
    locked = with_flag_of_encryption(make_zip({"a.txt": "x" * 100}))
    (problem,) = lint(file("more.zip", locked)).errors.problems
    assert (problem.code, problem.file) == ("L-ZIP", "more.zip")
    assert "password" in problem.problem
    path = tmp_path / "bundle.zip"
    path.write_bytes(with_flag_of_encryption(zip_bytes(unpacked["gesture"])))
    (problem,) = lint_bundle(path)[0].errors.problems
    assert "password" in problem.problem


@pytest.mark.parametrize(
    ("key", "title", "sorting", "is_warned"),
    [("accuracy", "A", "asc", True), ("a", "Test AP", "asc", True), ("time", "Train time", "desc", True),
     ("accuracy", "A", "desc", False), ("rmse", "Error", "asc", False), ("x", "Map of errors", "asc", False), ("n", "Number", "asc", False)],
)  # fmt: skip
def test_column_of_another_program_that_puts_the_worst_first_is_noticed(lint, key, title, sorting, is_warned):
    def change(data, files):
        files[PROGRAM] = zip_bytes({"metadata.yaml": b"command: python3 run.py", "run.py": b"x"})
        column = {"index": 0, "title": title, "key": key, "sorting": sorting}
        data["leaderboards"][0]["columns"] = [column]

    report = lint(change)
    assert (("L-SORTING", YAML, "/leaderboards/0/columns/0") in places(report.warnings)) == is_warned


@pytest.mark.parametrize(("code", "where", "change"), OLD, ids=[f"{code} {where}" for code, where, _ in OLD])
def test_what_is_wrong_in_the_older_form_has_its_code_and_place(lint, code, where, change):
    report = lint(change, "gesture-v1.5")
    assert (code, YAML, where) in places(report.errors) | places(report.warnings)


def sort_by(key):
    """Return a change that makes a column the primary one, in either form of a bundle."""

    def change(data, files):
        if "leaderboard" in data:
            columns = data["leaderboard"]["columns"]
            first = next(column for column in columns.values() if column["rank"] == 1)
            first["rank"], columns[key]["rank"] = columns[key]["rank"], 1
            return
        board = data["leaderboards"][0]
        (index,) = (column["index"] for column in board["columns"] if column["key"] == key)
        board["primary_index"] = index

    return change


def test_a_leaderboard_sorted_by_coverage_is_a_warning(lint):
    report = lint(sort_by("coverage"))
    assert {place for place in places(report.warnings) if place[0] == "L-BOARD"} == {
        ("L-BOARD", YAML, "/leaderboards/0/columns/1")
    }


@pytest.mark.parametrize("key", ["score", "f1_loc_per_sent", "f1_loc"])
@pytest.mark.parametrize("base", ["generated", "generated-v1.5"])
def test_a_leaderboard_sorted_by_a_column_with_a_loophole_is_a_warning(lint, base, key):
    report = lint(sort_by(key), base)
    assert report.errors.lines() == []
    boards = [problem.where for problem in report.warnings.problems if problem.code == "L-BOARD"]
    column = "/leaderboard/columns/f1_loc_per_sent" if base.endswith("v1.5") else "/leaderboards/0/columns/2"
    assert boards == ([column] if key == "f1_loc_per_sent" else [])


@pytest.mark.parametrize(("base", "where"), [("gesture", "/phases/0/end"), ("gesture-v1.5", "/end_date")])
def test_phases_that_are_over_are_reported_on_the_day_after_their_end(unpacked, tmp_path, base, where):
    path = tmp_path / "bundle.zip"
    path.write_bytes(zip_bytes(unpacked[base]))
    for day, expected in (
        (datetime.date(2027, 12, 31), set()),
        (datetime.date(2028, 1, 1), {("L-DATE", YAML, where)}),
    ):
        found = places(lint_bundle(path, day)[0].warnings)
        assert {place for place in found if place[0] == "L-DATE"} == expected


def test_bundles_of_tasks_that_do_not_exist_are_named(unpacked, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("organizer.bundle.lint.DIST", tmp_path)
    for name in (ID, "owls"):
        (tmp_path / f"{name}.zip").write_bytes(zip_bytes(unpacked["gesture"]))
    assert main(["lint", "--date", "2027-01-01"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "L-OLD" in line]
    assert " L-OLD owls.zip: " in line


@pytest.mark.parametrize("text", ["False", "NO", "off", "f"])
def test_text_for_no_that_the_platform_reads_as_yes_is_a_warning(lint, text):
    report = lint(at("has_registration", value=text), "gesture-v1.5")
    assert ("L-REGISTRATION", YAML, "/has_registration") in places(report.warnings)


def test_every_code_of_the_linter_has_a_case():
    provoked = {code.split()[0] for code, *_ in (*ERRORS, *WARNINGS, *OLD)}
    assert {message_code.code for message_code in CODES.linter} - provoked == {
        "L-YAML", "L-COMPETITION", "L-SAMPLE", "L-NOTHING", "L-OLD",  # in tests of their own
    }  # fmt: skip


@pytest.mark.parametrize(
    ("base", "path", "old", "new"),
    [
        ("gesture", ("phases", 0), "start_date", "start"),
        ("gesture", ("phases", 0), "endDate", "end"),
        ("gesture", ("phases", 0), "End", "end"),
        ("gesture", ("leaderboards", 0, "columns", 0), "label", "title"),
        ("gesture-v1.5", ("phases", 1), "start", "start_date"),
    ],
)
def test_key_of_the_other_form_comes_with_its_name_in_this_one(lint, base, path, old, new):
    def rename(data, files):
        for step in path:
            data = data[step]
        data[old] = data.pop(new)

    (problem,) = lint(rename, base).errors.problems
    assert (problem.code, problem.where) == ("L-UNKNOWN", "/" + "/".join(map(str, (*path, old))))
    assert problem.remedy.endswith(f" {new}")


@pytest.mark.parametrize(
    ("task_id", "name", "text", "items"),
    [
        ("chalearn_action", "S1_labels.csv", "1,1,5,9\n", {"S1"}),
        ("chalearn_action", "S1_labels.csv", "", set()),
        ("chalearn_action", "S1_prediction.csv", "1,1,5,9\n", set()),
        ("kinetics_tps", "gt_part_result.json", '{"v1": {}}', {"v1"}),
        ("kinetics_tps", "gt_vid_result.json", "[1]", set()),
        ("densepose", "val.json", '{"annotations": [{"image_id": 7, "dp_x": [1]}, {"image_id": 8}]}', {"7"}),
        ("densepose", "results.json", '[{"image_id": 7}]', set()),
        (
            "anet_entities_gt",
            "train.json",
            '{"annotations": {"v1": {"segments": {"0": {"process_bnd_box": [[1, 2, 3, 4]]}}}, "v2": {"segments": {}}}}',
            {"v1"},
        ),
        ("anet_entities_gt", "skeleton.json", '{"annotations": {"v1": {"segments": {"0": {"process_bnd_box": []}}}}}', set()),
    ],
)  # fmt: skip
def test_labels_without_the_files_beside_them_are_annotations(task_id, name, text, items):
    assert labelled_items(task_id, name, text.encode()) == items


def test_items_of_an_earlier_phase_need_its_name_in_the_settings(lint):
    report = lint(second_phase(items=("S1", "S2")))
    (problem,) = [problem for problem in report.errors.problems if problem.code == "L-SHARED"]
    assert problem.file == LATER
    for value in (" 1 sequence ", REFERENCE, ": S1"):
        assert value in problem.problem
    assert f"shares_items_with: {ID} " in problem.remedy
    assert codes(lint(second_phase(f"shares_items_with: {ID}".encode())).errors) == set()
    assert codes(lint(second_phase(items=("S2", "S3"))).errors) == set()


def test_demo_reference_that_was_prepared_again_is_named(lint, tmp_path):
    prepare(ID, REFERENCES / ID, tmp_path / "reference")

    def change(data, files):
        data["title"] = "Real data"
        files[REFERENCE] = zip_bytes({**folder_files(tmp_path / "reference"), "signature_key.txt": KEY})

    report = lint(change)
    assert report.errors.ok
    assert ("L-LEAK", "starting_kit.zip", "") in places(report.warnings)


@pytest.mark.parametrize(
    ("name", "key", "both"),
    [("Team name", "team", "team"), ("team", "Team name", "team"), ("Team name", "Team name", "team_name")],
)
def test_question_of_the_fact_sheet_gets_one_word_for_key_and_name(lint, name, key, both):
    report = lint(at("fact_sheet", value={name: {**FACTS, "key": key}}))
    findings = report.warnings if name == key else report.errors
    (remedy,) = (one.remedy for one in findings.problems if one.where == f"/fact_sheet/{name}/key")
    assert f"use {both} for " in remedy


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("dist", "this is a folder"),
        ("none.zip", "check the path"),
        (f"dist/{ID}.zip", "make bundle"),
        ("competition.yaml", "no zip file"),
        ("cut.zip", "not a readable zip"),
        ("damaged.zip", "not a readable zip"),
    ],
)
def test_what_is_no_bundle_is_said_as_what_it_is(tmp_path, monkeypatch, path, words):
    monkeypatch.setattr(lint_module, "DIST", tmp_path / "dist")
    (tmp_path / "dist").mkdir()
    (tmp_path / "competition.yaml").write_text("version: 2\n", encoding="utf-8")
    (tmp_path / "damaged.zip").write_bytes(damaged_zip(zipfile.ZIP_LZMA))
    (tmp_path / "cut.zip").write_bytes(zip_bytes({"competition.yaml": b"version: 2\n"})[:-9])
    (problem,) = lint_bundle(tmp_path / path)[0].errors.problems
    assert problem.code == "L-ZIP"
    assert words in f"{problem.problem}; {problem.remedy}"


@pytest.mark.slow
def test_lint_prints_equal_tables_once(bundles, capsys):
    both = [str(bundles / f"{name}.zip") for name in (ID, "chalearn_action")]
    assert main(["lint", *both]) == 0
    out = capsys.readouterr().out
    assert out.count("who sees   ") == 1
    assert out.count("table above") == 1


@pytest.mark.parametrize("member", ["mine/readme.md", "other/readme.md"])
def test_folder_of_a_missing_zip_is_named_if_it_is_there(lint, member):
    report = lint(both(at("phases", 0, "starting_kit", value="mine.zip"), file(member, b"x")))
    (problem,) = [problem for problem in report.errors.problems if problem.code == "L-FILE"]
    assert ("mine/" in problem.remedy) == (member == "mine/readme.md")


@pytest.mark.slow
def test_sample_that_does_not_score_is_an_error(lint):
    def change(data, files):
        files[f"{ID}_sample.zip"] = zip_bytes({"nothing.csv": b"1,2,3\n"})

    report = lint(change, samples=True)
    assert any(f"{ID}_sample.zip" in line for line in report.errors.lines())


def test_program_of_others_in_their_own_way_is_no_error():
    """Dates without quotes, phases without index, folders, an ingestion program, computed columns, fact sheets."""
    text = """
version: "2"
title: Wheat Seeds
description: Classify seeds
image: logo.png
registration_auto_approve: True
docker_image: codalab/codalab-legacy:py37
terms: terms.md
pages:
  - {title: Overview, file: overview.md}
fact_sheet:
  method: {key: method, type: checkbox, title: Method, selection: [SVM, Other], is_required: "true", is_on_leaderboard: "true"}
tasks:
  - {index: 0, name: Wheat, description: Seeds, input_data: input_data/, reference_data: reference_data/,
     scoring_program: scoring_program/, ingestion_program: ingestion_program/, ingestion_only_during_scoring: False}
solutions:
  - {index: 0, path: solution, tasks: [0]}
phases:
  - {name: Development, description: dev, start: 2024-09-01, end: 2024-12-31 23:59:59, tasks: [0], max_submissions: 0}
  - {name: Final, start: 01-01-2025 00:00, tasks: [0], auto_migrate_to_this_phase: true, starting_kit: starting_kit/}
leaderboards:
  - title: Results
    key: main
    submission_rule: "Force_Last"
    columns:
      - {title: A, key: accuracy, index: 0, sorting: desc, hidden: False}
      - {title: B, key: time, index: 1, sorting: asc}
      - {title: Mean, key: mean, index: 2, computation: avg, computation_indexes: [0, 1]}
"""
    files = {
        "logo.png": (ROOT / "logo.png").read_bytes(),
        "terms.md": b"terms",
        "overview.md": b"overview",
        "input_data/train.csv": b"1,2\n" * 50,
        "reference_data/labels.csv": b"1\n" * 50,
        "reference_data/public.info": b"said twice " * 20,
        "input_data/public.info": b"said twice " * 20,
        "scoring_program/metadata": b"command: python3 $program/score.py $input $output\n",
        "scoring_program/score.py": b"import sklearn\n",
        "ingestion_program/metadata.yaml": b"command: python3 /app/program/ingestion.py $ingestion_program\n",
        "ingestion_program/ingestion.py": b"import torch\n",
        "solution/model.py": b"x = 1\n",
        "starting_kit/readme.md": b"hello",
    }
    report = LintReport()
    data = read_competition(text.encode(), report)
    lint_files(data, files, samples=SampleRuns.ALL, report=report)  # type: ignore[arg-type]
    assert report.errors.lines() == []
    assert {"L-DATE", "L-SAMPLE", "L-LEAK"} <= codes(report.warnings)


@pytest.fixture
def written(unpacked, tmp_path):
    path = tmp_path / "bundle.zip"
    path.write_bytes(zip_bytes(unpacked["gesture"]))
    return path


def test_command_prints_warnings_and_the_table_and_strict_fails_on_warnings(written, capsys):
    assert main(["lint", "--date", "2027-01-01", str(written)]) == 0
    said = capsys.readouterr().out
    assert "bundle.zip: 0 errors, 1 warning\n" in said
    assert "warning 1. L-DEMO" in said
    assert "who sees  " in said
    assert main(["lint", "--strict", str(written)]) == 1


def test_counts_are_those_of_lines_and_facts_about_the_data_do_not_fail_strict(kept_parts, tmp_path, capsys):
    source = tmp_path / "source"
    shutil.copytree(REFERENCES / "chalearn_gesture", source)
    (source / "SYNTHETIC.md").unlink()
    for path in source.glob("Demo*.csv"):
        path.rename(path.with_name(path.name.replace("Demo", "Real")))
    labels = sorted(source.glob("*_labels.csv"))
    for path in labels[1:6]:
        path.write_bytes(labels[0].read_bytes())
    output = tmp_path / "refs" / "chalearn_gesture"
    assert main(f"prepare chalearn_gesture --source {source} --output {output}".split()) == 0
    (path,) = build_all(tmp_path / "refs" / "chalearn_gesture", output=tmp_path / "dist")
    capsys.readouterr()
    assert main(["lint", "--strict", str(path)]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    warnings = [line for line in lines if line.startswith("  warning ")]
    assert any("R-SAME" in line and "places" in line for line in warnings)
    assert first == f"chalearn_gesture.zip: 0 errors, {len(warnings)} warnings"


def table_of(data):
    """Return the cells of a table by the names of its rows."""
    rows = [
        re.split(r"(?<! ) +(?=yes|no\b|by the API|by its|if pub)", line.strip())
        for line in visibility_lines(data)
    ]
    return {name.replace(" (with all scores)", ""): cells for name, *cells in rows}


SHOWN, HIDDEN = ["yes", "no", "yes *"], ["no", "no", "no"]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({}, {"log": SHOWN, "zip of the scores": SHOWN, "zip that was submitted": SHOWN,
              "detail page": ["yes", "yes", "if published"]}),
        ({"hide_score_output": True}, {"log": SHOWN, "zip of the scores": HIDDEN, "zip of the predictions": SHOWN}),
        ({"hide_output": True}, {"log": HIDDEN, "zip of the scores": HIDDEN, "zip that was submitted": ["yes", "no", "no"],
                                 "detail page": ["yes", "yes", "if published"]}),
        ({"hide_output": "yes", "enable_detailed_results": False}, {"log": HIDDEN, "detail page": HIDDEN}),
        ({"show_detailed_results_in_leaderboard": False}, {"detail page": ["yes", "by its address", "if published"]}),
        ({"hide_prediction_output": True}, {"zip of the predictions": HIDDEN, "zip of the scores": SHOWN}),
    ],
)  # fmt: skip
def test_table_shows_who_sees_what_of_runs(unpacked, flags, expected):
    data = yaml.safe_load(unpacked["gesture"]["competition.yaml"])
    data.update({key: flags.pop(key) for key in list(flags) if "detailed" in key})
    data["phases"][0].update(flags)
    table = table_of(data)
    assert {name: table[name] for name in expected} == expected
    assert any("fix of August 2026" in row for row in table) != ("hide_output" in flags)


def test_table_says_that_nothing_hides_scores_and_dates_from_the_api(unpacked):
    data = yaml.safe_load(unpacked["gesture"]["competition.yaml"])
    assert table_of(data)["scores of the leaderboard"] == ["yes", "yes", "by the API"]
    assert not any("dates of phases" in row for row in table_of(data))
    # Programs and kits may be had by everyone, too.
    for name in ("programs", "input data", "reference data"):
        assert "everyone" in table_of(data)[f"the {name}"][0]
    data["leaderboards"][0]["hidden"] = True
    data["leaderboards"][0]["columns"][1]["hidden"] = True
    data["phases"].append(SECOND_PHASE)
    table = table_of(data)
    assert table["scores of the leaderboard"] == table["scores of hidden columns"] == ["by the API"] * 3
    assert "dates of phases" in "".join(visibility_lines(data))


def test_full_detail_of_a_hidden_reference_is_in_the_table_and_in_the_build(
    unpacked, kept_parts, tmp_path, capsys
):
    files = dict(unpacked["gesture"])
    data = yaml.safe_load(files["competition.yaml"])
    second_phase(b"detail: full", ("S2", "S3"))(data, files)
    del data["solutions"]
    files["competition.yaml"] = yaml.safe_dump(data).encode()
    (tmp_path / "bundle.zip").write_bytes(zip_bytes(files))
    assert main(["lint", str(tmp_path / "bundle.zip")]) == 0
    out = capsys.readouterr().out
    assert f"L-DETAIL {LATER}: " in out
    table = out[out.index("who sees  ") :]
    assert table.count("detail: full") == table.count(LATER) == 1
    folder = tmp_path / ID
    folder.mkdir()
    for name, text in members(files[LATER]).items():
        (folder / name).write_bytes(text)
    build_all(folder, output=tmp_path / "dist")
    assert len(re.findall(rf"note \| warning [0-9]+\. L-DETAIL {REFERENCE}: ", capsys.readouterr().out)) == 1


@pytest.mark.parametrize(("base", "is_needed"), [("all", True), ("gesture", False)])
def test_packages_that_an_own_image_has_to_have_are_named(lint, base, is_needed):
    report = lint(at("docker_image", value="python:3.12"), base)
    (problem,) = [problem for problem in report.warnings.problems if problem.code == "L-IMAGE"]
    assert "numpy" in problem.problem
    assert ("PIL" in problem.problem) == is_needed


@pytest.mark.parametrize(("needs", "named"), [(["scipy", "PIL"], []), (["scipy", "pandas"], ["pandas"])])
def test_packages_that_the_known_image_may_lack_are_named(lint, monkeypatch, needs, named):
    monkeypatch.setattr(contents, "load_task", lambda task_id: replace(load_task(task_id), needs=needs))
    report = lint(at("title", value="Gestures"), "gesture")
    problems = [problem.problem for problem in report.warnings.problems if problem.code == "L-IMAGE"]
    assert len(problems) == len(named)
    for problem in problems:
        assert "pandas" in problem
        assert "scipy" not in problem


def nested(depth, width=1):
    """Return a zip with zips in it, which hold zips, and so on."""
    data = make_zip({"a.txt": "x"})
    for _ in range(depth):
        data = make_zip({f"{number}.zip": data for number in range(width)})
    return data


@pytest.mark.parametrize(("depth", "width"), [(200, 1), (9, 10)])
def test_zips_in_zips_are_opened_once_and_deeper_ones_named(lint, depth, width):
    report = lint(file("more.zip", nested(depth, width)))
    assert report.errors.lines() == []
    assert ("L-ZIP", "more.zip", "") in places(report.warnings)


@pytest.mark.slow
def test_zips_that_unpack_to_too_much_are_not_looked_into(lint, monkeypatch):
    monkeypatch.setattr("organizer.bundle.lint.MOST_BYTES", 100 << 20)
    blanks = make_zip({f"{number}.txt": b" " * (20 << 20) for number in range(6)})
    for data in (blanks, make_zip({"inner.zip": blanks})):
        assert places(lint(file("more.zip", data)).errors) == {("L-ZIP", "more.zip", "")}


@pytest.mark.slow
@pytest.mark.parametrize("samples", [SampleRuns.WITH_OUR_PROGRAMS, SampleRuns.ALL])
def test_program_of_another_build_is_run_only_if_asked(unpacked, tmp_path, samples):
    trace = tmp_path / "written"
    files = dict(unpacked["gesture"])
    script = f"open({str(trace)!r}, 'w').close()\n"
    files[PROGRAM] = zip_bytes({**members(files[PROGRAM]), "score.py": script.encode()})
    report = LintReport()
    lint_files(yaml.safe_load(files["competition.yaml"]), files, samples, report)
    assert trace.exists() == (samples is SampleRuns.ALL)
    assert (("L-SAMPLE", f"{ID}_sample.zip", "") in places(report.warnings)) != trace.exists()


@pytest.mark.slow
def test_a_sample_may_leave_columns_of_the_interval_empty(lint):
    def predict_nothing(data, files):
        for solution in data["solutions"]:
            with zipfile.ZipFile(io.BytesIO(files[solution["path"]])) as archive:
                files[solution["path"]] = make_zip(dict.fromkeys(archive.namelist(), ""))
        for index, key in enumerate(("score_low", "score_high"), 9):
            column = {"index": index, "title": key, "key": key, "sorting": "desc"}
            data["leaderboards"][0]["columns"].append(column)

    report = lint(predict_nothing, samples=True)
    assert report.errors.lines() == []
    assert {problem.code for problem in report.warnings.problems} <= set(USUAL)
