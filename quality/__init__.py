"""How we know that the scoring is right: comparisons, measurements, and inputs that are made up."""

from pathlib import Path

from validator.console import quiet_interrupts

# The next modules take much memory.
quiet_interrupts()

ROOT = Path(__file__).resolve().parent.parent
