"""Files with names and content as odd as a disk takes them, in the commands of organizers."""

from __future__ import annotations

import pytest

from organizer.__main__ import main
from tests.helpers import make_zip
from tests.rescoring import ID, REFERENCE, call, rows, varied, write_submissions

RED = "\x1b[31mred"


@pytest.mark.slow
def test_pages_of_long_and_like_names_do_not_collide(tmp_path):
    names = ["a.zip", "a.zip.html/b.zip", "a-zip.zip", "a zip.zip", "x" * 251 + ".zip", "é" * 125 + "a.zip"]
    names += ["y" * 250 + "/" + "z" * 251 + ".zip", "y" * 250 + "/" + "z" * 250 + "!.zip"]
    folder = write_submissions(
        tmp_path / "in", {name: varied(40 * number) for number, name in enumerate(names)}
    )
    assert call(folder, tmp_path / "out") == 0
    assert set(rows(tmp_path / "out" / "scores.csv")) == set(names)
    pages = list((tmp_path / "out" / "details").iterdir())
    assert len(pages) == len(names)
    assert len({page.read_bytes() for page in pages}) == len(names)


BAD = {f"{RED}_prediction.csv": "x,1\n", f"{RED}/q": "1"}
COMMANDS = {
    "dry-run": lambda place, out: ["dry-run", ID, f"{place}.zip", "--reference", str(REFERENCE), "--output", out],
    "dry-run without a file": lambda place, out: ["dry-run", ID, f"{place}x", "--reference", str(REFERENCE)],
    "rescore without a folder": lambda place, out: ["rescore", ID, f"{place}x", "--reference", str(REFERENCE)],
    "lint": lambda place, out: ["lint", f"{place}.zip"],
    "lint without a file": lambda place, out: ["lint", f"{place}x.zip"],
    "lint a competition": lambda place, out: ["lint", f"{place}competition.zip"],
    "prepare": lambda place, out: ["prepare", ID, "--source", place, "--output", out],
}  # fmt: skip

WRONG_USAGE = {"dry-run without a file", "rescore without a folder"}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_no_name_writes_to_the_terminal_what_it_takes_for_a_command(command, tmp_path, capsys):
    place = tmp_path / RED
    write_submissions(tmp_path, {f"{RED}.zip": BAD})
    names = 'title: "\\e[31m"\n"\\e[31mkey": 1\ntasks: [{index: 0, name: "\\e[31m", scoring_program: "\\e[31mx.zip"}]\n'
    (tmp_path / f"{RED}competition.zip").write_bytes(make_zip({"competition.yaml": f"version: 2\n{names}"}))
    place.mkdir()
    (place / f"{RED}_labels.csv").write_text("1,1,10\n")
    arguments = COMMANDS[command](str(place), str(tmp_path / "out"))
    if command in WRONG_USAGE:
        with pytest.raises(SystemExit, match="2"):
            main(arguments)
    else:
        assert main(arguments) == 1
    said = "".join(capsys.readouterr())
    assert "\\x1b[31m" in said
    assert "\x1b" not in said


@pytest.mark.parametrize(("offset", "value"), [(6, 1), (8, 99)])
def test_bundles_that_cannot_be_unpacked_are_refused_in_one_line(tmp_path, capsys, offset, value):
    """One is encrypted, the other is packed in a way that nobody knows."""
    data = bytearray(make_zip({"competition.yaml": "version: 2"}))
    data[offset] = data[data.find(b"PK\x01\x02") + offset + 2] = value
    (tmp_path / "b.zip").write_bytes(data)
    assert main(["lint", str(tmp_path / "b.zip")]) == 1
    _, line = capsys.readouterr().out.splitlines()
    assert " 1. L-ZIP b.zip: " in line
