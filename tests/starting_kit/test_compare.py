"""Comparing submissions at home: the command, the function, the page, and ``comparison.json``."""

from __future__ import annotations

import html
import json
import random
import re
import shutil
from dataclasses import replace

import html5lib
import jsonschema
import numpy as np
import pytest

import people_in_video
from people_in_video import SubmissionError, compare
from people_in_video.__main__ import run_command
from people_in_video.commands import compare as command
from people_in_video.comparing import comparison
from scoring_program.result import ErrorCost, Result, Shown, Statistics
from scoring_program.run import BROKEN, INVALID, SCORED
from scoring_program.task import load_task
from tests.helpers import PUBLISHED, REFERENCES, ROOT, SAMPLES, make_zip, one_of_each_challenge
from tests.starting_kit.comparing.made_up import made_standings
from validator import console
from validator.findings import Note

SCHEMA = json.loads(
    (ROOT / "starting_kit" / "people_in_video" / "comparing" / "comparison.schema.json").read_text()
)
TASK = "chalearn_gesture"
DRAWN = ["chalearn_gesture", "anet_entities_gen", "kinetics_tps", "densepose"]
GOOD, WEAK = SAMPLES / TASK / "good", SAMPLES / TASK / "weak"


def call(folder, *arguments):
    """Run the command with a folder for its outputs; return the exit code."""
    return run_command("compare", [*map(str, arguments), "--output", str(folder)])


def outputs_of(folder):
    """Return the text of the page and the data, which keeps to the schema."""
    content = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))
    jsonschema.validate(content, SCHEMA, jsonschema.Draft7Validator)
    return shown((folder / "comparison.html").read_text(encoding="utf-8")), content


def shown(text):
    tree = html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parse(text)
    return " ".join(" ".join(tree.find("body").itertext()).split())


def mixed(folder, n):
    """Write submissions whose files are of both samples, and return their paths."""
    paths = []
    for number in range(n):
        pick = random.Random(number)
        files = {
            path.name: pick.choice([path, path, WEAK / path.name]).read_text() for path in GOOD.iterdir()
        }
        paths.append(folder / f"epoch{number}.zip")
        paths[-1].write_bytes(make_zip(files))
    return paths


def made(values, sorting="desc", names=None):
    """Return a comparison of submissions whose scores are means over their columns, the best first."""
    standings = made_standings(values, sorting, names)
    scores = {column.key: 0.5 for column in standings.task.columns}
    results = [
        Result(
            shown=Shown({**scores, "score": score}),
            notes=[],
            statistics=Statistics(column, column == column, np.ones(len(column), int), column == 1),
            items=(),
        )
        for score, column in zip(standings.scores, values.T)
    ]
    items = [f"item{number}" for number in range(len(values))]
    return comparison.Comparison(standings, results, items, {}, "x|ref:0")


@pytest.mark.slow
@pytest.mark.parametrize("task", one_of_each_challenge())
def test_two_samples_are_compared_as_evaluate_scores_them(task, tmp_path, capsys):
    paths = [SAMPLES / task / name for name in ("weak", "good")]
    assert call(tmp_path, task, *paths) == SCORED
    text, content = outputs_of(tmp_path)
    assert [submission["name"] for submission in content["submissions"]] == ["good", "weak"]
    for submission, path in zip(content["submissions"], reversed(paths)):
        alone = people_in_video.score(task, path, detail="full")
        assert submission["scores"] == pytest.approx(alone.scores, abs=1e-9)
        assert (submission["low"], submission["high"]) == pytest.approx(
            (alone.interval.low, alone.interval.high)
        )
        assert submission["error_costs"] == pytest.approx(
            {cost.error_type: cost.points for cost in alone.error_costs}
        )
    (pair,) = content["pairs"]
    assert pair["sentence"] in text
    assert pair["sentence"] in capsys.readouterr().out
    assert pair["low"] == pair["low_all"]
    assert pair["low"] > 0 if load_task(task).higher_is_better else pair["high"] < 0
    for column in load_task(task).columns:
        assert column.title in text or not column.leaderboard
    assert "on other" in text
    assert len(content["values"]) > 1 or task not in PUBLISHED
    tables = content["values"].values()
    sizes = {(len(table["names"]), 2) for table in tables}
    assert sizes == {np.shape(table["values"]) for table in tables}


