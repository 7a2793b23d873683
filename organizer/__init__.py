"""Tools for organizers: build and lint bundles, prepare data, run and rank submissions."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
