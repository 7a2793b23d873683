"""Types of arrays: floating-point numbers, whole numbers, truth values and bytes, of any width and shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]
Pixels = NDArray[np.uint8]
