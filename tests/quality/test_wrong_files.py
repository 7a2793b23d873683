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
_SECOND_READER = {"the same in an entry above 1 MB", "half a character"}
_SECOND_READER_OF_PARTS = {
    "wrapped",
    "wrapped, above 10 MB",
    "curly apostrophe above 50 MB",
    "the same, escaped",
}


def _xfail_reason(form, mistake, is_large):
    """Return why a mistake does not get its message yet, "" if it does; lists have a reader of their own."""
    if form.is_list:
        return ""
    if mistake.name in _NOT_YET:
        return "decided for the reader that takes the place of both JSON readers"
    names = _SECOND_READER | _SECOND_READER_OF_PARTS if form.is_largest else _SECOND_READER
    return "the second JSON reader" if is_large and mistake.name in names else ""


def _cases(is_large):
    cases = []
    for task_id, form in FORMS.items():
        for mistake in possible_mistakes(form):
            reason = _xfail_reason(form, mistake, is_large)
            marks = pytest.mark.xfail(strict=True, reason=reason) if reason else ()
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
