"""What is made up for the task: synthetic data, samples, gaming tricks, canaries."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from examples.quality.example_csv.files import FILE, TRUTH, decode, encode
from examples.quality.example_csv.values import CANARIES, TRICK, Values, guess, random_value, trick
from organizer.files import Files, write_files
from quality.task import CANARY, QualityTask, Trick


def _same_everywhere(reference: Files, sample: Files) -> Files:
    truth = decode(reference[TRUTH])
    return {FILE: encode(dict.fromkeys(truth, trick(truth)))}


class ItemQuality(QualityTask[Values]):
    """The task, without mistakes that hints report."""

    id, mistakes = "example_csv", ()
    # EDIT: further tricks that a participant might try.
    tricks = (Trick(TRICK, _same_everywhere),)

    def write_reference(self, folder: Path, seed: int = 1, size: int = 1) -> None:
        """Write 60 items times ``size``."""
        rng = random.Random(seed)
        truth = {f"demo_{index:05d}": random_value(rng) for index in range(60 * size)}
        write_files({TRUTH: encode(truth)}, folder)

    def write_samples(self, reference: Path, folder: Path) -> None:
        for name, wrong in (("good", 0.1), ("weak", 0.5)):
            write_files(self.files(_guesses(reference, random.Random(2), wrong)), folder / name)

    def write_full_size(self, folder: Path, scale: float) -> None:
        """Write 100,000 items times ``scale``."""
        self.write_reference(folder / "ref", size=max(round(100_000 * scale / 60), 1))
        write_files(self.files(_guesses(folder / "ref", random.Random(2), 0.2)), folder / "res")

    def plant(self, folder: Path) -> None:
        truth = {f"{CANARY}{index}": value for index, value in enumerate(CANARIES)}
        write_files({TRUTH: encode(truth)}, folder)

    def knowing(self) -> Files:
        value = random_value(random.Random(3))
        return self.files({f"{CANARY}{index}": value for index in range(len(CANARIES))})

    def correct_prediction(self, reference: Path, rng: np.random.Generator, noise: float) -> Values:
        return _guesses(reference, random.Random(int(rng.integers(1 << 32))), noise)

    def files(self, prediction: Values) -> Files:
        return {FILE: encode(prediction)}

    def repeated(self, files: Files, copies: Mapping[str, Sequence[str]]) -> Files:
        return {
            name: encode({copy: value for item, value in decode(data).items() for copy in copies[item]})
            for name, data in files.items()
        }


def _guesses(reference: Path, rng: random.Random, wrong: float) -> Values:
    truth = decode((reference / TRUTH).read_bytes())
    return {key: guess(value, rng, wrong) for key, value in truth.items()}


TASKS = (ItemQuality(),)
