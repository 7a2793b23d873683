"""Checking a bundle before it is uploaded.

A JSON Schema says what ``competition.yaml`` may hold; the functions here check what no schema can say. Errors
are problems, warnings are notes; each names its place.
"""

from __future__ import annotations

import datetime
import io
import json
import struct
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from organizer.bundle.build import DEMO_TITLE, DIST
from organizer.data.prepare import SYNTHETIC_MARK, check_reference
from organizer.files import unpack
from organizer.runs.outcome import read_scores
from organizer.runs.worker import run_program
from scoring_program.challenge import challenge_ids, load_challenge
from scoring_program.strict_yaml import load_strict
from validator.findings import Findings

COMPETITION = "competition.yaml"
_SCHEMAS = Path(__file__).parent / "schemas"
_SHELL = set("&|;<>*?`$")
_DATA_KEYS = (
    "scoring_program",
    "reference_data",
    "input_data",
    "ingestion_program",
    "starting_kit",
    "public_data",
    "path",
)
_CUT_NAME = 35
_LONGEST_STEP = 600
_COMPARED_FROM_BYTES = 64


def lint_command(paths: list[Path]) -> int:
    """Lint bundles (default: all in dist/), print the findings, return 1 if any has an error."""
    chosen = paths or sorted([*DIST.glob("*.zip"), *(DIST / "v1.5").glob("*.zip")])
    if not chosen:
        print("there is no bundle in dist/; build one with: make bundle")
        return 1
    failed = False
    for path in chosen:
        findings = lint_bundle(path)
        failed |= not findings.ok
        print(f"{path.name}: {findings.total} errors, {len(findings.notes)} warnings")
        for line in [*findings.lines(shown=None), *(f"warning {note.line()}" for note in findings.notes)]:
            print(f"  {line}")
    return 1 if failed else 0


