"""How many labels the note on repairs tells, over all references that an attacker thinks possible.

The attacker knows all places and names of the reference but those of four probes, each of which is one of two. It
sends submissions that look as if they were written in another way at what it knows, so often that the probes decide
whether the program says so. What is drawn for a submission depends on the key of the reference, so that bits are a
mean over keys, each counted as if the attacker knew the key, which is more than it can learn.

A task joins by a `World`: how its reference and its submissions hold places and names.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np

from people_in_video.diagnosis.repair_notes import HiddenSide, repair_notes
from scoring_program.task import Loaded
from tests.attacks.harness import ALL, N_LABELS, Labels, bits, load
from tests.helpers import make_zip

MOST_BITS_OF_NOTE = 0.5
N_NAMES = 9
PROBES = range(N_LABELS)
AnyLoaded = Loaded[Any, Any, Any]
Files = Mapping[str, Union[str, bytes]]


class Place(Enum):
    """Where something is annotated: its box (x1, y1, x2, y2) is one of three. The first of x is the first frame of an
    interval."""

    GUESSED = (70, 70, 170, 170)
    OTHER = (300, 300, 400, 400)
    CORNER = (1, 1, 101, 101)


# A box that fits none of them, however it is read.
ELSEWHERE = (20, 20, 620, 620)
Box = tuple[int, int, int, int]


class Thing(NamedTuple):
    """What is annotated of an item; ``name`` is a number below `N_NAMES`."""

    place: Place
    name: int


class Guess(NamedTuple):
    """What is submitted of an item; the box (x1, y1, x2, y2) is meant, and another one is written for it."""

    box: Box
    name: int


@dataclass(frozen=True)
class World:
    """How a task holds things and guesses, by the number of their item.

    Attributes
    ----------
    task : str
    reference : callable
        Returns the reference of one thing for each item, as files, or loaded.
    submission : callable
        Returns the files of a submission with some guesses for each item, whose boxes are written as ``x, y,
        width, height`` where the task asks for corners, and the other way round.
    most_guesses : int
        How many guesses of an item count.
    """

    task: str
    reference: Callable[[Sequence[Thing]], Mapping[str, str] | AnyLoaded]
    submission: Callable[[Mapping[int, Sequence[Guess]]], Files]
    most_guesses: int = 100

    def load(self, things: Sequence[Thing]) -> AnyLoaded:
        """Return the loaded reference at ``detail: summary``."""
        reference = self.reference(things)
        if isinstance(reference, Loaded):
            return replace(reference, settings={**reference.settings, "detail": "summary"})
        with tempfile.TemporaryDirectory() as name:
            return load(self.task, reference, Path(name) / "ref", {"detail": "summary"})


@dataclass(frozen=True)
class NoteAttack:
    """An attack on the labels of four probes among some items.

    Attributes
    ----------
    n_fitting : int
        In how many known items the guess fits if it is read in another way.
    n_copies : tuple of 4 int
        How many equal guesses are submitted of each probe.
    named : tuple of 4 bool
        Whether the label of each probe is its name, and otherwise its place.
    rest : Place or None
        Where the other known items are: at CORNER their guesses fit in either way, at OTHER in none; with None
        they are not submitted.
    n_items, n_submissions : int
        Submissions differ in a pixel of one known item, so that each has a draw of its own.
    """

    n_fitting: int
    n_copies: tuple[int, int, int, int] = (1, 1, 1, 1)
    named: tuple[bool, bool, bool, bool] = (False, False, False, False)
    rest: Place | None = None
    n_items: int = 40
    n_submissions: int = 1

    @property
    def known(self) -> list[int]:
        """The known items, in an order in which the fitting ones come first."""
        probes = set(self.probes)
        others = [item for item in range(self.n_items) if item not in probes]
        return np.random.default_rng(0).permutation(others).tolist()

    @property
    def probes(self) -> list[int]:
        """The items of the four probes."""
        return list(range(self.n_items // 4, self.n_items // 4 + N_LABELS))

    def things(self, labels: Labels) -> list[Thing]:
        """Return what is annotated."""
        things = [Thing(Place.GUESSED, item % (N_NAMES - 1)) for item in range(self.n_items)]
        for item in self.known[self.n_fitting :]:
            things[item] = Thing(self.rest or Place.OTHER, N_NAMES - 1)
        for item, label, is_named in zip(self.probes, labels, self.named):
            place = Place.GUESSED if label or is_named else Place.OTHER
            name = 2 if label or not is_named else 4
            things[item] = Thing(place, name)
        return things

    def guesses(self, world: World, number: int) -> dict[int, list[Guess]]:
        """Return what is submitted."""
        guesses: dict[int, list[Guess]] = {}
        # Names are wrong in the same way if they are asked for: one later in their list.
        shift = int(any(self.named))
        for item in self.known[: self.n_fitting]:
            guesses[item] = [Guess(Place.GUESSED.value, item % (N_NAMES - 1) + shift)]
        for item in self.known[self.n_fitting :]:
            if self.rest is not None:
                box = ELSEWHERE if self.rest is Place.OTHER else self.rest.value
                guesses[item] = [Guess(box, N_NAMES - 1)]
        for item, n_copies in zip(self.probes, self.n_copies):
            if n_copies:
                guesses[item] = [Guess(Place.GUESSED.value, 2 + shift)] * min(n_copies, world.most_guesses)
        first = min(self.known[: self.n_fitting])
        x1, y1, x2, y2 = Place.GUESSED.value
        guesses[first] = [guesses[first][0]._replace(box=(x1, y1, x2 + number, y2))]
        return dict(sorted(guesses.items()))


class NoteGain(NamedTuple):
    """What the notes of an attack tell.

    ``bits`` is a mean over keys of what a submission tells beyond its totals, ``standard_error`` that of this mean;
    ``share_noted`` says how often there is a note.
    """

    bits: float
    standard_error: float
    share_noted: float

    @property
    def is_within_bound(self) -> bool:
        """Whether the keys do not show that more is told than may be."""
        return self.bits - 2 * self.standard_error <= MOST_BITS_OF_NOTE


def gain_of_notes(
    world: World, attack: NoteAttack, n_keys: int, possible_labels: Sequence[Labels] = ALL
) -> NoteGain:
    """Return what the notes on repairs tell about the labels, as a mean over keys."""
    totals: dict[Labels, str] = {}
    notes_of_key: list[dict[Labels, str]] = [{} for _ in range(n_keys)]
    n_noted = 0
    for labels in possible_labels:
        loaded = world.load(attack.things(labels))
        contents = []
        for number in range(attack.n_submissions):
            data = make_zip(world.submission(attack.guesses(world, number)))
            contents.append(_read(loaded, data))
        totals[labels] = "\n".join(_totals(loaded, content) for content in contents)
        for key, notes in enumerate(notes_of_key):
            notes[labels] = "\n".join(_notes(loaded, content, key) for content in contents)
            n_noted += bool(notes[labels].strip())
    gains = np.array([_gain(totals, notes) for notes in notes_of_key]) / attack.n_submissions
    return NoteGain(
        bits=float(gains.mean()),
        standard_error=float(gains.std(ddof=1)) / len(gains) ** 0.5,
        share_noted=n_noted / len(possible_labels) / n_keys,
    )


def _gain(totals: Mapping[Labels, str], notes: Mapping[Labels, str]) -> float:
    """Return the bits of notes, with or without totals, whichever are more."""
    both = {labels: totals[labels] + notes[labels] for labels in totals}
    return max(bits(notes), bits(both) - bits(totals))


def _read(loaded: AnyLoaded, data: bytes) -> Any:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "submission.zip"
        path.write_bytes(data)
        return loaded.read(path)


def _totals(loaded: AnyLoaded, read: Any) -> str:
    result = loaded.score(read)
    return repr([result.scores, result.interval, result.error_costs])


def _notes(loaded: AnyLoaded, read: Any, key: int) -> str:
    hidden = HiddenSide(b"key %d" % key, len(loaded.items))
    comparisons = loaded.task.comparisons(loaded.reference, read.content)
    notes = repair_notes(comparisons, read.content, loaded.settings["detail"], hidden, read.notes)
    return "\n".join(note.line() for note in notes)
