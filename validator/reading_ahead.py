"""Reading a large file in a thread, while what was read of it is decoded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context

# At most so many bytes are read ahead.
_BYTES_AHEAD = 8_000_000


@contextmanager
def reading_ahead(read: Callable[[int], bytes]) -> Iterator[Callable[[int], bytes]]:
    """Yield a function that returns the next bytes as ``read`` does; a thread reads those after them."""
    # It holds whom to tell how far reading is.
    context = copy_context()
    pending: deque[Future[bytes]] = deque()
    with ThreadPoolExecutor(1) as thread:

        def read_on(size: int) -> bytes:
            data = pending.popleft().result() if pending else b""
            if len(data) < size:
                data += read(size - len(data))
            pending.append(thread.submit(context.run, read, min(size, _BYTES_AHEAD)))
            return data

        yield read_on
