"""Generated sentences: what both protocols make of segments that are left out or are not in the data."""

from __future__ import annotations

import json
from random import Random

import pytest

from organizer.data.prepare import prepare
from tests.helpers import loaded, scaled
from tests.plain.random_cases import SETTINGS, write_random_case

ID = "anet_entities_gen"
NOTHING = {"clss": [], "idx_in_sent": [], "bbox_for_all_frames": []}
SEEDS = range(scaled(30))


class Case:
    """A random case, whose results can be exchanged."""

    def __init__(self, seed, folder):
        self.folders = write_random_case(ID, Random(seed), folder)
        self.submission = json.loads((self.folders[1] / "submission_gen.json").read_text())
        videos = json.loads((self.folders[0] / "reference.json").read_text())["annotations"]
        split = json.loads((self.folders[0] / "split.json").read_text())
        self.segments = {video: videos[video]["segments"] for video in split["validation"]}

    def scores(self, results, protocol="published"):
        (self.folders[1] / "submission_gen.json").write_text(
            json.dumps({**self.submission, "results": results})
        )
        settings = {**SETTINGS[ID], "protocol": protocol, "interval": False}
        return loaded(ID, self.folders[0], **settings).score_path(self.folders[1]).scores


@pytest.mark.parametrize("seed", SEEDS)
def test_a_complete_submission_has_the_same_scores_in_both_protocols(tmp_path, seed):
    case = Case(seed, tmp_path)
    submitted = case.submission["results"]
    complete = {
        video: {key: submitted.get(video, {}).get(key, NOTHING) for key in segments}
        for video, segments in case.segments.items()
    }
    assert case.scores(complete, "published") == case.scores(complete, "released")


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_not_in_the_chosen_splits_changes_no_published_score(tmp_path, seed):
    case = Case(seed, tmp_path)
    submitted = case.submission["results"]
    cut = {
        video: {key: objects for key, objects in submitted.get(video, {}).items() if key in segments}
        for video, segments in case.segments.items()
    }
    assert case.scores(cut) == case.scores(submitted)


@pytest.mark.parametrize("seed", SEEDS)
def test_leaving_out_a_sentence_never_raises_the_published_score(tmp_path, seed):
    case = Case(seed, tmp_path)
    submitted = case.submission["results"]
    video = Random(seed).choice(list(submitted))
    fewer = {**submitted, video: dict(list(submitted[video].items())[1:])}
    # A submission without any segment of the data is refused.
    if any(key in case.segments.get(name, {}) for name, segments in fewer.items() for key in segments):
        assert case.scores(fewer)["score"] <= case.scores(submitted)["score"]


@pytest.mark.parametrize("protocol", ["published", "released"])
@pytest.mark.parametrize("seed", range(scaled(20)))
def test_source_and_prepared_folder_score_alike(tmp_path, seed, protocol):
    case = Case(seed, tmp_path)
    if not any(
        segment["process_idx"] for segments in case.segments.values() for segment in segments.values()
    ):
        pytest.skip("nothing is annotated")
    expected = case.scores(case.submission["results"], protocol)
    source = case.folders[0]
    (source / "settings.yaml").write_text("splits: [validation]\nlemma_fallback: lower\n")
    prepare(ID, source, tmp_path / "prepared")
    settings = {"protocol": protocol, "interval": False}
    assert loaded(ID, tmp_path / "prepared", **settings).score_path(case.folders[1]).scores == expected
