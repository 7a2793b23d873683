"""Lemmas of single words as in Stanford CoreNLP 3.9.1: a table, and a rule for words outside of it."""

from __future__ import annotations

import gzip
import re
import unicodedata
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from validator.findings import Findings, Note
from validator.texts import counted, quote

TABLE_VERSION = "3.9.1"
# Not in scoring programs, as their references hold the lemmas.
TABLE = Path(__file__).with_name(f"corenlp_{TABLE_VERSION}_lemmas.tsv.gz")
_NAMED_WORDS = 10
_FIRST_TOKEN = re.compile(r"\w+?(?=n't\b)|\w[-./:,\w]*|\.+|-+|[?!]+|.")
# A mark that joins no letters is looked for apart: a repeated group would take a record for each mark.
_LOOSE_MARK = re.compile(r"(?<=\w)[-./:,](?!\w)")
_PUNCTUATION = {
    "(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-",
    '"': "''", "“": "``", "”": "''", "‘": "`", "…": "...", "–": "--", "—": "--",
}  # fmt: skip
_SILENT_E = re.compile(r"(at|bl|iz|is|us|[aeiou]g|[cv]|[^aeiou]u|[aeiou][kmn]|[^aeio][iou]r|[ai]r)$")


def load_table() -> dict[str, str]:
    """Return the lemma of each word of the table. Raises FileNotFoundError in a scoring program."""
    table = {}
    for line in gzip.decompress(TABLE.read_bytes()).decode().splitlines():
        word, _, lemma = line.partition("\t")
        table[word] = lemma or word
    return table


def first_token(word: str) -> str:
    """Return the part of a word that CoreNLP reads first; empty if there is nothing visible."""
    if word.isalnum():
        return word
    visible = "".join(" " if _is_invisible(character) else character for character in word)
    match = _FIRST_TOKEN.match(visible.strip().replace("’", "'"))
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


class LemmaTable(NamedTuple):
    """The lemmas that scoring needs, the name of the lemmatizer, and notes on words that it does not know."""

    lemmas: dict[str, str]
    lemmatizer: str
    notes: list[Note]


def lemmas_from_table(words: Collection[str], tokens: Collection[str], fallback: str) -> LemmaTable:
    """Return the lemmas that scoring needs, from the table of CoreNLP 3.9.1.

    ``words`` are the tokens and classes of the reference, ``tokens`` those that are not annotated;
    ``fallback`` is that of `Lemmas`.
    """
    lemma_of = Lemmas(load_table(), fallback)
    lemmas = {word: lemma_of(word) for word in words}
    missing_words = sorted(lemma_of.missing)
    findings = Findings()
    if missing_words:
        examples = ", ".join(repr(quote(word)) for word in missing_words[:_NAMED_WORDS])
        n_more = len(missing_words) - _NAMED_WORDS
        more = f" and {n_more:,} more" if n_more > 0 else ""
        text = (
            f"{counted(len(missing_words), 'word')} not in the table of lemmas got a lemma {lemma_of.means}"
        )
        findings.note("N-LEMMAS-MISSING", f"{text}: {examples}{more}")
    findings.notes += notes_on_words_without_token([word for word in missing_words if not first_token(word)])
    return LemmaTable(
        lemmas=with_other_words(lemmas, tokens, lemma_of),
        lemmatizer=f"corenlp-{TABLE_VERSION}-table+{len(missing_words)}",
        notes=findings.notes,
    )


def with_other_words(lemmas: Mapping[str, str], tokens: Collection[str], lemma_of: Lemmas) -> dict[str, str]:
    """Add the words whose lemma, by the table or by the fallback, is that of a token.

    Of all other words it suffices to know that they have the lemma of no token.
    """
    token_lemmas = {lemmas[token] for token in tokens}
    other_words = {}
    for word, lemma in lemma_of.table.items():
        if lemma in token_lemmas or lemma_of.fallback(word) in token_lemmas:
            other_words[word] = lemma
    return {**other_words, **lemmas}


def notes_on_words_without_token(words: Collection[str]) -> list[Note]:
    """Return a note on words in which CoreNLP finds no token."""
    if not words:
        return []
    problem = f"left {counted(len(words), 'word')} of only spaces and invisible characters unchanged"
    reason = "CoreNLP finds no token there, and the released script stops"
    return [Note("N-LEMMAS-NO-TOKEN", f"{problem}; {reason}")]
