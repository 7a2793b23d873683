"""Running a scoring program as the platform's worker does.

The folders are laid out as in its container (program, input/ref, input/res, output, shared), the command of
metadata.yaml is run as given, without a shell, under a time limit, with the network off where that is
possible.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from organizer.data.prepare import is_synthetic
from organizer.files import folder_files, unpack
from organizer.runs.phase import Phase
from organizer.runs.pool import network_off
from organizer.runs.unpacking import add_platform_file, unpack_as_worker
from scoring_program.task import ScoreColumn
from validator.findings import Refused
from validator.formats.rules import load_rules
from validator.strict_yaml import load_plain

DEFAULT_IMAGE = "codalab/codalab-legacy:py312"
TIMED_OUT = -1
_APP_FOLDER = re.compile(r"(?<![\w./-])/app(?=/)")
_POLL_SECONDS = 0.02
_IN_SUBPROCESS = "in a subprocess (no docker or podman runs here)"


@dataclass(frozen=True)
class Run:
    """The outcome of a run.

    ``exit_code`` is `TIMED_OUT` after the time limit, ``peak_mb`` may be unknown; ``unpacking_problem`` says
    why the platform cannot unpack the submission, "" if it can.
    """

    exit_code: int
    seconds: float
    stdout: str
    stderr: str
    peak_mb: float | None = None
    how: str = ""
    outputs: Mapping[str, bytes] = field(default_factory=dict)
    folder: Path = Path()
    unpacking_problem: str = ""


@dataclass(frozen=True)
class BuiltTask:
    """A task as it is uploaded.

    Attributes
    ----------
    id : str
    program : bytes
        The zip of its program.
    reference : Path or bytes
        A folder or a zip.
    time_limit : float
        Seconds.
    competition, title : str
        The title of its competition, and the name of the task there; "" if unknown.
    reference_name : str
        What the reference is called; "" if unknown.
    phase : Phase or None
        The phase that submissions are for, if it is known.
    phase_names : sequence of str
        Of all phases of the competition that have the task.
    image : str
        The container image of the competition; "" is the platform's.
    label : str
        What tells this task from the same one in other phases of the competition, as a part of the name of a
        folder; "" if there is one phase.
    columns : sequence of ScoreColumn
        What the leaderboard of its competition shows.
    """

    id: str
    program: bytes
    reference: Path | bytes
    time_limit: float
    competition: str = ""
    title: str = ""
    reference_name: str = ""
    phase: Phase | None = None
    phase_names: Sequence[str] = ()
    image: str = ""
    label: str = ""
    columns: Sequence[ScoreColumn] = ()

    @property
    def is_demo(self) -> bool:
        """Whether the reference is synthetic demo data."""
        return is_synthetic(self.reference)


def run_program(
    built: BuiltTask,
    submission: Path,
    folder: Path,
    engine: str | None,
    packed: bool = False,
) -> Run:
    """Lay out the platform's folders and run a program on one submission, a zip or a folder of a participant.

    ``folder`` gets the folders; what an earlier run left there is removed. ``engine`` is what
    `container_engine` returns; without one the program runs in a subprocess. The platform unpacks a zip;
    ``packed`` says to pass it as it is.
    """
    program, inputs = folder / "program", folder / "input"
    for path in (program, inputs / "ref", inputs / "res", folder / "output", folder / "shared"):
        _make_empty(path)
    unpack(built.program, program)
    if isinstance(built.reference, bytes):
        unpack(built.reference, inputs / "ref")
    else:
        # Modes are as of a zip: in a container another user must read the key for signatures.
        shutil.copytree(built.reference, inputs / "ref", dirs_exist_ok=True, copy_function=shutil.copyfile)
    unpacking_problem = ""
    if packed:
        shutil.copyfile(submission, inputs / "res" / submission.name)
    else:
        unpacking_problem = _lay_out_submission(submission, built.id, inputs / "res")
    program_command = _command(program)
    if engine:
        image = built.image or DEFAULT_IMAGE
        name = f"people-in-video-{secrets.token_hex(8)}"
        command = container_command(engine, image, folder, program_command, name)
        # The time limit ends the client of an engine; the container would go on.
        end_command = [engine, "kill", name]
        environment, directory = f"in a container ({engine}, {image})", folder
    else:
        command, environment = _local_command(folder, program_command)
        directory, end_command = program, []
    with _read_only(program):
        run = _run(command, directory, built.time_limit, end_command)
    outputs = folder_files(folder / "output")
    return replace(
        run,
        how=environment,
        peak_mb=None if engine else run.peak_mb,
        outputs=outputs,
        folder=folder,
        unpacking_problem=unpacking_problem,
    )


def _make_empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _lay_out_submission(submission: Path, task_id: str, folder: Path) -> str:
    """Unpack the submission as the worker does; if that cannot be done, it stays packed, and return why."""
    if submission.is_dir():
        shutil.copytree(submission, folder, dirs_exist_ok=True, symlinks=True)
        add_platform_file(folder)
        return ""
    folder.rmdir()
    try:
        unpack_as_worker(submission, folder, load_rules(task_id).limits)
    except Refused as refused:
        _make_empty(folder)
        shutil.copyfile(submission, folder / submission.name)
        add_platform_file(folder)
        return refused.findings.first_line()
    return ""


def _command(program: Path) -> list[str]:
    for name in ("metadata.yaml", "metadata"):
        if (program / name).is_file():
            metadata = load_plain((program / name).read_text(encoding="utf-8"))
            # Codabench also knows classic CodaLab's names of the folders.
            words = shlex.split(metadata["command"])
            return [re.sub(r"^\$(program|input|output|shared)\b", r"/app/\1", word) for word in words]
    raise FileNotFoundError("the scoring program has no metadata.yaml")


def _local_command(folder: Path, command: list[str]) -> tuple[list[str], str]:
    """Replace the container's folders by ours, and turn the network off where possible."""
    # Also in a text for a shell: sh -c "python3 /app/program/score.py ...".
    words = [_APP_FOLDER.sub(lambda _: str(folder), word) for word in command]
    if words[0] in ("python3", "python"):
        words[0] = sys.executable
    if prefix := network_off():
        return [*prefix, *words], f"{_IN_SUBPROCESS}, network off"
    return words, f"{_IN_SUBPROCESS}, network on (the system does not let us cut it)"


