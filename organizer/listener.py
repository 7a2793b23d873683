"""A stream for output whose reader may go away during the work, as ``| head`` does."""

from __future__ import annotations

import io
from typing import TextIO

from validator.console import let_go


class Listener(io.TextIOBase):
    """Passes text on to a stream for as long as it has a reader; a closed pipe is ignored."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Pass text on."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            let_go(self._stream)
            return len(text)

    def flush(self) -> None:
        """Pass on what the stream holds back."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            let_go(self._stream)

    def fileno(self) -> int:
        """Return the number of the stream's file, for programs that are started."""
        return self._stream.fileno()