@pytest.mark.parametrize("n", [3, 4])
def test_several_are_compared_in_all_pairs_at_once(n, tmp_path, capsys):
    assert call(tmp_path / "out", TASK, *mixed(tmp_path, n)) == SCORED
    text, content = outputs_of(tmp_path / "out")
    scores = [submission["score"] for submission in content["submissions"]]
    assert scores == sorted(scores, reverse=True)
    assert [submission["rank"] for submission in content["submissions"]] == [*range(1, n + 1)]
    assert len(content["pairs"]) == n * (n - 1) // 2
    for pair in content["pairs"]:
        assert pair["low_all"] < pair["low"] <= pair["difference"] <= pair["high"] < pair["high_all"]
        assert pair["p_adjusted"] >= pair["p"]
        assert pair["sentence"] in text
        assert f"{pair['low_all']:.4f} to {pair['high_all']:.4f}" in pair["sentence"]
    assert "for all pairs of submissions at once" in text
    assert "may be the best" in text
    assert capsys.readouterr().out.count(" higher than ") == n - 1
    card = (tmp_path / "out" / "comparison.html").read_text().split('id="pairs"')[1].split("</section>")[0]
    # The table of differences says the same of three.
    assert ('class="matrix"' in card) == (n > 3)
    assert all(html.escape(pair["sentence"], quote=False) in card for pair in content["pairs"])


def test_one_submission_has_its_interval_and_no_pair(tmp_path):
    assert call(tmp_path, TASK, GOOD) == SCORED
    text, content = outputs_of(tmp_path)
    assert content["pairs"] == []
    assert content["visible_difference"] is None
    assert content["submissions"][0]["low"] < content["submissions"][0]["score"]
    assert "good: Mean Jaccard 0.8932" in text
    assert "on other" not in text
    assert "Difference" not in text.split("Method")[0]
    # Nothing differs from a copy either.
    assert compare(TASK, [GOOD]).item_pairs is None
    assert compare(TASK, [GOOD, shutil.copytree(GOOD, tmp_path / "copy")]).item_pairs is None


def costs_of(values, *costs_of_results):
    """Return the card of costs of a comparison whose results have these costs by type of error."""
    outcome = made(values)
    results = []
    for result, costs in zip(outcome.results, costs_of_results):
        error_costs = [ErrorCost(key, 0.5 + points, points) for key, points in costs.items()]
        results.append(replace(result, shown=replace(result.shown, error_costs=error_costs)))
    text = comparison.page(replace(outcome, results=results))
    return text.split('id="costs"')[1].split("</section>")[0]


def test_costs_are_ordered_by_size_without_types_that_cost_nothing():
    titles = {error_type.key: error_type.title for error_type in load_task(TASK).error_types}
    one = {"timing": 0.1, "missed_classes": 0.00001, "false_classes": 0.02}
    other = {"timing": 0.3, "missed_classes": 0.0, "false_classes": 0.4}
    text = costs_of(VALUES[:, :2], one, other)
    assert text.index(titles["false_classes"]) < text.index(titles["timing"])
    assert titles["missed_classes"] not in text
    nothing = dict.fromkeys(one, 0.0)
    assert not any(title in costs_of(VALUES[:, :2], nothing, nothing) for title in titles.values())


def test_a_copy_of_a_submission_changes_no_other_pair(tmp_path):
    first, second, third = mixed(tmp_path, 3)
    copy = tmp_path / "copy.zip"
    copy.write_bytes(third.read_bytes())
    alone = compare(TASK, [first, second, third]).to_dict()
    with_copy = compare(TASK, [first, second, third, copy]).to_dict()
    pairs = {(pair["first"], pair["second"]): pair for pair in with_copy["pairs"]}
    for pair in alone["pairs"]:
        assert pairs[pair["first"], pair["second"]] == pair
    assert with_copy["visible_difference"] == alone["visible_difference"]
    assert pairs["copy", "epoch2"]["sentence"] == "copy and epoch2 score the same."


def test_a_baseline_is_compared_with_each_other_submission_alone(tmp_path, capsys):
    paths = mixed(tmp_path, 4)
    assert call(tmp_path / "out", TASK, *paths, "--baseline", "epoch2", "--keep-order") == SCORED
    text, content = outputs_of(tmp_path / "out")
    assert content["baseline"] == "epoch2"
    assert [submission["name"] for submission in content["submissions"]] == [path.stem for path in paths]
    assert len(content["pairs"]) == 3
    assert all("epoch2" in (pair["first"], pair["second"]) for pair in content["pairs"])
    by_path = compare(TASK, paths, baseline=paths[2])
    assert by_path.standings.comparison.n_tests == 3
    assert " 3 pairs (Holm" in text
    assert "Comparison of 3 submissions with epoch2" in text
    assert "may be the best" not in text
    assert "to epoch2, 95 % interval" in text
    assert capsys.readouterr().out.count(" higher than ") == 3
    scores = [submission["scores"]["score"] for submission in content["submissions"]]
    items = np.array(content["values"]["items"]["values"])
    assert items.mean(axis=0).tolist() == pytest.approx(scores, abs=1e-6)


