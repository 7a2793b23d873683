"""Printing for people and logs; the reader may already have closed the stream."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO


class OutputError(Exception):
    """Something cannot be written; the message says what and why in one line."""


def prepare() -> None:
    """Let any text be printed, whatever the terminal's encoding is."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # not in notebooks, nor where the shell closed it
            stream.reconfigure(errors="backslashreplace")


def say(*lines: str, to: TextIO | None = None) -> None:
    """Print lines to stdout, or to another stream, at once.

    A reader that has gone away is no fault. Raises OutputError if the stream cannot be written for another reason.
    """
    stream = sys.stdout if to is None else to
    try:
        print(*lines, sep="\n", file=stream, flush=True)
    except OSError as error:
        # What is left in the buffer would fail once more when the program ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        if not isinstance(error, BrokenPipeError):
            raise OutputError(f"the log cannot be written ({error.strerror})") from None


def complain(error: OutputError) -> None:
    """Say on stderr what cannot be written, if at least that can be."""
    with contextlib.suppress(OutputError):
        say(f"E-OUTPUT: {error}; free space there, or choose another place", to=sys.stderr)
