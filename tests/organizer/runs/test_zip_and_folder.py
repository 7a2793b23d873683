"""Odd zips, judged at home, by `rescore`, and by the program on the folder that the site's worker makes of them."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from contextlib import closing
from functools import partial

import pytest

from organizer.bundle.programs import build_program
from organizer.files import unpack
from organizer.runs.pool import Pool, machine_memory_mb
from organizer.runs.scoring_process import Setup
from scoring_program.run import load_folder, run
from scoring_program.signature import VERSION
from tests.helpers import is_nightly, make_zip, with_flag_of_encryption, with_wrong_checksum
from tests.rescoring import ID, REFERENCE, sample

GOOD = sample()
FIRST = min(GOOD)
OTHERS = {name: data for name, data in GOOD.items() if name != FIRST}


def packed(files, **attributes):
    """Return a zip of the files, the first of which has other attributes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, data) in enumerate(files.items()):
            info = zipfile.ZipInfo(name)
            for key, value in attributes.items() if number == 0 else ():
                setattr(info, key, value)
            archive.writestr(info, data)
    return buffer.getvalue()


def twice(first, last):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        for name, data in [(FIRST, first), *OTHERS.items(), (FIRST, last)]:
            archive.writestr(name, data)
    return buffer.getvalue()


def with_nul_in_a_name():
    name = f"{FIRST}?x"
    return make_zip({name: GOOD[FIRST], **OTHERS}).replace(name.encode(), f"{FIRST}\0x".encode())


def with_other_sizes(data, size):
    """Return a zip whose directory says this size, unpacked, of its first file."""
    data = bytearray(data)
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, size)
    return bytes(data)


def renamed(pattern):
    return {pattern.format(FIRST): GOOD[FIRST], **OTHERS}


def all_renamed(pattern):
    return {pattern.format(name): data for name, data in GOOD.items()}


LINK, FIFO = ((kind | 0o644) << 16 for kind in (stat.S_IFLNK, stat.S_IFIFO))
SPACES = b"\n" * 5_000_000
# What zips are, their verdicts at home, and those of the site and of rescore: the first code or "scored".
VERDICTS = {
    "plain": (lambda: make_zip(GOOD), "scored", "scored"),
    "stored": (lambda: packed(GOOD, compress_type=zipfile.ZIP_STORED), "scored", "scored"),
    "in a folder": (lambda: make_zip(all_renamed("mine/{}")), "scored", "scored"),
    "in folders": (lambda: make_zip(all_renamed("a/b/{}")), "E-FILE-PLACE", "E-FILE-PLACE"),
    "with backslashes": (lambda: make_zip(all_renamed("mine\\{}")), "scored", "scored"),
    "with files of a Mac": (lambda: make_zip({**all_renamed("mine/{}"), "__MACOSX/mine/._x": "", ".DS_Store": "x"}), "scored", "scored"),
    "a zip in a zip": (lambda: make_zip({"mine.zip": make_zip(GOOD)}), "scored", "scored"),
    "a zip in a folder in a zip": (lambda: make_zip({"a/mine.zip": make_zip(all_renamed("b/{}"))}), "scored", "scored"),
    "a zip and files of a Mac in a zip": (lambda: make_zip({"mine.zip": make_zip(GOOD), "__MACOSX/._mine.zip": "x"}), "scored", "scored"),
    "a zip in a zip in a zip": (lambda: make_zip({"a.zip": make_zip({"b.zip": make_zip(GOOD)})}), "E-ZIP-NESTED", "E-ZIP-NESTED"),
    "a zip beside files": (lambda: make_zip({**GOOD, "b.zip": make_zip({})}), "E-ZIP-NESTED", "E-ZIP-NESTED"),
    "a link in a zip in a zip": (lambda: make_zip({"a.zip": packed(GOOD, external_attr=LINK)}), "E-ZIP-LINK", "E-ZIP-LINK"),
    "metadata without command": (lambda: make_zip({**GOOD, "metadata": "description: mine"}), "E-FILE-RESERVED", "scored"),
    "metadata.yaml without command": (lambda: make_zip({**GOOD, "metadata.yaml": "a: 1"}), "E-FILE-RESERVED", "E-FILE-RESERVED"),
    "metadata beside a folder": (lambda: make_zip({**all_renamed("mine/{}"), "metadata": "a: 1"}), "E-FILE-RESERVED", "scored"),
    "metadata beside a zip": (lambda: make_zip({"mine.zip": make_zip(GOOD), "metadata.yaml": "a: 1"}), "E-FILE-RESERVED", "E-FILE-RESERVED"),
    "metadata that is no YAML": (lambda: make_zip({**GOOD, "metadata": "a: ["}), "E-FILE-RESERVED", "scored"),
    "metadata with a command": (lambda: make_zip({**GOOD, "metadata": "command: ls"}), "E-FILE-RESERVED", "E-FILE-NONE"),
    "metadata.yaml with a command": (lambda: make_zip({**GOOD, "metadata.yaml": "command: ls"}), "E-FILE-RESERVED", "E-FILE-NONE"),
    "a folder named metadata": (lambda: make_zip({**GOOD, "metadata/x": ""}), "E-FILE-RESERVED", "E-FILE-RESERVED"),
    "a file of empty lines": (lambda: make_zip({**GOOD, "readme.txt": SPACES}), "scored", "scored"),
    "a file above the limit": (lambda: make_zip({**GOOD, "readme.txt": bytes(16_000_001)}), "E-ZIP-SIZE", "E-ZIP-SIZE"),
    "a name with ..": (lambda: make_zip(renamed("../{}")), "E-ZIP-NAME", "scored"),
    "an absolute name": (lambda: make_zip(renamed("/{}")), "E-ZIP-NAME", "scored"),
    "a name with a dot": (lambda: make_zip(renamed("./{}")), "E-ZIP-NAME", "scored"),
    "a name with NUL": (with_nul_in_a_name, "E-ZIP-NAME", "scored"),
    "a name with a drive": (lambda: make_zip(renamed("C:/{}")), "E-ZIP-NAME", "E-ZIP-NAME"),
    "a name with a line break": (lambda: make_zip({**GOOD, "a\nb": ""}), "E-ZIP-NAME", "E-ZIP-NAME"),
    "a name that is too long": (lambda: make_zip({**GOOD, "x" * 300: ""}), "E-ZIP-NAME", "E-ZIP-NAME"),
    "a name in two cases": (lambda: make_zip({**GOOD, FIRST.upper(): GOOD[FIRST]}), "E-ZIP-CASE", "E-ZIP-CASE"),
    "a file and a folder of a name": (lambda: make_zip({**GOOD, "a": "", "a/b": ""}), "E-ZIP-NAME", "E-ZIP-NAME"),
    "a name twice": (lambda: twice(b"1,2\n", GOOD[FIRST]), "E-ZIP-TWICE", "scored"),
    "a name twice, the last one wrong": (lambda: twice(GOOD[FIRST], b"1,2\n"), "E-ZIP-TWICE", "E-CSV-COLUMNS"),
    "a link beside files": (lambda: packed({"link": b"/etc/passwd", **GOOD}, external_attr=LINK), "E-ZIP-LINK", "scored"),
    "a link": (lambda: packed({FIRST: b"/etc/passwd", **OTHERS}, external_attr=LINK), "E-ZIP-LINK", "E-CSV-COLUMNS"),
    "a fifo": (lambda: packed(GOOD, external_attr=FIFO), "E-ZIP-SPECIAL", "scored"),
    "a rare method": (lambda: packed(GOOD, compress_type=zipfile.ZIP_BZIP2), "E-ZIP-METHOD", "scored"),
    "a password": (lambda: with_flag_of_encryption(make_zip(GOOD)), "E-ZIP-ENCRYPTED", "E-ZIP-ENCRYPTED"),
    "damage": (lambda: with_wrong_checksum(GOOD), "E-ZIP-DAMAGED", "E-ZIP-DAMAGED"),
    "damage in a file that is not needed": (lambda: with_wrong_checksum({"_readme": b"x", **GOOD}), "scored", "E-ZIP-DAMAGED"),
    "a size that is too small": (lambda: with_other_sizes(make_zip(GOOD), 5), "E-ZIP-DAMAGED", "E-ZIP-DAMAGED"),
    "text after the zip's end": (lambda: make_zip(GOOD) + b"x" * 9, "scored", "scored"),
    "text before the zip": (lambda: b"x" * 9 + make_zip(GOOD), "scored", "scored"),
    "no zip": (lambda: b"no zip", "E-ZIP-NOT", "E-ZIP-NOT"),
    "nothing": (lambda: b"", "E-ZIP-EMPTY", "E-ZIP-EMPTY"),
    "no files": (lambda: make_zip({}), "E-FILE-NONE", "E-FILE-NONE"),
}  # fmt: skip

