"""Synthetic data for the two ChaLearn tracks; a seed always gives the same bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from organizer.files import Files, folder_files
from validator.formats.chalearn.write import decode_rows, encode_rows

Row = list[int]
Prediction = dict[str, list[Row]]


@dataclass(frozen=True)
class Track:
    """The sizes of a track: classes, actors, and at full size sequences, frames and rows of a sequence."""

    prefix: str
    n_classes: int
    n_actors: int
    n_sequences: int
    n_frames: int
    n_rows: int

    @property
    def actors(self) -> list[list[int]]:
        """What rows begin with: each actor, or nothing if there is only one."""
        if self.n_actors == 1:
            return [[]]
        return [[actor] for actor in range(1, self.n_actors + 1)]

    @property
    def first_actor(self) -> list[int]:
        """What rows of the first actor begin with."""
        return self.actors[0]


def write_sequences(
    folder: Path, track: Track, n_sequences: int, n_frames: int, n_rows: int, seed: int
) -> None:
    """Write a reference."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    for index in range(1, n_sequences + 1):
        frames = n_frames + rng.randrange(n_frames // 4)
        key = f"{track.prefix}{index:04d}"
        (folder / f"{key}_data.csv").write_text(f"{frames},20,2000\n", encoding="ascii")
        (folder / f"{key}_labels.csv").write_bytes(encode_rows(_labels(rng, track, frames, n_rows)))


def _labels(rng: random.Random, track: Track, n_frames: int, n_rows: int) -> list[Row]:
    rows = []
    slot = n_frames // n_rows
    for index in range(n_rows):
        length = rng.randrange(slot // 3, slot - 4)
        start = index * slot + 1 + rng.randrange(slot - length)
        actor = [rng.randrange(track.n_actors) + 1] if track.n_actors > 1 else []
        rows.append([*actor, rng.randrange(track.n_classes) + 1, start, start + length - 1])
    return rows


def sequences(reference: Files) -> Iterator[tuple[str, int, list[Row]]]:
    """Yield key, number of frames, and rows of each sequence."""
    for name in sorted(reference):
        key, _, kind = name.rpartition("_")
        if kind == "labels.csv":
            n_frames = int(reference[f"{key}_data.csv"].split(b",")[0])
            yield key, n_frames, decode_rows(reference[name])


def predicted(reference: Path, change: Callable[[random.Random, Row, int], Row | None]) -> Prediction:
    """Return the rows of a reference, each changed, or left out where it becomes None; ``change`` gets the
    last frame, too."""
    rng = random.Random(59)
    prediction = {}
    for key, last_frame, true_rows in sequences(folder_files(reference)):
        predicted_rows = [change(rng, row, last_frame) for row in true_rows]
        prediction[key] = [row for row in predicted_rows if row is not None]
    return prediction


def slightly_off(rng: random.Random, row: Row, last: int, most: int = 6) -> Row:
    """Return a row whose start and end are up to ``most`` frames off, in order and in the sequence."""
    *head, start, end = row
    start += rng.randint(-most, most)
    end += rng.randint(-most, most)
    start = min(max(start, 1), last)
    end = min(max(end, start), last)
    return [*head, start, end]


def often_wrong(rng: random.Random, row: Row, last: int, n_classes: int) -> Row | None:
    """Return a row with another class or much else wrong, or None."""
    if rng.random() < 0.25:
        return None
    *actor, label, start, end = row
    if rng.random() < 0.3:
        label = rng.randrange(n_classes) + 1
    return slightly_off(rng, [*actor, label, start, end], last, most=20)
