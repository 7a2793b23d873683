"""Drawings of items as SVG: boxes, outlines and points of both sides on a canvas, with what is wrong below.

Ground truth is solid, prediction dashed, each in the color that it has in every chart. Wrong objects are
numbered; every shape has its words on hover.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from people_in_video.drawings.labels import Labels
from people_in_video.drawings.scenes import (
    GROUND_TRUTH,
    PREDICTION,
    Drawing,
    DrawnObject,
    Shape,
    drawings_style,
    grid,
    sides_key,
)
from scoring_program.report.elements.colors import color_scale
from scoring_program.report.html import cut, element
from scoring_program.report.sections import Look
from scoring_program.result import FULL, Section
from validator.texts import counted

_MOST_LISTED = 8
# How many show at once.
_OPEN = 2
# Drawings with more objects can be shown with those of one side alone.
_MOST_OF_BOTH_SIDES = 10
_TEXT_OF_CHOICE = {
    "both-sides": "both",
    "ground-truth-alone": f"{GROUND_TRUTH} alone",
    "prediction-alone": f"{PREDICTION} alone",
}
_LONGEST_WORDS, _LONGEST_CLAIM = 200, 24
# The sizes of labels and of points as shares of the longer side; texts can be read on a phone.
_TEXT, _POINT = 0.034, 0.008
_CLASSES = {GROUND_TRUTH: "truth", PREDICTION: "guess"}


@dataclass(frozen=True)
class Drawings(Section):
    """Drawings of the worst items; ``points`` says what the value of points is, "" without points."""

    level = FULL
    has_images = True
    drawings: Sequence[Drawing]
    points: str = ""

    def render(self, look: Look) -> list[Element]:
        """Return what colors mean, and the drawings, the first of them open."""
        canvases = [drawing(data, self.points) for data in self.drawings[: look.limit]]
        return [legend(self), *grid(canvases, look.n_open or _OPEN, "drawing")]

    def style(self) -> str:
        """Return the CSS of drawings."""
        return drawings_style()


def legend(data: Drawings) -> Element:
    """Return what colors mean, of both sides and of points, as far as they are drawn."""
    roles = set()
    for one_drawing in data.drawings:
        for drawn in one_drawing.objects:
            roles |= {shape.role for shape in drawn.shapes}
    meanings = sides_key(roles)
    if data.points:
        meanings.append(color_scale(f"{data.points}: 1", "0"))
    is_crowded = any(len(one_drawing.objects) > _MOST_OF_BOTH_SIDES for one_drawing in data.drawings)
    if is_crowded and roles == {GROUND_TRUTH, PREDICTION}:
        meanings.append(_choice_of_sides())
    return meanings


def _choice_of_sides() -> Element:
    """Return links that choose which sides are shown; the style sheet hides the other one by their target."""
    choice = element("span", "show ", class_="choice")
    for target, text in _TEXT_OF_CHOICE.items():
        choice.append(element("a", text, id=target, href=f"#{target}"))
    return choice


def drawing(data: Drawing, points: str) -> Element:
    """Return a drawing with its title and words for wrong objects; ``points`` names the value of points."""
    wrong_objects = [drawn for drawn in data.objects if drawn.is_wrong]
    words = [
        element("ol", *(element("li", _words(drawn)) for drawn in wrong_objects[:_MOST_LISTED])),
        *(element("p", note) for note in _notes(data, n_left_out=len(wrong_objects) - _MOST_LISTED)),
    ]
    canvas = _canvas(data)
    for drawn in data.objects:
        if not drawn.is_wrong:
            canvas.append(_object(drawn, data.size, points))
    # Wrong objects come last, above the others, and the labels of those in the list above all.
    for drawn in wrong_objects:
        canvas.append(_object(drawn, data.size, points))
    canvas.extend(_labels(wrong_objects[:_MOST_LISTED], data.size))
    place = {"id": data.anchor} if data.anchor else {}
    return element("div", element("h3", cut(data.title, 120)), canvas, *words, class_="drawing", **place)


def _canvas(data: Drawing) -> Element:
    """Return the empty canvas, with the image if there is one."""
    width, height = data.size
    description = f"{data.title}: {counted(len(data.objects), 'object')}"
    canvas = element("svg", viewBox=f"0 0 {width} {height}", role="img", aria_label=cut(description, 120))
    canvas.append(element("rect", width=width, height=height, class_="canvas"))
    if data.image:
        look = {"href": data.image, "preserveAspectRatio": "none"}
        canvas.append(element("image", width=width, height=height, **look))
    return canvas


def _notes(data: Drawing, n_left_out: int) -> list[str]:
    """Return the notes below a drawing: how many wrong objects are not listed, its text, its extent."""
    notes = []
    if n_left_out > 0:
        notes.append(f"and {n_left_out:,} more")
    for note in (data.text, data.extent):
        if note:
            notes.append(cut(note, 300))
    return notes


def _words(drawn: DrawnObject) -> str:
    return cut(f"{drawn.label}: {drawn.outcome}", _LONGEST_WORDS)


def _object(drawn: DrawnObject, size: tuple[int, int], points: str) -> Element:
    """Return the shapes and points of an object."""
    group = element("g", element("title", _words(drawn)))
    for shape in drawn.shapes:
        look = f"{_CLASSES[shape.role]}{' wrong' if drawn.is_wrong else ''}"
        path = element("path", class_=look, d=_outline(shape, size))
        if shape.claim:
            path.append(element("title", cut(f"{shape.role}: {shape.claim}", _LONGEST_WORDS)))
        group.append(path)
    for x, y, value in drawn.points:
        radius = f"{_POINT * max(size):.4g}"
        # The worst are the darkest.
        style = f"--s:{1 - min(max(value, 0.0), 1.0):.2f}"
        point = element("circle", cx=f"{x:.5g}", cy=f"{y:.5g}", r=radius, class_="limb point", style=style)
        if points:
            point.append(element("title", f"{value:.2f}"))
        group.append(point)
    return group


def _labels(objects: Sequence[DrawnObject], size: tuple[int, int]) -> list[Element]:
    """Return the numbers of objects at corners of their shapes, and below these what predictions say that
    objects are.

    A label that would lie on an earlier one is left out: the words of its shape have it.
    """
    labels = Labels(size, _TEXT * max(size))
    for number, drawn in enumerate(objects, start=1):
        for shape in drawn.shapes:
            labels.add_at_corners(f"{number}", shape.box, f"number-{_CLASSES[shape.role]}")
    for drawn in objects:
        for shape in drawn.shapes:
            if shape.claim and shape.role == PREDICTION:
                left, _, _, bottom = shape.box
                claim = cut(shape.claim, _LONGEST_CLAIM)
                labels.add(claim, [(left, bottom)], f"number-{_CLASSES[PREDICTION]} claim")
    return labels.texts


def _outline(shape: Shape, size: tuple[int, int]) -> str:
    """Return the path of the outlines of a shape, or of its box; far ends are cut where nobody sees them."""
    left, top, right, bottom = shape.box
    polygons = shape.outlines or [(left, top, right, top, right, bottom, left, bottom)]
    farthest = 2 * max(size)
    paths = []
    for polygon in polygons:
        numbers = [f"{min(max(number, -farthest), farthest):.5g}" for number in polygon]
        corners = [f"{x} {y}" for x, y in zip(numbers[::2], numbers[1::2])]
        paths.append(f"M{' L'.join(corners)} Z")
    return " ".join(paths)
