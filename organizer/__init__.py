"""Tools for organizers: build and lint bundles, prepare data, run and rank submissions."""

from pathlib import Path

from validator.console import quiet_interrupts

# The next modules take seconds on a slow machine.
quiet_interrupts()

ROOT = Path(__file__).resolve().parent.parent
