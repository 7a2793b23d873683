"""Names of teams as they are shown: two different names never look equal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from validator.names import ASCII_OF_LOOK_ALIKE
from validator.texts import printable, without_unprintable


def with_code_points(name: str) -> str:
    r"""Return a name in ASCII, with the code points of all other characters, and backslashes doubled.

    Examples
    --------
    >>> with_code_points("al\xadice"), with_code_points("Zoë"), with_code_points(r"Zo\xeb")
    ('al\\xadice', 'Zo\\xeb', 'Zo\\\\xeb')
    """
    return _with_backslashes_doubled(name).encode("ascii", "backslashreplace").decode("ascii")


def unambiguous(name: str) -> str:
    r"""Return a name as it is, or with its backslashes doubled and code points for what cannot be seen.

    No other name is shown as it is, here or by `with_code_points`.
    """
    return printable(_with_backslashes_doubled(name))


def _with_backslashes_doubled(name: str) -> str:
    return name.replace("\\", "\\\\")


def look_of(name: str) -> str:
    """Return what equal-looking names share: no invisible characters, one width and script, no case.

    Examples
    --------
    >>> look_of("Ali\u200bce") == look_of("\uff41lice") == look_of("Al\u0456ce")
    True
    """
    in_latin = unicodedata.normalize("NFKD", without_unprintable(name)).translate(ASCII_OF_LOOK_ALIKE)
    return unicodedata.normalize("NFKC", in_latin).casefold().strip()


def similar_names(names: Iterable[str]) -> list[list[str]]:
    """Return the groups of different names that look equal, each in ascending order."""
    names_of_look: dict[str, list[str]] = {}
    for name in sorted(set(names)):
        names_of_look.setdefault(look_of(name), []).append(name)
    return [group for group in names_of_look.values() if len(group) > 1]
