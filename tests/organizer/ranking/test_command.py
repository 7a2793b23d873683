"""The command ``rescore``: whose submissions they are, what is written, and what does not change it."""

from __future__ import annotations

import datetime
import json
import re
import shutil
import zipfile

import html5lib
import pytest

from organizer.__main__ import main
from organizer.bundle.programs import build_program
from organizer.files import folder_files, zip_bytes
from organizer.ranking import command as ranking_command
from organizer.runs import built
from organizer.runs.phase import Phase
from organizer.runs.submissions import Submission
from organizer.runs.worker import BuiltTask
from scoring_program.task import load_task
from tests.helpers import SAMPLES as ALL_SAMPLES
from tests.helpers import make_zip
from tests.organizer.ranking.conftest import PHASE
from tests.rescoring import ID, REFERENCE, TABLES, call, left, rows, sample, varied, write_submissions
from validator.formats.rules import load_rules


@pytest.fixture
def submissions(tmp_path):
    folder = tmp_path / "submissions"
    write_submissions(
        folder, {"team/good.zip": sample(), "team/weak.zip": sample("weak"), "broken.ZIP": b"no zip"}
    )
    (folder / "notes.txt").write_text("not a submission")
    return folder


def test_all_zips_get_a_row_and_a_page_and_teams_a_rank(submissions, tmp_path, capsys):
    out = tmp_path / "out"
    assert call(submissions, out) == 0
    found = rows(out / "scores.csv")
    assert list(found) == ["broken.ZIP", "team/good.zip", "team/weak.zip"]
    assert [row["outcome"] for row in found.values()] == ["invalid", "scored", "scored"]
    assert found["broken.ZIP"]["problem"].startswith("E-ZIP-NOT: ")
    assert found["broken.ZIP"]["score"] == ""
    good = found["team/good.zip"]
    assert good["signature"].startswith(f"{ID}|protocol:published")
    assert [column.key for column in load_task(ID).columns] == list(good)[3:-2]
    ranking = rows(out / "ranking.csv", "team")
    assert list(ranking) == ["team"]
    assert ranking["team"]["submission"] == "team/good.zip"
    assert (ranking["team"]["score"], ranking["team"]["rank"]) == (good["score"], "1")
    # One interval everywhere: that of the scores files has six decimals.
    for end in ("score_low", "score_high"):
        assert round(float(ranking["team"][end]), 6) == float(good[end])
    text = (out / "index.html").read_text()
    links = re.findall(r'href="(details/[^"]+)"', text)
    assert {out / link for link in links} == set((out / "details").iterdir())
    assert len(set(links)) == 3
    assert " 2 of 3 submissions" in capsys.readouterr().out
    headers = {name: (out / name).read_text().splitlines()[0] for name in TABLES[1:]}
    assert headers == {
        "ranking.csv": "rank,rank_low,rank_high,may_be_best,team,submission,submissions,score,score_low,"
        "score_high,coverage",
        "pairs.csv": "first,second,difference,low,high,low_all,high_all,p,p_adjusted",
        "items.csv": "item,mean,spread,teams",
        "changes.csv": "team,rank_before,rank,score_before,score,why",
    }


