"""What a machine lacks is told in a line with a cure; other errors are not taken for it."""

from __future__ import annotations

import errno
import tempfile

import pytest

from validator.limits import shortage_of


def error_of_tempfile(monkeypatch, tmp_path):
    """Return the error of tempfile where no folder can be written."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / "none")])
    with pytest.raises(FileNotFoundError) as caught:
        tempfile.gettempdir()
    return caught.value


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/a/b"), "E-OUTPUT"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "E-OUTPUT"),
        (OSError(errno.EFBIG, "File too large"), "E-OUTPUT"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "E-LIMIT-MEMORY"),
        (MemoryError(), "E-LIMIT-MEMORY"),
        (ImportError("libx.so: failed to map segment from shared object"), "E-LIMIT-MEMORY"),
        (RuntimeError("can't start new thread"), "E-LIMIT-MEMORY"),
    ],
)
def test_shortage_has_a_code_and_a_cure(error, code):
    shortage = shortage_of(error)
    assert shortage is not None
    assert shortage.code == code
    assert shortage.remedy
    assert "\n" not in shortage.line()


def test_missing_folder_for_temporary_files_is_a_shortage(monkeypatch, tmp_path):
    shortage = shortage_of(error_of_tempfile(monkeypatch, tmp_path))
    assert shortage is not None
    assert shortage.code == "E-OUTPUT"
    assert "TMPDIR" in shortage.remedy


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "No such file or directory", "a"),
        PermissionError(errno.EACCES, "Permission denied", "a"),
        RuntimeError("another"),
        ImportError("No module named 'a'"),
        ValueError("No space left on device"),
    ],
)
def test_other_errors_are_no_shortage(error):
    assert shortage_of(error) is None
