"""The commands, a module each. Importing this package says in one line which other package is missing."""

from __future__ import annotations

import importlib.util
import sys

from validator.console import quiet_interrupts

if sys.version_info < (3, 9):  # noqa: UP036 - pip looks at the version; who does not install is told here
    sys.exit(f"E-PYTHON: this needs Python 3.9 or later; this is {sys.version.partition(' ')[0]}")
# The next modules take seconds on a slow machine.
quiet_interrupts()
for _needed in ("numpy", "yaml"):
    if importlib.util.find_spec(_needed) is None:
        sys.exit(f"{_needed} is not installed: in the folder of the kit, run python -m pip install .")
