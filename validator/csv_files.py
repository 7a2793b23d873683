"""Reading CSV files of one item each, without a header.

They hold integers. One regular expression decides the syntax of each file; only one that fails it is walked
line by line, to say where and why (`validator.csv_lines`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.arrays import Bools, Floats, Ints
from validator.csv_reader import INTEGER, PLAIN, CsvReader
from validator.findings import Findings, Read
from validator.formats.rules import CsvRules, Field
from validator.texts import counted

if TYPE_CHECKING:
    from validator.public_facts import LastFrames

# The reasons are given for this many bad lines of a file; further ones are only counted.
_EXPLAINED_LINES = 2000
# Empty lines at the end are accepted.
_SPARE_LINES = 1000
# Where this many, and this share, of the rows end before they begin, their last column may hold lengths.
_LEAST_ROWS = 3
_SHARE_OF_LENGTHS = 0.2
# Whole seconds end within this share of the frames.
_SHARE_OF_SECONDS = 0.25
# Where more than this share is out of range, the columns may have another order.
_SHARE_OF_OTHER_ORDER = 0.5


class CsvRows(NamedTuple):
    """The rows of files of items.

    Attributes
    ----------
    keys : list of str, length n_files
        The key of each file, in ascending order: a file without rows is listed too.
    file_index : int64 array, shape (n_rows,)
        The position in ``keys`` of each row's file, ascending.
    columns : mapping of str to int64 array, shape (n_rows,)
        The fields of the rules by name.
    """

    keys: list[str]
    file_index: Ints
    columns: Mapping[str, Ints]


class ItemFrames(NamedTuple):
    """Items in ascending order and their numbers of frames, int64 of the same length; frames count from 1.

    ``frames_a_second``, float64 of the same length, is NaN where it is not known.
    """

    items: Sequence[str]
    n_frames: Ints
    frames_a_second: Floats | None = None


def read_csv_files(
    files: Iterable[tuple[str, str, bytes]],
    rules: CsvRules,
    item_frames: ItemFrames | None = None,
    name_frames: bool = False,
) -> Read[CsvRows]:
    """Read and check files of items. Raises Refused with the problems of all files.

    Parameters
    ----------
    files : iterable of (key, file name, bytes)
        The files; keys are unique.
    rules : CsvRules
        Fields, ranges and order.
    item_frames : ItemFrames, optional
        The frames of the items, those of all files among them. If given, rows must start within them; rows
        that run past them get a note and are left as they are: where to cut is the metric's business. And a
        file has at most as many rows as there are pairs of a frame and values of the other fields.
    name_frames : bool
        Whether messages may quote numbers of frames; never true for messages that participants see.
    """
    with Findings.collect() as findings:
        files = sorted(files)
        keys = [key for key, _, _ in files]
        reader = _ItemReader([name for _, name, _ in files], findings, rules)
        contents = [data for _, _, data in files]
        if item_frames is None or not rules.frames:
            columns = reader.read(contents)
        else:
            item_of_file = _find_items(keys, item_frames)
            contents = reader.with_few_rows(contents, item_frames.n_frames[item_of_file])
            columns = reader.read(contents)
            reader.check_frames(columns, item_of_file, item_frames, name_frames)
    return Read(CsvRows(keys, reader.file_index, columns), findings.notes)


def _find_items(keys: Sequence[str], item_frames: ItemFrames) -> Ints:
    """Return the position of each key's item, shape (n_files,)."""
    index_of_item = {item: index for index, item in enumerate(item_frames.items)}
    return np.array([index_of_item[key] for key in keys], np.int64)


