"""The log of what would tell of hidden labels: what an evaluator prints, and where and why something failed.

Participants see all that a run prints on the platform, where this log goes nowhere. `rescore`, which is for
organizers alone, gives it a file.
"""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import TextIO

path = os.devnull


def open_log(is_discarded: bool = False) -> TextIO:
    """Return the log, or what discards all, open for writing at its end."""
    # Not a buffer in memory: code may ask for the number or the bytes of a stream.
    return Path(os.devnull if is_discarded else path).open(
        "a", buffering=1, encoding="utf-8", errors="replace"
    )


def write(text: str) -> None:
    """Write a line, or several."""
    with open_log() as stream:
        print(text, file=stream)


def exception_text(error: BaseException) -> str:
    """Return the traceback of an exception with its message."""
    return "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip()
