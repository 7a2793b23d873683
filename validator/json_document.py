"""A JSON file that is being read, entry by entry: what is built of it, or what is wrong in it.

A good file is read by msgspec into types that are made from its schema: parsing and checking in one step.
Entries that msgspec does not accept are parsed strictly, by `validator.strict_json`, and explained by
jsonschema, in `validator.schema_errors`. Where a file cannot be cut into entries, the whole file is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from validator import strict_json, typed_json
from validator.findings import Findings
from validator.formats.rules import JsonFile
from validator.json_cutting import CutFile, Members, cut_file, entries_of, object_text
from validator.json_decoding import Text, count_marks, decode
from validator.json_schemas import load_file_schema
from validator.schema_errors import Budget, SchemaExplainer
from validator.strict_json import Advice, JsonValue, pointer_part

if TYPE_CHECKING:
    from msgspec import Raw

Content = TypeVar("Content")
Entries = Iterator[tuple[str, JsonValue]]


@dataclass(frozen=True)
class Conversion(Generic[Content]):
    """What is made of the entries of a file.

    Attributes
    ----------
    build : callable
        Builds the content from the entries, keys and values in their order, as `dict` does.
    check : callable, optional
        Takes the content and the other members of the file, and adds what is wrong in them although they fit
        the schema. Where entries do not fit it, the content is made of the others, so that the problems of
        all are reported together.
    join : callable, optional
        Makes the content of a very large file from the contents of its two halves; returns None if one
        process would build another content. Without this function, one process reads the file.
    """

    build: Callable[[Entries], Content]
    check: Callable[[Content, Members, Findings], None] | None = None
    join: Callable[[Sequence[Content]], Content | None] | None = None


class Document:
    """A JSON file that is being read; ``members`` are those around the entries, for files that have some.

    Raises Refused if it has too many entries.
    """

    def __init__(self, data: bytes, name: str, file: JsonFile, budget: Budget) -> None:
        self.data = data
        self.name = name
        self.file = file
        self.budget = budget
        self.schema = load_file_schema(file.schema, file.each)
        # What the strict parser has read: all entries, or those that their type refuses.
        self._strict_entries: Members | None = None
        # Keys in the entries that their type accepts.
        self._n_keys = 0
        self.members: Members = {}
        self.cut = cut_file(data, self.schema.whole, file.each, budget.bytes)
        if self.cut is not None:
            self._check_number_of_entries(len(self.cut.entries))
            self.members = self.cut.members

    def read(self, conversion: Conversion[Content], findings: Findings) -> Content:
        """Return what is built of the entries; ``findings`` get what is wrong.

        Raises Refused where there is nothing to go on with.
        """
        if self.cut is None:
            self._read_whole()
        with findings.part():
            content = conversion.build(self._entries())
            self._check_keys()
        if conversion.check is not None:
            checked = content if findings.ok else conversion.build(self._fitting_entries())
            conversion.check(checked, self.members, findings)
        findings.refuse_problems()
        return content

    def _read_whole(self) -> None:
        """Read a file that cannot be cut. Raises Refused unless the strict parser takes it."""
        whole = self._parse_file()
        self._strict_entries = entries_of(whole, self.file.each)
        if self.file.each:
            self.members = {key: value for key, value in whole.items() if key != self.file.each}

    def _entries(self) -> Entries:
        """Yield the entries, from the strict parser where their type does not accept them. Raises Refused."""
        if self.cut is None:
            yield from (self._strict_entries or {}).items()
            return
        for key, text in self.cut.entries.items():
            try:
                value = decode(text, self.schema.decoder)
            except typed_json.DECODE_ERRORS:
                value = self._strict_value(self.cut, key)
            else:
                self._n_keys += self.schema.count_keys((value,))
            yield key, value

    def _fitting_entries(self) -> Entries:
        """Yield the entries that their type accepts, in a file that can be cut into entries."""
        for key, text in self.cut.entries.items() if self.cut else ():
            with suppress(*typed_json.DECODE_ERRORS):
                yield key, decode(text, self.schema.decoder)

    def _check_keys(self) -> None:
        """Look for duplicate keys unless the entries hold as many keys as colons. Raises Refused."""
        if self.cut is None or self._strict_entries is not None:
            # The strict parser has looked for them.
            return
        if self._n_keys != self.cut.n_colons:
            with Findings.collect() as findings:
                self._parse(self.data, findings)

    def _strict_value(self, cut: CutFile, key: str) -> JsonValue:
        """Return the value of an entry that its type refuses. Raises Refused for the problems of all."""
        if self._strict_entries is None:
            refused_texts, n_colons_left = self._refused_texts(cut)
            if n_colons_left == 0:
                self._strict_entries = self.parse_refused(refused_texts, len(cut.entries))
        if self._strict_entries is None:
            self._strict_entries = entries_of(self._parse_file(), self.file.each)
        return self._strict_entries[key]

    def _refused_texts(self, cut: CutFile) -> tuple[dict[str, Raw], int]:
        """Return the entries that their type refuses, and how many more colons than keys the others have."""
        refused_texts = {}
        n_colons_left = cut.n_colons
        for key, text in cut.entries.items():
            try:
                value = decode(text, self.schema.decoder)
            except typed_json.DECODE_ERRORS:
                refused_texts[key] = text
                n_colons_left -= count_marks(text)
            else:
                n_colons_left -= self.schema.count_keys((value,))
        return refused_texts, n_colons_left

    def parse_refused(self, texts: Mapping[str, Text], n_entries: int) -> Members | None:
        """Return the values of entries that their type refuses, None if the place of a problem is a line.

        Raises Refused if they are wrong.
        """
        # Nested as they are in the file: places are the same, and levels are counted from there.
        text = object_text(texts)
        if self.file.each:
            text = b"{" + json.dumps(self.file.each).encode() + b":" + text + b"}"
        whole = None
        parse_findings = Findings()
        with parse_findings.part():
            whole = self._parse(text, parse_findings)
        if whole is None:
            return None
        entries = entries_of(whole, self.file.each)
        with Findings.collect() as findings:
            findings.extend(parse_findings)
            self._explain_entries(entries, n_entries, self.make_explainer(findings))
        return entries

    def _parse_file(self) -> JsonValue:
        """Return the file as the strict parser reads it, checked by jsonschema. Raises Refused."""
        with Findings.collect() as findings:
            whole = self._parse(self.data, findings)
            entries = entries_of(whole, self.file.each)
            self._check_number_of_entries(len(entries))
            explainer = self.make_explainer(findings)
            explainer.explain(whole, self.schema.around)
            self._explain_entries(entries, len(entries), explainer)
        return whole

    def _parse(self, data: bytes, findings: Findings) -> JsonValue:
        """Return what the strict parser makes of a text. Raises Refused."""
        return strict_json.parse(data, self.name, findings, advice=Advice.of(self.schema.whole))

    def _check_number_of_entries(self, n_entries: int) -> None:
        """Raise Refused if there are more entries than the file may have."""
        most = self.file.entries
        if most is not None and n_entries > most:
            each = self.file.each
            refuse_too_many(f"entries than {most:,}", self.name, Findings(), f"/{each}", rule=each)

    def make_explainer(self, findings: Findings) -> SchemaExplainer:
        """Return what explains the values of the file that do not fit the schema, to ``findings``."""
        definitions = self.schema.whole.get("definitions", {})
        return SchemaExplainer(definitions, findings, self.name, self.budget, checks=self.schema.checks)

    def place_of(self, key: str) -> str:
        """Return the JSON Pointer of an entry."""
        each = self.file.each
        return f"/{each}/{pointer_part(key)}" if each else f"/{pointer_part(key)}"

    def _explain_entries(self, entries: Members, n_entries: int, explainer: SchemaExplainer) -> None:
        """Add the problems of entries; the file has ``n_entries`` of them in all."""
        schema = self.schema.entry
        for key, value in entries.items():
            if explainer.fits(value, schema):
                continue
            if not explainer.explain_entry(value, schema, self.place_of(key), is_only_entry=n_entries == 1):
                break


def refuse_too_many(what: str, name: str, findings: Findings, where: str = "/", rule: str = "") -> NoReturn:
    """Refuse a file that has more of something than it may; ``where`` is a JSON Pointer."""
    findings.refuse(
        "E-JSON-COUNT",
        f"there are more {what}",
        "submit only what is asked for",
        file=name,
        where=where,
        rule=rule,
    )
