"""A score that is as good as nothing: the note on it, the verdict, and what the page says of costs."""

from __future__ import annotations

import pytest

from scoring_program.low_score import is_low

SEQUENCES = range(1, 7)
REFERENCE = {f"S{number}_data.csv": "2000,20,100\n" for number in SEQUENCES} | {
    f"S{number}_labels.csv": "".join(
        f"{label},{100 * label + (label == 10) * number},{100 * label + 50}\n" for label in range(1, 11)
    )
    for number in SEQUENCES
}
ID = "chalearn_gesture"
# Nothing overlaps, and no constant explains it.
ELSEWHERE = {
    f"S{number}_prediction.csv": "".join(
        f"{label},{100 * label + 55 + number},{100 * label + 90 - label}\n" for label in range(1, 11)
    )
    for number in SEQUENCES
}
PERFECT = {
    name.replace("_labels", "_prediction"): rows for name, rows in REFERENCE.items() if "_labels" in name
}
NO_COSTS = "No type of error costs anything."


@pytest.mark.parametrize(
    ("score", "coverage", "score_range", "low"),
    [
        (0.0, 0.1, (0, 1), True),
        (0.0199, 0.51, (0, 1), True),
        (0.0199, 0.5, (0, 1), False),
        (0.02, 1.0, (0, 1), False),
        (0.0, 1.0, (0, None), False),
    ],
)
def test_a_score_is_low_at_zero_or_where_much_was_predicted(score, coverage, score_range, low):
    assert is_low({"score": score, "coverage": coverage}, score_range) == low


@pytest.mark.parametrize("detail", ["summary", "full"])
def test_a_score_of_nothing_is_no_green_page_without_costs(run, detail):
    outcome = run(ID, REFERENCE, ELSEWHERE, detail=detail)
    assert outcome.scores["score"] < 0.02
    assert "likely mistake N-LOW: " in outcome.out
    assert "costs of the submission as it was read" in outcome.out
    assert NO_COSTS not in outcome.page
    assert 'class="good"' not in outcome.page
    assert outcome.page.index("N-LOW") < outcome.page.index("costs of the submission as it was read")


def test_a_perfect_score_costs_nothing_and_is_green(run):
    outcome = run(ID, REFERENCE, PERFECT)
    assert outcome.scores["score"] == 1
    assert NO_COSTS in outcome.page
    assert 'class="good"' in outcome.page
    assert "likely mistake" not in outcome.out


def test_likely_mistakes_come_before_other_notes(run):
    rows = {f"S{number}_prediction.csv": "3,1,5\r\n3,7,9\r\n" for number in SEQUENCES}
    outcome = run(ID, REFERENCE, {**rows, "notes.txt": "x"})
    lines = [line for line in outcome.out.splitlines() if line.startswith(("note ", "likely mistake "))]
    kinds = [line.split(" N-")[0] for line in lines]
    assert kinds == sorted(kinds) and set(kinds) == {"note", "likely mistake"}
    assert outcome.page.index("N-LOOKS-CONSTANT") < outcome.page.index("N-FILE-IGNORED")


def test_the_note_can_be_switched_off(run):
    assert "N-LOW" not in run(ID, REFERENCE, ELSEWHERE, notes=False).out


@pytest.mark.parametrize(
    ("last_frame", "decimals", "text"),
    [(150, 10, "the score is 0.01667"), (150, 2, None), (120, 2, "the score is 0.01 ")],
)
def test_the_note_tells_no_digit_that_the_score_does_not_show(run, last_frame, decimals, text):
    submission = {**ELSEWHERE, "S1_prediction.csv": f"1,100,{last_frame}\n"}
    outcome = run(ID, REFERENCE, submission, score_decimals=decimals)
    (line,) = [line for line in outcome.out.splitlines() if "N-LOW" in line] or [None]
    assert (text is None) == (line is None)
    assert text is None or text in line
