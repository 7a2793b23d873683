"""The history of runs: what is kept in ``runs.csv``, and what the page and the command show of it."""

from __future__ import annotations

import csv
import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import people_in_video
from people_in_video.history import draw_history
from people_in_video.result import write_tables
from scoring_program.run import BROKEN, SCORED
from scoring_program.task import load_task
from tests.helpers import SAMPLES
from validator import console

TASK = "chalearn_gesture"
GOOD = str(SAMPLES / TASK / "good")


def page_of(folder):
    return (folder / "history.html").read_text(encoding="utf-8")


def rows_of(folder):
    with (folder / "runs.csv").open(encoding="utf-8", newline="") as stream:
        return [*csv.DictReader(stream)]


def test_named_runs_are_kept_and_drawn(call):
    for name, sample in (("one", "weak"), ("<two>", "good"), ("three, last", "weak")):
        assert call("score", TASK, SAMPLES / TASK / sample, "--drawings", "0", "--run", name)[0] == SCORED
    folder = Path("evaluation")
    rows, page = rows_of(folder), page_of(folder)
    content = json.loads((folder / "detailed_results.json").read_text(encoding="utf-8"))
    costs = {f"cost_{cost['type']}": cost["points"] for cost in content["error_costs"]}
    assert [row["run"] for row in rows] == ["one", "<two>", "three, last"]
    for key, number in {**content["scores"], **costs}.items():
        assert float(rows[-1][key]) == number
    assert "Mean Jaccard by run" in page
    # The band of intervals, and the score.
    assert page.count("<path") == 2
    assert f"The best is run 2 (&lt;two&gt;), with {float(rows[1]['score']):.4f}." in page
    assert "></th>" not in page
    assert not any(f">{tick}<" in page for tick in ("1.5", "2.5"))
    for number, row in enumerate(rows, start=1):
        assert f"<td>{number}. " in page
        assert all(f"{float(row[key]):.4f}" in page for key in ("score", "score_low", "score_high"))


def test_tables_hold_no_formula(result, tmp_path):
    for name in ("=1+1", "a;=1", "\uff1d1", "-a", "\n=1"):
        people_in_video.add_run(tmp_path, name, result)
    rows = rows_of(tmp_path)
    assert [row["run"] for row in rows] == ["'=1+1", "a;'=1", "'\uff1d1", "'-a", "'\n=1"]
    assert float(rows[0]["score"]) == pytest.approx(result.scores["score"])
    table = {"columns": [{"title": "@name"}, {"title": "number"}], "rows": [["+a", -0.5], ["b", None]]}
    (path,) = write_tables({"classes": table}, tmp_path / "tables")
    assert path.read_text(encoding="utf-8").splitlines() == ["'@name,number", "'+a,-0.5", "b,"]


@pytest.mark.skipif(sys.platform == "win32", reason="its folders have no locks")
def test_runs_added_at_the_same_time_are_all_kept(result, tmp_path, monkeypatch):
    read_text = Path.read_text

    def read_slowly(path, **options):
        text = read_text(path, **options)
        time.sleep(0.05)
        return text

    monkeypatch.setattr(Path, "read_text", read_slowly)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda name: people_in_video.add_run(tmp_path, name, result), "abcd"))
    assert sorted(row["run"] for row in rows_of(tmp_path)) == [*"abcd"]


def add_to(folder, text, result):
    """Add two runs to a table that was edited by hand."""
    (folder / "runs.csv").write_bytes(text.replace(b"SIGNATURE", result.signature.encode()))
    people_in_video.add_run(folder, "new", result)
    people_in_video.add_run(folder, "newer", result)


@pytest.mark.parametrize("cell", [b"abc", b"inf", b"nan", b"1e308", b'"0,5"', b"", b"0.5,more"])
def test_cells_edited_by_hand_do_not_end_a_training(result, tmp_path, cell):
    add_to(tmp_path, b"\xef\xbb\xbfrun,signature,score\n<b>,SIGNATURE," + cell + b"\n<u>\n", result)
    page = page_of(tmp_path)
    assert "<td>1. &lt;b&gt;" in page
    assert "<td>3. newer" in page
    assert "1 run of other signatures" in page


@pytest.mark.parametrize("is_published", [True, False])
def test_the_page_on_conventions_is_named_where_kits_have_it(result, tmp_path, monkeypatch, is_published):
    task = replace(load_task(TASK), is_published=is_published)
    monkeypatch.setattr("people_in_video.history.load_task", lambda task_id: task)
    add_to(tmp_path, b"run,signature,score\na,other,0.5\n", result)
    assert ("conventions.md" in page_of(tmp_path)) == is_published


