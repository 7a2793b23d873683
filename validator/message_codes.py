"""The codes of messages: the record that explains one, and the tables of all packages that are present.

A table is a module ``codes.py`` with a `CodeTable` named ``CODES``. Each package has one, and the folder of a
challenge another for what only its files can be told. The page of all messages and ``--explain`` are made
from the tables, and a message whose code is in none of them is refused.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from validator.discovery import discover

# In the order of the page of all messages. Others that lie beside them are not ours.
_NAMES = ("validator", "scoring_program", "organizer")
_FOLDER = Path(__file__).resolve().parent
# What their full names begin with: nothing, or in kits the name of the package that they are in.
_PREFIX = __package__.removesuffix(_FOLDER.name)


class MessageCode(NamedTuple):
    """The code of a message, what it means, and what to do about it, "" if nothing has to be done.

    ``is_mistake`` says of a note that it tells of a likely mistake: logs and pages show such notes first and
    set off from the others.
    """

    code: str
    meaning: str
    remedy: str = ""
    is_mistake: bool = False

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


def code_tables() -> dict[str, CodeTable]:
    """Return the tables of all packages and challenges that are present, by the names of their modules."""
    present = [name for name in _NAMES if (_FOLDER.parent / name / "codes.py").is_file()]
    return _tables_of(tuple(f"{_PREFIX}{name}" for name in present))


def all_codes() -> dict[str, MessageCode]:
    """Return what is known of each code that is present."""
    return _codes_of(code_tables().values())


def explain_code(code: str) -> str:
    """Return what a code means as one line of text, in any case of letters.

    Raises
    ------
    ValueError
        There is no such code; the message names the nearest one.
    """
    import difflib

    known_codes = all_codes()
    if code.upper() not in known_codes:
        close = difflib.get_close_matches(code.upper(), known_codes, 1)
        ask = f"did you mean {close[0]}?" if close else "codes begin with E- or N-"
        raise ValueError(f"there is no message {code.upper()}; {ask}")
    return known_codes[code.upper()].line()


@cache
def _tables_of(packages: tuple[str, ...]) -> dict[str, CodeTable]:
    tables = {}
    for package in packages:
        modules = [f"{package}.codes"]
        for path in discover(package, "*/*/codes.py"):
            group, challenge = path.parts[-3:-1]
            modules.append(f"{package}.{group}.{challenge}.codes")
        for module in modules:
            tables[module] = importlib.import_module(module).CODES
    return tables


def _codes_of(tables: Iterable[CodeTable]) -> dict[str, MessageCode]:
    codes = {}
    for table in tables:
        for part in table:
            codes.update({message_code.code: message_code for message_code in part})
    return codes


@cache
def _codes_of_packages(packages: tuple[str, ...]) -> dict[str, MessageCode]:
    return _codes_of(_tables_of(packages).values())


@cache
def is_likely_mistake(code: str) -> bool:
    """Return whether the note with a code tells of a likely mistake. Raises KeyError for an unknown code."""
    return _codes_of_packages(_imported_packages())[code].is_mistake


@cache
def require_known(code: str) -> None:
    """Check the code of a message; it may be several codes, as ``L-REFERENCE R-BOX``.

    Raises
    ------
    ValueError
        No table explains the code.
    """
    for word in code.split():
        if word not in _codes_of_packages(_imported_packages()):
            raise ValueError(f"{word} is in no codes.py; add it to that of the package that reports it")


def _imported_packages() -> tuple[str, ...]:
    """Return the packages that can report: one that is not imported does not, and need not be loaded."""
    packages = [f"{_PREFIX}{name}" for name in _NAMES]
    return tuple(package for package in packages if package in sys.modules)
