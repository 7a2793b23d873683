"""The encoder of predictions for Kinetics-TPS: what it writes is what the reader reads."""

from __future__ import annotations

from validator.formats.kinetics_tps.read import read
from validator.formats.kinetics_tps.write import (
    encode_submission,
    frame_entry,
    frame_name,
    frame_number,
    human_entry,
    part_entry,
)
from validator.formats.rules import load_rules


def test_what_is_written_is_read():
    part = part_entry([[1.5, 2, 3, 4], [1, 2, 3, 4]], ["bend", "träge"])
    humans = [human_entry([0, 0, 9.25, 9], {"head": part}), human_entry([0, 0, 1, 1], {})]
    videos = {"v": {frame_name(6): frame_entry(humans), frame_name(1): frame_entry([])}}
    files = encode_submission({"v": "throw_ball", "w": "run"}, videos)
    submission = read(files, load_rules("kinetics_tps")).content
    assert submission.classes == {"v": "throw_ball", "w": "run"}
    parts = submission.parts
    assert (parts.videos, parts.frames) == (["v"], ["img_00006.json", "img_00001.json"])
    assert parts.human_box.tolist() == [[0, 0, 9.25, 9], [0, 0, 1, 1]]
    assert parts.proposal_box.tolist() == [[1.5, 2, 3, 4], [1, 2, 3, 4]]
    assert [parts.states[number] for number in parts.proposal_state] == ["bend", "träge"]


def test_frames_have_the_names_that_are_scored():
    assert frame_name(11) == "img_00011.json"
    assert [frame_number(frame_name(number)) for number in (1, 96, 123_456)] == [1, 96, 123_456]
