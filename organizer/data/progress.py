"""What a command is doing, for people who wait."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 2.0
"""A step that takes longer is named."""


@contextmanager
def step(name: str) -> Iterator[None]:
    """Print what is done, to stderr, if it is not done soon."""
    timer = threading.Timer(SECONDS, print, [f"... {name}"], {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
