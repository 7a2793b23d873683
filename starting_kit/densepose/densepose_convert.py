#!/usr/bin/env python3
"""Convert the pickle of arrays that Detectron-era tools wrote, and the writer by its earlier name.

    python densepose_convert.py body_uv.pkl densepose_mymodel_results.json

Programs use ``people_in_video.densepose.writer``.
"""

from __future__ import annotations

import sys

from people_in_video.densepose.pickled_arrays import main
from people_in_video.densepose.writer import DensePoseWriter

__all__ = ["DensePoseWriter", "main"]

if __name__ == "__main__":
    sys.exit(main())
