"""The items in which two submissions differ most, drawn side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Union
from xml.etree.ElementTree import Element

import numpy as np

from people_in_video.drawings import svg
from people_in_video.drawings.scenes import GROUND_TRUTH, PREDICTION, sides_key
from people_in_video.drawings.svg import Drawings
from people_in_video.drawings.timelines import Timeline
from people_in_video.home_loaded import MOST_DRAWINGS, HomeLoaded, draw_function
from scoring_program.report.elements.layout import card
from scoring_program.report.html import cut, element
from scoring_program.report.sections import Look
from scoring_program.result import Result
from validator.arrays import Floats
from validator.findings import Refused

_MOST_ITEMS = 6
_MOST_LANES = 500

# A section with one drawing, or a timeline.
Picture = Union[Drawings, Timeline]


class ItemPair(NamedTuple):
    """An item as two submissions predict it.

    Attributes
    ----------
    item : str
    scores : tuple of 2 float
    pictures : tuple of 2 Drawings or Timeline or None
        None for a submission without anything in the item.
    """

    item: str
    scores: tuple[float, float]
    pictures: tuple[Picture | None, Picture | None]


class ItemPairs(NamedTuple):
    """The items in which the two submissions called ``names`` differ most, the largest difference first."""

    names: tuple[str, str]
    pairs: Sequence[ItemPair]

    def address(self, item: str) -> str:
        """Return where an item is on the page, "" if it is not drawn."""
        for number, pair in enumerate(self.pairs):
            if pair.item == item:
                return f"#pair-{number}"
        return ""


def draw_item_pairs(
    loaded: HomeLoaded,
    names: tuple[str, str],
    item_scores: Floats,
    score: Callable[[HomeLoaded, str], Result],
) -> ItemPairs | None:
    """Return drawings of the items in which two submissions differ most; None without any.

    Parameters
    ----------
    loaded : HomeLoaded
    names : tuple of 2 str
    item_scores : float64 array of shape (n_items, 2)
        NaN where an item has none.
    score : callable
        Scores the submission of a name on some of the items. Raises Refused if it has none of them.
    """
    difference = np.nan_to_num(np.abs(item_scores[:, 0] - item_scores[:, 1]))
    largest_first = np.argsort(-difference, kind="stable")[: min(_MOST_ITEMS, np.count_nonzero(difference))]
    if not len(largest_first) or draw_function(loaded.task) is None:
        return None
    items = [loaded.items[number] for number in largest_first.tolist()]
    settings = {**loaded.settings, "notes": False, "interval": False}
    subset = replace(
        loaded.select_items(items), settings=settings, n_drawings=MOST_DRAWINGS, draws_right=True
    )
    pictures_of_sides = [_pictures(subset, name, score) for name in names]
    pairs = []
    for item, scores in zip(items, item_scores[largest_first].tolist()):
        first, second = (pictures.get(item, {}) for pictures in pictures_of_sides)
        # The worst view of the worse submission that both have.
        is_first_worse = (scores[0] < scores[1]) == loaded.task.higher_is_better
        worse, better = (first, second) if is_first_worse else (second, first)
        title = next((title for title in worse if title in better), "")
        pictures = _of_one_size(_picture(first, title), _picture(second, title))
        pairs.append(ItemPair(item, (scores[0], scores[1]), pictures))
    return ItemPairs(names, pairs)


def _pictures(
    subset: HomeLoaded, name: str, score: Callable[[HomeLoaded, str], Result]
) -> dict[str, dict[str, Picture]]:
    """Return the pictures of each item by their titles, the worst first."""
    pictures_of_item: dict[str, dict[str, Picture]] = {}
    try:
        sections = score(subset, name).sections
    except Refused:
        # It has none of these items.
        return pictures_of_item
    for section in sections:
        if isinstance(section, Timeline):
            pictures_of_item[section.title] = {section.title: section}
        elif isinstance(section, Drawings):
            for drawing in section.drawings:
                pictures = pictures_of_item.setdefault(str(drawing.item[0]), {})
                pictures[drawing.title] = replace(section, drawings=[drawing])
    return pictures_of_item


def _picture(pictures: Mapping[str, Picture], title: str) -> Picture | None:
    """Return the picture of this title, or else the first; None without any."""
    return pictures.get(title) or next(iter(pictures.values()), None)


def _of_one_size(first: Picture | None, second: Picture | None) -> tuple[Picture | None, Picture | None]:
    """Return two pictures; drawings, whose canvas holds what one submission says, on one for both."""
    if not (isinstance(first, Drawings) and isinstance(second, Drawings)):
        return first, second
    (first_drawing,), (second_drawing,) = first.drawings, second.drawings
    width = max(first_drawing.size[0], second_drawing.size[0])
    height = max(first_drawing.size[1], second_drawing.size[1])
    enlarged_drawings = [
        drawing._replace(size=(width, height)) for drawing in (first_drawing, second_drawing)
    ]
    return replace(first, drawings=enlarged_drawings[:1]), replace(second, drawings=enlarged_drawings[1:])


def item_pairs_card(item_pairs: ItemPairs, item: str) -> Element:
    """Return a card with both pictures of each item; ``item`` is what the task calls one."""
    first_name, second_name = map(cut, item_pairs.names)
    grid = element("div", class_="drawn")
    for number, pair in enumerate(item_pairs.pairs):
        for side, name in enumerate(item_pairs.names):
            place = {} if side else {"id": f"pair-{number}"}
            heading = f"{cut(name)}, score {pair.scores[side]:.3f}"
            picture = _picture_element(pair.item, heading, pair.pictures[side], item)
            grid.append(element("div", *picture, class_="pair", **place))
    note = f"The {item}s with the largest differences of their scores, as both predict them: {first_name}, "
    note += f"then {second_name}."
    title = f"Where {first_name} and {second_name} differ most"
    return card("item-pairs", title, note, _legend(item_pairs), grid)


def _legend(item_pairs: ItemPairs) -> Element:
    """Return what colors mean."""
    pictures = [picture for pair in item_pairs.pairs for picture in pair.pictures if picture]
    drawings = [picture for picture in pictures if isinstance(picture, Drawings)]
    if not drawings:
        return sides_key({GROUND_TRUTH, PREDICTION})
    all_drawings = [drawing for section in drawings for drawing in section.drawings]
    return svg.legend(replace(drawings[0], drawings=all_drawings))


def _picture_element(name: str, heading: str, picture: Picture | None, item: str) -> list[Element]:
    """Return a picture of an item, or words without one."""
    if isinstance(picture, Drawings):
        (drawing,) = picture.drawings
        return [element("small", heading), svg.drawing(drawing, picture.points)]
    parts = [element("small", heading), element("h3", cut(name))]
    if picture is None:
        return [*parts, element("p", f"Nothing is drawn of this {item}.")]
    return [*parts, *picture.render(Look(_MOST_LANES))]
