"""The nearest of the names that are public to one that is not among them.

Names of a submission are hostile: what is compared is limited in number and length.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection

from validator.names import fold_all, quote_beside, unique_folds
from validator.texts import folded, quote

# The least similarity, as `difflib` measures it, and what bounds the time.
_LEAST_SIMILARITY = 0.7
_MOST_NEAREST = 2_000
_LONGEST_NEAREST = 60


class NearestNames:
    """Finds the nearest of some names to one that is not among them.

    Parameters
    ----------
    names : collection of str
        What is public. Of more than 2,000 names only those that fold alike are found.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._member_of_fold = unique_folds((("", name) for name in names), fold_all)
        few_names = sorted(names, reverse=True) if len(names) <= _MOST_NEAREST else ()
        self._name_of_text = {folded(name[:_LONGEST_NEAREST]): name for name in few_names}

    def find(self, name: str) -> str:
        """Return the nearest name, "" if none is near."""
        if len(name) > _LONGEST_NEAREST:
            return ""
        member = self._member_of_fold.get(("", fold_all(name)))
        if member is not None:
            return member[1]
        matches = difflib.get_close_matches(folded(name), self._name_of_text, n=1, cutoff=_LEAST_SIMILARITY)
        return self._name_of_text[matches[0]] if matches else ""

    def words(self, name: str) -> str:
        """Return half a sentence on the nearest name, " (the nearest is 'robin')", "" if none is near.

        Characters of the name that only look like those of the nearest are shown by their numbers.
        """
        nearest = self.find(name)
        if not nearest:
            return ""
        text = f"the nearest is '{quote(nearest, _LONGEST_NEAREST)}'"
        odd_text = quote_beside(name, nearest)
        return f" ({text}, yours '{odd_text}')" if odd_text != quote(name) else f" ({text})"
