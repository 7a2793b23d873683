"""Moving packages below another one: in a kit, all code is in one package, so that pip installs one name.

A top-level package ``validator`` would clash with that of PyPI, and with a participant's ``validator.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from organizer.bundle.modules import import_statements
from organizer.files import Files


def nest_packages(files: Files, packages: Collection[str], parent: str) -> dict[str, bytes]:
    """Return files with top-level packages moved below another; all modules import them from there.

    Parameters
    ----------
    files : mapping of str to bytes
        The content of files by their POSIX names; those that end in ``.py`` are modules.
    packages : collection of str
        The names of the packages to move, as ``validator``.
    parent : str
        The name of the package that they are moved to.

    Raises
    ------
    ValueError
        A module imports one of the packages with ``import``, which would bind another name.
    """
    nested_files = {}
    for name, data in files.items():
        is_moved = name.partition("/")[0] in packages
        nested_name = f"{parent}/{name}" if is_moved else name
        nested_files[nested_name] = nest_imports(data, packages, parent) if name.endswith(".py") else data
    return nested_files


def nest_imports(code: bytes, packages: Collection[str], parent: str) -> bytes:
    """Return the code of a module that imports packages from below another; raises as `nest_packages`."""
    places = []
    for statement in import_statements(code, True):
        if isinstance(statement, ast.Import):
            _check_import(statement, packages)
        elif _is_below(statement.module or "", packages) and not statement.level:
            # Columns count bytes.
            places.append((statement.lineno - 1, statement.col_offset + len("from ")))
    lines = code.splitlines(keepends=True)
    # From the end, so that what is inserted moves no other place.
    for number, column in sorted(places, reverse=True):
        line = lines[number]
        lines[number] = line[:column] + f"{parent}.".encode() + line[column:]
    return b"".join(lines)


def _check_import(node: ast.Import, packages: Collection[str]) -> None:
    for alias in node.names:
        if _is_below(alias.name, packages):
            raise ValueError(f"import {alias.name} cannot be moved; write from ... import ...")


def _is_below(module: str, packages: Collection[str]) -> bool:
    return module.partition(".")[0] in packages
