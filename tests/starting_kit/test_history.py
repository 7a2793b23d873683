"""The history of runs: what is kept in ``runs.csv``, and what the page and the command show of it."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import people_in_video
from people_in_video.__main__ import run_command
from people_in_video.history import draw_history
from people_in_video.result import write_tables
from scoring_program.run import BROKEN, SCORED
from scoring_program.task import load_task
from tests.helpers import SAMPLES
from validator import console

TASK = "chalearn_gesture"
GOOD = str(SAMPLES / TASK / "good")


def test_named_runs_are_kept_and_drawn(tmp_path):
    output = ["--output", str(tmp_path / "out"), "--drawings", "0"]
    for name, quality in (("one", "weak"), ("<two>", "good"), ("three, last", "weak")):
        sample = str(SAMPLES / "chalearn_gesture" / quality)
        assert run_command("score", ["chalearn_gesture", sample, *output, "--run", name]) == SCORED
    text = (tmp_path / "out" / "runs.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    content = json.loads((tmp_path / "out" / "detailed_results.json").read_text(encoding="utf-8"))
    assert [row["run"] for row in rows] == ["one", "<two>", "three, last"]
    assert {key: float(rows[-1][key]) for key in content["scores"]} == content["scores"]
    assert {key: rows[-1][f"cost_{key}"] for key in ("timing",)} == {
        cost["type"]: f"{cost['points']}" for cost in content["error_costs"] if cost["type"] == "timing"
    }
    page = (tmp_path / "out" / "history.html").read_text(encoding="utf-8")
    assert "Mean Jaccard by run" in page
    assert "&lt;two&gt;" in page
    # The band of intervals, and the score.
    assert page.count("<path") == 2
    assert f"The best is run 2 (&lt;two&gt;), with {float(rows[1]['score']):.4f}." in page
    assert all(f"<td>{number}. " in page for number in (1, 2, 3))
    assert "></th>" not in page
    assert not any(f">{tick}<" in page for tick in ("1.5", "2.5"))
    assert all(
        f"{float(row[key]):.4f}" in page for row in rows for key in ("score", "score_low", "score_high")
    )


def test_runs_of_another_signature_are_kept_and_not_drawn(tmp_path):
    good = SAMPLES / "chalearn_gesture" / "good"
    for name, settings in (("a", {}), ("b", {"protocol": "released"}), ("c", {"protocol": "released"})):
        result = people_in_video.score("chalearn_gesture", good, interval=name != "c", **settings)
        people_in_video.add_run(tmp_path, name, result.to_dict())
    assert len((tmp_path / "runs.csv").read_text().splitlines()) == 4
    assert "1 run of other signatures" in (tmp_path / "history.html").read_text()


def test_tables_hold_no_formula(tmp_path):
    result = people_in_video.score("chalearn_gesture", SAMPLES / "chalearn_gesture" / "good")
    for name in ("=1+1", "a;=1", "\uff1d1", "-a", "\n=1"):
        people_in_video.add_run(tmp_path, name, result)
    with (tmp_path / "runs.csv").open(encoding="utf-8", newline="") as stream:
        rows = [*csv.DictReader(stream)]
    assert [row["run"] for row in rows] == ["'=1+1", "a;'=1", "'\uff1d1", "'-a", "'\n=1"]
    assert float(rows[0]["score"]) == pytest.approx(result.scores["score"])
    table = {"columns": [{"title": "@name"}, {"title": "number"}], "rows": [["+a", -0.5], ["b", None]]}
    (path,) = write_tables({"classes": table}, tmp_path / "tables")
    assert path.read_text(encoding="utf-8").splitlines() == ["'@name,number", "'+a,-0.5", "b,"]


def test_types_of_errors_that_never_cost_anything_are_in_no_table_of_runs(tmp_path):
    result = people_in_video.score("chalearn_gesture", SAMPLES / "chalearn_gesture" / "good")
    people_in_video.add_run(tmp_path, "a", result)
    titles = {error_type.key: error_type.title for error_type in load_task("chalearn_gesture").error_types}
    page = (tmp_path / "history.html").read_text(encoding="utf-8")
    has_cost = {cost["type"]: cost["points"] > 0 for cost in result.to_dict()["error_costs"]}
    assert set(has_cost.values()) == {True, False}
    assert {error_type: f">{titles[error_type]}</th>" in page for error_type in has_cost} == has_cost


@pytest.mark.skipif(sys.platform == "win32", reason="its folders have no locks")
def test_runs_added_at_the_same_time_are_all_kept(tmp_path, monkeypatch):
    result = people_in_video.score("chalearn_gesture", SAMPLES / "chalearn_gesture" / "good").to_dict()
    read_text = Path.read_text

    def read_slowly(path, **options):
        text = read_text(path, **options)
        time.sleep(0.05)
        return text

    monkeypatch.setattr(Path, "read_text", read_slowly)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda name: people_in_video.add_run(tmp_path, name, result), "abcd"))
    lines = (tmp_path / "runs.csv").read_text().splitlines()[1:]
    assert sorted(line.split(",")[0] for line in lines) == [*"abcd"]


def edited_runs(tmp_path, text):
    """Add two runs, the second after ``runs.csv`` was edited by hand; return the page."""
    result = people_in_video.score("chalearn_gesture", SAMPLES / "chalearn_gesture" / "good").to_dict()
    (tmp_path / "runs.csv").write_bytes(text.replace(b"SIGNATURE", result["signature"].encode()))
    people_in_video.add_run(tmp_path, "new", result)
    people_in_video.add_run(tmp_path, "newer", result)
    return (tmp_path / "history.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("cell", [b"abc", b"inf", b"nan", b"1e308", b'"0,5"', b"", b"0.5,more"])
def test_cells_edited_by_hand_do_not_end_a_training(tmp_path, cell):
    page = edited_runs(tmp_path, b"\xef\xbb\xbfrun,signature,score\n<b>,SIGNATURE," + cell + b"\n<u>\n")
    assert "<td>1. &lt;b&gt;" in page
    assert "<td>3. newer" in page
    assert "1 run of other signatures" in page


@pytest.mark.parametrize(
    "text",
    [b"run;signature;score\na;b;0,5\n", b"run,score\na,1\n", b"m\xe4", b'run,signature\n"' + b"a" * 140_000],
    ids=["semicolons", "no signature", "Latin-1", "long cell"],
)
def test_another_table_stays_as_it_is(tmp_path, capsys, text):
    with pytest.raises(console.OutputError, match=r"runs\.csv: "):
        edited_runs(tmp_path, text)
    assert (tmp_path / "runs.csv").read_bytes() == text
    sample = str(SAMPLES / "chalearn_gesture" / "good")
    arguments = ["chalearn_gesture", sample, "--output", str(tmp_path), "--drawings", "0", "--run", "a"]
    assert run_command("score", arguments) == BROKEN
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("E-OUTPUT: ")


def test_a_folder_that_cannot_be_made_is_an_output_error(tmp_path):
    result = people_in_video.score("chalearn_gesture", SAMPLES / "chalearn_gesture" / "good").to_dict()
    (tmp_path / "file").touch()
    with pytest.raises(console.OutputError, match=r"\(Not a directory\)"):
        people_in_video.add_run(tmp_path / "file" / "runs", "a", result)


def test_a_single_run_is_a_dot(tmp_path):
    result = people_in_video.score("chalearn_gesture", SAMPLES / "chalearn_gesture" / "good")
    people_in_video.add_run(tmp_path, "a", result.to_dict())
    page = (tmp_path / "history.html").read_text()
    places = re.findall(r'class="line-. dot" d="M([0-9. ]+) L([0-9. ]+)"', page)
    assert len(places) == 1
    # At the border of the chart half of a dot would be cut off.
    assert all(start == end and start.startswith("50 ") for start, end in places)


@pytest.mark.parametrize("result", [0.5, None, "0.5", {"score": 0.5}, [1, 2]])
def test_a_run_is_a_score_with_its_signature(result, tmp_path):
    with pytest.raises(TypeError, match=r"detailed_results\.json"):
        people_in_video.add_run(tmp_path / "runs", "epoch 1", result)
    assert list(tmp_path.iterdir()) == []


def test_a_run_of_a_task_of_another_kit_is_refused(tmp_path):
    result = {"signature": "moon|version:2.0.0", "scores": {"score": 0.5}, "error_costs": []}
    with pytest.raises(ValueError, match="no task 'moon'"):
        people_in_video.add_run(tmp_path / "runs", "epoch 1", result)
    assert list(tmp_path.iterdir()) == []


def test_history_prints_and_draws_the_runs(call):
    for name in ("one", "two"):
        call("score", GOOD, "--run", name, "-q", "--drawings", "0")
    Path("evaluation/history.html").unlink()
    code, out, _ = call("history")
    assert code == SCORED
    assert [line.split()[0] for line in out.splitlines()] == ["run", "one", "two", "page:"]
    assert Path("evaluation/history.html").is_file()
    rows = json.loads(call("history", "evaluation", "--json")[1])
    assert [row["run"] for row in rows] == ["one", "two"]
    Path("evaluation/runs.csv").write_text("run,signature\n")
    assert call("history")[0] == BROKEN


def test_history_prints_the_runs_that_the_page_draws(call):
    """Scores of other signatures must not stand in one table."""
    for name, options in (("other", ["--protocol", "released"]), ("one", []), ("two", [])):
        call("score", GOOD, "--run", name, "-q", "--drawings", "0", *options)
    _, out, _ = call("history")
    *rows, left_out, page = out.splitlines()
    assert [row.split()[0] for row in rows] == ["run", "one", "two"]
    assert left_out.startswith("1 run")
    assert left_out in Path(page.removeprefix("page: ")).read_text()
    assert len(json.loads(call("history", "--json")[1])) == 3


def test_rows_that_are_no_runs_of_this_kit_are_left_out(call):
    call("score", GOOD, "--run", "one", "-q")
    table = Path("evaluation/runs.csv")
    rows_of_runs = table.read_text()
    # Cut off, of another kit, without a signature, and with a pattern in its place.
    rows = ["y", "y,foo|1,0.5", "y,,0.5", "y,*|a,0.5"]
    for row in rows:
        table.write_text(f"run,signature,score\n{row}\n")
        code, _, err = call("history")
        assert (code, len(err.splitlines())) == (BROKEN, 1), row
        # The folder can be written.
        assert "allow writing" not in err
        table.write_text(f"{rows_of_runs}{row}\n")
        code, out, _ = call("history")
        assert code == SCORED
        assert [line.split()[0] for line in out.splitlines()] == ["run", "one", "1", "page:"], row
    table.write_text("\n".join([rows_of_runs.rstrip(), *rows, ""]))
    assert call("score", GOOD, "--run", "two", "-q")[0] == SCORED


def test_a_run_may_be_added_as_a_score(result, tmp_path):
    people_in_video.add_run(tmp_path / "a", "epoch 1", result)
    people_in_video.add_run(tmp_path / "b", "epoch 1", result.to_dict())
    (row,), (other_row,) = (
        csv.DictReader(io.StringIO((tmp_path / folder / "runs.csv").read_text())) for folder in "ab"
    )
    # Only a score has a page.
    assert {**row, "page": ""} == other_row
    assert (tmp_path / "a" / row["page"]).read_text() == result.page_text()


def test_history_links_to_the_page_of_each_run(result, tmp_path):
    for name in ("epoch 1", "epoch 2"):
        people_in_video.add_run(tmp_path, name, result)
    page = (tmp_path / "history.html").read_text()
    links = re.findall(r'href="([^"#]+)"', page)
    assert len(set(links)) == 2
    assert all((tmp_path / link).is_file() for link in links)
    # A table that people may edit makes no other links.
    table = tmp_path / "runs.csv"
    table.write_text(
        table.read_text().replace(links[0], "https://example.org").replace(links[1], "../x.html")
    )
    draw_history(tmp_path)
    assert "href" not in (tmp_path / "history.html").read_text().partition("<main>")[2]
