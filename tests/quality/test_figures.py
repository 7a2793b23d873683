"""The figures in docs/images/ are those that the metrics draw, with texts for those who cannot see them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from quality.figures import FIGURES, figures

DRAWN = {figure.name: figure for figure in figures()}


@pytest.mark.parametrize("name", DRAWN)
def test_checked_in_figure_is_the_one_that_is_drawn(name):
    assert (FIGURES / f"{name}.svg").read_text(encoding="utf-8") == DRAWN[name].svg()


@pytest.mark.parametrize("name", DRAWN)
def test_figure_has_a_description_and_no_script(name):
    tree = ElementTree.fromstring(DRAWN[name].svg())  # noqa: S314 - it is ours
    assert tree.findtext("{*}title") == DRAWN[name].description
    assert not tree.findall(".//{*}script")


def test_worked_example_of_chalearn_has_its_numbers():
    assert all(number in DRAWN["jaccard"].svg() for number in ("0.72", "0.46", "0.59"))
