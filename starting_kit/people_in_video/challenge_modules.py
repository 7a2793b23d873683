"""Modules that a package may have for a challenge, found by their names."""

from __future__ import annotations

import importlib
from types import ModuleType

from validator.discovery import discover


def find_module(package: str, name: str) -> ModuleType | None:
    """Return a module below a package, None if there is no such file: challenges may leave out modules.

    Parameters
    ----------
    package : str
        The dotted name of the package, as ``people_in_video``.
    name : str
        The dotted name of the module within it, as ``example.writer``.

    Raises
    ------
    ModuleNotFoundError
        If there is no such package.
    """
    if not discover(package, f"{name.replace('.', '/')}.py"):
        return None
    return importlib.import_module(f"{package}.{name}")