def test_what_is_scored_is_kept_only_if_it_could_be_written(submissions, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert call(submissions, tmp_path / "file" / "out") == 2
    assert "what is scored" not in capsys.readouterr().out
    # Scores can be written, the page that is written after them cannot.
    out = tmp_path / "out"
    (out / "index.html").mkdir(parents=True)
    assert call(submissions, out) == 2
    assert "what is scored is kept" in capsys.readouterr().out


def test_what_a_killed_call_left_is_removed_even_if_nothing_is_left_to_score(submissions, tmp_path):
    out = tmp_path / "out"
    assert call(submissions, out) == 0
    (kept,) = [path for path in (out / "store").iterdir() if path.is_dir()]
    left_overs = [
        out / "work" / "reference" / "labels.csv",
        out / ".ranking.csv.4711.tmp",
        out / "store" / ".ranking.json.4711.tmp",
        kept / ".0123.html.4711.tmp",
    ]
    mine = [out / "notes.tmp", out / ".notes.tmp"]
    for path in [*left_overs, *mine]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert call(submissions, out) == 0
    assert [path for path in left_overs if path.exists()] == []
    assert not (out / "work").exists()
    assert all(path.exists() for path in mine)


def test_teams_whose_names_look_equal_are_ranked_apart_and_listed(tmp_path):
    folder = write_submissions(tmp_path / "in", {"ann/a.zip": sample(), "an\xadn/a.zip": sample("weak")})
    out = tmp_path / "out"
    assert call(folder, out) == 0
    assert set(rows(out / "ranking.csv", "team")) == {"ann", r"an\xadn"}
    assert r"an\xadn" in (out / "ranking.html").read_text(encoding="utf-8")
    index = (out / "index.html").read_text(encoding="utf-8")
    assert 'id="similar"' in index


@pytest.mark.slow
def test_the_download_of_codabench_is_read(tmp_path):
    members = {
        "9_ann_b_PhaseId3_2024-05-01_x.zip": make_zip(sample("weak")),
        "10_ann_b_PhaseId3_2024-05-03_x.zip": make_zip(sample()),
        "11_bob_PhaseId3_2024-05-02_y.zip": make_zip(sample("weak")),
        "__MACOSX/12_eve_PhaseId3_z.zip": b"",
        "../../escape.zip": b"no zip",
    }
    (tmp_path / "all.zip").write_bytes(make_zip(members))
    out = tmp_path / "deep" / "er" / "out"
    assert call(tmp_path / "all.zip", out) == 0
    ranking = rows(out / "ranking.csv", "team")
    assert {team: row["submission"][:2] for team, row in ranking.items()} == {"ann_b": "10", "bob": "11"}
    assert "../../escape.zip" in rows(out / "scores.csv")
    assert [path.parent for path in tmp_path.rglob("*escape*")] == [out / "details"]
    assert len(list((out / "details").iterdir())) == 4


ANN, EVE = "8_ann_PhaseId3_2024-05-01_x.zip", "9_eve_PhaseId3_2024-05-01_y.zip"


@pytest.mark.slow
def test_submissions_to_other_tasks_are_named_once_and_not_listed(tmp_path, capsys):
    tasks = ["chalearn_action", "kinetics_tps", "anet_entities_gt", "anet_entities_gen", "densepose"]
    members = {f"{number}_bob_PhaseId3_2024-05-02_{task}.zip": make_zip(folder_files(ALL_SAMPLES / task / "good"))
               for number, task in enumerate(tasks)}  # fmt: skip
    members |= {ANN: make_zip(sample()), EVE: b"no"}
    (tmp_path / "all.zip").write_bytes(make_zip(members))
    assert call(tmp_path / "all.zip", tmp_path / "out") == 0
    out = capsys.readouterr().out
    (line,) = [line for line in out.splitlines() if "_bob_" in line]
    assert line.startswith("note | ")
    assert " 5 zips: 0_bob_PhaseId3_" in line
    assert line.endswith("_anet_entities_gt.zip (anet_entities_gt), and 2 more")
    listed = {name: row["outcome"] for name, row in rows(tmp_path / "out" / "scores.csv").items()}
    assert listed == {ANN: "scored", EVE: "invalid"}
    del members[ANN], members[EVE]
    (tmp_path / "all.zip").write_bytes(make_zip(members))
    assert call(tmp_path / "all.zip", tmp_path / "none") == 0
    assert " 0 of 0 submissions" in capsys.readouterr().out


@pytest.mark.slow
def test_names_of_files_cannot_act_in_a_terminal_a_spreadsheet_or_a_page(tmp_path, capsys):
    hostile = ["=1+1.zip", "\x1b[31mred\n.zip", '"><script>alert(1)<\u202e.zip', "-a.zip"]
    folder = write_submissions(tmp_path / "in", {name: sample() for name in hostile})
    assert call(folder, tmp_path / "out") == 0
    assert "\x1b" not in capsys.readouterr().out
    for table in TABLES:
        text = (tmp_path / "out" / table).read_text()
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert {"'=1+1", "'-a", "\\x1b[31mred\\n"} < set(rows(tmp_path / "out" / "ranking.csv", "team"))
    assert {"./=1+1.zip", "./-a.zip"} < set(rows(tmp_path / "out" / "scores.csv"))
    for name in ("index.html", "ranking.html"):
        text = (tmp_path / "out" / name).read_text()
        document = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
        assert not list(document.iter("script"))
        assert "&lt;script&gt;" in text
        assert not re.search("[\x1b\u202e]", text)


def test_pages_are_static_and_only_one_is_to_publish(submissions, tmp_path):
    out = tmp_path / "out"
    call(submissions, out)
    index, public = ((out / name).read_text() for name in ("index.html", "ranking.html"))
    for text in (index, public):
        assert "default-src 'none'" in text
        assert not re.search(r"<script|<link|<img|<iframe|https?://|url\(|@import|\son\w+=", text)
    item = next(iter(rows(out / "items.csv", "item")))
    for secret in (item, "details/", "good.zip", "E-ZIP-NOT", "For the organizers"):
        assert secret in index
        assert secret not in public


@pytest.mark.slow
def test_half_samples_change_the_ranking_and_not_the_interval_of_the_scores_file(submissions, tmp_path):
    call(submissions, tmp_path / "one")
    call(submissions, tmp_path / "other", "--half-samples", 50)
    scores, rankings = (
        [(tmp_path / run / name).read_text() for run in ("one", "other")]
        for name in ("scores.csv", "ranking.csv")
    )
    assert scores[0] == scores[1]
    assert rankings[0] != rankings[1]


@pytest.mark.slow
def test_equal_bytes_are_not_kept_from_a_run_before_in_the_first_run(tmp_path, capsys):
    folder = write_submissions(tmp_path / "in", {f"t{number:02}.zip": sample() for number in range(20)})
    assert call(folder, tmp_path / "out", "--workers", 1) == 0
    out = capsys.readouterr().out
    assert "kept from before" not in out
    assert re.search(r"\(equal to t\d\d\.zip\)", out)


@pytest.mark.slow
def test_equal_submissions_of_different_teams_are_named(tmp_path, capsys):
    files = {
        **dict.fromkeys(["a/1.zip", "b/copy.zip"], sample()),
        **dict.fromkeys(["c/1.zip", "c/2.zip"], sample("weak")),
    }
    assert call(write_submissions(tmp_path / "in", files), tmp_path / "out") == 0
    said = capsys.readouterr().out
    assert re.search(r"(a/1|b/copy)\.zip: scored \(equal to (a/1|b/copy)\.zip\)", said)
    page, public = ((tmp_path / "out" / name).read_text() for name in ("index.html", "ranking.html"))
    shown = page.partition('id="equal"')[2].partition("<section")[0].partition("</table>")[0]
    assert re.findall(r">([abc]/[a-z0-9]+\.zip)<", shown) == ["a/1.zip", "b/copy.zip"]
    assert 'id="equal"' not in public
    (tmp_path / "in" / "b" / "copy.zip").unlink()
    call(tmp_path / "in", tmp_path / "out")
    assert 'id="equal"' not in (tmp_path / "out" / "index.html").read_text()


def test_a_user_that_may_be_read_in_two_ways_is_warned_of_unless_the_table_of_names_has_it(tmp_path, capsys):
    name = "1_a_PhaseId9_b_PhaseId4_2024-05-01_x.zip"
    folder = write_submissions(tmp_path / "in", {name: sample()})
    assert call(folder, tmp_path / "out") == 0
    assert re.search(r"^warning \| .*\ba_PhaseId9_b\b", capsys.readouterr().out, re.M)
    (tmp_path / "names.csv").write_text("user,team\na_PhaseId9_b,Avocet\n")
    assert call(folder, tmp_path / "out", "--names", tmp_path / "names.csv") == 0
    assert not re.search(r"^warning \| .*PhaseId9", capsys.readouterr().out, re.M)
    assert list(rows(tmp_path / "out" / "ranking.csv", "team")) == ["Avocet"]


LATE = "3_ann_PhaseId4_2027-02-01_a.zip"


@pytest.fixture
def download(tmp_path):
    """The download of a phase: ann's best submission is late, bob's second one of a day is too many."""
    files = {
        "1_ann_PhaseId4_2027-01-02_a.zip": sample("weak"),
        "2_bob_PhaseId4_2027-01-02_a.zip": varied(10),
        LATE: sample(),
        "4_bob_PhaseId4_2027-01-02_b.zip": varied(20),
        "5_eve_PhaseId4_2027-01-02_b.zip": b"no zip",
    }
    return write_submissions(tmp_path / "download", files)


@pytest.fixture
def ranked(download, tmp_path, monkeypatch):
    """Rank the download in a phase with rules, and return the folder."""

    def rank(*options):
        task = BuiltTask(ID, build_program(ID), REFERENCE, 600.0, "Us", "Our task", "refs_2", phase=PHASE)
        monkeypatch.setattr(built, "built_task", lambda *arguments: task)
        assert call(download, tmp_path / "out", *options) == 0
        return tmp_path / "out"

    return rank


@pytest.mark.slow
def test_what_breaks_the_rules_of_a_phase_is_listed_and_ranked_until_they_are_enforced(ranked, capsys):
    out = ranked()
    found = rows(out / "rules.csv")
    assert {name[:1]: (row["rule"], row["ranked"]) for name, row in found.items()} == {
        "3": ("late", "true"),
        "4": ("over the limit of the day", "true"),
    }
    assert rows(out / "ranking.csv", "team")["ann"]["submission"] == LATE
    printed = capsys.readouterr().out
    assert "2 submissions" in printed
    assert "E-ZIP-NOT 1" in printed
    for name in ("index.html", "ranking.html"):
        text = (out / name).read_text()
        assert "Us: Our task" in text
        assert "phase: Final phase; reference: refs_2" in text
        assert "not ranked" not in text
    out = ranked("--enforce")
    assert {row["ranked"] for row in rows(out / "rules.csv").values()} == {"false"}
    ranking = rows(out / "ranking.csv", "team")
    assert {team: (row["submission"][:1], row["submissions"]) for team, row in ranking.items()} == {
        "ann": ("1", "1"),
        "bob": ("2", "1"),
    }
    assert main(["report", ID, "--ranking", str(out), "--output", str(out / "report")]) == 0
    published = rows(out / "report" / "ranking.csv", "team")
    assert {team: row["rank"] for team, row in published.items()} == {
        team: row["rank"] for team, row in ranking.items()
    }
    # Participants read that submissions were left out, and why.
    report = out / "report"
    for path in (
        out / "ranking.html",
        report / "methods.txt",
        report / "index.html",
        *report.glob("teams/*.html"),
    ):
        text = path.read_text()
        assert "2 scored submissions are not ranked" in text
        assert "1 made after the phase" in text
        assert "1 over the limit of a day" in text


@pytest.mark.slow
def test_table_of_names_overrules_and_its_further_columns_are_shown(ranked, tmp_path):
    names = tmp_path / "names.csv"
    lines = [
        "user,team,counts,method,email,Kontakt",
        "ann,Ann & co,yes,<b>CNN</b>,ann@x.org,ann@x.org",
        "bob,Bob,no,,,",
    ]
    names.write_text("\n".join(lines))
    out = ranked("--enforce", "--names", names)
    assert list(rows(out / "ranking.csv", "team")) == ["Ann & co"]
    for name in ("index.html", "ranking.html"):
        text = (out / name).read_text()
        assert "&lt;b&gt;CNN&lt;/b&gt;" in text
        assert "ann@x.org" not in text
    report = tmp_path / "report"
    assert main(["report", ID, "--ranking", str(out), "--output", str(report)]) == 0
    team = rows(report / "teams.csv", "team")["Ann & co"]
    assert (team["users"], team["rank"], team["email"]) == ("ann", "1", "ann@x.org")
    assert (report / team["page"]).is_file()
    assert team["page"] in (report / "index.html").read_text()


@pytest.mark.slow
def test_leaderboard_of_the_site_is_compared(ranked, tmp_path, capsys):
    board = tmp_path / "board.csv"
    board.write_text("Who,Result\nann,0.9999\nzoe,0.5\n")
    out = ranked("--leaderboard", board, "--columns", "Who,Result")
    verdicts = {user: row["verdict"] for user, row in rows(out / "leaderboard.csv", "user").items()}
    assert verdicts.keys() == {"ann", "bob", "zoe"}
    assert "leaderboard" in capsys.readouterr().out
    assert 'id="board"' in (out / "index.html").read_text()
    assert 'id="board"' not in (out / "ranking.html").read_text()
    out = ranked()
    assert not (out / "leaderboard.csv").exists()


@pytest.mark.slow
def test_submissions_that_an_earlier_run_had_are_listed(ranked, download):
    ranked()
    (download / LATE).rename(download / f"9{LATE}")  # a rerun, whose first run is deleted
    assert 'id="deleted"' not in (ranked() / "index.html").read_text()
    (download / f"9{LATE}").unlink()
    for _ in range(2):
        out = ranked()
        text = (out / "index.html").read_text().partition('id="deleted"')[2]
        assert LATE in text
        assert LATE not in (out / "scores.csv").read_text()


@pytest.mark.slow
def test_a_second_call_scores_nothing_and_leaves_the_same_files(submissions, tmp_path, capsys):
    out = tmp_path / "out"
    call(submissions, out)
    before = left(out)
    capsys.readouterr()
    assert call(submissions, out) == 0
    assert capsys.readouterr().out.count("(kept from before)") == 3
    assert left(out) == before
    assert call(submissions, out, "--fresh") == 0
    assert "(kept from before)" not in capsys.readouterr().out
    assert left(out) == before


@pytest.mark.slow
def test_what_changed_says_why(submissions, tmp_path, capsys):
    out = tmp_path / "out"
    write_submissions(submissions, {"other.zip": sample("weak")})
    call(submissions, out)
    before = rows(out / "scores.csv")
    shutil.copyfile(submissions / "team" / "good.zip", submissions / "other.zip")
    call(submissions, out)
    found = rows(out / "changes.csv", "team")
    scores = before["other.zip"]["score"], before["team/good.zip"]["score"]
    assert list(found["other"].values()) == ["other", "2", "1", *scores, "submission"]
    assert found["team"]["why"] == ""
    assert " 1 score and 1 rank" in capsys.readouterr().out
    again = (out / "changes.csv").read_bytes()
    call(submissions, out)
    assert (out / "changes.csv").read_bytes() == again
    reference = tmp_path / "reference"
    shutil.copytree(REFERENCE, reference)
    labels = reference / "DemoSequence0001_labels.csv"
    labels.write_text("\n".join(labels.read_text().splitlines()[:-1]) + "\n")
    assert call(submissions, out, reference=reference) == 0
    found = rows(out / "changes.csv", "team")
    assert {row["why"] for row in found.values()} == {"ref"}
    assert found["other"]["rank_before"] == "1"


@pytest.mark.slow
def test_broken_reference_ends_the_work_and_keeps_the_earlier_files(submissions, tmp_path, capsys):
    out = tmp_path / "out"
    call(submissions, out)
    before = left(out)
    (tmp_path / "empty").mkdir()
    assert call(submissions, out, reference=tmp_path / "empty") == 2
    assert "E-REF-NONE " in capsys.readouterr().out
    assert left(out) == before


@pytest.mark.parametrize("place", ["", "no.zip"])
def test_a_place_without_submissions_is_named(tmp_path, capsys, place):
    (tmp_path / "no.zip").write_text("text")
    where = tmp_path / place if place else tmp_path / "empty"
    if not place:
        where.mkdir()
    assert call(where, tmp_path / "out") == 1
    assert str(where) in capsys.readouterr().out


@pytest.mark.slow
def test_only_failures_give_a_page_and_no_ranking(tmp_path, capsys):
    folder = write_submissions(tmp_path / "in", {"a.zip": b"no zip"})
    assert call(folder, tmp_path / "out") == 0
    page = (tmp_path / "out" / "index.html").read_text()
    assert "No submission" in page
    assert "E-ZIP-NOT: " in page.partition('id="failed"')[2]
    assert not (tmp_path / "out" / "ranking.html").exists()
    assert "ranking.html" not in capsys.readouterr().out


@pytest.mark.slow
def test_a_damaged_member_of_the_download_fails_alone(tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.zip", make_zip(sample()))
        archive.writestr("b.zip", make_zip(sample()))
    data = bytearray(path.read_bytes())
    data[200] ^= 255
    path.write_bytes(data)
    assert call(path, tmp_path / "out") == 0
    assert [row["outcome"] for row in rows(tmp_path / "out" / "scores.csv").values()] == ["invalid", "scored"]


def test_program_of_another_state_of_the_repository_is_named(bundles, tmp_path, monkeypatch, capsys):
    (tmp_path / "dist").symlink_to(bundles)
    monkeypatch.setattr(built, "DIST", tmp_path / "dist")
    built.built_task(ID, None)
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(built, "build_program", lambda task_id: b"a later state")
    built.built_task(ID, None)
    (line,) = capsys.readouterr().out.splitlines()
    assert f"dist/{ID}.zip " in line
    assert "make bundle" in line


@pytest.mark.slow
def test_demo_data_without_a_bundle_is_reported(tmp_path, capsys):
    submission = write_submissions(tmp_path, {"a.zip": sample()}) / "a.zip"
    assert main(["dry-run", ID, str(submission), "--output", str(tmp_path / "out")]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("DEMO: ")]
    assert f" dist/{ID}.zip" in line


@pytest.mark.slow
def test_demo_data_the_date_and_the_competition_are_said(submissions, tmp_path, capsys):
    out, reference = tmp_path / "out", tmp_path / "reference" / ID
    assert call(submissions, out, "--date", "2024-05-31") == 0
    assert capsys.readouterr().out.count("DEMO: ") == 1
    for name in ("index.html", "ranking.html"):
        text = (out / name).read_text()
        assert "[DEMO DATA] People in Video: " in text
        assert "; 2024-05-31." in text
    shutil.copytree(REFERENCE, reference)
    (reference / "SYNTHETIC.md").unlink()
    call(submissions, out, reference=reference)
    assert "DEMO" not in capsys.readouterr().out + (out / "index.html").read_text()
    with pytest.raises(SystemExit):
        call(submissions, out, "--date", "31.05.2024")


@pytest.mark.slow
def test_baselines_are_read_from_json(submissions, tmp_path, capsys):
    out, path = tmp_path / "out", tmp_path / "baselines.json"
    path.write_text('[{"name": "random", "score": 0.125, "interval": [0.1, 0.25], "seed": 1}]')
    assert call(submissions, out, "--baselines", path) == 0
    assert "0.1000 to 0.2500" in (out / "ranking.html").read_text()
    assert "random" not in (out / "ranking.csv").read_text()
    assert call(submissions, out, "--baselines", path, "--protocols", "published", "released") == 1
    assert "one protocol" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    ["[1]", "{", "{}", '[{"name": "a"}]', '[{"name": "a", "score": NaN}]', '[{"name": "a", "score": "1"}]',
     '[{"name": "a", "score": true}]', '[{"name": "a", "score": 0.5, "interval": [0.9, 0.1]}]',
     '[{"name": "a", "score": 12}]', '[{"name": "a", "score": 0, "interval": [0]}]', '[{"name": "a", "score": 1' + "0" * 400 + "}]"],
)  # fmt: skip
def test_other_json_than_baselines_is_refused(submissions, tmp_path, capsys, text):
    path = tmp_path / "baselines.json"
    path.write_text(text)
    assert call(submissions, tmp_path / "out", "--baselines", path) == 1
    assert f"{path}: " in capsys.readouterr().out


@pytest.mark.slow
def test_baselines_of_make_baselines_are_shown_for_their_reference_alone(submissions, tmp_path, capsys):
    folder, other = tmp_path / "baselines", tmp_path / "reference" / ID
    assert main(["baselines", ID, "--reference", str(REFERENCE), "--output", str(folder)]) == 0
    path = folder / "baselines.json"
    assert call(submissions, tmp_path / "out", "--baselines", path) == 0
    text = (tmp_path / "out" / "ranking.html").read_text()
    baselines = json.loads(path.read_text())["baselines"]
    assert len([baseline for baseline in baselines if "low" in baseline]) == 4
    for baseline in baselines:
        assert f'"name">{baseline["name"]}<small>baseline' in text
        if "low" in baseline:
            assert f"{baseline['low']:.4f} to {baseline['high']:.4f}" in text
    shutil.copytree(REFERENCE, other)
    labels = other / "DemoSequence0001_labels.csv"
    labels.write_text("\n".join(labels.read_text().splitlines()[:-1]) + "\n")
    capsys.readouterr()
    assert call(submissions, tmp_path / "out", "--baselines", path, reference=other) == 1
    said = capsys.readouterr().out
    assert f"organizer baselines {ID} --reference {other}" in said
    assert ": scored" not in said


@pytest.mark.slow
def test_renamed_teams_are_new_and_gone(submissions, tmp_path, capsys):
    out = tmp_path / "out"
    write_submissions(submissions, {"other.zip": sample("weak")})
    call(submissions, out)
    (submissions / "team").rename(submissions / "renamed")
    capsys.readouterr()
    call(submissions, out)
    said = capsys.readouterr().out
    assert " 0 scores and 0 ranks, 1 team new, 1 team gone\n" in said
    found = rows(out / "changes.csv", "team")
    assert {team: row["why"] for team, row in found.items()} == {
        "renamed": "new",
        "other": "",
        "team": "gone",
    }


@pytest.mark.slow
def test_files_of_a_run_with_other_protocols_are_replaced(submissions, tmp_path):
    out = tmp_path / "out"
    call(submissions, out)
    once = left(out)
    call(submissions, out, "--protocols", "published", "released")
    twice = left(out)
    assert {name.partition("/")[0] for name in twice} == {"published", "released", "ranking.json"}
    for protocol in ("published", "released"):
        assert f"|protocol:{protocol}|" in (out / protocol / "scores.csv").read_text()
        for page in ("index.html", "ranking.html"):
            assert f"protocol: {protocol}" in (out / protocol / page).read_text()
    (out / "released" / "my notes.txt").write_text("kept")
    call(submissions, out)
    assert left(out) == {**once, "released/my notes.txt": b"kept"}


@pytest.mark.slow
def test_teams_that_are_not_listed_are_counted(tmp_path, capsys):
    folder = write_submissions(tmp_path / "in", {f"t{i}/a.zip": sample() for i in range(12)})
    assert call(folder, tmp_path / "out") == 0
    assert (said := capsys.readouterr().out).count("\n   1  ") == 10
    assert re.search(" 2 more teams: ranking.csv\n.* 12 of 12 submissions\n", said)


@pytest.mark.slow
@pytest.mark.parametrize(("n_wrong", "n_right", "is_wrong"), [(5, 0, True), (1, 0, True), (2, 1, False)])
def test_a_wrong_reference_is_said_once_and_before_the_errors(tmp_path, capsys, n_wrong, n_right, is_wrong):
    wrong = {name.replace("Demo", "Other"): data for name, data in sample().items()}
    named = {f"b{i}.zip": {**wrong, "number.txt": str(i)} for i in range(n_wrong)}
    named |= {f"a{i}.zip": sample() for i in range(n_right)}
    folder = write_submissions(tmp_path / "in", {**named, "no.zip": b""})
    assert call(folder, tmp_path / "out", "--workers", 1) == 0
    said = capsys.readouterr().out
    assert said.count("warning | ") == is_wrong
    assert said.count(": invalid E-ITEMS-NONE ") == n_wrong
    assert not is_wrong or said.index("warning | ") < said.index("E-ITEMS-NONE")


PHASES = [
    Phase("Main phase", datetime.datetime(2026, 1, 1), datetime.datetime(2026, 2, 1)),
    Phase("Final phase", datetime.datetime(2026, 3, 1), datetime.datetime(2026, 4, 1)),
]
OF_TWO_PHASES = {
    "1_ann_PhaseId171_2026-01-02_12-30_a.zip": sample(),
    "2_bob_PhaseId171_2026-01-03_12-30_a.zip": sample("weak"),
    "3_ann_PhaseId172_2026-03-02_12-30_a.zip": sample("weak"),
}


def rank_phase(patch, phase, *arguments, reference=REFERENCE):
    """Rank the submissions of a phase."""
    task = BuiltTask(ID, build_program(ID), reference, 600.0, phase=phase)
    patch.setattr(built, "built_task", lambda *arguments: task)
    return call(*arguments)


def test_submissions_of_another_phase_are_not_ranked_again(tmp_path, capsys, monkeypatch):
    main, final = PHASES
    folder = write_submissions(tmp_path / "in", OF_TWO_PHASES)
    assert rank_phase(monkeypatch, final, folder, tmp_path / "out/final", "--only-phase-id", "172") == 0
    assert "another phase" not in capsys.readouterr().out
    assert rank_phase(monkeypatch, main, folder, tmp_path / "out/main", "--only-phase-id", "172") == 1
    out = capsys.readouterr().out
    assert all(word in out for word in ("172", "Main phase", "Final phase", str(tmp_path / "out" / "final")))
    assert not (tmp_path / "out/main/ranking.csv").exists()
    # The same phase may be ranked again, anywhere, and the right id as well.
    assert rank_phase(monkeypatch, final, folder, tmp_path / "out/again", "--only-phase-id", "172") == 0
    assert rank_phase(monkeypatch, main, folder, tmp_path / "out/main", "--only-phase-id", "171") == 0


def test_submissions_that_are_all_out_of_time_are_doubted(tmp_path, capsys, monkeypatch):
    folder = write_submissions(tmp_path / "in", OF_TWO_PHASES)
    assert rank_phase(monkeypatch, PHASES[0], folder, tmp_path / "out", "--only-phase-id", "172") == 0
    (warning,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("warning")]
    assert all(word in warning for word in ("Main phase", "1 scored submission", "another phase?"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("random_score", "is_doubted", "is_zip"), [(0.9, True, False), (0.9, True, True), (0.3, False, False)]
)
def test_teams_that_are_all_below_chance_are_doubted(
    tmp_path, capsys, monkeypatch, random_score, is_doubted, is_zip
):
    folder = write_submissions(tmp_path / "in", {"ann.zip": sample(), "bob.zip": sample("weak")})
    reference = shutil.copytree(REFERENCE, tmp_path / ID)
    marks = json.loads((reference / "marks.json").read_text())
    (reference / "marks.json").write_text(json.dumps({**marks, "scores": {"random": random_score}}))
    given_reference = zip_bytes(folder_files(reference)) if is_zip else reference
    assert rank_phase(monkeypatch, None, folder, tmp_path / "out", reference=given_reference) == 0
    assert ("are the labels inverted" in capsys.readouterr().out) == is_doubted


def test_table_and_leaderboard_of_the_site_are_taken_as_they_are(tmp_path, capsys):
    folder = write_submissions(tmp_path / "in", OF_TWO_PHASES)
    lines = "2,bob,2026-01-03T10:00:00Z\n1,ann,2026-01-02T09:00:00Z\n3,ann,2026-03-02T10:00:00Z\n"
    (tmp_path / "submissions.csv").write_text(f"ID,Owner,Created When\n{lines}")
    board = "Username,Task(8)-Mean Jaccard\nann-1,0.8932080358\nbob-2,0.3390096453\n"
    (tmp_path / "results.csv").write_text(board)
    options = ["--names", tmp_path / "submissions.csv", "--leaderboard", tmp_path / "results.csv"]
    assert call(folder, tmp_path / "out", "--only-phase-id", "171", *options) == 0
    assert "2 of 2 users have the same score" in capsys.readouterr().out


# Runs a command in little more address space than its modules take.
def test_what_unpacks_to_more_than_a_submission_may_have_is_not_read(tmp_path, monkeypatch):
    rules = load_rules(ID)
    limits = rules.limits._replace(files=50, total_bytes=10_000)
    monkeypatch.setattr(ranking_command, "load_rules", lambda _: rules._replace(limits=limits))
    monkeypatch.setattr(Submission, "read", lambda self: pytest.fail("it is read"))
    names = [f"{number}_{user}_PhaseId3_2024-05-01_x.zip" for number, user in enumerate(("ann", "bob"))]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "all.zip").write_bytes(make_zip(dict.fromkeys(names, bytes(200_000))))
    assert call(tmp_path / "in", tmp_path / "out") == 0
    table = rows(tmp_path / "out" / "scores.csv")
    assert [table[name]["problem"].partition(":")[0] for name in names] == ["E-ZIP-SIZE"] * 2
