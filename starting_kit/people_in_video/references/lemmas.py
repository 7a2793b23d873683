"""The lemmas of a reference of ActivityNet-Entities, from the table of Stanford CoreNLP 3.9.1."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scoring_program.challenges.anet_entities.lemmas import Lemmas, first_token
from validator.findings import Findings, Note
from validator.texts import counted, quote

TABLE_VERSION = "3.9.1"
TABLE = Path(__file__).with_name("corenlp_3.9.1_lemmas.tsv.gz")
# Its license is beside it: corenlp_3.9.1_lemmas.txt.
_NAMED_WORDS = 10


@cache
def load_table() -> Mapping[str, str]:
    """Return the lemma of each word of the table."""
    table = {}
    for line in gzip.decompress(TABLE.read_bytes()).decode().splitlines():
        word, _, lemma = line.partition("\t")
        table[word] = lemma or word
    return table


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
