"""A bar that shows how much of a large submission was read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from people_in_video.telling_task import opened
from validator.findings import Refused
from validator.submission import on_read

# Smaller ones take a second or two.
LEAST_BYTES = 20_000_000


@contextmanager
def reading_bar(submissions: Sequence[Path], is_wanted: bool = True) -> Iterator[None]:
    """Show a bar on a terminal while large submissions are read: how much, how fast, and how long still."""
    is_shown = is_wanted and sys.stderr.isatty() and find_spec("tqdm")
    n_bytes = sum(map(_unpacked_size, submissions)) if is_shown else 0
    if n_bytes < LEAST_BYTES:
        yield
        return
    from tqdm import tqdm

    with tqdm(total=n_bytes, unit="B", unit_scale=True, desc="reading", file=sys.stderr, leave=False) as bar:

        def show(n_read: int) -> None:
            # Drawings read some of it once more.
            bar.update(min(n_read, n_bytes - bar.n))

        token = on_read.set(show)
        try:
            yield
        finally:
            on_read.reset(token)


def _unpacked_size(submission: Path) -> int:
    """Return the bytes of all files of a submission, 0 if it cannot be opened."""
    try:
        with opened(submission) as files:
            return sum(files.size(name) for name in files.names)
    except Refused:
        return 0
