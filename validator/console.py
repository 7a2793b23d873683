"""Printing for people and logs; the reader may already have closed the stream."""

from __future__ import annotations

import contextlib
import os
import sys
from types import TracebackType
from typing import TextIO

from validator import limits
from validator.limits import shortage_of
from validator.texts import printable

# The exit code where something but the input is at fault.
_BROKEN = 2
# Once all else is discarded: where `say` prints what is for a stream, by its number.
_log_of_stream: dict[int, TextIO] = {}


class OutputError(Exception):
    """Something cannot be written; the message says what and why in one line, and ``remedy`` what to do."""

    remedy = "allow writing there, free space, or choose another place"


def prepare() -> None:
    """Let any text be printed, whatever the terminal's encoding is, and Ctrl-C end in one line."""
    quiet_interrupts()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # not in notebooks, nor where the shell closed it
            stream.reconfigure(errors="backslashreplace")


def quiet_interrupts() -> None:
    """Let Ctrl-C, and what the machine lacks, end this process without a traceback.

    Where somebody else reports exceptions, nothing is changed.
    """
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _report


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("\nstopped", file=sys.stderr)
    elif report_end(error):
        sys.exit(_BROKEN)
    else:
        sys.__excepthook__(kind, error, trace)


def report_end(error: BaseException) -> bool:
    """Report on stderr why a program cannot go on, if the output or the machine is the cause.

    Returns whether it is. The caller ends with exit code 2.
    """
    if isinstance(error, OutputError):
        report(error)
        return True
    shortage = shortage_of(error)
    if shortage is None:
        return False
    # The report needs memory, too.
    limits.release(error)
    with contextlib.suppress(OutputError):
        say(printable(shortage.line()), to=sys.stderr)
    return True


def mute() -> None:
    """Discard all that is printed until this process ends, but for what `say` prints.

    What threads and the buffers of C hold back comes late, so nothing is opened again.
    """
    if _log_of_stream:
        return
    for stream in filter(None, (sys.stdout, sys.stderr)):  # the shell may have closed one
        stream.flush()
        number = stream.fileno()
        log = os.fdopen(os.dup(number), "w", encoding=stream.encoding, errors=stream.errors)
        _log_of_stream[number] = log
        let_go(stream)


def say(*lines: str, to: TextIO | None = None) -> None:
    """Print lines to stdout, or to another stream, at once.

    A closed pipe is ignored. Raises OutputError if the stream cannot be written for another reason.
    """
    stream = sys.stdout if to is None else to
    if _log_of_stream and stream is not None:
        stream = _log_of_stream.get(stream.fileno(), stream)
    try:
        print(*lines, sep="\n", file=stream, flush=True)
    except OSError as error:
        let_go(stream)
        if not isinstance(error, BrokenPipeError):
            raise OutputError(f"the log cannot be written ({error.strerror})") from None


def let_go(stream: TextIO) -> None:
    """Discard what is left in the buffer, which would fail again when the program ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def report(error: OutputError) -> None:
    """Report on stderr what cannot be written, if stderr can."""
    with contextlib.suppress(OutputError):
        say(f"E-OUTPUT: {error}; {error.remedy}", to=sys.stderr)
