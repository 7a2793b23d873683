"""Which submission of a team counts: the best, the last, one that it has chosen, or the best in another phase."""

from __future__ import annotations

import shutil

import pytest
import yaml

from organizer.ranking.counting import Counting, parse_counting
from tests.helpers import ROOT
from tests.rescoring import ID, REFERENCE, call, rows, sample, varied, write_submissions

# From the best to the worst.
DOWNLOAD = {
    "3_ann_PhaseId4_2027-01-04_a.zip": sample(),
    "4_ann_PhaseId4_2027-01-02_b.zip": varied(40),
    "5_ann_PhaseId4_2027-01-03_c.zip": varied(90),
    "6_bob_PhaseId4_2027-01-03_c.zip": sample("weak"),
}
BEST, MIDDLE, WORST, BOB = DOWNLOAD
INVALID = "2_ann_PhaseId4_2027-01-01_z.zip"


@pytest.fixture
def submissions(tmp_path):
    return write_submissions(tmp_path / "in", DOWNLOAD)


def counting_of_ann(output):
    return rows(output / "ranking.csv", "team")["ann"]["submission"]


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "counting"), [("best", BEST), ("last", BEST)])
def test_the_last_is_the_last_by_date(submissions, tmp_path, rule, counting):
    assert call(submissions, tmp_path / "out", "--counts", rule) == 0
    assert counting_of_ann(tmp_path / "out") == counting


def test_the_chosen_one_counts(submissions, tmp_path, capsys):
    names = tmp_path / "names.csv"
    names.write_text(f"submission,chosen\n{MIDDLE},yes\n{WORST},no\n")
    assert call(submissions, tmp_path / "out", "--names", names, "--counts", "chosen") == 0
    assert counting_of_ann(tmp_path / "out") == MIDDLE
    # A team with one submission has no choice.
    assert rows(tmp_path / "out" / "ranking.csv", "team")["bob"]["submission"] == BOB


@pytest.mark.parametrize("chosen", ["", f"{MIDDLE},yes\n{WORST},yes\n", f"{INVALID},yes\n"])
def test_a_team_that_has_not_chosen_one_is_named(submissions, tmp_path, capsys, chosen):
    names = tmp_path / "names.csv"
    names.write_text(f"submission,chosen\n{chosen}")
    write_submissions(submissions, {INVALID: b"no zip"})
    assert call(submissions, tmp_path / "out", "--names", names, "--counts", "chosen") == 1
    printed = capsys.readouterr().out
    assert "ann" in printed.splitlines()[-1]
    assert "bob" not in printed.splitlines()[-1]
    assert not (tmp_path / "out" / "ranking.csv").exists()


def test_choices_are_of_submissions(submissions, tmp_path, capsys):
    names = tmp_path / "names.csv"
    names.write_text("user,chosen\nann,yes\n")
    assert call(submissions, tmp_path / "out", "--names", names, "--counts", "chosen") == 1
    assert "column submission" in capsys.readouterr().out


@pytest.mark.slow
def test_the_best_in_another_phase_is_ranked_here(submissions, tmp_path, capsys):
    """In the first phase the labels are those of the worst, so that it is the best there."""
    first = tmp_path / "reference" / ID
    shutil.copytree(REFERENCE, first)
    for name, text in varied(90).items():
        if name.endswith("_prediction.csv"):
            (first / name.replace("prediction", "labels")).write_text(text)
    both_phases = submissions, tmp_path / f"{ID}_first-phase"
    counts = ["--counts", "best_in: First phase"]
    assert call(submissions, tmp_path / "out", *counts) == 1
    assert f"{ID}_first-phase" in capsys.readouterr().out
    for name in (MIDDLE, BOB):
        (submissions / name).unlink()
    assert call(*both_phases, reference=first) == 0
    write_submissions(submissions, {BOB: DOWNLOAD[BOB], "7_ann_PhaseId4_2027-01-05_d.zip": varied(1)})
    assert call(submissions, tmp_path / "out", *counts) == 0
    assert counting_of_ann(tmp_path / "out") == WORST
    # Bob was not in the first phase.
    assert "they were not there: bob" in capsys.readouterr().out
    assert rows(tmp_path / "out" / "ranking.csv", "team").keys() == {"ann"}


def test_a_phase_that_is_not_there_is_answered_with_those_that_are(submissions, tmp_path, capsys):
    assert call(submissions, tmp_path / "out", "--counts", "best_in: Typo") == 1
    printed = capsys.readouterr().out
    competition = yaml.safe_load((ROOT / "competition.yaml").read_text(encoding="utf-8"))
    index = next(task["index"] for task in competition["tasks"] if ID in task["scoring_program"])
    for phase in competition["phases"]:
        assert (f'"{phase["name"]}"' in printed) == (index in phase["tasks"])
    assert "--phase" not in printed


@pytest.mark.slow
def test_the_setting_of_the_reference_holds_unless_an_option_says_otherwise(tmp_path):
    reference = tmp_path / "reference" / ID
    shutil.copytree(REFERENCE, reference)
    (reference / "settings.yaml").write_text("counts: last\n")
    submissions = write_submissions(
        tmp_path / "in", {"a/1.zip": sample(), "a/2.zip": sample("weak"), "a/3.zip": b"no"}
    )
    for options, counting in (((), "a/2.zip"), (("--counts", "best"), "a/1.zip")):
        assert call(submissions, tmp_path / "out", *options, reference=reference) == 0
        assert rows(tmp_path / "out" / "ranking.csv", "team")["a"]["submission"] == counting


@pytest.mark.parametrize("value", ["first", "{best_in: 3}", "{best: a}", "[best]"])
def test_a_setting_of_another_form_is_refused(submissions, tmp_path, capsys, value):
    reference = tmp_path / "reference" / ID
    shutil.copytree(REFERENCE, reference)
    (reference / "settings.yaml").write_text(f"counts: {value}\n")
    assert call(submissions, tmp_path / "out", reference=reference) != 0
    printed = "".join(capsys.readouterr())
    assert "E-SETTINGS-VALUE" in printed
    assert "best_in" in printed


def test_the_option_is_written_as_the_setting():
    assert (
        parse_counting("best_in: Phase 1")
        == parse_counting("best_in=Phase 1")
        == Counting("best_in", "Phase 1")
    )
    for text in ("first", "best_in", "best_in:"):
        with pytest.raises(ValueError, match="best_in: PHASE"):
            parse_counting(text)