# One of each kind, as each takes a process of its own; all at night.
OF_RESCORE = [
    "plain", "a zip in a folder in a zip", "a file above the limit", "a link", "damage in a file that is not needed",
    "no zip",
]  # fmt: skip


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    """Return what scores zips for `rescore`."""
    folder = tmp_path_factory.mktemp("pool")
    for name in ("program", "work"):
        (folder / name).mkdir()
    unpack(build_program(ID), folder / "program")
    setup = Setup(ID, VERSION, "", {}, 10, 600.0, str(folder / "program"), str(REFERENCE))
    with closing(Pool(setup, 1, machine_memory_mb(), folder / "work")) as opened:
        yield opened


def verdict(outcome):
    """Return the first code of a run's problems, or "scored"."""
    return "scored" if outcome.findings.ok else outcome.findings.problems[0].code


@pytest.mark.parametrize(("make", "at_home", "on_the_site"), VERDICTS.values(), ids=VERDICTS)
def test_zip_and_folder_have_the_verdicts_of_the_table(tmp_path, make, at_home, on_the_site):
    load = partial(load_folder, ID, REFERENCE)
    data, path, folder = make(), tmp_path / "submission.zip", tmp_path / "res"
    path.write_bytes(data)
    folder.mkdir()
    assert verdict(run(load, path, tmp_path / "home", at_home=True)) == at_home
    try:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
    # Then the worker fails, and nothing is scored.
    except Exception:
        assert on_the_site != "scored"
        return
    # The worker runs a command, so that the program sees another folder.
    if at_home != "E-FILE-RESERVED":
        (folder / "metadata").write_text("of the platform")
        assert verdict(run(load, folder, tmp_path / "site")) == on_the_site


@pytest.mark.slow
@pytest.mark.parametrize("name", VERDICTS if is_nightly() else OF_RESCORE)
def test_rescore_has_the_verdicts_of_the_table(pool, name):
    make, _, on_the_site = VERDICTS[name]
    entry, _ = pool.score(make())
    assert entry.outcome == ("scored" if on_the_site == "scored" else "invalid")
    assert entry.problem.startswith("" if on_the_site == "scored" else on_the_site)
