"""Reading JSON entry by entry: whole columns are checked, and only what does not fit is explained.

`json` decodes an entry after the other, and some entries together are checked, column by column, against
their schema (`validator.json_columns`). Entries that do not fit are decoded again, with hooks that mark keys
that occur twice, NaN, and numbers that are too large; they are explained (`validator.json_words`) until there
are so many problems as a `Budget` allows, and after that they are counted.

Duplicate keys
--------------
`json` keeps the last of equal keys. That nothing was dropped is known by counting: the colons of a text are
those after the keys that were kept, those after the keys that were dropped, and those in strings. If there
are as many colons as keys that were kept, there are no others. Otherwise the entries are decoded again with
the hooks, which takes two thirds longer.
"""

from __future__ import annotations

import codecs
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from validator.findings import Findings, Refused
from validator.items import LIMIT_OF_REFERENCE
from validator.json_columns import (
    DEEPEST,
    Check,
    Column,
    DepthError,
    JsonValue,
    LargeNumber,
    NoNumber,
    Repeating,
    Schema,
    UnfitError,
    check_of,
    keys_of_anything,
)
from validator.kinds import HEAD_BYTES, refuse_other_kind
from validator.texts import pointer_part, quote

if TYPE_CHECKING:
    from validator.json_words import Explainer, Words

# A file is decoded in pieces of so many bytes; those of a large value are longer.
_PIECE, _LARGEST_PIECE = 8_000_000, 64_000_000
# So many bytes a value of a submission may take when it is decoded, be it an object around all entries; and
# how many are expected for each of its values, and for each byte that its text takes in memory.
_MOST_MEMORY, _MEMORY_OF_VALUE, _MEMORY_OF_TEXT = 1_280_000_000, 60, 2.25
# So far from the end of a text, in characters, is the error of a value that goes on behind it: \ud83d\ude00.
_LONGEST_TOKEN = 16
# So much of a number may be left after a part of it that is a number, too: 1e+5.
_NUMBER_END = 2
_BYTE_ORDER_MARK = "\ufeff"
_LEAST_DIGITS_TOO_LARGE = 309
# So many numbers of a value that are too large are kept as they are written: far fewer are reported.
_MOST_TEXTS = 100_000
_WEIGHT_OF_MARK = {",": 1, ":": 1.5, "[": 1.5, "{": 1.5, '"': 0.5}
_BLOCK = 1 << 16
_SUBMIT_LESS = "submit only what is asked for"
_skip_blanks = re.compile(r"[ \t\n\r]*").match


@dataclass
class Budget:
    """How many problems of all files of a submission are explained; the others are counted."""

    problems: int = 200


class Batch(NamedTuple):
    """Some entries of a file that fit their schema: keys, the column of their values, and lengths of texts.

    Entries of a list have their positions as keys.
    """

    keys: list[Any]
    column: Column
    lengths: list[int]


class EntryLimit(NamedTuple):
    """How many entries a file may have.

    ``origin`` says, after a blank, what the number is made of if it grows with the reference.
    """

    number: int
    origin: str = ""


class SchemaPart(NamedTuple):
    """A part of a schema, and its check."""

    schema: Schema
    check: Check


class FileSchema(NamedTuple):
    """The schema of a file: of all of it, of an entry, and of the file with any entries.

    ``place`` is the JSON Pointer of what holds the entries.
    """

    whole: Schema
    entry: SchemaPart
    around: SchemaPart
    place: str


@cache
def load_schema(path: Path) -> Schema:
    """Return a schema file as data. Raises Refused if it is none that can be checked."""
    try:
        schema: Schema = json.loads(path.read_text(encoding="utf-8"))
        check_of(schema, schema)
    except ValueError as error:
        refuse_schema(path, error)
    return schema


_ANY_VALUE = SchemaPart({}, check_of({}, {}))
ANYTHING = FileSchema({}, entry=_ANY_VALUE, around=_ANY_VALUE, place="")


def refuse_schema(path: Path, error: ValueError) -> NoReturn:
    """Refuse a schema file that cannot be used."""
    remedy = "docs/new_task.md lists the keywords that work"
    Findings().refuse("E-SCHEMA", f"this schema cannot be used: {quote(str(error))}", remedy, file=path.name)


def count_values(data: bytes) -> float:
    """Return how many values a text has by its marks, which are counted block by block: that is fast.

    The weights are those of memory: a string takes twice as much as a number, a list or an object more.
    """
    characters = np.frombuffer(data, np.uint8)
    n_values = 0.0
    for start in range(0, len(characters), _BLOCK):
        block = characters[start : start + _BLOCK]
        for mark, weight in _WEIGHT_OF_MARK.items():
            n_values += weight * int(np.count_nonzero(block == ord(mark)))
    return n_values


