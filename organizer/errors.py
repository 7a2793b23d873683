"""What ends a command, beside problems that have a code."""

from __future__ import annotations


class InputError(Exception):
    """What a command needs is not there, or does not fit together; the arguments are lines that say why."""
