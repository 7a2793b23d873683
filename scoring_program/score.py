#!/usr/bin/env python3
"""The entry point on the platform: ``python3 score.py INPUT OUTPUT``.

INPUT holds ``ref/`` (the hidden reference) and ``res/`` (the submission). Exit codes: 0 scored; 1 the
submission is invalid; 2 the organizer's side is broken.
"""

import gc
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# In a built program this file is next to the folder scoring_program; in the repository it is inside it.
sys.path[0] = HERE if os.path.isdir(os.path.join(HERE, "scoring_program")) else os.path.dirname(HERE)
# A built program carries the packages that it needs; those of the interpreter are preferred.
sys.path.append(os.path.join(sys.path[0], "scoring_program", "vendor"))
sys.dont_write_bytecode = True
# Most of what a run makes lives to its end: to look for garbage as often as usual takes 3 % of a small run.
gc.set_threshold(100000)
# The linear algebra of numpy would start a thread for each core: a quarter of the time of a small run, and
# memory. It has little to do here, and sums of several threads may differ in their last digits.
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# This file must be readable by any Python, so that one that is too old can say so.
if sys.version_info < (3, 9):
    sys.stderr.write(
        "E-PYTHON: this program needs Python 3.9 or later and runs on %d.%d; the organizers must set "
        "docker_image: codalab/codalab-legacy:py312 in competition.yaml\n" % sys.version_info[:2]
    )
    sys.exit(2)
try:
    try:
        import numpy  # noqa: F401
        import yaml  # noqa: F401
    except ImportError as error:
        sys.stderr.write(
            "E-PYTHON: this interpreter cannot import %s; the organizers must set "
            "docker_image: codalab/codalab-legacy:py312 in competition.yaml\n" % (error.name or "numpy")
        )
        sys.exit(2)
    # Python may raise any error where it runs out of memory while it imports; ours take about 15 MB.
    bytearray(32 << 20)
    from scoring_program.run import main

    if __name__ == "__main__":
        sys.exit(main())
except MemoryError:
    sys.stderr.write(
        "E-LIMIT-MEMORY: the memory does not suffice to run the program; the organizers must give its "
        "container at least 1 GB\n"
    )
    sys.exit(2)
