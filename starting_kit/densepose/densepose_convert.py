#!/usr/bin/env python3
"""Convert what Detectron and detectron2 wrote: ``python densepose_convert.py body_uv.pkl my.zip``.

This is ``python -m people_in_video convert densepose`` by its earlier name. Programs use
``people_in_video.densepose.writer``.
"""

from __future__ import annotations

import sys
from functools import partial

# First, because it says which package is missing.
import people_in_video.commands.convert as command
from people_in_video.densepose.writer import DensePoseWriter

__all__ = ["DensePoseWriter", "main"]

main = partial(command.main, task="densepose")

if __name__ == "__main__":
    sys.exit(main())
