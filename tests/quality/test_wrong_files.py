"""A mistake in a JSON file gets the same message in a file of three entries and at full size."""

from __future__ import annotations

import pytest

from people_in_video.__main__ import main
from tests.quality.json_forms import FORMS
from tests.quality.wrong_files import (
    FULL_SIZE,
    make_document,
    possible_mistakes,
    read_finding,
    write_submission,
)

CASES = [
    pytest.param(task_id, mistake, id=f"{task_id}-{mistake.name}")
    for task_id, form in FORMS.items()
    for mistake in possible_mistakes(form)
]


@pytest.mark.parametrize("task_id", FORMS)
def test_file_without_mistake_is_valid(tmp_path, capsys, task_id):
    document = make_document(FORMS[task_id])
    write_submission(document.text, document, tmp_path)
    assert main(["check", task_id, str(tmp_path), "--json"]) == 0


def check_message(folder, capsys, task_id, mistake, *sizes):
    document = make_document(FORMS[task_id], *sizes)
    wrong = mistake.make(document)
    write_submission(wrong.text, document, folder)
    main(["check", task_id, str(folder), "--json"])
    finding = read_finding(capsys.readouterr().out)
    assert finding.is_expected(wrong), (finding.places[:3], wrong.places)


@pytest.mark.parametrize(("task_id", "mistake"), CASES)
def test_message_of_a_small_file(tmp_path, capsys, task_id, mistake):
    check_message(tmp_path, capsys, task_id, mistake)


@pytest.mark.slow
@pytest.mark.parametrize(("task_id", "mistake"), CASES)
def test_message_at_full_size(tmp_path, capsys, task_id, mistake):
    check_message(tmp_path, capsys, task_id, mistake, FULL_SIZE, mistake.entry_bytes)
