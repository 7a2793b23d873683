"""What a checkout does with cases: all that its commands print and write.

A checkout is met at borders that stay from version to version only: ``python -m organizer``, the kit and the
programs that it builds, and their commands. Each checkout runs with the interpreter of its ``.venv``, so that
each has the packages that it needs.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from organizer.data.overview import SUFFIX
from organizer.files import Files, folder_files, unpack
from quality.forks import Run, lay_out_as_platform, run_forks
from scoring_program.settings import PROTOCOLS

_ORGANIZER, _KIT, _PROGRAM = "organizer", "people_in_video", "score.py"
# A ranking in the form in which a version keeps it for itself.
_STORE = "/store/"
# Code is compared by what it does; these parts of programs and kits hold only that and the table of lemmas.
_CODE = re.compile(
    r"(people_in_video|scoring_program|validator)/.*|organizer/data/corenlp_.*|[^/]*\.(py|ipynb)"
)


class Case(NamedTuple):
    """A submission to a task, with a reference in the organizers' formats.

    ``title`` names the case among those of its task, and ``reference_name`` the reference.
    """

    task: str
    title: str
    reference: Path
    reference_name: str
    submission: Path

    @property
    def name(self) -> str:
        """The name of the case among those of all tasks."""
        return f"{self.task}/{self.title}"


class Comparison(NamedTuple):
    """Submissions to a task to be compared with each other."""

    task: str
    reference: Path
    submissions: Sequence[Path]


class Ranking(NamedTuple):
    """Submissions to be ranked: a reference, a folder of zips, and whose they are."""

    task: str
    reference: Path
    submissions: Path
    names: Path


class Inputs(NamedTuple):
    """All that a checkout runs on."""

    cases: Sequence[Case]
    comparisons: Sequence[Comparison]
    rankings: Sequence[Ranking]
    with_bundles: bool


class Checkout:
    """A checkout at ``root``, which writes into ``work``."""

    def __init__(self, root: Path, work: Path) -> None:
        self._root = root
        self._work = work
        self._output = work / "output"
        self._dist = root / "dist"
        own_python = root / ".venv" / "bin" / "python"
        self._python = own_python if own_python.exists() else Path(sys.executable)

    def outputs(self, inputs: Inputs) -> dict[str, bytes]:
        """Run everything; return all outputs by their names, which begin with the task."""
        self._build("bundle", "--format", "v2")
        self._build("kit")
        self._run_organizer(self._prepare_runs(inputs))
        self._run(self._dist / "kit", _KIT, self._kit_runs(inputs))
        for task in sorted({case.task for case in inputs.cases}):
            self._run_program(task, [case for case in inputs.cases if case.task == task])
        self._run_organizer(self._ranking_runs(inputs.rankings))
        outputs = _without_code("", {**folder_files(self._output), **self._overviews()})
        if inputs.with_bundles:
            self._build("bundle", "--format", "v1.5")
            bundles = folder_files(self._dist)
            zips = {name: data for name, data in bundles.items() if name.endswith(".zip")}
            outputs |= _without_code("bundle/", zips)
        return {name: data for name, data in outputs.items() if _STORE not in name}

    def _overviews(self) -> dict[str, bytes]:
        """Return the overviews, which are hidden in their references."""
        paths = self._output.rglob(SUFFIX)
        return {path.relative_to(self._output).as_posix(): path.read_bytes() for path in paths}

    def _build(self, *arguments: str) -> None:
        """Run a command of organizers that must succeed."""
        command = [str(self._python), "-m", _ORGANIZER, *arguments]
        subprocess.run(command, cwd=self._root, check=True, stdout=subprocess.DEVNULL)

    def _run(self, folder: Path, command: str, runs: Iterator[Run]) -> None:
        run_forks(self._python, folder, command, list(runs))

    def _run_organizer(self, runs: Iterator[Run]) -> None:
        self._run(self._root, _ORGANIZER, runs)

    def _reference(self, task: str, name: str) -> Path:
        """Return the folder of a prepared reference."""
        return self._output / task / "references" / name / "prepared"

    def _prepare_runs(self, inputs: Inputs) -> Iterator[Run]:
        """Yield the preparation of each reference."""
        sources = {(case.task, case.reference_name): case.reference for case in inputs.cases}
        sources |= {(ranking.task, "ranking"): ranking.reference for ranking in inputs.rankings}
        for (task, name), source in sources.items():
            target = self._reference(task, name)
            yield Run(target.parent, ["prepare", task, "--source", source, "--output", target])

    def _kit_runs(self, inputs: Inputs) -> Iterator[Run]:
        """Yield the check of each submission, its scoring, and the comparison of samples.

        A zip, most of which are invalid, is scored by one protocol.
        """
        for case in inputs.cases:
            folder = self._output / case.name
            yield Run(folder / "check", ["check", case.task, case.submission, "--json"])
            for protocol in PROTOCOLS if case.submission.is_dir() else PROTOCOLS[:1]:
                output = folder / f"score-{protocol}"
                options = self._scoring_options(case.reference, protocol, output)
                yield Run(output, ["score", case.task, case.submission, *options])
        for task, reference, submissions in inputs.comparisons:
            for protocol in PROTOCOLS:
                output = self._output / task / "samples" / f"compare-{protocol}"
                options = self._scoring_options(reference, protocol, output)
                yield Run(output, ["compare", task, *submissions, *options])

    def _scoring_options(self, reference: Path, protocol: str, output: Path) -> list[object]:
        options: list[object] = ["--reference", reference, "--protocol", protocol]
        return [*options, "--output", output, "--cache", self._work / "cache", "--verbose"]

    def _run_program(self, task: str, cases: Sequence[Case]) -> None:
        """Run the built program of a task as the platform does, on references that this checkout prepared."""
        program = self._work / "programs" / task
        bundle = zipfile.ZipFile(self._dist / f"{task}.zip")
        unpack(bundle.read(f"{task}_program.zip"), program)
        runs = []
        for case in cases:
            inputs = self._work / "platform" / case.name
            lay_out_as_platform(self._reference(task, case.reference_name), case.submission, inputs)
            output = self._output / case.name / "program"
            runs.append(Run(output, [inputs, output]))
        self._run(program, _PROGRAM, iter(runs))

    def _ranking_runs(self, rankings: Sequence[Ranking]) -> Iterator[Run]:
        """Yield the scoring of all submissions of a ranking, and its report."""
        for ranking in rankings:
            folder = self._output / ranking.task / "ranking"
            ranked, report = folder / "rescore" / "files", folder / "report" / "files"
            options = ["--reference", self._reference(ranking.task, "ranking"), "--names", ranking.names]
            words = ["rescore", ranking.task, ranking.submissions, *options, "--workers", 1]
            yield Run(ranked.parent, [*words, "--output", ranked])
            yield Run(report.parent, ["report", ranking.task, "--ranking", ranked, "--output", report])


def _without_code(head: str, files: Files) -> dict[str, bytes]:
    """Return files by their paths behind ``head``, those inside of zips too, without code."""
    outputs: dict[str, bytes] = {}
    for path, data in files.items():
        if data.startswith(b"PK") and path.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                members = [member for member in archive.namelist() if not _CODE.fullmatch(member)]
                contents = {member: archive.read(member) for member in members}
            outputs |= _without_code(f"{head}{path}/", contents)
        else:
            outputs[f"{head}{path}"] = data
    return outputs
