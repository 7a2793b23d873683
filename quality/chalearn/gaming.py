"""Gaming tricks for both tracks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from organizer.files import Files
from quality.chalearn.synthetic import Track, sequences
from quality.task import Trick


def tricks(track: Track) -> Sequence[Trick]:
    """Return the tricks of a track."""
    return (
        Trick("all classes on all frames", partial(_everything, track)),
        Trick("the most frequent class on all frames", partial(_most_frequent_class, track)),
        Trick("empty files", lambda reference, sample: dict.fromkeys(sample, b"")),
        Trick("every row twice", lambda reference, sample: {name: data * 2 for name, data in sample.items()}),
        Trick(
            "all unpredicted classes on all frames", partial(_unpredicted, track), "released", rewarded=True
        ),
    )


def _everything(track: Track, reference: Files, sample: Files) -> Files:
    return _whole_sequences(reference, [f"{track.actors[0]}{label}" for label in _labels(track)])


def _most_frequent_class(track: Track, reference: Files, sample: Files) -> Files:
    labels = Counter(row[-3] for _, _, rows in sequences(reference) for row in rows)
    return _whole_sequences(reference, [f"{track.actors[0]}{labels.most_common(1)[0][0]}"])


def _whole_sequences(reference: Files, heads: Sequence[str]) -> Files:
    return {
        f"{key}_prediction.csv": "".join(f"{head},1,{n_frames}\n" for head in heads).encode()
        for key, n_frames, _ in sequences(reference)
    }


def _unpredicted(track: Track, reference: Files, sample: Files) -> Files:
    """Add the classes that a sequence lacks, for each actor; where they are wrong, rows cost nothing."""
    heads = [f"{actor}{label}" for actor in track.actors for label in _labels(track)]
    files = {}
    for key, n_frames, _ in sequences(reference):
        name = f"{key}_prediction.csv"
        present = {line.rsplit(",", 2)[0] for line in sample[name].decode().split()}
        rows = "".join(f"{head},1,{n_frames}\n" for head in heads if head not in present)
        files[name] = sample[name] + rows.encode()
    return files


def _labels(track: Track) -> range:
    return range(1, track.n_classes + 1)
