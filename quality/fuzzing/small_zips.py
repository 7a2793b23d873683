"""Small zips that are expensive: what a submission below 1 MB can cost the platform at worst.

A zip unpacks to several hundred times its size, and the platform unpacks it before the program runs. Each
kind is one that a person made up: many entries that are right, entries that are wrong in one way each, one
large entry, a text that is no JSON far behind its beginning. What is measured is a run as a process, in turns
with the good sample, so that whatever else the machine does changes both times.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from organizer.bundle.public_files import demo_reference
from organizer.files import Files, folder_files, samples_folder, write_files, zip_bytes
from quality import ROOT
from quality.demo_data import write_full_size
from quality.task import quality_tasks
from validator.formats.rules import JsonFile, Rules, load_rules

LARGEST_ZIP = 1_000_000
_FACTOR, _LEAST_SECONDS = 10, 4.0
_MOST_MEGABYTES = 600
# Unpacked; files of images may be larger.
_LARGEST_UNPACKED = 250_000_000
_MOST_SAMPLE_ENTRIES = 40
# Of DensePose, where an entry may have 32 MB.
_LARGE_ENTRY = 31_000_000


# Prints last what the run cost; of Linux, where a process knows its own peak.
_RUN = """
import re, resource, sys
from scoring_program.run import main
code = main(sys.argv[1:])
usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
peak = re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())
print(sum(usage.ru_utime + usage.ru_stime for usage in usages), int(peak[1]) / 1024)
sys.exit(code)
"""


class Cost(NamedTuple):
    """Processor seconds and megabytes of the largest process of a run, and its exit code."""

    seconds: float
    megabytes: float
    exit_code: int


class SmallZip(NamedTuple):
    """A submission that is small as a zip; ``make`` takes the unpacked size and returns its files."""

    name: str
    make: Callable[[int], Files]


class Case(NamedTuple):
    """A reference, a submission that fits it, and a part of that of which small zips are made."""

    reference: Files
    good: Files
    sample: Files


def demo_case(task_id: str) -> Case:
    """Return the demo reference and the good sample."""
    good = folder_files(samples_folder(task_id) / "good")
    return Case(demo_reference(task_id), good, good)


def full_size_case(task_id: str) -> Case:
    """Return a synthetic reference of the size of the real challenge, and a submission."""
    with tempfile.TemporaryDirectory() as name:
        good = write_full_size(task_id, 1.0, Path(name))
        reference = folder_files(Path(name) / "ref")
    with tempfile.TemporaryDirectory() as name:
        quality_tasks()[task_id].write_full_size(Path(name), 0.01)
        sample = folder_files(Path(name) / "res")
    return Case(reference, good, sample)


def print_costs(task_ids: Sequence[str], full_size: bool) -> None:
    """Print a table: for each task what the good submission and each kind of small zip cost.

    Files are as large as the limits of the task allow, and have at most 1 MB as a zip. ``full_size``: with a
    reference of the size of the real challenge.
    """
    print("| task | submission | zip, MB | unpacked, MB | s | allowed, s | memory, MB | exit code |")
    print("|---|---|---|---|---|---|---|---|")
    for task_id in task_ids:
        case = full_size_case(task_id) if full_size else demo_case(task_id)
        good = measure(task_id, case.reference, case.good)
        _print_row(task_id, "the good submission", case.good, good, _seconds_allowed(good))
        size = min(load_rules(task_id).limits.total_bytes, _LARGEST_UNPACKED)
        for small_zip in small_zips(task_id, case.sample):
            files = fitting_files(small_zip, size)
            cost = measure(task_id, case.reference, files)
            good_again = measure(task_id, case.reference, case.good)
            seconds_allowed = (_seconds_allowed(good) + _seconds_allowed(good_again)) / 2
            _print_row(task_id, small_zip.name, files, cost, seconds_allowed)
            good = good_again


def _seconds_allowed(good: Cost) -> float:
    return max(_FACTOR * good.seconds, _LEAST_SECONDS)


def _print_row(task_id: str, name: str, files: Files, cost: Cost, seconds_allowed: float) -> None:
    is_too_expensive = cost.seconds > seconds_allowed or cost.megabytes > _MOST_MEGABYTES
    unpacked = sum(map(len, files.values())) / 1e6
    cells = [
        task_id,
        name,
        f"{len(zip_bytes(files)) / 1e6:.2f}",
        f"{unpacked:.0f}",
        f"{cost.seconds:.1f}" + (" **too much**" if is_too_expensive else ""),
        f"{seconds_allowed:.1f}",
        f"{cost.megabytes:.0f}",
        str(cost.exit_code),
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


def measure(task_id: str, reference: Files, files: Files) -> Cost:
    """Return what a run costs, with the submission unpacked as on the platform."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(reference, folder / "input" / "ref")
        write_files(files, folder / "input" / "res")
        command = [sys.executable, "-c", _RUN, str(folder / "input"), str(folder / "output")]
        command += ["--task", task_id]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    seconds, megabytes = done.stdout.splitlines()[-1].split()
    return Cost(float(seconds), float(megabytes), done.returncode)


