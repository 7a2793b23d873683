"""The scoring program at its border: folders in, exit code, scores and page out."""

from __future__ import annotations

import html
import itertools
import json
import re
import sys
import warnings
from unittest import mock

import pytest

from scoring_program.report import outputs
from scoring_program.run import BROKEN, INVALID, SCORED, load_folder, main
from scoring_program.run import run as run_submission
from scoring_program.scoring import Loaded
from scoring_program.signature import VERSION
from tests.helpers import REFERENCES, make_zip, printed_problems, run_folder, values_of
from validator import limits
from validator.console import OutputError
from validator.findings import Findings

REFERENCE = {
    "S1_labels.csv": "1,1,10\n2,21,30\n",
    "S1_data.csv": "100,20,2000\n",
    "S2_labels.csv": "3,5,8\n",
    "S2_data.csv": "50,20,2000\n",
}
PERFECT = {"S1_prediction.csv": "1,1,10\n2,21,30\n", "S2_prediction.csv": "3,5,8\n"}
ID = "chalearn_gesture"


def rows(text):
    """Return the file of one sequence."""
    return {"S1_prediction.csv": text}


def test_scored_submission_leaves_all_outputs(run):
    outcome = run(ID, REFERENCE, PERFECT)
    assert outcome.code == SCORED
    assert sorted(path.name for path in outcome.folder.iterdir()) == [
        "detailed_results.html",
        "detailed_results.json",
        "scores.json",
        "scores.txt",
    ]
    assert outcome.scores["score"] == outcome.scores["coverage"] == 1.0
    text = (outcome.folder / "scores.txt").read_text(encoding="utf-8")
    assert {
        key: float(value) for key, value in (line.split(": ") for line in text.splitlines())
    } == outcome.scores
    assert outcome.out.startswith(
        f"chalearn_gesture|protocol:published|item_groups:none|version:{VERSION}|ref:"
    )


def test_signature_follows_settings_and_reference(run):
    def signature(reference):
        return run(ID, reference, PERFECT).out.splitlines()[0]

    first = signature(REFERENCE)
    assert signature({**REFERENCE, "settings.yaml": "detail: none\n"}) == first
    assert "protocol:released" in signature({**REFERENCE, "settings.yaml": "protocol: released\n"})
    other = signature({**REFERENCE, "settings.yaml": "", "S2_labels.csv": "3,5,9\n"})
    assert other.split("ref:")[0] == first.split("ref:")[0]
    assert other != first


@pytest.mark.parametrize(
    ("layout", "note"),
    [
        (lambda files: files, None),
        (lambda files: {f"mine/{name}": content for name, content in files.items()}, "N-FOLDER"),
        (lambda files: {"mine.zip": make_zip(files)}, "N-FOUND-ZIP"),
        (lambda files: {**files, "metadata": "the platform's"}, None),
    ],
)
def test_submission_is_found_where_platforms_leave_it(run, layout, note):
    outcome = run(ID, REFERENCE, layout(PERFECT))
    assert outcome.code == SCORED
    assert outcome.scores["score"] == 1.0
    assert re.findall(r"N-FO\w+-?\w*", outcome.out) == ([note] if note else [])


@pytest.fixture
def ticking(monkeypatch):
    """A clock that goes on by a second whenever it is looked at."""
    clock = mock.Mock(perf_counter=mock.Mock(side_effect=itertools.count(0.0)))
    monkeypatch.setattr("scoring_program.run.time", clock)


def stages_of(outcome):
    return json.loads((outcome.folder / "detailed_results.json").read_bytes())["stages"]


@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize("detail", ["none", "summary"])
@pytest.mark.parametrize("submission", [PERFECT, {}])
def test_times_are_whole_seconds_in_total(run, detail, submission):
    outcome = run(ID, REFERENCE, submission, detail=detail)
    seconds = stages_of(outcome)["total"]
    assert (list(stages_of(outcome)), seconds) == (["total"], int(seconds))
    assert "reference 1" not in outcome.out + outcome.err + outcome.page


@pytest.mark.usefixtures("ticking")
def test_at_full_detail_stages_are_timed(run):
    outcome = run(ID, REFERENCE, PERFECT, detail="full")
    times = "time: start 1.00 s, reference 1.00 s, submission 1.00 s, "
    assert outcome.out.splitlines()[-1].startswith(times)
    assert set(stages_of(outcome).values()) <= {1, 2, 3}


