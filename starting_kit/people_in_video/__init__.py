"""Check, score and compare submissions of published challenges on people in video, with the server's code.

    from people_in_video import score

    result = score(task, "my.zip", reference="my_annotations")

``python -m people_in_video`` does the same on the command line.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from people_in_video.comparing.comparison import Comparison
    from people_in_video.comparing.submissions import compare
    from people_in_video.errors import NothingToScoreError, ReferenceProblemsError, SubmissionError
    from people_in_video.evaluator import Evaluator
    from people_in_video.history import add_run
    from people_in_video.result import Score
    from people_in_video.samples import sample_predictions
    from people_in_video.scoring import check, convert, score

__all__ = [
    "Comparison",
    "Evaluator",
    "NothingToScoreError",
    "ReferenceProblemsError",
    "Score",
    "SubmissionError",
    "add_run",
    "check",
    "compare",
    "convert",
    "sample_predictions",
    "score",
]

# A command must be able to say that a package is missing before modules are imported that need it.
_MODULE_OF_NAME = {
    "Comparison": "comparing.comparison",
    "Evaluator": "evaluator",
    "NothingToScoreError": "errors",
    "ReferenceProblemsError": "errors",
    "Score": "result",
    "SubmissionError": "errors",
    "add_run": "history",
    "check": "scoring",
    "compare": "comparing.submissions",
    "convert": "scoring",
    "sample_predictions": "samples",
    "score": "scoring",
}


def __getattr__(name: str) -> Any:
    """Return what the package offers; its module is imported when it is asked for first."""
    if name not in _MODULE_OF_NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF_NAME[name]}"), name)
