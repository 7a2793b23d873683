"""Drawings of items as SVG: boxes, outlines and points of both sides on a canvas, with what is wrong below.

Ground truth is solid, prediction dashed, each in the color that it has in every chart. Wrong objects are
numbered; every shape has its words on hover.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from scoring_program.report.charts import scale, sides_key
from scoring_program.report.html import cut, element
from scoring_program.result import GROUND_TRUTH, PREDICTION, Drawing, Drawings, DrawnObject, Shape
from validator.texts import counted

_MOST_LISTED = 8
# The size of numbers as a share of the width, and that of points.
_TEXT, _POINT = 0.035, 0.008
_CLASSES = {GROUND_TRUTH: "truth", PREDICTION: "guess"}


def legend(data: Drawings) -> Element:
    """Return what colors mean, of both sides and of points, as far as they are drawn."""
    roles = {shape.role for drawn in data.drawings for own in drawn.objects for shape in own.shapes}
    meanings = sides_key(roles)
    if data.points:
        meanings.append(scale(f"{data.points}: 0", "1"))
    return meanings


def drawing(data: Drawing, points: str) -> Element:
    """Return a drawing with its title and words for wrong objects; ``points`` names the value of points."""
    width, height = data.size
    description = f"{data.title}: {counted(len(data.objects), 'object')}"
    canvas = element("svg", viewBox=f"0 0 {width} {height}", role="img", aria_label=cut(description, 120))
    canvas.append(element("rect", width=width, height=height, class_="canvas"))
    if data.image:
        look = {"href": data.image, "preserveAspectRatio": "none"}
        canvas.append(element("image", width=width, height=height, **look))
    # Numbered objects come last, above the others.
    wrong = [drawn for drawn in data.objects if drawn.is_wrong]
    canvas.extend(_object(drawn, data.size, points) for drawn in data.objects if not drawn.is_wrong)
    canvas.extend(_object(drawn, data.size, points, str(n)) for n, drawn in enumerate(wrong, start=1))
    lines = [element("li", cut(f"{drawn.label}: {drawn.outcome}", 200)) for drawn in wrong[:_MOST_LISTED]]
    notes = [cut(data.text, 300), cut(data.extent, 300)]
    if more := len(wrong) - len(lines):
        notes.insert(0, f"and {more:,} more")
    below = [element("ol", *lines), *(element("p", note) for note in notes if note)]
    return element("div", element("h3", cut(data.title, 120)), canvas, *below, class_="drawing")


def _object(drawn: DrawnObject, size: tuple[int, int], points: str, number: str = "") -> Element:
    """Return the shapes and points of an object, with its number if it has one."""
    group = element("g", element("title", cut(f"{drawn.label}: {drawn.outcome}", 200)))
    for shape in drawn.shapes:
        look = f"{_CLASSES[shape.role]}{' wrong' if number else ''}"
        group.append(element("path", class_=look, d=_outline(shape, size)))
    for x, y, value in drawn.points:
        radius = f"{_POINT * max(size):.4g}"
        style = f"--s:{min(max(value, 0.0), 1.0):.2f}"
        point = element("circle", cx=f"{x:.5g}", cy=f"{y:.5g}", r=radius, class_="limb point", style=style)
        if points:
            point.append(element("title", f"{value:.2f}"))
        group.append(point)
    if number:
        group.extend(_number(number, shape, size) for shape in drawn.shapes)
    return group


def _number(number: str, shape: Shape, size: tuple[int, int]) -> Element:
    """Return a number at the upper left corner of a shape, on the canvas."""
    height = _TEXT * max(size)
    left, top = (min(max(at, 0.0), most - height) for at, most in zip(shape.box, size))
    x, y, font = f"{left + 0.15 * height:.5g}", f"{top + 0.9 * height:.5g}", f"{height:.4g}"
    return element("text", number, x=x, y=y, font_size=font, class_=f"number-{_CLASSES[shape.role]}")


def _outline(shape: Shape, size: tuple[int, int]) -> str:
    """Return the path of the outlines of a shape, or of its box; far ends are cut where nobody sees them."""
    left, top, right, bottom = shape.box
    polygons = shape.outlines or [(left, top, right, top, right, bottom, left, bottom)]
    most, paths = 2 * max(size), []
    for numbers in polygons:
        kept = [f"{min(max(number, -most), most):.5g}" for number in numbers]
        paths.append("M" + " L".join(f"{x} {y}" for x, y in zip(kept[::2], kept[1::2])) + " Z")
    return " ".join(paths)
