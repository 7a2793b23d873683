"""A section of the detail page that is a matrix of counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from scoring_program.report.elements.layout import scroll
from scoring_program.report.html import cut, element
from scoring_program.report.sections import Look
from scoring_program.result import FULL, Section
from validator.arrays import Ints

_LONGEST_LABEL = 24


@dataclass(frozen=True)
class Matrix(Section):
    """Counts of pairs of ``things``: rows are ground truth, columns are predictions, both called ``names``.

    ``counts`` has shape (n + 1, n + 1); ``unpaired`` names its last row, of predictions, and its last column,
    of ground truth, without a counterpart.
    """

    level = FULL
    names: Sequence[str]
    counts: Ints
    things: str
    unpaired: tuple[str, str]

    def render(self, look: Look) -> list[Element]:
        """Return a table of counts colored by size, and what its rows and columns are."""
        text = f"Rows: ground truth. Columns: prediction. Numbers: {self.things}."
        return [scroll(self._table(), self.title), element("p", text, class_="after")]

    def _table(self) -> Element:
        """Return a table of counts colored by size: one scale for the diagonal, one for the rest."""
        names = [cut(name, _LONGEST_LABEL) for name in self.names]
        last_row_name, last_column_name = self.unpaired
        row_names, column_names = [*names, last_row_name], [*names, last_column_name]
        counts = self.counts.tolist()
        largest_same, largest_other = 1, 1
        for i, row in enumerate(counts):
            # The corner belongs to neither: there is no pair of two things that are missing.
            largest_same = max(largest_same, row[i] if i < len(names) else 1)
            largest_other = max([largest_other, *row[:i], *row[i + 1 :]])
        cells: list[list[Element]] = []
        for i, row in enumerate(counts):
            cells.append([])
            for j, count in enumerate(row):
                kind, largest = ("same", largest_same) if i == j else ("other", largest_other)
                attributes = {}
                if count:
                    title = f"{row_names[i]}, {column_names[j]}: {count:,}"
                    attributes = {"class": kind, "style": f"--s:{count / largest:.2f}", "title": title}
                cells[i].append(element("td", f"{count:,}" if count else "", **attributes))
        return matrix_table(row_names, column_names, cells)


def matrix_table(
    row_names: Sequence[str], column_names: Sequence[str], cells: Sequence[Sequence[Element]]
) -> Element:
    """Return a table with names on its left and, upright, above; ``cells`` are ``td`` elements."""
    head = element("tr", element("td"))
    for name in column_names:
        head.append(element("th", element("span", name), scope="col"))
    body = element("tbody")
    for name, row in zip(row_names, cells):
        body.append(element("tr", element("th", name, scope="row"), *row))
    return element("table", element("thead", head), body, class_="matrix")