def refuse_too_many(what: str, name: str, findings: Findings, where: str, rule: str = "") -> NoReturn:
    """Refuse a file that has more of something than it may; ``where`` is a JSON Pointer."""
    findings.refuse("E-JSON-COUNT", f"there are more {what}", _SUBMIT_LESS, file=name, where=where, rule=rule)


@cache
def _no_number(text: str) -> NoNumber:
    """Return what stands for NaN or Infinity: one object, however many there are."""
    number = NoNumber(text)
    number.text = text
    return number


# What `json` decodes of most entries.
_scan = json.JSONDecoder(parse_constant=_no_number).raw_decode


class _Marks:
    """Decodes a value with hooks that mark what a reader must know of; ``any`` says whether there is any."""

    def __init__(self) -> None:
        self.any = False
        self._n_large = 0
        decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_float=self._number,
            parse_int=self._integer,
        )
        self.scan = decoder.raw_decode

    def _constant(self, text: str) -> float:
        self.any = True
        return _no_number(text)

    def _number(self, text: str) -> float:
        value = float(text)
        if math.isfinite(value):
            return value
        self.any = True
        self._n_large += 1
        large = LargeNumber(value)
        large.text = text if self._n_large <= _MOST_TEXTS else "a number of this size"
        return large

    def _integer(self, text: str) -> float:
        # Converting a long one exactly is slow, and Python refuses it.
        return int(text) if len(text) < _LEAST_DIGITS_TOO_LARGE else self._number(text)

    def _object(self, pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        self.any = True
        marked = Repeating(value)
        keys: set[str] = set()
        for key, _ in pairs:
            if key in keys:
                marked.key = key
                break
            keys.add(key)
        return marked


class Entry(NamedTuple):
    """A value that was decoded, and where it is in the text that is in memory."""

    key: Any
    value: JsonValue
    text: str
    start: int
    end: int


class Cursor:
    """A place in a JSON text, which is read on, piece by piece, when a value may go on beyond its end.

    Raises JSONDecodeError where the text is no JSON, and Refused where it is not UTF-8 or a value is too
    large.
    """

    def __init__(self, stream: Callable[[int], bytes], name: str, findings: Findings) -> None:
        self._stream = stream
        self._name = name
        self._findings = findings
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._n_bytes = 0
        # Where the text in memory begins, both from 1.
        self._line = 1
        self._column = 1
        self.text = ""
        self.at = 0

    def mark(self) -> str:
        """Return the next character that is no blank, and go there; "" at the end."""
        while True:
            self.at = self._after_blanks()
            if self.at < len(self.text) or not self._read_on():
                return self.text[self.at : self.at + 1]

    def entry(self, key: Any) -> Entry:
        """Return the next value, and go behind it."""
        self.mark()
        while True:
            start = self.at
            try:
                value, self.at = _scan(self.text, start)
            except json.JSONDecodeError as error:
                if self._may_go_on(error) and self._read_on():
                    continue
                raise
            except ValueError:
                # A whole number has thousands of digits.
                value, self.at = _Marks().scan(self.text, start)
            if self.at + _NUMBER_END < len(self.text):
                return Entry(key, value, self.text, start, self.at)
            end, self.at = self.at, start
            if not self._read_on():
                self.at = end
                return Entry(key, value, self.text, start, end)

    def names(self) -> Iterator[str]:
        """Yield the names in the object that begins here; the caller takes the value after each."""
        self.at += 1
        is_first = True
        while not (self.mark() == "}" and is_first):
            self._require('"', "Expecting property name enclosed in double quotes")
            key = self.entry("").value
            self.skip(":", "Expecting ':' delimiter")
            yield key
            is_first = False
            if self.mark() == "}":
                break
            self.skip(",", "Expecting ',' delimiter")
        self.at += 1

    def finish(self) -> None:
        """Raise JSONDecodeError if there is more text."""
        if self.mark():
            raise json.JSONDecodeError("Extra data", self.text, self.at)

    def place(self, position: int) -> str:
        """Return the place of a position in the text that is in memory."""
        return "line {} column {}".format(*self._line_and_column(position))

    def _line_and_column(self, position: int) -> tuple[int, int]:
        n_lines = self.text.count("\n", 0, position)
        column = position - self.text.rfind("\n", 0, position) if n_lines else self._column + position
        return self._line + n_lines, column

    def _after_blanks(self) -> int:
        match = _skip_blanks(self.text, self.at)
        return match.end() if match else self.at

    def skip(self, mark: str, message: str) -> None:
        """Go behind a mark. Raises JSONDecodeError with this message if another one comes next."""
        self._require(mark, message)
        self.at += 1

    def _require(self, mark: str, message: str) -> None:
        if self.mark() != mark:
            raise json.JSONDecodeError(message, self.text, self.at)

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        """Return whether a text may only seem to be none because it goes on behind the part in memory."""
        return error.msg.startswith("Unterminated string") or error.pos + _LONGEST_TOKEN > len(self.text)

    def _read_on(self) -> bool:
        """Add the next piece to the text from here on; return whether there is one.

        Raises Refused if what is here is larger than it may be.
        """
        rest = self.text[self.at :]
        # A value as large as the file is decoded a few times: each piece is as long as what is there, up to
        # what may be in memory beside it.
        data = self._stream(min(max(_PIECE, len(rest)), _LARGEST_PIECE))
        is_first = not self._n_bytes
        if is_first:
            refuse_other_kind(data[:HEAD_BYTES], self._name, "JSON")
        self._n_bytes += len(data)
        try:
            piece = self._decode(data, not data)
        except UnicodeDecodeError as error:
            self._refuse_byte(error)
        if not data:
            return False
        if is_first and piece.startswith(_BYTE_ORDER_MARK):
            text = f"{quote(self._name)} begins with a byte order mark, which was skipped"
            self._findings.note("N-JSON-BOM", text)
            piece = piece[1:]
        self._line, self._column = self._line_and_column(self.at)
        self.text, self.at = rest + piece, 0
        if len(rest) > _PIECE:
            self._check_memory()
        return True

    def _check_memory(self) -> None:
        """Raise Refused if the value that begins here takes too much memory once it is decoded."""
        # Not in one piece: the bytes of the text take as much as the text.
        starts = range(0, len(self.text), _PIECE)
        n_values = sum(count_values(self.text[start : start + _PIECE].encode()) for start in starts)
        memory = _MEMORY_OF_VALUE * n_values
        memory += _MEMORY_OF_TEXT * sys.getsizeof(self.text)
        if memory > _MOST_MEMORY:
            problem = "what begins here is larger than a whole submission"
            where = self.place(self.at)
            self._findings.refuse(
                "E-JSON-COUNT", problem, _SUBMIT_LESS, file=self._name, where=where, rule="size"
            )

    def _refuse_byte(self, error: UnicodeDecodeError) -> NoReturn:
        """Refuse the file for a byte that is not UTF-8."""
        position = self._n_bytes - len(error.object) + error.start
        self.text += error.object[: error.start].decode("utf-8")
        if self.text.startswith(_BYTE_ORDER_MARK):
            self.text = self.text[1:]
        self._findings.refuse(
            "E-JSON-ENCODING",
            f"byte {position} is not valid UTF-8",
            "save the file as UTF-8",
            file=self._name,
            where=self.place(len(self.text)),
            rule="UTF-8",
        )


class Reader:
    """Reads the entries of a file; what is wrong with others is added to findings."""

    # Entries are checked together once they have so many characters: their values are still in the cache of
    # a core. With a hundred times as many, reading takes half as long again.
    characters_at_once = 30_000

    def __init__(
        self, cursor: Cursor, name: str, schema: FileSchema, budget: Budget, findings: Findings
    ) -> None:
        self._cursor = cursor
        self._name = name
        self._schema = schema
        self._budget = budget
        self._findings = findings
        self._explainer: Explainer | None = None
        self._n_entries = 0

    def batches(self, entries: Iterable[Entry], limit: EntryLimit | None) -> Iterator[Batch]:
        """Yield the entries that fit their schema, some at a time; the last ones may be none.

        Raises Refused at what is no JSON, and after too many entries.
        """
        pending: list[Entry] = []
        n_characters = 0
        end: Exception | None = None
        try:
            for entry in entries:
                self._n_entries += 1
                if limit is not None and self._n_entries > limit.number:
                    self._refuse_too_many(limit)
                pending.append(entry)
                n_characters += entry.end - entry.start
                # Its value goes once it is looked at.
                del entry
                if n_characters >= self.characters_at_once:
                    yield self._fitting(pending)
                    pending, n_characters = [], 0
        except (json.JSONDecodeError, RecursionError, Refused) as error:
            end = error
        # What was wrong before is listed, too.
        yield self._fitting(pending)
        if end is not None:
            self._refuse(end)

    def _fitting(self, entries: list[Entry]) -> Batch:
        """Return the entries that fit their schema; add what is wrong with the others."""
        check = self._schema.entry.check
        column = None
        with suppress(UnfitError, DepthError):
            column = check([entry.value for entry in entries])
        n_colons = sum(entry.text.count(":", entry.start, entry.end) for entry in entries)
        if column is None or column.n_keys != n_colons:
            entries = self._fitting_one_by_one(entries)
            column = check([entry.value for entry in entries])
        return Batch(
            keys=[entry.key for entry in entries],
            column=column,
            lengths=[entry.end - entry.start for entry in entries],
        )

    def _fitting_one_by_one(self, entries: list[Entry]) -> list[Entry]:
        """Return the entries that fit their schema, which are taken out of the list; explain the others."""
        fitting = []
        entries.reverse()
        while entries:
            # Values that may be as large as the file are in memory once: they are read again.
            entry = entries.pop()._replace(value=None)
            n_before = self._findings.total
            where = f"{self._schema.place}/{pointer_part(entry.key)}"
            value = self._marked_value(entry, where, self._schema.whole)
            if not _fits(value, self._schema.entry.check):
                self._explain_entry(value, where, n_before)
            elif self._findings.total == n_before:
                fitting.append(entry._replace(value=value))
        return fitting

    def _explain_entry(self, value: JsonValue, where: str, n_before: int) -> None:
        """Add what is wrong with an entry that does not fit its schema."""
        if self._is_holder(value):
            problem, remedy = "the entries are in a further object", "remove the object, keep its entries"
            self._findings.add("E-JSON-SCHEMA", problem, remedy, file=self._name, where=where)
        else:
            self._explain(value, self._schema.entry.schema, where, "entry", n_before)

    def _is_holder(self, value: JsonValue) -> bool:
        """Return whether a value is the only entry, and holds what should be the entries."""
        if self._n_entries > 1 or not isinstance(value, dict) or self._cursor.mark() == ",":
            return False
        first = next(iter(value.values()), None)
        return first is not None and _fits(first, self._schema.entry.check)

    def _marked_value(self, entry: Entry, where: str, schema: Schema | None) -> JsonValue:
        """Return a value as the hooks mark it; add what no JSON has. Raises Refused if it is too deep."""
        marks = _Marks()
        try:
            value, _ = marks.scan(entry.text, entry.start)
            with suppress(UnfitError):
                keys_of_anything([value], DEEPEST - where.count("/"))
        except (DepthError, RecursionError):
            self._refuse_depth()
        if marks.any:
            from validator.json_words import marked_words

            self._add(marked_words(value, where, schema))
        return value

    def _explain(self, value: JsonValue, schema: Schema, where: str, rule: str, n_before: int) -> None:
        """Add what does not fit in a value; ``n_before`` problems were there before all of its own."""
        if self._budget.problems <= 0:
            if self._findings.total == n_before:
                self._findings.count_unread(1, self._name)
            return
        if self._explainer is None:
            from validator.json_words import Explainer

            self._explainer = Explainer(self._schema.whole)
        self._add(self._explainer.words(value, schema, where, rule))
        if self._findings.total == n_before:
            problem, remedy = "this value does not fit the schema", "see the format's example"
            self._findings.add(
                "E-JSON-SCHEMA", problem, remedy, file=self._name, where=where or "/", rule=rule
            )

    def _add(self, problems: Iterable[Words]) -> None:
        """Add problems, as many as are explained."""
        for words in problems:
            if self._budget.problems <= 0:
                self._findings.count_unread(1, self._name)
                break
            self._budget.problems -= 1
            self._findings.add(file=self._name, **words._asdict())

    def _refuse_too_many(self, limit: EntryLimit) -> NoReturn:
        what = f"entries than {limit.number:,}{limit.origin}"
        rule = LIMIT_OF_REFERENCE if limit.origin else "entries"
        refuse_too_many(what, self._name, self._findings, self._schema.place or "/", rule)

    def _refuse(self, error: Exception) -> NoReturn:
        """Refuse the file for what ended its reading."""
        if isinstance(error, Refused):
            raise error
        if not isinstance(error, json.JSONDecodeError):
            self._refuse_depth()
        from validator.json_words import syntax_words

        words = syntax_words(error, self._schema.whole)
        self._findings.refuse(
            "E-JSON-SYNTAX",
            words.problem,
            words.remedy,
            file=self._name,
            where="" if words.rule == "empty" else self._cursor.place(words.position),
            rule=words.rule,
        )

    def _refuse_depth(self) -> NoReturn:
        problem = f"the nesting is deeper than {DEEPEST} levels"
        remedy = "see the format's example for the right shape"
        self._findings.refuse("E-JSON-DEPTH", problem, remedy, file=self._name)


def _fits(value: JsonValue, check: Check) -> bool:
    """Return whether a value passes a check."""
    try:
        check([value])
    except (UnfitError, DepthError):
        return False
    return True
