"""Tables and timelines of both ChaLearn tracks, beside the sets of frames of the plain programs."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from scoring_program.challenges.chalearn.task import TRACKS
from tests.helpers import is_nightly, loaded_at_home, scaled
from tests.plain.chalearn_gesture import Comparison
from tests.plain.random_cases import write_random_case


def frames_of_sequence(triples, sequence):
    """Return the frames of each class of a sequence, of all actors together."""
    frames = {}
    for name, label, frame in triples:
        if name == sequence:
            frames.setdefault(label[-1], set()).add(frame)
    return frames


def class_rows(plain):
    """Return for each class: mean Jaccard index, frames annotated and predicted, pairs annotated."""
    rows = {}
    for number in sorted({label[-1] for _, label in plain.true_classes | plain.predicted_classes}):
        indexes = [index for (_, label), index in plain.jaccard.items() if label[-1] == number]
        true, predicted = (sum(t[1][-1] == number for t in side) for side in (plain.true, plain.predicted))
        n_annotated = sum(label[-1] == number for _, label in plain.true_classes)
        rows[number] = [Fraction(sum(indexes), len(indexes) or 1), true, predicted, n_annotated]
    return rows


def confusions(plain, unpaired):
    """Return how many frames of a class are predicted as another or the same; ``unpaired`` stands for no class."""
    counts = Counter()
    for sequence, n_frames in plain.lengths.items():
        true, predicted = (frames_of_sequence(side, sequence) for side in (plain.true, plain.predicted))
        for frame in range(1, n_frames + 1):
            true_labels, predicted_labels = (
                {n for n in side if frame in side[n]} for side in (true, predicted)
            )
            counts.update((label, label) for label in true_labels & predicted_labels)
            missed, false = true_labels - predicted_labels, predicted_labels - true_labels
            if missed or false:
                counts.update(product(missed or {unpaired}, false or {unpaired}))
    return dict(counts)


def check_page(result, plain, classes):
    sections = {section.key: section for section in result.sections}
    keys = {key for key in sections if not key.startswith("timeline_")}
    # A table without rows is not shown.
    assert keys | {"classes"} == {"borders", "classes", "confusions", "sequence_scores", "sequences"}
    rows = sections["classes"].rows if "classes" in sections else []
    expected = {classes[number - 1]: list(map(float, row)) for number, row in class_rows(plain).items()}
    assert {row[0]: list(row[1:]) for row in rows} == {
        name: pytest.approx(row, abs=1e-12) for name, row in expected.items()
    }
    counts = sections["confusions"].counts
    cells = {(i + 1, j + 1): int(counts[i, j]) for i, j in zip(*counts.nonzero())}
    assert cells == confusions(plain, len(classes) + 1)
    table = {row[0]: row[1:] for row in sections["sequences"].rows}
    assert {name: row[0] for name, row in table.items()} == pytest.approx(plain.means(), abs=1e-12)
    assert [row[1] for row in sections["sequences"].rows] == sorted(row[0] for row in table.values())
    false_classes = Counter(sequence for sequence, _ in plain.predicted_classes - plain.true_classes)
    files = {name: "yes" if f"{name}_prediction.csv" in plain.files else "missing" for name in table}
    assert {name: row[1:] for name, row in table.items()} == {
        name: (false_classes[name], files[name]) for name in table
    }
    bins = sections["sequence_scores"]
    edges = [*bins.edges[:-1], 2.0]  # a score of 1 is in the last bin
    shares = [row[0] for row in table.values()]
    assert list(bins.counts) == [
        sum(low <= share < high for share in shares) for low, high in zip(edges, edges[1:])
    ]


def check_timelines(result, plain, classes):
    timelines = [section for section in result.sections if section.key.startswith("timeline_")]
    table = next(section for section in result.sections if section.key == "sequences")
    assert [section.title for section in timelines] == [row[0] for row in table.rows]
    for section in timelines:
        assert section.n_frames == plain.lengths[section.title]
        for side, drawn in ((plain.true, "ground_truth"), (plain.predicted, "prediction")):
            lanes = {}
            for lane in section.lanes:
                spans = [range(start + 1, end + 1) for start, end in getattr(lane, drawn)]
                lanes[classes.index(lane.label) + 1] = set().union(*spans)
            lanes = {label: frames for label, frames in lanes.items() if frames}
            assert lanes == frames_of_sequence(side, section.title)


@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("seed", range(scaled(40) if is_nightly() else 4))
@pytest.mark.parametrize("name", ["chalearn_action", "chalearn_gesture"])
def test_tables_and_timelines_are_those_of_the_plain_program(tmp_path, name, seed, protocol):
    folders = write_random_case(name, Random(seed), tmp_path)
    settings = {"protocol": protocol, "detail": "full", "interval": False, "notes": False}
    result = loaded_at_home(name, folders[0], **settings).score_path(folders[1])
    plain = Comparison(*folders, protocol, with_actors=name == "chalearn_action" and protocol == "released")
    check_page(result, plain, TRACKS[name].classes)
    check_timelines(result, plain, TRACKS[name].classes)
