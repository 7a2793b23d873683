"""The vendored packages of programs: wheels from the package index, pinned by their hashes."""

from __future__ import annotations

import errno
import re
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

from organizer import ROOT
from organizer.files import Files, file_hash, read_zip, write_durable

LOCKS = ROOT / "requirements"
WHEELS = ROOT / ".cache" / "wheels"
_HASH = re.compile("--hash=sha256:([0-9a-f]{64})")
_VENDOR = "scoring_program/vendor"
_LOCK = LOCKS / "vendor.lock"
# What of the wheels explaining a submission never imports: tests, commands, measurements, second names.
_UNUSED = re.compile(
    r".*\.pyi|.*/tests/.*|jsonschema/(benchmarks/.*|cli\.py|__main__\.py)|attrs/.*|_pyrsistent_version\.py"
    r"|.*/entry_points\.txt"
)
_PURE = ("--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.9")


@cache
def vendored_files() -> Files:
    """Return the content of the vendored wheels, downloaded once; their hashes are checked each time."""
    files: dict[str, bytes] = {}
    pinned_hashes = set(_HASH.findall(_LOCK.read_text(encoding="utf-8")))
    for wheel in _download():
        _require_pinned(wheel, pinned_hashes)
        files.update(_wheel_files(wheel))
    return files


def _require_pinned(wheel: Path, pinned_hashes: Collection[str]) -> None:
    """Raise OSError if a wheel is not one of the lock file: anyone may have changed it since the download."""
    if file_hash(wheel) not in pinned_hashes:
        reason = "its hash is not in the lock file; delete it, and it is downloaded again"
        raise OSError(errno.EINVAL, reason, str(wheel))


def _download() -> list[Path]:
    """Return the wheels of the lock file, downloaded unless those of the same lock file are there."""
    stamp = WHEELS / _LOCK.name
    if not stamp.is_file() or stamp.read_bytes() != _LOCK.read_bytes():
        WHEELS.mkdir(parents=True, exist_ok=True)
        for old_wheel in WHEELS.glob("*.whl"):
            old_wheel.unlink()
        _run_pip_download()
        write_durable(stamp, _LOCK.read_bytes())
    return sorted(WHEELS.glob("*.whl"))


def _run_pip_download() -> None:
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    options += ["--only-binary", ":all:", *_PURE, "--dest", str(WHEELS), "-r", str(_LOCK)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options], check=True)


def _wheel_files(wheel: Path) -> Files:
    """Return the files of a wheel as they lie in a program."""
    return {
        f"{_VENDOR}/{name}": data for name, data in read_zip(wheel).items() if not _UNUSED.fullmatch(name)
    }
