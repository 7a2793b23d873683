"""What organizers do: build the bundle, lint it, dry-run submissions, prepare reference data."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scoring_program"))
