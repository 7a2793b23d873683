"""What tests and tools try on both tracks; see `quality.trials.Trials`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from quality.trials import CANARY, Files, Trials


class TrackTrials(Trials):
    """The trials of one track; ``actor`` is what a row begins with: ``"1,"``, or nothing."""

    def __init__(self, actor: str, n_classes: int) -> None:
        self._actor, self._n_classes = actor, n_classes
        self.GAMES = {
            "all classes on all frames": self._everything,
            "the most frequent class on all frames": self._most_frequent_class,
            "empty files": lambda reference, sample: dict.fromkeys(sample, b""),
            "every row twice": lambda reference, sample: {name: data * 2 for name, data in sample.items()},
        }
        self.RELEASED_GAMES = {"all unpredicted classes on all frames": self._unpredicted}

    def plant(self, folder: Path) -> None:
        """Write a reference full of canaries."""
        head = self._actor
        (folder / f"{CANARY}one_labels.csv").write_text(f"{head}7,7391101,7391102\n{head}9,7391103,7391104\n")
        (folder / f"{CANARY}one_data.csv").write_text("7391155,20,2000\n")
        (folder / f"{CANARY}two_labels.csv").write_text(f"{head}3,7391105,7391106\n")
        (folder / f"{CANARY}two_data.csv").write_text("7391156,20,2000\n")

    def knowing(self) -> Files:
        """Return a submission that touches the canaries without naming them."""
        return {f"{CANARY}one_prediction.csv": f"{self._actor}7,5,6\n".encode()}

    def repeat(self, files: Files, copies: Mapping[str, str]) -> Files:
        """Return files with a copy of each item."""
        pairs = ((item, copy, name) for copy, item in copies.items() for name in files if item in name)
        return {name.replace(item, copy): files[name] for item, copy, name in pairs}

    def _everything(self, reference: Files, sample: Files) -> Files:
        return self._whole_sequences(reference, range(1, self._n_classes + 1))

    def _unpredicted(self, reference: Files, sample: Files) -> Files:
        """Add the classes that are missing in a sequence, for each actor; rows cost nothing where they are
        wrong."""
        n_frames = dict(_n_frames(reference))
        heads = ("1,", "2,") if self._actor else ("",)
        made = {}
        for name, data in sample.items():
            present = {line.rsplit(",", 2)[0] for line in data.decode().split()}
            classes = [f"{head}{label}" for head in heads for label in range(1, self._n_classes + 1)]
            frames = n_frames[name[: -len("_prediction.csv")]]
            rows = "".join(f"{row},1,{frames}\n" for row in classes if row not in present)
            made[name] = data + rows.encode()
        return made

    def _most_frequent_class(self, reference: Files, sample: Files) -> Files:
        labels: Counter[int] = Counter()
        for name, data in reference.items():
            if name.endswith("_labels.csv"):
                labels.update(int(line.split(",")[-3]) for line in data.decode().split())
        return self._whole_sequences(reference, [labels.most_common(1)[0][0]])

    def _whole_sequences(self, reference: Files, labels: Iterable[int]) -> Files:
        return {
            f"{key}_prediction.csv": "".join(
                f"{self._actor}{label},1,{frames}\n" for label in labels
            ).encode()
            for key, frames in _n_frames(reference)
        }


def _n_frames(reference: Files) -> Iterator[tuple[str, int]]:
    for name, data in reference.items():
        if name.endswith("_data.csv"):
            yield name[: -len("_data.csv")], int(data.split(b",")[0])
