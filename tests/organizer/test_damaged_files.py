"""Whatever organizers give to a command in place of a file, it ends in a message, never in a traceback."""

from __future__ import annotations

import json
import shutil

import pytest

from organizer import archive
from organizer.__main__ import main
from organizer.files import read_zip, zip_bytes, zip_files
from organizer.runs import built
from tests.damages import caller, damaged_in_place, wrong_paths
from tests.helpers import REFERENCES, is_nightly, make_zip, with_wrong_checksum
from tests.rescoring import ID, call, kept_outcomes, sample, write_submissions

GIVEN = "anet_entities_gt"
# A command, and the good file or folder in place of which FILE is given.
FILES = {
    "prepare a folder": ("prepare ID --source FILE --output OUT", "source"),
    "prepare with names": ("prepare ID --source source --vocabulary FILE --output OUT", "names.json"),
    "prepare with CoreNLP": ("prepare anet_entities_gen --source source_of_sentences --corenlp FILE --output OUT", "source"),
    "public-data": ("public-data ID --source FILE --output OUT", "source"),
    "public-data with names": ("public-data ID --source source --vocabulary FILE --output OUT", "names.json"),
    "baselines": ("baselines ID --reference FILE --output OUT", "reference"),
    "split": ("split ID --reference FILE --output OUT", "reference"),
    "split by groups": ("split ID --reference reference --groups FILE --output OUT", "groups.csv"),
    "lint": ("lint FILE", "bundle.zip"),
    "overview": ("overview FILE", "bundle.zip"),
    "dry-run with a reference": ("dry-run ID submissions/a.zip --reference FILE --output OUT", "reference"),
    "rescore": ("rescore ID FILE --reference reference --output OUT", "submissions"),
    "rescore a download": ("rescore ID FILE --reference reference --half-samples 2 --output OUT", "download.zip"),
    "rescore with a reference": ("rescore ID submissions --reference FILE --output OUT", "reference"),
    "rescore with names": ("rescore ID submissions --reference reference --half-samples 2 --names FILE --output OUT", "teams.csv"),
    "rescore with baselines": (
        "rescore ID submissions --reference reference --half-samples 2 --baselines FILE --output OUT", "baselines.json",
    ),
    "rescore with a leaderboard": (
        "rescore ID submissions --reference reference --half-samples 2 --leaderboard FILE --columns User,Score --output OUT",
        "board.csv",
    ),
    "report": ("report ID --ranking FILE --output OUT", "ranking"),
    "archive a ranking": ("archive ID --ranking FILE --report report --output OUT", "ranking"),
    "archive a report": ("archive ID --ranking ranking --report FILE --output OUT", "report"),
    "new-task with an evaluator": (
        "new-task x --evaluator FILE --truth truth.json --prediction truth.json --score KEY", "evaluator.py",
    ),
    "new-task with a truth": (
        "new-task x --evaluator evaluator.py --truth FILE --prediction truth.json --score KEY", "truth.json",
    ),
    "new-task with a prediction": (
        "new-task x --evaluator evaluator.py --truth truth.json --prediction FILE --score KEY", "truth.json",
    ),
}  # fmt: skip
OUTPUTS = {
    "prepare": "prepare ID --source source --output FILE",
    "public-data": "public-data ID --source source --output FILE",
    "baselines": "baselines ID --reference reference --output FILE",
    "split": "split ID --reference reference --output FILE",
    "report": "report ID --ranking ranking --output FILE",
    "archive": "archive ID --ranking ranking --report report --output FILE",
}
# A command, and a file below what it reads that is damaged in its place.
PARTS = {
    "labels": ("prepare ID --source source --output OUT", "source/DemoSequence0001_labels.csv"),
    "JSON of annotations": ("prepare GIVEN --source source_of_sentences --output OUT", "source_of_sentences/split.json"),
    "marks": ("baselines ID --reference reference --output OUT", "reference/marks.json"),
    "settings": ("baselines ID --reference reference --output OUT", "reference/settings.yaml"),
    "prepared sequences": ("split ID --reference reference --output OUT", "reference/sequences.json"),
    "prepared arrays": ("split GIVEN --reference reference_of_sentences --output OUT", "reference_of_sentences/reference.npz"),
    "public part": ("split GIVEN --reference reference_of_sentences --output OUT", "reference_of_sentences/public.json"),
    "vocabulary": ("split GIVEN --reference reference_of_sentences --output OUT", "reference_of_sentences/vocabulary.json"),
    "stored ranking": ("report ID --ranking ranking --output OUT", "ranking/ranking.json"),
}  # fmt: skip


