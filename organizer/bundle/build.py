"""Building the bundles that are uploaded.

``competition.yaml`` at the root is the truth for the competition of all tasks. A bundle of one task takes the
general facts from there, its texts from ``pages/<id>.md`` and its columns from ``challenge.yaml``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from organizer import ROOT
from organizer.bundle.packing import needed_code, vendored_files
from organizer.data.prepare import SYNTHETIC_MARK, reference_files
from organizer.data.synthetic import samples_folder
from organizer.files import folder_files, zip_bytes
from scoring_program.challenge import Challenge, challenge_ids, load_challenge
from scoring_program.strict_yaml import load_strict

DIST = ROOT / "dist"
DEMO_TITLE = "[DEMO DATA] "
_CLASSIC_COMMAND = "command: python3 $program/score.py $input $output\n"
_SHARED_PAGES = ("evaluation", "data", "terms")


@dataclass(frozen=True)
class Parts:
    """The zips of one task; ``sample`` is None if there is none that fits the reference."""

    challenge: Challenge
    program: bytes
    reference: bytes
    sample: bytes | None
    demo: bool


def build_all(reference: Path | None, form: str = "v2", output: Path = DIST) -> list[Path]:
    """Build all bundles of a form (``v2`` or ``v1.5``) into ``output`` and return their paths.

    ``reference`` is a folder with one folder a task; a task it lacks gets the synthetic demo reference.
    """
    parts = [build_parts(challenge_id, reference) for challenge_id in challenge_ids()]
    bundles = {}
    truth = load_strict((ROOT / "competition.yaml").read_text(encoding="utf-8"))
    if form == "v2":
        bundles["competition.zip"] = _competition(truth, parts)
        for part in parts:
            bundles[f"{part.challenge.id}.zip"] = _single_task(truth, part)
    else:
        for part in parts:
            bundles[f"v1.5/{part.challenge.id}.zip"] = _classic(truth, part)
    written = []
    for name, data in bundles.items():
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        written.append(path)
    return written


def build_parts(challenge_id: str, reference: Path | None) -> Parts:
    """Build the zips of one task."""
    own = reference / challenge_id if reference else None
    given = own is not None and own.is_dir()
    folder = own if own is not None and given else ROOT / "reference_data" / challenge_id
    sample: bytes | None = zip_bytes(folder_files(samples_folder(challenge_id) / "good"))
    if own is not None and given:
        # A sample for the demo data cannot score here, and one made from hidden data must not be shown.
        beside = own.with_name(f"{challenge_id}_sample.zip")
        sample = beside.read_bytes() if beside.is_file() else None
    demo = (folder / SYNTHETIC_MARK).is_file()
    return Parts(
        load_challenge(challenge_id),
        build_program(challenge_id),
        zip_bytes(reference_files(challenge_id, folder)),
        sample,
        demo,
    )


def program_files(challenge_ids: list[str]) -> dict[str, bytes]:
    """Return the files of a scoring program for these tasks: our code that it needs, declarations, wheels."""
    source = ROOT / "scoring_program"
    programs = [
        f"scoring_program.challenges.{name}.{module}" for name in challenge_ids for module in ("program", "detail")
    ]
    files = needed_code(["scoring_program.scoring", *programs])
    files["scoring_program/report/style.css"] = (source / "report" / "style.css").read_bytes()
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    for name in challenge_ids:
        for place in (f"scoring_program/challenges/{name}/challenge.yaml", f"validator/rules/{name}.yaml"):
            files[place] = (ROOT / place).read_bytes()
    for name in list(files):
        if name.startswith("validator/formats/"):
            files.update(_schema_files(files[name].decode()))
    return {**files, **vendored_files(compiled="validator/typed_json.py" in files)}


def _schema_files(code: str) -> dict[str, bytes]:
    """Return the schema files that the code of a format names."""
    schemas = sorted((ROOT / "validator" / "schemas").glob("*.json"))
    return {f"validator/schemas/{path.name}": path.read_bytes() for path in schemas if f'"{path.name}"' in code}


def build_program(challenge_id: str) -> bytes:
    """Return the self-contained scoring program of one task as a zip."""
    files = program_files([challenge_id])
    source = ROOT / "scoring_program"
    files["score.py"] = (source / "score.py").read_bytes()
    files["metadata.yaml"] = (source / "challenges" / challenge_id / "metadata.yaml").read_bytes()
    files["metadata"] = _CLASSIC_COMMAND.encode()
    return zip_bytes(files)


def build_kit(challenge_ids: list[str]) -> bytes:
    """Return the starting kit for these tasks as a zip. It always holds the demo reference, never another."""
    kit = ROOT / "starting_kit"
    files = {
        name: (kit / name).read_bytes() for name in ("README.md", "evaluate.py", "kit_path.py", "requirements.txt")
    }
    files.update(program_files(challenge_ids))
    files.update(needed_code(["validator.__main__"]))
    schema = "scoring_program/report/detailed_results.schema.json"
    files["formats/detailed_results.schema.json"] = (ROOT / schema).read_bytes()
    for name in challenge_ids:
        for extra in load_challenge(name).kit_files:
            files[extra] = (kit / extra).read_bytes()
        for data_file in load_challenge(name).kit_data:
            files[data_file] = (ROOT / data_file).read_bytes()
        for sample in sorted(samples_folder(name).iterdir()):
            files[f"samples/{name}/{sample.name}.zip"] = zip_bytes(folder_files(sample))
        for place, data in reference_files(name, ROOT / "reference_data" / name).items():
            files[f"demo_reference/{name}/{place}"] = data
        files[f"formats/{name}.md"] = (ROOT / "pages" / f"{name}.md").read_bytes()
    return zip_bytes(files)


def _competition(truth: dict[str, Any], parts: list[Parts]) -> bytes:
    data = dict(truth)
    data["title"] = _title(data["title"], any(part.demo for part in parts))
    with_sample = {f"{part.challenge.id}_sample.zip" for part in parts if part.sample}
    data["solutions"] = [entry for entry in data["solutions"] if entry["path"] in with_sample]
    files = {page["file"]: (ROOT / page["file"]).read_bytes() for page in data["pages"]}
    files[data["terms"]] = (ROOT / data["terms"]).read_bytes()
    return _bundle(data, files, parts)


def _single_task(truth: dict[str, Any], part: Parts) -> bytes:
    challenge = part.challenge
    name = challenge.id
    pages = [{"title": "Task", "file": f"pages/{name}.md"}]
    pages += [page for page in truth["pages"] if Path(page["file"]).stem in _SHARED_PAGES]
    (phase,) = truth["phases"]
    data = {
        **{key: value for key, value in truth.items() if key not in ("solutions", "leaderboards", "tasks", "phases")},
        "title": _title(challenge.title, part.demo),
        "description": challenge.summary,
        "pages": pages,
        "tasks": [{**next(task for task in truth["tasks"] if task["scoring_program"] == f"{name}_program.zip")}],
        "solutions": [{"index": 0, "path": f"{name}_sample.zip", "tasks": [0]}] if part.sample else [],
        "phases": [{**phase, "tasks": [0]}],
        "leaderboards": [
            {**truth["leaderboards"][0], "submission_rule": "Force_Best", "columns": columns(challenge)}
        ],
    }
    data["tasks"][0]["index"] = 0
    files = {page["file"]: (ROOT / page["file"]).read_bytes() for page in pages}
    files[data["terms"]] = (ROOT / data["terms"]).read_bytes()
    return _bundle(data, files, [part])


def columns(challenge: Challenge) -> list[dict[str, Any]]:
    """Return the leaderboard columns of a challenge, the primary one with index 0."""
    shown = [column for column in challenge.columns if column.leaderboard]
    return [
        {"index": index, "title": c.title, "key": c.key, "sorting": c.sorting, "precision": c.precision}
        for index, c in enumerate(shown)
    ]


def _bundle(data: dict[str, Any], files: dict[str, bytes], parts: list[Parts]) -> bytes:
    if not data["solutions"]:
        del data["solutions"]
    files["competition.yaml"] = _yaml(data)
    files[data["image"]] = (ROOT / data["image"]).read_bytes()
    files["starting_kit.zip"] = build_kit([part.challenge.id for part in parts])
    for part in parts:
        name = part.challenge.id
        files[f"{name}_program.zip"] = part.program
        files[f"{name}_reference.zip"] = part.reference
        if part.sample:
            files[f"{name}_sample.zip"] = part.sample
    return zip_bytes(files)


def _classic(truth: dict[str, Any], part: Parts) -> bytes:
    """Return a bundle in the older form, which classic CodaLab reads: one task, one phase."""
    challenge = part.challenge
    name = challenge.id
    (phase,) = truth["phases"]
    pages = {"overview": f"pages/{name}.md", **{page: f"pages/{page}.md" for page in _SHARED_PAGES}}
    shown = columns(challenge)
    data = {
        "title": _title(challenge.title, part.demo),
        "description": challenge.summary,
        "image": truth["image"],
        "has_registration": True,
        "end_date": phase["end"],
        "competition_docker_image": truth["docker_image"],
        "enable_detailed_results": True,
        "html": pages,
        "phases": {
            1: {
                "phasenumber": 1,
                "label": phase["name"],
                "start_date": phase["start"],
                "max_submissions": phase["max_submissions"],
                "max_submissions_per_day": phase["max_submissions_per_day"],
                "execution_time_limit": phase["execution_time_limit"],
                "scoring_program": f"{name}_program.zip",
                "reference_data": f"{name}_reference.zip",
                "starting_kit": "starting_kit.zip",
            }
        },
        "leaderboard": {
            "leaderboards": {"RESULTS": {"label": "Results", "rank": 1}},
            "columns": {
                column["key"]: {
                    "leaderboard": {"label": "Results", "rank": 1},
                    "label": column["title"],
                    "rank": column["index"] + 1,
                    "sort": column["sorting"],
                    "numeric_format": column["precision"],
                }
                for column in shown
            },
        },
    }
    files = {page: (ROOT / page).read_bytes() for page in pages.values()}
    files["competition.yaml"] = _yaml(data)
    files[truth["image"]] = (ROOT / truth["image"]).read_bytes()
    files[f"{name}_program.zip"] = part.program
    files[f"{name}_reference.zip"] = part.reference
    files["starting_kit.zip"] = build_kit([name])
    return zip_bytes(files)


def _title(title: str, demo: bool) -> str:
    return DEMO_TITLE + title if demo else title


def _yaml(data: dict[str, Any]) -> bytes:
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100).encode()
