"""Why a large text cannot be read as JSON, without parsing it as a whole.

Its brackets and commas cut it into members, which is right up to the first one that is no JSON. Only members
that the decoder refuses are parsed strictly, and only so many of them, none of which may be large.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple, NoReturn

from validator import typed_json
from validator.findings import Findings, Read, Refused
from validator.json_document import refuse_too_many
from validator.json_marks import MemberSpans, first_too_deep, member_spans, string_end
from validator.json_syntax import explain_syntax
from validator.schema_errors import Budget
from validator.strict_json import (
    DEEPEST,
    Advice,
    JsonValue,
    add_syntax_problem,
    origin_of,
    parse,
    refuse_depth,
)
from validator.texts import quote
from validator.typed_json import LONGEST_NAME

_BLANKS = re.compile(rb"[ \t\r\n]*")
# What is looked at where something follows the end.
_NEXT_BYTES = 1000
_NAMED_MEMBERS = 1000
# A value that begins with another character is a number or a word.
_STAND_INS: dict[bytes, JsonValue] = {b"{": {}, b"[": [], b'"': ""}
# A character beyond U+FFFF is written as two escape sequences.
_MOST_BYTES_OF_CHARACTER = len(r"\ud83d\ude00")
_COLON = re.compile(rb"[ \t\r\n]*:[ \t\r\n]*")


class _Span(NamedTuple):
    """A part of a text, in bytes from its beginning."""

    start: int
    end: int


def read_outline(
    data: bytes, name: str, each: str, advice: Advice, budget: Budget, most_members: int | None = None
) -> Read[JsonValue]:
    """Return a large JSON file without its entries: an object of the same shape, or another value.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8.
    name : str
        Its name, for messages.
    each : str
        The member of the top-level object that holds the entries, "" if it is that object itself.
    advice : Advice
    budget : Budget
    most_members : int, optional
        How many members an object that is cut may have; equal keys count each.

    Raises
    ------
    Refused
        Where the file is no JSON, holds numbers that are not finite, keys that occur twice, too many members,
        or too much beside its entries.
    """
    with Findings.collect() as findings:
        position = first_too_deep(data, DEEPEST)
        if position is not None:
            refuse_depth(origin_of(data, position).place(""), name)
        start = _after_blanks(data, 0)
        if data[start : start + 1] == b"{":
            text = _LargeText(
                data=data,
                name=name,
                advice=advice,
                budget=budget,
                most_members=most_members,
                findings=findings,
            )
            outline: JsonValue = text.outline(start, each)
        elif data[start : start + 1] in _STAND_INS:
            outline = _STAND_INS[data[start : start + 1]]
        else:
            outline = parse(data[start : start + budget.bytes], name, findings, advice=advice)
    return Read(outline, findings.notes)


class _LargeText:
    """A text that is being looked through; problems are added to ``findings``."""

    def __init__(
        self,
        data: bytes,
        name: str,
        advice: Advice,
        budget: Budget,
        most_members: int | None,
        findings: Findings,
    ) -> None:
        self._data = data
        self._name = name
        self._advice = advice
        self._budget = budget
        self._most_members = most_members
        self._findings = findings

    def outline(self, start: int, each: str) -> dict[str, JsonValue]:
        """Return the object that begins at ``start`` without its entries. Raises Refused."""
        spans = member_spans(self._data, start)
        if each:
            return self._outline_beside(spans, each)
        self._check_members(spans, b"{", "/")
        self._check_end(spans, b"{}", len(self._data))
        return {}

    def _outline_beside(self, spans: MemberSpans, each: str) -> dict[str, JsonValue]:
        """Return the members of the top-level object, the one with the entries without these."""
        holder = re.compile(_BLANKS.pattern + re.escape(json.dumps(each).encode()) + rb"[ \t\r\n]*:")
        outline: dict[str, JsonValue] = {}
        names: set[str] = set()
        n_bytes_beside = 0
        # There may be fewer entries than members around them.
        most_beside = None if self._most_members is None else max(self._most_members, _NAMED_MEMBERS)
        for span in self._members(spans, "/", "members", most_beside):
            match = holder.match(self._data, span.start, span.end)
            if match is not None:
                outline[each] = self._check_entries(_after_blanks(self._data, match.end()), span.end, each)
                continue
            self._check_member(span, b"{", "/", names)
            n_bytes_beside += span.end - span.start
            if len(outline) < _NAMED_MEMBERS:
                outline.update(self._stand_in(span))
        self._check_end(spans, b"{}", len(self._data))
        if each in outline and n_bytes_beside > self._budget.bytes:
            problem = f"the members beside '{each}' have more than {self._budget.bytes:,} bytes"
            remedy = "leave out what is not asked for"
            self._findings.add("E-JSON-COUNT", problem, remedy, file=self._name, where="/", rule="beside")
        return outline

    def _check_entries(self, start: int, end: int, each: str) -> JsonValue:
        """Check the entries in a value, and return a stand-in for it. Raises Refused."""
        first = self._data[start : start + 1]
        if first != b"{":
            return _STAND_INS.get(first)
        spans = member_spans(self._data, start)
        self._check_members(spans, b"{" + json.dumps(each).encode() + b":{", f"/{each}")
        self._check_end(spans, b'{"":{}', end)
        return {}

    def _check_members(self, spans: MemberSpans, head: bytes, where: str) -> None:
        """Add why members of an object are no JSON, and names that occur twice.

        ``head`` is what opens the object, and ``where`` its JSON Pointer. Raises Refused at what is no JSON.
        """
        names: set[str] = set()
        is_empty = len(spans.start) == 1 and _after_blanks(self._data, int(spans.start[0])) >= spans.end[0]
        if is_empty:
            return
        for span in self._members(spans, where, "entries", self._most_members):
            self._check_member(span, head, where, names)

    def _members(self, spans: MemberSpans, where: str, nouns: str, most: int | None) -> Iterator[_Span]:
        """Yield the members of an object at a JSON Pointer. Raises Refused after as many as it may have.

        ``nouns`` is what they are called in the message.
        """
        for start, end in zip(spans.start[:most].tolist(), spans.end[:most].tolist()):
            yield _Span(start, end)
        if most is not None and len(spans.start) > most:
            refuse_too_many(f"{nouns} than {most:,}", self._name, self._findings, where, rule="members")

    def _check_member(self, span: _Span, head: bytes, where: str, names: set[str]) -> None:
        """Check one member, as `_check_members`; its name is added to ``names``."""
        self._check_size_of_name(span)
        try:
            (name,) = typed_json.RAW_MEMBERS.decode(self._object_of(span))
        except (*typed_json.DECODE_ERRORS, ValueError):
            self._explain(span, head)
            return
        if name in names:
            problem = f"the key '{quote(name, 40)}' occurs twice in this object"
            remedy = "keep one of them"
            self._findings.add("E-JSON-DUPLICATE", problem, remedy, file=self._name, where=where)
        names.add(name)

    def _check_size_of_name(self, span: _Span) -> None:
        """Refuse a member with a long name: there may be many, and several copies of each in memory."""
        name_span = self._name_span(span)
        if name_span is not None and self._is_long(name_span):
            problem = f"the name that begins here has more than {LONGEST_NAME} characters"
            where = origin_of(self._data, name_span.start).place("")
            self._findings.refuse(
                "E-JSON-COUNT", problem, "write a short name", file=self._name, where=where, rule="name"
            )

    def _is_long(self, name_span: _Span) -> bool:
        """Return whether a name has too many characters; it may be no JSON."""
        n_bytes = name_span.end - name_span.start - len('""')
        if n_bytes <= LONGEST_NAME:
            return False
        if n_bytes > LONGEST_NAME * _MOST_BYTES_OF_CHARACTER:
            return True
        with suppress(ValueError):
            return len(json.loads(self._data[name_span.start : name_span.end])) > LONGEST_NAME
        return False

    def _name_span(self, span: _Span) -> _Span | None:
        """Return where the name of a member is, with its quotation marks; None if the member has none."""
        start = _after_blanks(self._data, span.start)
        if self._data[start : start + 1] != b'"':
            return None
        end = string_end(self._data, start + 1)
        return None if end is None else _Span(start, end)

    def _object_of(self, span: _Span) -> bytes:
        """Return the text of an object with one member, which may be as large as the file: copied once."""
        return b"".join([b"{", memoryview(self._data)[span.start : span.end], b"}"])

    def _explain(self, span: _Span, head: bytes) -> None:
        """Add why a member cannot be read. Raises Refused if it is no JSON, or enough is explained."""
        start, end = span
        origin = origin_of(self._data, start)
        if self._data[start - 1 : start] == b",":
            head += b'"":0,'
        if _after_blanks(self._data, start) >= end:
            # What comes after the blanks says what is wrong: a bracket, a comma, or nothing.
            self._refuse_syntax(head, start, end + 1)
        if end - start > self._budget.bytes:
            self._explain_beginning(head, span)
        # Of a file that is cut off, what closes it is missing.
        tail = b"" if end == len(self._data) else b"}" * head.count(b"{")
        member_findings = Findings()
        parse(
            head + self._data[start:end] + tail,
            self._name,
            member_findings,
            advice=self._advice,
            origin=origin.before(len(head)),
        )
        if member_findings.ok:
            problem = "a string holds an escape sequence that is half of a character"
            member_findings.add(
                "E-JSON-ENCODING",
                problem,
                "write whole characters",
                file=self._name,
                where=origin.place(""),
                rule="surrogate",
            )
        self._findings.extend(member_findings)
        self._budget.entries -= 1
        if self._budget.entries <= 0:
            self._findings.refuse_problems()

    def _explain_beginning(self, head: bytes, span: _Span) -> NoReturn:
        """Refuse a large member that cannot be read, with the reason if it is near its beginning."""
        excerpt = head + self._data[span.start : span.start + self._budget.bytes]
        text = excerpt.decode("utf-8", "ignore")
        if explain_syntax(text).position < len(text):
            self._refuse_syntax(head, span.start, span.start + self._budget.bytes)
        problem = "something is wrong in the entry that begins here, which is too large to be explained"
        remedy = "check the entry, and write the file with a JSON library"
        where = origin_of(self._data, span.start).place("")
        self._findings.refuse("E-JSON-STOPPED", problem, remedy, file=self._name, where=where)

    def _check_end(self, spans: MemberSpans, head: bytes, end: int) -> None:
        """Refuse an object that is not closed, or followed by something before ``end``.

        ``head`` is a text that ends with another object.
        """
        last = int(spans.end[-1])
        if not spans.is_closed:
            head, last = head[:-1], last - 1
        elif _after_blanks(self._data, last + 1) >= end:
            return
        self._refuse_syntax(head, last + 1, min(end, last + _NEXT_BYTES))

    def _refuse_syntax(self, head: bytes, start: int, end: int) -> NoReturn:
        """Refuse a part of the text that is no JSON after ``head``."""
        text = (head + self._data[start:end]).decode("utf-8", "replace")
        origin = origin_of(self._data, start).before(len(head))
        add_syntax_problem(text, self._name, self._findings, self._advice, origin)
        raise Refused(self._findings)

    def _stand_in(self, span: _Span) -> dict[str, JsonValue]:
        """Return a member that can be read, its value of the right type only if it is large."""
        if span.end - span.start <= _NEXT_BYTES:
            with suppress(ValueError):
                small_member: dict[str, JsonValue] = json.loads(self._object_of(span))
                return small_member
        name_span = self._name_span(span)
        colon = _COLON.match(self._data, name_span.end) if name_span else None
        if name_span is None or colon is None:
            return {}
        name = json.loads(self._data[name_span.start : name_span.end])
        return {name: _STAND_INS.get(self._data[colon.end() : colon.end() + 1])}


def _after_blanks(data: bytes, position: int) -> int:
    """Return the position of the first byte from a position on that is no blank."""
    match = _BLANKS.match(data, position)
    return match.end() if match else position
