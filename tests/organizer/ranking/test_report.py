"""The command ``report``: what it writes for a paper and for each team, and what it must not show."""

from __future__ import annotations

import csv
import json
import re
import shutil

import html5lib
import numpy as np
import pytest

from organizer.__main__ import main
from organizer.files import folder_files
from organizer.ranking.team_page import other_teams
from tests.rescoring import ID, REFERENCE, call, rows, sample, varied, write_submissions
from tests.starting_kit.comparing.test_standings import standings

HOSTILE = "<b>50% & _\\{x}$\u202e=1"
BASELINES = '[{"name": "perfect", "score": 1, "interval": [1, 1]}, {"name": "random", "score": 0.1}]'


def report(ranking, output):
    return main(["report", ID, "--ranking", str(ranking), "--output", str(output)])


def ranked(tmp_path, settings="", *more):
    """Rank four teams against the demo reference with settings, and return the folder of the ranking."""
    reference = tmp_path / "reference" / ID
    shutil.copytree(REFERENCE, reference)
    (reference / "settings.yaml").write_text(settings)
    teams = {f"{name}/secret.zip": varied(90 * k) for k, name in enumerate(["a", HOSTILE, "c"])}
    folder = write_submissions(tmp_path / "in", {**teams, "a/weak.zip": sample("weak"), "c/no.zip": b""})
    assert call(folder, tmp_path / "out", *more, reference=reference) == 0
    return tmp_path / "out"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    (folder / "baselines.json").write_text(BASELINES)
    out = ranked(folder, "detail: full\n", "--baselines", folder / "baselines.json", "--date", "2024-05-31")
    assert report(out, folder / "report") == 0
    return out, folder / "report"


@pytest.mark.slow
def test_a_ranking_of_a_phase_is_named_if_no_phase_is_given(written, tmp_path, capsys):
    assert report(tmp_path / ID, tmp_path / "report") == 1
    assert f"make rescore ID={ID}" in capsys.readouterr().out
    for name in ("final-phase", "chalearn-gesture-3"):
        shutil.copytree(written[0], tmp_path / f"{ID}_{name}")
    stored = tmp_path / f"{ID}_final-phase" / "ranking.json"
    stored.write_text(stored.read_text().replace("Main phase", "Final phase"))
    (tmp_path / f"{ID}_other").mkdir()
    assert report(tmp_path / ID, tmp_path / "report") == 1
    assert '--phase, one of "chalearn-gesture-3", "Final phase"\n' in capsys.readouterr().out
    assert not (tmp_path / "report").exists()


def shown(text):
    tree = html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parse(text)
    return " ".join(" ".join(tree.find("body").itertext()).split())


@pytest.mark.slow
def test_tables_hold_teams_and_baselines_as_the_leaderboard_shows_them(written):
    out, folder = written
    published_rows = rows(folder / "ranking.csv", "team")
    teams = rows(out / "ranking.csv", "team")
    assert list(published_rows) == ["perfect", *teams, "random"]
    for team, row in teams.items():
        for key in ("rank", "rank_low", "rank_high"):
            assert published_rows[team][key] == row[key]
        for key in ("score", "score_low", "score_high"):
            assert float(published_rows[team][key]) == round(float(row[key]), 4)
    assert (published_rows["random"]["rank"], published_rows["random"]["score_low"]) == ("", "")
    lines = (folder / "ranking.tex").read_text().splitlines()
    assert re.match(
        r"% \[DEMO DATA\] (People in Video: )?ChaLearn LAP 2014, track 3 \(gestures\)\. ", lines[0]
    )
    assert {r"\toprule", r"\midrule", r"\bottomrule"} < set(lines)
    assert r"\multicolumn{5}{c}{DEMO DATA} \\" in lines
    (hostile,) = (line for line in lines if "50" in line)
    assert r" & <b>50\% \& \_\textbackslash{}\textbackslash{}\{x\}\$\textbackslash{}u202e=1 & " in hostile
    assert hostile.count(" & ") == 4


@pytest.mark.slow
def test_paragraph_on_methods_has_the_numbers(written):
    text = (written[1] / "methods.txt").read_text()
    for part in (
        "[DEMO DATA] ",
        "3 teams with 4 scored submissions; the best ",
        "(12 sequences)",
        " 500 times (seed 20140906)",
        " 3 pairs (Holm",
        f"Signature: {ID}|protocol:published|",
    ):
        assert part in text


@pytest.mark.slow
def test_page_of_a_team_has_its_place_its_costs_and_the_other_teams(written):
    out, folder = written
    pages = [path.read_text() for path in sorted((folder / "teams").iterdir())]
    assert len(pages) == 3
    (text,) = (shown(page) for page in pages if "<h1>c</h1>" in page)
    row_of_c = rows(out / "ranking.csv", "team")["c"]
    assert re.search(f"Rank 3 of 3 teams; [a-z ]+: {row_of_c['rank_low']}", text)
    interval = f"95 % interval: {float(row_of_c['score_low']):.4f} to {float(row_of_c['score_high']):.4f}"
    assert f"Mean Jaccard {float(row_of_c['score']):.4f} over 12 sequences; {interval}." in text
    assert "; 2024-05-31. DEMO: " in text
    better = [
        row["first"] for row in rows(out / "pairs.csv", "first").values() if float(row["p_adjusted"]) < 0.05
    ]
    assert re.search(f" better than 0 teams, .* worse than {int(row_of_c['rank_low']) - 1} team", text)
    assert len(better) <= 2
    for pair in csv.DictReader((out / "pairs.csv").read_text(encoding="utf-8").splitlines()):
        if "c" in (pair["first"], pair["second"]):
            sign, other = (1, pair["second"]) if pair["first"] == "c" else (-1, pair["first"])
            ends = sorted(sign * float(pair[key]) for key in ("low_all", "high_all"))
            low, difference, high = (
                f"{round(x, 4) + 0.0:.4f}" for x in (ends[0], sign * float(pair["difference"]), ends[1])
            )
            assert re.search(re.escape(other) + f" [a-z ]+ {difference} {low} to {high}", text)
    assert "types of errors" in text


