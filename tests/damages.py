"""What people give to a command in place of the file that it wants."""

from __future__ import annotations

import gzip
import random
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path

_DEPTH = 100_000


def damaged_lzma(_content: bytes) -> bytes:
    """Return a zip whose only file cannot be unpacked, with a method that the other damages do not meet."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("competition.yaml", b"title: x\n" * 50)
    data = bytearray(stream.getvalue())
    data[60:75] = bytes(15)
    return bytes(data)


CONTENTS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "binary": lambda content: random.Random(0).randbytes(2000),
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "HTML": lambda content: b"<!DOCTYPE html><html><body>404</body></html>",
    "deep lists": lambda content: b"[" * _DEPTH,
    "deep objects": lambda content: b'{"a":' * _DEPTH + b"1" + b"}" * _DEPTH,
    "NUL": lambda content: content[:20] + bytes(20) + content[20:],
    "cut off": lambda content: content[: len(content) // 2],
    "UTF-16": lambda content: content.decode("latin-1").encode("utf-16"),
    "Latin-1": lambda content: content[:10] + b"\xe4\xff" + content[10:],
    "half a character": lambda content: b'{"\\ud800": ["\\udc00"]}',
    "number": lambda content: b"5",
    "list of lists": lambda content: b"[[1]]",
    "date": lambda content: b"2024-05-31",
    "long line": lambda content: b"x" * 200_000,
    "empty zip": lambda content: b"PK\5\6" + bytes(18),
    "damaged LZMA": damaged_lzma,
}
"""What a file holds instead of its content, by the content."""


def wrong_paths(folder: Path, good: Path) -> Iterator[tuple[str, Path]]:
    """Yield paths to give in place of a good file or folder, with what is wrong with each; they are below a folder."""
    yield "no file", folder / "none" / good.name
    yield "long path", Path("/".join(["a" * 200] * 25))
    yield "long name", Path("a" * 5000)
    loop = folder / "loop"
    loop.symlink_to(loop)
    yield "link to itself", loop
    if good.is_dir():
        empty_folder, file = folder / "empty folder", folder / "file"
        empty_folder.mkdir()
        file.write_text("text")
        yield "empty folder", empty_folder
        yield "file for a folder", file
        return
    folder_of_file = folder / "folder" / good.name
    folder_of_file.mkdir(parents=True)
    yield "folder for a file", folder_of_file
    for damage, change in CONTENTS.items():
        path = folder / damage / good.name
        path.parent.mkdir()
        path.write_bytes(change(good.read_bytes()))
        yield damage, path


def damaged_in_place(path: Path) -> Iterator[str]:
    """Put each damage into a file, and then what was there again; yield what is wrong with it."""
    content = path.read_bytes()
    try:
        for damage, change in CONTENTS.items():
            path.write_bytes(change(content))
            yield damage
    finally:
        path.write_bytes(content)


def caller(
    main: Callable[[list[str]], int], places: Mapping[str, str], capsys
) -> Callable[[str, Path | str, str], None]:
    """Return a function that calls a command, with a path for the word FILE and these places for others, and checks
    how it ends; what is at the place OUT is removed before."""

    def call(words: str, path: Path | str, damage: str) -> None:
        shutil.rmtree(places["OUT"], ignore_errors=True)
        all_places = {**places, "FILE": str(path)}
        assert_ends_in_a_message(main, [all_places.get(word, word) for word in words.split()], capsys, damage)

    return call


def assert_ends_in_a_message(
    main: Callable[[list[str]], int], arguments: list[str], capsys, damage: str
) -> None:
    """Check that a command ends with an exit code of its own, and says why if it is not 0."""
    capsys.readouterr()
    try:
        code: object = main(arguments)
    except SystemExit as end:
        code = end.code
    text = "".join(capsys.readouterr())
    assert code in (0, 1, 2, 3), (damage, code)
    assert text.strip() or code == 0, damage
    assert "Traceback" not in text, (damage, text)
    assert "E-INTERNAL" not in text, (damage, text)
    assert max(map(len, text.splitlines()), default=0) < 6000, damage
