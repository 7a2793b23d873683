"""The ranking that the demo shows."""

from __future__ import annotations

import pytest

from quality.demo_ranking import TEAMS, write_demo_ranking
from tests.rescoring import rows


@pytest.mark.slow
def test_twelve_teams_are_ranked_on_sixty_items(tmp_path, capsys):
    assert write_demo_ranking(tmp_path) == 0
    assert set(rows(tmp_path / "ranking.csv", "team")) == set(TEAMS)
    assert len(rows(tmp_path / "items.csv", "item")) == 60
    outcomes = [row["outcome"] for row in rows(tmp_path / "scores.csv").values()]
    assert (outcomes.count("scored"), outcomes.count("invalid")) == (24, 1)
    page = (tmp_path / "index.html").read_text()
    for part in ("not distinguishable", "Hardest"):
        assert part in page
    assert str(tmp_path / "index.html") in capsys.readouterr().out