def container_engine() -> str | None:
    """Return the command of a container engine that works here, None if there is none."""
    for engine in ("docker", "podman"):
        if shutil.which(engine) and subprocess.run([engine, "info"], capture_output=True).returncode == 0:
            return engine
    return None


def container_command(engine: str, image: str, folder: Path, command: list[str], name: str) -> list[str]:
    """Return the command that runs ``command`` in a container of a name as the platform does."""
    options = [
        "--rm",
        f"--name={name}",
        "--network=none",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges",
    ]
    options += ["--env=PYTHONUNBUFFERED=1", "--workdir=/app/program"]
    for name, mode in (("program", "ro"), ("input", "ro"), ("output", "rw"), ("shared", "rw")):
        options.append(f"--volume={folder.resolve() / name}:/app/{name}:{mode}")
    return [engine, "run", *options, image, *command]


@contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    try:
        yield
    finally:
        for path in paths:
            path.chmod(path.stat().st_mode | stat.S_IWUSR)


def _run(command: list[str], directory: Path, time_limit: float, end_command: Sequence[str]) -> Run:
    """Run a command and return how it ended and what it printed.

    After the time limit it is killed, and ``end_command``, if there is one, ends what it started elsewhere.
    """
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONNOUSERSITE": "1"}
    environment.pop("PYTHONPATH", None)
    # Where a shell finds this Python.
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", "")])
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=directory,
            stdout=out,
            stderr=err,
            stdin=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        exit_code = pid = 0
        while not pid:
            if not exit_code and time.monotonic() - start > time_limit:
                exit_code = TIMED_OUT
                os.killpg(process.pid, signal.SIGKILL)
                if end_command:
                    subprocess.run(end_command, capture_output=True, check=False)
            time.sleep(_POLL_SECONDS)
            # Popen.wait does not return the peak memory.
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        process.returncode = os.waitstatus_to_exitcode(status)
        stdout, stderr = _text_of(out), _text_of(err)
    return Run(
        exit_code=exit_code or process.returncode,
        seconds=time.monotonic() - start,
        stdout=stdout,
        stderr=stderr,
        peak_mb=usage.ru_maxrss / 1024,
    )


def _text_of(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")
