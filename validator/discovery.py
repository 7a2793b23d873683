"""Discovery: which files a package holds for each challenge, so that no list of tasks has to be edited."""

from __future__ import annotations

import importlib
from pathlib import Path


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
