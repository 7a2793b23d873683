#!/usr/bin/env python3
"""Check a submission and score it at home: ``python evaluate.py ID my.zip``.

This is ``python -m people_in_video score`` by its earlier name; it takes the options of the challenges' own
scripts, too.
"""

from __future__ import annotations

import sys

# First, because it says which package is missing.
import people_in_video.commands.score as command
from people_in_video import Evaluator, ReferenceProblemsError, Score, SubmissionError, add_run, score

__all__ = ["Evaluator", "ReferenceProblemsError", "Score", "SubmissionError", "add_run", "main", "score"]

main = command.main

if __name__ == "__main__":
    sys.exit(main())