def lint_bundle(path: Path) -> Findings:
    """Return what is wrong with a bundle."""
    findings = Findings()
    try:
        with zipfile.ZipFile(path) as bundle:
            files = {name: bundle.read(name) for name in bundle.namelist() if not name.endswith("/")}
    except (OSError, zipfile.BadZipFile):
        findings.add("L-ZIP", "this is not a readable zip file", "build it with: make bundle", file=path.name)
        return findings
    if COMPETITION not in files:
        nested = [name for name in files if PurePosixPath(name).name == COMPETITION]
        hint = f"zip the content of {PurePosixPath(nested[0]).parent}, not the folder" if nested else "add it"
        findings.add("L-COMPETITION", "there is no competition.yaml at the root of the zip", hint, file=path.name)
        return findings
    try:
        data = load_strict(files[COMPETITION].decode("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1} column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "this is not UTF-8"
        findings.add("L-YAML", str(problem), "correct it", COMPETITION, where)
        return findings
    if not isinstance(data, dict):
        findings.add("L-YAML", "this is not a mapping", "see competition.yaml of this project", COMPETITION)
        return findings
    modern = "version" in data
    _check_dates_are_text(data, "", findings)
    if not findings.ok or not _check_schema(data, "v2" if modern else "v1.5", findings):
        return findings
    _check_files(data, files, findings)
    _check_logo(files.get(data["image"], b""), data["image"], findings)
    if modern:
        _check_v2(data, findings)
    else:
        _check_v15(data, findings)
    if findings.ok:
        _check_tasks(data, files, modern, findings)
    return findings


def _check_dates_are_text(node: Any, where: str, findings: Findings) -> None:
    if isinstance(node, (datetime.date, datetime.datetime)):
        hint = 'put it in quotes, as "2026-01-01 00:00:00"'
        findings.add("L-DATE", "the date is not quoted and would lose its time of day", hint, COMPETITION, where)
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        _check_dates_are_text(value, f"{where}/{key}", findings)


def _check_schema(data: Any, form: str, findings: Findings) -> bool:
    import jsonschema

    schema = json.loads((_SCHEMAS / f"competition-{form}.json").read_text(encoding="utf-8"))
    # JSON has no integer keys; the phases of the older form have.
    plain = json.loads(json.dumps(data))
    before = findings.total
    for error in sorted(jsonschema.Draft7Validator(schema).iter_errors(plain), key=lambda found: list(found.path)):
        where = "".join(f"/{part}" for part in error.absolute_path)
        findings.add("L-SCHEMA", error.message, _schema_hint(error), COMPETITION, where or "/")
    if isinstance(data.get("version"), float):
        # To a JSON Schema 2.0 is 2; to the platform it is not.
        findings.add("L-SCHEMA", "the version is a decimal fraction", "write version: 2", COMPETITION, "/version")
    return findings.total == before


def _schema_hint(error: Any) -> str:
    if error.validator == "additionalProperties":
        return f"the platform would ignore it; known here are {', '.join(sorted(error.schema.get('properties', {})))}"
    if error.validator == "maxLength":
        return f"the platform's database takes at most {error.validator_value} characters"
    if error.validator == "pattern":
        return 'write the date as "2026-01-01 00:00:00", in UTC'
    return "correct it"


def _named_files(data: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Yield (place, file name, whether it is a data zip) of every file that competition.yaml names."""
    yield "/image", data["image"], False
    if "terms" in data:
        yield "/terms", data["terms"], False
    for index, page in enumerate(data.get("pages", [])):
        yield f"/pages/{index}/file", page["file"], False
    for name, file in data.get("html", {}).items():
        yield f"/html/{name}", file, False
    for group in ("tasks", "phases", "solutions"):
        entries = data.get(group, [])
        for index, entry in entries.items() if isinstance(entries, dict) else enumerate(entries):
            for key in _DATA_KEYS:
                if key in entry:
                    yield f"/{group}/{index}/{key}", entry[key], True


def _check_files(data: dict[str, Any], files: dict[str, bytes], findings: Findings) -> None:
    folders = {name.split("/", 1)[0] for name in files if "/" in name}
    for where, name, is_data in _named_files(data):
        if name.startswith(("/", "\\")) or ".." in name.split("/"):
            findings.add("L-PATH", f"{name} leads out of the bundle", "use a plain name", COMPETITION, where)
        elif name not in files:
            problem = f"{name} is not in the bundle"
            if name.rstrip("/") in folders:
                problem = f"{name} is a folder"
            findings.add("L-FILE", problem, "put a zip of this name at the root of the bundle", COMPETITION, where)
        elif not files[name]:
            findings.add("L-FILE", f"{name} is empty", "fill it", COMPETITION, where)
        elif is_data:
            _check_data_name(name, where, folders, findings)
            if not zipfile.is_zipfile(io.BytesIO(files[name])):
                findings.add("L-FILE", f"{name} is not a zip file", "zip its content", COMPETITION, where)
        elif where != "/image":
            _check_text(name, files[name], findings)
    for name in files:
        if name.endswith(".zip") and name[:-4] in folders:
            hint = "rename one of them: the server zips the folder over the file"
            findings.add("L-CLASH", f"there are both a folder {name[:-4]}/ and a file {name}", hint, name)


def _check_data_name(name: str, where: str, folders: set[str], findings: Findings) -> None:
    if "/" in name:
        findings.add("L-PATH", f"{name} lies in a folder", "put data zips at the root", COMPETITION, where)
    if len(name) > _CUT_NAME:
        findings.note("L-NAME", f"{COMPETITION} {where}: the site cuts {name} to {_CUT_NAME} characters")


def _check_text(name: str, data: bytes, findings: Findings) -> None:
    if data.startswith(b"\xef\xbb\xbf") or b"\0" in data:
        findings.add("L-TEXT", "the page has a byte order mark or a NUL byte", "save it as plain UTF-8", name)
        return
    try:
        if not data.decode("utf-8").strip():
            findings.add("L-TEXT", "the page is empty", "fill it", name)
    except UnicodeDecodeError:
        findings.add("L-TEXT", "the page is not UTF-8", "save it as plain UTF-8", name)


def _check_logo(data: bytes, name: str, findings: Findings) -> None:
    kinds = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"RIFF")
    if data and not data.startswith(kinds):
        findings.add("L-LOGO", "the logo is not a PNG, JPEG, GIF or WebP image", "convert it (an SVG fails)", name)
    elif data.startswith(b"\xff\xd8\xff") and _jpeg_components(data) == 4:
        findings.add("L-LOGO", "the logo is a CMYK JPEG", "save it as RGB", name)


def _jpeg_components(data: bytes) -> int:
    """Return the number of colour components that a JPEG's frame header declares, 0 if there is none."""
    place = 2
    while place + 9 < len(data) and data[place] == 0xFF:
        marker, (length,) = data[place + 1], struct.unpack_from(">H", data, place + 2)
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return data[place + 9]
        place += 2 + length
    return 0


def _check_unique(entries: list[dict[str, Any]], key: str, where: str, findings: Findings) -> None:
    seen: dict[Any, int] = {}
    for index, entry in enumerate(entries):
        first = seen.setdefault(entry[key], index)
        if first != index:
            problem = f"the {key} {entry[key]!r} is that of {where}/{first} too"
            findings.add("L-TWICE", problem, "make them differ", COMPETITION, f"{where}/{index}/{key}")


def _date(text: str, where: str, findings: Findings) -> datetime.datetime | None:
    for form in ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d"):
        try:
            return datetime.datetime.strptime(text, form).replace(tzinfo=datetime.timezone.utc)
        except ValueError:
            continue
    findings.add("L-DATE", f"there is no such day or time: {text}", "correct it", COMPETITION, where)
    return None


def _check_v2(data: dict[str, Any], findings: Findings) -> None:
    for group in ("tasks", "phases", "solutions"):
        _check_unique(data.get(group, []), "index", f"/{group}", findings)
    _check_phases(data["phases"], findings)
    known = {task["index"] for task in data["tasks"]}
    for group in ("phases", "solutions"):
        for index, entry in enumerate(data.get(group, [])):
            for missing in sorted(set(entry["tasks"]) - known):
                where = f"/{group}/{index}/tasks"
                findings.add("L-TASK", f"there is no task with index {missing}", "correct it", COMPETITION, where)
    if len(data["leaderboards"]) > 1:
        findings.add("L-BOARD", "only the first leaderboard is used", "keep one", COMPETITION, "/leaderboards/1")
    board = data["leaderboards"][0]
    _check_unique(board["columns"], "index", "/leaderboards/0/columns", findings)
    _check_unique(board["columns"], "key", "/leaderboards/0/columns", findings)
    if 0 not in [column["index"] for column in board["columns"]]:
        hint = "the leaderboard breaks without one; number the columns from 0"
        findings.add("L-BOARD", "no column has the index 0", hint, COMPETITION, "/leaderboards/0/columns")
    _check_rule(board.get("submission_rule", "Add"), len(data["tasks"]), findings)


def _check_rule(rule: str, n_tasks: int, findings: Findings) -> None:
    where = "/leaderboards/0/submission_rule"
    if rule in ("Add", "Add_And_Delete"):
        findings.note(
            "L-RULE", f"{COMPETITION} {where}: under {rule} results are not placed on the board by themselves"
        )
    if rule == "Force_Best" and n_tasks > 1:
        hint = "use Force_Latest_Multiple with several tasks"
        findings.add(
            "L-RULE",
            "Force_Best drops an entry in one task when another is entered",
            hint,
            COMPETITION,
            where,
        )


def _check_phases(phases: list[dict[str, Any]], findings: Findings) -> None:
    if [phase["index"] for phase in phases] != sorted(phase["index"] for phase in phases):
        findings.add("L-PHASE", "the phases are not in the order of their index", "sort them", COMPETITION, "/phases")
    previous_end = None
    for place, phase in enumerate(phases):
        where = f"/phases/{place}"
        start = _date(phase["start"], f"{where}/start", findings)
        end = _date(phase["end"], f"{where}/end", findings) if "end" in phase else None
        if "end" not in phase and place < len(phases) - 1:
            findings.add("L-PHASE", "the phase has no end", "all but the last need one", COMPETITION, where)
        if start and end and end <= start:
            findings.add("L-PHASE", "the phase ends before it starts", "swap the dates", COMPETITION, f"{where}/end")
        if start and previous_end and start <= previous_end:
            hint = "a phase starts after the end of the one before (equal is an error)"
            findings.add(
                "L-PHASE",
                "the phase starts before the last one has ended",
                hint,
                COMPETITION,
                f"{where}/start",
            )
        previous_end = end or previous_end
        if phase.get("execution_time_limit", 0) > _LONGEST_STEP:
            findings.note("L-LIMIT", f"{COMPETITION} {where}: the default queue allows {_LONGEST_STEP} s a step")


def _check_v15(data: dict[str, Any], findings: Findings) -> None:
    phases = [data["phases"][key] for key in data["phases"]]
    _check_unique(phases, "phasenumber", "/phases", findings)
    starts = [_date(phase["start_date"], "/phases", findings) for phase in phases]
    known = [start for start in starts if start]
    if known != sorted(set(known)):
        findings.add("L-PHASE", "the phases do not start one after the other", "sort them", COMPETITION, "/phases")
    end = _date(data["end_date"], "/end_date", findings) if "end_date" in data else None
    if end and known and end <= known[-1]:
        findings.add(
            "L-PHASE",
            "the competition ends before its last phase starts",
            "correct it",
            COMPETITION,
            "/end_date",
        )
    columns = [{"key": key, **column} for key, column in data["leaderboard"]["columns"].items()]
    _check_unique(columns, "rank", "/leaderboard/columns", findings)


def _check_tasks(data: dict[str, Any], files: dict[str, bytes], modern: bool, findings: Findings) -> None:
    """Check programs, reference data, kits and samples: what is in the zips."""
    if modern:
        keys = [column["key"] for column in data["leaderboards"][0]["columns"]]
        tasks = {task["index"]: task for task in data["tasks"]}
        samples = {index: entry["path"] for entry in data.get("solutions", []) for index in entry["tasks"]}
        limit = max(phase.get("execution_time_limit", _LONGEST_STEP) for phase in data["phases"])
        group = "tasks"
    else:
        keys = list(data["leaderboard"]["columns"])
        tasks, samples, limit, group = dict(data["phases"].items()), {}, _LONGEST_STEP, "phases"
    public = _public_files(data, files)
    for index, task in tasks.items():
        where = f"/{group}/{index}"
        program = files[task["scoring_program"]]
        challenge_id = _check_program(program, task["scoring_program"], findings)
        if "reference_data" not in task:
            findings.add("L-REFERENCE", "the task has no reference data", "name a zip", COMPETITION, where)
            continue
        reference = files[task["reference_data"]]
        demo = _check_reference(reference, task["reference_data"], challenge_id, public, findings)
        if demo and not data["title"].startswith(DEMO_TITLE):
            hint = "build with REFERENCE=DIR before you open the competition"
            findings.add("L-DEMO", "the reference data is synthetic and the title does not say so", hint, COMPETITION)
        elif demo:
            findings.note(
                "L-DEMO",
                f"{task['reference_data']} is synthetic demo data: do not open a competition with it",
            )
        if challenge_id is None or not findings.ok:
            continue
        if index in samples:
            _check_sample(
                program, reference, files[samples[index]], samples[index], challenge_id, keys, limit, findings
            )
        else:
            _check_columns(challenge_id, keys, where, findings)


def _check_columns(challenge_id: str, keys: list[str], where: str, findings: Findings) -> None:
    written = {column.key for column in load_challenge(challenge_id).columns}
    for key in keys:
        if key not in written:
            hint = f"it writes {', '.join(sorted(written))}"
            findings.add("L-COLUMN", f"the scoring program does not write {key}", hint, COMPETITION, where)


def _check_program(program: bytes, name: str, findings: Findings) -> str | None:
    """Check metadata and command of a scoring program; return the id of its challenge if it is one of ours."""
    with zipfile.ZipFile(io.BytesIO(program)) as archive:
        names = set(archive.namelist())
        if "metadata.yaml" not in names:
            findings.add("L-METADATA", "there is no metadata.yaml: such a program hangs", "add one", name)
            return None
        metadata = yaml.safe_load(archive.read("metadata.yaml"))
    command = metadata.get("command") if isinstance(metadata, dict) else None
    if not isinstance(command, str) or not command.strip():
        findings.add("L-METADATA", "there is no command", "write command: python3 …", name, "metadata.yaml")
        return None
    if _SHELL & set(command):
        hint = "there is no shell: write one plain command"
        findings.add("L-METADATA", f"the command holds shell characters: {command}", hint, name, "metadata.yaml")
    for word in command.split():
        if word.startswith("/app/program/") and word[len("/app/program/") :] not in names:
            findings.add("L-METADATA", f"{word} is not in the program", "correct the command", name, "metadata.yaml")
    found = [known for known in challenge_ids() if f"scoring_program/challenges/{known}/challenge.yaml" in names]
    return found[0] if len(found) == 1 else None


def _check_reference(
    reference: bytes, name: str, challenge_id: str | None, public: dict[bytes, str], findings: Findings
) -> bool:
    """Check reference data; return whether it is the synthetic demo reference."""
    with tempfile.TemporaryDirectory() as folder:
        unpack(reference, Path(folder))
        demo = (Path(folder) / SYNTHETIC_MARK).is_file()
        own = Findings()
        if challenge_id:
            check_reference(challenge_id, Path(folder), own)
        for problem in own.problems:
            place = f"{problem.file} {problem.where}".strip()
            findings.add(f"L-REFERENCE {problem.code}", problem.problem, problem.hint, name, place)
        if not demo:
            for path in sorted(Path(folder).rglob("*")):
                content = path.read_bytes() if path.is_file() else b""
                if len(content) >= _COMPARED_FROM_BYTES and content in public:
                    hint = "everyone can download that; take it out"
                    findings.add("L-LEAK", f"{path.name} of {name} lies in public files", hint, public[content])
    return demo


def _public_files(data: dict[str, Any], files: dict[str, bytes]) -> dict[bytes, str]:
    """Return content -> place of everything that participants can download, zips opened."""
    found: dict[bytes, str] = {}
    for where, name, is_data in _named_files(data):
        if is_data and where.rsplit("/", 1)[1] in ("starting_kit", "public_data", "path"):
            pending = [(name, files[name])]
            while pending:
                place, content = pending.pop()
                found[content] = place
                if zipfile.is_zipfile(io.BytesIO(content)):
                    with zipfile.ZipFile(io.BytesIO(content)) as archive:
                        pending += [(f"{place}/{inner}", archive.read(inner)) for inner in archive.namelist()]
    return found


def _check_sample(
    program: bytes, reference: bytes, sample: bytes, name: str, challenge_id: str, keys: list[str], limit: float,
    findings: Findings,
) -> None:  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        submission = place / name
        submission.write_bytes(sample)
        run = run_program(program, reference, submission, challenge_id, place / "app", limit)
        _, warnings = read_scores(run, keys)
    if run.exit_code != 0:
        said = " ".join(run.stderr.split())[:300]
        findings.add("L-SAMPLE", f"the sample does not score (exit {run.exit_code}): {said}", "make it anew", name)
    for warning in warnings:
        if "is not a column" in warning and "(the column is" not in warning:
            continue  # further numbers that the scores file carries on purpose
        findings.add("L-COLUMN", warning, "correct the leaderboard or the program", name)
