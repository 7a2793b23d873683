"""The text of a JSON file, decoded value by value: only a part of a large file is in memory."""

from __future__ import annotations

import codecs
import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, NoReturn

import numpy as np

from validator.findings import Findings
from validator.json_columns import JsonValue, LargeNumber, NoNumber, Repeating
from validator.kinds import HEAD_BYTES, refuse_other_kind
from validator.texts import quote

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
_MOST_LARGE = 100_000
_WEIGHT_OF_MARK = {",": 1, ":": 1.5, "[": 1.5, "{": 1.5, '"': 0.5}
_BLOCK = 1 << 16
SUBMIT_LESS = "submit only what is asked for"
_skip_blanks = re.compile(r"[ \t\n\r]*").match


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


# Three objects, however many a file has.
_no_number = cache(NoNumber)
# What `json` decodes of most entries.
_scan = json.JSONDecoder(parse_constant=_no_number).raw_decode


class Marks:
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
        if self._n_large <= _MOST_LARGE:
            self._large = LargeNumber(text)
        return self._large

    def _integer(self, text: str) -> float:
        # Converting a long one exactly is slow, and Python refuses it.
        return int(text) if len(text) < _LEAST_DIGITS_TOO_LARGE else self._number(text)

    def _object(self, pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        self.any = True
        repeating = Repeating(value)
        keys: set[str] = set()
        for key, _ in pairs:
            if key in keys:
                repeating.key = key
                break
            keys.add(key)
        return repeating


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

    def __init__(
        self,
        stream: Callable[[int], bytes],
        name: str,
        findings: Findings,
        most_values: float = math.inf,
    ) -> None:
        self._stream = stream
        self._name = name
        self._findings = findings
        self._most_values = most_values
        self._n_values = 0.0
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
            blanks = _skip_blanks(self.text, self.at)
            self.at = blanks.end() if blanks else self.at
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
                value, self.at = Marks().scan(self.text, start)
            if self.at + _NUMBER_END < len(self.text):
                return Entry(key, value, self.text, start, self.at)
            end, self.at = self.at, start
            if not self._read_on():
                self.at = end
                return Entry(key, value, self.text, start, end)

    def names(self) -> Iterator[str]:
        """Yield the names in the object that begins here; the caller takes the value after each."""
        for _ in self._elements("}"):
            self._require('"', "Expecting property name enclosed in double quotes")
            key = self.entry("").value
            self._skip(":", "Expecting ':' delimiter")
            yield key

    def items(self) -> Iterator[Entry]:
        """Yield the values of the list that begins here, with their positions as keys."""
        for index, _ in enumerate(self._elements("]")):
            yield self.entry(index)

    def _elements(self, bracket: str) -> Iterator[None]:
        """Stop before each element of what begins here, for the caller to take it; go behind the bracket."""
        self.at += 1
        if self.mark() != bracket:
            yield
            while self.mark() != bracket:
                self._skip(",", "Expecting ',' delimiter")
                yield
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

    def _skip(self, mark: str, message: str) -> None:
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
        text_ahead = self.text[self.at :]
        # A value as large as the file is decoded a few times: each piece is as long as what is there, up to
        # what may be in memory beside it.
        data = self._stream(min(max(_PIECE, len(text_ahead)), _LARGEST_PIECE))
        is_first = not self._n_bytes
        if is_first:
            refuse_other_kind(data[:HEAD_BYTES], self._name, "JSON")
        self._n_bytes += len(data)
        if self._most_values < math.inf:
            self._check_number_of_values(data)
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
        self.text, self.at = text_ahead + piece, 0
        if len(text_ahead) > _PIECE:
            self._check_memory()
        return True

    def _check_number_of_values(self, data: bytes) -> None:
        """Raise Refused if there are more values than a file may have: they take more memory than text."""
        self._n_values += count_values(data)
        if self._n_values > self._most_values:
            number = f"{self._most_values:,} (strings count twice, lists and objects two and a half times)"
            problem = f"there are more values than {number}"
            self._findings.refuse("E-JSON-COUNT", problem, SUBMIT_LESS, file=self._name, where="/")

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
                "E-JSON-COUNT", problem, SUBMIT_LESS, file=self._name, where=where, rule="size"
            )

    def _refuse_byte(self, error: UnicodeDecodeError) -> NoReturn:
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
