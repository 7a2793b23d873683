"""Both ChaLearn tracks from the files to the score and the page, compared with a plain program."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_program.challenges.chalearn.task import TRACKS
from tests import plain_chalearn as plain
from tests.helpers import loaded_at_home

IDS = ("chalearn_action", "chalearn_gesture")
PROTOCOLS = ("published", "released")


@st.composite
def text(draw, n_actors, n_frames, beyond):
    """Draw the rows of a file, which may overlap, repeat a class and, by ``beyond`` frames, run past the end."""
    row = st.tuples(
        st.integers(1, n_actors),
        st.integers(1, 3),
        st.integers(1, n_frames),
        st.integers(0, n_frames + beyond),
    )
    lines = ""
    for actor, label, start, more in draw(st.lists(row, max_size=5)):
        end = min(start + more, n_frames + beyond)
        lines += f"{f'{actor},' if n_actors > 1 else ''}{label},{start},{end}\n"
    return lines


@st.composite
def files(draw, n_actors):
    """Draw the files of a reference and of a submission, with missing, empty and unknown ones."""
    reference, submission = {}, {}
    for name in [f"Seq{number:02}" for number in range(draw(st.integers(1, 4)))]:
        n_frames = draw(st.integers(1, 12))
        reference[f"{name}_data.csv"] = draw(st.sampled_from(["", "99,20,2000\n"])) + f"{n_frames},20,2000\n"
        reference[f"{name}_labels.csv"] = draw(text(n_actors, n_frames, 2))
        if not submission or draw(st.booleans()):
            submission[f"{name}_prediction.csv"] = draw(text(n_actors, n_frames, 4))
    if draw(st.booleans()):
        submission["Other_prediction.csv"] = draw(text(n_actors, 12, 0))
    return reference, submission


def scored(name, protocol, reference, submission):
    """Return the result for the files of a reference and of a submission, with timelines, as at home."""
    with tempfile.TemporaryDirectory() as folder:
        ref, res = Path(folder, "ref"), Path(folder, "res")
        for place, contents in ((ref, reference), (res, submission)):
            place.mkdir()
            for file, content in contents.items():
                (place / file).write_text(content, encoding="utf-8")
        settings = {"protocol": protocol, "detail": "full", "interval": False, "notes": False}
        return loaded_at_home(name, ref, **settings).score_path(res)


@pytest.mark.parametrize(
    ("name", "actor", "score"), [("chalearn_gesture", "", 0.5), ("chalearn_action", "1,", 1.0)]
)
def test_an_annotated_class_without_a_frame_counts_zero_where_actors_are_not_compared(name, actor, score):
    """Released rows of one frame cover nothing: such a gesture scores 0, such a pair of actor and class is left out."""
    reference = {"Seq01_data.csv": "20,20,2000\n", "Seq01_labels.csv": f"{actor}1,5,5\n{actor}2,1,10\n"}
    submission = {"Seq01_prediction.csv": f"{actor}2,1,10\n"}
    assert scored(name, "released", reference, submission).scores["score"] == score
    assert scored(name, "published", reference, submission).scores["score"] == 0.5


def check_page(result, sequences, classes, apart):
    sections = {section.key: section for section in result.sections}
    keys = {key for key in sections if not key.startswith("timeline_")}
    # A table without rows is not shown.
    assert keys | {"classes"} == {"borders", "classes", "confusions", "sequence_scores", "sequences"}
    shown = sections["classes"].rows if "classes" in sections else []
    rows = {classes.index(row[0]) + 1: row[1:] for row in shown}
    assert {label: list(row) for label, row in rows.items()} == {
        label: pytest.approx(list(map(float, row)), abs=1e-12)
        for label, row in plain.class_rows(sequences, apart).items()
    }
    counts = sections["confusions"].counts
    found = {(i + 1, j + 1): int(counts[i, j]) for i, j in zip(*counts.nonzero())}
    assert found == plain.confusions(sequences, len(classes) + 1)
    expected = plain.sequence_scores(sequences, apart)
    by_name = {sequence.name: sequence for sequence in sequences}
    table = {row[0]: row[1:] for row in sections["sequences"].rows}
    assert {name: row[0] for name, row in table.items()} == pytest.approx(expected, abs=1e-12)
    assert [row[1] for row in sections["sequences"].rows] == sorted(row[0] for row in table.values())
    for name, (_, false_classes, file) in table.items():
        sequence = by_name[name]
        assert (false_classes, file) == (
            plain.false_classes(sequence),
            "yes" if sequence.present else "missing",
        )
    shares = [row[0] for row in table.values()]
    bins = sections["sequence_scores"]
    edges = [*bins.edges[:-1], 2.0]  # a score of 1 is in the last bin
    assert list(bins.counts) == [
        sum(low <= share < high for share in shares) for low, high in zip(edges, edges[1:])
    ]


def check_timelines(result, sequences, classes):
    by_name = {sequence.name: sequence for sequence in sequences}
    shown = [section for section in result.sections if section.key.startswith("timeline_")]
    table = next(section for section in result.sections if section.key == "sequences")
    assert [section.title for section in shown] == [row[0] for row in table.rows]
    for section in shown:
        sequence = by_name[section.title]
        assert section.n_frames == sequence.n_frames
        for side, drawn in (("truth", "ground_truth"), ("predicted", "prediction")):
            lanes = {
                classes.index(lane.label) + 1: {
                    frame + 1 for start, end in getattr(lane, drawn) for frame in range(start, end)
                }
                for lane in section.lanes
            }
            expected = sequence.of_class(getattr(sequence, side))
            assert {label: frames for label, frames in lanes.items() if frames} == {
                label: frames for label, frames in expected.items() if frames
            }


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", IDS)
@given(data=st.data())
def test_scores_and_page_are_those_of_a_plain_program(name, protocol, data):
    track = TRACKS[name]
    reference, submission = data.draw(files(track.n_actors))
    sequences, apart = plain.read(reference, submission, protocol), track.n_actors > 1
    result = scored(name, protocol, reference, submission)
    assert result.scores == pytest.approx(plain.scores(sequences, apart), abs=1e-10)
    check_page(result, sequences, track.classes, apart)
    check_timelines(result, sequences, track.classes)
