"""Printing for commands whose output may be cut off: ``| head``, or a closed stream."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def forgiving_output() -> Iterator[None]:
    """Print nothing more once nobody reads it, instead of ending with BrokenPipeError."""
    with contextlib.redirect_stdout(_Forgiving(sys.stdout)), contextlib.redirect_stderr(_Forgiving(sys.stderr)):
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()


class _Forgiving:
    """A stream that takes everything; what cannot be written is dropped."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")

    def write(self, text: str) -> int:
        """Write the text as far as somebody reads it."""
        self._attempt("write", text)
        return len(text)

    def flush(self) -> None:
        """Send on what was written."""
        self._attempt("flush")

    def isatty(self) -> bool:
        """Return whether this is a terminal."""
        return bool(self._stream and self._stream.isatty())

    def _attempt(self, name: str, *arguments: str) -> None:
        if self._stream is None:
            return
        try:
            getattr(self._stream, name)(*arguments)
        except (OSError, ValueError):
            # The interpreter flushes once more at its end, and must find an open file then.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