@pytest.mark.parametrize(
    "text",
    [b"run;signature;score\na;b;0,5\n", b"run,score\na,1\n", b"m\xe4", b'run,signature\n"' + b"a" * 140_000],
    ids=["semicolons", "no signature", "Latin-1", "long cell"],
)
def test_another_table_stays_as_it_is(call, result, text):
    folder = Path("evaluation")
    folder.mkdir()
    with pytest.raises(console.OutputError, match=r"runs\.csv: "):
        add_to(folder, text, result)
    assert (folder / "runs.csv").read_bytes() == text
    code, _, err = call("score", TASK, GOOD, "--drawings", "0", "--run", "a")
    assert (code, err[:10], len(err.splitlines())) == (BROKEN, "E-OUTPUT: ", 1)


def test_a_folder_that_cannot_be_made_is_an_output_error(result, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(console.OutputError, match=r"\(Not a directory\)"):
        people_in_video.add_run(tmp_path / "file" / "runs", "a", result)


def test_a_single_run_is_a_dot_beside_the_types_of_errors_that_cost_something(result, tmp_path):
    people_in_video.add_run(tmp_path, "a", result)
    page = page_of(tmp_path)
    ((start, end),) = re.findall(r'class="line-. dot" d="M([0-9. ]+) L([0-9. ]+)"', page)
    # At the border of the chart half of a dot would be cut off.
    assert start == end and start.startswith("50 ")
    titles = {error_type.key: error_type.title for error_type in load_task(TASK).error_types}
    has_cost = {cost.error_type: cost.points > 0 for cost in result.error_costs}
    assert set(has_cost.values()) == {True, False}
    assert {error_type: f">{titles[error_type]}</th>" in page for error_type in has_cost} == has_cost


OTHER_KIT = {"signature": "moon|version:2.0.0", "scores": {"score": 0.5}, "error_costs": []}


@pytest.mark.parametrize(
    ("result", "error", "words"),
    [
        *((value, TypeError, r"detailed_results\.json") for value in (0.5, None, "0.5", {"score": 0.5}, [1, 2])),
        (OTHER_KIT, ValueError, "no task 'moon'"),
    ],
)  # fmt: skip
def test_a_run_is_a_score_of_a_task_of_this_kit_with_its_signature(result, error, words, tmp_path):
    with pytest.raises(error, match=words):
        people_in_video.add_run(tmp_path / "runs", "epoch 1", result)
    assert list(tmp_path.iterdir()) == []


def test_history_prints_and_draws_the_runs_of_the_last_signature(call):
    """Scores of other signatures must not stand in one table."""
    for name, options in (("other", ["--protocol", "released"]), ("one", []), ("two", [])):
        call("score", GOOD, "--run", name, "-q", "--drawings", "0", *options)
    Path("evaluation/history.html").unlink()
    code, out, _ = call("history")
    *rows, left_out, page = out.splitlines()
    assert code == SCORED
    assert [row.split()[0] for row in rows] == ["run", "one", "two"]
    assert left_out.startswith("1 run")
    assert left_out in Path(page.removeprefix("page: ")).read_text()
    rows = json.loads(call("history", "evaluation", "--json")[1])
    assert [row["run"] for row in rows] == ["other", "one", "two"]
    Path("evaluation/runs.csv").write_text("run,signature\n")
    assert call("history")[0] == BROKEN


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
    (row,), (other_row,) = rows_of(tmp_path / "a"), rows_of(tmp_path / "b")
    # Only a score has a page.
    assert {**row, "page": ""} == other_row
    assert (tmp_path / "a" / row["page"]).read_text() == result.page_text()


def test_history_links_to_the_page_of_each_run(result, tmp_path):
    for name in ("epoch 1", "epoch 2"):
        people_in_video.add_run(tmp_path, name, result)
    links = re.findall(r'href="([^"#]+)"', page_of(tmp_path))
    assert len(set(links)) == 2
    assert all((tmp_path / link).is_file() for link in links)
    # A table that people may edit makes no other links.
    table = tmp_path / "runs.csv"
    other_links = table.read_text().replace(links[0], "https://example.org").replace(links[1], "../x.html")
    table.write_text(other_links)
    draw_history(tmp_path)
    assert "href" not in page_of(tmp_path).partition("<main>")[2]
