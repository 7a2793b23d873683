"""What a reference holds and what of it is likely a mistake, for the terminal and as a page."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from organizer.challenges import content_of
from organizer.content import Content, Values
from organizer.files import unpack, write_durable
from scoring_program.report.html import element
from scoring_program.report.images import Images, with_images
from scoring_program.report.page import card, cards, contents, document, style
from scoring_program.result import Histogram, Section, Table, columns
from scoring_program.task import AnyLoaded, load_task
from validator.texts import quote

SUFFIX = ".overview.html"
"""The end of the name of an overview, which no zip may hold: it shows the hidden reference."""
_BINS = 8
_MOST_ENTRIES = 500


class Overview(NamedTuple):
    """A reference that was read, and what it holds."""

    loaded: AnyLoaded
    content: Content

    def lines(self) -> list[str]:
        """Return the warnings, and the content in short."""
        lines = [f"warning {line}" for line in self.content.warnings.lines(most=None)]
        lines.append("scored: " + ", ".join(f"{thing} {n:,}" for thing, n in self.content.counts.items()))
        for kind, counts in self.content.names.items():
            ends = [f"{quote(name)} ({n:,})" for name, n in _by_count(counts)]
            lines.append(f"{kind}: {len(ends):,}, from {ends[0]} to {ends[-1]}")
        rows = map(_extremes, self.content.values)
        return lines + ["{}: {} ({}) to {} ({}), median {}".format(*row) for row in rows]

    def write(self, path: Path, images: Images) -> str:
        """Write the page; return a line that says where it is."""
        write_durable(path, self.page(images))
        return f"overview: {path} (it shows the hidden reference: do not publish it)"

    def page(self, images: Images | None = None) -> str:
        """Return the page: warnings first, then numbers, names, distributions, and a few items drawn."""
        task, settings = self.loaded.task, self.loaded.settings
        own = [f"{s.name}: {settings[s.name]}" for s in task.known_settings if settings[s.name] != s.default]
        head = [element("h1", "Overview of the reference")]
        head.append(element("p", f"What is scored; settings: {', '.join(own) or 'the defaults'}."))
        caution = "This page shows the hidden reference: do not publish it."
        head.append(element("p", element("strong", caution, class_="bad")))
        said = [element("li", problem.line()) for problem in self.content.warnings.summary().problems(None)]
        shown = element("ol", *said) if said else "Nothing looks like a mistake."
        sections = [*self._sections(), *with_images(self.content.draw(), images or Images())]
        first, drawn = card("warnings", "Likely mistakes", "", shown), cards(sections, _MOST_ENTRIES)
        body = [element("div", first), contents([first, *drawn]), element("div", *drawn)]
        return document(task.title, head, body, style("drawings.css"))

    def _sections(self) -> list[Section]:
        counts, names, values = self.content.counts, self.content.names, self.content.values
        titles = columns(text=["What"], count=["Number"])
        sections: list[Section] = [Table("counts", "How many", "", titles, list(counts.items()))]
        if values:
            titles = columns(text=["Number", "Smallest", "Where", "Largest", "Where", "Median"])
            sections.append(Table("extremes", "Smallest and largest", "", titles, [*map(_extremes, values)]))
        for kind, numbers in names.items():
            text, share = [kind.capitalize()], ["Relative to the most frequent"]
            titles = columns(text=text, count=["Number"], share=share)
            rows = [(name, n, n / max(1, *numbers.values())) for name, n in _by_count(numbers)]
            sections.append(Table(f"names-{kind}", f"How often each {kind} occurs", "", titles, rows))
        return sections + [_histogram(kind) for kind in values]


def review_reference(task_id: str, reference: Path | bytes) -> Overview:
    """Return the overview of a reference folder, or of a zip of one. Raises Refused."""
    if isinstance(reference, bytes):
        with tempfile.TemporaryDirectory() as work:
            unpack(reference, Path(work))
            return review_reference(task_id, Path(work))
    task = load_task(task_id)
    loaded = task.load(reference, task.settings(reference))
    loaded.check()
    return Overview(loaded, content_of(loaded))


def _by_count(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return names and numbers, the most frequent first."""
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def _extremes(values: Values) -> tuple[str, ...]:
    """Return title, smallest number and its place, largest number and its place, and median."""
    low, high = int(np.argmin(values.numbers)), int(np.argmax(values.numbers))
    ends = [text for i in (low, high) for text in (f"{values.numbers[i]:,.6g}", quote(values.place(i)))]
    return values.title, *ends, f"{np.median(values.numbers):,.6g}"


def _histogram(values: Values) -> Histogram:
    """Return a histogram with round edges."""
    low, high = float(values.numbers.min()), float(values.numbers.max())
    step = max((high - low) / _BINS, 1.0)
    power = 10.0 ** np.floor(np.log10(step))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step)
    edges = step * np.arange(low // step, high // step + 2)
    counts = np.histogram(values.numbers, edges)[0].tolist()
    title = values.title.split(" (")[0].capitalize()
    return Histogram(f"values-{title}", title, "", edges.tolist(), counts, values.title, "values")
