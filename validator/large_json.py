"""A JSON file that is too large to be parsed strictly as a whole.

That takes many times as long, and as much memory, as reading, so each entry is checked by itself, only the
first wrong ones are explained, and `validator.json_damage` says where the file is no JSON.

Two processes
-------------
A second process reads the second half of the entries of a very large file, if there is a second core. If an
entry does not fit its schema, this process reads all entries again, so that the messages are those of one
reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, NoReturn

from validator import typed_json
from validator.findings import Findings, Refused
from validator.formats.rules import JsonFile
from validator.json_damage import read_outline
from validator.json_decoding import count_colons_outside_strings, count_marks, require_memory_to_decode
from validator.json_document import Content, Conversion, Document, Entries
from validator.schema_errors import Budget
from validator.strict_json import DEEPEST, Advice, JsonValue, origin_of

if TYPE_CHECKING:
    from msgspec import Raw

# Memory is asked for once for so many bytes of small entries.
_BYTES_AT_ONCE = 100_000
# An entry of a large file is not larger: it is held as objects.
_ENTRY_BYTES = 10_000_000
# A string takes 2 or 4 bytes for each character if one of them is beyond U+00FF: larger files may not have
# any.
_MOST_BYTES_WITH_WIDE_CHARACTERS = 50_000_000
_WIDE_CHARACTER = re.compile(rb"[\xc4-\xf4]|\\u(?!00)")
# From this many bytes on a second process pays.
HALVES_FROM_BYTES = 20_000_000
# Stands for the value of an entry that does not fit its schema.
_UNFIT = object()
_ESCAPED_COLON = re.compile(rb"\\u003a", re.IGNORECASE)


class _UnfitError(Exception):
    """An entry does not fit its schema at first sight."""


@dataclass(frozen=True)
class _Half(Generic[Content]):
    """What is built of half of the entries, and the number of colons in these."""

    content: Content
    n_colons: int


class LargeDocument(Document):
    """A file that is too large to be parsed strictly as a whole.

    Each entry is checked by itself, and the first wrong ones are explained.
    """

    def __init__(self, data: bytes, name: str, file: JsonFile, budget: Budget) -> None:
        if len(data) > _MOST_BYTES_WITH_WIDE_CHARACTERS:
            _refuse_wide_characters(data, name)
        super().__init__(data, name, file, budget)
        self._entry_findings = Findings()
        # Colons in the entries.
        self._n_colons = 0
        # How many more bytes of entries can be decoded before memory is asked for again.
        self._n_bytes_with_memory = 0

    def read(self, conversion: Conversion[Content], findings: Findings) -> Content:
        """As for smaller files; the content is that of the entries that fit."""
        if self.cut is None:
            self._refuse_uncut()
        content = self._content_of_halves(conversion)
        if content is None:
            self._n_colons = 0
            content = conversion.build(self._fitting_entries())
        n_colons_outside = self.cut.n_colons - self._n_colons
        if n_colons_outside and n_colons_outside != self._n_colons_in_names():
            # Names of entries occur twice, or hold escape sequences.
            self._read_outline(self._entry_findings)
        findings.extend(self._entry_findings)
        if conversion.check is not None:
            conversion.check(content, self.members, findings)
        return content

    def _content_of_halves(self, conversion: Conversion[Content]) -> Content | None:
        """Return the content as two processes read it, None where one has to read all entries."""
        if self.cut is None or conversion.join is None or len(self.data) < HALVES_FROM_BYTES:
            return None
        # Smaller files need no processes, whose modules take a while to import.
        from validator.workers import call_together, usable_cores

        if usable_cores() < 2:
            return None
        entries = list(self.cut.entries.items())
        middle = len(entries) // 2
        first, second = entries[:middle], entries[middle:]
        halves = call_together([partial(self._read_half, half, conversion) for half in (first, second)])
        contents = []
        n_colons = 0
        for half in halves:
            if half is None:
                return None
            contents.append(half.content)
            n_colons += half.n_colons
        self._n_colons = n_colons
        return conversion.join(contents)

    def _read_half(
        self, entries: Sequence[tuple[str, Raw]], conversion: Conversion[Content]
    ) -> _Half[Content] | None:
        """Return what is built of some entries, None if one of them does not fit its schema."""
        self._n_colons = 0
        try:
            content = conversion.build(self._typed_entries(entries))
        except _UnfitError:
            return None
        return _Half(content, self._n_colons)

    def _typed_entries(self, entries: Iterable[tuple[str, Raw]]) -> Entries:
        """Yield the entries. Raises _UnfitError for the first that does not fit its schema."""
        for key, text in entries:
            data = bytes(text)
            value = self._typed_value(data)
            if value is _UNFIT:
                raise _UnfitError
            yield key, value

    def _n_colons_in_names(self) -> int:
        """Return how many colons the text has in names of entries, -1 if some may be escape sequences."""
        if self.cut is None or _ESCAPED_COLON.search(self.data):
            return -1
        return sum(name.count(":") for name in self.cut.entries)

    def _refuse_uncut(self) -> NoReturn:
        """Refuse a file that is no JSON, or of another shape."""
        with Findings.collect() as findings:
            outline = self._read_outline(findings)
            self.make_explainer(findings).explain(outline, self.schema.around)
        Findings().refuse(
            "E-JSON-STOPPED",
            "something is wrong around the entries",
            "write the file with a JSON library",
            file=self.name,
        )

    def _read_outline(self, findings: Findings) -> JsonValue:
        """Return the file without its entries, looked through for what is no JSON. Raises Refused."""
        advice = Advice.of(self.schema.whole)
        outline = read_outline(self.data, self.name, self.file.each, advice, self.budget, self.file.entries)
        return findings.take(outline)

    def _fitting_entries(self) -> Entries:
        """Yield the entries that fit their schema; add what is wrong with the others."""
        # There may be 200,000 entries, so those that fit take no detours.
        for key, text in self.cut.entries.items() if self.cut else ():
            data = bytes(text)
            value = self._typed_value(data)
            if value is not _UNFIT:
                yield key, value
                continue
            with self._entry_findings.part():
                yield key, self._explained_value(key, data)

    def _typed_value(self, data: bytes) -> JsonValue:
        """Return the value of an entry, or `_UNFIT` if it is too large, does not fit, or has a key twice."""
        if len(data) > _ENTRY_BYTES:
            return _UNFIT
        n_colons = count_marks(data)
        self._n_colons += n_colons
        self._require_memory(len(data))
        with suppress(*typed_json.DECODE_ERRORS):
            value = self.schema.decoder.decode(data)
            n_keys = self.schema.count_keys((value,))
            if n_keys == n_colons or n_keys == count_colons_outside_strings(data):
                return value
        return _UNFIT

    def _require_memory(self, n_bytes: int) -> None:
        """Raise MemoryError if there is none for decoding so many bytes; ask seldom for small entries."""
        if n_bytes > self._n_bytes_with_memory:
            self._n_bytes_with_memory = max(n_bytes, _BYTES_AT_ONCE)
            require_memory_to_decode(self._n_bytes_with_memory)
        self._n_bytes_with_memory -= n_bytes

    def _explained_value(self, key: str, data: bytes) -> JsonValue:
        """Return the value of an entry that does not fit at first sight. Raises Refused."""
        if len(data) > _ENTRY_BYTES:
            problem = f"the entry has {len(data):,} bytes; at most {_ENTRY_BYTES:,} are allowed"
            self._refuse_entry("E-JSON-COUNT", key, problem, "check what you wrote into it")
        if self.budget.entries <= 0:
            only_counted = Findings()
            only_counted.count_unread(1, self.name)
            only_counted.refuse_problems()
        try:
            return self._strict_entry(key, data)
        except Refused:
            self.budget.entries -= 1
            raise

    def _strict_entry(self, key: str, data: bytes) -> JsonValue:
        """Return the value of an entry as the strict parser reads it. Raises Refused, with explanations."""
        if len(data) > self.budget.bytes:
            problem = f"something is wrong in this entry, which has {len(data):,} bytes"
            remedy = f"check it; entries of at most {self.budget.bytes:,} bytes are explained"
            self._refuse_entry("E-JSON-STOPPED", key, problem, remedy)
        entries = self.parse_refused({key: data}, n_entries=2)
        if entries is None:
            problem = f"this entry is nested deeper than {DEEPEST} levels"
            self._refuse_entry("E-JSON-DEPTH", key, problem, "see the format's example for the right shape")
        return entries[key]

    def _refuse_entry(self, code: str, key: str, problem: str, remedy: str) -> NoReturn:
        Findings().refuse(code, problem, remedy, file=self.name, where=self.place_of(key), rule="entry")


def _refuse_wide_characters(data: bytes, name: str) -> None:
    """Refuse a file with characters beyond U+00FF, which would need far more memory than its size."""
    # Of the usual file this is known much sooner than the pattern finds out.
    if data.isascii() and rb"\u" not in data:
        return
    wide_character = _WIDE_CHARACTER.search(data)
    if wide_character is not None and rb"\\u" in data:
        # A backslash that is escaped itself begins no escape sequence. All other bytes stay at their places.
        wide_character = _WIDE_CHARACTER.search(data.replace(rb"\\", b"__"))
    if wide_character is not None:
        problem = (
            "the character here is beyond U+00FF, which is allowed in files of at most "
            f"{_MOST_BYTES_WITH_WIDE_CHARACTERS:,} bytes"
        )
        where = origin_of(data, wide_character.start()).place("")
        remedy = "write the names as the data of the challenge has them"
        Findings().refuse("E-JSON-COUNT", problem, remedy, file=name, where=where, rule="character")
