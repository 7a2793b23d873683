"""How many cores there are to use."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Return how many cores this process may use, 1 in a daemonic process.

    Those are the processes of `multiprocessing.Pool`, of PyTorch's DataLoader, and of ``rescore``: others of
    them use the other cores.
    """
    import multiprocessing

    if multiprocessing.current_process().daemon:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
