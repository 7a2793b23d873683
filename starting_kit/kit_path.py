"""Makes the scoring code importable, from an unpacked kit or from the repository. Import it first."""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# An unpacked kit carries the code and the demo data itself; in the repository they are one folder up.
IN_KIT = (HERE / "scoring_program").is_dir()
ROOT = HERE if IN_KIT else HERE.parent
DEMO_REFERENCE = ROOT / ("demo_reference" if IN_KIT else "reference_data")

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
    # The packages that the kit carries; those of the interpreter are preferred.
    sys.path.append(str(ROOT / "scoring_program" / "vendor"))
if Path(sys.argv[0]).resolve().parent == HERE:
    # A command of the kit is run: its next modules take seconds on a slow machine.
    from validator.console import quiet_interrupts

    quiet_interrupts()
    for needed in ("numpy", "yaml"):
        if importlib.util.find_spec(needed) is None:
            sys.exit(f"{needed} is not installed: python -m pip install -r requirements.txt")
    if (ROOT / "validator" / "typed_json.py").is_file():
        try:
            import validator.typed_json  # noqa: F401 - a kit of tasks that read JSON
        except ImportError as error:
            sys.stderr.write(f"{error}\n")
            sys.exit(2)
