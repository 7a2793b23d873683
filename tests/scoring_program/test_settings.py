"""Settings and prepared files with values that cannot be: one located problem each, the same on every Python."""

from __future__ import annotations

import pytest

from organizer.__main__ import main
from tests.helpers import REFERENCES, ROOT, loaded, printed_problems

ID = "chalearn_gesture"


@pytest.mark.parametrize(
    ("text", "code", "where", "value"),
    [
        ("protocol: 2020-99-99\n", "E-SETTINGS-YAML", "line 1 column 11", ""),
        ("? [a, b]\n: 1\n", "E-SETTINGS-YAML", "line 1 column 1", ""),
        ("? {a: b}\n: 1\n", "E-SETTINGS-YAML", "line 1 column 1", ""),
        (f"{'9' * 500}: 1\n", "E-SETTINGS-YAML", "line 1 column 1", ""),
        ("a: " + "[" * 1000, "E-SETTINGS-YAML", "line 1 column 54", "nested"),
        ("#" * 200_000, "E-SETTINGS-YAML", "", "131,072"),
        ("protocol: \x01\n", "E-SETTINGS-YAML", "", "special characters"),
        ("1: 2\n", "E-SETTINGS-KEY", "/1", ""),
        ("time_limit: fast\n", "E-SETTINGS-VALUE", "/time_limit", ""),
        ("interval: 1\n", "E-SETTINGS-VALUE", "/interval", ""),
        ("score_decimals: true\n", "E-SETTINGS-VALUE", "/score_decimals", ""),
        ("score_decimals: 0\n", "E-SETTINGS-VALUE", "/score_decimals", ""),
        ("marks: empty\n", "E-SETTINGS-VALUE", "/marks", ""),
        ("marks: [full]\n", "E-SETTINGS-VALUE", "/marks", ""),
        ("counts: bset\n", "E-SETTINGS-VALUE", "/counts", ""),
        ("winner_rule: Team A\n", "E-SETTINGS-VALUE", "/winner_rule", ""),
        ("counts: {best_in: 1}\n", "E-SETTINGS-VALUE", "/counts", ""),
        ("time_limit: .inf\n", "E-SETTINGS-VALUE", "/time_limit", ""),
    ],
)
def test_prepare_says_in_one_line_what_is_wrong_with_settings(tmp_path, capsys, text, code, where, value):
    source = tmp_path / "source"
    source.mkdir()
    for path in (ROOT / "reference_data" / ID).glob("DemoSequence0001_*.csv"):
        (source / path.name).write_bytes(path.read_bytes())
    (source / "settings.yaml").write_text(text)
    assert main(["prepare", ID, "--source", str(source), "--output", str(tmp_path / "out")]) == 1
    (problem,) = printed_problems("".join(capsys.readouterr()))
    assert problem[:3] == (code, "settings.yaml", where)
    assert value in problem.text


def test_a_whole_number_is_in_the_signature_as_the_float_that_it_is():
    folder = REFERENCES / "kinetics_tps"
    whole, exact = (loaded("kinetics_tps", folder, part_iou=value).signature for value in (1, 1.0))
    assert whole == exact
