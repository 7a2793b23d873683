"""The codes of messages: the record that explains one, and the tables of all packages that are present.

A table is a module ``codes.py`` with a `CodeTable` named ``CODES``. Each package has one, and the folder of a
challenge another for what only its files can be told. The page of all messages and ``--explain`` are made
from the tables, and a message whose code is in none of them is refused.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

# The packages of this program, or of the starting kit.
_PACKAGES = Path(__file__).resolve().parent.parent


class MessageCode(NamedTuple):
    """The code of a message, what it means, and what to do about it, "" if nothing has to be done."""

    code: str
    meaning: str
    remedy: str = ""

    def line(self) -> str:
        """Return the explanation as one line of text."""
        return f"{self.code}: {self.meaning} {self.remedy}".strip()


class CodeTable(NamedTuple):
    """The codes of one package, in the parts of the page of all messages.

    Attributes
    ----------
    submission_errors, other_errors : tuple of MessageCode
        Nothing was scored: participants can correct the former; the latter are of the reference, the
        settings, or the platform.
    reference_warnings : tuple of MessageCode
        What organizers should look at in a reference.
    notes : tuple of MessageCode
        Something was accepted, or looks like a mistake.
    linter : tuple of MessageCode
        What the linter of bundles finds.
    """

    submission_errors: tuple[MessageCode, ...] = ()
    other_errors: tuple[MessageCode, ...] = ()
    reference_warnings: tuple[MessageCode, ...] = ()
    notes: tuple[MessageCode, ...] = ()
    linter: tuple[MessageCode, ...] = ()


@cache
def code_tables() -> dict[str, CodeTable]:
    """Return the tables of all packages and challenges that are present, by the names of their modules."""
    paths = sorted(_PACKAGES.glob("*/codes.py"))
    for path in list(paths):
        paths += sorted(path.parent.glob("*/*/codes.py"))
    names = [".".join(path.relative_to(_PACKAGES).with_suffix("").parts) for path in paths]
    return {name: importlib.import_module(name).CODES for name in names}


@cache
def all_codes() -> dict[str, MessageCode]:
    """Return what is known of each code that is present."""
    codes = {}
    for table in code_tables().values():
        for part in table:
            codes.update({message_code.code: message_code for message_code in part})
    return codes


@cache
def require_known(code: str) -> None:
    """Check the code of a message; it may be several codes, as ``L-REFERENCE R-BOX``.

    Raises
    ------
    ValueError
        No table explains the code.
    """
    for word in code.split():
        if word not in all_codes():
            raise ValueError(f"{word} is in no codes.py; add it to that of the package that reports it")
