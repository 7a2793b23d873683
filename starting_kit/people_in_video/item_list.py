"""Lists of items: files of ids, and the choice of some items of a reference."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Collection, Sequence
from pathlib import Path

from validator.texts import counted, quote

# The header of `per_item.csv`, and of other tables of items.
_HEADER = "item"
_MOST_NAMED = 5


def read_items(path: Path) -> list[str]:
    """Return the ids in a text file, one a line; blanks around them and further columns are ignored.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        It is no text in UTF-8, a line cannot be read, or it holds no id.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is no text in UTF-8; save it as UTF-8") from None
    rows = csv.reader(text.splitlines())
    try:
        items = [row[0].strip() for row in rows if row and row[0].strip()]
    except csv.Error as error:
        raise ValueError(f"line {rows.line_num} is no CSV ({error}); write one id a line") from None
    if items and items[0].lower() == _HEADER:
        del items[0]
    if not items:
        raise ValueError("it holds no id; write one a line")
    return items


def check_known(items: Collection[str], known_items: Sequence[str], noun: str) -> None:
    """Check that items are among those of a reference.

    Parameters
    ----------
    items, known_items : collection of str
    noun : str
        What an item is, as ``video``.

    Raises
    ------
    ValueError
        Some are not; the message names them.
    """
    known_set = set(known_items)
    unknown_items = list(dict.fromkeys(item for item in items if item not in known_set))
    if not unknown_items:
        return
    names = ", ".join(f"'{quote(item)}'" for item in unknown_items[:_MOST_NAMED])
    n_more = len(unknown_items) - _MOST_NAMED
    more = f" and {n_more:,} more" if n_more > 0 else ""
    nearest = difflib.get_close_matches(unknown_items[0], known_items, 1)
    remedy = f"did you mean '{quote(nearest[0])}'?" if nearest else f"the first is '{quote(known_items[0])}'"
    raise ValueError(f"{counted(len(unknown_items), noun)} not in the reference: {names}{more}; {remedy}")
