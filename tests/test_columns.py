"""Each column of scores is explained on the page of its task, has a golden number, and is computed a second time."""

from __future__ import annotations

from random import Random

from scoring_program.task import load_task
from tests.golden_cases import PROTOCOLS, cases, expected_of
from tests.helpers import PUBLISHED, ROOT
from tests.plain.random_cases import SETTINGS, write_random_case
from tests.test_plain_programs import INTERVAL, plain_scores


def golden_columns(task_id):
    """Return the columns that have a number for both protocols."""
    columns = [expected_of(case).get("columns", {}) for case in cases(task_id)]
    return set.intersection(*({key for each in columns for key in each.get(name, ())} for name in PROTOCOLS))


def test_each_column_has_a_sentence_a_golden_number_and_a_plain_program(tmp_path):
    lacking = []
    for task_id in PUBLISHED:
        page = (ROOT / "pages" / f"{task_id}.md").read_text(encoding="utf-8")
        (tmp_path / task_id).mkdir()
        folders = write_random_case(task_id, Random(0), tmp_path / task_id)
        plain = plain_scores(task_id, *folders, protocol="published", **SETTINGS[task_id])
        golden = golden_columns(task_id)
        # Intervals have a page and golden numbers of their own: pages/evaluation.md, tests/golden_statistics.
        for key in [column.key for column in load_task(task_id).columns if column.key not in INTERVAL]:
            lacking += [f"{task_id}: {key} is not on its page"] * (f"`{key}`" not in page)
            lacking += [f"{task_id}: {key} has no golden number"] * (key not in golden)
            lacking += [f"{task_id}: {key} is not in its plain program"] * (key not in plain)
    assert lacking == []
