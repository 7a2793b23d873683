"""What organizers do: build the bundle, lint it, dry-run submissions, prepare reference data."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