def test_a_baseline_that_is_not_valid_or_not_there_is_named(tmp_path, capsys):
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    assert call(tmp_path, TASK, GOOD, tmp_path / "bad.zip", "--baseline", "bad") == INVALID
    assert "1. E-ZIP-NOT bad: " in capsys.readouterr().err
    with pytest.raises(SystemExit) as caught:
        call(tmp_path, TASK, GOOD, WEAK, "--baseline", "other")
    assert caught.value.code == BROKEN
    assert "other is none of the submissions: good, weak" in capsys.readouterr().err


def rows_of_latex(text):
    return [line.removesuffix(r" \\").split(" & ") for line in text.splitlines() if line.endswith(r" \\")]


def test_a_table_for_a_paper_has_intervals_and_the_best_in_bold(tmp_path, capsys):
    copy = shutil.copytree(GOOD, tmp_path / "good_50%")
    assert call(tmp_path, TASK, WEAK, GOOD, copy, "--latex", "--keep-order") == SCORED
    text = capsys.readouterr().out
    header, *rows = rows_of_latex(text)
    assert [row[0] for row in rows] == ["weak", "good", r"good\_50\%"]
    assert [row[1].startswith(r"\textbf{0.8932} {\footnotesize [") for row in rows] == [False, True, True]
    assert all(len(row) == len(header) for row in rows)
    assert "\n% Signature: " in text


def test_a_table_for_a_paper_has_differences_p_values_and_marks(tmp_path, capsys):
    paths = [GOOD, WEAK, *mixed(tmp_path, 1)]
    call(tmp_path / "out", TASK, *paths, "--latex")
    text = capsys.readouterr().out
    assert "*: significant" in text.splitlines()[0]
    header, *rows = rows_of_latex(text)
    assert header[-2:] == ["Difference", "Adjusted p"]
    assert [row[0] for row in rows] == ["good", "epoch0", "weak"]
    assert rows[0][-2:] == ["", ""]
    pairs = compare(TASK, paths).standings.comparison.pairs
    for row, pair in zip(rows[1:], (0, 1)):
        assert row[-2] == f"${-pairs.difference[pair]:.4f}{'^{*}' if pairs.p_adjusted[pair] < 0.05 else ''}$"
        assert row[-1].startswith("$<$") or float(row[-1]) == pytest.approx(pairs.p_adjusted[pair], rel=0.05)
    call(tmp_path / "out", TASK, GOOD, WEAK, "--latex")
    assert " & p " in capsys.readouterr().out


@pytest.mark.slow
def test_seeds_of_a_method_have_their_mean_and_deviation(tmp_path, capsys):
    for number, path in enumerate(mixed(tmp_path, 3)):
        path.rename(tmp_path / f"ours_seed{number}.zip")
    names = [f"ours_seed{number}" for number in range(3)]
    paths = [tmp_path / f"{name}.zip" for name in names]
    assert call(tmp_path / "out", TASK, *paths, WEAK) == SCORED
    text, content = outputs_of(tmp_path / "out")
    scores = [entry["score"] for entry in content["submissions"] if entry["name"] in names]
    numbers = f"{np.mean(scores):.4f} on average, standard deviation {np.std(scores, ddof=1):.4f}"
    sentence = f"ours, 3 seeds: Mean Jaccard {numbers}."
    assert sentence in text
    assert sentence in capsys.readouterr().out
    call(tmp_path / "out", TASK, *paths, WEAK, "--latex")
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("ours, 3 seeds"))
    assert f"{np.mean(scores):.4f} $\\pm$ {np.std(scores, ddof=1):.4f}" in row
    assert call(tmp_path / "out", TASK, GOOD, WEAK) == SCORED
    assert "deviation" not in capsys.readouterr().out


