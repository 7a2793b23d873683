"""What a reference holds and what of it is likely a mistake, for the terminal and as a page."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from organizer.data.content import Content, Values
from organizer.files import keep_out_of_git, unpack, write_durable
from organizer.tasks import content_of
from people_in_video.drawings.images import Images, with_images
from people_in_video.drawings.scenes import drawings_style
from people_in_video.references.preparation import check_reference, load_any
from scoring_program.figures.histogram import Histogram
from scoring_program.report.elements.axis import round_step
from scoring_program.report.elements.layout import card, document, in_columns, with_contents
from scoring_program.report.elements.tables import Cell, Heading, table
from scoring_program.report.html import element
from scoring_program.report.sections import Look, section_cards
from scoring_program.scoring import AnyLoaded
from scoring_program.task import load_task
from validator.arrays import Floats, Ints
from validator.texts import quote

SUFFIX = ".overview.html"
"""The end of the name of an overview, which no zip may hold: it shows the hidden reference. In a reference
folder it is the whole name, so that the overview is hidden and in no bundle or hash."""
_MOST_BINS = 8
# Of values that are whole numbers: as many get a bar each.
_MOST_WHOLE_NUMBERS = 24
_MOST_ENTRIES = 500
_NOT_CHECKED = "The annotations were not checked for mistakes: what they are the evaluator alone knows."


class Overview(NamedTuple):
    """A reference that was read, and what it holds."""

    loaded: AnyLoaded
    content: Content

    def lines(self) -> list[str]:
        """Return the warnings, and the content in short."""
        lines = self.content.warning_lines()
        if not self.content.is_checked:
            lines.append(f"note {_NOT_CHECKED}")
        counts = [f"{thing} {number:,}" for thing, number in self.content.counts.items()]
        lines.append(f"scored: {', '.join(counts)}")
        for kind, number_of_name in self.content.names.items():
            entries = _most_frequent_first(number_of_name)
            most_frequent, rarest = _name_text(*entries[0]), _name_text(*entries[-1])
            lines.append(f"{kind}: {len(entries):,}, from {most_frequent} to {rarest}")
        for values in self.content.values:
            extremes = _extremes(values)
            range_text = f"{extremes.low} ({extremes.low_place}) to {extremes.high} ({extremes.high_place})"
            lines.append(f"{extremes.title}: {range_text}, median {extremes.median}")
        return lines

    def write(self, path: Path, images: Images) -> str:
        """Write the page into a folder that git ignores; return a line that says where it is."""
        path.parent.mkdir(parents=True, exist_ok=True)
        keep_out_of_git(path.parent)
        write_durable(path, self.page(images))
        return f"overview: {path} (it shows the hidden reference: do not publish it)"

    def page(self, images: Images | None = None) -> str:
        """Return the page: warnings first, then numbers, names, distributions, and a few items drawn."""
        content = self.content
        first_cards = [_warnings_card(content)]
        other_cards = [
            _counts_card(content),
            *_extremes_cards(content),
            *in_columns([*_name_cards(content), *_value_cards(content)]),
            *section_cards(with_images(content.draw(), images or Images()), Look(_MOST_ENTRIES)),
        ]
        body = with_contents(first_cards, other_cards)
        return document(self.loaded.task.title, _head(self.loaded), body, drawings_style())


def review_reference(task_id: str, reference: Path | bytes) -> Overview:
    """Return the overview of a reference folder, or of a zip of one. Raises Refused."""
    if isinstance(reference, bytes):
        with tempfile.TemporaryDirectory() as work:
            unpack(reference, Path(work))
            return review_reference(task_id, Path(work))
    task = load_task(task_id)
    loaded = load_any(task, reference, task.settings(reference))
    check_reference(loaded)
    return Overview(loaded, content_of(loaded))


def _head(loaded: AnyLoaded) -> list[Element]:
    """Return the title, the settings that are not the defaults, and that the page is not to be published."""
    settings = []
    for setting in loaded.task.known_settings:
        value = loaded.settings[setting.name]
        if value != setting.default:
            settings.append(f"{setting.name}: {value}")
    caution = "This page shows the hidden reference: do not publish it."
    return [
        element("h1", "Overview of the reference"),
        element("p", f"What is scored; settings: {', '.join(settings) or 'the defaults'}."),
        element("p", element("strong", caution, class_="bad")),
    ]


def _warnings_card(content: Content) -> Element:
    problems = [element("li", problem.line()) for problem in content.warnings.summary().problems(None)]
    parts: list[Element | str] = [element("ol", *problems)] if problems else []
    if not content.is_checked:
        parts.append(_NOT_CHECKED)
    elif not problems:
        parts.append("Nothing looks like a mistake.")
    return card("warnings", "Likely mistakes", "", *parts)


def _counts_card(content: Content) -> Element:
    headings = [Heading("What", "text"), Heading("Number", "count")]
    title = "How many"
    return card("counts", title, "", *table(headings, list(content.counts.items()), title))


def _extremes_cards(content: Content) -> list[Element]:
    """Return the table of the smallest and largest numbers, if there are any."""
    if not content.values:
        return []
    titles = ("Number", "Smallest", "Median", "Largest", "Where the smallest is", "Where the largest is")
    headings = [Heading(title, "text") for title in titles]
    title = "Smallest and largest"
    rows = [_extremes_row(_extremes(values)) for values in content.values]
    return [card("extremes", title, "", *table(headings, rows, title))]


def _extremes_row(extremes: _Extremes) -> list[Cell]:
    """Return a row of the table: the numbers, then the places, which may be long."""
    places = [element("div", place, class_="place") for place in (extremes.low_place, extremes.high_place)]
    return [extremes.title, extremes.low, extremes.median, extremes.high, *places]


def _name_cards(content: Content) -> list[Element]:
    """Return for each kind of name how often each occurs."""
    cards = []
    for kind, number_of_name in content.names.items():
        headings = [
            Heading(kind.capitalize(), "text"),
            Heading("Number", "count"),
            Heading("Relative to the most frequent", "share"),
        ]
        largest = max(1, *number_of_name.values())
        rows = [(name, number, number / largest) for name, number in _most_frequent_first(number_of_name)]
        title = f"How often each {kind} occurs"
        cards.append(card(f"names-{kind}", title, "", *table(headings, rows, title, most=_MOST_ENTRIES)))
    return cards


def _most_frequent_first(number_of_name: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return names and numbers, the most frequent first, equal ones by name."""
    by_name = sorted(number_of_name.items())
    return sorted(by_name, key=lambda name_and_number: -name_and_number[1])


