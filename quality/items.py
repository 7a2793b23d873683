"""What is made up for tasks with one value for each item, as `organizer new-task` writes them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from organizer.files import Files, write_files
from quality.task import CANARY, Mistake, QualityTask, Trick

# The value of each item: a label, a number, or a list of labels.
Items = dict[str, Any]


class ItemQuality(QualityTask[Items]):
    """A task whose files and values are known to two modules; ``tricks`` and ``mistakes`` are further ones.

    ``files`` encodes and decodes values of items: ``FILE`` names that of a submission, ``TRUTH`` that of the
    ground truth, which looks the same. ``values`` makes values up; ``TRICK`` says what the constant of its
    ``trick`` is, and ``CANARIES`` are the ground truth of the items of a planted reference.
    """

    def __init__(
        self,
        id: str,
        files: ModuleType,
        values: ModuleType,
        tricks: Sequence[Trick] = (),
        mistakes: Sequence[Mistake[Items]] = (),
    ) -> None:
        self.id, self.mistakes = id, mistakes
        self._files = files
        self._values = values
        self.tricks = (Trick(values.TRICK, self._same_everywhere), *tricks)

    def _same_everywhere(self, reference: Files, sample: Files) -> Files:
        truth = self._files.decode(reference[self._files.TRUTH])
        return self.files(dict.fromkeys(truth, self._values.trick(truth)))

    def write_reference(self, folder: Path, seed: int = 1, size: int = 1) -> None:
        """Write 60 items times ``size``."""
        rng = random.Random(seed)
        items = [f"demo_{number:05d}" for number in range(60 * size)]
        self._write_truth(folder, {item: self._values.random_value(rng) for item in items})

    def _write_truth(self, folder: Path, truth: Items) -> None:
        write_files({self._files.TRUTH: self._files.encode(truth)}, folder)

    def write_samples(self, reference: Path, folder: Path) -> None:
        self._write_guesses(reference, folder / "good", wrong=0.1)
        self._write_guesses(reference, folder / "weak", wrong=0.5)

    def _write_guesses(self, reference: Path, folder: Path, wrong: float) -> None:
        guesses = self._guesses(reference, random.Random(2), wrong)
        write_files(self.files(guesses), folder)

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write 100,000 items times ``scale``."""
        size = max(round(100_000 * scale / 60), 1)
        self.write_reference(folder / "ref", size=size)
        self._write_guesses(folder / "ref", folder / "res", wrong=0.2)

    def plant(self, folder: Path) -> None:
        canaries = {f"{CANARY}{number}": value for number, value in enumerate(self._values.CANARIES)}
        self._write_truth(folder, canaries)

    def knowing(self) -> Files:
        value = self._values.random_value(random.Random(3))
        return self.files({f"{CANARY}{n}": value for n in range(len(self._values.CANARIES))})

    def correct_prediction(self, reference: Path, rng: np.random.Generator, noise: float) -> Items:
        seed = int(rng.integers(1 << 32))
        return self._guesses(reference, random.Random(seed), noise)

    def files(self, prediction: Items) -> Files:
        return {self._files.FILE: self._files.encode(prediction)}

    def repeated(self, files: Files, copies: Mapping[str, Sequence[str]]) -> Files:
        repeated = {}
        for name, data in files.items():
            values = {}
            for item, value in self._files.decode(data).items():
                values.update(dict.fromkeys(copies[item], value))
            repeated[name] = self._files.encode(values)
        return repeated

    def _guesses(self, reference: Path, rng: random.Random, wrong: float) -> Items:
        truth = self._files.decode((reference / self._files.TRUTH).read_bytes())
        guesses = {}
        for item, true_value in truth.items():
            guesses[item] = self._values.guess(true_value, rng, wrong)
        return guesses
