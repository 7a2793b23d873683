"""Labels beside the ends of lines: in the order of the ends, and none over another."""

from __future__ import annotations

import numpy as np

from organizer.ranking.end_labels import end_labels
from scoring_program.report.elements.axis import Axis
from scoring_program.report.elements.plots import Line


def test_labels_of_lines_that_end_together_are_moved_apart():
    lines = [Line(name, [0, 1], [0, height]) for name, height in (("a", 0.5), ("b", 0.52), ("c", 0.02))]
    height_of_label = {}
    for label in end_labels(lines, Axis("y", 0.0, 1.0)):
        height_of_label["".join(label.itertext())] = float(label.attrib["style"][len("bottom:") : -1])
    assert list(height_of_label) == ["c", "a", "b"]
    heights = list(height_of_label.values())
    assert np.diff(heights).min() >= 9
    assert heights[0] >= 0
    assert heights[-1] <= 100
