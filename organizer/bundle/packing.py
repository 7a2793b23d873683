"""The content of a program: the modules that it imports, directly or not, and the wheels that it vendors."""

from __future__ import annotations

import ast
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from organizer import ROOT
from organizer.files import Files

WHEELS = ROOT / ".cache" / "wheels"
VENDOR_LOCK = ROOT / "requirements" / "vendor.lock"
COMPILED_LOCK = ROOT / "requirements" / "vendor-compiled.lock"


@cache
def vendored_files() -> Files:
    """Return the content of the vendored wheels; they are fetched once and hash-checked.

    Some are pure Python, others are built for the platform's image.
    """
    pure = ["--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.9"]
    image = ["--implementation", "cp", "--abi", "cp312", "--python-version", "3.12"]
    machines = [[*image, "--platform", f"manylinux2014_{machine}"] for machine in ("x86_64", "aarch64")]
    return {**_wheel_files(VENDOR_LOCK, [pure]), **_wheel_files(COMPILED_LOCK, machines)}


def _wheel_files(lock: Path, targets: Sequence[Sequence[str]]) -> dict[str, bytes]:
    folder = WHEELS / lock.stem
    stamp = folder / lock.name
    if not stamp.is_file() or stamp.read_bytes() != lock.read_bytes():
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.whl"):
            old.unlink()
        for target in targets:
            options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
            options += ["--only-binary", ":all:", *target, "--dest", str(folder), "-r", str(lock)]
            subprocess.run([sys.executable, "-m", "pip", "download", *options], check=True)
        stamp.write_bytes(lock.read_bytes())
    files = {}
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if not name.endswith(("/", ".pyi")) and "/tests/" not in name:
                    files[f"scoring_program/vendor/{name}"] = archive.read(name)
    return files


def needed_code(entries: Iterable[str]) -> dict[str, bytes]:
    """Return the modules of this repository that the entry modules need, directly or not, by their paths.

    ``entries`` are dotted names, as ``validator.check``. Imports are found by reading the code.
    """
    pending = list(entries)
    code: dict[str, bytes] = {}
    while pending:
        name = pending.pop()
        path = _module_path(name)
        if path and (relative := path.relative_to(ROOT).as_posix()) not in code:
            code[relative] = path.read_bytes()
            parts = name.split(".")
            pending += [".".join(parts[:end]) for end in range(1, len(parts))]
            pending += imported(code[relative])
    return code


@cache
def imported(code: bytes) -> tuple[str, ...]:
    """Return the names that a module imports, those of attributes among them."""
    names = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)


def _module_path(name: str) -> Path | None:
    base = ROOT.joinpath(*name.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)
