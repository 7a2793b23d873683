"""Groups of items: which files are right, what is reported of others, and what groups change."""

from __future__ import annotations

import json
import random
import shutil

import pytest

from organizer.data.prepare import prepare, reference_files
from organizer.files import folder_files
from scoring_program.run import BROKEN, SCORED
from tests.helpers import REFERENCES, SAMPLES, loaded, refused, run_folder

ID = "chalearn_gesture"
ITEMS = sorted(path.name.removesuffix("_labels.csv") for path in (REFERENCES / ID).glob("*_labels.csv"))
LINES = [f"{item},person {number % 3}" for number, item in enumerate(ITEMS)]
GOOD = "\n".join(["item,group", *LINES]) + "\n"


@pytest.fixture
def grouped(tmp_path):
    """Return a function that writes a reference with a file of groups."""

    def write(text, name="persons.csv", task=ID, also=""):
        folder = tmp_path / "reference"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(REFERENCES / task, folder)
        (folder / "SYNTHETIC.md").unlink()
        if text is not None:
            (folder / "persons.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
        (folder / "settings.yaml").write_text(f"item_groups: {name}\ndetail: full\n{also}")
        return folder

    return write


@pytest.mark.parametrize(
    ("text", "where", "keyword"),
    [
        (None, "", "no such file"),
        (b"", "", "item,group"),
        (b"item,person\n", "", "item,group"),
        (b"item,group\n\xff,a\n", "", "UTF-8"),
        (b'item,group\n"a,b\n', "", "CSV"),
        (GOOD.replace("person 0", ""), "line 2", ""),
        (GOOD.replace("person 0", "a,b"), "line 2", ""),
        (GOOD + "elsewhere,a\n", f"line {len(ITEMS) + 2}", "elsewhere"),
        (GOOD + f"{LINES[1]}\n", f"line {len(ITEMS) + 2}", ITEMS[1]),
        (GOOD.replace(f"{LINES[2]}\n", ""), "", f"{ITEMS[2]} has no group"),
        (GOOD.replace("person 1", "x").replace("person 0", "x").replace("person 2", "x"), "", "in one"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(grouped, text, where, keyword):
    findings = refused(loaded, ID, grouped(text))
    texts = [
        problem.problem
        for problem in findings.problems
        if (problem.code, problem.file, problem.where) == ("E-REF-GROUPS", "persons.csv", where)
    ]
    assert any(keyword in problem_text for problem_text in texts), findings.lines()


@pytest.mark.parametrize("name", ["../reference/persons.csv", "/etc/passwd", "sub/persons.csv", "."])
def test_file_is_one_of_the_reference_folder(grouped, name):
    problem = refused(loaded, ID, grouped(GOOD, name)).problems[0]
    assert problem.code == "E-REF-GROUPS"
    assert "no such file" in problem.problem


def test_wrong_groups_are_the_organizers_fault_and_hidden(grouped, tmp_path):
    folder = grouped(GOOD + "secret_sequence,a\n", also="")
    outcome = run_folder(ID, folder, SAMPLES / ID / "good", tmp_path / "out", detail="summary")
    assert outcome.exit_code == BROKEN
    for name in ("detailed_results.html", "detailed_results.json"):
        assert "secret_sequence" not in (tmp_path / "out" / name).read_text()


def test_order_line_ends_and_byte_order_mark_change_nothing(grouped):
    shuffled = LINES[:]
    random.Random(4).shuffle(shuffled)
    one = loaded(ID, grouped(GOOD))
    other = loaded(ID, grouped(b"\xef\xbb\xbf" + "\r\n".join(["item,group", *shuffled]).encode()))
    assert one.signature == other.signature
    assert one.groups.number.tolist() == other.groups.number.tolist() == [k % 3 for k in range(len(ITEMS))]


@pytest.mark.slow
def test_groups_are_in_the_signature_and_change_the_interval_alone(grouped, tmp_path):
    results = {}
    for key, text in (("one", GOOD), ("other", GOOD.replace(LINES[0], f"{ITEMS[0]},person 1"))):
        outcome = run_folder(ID, grouped(text), SAMPLES / ID / "weak", tmp_path / key)
        assert outcome.exit_code == SCORED
        results[key] = json.loads((tmp_path / key / "detailed_results.json").read_text())
    plain = json.loads((tmp_path / "one" / "scores.json").read_text())
    run_folder(ID, REFERENCES / ID, SAMPLES / ID / "weak", tmp_path / "plain")
    without = json.loads((tmp_path / "plain" / "scores.json").read_text())
    assert plain["score"] == without["score"]
    assert plain["score_low"] != without["score_low"]
    parts = [
        dict(part.split(":") for part in result["signature"].split("|")[1:]) for result in results.values()
    ]
    assert parts[0]["item_groups"] != parts[1]["item_groups"]
    assert len(parts[0]["item_groups"]) == 12
    # The file of groups is not a part of the reference.
    assert parts[0]["ref"] == parts[1]["ref"]
    interval = results["one"]["interval"]
    assert (interval["items"], interval["item_type"]) == (3, "group")
    page = (tmp_path / "one" / "detailed_results.html").read_text()
    assert f"over {len(ITEMS)} sequences of 3 persons" in page
    assert "fewer than 10 groups" in page


def test_videos_that_are_no_items_may_have_lines(grouped):
    task = "anet_entities_gt"
    reference = loaded(task, REFERENCES / task)
    others = sorted({*reference.task.other_names(reference.reference), *reference.items})
    lines = [f"{video},{number % 2}" for number, video in enumerate(others)]
    assert len(loaded(task, grouped("\n".join(["item,group", *lines]), task=task)).groups.number) == len(
        reference.items
    )


@pytest.mark.parametrize("task", [ID, "kinetics_tps"])
def test_prepared_references_keep_the_file(grouped, tmp_path, task):
    items = loaded(task, REFERENCES / task).items
    text = "\n".join(["item,group", *(f"{item},{number % 4}" for number, item in enumerate(items))])
    source = grouped(text, task=task)
    prepare(task, source, tmp_path / "prepared")
    assert (tmp_path / "prepared" / "persons.csv").read_text() == text
    assert loaded(task, tmp_path / "prepared").groups.digest == loaded(task, source).groups.digest
    assert "persons.csv" in reference_files(task, source)
    assert "persons.csv" in folder_files(tmp_path / "prepared")
