"""Nothing of the hidden reference leaves a run: canaries in every field, for good, bad and crashing submissions."""

from __future__ import annotations

import re
import shutil

import pytest

from organizer.data.prepare import reference_files
from organizer.files import folder_files, write_files
from quality.task import quality_tasks
from scoring_program import scoring
from scoring_program.report import outputs, page
from scoring_program.run import BROKEN, INVALID, SCORED
from scoring_program.task import load_task, task_ids
from tests import canaries
from tests.canaries import CANARY, NO_ITEMS_SHOWN
from tests.helpers import (
    SAMPLES,
    loaded,
    make_zip,
    one_of_each_format,
    replace_function,
    run_folder,
    slow_for,
)

IDS = task_ids()
NUMBER = re.compile(r"73911\d{2}|0\.73911")


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Return a function that makes a reference folder full of canaries, once a task."""
    made = {}

    def plant(name):
        if name not in made:
            source = tmp_path_factory.mktemp(name) / "source"
            source.mkdir()
            canaries.plant(quality_tasks()[name], source)
            made[name] = source.with_name("ref")
            made[name].mkdir()
            write_files(reference_files(name, source), made[name])
        return made[name]

    return plant


def sample(name):
    return folder_files(SAMPLES / name / "good")


def knowing(name):
    """Return a submission that touches the canaries without naming them."""
    return canaries.knowing(quality_tasks()[name])


def bad(name):
    files = {}
    for place, data in knowing(name).items():
        if place.endswith(".csv"):
            files[place] = (
                data + b"oops\n" + data.replace(b"5,6", b"9999999,99999999") + data.replace(b"5,6", b"6,5")
            )
        else:
            text = data.decode()
            for good, wrong in (
                ("[1, 1, 2, 2]", "[2, 2, 1, 1]"),
                ("[1, 1, 5, 5]", "[1, 1, 5]"),
                ('"score"', '"scor"'),
            ):
                text = text.replace(good, wrong)
            text = text.replace('"x"', "[7]")
            files[place] = (text if text != data.decode() else text.replace(": ", ": [7], 0: ", 1)).encode()
    return files


def run(name, reference, files, folder, capsys, **settings):
    submission = folder / "s.zip"
    submission.write_bytes(files if isinstance(files, bytes) else make_zip(files))
    output = folder / "out"
    outcome = run_folder(name, reference, submission, output, **settings)
    captured = capsys.readouterr()
    texts = {path.name: path.read_text(encoding="utf-8") for path in output.iterdir()}
    return outcome.exit_code, {**texts, "stdout": captured.out, "stderr": captured.err}


def assert_silent(texts, own=b""):
    """The submission's own words may be quoted; no other canary may appear."""
    for place, text in texts.items():
        for found in [*re.findall(rf"{CANARY}\w*", text), *NUMBER.findall(text)]:
            assert found.encode() in own, f"{place} reveals {found}"


@pytest.mark.parametrize("detail", ["summary", "none"])
@pytest.mark.parametrize("make", [sample, knowing, bad])
@pytest.mark.parametrize("name", slow_for("densepose", of=IDS))
def test_no_canary_leaves_a_run(planted, tmp_path, capsys, name, make, detail):
    files = make(name)
    code, texts = run(name, planted(name), files, tmp_path, capsys, detail=detail)
    assert code in (SCORED, INVALID), texts["stderr"]
    if make is not sample:
        assert code == (SCORED if make is knowing else INVALID), texts["stderr"]
    own = b" ".join([*(place.encode() for place in files), *files.values()])
    assert_silent(texts, own + public_words(name, planted(name)))


def public_words(name, folder):
    """Return what is public of a reference, as text."""
    return repr(loaded(name, folder).public).encode()


@pytest.mark.parametrize(
    "name", [name for name in IDS if name not in NO_ITEMS_SHOWN and not load_task(name).evaluator]
)
def test_full_detail_shows_ground_truth_in_the_detailed_results_only(planted, tmp_path, capsys, name):
    files = knowing(name)
    code, texts = run(name, planted(name), files, tmp_path, capsys, detail="full")
    assert code == SCORED
    for place in ("detailed_results.html", "detailed_results.json"):
        assert CANARY in texts.pop(place)
    assert_silent(texts, b" ".join([*(place.encode() for place in files), *files.values()]))


# What is called in each stage, to be broken: a method of the task, or a function of a module.
METHODS = ["load", "public", "read", "measure", "reduce", "scores", "notes", "error_costs", "sections"]
FUNCTIONS = {"signature": scoring, "result_page": page, "result_json": outputs, "write_scored": outputs}


@pytest.mark.slow
@pytest.mark.parametrize("function", [*METHODS, *FUNCTIONS])
@pytest.mark.parametrize("name", one_of_each_format())
def test_exceptions_of_our_own_reveal_nothing(planted, tmp_path, capsys, monkeypatch, name, function):
    def fail(*arguments, **options):
        raise ValueError(f"{CANARY}secret 7391160")

    reference = planted(name)  # prepared before anything is broken
    if function in FUNCTIONS:
        monkeypatch.setattr(FUNCTIONS[function], function, fail)
    else:
        replace_function(monkeypatch, name, function, fail)
    code, texts = run(name, reference, knowing(name), tmp_path, capsys)
    assert_silent(texts)
    # Where it failed may depend on the reference.
    assert not [place for place, text in texts.items() if "ValueError" in text]
    if function in ("notes", "error_costs", "sections"):
        # They change no score, so they must not cost one.
        assert code == SCORED
        assert re.search("N-INTERNAL: there are no .*, because of a fault", texts["stdout"])
        return
    assert code == BROKEN
    assert "E-INTERNAL: the scoring program failed; " in texts["stderr"]
    assert "scores.json" not in texts


@pytest.mark.parametrize("name", slow_for("densepose", of=IDS))
def test_a_broken_reference_is_not_quoted(planted, tmp_path, capsys, name):
    folder = tmp_path / "broken"
    shutil.copytree(planted(name), folder)
    for path in folder.iterdir():
        data = path.read_bytes()
        if path.suffix == ".csv":
            path.write_bytes(data + f"{CANARY},oops\n".encode())
        elif path.suffix in (".json", ".npz", ".f32"):
            path.write_bytes(data[: len(data) // 2])
    code, texts = run(name, folder, sample(name), tmp_path, capsys)
    assert code == BROKEN
    assert_silent(texts)


def test_canaries_are_noticed():
    with pytest.raises(AssertionError, match="stdout reveals zqcanaryclass"):
        assert_silent({"stdout": "class zqcanaryclass"})
    with pytest.raises(AssertionError, match="7391117"):
        assert_silent({"stdout": "box 7391117"})