def fitting_files(small_zip: SmallZip, size: int) -> Files:
    """Return the files of a kind with about ``size`` bytes, or fewer, if they would make a zip above 1 MB."""
    while True:
        files = small_zip.make(size)
        n_packed = len(zip_bytes(files))
        if n_packed < LARGEST_ZIP:
            return files
        size = int(size * min(LARGEST_ZIP / n_packed, 1) * 0.95)


def small_zips(task_id: str, sample: Files) -> Iterator[SmallZip]:
    """Yield the kinds of small zips of a task, by the kind of its files, made of a submission."""
    rules = load_rules(task_id)
    if rules.csv:
        yield from _csv_zips(rules, sample)
        return
    # The largest one is the last.
    file = rules.json[-1]
    n_each = int(rules.limits.file_bytes * 0.99)
    (name,) = [name for name in sample if Path(name).match(file.name)]
    other_files = {other: data for other, data in sample.items() if other != name}
    zips = _list_texts(sample[name]) if file.item else _object_texts(file, sample[name])
    for kind, make_text in zips:
        yield SmallZip(kind, partial(_with_text, other_files, name, make_text, n_each))


def _with_text(
    other_files: Files, name: str, make_text: Callable[[int], bytes], n_each: int, size: int
) -> Files:
    return {**other_files, name: make_text(min(size, n_each))}


_Texts = Iterator[tuple[str, Callable[[int], bytes]]]


