"""What runs on the platform: from a submission and the hidden reference to scores and a detail page."""

import sys
from pathlib import Path

# A built program carries the packages that it needs. They come last: those of the interpreter are preferred.
_VENDOR = Path(__file__).resolve().parent / "vendor"
if _VENDOR.is_dir() and str(_VENDOR) not in sys.path:
    sys.path.append(str(_VENDOR))
