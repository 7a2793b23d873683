"""What is said of tables with a header, of items or to be converted: wrong separators, printed values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from validator.csv_text import SEPARATORS
from validator.texts import printed_value


def printed_words(texts: Iterable[str]) -> str:
    """Return what to add to the message on some texts if a library printed one of them, otherwise "".

    Examples
    --------
    >>> printed_words(["id", "np.float64(3.0)"]), printed_words(["3.0"])
    (' (numpy prints values like this; convert them with .item() first)', '')
    """
    for text in texts:
        printed = printed_value(text.strip(" \t"))
        if printed:
            return f" ({printed.library} prints values like this; convert them with .item() first)"
    return ""


def other_separator(header: Sequence[str], wanted_columns: Sequence[str]) -> str:
    """Return what separates the fields of a header in place of commas, "" if nothing does."""
    if len(header) == 1:
        for separator, separator_name in SEPARATORS.items():
            names = {name.strip() for name in header[0].split(separator)}
            if names.issuperset(wanted_columns):
                return f"{separator_name}s"
    return ""
