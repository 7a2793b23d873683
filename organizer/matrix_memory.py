"""Memory for numpy's matrix library, which ends the process by itself where it gets none."""

from __future__ import annotations

import mmap

import numpy as np

# What OpenBLAS takes at the first product of matrices, and a little more.
_BYTES = 48 << 20


def take_matrix_memory() -> None:
    """Let the matrix library take its memory now. Raises OSError if there is none, and ends nothing."""
    mmap.mmap(-1, _BYTES).close()
    square = np.ones((2, 2))
    np.matmul(square, square)
