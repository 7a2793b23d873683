"""Lemmas of single words as in Stanford CoreNLP 3.9.1: a table, and a rule for words outside of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_FIRST_TOKEN = re.compile(r"\w+?(?=n't\b)|\w[-./:,\w]*|\.+|-+|[?!]+|.")
# A mark that joins no letters is looked for apart: a repeated group would take a record for each mark.
_LOOSE_MARK = re.compile(r"(?<=\w)[-./:,](?!\w)")
_PUNCTUATION = {
    "(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-",
    '"': "''", "“": "``", "”": "''", "‘": "`", "…": "...", "–": "--", "—": "--",
}  # fmt: skip
_SILENT_E = re.compile(r"(at|bl|iz|is|us|[aeiou]g|[cv]|[^aeiou]u|[aeiou][kmn]|[^aeio][iou]r|[ai]r)$")


def first_token(word: str) -> str:
    """Return the part of a word that CoreNLP reads first; empty if there is nothing visible."""
    if word.isalnum():
        return word
    visible_word = "".join(" " if _is_invisible(character) else character for character in word)
    match = _FIRST_TOKEN.match(visible_word.strip().replace("’", "'"))
    if match is None:
        return ""
    token = match.group()
    loose_mark = _LOOSE_MARK.search(token)
    return token[: loose_mark.start()] if loose_mark else token


def _is_invisible(character: str) -> bool:
    """Return whether a character is a space or a control character, by its Unicode category."""
    return unicodedata.category(character)[0] in "CZ"


def rule_lemma(word: str) -> str:
    """Return the lemma of a single token that the table does not hold; it need not be a word.

    Digits and punctuation are as CoreNLP has them, capitalized words stay as they are, and others lose the
    endings of English nouns and verbs.
    """
    if any(character.isdigit() for character in word):
        return word.lower()
    if word[:1].isupper() or not any(character.isalpha() for character in word):
        return _PUNCTUATION.get(word, word)
    lower = word.lower()
    if len(lower) <= 3 or not lower.replace("-", "").isalpha():
        return lower
    if lower.endswith("ies"):
        return lower[:-3] + "y"
    if re.search(r"(s|x|z|ch|sh)es$", lower):
        return lower[:-2]
    if lower.endswith("s") and not lower.endswith(("ss", "us", "is")):
        return lower[:-1]
    # "un-braided", "sped-up": compounds that do not end in a plural are adjectives.
    for ending in () if "-" in lower else ("ing", "ed"):
        stem = lower[: -len(ending)]
        if lower.endswith(ending) and len(stem) >= 2 and re.search("[aeiouy]", stem):
            if re.search(r"([bdgmnprt])\1$", stem):
                return stem[:-1]
            return stem + "e" if len(stem) > 2 and _SILENT_E.search(stem) else stem
    return lower


class Lemmas:
    """Looks lemmas up in a table of the lemma of each word.

    ``fallback`` is what a word becomes that is not in the table: with "rule" the lemma of its `first_token`,
    from the table or by `rule_lemma`; with "lower" its lower-case self. ``missing`` has the words that were
    asked for and are not in the table, ``means`` says for messages how their lemmas were found.
    """

    def __init__(self, table: Mapping[str, str], fallback: str) -> None:
        self.table = table
        self.missing: set[str] = set()
        self._lower = fallback == "lower"
        self.means = "by putting it in lower case" if self._lower else "by a rule"

    def __call__(self, word: str) -> str:
        """Return the lemma of a word."""
        if word in self.table:
            return self.table[word]
        self.missing.add(word)
        return self.fallback(word)

    def fallback(self, word: str) -> str:
        """Return the lemma that a word has if it is not in the table itself."""
        if self._lower:
            return word.lower()
        token = first_token(word)
        if token != word and token in self.table:
            return self.table[token]
        return rule_lemma(token) if token else word
