"""Lemmas of English words: a table that organizers prepare, and a small rule for words that it lacks."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SILENT_E = re.compile(r"(at|bl|iz|is|us|[aeiou]g|[cv]|[^aeiou]u|[aeiou][kmn]|[^aeio][iou]r|[ai]r)$")


def rule_lemma(word: str) -> str:
    """Return the lemma of an English noun or verb by a handful of endings; it need not be a word."""
    lower = word.lower()
    if len(lower) <= 3 or not lower.isalpha():
        return lower
    if lower.endswith("ies"):
        return lower[:-3] + "y"
    if re.search(r"(s|x|z|ch|sh)es$", lower):
        return lower[:-2]
    if lower.endswith("s") and not lower.endswith(("ss", "us", "is")):
        return lower[:-1]
    for ending in ("ing", "ed"):
        stem = lower[: -len(ending)]
        if lower.endswith(ending) and len(stem) >= 2 and re.search("[aeiouy]", stem):
            if re.search(r"([bdgmnprt])\1$", stem):
                return stem[:-1]
            return stem + "e" if len(stem) > 2 and _SILENT_E.search(stem) else stem
    return lower


class Lemmas:
    """Looks lemmas up in a table. ``missing`` collects the words that it lacks.

    ``fallback`` says what a missing word becomes: ``rule`` (`rule_lemma`) or ``lower`` (its lower-case self).
    """

    def __init__(self, table: Mapping[str, str], fallback: str) -> None:
        self._table = table
        self._fallback = rule_lemma if fallback == "rule" else str.lower
        self.missing: set[str] = set()

    def __call__(self, word: str) -> str:
        """Return the lemma of a word."""
        found = self._table.get(word)
        if found is None:
            self.missing.add(word)
            return self._fallback(word)
        return found
