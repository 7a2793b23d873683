"""The parser of all commands: what it says of wrong arguments fits on a terminal."""

from __future__ import annotations

import argparse
from typing import NoReturn

from validator.texts import quote

_LONGEST_MESSAGE = 1000


class Parser(argparse.ArgumentParser):
    """A parser whose errors quote what was typed: printable characters only, not endless."""

    def error(self, message: str) -> NoReturn:
        """Print how the command is used and what is wrong, and exit with 2."""
        super().error(quote(message, _LONGEST_MESSAGE))