@pytest.fixture(scope="module")
def given(tmp_path_factory, bundles):
    """Return a folder with good files for all of the commands."""
    folder = tmp_path_factory.mktemp("given")
    for task_id, ending in ((ID, ""), (GIVEN, "_of_sentences")):
        source = shutil.copytree(REFERENCES / task_id, folder / f"source{ending}")
        (source / "SYNTHETIC.md").unlink()
        output = str(folder / f"reference{ending}")
        assert main(["prepare", task_id, "--source", str(source), "--output", output]) == 0
    (folder / "reference" / "settings.yaml").write_text("detail: summary\n")
    submissions = write_submissions(folder / "submissions", {"a.zip": sample(), "b.zip": sample("weak")})
    (folder / "download.zip").write_bytes(make_zip({"a.zip": make_zip(sample())}))
    shutil.copytree(bundles, folder / "dist")
    shutil.copyfile(bundles / f"{ID}.zip", folder / "bundle.zip")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(built, "DIST", folder / "dist")
        assert call(submissions, folder / "ranking", reference=folder / "reference") == 0
    assert main(["report", ID, "--ranking", str(folder / "ranking"), "--output", str(folder / "report")]) == 0
    texts = {
        "names.json": json.dumps({"class": ["wave"]}),
        "groups.csv": "item,group\nDemoSequence0001,a\n",
        "teams.csv": "submission,team,date\na.zip,A,2027-01-02\n",
        "baselines.json": json.dumps([{"name": "random", "score": 0.1, "interval": [0.05, 0.15]}]),
        "board.csv": "User,Score\na,0.5\n",
        "truth.json": json.dumps({"a": 1, "b": 2}),
        "evaluator.py": "def evaluate(truth, predicted):\n    return {'KEY': 1.0}\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def call_in(given, tmp_path, monkeypatch, capsys):
    """Return a function that calls a command with a path for FILE, in the folder of good files."""
    monkeypatch.setattr(archive, "DIST", given / "dist")
    monkeypatch.chdir(given)
    with kept_outcomes():
        yield caller(main, {"ID": ID, "GIVEN": GIVEN, "OUT": str(tmp_path / "out")}, capsys)


def numbered(cases):
    """Return the cases with their numbers."""
    return [(number, *case) for number, case in enumerate(cases.values())]


def some_of(damages, number):
    """Yield every sixth damage, for each number others, and all of them at night."""
    for place, damage in enumerate(damages, number):
        if is_nightly() or place % 6 == 0:
            yield damage


@pytest.mark.slow
@pytest.mark.parametrize(("number", "words", "good"), numbered(FILES), ids=FILES)
def test_what_is_no_such_file_ends_in_a_message(call_in, given, tmp_path, number, words, good):
    for damage, path in some_of(wrong_paths(tmp_path, given / good), number):
        call_in(words, path, damage)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "words"), list(enumerate(OUTPUTS.values())), ids=OUTPUTS)
def test_what_is_no_folder_for_outputs_ends_in_a_message(call_in, given, tmp_path, number, words):
    for damage, path in some_of(wrong_paths(tmp_path, given / "source"), number):
        call_in(words, path, damage)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "words", "part"), numbered(PARTS), ids=PARTS)
def test_a_damaged_part_ends_in_a_message(call_in, given, number, words, part):
    for damage in some_of(damaged_in_place(given / part), number):
        call_in(words, "", damage)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "archive ID --ranking ranking --report report --output OUT",
        "dry-run ID submissions/a.zip --output OUT",
    ],
)
def test_a_damaged_bundle_ends_in_a_message(call_in, given, monkeypatch, words):
    monkeypatch.setattr(built, "DIST", given / "dist")
    for damage in damaged_in_place(given / "dist" / f"{ID}.zip"):
        call_in(words, "", damage)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["program", "reference"])
@pytest.mark.parametrize(
    "words",
    [
        "archive ID --ranking ranking --report report --output OUT",
        "dry-run ID submissions/a.zip --output OUT",
        "overview dist/ID.zip",
        "rescore ID submissions --output OUT",
    ],
)
def test_a_damaged_zip_in_a_bundle_ends_in_a_message(call_in, given, monkeypatch, words, part):
    monkeypatch.setattr(built, "DIST", given / "dist")
    path = given / "dist" / f"{ID}.zip"
    content = path.read_bytes()
    files = read_zip(path)
    name = f"{ID}_{part}.zip"
    damaged = with_wrong_checksum(zip_files(files[name]))
    try:
        for damage, data in {"a member": damaged, "all of it": b"PK", "empty": b""}.items():
            path.write_bytes(zip_bytes({**files, name: data}))
            call_in(words.replace("ID.zip", f"{ID}.zip"), "", damage)
    finally:
        path.write_bytes(content)


@pytest.mark.parametrize(
    "words", ["dry-run ID submissions/a.zip --output OUT", "rescore ID submissions --output OUT"]
)
def test_a_bundle_of_another_task_ends_in_a_message(bundles, tmp_path, monkeypatch, capsys, words):
    monkeypatch.setattr(built, "DIST", tmp_path / "dist")
    (tmp_path / "dist").mkdir()
    shutil.copyfile(bundles / "densepose.zip", tmp_path / "dist" / f"{ID}.zip")
    write_submissions(tmp_path / "submissions", {"a.zip": sample()})
    monkeypatch.chdir(tmp_path)
    call_command = caller(main, {"ID": ID, "OUT": str(tmp_path / "out")}, capsys)
    call_command(words, "", "bundle of another task")
