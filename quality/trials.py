"""What tests and tools try on a task: ``quality/<id>/trials.py`` holds one object, ``TRIALS``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path

Files = Mapping[str, bytes]
Game = Callable[[Files, Files], Files]

CANARY = "zqcanary"
"""What every text of a planted reference begins with; its numbers are 7391100 to 7391199, or 0.73911."""


class Trials(ABC):
    """The trials of one task."""

    GAMES: Mapping[str, Game] = {}
    """Tricks by name: they take the demo reference and the good sample and return a submission."""

    REWARDED: frozenset[str] = frozenset()
    """The tricks that the metric rewards, by its definition."""

    RELEASED_GAMES: Mapping[str, Game] = {}
    """Tricks that the metric rewards with ``protocol: released``; they take the weak sample, which misses
    more."""

    SHOWS_ITEMS = True
    """Whether the full detail page names items."""

    @abstractmethod
    def plant(self, folder: Path) -> None:
        """Write a reference with a canary in every field, in the organizers' own formats."""

    @abstractmethod
    def knowing(self) -> Files:
        """Return a valid submission that touches the canaries and contains none except names of items."""

    def repeat(self, files: Files, copies: Mapping[str, str]) -> Files | None:
        """Return reference or submission with items repeated, None if the task has no simple way to do it.

        ``copies`` maps the name of each copy to its item; other items are left out.
        """
        return None

    def shortened(self, sample: Files) -> Files:
        """Return a sample that is small enough to be corrupted and read thousands of times."""
        return sample
