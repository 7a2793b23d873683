"""The nearest of the names that are public to one that is not among them."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from scoring_program.repairs.spelling import fold_all, unique_folds
from validator.texts import folded, quote

# The least similarity of the nearest name, as `difflib` measures it, and what bounds the time.
_LEAST_SIMILARITY = 0.7
_MOST_COMPARED = 2_000
_LONGEST_COMPARED = 60


class NearestNames:
    """Finds the nearest of some names to one that is not among them.

    Parameters
    ----------
    names : collection of str
        What is public. Of more than 2,000 names only those that fold alike are found.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._name_of_fold = unique_folds(fold_all, names)
        self._nearest_of_name: dict[str, str] = {}
        self._name_of_text: dict[str, str] = {}
        if len(names) <= _MOST_COMPARED:
            for name in sorted(names):
                self._name_of_text.setdefault(folded(name[:_LONGEST_COMPARED]), name)

    def find(self, name: str) -> str:
        """Return the nearest name, "" if none is near."""
        if len(name) > _LONGEST_COMPARED:
            return ""
        if name not in self._nearest_of_name:
            self._nearest_of_name[name] = self._search(name)
        return self._nearest_of_name[name]

    def _search(self, name: str) -> str:
        name_that_folds_alike = self._name_of_fold.get(fold_all(name), "")
        if name_that_folds_alike:
            return name_that_folds_alike
        matches = difflib.get_close_matches(folded(name), self._name_of_text, n=1, cutoff=_LEAST_SIMILARITY)
        return self._name_of_text[matches[0]] if matches else ""

    def words(self, name: str) -> str:
        """Return half a sentence on the nearest name, " (the nearest is 'robin')", "" if none is near."""
        nearest = self.find(name)
        return f" (the nearest is '{quote(nearest, _LONGEST_COMPARED)}')" if nearest else ""
