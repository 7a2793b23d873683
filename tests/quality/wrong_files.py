"""Wrong JSON files of any size, each with the code and the place of the message that it should give.

A file is made of equal entries and one mistake, so the same mistake can be made in a file of three entries
and at full size, and should give the same message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from tests.quality.json_forms import NUMBER, TEXT, JsonForm

FULL_SIZE = 10_000_000
"""More than readers take at once, in bytes."""
_ENTRY_SIZE, _LARGE_ENTRY = 70_000, 1_200_000
_LEAST_ENTRIES = 3
_MOST_PROBLEMS = 200
_DEPTH = 200_000
# Encoded with this handler, this character becomes a byte that is not UTF-8.
_BAD_CHARACTER, _ENCODING_ERRORS = "\udcff", "surrogateescape"


class Place(NamedTuple):
    """The code of a problem, and its JSON Pointer, or line and column."""

    code: str
    where: str


@dataclass(frozen=True)
class Document:
    """A JSON file of some form: its entries, those of an object with their keys."""

    form: JsonForm
    entries: Sequence[str]
    n_units: int

    @property
    def text(self) -> str:
        """The whole file."""
        return self.form.head + ",".join(self.entries) + self.form.tail

    def holder(self, entry: int, unit: int) -> str:
        """Return the pointer of the object in a unit of an entry."""
        key = str(entry) if self.form.is_list else _key(entry)
        return f"{self.form.container}/{key}" + self.form.holder.format(unit)

    @property
    def last_holder(self) -> str:
        """The pointer of the last object in which mistakes are made."""
        return self.holder(len(self.entries) - 1, self.n_units - 1)

    def before_last(self, part: str) -> str:
        """Return the file up to where a part of the last entry stands last."""
        return self.text[: self.text.rindex(part)]

    def change_last(self, part: str, replacement: str) -> str:
        """Return the file with a part of the last entry replaced, where it stands last."""
        before = self.before_last(part)
        return before + replacement + self.text[len(before) + len(part) :]

    def text_with(self, value: str) -> str:
        """Return the file with one more entry."""
        entry = value if self.form.is_list else f'"x":{value}'
        return replace(self, entries=[*self.entries, entry]).text


class Wrong(NamedTuple):
    """A file, and the problems in it; of ``n_problems`` of one kind only the first."""

    text: str
    places: Sequence[Place] = ()
    n_problems: int = 1


class Mistake(NamedTuple):
    """A mistake, and the size of the entries of a file of full size.

    ``is_in_lists`` says whether it can be made in lists, too: there a line and column are not those of the
    whole text.
    """

    name: str
    make: Callable[[Document], Wrong]
    entry_bytes: int = _ENTRY_SIZE
    is_in_lists: bool = False


def _key(entry: int) -> str:
    return f"video_{entry:05d}"


def _column(before: str) -> str:
    """Return the place of what stands behind the beginning of a file, which is one line."""
    return f"line 1 column {len(before) + 1}"


def _syntax_error(text: str, before: str) -> Wrong:
    return Wrong(text, [Place("E-JSON-SYNTAX", _column(before))])


def _wrap(document: Document) -> Wrong:
    text = f'{{"{document.form.wrapper}":{document.text}}}'
    return Wrong(text, [Place("E-JSON-SCHEMA", document.form.place_of_wrapped)])


def _write_number(code: str, text: str, document: Document) -> Wrong:
    place = Place(code, document.last_holder + document.form.number)
    return Wrong(document.change_last(NUMBER, text), [place])


def _write_string(document: Document) -> Wrong:
    return _write_number("E-JSON-SCHEMA", '"40"', document)


def _write_nan(document: Document) -> Wrong:
    return _write_number("E-JSON-NUMBER", "NaN", document)


def _write_infinite(document: Document) -> Wrong:
    return _write_number("E-JSON-NUMBER", "1e999", document)


def _repeat_member(document: Document) -> Wrong:
    text = document.change_last(document.form.required, 2 * document.form.required)
    return Wrong(text, [Place("E-JSON-DUPLICATE", document.last_holder)])


def _repeat_entry(document: Document) -> Wrong:
    entries = [*document.entries, f'"{_key(0)}":{{}}']
    return Wrong(
        replace(document, entries=entries).text,
        [Place("E-JSON-DUPLICATE", document.form.container or "/")],
    )


def _leave_out_member(document: Document) -> Wrong:
    text = document.text
    place = Place("E-JSON-SCHEMA", document.holder(0, 0))
    return Wrong(text.replace(document.form.required, ""), [place], text.count(document.form.required))


def _add_entry_of_other_type(document: Document) -> Wrong:
    key = len(document.entries) if document.form.is_list else "x"
    return Wrong(document.text_with('"x"'), [Place("E-JSON-SCHEMA", f"{document.form.container}/{key}")])


def _cut_off(document: Document) -> Wrong:
    before = document.before_last(NUMBER)
    return _syntax_error(before, before)


def _add_comma(document: Document) -> Wrong:
    text = document.text
    return _syntax_error(f"{text[:-1]},{text[-1]}", text[:-1])


def _leave_out_colon(document: Document) -> Wrong:
    key = document.form.required[1:].partition(":")[0]
    return _syntax_error(document.change_last(f"{key}:", key), document.before_last(key) + key)


def _leave_out_comma(document: Document) -> Wrong:
    text = document.text
    first = text[: text.rindex(document.entries[-1])].removesuffix(",")
    return _syntax_error(first + text[len(first) + 1 :], first)


def _add_text(document: Document) -> Wrong:
    return _syntax_error(document.text + "}", document.text)


def _write_in_single_quotes(document: Document) -> Wrong:
    text = document.text.replace('"', "'")
    return _syntax_error(text, text[: text.index("'")])


def _add_comment(document: Document) -> Wrong:
    before = document.before_last(NUMBER) + NUMBER
    return _syntax_error(document.change_last(NUMBER, f"{NUMBER}//x"), before)


def _break_string(document: Document) -> Wrong:
    return _syntax_error(document.change_last(TEXT, "a\nb"), document.before_last(TEXT) + "a")


def _break_encoding(document: Document) -> Wrong:
    place = Place("E-JSON-ENCODING", _column(document.before_last(TEXT)))
    return Wrong(f"\ufeff{document.change_last(TEXT, _BAD_CHARACTER)}", [place])


def _nest_deeply(document: Document) -> Wrong:
    return Wrong(document.text_with("[" * _DEPTH + "]" * _DEPTH), [Place("E-JSON-DEPTH", "")])


def _write_string_and_add_text(document: Document) -> Wrong:
    wrong_value = _write_string(document)
    text_place = Place("E-JSON-SYNTAX", f"line 1 column {len(wrong_value.text) + 1}")
    return Wrong(f"{wrong_value.text}}}", [*wrong_value.places, text_place])


def _write_half_character(document: Document) -> Wrong:
    return Wrong(document.change_last(TEXT, r"\ud800"))


def _write_unread_number(document: Document) -> Wrong:
    return Wrong(document.change_last(*document.form.unread))


def _write_apostrophe(document: Document) -> Wrong:
    return Wrong(document.change_last(TEXT, "don\N{RIGHT SINGLE QUOTATION MARK}t look"))


def _escape_apostrophe(document: Document) -> Wrong:
    return Wrong(document.change_last(TEXT, r"don\u2019t look"))


MISTAKES = (
    Mistake("wrapped", _wrap),
    Mistake("string for a number", _write_string, is_in_lists=True),
    Mistake("the same in an entry above 1 MB", _write_string, entry_bytes=_LARGE_ENTRY),
    Mistake("NaN", _write_nan, is_in_lists=True),
    Mistake("number above 64 bits", _write_infinite, is_in_lists=True),
    Mistake("key twice in an entry", _repeat_member, is_in_lists=True),
    Mistake("name of an entry twice", _repeat_entry),
    Mistake("member left out everywhere", _leave_out_member, is_in_lists=True),
    Mistake("last entry of another type", _add_entry_of_other_type, is_in_lists=True),
    Mistake("cut off", _cut_off),
    Mistake("comma before the last bracket", _add_comma),
    Mistake("colon left out", _leave_out_colon),
    Mistake("comma between entries left out", _leave_out_comma),
    Mistake("text after the value", _add_text),
    Mistake("single quotes", _write_in_single_quotes),
    Mistake("comment", _add_comment),
    Mistake("line break in a string", _break_string),
    Mistake("byte order mark, and a byte that is not UTF-8", _break_encoding),
    Mistake("nested too deeply", _nest_deeply),
    Mistake("string for a number, and text after the value", _write_string_and_add_text),
    Mistake("half a character", _write_half_character, is_in_lists=True),
    Mistake("unread number above 64 bits", _write_unread_number),
    Mistake("curly apostrophe", _write_apostrophe),
    Mistake("the same, escaped", _escape_apostrophe),
)
"""The mistakes; some files are valid, because what they hold is allowed."""


def make_document(form: JsonForm, n_bytes: int = 0, entry_bytes: int = 0) -> Document:
    """Return a valid document of so many bytes, with entries of so many; without any, the smallest one."""
    if form.is_list:
        n_units = 1
        entry = f"{{{form.unit(0)}}}"
        entries = [entry] * max(n_bytes // len(entry), _LEAST_ENTRIES)
    else:
        n_units = max(entry_bytes // len(form.unit(0)), 1)
        units = ",".join(map(form.unit, range(n_units)))
        n_entries = max(n_bytes // len(units), _LEAST_ENTRIES)
        entries = [f'"{_key(number)}":{{{units}}}' for number in range(n_entries)]
    return Document(form, entries, n_units)


def possible_mistakes(form: JsonForm) -> list[Mistake]:
    """Return the mistakes that can be made in files of a form."""
    return [mistake for mistake in MISTAKES if mistake.is_in_lists or not form.is_list]


def write_submission(text: str, document: Document, folder: Path) -> None:
    """Write a submission with the text of a document, changed or not."""
    (folder / document.form.file).write_bytes(text.encode("utf-8", _ENCODING_ERRORS))
    if document.form.classes_file:
        classes = {_key(number): "x" for number in range(len(document.entries))}
        (folder / document.form.classes_file).write_text(json.dumps(classes), encoding="utf-8")


class Finding(NamedTuple):
    """What a check found in a submission, all in all ``n_problems``."""

    places: Sequence[Place]
    n_problems: int

    def is_expected(self, wrong: Wrong) -> bool:
        """Return whether these are the problems of a file; of very many some may not have been counted."""
        if wrong.n_problems == 1:
            return sorted(self.places) == sorted(wrong.places)
        least = min(wrong.n_problems, _MOST_PROBLEMS)
        return self.places[:1] == wrong.places and self.n_problems >= least


def read_finding(report: str) -> Finding:
    """Return what the kit's command ``check`` printed with ``--json``."""
    found = json.loads(report)
    places = [Place(problem["code"], problem["where"]) for problem in found["problems"]]
    return Finding(places, len(places) + found["more"])