@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize(("limit", "is_near"), [(10.5, True), (11.5, False), (1000.0, False)])
def test_a_run_of_more_than_80_percent_of_its_time_has_a_note(run, limit, is_near):
    # On this clock it is 9 seconds from the start to the report.
    outcome = run(ID, REFERENCE, PERFECT, time_limit=limit)
    assert ("N-LIMIT-TIME" in outcome.out) == is_near


def test_only_the_platform_limits_the_process(tmp_path, monkeypatch):
    limits = mock.Mock()
    monkeypatch.setattr("scoring_program.run.limits", limits)
    for name, content in REFERENCE.items():
        (tmp_path / name).write_text(content)
    load_folder(ID, tmp_path)
    assert limits.mock_calls == []
    load_folder(ID, tmp_path, is_limited=True)
    assert [call[0] for call in limits.mock_calls] == ["start", "require_memory"]


def test_package_that_only_some_tasks_need_is_named_where_it_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "PIL", None)
    outcome = run_submission(lambda: load_folder("densepose", tmp_path), tmp_path, tmp_path / "output")
    assert outcome.exit_code == BROKEN
    (problem,) = outcome.findings.problems
    assert problem.code == "E-PYTHON"
    assert "PIL" in problem.problem
    assert "py312" in problem.remedy
    assert "E-PYTHON" in capsys.readouterr().err


def test_an_image_is_named_only_if_it_has_what_is_missing(tmp_path, monkeypatch):
    names = ["PIL", "pandas"]
    monkeypatch.setattr("scoring_program.run.missing_packages", lambda task_id: names)
    outcome = run_submission(lambda: load_folder("densepose", tmp_path), tmp_path, tmp_path / "output")
    (problem,) = outcome.findings.problems
    assert problem.code == "E-PYTHON"
    assert all(name in problem.problem for name in names)
    assert "py312" not in problem.remedy


