"""Packages that some tasks need, and others do not: what is missing is one sentence with the command."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

from people_in_video.errors import MissingPackageError

# What pip calls packages, where that is not the name of the import.
_DISTRIBUTIONS = {"PIL": "pillow"}


def distribution(name: str) -> str:
    """Return what pip calls a package that is imported by a name."""
    return _DISTRIBUTIONS.get(name, name)


def require_packages(names: Iterable[str], subject: str) -> None:
    """Raise MissingPackageError unless all packages can be imported; ``subject`` is what needs them."""
    missing_names = [distribution(name) for name in names if find_spec(name) is None]
    if missing_names:
        raise MissingPackageError(
            f"{subject} needs {' and '.join(missing_names)}: python -m pip install {' '.join(missing_names)}"
        )
