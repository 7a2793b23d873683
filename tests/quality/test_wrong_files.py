"""A mistake in a JSON file gets the same message in a file of three entries and at full size."""

from __future__ import annotations

import pytest

from people_in_video.__main__ import main
from quality.wrong_files import (
    check_in_process,
    json_forms,
    make_document,
    possible_mistakes,
    read_finding,
    write_submission,
)

FORMS = json_forms()
# Both readers of JSON differ from what 2.0 decides: no place for nesting, numbers that nobody reads may have any
# size, and what was wrong before a syntax error is told, too.
_NOT_YET = {
    "nested too deeply",
    "string for a number, and text after the value",
    "unread number above 64 bits",
}
# What the second reader, for files above 1 MB, tells in another way than the first, or refuses.
_SECOND_READER = {
    "wrapped",
    "wrapped, above 10 MB",
    "the same in an entry above 1 MB",
    "half a character",
    "curly apostrophe above 50 MB",
    "the same, escaped",
}


def _cases(is_large):
    cases = []
    for task_id in FORMS:
        for mistake in possible_mistakes(FORMS[task_id]):
            marks = []
            # Lists have a reader of their own.
            if not FORMS[task_id].is_list and mistake.name in _NOT_YET:
                marks.append(
                    pytest.mark.xfail(strict=True, reason="decided for the reader that replaces both")
                )
            elif is_large and not FORMS[task_id].is_list and mistake.name in _SECOND_READER:
                marks.append(pytest.mark.xfail(strict=True, reason="the second JSON reader"))
            cases.append(pytest.param(task_id, mistake, marks=marks, id=f"{task_id}-{mistake.name}"))
    return cases


@pytest.mark.parametrize("task_id", FORMS)
def test_file_without_mistake_is_valid(tmp_path, capsys, task_id):
    document = make_document(FORMS[task_id])
    write_submission(document.text, document, tmp_path)
    assert main(["check", task_id, str(tmp_path), "--json"]) == 0


@pytest.mark.parametrize(("task_id", "mistake"), _cases(is_large=False))
def test_message_of_a_small_file(tmp_path, capsys, task_id, mistake):
    document = make_document(FORMS[task_id])
    wrong = mistake.make(document)
    write_submission(wrong.text, document, tmp_path)
    main(["check", task_id, str(tmp_path), "--json"])
    finding = read_finding(capsys.readouterr().out)
    assert finding.is_expected(wrong), (finding, wrong.places)


@pytest.mark.slow
@pytest.mark.parametrize(("task_id", "mistake"), _cases(is_large=True))
def test_message_at_full_size(tmp_path, task_id, mistake):
    document = make_document(FORMS[task_id], mistake.n_bytes, mistake.entry_bytes)
    wrong = mistake.make(document)
    write_submission(wrong.text, document, tmp_path)
    finding = check_in_process(task_id, tmp_path)
    assert finding.is_expected(wrong), (finding.places[:3], wrong.places)
