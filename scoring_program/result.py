"""What a task returns after scoring: plain records that the report renders.

Every section of the detail page has a key, which never changes, and a level. ``SUMMARY`` sections hold
aggregates and say for every row, bin and cell how many instances it rests on; `scoring_program.disclosure`
folds those that are too small. ``FULL`` sections may show single items of the ground truth and appear only
with ``detail: full``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from scoring_program.marks import Mark
from scoring_program.metrics.resampling import LEVEL, HalfScores
from validator.arrays import Bools, Floats, Ints
from validator.findings import Note

# The most decimals of any number in an output.
DECIMALS = 10
SCORE_LIMIT = 1e10
"""Scores are below it, and above its negative: platforms show no larger ones."""
SHORT_DECIMALS = 4
"""The most decimals of a number in words, on a page, and in the log."""
# What fits into half of the width of a page.
_MOST_COLUMNS_OF_A_HALF = 3

SUMMARY = "summary"
FULL = "full"

Cell = Union[str, int, float, None]


class Column(NamedTuple):
    """A column of a table. ``kind``: text, count (whole), number, or share (0..1, with a bar).

    A column of `FULL` is left out of tables at ``summary``.
    """

    title: str
    kind: str = "text"
    level: str = SUMMARY


def columns(**titles: Sequence[str]) -> list[Column]:
    """Return columns in order, from the titles of each kind: ``columns(text=["Class"], share=["Area"])``."""
    result = []
    for kind, titles_of_kind in titles.items():
        result += [Column(title, kind) for title in titles_of_kind]
    return result


@dataclass(frozen=True)
class Section:
    """A part of the detail page: its key, its title, and a sentence that explains it.

    ``has_images`` says whether it may hold images; ``shared_title`` is that of the card of neighbors that
    share one, "" for a section with a card of its own.
    """

    level = SUMMARY
    has_images = False
    shared_title = ""
    key: str
    title: str
    note: str

    def is_narrow(self) -> bool:
        """Return whether it fits into half of the width of a page."""
        return False

    def style(self) -> str:
        """Return the CSS that a page with the section needs beside the common one."""
        return ""

    def render(self, look: Any) -> list[Any]:
        """Return the content of its card, as elements; ``look`` says how it looks."""
        raise NotImplementedError

    def render_shared(self, sections: Sequence[Section], look: Any) -> list[Any]:
        """Return the content of the card of neighbors that share one, of which this is the first."""
        raise NotImplementedError


@dataclass(frozen=True)
class Table(Section):
    """Rows under columns; None shows as a dash.

    ``item_columns`` says how many of the first columns name the item that a row is about, as drawings do;
    ``open_rows`` is how many rows show at once, the others folded; ``is_of_groups`` says that its rows are
    those of `Groups`.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    level: str = FULL
    item_columns: int = 0
    open_rows: int = 20
    is_of_groups: bool = False

    def is_narrow(self) -> bool:
        """Return whether its columns fit into half of the width."""
        return len(self.columns) <= _MOST_COLUMNS_OF_A_HALF


def cells(values: NDArray[Any]) -> Any:
    """Return an array as lists, with None for NaN."""
    return np.where(np.isnan(values), np.array(None), values).tolist()


class GroupNumber(NamedTuple):
    """A number of groups: the sum over those of a row, as a count, or the quotient of two sums.

    ``sums`` and ``over`` have shape (n,); a quotient is of this ``kind`` of `Column`, and ``empty`` where it
    would divide by 0.
    """

    title: str
    sums: NDArray[Any]
    over: NDArray[Any] | None = None
    level: str = SUMMARY
    kind: str = "share"
    empty: float | None = 0.0

    def column(self) -> Column:
        """Return the column of a table."""
        return Column(self.title, "count" if self.over is None else self.kind, self.level)

    def cell(self, members: Ints) -> Cell:
        """Return the cell of the row that some groups make up."""
        total = self.sums[members].sum()
        if self.over is None:
            return int(total)
        divisor = self.over[members].sum()
        return float(total / divisor) if divisor else self.empty


@dataclass(frozen=True)
class Groups(Section):
    """A table with one row for each group of instances, before small groups are merged into one row.

    Attributes
    ----------
    names_title : str
        The title of the first column, which shows what the groups are called.
    names : sequence of n str
    support : int64 array of shape (n,)
        How many instances of the reference each group rests on.
    numbers : sequence of GroupNumber
        The other columns.
    worst_first : int, optional
        The column that rows are sorted by, the smallest first; without it they keep their order.
    overlapping : bool
        Whether an instance may be in several groups: a merged row may rest on its largest group alone.
    named : bool array of shape (n,), optional
        Which groups the submission names; those without an instance of the reference are shown at ``full``.
    full_note : str
        What the note adds at ``full``: what the columns of `FULL` are.
    """

    names_title: str
    names: Sequence[str]
    support: Ints
    numbers: Sequence[GroupNumber]
    worst_first: int | None = None
    overlapping: bool = False
    named: Bools | None = None
    full_note: str = ""
    level: str = SUMMARY