@pytest.mark.parametrize(("p", "is_told"), [(0.03, True), (0.2, False)])
def test_a_small_p_beside_an_interval_that_holds_0_is_explained(p, is_told):
    outcome = made(VALUES)
    pairs = outcome.standings.comparison.pairs
    ones = np.ones(3)
    pairs = pairs._replace(
        difference=0.1 * ones, low_all=-0.01 * ones, high_all=0.2 * ones, p=p * ones, p_adjusted=3 * p * ones
    )
    standings = outcome.standings._replace(comparison=outcome.standings.comparison._replace(pairs=pairs))
    sentence = replace(outcome, standings=standings).pair_sentences[0]
    assert "0.0100" in sentence
    assert ("holds 0 because it is for all 3 differences at once" in sentence) == is_told


@pytest.mark.slow
@pytest.mark.parametrize("task", DRAWN)
def test_items_that_differ_most_are_drawn_side_by_side(task, tmp_path):
    """The same view of both, linked from the table."""
    compared = compare(task, [SAMPLES / task / "good", SAMPLES / task / "weak"])
    item_pairs = compared.item_pairs
    assert item_pairs.names == ("good", "weak")
    scores = dict(zip(compared.items, compared.values["items"].values.tolist()))
    differences = [abs(pair.scores[0] - pair.scores[1]) for pair in item_pairs.pairs]
    assert differences == sorted(differences, reverse=True)
    assert differences[0] == max(abs(first - second) for first, second in scores.values())
    for pair in item_pairs.pairs:
        assert pair.scores == pytest.approx(scores[pair.item])
        titles = [getattr(picture, "drawings", [picture])[0].title for picture in pair.pictures]
        assert titles[0] == titles[1]
        assert titles[0].removeprefix("image ").startswith(pair.item)
    page = comparison.page(compared)
    tree = html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parse(page)
    ids = {mark.get("id") for mark in tree.iter()}
    links = [link.get("href") for link in tree.find(".//section[@id='of-items']").iter("a")]
    assert links == [f"#pair-{number}" for number in range(len(item_pairs.pairs))]
    assert {link[1:] for link in links} <= ids


def test_a_submission_without_the_items_that_differ_most_is_compared(tmp_path):
    names = sorted(path.name for path in GOOD.iterdir())
    half = {name: (GOOD / name).read_text() for name in names[6:]}
    (tmp_path / "half.zip").write_bytes(make_zip(half))
    compared = compare(TASK, [GOOD, tmp_path / "half.zip"])
    assert [pair.pictures[1] for pair in compared.item_pairs.pairs] == [None] * 6
    assert all(pair.pictures[0] for pair in compared.item_pairs.pairs)
    assert shown(comparison.page(compared)).count("Nothing is drawn of this sequence.") == 6


def test_lower_scores_are_bold_where_lower_is_better():
    values = VALUES[:, np.argsort(VALUES.mean(axis=0))]
    (bold,) = re.findall(r"textbf\{(.*?)\}", made(values, "asc").latex())
    assert float(bold) == pytest.approx(values.mean(axis=0).min(), abs=1e-4)


def test_the_page_says_how_many_halves_of_the_task_were_scored():
    outcome = made(VALUES)
    standings = outcome.standings._replace(task=replace(outcome.standings.task, half_samples=20))
    text = comparison.page(replace(outcome, standings=standings))
    assert "two halves 20 times" in text


def test_rows_are_in_an_order_of_all_submissions_only():
    outcome = made(VALUES)
    rows = outcome.in_order(["s2", "s0", "s1"]).to_dict()["submissions"]
    assert [submission["name"] for submission in rows] == ["s2", "s0", "s1"]
    with pytest.raises(ValueError, match="s0, s1, s2"):
        outcome.in_order(["s0", "s1"])


def test_an_invalid_submission_is_named_and_the_others_are_compared(tmp_path, capsys):
    (tmp_path / "<b>.zip").write_bytes(b"no zip")
    assert call(tmp_path / "out", TASK, GOOD, tmp_path / "<b>.zip", WEAK) == INVALID
    text, content = outputs_of(tmp_path / "out")
    printed = capsys.readouterr()
    head, first = printed.err.splitlines()[:2]
    assert " <b> " in head
    assert first.startswith("1. E-ZIP-NOT <b>.zip: ")
    assert "1 submission not valid" in text
    assert "<b>: 1. E-ZIP-NOT <b>.zip: " in text
    assert [problem["code"] for problem in content["invalid"]["<b>"]] == ["E-ZIP-NOT"]
    assert [submission["name"] for submission in content["submissions"]] == ["good", "weak"]
    assert " higher than weak" in printed.out


