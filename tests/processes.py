"""Running many commands of Python in little time."""

from __future__ import annotations

import json
import os
import subprocess
import sys

# What takes long to import is imported once; each command is a process that begins there.
_FORK = """
import json, os, runpy, sys
import jsonschema, numpy.random, PIL.Image, scipy.sparse, yaml
end, commands = sys.argv[1], json.load(sys.stdin)
for arguments in commands:
    if child := os.fork():
        if code := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            sys.exit(f"exit code {code} of {arguments}")
        print(end, flush=True)
        continue
    kind, *rest = arguments
    sys.path[0], sys.argv = os.getcwd(), arguments
    if kind == "-c":
        exec(rest[0], {"__name__": "__main__"})
    elif kind == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(kind, run_name="__main__")
    break
"""
_END = "the end of a command"


def run_in_turn(commands, folder):
    """Run ``python`` in a folder with each of these lists of arguments; return what each prints."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", _FORK, _END], cwd=folder, input=json.dumps(commands), capture_output=True, text=True,
        check=False, env=clean,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout, done.stderr)
    *printed, rest = done.stdout.split(f"{_END}\n")
    assert (len(printed), rest) == (len(commands), "")
    return printed
