"""Likely mistakes in predictions for the two ChaLearn tracks, and models that are honest and weak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from people_in_video.diagnosis.trials import Family
from quality import cures
from quality.chalearn.synthetic import Prediction, Row, Track
from quality.cures import Cure
from quality.task import Mistake, Said, WeakModel, cured, noted
from validator.arrays import Ints

Change = Callable[[Prediction], Prediction]
ChangeOfRow = Callable[[Row], Row]
_ROWS = ("rows",)
_CLASSES = ("action classes", "gesture classes")
_RATES = (0.5, 0.667, 0.75, 0.8, 0.9, 24 / 25, 1.2, 1.25, 1.5, 2.0)
_FRAMES_A_SECOND = 20
_FAST_RATES = (1.2, 1.25, 1.5, 2)


def mistakes_of_track(track: Track) -> list[Mistake[Prediction]]:
    """Return the mistakes of a track."""
    # No sequence of the demo data is shorter; a validator refuses rows that begin after the last frame.
    least_frames = track.n_frames // 2
    return [
        *(_scaled(f"frame rate times {rate:.3g}", rate, least_frames) for rate in _RATES),
        _scaled("seconds instead of frames", 1 / _FRAMES_A_SECOND, least_frames),
        *(_delayed(delay, least_frames) for delay in (10, 30, 60)),
        _moved("frame rate times 0.8 and 60 frames late", 0.8, 60, least_frames),
        _scaled("every tenth frame counted", 0.1, least_frames),
        *(_refused(f"frame rate times {rate}, all rows", rate) for rate in _FAST_RATES),
        _refused("milliseconds instead of frames", 1000 / _FRAMES_A_SECOND),
        Mistake(
            name="start, length",
            change=_keep_rows(_is_ordered, _write_length),
            cures=[Cure(_ROWS, Family.READING)],
            size=10,
        ),
        noted("start, length, all rows", "E-CSV-RANGE", _change_rows(_write_length), "<= end frame"),
        noted("classes counted from 0", "E-CSV-RANGE", _rename_classes(lambda label: label - 1), "allowed"),
        noted("names of sequences in small letters", "E-FILE-CASE", _rename_sequences(str.lower)),
        noted(
            "names of sequences without zeros",
            "E-ITEMS-NONE",
            _rename_sequences(_without_zeros),
            "write them as in the data, as '",
        ),
        Mistake(
            name="sequences counted from one too high",
            change=_rename_sequences(_next_name),
            said=[Said("E-CSV-FRAME", "times as late"), Said("N-ITEMS-UNKNOWN", "n - 1")],
        ),
        cured(
            "frames counted from 0",
            _ROWS,
            Family.EXACT,
            _keep_rows(_is_ordered, partial(_map_frames, 1.0, -1.0)),
        ),
        cured(
            "classes one too high",
            _CLASSES,
            Family.NUMBERS,
            _rename_classes(partial(_next_class, track.n_classes)),
        ),
        _classes_in_other_order(track.n_classes),
        _other_sequences("rows of the next sequence", cures.next_items, least_frames),
        _other_sequences("rows of the sequence two after it", cures.second_items, least_frames),
        _other_sequences("rows of other sequences, in random order", cures.shuffled_items, least_frames),
        _other_sequences("rows of the sequence before, in the second half", _stale_second_half, least_frames),
        *_of_one_actor(track, least_frames),
        _two_at_once(track.n_classes),
        _late_and_in_other_order(track.n_classes, least_frames),
        noted("rows of the first sequence in all files", "N-LOOKS-CONSTANT", _repeat_first_file, "the same"),
        noted(
            "three classes for each interval", "N-REPEATED", _add_classes(track.n_classes), "another class"
        ),
        noted("windows of a detection, 15 frames apart", "N-ROWS-OVERLAP", _add_windows),
        noted("gaps filled by the class before", "N-ROWS-GAPLESS", _fill_gaps),
        noted("the first 30 % of the frames alone", "N-CSV-EARLY", _cut_rows(0.3 * least_frames)),
        noted("the first 60 % of the frames alone", "N-CSV-EARLY", _cut_rows(0.6 * least_frames)),
        noted("frames of clips of 64", "N-CSV-EARLY", _keep_rows(_is_ordered, _within_clip)),
        noted("one class everywhere", "N-LOOKS-CONSTANT", _change_rows(lambda row: _with_class(row, 3))),
        noted("all files empty", "N-EMPTY", lambda prediction: {key: [] for key in prediction}),
    ]


def _repeat_first_file(prediction: Prediction) -> Prediction:
    return {key: [list(row) for row in prediction[min(prediction)]] for key in prediction}


def _add_classes(n_classes: int) -> Change:
    """Return the change that writes two further classes for each interval."""

    def change(prediction: Prediction) -> Prediction:
        changed_rows = {}
        for key, rows in prediction.items():
            changed_rows[key] = [
                _with_class(row, (row[-3] + offset - 1) % n_classes + 1)
                for row in rows
                for offset in range(3)
            ]
        return changed_rows

    return change


def _add_windows(prediction: Prediction) -> Prediction:
    """Write each instance three times, 15 frames apart."""
    changed_rows = {}
    for key, rows in prediction.items():
        changed_rows[key] = [
            [*row[:-2], max(row[-2] + shift, 1), max(row[-1] + shift, 1)]
            for row in rows
            for shift in (-15, 0, 15)
        ]
    return changed_rows


def _fill_gaps(prediction: Prediction) -> Prediction:
    """Let each row end where the next one starts."""
    changed_rows = {}
    for key, rows in prediction.items():
        sorted_rows = sorted(rows, key=lambda row: row[-2])
        starts = [row[-2] for row in sorted_rows[1:]]
        changed_rows[key] = [[*row[:-1], max(row[-1], start - 1)] for row, start in zip(sorted_rows, starts)]
        changed_rows[key] += sorted_rows[-1:]
    return changed_rows


def _cut_rows(n_frames: float) -> Change:
    """Return the change that leaves out what is after a frame."""
    return _keep_rows(lambda row: row[-2] < n_frames, lambda row: [*row[:-1], min(row[-1], int(n_frames))])


def _within_clip(row: Row) -> Row:
    *head, start, end = row
    return [*head, (start - 1) % 64 + 1, (end - 1) % 64 + 1]


def _change_rows(change: ChangeOfRow) -> Change:
    return _keep_rows(lambda row: True, change)


def _keep_rows(is_kept: Callable[[Row], bool], change: ChangeOfRow) -> Change:
    """Return a change of all rows, which leaves out those that a validator then refuses."""

    def change_all(prediction: Prediction) -> Prediction:
        changed_prediction = {}
        for key, rows in prediction.items():
            changed_rows = [change(row) for row in rows]
            changed_prediction[key] = [row for row in changed_rows if is_kept(row)]
        return changed_prediction

    return change_all


def _is_ordered(row: Row) -> bool:
    return 1 <= row[-2] <= row[-1]


def _begins_by(last_frame: int, row: Row) -> bool:
    return _is_ordered(row) and row[-2] <= last_frame


def _map_frames(scale: float, offset: float, row: Row) -> Row:
    *head, start, end = row
    return [*head, round(scale * start + offset), round(scale * end + offset)]


def _scaled(name: str, scale: float, least_frames: int) -> Mistake[Prediction]:
    return _moved(name, scale, 0, least_frames)


def _delayed(delay: int, least_frames: int) -> Mistake[Prediction]:
    return _moved(f"{delay} frames late", 1.0, delay, least_frames)


def _moved(name: str, scale: float, offset: float, least_frames: int) -> Mistake[Prediction]:
    change = _keep_rows(partial(_begins_by, least_frames), partial(_map_frames, scale, offset))
    return cured(name, _ROWS, Family.FIT, change)


def _refused(name: str, scale: float) -> Mistake[Prediction]:
    """Return a frame rate of which some rows begin after the last frame, so that a validator refuses them."""
    change = _keep_rows(_is_ordered, partial(_map_frames, scale, 0.0))
    return noted(name, "E-CSV-FRAME", change, "times as late")


def _write_length(row: Row) -> Row:
    *head, start, end = row
    return [*head, start, end - start + 1]


def _with_class(row: Row, label: int) -> Row:
    *actor, _, start, end = row
    return [*actor, label, start, end]


def _rename_sequences(rename: Callable[[str], str]) -> Change:
    return partial(cures.rename_keys, rename=rename)


def _without_zeros(key: str) -> str:
    return f"{key[:-4]}{int(key[-4:])}"


def _next_name(key: str) -> str:
    return f"{key[:-4]}{int(key[-4:]) + 1:04d}"


def _stale_second_half(n_items: int) -> Ints:
    """Return for each item of the second half the one before it, as after a crash."""
    item = np.arange(n_items)
    return np.where(item < n_items // 2, item, item - 1)


def _of_one_actor(track: Track, least_frames: int) -> list[Mistake[Prediction]]:
    """Return the mistake that all rows are those of actor 1, at another frame rate."""
    if track.n_actors == 1:
        return []
    slow = _scaled("", 0.75, least_frames)

    def change(prediction: Prediction) -> Prediction:
        return _change_rows(lambda row: [1, *row[1:]])(slow.change(prediction))

    return [Mistake("actor 1 everywhere, and frame rate times 0.75", change, cures=slow.cures)]


def _next_class(n_classes: int, label: int) -> int:
    return label % n_classes + 1


def _rename_classes(rename: Callable[[int], int]) -> Change:
    return _change_rows(lambda row: _with_class(row, rename(row[-3])))


def _classes_in_other_order(n_classes: int) -> Mistake[Prediction]:
    other_class = cures.other_order([str(label) for label in range(1, n_classes + 1)])
    return cured(
        "classes of a list in another order",
        _CLASSES,
        Family.ORDER,
        _rename_classes(lambda label: int(other_class[str(label)])),
    )


def _other_sequences(name: str, items: Callable[[int], Ints], least_frames: int) -> Mistake[Prediction]:
    """Return the mistake that the file of each sequence has the rows of another one."""

    def change(prediction: Prediction) -> Prediction:
        return _keep_rows(partial(_begins_by, least_frames), list)(cures.exchange(prediction, items))

    return cured(name, _ROWS, Family.ITEMS, change)


def _two_at_once(n_classes: int) -> Mistake[Prediction]:
    rename = _rename_classes(partial(_next_class, n_classes))
    slow_down = _keep_rows(_is_ordered, partial(_map_frames, 0.8, 0.0))
    return Mistake(
        name="frame rate times 0.8, and classes one too high",
        change=lambda prediction: rename(slow_down(prediction)),
        cures=[Cure(_ROWS, Family.FIT), Cure(_CLASSES, Family.NUMBERS)],
    )


def _late_and_in_other_order(n_classes: int, least_frames: int) -> Mistake[Prediction]:
    late, other_order = _delayed(60, least_frames), _classes_in_other_order(n_classes)
    return Mistake(
        name="60 frames late, and classes of a list in another order",
        change=lambda prediction: late.change(other_order.change(prediction)),
        cures=[*late.cures, *other_order.cures],
    )


def _lag(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    return _keep_rows(_is_ordered, partial(_map_frames, 1.0, -float(rng.integers(2, 6))))(prediction)


def _grow(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    """Make rows 15 to 35 % longer, as far as they stay behind frame 1."""
    growth = (rng.uniform(1.15, 1.35) - 1) / 2

    def change(row: Row) -> Row:
        *head, start, end = row
        longer = round(growth * (end - start))
        return [*head, max(start - longer, 1), end + longer]

    return _change_rows(change)(prediction)


def _random_frames(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    """Give each row the frames of another one of its sequence."""
    changed_prediction = {}
    for key, rows in prediction.items():
        order = rng.permutation(len(rows)).tolist()
        changed_prediction[key] = [[*row[:-2], *rows[other][-2:]] for row, other in zip(rows, order)]
    return changed_prediction


def _labels(prediction: Prediction) -> list[int]:
    return [row[-3] for rows in prediction.values() for row in rows]


def _with_labels(prediction: Prediction, labels: Sequence[int]) -> Prediction:
    remaining_labels = iter(labels)
    return _change_rows(lambda row: _with_class(row, next(remaining_labels)))(prediction)


def _shuffle_classes(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    return _with_labels(prediction, rng.permutation(_labels(prediction)).tolist())


def _most_frequent_class(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    labels = _labels(prediction)
    counts = Counter(labels)
    most_frequent = max(counts, key=counts.__getitem__, default=1)
    return _with_labels(prediction, [most_frequent] * len(labels))


def _keep_tenth(prediction: Prediction, rng: np.random.Generator) -> Prediction:
    return _keep_rows(lambda row: bool(rng.random() < 0.1), list)(prediction)


def _middle_of_row(row: Row) -> Row:
    *head, start, end = row
    middle = (start + end) // 2
    return [*head, middle, middle]


WEAK_MODELS: list[WeakModel[Prediction]] = [
    WeakModel(
        "the frame in the middle of each row",
        lambda prediction, rng: _change_rows(_middle_of_row)(prediction),
    ),
    WeakModel("2 to 5 frames early", _lag),
    WeakModel("rows 15 to 35 % too long", _grow),
    WeakModel("frames of other rows", _random_frames),
    WeakModel("shuffled classes", _shuffle_classes),
    WeakModel("the most frequent class", _most_frequent_class),
    WeakModel("a third of the classes", lambda prediction, rng: _rename_classes(_first_of_three)(prediction)),
    WeakModel("a tenth of the rows", _keep_tenth),
]


def _first_of_three(label: int) -> int:
    return (label - 1) // 3 * 3 + 1