class _ItemReader(CsvReader):
    """Files of items that are being read."""

    def read(self, contents: Iterable[bytes]) -> dict[str, Ints]:
        """Return the checked columns by name; do not use them after a problem."""
        texts = self._read_texts(contents)
        n_rows = [text.count("\n") for text in texts]
        self.file_index = np.repeat(np.arange(len(texts)), n_rows)
        numbers = np.fromstring("".join(texts).replace("\n", ","), np.int64, sep=",")
        columns: dict[str, Ints] = dict(zip(self.columns, numbers.reshape(-1, len(self.columns)).T))
        has_other_order = np.zeros(len(self.file_index), bool)
        for field in self.rules.fields:
            has_other_order |= self._check_range(field, columns[field.name])
        if self.rules.order:
            self._check_order(columns, has_other_order)
        return columns

    def with_few_rows(self, contents: Sequence[bytes], n_frames: Ints) -> list[bytes]:
        """Return the contents of the files, b"" for those with more rows than can differ in what counts.

        ``n_frames`` (n_files,) are those of the items. The number of rows is told before anything is read.
        """
        others = [field for field in self.rules.fields if field.name not in self.rules.frames]
        n_values = [int(field.maximum - field.minimum) + 1 for field in others if np.isfinite(field.maximum)]
        most_a_frame = math.prod(n_values)
        factors = [f"{number} {field.name}s" for number, field in zip(n_values, others)]
        few_rows = []
        for name, data, frames in zip(self.names, contents, n_frames.tolist()):
            n_lines = max(data.count(b"\n"), data.count(b"\r"))
            if n_lines > frames * most_a_frame + _SPARE_LINES:
                limit = " x ".join([f"the frames of the {self.rules.item}", *factors])
                problem = f"the file has {n_lines:,} lines, more rows than {limit}"
                remedy = "write each row once"
                self.findings.add("E-CSV-COUNT", problem, remedy, file=name, rule="rows")
                few_rows.append(b"")
            else:
                few_rows.append(data)
        return few_rows

    def _read_texts(self, contents: Iterable[bytes]) -> list[str]:
        """Return the text of each file, a line for each row; "" after a problem."""
        row = ",".join([INTEGER] * len(self.columns))
        if self.rules.further_columns:
            row += f"(?:,{PLAIN})?"
        row_pattern = re.compile(row)
        # Finds the start of the first line that is no row; the end of the text does not count. A pattern of
        # all rows would take a record in memory for each.
        wrong_line_pattern = re.compile(rf"^(?!(?:{row})$|\Z)", re.MULTILINE)
        texts = []
        for name, data in zip(self.names, contents):
            text = self.decode(data, name)
            if wrong_line_pattern.search(text):
                text = self._without_empty_end(text)
                if wrong_line_pattern.search(text):
                    self._explain(text, name, row_pattern)
                    text = self._with_stand_ins(text, row_pattern)
            if text and not text.endswith("\n"):
                text += "\n"
            if self.rules.further_columns:
                text = self._without_further_columns(text)
            texts.append(text)
        self.note_accepted()
        return texts

    def _without_further_columns(self, text: str) -> str:
        lines = []
        for line in text.split("\n")[:-1]:
            fields = line.split(",")[: len(self.columns)]
            lines.append(",".join(fields) + "\n")
        return "".join(lines)

    def _without_empty_end(self, text: str) -> str:
        body = text.rstrip(" \t\n")
        kept = body + text[len(body) :].partition("\n")[0] if body else ""
        # One newline after the last row is ordinary; anything more is an empty line.
        if text[len(kept) :] not in ("", "\n"):
            self.accepted["an empty line at the end was accepted"] += 1
        return kept

    def _explain(self, text: str, name: str, row_pattern: re.Pattern[str]) -> None:
        """Add a problem for each line that does not match."""
        from validator.csv_lines import has_row_numbers, line_problem

        is_numbered = has_row_numbers(text, len(self.columns))
        lines = enumerate(text.split("\n"), start=1)
        wrong_lines = ((number, line) for number, line in lines if not row_pattern.fullmatch(line))
        for number, line in islice(wrong_lines, _EXPLAINED_LINES):
            wrong = line_problem(line, number, name, self.rules, is_numbered=is_numbered)
            where = f"line {number} column {wrong.column}"
            self.findings.add(
                wrong.code, wrong.problem, wrong.remedy, file=name, where=where, rule=wrong.rule
            )
        n_further = sum(1 for _ in wrong_lines)
        if n_further:
            self.findings.count_unread(n_further, name)

    def _with_stand_ins(self, text: str, row_pattern: re.Pattern[str]) -> str:
        """Return text with a row that breaks no rule for each line that is none, so that the others are
        checked, too, and each is on its line."""
        stand_in = ",".join(str(int(max(field.minimum, 0))) for field in self.rules.fields)
        lines = []
        for line in text.split("\n"):
            lines.append(line if row_pattern.fullmatch(line) else stand_in)
        return "\n".join(lines)

    def _check_range(self, field: Field, values: Ints) -> Bools:
        """Add values out of range; return the rows of these if there are so many that columns may have
        another order."""
        name, low = field.name, max(field.minimum, 0)
        limits = f"less than {low}" if field.maximum == np.inf else f"not in {low}..{field.maximum}"
        is_wrong = (values < low) | (values > field.maximum)
        counts_from_0 = low == 1 and not self.rules.further_columns
        is_from_0 = is_wrong & (values == 0) & counts_from_0

        def problem(row: int) -> str:
            return f"{values[row]} is {limits}"

        count_from_1 = f"count {name}s from 1: add 1 to all"
        if name in self.rules.frames:
            count_from_1 = "count frames from 1: add 1 to all starts and ends"
        elif is_from_0.any() and (values == field.maximum).any():
            # Those from 0 and those from 1 are both there: 0 is a name for nothing.
            count_from_1 = f"leave out these rows: {name}s are {limits.removeprefix('not in ')}"
        correct = "correct it"
        is_other_order = is_wrong.sum() >= _LEAST_ROWS and is_wrong.mean() > _SHARE_OF_OTHER_ORDER
        if is_other_order:
            correct = f"{self._order_remedy()}, or {correct}"
        self.refuse("E-CSV-RANGE", (name, "from 1"), is_from_0, problem, count_from_1)
        self.refuse("E-CSV-RANGE", (name, "range"), is_wrong & ~is_from_0, problem, correct)
        return is_wrong if is_other_order else np.zeros_like(is_wrong)

    def _order_remedy(self) -> str:
        return f"write the columns in the order {','.join(self.columns)}"

    def _check_order(self, columns: Mapping[str, Ints], has_other_order: Bools) -> None:
        """Add rows that end before they begin, but for those that show another order of columns."""
        left, right = self.rules.order
        low, high = columns[left], columns[right]
        is_wrong = (high < low) & ~has_other_order

        def problem(row: int) -> str:
            return f"{high[row]} is before {left} {low[row]}"

        remedy = "swap them"
        if has_other_order.any():
            # In a few rows values fit by chance.
            remedy = f"{self._order_remedy()}, or {remedy}"
        elif is_wrong.sum() >= _LEAST_ROWS and is_wrong.mean() > _SHARE_OF_LENGTHS:
            remedy = f"write start + length - 1 if it is a length, or {remedy}"
        self.refuse("E-CSV-RANGE", (right, "order"), is_wrong, problem, remedy)

    def check_frames(
        self, columns: Mapping[str, Ints], item_of_file: Ints, item_frames: ItemFrames, name_frames: bool
    ) -> None:
        """Refuse rows that start after the last frame of their item; note those that end after it."""
        start_field, end_field = self.rules.frames
        start, end = columns[start_field], columns[end_field]
        n_frames = item_frames.n_frames[item_of_file][self.file_index]

        def problem(row: int) -> str:
            last_frame = f" ({n_frames[row]})" if name_frames else ""
            return f"{start[row]} is after the last frame{last_frame}"

        is_late = start > n_frames
        remedy = ""
        if is_late.any():
            remedy = self._late_frames_remedy(self._last_frames(end, item_of_file, item_frames))
        self.refuse("E-CSV-FRAME", (start_field, "frames"), is_late, problem, remedy)
        if (end <= _SHARE_OF_SECONDS * n_frames).all():
            self._note_seconds(self._last_frames(end, item_of_file, item_frames))
        n_long = int((end > n_frames).sum())
        if n_long:
            text = f"{counted(n_long, 'row')} cut at the last frame: the end frame is after it"
            self.findings.note("N-CSV-CUT", text)

    def _last_frames(self, end: Ints, item_of_file: Ints, item_frames: ItemFrames) -> LastFrames:
        """Return the last frame that is named for each item that has rows."""
        from validator.public_facts import LastFrames

        last_frame = np.zeros(len(item_of_file), np.int64)
        np.maximum.at(last_frame, self.file_index, end)
        has_rows = last_frame > 0
        return LastFrames(
            item=item_of_file[has_rows],
            last_frame=last_frame[has_rows],
            n_frames=item_frames.n_frames,
            frames_a_second=item_frames.frames_a_second,
        )

    def _note_seconds(self, facts: LastFrames) -> None:
        """Note if the frames of all items look like whole seconds."""
        from validator.public_facts import explain_seconds

        explanation = explain_seconds(facts)
        if explanation:
            self.findings.note("N-CSV-SECONDS", explanation)

    def _late_frames_remedy(self, facts: LastFrames) -> str:
        """Return what to do about frames after the last one of their item."""
        from validator.public_facts import explain_late_frames

        noun = self.rules.item
        usual = f"write frames of this {noun}, counted from 1 at its own frame rate, no milliseconds"
        return explain_late_frames(facts, noun) or usual