@pytest.mark.slow
def test_nothing_of_the_reference_or_of_names_of_files_is_in_a_report(written):
    for name, data in folder_files(written[1]).items():
        text = data.decode()
        assert "DemoSequence" not in text
        assert "secret" not in text
        assert "\u202e" not in text
        assert not name.endswith("html") or not re.search(
            "<script|<b>|https?://(?!www.w3.org/2000/svg)", text
        )


@pytest.mark.slow
@pytest.mark.parametrize(("detail", "expected"), [("none", False), ("summary", True)])
def test_costs_are_shown_where_the_detail_level_shows_them(tmp_path, detail, expected):
    assert report(ranked(tmp_path, f"detail: {detail}\n"), tmp_path / "report") == 0
    (text,) = (path.read_text() for path in (tmp_path / "report" / "teams").glob("a-*"))
    assert ("What costs most" in text) == expected


@pytest.mark.slow
def test_no_number_of_a_report_has_more_decimals_than_participants_see(tmp_path):
    out = ranked(tmp_path, "score_decimals: 2\n")
    for row in rows(out / "ranking.csv", "team").values():
        assert all(len(row[key]) <= len("0.12") for key in ("score", "score_low", "score_high"))
    for row in rows(out / "pairs.csv", "first").values():
        assert all(len(row[key]) <= len("-0.12") for key in ("difference", "low", "high_all"))
    assert report(out, tmp_path / "report") == 0
    for name, data in folder_files(tmp_path / "report").items():
        text = shown(data.decode()) if name.endswith("html") else data.decode()
        text = re.sub('(stroke|x|y|x1|x2|y1|y2|width)="[^"]*"|version:[0-9.]+', "", text)
        assert [
            number for number in re.findall(r"\d\.\d+", text) if float(number) != round(float(number), 2)
        ] == []


@pytest.mark.slow
def test_a_report_is_the_same_again_and_without_teams_that_are_gone(tmp_path):
    out = ranked(tmp_path)
    assert report(out, tmp_path / "report") == 0
    before = folder_files(tmp_path / "report")
    (tmp_path / "report" / "teams" / "own.html").write_text("not ours")
    assert report(out, tmp_path / "report") == 0
    assert folder_files(tmp_path / "report") == {**before, "teams/own.html": b"not ours"}
    shutil.rmtree(tmp_path / "in" / "a")
    assert call(tmp_path / "in", out, reference=tmp_path / "reference" / ID) == 0
    assert report(out, tmp_path / "report") == 0
    (page_of_a,) = (name for name in before if name.startswith("teams/a-"))
    after = folder_files(tmp_path / "report").keys()
    assert after == {*before, "teams/own.html"} - {page_of_a}


@pytest.mark.slow
def test_without_a_ranking_there_is_no_report(tmp_path, capsys):
    assert report(tmp_path, tmp_path / "report") == 1
    assert f"{tmp_path}: " in (said := capsys.readouterr().out)
    assert f"make rescore ID={ID}" in said
    out = ranked(tmp_path)
    kept = (out / "ranking.json").read_text()
    (ranking,) = json.loads(kept)["rankings"]
    rankings = [[], [[1]], 1, [{**ranking, "violations": [2]}], [{**ranking, "submissions": [1]}]]
    damaged = [{**json.loads(kept), "rankings": rankings_of_run} for rankings_of_run in rankings]
    damaged.append({**json.loads(kept), "task": "densepose"})
    for text in ("", "[", '{"format": 2}', *map(json.dumps, damaged)):
        (out / "ranking.json").write_text(text)
        assert report(out, tmp_path / "report") == 1
        assert f"make rescore ID={ID}" in capsys.readouterr().out
    (out / "ranking.json").write_text(kept)
    for path in (out / "store").glob("*/*.html"):
        path.unlink()
    assert report(out, tmp_path / "report") == 1
    folder = write_submissions(tmp_path / "bad", {"a.zip": b""})
    assert call(folder, tmp_path / "none") == 0
    capsys.readouterr()
    assert report(tmp_path / "none", tmp_path / "report") == 1
    assert f"{tmp_path / 'none'}: " in (said := capsys.readouterr().out)
    assert "make rescore" not in said
    assert not (tmp_path / "report").exists()


def test_pages_of_teams_in_a_long_ranking_list_those_next_to_it():
    pick = np.random.RandomState(3)
    values = np.round(pick.rand(40, 1) + pick.normal(0, 0.2, (40, 130)), 3)
    of = standings(values[:, np.argsort(-values.mean(axis=0))])
    of = of._replace(names=[f"team {i}" for i in range(130)])
    text, table, *more = other_teams(of, 120)
    assert " 100 teams " in text
    assert " 29 not" in text
    listed = [cell.text for cell in table.iter("div") if cell.get("class") == "name"]
    assert listed == [f"team {i}" for i in range(29, 130) if i != 120]
    assert len([svg for svg in table.iter("svg") if svg.get("class") == "forest"]) == len(listed)
    assert not more