def test_task_that_does_not_need_a_missing_package_scores(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert run(ID, REFERENCE, PERFECT).code == SCORED


def test_an_empty_file_and_a_missing_one_score_alike_and_differ_in_coverage_and_note(run):
    first = {"S1_prediction.csv": PERFECT["S1_prediction.csv"]}
    empty, missing = run(ID, REFERENCE, {**first, "S2_prediction.csv": ""}), run(ID, REFERENCE, first)
    assert empty.scores["score"] == missing.scores["score"] == 0.5
    assert (empty.scores["coverage"], missing.scores["coverage"]) == (1, 0.5)
    codes = [[note["code"] for note in outcome.detail["notes"]] for outcome in (empty, missing)]
    assert ["N-FILE-EMPTY" in codes_of_run for codes_of_run in codes] == [True, False]
    assert ["N-FILE-MISSING" in codes_of_run for codes_of_run in codes] == [False, True]
    (note,) = [note["text"] for note in missing.detail["notes"] if note["code"] == "N-FILE-MISSING"]
    assert values_of(note)[:2] == ["1", "2"]
    assert note in missing.out


@pytest.mark.parametrize(
    ("files", "code", "file", "where", "name"),
    [
        (rows("1,90,20\n"), "E-CSV-RANGE", "S1_prediction.csv", "line 1 column 3", "20"),
        ({"S1_predicton.csv": "1,1,2\n"}, "E-FILE-NONE", "", "", "S1_predicton.csv"),
        ({}, "E-FILE-NONE", "", "", "no files"),
        # Of a sequence that the data does not have.
        (PERFECT | {"S9_prediction.csv": "", "S9_predictions.csv": ""}, "E-FILE-TWICE", "S9_predictions.csv", "", "S9_prediction.csv"),
        (rows("") | {"metadata.yaml": "command: x"}, "E-FILE-RESERVED", "metadata.yaml", "", ""),
    ],
)  # fmt: skip
def test_invalid_submission_is_reported_and_not_scored(run, files, code, file, where, name):
    outcome = run(ID, REFERENCE, files)
    assert outcome.code == INVALID
    assert outcome.scores is None
    (problem,) = [problem for problem in outcome.detail["problems"] if problem["code"] == code]
    assert (problem["file"], problem["where"]) == (file, where)
    text = f"{problem['problem']}; {problem['hint']}"
    assert name in text
    assert text in outcome.err
    page = html.unescape(outcome.page)
    assert problem["problem"] in page
    assert problem["hint"][1:] in page


def test_the_log_of_a_refused_submission_has_its_notes_too(run):
    outcome = run(ID, REFERENCE, {**rows("1,101,102\n"), "S9_prediction.csv": "1,1,2\n"})
    assert outcome.code == INVALID
    assert "\n1. E-CSV-FRAME S1_prediction.csv: " in outcome.err
    (note,) = outcome.detail["notes"]
    assert f"\nnote N-ITEMS-UNKNOWN: {note['text']}\n" in outcome.err


def test_problems_are_limited_to_twenty_kinds(run):
    """Values of other types stand in the place of a class, a video, a frame, its humans, and a human."""
    wrong = [1, None, True, []]
    frames = [
        *wrong,
        *({"humans": value} for value in [*wrong[:3], {}]),
        *({"humans": [value]} for value in wrong),
    ]
    parts = {"v": {f"img_{number:05d}.json": frame for number, frame in enumerate(frames, 1)}}
    files = {
        "pred_vid_result.json": {f"v{number}": value for number, value in enumerate([*wrong, {}])},
        "pred_part_result.json": {**parts, **{f"v{number}": value for number, value in enumerate(wrong)}},
    }
    reference = {path.name: path.read_text() for path in (REFERENCES / "kinetics_tps").glob("gt_*.json")}
    outcome = run("kinetics_tps", reference, {name: json.dumps(value) for name, value in files.items()})
    assert outcome.code == INVALID
    lines = outcome.err.splitlines()
    numbers = [line.partition(". E-JSON-SCHEMA ")[0] for line in lines if "E-JSON-SCHEMA" in line]
    assert numbers == [str(number) for number in range(1, 21)]
    assert values_of(lines[-1]) == ["1"]
    assert lines[-1] in outcome.page


BROKEN_MEASURE = ("scoring_program.metrics.frame_jaccard.count_frames", mock.Mock(side_effect=KeyError))


@pytest.mark.parametrize(
    ("reference", "submission", "broken", "code", "name"),
    [
        ({}, {"S1_prediction.csv": "nonsense\n"}, None, INVALID, "invalid"),
        ({"settings.yaml": "protocol: relesed\n"}, PERFECT, None, BROKEN, "broken"),
        ({"S2_labels.csv": "77,2,3\n"}, PERFECT, None, BROKEN, "broken"),
        ({}, PERFECT, BROKEN_MEASURE, BROKEN, "broken"),
    ],
    ids=["submission", "settings", "reference", "exception"],
)
def test_a_failed_run_leaves_nothing_of_an_earlier_one(
    run, monkeypatch, reference, submission, broken, code, name
):
    earlier = run(ID, REFERENCE, PERFECT)
    assert earlier.scores is not None
    (earlier.folder / "per_item.csv").write_text("item,score\nS1,1.0\n")
    if broken:
        monkeypatch.setattr(*broken)
    failed = run(ID, {**REFERENCE, **reference}, submission)
    assert (failed.code, failed.detail["exit_code"], failed.detail["outcome"]) == (code, code, name)
    assert sorted(path.name for path in failed.folder.iterdir()) == [
        "detailed_results.html",
        "detailed_results.json",
    ]
    assert (failed.detail["scores"], failed.detail["tables"], failed.detail["error_costs"]) == ({}, {}, [])
    assert "Not scored" in failed.page
    assert "Valid and scored" not in failed.page


def test_scores_that_are_written_in_part_are_removed(run, tmp_path, monkeypatch, capsys):
    earlier = run(ID, REFERENCE, PERFECT)
    write = outputs.write_atomic

    def fail(path, text):
        if path.name == outputs.SCORES_JSON:
            assert (path.parent / outputs.SCORES_TXT).is_file()
            raise OutputError("scores.json cannot be written (No space left on device)")
        write(path, text)

    monkeypatch.setattr(outputs, "write_atomic", fail)
    outcome = run_folder(ID, tmp_path / "ref", tmp_path / "res", earlier.folder)
    assert (outcome.name, outcome.exit_code, outcome.result) == ("broken", BROKEN, None)
    assert [path.name for path in earlier.folder.iterdir()] == ["detailed_results.html"]
    err = capsys.readouterr().err
    assert err.startswith("E-OUTPUT: scores.json ")
    assert "(No space left on device)" in err


@pytest.mark.parametrize(
    ("changes", "place", "name"),
    [
        ({"settings.yaml": "detail: true\n"}, ("E-SETTINGS-VALUE", "settings.yaml", "/detail"), "none, summary, full"),
        ({"settings.yaml": "protocol: published\nprotocol: released\n"}, ("E-SETTINGS-YAML", "settings.yaml", "line 2 column 1"), "'protocol'"),
        ({"S3_labels.csv": "1,2,3\n"}, ("E-REF", "", ""), "E-REF-PAIR"),
        ({"S2_data.csv": ""}, ("E-REF", "", ""), "E-REF-EMPTY"),
        ({"S2_labels.csv": "77,2,3\n"}, ("E-REF", "", ""), "E-CSV-RANGE"),
        ({"S2_data.csv": "none\n"}, ("E-REF", "", ""), "E-CSV-HEADER"),
    ],
)  # fmt: skip
def test_broken_reference_is_the_organizers_side(run, changes, place, name):
    outcome = run(ID, {**REFERENCE, **changes}, PERFECT)
    assert outcome.code == BROKEN
    (problem,) = printed_problems(outcome.err)
    assert problem[:3] == place
    assert name in problem.text
    assert outcome.scores is None
    assert "organizer" in outcome.page


def test_reference_problem_is_not_quoted_on_the_platform(run):
    reference = {**REFERENCE, "S2_labels.csv": "7654321,2,3\n"}
    outcome = run(ID, reference, PERFECT)
    assert "7654321" not in outcome.err + outcome.page
    assert "7654321" in run(ID, reference, PERFECT, detail="full").err


class StoppedWhileReading(Loaded):
    """A reference whose submission has a problem in each of two files, of which the second takes too long."""

    def read(self, path):
        with Findings.collect() as findings:
            with findings.part(), Findings.collect() as first:
                first.add("E-CSV-RANGE", "it is wrong", "correct it", file="a.csv")
            findings.add("E-FILE-TWICE", "it is there twice", "keep one")
            with findings.part(), Findings.collect() as second:
                second.add("E-CSV-INTEGER", "it is wrong", "correct it", file="b.csv")
                raise limits.TimeLimitError


def test_what_was_found_until_a_limit_is_told(tmp_path):
    reference, output = tmp_path / "ref", tmp_path / "out"
    reference.mkdir()
    for name, text in REFERENCE.items():
        (reference / name).write_text(text, encoding="utf-8")
    loaded = StoppedWhileReading(**vars(load_folder(ID, reference)))
    outcome = run_submission(lambda: loaded, tmp_path, output)
    assert (outcome.name, outcome.exit_code) == ("time", INVALID)
    assert [(problem.code, problem.file) for problem in outcome.findings.problems] == [
        ("E-LIMIT-TIME", ""),
        ("E-CSV-RANGE", "a.csv"),
        ("E-FILE-TWICE", ""),
        ("E-CSV-INTEGER", "b.csv"),
    ]


@pytest.mark.parametrize("detail", ["none", "summary", "full"])
def test_exception_shows_type_and_place_where_nothing_is_hidden_and_never_data(run, monkeypatch, detail):
    def fail(*_):
        raise KeyError("SECRET 4711")

    monkeypatch.setattr("scoring_program.metrics.frame_jaccard.count_frames", fail)
    outcome = run(ID, REFERENCE, PERFECT, detail=detail)
    assert outcome.code == BROKEN
    said = outcome.err + outcome.out + outcome.page
    assert "SECRET" not in said
    if detail == "full":
        assert "E-INTERNAL: KeyError in measure.py line " in outcome.err
    else:
        assert "E-INTERNAL: the scoring program failed; organizers: " in outcome.err
        assert "KeyError" not in said
    assert outcome.scores is None


def test_warnings_are_not_printed_on_the_platform(tmp_path, capsys, monkeypatch):
    def warn(*_):
        warnings.warn("SECRET 4711", stacklevel=1)
        raise KeyError

    monkeypatch.setattr("scoring_program.metrics.frame_jaccard.count_frames", warn)
    write_inputs(tmp_path)
    assert main(["--task", ID, str(tmp_path / "in"), str(tmp_path / "out")]) == BROKEN
    assert "SECRET" not in capsys.readouterr().err


def test_detail_levels(run):
    levels = ("none", "summary", "full")
    pages = {level: run(ID, REFERENCE, PERFECT, detail=level, at_home=True).page for level in levels}
    assert "Gesture classes" not in pages["none"] + pages["summary"]
    assert "Gesture classes" in pages["full"]
    assert "S1" not in pages["summary"]
    assert 'class="strip"' in pages["full"]


def test_summary_shows_classes_of_five_sequences(run):
    def classes(*labels):
        """Return the rows for classes that are annotated and predicted ten times in each of some sequences."""
        content = [
            "".join(f"{label},{n},{n + 3}\n" for label in of_one for n in range(1, 100, 10))
            for of_one in labels
        ]
        reference = {f"S{n}_data.csv": "100,20,2000\n" for n, _ in enumerate(content)}
        reference |= {f"S{n}_labels.csv": rows for n, rows in enumerate(content)}
        outcome = run(ID, reference, {f"S{n}_prediction.csv": rows for n, rows in enumerate(content)})
        tables = outcome.detail["tables"]
        return [row[0] for row in tables["classes"]["rows"]] if "classes" in tables else []

    assert classes(*[(1, 2)] * 5) == ["vattene", "vieniqui"]
    assert classes(*[(1, 2)] * 4) == ["(others)"]
    assert classes(*[(1, 2)] * 2) == []
    # A row for one sequence could be computed by subtraction, so another class joins it.
    assert classes(*[(1,)] * 5, (2,)) == ["(others)"]


def test_score_decimals_round_every_number_that_leaves_a_run(run):
    rows = "".join(f"1,{n},{n + 2}\n" for n in range(1, 100, 9))
    later = "".join(f"1,{n + 1},{n + 3}\n" for n in range(1, 90, 9))
    reference = {**REFERENCE, "S1_labels.csv": rows}
    texts = {}
    for decimals in (10, 3):
        outcome = run(ID, reference, {"S1_prediction.csv": later}, score_decimals=decimals)
        assert outcome.code == SCORED
        texts[decimals] = [outcome.out.split("\ntime:")[0], *contents(outcome.folder).values()]
    long = re.compile(r"\d\.\d{4,}(?!\d*px)")
    assert any(long.search(text) for text in texts[10])
    numbers = [
        found
        for text in texts[3]
        for found in long.findall(re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", text))
    ]
    assert all(float(f"0{found[1:]}") * 1000 % 1 == 0 for found in numbers), numbers
    assert outcome.scores["score"] == round(outcome.scores["score"], 3)


def test_page_is_static_and_fetches_nothing(run):
    page = run(ID, REFERENCE, PERFECT, detail="full").page
    assert not re.search(r"<script|javascript:|https?://|@import|url\(|\son\w+=|src=|href=\"(?!#)", page)


def test_file_names_cannot_become_markup(run):
    name = "<img src=x onerror=alert(1)>_prediction.csv"
    page = run(ID, REFERENCE, {**PERFECT, name: ""}).page
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_a_first_page_is_there_while_scoring_runs(run, monkeypatch, tmp_path):
    seen = []

    def look(*_):
        seen.append((tmp_path / "out" / "detailed_results.html").read_text(encoding="utf-8"))
        raise RuntimeError

    monkeypatch.setattr("scoring_program.metrics.frame_jaccard.count_frames", look)
    run(ID, REFERENCE, PERFECT)
    assert "Scoring has begun" in seen[0]


def test_same_input_gives_same_bytes(run):
    first = run(ID, REFERENCE, PERFECT)
    before = contents(first.folder)
    second = run(ID, REFERENCE, PERFECT)
    assert contents(second.folder) == before


def contents(folder):
    """Return what the files of a run hold, the seconds of its stages aside."""
    return {path.name: path.read_text(encoding="utf-8").split(' "stages"')[0] for path in folder.iterdir()}


def write_inputs(folder):
    """Write the reference and a submission as the platform lays them out."""
    for name, files in (("ref", REFERENCE), ("res", PERFECT)):
        (folder / "in" / name).mkdir(parents=True)
        for file, content in files.items():
            (folder / "in" / name / file).write_text(content)


def test_command_line(tmp_path):
    write_inputs(tmp_path)
    arguments = [str(tmp_path / "in"), str(tmp_path / "out")]
    for words in (["--task", ID, *arguments], [*arguments, "--task", ID]):
        assert main(words) == SCORED
    assert json.loads((tmp_path / "out" / "scores.json").read_text())["score"] == 1.0


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--help"],
        ["in", "out"],
        ["in", "out", "--task"],
        ["in", "out", "--task", "x"],
        ["in", "--task", ID],
    ],
)
def test_a_wrong_command_line_is_told_the_right_one(capsys, words):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == BROKEN
    err = capsys.readouterr().err
    assert "INPUT OUTPUT --task" in err
    assert ID in err
