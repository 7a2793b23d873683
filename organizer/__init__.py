"""Tools for organizers: build and lint bundles, prepare data, run and rank submissions."""

import importlib.util
import sys
from pathlib import Path

from validator.console import quiet_interrupts

# The next modules take seconds on a slow machine.
quiet_interrupts()

ROOT = Path(__file__).resolve().parent.parent

_KIT_FOLDER = str(ROOT / "starting_kit")
if _KIT_FOLDER not in sys.path:
    sys.path.insert(0, _KIT_FOLDER)
_kit = importlib.util.find_spec("people_in_video")
if _kit is None or Path(str(_kit.origin)).resolve().parent.parent != Path(_KIT_FOLDER):
    _place = "nowhere" if _kit is None else Path(str(_kit.origin)).parent
    sys.exit(
        f"people_in_video is imported from {_place}, and the tools for organizers need that of "
        f"{_KIT_FOLDER}: run them in the .venv of this repository, without a starting kit installed or loaded"
    )