def _object_texts(file: JsonFile, data: bytes) -> _Texts:
    """Yield kinds of texts of a JSON file that maps names to entries."""
    whole = json.loads(data)
    entries = dict(list((whole[file.each] if file.each else whole).items())[:_MOST_SAMPLE_ENTRIES])
    other_members = {key: value for key, value in whole.items() if key != file.each} if file.each else {}
    entry = next(iter(entries.values()))
    wrong_entry = _without_a_key(entry)
    most = file.entries or 200_000

    def text(size: int, entry: Any, last: bytes = b"", others: Any = other_members) -> bytes:
        """Return a file with the entries of the sample, many equal ones, and a last one."""
        entry_text = _compact(entry)
        number = min(_fitting_number(size, entry_text, file), most - len(entries) - 2)
        members = [_compact(key) + b":" + _compact(value) for key, value in entries.items()]
        members += [b'"x%07d":%b' % (index, entry_text) for index in range(number)]
        return around(members, last, others)

    def text_of_known(size: int) -> bytes:
        """Return a file with the entries of the sample, each with many equal members more."""
        member_text = _compact(next(iter(entry.values())))
        number = _fitting_number(size, member_text, file) // len(entries)
        members = b",".join(b'"x%05d":%b' % (index, member_text) for index in range(number))
        return around([_compact(key) + b":{" + members + b"}" for key in entries], b"", other_members)

    def around(members: list[bytes], last: bytes, others: Any) -> bytes:
        """Return a file with some entries, the last one, and other members around them."""
        body = b"{" + b",".join([*members, *([last] if last else [])]) + b"}"
        if not file.each:
            return body
        others_text = _compact(others)[1:-1]
        return b"{" + _compact(file.each) + b":" + body + (b"," + others_text if others else b"") + b"}"

    def text_of_long_names(size: int) -> bytes:
        """Return a file with empty entries whose names take four times as much memory as in the file."""
        begin = '"\N{GRINNING FACE}'.encode() + b"x" * 20_000
        return around([b'%b%07d":{}' % (begin, index) for index in range(size // 20_020)], b"", other_members)

    def cut_off(size: int) -> bytes:
        return text(size, entry)[:-40]

    yield "many entries", lambda size: text(size, entry)
    yield "many members of known entries", text_of_known
    yield "many empty entries", lambda size: text(size, {})
    yield "cut off", cut_off
    yield "a key twice at the end", lambda size: text(size, entry, b'"y":{"a":%b,"a":{}}' % b"{}")
    yield (
        "a key twice in each entry",
        lambda size: text(size, entry).replace(b'":{"', b'":{"a:b":{},"a:b":{},"'),
    )
    yield "the last entry is a number", lambda size: text(size, entry, b'"y":7')
    yield "a key is missing in each entry", lambda size: text(size, wrong_entry)
    yield "NaN in each entry", lambda size: text(size, entry).replace(b"[[", b"[[NaN,")
    yield "colons in the names", lambda size: text(size, entry).replace(b'"x', b'"x:')
    yield "escapes that are no characters", lambda size: text(size, entry).replace(b'"x', b'"\\ud800x')
    if file.each:
        yield "a member is missing", lambda size: text(size, entry, others={})
        yield (
            "another member is large",
            lambda size: text(0, entry, others={**other_members, "external_data": [[]] * (size // 4)}),
        )
    yield "one entry of lists", lambda size: text(0, entry, b'"y":[' + b"[]," * (size // 3) + b"0]")
    yield "one entry of numbers, cut off", lambda size: text(0, entry, b'"y":[' + b"0," * (size // 2))[:-30]
    yield (
        "one large entry, wrong at its end",
        lambda size: text(0, entry, b'"y":' + _large_entry(entry, size)),
    )
    yield "long names", text_of_long_names
    yield (
        "one name again and again",
        lambda size: around([b'"x":{}'] * _fitting_number(size, b"{}", file), b"", other_members),
    )
    yield "one name of backslashes", lambda size: b'{"' + b"\\\\" * (size // 2) + b'":1}'
    yield "one name of escapes", lambda size: b'{"' + b"\\u0041" * (size // 6) + b'":1}'
    yield (
        "another member of backslashes",
        lambda size: text(0, entry, others={**other_members, "x": "\\" * (size // 2)}),
    )
    yield "backslashes, then no JSON", lambda size: text(0, entry, b'"y":"' + b"\\\\" * (size // 2) + b'"x')
    yield "blanks, then no JSON", lambda size: text(0, entry, b" " * size + b"x")
    yield "one line for each entry", lambda size: b'{"y":7}\n' * (size // 8)
    yield "a list", lambda size: b"[" + b"{}," * (size // 3) + b"{}]"


def _fitting_number(size: int, value_text: bytes, file: JsonFile) -> int:
    """Return how many named values fit into a file of ``size`` bytes and below its limit of values."""
    n_values = value_text.count(b",") + value_text.count(b":") + 2
    number = size // (len(value_text) + 12)
    # A thirtieth is left to the entries of the sample.
    return number if file.values is None else min(number, int(file.values * 0.97) // n_values)


def _large_entry(entry: Any, size: int) -> bytes:
    """Return one entry with many members, and a number for the last of them."""
    member = _compact(next(iter(entry.values())))
    members = [b'"f%06d":%b' % (index, member) for index in range(size // (len(member) + 11))]
    return b"{" + b",".join([*members, b'"last":7']) + b"}"


def _without_a_key(value: Any) -> Any:
    """Return a value with one key less in the innermost of its first objects."""
    if isinstance(value, dict):
        key, inner = next(iter(value.items()), ("", None))
        if isinstance(inner, dict) and inner:
            return {**value, key: _without_a_key(inner)}
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            return {**value, key: [_without_a_key(inner[0]), *inner[1:]]}
        return {other: member for other, member in value.items() if other != key}
    return value


def _list_texts(data: bytes) -> _Texts:
    """Yield kinds of texts of a JSON file that is a list of entries."""
    first = min(json.loads(data), key=lambda entry: len(_compact(entry)))
    without = {key: value for key, value in first.items() if key != next(iter(first))}

    def text(size: int, entry: bytes) -> bytes:
        return b"[" + b",".join([entry] * (size // (len(entry) + 1))) + b"]"

    def large_entries(before: bytes, piece: bytes, after: bytes, size: int) -> bytes:
        return text(size, before + piece * (_LARGE_ENTRY // len(piece)) + after)

    def middling_entries(before: bytes, piece: bytes, after: bytes, size: int) -> bytes:
        return text(size, before + piece * 8000 + after)

    yield "many entries", lambda size: text(size, _compact(first))
    yield "many entries, cut off", lambda size: text(size, _compact(first))[:-40]
    yield "entries without keys", lambda size: text(size, b"{}")
    yield "entries without one key", lambda size: text(size, _compact(without))
    yield "entries with a key twice", lambda size: text(size, b'{"a:":1,"a:":1,' + _compact(first)[1:])
    yield "one large entry", lambda size: b'[{"a":[' + b"0," * (size // 2) + b"0]}]"
    for kind, piece in (
        ("numbers", b"0,"),
        ("lists", b"[],"),
        ("objects", b"{},"),
        ("strings", b'"",'),
    ):
        yield f"large entries of {kind}", partial(large_entries, b'{"a":[', piece, b"0]}")
        yield f"middling entries of {kind}", partial(middling_entries, b'{"a":[', piece, b"0]}")
    for kind, piece in (
        ("backslashes", b"\\\\"),
        ("quotation marks", b'\\"'),
        ("quotation marks apart", b'""'),
    ):
        yield f"large entries of {kind}", partial(large_entries, b'{"a":"', piece, b'"}')
    yield (
        "one large entry of backslashes, no JSON",
        lambda size: b'[{"a":"' + b"\\\\" * (_LARGE_ENTRY // 2) + b'",b}]',
    )
    yield "one line for each entry", lambda size: b'{"y":7}\n' * (size // 8)
    yield "blanks, then no JSON", lambda size: b"[" + b" " * size + b"x]"


def _csv_zips(rules: Rules, sample: Files) -> Iterator[SmallZip]:
    """Yield kinds of zips of CSV files without a header."""
    row = next(iter(sample.values())).splitlines()[0] + b"\n"
    n_each = int(rules.limits.file_bytes * 0.99)
    unknown_name = rules.csv[0].path.replace("{key}", "unknown{}")

    def repeated(size: int, text: bytes, name: str = "") -> Files:
        names = [name.format(number) for number in range(20)] if name else list(sample)
        files = dict(sample) if name else {}
        for file_name in names:
            n_bytes = min(size, n_each)
            size -= n_bytes
            files[file_name] = text * (n_bytes // len(text)) or sample.get(file_name, row)
        return files

    yield SmallZip("many equal rows", lambda size: repeated(size, row))
    yield SmallZip("rows with a word", lambda size: repeated(size, row.replace(b",", b",x", 1)))
    yield SmallZip("empty rows", lambda size: repeated(size, b"\n"))
    yield SmallZip("blanks", lambda size: repeated(size, b" "))
    yield SmallZip("rows with one field more", lambda size: repeated(size, b"1," + row))
    yield SmallZip("rows of unknown items", lambda size: repeated(size, row, unknown_name))
    yield SmallZip("wrong rows of unknown items", lambda size: repeated(size, b"x\n", unknown_name))


def _compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
