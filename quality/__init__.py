"""How we know that the scoring is right: comparisons, measurements, and inputs that are made up."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
