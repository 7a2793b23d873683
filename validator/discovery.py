"""Discovery: which files a package holds for each challenge, so that no list of tasks has to be edited."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType


def discover(package: str, pattern: str) -> list[Path]:
    """Return the files below the folder of a package that match a pattern, in ascending order.

    Parameters
    ----------
    package : str
        The dotted name of a package, as ``validator.formats``.
    pattern : str
        A glob pattern relative to the folder, as ``*/*.files.yaml``.

    Raises
    ------
    ModuleNotFoundError
        If there is no such package.
    """
    (folder,) = importlib.import_module(package).__path__
    return sorted(Path(folder).glob(pattern))


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
