#!/usr/bin/env python3
"""Compare submissions at home: ``python compare.py ID a.zip b.zip [c.zip ...]``.

This is ``python -m people_in_video compare`` by its earlier name.
"""

from __future__ import annotations

import sys

# First, because it says which package is missing.
import people_in_video.commands.compare as command
from people_in_video import Comparison, ReferenceProblemsError, SubmissionError, compare

__all__ = ["Comparison", "ReferenceProblemsError", "SubmissionError", "compare", "main"]

main = command.main

if __name__ == "__main__":
    sys.exit(main())