class Deferred(NamedTuple):
    """Sections that are built only if their level is shown, because they take time or hold ground truth."""

    build: Callable[[], Sequence[Section]]
    level: str = FULL


Sections = Sequence[Union[Section, Deferred]]


class FewItems(NamedTuple):
    """Why an interval is rough although there are many items: few of them have errors, or any score.

    ``property`` is `HAVE_ERRORS` or `HAVE_SCORES`, which ``number`` of the items have.
    """

    property: str
    number: int

    def text(self, items: str) -> str:
        """Return the reason in words, for "30 items".

        Examples
        --------
        >>> FewItems(HAVE_SCORES, 1).text("30 items")
        'only 1 of 30 items has a score above 0'
        """
        verb = self.property if self.number != 1 else self.property.replace("have", "has", 1)
        return f"only {self.number} of {items} {verb}"


HAVE_ERRORS = "have errors"
HAVE_SCORES = "have a score above 0"


class Interval(NamedTuple):
    """An interval of the score at 95 %, over random halves of the items of the reference.

    ``items`` are what is independent, groups of items if ``is_grouped``; ``few`` says why it is rough where
    they are many, None if it is not.
    """

    low: float
    high: float
    standard_error: float
    half_samples: int
    items: int
    is_grouped: bool = False
    few: FewItems | None = None

    def __str__(self) -> str:
        return f"{100 * LEVEL:g} % interval {self.low:.4f} to {self.high:.4f}"


class ErrorCost(NamedTuple):
    """The cost of one type of error: the score if it were fixed, and the gain in the better direction.

    The gain may be below 0, where errors hide each other; then a page gives no advice.
    """

    error_type: str
    score_if_fixed: float
    points: float


@dataclass(frozen=True)
class Statistics:
    """The per-item statistics of one submission, gathered once; each task adds arrays of its own.

    Attributes
    ----------
    item_scores : float64 array of shape (n,)
        The score of each single item of the reference, NaN where it has none.
    item_submitted : bool array of shape (n,)
        Whether the submission holds anything about the item.
    item_weights : int array of shape (n,)
        The share of each item in the mean of the scores of items, 0 where it has none.
    item_perfect : bool array of shape (n,)
        Whether no error of the submission in the item costs anything.
    """

    item_scores: Floats
    item_submitted: Bools
    item_weights: Ints
    item_perfect: Bools

    def outside_weight(self) -> int:
        """Return the weight of what counts outside of the items, which has the score 0."""
        return 0

    def outside_submitted(self) -> bool:
        """Return whether anything is submitted outside of the items."""
        return False

    def item_columns(self) -> Mapping[str, Floats]:
        """Return further numbers of the items by name, arrays of shape (n,)."""
        return {}


@dataclass(frozen=True)
class Shown:
    """All numbers of a run that are shown, as plain values, rounded as the settings say.

    Notes, the page, the log and the JSON are made of it, of what is public and of the submission. It is what
    `scoring_program.disclosure.disclosed` returns.

    Attributes
    ----------
    scores : mapping of leaderboard key to float
        In the order of the task's columns; holds ``score`` and ``coverage``.
    signature : str
        What makes scores comparable.
    over : str
        What the score is computed over, in words: "240 sequences".
    n_items : int
        How many items are independent, where halves of them were scored; otherwise 0.
    interval : Interval or None
        None with fewer than 2 items, too, and where all halves score the same.
    error_costs : sequence of ErrorCost
        The largest first.
    sections : sequence of Section
        The task's own parts of the detail page, small groups merged.
    marks : sequence of Mark
        What plain answers score, in ascending order.
    decimals : int
        The most decimals of any number.
    """

    scores: Mapping[str, float]
    signature: str = ""
    over: str = ""
    n_items: int = 0
    interval: Interval | None = None
    error_costs: Sequence[ErrorCost] = ()
    sections: Sequence[Section] = ()
    marks: Sequence[Mark] = ()
    decimals: int = DECIMALS

    def short(self, value: float) -> str:
        """Return a score, an end of an interval or a cost as text, with at most `SHORT_DECIMALS`."""
        return f"{value:.{min(SHORT_DECIMALS, self.decimals)}f}"


@dataclass(frozen=True)
class Result:
    """The outcome of scoring one submission.

    Attributes
    ----------
    shown : Shown
        The numbers that are shown.
    notes : sequence of Note
    statistics : Statistics
        What the scores are reductions of. Never part of an output as it is.
    items : sequence of n str
        The items of the reference, in ascending order.
    halves : HalfScores or None
        The scores of random halves of the items; None without items, or if no interval is asked for.
    """

    shown: Shown
    notes: Sequence[Note]
    statistics: Statistics
    items: Sequence[str]
    halves: HalfScores | None = None

    @property
    def scores(self) -> Mapping[str, float]:
        """The scores that are shown."""
        return self.shown.scores

    @property
    def interval(self) -> Interval | None:
        """The interval that is shown."""
        return self.shown.interval

    @property
    def error_costs(self) -> Sequence[ErrorCost]:
        """The costs that are shown."""
        return self.shown.error_costs

    @property
    def sections(self) -> Sequence[Section]:
        """The sections that are shown."""
        return self.shown.sections