def test_nothing_is_left_of_an_earlier_comparison_if_none_is_valid(tmp_path, capsys, monkeypatch):
    # Long paths are shortened in messages.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    (tmp_path / "empty.zip").write_bytes(b"")
    assert call(tmp_path / "out", TASK, GOOD) == SCORED
    capsys.readouterr()
    assert call(tmp_path / "out", TASK, "bad.zip", "empty.zip") == INVALID
    head, first, second = capsys.readouterr().err.splitlines()
    assert head.startswith("No submission is valid")
    assert first.startswith("1. E-ZIP-NOT bad: bad.zip: ")
    assert second.startswith("2. E-ZIP-EMPTY empty: empty.zip: ")
    assert list((tmp_path / "out").iterdir()) == []
    with pytest.raises(SubmissionError, match="E-ZIP-NOT"):
        compare(TASK, [tmp_path / "bad.zip"])


def test_names_have_their_folder_where_two_are_equal(tmp_path):
    (tmp_path / "weak").mkdir()
    other = shutil.copytree(WEAK, tmp_path / "weak" / "good")
    assert compare(TASK, [GOOD, WEAK]).standings.names == ["good", "weak"]
    assert compare(TASK, [other, GOOD]).standings.names == [f"{TASK}/good", "weak/good"]


def test_names_of_files_of_other_tools_have_no_ending_either(tmp_path, capsys):
    sources = [tmp_path / "ours_seed1.csv", tmp_path / "ours_seed2.csv"]
    for number, source in enumerate(sources, start=1):
        source.write_text(f"item,class,start,end\nDemoSequence0001,{number},10,90\n")
    assert call(tmp_path / "out", TASK, *sources, GOOD, "--baseline", "ours_seed1") == SCORED
    assert "ours, 2 seeds" in capsys.readouterr().out


def test_reference_and_output_that_cannot_be_used_end_in_2(tmp_path, capsys, monkeypatch):
    (tmp_path / "ref").mkdir()
    assert call(tmp_path, TASK, GOOD, "--reference", tmp_path / "ref") == BROKEN
    assert "\n1. E-REF-NONE " in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert call(tmp_path / "file", TASK, GOOD) == BROKEN
    assert capsys.readouterr().err.startswith("E-OUTPUT: ")

    def fail(*arguments, **settings):
        raise ValueError("secret")

    monkeypatch.setattr(command, "compare", fail)
    assert call(tmp_path, TASK, GOOD) == BROKEN
    err = capsys.readouterr().err
    assert err.startswith("E-INTERNAL: ValueError in ")
    assert "secret" not in err
    monkeypatch.setattr(
        command, "compare", lambda *_, **__: (_ for _ in ()).throw(console.OutputError("full"))
    )
    assert call(tmp_path, TASK, GOOD) == BROKEN


def test_settings_of_the_reference_do_not_prevent_a_comparison(tmp_path):
    reference = shutil.copytree(REFERENCES / TASK, tmp_path / "ref")
    (reference / "settings.yaml").write_text("detail: none\ninterval: false\n")
    outcome = compare(TASK, [GOOD, WEAK], reference)
    assert outcome.standings.comparison.pairs.p[0] < 0.05
    assert "classes" in outcome.values
    released = compare(TASK, [GOOD, WEAK], reference, protocol="released")
    assert "protocol:released" in released.signature


def test_tables_that_are_not_shown_on_hidden_data_are_compared_at_home():
    samples = SAMPLES / "anet_entities_gt"
    outcome = compare("anet_entities_gt", [samples / "good", samples / "weak"])
    assert outcome.values["frame"].names == [str(frame) for frame in range(10)]
    assert outcome.values["box_size"].values.shape[1] == 2
    # Tables of single items, and of what was predicted, are no groups that all submissions share.
    assert not {"segments", "predicted_classes", "hallucinated"} & set(outcome.values)


def test_groups_of_items_are_what_is_independent(tmp_path):
    reference = shutil.copytree(REFERENCES / TASK, tmp_path / "ref")
    items = compare(TASK, [GOOD]).items
    lines = [f"{item},{number // 2}" for number, item in enumerate(items)]
    (reference / "persons.csv").write_text("\n".join(["item,group", *lines]) + "\n")
    (reference / "settings.yaml").write_text("item_groups: persons.csv\n")
    assert call(tmp_path / "out", TASK, GOOD, WEAK, "--reference", reference) == SCORED
    text, content = outputs_of(tmp_path / "out")
    assert content["over"] == "12 sequences of 6 persons"
    assert "6 groups are too few" in content["pairs"][0]["sentence"]
    assert "Every rank set holds all ranks: 6 groups are too few" in text


