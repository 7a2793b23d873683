"""The command ``side-by-side``: rankings of tasks or phases on one page."""

from __future__ import annotations

import html5lib
import pytest

from organizer.__main__ import main
from tests.rescoring import ID, call, rows, sample, varied, write_submissions

HOSTILE = "<b>&c"


def side_by_side(output, *rankings):
    return main(["side-by-side", *map(str, rankings), "--output", str(output)])


def cells_of(page):
    """Return the texts of the cells of the table by team, without the heading."""
    tree = html5lib.HTMLParser(namespaceHTMLElements=False, strict=True).parse(page.read_text())
    cells = {}
    for row in tree.find(".//table").iter("tr"):
        team, *others = [" ".join(" ".join(cell.itertext()).split()) for cell in row]
        cells[team] = others
    del cells["Team"]
    return cells


@pytest.fixture(scope="module")
def rankings(tmp_path_factory, pools_of_all_calls):
    """Return the folders of two rankings, which have two teams in common."""
    folder = tmp_path_factory.mktemp("rankings")
    first = {"a.zip": varied(0), f"{HOSTILE}/x.zip": varied(300), "c.zip": sample("weak")}
    second = {"c.zip": varied(0), "a.zip": sample("weak"), "d.zip": varied(200)}
    outputs = []
    for name, submissions in (("first", first), ("second", second)):
        source = write_submissions(folder / f"{name}_in", submissions)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("organizer.runs.rescore.Pool", pools_of_all_calls.start)
            assert call(source, folder / name) == 0
        outputs.append(folder / name)
    return outputs


def test_teams_have_a_row_with_rank_and_rank_set_in_each_ranking(rankings, tmp_path):
    page = tmp_path / "pages" / "rankings.html"
    assert side_by_side(page, *rankings) == 0
    cells = cells_of(page)
    tables = [rows(folder / "ranking.csv", "team") for folder in rankings]
    assert list(cells) == [*tables[0], "d"]
    for team, texts in cells.items():
        for text, table in zip(texts, tables):
            if team not in table:
                assert text == "–"
                continue
            row = table[team]
            rank_set = row["rank_low"]
            if row["rank_high"] != rank_set:
                rank_set += f" to {row['rank_high']}"
            assert text == f"{row['rank']} {rank_set}; score {float(row['score']):.4f}"


def test_page_says_that_data_is_synthetic_and_shows_no_items(rankings, tmp_path):
    assert side_by_side(tmp_path / "page.html", *rankings) == 0
    text = (tmp_path / "page.html").read_text()
    assert "DEMO: " in text
    assert "DemoSequence" not in text
    assert "<b>" not in text
    assert "<script" not in text


@pytest.mark.slow
def test_ranking_by_two_protocols_has_two_columns(tmp_path):
    source = write_submissions(tmp_path / "in", {"a.zip": sample(), "b.zip": sample("weak")})
    assert call(source, tmp_path / "out", "--protocols", "published", "released") == 0
    assert side_by_side(tmp_path / "page.html", tmp_path / "out") == 0
    assert {len(texts) for texts in cells_of(tmp_path / "page.html").values()} == {2}
    assert "released" in (tmp_path / "page.html").read_text()


def test_folder_without_a_ranking_is_named(rankings, tmp_path, capsys):
    page = tmp_path / "page.html"
    assert side_by_side(page, rankings[0], tmp_path / "nothing") == 1
    assert f"{tmp_path / 'nothing'}: " in capsys.readouterr().out
    damaged = tmp_path / "damaged" / "store" / "ranking.json"
    damaged.parent.mkdir(parents=True)
    for text in ("[]", '{"runs": {}}', '{"runs": {"no_task": {}}}', f'{{"runs": {{"{ID}": {{}}}}}}'):
        damaged.write_text(text)
        assert side_by_side(page, tmp_path / "damaged") == 1
    unscored = write_submissions(tmp_path / "in", {"a.zip": b""})
    assert call(unscored, tmp_path / "unscored") == 0
    capsys.readouterr()
    assert side_by_side(page, tmp_path / "unscored") == 1
    assert f"{tmp_path / 'unscored'}: " in capsys.readouterr().out
    assert not page.exists()
