"""The key of a hidden reference: without it the hash in signatures tells the reference to whoever can guess it."""

from __future__ import annotations

import itertools
import shutil
import zipfile
from io import BytesIO

import pytest

from organizer.__main__ import main
from organizer.bundle.build import build_all
from scoring_program.signature import KEY_FILE
from tests.helpers import REFERENCES, loaded, refused

ID = "chalearn_gesture"


@pytest.fixture
def source(tmp_path):
    """Return a folder with reference files that are not marked as demo data."""
    shutil.copytree(REFERENCES / ID, tmp_path / "refs" / ID)
    (tmp_path / "refs" / ID / "SYNTHETIC.md").unlink()
    return tmp_path / "refs" / ID


def prepare(source, output):
    return main(["prepare", ID, "--source", str(source), "--output", str(output)])


def test_prepare_writes_a_key_once(source, tmp_path):
    output = tmp_path / "prepared"
    assert prepare(source, output) == 0
    first = (output / KEY_FILE).read_text()
    signature = loaded(ID, output).signature
    assert prepare(source, output) == 0
    assert (output / KEY_FILE).read_text() == first
    assert loaded(ID, output).signature == signature
    assert prepare(source, tmp_path / "other") == 0
    assert loaded(ID, tmp_path / "other").signature != signature


def test_demo_data_have_no_key(tmp_path):
    assert prepare(REFERENCES / ID, tmp_path / "prepared") == 0
    assert not (tmp_path / "prepared" / KEY_FILE).exists()
    assert not list(REFERENCES.rglob(KEY_FILE))


def test_key_of_the_source_is_kept(source, tmp_path):
    (source / KEY_FILE).write_text("0123456789abcdef" * 2)
    assert prepare(source, tmp_path / "prepared") == 0
    assert (tmp_path / "prepared" / KEY_FILE).read_text() == "0123456789abcdef" * 2


@pytest.mark.slow
def test_bundle_writes_a_missing_key_and_builds_the_same_bytes_again(kept_parts, source, tmp_path, capsys):
    build_all(source.parent, output=tmp_path / "one")
    key = (source / KEY_FILE).read_bytes()
    assert str(source / KEY_FILE) in capsys.readouterr().out
    build_all(source.parent, output=tmp_path / "two")
    assert str(source / KEY_FILE) not in capsys.readouterr().out
    name = f"{ID}.zip"
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    with zipfile.ZipFile(tmp_path / "one" / name) as bundle:
        inside = {part: bundle.read(part) for part in bundle.namelist()}
    with zipfile.ZipFile(BytesIO(inside[f"{ID}_reference.zip"])) as reference:
        assert reference.read(KEY_FILE) == key
    for part, data in inside.items():
        if part != f"{ID}_reference.zip":
            assert key.strip() not in data


@pytest.mark.parametrize("text", ["", "0123", "0123456789ABCDEF" * 2, "g" * 32, "0" * 33])
def test_malformed_key_is_refused(source, text):
    (source / KEY_FILE).write_text(text)
    assert [problem.code for problem in refused(loaded, ID, source).problems] == ["E-REF-KEY"]


def test_no_candidate_can_be_told_by_the_hash(source):
    """Without a key the hash names the true one of all candidates; with a key none of them fits."""
    path, *others = sorted(source.glob("*_labels.csv"))
    for other in others:
        other.unlink()
        other.with_name(other.name.replace("_labels", "_data")).unlink()
    rows = path.read_text().splitlines()

    def signature_of(labels, key):
        changed = [f"{label},{row.split(',', 1)[1]}" for label, row in zip(labels, rows)]
        path.write_text("\n".join([*changed, *rows[len(labels) :]]) + "\n")
        (source / KEY_FILE).unlink(missing_ok=True)
        if key:
            (source / KEY_FILE).write_text(key)
        return loaded(ID, source).signature

    truth, candidates = (3, 7), list(itertools.product(range(3, 8), repeat=2))
    open_signature = signature_of(truth, "")
    assert [own for own in candidates if signature_of(own, "") == open_signature] == [truth]
    hidden = signature_of(truth, "1" * 32)
    assert hidden != signature_of(truth, "2" * 32)
    for guess in ("", "2" * 32):
        assert not [own for own in candidates if signature_of(own, guess) == hidden]
