"""What a machine lacks when a program cannot go on: room on a disk, a temporary folder, or memory."""

from __future__ import annotations

import errno
from typing import NamedTuple

from validator import limits

# EFBIG is that of a limit on the size of files. Windows has no quotas with a number of their own.
_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
# The error of tempfile has the number of a file that is not there.
_NO_TEMPORARY_FOLDER = "No usable temporary directory"


class Shortage(NamedTuple):
    """What is missing, and what to do about it; ``code`` is that of a message."""

    code: str
    problem: str
    remedy: str

    def line(self) -> str:
        """Return the message in a line."""
        return f"{self.code}: {self.problem}; {self.remedy}"


def shortage_of(error: BaseException) -> Shortage | None:
    """Return what the machine lacks according to an exception, None if the exception tells something else."""
    is_without_threads = isinstance(error, RuntimeError) and "can't start new thread" in str(error)
    if limits.is_out_of_memory(error) or is_without_threads:
        problem = "the memory does not suffice"
        return Shortage("E-LIMIT-MEMORY", problem, "end other programs, or raise the limit of memory")
    if not isinstance(error, OSError):
        return None
    if _NO_TEMPORARY_FOLDER in str(error):
        problem = "there is no folder for temporary files"
        return Shortage("E-OUTPUT", problem, "set TMPDIR to a folder with room that you may write to")
    if error.errno in _FULL:
        place = f"{error.filename}: " if error.filename else ""
        problem = f"{place}there is no room for a file ({error.strerror})"
        return Shortage("E-OUTPUT", problem, "free space, or choose another place")
    return None
