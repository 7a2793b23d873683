"""Output whose reader goes away."""

from __future__ import annotations

import io
import os

from organizer.listener import Listener


def test_a_listener_passes_text_on_and_survives_that_its_reader_goes():
    text = io.StringIO()
    listener = Listener(text)
    assert listener.write("hello") == 5
    listener.flush()
    assert text.getvalue() == "hello"
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "w", encoding="utf-8") as closed_pipe:
        listener = Listener(closed_pipe)
        assert listener.fileno() == closed_pipe.fileno()
        assert listener.write("x" * 100_000) == 100_000
        listener.flush()
        assert listener.write("x") == 1
        listener.flush()