def test_the_same_files_give_the_same_outputs(tmp_path):
    for name in ("a", "b"):
        assert call(tmp_path / name, TASK, GOOD, WEAK) == SCORED
    for name in ("comparison.html", "comparison.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


PICK = np.random.RandomState(3)
VALUES = np.round(np.clip(PICK.rand(40, 1) + PICK.normal(0, 0.1, (40, 3)), 0, 1), 3)


@pytest.mark.parametrize(("sorting", "side"), [("desc", "up"), ("asc", "down")])
def test_an_item_has_its_side(sorting, side):
    values = VALUES[:, :2].copy()
    values[:, 1] = values[:, 0]
    values[4, 1] += 0.5
    values[5, 1] = np.nan
    strips = comparison.page(made(values, sorting)).split('id="differences"')[1].split("</section>")[0]
    (bar,) = re.findall(r'class="bin (up|down)"[^>]*><title>[^<]*: 1<', strips)
    assert bar == side
    counts = {"up": "1 better, 38 equal, 0 worse", "down": "0 better, 38 equal, 1 worse"}
    assert counts[side] in strips


def test_items_are_counted_in_bins():
    values = np.tile(VALUES, (8, 1))
    strips = comparison.page(made(values)).split('id="differences"')[1].split("</section>")[0]
    counted = [int(count) for count in re.findall(r"<title>[^<]*: (\d+)<", strips)]
    different = sum(int((values[:, 0] != values[:, j]).sum()) for j in (1, 2))
    assert sum(counted) == different


def test_items_without_a_score_have_no_strip():
    page = comparison.page(made(np.where([[True, False]] * 12, np.nan, VALUES[:12, :2])))
    assert 'id="differences"' not in page


def test_classes_and_items_that_differ_most_come_first():
    values = np.full((12, 2), 0.5)
    values[7], values[3] = (0.1, 0.9), (0.5, 0.7)
    table = comparison.page(made(values)).split('id="of-items"')[1].split("</section>")[0]
    assert re.findall(r"<td>(item\d+)", table) == ["item7", "item3"]
    assert "2 of 12 differ" in table


def test_notes_are_shown_with_the_submission():
    outcome = made(VALUES)
    noted = replace(outcome.results[1], notes=[Note("N-JUNK", "a <note>"), Note("N-LOOKS", "a mistake")])
    outcome = replace(outcome, results=[outcome.results[0], noted, outcome.results[2]])
    assert "s1: N-JUNK: a <note>" in shown(comparison.page(outcome))
    assert outcome.to_dict()["submissions"][1]["notes"] == ["N-JUNK: a <note>", "N-LOOKS: a mistake"]
    # What may be wrong with a score is said beside it; the page has the rest.
    assert outcome.lines()[-1] == "s1: likely mistake N-LOOKS: a mistake"
    assert "N-JUNK" not in str(outcome)


@pytest.mark.slow
def test_fifty_submissions_make_a_page_below_3_mb_and_all_numbers_are_in_the_data():
    pick = np.random.RandomState(5)
    values = np.round(pick.rand(300, 1) * 0.5 + pick.rand(300, 50) * 0.5, 3)
    values = values[:, np.argsort(-values.mean(axis=0))]
    names = [f"<script>{number}" + "W" * 300 for number in range(50)]
    outcome = made(values, names=names)
    page = comparison.page(outcome)
    assert len(page.encode()) < 3_000_000
    assert "<script" not in page
    assert page.split('id="differences"')[1].split("</section>")[0].count("<svg") == 10
    data = json.loads(json.dumps(outcome.to_dict(), allow_nan=False))
    jsonschema.Draft7Validator(SCHEMA).validate(data)
    assert len(data["pairs"]) == 1225
    assert data["values"]["items"]["values"] == values.tolist()


def test_a_comparison_is_shown_in_short_and_as_its_page(tmp_path, capsys):
    """In full its tables take 40,000 characters."""
    compared = compare(TASK, [GOOD, WEAK])
    lines = repr(compared).splitlines()
    assert len(repr(compared)) < 1000
    run_command("compare", [TASK, str(GOOD), str(WEAK), "--output", str(tmp_path)])
    printed = capsys.readouterr().out.splitlines()
    assert printed[: len(lines)] == lines
    page = (tmp_path / "comparison.html").read_text()
    shown = compared._repr_html_()
    assert shown.startswith("<iframe ")
    assert html.unescape(shown.split('"')[1]) == page
