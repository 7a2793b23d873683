"""Runs the same tests again and again in copies of one process, which start faster than an interpreter.

Mutation testing runs the tests of a module for each mutant of it. This file is started in the repository with
the mutants, once with the tests, as a server, and then for each mutant with the socket alone.
"""

from __future__ import annotations

import compileall
import contextlib
import importlib
import multiprocessing
import os
import py_compile
import signal
import socket
import sys
import time
from pathlib import Path

# What takes long to import and is not mutated.
_IMPORTED_FIRST = (
    "numpy",
    "hypothesis",
    "jsonschema",
    "msgspec",
    "PIL.Image",
    "pytest",
    "scipy.optimize",
    "yaml",
)
_QUICK = ("-m", "not slow")
_SLOWER = 3
_LEAST_SECONDS = 5.0


def serve(path: str, arguments: list[str]) -> None:
    """Run the quick tests with these arguments of pytest for each connection, and answer 0 if they pass,
    otherwise 1.

    Before, they are run on the code as it is: mutants may take `_SLOWER` times as long.
    """
    for module in _IMPORTED_FIRST:
        importlib.import_module(module)
    _fail_at_once()
    # Two mutants may have the same size and time, so what was compiled is told apart by the source itself.
    compileall.compile_dir(".", quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    sys.dont_write_bytecode = True
    begin = time.monotonic()
    if code := _run(arguments, None):
        sys.exit(f"the tests fail without a mutant (exit code {code}): pytest {' '.join(arguments)}")
    limit = max(_LEAST_SECONDS, _SLOWER * (time.monotonic() - begin))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{path}.new")
        server.listen()
        # Now it can be connected to.
        Path(f"{path}.new").rename(path)
        while True:
            connection, _ = server.accept()
            with connection:
                connection.send(bytes([_run(arguments, limit) != 0]))


def _fail_at_once() -> None:
    """Have hypothesis look for no simpler example that fails, too."""
    from hypothesis import Phase, settings

    settings.register_profile("mutants", phases=(Phase.explicit, Phase.generate))
    settings.load_profile("mutants")


def _run(arguments: list[str], limit: float | None) -> int:
    process = multiprocessing.get_context("fork").Process(target=_pytest, args=(arguments,))
    process.start()
    process.join(limit)
    if process.exitcode is None:
        process.kill()
        process.join()
    assert process.pid and process.exitcode is not None  # noqa: S101 - for type checkers
    # What it started may still run.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.exitcode


def _pytest(arguments: list[str]) -> None:
    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    import pytest

    sys.exit(
        pytest.main(
            ["-x", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestWarning", *_QUICK, *arguments]
        )
    )


def ask(path: str) -> int:
    """Return 1 if the tests fail now, 0 if they pass."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        return connection.recv(1)[0]


if __name__ == "__main__":
    if len(sys.argv) > 2:
        serve(sys.argv[1], sys.argv[2:])
    else:
        sys.exit(ask(sys.argv[1]))