def _name_text(name: str, number: int) -> str:
    """Return a name as it was written, with how often it occurs."""
    return f"{quote(name)} ({number:,})"


class _Extremes(NamedTuple):
    """The smallest and the largest of some numbers, where they are, and the median, as texts."""

    title: str
    low: str
    low_place: str
    high: str
    high_place: str
    median: str


def _extremes(values: Values) -> _Extremes:
    smallest, largest = int(np.argmin(values.numbers)), int(np.argmax(values.numbers))
    return _Extremes(
        title=values.title,
        low=f"{values.numbers[smallest]:,.6g}",
        low_place=quote(values.place(smallest)),
        high=f"{values.numbers[largest]:,.6g}",
        high_place=quote(values.place(largest)),
        median=f"{np.median(values.numbers):,.6g}",
    )


def _value_cards(content: Content) -> list[Element]:
    """Return for each kind of number how it is distributed."""
    cards = []
    for values in content.values:
        title = values.title.split(" (")[0].capitalize()
        is_bar_of_each = _are_few_whole_numbers(values.numbers)
        edges = _edges_around(values.numbers) if is_bar_of_each else _round_edges(values.numbers)
        counts = np.histogram(values.numbers, edges)[0].tolist()
        histogram = Histogram(
            key=f"values-{title}",
            title=title,
            note="",
            edges=edges,
            counts=counts,
            value=values.title,
            things=values.things,
        )
        cards += section_cards([histogram], Look(_MOST_ENTRIES))
    return cards


def _are_few_whole_numbers(numbers: Floats | Ints) -> bool:
    """Return whether there are so few different whole numbers that each can have a bar."""
    n_bars = float(numbers.max()) - float(numbers.min()) + 1
    return n_bars <= _MOST_WHOLE_NUMBERS and _are_whole(numbers)


def _are_whole(numbers: Floats | Ints) -> bool:
    return bool((numbers == np.rint(numbers)).all())


def _edges_around(numbers: Floats | Ints) -> list[float]:
    """Return the edges of bins that have one whole number each."""
    edges: list[float] = (np.arange(numbers.min(), numbers.max() + 2) - 0.5).tolist()
    return edges


def _round_edges(numbers: Floats | Ints) -> list[float]:
    """Return the edges of bins: about `_MOST_BINS`, from and to multiples of a round width, whole for whole
    numbers."""
    low, high = float(numbers.min()), float(numbers.max())
    width = round_step((high - low) / _MOST_BINS, is_whole=low == high or _are_whole(numbers))
    edges: list[float] = (width * np.arange(low // width, high // width + 2)).tolist()
    return edges
