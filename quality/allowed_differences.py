"""The differences between the outputs of this version and those of 1.3.0 that are intended.

`quality.same` compares two checkouts apart from these. A change that is intended adds its row, with its
reason.
"""

from __future__ import annotations

from typing import NamedTuple


class AllowedDifference(NamedTuple):
    """A difference that is intended: what ``pattern`` matches is left out of the outputs of both.

    Lines begin at ``^`` and end at ``$``. ``outputs`` matches in the names of the outputs that it is about,
    and ``task`` is their first folder, the id of a task or ``bundle``; without them it is about all.
    """

    reason: str
    pattern: str
    outputs: str = ""
    task: str = ""


# Between any two checkouts.
_VERSION_CLOCK_AND_PLACE = (
    AllowedDifference("version", r"(?<=version:)\d+\.\d+\.\d+"),
    AllowedDifference("time of stages", r'(?<="stages": )\{[^}]*\}|^time: .*$'),
    AllowedDifference("folder of a checkout", r"/[\w./-]*?/(?=output/|cache/)"),
    AllowedDifference("seconds and memory of runs", r"(?s).+", outputs=r"/timing\.csv$"),
    AllowedDifference("place in our code", r"(?<=in )\w+\.py line \d+ in \w+"),
)
ALLOWED_DIFFERENCES = (*_VERSION_CLOCK_AND_PLACE,)
