"""The command ``archive``: what is left of a competition, in a folder that can be deposited for a DOI.

It holds nothing that the competition hid, unless organizers ask for the reference: each file is compared with
the files of the references, also inside of zips.
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import shlex
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import yaml

from organizer.bundle import DIST, SOURCE
from organizer.bundle.competition import DATA_KEYS, Competition, LintReport, entries_of
from organizer.bundle.contents import digests_in, secret_digests_in
from organizer.bundle.cut import task_id_of
from organizer.bundle.outdated import changed_sources
from organizer.bundle.public_checks import check_public_data, load_zipped
from organizer.data.prepare import is_synthetic
from organizer.errors import InputError
from organizer.files import (
    MALFORMED,
    Files,
    file_hash,
    files_below,
    folder_files,
    rewrite_files,
    samples_folder,
    zip_bytes,
    zip_files,
)
from organizer.ranking.page import ranking_page
from organizer.ranking.ranking import Ranking, subfolders_of
from organizer.ranking.report import FACTS
from organizer.ranking.stored import read_rankings, saved_facts
from organizer.ranking.tables import items_csv, pairs_csv
from organizer.runs.built import read_bundle, reference_in
from scoring_program.signature import KEY_FILE
from validator.texts import counted, printable, quote_path, some_words

SUMS = "SHA256SUMS"
CITATION = "CITATION.cff"
ZENODO = ".zenodo.json"
_PLACEHOLDER = "FILL IN:"
_REPORT_FILES = ("ranking.csv", "ranking.tex", "methods.txt", FACTS)
_SHOWN_NAMES = 3


def archive(task_id: str, ranking: Path, report: Path, output: Path, with_reference: bool) -> int:
    """Write the archive of the competition of a task, from its bundle, its ranking and its report.

    ``CITATION.cff`` and ``.zenodo.json`` in ``output`` are kept as they are: organizers edit them. Raises
    InputError if something is missing, and Refused if a file shows what is in a reference.
    """
    files = _archive_files(task_id, ranking, report, with_reference)
    for name in (CITATION, ZENODO):
        if (output / name).is_file():
            files[name] = (output / name).read_bytes()
    # Written last: until then the sums are those of the earlier archive.
    files[SUMS] = _sums(files)
    names_before = [*_listed_names(output / SUMS)]
    rewrite_files(files, output)
    for name in names_before:
        if name not in files:
            (output / name).unlink(missing_ok=True)
            with suppress(OSError):  # it, or a folder that it is in, holds other files
                os.removedirs((output / name).parent)
    print(printable(f"{counted(len(files), 'file')} written to {output}"))
    for name in (CITATION, ZENODO):
        if _PLACEHOLDER.encode() in files[name]:
            print(f"note | replace what begins with {_PLACEHOLDER} in {name}, and run this again")
    return 0


def _archive_files(task_id: str, ranking: Path, report: Path, with_reference: bool) -> dict[str, bytes]:
    """Return the files of an archive by their names, without their sums. Raises InputError, Refused."""
    bundle_path = DIST / f"{task_id}.zip"
    if not bundle_path.is_file():
        raise InputError(f"{bundle_path}: there is no such bundle; run make bundle")
    bundle, competition = read_bundle(bundle_path)
    changed_names = changed_sources(bundle_path, bundle, SOURCE)
    if changed_names:
        built_from = f"{bundle_path.name} was not built from today's {some_words(changed_names)}"
        print(printable(f"warning | {built_from}; to archive these, run make bundle first"))
    competition = _with_names_of_bundle(competition)
    references = _references(competition, bundle)
    rankings = _stored_rankings(task_id, ranking)
    _warn_of_other_names(rankings)
    _check_same_run(task_id, ranking, report, rankings)
    _check_same_bundle(task_id, competition, bundle, references, rankings)
    public_bundle, left_out = _public_bundle(task_id, competition, bundle, references)
    files = {f"bundle/{name}": data for name, data in public_bundle.items()}
    files.update(_ranking_files(rankings, with_reference=False))
    files.update(_report_files(report, rankings))
    _check_leaks(competition, files, references)
    if with_reference:
        files.update(_ranking_files(rankings, with_reference=True))
        for name, reference in references.items():
            folder = f"reference/{posixpath.basename(name).removesuffix('.zip')}"
            without_key = {path: data for path, data in zip_files(reference).items() if path != KEY_FILE}
            files.update({f"{folder}/{path}": data for path, data in without_key.items()})
    files["README.md"] = _readme(competition, left_out, with_reference)
    files[CITATION] = _citation(competition)
    files[ZENODO] = _zenodo(competition)
    return files


def _stored_rankings(task_id: str, folder: Path) -> dict[str, Ranking]:
    """Return the rankings in a folder, by the subfolder of their protocol. Raises InputError."""
    rankings = read_rankings(folder, task_id)
    if not all(ranking.team_records for ranking in rankings):
        raise InputError(f"{folder}: no submission is ranked, so there is nothing to archive")
    return dict(zip(subfolders_of(rankings), rankings))


def _warn_of_other_names(rankings: Mapping[str, Ranking]) -> None:
    """Print a warning if the table of names has changed since it gave the names of the teams."""
    for ranking in rankings.values():
        path = Path(ranking.names_file)
        if path.is_file() and file_hash(path) != ranking.facts.names:
            remedy = "to archive what it says now, run rescore and report first"
            print(printable(f"warning | {path} has changed since the ranking was made; {remedy}"))


def _ranking_files(rankings: Mapping[str, Ranking], with_reference: bool) -> dict[str, bytes]:
    """Return the files of rankings that are archived.

    ranking.csv is none of them: its names of submissions are those of accounts. The report has one without.
    """
    files = {}
    for subfolder, ranking in rankings.items():
        texts = {"ranking.html": ranking_page(ranking), "pairs.csv": pairs_csv(ranking.published)}
        if with_reference:
            texts["items.csv"] = items_csv(ranking)
        for name, text in texts.items():
            files[posixpath.join("ranking", subfolder, name)] = text.encode("utf-8", "replace")
    return files


def _report_files(report: Path, rankings: Mapping[str, Ranking]) -> dict[str, bytes]:
    """Return the files of a report that are archived."""
    files = {}
    for subfolder in rankings:
        for name in _REPORT_FILES:
            path = report / subfolder / name
            if path.is_file():
                files[posixpath.join("report", subfolder, name)] = path.read_bytes()
    return files


def _check_same_run(task_id: str, folder: Path, report: Path, rankings: Mapping[str, Ranking]) -> None:
    """Raise InputError unless a report is of the rankings, which are in ``folder``."""
    paths = f"--ranking {shlex.quote(str(folder))} --output {shlex.quote(str(report))}"
    remedy = f"run organizer report {task_id} {paths}"
    for subfolder, ranking in rankings.items():
        path = report / subfolder / FACTS
        try:
            report_facts = dict(json.loads(path.read_text(encoding="utf-8")))
        except MALFORMED:
            problem = f"{quote_path(str(path))}: it is not there, or cannot be read"
            raise InputError(f"{problem}; {remedy}") from None
        facts = saved_facts(ranking.facts)
        names = [name for name in {**facts, **report_facts} if facts.get(name) != report_facts.get(name)]
        if names:
            sides = [f"{name}: {facts.get(name)!r} and {report_facts.get(name)!r}" for name in names]
            pair_text = f"the ranking and the report in {quote_path(str(report))}"
            raise InputError(f"{pair_text} are of two runs ({'; '.join(sides)}); {remedy}")


def _check_same_bundle(
    task_id: str,
    competition: Competition,
    bundle: Files,
    references: Files,
    rankings: Mapping[str, Ranking],
) -> None:
    """Raise InputError unless the rankings were made with a program and a reference of the bundle."""
    entries = [entry for _, entry in entries_of(competition, "tasks") if task_id_of(entry) == task_id]
    remedy = "run make bundle, then rescore and report, all with one reference"
    programs = {_digest(bundle[name]) for entry in entries if (name := entry["scoring_program"]) in bundle}
    references_of_task = [references[str(entry.get("reference_data", ""))] for entry in entries]
    for ranking in rankings.values():
        facts = ranking.facts
        if programs and facts.program not in programs:
            sides = f"ranking: {facts.program}, bundle: {some_words(sorted(programs))}"
            raise InputError(f"the ranking and the bundle have two programs ({sides}); {remedy}")
        signatures = [_signature_of(task_id, data, facts.protocol) for data in references_of_task]
        if facts.signature not in signatures:
            sides = f"ranking: {facts.signature}, bundle: {some_words(signatures)}"
            raise InputError(f"the ranking and the bundle have two references ({sides}); {remedy}")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _signature_of(task_id: str, reference: bytes, protocol: str) -> str:
    """Return the signature of scores with a reference. Raises Refused."""
    with tempfile.TemporaryDirectory() as folder:
        return load_zipped(task_id, reference, Path(folder), protocol).signature


def _with_names_of_bundle(competition: Competition) -> Competition:
    """Return a competition that names its files as the bundle does: ``./labels/`` becomes ``labels``."""
    named = dict(competition)
    for group in ("tasks", "phases", "solutions"):
        entries = []
        for _, entry in entries_of(competition, group):
            paths = {key: posixpath.normpath(str(entry[key])) for key in DATA_KEYS if entry.get(key)}
            entries.append({**entry, **paths})
        named[group] = entries
    return named


def _paths_of(competition: Competition, group: str, key: str) -> set[str]:
    """Return the files that the entries of a group name under a key."""
    return {str(entry[key]) for _, entry in entries_of(competition, group) if entry.get(key)}


def _is_below(name: str, paths: Collection[str]) -> bool:
    """Return whether a file of a bundle is at one of these paths, or in a folder there."""
    return any(name == path or name.startswith(f"{path}/") for path in paths)


def _references(competition: Competition, bundle: Files) -> Files:
    """Return the zip of each reference of a bundle by its name. Raises Refused."""
    entries = [entry for _, entry in entries_of(competition, "tasks")]
    return {str(entry.get("reference_data", "")): reference_in(bundle, entry) for entry in entries}


def _public_bundle(
    task_id: str, competition: Competition, bundle: Files, references: Collection[str]
) -> tuple[dict[str, bytes], list[str]]:
    """Return the files of a bundle that may be published, and the names of the others.

    A solution may be made of labels, whatever its form. Only the sample of this repository is known not to
    be.
    """
    known_sample = zip_bytes(folder_files(samples_folder(task_id) / "good"))
    solutions = _paths_of(competition, "solutions", "path")
    public, left_out = {}, []
    for name, data in bundle.items():
        is_unknown_solution = _is_below(name, solutions) and data != known_sample
        if _is_below(name, references) or is_unknown_solution or posixpath.basename(name) == KEY_FILE:
            left_out.append(name)
        else:
            public[name] = data
    return public, sorted(left_out)


def _check_leaks(competition: Competition, files: Files, references: Files) -> None:
    """Raise Refused if a file to publish, or one in a zip, shows what a reference hides.

    Public data may hold files of a reference, and is checked as the linter does. Demo data hides nothing.
    """
    report = LintReport()
    in_bundle = files_below("bundle", files)
    public_names = _paths_of(competition, "phases", "public_data")
    public_folders = {name: files_below(name, in_bundle) for name in public_names}
    public_zips = {name: zip_bytes(folder) for name, folder in public_folders.items() if folder}
    check_public_data(competition, {**in_bundle, **public_zips, **references}, report)
    to_compare = {
        name: data
        for name, data in files.items()
        if not _is_below(name.removeprefix("bundle/"), public_names)
    }
    for name, reference in references.items():
        if not is_synthetic(reference):
            _compare_files(name, reference, to_compare, report)
    report.errors.refuse_problems()


def _compare_files(reference: str, reference_zip: bytes, files: Files, report: LintReport) -> None:
    """Report the files that hold a file of a reference."""
    secret = secret_digests_in(reference_zip)
    for name, data in files.items():
        common = secret.keys() & digests_in(data).keys()
        names = sorted(secret[digest] or reference for digest in common)
        if names:
            report.add(
                "reference is shown",
                file=name,
                files=counted(len(names), "file"),
                reference=reference,
                names=some_words(names, most=_SHOWN_NAMES),
                remedy="take them out of the bundle",
            )


def _readme(competition: Competition, left_out: list[str], with_reference: bool) -> bytes:
    lines = [
        f"# {competition['title']}",
        "",
        "- `bundle/`: the competition as it was uploaded, with its scoring program and public data",
        "- `ranking/`: the ranking, and all pairs of teams",
        "- `report/`: tables for papers, and what the ranking was made of, with the signature of the scores",
        "- `SHA256SUMS`: check with `sha256sum --check SHA256SUMS`",
    ]
    if with_reference:
        lines.append(
            "- `reference/`: the reference data, without the key of the signature; `items.csv` in `ranking/`"
        )
    if left_out:
        lines += ["", "Left out of `bundle/`, because they are or may be made of hidden labels:", ""]
        lines += [f"- `{name}`" for name in left_out]
    return "".join(f"{line}\n" for line in lines).encode()


def _citation(competition: Competition) -> bytes:
    """Return a CITATION.cff of a competition with place-holders for what its bundle does not hold."""
    citation = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them.",
        "type": "dataset",
        "title": str(competition["title"]),
        "abstract": str(competition.get("description") or f"{_PLACEHOLDER} what the competition was about"),
        "authors": [
            {"family-names": f"{_PLACEHOLDER} family name", "given-names": f"{_PLACEHOLDER} given names"}
        ],
        "doi": f"{_PLACEHOLDER} the DOI, once there is one",
        "license": f"{_PLACEHOLDER} a license, as CC-BY-4.0",
    }
    return yaml.safe_dump(citation, sort_keys=False, allow_unicode=True, width=100).encode()


def _zenodo(competition: Competition) -> bytes:
    """Return a .zenodo.json of a competition with place-holders."""
    content = {
        "title": str(competition["title"]),
        "description": str(
            competition.get("description") or f"{_PLACEHOLDER} what the competition was about"
        ),
        "upload_type": "dataset",
        "creators": [
            {"name": f"{_PLACEHOLDER} family name, given names", "affiliation": f"{_PLACEHOLDER} place"}
        ],
        "license": f"{_PLACEHOLDER} a license, as cc-by-4.0",
        "keywords": ["challenge", "ranking"],
    }
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def _sums(files: Files) -> bytes:
    """Return the SHA-256 of each file in the form of sha256sum."""
    lines = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)]
    return "".join(lines).encode()


def _listed_names(sums: Path) -> Iterator[str]:
    """Yield the names in a list of sums that are within its folder."""
    if not sums.is_file():
        return
    for line in sums.read_text(encoding="utf-8").splitlines():
        name = line.partition("  ")[2]
        if name and not posixpath.isabs(name) and ".." not in name.split("/"):
            yield name
