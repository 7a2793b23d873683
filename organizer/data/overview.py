"""What a reference holds and what of it is likely a mistake, for the terminal and as a page."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np

from organizer.files import unpack, write_durable
from scoring_program.content import Content, Values
from scoring_program.report.html import element
from scoring_program.report.page import card, cards, contents, document
from scoring_program.result import Histogram, Section, Table, columns
from scoring_program.task import AnyLoaded, load_task
from validator.findings import Findings, quote

SUFFIX = ".overview.html"
"""The end of the name of an overview, which no zip may hold: it shows the hidden reference."""
_BINS = 8
_MOST_ENTRIES = 500
_WARNING = "This page shows the hidden reference: do not publish it."


class Overview(NamedTuple):
    """A reference that was read, what it holds, and all warnings."""

    loaded: AnyLoaded
    content: Content
    warnings: Findings

    def lines(self) -> list[str]:
        """Return the warnings, and the content in short."""
        lines = [f"warning {line}" for line in self.warnings.lines(shown=None)]
        lines.append("scored: " + ", ".join(f"{thing} {n:,}" for thing, n in self.content.counts.items()))
        for kind, counts in self.content.names.items():
            ends = [f"{quote(name)} ({n:,})" for name, n in _by_count(counts)]
            lines.append(f"{kind}: {len(ends):,}, from {ends[0]} to {ends[-1]}")
        for title, low, low_at, median, high, high_at in _extremes(self.content.values):
            lines.append(f"{title}: {low:g} ({low_at}) to {high:g} ({high_at}), median {median:g}")
        return lines

    def write(self, path: Path) -> str:
        """Write the page; return a line that says where it is."""
        write_durable(path, self.page())
        return f"overview: {path} (it shows the hidden reference: do not publish it)"

    def page(self) -> str:
        """Return the page: warnings first, then numbers, names, and distributions."""
        task, settings = self.loaded.task, self.loaded.settings
        chosen = [
            f"{s.name}: {settings[s.name]}" for s in task.known_settings if settings[s.name] != s.default
        ]
        said = [element("li", line) for line in self.warnings.lines(shown=None)]
        text = "What is scored, after splits and settings" + (f" ({', '.join(chosen)})." if chosen else ".")
        drawn = cards(self._sections(), _MOST_ENTRIES)
        shown = element("ul", *said) if said else "Nothing looks like a mistake."
        head = [element("h1", "Overview of the reference"), element("p", text)]
        head.append(element("p", element("strong", _WARNING, class_="bad")))
        first = card("warnings", "Likely mistakes", "", shown)
        return document(
            task.title, head, [element("div", first), contents([first, *drawn]), element("div", *drawn)]
        )

    def _sections(self) -> list[Section]:
        content = self.content
        titles = columns(text=["Thing"], count=["Number"])
        sections: list[Section] = [Table("counts", "How many", "", titles, list(content.counts.items()))]
        titles = [
            *columns(text=["Number"], number=["Smallest"]),
            *columns(text=["Where"], number=["Median", "Largest"]),
        ]
        rows = _extremes(content.values)
        sections.append(
            Table("extremes", "Smallest and largest", "", [*titles, *columns(text=["Where"])], rows)
        )
        for kind, counts in content.names.items():
            titles = columns(text=[kind.capitalize()], count=["Number"], share=["Of the most frequent"])
            most = max(counts.values())
            bars = [(name, n, n / most) for name, n in _by_count(counts)]
            sections.append(Table(f"names-{kind}", f"How often each {kind} occurs", "", titles, bars))
        return sections + [_histogram(values) for values in content.values if len(values.numbers)]


def review(loaded: AnyLoaded, warnings: Findings | None = None) -> Overview:
    """Return the overview of a reference, with more ``warnings`` before its own.

    Raises Refused if nothing is annotated.
    """
    content, all_warnings = loaded.content(), warnings or Findings()
    all_warnings.extend(content.warnings)
    return Overview(loaded, content, all_warnings)


def review_reference(task_id: str, reference: Path | bytes) -> Overview:
    """Return the overview of a reference folder, or a zip of one. Raises Refused."""
    task = load_task(task_id)
    with ExitStack() as stack:
        folder = (
            reference
            if isinstance(reference, Path)
            else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        )
        if isinstance(reference, bytes):
            unpack(reference, folder)
        loaded = task.load(folder, task.settings(folder))
        loaded.check()
        return review(loaded)


def _by_count(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return names and numbers, the most frequent first."""
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def _extremes(values: Sequence[Values]) -> list[tuple[str, float, str, float, float, str]]:
    """Return title, smallest number, its place, median, largest number and its place of each kind."""
    rows = []
    for title, numbers, place in (kind for kind in values if len(kind.numbers)):
        low, high = int(np.argmin(numbers)), int(np.argmax(numbers))
        ends = [round(float(number), 1) for number in (numbers[low], np.median(numbers), numbers[high])]
        rows.append((title, ends[0], quote(place(low)), ends[1], ends[2], quote(place(high))))
    return rows


def _histogram(values: Values) -> Histogram:
    """Return a histogram with round edges."""
    low, high = float(values.numbers.min()), float(values.numbers.max())
    step = max((high - low) / _BINS, 1e-9)
    power = 10.0 ** np.floor(np.log10(step))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * (1 - 1e-9))
    if values.numbers.dtype.kind == "i":
        step = max(1.0, step)
    first = np.floor(low / step)
    edges = step * np.arange(first, max(np.ceil(high / step), first) + 2)
    counts = np.histogram(values.numbers, edges)[0].tolist()
    name = values.title.split(" (")[0]
    return Histogram(
        f"values-{name}", name.capitalize(), "", edges.tolist(), counts, values.title, "how many"
    )
