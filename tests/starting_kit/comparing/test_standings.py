"""Sentences on compared submissions: by how much scores differ, and whether that is significant."""

from __future__ import annotations

import numpy as np
import pytest

from people_in_video.comparing.standings import pair_sentences, sentences
from tests.starting_kit.comparing.made_up import made_standings

PICK = np.random.RandomState(8)
VALUES = np.round(np.clip(PICK.rand(40, 1) + PICK.normal([0.0, -0.005, -0.4], 0.05, (40, 3)), 0, 1), 3)


def standings(values, sorting="desc"):
    return made_standings(values, sorting, ["a", "b", "c"][: values.shape[1]])


def test_a_sentence_has_difference_interval_and_p_value():
    of = standings(VALUES[:, [0, 2]])
    pairs = of.comparison.pairs
    interval = f"95 % interval {pairs.low[0]:.4f} to {pairs.high[0]:.4f}"
    assert pair_sentences(of) == [
        f"a scores {pairs.difference[0]:.4f} higher than b, {interval}: significant, p < 0.0001."
    ]


def test_several_have_intervals_for_all_pairs_and_adjusted_p_values():
    of = standings(VALUES)
    pairs = of.comparison.pairs
    near, far, _ = pair_sentences(of)
    # Significant by Holm although the interval for all pairs holds 0.
    assert pairs.low_all[0] < 0 < pairs.low[0]
    near_interval = f"interval {pairs.low_all[0]:.4f} to {pairs.high_all[0]:.4f}"
    assert f"{near_interval}: significant (Holm), p = {pairs.p[0]:#.2g}, adjusted p = " in near
    far_interval = f"interval {pairs.low_all[1]:.4f} to {pairs.high_all[1]:.4f}"
    assert f"{far_interval}: significant, p < 0.0001, adjusted p < 0.0001." in far


def test_the_better_one_has_the_smaller_score_where_that_is_better():
    of = standings(VALUES[:, [2, 0]], "asc")
    pairs = of.comparison.pairs
    assert pairs.difference[0] < 0
    interval = f"95 % interval {-pairs.high[0]:.4f} to {-pairs.low[0]:.4f}"
    assert pair_sentences(of) == [
        f"a scores {-pairs.difference[0]:.4f} lower than b, {interval}: significant, p < 0.0001."
    ]


@pytest.mark.parametrize(
    ("n", "end"),
    [
        (9, ": 9 sequences are too few to say whether that is significant."),
        (1, ": 1 sequence, too few for an interval."),
    ],
)
def test_few_items_are_said(n, end):
    (text,) = pair_sentences(standings(VALUES[:n, [0, 2]]))
    assert text.endswith(end)


@pytest.mark.parametrize(("n", "words"), [(1, " 1 sequence is too few "), (9, " 9 sequences are too few ")])
def test_rank_sets_of_few_items_are_said_to_hold_all_ranks(n, words):
    assert words in " ".join(sentences(standings(VALUES[:n])))


def test_equal_scores_are_said():
    assert pair_sentences(standings(VALUES[:, [0, 0]])) == ["a and b score the same."]
    swapped = np.concatenate([VALUES[:20, :2], VALUES[:20, 1::-1]])
    (text,) = pair_sentences(standings(swapped))
    assert text.startswith("a and b score the same, 95 % interval -0.")
    assert text.endswith(": not significant, p = 1.0.")
    close = VALUES[:, [0, 0]] - [0, 1e-6]
    assert pair_sentences(standings(close))[0].startswith("a scores less than 0.0001 higher than b, ")


def test_items_that_a_difference_needs_are_counted_where_it_cannot_be_seen():
    of = standings(VALUES[:20, :2])
    difference, visible = abs(of.comparison.pairs.difference[0]), of.comparison.visible
    assert difference < visible
    needed = round(20 * (visible / difference) ** 2)
    assert f"as between the first two, needs about {needed} sequences." in " ".join(sentences(of))
    assert "needs about" not in " ".join(sentences(standings(VALUES[:, [0, 2]])))


def test_shared_last_rank_of_those_that_cannot_be_told_apart_counts_all_who_share_it():
    """The rank sets of the two that share rank 2 end with 3."""
    of = standings(VALUES[:20, [0, 1, 1]])
    assert of.comparison.rank.tolist() == [1, 2, 2]
    assert "Ranks that are not distinguishable: 1 to 3." in sentences(of)


def test_teams_with_equal_scores_are_not_called_different():
    text = "All submissions with different scores are significantly different."
    assert text in sentences(standings(VALUES[:, [0, 2, 2]]))
    assert not any("distinguishable" in line for line in sentences(standings(VALUES[:, [0, 0]])))
