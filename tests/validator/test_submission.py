"""Archive tricks: each ends in a located problem, never in a crash or a file on the disk."""

from __future__ import annotations

import io
import os
import random
import struct
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.helpers import (
    findings_of,
    make_zip,
    places_of,
    refused,
    text_of,
    values_of,
    with_wrong_checksum,
)
from validator.findings import Read, Refused
from validator.submission import Limits, open_submission

pytestmark = pytest.mark.interpreters

# The same bytes in every process, because parameters are in the names of tests.
noise = random.Random(0).randbytes
LIMITS = Limits(files=5, file_bytes=3_000_000, total_bytes=4_000_000)
GOOD = {"a.csv": "1,2,3\n"}
ARCHIVE = "submission.zip"


def read(path, limits=LIMITS):
    """Return the contents of the files by their names, and the notes."""
    with open_submission(path, limits) as submission:
        return Read({name: submission.read(name) for name in submission.names}, submission.notes)


def read_bytes(tmp_path, data):
    path = tmp_path / ARCHIVE
    path.write_bytes(data)
    return read(path)


def codes(notes):
    return [note.code for note in notes]


def with_entry(name="a.csv", content=b"1,2,3\n", **attributes):
    """Return a zip of one entry with doctored attributes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo(name)
        for key, value in attributes.items():
            setattr(info, key, value)
        archive.writestr(info, content)
    return buffer.getvalue()


def with_later_directory(data):
    """Return a zip whose end says that its directory begins 5 bytes later, so that files begin before the zip."""
    place = data.rindex(b"PK\x05\x06") + 16
    (offset,) = struct.unpack_from("<I", data, place)
    return data[:place] + struct.pack("<I", offset + 5) + data[place + 4 :]


def lying_size():
    """The directory says 6 bytes; the member inflates to more."""
    data = bytearray(make_zip({"a.csv": "1,2,3\n" * 1000}))
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 6)
    return bytes(data)


def hidden_directory(entries):
    """Only the zip64 record says how large the directory is; the ordinary one says 0."""
    data = make_zip({f"{number}.csv": "" for number in range(entries)})
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    record = struct.pack(
        "<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, entries, entries, end - start, start
    )
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    return data[:end] + record + locator + struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 0, 0, 0, 0, 0)


def other_name_inside():
    return make_zip(GOOD).replace(b"a.csv", b"b.csv", 1)


def overlapping(name, content):
    """Two directory entries point at the same bytes."""
    data = make_zip({name: content})
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entry = data[start:end]
    second = entry.replace(name.encode(), f"b{name[1:]}".encode())
    tail = bytearray(data[end:])
    struct.pack_into("<HHII", tail, 8, 2, 2, len(entry) * 2, start)
    return data[:start] + entry + second + bytes(tail)


@pytest.mark.parametrize(
    ("data", "code", "file", "keyword"),
    [
        (b"1,2,3\n", "E-ZIP-NOT", ARCHIVE, "not a zip"),
        (b"<!DOCTYPE html><html>", "E-ZIP-NOT", ARCHIVE, "download"),
        (b"\x80\x04\x95" + bytes(50), "E-ZIP-NOT", ARCHIVE, "pickle"),
        (b"\x93NUMPY\x01\0", "E-ZIP-NOT", ARCHIVE, "numpy"),
        (b"\x1f\x8b\x08" + bytes(50), "E-ZIP-NOT", ARCHIVE, "gzip"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(50), "E-ZIP-NOT", ARCHIVE, "7-Zip"),
        (bytes(257) + b"ustar" + bytes(300), "E-ZIP-NOT", ARCHIVE, "tar"),
        (make_zip(GOOD)[:40], "E-ZIP-NOT", ARCHIVE, "truncated"),
        (make_zip(GOOD)[:-10], "E-ZIP-NOT", ARCHIVE, "truncated"),
        (make_zip(GOOD).replace(b"PK\x01\x02", b"PK\x01\x09"), "E-ZIP-DAMAGED", ARCHIVE, ""),
        (with_later_directory(make_zip(GOOD)), "E-ZIP-DAMAGED", ARCHIVE, ""),
        (hidden_directory(6), "E-ZIP-COUNT", ARCHIVE, "5"),
        (hidden_directory(200), "E-ZIP-COUNT", ARCHIVE, "5"),
        (with_entry("../a.csv"), "E-ZIP-NAME", "../a.csv", '".."'),
        (with_entry("x/../../a.csv"), "E-ZIP-NAME", "x/../../a.csv", '".."'),
        (with_entry("/etc/passwd"), "E-ZIP-NAME", "/etc/passwd", "absolute"),
        (with_entry("C:/a.csv"), "E-ZIP-NAME", "C:/a.csv", "absolute"),
        (with_entry("a\n.csv"), "E-ZIP-NAME", "a\\n.csv", "unprintable"),
        (with_entry("\x1b[31ma.csv"), "E-ZIP-NAME", "\\x1b[31ma.csv", "unprintable"),
        (with_entry("./a.csv"), "E-ZIP-NAME", "./a.csv", "a dot"),
        (with_entry("."), "E-ZIP-NAME", ".", "a dot"),
        (with_entry("x//a.csv"), "E-ZIP-NAME", "x//a.csv", "a dot"),
        (with_entry("./", b""), "E-ZIP-NAME", ".", "a dot"),
        (with_entry("x/", b"1"), "E-ZIP-NAME", "x/", "empty"),
        (with_entry("x\\", b"1"), "E-ZIP-NAME", "x/", "empty"),
        (with_entry("é" * 127 + "aa"), "E-ZIP-NAME", "…" + "é" * 77 + "aa", "255"),
        (make_zip({"a": "", "a-b": "", "a/b": ""}), "E-ZIP-NAME", "a", "a folder"),
        (make_zip({"a": "", "a/": ""}), "E-ZIP-NAME", "a", "a folder"),
        (make_zip({"a?.csv": ""}).replace(b"a?.csv", b"a\0.csv"), "E-ZIP-NAME", "a\\x00.csv", "unprintable"),
        (make_zip({"metadata/a.csv": ""}), "E-FILE-RESERVED", "metadata/a.csv", ""),
        (lambda: make_zip({"__MACOSX/x": noise(3_100_000), "a.csv": ""}), "E-ZIP-SIZE", "__MACOSX/x", "3,100,000"),
        (make_zip({f"__MACOSX/{i}": "" for i in range(6)}), "E-ZIP-COUNT", ARCHIVE, "5"),
        (with_entry("../up/", b""), "E-ZIP-NAME", "../up", '".."'),
        (with_entry(compress_type=zipfile.ZIP_LZMA), "E-ZIP-METHOD", "a.csv", "LZMA"),
        (make_zip({"A.csv": "", "a.csv": ""}), "E-ZIP-CASE", "a.csv", "A.csv"),
        (b"Rar!\x1a\x07" + bytes(50), "E-ZIP-NOT", ARCHIVE, "RAR"),
        (b"BZh9" + bytes(50), "E-ZIP-NOT", ARCHIVE, "bzip2"),
        (b"\xfd7zXZ\0" + bytes(50), "E-ZIP-NOT", ARCHIVE, "xz"),
        (make_zip({"b.zip": make_zip({"a.zip": make_zip(GOOD)})}), "E-ZIP-NESTED", "a.zip", ""),
        (make_zip({"b.zip": b"1,2,3"}), "E-ZIP-NOT", "b.zip", ""),
        (with_wrong_checksum({"b.zip": make_zip(GOOD)}), "E-ZIP-DAMAGED", "b.zip", ""),
        (make_zip({"x/metadata.yaml": "command: rm"}), "E-FILE-RESERVED", "x/metadata.yaml", ""),
        (lambda: make_zip({"a.csv": noise(2_000_000), "b.csv": noise(2_500_000)}), "E-ZIP-SIZE", ARCHIVE, "4,500,000"),
        (lambda: make_zip({"a.csv": noise(3_100_000)}), "E-ZIP-SIZE", "a.csv", "3,100,000"),
        (overlapping("a.csv", noise(3000)), "E-ZIP-BOMB", ARCHIVE, "overlap"),
    ],
)  # fmt: skip
def test_trick_is_a_problem(tmp_path, data, code, file, keyword):
    # What takes long to make is made here, not in every process that collects the tests.
    findings = refused(read_bytes, tmp_path, data() if callable(data) else data)
    texts = [
        text_of(problem) for problem in findings.problems if (problem.code, problem.file) == (code, file)
    ]
    assert any(keyword in text for text in texts), findings.lines()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["submission.zip"]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({f"{number}.zip": "" for number in range(5)}, "E-ZIP-NESTED"),
        ({f"{letter}{number}.csv": "" for number in range(5) for letter in "aA"}, "E-ZIP-CASE"),
        ({f"{number}.csv": "x" * (11 + number) for number in range(5)}, "E-ZIP-SIZE"),
        ({f"../{number}.csv": "" for number in range(5)}, "E-ZIP-NAME"),
        ({f"{number}/metadata": "" for number in range(5)}, "E-FILE-RESERVED"),
    ],
)
def test_the_same_slip_in_many_names_is_one_line(tmp_path, files, code):
    path = tmp_path / ARCHIVE
    path.write_bytes(make_zip(files))
    findings = refused(read, path, Limits(files=10, file_bytes=10, total_bytes=1000))
    (line,) = findings.lines()
    assert code in line
    assert "In 5 files: " in line


def test_rules_on_one_name_are_reported_apart(tmp_path):
    findings = refused(read_bytes, tmp_path, make_zip({"../a": "", "../a/b": ""}))
    assert places_of(findings) == [
        ("E-ZIP-NAME", "../a", ""),
        ("E-ZIP-NAME", "../a/b", ""),
        ("E-ZIP-NAME", "../a", ""),
    ]
    assert len(findings.lines()) == 2
    assert ['".."' in problem.problem for problem in findings.problems] == [True, True, False]


def test_rules_on_a_file_and_on_all_are_reported_apart_though_one_name_is_both(tmp_path):
    (tmp_path / "same").mkdir()
    (tmp_path / "same" / "same").write_bytes(bytes(4_000_001))
    findings = refused(read, tmp_path / "same")
    assert places_of(findings) == [("E-ZIP-SIZE", "same", ""), ("E-ZIP-SIZE", "same", "")]
    assert len(findings.lines()) == 2
    assert [values_of(problem.problem) for problem in findings.problems] == [
        ["4,000,001", "3,000,000"],
        ["4,000,001", "4,000,000"],
    ]


@pytest.mark.parametrize("data", [lying_size(), with_wrong_checksum(GOOD), other_name_inside()])
def test_file_that_is_not_what_the_archive_says_is_named(tmp_path, data):
    assert places_of(refused(read_bytes, tmp_path, data)) == [("E-ZIP-DAMAGED", "a.csv", "")]


def test_files_beside_a_damaged_one_can_be_read(tmp_path):
    path = tmp_path / "submission.zip"
    path.write_bytes(make_zip(GOOD | {"b.csv": "4\n"}).replace(b"b.csv", b"c.csv", 1))
    with open_submission(path, LIMITS) as submission:
        assert places_of(refused(submission.read, "b.csv")) == [("E-ZIP-DAMAGED", "b.csv", "")]
        assert submission.read("a.csv") == b"1,2,3\n"


def test_a_large_directory_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    path = tmp_path / "submission.zip"
    path.write_bytes(hidden_directory(2000))
    monkeypatch.setattr(zipfile, "ZipInfo", None)
    assert codes(refused(read, path).problems) == ["E-ZIP-COUNT"]


def test_large_files_that_compress_as_text_does_are_read(tmp_path):
    lines = b"".join(b"%d,%d,%d\n" % (number % 20, number, number + 9) for number in range(100_000))
    data = make_zip({"a.csv": lines, "b.csv": noise(1_100_000)})
    assert read_bytes(tmp_path, data).content["a.csv"] == lines


def test_sizes_decide_however_well_files_compress(tmp_path):
    data = make_zip({"a.csv": bytes(2_900_000)})
    assert len(data) * 200 < 2_900_000
    assert findings_of(read_bytes, tmp_path, data).ok


def test_the_longest_comment_of_a_zip_is_skipped(tmp_path):
    data = make_zip(GOOD)
    data = data[:-2] + struct.pack("<H", 65_535) + bytes(65_535)
    assert read_bytes(tmp_path, data).content == {"a.csv": b"1,2,3\n"}


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (
            {
                "top/a.csv": "",
                "top/b.csv": "",
                "__MACOSX/._a.csv": "",
                "top/.DS_Store": "",
                "top/._b.csv": "",
            },
            [("N-JUNK", "3 files"), ("N-FOLDER", " top/; its files")],
        ),
        ({"a.csv": "", "Thumbs.db": ""}, [("N-JUNK", "1 file of the operating system ignored: Thumbs.db")]),
    ],
)
def test_notes_say_what_was_left_out(tmp_path, files, names):
    notes = read_bytes(tmp_path, make_zip(files)).notes
    assert codes(notes) == [code for code, _ in names]
    assert [name in note.text for note, (_, name) in zip(notes, names)] == [True] * len(names)


@pytest.mark.parametrize("name", ["absent.zip", "x" * 300, "a\0b"])
def test_absent_and_impossible_paths_are_missing_files(tmp_path, name):
    assert codes(refused(read, tmp_path / name).problems) == ["E-FILE-MISSING"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the administrator may read everything")
def test_folders_that_cannot_be_read_are_located(tmp_path):
    (tmp_path / "a").mkdir(mode=0)
    assert places_of(refused(read, tmp_path)) == [("E-FILE-UNREADABLE", "a", "")]


@pytest.mark.parametrize(("holder", "name"), [(os, "scandir"), (os, "open")])
def test_what_the_system_refuses_to_open_is_located(tmp_path, monkeypatch, holder, name):
    (tmp_path / "a.zip").write_bytes(make_zip(GOOD))

    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(holder, name, refuse)
    problem = refused(read, tmp_path).problems[0]
    assert problem.code == "E-FILE-UNREADABLE"
    assert "(Permission denied)" in problem.problem
    assert "allow reading it" in problem.remedy


def test_a_path_in_a_folder_that_may_not_be_read_is_not_missing(monkeypatch):
    def refuse(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    findings = refused(read, Path("a.zip"))
    assert places_of(findings) == [("E-FILE-UNREADABLE", "a.zip", "")]
    assert "(Permission denied)" in findings.problems[0].problem


@pytest.mark.parametrize(
    ("files", "notes"),
    [
        (GOOD, []),
        ({"top/a.csv": "1,2,3\n"}, ["N-FOLDER"]),
        ({"top/a.csv": "1,2,3\n", "__MACOSX/top/._a.csv": "x"}, ["N-JUNK", "N-FOLDER"]),
        ({"a.csv": "1,2,3\n", ".DS_Store": "x"}, ["N-JUNK"]),
        ({"top\\a.csv": "1,2,3\n"}, ["N-BACKSLASH", "N-FOLDER"]),
        ({"top\\": "", "top\\a.csv": "1,2,3\n"}, ["N-BACKSLASH", "N-FOLDER"]),
        ({"top/": "", "top\\a.csv": "1,2,3\n"}, ["N-BACKSLASH", "N-FOLDER"]),
        ({"a.csv": "1,2,3\n", "__MACOSX\\._a.csv": "x"}, ["N-BACKSLASH", "N-JUNK"]),
        ({"mine.zip": make_zip(GOOD)}, ["N-FOUND-ZIP"]),
        ({"top/mine.zip": make_zip({"in/a.csv": "1,2,3\n"}), ".DS_Store": "x"}, ["N-JUNK", "N-FOUND-ZIP", "N-FOLDER"]),
    ],
)  # fmt: skip
def test_harmless_wrapping_is_accepted(tmp_path, files, notes):
    files_read = read_bytes(tmp_path, make_zip(files))
    assert files_read.content == {"a.csv": b"1,2,3\n"}
    assert codes(files_read.notes) == notes


ON_POSIX = pytest.mark.skipif(os.sep != "/", reason="names hold no backslashes there")


@pytest.mark.parametrize(
    ("files", "notes"),
    [
        (GOOD, []),
        ({"mine/a.csv": "1,2,3\n"}, ["N-FOLDER"]),
        ({"mine.zip": make_zip(GOOD)}, ["N-FOUND-ZIP"]),
        pytest.param({"top\\": "", "top\\a.csv": "1,2,3\n"}, ["N-BACKSLASH", "N-FOLDER"], marks=ON_POSIX),
    ],
    ids=["files", "folder", "zip", "backslashes"],
)
def test_folders_are_read_as_the_platform_leaves_them(tmp_path, files, notes):
    (tmp_path / "metadata").write_text("placed by the platform")
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    files_read = read(tmp_path)
    assert files_read.content == {"a.csv": b"1,2,3\n"}
    assert codes(files_read.notes) == notes


@pytest.mark.parametrize(
    ("names", "code", "file"),
    [
        (["..\\a.csv"], "E-ZIP-NAME", "../a.csv"),
        (["x\\..\\..\\a.csv"], "E-ZIP-NAME", "x/../../a.csv"),
        (["C:\\a.csv"], "E-ZIP-NAME", "C:/a.csv"),
        (["\\a.csv"], "E-ZIP-NAME", "/a.csv"),
        (["\\\\host\\a.csv"], "E-ZIP-NAME", "//host/a.csv"),
        ([".\\a.csv"], "E-ZIP-NAME", "./a.csv"),
        (["top\\a.csv", "top\\\\a.csv"], "E-ZIP-NAME", "top//a.csv"),
        (["top\\a.csv", "top/a.csv"], "E-ZIP-NAME", "top\\a.csv"),
        (["top\\a.csv", "Top\\a.csv"], "E-ZIP-CASE", "Top/a.csv"),
        (["top", "top\\a.csv"], "E-ZIP-NAME", "top"),
        (["top\\a.csv", "top\\metadata\\b.csv"], "E-FILE-RESERVED", "top/metadata/b.csv"),
        (["top\\a.csv", "top\\b.zip"], "E-ZIP-NESTED", "top/b.zip"),
    ],
)
def test_names_with_backslashes_are_checked_as_those_with_slashes(tmp_path, names, code, file):
    findings = refused(read_bytes, tmp_path, make_zip(dict.fromkeys(names, "1,2,3\n")))
    assert places_of(findings) == [(code, file, "")]


def test_links_in_a_folder_are_not_followed(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden")
    folder = tmp_path / "res"
    folder.mkdir()
    (folder / "a.csv").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path)
    assert codes(refused(read, folder).problems) == ["E-ZIP-LINK", "E-ZIP-LINK"]


def test_too_many_files_in_a_folder(tmp_path):
    (tmp_path / "metadata").write_text("the platform's own file does not count")
    for number in range(LIMITS.files):
        (tmp_path / f"{number}.csv").write_text("")
    assert len(read(tmp_path).content) == LIMITS.files
    (tmp_path / "metadata.yaml").write_text("one more")
    assert codes(refused(read, tmp_path).problems) == ["E-ZIP-COUNT"]


def test_a_zip_may_hold_so_many_files_and_no_more(tmp_path):
    names = [f"{number}.csv" for number in range(LIMITS.files + 1)]
    assert len(read_bytes(tmp_path, make_zip(dict.fromkeys(names[:-1], ""))).content) == LIMITS.files
    findings = refused(read_bytes, tmp_path, make_zip(dict.fromkeys(names, "")))
    assert codes(findings.problems) == ["E-ZIP-COUNT"]


@pytest.mark.parametrize(
    ("sizes", "places", "values"),
    [
        ([3_000_000, 1_000_000], [], []),
        ([3_000_001], [("E-ZIP-SIZE", "0.csv", "")], ["3,000,001", "3,000,000"]),
        ([2_000_000, 2_000_001], [("E-ZIP-SIZE", "folder", "")], ["4,000,001", "4,000,000"]),
    ],
)
def test_files_may_have_so_many_bytes_and_no_more(tmp_path, sizes, places, values):
    folder = tmp_path / "folder"
    folder.mkdir()
    for number, size in enumerate(sizes):
        (folder / f"{number}.csv").write_bytes(bytes(size))
    findings = findings_of(read, folder)
    assert places_of(findings) == places
    assert values_of("".join(problem.problem for problem in findings.problems)) == values


@pytest.mark.parametrize(
    ("name", "ok"),
    [
        ("é" * 127 + "a", True),
        ("é" * 127 + "aa", False),
        ("/".join(["x" * 199] * 5).ljust(1000, "y"), True),
        ("/".join(["x" * 199] * 5).ljust(1001, "y"), False),
    ],
    ids=["255 bytes", "256 bytes", "1000 characters", "1001 characters"],
)
def test_names_may_have_255_bytes_and_whole_ones_a_thousand_characters(tmp_path, name, ok):
    assert findings_of(read_bytes, tmp_path, make_zip({name: "1", "a.csv": "2"})).ok == ok


def test_only_the_outermost_folder_is_taken_off(tmp_path):
    files_read = read_bytes(tmp_path, make_zip({"a/bc/x.csv": "1", "a/bc/y.csv": "2"}))
    assert files_read == Read({"bc/x.csv": b"1", "bc/y.csv": b"2"}, [])


def test_a_zip_beside_other_files_is_not_opened(tmp_path):
    (tmp_path / "a.zip").write_bytes(make_zip({"x.csv": "1"}))
    (tmp_path / "b.csv").write_text("1")
    assert codes(refused(read, tmp_path).problems) == ["E-ZIP-NESTED"]


def test_the_platforms_file_is_at_the_top_only(tmp_path):
    (tmp_path / "sub").mkdir()
    for name in ("metadata", "sub/metadata", "sub/x.csv", "x.csv"):
        (tmp_path / name).write_text("command: rm")
    (problem,) = refused(read, tmp_path).problems
    assert (problem.code, problem.file) == ("E-FILE-RESERVED", "sub/metadata")


@pytest.mark.parametrize("error", [ValueError, RuntimeError, EOFError, OSError])
def test_errors_of_who_reads_a_file_are_not_taken_for_a_damaged_archive(tmp_path, error):
    path = tmp_path / "submission.zip"
    path.write_bytes(make_zip(GOOD))
    with (
        pytest.raises(error, match="our own"),
        open_submission(path, LIMITS) as submission,
        submission.open("a.csv") as stream,
    ):
        assert stream.read(4) == b"1,2,"
        raise error("our own")


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="the system cannot refuse to follow links")
def test_link_in_the_place_of_a_file_is_not_followed(tmp_path):
    folder, secret = tmp_path / "submission", tmp_path / "secret"
    folder.mkdir()
    secret.write_text("1,2,3\n")
    (folder / "a.csv").write_text("1,2,3\n")
    with open_submission(folder, Limits(10, 10**6, 10**6)) as submission:
        (folder / "a.csv").unlink()
        (folder / "a.csv").symlink_to(secret)
        with pytest.raises(Refused), submission.open("a.csv") as stream:
            stream.read(9)


class Part(NamedTuple):
    """A member of a zip made by hand; its compressed size is said to be ``more``."""

    name: bytes
    content: bytes
    extra: bytes = b""
    more: int = 0
    flags: int = 0
    comment: bytes = b""


def with_parts(*members, gap=b"", tail=b""):
    """Return a zip made by hand, with ``gap`` after each member and ``tail`` in the directory after all."""
    data, directory = b"", b""
    for name, content, extra, more, flags, comment in members:
        sizes = zlib.crc32(content), len(content) + more, len(content) + more
        fixed = struct.pack("<HHHHHIIIHH", 20, flags, 0, 0, 0, *sizes, len(name), len(extra))
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + fixed
        directory += struct.pack("<HHHII", len(comment), 0, 0, 0, len(data)) + name + extra + comment
        data += b"PK\x03\x04" + fixed[:-2] + b"\0\0" + name + content + gap
    directory += tail
    n = len(members)
    end = struct.pack("<HHHHIIH", 0, 0, n, n, len(directory), len(data), 0)
    return data + directory + b"PK\x05\x06" + end


def unicode_path(path, kind=0x7075):
    return struct.pack("<HHBI", kind, 5 + len(path), 1, 0) + path


PLAIN = Part(b"a.csv", b"1,2,3\n")
OTHER = Part(b"b.csv", b"1,2\n")
UTF_8 = Part("é.csv".encode(), b"1,2\n", unicode_path("é.csv".encode()), flags=0x800)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (with_parts(PLAIN, OTHER), []),
        (with_parts(PLAIN, OTHER, gap=b"between"), []),
        (with_parts(PLAIN._replace(more=3), OTHER), ["E-ZIP-BOMB"]),
        (with_parts(PLAIN, OTHER._replace(more=3)), ["E-ZIP-BOMB"]),
        (with_parts(PLAIN._replace(extra=unicode_path(b"a.csv"))), []),
        (with_parts(PLAIN._replace(extra=unicode_path(b"b.csv", kind=0x7076))), []),
        (with_parts(PLAIN, UTF_8), []),
        (with_parts(PLAIN, tail=b"PK\x01\x02" + bytes(20)), ["E-ZIP-DAMAGED"]),
    ],
)
def test_zip_made_by_hand_has_one_verdict_on_every_python(tmp_path, data, expected):
    assert sorted(set(codes(findings_of(read_bytes, tmp_path, data).problems))) == expected


@pytest.mark.parametrize(
    ("first", "second"), [("ⱟ", "Ⱟ"), ("ꟁ", "Ꟁ"), ("é", "É"), ("ß", "ss"), ("k", "\u212a")]
)
def test_case_is_that_of_ascii_letters(tmp_path, first, second):
    assert findings_of(read_bytes, tmp_path, make_zip({f"{first}.csv": "1", f"{second}.csv": "1"})).ok
