"""The vendored packages of programs: wheels from the package index, pinned by their hashes."""

from __future__ import annotations

import errno
import re
import subprocess
import sys
from collections.abc import Collection, Sequence
from functools import cache
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

from organizer import ROOT
from organizer.files import Files, file_hash, read_zip, write_durable

LOCKS = ROOT / "requirements"
WHEELS = ROOT / ".cache" / "wheels"
_PIN = re.compile(r"^(?P<package>[\w.-]+)==(?P<hashes>.*)$", re.MULTILINE)
_HASH = re.compile("--hash=sha256:([0-9a-f]{64})")
_VENDOR = "scoring_program/vendor"
_PURE = ("--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.9")
_MACHINES = ("x86_64", "aarch64")
# That of the platform's image, and the next one.
_PYTHONS = ("3.12", "3.13")


class _WheelSet(NamedTuple):
    """Wheels of one lock file, and pip's options for each interpreter that they are downloaded for."""

    name: str
    targets: Sequence[Sequence[str]]


def _compiled_target(python: str, machine: str) -> list[str]:
    abi = f"cp{python.replace('.', '')}"
    options = ["--platform", f"manylinux2014_{machine}", "--implementation", "cp", "--abi", abi]
    return [*options, "--python-version", python]


_COMPILED = [_compiled_target(python, machine) for python, machine in product(_PYTHONS, _MACHINES)]
_WHEEL_SETS = (_WheelSet("vendor", [_PURE]), _WheelSet("vendor-compiled", _COMPILED))


@cache
def vendored_files() -> Files:
    """Return the content of the vendored wheels, downloaded once; their hashes are checked each time.

    Some are pure Python; the files of the others, for several interpreters and machines, lie side by side.
    """
    files: dict[str, bytes] = {}
    for wheel_set in _WHEEL_SETS:
        hashes_of_package = locked_hashes(LOCKS / f"{wheel_set.name}.lock")
        pinned_hashes = set(chain.from_iterable(hashes_of_package.values()))
        for wheel in _download(wheel_set):
            _require_pinned(wheel, pinned_hashes)
            files.update(_wheel_files(wheel))
    return files


def locked_hashes(lock: Path) -> dict[str, list[str]]:
    """Return the hashes of the wheels of each package in a lock file."""
    text = lock.read_text(encoding="utf-8")
    return {pin["package"]: _HASH.findall(pin["hashes"]) for pin in _PIN.finditer(text)}


def _require_pinned(wheel: Path, pinned_hashes: Collection[str]) -> None:
    """Raise OSError if a wheel is not one of the lock file: anyone may have changed it since the download."""
    if file_hash(wheel) not in pinned_hashes:
        reason = "its hash is not in the lock file; delete it, and it is downloaded again"
        raise OSError(errno.EINVAL, reason, str(wheel))


def _download(wheel_set: _WheelSet) -> list[Path]:
    """Return the wheels of a lock file, downloaded unless those of the same lock file are there."""
    lock, folder = LOCKS / f"{wheel_set.name}.lock", WHEELS / wheel_set.name
    stamp = folder / lock.name
    if not stamp.is_file() or stamp.read_bytes() != lock.read_bytes():
        folder.mkdir(parents=True, exist_ok=True)
        for old_wheel in folder.glob("*.whl"):
            old_wheel.unlink()
        for target in wheel_set.targets:
            _run_pip_download(lock, folder, target)
        write_durable(stamp, lock.read_bytes())
    return sorted(folder.glob("*.whl"))


def _run_pip_download(lock: Path, folder: Path, target: Sequence[str]) -> None:
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    options += ["--only-binary", ":all:", *target, "--dest", str(folder), "-r", str(lock)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options], check=True)


def _wheel_files(wheel: Path) -> Files:
    """Return the files of a wheel as they lie in a program, without type stubs and tests."""
    return {
        f"{_VENDOR}/{name}": data
        for name, data in read_zip(wheel).items()
        if not (name.endswith(".pyi") or "/tests/" in name)
    }
